//! Positions of games that could be puzzles, and the verdict on each.

use centipawn_core::History;
use centipawn_engine::AnalystError;
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Move};

use crate::{BadPuzzle, Puzzle, PuzzleDocument, SolutionError, Verdict};

/// A position that could be a puzzle, and the verdict on it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Number of plies of the game before the position.
    pub ply: usize,
    /// The position, with the preceding moves that the rules use: at least the opponent's last one.
    pub history: History,
    /// The move played in the game; `None` if the game ends here.
    pub played: Option<Move>,
    /// The best move of the last search; `None` if there was no search.
    pub best: Option<Move>,
    /// Whether the position is a puzzle, and the reason.
    pub verdict: Verdict,
    /// Number of verification stages passed. Under Lichess' rules: number of the solver's moves
    /// found to be the only good ones.
    pub stages: usize,
    /// The puzzle with its solution, if the verdict is found. The classic rules find no solutions,
    /// so it is always `None` with them.
    pub puzzle: Option<Box<Puzzle>>,
}

/// A position that the analyst failed to analyse: number of plies of the game before it, and the
/// error.
pub type PositionFailure = (usize, AnalystError);

/// A [`Candidate`] as JSON; moves are in UCI notation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateDocument {
    /// Number of plies of the game before the position.
    pub ply: usize,
    /// The position.
    pub position: PositionDocument,
    /// The move played in the game; absent if the game ends here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// The best move of the last search; absent if there was no search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// Whether it is a puzzle, and why: `{"found":"wins"}`, `{"refused":"takes_back"}`.
    pub verdict: Verdict,
    /// Number of verification stages passed.
    pub stages: usize,
    /// The puzzle with its solution, if the verdict is found and the rules find solutions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzle: Option<Box<PuzzleDocument>>,
}

/// A [`History`] as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionDocument {
    /// The start position.
    pub fen: String,
    /// The moves played from the start position, in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
    /// Whether castling is written as in Chess960.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chess960: bool,
}

impl Candidate {
    /// Converts the candidate to JSON. Expected scores in the puzzle's tree are rounded to
    /// thousandths.
    pub fn document(&self) -> CandidateDocument {
        let uci = |mv: Move| self.history.uci(mv).to_string();
        CandidateDocument {
            ply: self.ply,
            position: PositionDocument::of(&self.history),
            played: self.played.map(uci),
            best: self.best.map(uci),
            verdict: self.verdict,
            stages: self.stages,
            puzzle: self
                .puzzle
                .as_ref()
                .map(|puzzle| Box::new(puzzle.document())),
        }
    }
}

impl CandidateDocument {
    /// Returns the candidate that this document describes.
    ///
    /// # Errors
    ///
    /// [`BadPuzzle`] for an impossible position, an illegal move or an invalid puzzle.
    pub fn candidate(&self) -> Result<Candidate, BadPuzzle> {
        let history = self.position.history()?;
        let mv = |uci: &Option<String>| uci.as_ref().map(|uci| legal(&history, uci)).transpose();
        Ok(Candidate {
            ply: self.ply,
            played: mv(&self.played)?,
            best: mv(&self.best)?,
            verdict: self.verdict,
            stages: self.stages,
            puzzle: self
                .puzzle
                .as_ref()
                .map(|puzzle| puzzle.puzzle().map(Box::new))
                .transpose()?,
            history,
        })
    }
}

impl PositionDocument {
    /// Returns the document of a position and the moves that led to it.
    pub fn of(history: &History) -> Self {
        Self {
            fen: history.start_fen(),
            moves: history
                .moves()
                .iter()
                .map(|mv| history.uci(*mv).to_string())
                .collect(),
            chess960: history.mode() == CastlingMode::Chess960,
        }
    }

    /// Returns the position and the moves that led to it.
    ///
    /// # Errors
    ///
    /// [`BadPuzzle::Fen`] for an impossible start position, [`BadPuzzle::Solution`] for an illegal
    /// move.
    pub fn history(&self) -> Result<History, BadPuzzle> {
        let mut history =
            History::from_fen(&self.fen, self.chess960.then_some(CastlingMode::Chess960))?;
        for uci in &self.moves {
            history.push(legal(&history, uci)?);
        }
        Ok(history)
    }
}

/// Parses a legal move in UCI notation.
pub(crate) fn legal(history: &History, uci: &str) -> Result<Move, SolutionError> {
    history
        .parse_uci(uci)
        .map_err(|_| SolutionError::illegal(history.position(), uci))
}

/// Returns the last move, and the position before it; `None` if there are no moves.
pub(crate) fn before_last(history: &History) -> Option<(Move, History)> {
    let (&last, earlier) = history.moves().split_last()?;
    let mut before = History::new(history.start().clone(), history.mode());
    earlier.iter().for_each(|&mv| before.push(mv));
    Some((last, before))
}
