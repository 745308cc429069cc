//! Errors in games.

use std::fmt;

use centipawn_progress::{Problem, Severity};
use shakmaty::{Chess, Color, Position};

/// A game that cannot be read, or a part of one that was kept as text (see
/// [`Game::warnings`](crate::Game::warnings)).
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
#[non_exhaustive]
pub struct GameError {
    /// Number of the game in the input, the first being 1.
    pub game: u64,
    /// Line of the error in the input, the first being 1.
    pub line: u64,
    /// Number and side of the move concerned; `None` if the error concerns no move.
    pub number: Option<MoveNumber>,
    /// The offending text, at most [`SHOWN`](Self::SHOWN) characters.
    pub text: String,
    /// The kind of the problem, with its details.
    pub kind: GameErrorKind,
}

impl GameError {
    /// Maximum length of [`text`](Self::text) in characters.
    pub const SHOWN: usize = 80;

    /// Returns the message without the place: `2. Ke3 is not a legal move in …`.
    pub fn message(&self) -> String {
        format!(
            "{}{}",
            Move {
                number: self.number,
                text: &self.text,
                kind: &self.kind
            },
            self.kind
        )
    }

    /// Returns the error as a [`Problem`] for a [`Reporter`](centipawn_progress::Reporter), with
    /// its place and this severity.
    pub fn problem(&self, severity: Severity, source: &str) -> Problem {
        let problem = Problem::error(self.message())
            .of(source)
            .in_game(self.game)
            .at_line(self.line);
        Problem {
            severity,
            ..problem
        }
    }
}

