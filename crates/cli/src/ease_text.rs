//! Ease on the terminal and as JSON.

use std::fmt::{self, Write as _};

use centipawn_core::{LineEase, hardest};
use centipawn_review::{
    Language,
    ease::{EaseOutcome, HARD, JudgedEase, Moment, levels, middle},
};
use shakmaty::{Color, Move};

use crate::{
    policies::history_note,
    policy::{numbered, san},
    text::{plural, printable},
};

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const WIDTH: usize = 80;
/// Number of moments shown for a game.
const MOMENTS: usize = 5;

/// A game or position as text; `explain` adds the moves of each position.
pub(crate) fn text(judged: &EaseOutcome, explain: bool) -> String {
    let positions = || judged.moments.iter().flatten().map(|moment| position(moment, explain)).collect::<String>();
    match judged.title() {
        None => positions(),
        Some(title) => {
            let explained = if explain { positions() } else { String::new() };
            game(&printable(&title), &judged.moments) + &explained
        }
    }
}

/// A position as text.
fn position(moment: &Moment, explain: bool) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_position(&mut out, moment, explain);
    out
}

fn write_position(out: &mut String, moment: &Moment, explain: bool) -> fmt::Result {
    writeln!(out, "{}", moment.before.fen())?;
    let made_up = moment.judged.iter().map(|judged| judged.made_up).max().unwrap_or(0);
    if let Some(note) = history_note(made_up) {
        writeln!(out, "note: {note}")?;
    }
    for judged in &moment.judged {
        let (ease, meter) = (&judged.ease, &judged.ease.meter);
        let bound = if judged.is_exact() { " " } else { "≤" };
        writeln!(
            out,
            "{:12} ease {bound}{:.2}  (each {:.2})   good {:.0} %, inaccurate {:.0} %, blunder {:.0} %",
            judged.policy,
            ease.sum,
            ease.each,
            100.0 * meter.good,
            100.0 * meter.inaccurate,
            100.0 * meter.blunder
        )?;
        if let Some(ahead) = judged.ahead {
            writeln!(out, "{:12} with the moves to come {ahead:.2}", "")?;
        }
        if let Some(trap) = trap(moment, judged) {
            writeln!(out, "{:12} {trap}", "")?;
        }
        if !judged.is_exact() {
            let missing: Vec<String> = judged.missing.iter().map(|mv| san(&moment.before, *mv)).collect();
            writeln!(out, "{:12} not evaluated: {}", "", missing.join(", "))?;
        }
        if explain {
            table(out, moment, judged)?;
        }
    }
    if let Some(found) = found(&moment.judged) {
        writeln!(out, "{found}")?;
    }
    if let Some(sharpness) = moment.sharpness {
        writeln!(out, "sharpness {sharpness:.2} (how much is still to be decided, not how hard it is)")?;
    }
    Ok(())
}

fn trap(moment: &Moment, judged: &JudgedEase) -> Option<String> {
    let trap = judged.ease.trap(&judged.candidates)?;
    let mv = judged.moves.iter().find(|mv| moment.before.uci(mv.mv).to_string() == trap.name())?;
    Some(format!(
        "trap: {}, played {:.0} % of the time, gives away {:.2}",
        san(&moment.before, mv.mv),
        100.0 * mv.p,
        mv.loss
    ))
}

fn table(out: &mut String, moment: &Moment, judged: &JudgedEase) -> fmt::Result {
    writeln!(out, "  {:9} {:>7} {:>8} {:>7} {:>6} {:>6}", "move", "P", "eval", "Q", "loss", "share")?;
    for mv in &judged.moves {
        writeln!(
            out,
            "  {:9} {:5.1} % {:>8} {:+7.3} {:6.3} {:4.0} %",
            san(&moment.before, mv.mv),
            100.0 * mv.p,
            mv.eval.to_string(),
            mv.q,
            mv.loss,
            100.0 * mv.share
        )?;
    }
    Ok(())
}

/// Which levels would find the best move, if there are several.
fn found(judged: &[JudgedEase]) -> Option<String> {
    levels(judged).map(|curve| Language::English.who_finds(&curve))
}

