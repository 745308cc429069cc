//! Formats the results of mining puzzles from games.

use std::fmt::Write as _;

use centipawn_progress::text::{plural, printable};
use centipawn_puzzle::Mined;
use centipawn_work::engine::{MineSummary, VerdictCount, move_number};

/// Returns the candidates of a game with their verdicts, one line each, without newlines.
pub fn candidate_lines(mined: &Mined) -> impl Iterator<Item = String> {
    let place = &mined.game.place;
    mined.candidates.iter().map(|candidate| {
        let san = |mv| format!("{}: ", candidate.history.san(mv));
        let best = candidate.best.map_or_else(String::new, san);
        format!(
            "{}: game {}, at {}: {best}{}, {}, {}",
            printable(place.source.as_deref().unwrap_or_default()),
            place.game,
            move_number(&mined.game, candidate.ply),
            if candidate.verdict.is_found() {
                "a puzzle"
            } else {
                "refused"
            },
            candidate.verdict,
            plural(candidate.stages as u64, "stage")
        )
    })
}

/// Returns the numbers of puzzles, of refused candidates by reason, and of searches. `searched` is
/// the number of searches that an engine ran; the other answers were already stored. No newline at
/// the end.
pub fn mine_summary(summary: &MineSummary, searched: u64) -> String {
    let (puzzles, refused) = (summary.puzzles(), summary.refused());
    let mut text = format!(
        "{}, {}: {}, {refused} refused\n",
        plural(summary.games, "game"),
        plural(puzzles + refused, "candidate"),
        plural(puzzles, "puzzle")
    );
    for VerdictCount { verdict, count } in &summary.verdicts {
        let what = match (verdict.is_found(), count) {
            (true, 1) => "puzzle",
            (true, _) => "puzzles",
            (false, _) => "refused",
        };
        let _ = writeln!(text, "{count:>7} {what}: {verdict}");
    }
    let stored = summary.searches.saturating_sub(searched);
    let known = if stored > 0 {
        format!(", {stored} of them already known")
    } else {
        String::new()
    };
    let each = match summary.nodes.checked_div(puzzles) {
        Some(each) => format!(", {} a puzzle", millions(each)),
        None => String::new(),
    };
    text + &format!(
        "searches: {}{known}; nodes: {}{each}",
        summary.searches,
        millions(summary.nodes)
    )
}

fn millions(nodes: u64) -> String {
    format!("{:.2}M", nodes as f64 / 1e6)
}
