//! The decided candidates of a game, and the positions that they exclude.

use std::collections::HashSet;

use shakmaty::{Move, zobrist::Zobrist64};

use crate::{
    Candidate, PositionFailure, Refusal, Verdict,
    solution_search::{Stop, key},
    speculation::Progress,
};

/// Number of plies within which the same idea is not accepted as a second puzzle.
pub(crate) const A_MOMENT: usize = 6;

/// The candidates that are decided. All of them are earlier in the game than the waiting ones.
#[derive(Default)]
pub(crate) struct Decided {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) failures: Vec<PositionFailure>,
    /// The positions in the solutions of the puzzles found so far.
    pub(crate) asked: HashSet<Zobrist64>,
}

impl Decided {
    /// Returns whether, within the last [`A_MOMENT`] plies, a move of the same side to the same
    /// square solved a puzzle, or was refused for this reason. The idea is the same then, and one
    /// puzzle is enough.
    pub(crate) fn has_just_asked(&self, ply: usize, best: Move) -> bool {
        let is_same = |candidate: &Candidate| {
            let was_asked =
                candidate.puzzle.is_some() || candidate.verdict == Verdict::Refused(Refusal::Again);
            let is_same_side = (ply - candidate.ply).is_multiple_of(2);
            was_asked && is_same_side && candidate.best.is_some_and(|other| other.to() == best.to())
        };
        self.candidates
            .iter()
            .rev()
            .take_while(|candidate| candidate.ply + A_MOMENT >= ply)
            .any(is_same)
    }

    /// Adds a candidate with the result of its proof, cut off at the stage at which earlier
    /// candidates refuse it.
    pub(crate) fn decide(&mut self, mut candidate: Candidate, progress: Progress) {
        let proof = match progress {
            Progress::NotBegun(_) | Progress::Begun => return,
            Progress::Refused(refusal) => {
                candidate.verdict = refusal.into();
                return self.candidates.push(candidate);
            }
            Progress::Failed(error) => return self.failures.push((candidate.ply, error)),
            Progress::Proven(_) if self.asked.contains(&key(&candidate.history)) => {
                candidate.verdict = Refusal::InSolution.into();
                return self.candidates.push(candidate);
            }
            Progress::Proven(proof) => proof,
        };
        let again = proof
            .checked
            .iter()
            .position(|&best| self.has_just_asked(candidate.ply, best));
        if let Some(stage) = again {
            candidate.best = Some(proof.checked[stage]);
            candidate.stages = stage;
            candidate.verdict = Refusal::Again.into();
            return self.candidates.push(candidate);
        }
        candidate.best = proof.best;
        candidate.stages = proof.stages;
        match proof.end {
            Err(Stop::Failed(error)) => return self.failures.push((candidate.ply, error)),
            Err(Stop::Refused(refusal)) => candidate.verdict = refusal.into(),
            Ok((kind, puzzle)) => {
                candidate.verdict = kind.into();
                if let Some(tree) = &puzzle.tree {
                    self.asked
                        .extend(tree.positions(&puzzle.shown()).iter().map(key));
                }
                candidate.puzzle = Some(puzzle);
            }
        }
        self.candidates.push(candidate);
    }
}
