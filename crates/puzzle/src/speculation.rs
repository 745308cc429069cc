//! The default rules applied to one game, with several positions in progress at once.
//!
//! The rules depend on the order of the game: a position in an earlier puzzle's solution is not a
//! puzzle, and neither is one with the same idea as an earlier puzzle. Here, proofs start before
//! earlier ones have ended, and each records its findings [stage by stage](Proof). When all earlier
//! candidates are decided, a proof is cut off at the stage at which the rules would have stopped
//! it. Candidates, verdicts and puzzles are therefore the same as in sequential order; some
//! searches may be wasted.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use centipawn_core::{History, static_exchange_eval};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use centipawn_pgn::{Dialect, Game, GameEvals};
use centipawn_progress::{Cancelled, Next};
use shakmaty::{CastlingMode, Chess, Color, Move, Position as _};

use crate::{
    Candidate, Miner, PositionFailure, Refusal,
    decided::{A_MOMENT, Decided},
    miner::{Proof, Suspect},
    solution_search::{Stop, key},
    swing::{Swing, Worth},
};

/// Maximum number of undecided positions among which proofs start early.
const LOOK_AHEAD: usize = 64;

/// The state of mining a game.
pub(crate) struct Speculation {
    /// All positions of the game, including the final one.
    positions: Vec<Chess>,
    /// Whether each position may be a puzzle for the side to move.
    wanted: Vec<bool>,
    mode: CastlingMode,
    state: Mutex<State>,
}

/// A step of the job.
#[derive(Debug)]
pub(crate) enum Step {
    /// The short search of the position after the given number of plies.
    Score(usize, Box<History>),
    /// The proof of the position after this many plies, with the evaluations around it.
    Prove(usize, Box<Swing>),
}

struct State {
    scores: Vec<Score>,
    /// Index of the next position that may need a score, and the moves to a position at or before
    /// it.
    next_score: usize,
    to_score: History,
    /// Index of the next position that is compared with its neighbours.
    next_look: usize,
    /// Possible puzzles that are not decided yet, in game order.
    waiting: VecDeque<Waiting>,
    decided: Decided,
}

/// The expected score of a position for its side to move.
#[derive(Clone, Debug)]
enum Score {
    NotWanted,
    Wanted,
    Known(Worth),
    Failed(AnalystError),
}

/// A possible puzzle.
struct Waiting {
    ply: usize,
    progress: Progress,
}

pub(crate) enum Progress {
    NotBegun(Swing),
    Begun,
    Proven(Proof),
    /// Refused without a search.
    Refused(Refusal),
    Failed(AnalystError),
}

impl Waiting {
    /// Returns the proof as a step, if it has not started yet.
    fn begin(&mut self) -> Option<Step> {
        let Progress::NotBegun(swing) = self.progress else {
            return None;
        };
        self.progress = Progress::Begun;
        Some(Step::Prove(self.ply, Box::new(swing)))
    }
}

impl Speculation {
    /// Determines which positions need a score: those with a choice of moves, and their neighbours.
    /// If the game has evaluations in the dialect `evals`, they are used.
    pub(crate) fn new(miner: &Miner, game: &Game, evals: Option<Dialect>) -> Self {
        let evals = evals.map(|dialect| GameEvals::read(game, dialect));
        let source = evals
            .as_ref()
            .map(|evals| evals.curve(game))
            .unwrap_or_default();
        let mut positions = Vec::with_capacity(game.plies.len() + 1);
        let mut position = game.start.position().clone();
        for ply in &game.plies {
            let after = after(&position, ply.mv);
            positions.push(std::mem::replace(&mut position, after));
        }
        positions.push(position);
        let mut scores = vec![Score::NotWanted; positions.len()];
        let sides = [Color::White, Color::Black].map(|side| miner.solver.includes(game, side));
        let is_wanted =
            |position: &Chess| position.turn().fold_wb(sides[0], sides[1]) && has_choice(position);
        let wanted: Vec<bool> = positions.iter().map(is_wanted).collect();
        for ply in 1..positions.len() {
            if wanted[ply] {
                scores[ply - 1..(ply + 2).min(positions.len())].fill(Score::Wanted);
            }
        }
        let mode = game.start.mode();
        for (ply, (score, position)) in scores.iter_mut().zip(&positions).enumerate() {
            if let Score::Wanted = score {
                let in_game = || {
                    evals
                        .as_ref()?
                        .of_position(ply, &History::new(position.clone(), mode))
                };
                if position.is_checkmate() {
                    *score = Score::Known(Worth::certain(0.0));
                } else if position.legal_moves().is_empty() || position.is_insufficient_material() {
                    *score = Score::Known(Worth::certain(0.5));
                } else if let Some(eval) = in_game() {
                    *score = Score::Known(Worth::in_game(eval, &miner.scorer, source, position));
                }
            }
        }
        let state = State {
            scores,
            next_score: 0,
            to_score: game.start.clone(),
            next_look: 1,
            waiting: VecDeque::new(),
            decided: Decided::default(),
        };
        Self {
            positions,
            wanted,
            mode,
            state: Mutex::new(state),
        }
    }

