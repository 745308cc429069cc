//! Formats the results of matches.

use std::fmt::Write as _;

use centipawn_calibrate::engine_match::{
    MatchBalance, MatchDocument, MatchOpening, MatchPairing, MatchPlayer, PairRule, ScoreBasis,
    ScoreEstimate, SprtDocument, SprtModel, SprtVerdict,
};
use centipawn_progress::text::{plural, thousands};
use unicode_width::UnicodeWidthStr as _;

use crate::columns::{indented, padded, shortened, wrapped};

/// Maximum number of players for which the table of likelihoods of superiority is shown. A larger
/// table is too wide.
const MATRIX: usize = 12;
/// Maximum number of pairings in the list.
const PAIRINGS: usize = 28;
/// The reason why a number is unknown.
const ALL_THE_SAME: &str = "unknown: all results are the same";
/// Width of the column of names of numbers.
const NAME: usize = 15;

/// Returns the results of two players, or the ratings of several, in at most `width` columns (at
/// least 40).
pub fn match_games(document: &MatchDocument, width: usize) -> String {
    let width = width.max(40);
    let mut out = String::new();
    match document.single() {
        Some(pairing) => two(&mut out, document, pairing, width),
        None => several(&mut out, document, width),
    }
    for note in &document.notes {
        let _ = writeln!(out, "\n{}", wrapped(note, width).join("\n"));
    }
    out
}

/// Returns the `most` openings whose scores differ most from equality, in at most `width` columns
/// (at least 40).
pub fn match_openings(document: &MatchDocument, most: usize, width: usize) -> String {
    let width = width.max(40);
    let mut out = String::new();
    if document.openings.is_empty() {
        let none = "No opening is marked in these games: they have no tag FEN and no comment book.";
        let _ = writeln!(out, "{}", wrapped(none, width).join("\n"));
        return out;
    }
    let shown = document.openings.len().min(most);
    let _ = writeln!(
        out,
        "Openings: {}, the most lopsided {shown}",
        document.openings.len()
    );
    let head = format!(
        "{:>6} {:>5} {:>5} {:>5} {:>7}",
        "games", "White", "drawn", "Black", "score"
    );
    let _ = writeln!(out, "{head}{}", if width >= 80 { "  opening" } else { "" });
    for opening in &document.openings[..shown] {
        let MatchOpening {
            games,
            white_wins,
            draws,
            black_wins,
            white_score,
            ..
        } = opening;
        let score = 100.0 * white_score;
        let numbers =
            format!("{games:>6} {white_wins:>5} {draws:>5} {black_wins:>5} {score:>5.1} %  ");
        let name = name_of(opening);
        if width >= 80 {
            let _ = writeln!(
                out,
                "{numbers}{}",
                shortened(&name, width - numbers.width())
            );
        } else {
            let _ = writeln!(
                out,
                "{}\n  {}",
                numbers.trim_end(),
                shortened(&name, width - 2)
            );
        }
    }
    out
}

fn name_of(opening: &MatchOpening) -> String {
    match (&opening.fen, &*opening.moves) {
        (None, moves) => moves.to_owned(),
        (Some(fen), "") => fen.clone(),
        (Some(fen), moves) => format!("{fen} {moves}"),
    }
}

/// Appends a name and its value. A long value continues on further lines.
fn line(out: &mut String, name: &str, value: &str, width: usize) {
    let _ = writeln!(out, "{name:NAME$}{}", indented(value, width, NAME));
}

