//! The result of verifying a puzzle as JSON.

use std::sync::Arc;

use centipawn_core::{Eval, History, Mover};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use crate::{BadPuzzle, Claim, Fault, FaultKind, ScoredMove, Verified, candidate::legal};

/// A [`Verified`] as JSON; moves are in UCI notation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifiedDocument {
    /// The id of the puzzle or position.
    pub id: String,
    /// Whether the whole solution holds.
    pub stands: bool,
    /// Number of positions in which the solver is to move.
    pub positions: usize,
    /// Number of the solver's positions in which the solution is correct.
    pub standing_positions: usize,
    /// Whether the engine's best move in the first position is the solution's.
    pub first_same: bool,
    /// The first position in which the solution does not hold; `null` if it holds everywhere.
    pub fault: Option<FaultDocument>,
    /// Program, inputs, options and engine of the verification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Arc<Provenance>>,
}

/// A [`Fault`] as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultDocument {
    /// FEN of the position.
    pub fen: String,
    /// The solution's move.
    pub solution: ScoredMoveDocument,
    /// The reason why the solution's move is not correct.
    pub why: FaultName,
    /// The other move involved; `null` for [`FaultName::Misses`].
    pub other: Option<ScoredMoveDocument>,
}

/// A [`ScoredMove`] as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoredMoveDocument {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The engine's evaluation, for the side that plays the move.
    pub eval: Eval<Mover>,
    /// Expected score, 0 to 1, for the side that plays the move.
    pub expected: f64,
}

/// The name of a [`FaultKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultName {
    /// Another move is as good.
    #[serde(rename = "as good")]
    AsGood,
    /// Another move is better.
    #[serde(rename = "better")]
    Better,
    /// An alternative that the solution lists as correct is not correct.
    #[serde(rename = "not as good")]
    NotAsGood,
    /// The move is best, but misses the goal of the puzzle.
    #[serde(rename = "misses")]
    Misses,
}

impl Verified {
    /// Converts the result to JSON; `id` is that of the puzzle or position.
    pub fn document(&self, id: &str, provenance: Option<Arc<Provenance>>) -> VerifiedDocument {
        VerifiedDocument {
            id: id.to_owned(),
            stands: self.fault.is_none(),
            positions: self.positions,
            standing_positions: self.standing,
            first_same: self.is_first_same,
            fault: self.fault.as_ref().map(FaultDocument::of),
            provenance,
        }
    }
}

impl VerifiedDocument {
    /// Converts the document to a result, given the claim that was verified.
    ///
    /// # Errors
    ///
    /// [`BadPuzzle`] if the document belongs to another puzzle or has illegal moves.
    pub fn verified(&self, claim: &Claim) -> Result<Verified, BadPuzzle> {
        let fault = |fault: &FaultDocument| {
            let mut histories = claim.positions.iter().map(|(history, _)| history);
            let history = histories.find(|history| history.fen() == fault.fen);
            fault.fault(history.ok_or(BadPuzzle::OtherPuzzle)?.clone())
        };
        Ok(Verified {
            positions: self.positions,
            standing: self.standing_positions,
            is_first_same: self.first_same,
            fault: self.fault.as_ref().map(fault).transpose()?,
        })
    }
}

impl FaultDocument {
    fn of(fault: &Fault) -> Self {
        let document = |scored: &ScoredMove| ScoredMoveDocument {
            mv: fault.history.uci(scored.mv).to_string(),
            eval: scored.eval,
            expected: scored.expected,
        };
        let (why, other) = match &fault.kind {
            FaultKind::AsGood(other) => (FaultName::AsGood, Some(other)),
            FaultKind::Better(other) => (FaultName::Better, Some(other)),
            FaultKind::NotAsGood(other) => (FaultName::NotAsGood, Some(other)),
            FaultKind::Misses => (FaultName::Misses, None),
        };
        Self {
            fen: fault.history.fen(),
            solution: document(&fault.solution),
            why,
            other: other.map(document),
        }
    }

    fn fault(&self, history: History) -> Result<Fault, BadPuzzle> {
        let scored = |document: &ScoredMoveDocument| -> Result<ScoredMove, BadPuzzle> {
            let ScoredMoveDocument { mv, eval, expected } = document;
            Ok(ScoredMove {
                mv: legal(&history, mv)?,
                eval: *eval,
                expected: *expected,
            })
        };
        let other = || {
            self.other
                .as_ref()
                .ok_or(BadPuzzle::OtherPuzzle)
                .and_then(scored)
        };
        let kind = match self.why {
            FaultName::AsGood => FaultKind::AsGood(other()?),
            FaultName::Better => FaultKind::Better(other()?),
            FaultName::NotAsGood => FaultKind::NotAsGood(other()?),
            FaultName::Misses => FaultKind::Misses,
        };
        Ok(Fault {
            solution: scored(&self.solution)?,
            kind,
            history,
        })
    }
}
