//! The decided candidates of a game, and the positions that they exclude.

use std::collections::HashSet;

use shakmaty::{Move, zobrist::Zobrist64};

use crate::{
    Candidate, PositionFailure, Puzzle, Refusal, Verdict,
    solution_search::{Stop, key},
    speculation::Progress,
};

/// For this many half-moves, a missed move does not become a puzzle again.
pub(crate) const A_MOMENT: usize = 4;

/// The decided candidates, all of them earlier in the game than those waiting.
#[derive(Default)]
pub(crate) struct Decided {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) failures: Vec<PositionFailure>,
    /// The positions asked in the puzzles found so far.
    pub(crate) asked: HashSet<Zobrist64>,
}

impl Decided {
    /// Whether the same move solved a puzzle a moment ago, or was refused for that reason: one puzzle is enough.
    pub(crate) fn has_just_missed(&self, ply: usize, best: Move) -> bool {
        let is_same = |candidate: &Candidate| {
            // A neighbour counts as well, so that an exclusion by it is permanent.
            let is_so_refused = [Refusal::Again, Refusal::Neighbour].map(Verdict::Refused).contains(&candidate.verdict);
            let was_asked = candidate.puzzle.is_some() || is_so_refused;
            was_asked && candidate.best == Some(best)
        };
        self.candidates.iter().rev().take_while(|candidate| candidate.ply + A_MOMENT >= ply).any(is_same)
    }

    /// Whether the position just before is no puzzle, or one with a shorter solution, which is then replaced.
    fn is_better_than_neighbour(&mut self, ply: usize, puzzle: &Puzzle) -> bool {
        let is_neighbour = |candidate: &&mut Candidate| candidate.ply + 1 == ply;
        let Some(before) = self.candidates.last_mut().filter(is_neighbour) else { return true };
        let Some(other) = &before.puzzle else { return true };
        let is_better = puzzle.solution.len() > other.solution.len();
        if is_better {
            before.puzzle = None;
            before.verdict = Refusal::Neighbour.into();
        }
        is_better
    }

    /// Adds a candidate with the result of its proof, cut off where earlier candidates refuse it.
    pub(crate) fn decide(&mut self, mut candidate: Candidate, progress: Progress, keeps_neighbours: bool) {
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
        let again = proof.checked.iter().position(|&best| self.has_just_missed(candidate.ply, best));
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
            Ok((_, puzzle)) if !keeps_neighbours && !self.is_better_than_neighbour(candidate.ply, &puzzle) => {
                candidate.verdict = Refusal::Neighbour.into();
            }
            Ok((kind, puzzle)) => {
                candidate.verdict = kind.into();
                if let Some(tree) = &puzzle.tree {
                    self.asked.extend(tree.positions(&puzzle.shown()).iter().map(key));
                }
                candidate.puzzle = Some(puzzle);
            }
        }
        self.candidates.push(candidate);
    }
}
