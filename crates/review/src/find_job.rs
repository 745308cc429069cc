//! The engine work of a review, game by game: a job whose steps are positions.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use centipawn_core::{Curve, EASE_CURVE, History};
use centipawn_engine::{Analyst, AnalystError};
use centipawn_pgn::{Game, GameEvals};
use centipawn_policy::Network;
use centipawn_progress::{Cancelled, Job, Next, Problem};
use shakmaty::{Move, Position as _};

use crate::{
    GameFindings, PositionCount, PositionFindings, ReviewOptions,
    ease::{EaseJudge, EaseJudgeError, JudgedEase, KnownEvals},
    findings::needs_search,
};

/// Shared by the jobs of all games.
#[derive(Clone, Copy)]
pub struct Finder<'a> {
    /// Evaluates positions.
    pub analyst: &'a dyn Analyst,
    /// Judge every move's ease; with none, reviews have no ease.
    pub networks: &'a [Network],
    /// How games are reviewed; finding uses only the part in [`ReviewOptions::find`].
    pub options: &'a ReviewOptions,
    /// Counts finished positions.
    pub count: &'a PositionCount<'a>,
}

/// Makes the [`GameFindings`] of one game; each position is a step, so that one long game keeps all engines busy.
pub struct FindJob<'a> {
    finder: Finder<'a>,
    game: Arc<Game>,
    evals: Option<GameEvals>,
    state: Mutex<State>,
}

struct State {
    next: usize,
    before: History,
    found: Vec<Option<PositionFindings>>,
    failure: Option<Failure>,
}

/// A position to search.
pub struct FindStep {
    ply: usize,
    before: History,
}

/// The outcome of a [`FindJob`].
#[derive(Debug)]
pub struct Found {
    /// The game as read.
    pub game: Arc<Game>,
    /// Its findings, or why there are none.
    pub findings: Result<GameFindings, Failure>,
}

/// A game that could not be reviewed, and why.
#[derive(Debug, thiserror::Error)]
#[error("game {} (line {}), at {ply}: {source}", game.place.game, game.place.line)]
pub struct Failure {
    /// The game as read.
    pub game: Arc<Game>,
    /// The move before which the position failed, such as `12... Nxe4`.
    pub ply: String,
    /// The error of the analyst or of the networks.
    pub source: EaseJudgeError,
}

impl Failure {
    /// The failure as a problem with the game's source, number and line.
    pub fn problem(&self) -> Problem {
        let place = &self.game.place;
        let problem = Problem::error(format_args!("at {}: {}; the game stays unreviewed", self.ply, self.source));
        problem.of(place.source.as_deref().unwrap_or_default()).in_game(place.game).at_line(place.line)
    }
}

impl<'a> FindJob<'a> {
    /// Creates the job of a game.
    pub fn new(finder: Finder<'a>, game: Game) -> Self {
        let evals = finder.options.reuse_evals.map(|dialect| GameEvals::read(&game, dialect));
        let state = State { next: 0, before: game.start.clone(), found: vec![None; game.plies.len()], failure: None };
        Self { finder, game: Arc::new(game), evals, state: Mutex::new(state) }
    }

    /// The game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// Whether the job needs the analyst: `false` if the game's own evaluations cover all positions.
    pub fn asks(&self) -> bool {
        let is_open = |(index, (before, mv)): (usize, (History, Move))| {
            self.found_in_game(index, &before, mv).is_none() && needs_search(&before)
        };
        self.game.mainline().map(|(before, ply)| (before, ply.mv)).enumerate().any(is_open)
    }

    /// The curve of the options, else that of the evaluations' source.
    fn curve(&self) -> Curve {
        self.finder.options.curve.unwrap_or_else(|| match &self.evals {
            Some(evals) => evals.curve(&self.game),
            None => Curve::for_engine(&self.finder.analyst.identity().name),
        })
    }

    fn found_in_game(&self, index: usize, before: &History, played: Move) -> Option<PositionFindings> {
        PositionFindings::from_game(self.evals.as_ref()?, index, before, played)
    }

    fn find(&self, step: &FindStep) -> Result<PositionFindings, EaseJudgeError> {
        let Finder { analyst, networks, options, .. } = self.finder;
        let FindStep { ply, before } = step;
        let played = self.game.plies[*ply].mv;
        let mut found = match self.found_in_game(*ply, before, played) {
            Some(found) => found,
            None => PositionFindings::search(analyst, before, played, &self.curve(), options)?,
        };
        if !networks.is_empty() {
            found.ease = self.ease(before, played, &found)?;
        }
        Ok(found)
    }

    /// Ease for every network. The analyst also evaluates natural moves without a finding, unless the position's evaluations come
    /// from the game.
    fn ease(
        &self,
        before: &History,
        played: Move,
        found: &PositionFindings,
    ) -> Result<Vec<JudgedEase>, EaseJudgeError> {
        let Finder { analyst, networks, options, .. } = self.finder;
        let judge = EaseJudge {
            networks,
            analyst: found.was_asked.then_some(analyst),
            limit: options.limit,
            lines: options.lines,
            curve: options.curve.unwrap_or(EASE_CURVE),
            ahead: 1,
        };
        judge.judge(before, KnownEvals::of(found, played))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job for FindJob<'_> {
    type Step = FindStep;
    type Output = Found;

    fn next(&self) -> Next<FindStep> {
        let state = &mut *self.state();
        match self.game.plies.get(state.next) {
            // After a failure the rest of the game is skipped.
            Some(ply) if state.failure.is_none() => {
                let step = FindStep { ply: state.next, before: state.before.clone() };
                state.before.push(ply.mv);
                state.next += 1;
                Next::Step(step)
            }
            _ => Next::Done,
        }
    }

    fn perform(&self, step: FindStep) -> Result<(), Cancelled> {
        match self.find(&step) {
            Err(EaseJudgeError::Analyst(AnalystError::Cancelled)) => return Err(Cancelled),
            Ok(found) => self.state().found[step.ply] = Some(found),
            Err(source) => {
                let ply = numbered(&step.before, &self.game, step.ply);
                self.state().failure.get_or_insert(Failure { game: Arc::clone(&self.game), ply, source });
            }
        }
        self.finder.count.add(1);
        Ok(())
    }

    fn finish(&self) -> Found {
        let (found, failure) = {
            let mut state = self.state();
            (mem::take(&mut state.found), state.failure.take())
        };
        let findings = match failure {
            Some(failure) => Err(failure),
            None => {
                let positions: Vec<PositionFindings> = found.into_iter().flatten().collect();
                let was_asked = positions.iter().any(|position| position.was_asked);
                let analyst = was_asked.then(|| self.finder.analyst.identity());
                Ok(GameFindings { analyst, curve: self.curve(), positions })
            }
        };
        Found { game: Arc::clone(&self.game), findings }
    }
}

impl KnownEvals {
    /// The evaluations in the findings of a position in which `played` was played.
    pub(crate) fn of(found: &PositionFindings, played: Move) -> Self {
        let listed = found.lines.iter().map(|line| (line.first_move(), line.eval));
        let mut moves: Vec<_> = listed.filter(|(mv, _)| *mv != played).collect();
        moves.push((played, found.played));
        Self { best: Some(found.best), moves }
    }
}

/// A move of the game with its number: `12... Nxe4`.
fn numbered(before: &History, game: &Game, ply: usize) -> String {
    let position = before.position();
    let dots = position.turn().fold_wb(".", "...");
    format!("{}{dots} {}", position.fullmoves(), game.plies[ply].san(position))
}
