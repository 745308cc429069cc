//! Mates in three or fewer, which are always reported.

use centipawn_core::{Eval, MoveSymbol, Mover};

/// The longest mate that is always reported.
const MOVES: i32 = 3;

/// A short mate that a move missed or allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortMate {
    /// The best move mates in this many moves, 3 at most; the played one does not lead to mate.
    Missed(i32),
    /// The opponent mates in this many moves, 3 at most; the best move leads to no mate. A mate in one also counts if the best move
    /// delays it beyond three moves.
    Allowed(i32),
}

impl ShortMate {
    /// The short mate that decides between the best move and the played one.
    pub fn of(best: Eval<Mover>, played: Eval<Mover>) -> Option<Self> {
        let [best, played] = [best, played].map(|eval| eval.mate_moves().unwrap_or(0));
        let is_avoidable = best >= 0 || (played == -1 && best < -MOVES);
        if (-MOVES..0).contains(&played) && is_avoidable {
            return Some(ShortMate::Allowed(-played));
        }
        ((1..=MOVES).contains(&best) && played <= 0).then_some(ShortMate::Missed(best))
    }

    /// The symbol of such a move, whatever the curve: `?` at least.
    pub(crate) fn symbol(due: Option<MoveSymbol>) -> MoveSymbol {
        due.map_or(MoveSymbol::Mistake, |due| due.min(MoveSymbol::Mistake))
    }
}

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
    fn the_symbol_is_at_least_a_mistake() {
        use MoveSymbol::{Blunder, Dubious, Mistake};
        assert_eq!([None, Some(Dubious), Some(Blunder)].map(ShortMate::symbol), [Mistake, Mistake, Blunder]);
    }
}
