//! Where a line is quiet: nothing is in check, and no capture wins material.

use std::cmp::Reverse;

use centipawn_core::{material_balance, material_value, static_exchange_eval};
use shakmaty::{Chess, Color, Move, Position as _, Square};

/// Maximum number of half-moves for which a line is followed.
pub(super) const LONGEST: usize = 20;
/// After this many half-moves the first quiet position ends the line, because later gains and
/// losses have other reasons.
const ENOUGH: usize = 12;
/// Number of half-moves of a line after its last quiet position that show another end.
const UNQUIET: usize = 4;
/// More than any material, in pawns.
const MATED: i32 = 1000;
/// Maximum number of positions that the search for exchanges visits.
const MOST_NODES: u32 = 2000;

/// The quiet end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuietEnd {
    /// The side's material minus the opponent's, in pawns.
    pub(super) balance: i32,
    /// Number of half-moves after which the side has won its lasting gain. The number is odd,
    /// because the last move is the side's own.
    pub(super) plies: usize,
    /// Number of half-moves to the quiet end.
    pub(super) end: usize,
}

/// Follows a line that `side` begins to its last quiet position within twelve half-moves, else to
/// the first one after that. If there is no quiet position for long, the line ends after the side's
/// last move, and everything that the opponent can win by captures then counts as lost. `None` for
/// an illegal line or one without an end.
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
            last_quiet = Some((index, balance));
        }
        if index + 1 >= ENOUGH && last_quiet.is_some() {
            break;
        }
        if index % 2 == 0 {
            last_own = Some((index, position.clone()));
        }
    }
    let is_early = |quiet: usize| {
        last_own
            .as_ref()
            .is_some_and(|(own, _)| *own >= quiet + UNQUIET)
    };
    let unquiet = || {
        last_own
            .as_ref()
            .map(|(own, position)| (*own, balances[*own] - settled(position)))
    };
    let (end, balance) = last_quiet
        .filter(|(quiet, _)| !is_early(*quiet))
        .or_else(unquiet)?;
    // The first position from which on the side's material never falls below the final balance.
    let lasting = (0..=end)
        .rev()
        .take_while(|&index| balances[index] >= balance)
        .last()
        .unwrap_or(end);
    // The number of an own move: this one if it is the side's own, else the next, or the last own
    // move before the end.
    let own = if lasting % 2 == 0 {
        lasting
    } else {
        lasting + 1
    };
    let own = if own > end {
        end.saturating_sub(end % 2)
    } else {
        own
    };
    Some(QuietEnd {
        balance,
        plies: own + 1,
        end: end + 1,
    })
}

/// Returns the pawns that the side to move wins by captures, promotions and answers to checks, if
/// both sides may stop at any time; at least 0.
fn settled(position: &Chess) -> i32 {
    let mut nodes = MOST_NODES;
    exchanges(position, -MATED, MATED, &mut nodes).max(0)
}

/// Like [`settled`], within two bounds: an alpha-beta search over captures and promotions.
fn exchanges(position: &Chess, mut least: i32, most: i32, nodes: &mut u32) -> i32 {
    let is_check = position.is_check();
    let mut best = if is_check { -MATED } else { 0 };
    *nodes = nodes.saturating_sub(1);
    if *nodes == 0 {
        return 0;
    }
    least = least.max(best);
    let won = |mv: &Move| -> i32 {
        let taken = mv.capture().map_or(0, material_value);
        let promoted = mv.promotion().map_or(0, |role| material_value(role) - 1);
        (taken + promoted).cast_signed()
    };
    let mut moves: Vec<Move> = position
        .legal_moves()
        .into_iter()
        .filter(|mv| is_check || won(mv) > 0)
        .collect();
    moves.sort_by_key(|mv| Reverse(won(mv)));
    for mv in moves {
        if best >= most {
            break;
        }
        let mut next = position.clone();
        next.play_unchecked(mv);
        let worth = won(&mv) - exchanges(&next, won(&mv) - most, won(&mv) - least, nodes);
        best = best.max(worth);
        least = least.max(best);
    }
    best
}

/// Returns the most that a capture wins by the exchange on its square, in pawns; 0 if none wins.
fn best_capture(position: &Chess) -> i32 {
    best_of(position, position.capture_moves())
}

/// Like [`best_capture`], but only for captures on one square.
pub(super) fn best_capture_on(position: &Chess, square: Square) -> i32 {
    let captures = position.capture_moves().into_iter();
    best_of(position, captures.filter(|mv| mv.to() == square))
}

fn best_of(position: &Chess, captures: impl IntoIterator<Item = Move>) -> i32 {
    let worth = captures
        .into_iter()
        .map(|mv| static_exchange_eval(position, mv));
    worth.max().unwrap_or(0).max(0)
}

/// Returns whether a pawn can promote without being lost.
fn promotes(position: &Chess) -> bool {
    position
        .legal_moves()
        .iter()
        .any(|mv| mv.is_promotion() && static_exchange_eval(position, *mv) >= 0)
}

/// Returns whether a position is quiet: no check, and neither side wins material by a capture.
pub(super) fn is_quiet(position: &Chess) -> bool {
    if position.is_check() {
        return false;
    }
    let threat = || {
        position
            .clone()
            .swap_turn()
            .is_ok_and(|other| best_capture(&other) > 0)
    };
    // A promotion changes more than a capture.
    best_capture(position) == 0 && !promotes(position) && !threat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Chess {
        centipawn_core::History::from_fen(fen, None)
            .unwrap()
            .position()
            .clone()
    }

    #[test]
    fn captures_are_played_out() {
        for (fen, pawns) in [
            // No capture is possible.
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", 0),
            // A defended pawn stays; an undefended knight falls.
            ("4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1", 0),
            ("4k3/8/3n4/8/8/8/8/3RK3 w - - 0 1", 3),
            // Two rooks on a file attack a knight that one rook defends, so the capture wins the
            // knight: the second rook recaptures.
            ("3rk3/8/3n4/8/8/8/3R4/3RK3 w - - 0 1", 3),
            // A pawn promotes, or takes and promotes.
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", 8),
            ("1n6/P3k3/8/8/8/8/8/4K3 w - - 0 1", 11),
        ] {
            assert_eq!(settled(&position(fen)), pawns, "{fen}");
        }
    }

    /// A capture at the end of a line does not count as a gain if the opponent can recapture.
    #[test]
    fn a_line_that_ends_in_an_exchange_is_played_out() {
        for (fen, pawns) in [
            ("4k3/2p5/3p4/3N4/8/8/8/3RK3 w - - 0 1", 1),
            ("1b2k3/2p5/3p4/3N4/8/8/8/3RK3 w - - 0 1", -2),
        ] {
            let start = position(fen);
            let history =
                centipawn_core::History::new(start.clone(), shakmaty::CastlingMode::Standard);
            let takes = history.parse_uci("d5c7").unwrap();
            let end = quiet_end(&start, &[takes], Color::White).unwrap();
            assert_eq!(
                end.balance - material_balance(start.board(), Color::White),
                pawns,
                "{fen}"
            );
        }
    }
}
