//! A job that mines one game step by step, so that one long game keeps every engine busy.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use centipawn_core::History;
use centipawn_engine::{Analyst, AnalystError, CountingAnalyst};
use centipawn_pgn::{Dialect, Game, GameEvals};
use centipawn_progress::{Cancelled, Job, Next};

use crate::{
    Candidate, Classic, Lichess, Miner, PositionFailure,
    speculation::{Speculation, Step, lock},
};

/// A set of mining rules, with the options and models that it needs.
#[derive(Clone, Debug, PartialEq)]
pub enum MiningRules {
    /// The default rules.
    Centipawn {
        /// The rules.
        miner: Box<Miner>,
        /// Dialect of the evaluations in the games, which replace short searches. With `None`, the
        /// analyst is asked about every position.
        evals: Option<Dialect>,
    },
    /// The rules of the article "Tactics Frenzy".
    Classic(Classic),
    /// The same, and then the solution of each position with its branches.
    ClassicSolutions {
        /// The rules that find the positions.
        classic: Classic,
        /// The rules of the solutions.
        miner: Box<Miner>,
    },
    /// The rules of Lichess' generator.
    Lichess {
        /// The rules.
        rules: Lichess,
        /// Dialect of the evaluations in the games.
        evals: Dialect,
    },
}

/// The result of mining a game.
#[derive(Clone, Debug)]
pub struct Mined {
    /// The game.
    pub game: Arc<Game>,
    /// All candidates in game order. Puzzles have their solution if the rules find one.
    pub candidates: Vec<Candidate>,
    /// Positions that the analyst failed to analyse. They are not among the candidates.
    pub failures: Vec<PositionFailure>,
    /// Number of questions about the game that the analyst answered.
    pub answers: u64,
}

impl MiningRules {
    /// Creates a job that mines `game`. The job calls `on_position` once for each completed
    /// position, from any thread.
    pub fn job<'a>(
        &'a self,
        game: impl Into<Arc<Game>>,
        analyst: &'a dyn Analyst,
        on_position: &'a (dyn Fn() + Sync),
    ) -> MineJob<'a> {
        let game = game.into();
        let plan = match self {
            MiningRules::Centipawn { miner, evals } => {
                Plan::Speculative(miner, Speculation::new(miner, &game, *evals))
            }
            MiningRules::Classic(classic) => {
                Plan::Scan(*classic, None, Mutex::new(Scan::new(&game)))
            }
            MiningRules::ClassicSolutions { classic, miner } => {
                Plan::Scan(*classic, Some(miner), Mutex::new(Scan::new(&game)))
            }
            MiningRules::Lichess { rules, evals } => Plan::Whole(*rules, *evals, Mutex::default()),
        };
        MineJob {
            game,
            analyst: CountingAnalyst::new(analyst),
            on_position,
            plan,
        }
    }

    /// Mines one game on the current thread.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the analyst is cancelled.
    pub fn mine(&self, game: &Game, analyst: &dyn Analyst) -> Result<Mined, Cancelled> {
        let job = self.job(game.clone(), analyst, &|| ());
        while let Next::Step(step) = job.next() {
            job.perform(step)?;
        }
        Ok(job.finish())
    }
}

/// Mines one game, for [`run_jobs`](centipawn_progress::run_jobs). Created by [`MiningRules::job`].
///
/// - Default rules: the steps are the short searches of all positions, then the proofs of possible
///   puzzles. A proof may start before those of earlier positions have ended. Decisions that depend
///   on earlier puzzles are made in game order, so the result does not depend on the number of
///   threads.
/// - Classic rules: each position is a step.
/// - Lichess' rules: the whole game is one step, because mining stops at its first puzzle.
pub struct MineJob<'a> {
    game: Arc<Game>,
    analyst: CountingAnalyst<&'a dyn Analyst>,
    on_position: &'a (dyn Fn() + Sync),
    plan: Plan<'a>,
}

