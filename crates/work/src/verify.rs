//! Whether puzzles' solutions stand.

use std::sync::Arc;

use centipawn_engine::{Analyst, AnalystError};
use centipawn_progress::{
    Cancel, Input, Outcome, Problem, ProblemCount, Progress, Provenance, Reporter, Unit, in_order,
};
use centipawn_puzzle::{Puzzle, Verified, VerifiedDocument, VerifyOptions};
use serde::{Deserialize, Serialize};

/// A puzzle that was verified.
#[derive(Clone, Debug)]
pub struct VerifiedPuzzle {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// What came of it.
    pub verified: Verified,
    /// Who verified it, from what, with which options and engine.
    pub provenance: Arc<Provenance>,
}

impl VerifiedPuzzle {
    /// As JSON.
    pub fn document(&self) -> VerifiedDocument {
        self.verified.document(&self.puzzle, Some(Arc::clone(&self.provenance)))
    }
}

/// What verifying found, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifySummary {
    /// Puzzles verified.
    pub puzzles: u64,
    /// Those whose whole solution stands.
    pub standing: u64,
    /// Those whose first move is the engine's first choice.
    pub first_same: u64,
    /// Positions of the solver.
    pub positions: usize,
    /// Those in which the solution stands.
    pub standing_positions: usize,
}

impl VerifySummary {
    fn add(&mut self, verified: &Verified) {
        self.puzzles += 1;
        self.standing += u64::from(verified.fault.is_none());
        self.first_same += u64::from(verified.is_first_same);
        self.positions += verified.positions;
        self.standing_positions += verified.standing;
    }
}

/// Verifies puzzles as they come, as many at once as the analyst answers questions, and calls `on_puzzle` with what came of each, in
/// their order, on this thread.
///
/// Puzzles that the analyst cannot answer are reported and left out. `inputs` are the files that are read, for provenance. Setting
/// `cancel` ends the run after the puzzles under way.
pub fn verify_puzzles(
    puzzles: impl Iterator<Item = Puzzle> + Send,
    options: &VerifyOptions,
    inputs: &[Input],
    analyst: &dyn Analyst,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    mut on_puzzle: impl FnMut(&VerifiedPuzzle),
) -> (VerifySummary, Outcome) {
    #[derive(Serialize)]
    struct Recipe<'a> {
        verify: &'a VerifyOptions,
    }
    let problems = ProblemCount::new(reporter);
    let verifier = options.verifier(&analyst.identity().name);
    let provenance = Provenance::new(&Recipe { verify: options }).inputs(inputs.to_vec());
    let provenance = Arc::new(provenance.engine(Some(analyst.identity()), options.limit));
    let work = |puzzle: Puzzle| match verifier.verify(&puzzle, analyst) {
        Ok(verified) => Some(VerifiedPuzzle { puzzle, verified, provenance: Arc::clone(&provenance) }),
        Err(AnalystError::Cancelled) => None,
        Err(error) => {
            problems.problem(&Problem::error(format_args!("puzzle {}: {error}", puzzle.id)));
            None
        }
    };
    let mut summary = VerifySummary::default();
    let cancelled = in_order(puzzles, analyst.parallelism(), cancel, work, |verified| {
        summary.add(&verified.verified);
        let label = verified.puzzle.id.clone();
        let progress = Progress { done: summary.puzzles, total: None, unit: Unit::Puzzles, games: 0, label };
        problems.progress(&progress);
        on_puzzle(&verified);
    });
    let cancelled = cancelled || cancel.is_set();
    (summary, Outcome { done: summary.puzzles, skipped: problems.errors(), cancelled })
}
