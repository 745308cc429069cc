//! Formats the results of verifying puzzles.

use centipawn_progress::text::{plural, printable};
use centipawn_puzzle::{Fault, FaultKind, ScoredMove};
use centipawn_work::engine::{VerifiedPuzzle, VerifySummary};

/// Returns how many puzzles passed, in one line without a newline.
pub fn verify_summary(summary: &VerifySummary) -> String {
    let share = |part: f64, whole: f64| {
        if whole > 0.0 {
            100.0 * part / whole
        } else {
            0.0
        }
    };
    let VerifySummary {
        puzzles,
        standing,
        first_same,
        positions,
        standing_positions,
    } = *summary;
    format!(
        "{standing} of {} pass ({:.1} %); {standing_positions} of {} with the solver to move pass \
         ({:.1} %); the first move is also the engine's in {:.1} % of the puzzles",
        plural(puzzles, "puzzle"),
        share(standing as f64, puzzles as f64),
        plural(positions as u64, "position"),
        share(standing_positions as f64, positions as f64),
        share(first_same as f64, puzzles as f64),
    )
}

/// Returns whether a puzzle passed, or why not, in one line without a newline.
pub fn verified_puzzle(verified: &VerifiedPuzzle) -> String {
    let id = printable(&verified.id);
    let Some(fault) = &verified.verified.fault else {
        return format!("{id} passes");
    };
    let solution = named(fault, &fault.solution);
    let why = match &fault.kind {
        FaultKind::AsGood(other) => format!(
            "{solution} is the solution, {} is as good",
            named(fault, other)
        ),
        FaultKind::Better(other) => format!(
            "{solution} is the solution, {} is better",
            named(fault, other)
        ),
        FaultKind::NotAsGood(other) => format!(
            "{} is called correct, {solution} is better",
            named(fault, other)
        ),
        FaultKind::Misses => format!("{solution} is the best move, but not good enough"),
    };
    format!("{id} fails: {why}; {}", fault.history.fen())
}

/// Returns a move with its number and its expected score, such as `31... Qg1+ (0.98)`.
fn named(fault: &Fault, scored: &ScoredMove) -> String {
    format!(
        "{} ({:.2})",
        fault.history.numbered(scored.mv),
        scored.expected
    )
}
