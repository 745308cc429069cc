//! A position together with the moves that led to it.

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, KnownOutcome, Move, Outcome, Position,
    fen::{Fen, ParseFenError},
    uci::UciMove,
};

/// A position and the moves that led to it from a start: what an engine must be told, since repetitions and the
/// fifty-move rule reach back.
///
/// ```
/// use centipawn_core::History;
///
/// let mut game = History::default();
/// for uci in ["e2e4", "e7e5"] {
///     let mv = game.parse_uci(uci).unwrap();
///     game.push(mv);
/// }
/// assert_eq!(game.ply(), 2);
/// assert_eq!(game.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
/// ```
#[derive(Clone, Debug)]
pub struct History {
    mode: CastlingMode,
    start: Chess,
    moves: Vec<Move>,
    position: Chess,
}

impl Default for History {
    /// The normal start position.
    fn default() -> Self {
        Self::new(Chess::default(), CastlingMode::Standard)
    }
}

impl History {
    /// Nothing played yet from `start`. `mode` says how castling is written in UCI and FEN (Chess960 or standard).
    pub fn new(start: Chess, mode: CastlingMode) -> Self {
        Self { mode, position: start.clone(), start, moves: Vec::new() }
    }

    /// Nothing played yet from a FEN; X-FEN and Shredder-FEN castling rights are understood.
    ///
    /// Rights and en passant squares that cannot be are dropped, as every reader of real files must; the mode becomes
    /// Chess960 when `mode` is given so or the rights need it.
    ///
    /// # Errors
    ///
    /// [`FenError`] when the text is no FEN or the position is not one of chess.
    pub fn from_fen(fen: &str, mode: Option<CastlingMode>) -> Result<Self, FenError> {
        let setup = Fen::from_ascii(fen.trim().as_bytes())?.into_setup();
        let mode = mode.unwrap_or_else(|| CastlingMode::detect(&setup));
        let position = setup
            .position::<Chess>(mode)
            .or_else(shakmaty::PositionError::ignore_invalid_castling_rights)
            .or_else(shakmaty::PositionError::ignore_invalid_ep_square)
            .or_else(shakmaty::PositionError::ignore_too_much_material)
            .map_err(|error| FenError::Position(error.to_string()))?;
        Ok(Self::new(position, mode))
    }

    /// Where the moves begin.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// The moves since the start.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position now.
    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// How castling is written.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// Who is to move.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// Half-moves since the first move of a game with full-move numbers like this one: 0 at the normal start.
    pub fn ply(&self) -> u32 {
        ply_of(&self.position)
    }

    /// Plays a move that is legal here, as those from [`parse_uci`](Self::parse_uci) or shakmaty's parsers are.
    pub fn push(&mut self, mv: Move) {
        debug_assert!(self.position.is_legal(mv), "{mv:?} in {}", self.fen());
        self.position.play_unchecked(mv);
        self.moves.push(mv);
    }

    /// Reads a move in UCI notation (in Chess960 and standard castling form alike).
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] when it is no move or not a legal one here.
    pub fn parse_uci(&self, uci: &str) -> Result<Move, IllegalMove> {
        UciMove::from_ascii(uci.as_bytes())
            .ok()
            .and_then(|parsed| parsed.to_move(&self.position).ok())
            .ok_or_else(|| IllegalMove { uci: uci.to_owned(), fen: self.fen() })
    }

    /// A move of this position in UCI notation.
    pub fn uci(&self, mv: Move) -> UciMove {
        mv.to_uci(self.mode)
    }

    /// FEN of the start.
    pub fn start_fen(&self) -> String {
        fen(&self.start)
    }

    /// FEN of the position now.
    pub fn fen(&self) -> String {
        fen(&self.position)
    }

    /// Whether the start is the normal one.
    pub fn is_from_startpos(&self) -> bool {
        self.start == Chess::default()
    }

    /// How often the position now has stood on the board, itself included.
    pub fn repetitions(&self) -> usize {
        let now = self.position.to_setup(EnPassantMode::Legal);
        let same = |position: &Chess| {
            let then = position.to_setup(EnPassantMode::Legal);
            (then.board, then.turn, then.castling_rights, then.ep_square)
                == (now.board.clone(), now.turn, now.castling_rights, now.ep_square)
        };
        // Only positions since the last capture or pawn move can be equal.
        let reach = (self.position.halfmoves() as usize).min(self.moves.len());
        if reach < 4 {
            return 1;
        }
        let first = self.moves.len() - reach;
        let mut position = self.start.clone();
        let mut count = 1;
        for (index, mv) in self.moves.iter().enumerate() {
            if index >= first && same(&position) {
                count += 1;
            }
            position.play_unchecked(*mv);
        }
        count
    }

    /// Why the game is over on the board, if it is: no move to make, or a draw that needs no claim or only a claim.
    pub fn ending(&self) -> Option<Ending> {
        let position = &self.position;
        match position.outcome() {
            Outcome::Known(KnownOutcome::Decisive { .. }) => return Some(Ending::Checkmate),
            Outcome::Known(KnownOutcome::Draw) if position.is_stalemate() => return Some(Ending::Stalemate),
            Outcome::Known(KnownOutcome::Draw) => return Some(Ending::InsufficientMaterial),
            Outcome::Unknown => {}
        }
        if position.halfmoves() >= 100 {
            Some(Ending::FiftyMoves)
        } else if self.repetitions() >= 3 {
            Some(Ending::Repetition)
        } else {
            None
        }
    }
}