fn two(out: &mut String, document: &MatchDocument, pairing: &MatchPairing, width: usize) {
    let MatchPairing {
        first,
        second,
        games,
        wins,
        draws,
        losses,
        ..
    } = pairing;
    for text in wrapped(
        &format!(
            "{} against {}",
            shortened(first, width),
            shortened(second, width)
        ),
        width,
    ) {
        let _ = writeln!(out, "{text}");
    }
    let _ = writeln!(out);
    let share = |count: u64| format!("{:.1} %", 100.0 * count as f64 / *games as f64);
    line(out, "games", &thousands(*games), width);
    line(
        out,
        "won",
        &format!("{} ({})", thousands(*wins), share(*wins)),
        width,
    );
    line(
        out,
        "drawn",
        &format!("{} ({})", thousands(*draws), share(*draws)),
        width,
    );
    line(
        out,
        "lost",
        &format!("{} ({})", thousands(*losses), share(*losses)),
        width,
    );
    for (name, sides) in [
        ("with White", pairing.with_white),
        ("with Black", pairing.with_black),
    ] {
        line(
            out,
            name,
            &format!("+{} ={} -{}", sides.wins, sides.draws, sides.losses),
            width,
        );
    }
    let ScoreEstimate {
        score, score_error, ..
    } = pairing.estimate;
    let _ = writeln!(out);
    let error = score_error.map_or_else(
        || ", with an unknown error".to_owned(),
        |error| format!(" ± {:.2}", 100.0 * error),
    );
    line(
        out,
        "score",
        &format!("{:.2} %{error}", 100.0 * score),
        width,
    );
    line(out, "Elo", &elo_with_error(&pairing.estimate), width);
    let normalized = (
        pairing.estimate.normalized_elo,
        pairing.estimate.normalized_elo_error,
    );
    let normalized = match normalized {
        (Some(elo), Some(error)) => format!("{elo:.2} ± {error:.2}"),
        _ => ALL_THE_SAME.to_owned(),
    };
    line(out, "normalised Elo", &normalized, width);
    let superiority = pairing
        .estimate
        .superiority
        .map(|share| format!("{:.2} %", 100.0 * share));
    line(
        out,
        "superiority",
        superiority.as_deref().unwrap_or(ALL_THE_SAME),
        width,
    );
    if let Some(pentanomial) = pairing.pentanomial {
        let pairs: u64 = pentanomial.iter().sum();
        let by = if pairing.pairs_by == PairRule::Rounds {
            "by rounds"
        } else {
            "by openings"
        };
        line(out, "pairs", &format!("{} {by}", thousands(pairs)), width);
        let counts = pentanomial.map(|count| count.to_string()).join(", ");
        line(
            out,
            "pentanomial",
            &format!("[{counts}] pairs with 0, 1/2, 1, 1 1/2, 2 points"),
            width,
        );
    }
    if let Some(test) = &pairing.sprt {
        sprt(out, test, pairing.unpaired, width);
    }
    let _ = writeln!(out);
    if let Some(ratings) = &document.ratings
        && ratings.white_advantage_fitted
    {
        let error = ratings
            .white_advantage_error
            .map(|error| format!(" ± {error:.1}"))
            .unwrap_or_default();
        line(
            out,
            "White",
            &format!("{:+.1} Elo{error}", ratings.white_advantage),
            width,
        );
    }
    line(
        out,
        "mean length",
        &format!("{:.1} plies", pairing.mean_plies),
        width,
    );
    let endings = pairing.endings.iter().map(|own| {
        let all = own.wins + own.draws + own.losses;
        let sides = if own.draws == all {
            String::new()
        } else {
            format!(" (+{} -{})", own.wins, own.losses)
        };
        format!("{} {}{sides}", thousands(all), own.ending.words())
    });
    line(
        out,
        "endings",
        &endings.collect::<Vec<_>>().join(", "),
        width,
    );
    failures(out, &document.players, width);
    balance(out, document, width);
    counting_balances(out, &document.players, width);
}

/// Returns the Elo difference with its error, such as `12.34 ± 5.67`.
fn elo_with_error(estimate: &ScoreEstimate) -> String {
    match (estimate.elo, estimate.elo_error) {
        (Some(elo), Some(error)) => format!("{elo:.2} ± {error:.2}"),
        (Some(elo), None) if estimate.score_error.is_none() => {
            format!("{elo:.2}, with an unknown error")
        }
        (Some(elo), None) => format!("{elo:.2}, without a bound on one side: too few games"),
        _ if estimate.score > 0.5 => "infinite: all points".to_owned(),
        _ => "minus infinite: no points".to_owned(),
    }
}

