//! Ease of games and positions: a job whose steps are positions.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use centipawn_core::{Curve, History};
use centipawn_engine::AnalystError;
use centipawn_pgn::{Game, GameEvals};
use centipawn_policy::is_known;
use centipawn_progress::{Cancelled, Job, Next};
use shakmaty::Move;

use super::{EaseJudge, EaseJudgeError, EaseOptions, KnownEvals, Moment, PlayerLevels};
use crate::{PositionCount, PositionFindings};

/// Judges the positions of a game, or a single position. Each position is a step, so that one long
/// game keeps all engines busy.
pub struct EaseJob<'a> {
    judge: EaseJudge<'a>,
    count: &'a PositionCount<'a>,
    number: u64,
    game: Option<Arc<Game>>,
    evals: Option<GameEvals>,
    players: PlayerLevels,
    /// The moves played; one `None` for a single position.
    played: Vec<Option<Move>>,
    state: Mutex<State>,
}

struct State {
    next: usize,
    before: History,
    judged: Vec<Option<Result<Moment, EaseJudgeError>>>,
}

/// A position to judge.
#[non_exhaustive]
pub struct EaseStep {
    index: usize,
    before: History,
}

/// The outcome of an [`EaseJob`].
#[derive(Debug)]
pub struct EaseOutcome {
    /// Number of the game or position in the input, from 1.
    pub number: u64,
    /// The game; `None` for a single position.
    pub game: Option<Arc<Game>>,
    /// The judged position before each move of the game, or the single position. `None` if neither
    /// an analyst nor the game evaluates the position, or if judging it failed.
    pub moments: Vec<Option<Moment>>,
    /// The errors of positions that could not be judged, in order.
    pub failures: Vec<EaseJudgeError>,
}

impl EaseOutcome {
    /// Returns the players of the game: `Anna – Boris`, with `?` for a missing name. `None` for a
    /// single position.
    pub fn title(&self) -> Option<String> {
        let game = self.game.as_ref()?;
        let [white, black] = ["White", "Black"].map(|tag| game.headers.get(tag).unwrap_or("?"));
        Some(format!("{white} – {black}"))
    }

    /// Returns whether the analyst failed, and nothing was judged.
    pub fn is_unanswered(&self) -> bool {
        let has_analyst_failed = self
            .failures
            .iter()
            .any(|failure| matches!(failure, EaseJudgeError::Analyst(_)));
        has_analyst_failed && self.moments.iter().all(Option::is_none)
    }

    /// Returns whether the game has moves, but no evaluations, and there was no analyst to ask.
    pub fn has_no_evaluations(&self) -> bool {
        !self.moments.is_empty()
            && self.failures.is_empty()
            && self.moments.iter().all(Option::is_none)
    }
}

impl<'a> EaseJob<'a> {
    /// Returns a job for all positions of a game in which a move was played. `number` is the game's
    /// number in the input, from 1. With [`EaseOptions::reuse_evals`], the job reads evaluations
    /// from the game's comments, by the same rules as a review.
    pub fn of_game(
        judge: EaseJudge<'a>,
        count: &'a PositionCount<'a>,
        number: u64,
        game: Game,
        options: &EaseOptions,
    ) -> Self {
        let evals = options
            .reuse_evals
            .map(|dialect| GameEvals::read(&game, dialect));
        // The analyst evaluates further moves of the same positions, so convert the game's
        // evaluations to the analyst's unit.
        let evals = evals.map(|evals| match judge.analyst {
            Some(analyst) => evals.converted(
                &game,
                Curve::for_engine(&analyst.identity().name).source_units(),
            ),
            None => evals,
        });
        let played = game.plies.iter().map(|ply| Some(ply.mv)).collect();
        let before = game.before_first();
        Self {
            game: Some(Arc::new(game)),
            evals,
            ..Self::new(judge, count, number, before, (played, options))
        }
    }

    /// Returns a job for a single position. `number` is its number in the input, from 1.
    pub fn of_position(
        judge: EaseJudge<'a>,
        count: &'a PositionCount<'a>,
        number: u64,
        position: History,
        options: &EaseOptions,
    ) -> Self {
        Self::new(judge, count, number, position, (vec![None], options))
    }

    fn new(
        judge: EaseJudge<'a>,
        count: &'a PositionCount<'a>,
        number: u64,
        before: History,
        (played, options): (Vec<Option<Move>>, &EaseOptions),
    ) -> Self {
        let judged = played.iter().map(|_| None).collect();
        Self {
            judge,
            count,
            number,
            game: None,
            evals: None,
            players: options.levels.players,
            played,
            state: Mutex::new(State {
                next: 0,
                before,
                judged,
            }),
        }
    }

    /// Returns the played move, and the evaluations of a position in the game's comments, as a
    /// review reads them.
    fn known(&self, index: usize, before: &History) -> KnownEvals {
        let game = self.game.as_deref().zip(self.evals.as_ref());
        let found = game
            .zip(self.played[index])
            .and_then(|((game, evals), played)| {
                Some(KnownEvals::of(
                    &PositionFindings::of_game(game, evals, index, before)?,
                    played,
                ))
            });
        KnownEvals {
            played: self.played[index],
            ..found.unwrap_or_default()
        }
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
        let Some(played) = self.played.get(state.next) else {
            return Next::Done;
        };
        let step = EaseStep {
            index: state.next,
            before: state.before.clone(),
        };
        played.iter().for_each(|mv| state.before.push(*mv));
        state.next += 1;
        Next::Step(step)
    }

    fn perform(&self, step: EaseStep) -> Result<(), Cancelled> {
        let EaseStep { index, before } = step;
        let known = self.known(index, &before);
        if !self.judge.knows_nothing(&known) {
            let player = self
                .players
                .rating(self.game.as_ref().map(|game| &game.headers), before.turn());
            // Networks do not know the first moves of a game. Skip these in games; a single
            // position is judged, with a note.
            let is_judged = self.game.is_none() || is_known(&before);
            let (networks, analyst) = if is_judged {
                (self.judge.networks, self.judge.analyst)
            } else {
                (&[][..], None)
            };
            let judge = EaseJudge {
                networks,
                analyst,
                ..self.judge
            };
            let moment = Moment::judge(&judge, before, self.played[index], known, player);
            if matches!(
                moment,
                Err(EaseJudgeError::Analyst(AnalystError::Cancelled))
            ) {
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
        EaseOutcome {
            number: self.number,
            game: self.game.clone(),
            moments,
            failures,
        }
    }
}
