//! Mates in three or fewer, which are always reported.

use centipawn_core::{Eval, MoveSymbol, Mover};

/// Number of moves of the longest mate that is always reported.
const MOVES: i32 = 3;

/// A short mate that a move missed or allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortMate {
    /// The best move mates in this many moves, 3 at most; the played one does not lead to mate.
    Missed(i32),
    /// The opponent mates in this many moves, 3 at most; the best move leads to no mate. A mate in
    /// one also counts if the best move delays it beyond three moves.
    Allowed(i32),
}

impl ShortMate {
    /// Returns the short mate that decides between the best move and the played one.
    pub fn of(best: Eval<Mover>, played: Eval<Mover>) -> Option<Self> {
        let [best, played] = [best, played].map(|eval| eval.mate_moves().unwrap_or(0));
        let is_avoidable = best >= 0 || (played == -1 && best < -MOVES);
        if (-MOVES..0).contains(&played) && is_avoidable {
            return Some(ShortMate::Allowed(-played));
        }
        ((1..=MOVES).contains(&best) && played <= 0).then_some(ShortMate::Missed(best))
    }

    /// Returns the symbol of a move that allows or misses a short mate; `due` is its symbol by the
    /// loss alone. The result is at least `?`, and `??` for a mate in one allowed in a playable
    /// position. In a position that is lost anyway, an allowed mate keeps `due`. `best` is the
    /// expected score of the best move, and `loss` the expected score that the played move loses,
    /// 0..=1.
    pub(crate) fn symbol(
        self,
        due: Option<MoveSymbol>,
        best: f64,
        loss: f64,
    ) -> Option<MoveSymbol> {
        let at_least = |least: MoveSymbol| Some(due.map_or(least, |due| due.min(least)));
        match self {
            ShortMate::Allowed(_) if loss < NOTHING_TO_LOSE => due,
            ShortMate::Allowed(1) if best > LOST => at_least(MoveSymbol::Blunder),
            _ => at_least(MoveSymbol::Mistake),
        }
    }
}

/// A smaller loss of expected score means that the position was lost already.
const NOTHING_TO_LOSE: f64 = 1.0 / 20.0;
/// A position with at most this expected score counts as lost.
const LOST: f64 = 1.0 / 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_mates_are_seen() {
        use ShortMate::{Allowed, Missed};
        let (cp, mate) = (Eval::cp, Eval::mate);
        for (best, played, expected) in [
            (cp(-900), mate(-1), Some(Allowed(1))),
            (cp(30), mate(-3), Some(Allowed(3))),
            (cp(30), mate(-4), None),
            (mate(-8), mate(-2), None),
            (mate(-8), mate(-1), Some(Allowed(1))),
            (mate(-3), mate(-1), None),
            (mate(2), mate(-2), Some(Allowed(2))),
            (mate(1), cp(900), Some(Missed(1))),
            (mate(3), mate(-7), Some(Missed(3))),
            (mate(2), mate(9), None),
            (mate(4), cp(0), None),
            (cp(0), cp(0), None),
        ] {
            assert_eq!(ShortMate::of(best, played), expected, "{best:?} {played:?}");
        }
    }

    #[test]
    fn the_symbol_depends_on_what_was_left_to_lose() {
        use MoveSymbol::{Blunder, Dubious, Mistake};
        use ShortMate::{Allowed, Missed};
        for (mate, due, best, loss, expected) in [
            (Missed(3), None, 1.0, 0.01, Some(Mistake)),
            (Missed(2), Some(Blunder), 1.0, 0.5, Some(Blunder)),
            (Allowed(3), Some(Dubious), 0.4, 0.4, Some(Mistake)),
            (Allowed(1), Some(Dubious), 0.2, 0.2, Some(Blunder)),
            (Allowed(1), None, 0.1, 0.1, Some(Mistake)),
            (Allowed(1), None, 0.02, 0.02, None),
            (Allowed(2), None, 0.04, 0.04, None),
        ] {
            assert_eq!(
                mate.symbol(due, best, loss),
                expected,
                "{mate:?} {due:?} {best} {loss}"
            );
        }
    }
}
