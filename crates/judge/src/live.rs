//! Judges a game while its positions are evaluated, in any order. A move is judged as soon as all
//! positions before it are evaluated.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use centipawn_core::{Context, Curve, Eval, Wdl, White};
use centipawn_engine::Identity;
use centipawn_pgn::Game;
use shakmaty::Color;

use crate::{GameFindings, JudgeOptions, JudgedMove, PositionFindings, judge::GameJudge};

/// A position that has just been evaluated.
#[derive(Clone, Debug)]
pub struct FoundPosition {
    /// Index of the move that was played in the position.
    pub ply: usize,
    /// The findings of the position.
    pub findings: PositionFindings,
    /// The curve of the review.
    pub curve: Curve,
}

/// The additions of an evaluated position to a running judgement.
#[derive(Debug)]
pub struct LivePosition<'a> {
    /// Index of the move that was played in the position.
    pub ply: usize,
    /// Number of evaluated positions.
    pub done: usize,
    /// Number of all positions.
    pub total: usize,
    /// Evaluation of the played move, White's view.
    pub eval_played: Eval<White>,
    /// White's expected score after the played move, 0..=1.
    pub expected_score: f64,
    /// White's win, draw and loss after the move; `None` unless the curve is a win/draw/loss model.
    pub wdl: Option<Wdl>,
    /// The curve of the review.
    pub curve: Curve,
    /// Index of the first of the moves that can be judged now.
    pub first: usize,
    /// The moves that can be judged now, in the order of the game.
    pub judged: &'a [JudgedMove],
}

/// The judge of a game whose positions are still being evaluated; threads share it.
///
/// ```
/// use centipawn_core::{Curve, Eval};
/// use centipawn_engine::Limit;
/// use centipawn_judge::{FoundPosition, JudgeOptions, LiveJudge, PositionFindings};
/// use centipawn_pgn::Reader;
/// # use std::sync::Arc;
/// # let found = |ply, best, played| FoundPosition {
/// #     ply,
/// #     findings: PositionFindings {
/// #         lines: Vec::new(), best, played, played_last_exact: None, best_other: None,
/// #         limit: None, ease: Vec::new(), proof: None, answer: Vec::new(),
/// #     },
/// #     curve: Curve::LICHESS,
/// # };
///
/// let game = Reader::new("1. e4 e5 *".as_bytes()).next().unwrap()?.unwrap();
/// let live = LiveJudge::new(game, JudgeOptions::new(Limit::Nodes(100_000)));
/// // The second position is evaluated first. Its move cannot be judged before the first one.
/// live.found(found(1, Eval::cp(-20), Eval::cp(-20)), Arc::default, |position| {
///     assert_eq!((position.done, position.judged.len()), (1, 0));
/// });
/// live.found(found(0, Eval::cp(30), Eval::cp(20)), Arc::default, |position| {
///     assert_eq!((position.done, position.judged.len()), (2, 2));
/// });
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct LiveJudge {
    game: Arc<Game>,
    options: JudgeOptions,
    /// The side to move in each position, and the context of the evaluation.
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

impl LiveJudge {
    /// Creates the judge of a game without evaluated positions.
    pub fn new(game: Game, options: JudgeOptions) -> Self {
        let before = game
            .mainline()
            .map(|(before, _)| (before.turn(), Context::of(before.position())))
            .collect();
        let state = State {
            found: vec![None; game.plies.len()],
            done: 0,
            judge: None,
            analyst: None,
        };
        Self {
            game: Arc::new(game),
            options,
            before,
            state: Mutex::new(state),
        }
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// Returns the number of evaluated positions.
    pub fn done(&self) -> usize {
        self.state().done
    }

    /// Returns the findings of the moves that can be judged: all moves before the first position
    /// without an evaluation.
    pub fn findings(&self) -> Option<GameFindings> {
        let state = self.state();
        let (curve, judge) = state.judge.as_ref()?;
        let positions: Vec<_> = state
            .found
            .iter()
            .take(judge.len())
            .flatten()
            .cloned()
            .collect();
        let was_asked = positions.iter().any(|position| position.limit.is_some());
        Some(GameFindings {
            analyst: state.analyst.clone().filter(|_| was_asked),
            curve: *curve,
            positions,
        })
    }

    /// Stores the findings of a position and reports them. `analyst` is called only if the findings
    /// come from an analyst. The state stays locked during `report`, so reports have the order of
    /// this method's calls.
    pub fn found(
        &self,
        found: FoundPosition,
        analyst: impl FnOnce() -> Arc<Identity>,
        report: impl FnOnce(LivePosition<'_>),
    ) {
        let FoundPosition {
            ply,
            findings,
            curve,
        } = found;
        let (mover, context) = self.before[ply];
        let eval = findings.played.for_white(mover);
        let analyst = findings.limit.is_some().then(analyst);
        let state = &mut *self.state();
        if state.found[ply].replace(findings).is_none() {
            state.done += 1;
        }
        state.analyst = analyst.or(state.analyst.take());
        let new_judge = || {
            (
                curve,
                GameJudge::new(Arc::clone(&self.game), curve, self.options.clone()),
            )
        };
        let (_, judge) = state.judge.get_or_insert_with(new_judge);
        let first = judge.len();
        for found in state.found[first..].iter().map_while(Option::as_ref) {
            judge.push(found);
        }
        let judged = &judge.plies()[first..];
        // For a judged move, use its expected score, which is more exact than its evaluation: the
        // game may be over, for example.
        let own = ply.checked_sub(first).and_then(|index| judged.get(index));
        report(LivePosition {
            ply,
            done: state.done,
            total: state.found.len(),
            eval_played: eval,
            expected_score: own.map_or_else(
                || curve.expected_score(eval, context),
                |own| own.expected_score,
            ),
            wdl: own.map_or_else(|| curve.wdl(eval, context), |own| own.wdl(&curve)),
            curve,
            first,
            judged,
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use centipawn_engine::Limit;
    use centipawn_pgn::Reader;

    use super::*;

    #[test]
    fn findings_of_a_running_review_name_the_engine_that_made_them() {
        let options = JudgeOptions::new(Limit::Nodes(1000));
        let game = Reader::new("1. e4 e5 *".as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        let live = LiveJudge::new(game, options.clone());
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
        let found = FoundPosition {
            ply: 0,
            findings,
            curve: Curve::LICHESS,
        };
        let analyst = || {
            Arc::new(Identity {
                name: "Stockfish".to_owned(),
                ..Identity::default()
            })
        };
        live.found(found, analyst, |position| {
            assert_eq!((position.done, position.judged.len()), (1, 1));
        });
        let findings = live.findings().unwrap();
        assert_eq!(
            (&*findings.analyst.unwrap().name, findings.positions.len()),
            ("Stockfish", 1)
        );
    }
}
