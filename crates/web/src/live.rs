//! A running review. Its positions are evaluated in any order. A move is judged as soon as all
//! positions before it are evaluated.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use centipawn_core::{Context, Curve};
use centipawn_engine::Identity;
use centipawn_pgn::Game;
use centipawn_review::{GameFindings, GameJudge, PositionFindings, ReviewOptions};
use centipawn_work::engine::FoundPosition;
use shakmaty::Color;

use crate::documents::PositionEvent;

/// A running review.
pub(crate) struct Live {
    pub(crate) game: Arc<Game>,
    pub(crate) options: ReviewOptions,
    /// The mover in each position, and the context of its evaluation.
    before: Vec<(Color, Context)>,
    state: Mutex<State>,
}

struct State {
    found: Vec<Option<PositionFindings>>,
    done: usize,
    /// Set by the first finding, because the curve may depend on the engine.
    judge: Option<(Curve, GameJudge)>,
    /// Set by the first finding for which an analyst was used.
    analyst: Option<Arc<Identity>>,
}

impl Live {
    pub(crate) fn new(game: Game, options: ReviewOptions) -> Self {
        let before = game.mainline().map(|(before, _)| (before.turn(), Context::of(before.position()))).collect();
        let state = State { found: vec![None; game.plies.len()], done: 0, judge: None, analyst: None };
        Self { game: Arc::new(game), options, before, state: Mutex::new(state) }
    }

    /// Number of evaluated positions.
    pub(crate) fn done(&self) -> usize {
        self.state().done
    }

    /// The findings of the moves that can be judged: all moves before the first position without an
    /// evaluation.
    pub(crate) fn findings(&self) -> Option<GameFindings> {
        let state = self.state();
        let (curve, judge) = state.judge.as_ref()?;
        let positions: Vec<_> = state.found.iter().take(judge.len()).flatten().cloned().collect();
        let was_asked = positions.iter().any(|position| position.limit.is_some());
        Some(GameFindings { analyst: state.analyst.clone().filter(|_| was_asked), curve: *curve, positions })
    }

    /// Stores the findings of a position and reports them. `analyst` is called only if the findings
    /// come from an analyst. The state stays locked during `report`, so reports have the order of
    /// this method's calls.
    pub(crate) fn found(
        &self,
        job: i64,
        found: FoundPosition,
        analyst: impl FnOnce() -> Arc<Identity>,
        report: impl FnOnce(PositionEvent),
    ) {
        let FoundPosition { ply, findings, curve } = found;
        let (mover, context) = self.before[ply];
        let eval = findings.played.for_white(mover);
        let analyst = findings.limit.is_some().then(analyst);
        let state = &mut *self.state();
        if state.found[ply].replace(findings).is_none() {
            state.done += 1;
        }
        state.analyst = analyst.or(state.analyst.take());
        let new_judge = || (curve, GameJudge::new(Arc::clone(&self.game), curve, self.options.clone()));
        let (_, judge) = state.judge.get_or_insert_with(new_judge);
        let first = judge.len();
        for found in state.found[first..].iter().map_while(Option::as_ref) {
            judge.push(found);
        }
        let judged: Vec<_> = (first..judge.len()).filter_map(|index| judge.ply_document(index)).collect();
        // A judged move has a more exact expected score than its evaluation: the game may be over,
        // for example.
        let own = judged.iter().find(|document| document.ply == ply + 1);
        report(PositionEvent {
            job,
            ply: ply + 1,
            done: state.done,
            total: state.found.len(),
            eval_played: eval,
            expected_score: own.map_or_else(|| curve.expected_score(eval, context), |own| own.expected_score),
            wdl: own.map_or_else(|| curve.wdl(eval, context), |own| own.wdl),
            judged,
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::Eval;
    use centipawn_engine::Limit;
    use centipawn_work::library::{read_kept_game, review_so_far};

    use super::*;

    #[test]
    fn findings_of_a_running_review_name_the_engine_that_made_them() {
        let options = ReviewOptions::new(Limit::Nodes(1000));
        let live = Live::new(read_kept_game("1. e4 e5 *").unwrap(), options.clone());
        let findings = PositionFindings {
            lines: Vec::new(),
            best: Eval::cp(30),
            played: Eval::cp(20),
            played_last_exact: None,
            best_other: None,
            limit: Some(options.limit),
            ease: Vec::new(),
            proof: None,
            answer: Vec::new(),
        };
        let found = FoundPosition { ply: 0, findings, curve: Curve::LICHESS };
        live.found(1, found, || Arc::new(Identity { name: "Stockfish".to_owned(), ..Identity::default() }), |_| ());
        let annotated = review_so_far(Arc::clone(&live.game), live.findings(), &options).annotated();
        let annotator = annotated.headers.get("Annotator").unwrap();
        assert!(annotator.contains("Stockfish"), "{annotator}");
    }
}
