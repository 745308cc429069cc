//! Opening, middlegame, endgame.

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Chess, Color, Position as _, Rank};

/// A phase of a game. A game never returns to an earlier phase.
///
/// The limits follow Lichess (scalachess, `Divider`): the middlegame begins when pieces have been
/// exchanged or have left a first rank, the endgame when few pieces are left. Pawns and kings are
/// not pieces here. `Divider` also ends the opening where the pieces and pawns of both sides are
/// strongly mixed, and so do the themes of puzzles; the model of what players lose was fitted
/// without that.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum Phase {
    /// Until ten pieces are left, or a player has fewer than four men on the first rank.
    #[default]
    Opening,
    /// Until six pieces are left.
    Middlegame,
    /// The rest.
    Endgame,
}

impl Phase {
    /// All phases, in the order of a game.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        }
    }

    /// Returns the phase of `position`, given that the position before it had this phase.
    pub fn then(self, position: &Chess) -> Self {
        let board = position.board();
        let pieces = (board.occupied() & !(board.kings() | board.pawns())).count();
        let left_home = |color: Color| {
            (board.by_color(color) & Bitboard::from(color.fold_wb(Rank::First, Rank::Eighth)))
                .count()
                < 4
        };
        let here = match pieces {
            0..=6 => Phase::Endgame,
            7..=10 => Phase::Middlegame,
            _ if Color::ALL.into_iter().any(left_home) => Phase::Middlegame,
            _ => Phase::Opening,
        };
        self.max(here)
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;

    use super::*;

    #[test]
    fn phases_of_positions() {
        let phase =
            |fen: &str| Phase::default().then(History::from_fen(fen, None).unwrap().position());
        assert_eq!(
            phase("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            Phase::Opening
        );
        assert_eq!(
            phase("r1bq1rk1/ppp1bppp/2n2n2/3p4/3P4/2NBBN2/PPPQ1PPP/3R1RK1 b - - 0 9"),
            Phase::Middlegame
        );
        assert_eq!(
            phase("r2q1rk1/ppp2ppp/2n5/8/8/2N5/PPPQ1PPP/3R1RK1 b - - 0 9"),
            Phase::Middlegame
        );
        assert_eq!(
            phase("5rk1/ppp2ppp/2n5/8/8/2N5/PPP2PPP/5RK1 b - - 0 9"),
            Phase::Endgame
        );
        assert_eq!(Phase::Endgame.then(&Chess::default()), Phase::Endgame);
    }
}
