//! The material that a line wins.

use centipawn_core::{material_balance, material_value, piece_name};
use shakmaty::{Chess, Color, Move, Position as _, Role, Square};

use super::{ReasonKind, quiet::best_capture_on, shown::LONGEST_SHOWN};

/// Material that a line wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prize {
    /// This many pawns, at least one.
    Pawns(u32),
    /// A knight, bishop, rook or queen, perhaps for pawns.
    Piece(Role),
    /// A rook for a knight or bishop.
    Exchange,
    /// A queen in exchange for this piece.
    QueenFor(Role),
    /// Two knights or bishops for a rook.
    TwoPieces,
    /// Other material; the value in pawns.
    Worth(u32),
}

/// Pawns that a piece may cost: a piece for two pawns is a piece won.
const PAWNS_FOR_A_PIECE: u32 = 2;

/// A piece or pawn that a line takes, or that a pawn becomes.
struct Man {
    role: Role,
    square: Square,
    is_promoted: bool,
}

impl Man {
    /// Pawns that it adds.
    fn worth(&self) -> u32 {
        material_value(self.role) - u32::from(self.is_promoted)
    }
}

/// Returns the pieces and pawns that `side` and the other side win in a line. A capture and its
/// recapture on the same square are left out if both win the same value. So a knight that was won
/// earlier still counts if a bishop later captures another knight and is recaptured.
fn men(start: &Chess, line: &[Move], side: Color) -> (Vec<Man>, Vec<Man>) {
    let mut taken: Vec<Option<Role>> = line.iter().map(|mv| mv.capture()).collect();
    for index in (1..line.len()).rev() {
        if let (Some(one), Some(other)) = (taken[index - 1], taken[index])
            && line[index - 1].to() == line[index].to()
            && material_value(one) == material_value(other)
        {
            (taken[index - 1], taken[index]) = (None, None);
        }
    }
    let (mut won, mut given) = (Vec::new(), Vec::new());
    let mut turn = start.turn();
    for (mv, taken) in line.iter().zip(taken) {
        let own = if turn == side { &mut won } else { &mut given };
        own.extend(taken.map(|role| Man {
            role,
            square: mv.to(),
            is_promoted: false,
        }));
        own.extend(mv.promotion().map(|role| Man {
            role,
            square: mv.to(),
            is_promoted: true,
        }));
        turn = !turn;
    }
    (won, given)
}

/// Returns whether a line, which begins in this position, ends with a capture that can be answered
/// by a recapture that wins material: the line is cut off before it.
fn ends_before_recapture(mut position: Chess, line: &[Move]) -> bool {
    line.iter().for_each(|&mv| position.play_unchecked(mv));
    let Some(last) = line.last().filter(|last| last.is_capture()) else {
        return false;
    };
    best_capture_on(&position, last.to()) > 0
}

