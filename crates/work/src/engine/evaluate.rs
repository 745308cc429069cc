//! Evaluating positions of games with an engine.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use centipawn_core::{Eval, History, White};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use centipawn_judge::PositionCount;
use centipawn_pgn::{Game, Games, Sources, read_ahead};
use centipawn_progress::{Cancel, Cancelled, Job, Next, Outcome, Problem, ProblemCount, Reporter};
use serde::{Deserialize, Serialize};

use crate::engine::{Crew, Recipe, Work};

/// Which positions of a game are evaluated, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluateOptions {
    /// How long the engine thinks about a position.
    pub limit: Limit,
    /// Number of half-moves of the game before the first position.
    pub first_ply: usize,
    /// The positions to evaluate: every Nth, from the first.
    pub every: usize,
}

/// Evaluating: [`Work`] on games.
pub(super) struct Evaluating<'a> {
    /// The work as a value.
    pub(super) recipe: Recipe,
    pub(super) options: EvaluateOptions,
    /// Games of which no position is evaluated are refused.
    pub(super) accepts: &'a (dyn Fn(&Game) -> bool + Sync),
    pub(super) analyst: &'a dyn Analyst,
    pub(super) count: &'a PositionCount<'a>,
}

/// A game with the evaluations of its positions.
pub(super) struct EvaluatedGame {
    pub(super) game: Game,
    /// Evaluations of the positions before plies, by the index of the ply, in order.
    pub(super) evals: Vec<(usize, Eval<White>)>,
    failures: Vec<AnalystError>,
}

impl Work for Evaluating<'_> {
    type Item = Game;
    type Answer = EvaluatedGame;

    fn recipe(&self) -> Recipe {
        self.recipe.clone()
    }

    fn job(&self, game: Game) -> impl Job<Output = EvaluatedGame> {
        let state = State {
            next: 0,
            before: game.before_first(),
            evals: Vec::new(),
            failures: Vec::new(),
        };
        EvaluateJob {
            work: self,
            is_accepted: (self.accepts)(&game),
            game,
            state: Mutex::new(state),
        }
    }

    fn game<'i>(&self, game: &'i Game) -> Option<&'i Game> {
        Some(game)
    }

    fn item(&self, game: Game, _: u64) -> Option<Game> {
        Some(game)
    }

    fn unanswered(&self, game: Game, error: AnalystError) -> Option<EvaluatedGame> {
        Some(EvaluatedGame {
            game,
            evals: Vec::new(),
            failures: vec![error],
        })
    }
}

/// The job of a game. Each position is a step of the job.
struct EvaluateJob<'a> {
    work: &'a Evaluating<'a>,
    is_accepted: bool,
    game: Game,
    state: Mutex<State>,
}

struct State {
    next: usize,
    before: History,
    evals: Vec<(usize, Eval<White>)>,
    failures: Vec<AnalystError>,
}

impl EvaluateJob<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job for EvaluateJob<'_> {
    type Step = (usize, History);
    type Output = EvaluatedGame;

    fn next(&self) -> Next<Self::Step> {
        let EvaluateOptions {
            first_ply, every, ..
        } = self.work.options;
        let state = &mut *self.state();
        while self.is_accepted
            && let Some(ply) = self.game.plies.get(state.next)
        {
            let step = (state.next, state.before.clone());
            state.before.push(ply.mv);
            state.next += 1;
            let beyond = step.0.checked_sub(first_ply);
            if beyond.is_some_and(|beyond| beyond.is_multiple_of(every.max(1))) {
                return Next::Step(step);
            }
        }
        Next::Done
    }

    fn perform(&self, (index, before): Self::Step) -> Result<(), Cancelled> {
        let turn = before.turn();
        match self
            .work
            .analyst
            .analyse(&Question::new(before, self.work.options.limit))
        {
            Err(AnalystError::Cancelled) => return Err(Cancelled),
            Err(error) => self.state().failures.push(error),
            Ok(analysis) => {
                self.state().evals.extend(
                    analysis
                        .best()
                        .map(|best| (index, best.eval.for_white(turn))),
                );
            }
        }
        self.work.count.add(1);
        Ok(())
    }

    fn finish(&self) -> EvaluatedGame {
        let state = &mut *self.state();
        // Steps may end in any order.
        state.evals.sort_unstable_by_key(|(index, _)| *index);
        EvaluatedGame {
            game: self.game.clone(),
            evals: mem::take(&mut state.evals),
            failures: mem::take(&mut state.failures),
        }
    }
}

/// Has `crew` do the work on the games of `sources`, and calls `each` with the games in their
/// order. Games that cannot be read and positions that the analyst cannot answer are reported.
///
/// After `cancel` is set, the run ends as soon as the questions under way are answered; unfinished
/// games are left out.
pub(super) fn evaluate_games<R: Reporter + 'static>(
    sources: &Sources,
    work: &Evaluating<'_>,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<R>>,
    mut each: impl FnMut(&Game, &[(usize, Eval<White>)]),
) -> Outcome {
    let read = read_ahead(Games::new(sources, Arc::clone(problems)), cancel);
    let mut done = 0;
    let cancelled = crew.run(
        work,
        read,
        cancel,
        |EvaluatedGame {
             game,
             evals,
             failures,
         }| {
            let file = game.place.source.as_deref().unwrap_or_default();
            for error in failures {
                problems.problem(&Problem::error(error).of(file).in_game(game.place.game));
            }
            each(&game, &evals);
            done += 1;
            work.count
                .add_game(game.headers.get("White").unwrap_or_default());
        },
    );
    Outcome {
        done,
        skipped: problems.errors(),
        cancelled: cancelled || cancel.is_set(),
    }
}
