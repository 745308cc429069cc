//! A position together with the moves that led to it.

use std::sync::Arc;

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, KnownOutcome, Move, Outcome, Position,
    fen::{Fen, ParseFenError},
    san::SanPlus,
    uci::UciMove,
};

/// A position and the moves that led to it from a start position. An engine needs both, since
/// repetitions and the fifty-move rule depend on earlier moves.
///
/// Clones share their list of moves. After [`ready_for`](Self::ready_for) with the moves of a whole
/// game, all positions of that game share one list.
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
    /// The moves since the start. After [`ready_for`](Self::ready_for), moves that are not played
    /// yet follow them.
    moves: Arc<Vec<Move>>,
    /// Number of `moves` that are played.
    played: usize,
    position: Chess,
    /// The position after the last capture or pawn move, or else the start, and the number of moves
    /// that led to it. Earlier positions cannot occur again, so repetitions are counted from here.
    irreversible: (Chess, usize),
}

impl Default for History {
    /// Returns the normal start position.
    fn default() -> Self {
        Self::new(Chess::default(), CastlingMode::Standard)
    }
}

impl History {
    /// Creates a history that begins at `start`, without moves yet. `mode` selects how UCI and FEN
    /// write castling (standard or Chess960).
    pub fn new(start: Chess, mode: CastlingMode) -> Self {
        let irreversible = (start.clone(), 0);
        Self {
            mode,
            position: start.clone(),
            start,
            moves: Arc::default(),
            played: 0,
            irreversible,
        }
    }

    /// Returns a history that begins at a FEN, without moves yet. Castling rights may be written as
    /// X-FEN or Shredder-FEN.
    ///
    /// Impossible castling rights and en passant squares are dropped, since real files contain
    /// them; more pieces than a game can have are accepted. Without `mode`, the history is Chess960
    /// if the castling rights require it.
    ///
    /// # Errors
    ///
    /// [`FenError`] if the text is not a FEN or the position is not a legal one.
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

    /// Returns the position before the first move.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// Returns the moves since the start.
    pub fn moves(&self) -> &[Move] {
        &self.moves[..self.played]
    }

    /// Returns the current position.
    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// Returns how UCI and FEN write castling.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// Returns the number of half-moves since the start of the game, by the position's full-move
    /// number: 0 at the normal start.
    pub fn ply(&self) -> u32 {
        ply_of(&self.position)
    }

    /// Returns the same position, prepared for the moves that will follow. As long as exactly these
    /// are [pushed](Self::push), all clones of the history share one list of moves.
    ///
    /// ```
    /// use centipawn_core::History;
    ///
    /// let mut game = History::default();
    /// let mv = game.parse_uci("e2e4").unwrap();
    /// game = game.ready_for([mv]);
    /// assert_eq!(game.ply(), 0);
    /// game.push(mv);
    /// assert_eq!(game.moves(), [mv]);
    /// ```
    #[must_use]
    pub fn ready_for(mut self, moves: impl IntoIterator<Item = Move>) -> Self {
        self.moves = Arc::new(self.moves().iter().copied().chain(moves).collect());
        self
    }

    /// Plays a move, which must be legal here. [`parse_uci`](Self::parse_uci) and shakmaty's
    /// parsers return legal moves.
    ///
    /// # Panics
    ///
    /// In debug builds, if the move is illegal.
    pub fn push(&mut self, mv: Move) {
        debug_assert!(self.position.is_legal(mv), "{mv:?} in {}", self.fen());
        self.position.play_unchecked(mv);
        if self.moves.get(self.played) != Some(&mv) {
            match Arc::get_mut(&mut self.moves) {
                Some(moves) => {
                    moves.truncate(self.played);
                    moves.push(mv);
                }
                None => self.moves = Arc::new(self.moves().iter().copied().chain([mv]).collect()),
            }
        }
        self.played += 1;
        if self.position.halfmoves() == 0 {
            self.irreversible = (self.position.clone(), self.played);
        }
    }