impl Prize {
    /// Returns what `side` wins in a line, whose total is `pawns`; `None` for no gain.
    pub(super) fn of(start: &Chess, line: &[Move], side: Color, pawns: i32) -> Option<Self> {
        let pawns = u32::try_from(pawns).ok().filter(|pawns| *pawns > 0)?;
        let (mut won, mut given) = men(start, line, side);
        let worth = |men: &[Man]| men.iter().map(Man::worth).sum::<u32>();
        let is_counted = worth(&won).abs_diff(worth(&given) + pawns) <= 1;
        // Remove exchanged pieces: first those of the same kind, then those of the same value.
        // Remove the last ones, so that what the line wins first remains.
        let (same, alike) = (
            |a: Role, b: Role| a == b,
            |a: Role, b: Role| material_value(a) == material_value(b),
        );
        for is_exchanged in [same as fn(Role, Role) -> bool, alike] {
            given.retain(|man| {
                match won
                    .iter()
                    .rposition(|other| is_exchanged(man.role, other.role))
                {
                    Some(index) => {
                        won.remove(index);
                        false
                    }
                    None => true,
                }
            });
        }
        let pieces = |men: &[Man]| -> Vec<(Role, Square)> {
            let pieces = men.iter().filter(|man| man.role != Role::Pawn);
            pieces.map(|man| (man.role, man.square)).collect()
        };
        let is_minor = |role: Role| material_value(role) == material_value(Role::Knight);
        let (own_pieces, other_pieces) = (pieces(&won), pieces(&given));
        Some(match (&own_pieces[..], &other_pieces[..]) {
            ([], []) => Self::Pawns(pawns),
            // More than a pawn may be captured after the end of the line, so the pieces do not show
            // what it wins.
            _ if !is_counted => Self::Worth(pawns),
            (&[(piece, _)], []) if pawns + PAWNS_FOR_A_PIECE >= material_value(piece) => {
                Self::Piece(piece)
            }
            // A rook and a minor piece are an exchange only if both are captured on the same
            // square. A piece that is lost elsewhere has its own reason.
            (&[(Role::Rook, at)], &[(other, square)]) if is_minor(other) && at == square => {
                Self::Exchange
            }
            (&[(Role::Queen, _)], &[(other, _)]) => Self::QueenFor(other),
            (&[(one, _), (other, _)], &[(Role::Rook, _)]) if is_minor(one) && is_minor(other) => {
                Self::TwoPieces
            }
            _ => Self::Worth(pawns),
        })
    }

    /// Returns whether the prize is above all a piece or pawn of this kind.
    pub fn is_of(self, role: Role) -> bool {
        match self {
            Self::Piece(piece) => piece == role,
            Self::Pawns(_) | Self::Worth(1) if role == Role::Pawn => true,
            Self::Worth(pawns) => role != Role::Pawn && 2 * pawns >= material_value(role),
            _ => false,
        }
    }

    /// Returns whether the capture of a piece of this kind is the main part of the prize.
    pub(super) fn names(self, role: Role) -> bool {
        match self {
            Self::Piece(piece) => piece == role,
            Self::Pawns(_) => role == Role::Pawn,
            Self::Exchange => role == Role::Rook,
            Self::QueenFor(_) => role == Role::Queen,
            Self::TwoPieces => material_value(role) == material_value(Role::Knight),
            Self::Worth(_) => true,
        }
    }

    /// Returns an entry for each own move of the line after which no recapture is possible: the
    /// number of half-moves up to this move, and what the line has won by then. The number is
    /// limited to the half-moves that a sentence shows. The line follows the move `played` in the
    /// position `before`, or replaces it.
    fn shown(
        kind: ReasonKind,
        before: &Chess,
        played: Move,
        line: &[Move],
    ) -> impl Iterator<Item = (usize, Self)> {
        let mut position = kind.board_start(before, played);
        let side = position.turn();
        let here = material_balance(before.board(), side);
        line.iter()
            .enumerate()
            .take(LONGEST_SHOWN)
            .filter_map(move |(index, &mv)| {
                position.play_unchecked(mv);
                let is_due = line
                    .get(index + 1)
                    .is_some_and(|next| next.is_capture() && next.to() == mv.to());
                if index % 2 == 1 || is_due {
                    return None;
                }
                let whole = kind.whole_line(played, &line[..=index]);
                let won = material_balance(position.board(), side) - here;
                Some((index + 1, Self::of(before, &whole, side, won)?))
            })
    }

    /// Returns the half-moves of a reason's line after which the captures in it amount to this
    /// prize, at most as many as a sentence shows.
    pub(super) fn plies_shown(
        self,
        kind: ReasonKind,
        before: &Chess,
        played: Move,
        line: &[Move],
    ) -> Option<usize> {
        Self::shown(kind, before, played, line)
            .find(|(_, won)| won.is_like(self))
            .map(|(plies, _)| plies)
    }