/// Appends the result of the sequential test. `unpaired` is the number of games without a partner,
/// which the test ignores.
fn sprt(out: &mut String, sprt: &SprtDocument, unpaired: u64, width: usize) {
    let SprtDocument {
        test,
        basis,
        llr,
        lower,
        upper,
        verdict,
        ..
    } = sprt;
    let unit = match test.model {
        SprtModel::Normalized => "normalised Elo",
        SprtModel::Logistic => "Elo",
        SprtModel::Bayesian => "BayesElo",
    };
    let verdict = match verdict {
        SprtVerdict::H0 => format!("H0 accepted: {:+} {unit} is refuted", test.elo1),
        SprtVerdict::H1 => format!("H1 accepted: {:+} {unit} is refuted", test.elo0),
        SprtVerdict::Continue => "not decided: more games are needed".to_owned(),
    };
    let of = if *basis == ScoreBasis::Pairs {
        "pairs"
    } else {
        "games"
    };
    let bounds = format!("[{:.2}, {:.2}]", test.elo0, test.elo1);
    line(
        out,
        "LLR",
        &format!(
            "{llr:.2} ({lower:.2}, {upper:.2}) {bounds} {}, of {of}",
            test.model.name()
        ),
        width,
    );
    line(out, "", &verdict, width);
    if *basis == ScoreBasis::Pairs && unpaired > 0 {
        line(
            out,
            "",
            &format!("without {} that have no partner", plural(unpaired, "game")),
            width,
        );
    }
}

/// Appends, for each player, the games that were lost by a fault of the program rather than on the
/// board.
fn failures(out: &mut String, players: &[MatchPlayer], width: usize) {
    for player in players {
        let kinds = [
            (player.time_losses, "on time"),
            (player.illegal_moves, "by an illegal move"),
            (player.crashes, "by a crash or without an answer"),
        ];
        let lost: Vec<String> = kinds
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, how)| format!("{count} {how}"))
            .collect();
        if !lost.is_empty() {
            line(
                out,
                "faults",
                &format!("{} lost {}", shortened(&player.name, 40), lost.join(", ")),
                width,
            );
        }
    }
}

/// Writes the win-draw balance by the model of all evaluations.
fn balance(out: &mut String, document: &MatchDocument, width: usize) {
    let Some(MatchBalance {
        pawns,
        error,
        material,
        ..
    }) = &document.balance
    else {
        return;
    };
    let error = error
        .map(|error| format!(" ± {error:.2}"))
        .unwrap_or_default();
    let text = format!(
        "{pawns:+.2}{error} wins half of the games (material {material}, all players; as in wdl run)"
    );
    line(out, "balance", &text, width);
}

/// Writes the counting estimate of each player's win-draw balance.
fn counting_balances(out: &mut String, players: &[MatchPlayer], width: usize) {
    let balances: Vec<String> = players
        .iter()
        .filter_map(|player| {
            Some(format!(
                "{} {:.2}",
                shortened(&player.name, 40),
                player.counting_balance?
            ))
        })
        .collect();
    if !balances.is_empty() {
        let what = "as the article counts, from games not won: it ignores strength and few draws";
        line(
            out,
            "counted",
            &format!("{} ({what})", balances.join(", ")),
            width,
        );
    }
}