    /// Returns the next necessary step: scores first, then proofs, each in game order. A proof is
    /// necessary when all earlier ones are decided.
    pub(crate) fn next(
        &self,
        miner: &Miner,
        game: &Game,
        on_position: &(dyn Fn() + Sync),
    ) -> Next<Step> {
        let state = &mut *lock(&self.state);
        self.look(state, miner, game, on_position);
        self.decide(state, game, on_position);
        while state.next_score < self.positions.len() {
            let ply = state.next_score;
            state.next_score += 1;
            if let Score::Wanted = state.scores[ply] {
                let begun = game.start.moves().len();
                while state.to_score.moves().len() - begun < ply {
                    let mv = game.plies[state.to_score.moves().len() - begun].mv;
                    state.to_score.push(mv);
                }
                return Next::Step(Step::Score(ply, Box::new(state.to_score.clone())));
            }
        }
        if state.next_look == self.positions.len() && state.waiting.is_empty() {
            return Next::Done;
        }
        match state.waiting.front_mut() {
            Some(first) => first.begin().map_or(Next::Wait, Next::Step),
            None => Next::Wait,
        }
    }

    /// After all scores are requested, returns a proof that earlier candidates may make
    /// unnecessary. Proofs that are unlikely to become unnecessary come first.
    pub(crate) fn next_early(&self, game: &Game) -> Option<Step> {
        let state = &mut *lock(&self.state);
        if state.next_score < self.positions.len() {
            return None;
        }
        let mut open = Vec::new();
        for waiting in state.waiting.iter_mut().take(LOOK_AHEAD) {
            if let Progress::NotBegun(_) = waiting.progress {
                if state
                    .decided
                    .asked
                    .contains(&key(&self.history(game, waiting.ply)))
                {
                    waiting.progress = Progress::Refused(Refusal::InSolution);
                } else {
                    open.push(waiting.ply);
                }
            }
        }
        // If a position comes shortly after another one with the same side to move, it is often
        // part of its solution, or has the same best move.
        let is_independent = |ply: usize| {
            let mut earlier = state
                .waiting
                .iter()
                .map(|waiting| waiting.ply)
                .take_while(|&other| other < ply);
            !earlier.any(|other| ply - other <= A_MOMENT && (ply - other).is_multiple_of(2))
        };
        let chosen = open
            .iter()
            .copied()
            .find(|&ply| is_independent(ply))
            .or(open.first().copied())?;
        state
            .waiting
            .iter_mut()
            .find(|waiting| waiting.ply == chosen)?
            .begin()
    }

    pub(crate) fn perform(
        &self,
        step: Step,
        miner: &Miner,
        game: &Game,
        analyst: &dyn Analyst,
    ) -> Result<(), Cancelled> {
        match step {
            Step::Score(ply, history) => self.score(miner, ply, *history, analyst),
            Step::Prove(ply, swing) => self.prove(miner, game, ply, &swing, analyst),
        }
    }

    pub(crate) fn finish(&self) -> (Vec<Candidate>, Vec<PositionFailure>) {
        let Decided {
            candidates,
            failures,
            ..
        } = std::mem::take(&mut lock(&self.state).decided);
        (candidates, failures)
    }

    fn score(
        &self,
        miner: &Miner,
        ply: usize,
        history: History,
        analyst: &dyn Analyst,
    ) -> Result<(), Cancelled> {
        let position = &self.positions[ply];
        let score = match analyst.analyse(&Question::new(history, Limit::Nodes(miner.limits.scan)))
        {
            Ok(analysis) => Score::Known(Worth::searched(analysis.best(), &miner.scorer, position)),
            Err(AnalystError::Cancelled) => return Err(Cancelled),
            Err(error) => Score::Failed(error),
        };
        lock(&self.state).scores[ply] = score;
        Ok(())
    }

