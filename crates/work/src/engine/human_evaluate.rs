//! Evaluating positions of games between humans with an engine, for a human curve.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use centipawn_calibrate::human::{HumanCountOptions, HumanGame, HumanGames, LeftOut};
use centipawn_core::{Curve, Eval, History, White};
use centipawn_engine::{Analyst, AnalystError, Limit, Question};
use centipawn_pgn::{Game, Games, Sources, read_ahead};
use centipawn_progress::{Cancel, Cancelled, Job, Next, Outcome, Problem, ProblemCount, Reporter, shown_path};
use centipawn_review::PositionCount;
use serde::{Deserialize, Serialize};

use crate::{Crew, Recipe, Work};

/// How positions are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanEvaluation {
    /// How long the engine thinks about a position.
    pub limit: Limit,
    /// The positions to evaluate: every Nth, from the first that counts. Neighbouring positions give little more information than one
    /// of them.
    pub every: usize,
}

/// Which positions are evaluated, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanEvaluateOptions {
    /// How positions are evaluated.
    #[serde(flatten)]
    pub evaluation: HumanEvaluation,
    /// Which games and positions count.
    #[serde(flatten)]
    pub count: HumanCountOptions,
}

/// Evaluating: [`Work`] on games.
struct Evaluating<'a> {
    options: &'a HumanEvaluateOptions,
    analyst: &'a dyn Analyst,
    count: &'a PositionCount<'a>,
}

impl Work for Evaluating<'_> {
    type Item = Game;
    type Answer = Evaluated;

    fn recipe(&self) -> Recipe {
        Recipe::EvaluateHuman(self.options.clone())
    }

    fn job(&self, game: Game) -> impl Job<Output = Evaluated> {
        let before = game.start.clone();
        let state = Mutex::new(State { next: 0, before, evals: Vec::new(), failures: Vec::new() });
        EvaluateJob { work: Evaluating { ..*self }, accepted: self.options.count.accepts(&game), game, state }
    }
}

/// A game whose positions are steps.
struct EvaluateJob<'a> {
    work: Evaluating<'a>,
    accepted: Result<(), LeftOut>,
    game: Game,
    state: Mutex<State>,
}

struct State {
    next: usize,
    before: History,
    evals: Vec<(usize, Eval<White>)>,
    failures: Vec<AnalystError>,
}

/// What came of a game.
struct Evaluated {
    game: Game,
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
    type Output = Evaluated;

    fn next(&self) -> Next<Self::Step> {
        let HumanEvaluateOptions { evaluation: HumanEvaluation { every, .. }, count } = self.work.options;
        let state = &mut *self.state();
        while self.accepted.is_ok()
            && let Some(ply) = self.game.plies.get(state.next)
        {
            let step = (state.next, state.before.clone());
            state.before.push(ply.mv);
            state.next += 1;
            let beyond = step.0.checked_sub(count.first_ply as usize);
            if beyond.is_some_and(|beyond| beyond.is_multiple_of((*every).max(1))) {
                return Next::Step(step);
            }
        }
        Next::Done
    }

    fn perform(&self, (index, before): Self::Step) -> Result<(), Cancelled> {
        let turn = before.turn();
        match self.work.analyst.analyse(&Question::new(before, self.work.options.evaluation.limit)) {
            Err(AnalystError::Cancelled) => return Err(Cancelled),
            Err(error) => self.state().failures.push(error),
            Ok(analysis) => {
                self.state().evals.extend(analysis.best().map(|best| (index, best.eval.for_white(turn))));
            }
        }
        self.work.count.add(1);
        Ok(())
    }

    fn finish(&self) -> Evaluated {
        let state = &mut *self.state();
        // Steps end in any order.
        state.evals.sort_unstable_by_key(|(index, _)| *index);
        Evaluated {
            game: self.game.clone(),
            evals: mem::take(&mut state.evals),
            failures: mem::take(&mut state.failures),
        }
    }
}

/// Has `crew` evaluate positions of the games of `sources`, and collects them. Games that cannot be read and positions that the analyst
/// cannot answer are reported.
///
/// After `cancel` is set, the run ends as soon as the questions under way are answered; unfinished games are left out.
pub fn evaluate_human_games<R: Reporter + 'static>(
    sources: &Sources,
    options: &HumanEvaluateOptions,
    analyst: &dyn Analyst,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<R>>,
) -> (HumanGames, Outcome) {
    let count = PositionCount::new(&**problems);
    let work = Evaluating { options, analyst, count: &count };
    let units = options.count.units.unwrap_or_else(|| match Curve::for_engine(&analyst.identity().name) {
        Curve::Wdl(model) => model.pawn_units(),
        _ => 1.0,
    });
    let mut games = HumanGames::new(options.count.per_class);
    games.sources = sources.paths().iter().map(|path| shown_path(path)).collect();
    let read = read_ahead(Games::new(sources, Arc::clone(problems)), cancel);
    let mut done = 0;
    let cancelled = crew.run(&work, read, cancel, |Evaluated { game, evals, failures }| {
        let file = game.place.source.as_deref().unwrap_or_default();
        for error in failures {
            problems.problem(&Problem::error(error).of(file).in_game(game.place.game));
        }
        let source = games.sources.iter().position(|own| own == file).unwrap_or(0) as u32;
        match HumanGame::evaluated(&game, &evals, units, (source, game.place.game), &options.count) {
            Ok(game) => games.add(game),
            Err(why) => games.leave_out(why),
        }
        done += 1;
        count.add_game(game.headers.get("White").unwrap_or_default());
    });
    (games, Outcome { done, skipped: problems.errors(), cancelled: cancelled || cancel.is_set() })
}
