//! An analyst for the last move of a game.

use std::sync::Arc;

use centipawn_core::Eval;
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Line, Question};
use shakmaty::Position as _;

/// Number of previous moves that are judged together with a move, because its symbol may depend on
/// them: the move may be a recapture or continue a mate.
const BEFORE: usize = 2;

/// An analyst that judges the last move of a game alone. Earlier positions count as equal without a
/// search, because the symbol of the last move does not depend on them.
pub struct LastMove<'a> {
    analyst: &'a dyn Analyst,
    /// Number of half-moves before the first position that is searched.
    first: usize,
}

impl<'a> LastMove<'a> {
    /// Creates the analyst that answers for the move of this index, from 0, and for the moves
    /// before it on which its symbol may depend.
    pub fn new(analyst: &'a dyn Analyst, last: usize) -> Self {
        Self {
            analyst,
            first: last.saturating_sub(BEFORE),
        }
    }
}

impl Analyst for LastMove<'_> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        if history.moves().len() >= self.first {
            return self.analyst.analyse(question);
        }
        let mv = question.searchmoves.first().copied();
        let mv = mv.or_else(|| history.position().legal_moves().first().copied());
        let (eval, last_exact, wdl) = (Eval::cp(0), None, None);
        let line = |mv| Line {
            pv: vec![mv],
            eval,
            last_exact,
            wdl,
            depth: 0,
            seldepth: None,
        };
        Ok(Analysis {
            lines: mv.into_iter().map(line).collect(),
            ..Analysis::terminal()
        })
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    fn parallelism(&self) -> usize {
        self.analyst.parallelism()
    }
}