/// The division of a game into steps.
enum Plan<'a> {
    Speculative(&'a Miner, Speculation),
    /// The rules, those of the solutions if they are wanted, and the state.
    Scan(Classic, Option<&'a Miner>, Mutex<Scan>),
    Whole(Lichess, Dialect, Mutex<Whole>),
}

/// A step of a [`MineJob`].
#[derive(Debug)]
pub struct MineStep(Kind);

#[derive(Debug)]
enum Kind {
    Speculative(Step),
    /// All searches of the position after the given number of plies.
    Position(usize, Box<History>),
    /// The whole game in a single step.
    Game,
}

/// A scan of positions that are judged independently of each other.
struct Scan {
    next: History,
    found: Vec<Result<Option<Candidate>, AnalystError>>,
}

impl Scan {
    fn new(game: &Game) -> Self {
        Self {
            next: game.start.clone(),
            found: vec![Ok(None); game.plies.len()],
        }
    }
}

#[derive(Default)]
struct Whole {
    is_begun: bool,
    candidates: Vec<Candidate>,
    failures: Vec<PositionFailure>,
}

impl Job for MineJob<'_> {
    type Step = MineStep;
    type Output = Mined;

    fn next(&self) -> Next<MineStep> {
        match &self.plan {
            Plan::Speculative(miner, speculation) => {
                match speculation.next(miner, &self.game, self.on_position) {
                    Next::Step(step) => Next::Step(MineStep(Kind::Speculative(step))),
                    Next::Wait => Next::Wait,
                    Next::Done => Next::Done,
                }
            }
            Plan::Scan(_, _, scan) => {
                let scan = &mut *lock(scan);
                let ply = scan.next.moves().len() - self.game.start.moves().len();
                let Some(played) = self.game.plies.get(ply) else {
                    return Next::Done;
                };
                let here = scan.next.clone();
                scan.next.push(played.mv);
                Next::Step(MineStep(Kind::Position(ply, Box::new(here))))
            }
            Plan::Whole(_, _, whole) if std::mem::replace(&mut lock(whole).is_begun, true) => {
                Next::Done
            }
            Plan::Whole(..) => Next::Step(MineStep(Kind::Game)),
        }
    }

    fn next_early(&self) -> Option<MineStep> {
        let Plan::Speculative(_, speculation) = &self.plan else {
            return None;
        };
        Some(MineStep(Kind::Speculative(
            speculation.next_early(&self.game)?,
        )))
    }

    fn perform(&self, MineStep(step): MineStep) -> Result<(), Cancelled> {
        match (&self.plan, step) {
            (Plan::Speculative(miner, speculation), Kind::Speculative(step)) => {
                speculation.perform(step, miner, &self.game, &self.analyst)?;
            }
            (Plan::Scan(classic, miner, scan), Kind::Position(ply, history)) => {
                let mut found = classic.look(ply, *history, self.game.plies[ply].mv, &self.analyst);
                if let (Some(miner), Ok(Some(candidate))) = (miner, &mut found)
                    && candidate.verdict.is_found()
                    && let Err(error) = miner.solve(candidate, &self.game, &self.analyst)
                {
                    found = Err(error);
                }
                if let Err(AnalystError::Cancelled) = found {
                    return Err(Cancelled);
                }
                lock(scan).found[ply] = found;
                (self.on_position)();
            }
            (Plan::Whole(rules, dialect, whole), Kind::Game) => {
                let evals = GameEvals::read(&self.game, *dialect);
                let (candidates, failures) =
                    rules.look(&self.game, &evals, &self.analyst, self.on_position)?;
                *lock(whole) = Whole {
                    is_begun: true,
                    candidates,
                    failures,
                };
            }
            // This cannot happen: `next` creates no other combinations of plan and step.
            _ => {}
        }
        Ok(())
    }

    fn finish(&self) -> Mined {
        let (mut candidates, mut failures) = (Vec::new(), Vec::new());
        match &self.plan {
            Plan::Speculative(_, speculation) => (candidates, failures) = speculation.finish(),
            Plan::Scan(_, _, scan) => {
                for (ply, found) in std::mem::take(&mut lock(scan).found)
                    .into_iter()
                    .enumerate()
                {
                    match found {
                        Ok(candidate) => candidates.extend(candidate),
                        Err(error) => failures.push((ply, error)),
                    }
                }
            }
            Plan::Whole(_, _, whole) => {
                Whole {
                    candidates,
                    failures,
                    ..
                } = std::mem::take(&mut *lock(whole));
            }
        }
        Mined {
            game: Arc::clone(&self.game),
            candidates,
            failures,
            answers: self.analyst.searches(),
        }
    }
}

impl fmt::Debug for MineJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MineJob")
            .field("game", &self.game.place)
            .finish_non_exhaustive()
    }
}