    /// Returns the prize as a sentence may name it. It names the piece only if the shown part of
    /// the line wins that piece. Otherwise it names the piece that the shown part wins, or only the
    /// value of the gain: a reader who sees a rook captured would not believe in the loss of a
    /// bishop.
    pub(super) fn as_shown(
        self,
        kind: ReasonKind,
        before: &Chess,
        played: Move,
        line: &[Move],
        pawns: u32,
    ) -> Self {
        if matches!(self, Self::Pawns(_) | Self::Worth(_)) {
            return self;
        }
        if kind != ReasonKind::Allows
            && let Some(taken) = line
                .first()
                .and_then(|first| first.capture())
                .filter(|taken| *taken != Role::Pawn)
        {
            // Only the first move is shown, so the reader assumes that the piece which it captures
            // is the prize.
            return if self.names(taken) {
                self
            } else {
                Self::Worth(pawns)
            };
        }
        if self.plies_shown(kind, before, played, line).is_some() {
            return self;
        }
        // The prize is captured later and exchanged in the end. Name the first gain instead, if it
        // is not worth more. A capture at the end does not count if its captor is captured next.
        let is_cut_off = ends_before_recapture(kind.board_start(before, played), line);
        Self::shown(kind, before, played, line)
            .filter(|(plies, _)| *plies < line.len() || !is_cut_off)
            .map(|(_, won)| won)
            .find(|won| !matches!(won, Self::Pawns(_) | Self::Worth(_)) && pawns >= won.least())
            .unwrap_or(Self::Worth(pawns))
    }

    /// Returns whether both prizes have the same name, whatever they cost.
    fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Pawns(_), Self::Pawns(_)) | (Self::Worth(_), Self::Worth(_)) => true,
            (one, other) => one == other,
        }
    }

    /// Returns the same prize with another value in pawns.
    pub(super) fn worth(self, pawns: u32) -> Self {
        match self {
            Self::Pawns(_) => Self::Pawns(pawns),
            Self::Worth(_) => Self::Worth(pawns),
            prize => prize,
        }
    }

    /// Returns the part of the gain that the line wins by force. If several pawns are won, or
    /// something worth several pawns, one pawn is often lost again later (in a quarter of such
    /// claims when measured), so one pawn less is claimed. A queen for another piece is claimed
    /// only if the queen is captured by the second own move; later, other exchanges may come first.
    pub(super) fn by_force(self, line: &[Move], pawns: u32) -> (Self, u32) {
        let takes_queen = || {
            line.iter()
                .step_by(2)
                .take(2)
                .any(|mv| mv.capture() == Some(Role::Queen))
        };
        match self {
            Self::Pawns(_) if pawns > 2 => (Self::Pawns(pawns - 1), pawns - 1),
            Self::QueenFor(_) if takes_queen() => (self, pawns),
            Self::QueenFor(_) => {
                let pawns = self.least().min(pawns);
                (Self::Worth(pawns), pawns)
            }
            Self::Pawns(_) | Self::Worth(_) if pawns > 1 => (Self::Worth(pawns - 1), pawns - 1),
            prize => (prize, pawns),
        }
    }

    /// Returns the least that the prize is worth in pawns, if it costs two pawns besides.
    pub(super) fn least(self) -> u32 {
        let net = match self {
            Self::Pawns(pawns) | Self::Worth(pawns) => return pawns,
            Self::Piece(role) => material_value(role),
            Self::Exchange => material_value(Role::Rook) - material_value(Role::Knight),
            Self::QueenFor(role) => {
                material_value(Role::Queen).saturating_sub(material_value(role))
            }
            Self::TwoPieces => 2 * material_value(Role::Knight) - material_value(Role::Rook),
        };
        net.saturating_sub(PAWNS_FOR_A_PIECE).max(1)
    }

    /// Its name in JSON: `pawn`, `knight`, `exchange`, `queen for rook`, `two pieces for a rook`,
    /// `material`.
    pub fn name(self) -> String {
        match self {
            Prize::Pawns(1) => "pawn".to_owned(),
            Prize::Pawns(_) => "pawns".to_owned(),
            Prize::Piece(role) => piece_name(role).to_owned(),
            Prize::Exchange => "exchange".to_owned(),
            Prize::QueenFor(role) => format!("queen for {}", piece_name(role)),
            Prize::TwoPieces => "two pieces for a rook".to_owned(),
            Prize::Worth(_) => "material".to_owned(),
        }
    }
}
