//! What can be wrong with a game.

use std::fmt;

use centipawn_progress::{Problem, Severity};
use shakmaty::{Chess, Color, Position};

/// A game that cannot be read, or a part of one that had to be kept as text (see [`Game::warnings`](crate::Game::warnings)).
///
/// ```
/// let mut games = centipawn_pgn::Reader::new(&b"1. e4 e5\n2. Ke3 *"[..]);
/// let error = games.next().unwrap().unwrap().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "game 1, line 2: 2. Ke3 is not a legal move in \
///      rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2; correct the move, or the [FEN] if the game has one"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}, line {line}: {}{kind}", Move { number: *number, text, kind })]
pub struct GameError {
    /// Which game of the input, the first being 1.
    pub game: u64,
    /// Line of the input where it went wrong, the first being 1.
    pub line: u64,
    /// The move that was to be played.
    pub number: Option<MoveNumber>,
    /// What stands there, at most [`SHOWN`](Self::SHOWN) characters of it.
    pub text: String,
    /// What is wrong with it.
    pub kind: GameErrorKind,
}

impl GameError {
    /// Characters of the offending text that are kept.
    pub const SHOWN: usize = 80;

    /// What is wrong, without the place: `2. Ke3 is not a legal move in …`.
    pub fn message(&self) -> String {
        format!("{}{}", Move { number: self.number, text: &self.text, kind: &self.kind }, self.kind)
    }

    /// The same for a [`Reporter`](centipawn_progress::Reporter), with the place and a severity.
    pub fn problem(&self, severity: Severity, source: &str) -> Problem {
        let problem = Problem::error(self.message()).of(source).in_game(self.game).at_line(self.line);
        Problem { severity, ..problem }
    }
}

/// What is wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameErrorKind {
    /// No legal move is written so.
    #[error("is not a legal move in {fen}; correct the move, or the [FEN] if the game has one")]
    IllegalMove {
        /// The position.
        fen: String,
    },
    /// Several legal moves are written so.
    #[error("can be more than one move in {fen}; name the file or rank the piece comes from")]
    AmbiguousMove {
        /// The position.
        fen: String,
    },
    /// Something that is not written as a move stands where a move must be.
    #[error("is not written as a move; moves are read in English algebraic notation (Nf3), long or UCI form (g1f3)")]
    NotAMove,
    /// A null move, which is none of chess.
    #[error("is a null move, which cannot be played")]
    NullMove,
    /// A variation that no move of the line comes before, so that there is none it could replace.
    #[error("is a variation with no move before it that it could replace")]
    NothingToVary,
    /// Variations within variations, too deep.
    #[error("is more than {limit} variations deep")]
    TooDeep {
        /// The depth that is read.
        limit: u32,
    },
    /// The tag FEN gives no position.
    #[error("the tag FEN, {fen:?}, gives no position: {reason}")]
    BadFen {
        /// As the tag has it.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The tag Variant names another game than chess or Chess960.
    #[error("the variant {variant:?} is not chess or Chess960; the game is skipped")]
    UnsupportedVariant {
        /// As the tag has it.
        variant: String,
    },
    /// More bytes than a game may have.
    #[error(
        "the game is larger than {} MiB, it is skipped; a comment may never be closed, \
         or the limit is too low for these games", limit >> 20
    )]
    TooLarge {
        /// Bytes that are read at most.
        limit: usize,
    },
    /// Not text at all, or no chess in it.
    #[error("this is not PGN{0}")]
    NotPgn(&'static str),
}

impl GameErrorKind {
    /// The kind in a few words, for counts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::IllegalMove { .. } => "illegal move",
            Self::AmbiguousMove { .. } => "ambiguous move",
            Self::NotAMove => "not a move",
            Self::NullMove => "null move",
            Self::NothingToVary => "variation without a move",
            Self::TooDeep { .. } => "too many variations in each other",
            Self::BadFen { .. } => "bad FEN",
            Self::UnsupportedVariant { .. } => "other variant",
            Self::TooLarge { .. } => "too large",
            Self::NotPgn(_) => "not PGN",
        }
    }
}

/// A move's number and side: `17.` or `17...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    /// Full moves, the first being 1 (or as the game's FEN has it).
    pub number: u32,
    /// Whose move it is.
    pub turn: Color,
}

impl MoveNumber {
    /// Of the next move in a position.
    pub(crate) fn next(position: &Chess) -> Self {
        Self { number: position.fullmoves().get(), turn: position.turn() }
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, self.turn.fold_wb(".", "..."))
    }
}

/// The beginning of a message that is about some text of the game.
struct Move<'a> {
    number: Option<MoveNumber>,
    text: &'a str,
    kind: &'a GameErrorKind,
}

impl fmt::Display for Move<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            GameErrorKind::BadFen { .. }
            | GameErrorKind::UnsupportedVariant { .. }
            | GameErrorKind::TooLarge { .. }
            | GameErrorKind::NotPgn(_) => Ok(()),
            _ => match self.number {
                Some(number) => write!(f, "{number} {} ", self.text),
                None => write!(f, "{} ", self.text),
            },
        }
    }
}
