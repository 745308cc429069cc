//! Formats a reviewed game for the width of the terminal.

use std::fmt::{self, Write as _};

use anstyle::{AnsiColor, Style};
use centipawn_core::MoveSymbol;
use centipawn_judge::JudgedMove;
use centipawn_progress::text::printable;
use centipawn_review::{Review, result_text};
use shakmaty::Color;
use unicode_width::UnicodeWidthStr as _;

use crate::columns::{BARS, indented, padded, shortened, wrapped};

/// Width of the table of players in columns. A narrower terminal gets a list for each player
/// instead.
const TABLE: usize = 80;

/// Returns a reviewed game: the players with their accuracy and symbols, a graph of the game, and
/// its critical moments. The text has `width` columns, at least 10. With `marks_unsure`, `~`
/// follows symbols that a longer search may change, and a line says what errors the searches leave
/// in the totals. The text contains ANSI escape sequences; the caller removes them if the output is
/// not a terminal.
pub fn review(review: &Review, width: usize, marks_unsure: bool) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_summary(&mut out, review, width.max(10), marks_unsure);
    out
}

fn write_summary(
    out: &mut String,
    review: &Review,
    width: usize,
    marks_unsure: bool,
) -> fmt::Result {
    let bold = Style::new().bold();
    let result = result_text(review.game.result);
    let names = printable(&review.title());
    let header = width.min(TABLE);
    if names.width() + 2 + result.width() <= header {
        writeln!(
            out,
            "{bold}{names}{bold:#}{result:>width$}",
            width = header - names.width()
        )?;
    } else {
        writeln!(
            out,
            "{bold}{}{bold:#}",
            wrapped(&format!("{names}  {result}"), width).join("\n")
        )?;
    }
    let address = review.tags().address().unwrap_or_default();
    let opening = review.opening_name().unwrap_or_default();
    let closings = review.closing_notes();
    for text in [&review.tags().occasion(), address, &opening]
        .into_iter()
        .chain(closings.iter().map(String::as_str))
        .filter(|text| !text.is_empty())
    {
        writeln!(out, "{}", wrapped(&printable(text), width).join("\n"))?;
    }
    writeln!(out, "{}\n", sparkline(review, header))?;
    if width < TABLE {
        player_lists(out, review, width)?;
    } else {
        player_table(out, review)?;
    }
    if let Some(errors) = review.search_errors().filter(|_| marks_unsure) {
        let dimmed = Style::new().dimmed();
        let text = wrapped(&errors, width).join("\n");
        writeln!(out, "{dimmed}{text}{dimmed:#}")?;
    }

    let language = review.language;
    if !review.critical_moments.is_empty() {
        writeln!(out)?;
    }
    for &index in &review.critical_moments {
        let ply = &review.plies[index];
        let mark = if marks_unsure && ply.is_unsure() {
            "~"
        } else {
            ""
        };
        moment(out, review, ply, width, mark)?;
    }
    if let Some(&index) = review.hardest_moments.first() {
        let ply = &review.plies[index];
        writeln!(out, "\n{}", language.hardest_moment())?;
        let label = format!("{}{}", language.numbered(ply), ply.glyphs());
        remark(
            out,
            Style::new(),
            &label,
            &language.hard_moment(ply).unwrap_or_default(),
            width,
        )?;
    }
    let notes = [
        review.unplayed_mate_note(),
        review.curve_note(),
        review.version_note(),
        review.play_rating_note(),
        review.suppressed(),
        review.bounded_ease_note(),
    ];
    for note in notes.into_iter().flatten() {
        let dimmed = Style::new().dimmed();
        writeln!(
            out,
            "\n{dimmed}{}{dimmed:#}",
            wrapped(&printable(&note), width).join("\n")
        )?;
    }
    Ok(())
}

/// Returns what the table shows about a player: the accuracy, the relevant loss, and a count for
/// each symbol.
fn facts(review: &Review, color: Color) -> (String, String, [String; 6]) {
    let (player, language) = (review.player(color), review.language);
    let accuracy = player
        .accuracy
        .map(|accuracy| format!("{} %", language.number(accuracy, 1)));
    let count = |symbol: MoveSymbol| match symbol.is_praise() && !review.knows_praise() {
        true => "–".to_owned(),
        false => player.count(symbol).to_string(),
    };
    (
        accuracy.unwrap_or_else(|| "–".to_owned()),
        language.number(player.relevant_loss, 2),
        MoveSymbol::ALL.map(count),
    )
}

