//! The trait [`Analyst`], its question and its answer.

use std::{cmp::Reverse, sync::Arc, time::Duration};

use centipawn_core::{Eval, History, Mover, Wdl};
use shakmaty::{Move, Position};

use crate::{AnalystError, Identity, Limit};

/// Answers questions of the form "analyse this position, to this limit, with N lines".
///
/// A [`Pool`](crate::Pool) of engines is an analyst, and so are a store of evaluated positions and
/// a web service; one may wrap another. Callers share an analyst between threads and block in
/// [`analyse`](Self::analyse); more than [`parallelism`](Self::parallelism) threads gain nothing.
pub trait Analyst: Send + Sync {
    /// Answers one question. Blocks until the answer is complete.
    ///
    /// The answer for a position without a legal move has no lines.
    ///
    /// # Errors
    ///
    /// [`AnalystError`] when there is no answer to this question. The analyst still answers later
    /// questions, unless the error is [`AnalystError::Cancelled`].
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError>;

    /// Returns the name of the analyst and every setting that changes its answers. Stored results
    /// are filed under it.
    fn identity(&self) -> Arc<Identity>;

    /// Returns the number of questions that it answers at the same time, at least 1.
    fn parallelism(&self) -> usize;
}

impl<A: Analyst + ?Sized> Analyst for &A {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        (**self).analyse(question)
    }

    fn identity(&self) -> Arc<Identity> {
        (**self).identity()
    }

    fn parallelism(&self) -> usize {
        (**self).parallelism()
    }
}

impl<A: Analyst + ?Sized> Analyst for Arc<A> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        (**self).analyse(question)
    }

    fn identity(&self) -> Arc<Identity> {
        (**self).identity()
    }

    fn parallelism(&self) -> usize {
        (**self).parallelism()
    }
}

/// A question to an [`Analyst`].
///
/// ```
/// use centipawn_core::History;
/// use centipawn_engine::{Limit, Question};
///
/// let mut history = History::default();
/// for uci in ["e2e4", "e7e5"] {
///     history.push(history.parse_uci(uci).unwrap());
/// }
/// let knights = [history.parse_uci("g1f3").unwrap(), history.parse_uci("b1c3").unwrap()];
/// let question = Question::new(history, Limit::Nodes(100_000)).lines(2).searchmoves(knights);
/// assert_eq!(question.candidates()?.len(), 2);
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Question {
    /// The position, with the moves that led to it.
    pub history: History,
    /// The limit of the search.
    pub limit: Limit,
    /// The number of lines wanted. The answer has fewer where there are fewer moves; 0 counts as 1.
    pub lines: usize,
    /// The moves to consider; empty for all legal moves. Order and repetition do not matter.
    pub searchmoves: Vec<Move>,
}

impl Question {
    /// Creates a question for the best line among all moves.
    pub fn new(history: History, limit: Limit) -> Self {
        Self {
            history,
            limit,
            lines: 1,
            searchmoves: Vec::new(),
        }
    }

    /// Returns the same question with another number of lines.
    #[must_use]
    pub fn lines(mut self, lines: usize) -> Self {
        self.lines = lines;
        self
    }

    /// Returns the same question about these moves only.
    #[must_use]
    pub fn searchmoves(mut self, moves: impl IntoIterator<Item = Move>) -> Self {
        self.searchmoves = moves.into_iter().collect();
        self
    }

    /// Returns the moves to consider: [`searchmoves`](Self::searchmoves) if there are any, else all
    /// legal moves. Empty at mate and stalemate.
    ///
    /// # Errors
    ///
    /// [`AnalystError::NotLegal`] when one of [`searchmoves`](Self::searchmoves) is not legal.
    pub fn candidates(&self) -> Result<Vec<Move>, AnalystError> {
        let legal = self.history.position().legal_moves();
        if let Some(&mv) = self.searchmoves.iter().find(|mv| !legal.contains(mv)) {
            let uci = self.history.uci(mv).to_string();
            return Err(AnalystError::NotLegal {
                uci,
                fen: self.history.fen(),
            });
        }
        Ok(legal
            .into_iter()
            .filter(|mv| self.searchmoves.is_empty() || self.searchmoves.contains(mv))
            .collect())
    }
}

