//! The moves of a puzzle with all positions between them.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square};

use crate::SolutionError;

/// Maximum length of a solution in plies. A longer line is a game; the longest solutions of Lichess
/// have about 60 plies.
const MOST_MOVES: usize = 1000;

/// The opponent's move, the solver's answer, and so on to the solver's last move.
///
/// All positions are computed once, because finding themes visits each of them many times.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::{Solution, Theme, themes};
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
/// let solution = Solution::from_uci(&start, ["a2b2", "d1d8"])?;
/// assert!(themes(&solution).contains(Theme::BackRankMate));
/// # Ok::<_, centipawn_puzzle::SolutionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solution {
    stops: Vec<Stop>,
    steps: Vec<Step>,
}

/// A position, with the pieces that give check.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    pub(crate) chess: Chess,
    pub(crate) checkers: Bitboard,
}

/// A move with the details that themes use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) mv: Move,
    pub(crate) from: Square,
    /// The target square; for castling, the king's.
    pub(crate) to: Square,
    /// The piece on `to` after the move; for a promotion, the new piece.
    pub(crate) role: Role,
    pub(crate) promotion: Option<Role>,
    /// The piece captured on `to`; `None` for en passant captures.
    pub(crate) taken: Option<Role>,
}

impl Solution {
    /// Creates a solution that starts in the position before the opponent's move.
    ///
    /// # Errors
    ///
    /// [`SolutionError`] if there are fewer than two moves or more than 1000, a move is illegal, or
    /// the last move is not the solver's.
    pub fn new(
        start: &Chess,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<Self, SolutionError> {
        let mut solution = Self {
            stops: Vec::with_capacity(9),
            steps: Vec::with_capacity(8),
        };
        solution.stops.push(Stop::new(start.clone()));
        for mv in moves {
            solution.check_room()?;
            let here = solution.last_position();
            if !here.is_legal(mv) {
                return Err(SolutionError::illegal(here, &mv.to_string()));
            }
            solution.push(mv);
        }
        solution.checked()
    }

    /// Like [`new`](Self::new), from moves in UCI notation.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn from_uci<'a>(
        start: &centipawn_core::History,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, SolutionError> {
        let mut solution = Self {
            stops: Vec::with_capacity(9),
            steps: Vec::with_capacity(8),
        };
        solution.stops.push(Stop::new(start.position().clone()));
        for uci in moves {
            solution.check_room()?;
            let here = solution.last_position();
            let parsed = shakmaty::uci::UciMove::from_ascii(uci.as_bytes()).ok();
            let Some(mv) = parsed.and_then(|parsed| parsed.to_move(here).ok()) else {
                return Err(SolutionError::illegal(here, uci));
            };
            solution.push(mv);
        }
        solution.checked()
    }

    /// Returns an error if the solution has its maximum length. The limit bounds memory, because
    /// each position is stored.
    fn check_room(&self) -> Result<(), SolutionError> {
        if self.steps.len() < MOST_MOVES {
            Ok(())
        } else {
            Err(SolutionError::TooLong { most: MOST_MOVES })
        }
    }

    fn checked(self) -> Result<Self, SolutionError> {
        match self.steps.len() {
            0 | 1 => Err(SolutionError::TooShort),
            moves if moves % 2 == 1 => Err(SolutionError::SolverNotLast { moves }),
            _ => Ok(self),
        }
    }

    fn push(&mut self, mv: Move) {
        let mut chess = self.last_position().clone();
        let (from, to) = match mv {
            Move::Castle { king, .. } => {
                let side = mv
                    .castling_side()
                    .unwrap_or(shakmaty::CastlingSide::KingSide);
                (king, side.king_to(chess.turn()))
            }
            _ => (mv.from().unwrap_or_else(|| mv.to()), mv.to()),
        };
        let taken = if mv.is_en_passant() {
            None
        } else {
            mv.capture()
        };
        let role = mv.promotion().unwrap_or_else(|| mv.role());
        self.steps.push(Step {
            mv,
            from,
            to,
            role,
            promotion: mv.promotion(),
            taken,
        });
        chess.play_unchecked(mv);
        self.stops.push(Stop::new(chess));
    }

    fn last_position(&self) -> &Chess {
        &self.stops[self.stops.len() - 1].chess
    }

    /// Returns the solver's color.
    pub fn solver(&self) -> Color {
        !self.stops[0].chess.turn()
    }

    /// Returns all moves, the opponent's first.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> {
        self.steps.iter().map(|step| step.mv)
    }

    /// Returns the moves after the opponent's first: the solver's move, the reply, and so on to the
    /// solver's last.
    pub fn line(&self) -> impl ExactSizeIterator<Item = Move> {
        self.moves().skip(1)
    }

    /// Returns the position shown to the solver, after the opponent's first move.
    pub fn position(&self) -> &Chess {
        &self.stops[1].chess
    }

    /// Returns the positions in which the solver is to move, starting with the one shown.
    pub fn asked(&self) -> impl Iterator<Item = &Chess> {
        self.stops
            .iter()
            .skip(1)
            .step_by(2)
            .take(self.steps.len() / 2)
            .map(|stop| &stop.chess)
    }

    /// Returns whether the last move gives mate.
    pub fn ends_with_mate(&self) -> bool {
        self.end().is_mate()
    }

    /// Returns the number of moves of both sides. It is even and at least 2.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the indices of the solver's moves from the `nth` on, the first being 0.
    pub(crate) fn solvers(
        &self,
        nth: usize,
    ) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        (1 + 2 * nth..self.len()).step_by(2)
    }

    /// Returns the move at this index; 0 is the opponent's first.
    pub(crate) fn step(&self, index: usize) -> &Step {
        &self.steps[index]
    }

    /// Returns the position before the move at this index.
    pub(crate) fn before(&self, index: usize) -> &Stop {
        &self.stops[index]
    }

    /// Returns the position after the move at this index.
    pub(crate) fn after(&self, index: usize) -> &Stop {
        &self.stops[index + 1]
    }

    /// Returns the final position.
    pub(crate) fn end(&self) -> &Stop {
        &self.stops[self.stops.len() - 1]
    }
}

impl Stop {
    fn new(chess: Chess) -> Self {
        Self {
            checkers: chess.checkers(),
            chess,
        }
    }

    pub(crate) fn board(&self) -> &Board {
        self.chess.board()
    }

    pub(crate) fn is_check(&self) -> bool {
        self.checkers.any()
    }

    pub(crate) fn is_mate(&self) -> bool {
        self.is_check() && self.chess.legal_moves().is_empty()
    }
}

impl Step {
    pub(crate) fn is_capture(&self) -> bool {
        self.mv.is_capture()
    }

    /// Returns whether a pawn reached its sixth rank or beyond, including promotions.
    pub(crate) fn is_advanced_pawn(&self, color: Color) -> bool {
        self.is_pawn_beyond(color, 5)
    }

    /// Returns whether a pawn reached its seventh or last rank.
    pub(crate) fn is_very_advanced_pawn(&self, color: Color) -> bool {
        self.is_pawn_beyond(color, 6)
    }

    fn is_pawn_beyond(&self, color: Color, rank: u32) -> bool {
        let reached = color.fold_wb(self.to.rank().to_u32(), 7 - self.to.rank().to_u32());
        self.promotion.is_some() || self.role == Role::Pawn && reached >= rank
    }
}
