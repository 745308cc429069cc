//! What a line wins.

use centipawn_core::{material_value, piece_name};
use shakmaty::{Chess, Color, Move, Position as _, Role};

use super::Gain;

/// Material that a line wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prize {
    /// Pawns: at least one.
    Pawns(u32),
    /// A knight, bishop, rook or queen, perhaps for pawns.
    Piece(Role),
    /// A rook for a knight or bishop.
    Exchange,
    /// A queen for this piece.
    QueenFor(Role),
    /// Two knights or bishops for a rook.
    TwoPieces,
    /// Other material, with its worth in pawns.
    Worth(u32),
}

/// Pawns that a piece may cost: a piece for two pawns is a piece won.
const PAWNS_FOR_A_PIECE: u32 = 2;

impl Prize {
    /// What `side` wins in a line, which is `pawns` in sum; `None` for no gain.
    pub(super) fn of(start: &Chess, line: &[Move], side: Color, pawns: i32) -> Option<Self> {
        let mut position = start.clone();
        let (mut won, mut given) = (Vec::new(), Vec::new());
        for &mv in line {
            let is_own = position.turn() == side;
            if let Some(taken) = mv.capture() {
                if is_own { won.push(taken) } else { given.push(taken) }
            }
            if let Some(promoted) = mv.promotion() {
                if is_own { won.push(promoted) } else { given.push(promoted) }
            }
            position.play_unchecked(mv);
        }
        // Like pieces are exchanged, then those of equal worth: the last ones, so that what remains is what the line wins first.
        let (same, alike) = (|a: Role, b: Role| a == b, |a: Role, b: Role| material_value(a) == material_value(b));
        for is_exchanged in [same as fn(Role, Role) -> bool, alike] {
            given.retain(|&role| match won.iter().rposition(|&other| is_exchanged(role, other)) {
                Some(index) => {
                    won.remove(index);
                    false
                }
                None => true,
            });
        }
        let pawns = u32::try_from(pawns).ok().filter(|pawns| *pawns > 0)?;
        let pieces = |men: &[Role]| -> Vec<Role> { men.iter().copied().filter(|role| *role != Role::Pawn).collect() };
        let is_minor = |role: Role| material_value(role) == material_value(Role::Knight);
        let (own_pieces, other_pieces) = (pieces(&won), pieces(&given));
        Some(match (&own_pieces[..], &other_pieces[..]) {
            ([], []) => Self::Pawns(pawns),
            (&[piece], []) if pawns + PAWNS_FOR_A_PIECE >= material_value(piece) => Self::Piece(piece),
            (&[Role::Rook], &[other]) if is_minor(other) => Self::Exchange,
            (&[Role::Queen], &[other]) => Self::QueenFor(other),
            (&[one, other], &[Role::Rook]) if is_minor(one) && is_minor(other) => Self::TwoPieces,
            _ => Self::Worth(pawns),
        })
    }

    /// The same prize with another worth in pawns.
    pub(super) fn worth(self, pawns: u32) -> Self {
        match self {
            Self::Pawns(_) => Self::Pawns(pawns),
            Self::Worth(_) => Self::Worth(pawns),
            prize => prize,
        }
    }

    /// The gain that a line of the gaining side proves by force. Of several pawns, or what is worth several pawns, one is often won back later
    /// (measured: a quarter of such claims), so one less is claimed. A queen for another piece is claimed only if the second own move takes
    /// the queen at the latest: later, other exchanges may come first.
    pub(super) fn by_force(self, line: &[Move], pawns: u32) -> Gain {
        let takes_queen = || line.iter().step_by(2).take(2).any(|mv| mv.capture() == Some(Role::Queen));
        match self {
            Self::Pawns(_) if pawns > 2 => Gain::Material(Self::Pawns(pawns - 1), pawns - 1),
            Self::QueenFor(_) if takes_queen() => Gain::Material(self, pawns),
            Self::QueenFor(_) => {
                let pawns = self.least().min(pawns);
                Gain::Material(Self::Worth(pawns), pawns)
            }
            Self::Pawns(_) | Self::Worth(_) if pawns > 1 => Gain::Material(Self::Worth(pawns - 1), pawns - 1),
            prize => Gain::Material(prize, pawns),
        }
    }

    /// The least that the prize is worth in pawns, if it costs two pawns besides.
    pub(super) fn least(self) -> u32 {
        let net = match self {
            Self::Pawns(pawns) | Self::Worth(pawns) => return pawns,
            Self::Piece(role) => material_value(role),
            Self::Exchange => material_value(Role::Rook) - material_value(Role::Knight),
            Self::QueenFor(role) => material_value(Role::Queen).saturating_sub(material_value(role)),
            Self::TwoPieces => 2 * material_value(Role::Knight) - material_value(Role::Rook),
        };
        net.saturating_sub(PAWNS_FOR_A_PIECE).max(1)
    }

    /// Its name in JSON: `pawn`, `knight`, `exchange`, `queen for rook`, `two pieces for a rook`, `material`.
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