fn player_table(out: &mut String, review: &Review) -> fmt::Result {
    let language = review.language;
    write!(
        out,
        "{:30}{:>10}{:>16}",
        "",
        language.accuracy_short(),
        language.relevant_loss_short()
    )?;
    MoveSymbol::ALL
        .iter()
        .try_for_each(|symbol| write!(out, "{symbol:>4}"))?;
    for color in Color::ALL {
        let (accuracy, loss, counts) = facts(review, color);
        let disc = color.fold_wb('○', '●');
        write!(
            out,
            "\n{disc} {}{accuracy:>10}{loss:>16}",
            padded(review.name(color), 28)
        )?;
        for (symbol, count) in MoveSymbol::ALL.into_iter().zip(counts) {
            let style = count_style(symbol, &count);
            write!(out, "{style}{count:>4}{style:#}")?;
        }
    }
    writeln!(out)
}

fn player_lists(out: &mut String, review: &Review, width: usize) -> fmt::Result {
    let language = review.language;
    for color in Color::ALL {
        let (accuracy, loss, counts) = facts(review, color);
        writeln!(
            out,
            "{} {}",
            color.fold_wb('○', '●'),
            shortened(review.name(color), width - 2)
        )?;
        writeln!(out, "  {accuracy} {}", language.accuracy_short())?;
        write!(out, "  {loss} {}\n ", language.relevant_loss_short())?;
        for (symbol, count) in MoveSymbol::ALL.into_iter().zip(counts) {
            let style = count_style(symbol, &count);
            write!(out, " {style}{symbol}{style:#} {count}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn count_style(symbol: MoveSymbol, count: &str) -> Style {
    if matches!(count, "0" | "–") {
        Style::new().dimmed()
    } else {
        style(symbol)
    }
}

/// Returns a critical moment: `9... b5?? Throws away the win.`, and below it the reason, the better
/// line and the numbers. `mark` follows the symbol.
fn moment(
    out: &mut String,
    review: &Review,
    ply: &JudgedMove,
    width: usize,
    mark: &str,
) -> fmt::Result {
    let Some(symbol) = ply.symbol else {
        return Ok(());
    };
    let language = review.language;
    let label = format!("{}{}{mark}", language.numbered(ply), ply.glyphs());
    remark(out, style(symbol), &label, &language.remark(ply), width)?;
    if let Some(reason) = language.reason_text(ply) {
        remark(out, Style::new(), "", &reason, width)?;
    }
    if let Some(line) = language.better_line(ply).filter(|_| !symbol.is_praise()) {
        remark(
            out,
            Style::new(),
            "",
            &format!("{} {line}", language.better()),
            width,
        )?;
    }
    let (dimmed, indent) = (Style::new().dimmed(), if width >= TABLE { 15 } else { 2 });
    let numbers = indented(&language.remark_numbers(ply), width, indent);
    writeln!(out, "{:indent$}{dimmed}{numbers}{dimmed:#}", "")
}

/// Returns a label with a text to its right, or below it on a narrow terminal.
fn remark(out: &mut String, style: Style, label: &str, text: &str, width: usize) -> fmt::Result {
    if width >= TABLE {
        return writeln!(
            out,
            "{style}{label:14}{style:#} {}",
            indented(text, width, 15)
        );
    }
    if !label.is_empty() {
        writeln!(out, "{style}{label}{style:#}")?;
    }
    writeln!(out, "  {}", indented(text, width, 2))
}

/// Returns a graph of White's expected score in one line, at most one column per move.
fn sparkline(review: &Review, width: usize) -> String {
    let scores: Vec<f64> = review.plies.iter().map(|ply| ply.expected_score).collect();
    let columns = scores.len().min(width);
    (0..columns)
        .map(|column| {
            // Each column shows the last of its moves, so that the end of the game always appears.
            let score = scores[(column + 1) * scores.len() / columns - 1];
            BARS[((score * BARS.len() as f64) as usize).min(BARS.len() - 1)]
        })
        .collect()
}

fn style(symbol: MoveSymbol) -> Style {
    let color = match symbol {
        MoveSymbol::Brilliant => AnsiColor::Cyan,
        MoveSymbol::Good | MoveSymbol::Interesting => AnsiColor::Green,
        MoveSymbol::Dubious => AnsiColor::Yellow,
        MoveSymbol::Mistake => AnsiColor::Magenta,
        MoveSymbol::Blunder => AnsiColor::Red,
    };
    Style::new().fg_color(Some(color.into()))
}