/// Half-moves by a position's own count of moves, which a FEN may put anywhere.
pub(crate) fn ply_of(position: &Chess) -> u32 {
    (position.fullmoves().get() - 1).saturating_mul(2).saturating_add(u32::from(position.turn().is_black()))
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// How a game ends on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Fifty moves of both sides without a capture or a pawn move: a draw on claim.
    FiftyMoves,
    /// The position stands for the third time: a draw on claim.
    Repetition,
}

impl Ending {
    /// Whether the rules leave no move to play on (a claimable draw may be played on).
    pub fn is_final(self) -> bool {
        !matches!(self, Ending::FiftyMoves | Ending::Repetition)
    }
}

/// A FEN that gives no position.
#[derive(Debug, thiserror::Error)]
pub enum FenError {
    /// Not written as a FEN.
    #[error("not a FEN: {0}")]
    Syntax(#[from] ParseFenError),
    /// Written as one, but no position of chess.
    #[error("not a position of chess: {0}")]
    Position(String),
}

/// A move that cannot be played.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{uci} is not a legal move in {fen}")]
pub struct IllegalMove {
    /// The move as it was given.
    pub uci: String,
    /// Where it was to be played.
    pub fen: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(start: &str, moves: &str) -> History {
        let mut history = History::from_fen(start, None).unwrap();
        for uci in moves.split_whitespace() {
            let mv = history.parse_uci(uci).unwrap();
            history.push(mv);
        }
        history
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn threefold_counts_positions_not_moves() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8";
        assert_eq!(played(START, shuffle).repetitions(), 2);
        let thrice = played(START, &[shuffle, shuffle].join(" "));
        assert_eq!(thrice.ending(), Some(Ending::Repetition));
        // The first of these allowed castling, the later ones do not.
        let rights = played(START, "g1f3 g8f6 h1g1 h8g8 g1h1 g8h8 h1g1 h8g8 g1h1 g8h8");
        assert_eq!(rights.repetitions(), 2);
    }

    #[test]
    fn endings() {
        assert_eq!(played(START, "f2f3 e7e5 g2g4 d8h4").ending(), Some(Ending::Checkmate));
        assert_eq!(played("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", "").ending(), Some(Ending::Stalemate));
        assert_eq!(played("7k/8/5K2/8/8/8/8/8 b - - 0 1", "").ending(), Some(Ending::InsufficientMaterial));
        assert_eq!(played("7k/8/5K2/8/8/8/8/6R1 w - - 99 80", "g1a1").ending(), Some(Ending::FiftyMoves));
        assert_eq!(played(START, "e2e4").ending(), None);
    }

    #[test]
    fn chess960_castles_by_taking_the_rook() {
        let history = played("nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1", "");
        assert_eq!(history.mode(), CastlingMode::Chess960);
        assert!(History::from_fen("rubbish", None).is_err());
        assert!(History::from_fen("8/8/8/8/8/8/8/8 w - - 0 1", None).is_err());
        assert_eq!(
            History::default().parse_uci("e2e5").unwrap_err().to_string(),
            format!("e2e5 is not a legal move in {START}")
        );
    }
}
