//! A reviewed game on the terminal, in 80 columns.

use std::fmt::{self, Write as _};

use anstyle::{AnsiColor, Style};
use centipawn_core::MoveSymbol;
use centipawn_review::{PlyReview, Review};
use shakmaty::Color;
use unicode_width::UnicodeWidthStr as _;

use crate::text::{padded, shortened, wrapped};

const WIDTH: usize = 80;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The game's players, their accuracy and symbols, the course of the game, its critical moments.
pub(crate) fn summary(review: &Review) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_summary(&mut out, review);
    out
}

fn write_summary(out: &mut String, review: &Review) -> fmt::Result {
    let bold = Style::new().bold();
    let result = review.game.result.to_string();
    let names = format!("{} – {}", review.name(Color::White), review.name(Color::Black));
    let names = shortened(&names, WIDTH - result.len() - 2);
    writeln!(out, "{bold}{names}{bold:#}{result:>width$}", width = WIDTH - names.width())?;
    let occasion = review.occasion();
    if !occasion.is_empty() {
        writeln!(out, "{}", shortened(&occasion, WIDTH))?;
    }
    if let Some(opening) = review.opening_name() {
        writeln!(out, "{}", shortened(&opening, WIDTH))?;
    }
    writeln!(out, "{}\n", sparkline(review))?;

    let language = review.options.language;
    write!(out, "{:30}{:>10}{:>16}", "", language.accuracy_short(), language.relevant_loss_short())?;
    MoveSymbol::ALL.iter().try_for_each(|symbol| write!(out, "{symbol:>4}"))?;
    for color in Color::ALL {
        let player = review.player(color);
        let accuracy =
            player.accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{} %", language.number(accuracy, 1)));
        let disc = color.fold_wb('○', '●');
        write!(
            out,
            "\n{disc} {}{accuracy:>10}{:>16}",
            padded(review.name(color), 28),
            language.number(player.relevant_loss, 2)
        )?;
        for (symbol, count) in MoveSymbol::ALL.into_iter().zip(player.symbols) {
            let style = if count > 0 { style(symbol) } else { Style::new().dimmed() };
            write!(out, "{style}{count:>4}{style:#}")?;
        }
    }
    writeln!(out)?;

    if !review.critical_moments.is_empty() {
        writeln!(out)?;
    }
    for &index in &review.critical_moments {
        moment(out, review, &review.plies[index])?;
    }
    if let Some(&index) = review.hardest_moments.first() {
        let ply = &review.plies[index];
        writeln!(out, "\n{}", language.hardest_moment())?;
        let text = language.hard_moment(ply).unwrap_or_default();
        let text = wrapped(&text, WIDTH - 15).join(&format!("\n{:15}", ""));
        writeln!(out, "{:14} {text}", format!("{}{}", ply.numbered(), ply.glyphs()))?;
    }
    for note in [review.suppressed(), review.bounded_ease_note()].into_iter().flatten() {
        let dimmed = Style::new().dimmed();
        writeln!(out, "\n{dimmed}{}{dimmed:#}", wrapped(&note, WIDTH).join("\n"))?;
    }
    Ok(())
}

/// `9... b5?? gives away …`, and the better line below.
fn moment(out: &mut String, review: &Review, ply: &PlyReview) -> fmt::Result {
    let Some(symbol) = ply.symbol else { return Ok(()) };
    let style = style(symbol);
    let label = format!("{}{}", ply.numbered(), ply.glyphs());
    let remark = wrapped(&review.options.language.remark(ply), WIDTH - 15);
    write!(out, "{style}{label:14}{style:#} ")?;
    writeln!(out, "{}", remark.join(&format!("\n{:15}", "")))?;
    let better = review.options.language.better();
    match ply.better_line() {
        Some(line) if !symbol.is_praise() => writeln!(out, "{:14} {better} {}", "", shortened(&line, WIDTH - 23)),
        _ => Ok(()),
    }
}

/// White's expected score over the game, at most one column per move.
fn sparkline(review: &Review) -> String {
    let scores: Vec<f64> = review.plies.iter().map(|ply| ply.expected_score_played).collect();
    let columns = scores.len().min(WIDTH);
    (0..columns)
        .map(|column| {
            // Each column shows the last move of its stretch, so the end of the game always appears.
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
