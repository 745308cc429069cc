//! Formats the results of games that reached a position.

use std::fmt::Write as _;

use centipawn_calibrate::position::{
    ExpectedResults, PositionBand, PositionDocument, PositionEval, PositionMove, PositionResults,
};
use centipawn_progress::text::{plural, thousands};
use unicode_width::UnicodeWidthStr as _;

use crate::columns::{indented, padded, wrapped};

/// Width of the column of names.
const NAME: usize = 10;

/// Returns the results at a position: in total, for the `most` frequent moves, and by rating. In at
/// most `width` columns (at least 40).
pub fn position(document: &PositionDocument, most: usize, width: usize) -> String {
    let width = width.max(40);
    let mut out = String::new();
    let PositionDocument {
        fen,
        games,
        results,
        eval,
        expected,
        moves,
        bands,
        ..
    } = document;
    for line in wrapped(fen, width) {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out);
    let all = thousands(games.counted);
    if results.games == 0 {
        let none = match games.counted {
            0 => "No game was read.".to_owned(),
            counted => format!(
                "The position does not occur in {}.",
                plural(counted, "game")
            ),
        };
        let _ = writeln!(out, "{}", wrapped(&none, width).join("\n"));
        return out;
    }
    let share = 100.0 * results.games as f64 / games.counted as f64;
    line(
        &mut out,
        "games",
        &format!("{} of {all} ({share:.2} %)", thousands(results.games)),
        width,
    );
    for (name, count, share, interval) in [
        (
            "White",
            results.white_wins,
            results.win,
            results.win_interval,
        ),
        ("draws", results.draws, results.draw, results.draw_interval),
        (
            "Black",
            results.black_wins,
            results.loss,
            results.loss_interval,
        ),
    ] {
        line(
            &mut out,
            name,
            &format!("{}, {}", percent(share, interval), thousands(count)),
            width,
        );
    }
    line(
        &mut out,
        "score",
        &percent(results.score, results.score_interval),
        width,
    );
    if let Some(eval) = eval {
        line(&mut out, "evaluation", &evaluation(*eval), width);
    }
    if let Some(expected) = expected {
        line(
            &mut out,
            "expected",
            &expectation(*expected, document.seconds),
            width,
        );
    }
    if document.illegal > 0 {
        let left_out = format!(
            "{} of another position with the same key left out",
            plural(document.illegal, "game")
        );
        line(&mut out, "", &left_out, width);
    }
    by_move(&mut out, moves, most, width);
    by_rating(&mut out, bands, width);
    out
}

/// Appends a name and its value. A long value continues on further lines.
fn line(out: &mut String, name: &str, value: &str, width: usize) {
    let _ = writeln!(
        out,
        "{}{}",
        padded(name, NAME + 1),
        indented(value, width, NAME + 1)
    );
}

fn percent(share: f64, (low, high): (f64, f64)) -> String {
    format!(
        "{:.1} % ({:.1} to {:.1})",
        100.0 * share,
        100.0 * low,
        100.0 * high
    )
}

fn evaluation(PositionEval { eval, comments, .. }: PositionEval) -> String {
    match comments {
        0 => eval.to_string(),
        comments => format!("{eval}, the median of {}", plural(comments, "comment")),
    }
}

fn expectation(
    ExpectedResults {
        score,
        win,
        draw,
        loss,
        ..
    }: ExpectedResults,
    seconds: f64,
) -> String {
    let time = format!(
        "people with {} minutes a player",
        (seconds / 60.0 * 10.0).round() / 10.0
    );
    match (win, draw, loss) {
        (Some(win), Some(draw), Some(loss)) => {
            let [win, draw, loss] =
                [win, draw, loss].map(|share| format!("{:.1} %", 100.0 * share));
            format!(
                "score {:.1} %: White {win}, draws {draw}, Black {loss} ({time})",
                100.0 * score
            )
        }
        _ => format!("score {:.1} % ({time})", 100.0 * score),
    }
}

/// Returns the cells of one row of a table.
fn numbers(
    results: &PositionResults,
    expected: Option<ExpectedResults>,
    has_expected: bool,
    width: usize,
) -> String {
    let PositionResults {
        games,
        win,
        draw,
        loss,
        score,
        score_interval: (low, high),
        ..
    } = results;
    let mut row = format!("{:>9}", thousands(*games));
    for share in [win, draw, loss] {
        let _ = write!(row, "{:>6.1}", 100.0 * share);
    }
    if width >= 60 {
        let _ = write!(row, "{:>7.1}", 100.0 * score);
    }
    if width >= 76 {
        let interval = format!("{:.1}-{:.1}", 100.0 * low, 100.0 * high);
        let _ = write!(row, "{interval:>12}");
    }
    if has_expected && width >= 60 {
        let expected =
            expected.map_or_else(|| "-".to_owned(), |own| format!("{:.1}", 100.0 * own.score));
        let _ = write!(row, "{expected:>10}");
    }
    row
}

fn head(has_expected: bool, width: usize) -> String {
    let mut row = format!("{:>9}{:>6}{:>6}{:>6}", "games", "White", "draw", "Black");
    if width >= 60 {
        let _ = write!(row, "{:>7}", "score");
    }
    if width >= 76 {
        let _ = write!(row, "{:>12}", "95 %");
    }
    if has_expected && width >= 60 {
        let _ = write!(row, "{:>10}", "expected");
    }
    row
}

fn by_move(out: &mut String, moves: &[PositionMove], most: usize, width: usize) {
    let shown = &moves[..moves.len().min(most)];
    let has_expected = shown.iter().any(|own| own.expected.is_some());
    let name = |own: &PositionMove| {
        if own.san.is_empty() {
            "(end)".to_owned()
        } else {
            own.san.clone()
        }
    };
    let column = shown
        .iter()
        .map(|own| name(own).width())
        .max()
        .unwrap_or(0)
        .max(8)
        + 1;
    let _ = writeln!(
        out,
        "\n{}{}{}",
        padded("move", column),
        head(has_expected, width),
        if has_evals(shown, width) {
            "  evaluation"
        } else {
            ""
        }
    );
    for own in shown {
        let mut row =
            padded(&name(own), column) + &numbers(&own.results, own.expected, has_expected, width);
        if let (Some(eval), true) = (own.eval, has_evals(shown, width)) {
            let _ = write!(row, "{:>12}", eval.eval.to_string());
        }
        let _ = writeln!(out, "{}", row.trim_end());
    }
    if moves.len() > most {
        let (more, games) = (&moves[most..], |rest: &[PositionMove]| {
            rest.iter().map(|own| own.results.games).sum()
        });
        let rest = format!(
            "{} more in {}",
            plural(more.len() as u64, "move"),
            plural(games(more), "game")
        );
        let _ = writeln!(out, "{rest}");
    }
}

/// Returns whether the table has a column of evaluations after the moves.
fn has_evals(moves: &[PositionMove], width: usize) -> bool {
    width >= 90 && moves.iter().any(|own| own.eval.is_some())
}

fn by_rating(out: &mut String, bands: &[PositionBand], width: usize) {
    let has_expected = bands.iter().any(|own| own.expected.is_some());
    let column = 10;
    let _ = writeln!(
        out,
        "\n{}{}",
        padded("rating", column),
        head(has_expected, width)
    );
    for own in bands {
        let name = match (own.from, own.to) {
            (Some(from), Some(to)) => format!("{from}-{to}"),
            _ => "unrated".to_owned(),
        };
        let _ = writeln!(
            out,
            "{}{}",
            padded(&name, column),
            numbers(&own.results, own.expected, has_expected, width)
        );
    }
}
