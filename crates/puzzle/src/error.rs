//! Errors in puzzles and in files of puzzles.

use centipawn_core::FenError;
use shakmaty::{Chess, EnPassantMode, fen::Fen};

use centipawn_progress::LONGEST_LINE;

/// Maximum length of a quotation, in characters.
const LONGEST_QUOTATION: usize = 200;

/// Returns the beginning of a text, for a quotation in an error.
pub(crate) fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTATION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The reason why a list of moves is not a solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolutionError {
    /// There are fewer than two moves. A puzzle needs a move of the opponent and a move of the
    /// solver.
    #[error("no solution: it needs at least the opponent's move and the solver's answer")]
    TooShort,
    /// The last move is the opponent's instead of the solver's.
    #[error("{moves} moves, so the last is the opponent's; a solution ends with the solver's move")]
    SolverNotLast {
        /// Number of moves.
        moves: usize,
    },
    /// There are more moves than a puzzle may have.
    #[error("more than {most} half-moves; that is a game, not the solution of a puzzle")]
    TooLong {
        /// The maximum number of moves.
        most: usize,
    },
    /// A move is not legal.
    #[error("{uci} is not a legal move in {fen}")]
    Illegal {
        /// The move as written.
        uci: String,
        /// FEN of the position in which the move would be played.
        fen: String,
    },
}

impl SolutionError {
    pub(crate) fn illegal(position: &Chess, uci: &str) -> Self {
        Self::Illegal {
            uci: clipped(uci),
            fen: Fen::from_position(position, EnPassantMode::Legal).to_string(),
        }
    }
}

/// The reason why a puzzle cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPuzzle {
    /// The FEN does not give a legal position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A game from the start position, not a puzzle.
    #[error(
        "this game has no position (tag FEN) to solve; `centipawn puzzles mine` finds puzzles in \
         games"
    )]
    Game,
    /// The moves are not a solution.
    #[error(transparent)]
    Solution(#[from] SolutionError),
    /// A row has more or fewer fields than the header.
    #[error(
        "{found} fields where the header names {wanted}; is a comma or a quotation mark missing?"
    )]
    Fields {
        /// Number of fields in the row.
        found: usize,
        /// Number of columns in the header.
        wanted: usize,
    },
    /// A field is not a number in its column's range.
    #[error("{column} is {text:?}, not a whole number in the valid range")]
    NoNumber {
        /// Name of the column or tag.
        column: &'static str,
        /// The text of the field.
        text: String,
    },
    /// A field is not UTF-8.
    #[error("{column} is not UTF-8; convert the file, for example with iconv")]
    NotUtf8 {
        /// Name of the column.
        column: &'static str,
    },
    /// The tree of the solution is inconsistent; the text describes the problem.
    #[error("its tree is damaged: {0}")]
    Tree(&'static str),
    /// A verification result belongs to another puzzle.
    #[error("its position does not occur in the puzzle's solution")]
    OtherPuzzle,
    /// A line is not the JSON of a puzzle; the text is the parser's message.
    #[error("not a puzzle in JSON: {0}")]
    Json(String),
}

/// The reason why a file of puzzles, or one puzzle in it, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A puzzle cannot be read. Reading can continue with the next one.
    #[error("line {line}{}: {kind}", if id.is_empty() { String::new() } else { format!(", puzzle {id}") })]
    Puzzle {
        /// Line of the puzzle, from 1.
        line: u64,
        /// The puzzle's id; empty if it could not be read.
        id: String,
        /// The reason.
        kind: BadPuzzle,
    },
    /// A PGN game cannot be read. Reading can continue with the next one.
    #[error(transparent)]
    Game(#[from] centipawn_pgn::GameError),
    /// A line is too long to be a puzzle. Reading JSON can continue after it; a CSV file ends
    /// there, because the end of the row is unknown.
    #[error("line {line} is longer than {} MiB; is this a file of puzzles?", LONGEST_LINE >> 20)]
    LongLine {
        /// Line number, from 1.
        line: u64,
    },
    /// The header lacks a required column.
    #[error(
        "no column {missing}; a table of puzzles has at least the columns FEN and Moves, this one: \
         {found}"
    )]
    Columns {
        /// Names of the missing columns.
        missing: String,
        /// Names of the columns found.
        found: String,
    },
    /// The file is not UTF-8 text.
    #[error("not UTF-8 text; convert the file, for example with iconv, or name the right one")]
    NotUtf8,
    /// Reading the file failed.
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