/// A game as text: a graph for each network, and the hardest moments.
fn game(title: &str, moments: &[Option<Moment>]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_game(&mut out, title, moments);
    out
}

fn write_game(out: &mut String, title: &str, moments: &[Option<Moment>]) -> fmt::Result {
    writeln!(out, "{title}")?;
    let networks = moments.iter().flatten().next().map_or(0, |moment| moment.judged.len());
    for network in 0..networks {
        let eases: Vec<Option<f64>> =
            moments.iter().map(|moment| Some(moment.as_ref()?.judged[network].ease.sum)).collect();
        let name = moments.iter().flatten().next().map_or("", |moment| &moment.judged[network].policy);
        writeln!(out, "{}\n{:12} {}", sparkline(&eases), name, averages(moments, network))?;
    }
    match moments.iter().filter(|moment| moment.is_none()).count() {
        0 => {}
        left_out => writeln!(out, "{} left out, because they have no evaluation", plural(left_out as u64, "position"))?,
    }
    let eases: Vec<Option<f64>> = moments.iter().map(|moment| moment.as_ref()?.ease()).collect();
    for ply in hardest(&eases, MOMENTS, HARD) {
        let Some((moment, judged)) = moments[ply].as_ref().and_then(|moment| Some((moment, middle(&moment.judged)?)))
        else {
            continue;
        };
        let bound = if judged.is_exact() { "" } else { "at most " };
        let played = moment.played.map(|mv| numbered(&moment.before, mv)).unwrap_or_default();
        writeln!(out, "{played:14} ease {bound}{:.2}: {}", judged.ease.sum, reasons(moment, judged))?;
        if let Some(found) = found(&moment.judged) {
            writeln!(out, "{:14} {found}", "")?;
        }
    }
    Ok(())
}

/// Why a moment is hard: the tempting move, the better one, and the move played.
fn reasons(moment: &Moment, judged: &JudgedEase) -> String {
    let name = |mv: Move| san(&moment.before, mv);
    let mut parts = Vec::new();
    if let Some(worst) = judged.lure() {
        let verb = if moment.played == Some(worst.mv) { "was played, as by" } else { "lures" };
        parts.push(format!("{} {verb} {:.0} %, giving away {:.2}", name(worst.mv), 100.0 * worst.p, worst.loss));
    }
    if let Some(best) = judged.best() {
        let found = if moment.played == Some(best.mv) { ", and was found" } else { "" };
        parts.push(format!("{} is right ({:.0} %{found})", name(best.mv), 100.0 * best.p));
    }
    parts.join("; ")
}

/// Mean ease of each player's positions, and the hardest moment.
fn averages(moments: &[Option<Moment>], network: usize) -> String {
    let of = |color: Color| {
        let eases = moments.iter().flatten().filter(|moment| moment.before.turn() == color);
        let eases: Vec<f64> = eases.map(|moment| moment.judged[network].ease.sum).collect();
        let mean = eases.iter().sum::<f64>() / eases.len().max(1) as f64;
        LineEase::of(eases).map(|line| format!("{mean:.2} (hardest {:.2})", line.minimum))
    };
    let of = |color| of(color).unwrap_or_else(|| "-".to_owned());
    let is_bound = moments.iter().flatten().any(|moment| !moment.judged[network].missing.is_empty());
    let note = if is_bound { "; at most, for want of evaluations" } else { "" };
    format!("mean ease for White {}, for Black {}{note}", of(Color::White), of(Color::Black))
}

/// Ease over the game, at most one column per ply; of several plies the hardest. Unknown values leave a gap.
fn sparkline(eases: &[Option<f64>]) -> String {
    let columns = eases.len().min(WIDTH);
    let column = |column: usize| {
        let plies = &eases[column * eases.len() / columns..(column + 1) * eases.len() / columns];
        let hardest = plies.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        if hardest.is_finite() { BARS[((hardest.max(0.0) * 8.0) as usize).min(7)] } else { ' ' }
    };
    (0..columns).map(column).collect()
}