    fn prove(
        &self,
        miner: &Miner,
        game: &Game,
        ply: usize,
        swing: &Swing,
        analyst: &dyn Analyst,
    ) -> Result<(), Cancelled> {
        let history = self.history(game, ply);
        let suspect = Suspect {
            game,
            ply,
            before: &self.positions[ply - 1],
            history: &history,
            swing,
        };
        let wanted = key(&history);
        // Earlier decisions may already refuse the position, which saves searches. The final check
        // happens when the position itself is decided.
        let is_refused = |best| {
            let decided = &lock(&self.state).decided;
            decided.asked.contains(&wanted) || decided.has_just_asked(ply, best)
        };
        let proof = miner.prove(&suspect, analyst, is_refused);
        if let Err(Stop::Failed(AnalystError::Cancelled)) = proof.end {
            return Err(Cancelled);
        }
        let state = &mut *lock(&self.state);
        if let Some(waiting) = state.waiting.iter_mut().find(|waiting| waiting.ply == ply) {
            waiting.progress = Progress::Proven(proof);
        }
        Ok(())
    }

    /// Compares positions with their neighbours, as far as their scores are known. Positions that
    /// cannot be puzzles are completed.
    fn look(&self, state: &mut State, miner: &Miner, game: &Game, on_position: &(dyn Fn() + Sync)) {
        while state.next_look < self.positions.len() {
            let ply = state.next_look;
            let position = &self.positions[ply];
            let mut progress = None;
            if self.wanted[ply] {
                let played = game.plies.get(ply).map(|ply| ply.mv);
                let score = |ply: usize| match &state.scores[ply] {
                    Score::Known(worth) => Some(Ok(*worth)),
                    Score::Failed(error) => Some(Err(error.clone())),
                    Score::Wanted | Score::NotWanted => None,
                };
                let after = if played.is_some() { ply + 1 } else { ply };
                let (Some(here), Some(before), Some(after)) =
                    (score(ply), score(ply - 1), score(after))
                else {
                    return;
                };
                let is_sacrifice =
                    played.is_some_and(|played| static_exchange_eval(position, played) < 0);
                let swing = here.and_then(|here| {
                    let before = before?.to_opponent();
                    let played = played.map(|_| after.map(Worth::to_opponent)).transpose()?;
                    Ok(Swing::new(here, before, played, is_sacrifice))
                });
                progress = match swing {
                    Err(error) => Some(Progress::Failed(error)),
                    Ok(swing) if !swing.is_worth_a_look(&miner.rule) => None,
                    // A player who keeps the expected score has played the solution, if there is
                    // one.
                    Ok(swing) if miner.solver.missed && played.is_some() && swing.is_kept() => {
                        Some(Progress::Refused(Refusal::WasPlayed))
                    }
                    Ok(swing) => Some(Progress::NotBegun(swing)),
                };
            }
            match progress {
                Some(progress) => state.waiting.push_back(Waiting { ply, progress }),
                None => on_position(),
            }
            state.next_look += 1;
        }
    }

    /// Decides candidates in game order, as far as their proofs have ended or earlier puzzles make
    /// the proofs unnecessary.
    fn decide(&self, state: &mut State, game: &Game, on_position: &(dyn Fn() + Sync)) {
        while let Some(first) = state.waiting.front_mut() {
            let ply = first.ply;
            if let Progress::NotBegun(_) = first.progress {
                let is_asked = state.decided.asked.contains(&key(&self.history(game, ply)));
                if !is_asked {
                    return;
                }
                first.progress = Progress::Refused(Refusal::InSolution);
            }
            if let Progress::Begun = first.progress {
                return;
            }
            let Some(Waiting { progress, .. }) = state.waiting.pop_front() else {
                return;
            };
            let candidate = Candidate {
                ply,
                history: self.history(game, ply),
                played: game.plies.get(ply).map(|ply| ply.mv),
                best: None,
                verdict: Refusal::NotWon.into(),
                stages: 0,
                puzzle: None,
            };
            state.decided.decide(candidate, progress);
            on_position();
        }
    }

    /// Returns the position with only the opponent's move before it, because a repetition of
    /// earlier positions of the game is no draw in the puzzle.
    fn history(&self, game: &Game, ply: usize) -> History {
        let mut history = History::new(self.positions[ply - 1].clone(), self.mode);
        history.push(game.plies[ply - 1].mv);
        history
    }
}

fn after(position: &Chess, mv: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(mv);
    after
}

/// Returns whether the position offers a choice of moves, which a puzzle requires.
fn has_choice(position: &Chess) -> bool {
    position.legal_moves().len() >= 2
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