    /// Parses a move in UCI notation. Castling may be written in standard or Chess960 form.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] if the text is not a move or the move is illegal here.
    pub fn parse_uci(&self, uci: &str) -> Result<Move, IllegalMove> {
        UciMove::from_ascii(uci.as_bytes())
            .ok()
            .and_then(|parsed| parsed.to_move(&self.position).ok())
            .ok_or_else(|| IllegalMove {
                uci: uci.to_owned(),
                fen: self.fen(),
            })
    }

    /// Returns a move of this position in UCI notation.
    pub fn uci(&self, mv: Move) -> UciMove {
        mv.to_uci(self.mode)
    }

    /// Returns a legal move of this position in SAN: `Nf6`.
    pub fn san(&self, mv: Move) -> String {
        SanPlus::from_move(self.position.clone(), mv).to_string()
    }

    /// Returns a legal move of this position in SAN with its number: `14... Nf6`.
    ///
    /// ```
    /// use centipawn_core::History;
    ///
    /// let mut game = History::default();
    /// game.push(game.parse_uci("e2e4")?);
    /// assert_eq!(game.numbered(game.parse_uci("g8f6")?), "1... Nf6");
    /// # Ok::<_, centipawn_core::IllegalMove>(())
    /// ```
    pub fn numbered(&self, mv: Move) -> String {
        let dots = self.turn().fold_wb(".", "...");
        format!("{}{dots} {}", self.position.fullmoves(), self.san(mv))
    }

    /// Returns the FEN of the start position.
    pub fn start_fen(&self) -> String {
        fen(&self.start)
    }

    /// Returns the FEN of the current position.
    pub fn fen(&self) -> String {
        fen(&self.position)
    }

    /// Returns whether the history begins at the normal start position.
    pub fn is_from_startpos(&self) -> bool {
        self.start == Chess::default()
    }

    /// Returns the number of times that the current position has occurred, including this one.
    pub fn repetitions(&self) -> usize {
        let now = self.position.to_setup(EnPassantMode::Legal);
        let same = |position: &Chess| {
            let then = position.to_setup(EnPassantMode::Legal);
            (then.board, then.turn, then.castling_rights, then.ep_square)
                == (
                    now.board.clone(),
                    now.turn,
                    now.castling_rights,
                    now.ep_square,
                )
        };
        let (first, played) = &self.irreversible;
        if self.played - played < 4 {
            return 1;
        }
        let mut position = first.clone();
        let mut count = 1;
        for mv in &self.moves()[*played..] {
            count += usize::from(same(&position));
            position.play_unchecked(*mv);
        }
        count
    }

