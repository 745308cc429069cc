//! Verifying the solutions of puzzles.

use std::sync::Arc;

use centipawn_engine::{Analyst, AnalystError};
use centipawn_progress::{
    Cancel, Input, Job, Outcome, Problem, ProblemCount, Progress, Provenance, Reporter, Unit,
    single_step,
};
use centipawn_puzzle::{Claim, Verified, VerifiedDocument, Verifier, VerifyOptions};
use serde::{Deserialize, Serialize};

use super::failing::{Failing, Failures};
use crate::engine::{Crew, Recipe, Work};

/// The resources of [`verify_puzzles`].
#[derive(Clone, Copy)]
pub struct VerifyResources<'a> {
    /// The analyst that evaluates positions.
    pub analyst: &'a dyn Analyst,
    /// The input files, for provenance.
    pub inputs: &'a [Input],
}

/// A puzzle, or a position of a test suite, with the result of its verification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifiedPuzzle {
    /// The id of the puzzle or position.
    pub id: String,
    /// The result of the verification.
    pub verified: Verified,
    /// Program, inputs, options and engine of the verification.
    pub provenance: Arc<Provenance>,
}

impl VerifiedPuzzle {
    /// Returns the JSON document.
    pub fn document(&self) -> VerifiedDocument {
        self.verified
            .document(&self.id, Some(Arc::clone(&self.provenance)))
    }
}

/// Counts of a verification run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifySummary {
    /// Number of puzzles verified.
    pub puzzles: u64,
    /// Number of puzzles whose whole solution is correct.
    pub standing: u64,
    /// Number of puzzles whose first move is the engine's first choice.
    pub first_same: u64,
    /// Number of positions with the solver to move.
    pub positions: usize,
    /// Number of positions of the solver in which the solution is correct.
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

/// The [`Work`] of verifying the claims of puzzles and test suites.
struct Verification<'a> {
    options: &'a VerifyOptions,
    verifier: Verifier,
    analyst: &'a dyn Analyst,
    provenance: Arc<Provenance>,
    problems: &'a dyn Reporter,
}

impl Work for Verification<'_> {
    type Item = Claim;
    type Answer = Option<VerifiedPuzzle>;

    fn recipe(&self) -> Recipe {
        Recipe::Verify(*self.options)
    }

    fn job(&self, claim: Claim) -> impl Job<Output = Option<VerifiedPuzzle>> {
        single_step(claim, |claim| {
            match self.verifier.verify(&claim, self.analyst) {
                Ok(verified) => Some(VerifiedPuzzle {
                    id: claim.id,
                    verified,
                    provenance: Arc::clone(&self.provenance),
                }),
                Err(AnalystError::Cancelled) => None,
                Err(error) => {
                    self.problems.problem(&Problem::error(format_args!(
                        "puzzle {}: {error}",
                        claim.id
                    )));
                    None
                }
            }
        })
    }
}

/// Has `crew` verify puzzles or positions of test suites (see
/// [`read_claims`](crate::engine::read_claims)), and calls `on_puzzle` with each result, in their
/// order, on the calling thread.
///
/// Puzzles that the analyst cannot answer are reported and left out. After `cancel` is set, the run
/// ends as soon as the puzzles under way are done.
///
/// # Errors
///
/// [`Failing`]: the analyst answered nothing about several consecutive puzzles.
pub fn verify_puzzles(
    claims: impl Iterator<Item = Claim> + Send,
    options: &VerifyOptions,
    resources: VerifyResources<'_>,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    mut on_puzzle: impl FnMut(&VerifiedPuzzle),
) -> Result<(VerifySummary, Outcome), Failing> {
    let stop = cancel.child();
    let problems = ProblemCount::new(reporter);
    let VerifyResources { analyst, inputs } = resources;
    let engine = analyst.identity();
    let verifier = options.verifier(&engine.name);
    let provenance = Provenance::new(&Recipe::Verify(*options)).inputs(inputs.to_vec());
    let provenance = Arc::new(provenance.engine(Some(engine), options.limit));
    let work = Verification {
        options,
        verifier,
        analyst,
        provenance,
        problems: &problems,
    };
    let mut summary = VerifySummary::default();
    let (mut failures, mut failed) = (Failures::of("puzzles"), None);
    let cancelled = crew.run(&work, claims, &stop, |verified| {
        // After a cancel, answers are also missing, but this is not a failure.
        if failed.is_none() && !stop.is_set() {
            failed = failures.add(verified.is_none()).err();
        }
        if failed.is_some() {
            stop.set();
        }
        let Some(verified) = verified.filter(|_| failed.is_none()) else {
            return;
        };
        summary.add(&verified.verified);
        let label = verified.id.clone();
        let progress = Progress {
            done: summary.puzzles,
            total: None,
            unit: Unit::Puzzles,
            games: 0,
            label,
        };
        problems.progress(&progress);
        on_puzzle(&verified);
    });
    if let Some(failing) = failed {
        return Err(failing);
    }
    let cancelled = cancelled || cancel.is_set();
    Ok((
        summary,
        Outcome {
            done: summary.puzzles,
            skipped: problems.errors(),
            cancelled,
        },
    ))
}
