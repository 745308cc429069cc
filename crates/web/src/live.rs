//! A review under way: positions are evaluated in any order, moves are judged as soon as all positions before them are there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use centipawn_core::{Context, Curve, History};
use centipawn_pgn::Game;
use centipawn_review::{GameFindings, PositionFindings, Review, ReviewOptions, judge_game};
use centipawn_work::FoundPosition;
use shakmaty::Position as _;

use crate::documents::PositionEvent;

/// A review that is being made.
pub(crate) struct Live {
    pub(crate) game: Arc<Game>,
    pub(crate) options: ReviewOptions,
    before: Vec<History>,
    state: Mutex<State>,
}

struct State {
    found: Vec<Option<PositionFindings>>,
    done: usize,
    judged: usize,
    curve: Option<Curve>,
}

impl Live {
    pub(crate) fn new(game: Game, options: ReviewOptions) -> Self {
        let before =
            game.mainline().map(|(before, _)| History::new(before.position().clone(), before.mode())).collect();
        let state = State { found: vec![None; game.plies.len()], done: 0, judged: 0, curve: None };
        Self { game: Arc::new(game), options, before, state: Mutex::new(state) }
    }

    /// Positions evaluated.
    pub(crate) fn done(&self) -> usize {
        self.state().done
    }

    /// The findings of the moves that can be judged: all from the beginning up to the first gap.
    pub(crate) fn findings(&self) -> Option<GameFindings> {
        let state = self.state();
        Some(prefix(&state, state.curve?))
    }

    /// Notes an evaluated position.
    pub(crate) fn found(&self, job: i64, found: FoundPosition) -> PositionEvent {
        let FoundPosition { ply, findings, curve } = found;
        let before = self.before[ply].position();
        let eval_white = findings.played.for_white(before.turn());
        let context = Context::of(before);
        let mut state = self.state();
        state.curve = Some(curve);
        if state.found[ply].replace(findings).is_none() {
            state.done += 1;
        }
        let was_judged = state.judged;
        state.judged = state.found.iter().take_while(|found| found.is_some()).count();
        let judged = if state.judged > was_judged {
            let review = self.judge(&prefix(&state, curve));
            review.document().plies.split_off(was_judged)
        } else {
            Vec::new()
        };
        PositionEvent {
            job,
            ply: ply + 1,
            done: state.done,
            total: state.found.len(),
            eval_white,
            expected_score_white: curve.expected_score(eval_white, context),
            wdl_white: curve.wdl(eval_white, context),
            judged,
        }
    }

    fn judge(&self, findings: &GameFindings) -> Review {
        judge_game(Arc::clone(&self.game), findings, &self.options)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn prefix(state: &State, curve: Curve) -> GameFindings {
    GameFindings { analyst: None, curve, positions: state.found.iter().map_while(Clone::clone).collect() }
}