    /// Returns the way in which the game ends in this position: no legal move, insufficient
    /// material, or a draw that a player may claim. `None` if the game continues.
    pub fn ending(&self) -> Option<Ending> {
        let position = &self.position;
        match position.outcome() {
            Outcome::Known(KnownOutcome::Decisive { .. }) => return Some(Ending::Checkmate),
            Outcome::Known(KnownOutcome::Draw) if position.is_stalemate() => {
                return Some(Ending::Stalemate);
            }
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

/// Returns the number of half-moves by a position's full-move number. A FEN may set that number to
/// any value, so the result saturates.
pub(crate) fn ply_of(position: &Chess) -> u32 {
    (position.fullmoves().get() - 1)
        .saturating_mul(2)
        .saturating_add(u32::from(position.turn().is_black()))
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// A way in which a game ends on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Fifty moves of each side without a capture or a pawn move: a draw if a player claims it.
    FiftyMoves,
    /// The position has occurred three times: a draw if a player claims it.
    Repetition,
}

impl Ending {
    /// Returns whether the game is over without a claim.
    pub fn is_final(self) -> bool {
        !matches!(self, Ending::FiftyMoves | Ending::Repetition)
    }
}

/// Why a FEN cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// The text is not a FEN.
    #[error("not a FEN: {0}")]
    Syntax(#[from] ParseFenError),
    /// The FEN describes an impossible position.
    #[error("not a position of chess: {0}")]
    Position(String),
}

/// A move that is not legal.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{uci} is not a legal move in {fen}")]
#[non_exhaustive]
pub struct IllegalMove {
    /// The move as given.
    pub uci: String,
    /// FEN of the position in which the move is illegal.
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
        // The first occurrence allows castling and the later ones do not, so they are different
        // positions.
        let rights = played(START, "g1f3 g8f6 h1g1 h8g8 g1h1 g8h8 h1g1 h8g8 g1h1 g8h8");
        assert_eq!(rights.repetitions(), 2);
    }

    #[test]
    fn repetitions_are_counted_since_the_last_irreversible_move() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8";
        let again = ["e2e4 e7e5", shuffle, "a2a3 a7a6", shuffle, shuffle].join(" ");
        assert_eq!(
            (
                played(START, &again).repetitions(),
                played(START, &again).ending()
            ),
            (3, Some(Ending::Repetition))
        );
        assert_eq!(played(START, &[&again, "b2b3"].join(" ")).repetitions(), 1);
        // The counter of a FEN also counts moves that are not part of this history.
        let later = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 20 30";
        assert_eq!(played(later, shuffle).repetitions(), 2);
    }

    #[test]
    fn copies_share_their_moves_until_they_differ() {
        let line = played(START, "e2e4 e7e5 g1f3 b8c6");
        let mut game = History::default().ready_for(line.moves().iter().copied());
        let mut all = vec![game.clone()];
        for mv in line.moves() {
            game.push(*mv);
            all.push(game.clone());
        }
        assert!(
            all.iter()
                .all(|history| Arc::ptr_eq(&history.moves, &game.moves))
        );
        assert_eq!(
            all.iter()
                .map(|history| history.moves().len())
                .collect::<Vec<_>>(),
            [0, 1, 2, 3, 4]
        );
        // Pushing a different move must not change the list that the other clones share.
        let mut other = all[1].clone();
        other.push(other.parse_uci("c7c5").unwrap());
        assert_eq!(other.moves().len(), 2);
        assert_eq!(
            (all[2].moves(), all[4].moves()),
            (&line.moves()[..2], line.moves())
        );
        // A history reuses its list of moves if no clone shares the list.
        let mut alone = played(START, "e2e4").ready_for(line.moves()[1..].iter().copied());
        alone.push(alone.parse_uci("c7c5").unwrap());
        assert_eq!((alone.moves(), alone.fen()), (other.moves(), other.fen()));
    }

    #[test]
    fn each_kind_of_ending_is_recognised() {
        assert_eq!(
            played(START, "f2f3 e7e5 g2g4 d8h4").ending(),
            Some(Ending::Checkmate)
        );
        assert_eq!(
            played("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", "").ending(),
            Some(Ending::Stalemate)
        );
        assert_eq!(
            played("7k/8/5K2/8/8/8/8/8 b - - 0 1", "").ending(),
            Some(Ending::InsufficientMaterial)
        );
        assert_eq!(
            played("7k/8/5K2/8/8/8/8/6R1 w - - 99 80", "g1a1").ending(),
            Some(Ending::FiftyMoves)
        );
        assert_eq!(played(START, "e2e4").ending(), None);
    }

    #[test]
    fn chess960_writes_castling_as_king_takes_rook() {
        let history = played(
            "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
            "",
        );
        assert_eq!(history.mode(), CastlingMode::Chess960);
        assert!(History::from_fen("rubbish", None).is_err());
        assert!(History::from_fen("8/8/8/8/8/8/8/8 w - - 0 1", None).is_err());
        assert_eq!(
            History::default()
                .parse_uci("e2e5")
                .unwrap_err()
                .to_string(),
            format!("e2e5 is not a legal move in {START}")
        );
    }
}
