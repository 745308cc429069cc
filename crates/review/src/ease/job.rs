//! Ease of games and positions: a job whose steps are positions.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use centipawn_core::History;
use centipawn_engine::AnalystError;
use centipawn_pgn::{Dialect, Game, GameEvals};
use centipawn_progress::{Cancelled, Job, Next};
use shakmaty::Move;

use super::{EaseJudge, EaseJudgeError, KnownEvals, Moment, MomentDocument};
use crate::{PositionCount, PositionFindings};

/// Judges the positions of one game, or one position by itself; each position is a step, so that one long game keeps all
/// engines busy.
pub struct EaseJob<'a> {
    judge: EaseJudge<'a>,
    count: &'a PositionCount<'a>,
    number: u64,
    game: Option<Arc<Game>>,
    evals: Option<GameEvals>,
    /// The moves that were played; `None` for a position by itself.
    played: Vec<Option<Move>>,
    state: Mutex<State>,
}

struct State {
    next: usize,
    before: History,
    judged: Vec<Option<Result<Moment, EaseJudgeError>>>,
}

/// A position to judge.
pub struct EaseStep {
    index: usize,
    before: History,
}

/// What comes of an [`EaseJob`].
#[derive(Debug)]
pub struct EaseOutcome {
    /// Which game or position of the input it is, from 1.
    pub number: u64,
    /// The game; `None` for a position by itself.
    pub game: Option<Arc<Game>>,
    /// The positions in which a move was played, in their order, or the one position. `None` where neither an analyst nor the
    /// game evaluates the position, or where it could not be judged.
    pub moments: Vec<Option<Moment>>,
    /// Why positions could not be judged, in their order.
    pub failures: Vec<EaseJudgeError>,
}

impl EaseOutcome {
    /// The players of the game: `Anna – Boris`, `?` for one without a name. `None` for a position by itself.
    pub fn title(&self) -> Option<String> {
        let game = self.game.as_ref()?;
        let [white, black] = ["White", "Black"].map(|tag| game.headers.get(tag).unwrap_or("?"));
        Some(format!("{white} – {black}"))
    }

    /// A document for each position and network.
    pub fn documents(&self) -> Vec<MomentDocument> {
        let game = self.game.as_ref().map(|_| self.number);
        let moments = self.moments.iter().enumerate();
        moments
            .flat_map(|(ply, moment)| Some(moment.as_ref()?.documents(game.map(|game| (game, ply as u64 + 1)))))
            .flatten()
            .collect()
    }

    /// Whether the game has moves, but none of them is evaluated and there was nobody to ask.
    pub fn has_no_evaluations(&self) -> bool {
        !self.moments.is_empty() && self.failures.is_empty() && self.moments.iter().all(Option::is_none)
    }
}

impl<'a> EaseJob<'a> {
    /// All positions of a game in which a move was played; `number` says which game of the input it is, from 1. With `reuse_evals`, evaluations in the game's comments are read in
    /// that dialect, by the same rules as for a review.
    pub fn of_game(
        judge: EaseJudge<'a>,
        count: &'a PositionCount<'a>,
        number: u64,
        game: Game,
        reuse_evals: Option<Dialect>,
    ) -> Self {
        let evals = reuse_evals.map(|dialect| GameEvals::read(&game, dialect));
        let played = game.plies.iter().map(|ply| Some(ply.mv)).collect();
        let before = game.start.clone();
        Self { game: Some(Arc::new(game)), evals, ..Self::new(judge, count, number, before, played) }
    }

    /// One position; `number` says which of the input it is, from 1.
    pub fn of_position(judge: EaseJudge<'a>, count: &'a PositionCount<'a>, number: u64, position: History) -> Self {
        Self::new(judge, count, number, position, vec![None])
    }

    fn new(
        judge: EaseJudge<'a>,
        count: &'a PositionCount<'a>,
        number: u64,
        before: History,
        played: Vec<Option<Move>>,
    ) -> Self {
        let judged = played.iter().map(|_| None).collect();
        Self {
            judge,
            count,
            number,
            game: None,
            evals: None,
            played,
            state: Mutex::new(State { next: 0, before, judged }),
        }
    }

    /// What the game's comments say of a position, as a review reads them.
    fn known(&self, index: usize, before: &History) -> KnownEvals {
        let found = self.evals.as_ref().zip(self.played[index]).and_then(|(evals, played)| {
            Some(KnownEvals::of(&PositionFindings::from_game(evals, index, before, played)?, played))
        });
        found.unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job for EaseJob<'_> {
    type Step = EaseStep;
    type Output = EaseOutcome;

    fn next(&self) -> Next<EaseStep> {
        let state = &mut *self.state();
        let Some(played) = self.played.get(state.next) else { return Next::Done };
        let step = EaseStep { index: state.next, before: state.before.clone() };
        played.iter().for_each(|mv| state.before.push(*mv));
        state.next += 1;
        Next::Step(step)
    }

    fn perform(&self, step: EaseStep) -> Result<(), Cancelled> {
        let EaseStep { index, before } = step;
        let known = self.known(index, &before);
        if !self.judge.knows_nothing(&known) {
            let moment = Moment::judge(&self.judge, before, self.played[index], known);
            if matches!(moment, Err(EaseJudgeError::Analyst(AnalystError::Cancelled))) {
                return Err(Cancelled);
            }
            self.state().judged[index] = Some(moment);
        }
        self.count.add(1);
        Ok(())
    }

    fn finish(&self) -> EaseOutcome {
        let judged = mem::take(&mut self.state().judged);
        let mut failures = Vec::new();
        let moments = judged.into_iter().map(|judged| match judged? {
            Ok(moment) => Some(moment),
            Err(error) => {
                failures.push(error);
                None
            }
        });
        let moments = moments.collect();
        EaseOutcome { number: self.number, game: self.game.clone(), moments, failures }
    }
}
