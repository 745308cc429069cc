//! What can be wrong with a puzzle.

use centipawn_core::FenError;
use shakmaty::{Chess, EnPassantMode, fen::Fen};

/// Why moves are no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolutionError {
    /// There is no move of the solver's.
    #[error("no solution: it takes the opponent's move and the solver's answer at least")]
    TooShort,
    /// The last move is the opponent's.
    #[error("{moves} moves, so the last is the opponent's; a solution ends with the solver's move")]
    SolverNotLast {
        /// How many there are.
        moves: usize,
    },
    /// A move that cannot be played.
    #[error("{uci} is not a legal move in {fen}")]
    Illegal {
        /// As it was written.
        uci: String,
        /// Where it was to be played.
        fen: String,
    },
}

impl SolutionError {
    pub(crate) fn illegal(position: &Chess, uci: String) -> Self {
        Self::Illegal { uci, fen: Fen::from_position(position, EnPassantMode::Legal).to_string() }
    }
}

/// Why a puzzle cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPuzzle {
    /// Its position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// Its moves.
    #[error(transparent)]
    Solution(#[from] SolutionError),
    /// A row of another length than the header's.
    #[error("{found} fields where the header names {wanted}; is a comma or a quotation mark missing?")]
    Fields {
        /// Fields of the row.
        found: usize,
        /// Columns of the header.
        wanted: usize,
    },
    /// A number is something else.
    #[error("{column} is {text:?}, which is no whole number that it could be")]
    NoNumber {
        /// The column or tag.
        column: &'static str,
        /// What stands there.
        text: String,
    },
    /// Bytes that are no text.
    #[error("{column} is not UTF-8; convert the file, for example with iconv")]
    NotUtf8 {
        /// The column.
        column: &'static str,
    },
    /// A tree that does not hold together.
    #[error("its tree is damaged: {0}")]
    Tree(&'static str),
    /// What came of verifying another puzzle.
    #[error("its position does not occur in the puzzle's solution")]
    OtherPuzzle,
    /// A line that is no puzzle's JSON.
    #[error("not a puzzle in JSON: {0}")]
    Json(String),
}

/// Why a file of puzzles, or one puzzle in it, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// One puzzle; others may follow.
    #[error("line {line}{}: {kind}", if id.is_empty() { String::new() } else { format!(", puzzle {id}") })]
    Puzzle {
        /// Where it stands, the first line being 1.
        line: u64,
        /// Its id, where it could be read.
        id: String,
        /// What is wrong.
        kind: BadPuzzle,
    },
    /// A game that is no PGN; others may follow.
    #[error(transparent)]
    Game(#[from] centipawn_pgn::GameError),
    /// The table lacks a column that a puzzle needs.
    #[error("no column {missing}; a table of puzzles has at least the columns FEN and Moves, this one: {found}")]
    Columns {
        /// What is missing.
        missing: String,
        /// What there is.
        found: String,
    },
    /// The file is no text.
    #[error("not UTF-8 text; convert the file, for example with iconv, or name the right one")]
    NotUtf8,
    /// The file cannot be read.
    #[error(transparent)]
    Io(std::io::Error),
}

impl ReadError {
    pub(crate) fn csv(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Self::Io(error),
            other => Self::Io(std::io::Error::other(format!("{other:?}"))),
        }
    }
}
