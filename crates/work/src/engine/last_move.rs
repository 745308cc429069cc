//! The judgement of a move that was just played on a board.

use std::sync::Arc;

use centipawn_core::Eval;
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Line, Question};
use centipawn_pgn::Game;
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event, ReviewOptions};
use shakmaty::Position as _;

use crate::engine::{ReviewResources, Threads, review_game};

/// How many moves before a move are judged with it, because its symbol may depend on them: it may
/// be a recapture or continue a mate.
const BEFORE: usize = 2;

/// Judges the last move of `game` as moves of a reviewed game are judged. The review has all moves,
/// because earlier ones show whether the last one is theory, but only the last ones are searched:
/// the symbols of the others have no meaning.
///
/// `None` if `cancel` was set.
pub fn judge_last_move(game: Game, options: &ReviewOptions, analyst: &dyn Analyst, cancel: &Cancel) -> Option<Event> {
    let first = game.plies.len().saturating_sub(1 + BEFORE);
    let analyst = AtTheEnd { analyst, first };
    let resources = ReviewResources { analyst: &analyst, networks: &[], store: None };
    review_game(game, options, &resources, &Threads::of(Some(&analyst)), cancel, &Silent, &|_| ())
}

/// An analyst for the end of a line. Earlier positions count as equal without a search, because no
/// symbol depends on them.
struct AtTheEnd<'a> {
    analyst: &'a dyn Analyst,
    /// Number of half-moves before the first position that is searched.
    first: usize,
}

impl Analyst for AtTheEnd<'_> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        if history.moves().len() >= self.first {
            return self.analyst.analyse(question);
        }
        let mv = question.searchmoves.first().copied();
        let mv = mv.or_else(|| history.position().legal_moves().first().copied());
        let (eval, last_exact, wdl) = (Eval::cp(0), None, None);
        let line = |mv| Line { pv: vec![mv], eval, last_exact, wdl, depth: 0, seldepth: None };
        Ok(Analysis { lines: mv.into_iter().map(line).collect(), ..Analysis::terminal() })
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    fn parallelism(&self) -> usize {
        self.analyst.parallelism()
    }
}