fn several(out: &mut String, document: &MatchDocument, width: usize) {
    let players = &document.players;
    let is_wide = width >= 76;
    // Below 48 columns the number of games is left out, so that there is room for names.
    let has_games = width >= 48;
    let mut numbers = if has_games { 30 } else { 23 };
    if is_wide {
        numbers += 21;
    }
    let longest = players
        .iter()
        .map(|player| player.name.width())
        .max()
        .unwrap_or(0)
        + 1;
    let rank = players.len().to_string().len().max(2);
    let name = longest.min(width.saturating_sub(numbers + rank + 1)).max(4);
    let games = |text: String| {
        if has_games {
            format!("{text:>7}")
        } else {
            String::new()
        }
    };
    let mut head = format!(
        "{:>rank$} {}{:>8}{:>8}",
        "#",
        padded("player", name),
        "rating",
        "±"
    );
    let _ = write!(head, "{}{:>7}", games("games".to_owned()), "score");
    if is_wide {
        let _ = write!(head, "{:>7}{:>7}{:>7}", "won", "drawn", "lost");
    }
    let _ = writeln!(out, "{head}");
    for (index, player) in players.iter().enumerate() {
        let number = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"))
        };
        let [rating, error] = [player.rating, player.error].map(number);
        let mut row = format!(
            "{:>rank$} {}{rating:>8}{error:>8}",
            index + 1,
            padded(&player.name, name)
        );
        let _ = write!(
            row,
            "{}{:>6.1}%",
            games(player.games.to_string()),
            100.0 * player.score
        );
        if is_wide {
            let _ = write!(
                row,
                "{:>7}{:>7}{:>7}",
                player.wins, player.draws, player.losses
            );
        }
        let _ = writeln!(out, "{row}");
        if let Some(reason) = &player.reason {
            let _ = writeln!(
                out,
                "{:>rank$} {}",
                "",
                indented(&format!("no rating: {reason}"), width, rank + 1)
            );
        }
    }
    if let Some(ratings) = &document.ratings {
        let error = ratings
            .white_advantage_error
            .map(|error| format!(" ± {error:.1}"))
            .unwrap_or_default();
        let how = if ratings.white_advantage_fitted {
            "fitted"
        } else {
            "fixed"
        };
        let _ = writeln!(out);
        line(
            out,
            "White",
            &format!("{:+.1} Elo{error}, {how}", ratings.white_advantage),
            width,
        );
        if let Some(rate) = ratings.draw_rate {
            line(
                out,
                "draws",
                &format!("{:.1} % between equal players", 100.0 * rate),
                width,
            );
        }
        superiority(out, &ratings.superiority, width);
    }
    balance(out, document, width);
    pairings(out, &document.pairings, width);
    failures(out, players, width);
}

/// Appends the table of likelihoods of superiority, in percent. Its rows have the numbers of the
/// players above.
fn superiority(out: &mut String, rows: &[Vec<Option<f64>>], width: usize) {
    if rows.len() < 2 || rows.len() > MATRIX || 4 + 5 * rows.len() > width {
        return;
    }
    let title = wrapped(
        "Likelihood of superiority of a row over a column, in %:",
        width,
    );
    let _ = writeln!(out, "\n{}", title.join("\n"));
    let head: String = (1..=rows.len())
        .map(|number| format!("{number:>5}"))
        .collect();
    let _ = writeln!(out, "{:4}{head}", "");
    for (index, row) in rows.iter().enumerate() {
        let cells: String = row
            .iter()
            .map(|own| {
                own.map_or_else(
                    || format!("{:>5}", ""),
                    |share| format!("{:>5.0}", 100.0 * share),
                )
            })
            .collect();
        let _ = writeln!(out, "{}", format!("{:>4}{cells}", index + 1).trim_end());
    }
}

fn pairings(out: &mut String, pairings: &[MatchPairing], width: usize) {
    if pairings.len() > PAIRINGS {
        let _ = writeln!(
            out,
            "\n{}: see the JSON document",
            plural(pairings.len() as u64, "pairing")
        );
        return;
    }
    let _ = writeln!(out, "\nPairings:");
    for pairing in pairings {
        let elo = match (pairing.estimate.elo, pairing.estimate.elo_error) {
            (Some(elo), Some(error)) => format!("{elo:+.0} ± {error:.0}"),
            (Some(elo), None) => format!("{elo:+.0}"),
            _ => "-".to_owned(),
        };
        let results = format!("+{} ={} -{}", pairing.wins, pairing.draws, pairing.losses);
        let pairs = pairing
            .pentanomial
            .map(|counts| format!("[{}]", counts.map(|count| count.to_string()).join(", ")));
        let numbers = format!("{results:<16}{elo:<13}{}", pairs.unwrap_or_default());
        let names = format!("{} - {}", pairing.first, pairing.second);
        if width >= 76 {
            let _ = writeln!(
                out,
                "  {}{}",
                padded(&names, width - 54),
                numbers.trim_end()
            );
        } else {
            let _ = writeln!(
                out,
                "  {}\n    {}",
                shortened(&names, width - 2),
                indented(&numbers, width, 4)
            );
        }
    }
}
