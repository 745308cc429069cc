//! Positions of games that could be puzzles, and what became of them.

use centipawn_core::History;
use centipawn_engine::AnalystError;
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Move};

use crate::{BadPuzzle, Puzzle, PuzzleDocument, SolutionError, Verdict};

/// A position that looked like a puzzle, and what became of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Half-moves of the game before it.
    pub ply: usize,
    /// The position, with the moves that led to it as far as the rules look at them: the opponent's last one at least.
    pub history: History,
    /// What was played in it; `None` if the game ends there.
    pub played: Option<Move>,
    /// The best move by the last search, if there was one.
    pub best: Option<Move>,
    /// Whether it is a puzzle, and why.
    pub verdict: Verdict,
    /// Stages of verification that it passed; by Lichess' rules, the solver's moves that were found to be the only ones.
    pub stages: usize,
    /// The puzzle with its solution, where it is one and the rules find solutions; the classic rules stop at the position.
    pub puzzle: Option<Box<Puzzle>>,
}

/// A position that the analyst could not answer, as half-moves of the game before it, and why.
pub type PositionFailure = (usize, AnalystError);

/// A [`Candidate`] as JSON; moves are in UCI notation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateDocument {
    /// Half-moves of the game before it.
    pub ply: usize,
    /// The position.
    pub position: PositionDocument,
    /// What was played in it; absent if the game ends there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// The best move by the last search, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// Whether it is a puzzle, and why: `{"found":"wins"}`, `{"refused":"takes_back"}`.
    pub verdict: Verdict,
    /// Stages of verification that it passed.
    pub stages: usize,
    /// The puzzle, where it is one and the rules find solutions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzle: Option<Box<PuzzleDocument>>,
}

/// A [`History`] as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionDocument {
    /// The start.
    pub fen: String,
    /// The moves played since, in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
    /// Whether castling is written as in Chess960.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chess960: bool,
}

impl Candidate {
    /// As JSON. An expected score in its puzzle's tree is rounded to thousandths.
    pub fn document(&self) -> CandidateDocument {
        let uci = |mv: Move| self.history.uci(mv).to_string();
        CandidateDocument {
            ply: self.ply,
            position: PositionDocument::of(&self.history),
            played: self.played.map(uci),
            best: self.best.map(uci),
            verdict: self.verdict,
            stages: self.stages,
            puzzle: self.puzzle.as_ref().map(|puzzle| Box::new(puzzle.document())),
        }
    }
}

impl CandidateDocument {
    /// The candidate that this is the document of.
    ///
    /// # Errors
    ///
    /// [`BadPuzzle`] for a position that cannot be, a move that is not legal, or a puzzle that is none.
    pub fn candidate(&self) -> Result<Candidate, BadPuzzle> {
        let history = self.position.history()?;
        let mv = |uci: &Option<String>| uci.as_ref().map(|uci| legal(&history, uci)).transpose();
        Ok(Candidate {
            ply: self.ply,
            played: mv(&self.played)?,
            best: mv(&self.best)?,
            verdict: self.verdict,
            stages: self.stages,
            puzzle: self.puzzle.as_ref().map(|puzzle| puzzle.puzzle().map(Box::new)).transpose()?,
            history,
        })
    }
}

impl PositionDocument {
    /// The document of a position with its moves.
    pub fn of(history: &History) -> Self {
        Self {
            fen: history.start_fen(),
            moves: history.moves().iter().map(|mv| history.uci(*mv).to_string()).collect(),
            chess960: history.mode() == CastlingMode::Chess960,
        }
    }

    /// The position with its moves.
    ///
    /// # Errors
    ///
    /// [`BadPuzzle::Fen`] and [`BadPuzzle::Solution`] for a start that cannot be or a move that is not legal.
    pub fn history(&self) -> Result<History, BadPuzzle> {
        let mut history = History::from_fen(&self.fen, self.chess960.then_some(CastlingMode::Chess960))?;
        for uci in &self.moves {
            history.push(legal(&history, uci)?);
        }
        Ok(history)
    }
}

/// The legal move that a text in UCI notation means.
pub(crate) fn legal(history: &History, uci: &str) -> Result<Move, SolutionError> {
    history.parse_uci(uci).map_err(|_| SolutionError::illegal(history.position(), uci.to_owned()))
}

/// The last move, and the position before it; `None` if there is no move.
pub(crate) fn before_last(history: &History) -> Option<(Move, History)> {
    let (&last, earlier) = history.moves().split_last()?;
    let mut before = History::new(history.start().clone(), history.mode());
    earlier.iter().for_each(|&mv| before.push(mv));
    Some((last, before))
}
