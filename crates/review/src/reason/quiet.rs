//! Where a line is quiet: nothing is in check, and no capture wins material.

use centipawn_core::{material_balance, static_exchange_eval};
use shakmaty::{Chess, Color, Move, Position as _};

/// Half-moves for which a line is followed.
pub(super) const LONGEST: usize = 20;

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

/// Follows a line that `side` begins to its last quiet position; `None` if it has none.
pub(super) fn quiet_end(start: &Chess, line: &[Move], side: Color) -> Option<QuietEnd> {
    let mut position = start.clone();
    let mut balances = Vec::new();
    let mut last_quiet = None;
    for (index, &mv) in line.iter().take(LONGEST).enumerate() {
        if !position.is_legal(mv) {
            return None;
        }
        position.play_unchecked(mv);
        balances.push(material_balance(position.board(), side));
        if is_quiet(&position) {
            last_quiet = Some(index);
        }
    }
    let end = last_quiet?;
    let balance = balances[end];
    // From here on the side never has less.
    let lasting = (0..=end).rev().take_while(|&index| balances[index] >= balance).last().unwrap_or(end);
    // A move of the side: this one, or the next, or the one before the end.
    let own = if lasting % 2 == 0 { lasting } else { lasting + 1 };
    let own = if own > end { end.saturating_sub(end % 2) } else { own };
    Some(QuietEnd { balance, plies: own + 1, end: end + 1 })
}

/// Whether a position is quiet: no check, and neither side wins material by a capture.
pub(super) fn is_quiet(position: &Chess) -> bool {
    if position.is_check() {
        return false;
    }
    let wins = |position: &Chess| position.capture_moves().iter().any(|&mv| static_exchange_eval(position, mv) > 0);
    let threat = || position.clone().swap_turn().is_ok_and(|other| wins(&other));
    // A promotion changes more than a capture.
    let promotes =
        position.legal_moves().iter().any(|mv| mv.is_promotion() && static_exchange_eval(position, *mv) >= 0);
    !wins(position) && !promotes && !threat()
}
