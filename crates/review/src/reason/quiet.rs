//! Where a line is quiet: nothing is in check, and no capture wins material.

use centipawn_core::{material_balance, static_exchange_eval};
use shakmaty::{Chess, Color, Move, Position as _};

/// Half-moves for which a line is followed at most.
pub(super) const LONGEST: usize = 20;
/// Half-moves after which the first quiet position ends the line: later gains and losses are another story.
const ENOUGH: usize = 12;

/// The quiet end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuietEnd {
    /// The side's material less the other's, in pawns.
    pub(super) balance: i32,
    /// Half-moves after which the side has won what it wins for good; odd, since the last is the side's own.
    pub(super) plies: usize,
    /// Half-moves to the quiet end.
    pub(super) end: usize,
}

/// Follows a line that `side` begins to its last quiet position in twelve half-moves, else to the first one after that. If it has none, the
/// line ends after the side's last move, and all that the
/// opponent can win there by one exchange counts as lost. `None` for an illegal line or one that ends in check.
pub(super) fn quiet_end(start: &Chess, line: &[Move], side: Color) -> Option<QuietEnd> {
    let mut position = start.clone();
    let mut balances = Vec::new();
    let (mut last_quiet, mut last_own) = (None, None);
    for (index, &mv) in line.iter().take(LONGEST).enumerate() {
        if !position.is_legal(mv) {
            return None;
        }
        position.play_unchecked(mv);
        let balance = material_balance(position.board(), side);
        balances.push(balance);
        if is_quiet(&position) {
            last_quiet = Some(index);
        }
        if index + 1 >= ENOUGH && last_quiet.is_some() {
            break;
        }
        if index % 2 == 0 && !promotes(&position) {
            last_own = Some((index, balance - best_capture(&position)));
        }
    }
    let (end, balance) = last_quiet.map(|end| (end, balances[end])).or(last_own)?;
    // From here on the side never has less.
    let lasting = (0..=end).rev().take_while(|&index| balances[index] >= balance).last().unwrap_or(end);
    // A move of the side: this one, or the next, or the one before the end.
    let own = if lasting % 2 == 0 { lasting } else { lasting + 1 };
    let own = if own > end { end.saturating_sub(end % 2) } else { own };
    Some(QuietEnd { balance, plies: own + 1, end: end + 1 })
}

/// The most that a capture wins by the exchange on its square, in pawns; 0 if none wins.
fn best_capture(position: &Chess) -> i32 {
    position.capture_moves().iter().map(|&mv| static_exchange_eval(position, mv)).max().unwrap_or(0).max(0)
}

/// Whether a pawn can promote without being lost.
fn promotes(position: &Chess) -> bool {
    position.legal_moves().iter().any(|mv| mv.is_promotion() && static_exchange_eval(position, *mv) >= 0)
}

/// Whether a position is quiet: no check, and neither side wins material by a capture.
pub(super) fn is_quiet(position: &Chess) -> bool {
    if position.is_check() {
        return false;
    }
    let threat = || position.clone().swap_turn().is_ok_and(|other| best_capture(&other) > 0);
    // A promotion changes more than a capture.
    best_capture(position) == 0 && !promotes(position) && !threat()
}