/// The problem with a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameErrorKind {
    /// The text matches no legal move.
    #[error("is not a legal move in {fen}; correct the move, or the [FEN] if the game has one")]
    IllegalMove {
        /// FEN of the position.
        fen: String,
    },
    /// The text matches several legal moves.
    #[error("can be more than one move in {fen}; name the file or rank the piece comes from")]
    AmbiguousMove {
        /// FEN of the position.
        fen: String,
    },
    /// A move of the main line is replaced by text that is no move.
    #[error(
        "is not written as a move; moves are read in English algebraic notation (Nf3), long or UCI form (g1f3)"
    )]
    NotAMove,
    /// A null move in the main line, or one in a position that does not allow it.
    #[error("is a null move, which cannot be played; the moves from here on are kept as a comment")]
    NullMove,
    /// Text stands in place of the last move, but is not a move.
    #[error(
        "is not written as a move; it is kept as a comment with the text after it; \
         moves are read in English algebraic notation (Nf3), long or UCI form (g1f3)"
    )]
    UnknownLastMove,
    /// A last move that matches no legal move, or several, before a known result. Match programs
    /// write the move by which an engine lost.
    #[error(
        "{} {fen}; it is kept as a comment with the text after it, and the moves before it count{}",
        if *is_ambiguous { "can be more than one move in" } else { "is not a legal move in" },
        if *by_winner { "; by the result, the player of this move won, so one of both is wrong" } else { "" }
    )]
    IllegalLastMove {
        /// FEN of the position.
        fen: String,
        /// Whether the text matches several legal moves.
        is_ambiguous: bool,
        /// Whether the move is illegal although its player won according to the result.
        by_winner: bool,
    },
    /// Illegal last moves of kings to the centre, where an electronic board notes the result.
    #[error(
        "is not a legal move in {fen}; electronic boards write it when the kings are put into the centre to note the result; it is \
         kept as a comment, and the moves before it count"
    )]
    KingsInCentre {
        /// FEN of the position.
        fen: String,
    },
    /// Words after the last move: "White resigns".
    #[error("is text after the last move; it is kept as a comment")]
    TextAfterMoves,
    /// A comment without its closing brace.
    #[error(
        "begins a comment that is never closed; the text from here to the end of the game counts as this comment"
    )]
    UnclosedComment,
    /// A variation without its closing parenthesis.
    #[error(
        "begins a variation that is never closed; the moves from here to the end of the game count as this variation"
    )]
    UnclosedVariation,
    /// A line before the first move that looks like a tag but is none, or text after a tag.
    #[error(
        "is not a tag; the tags after it are read; write tags as [Name \"value\"], each on a separate line"
    )]
    DamagedTag,
    /// A tag without its closing `"]`. The value extends to the end of the line.
    #[error(
        "begins a tag that is never closed; the rest of the line counts as its value; end the tag with \"]"
    )]
    UnclosedTag,
    /// A tag without quotes around its value, or a FEN without brackets.
    #[error("is a tag in another form than PGN's; it is read; write tags as [Name \"value\"]")]
    UnquotedTag,
    /// A start position in another tag than FEN, from which alone the moves are legal.
    #[error(
        "gives the start position, since the moves are legal only from there; name the tag FEN"
    )]
    FenInOtherTag,
    /// A tag whose name the game already has.
    #[error(
        "is a tag that the game already has with the value {first:?}, which counts; if another game begins here, put its moves or an \
         empty line before it"
    )]
    RepeatedTag {
        /// The value of the first tag of this name, which counts.
        first: String,
    },
    /// A tag between or after the moves.
    #[error(
        "is a tag behind moves; {}",
        if *is_kept { "it counts as a tag of this game" } else { "it is left out, since the game began without it" }
    )]
    TagBetweenMoves {
        /// Whether the tag counts.
        is_kept: bool,
    },
    /// A game that begins from another position than the usual one, by its number or its tag SetUp,
    /// without a tag FEN.
    #[error("the game has no tag FEN, although {sign}; its moves are played from the usual start")]
    MissingFen {
        /// The sign of another start position.
        sign: FenSign,
    },
    /// A move that is not legal in a game that begins from another position than the usual one, by
    /// its number or its tag SetUp, without a tag FEN.
    #[error("is not legal from the usual start, and the game has no tag FEN, although {sign}")]
    UnknownStart {
        /// The sign of another start position.
        sign: FenSign,
    },
    /// A double forfeit, which both players lose.
    #[error(
        "is a double forfeit, which both players lose; PGN has no result for it, so the game counts as without a result"
    )]
    DoubleForfeit,
    /// A result that cannot be read.
    #[error("is not a result (1-0, 0-1, 1/2-1/2 or *); the game counts as without a result")]
    UnreadableResult,
    /// A result after the moves that is not the one in the tag Result.
    #[error(
        "is the result after the moves, but the tag Result is \"{tag}\"; the one after the moves counts"
    )]
    ResultContradictsTag {
        /// The result in the tag.
        tag: &'static str,
    },
    /// A variation without a preceding move that it could replace.
    #[error("is a variation with no move before it that it could replace")]
    NothingToVary,
    /// Variations are nested too deeply.
    #[error("is more than {limit} variations deep")]
    TooDeep {
        /// The maximum depth.
        limit: u32,
    },
    /// The FEN tag does not give a position.
    #[error("the tag FEN, {fen:?}, gives no position: {reason}")]
    BadFen {
        /// The value of the tag.
        fen: String,
        /// The problem with the FEN.
        reason: String,
    },
    /// The Variant tag names a game other than chess or Chess960.
    #[error("the variant {variant:?} is not chess or Chess960; the game is skipped")]
    UnsupportedVariant {
        /// The value of the tag.
        variant: String,
    },
    /// The game is larger than the limit.
    #[error(
        "the game is larger than {} MiB, it is skipped; a comment may never be closed, \
         or the limit is too low for these games", limit >> 20
    )]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// A main line that is too long, whose game is skipped; or too many moves of variations, of
    /// which the rest stays text.
    #[error(
        "is one move too many: a main line has at most {limit}, and so have all variations of a game together"
    )]
    TooManyMoves {
        /// The number of moves read.
        limit: usize,
    },
    /// The input is not text or contains no chess; the text continues the message.
    #[error("this is not PGN{0}")]
    NotPgn(&'static str),
}

/// Signs that a game without a tag FEN begins from another position than the usual one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenSign {
    /// The number of the game's first move.
    Number(u32),
    /// The game's tag `SetUp`.
    SetUp,
    /// A tag of this name, such as Position, whose value is a position.
    Tag(String),
}