impl Question {
    /// Returns the whole question in one line of text; equal questions have equal texts.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{} {:?} {} {}",
            self.history.start_fen(),
            self.history.mode(),
            self.limit,
            self.lines.max(1)
        );
        let mut searchmoves = self.searchmoves.clone();
        searchmoves.sort_unstable_by_key(|mv| (mv.from(), mv.to(), mv.promotion()));
        searchmoves.dedup();
        for (head, moves) in [
            (" moves", self.history.moves()),
            (" searchmoves", &searchmoves),
        ] {
            text.push_str(head);
            for mv in moves {
                text.push(' ');
                text.push_str(&self.history.uci(*mv).to_string());
            }
        }
        text
    }
}

/// The answer of an [`Analyst`].
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Best first, as the engine ranks them; no two have the same first move. As many as the
    /// question asks for, or as there are moves; empty at mate and stalemate.
    pub lines: Vec<Line>,
    /// Number of nodes visited for all lines, as the engine counts them.
    pub nodes: u64,
    /// Depth in plies of the best line; 0 without a line.
    pub depth: u32,
    /// Wall time of the search alone.
    pub time: Duration,
}

impl Analysis {
    /// Returns the answer for a position without a legal move: no lines.
    pub fn terminal() -> Self {
        Self {
            lines: Vec::new(),
            nodes: 0,
            depth: 0,
            time: Duration::ZERO,
        }
    }

    /// Returns the moves that have no line, of `candidates`.
    pub(crate) fn without_line(&self, candidates: &[Move]) -> Vec<Move> {
        let has_line = |mv: &Move| self.lines.iter().any(|line| line.first_move() == *mv);
        let rest = candidates.iter().copied();
        rest.filter(|mv| !has_line(mv)).collect()
    }

    /// Adds the lines of a search of other moves.
    pub(crate) fn extend(&mut self, more: Self) {
        self.lines.extend(more.lines);
        self.lines.sort_by_key(|line| Reverse(line.eval));
        self.nodes += more.nodes;
        self.time += more.time;
        self.depth = self.lines.first().map_or(0, |line| line.depth);
    }

    /// Returns the best line; `None` at mate and stalemate.
    pub fn best(&self) -> Option<&Line> {
        self.lines.first()
    }
}

/// One principal variation with its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The moves of the variation, at least one. Each move is legal after the previous moves.
    pub pv: Vec<Move>,
    /// The evaluation of the first move, for the side to move. It never contradicts the bound that
    /// the engine printed last for this move.
    pub eval: Eval<Mover>,
    /// The engine's last exact score, where its last bound contradicts it; [`eval`](Self::eval) is
    /// then that bound. `None` if [`eval`](Self::eval) is exact. The distance between both is what
    /// the search left open.
    pub last_exact: Option<Eval<Mover>>,
    /// The engine's probabilities of win, draw and loss for the side to move; `None` if it reports
    /// none.
    pub wdl: Option<Wdl>,
    /// Number of plies searched.
    pub depth: u32,
    /// Number of plies of the longest variation searched; `None` if the engine does not report it.
    pub seldepth: Option<u32>,
}

impl Line {
    /// Returns the first move of [`pv`](Self::pv).
    ///
    /// # Panics
    ///
    /// When [`pv`](Self::pv) is empty. Analysts never return an empty one.
    pub fn first_move(&self) -> Move {
        self.pv[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_the_legal_moves_or_a_choice_of_them() {
        let start = History::default();
        let e4 = start.parse_uci("e2e4").unwrap();
        let question = Question::new(start, Limit::Depth(1));
        assert_eq!(question.candidates().unwrap().len(), 20);
        assert_eq!(
            question.clone().searchmoves([e4, e4]).candidates().unwrap(),
            [e4]
        );

        let mut later = Question::new(question.history.clone(), Limit::Depth(1)).searchmoves([e4]);
        later.history.push(e4);
        let error = later.candidates().unwrap_err();
        assert!(
            matches!(&error, AnalystError::NotLegal { uci, .. } if uci == "e2e4"),
            "{error}"
        );
    }

    #[test]
    fn an_analyst_is_a_trait_object() {
        fn takes(_: &dyn Analyst) {}
        let _ = takes;
    }
}
