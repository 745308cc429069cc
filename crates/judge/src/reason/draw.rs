//! Draws that a line reaches: by a rule of chess, or by checks without end.

use centipawn_core::{Ending, History};
use shakmaty::{Move, Position as _};

use super::{Motif, quiet::LONGEST};

/// Checks of a line of perpetual check at least.
const LEAST_CHECKS: usize = 3;
/// Number of half-moves of a perpetual check in the line of a reason.
const CHECKS_SHOWN: usize = 3;

/// The way in which a line leads to a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawKind {
    /// Perpetual check.
    Perpetual,
    /// The position occurs for the third time.
    Repetition,
    /// The side to move has no legal move.
    Stalemate,
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves,
}

impl DrawKind {
    /// All kinds of draws.
    pub const ALL: [DrawKind; 4] = [
        DrawKind::Perpetual,
        DrawKind::Repetition,
        DrawKind::Stalemate,
        DrawKind::FiftyMoves,
    ];

    /// Its motif, whose name JSON has.
    pub fn motif(self) -> Motif {
        match self {
            DrawKind::Perpetual => Motif::Perpetual,
            DrawKind::Repetition => Motif::Repetition,
            DrawKind::Stalemate => Motif::Stalemate,
            DrawKind::FiftyMoves => Motif::FiftyMoves,
        }
    }

    /// Returns the draw as the word of a command.
    pub(super) fn word(self) -> &'static str {
        match self {
            DrawKind::Perpetual => "draw",
            DrawKind::Repetition => "repetition",
            DrawKind::Stalemate => "stalemate",
            DrawKind::FiftyMoves => "fifty-moves",
        }
    }

    /// Returns the draw that a line reaches, and the half-moves that show it: 0 if the start is
    /// drawn already. `None` if the line shows none.
    pub(super) fn of(start: &History, line: &[Move]) -> Option<(Self, usize)> {
        by_rule(start, line).or_else(|| {
            let is_perpetual = perpetual(start, line);
            is_perpetual.then_some((DrawKind::Perpetual, CHECKS_SHOWN))
        })
    }

    fn of_ending(ending: Ending) -> Option<Self> {
        match ending {
            Ending::Stalemate => Some(DrawKind::Stalemate),
            Ending::Repetition => Some(DrawKind::Repetition),
            Ending::FiftyMoves => Some(DrawKind::FiftyMoves),
            Ending::Checkmate | Ending::InsufficientMaterial => None,
        }
    }

    /// Returns the draw by rule in this position, if any.
    pub(crate) fn on_board(position: &History) -> Option<Self> {
        position.ending().and_then(Self::of_ending)
    }
}

/// Returns the first draw by rule in a line, and its half-moves. The moves of a line whose start
/// has occurred before may repeat that position for the third time.
fn by_rule(start: &History, line: &[Move]) -> Option<(DrawKind, usize)> {
    let mut at = start.clone();
    if let Some(draw) = DrawKind::on_board(&at) {
        return Some((draw, 0));
    }
    for (index, &mv) in line.iter().take(LONGEST).enumerate() {
        if !at.position().is_legal(mv) {
            return None;
        }
        at.push(mv);
        if let Some(draw) = DrawKind::on_board(&at) {
            return Some((draw, index + 1));
        }
    }
    None
}

/// Returns whether each own move of the line gives check, and there are enough of them.
fn perpetual(start: &History, line: &[Move]) -> bool {
    let mut position = start.position().clone();
    let are_checks = line.iter().enumerate().all(|(index, &mv)| {
        position.play_unchecked(mv);
        index % 2 == 1 || position.is_check()
    });
    are_checks && line.len().div_ceil(2) >= LEAST_CHECKS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(start: &History, uci: &str) -> Vec<Move> {
        let mut at = start.clone();
        let moves = uci.split_whitespace().map(|uci| {
            let mv = at.parse_uci(uci).unwrap();
            at.push(mv);
            mv
        });
        moves.collect()
    }

    #[test]
    fn draws_by_rule_are_named() {
        let of = |fen: &str, played: &str, uci: &str| {
            let mut start = History::from_fen(fen, None).unwrap();
            line(&start, played)
                .into_iter()
                .for_each(|mv| start.push(mv));
            DrawKind::of(&start, &line(&start, uci))
        };
        let queen = "6k1/5pp1/7p/8/8/8/1Q3PPP/6K1 w - - 0 1";
        let twice = "b2b8 g8h7 b8b1 h7g8 b1b8 g8h7 b8b1 h7g8";
        assert_eq!(of(queen, twice, "b1b8"), Some((DrawKind::Repetition, 1)));
        assert_eq!(
            of(queen, &format!("{twice} b1b8"), ""),
            Some((DrawKind::Repetition, 0))
        );
        // The second occurrence of a position is not yet a draw.
        assert_eq!(of(queen, "b2b8 g8h7 b8b1", "h7g8"), None);
        let trick = "7k/5P2/5KQ1/8/8/8/1r6/8 b - - 0 1";
        assert_eq!(
            of(trick, "", "b2b6 f6g5 b6g6 g5g6"),
            Some((DrawKind::Stalemate, 4))
        );
        let fifty = "8/8/8/4k3/8/8/4P3/R3K3 w - - 98 90";
        assert_eq!(of(fifty, "", "a1a2 e5e4"), Some((DrawKind::FiftyMoves, 2)));
        assert_eq!(of(fifty, "", "e2e3 e5e4"), None);
    }
}