impl fmt::Display for FenSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "its first move has the number {number}"),
            Self::SetUp => f.write_str("its tag SetUp says that it begins from another position"),
            Self::Tag(name) => write!(f, "its tag {name} gives a position"),
        }
    }
}

impl GameErrorKind {
    /// Returns whether such a [warning](crate::Game::warnings) means that the game lost a tag, its
    /// result or moves of its main line, or may begin from another position, rather than that it
    /// lost moves of a variation or nothing.
    pub fn loses(&self) -> bool {
        matches!(
            self,
            Self::NullMove
                | Self::UnknownLastMove
                | Self::IllegalLastMove { .. }
                | Self::KingsInCentre { .. }
                | Self::RepeatedTag { .. }
                | Self::TagBetweenMoves { is_kept: false }
                | Self::MissingFen { .. }
                | Self::DoubleForfeit
                | Self::UnreadableResult
                | Self::UnclosedComment
                | Self::UnclosedVariation
                | Self::DamagedTag
                | Self::UnclosedTag
        )
    }

    /// Returns a short name of the kind, for counts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::IllegalMove { .. } => "illegal move",
            Self::AmbiguousMove { .. } => "ambiguous move",
            Self::NotAMove => "not a move",
            Self::NullMove => "null move",
            Self::UnknownLastMove => "unknown last move",
            Self::IllegalLastMove { .. } => "illegal last move",
            Self::KingsInCentre { .. } => "kings in the centre",
            Self::UnquotedTag => "tag in another form",
            Self::FenInOtherTag => "FEN in another tag",
            Self::RepeatedTag { .. } => "repeated tag",
            Self::TagBetweenMoves { .. } => "tag between moves",
            Self::MissingFen { .. } | Self::UnknownStart { .. } => "no FEN",
            Self::DoubleForfeit => "double forfeit",
            Self::UnreadableResult => "unreadable result",
            Self::TextAfterMoves => "text after the moves",
            Self::UnclosedComment => "comment never closed",
            Self::UnclosedVariation => "variation never closed",
            Self::DamagedTag => "damaged tag",
            Self::UnclosedTag => "tag never closed",
            Self::ResultContradictsTag { .. } => "two results",
            Self::NothingToVary => "variation without a move",
            Self::TooDeep { .. } => "too many variations in each other",
            Self::BadFen { .. } => "bad FEN",
            Self::UnsupportedVariant { .. } => "other variant",
            Self::TooLarge { .. } => "too large",
            Self::TooManyMoves { .. } => "too many moves",
            Self::NotPgn(_) => "not PGN",
        }
    }
}

/// A move's number and side: `17.` or `17...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    /// Number of the full move, the first being 1 (or as the game's FEN gives it).
    pub number: u32,
    /// The side to move.
    pub turn: Color,
}

impl MoveNumber {
    /// Returns the number and side of the next move in a position.
    pub(crate) fn next(position: &Chess) -> Self {
        Self {
            number: position.fullmoves().get(),
            turn: position.turn(),
        }
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, self.turn.fold_wb(".", "..."))
    }
}

/// The beginning of a message about a move or other text of the game.
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
            | GameErrorKind::MissingFen { .. }
            | GameErrorKind::NotPgn(_) => Ok(()),
            // Text rather than a move.
            GameErrorKind::DamagedTag
            | GameErrorKind::UnclosedTag
            | GameErrorKind::UnquotedTag
            | GameErrorKind::FenInOtherTag
            | GameErrorKind::RepeatedTag { .. }
            | GameErrorKind::TagBetweenMoves { .. }
            | GameErrorKind::DoubleForfeit
            | GameErrorKind::UnreadableResult
            | GameErrorKind::UnclosedComment
            | GameErrorKind::UnclosedVariation => {
                write!(f, "\"{}\" ", self.text)
            }
            _ => match self.number {
                Some(number) => write!(f, "{number} {} ", self.text),
                None => write!(f, "{} ", self.text),
            },
        }
    }
}
