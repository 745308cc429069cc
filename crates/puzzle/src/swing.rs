//! The evaluations around a position, and what they show.

use centipawn_core::{Curve, Eval, Mover};
use centipawn_engine::Line;
use shakmaty::Chess;

use crate::{
    Goal, Rule, Scorer,
    save::{EQUAL, MISTAKE},
};

/// Tolerance, in expected score, for differences between an evaluation from another source and the
/// verifying search.
const DOUBT: f64 = 0.15;
/// Tolerance for the evaluation of a short search. The first verifying search has the same slack.
const SHORT_DOUBT: f64 = 0.25;
/// A position is examined if the opponent's last move lost, or the played move loses, at least this
/// much expected score.
const SWING: f64 = 0.2;
/// Maximum number of moves of a mate that is always examined.
const SHORT_MATE: i32 = 5;

/// The expected score of a position for one side.
///
/// An evaluation in the game may come from an engine with another centipawn, or from a site with a
/// curve for people. It is converted on two scales, and a position is examined if either of them
/// allows a puzzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Worth {
    /// The expected score on the searching engine's scale, and on that of the evaluation's source.
    expected: [f64; 2],
    /// Number of moves to mate, negative if this side is mated; `None` without a mate.
    mate: Option<i32>,
    /// Whether the evaluation comes from the game.
    is_in_game: bool,
}

impl Worth {
    /// Creates the worth of a position with a known expected score.
    pub(crate) fn certain(expected: f64) -> Self {
        Self {
            expected: [expected; 2],
            mate: None,
            is_in_game: false,
        }
    }

    /// Creates the worth from a search, for the side to move in `position`.
    pub(crate) fn searched(line: Option<&Line>, scorer: &Scorer, position: &Chess) -> Self {
        let Some(line) = line else {
            return Self::certain(0.5);
        };
        Self {
            mate: line.eval.mate_moves(),
            ..Self::certain(scorer.of_line(line, position))
        }
    }

    /// Creates the worth from an evaluation in the game, for the side to move in `position`.
    /// `source` is the curve of the evaluation's source.
    pub(crate) fn in_game(
        eval: Eval<Mover>,
        scorer: &Scorer,
        source: Curve,
        position: &Chess,
    ) -> Self {
        let expected = [
            scorer.of_eval(eval, position),
            scorer.of_source(eval, source, position),
        ];
        Self {
            expected,
            mate: eval.mate_moves(),
            is_in_game: true,
        }
    }

    /// Returns the maximum of both values on each scale. `other` is the value after a move, so its
    /// mate is one move longer here.
    fn at_least(self, other: Self) -> Self {
        let expected = [0, 1].map(|scale| self.expected[scale].max(other.expected[scale]));
        let mate = match other.mate {
            Some(moves @ 1..) if self.mate.is_none_or(|mate| mate <= 0) => Some(moves + 1),
            _ => self.mate,
        };
        Self {
            expected,
            mate,
            ..self
        }
    }

    /// Returns the worth for the other side.
    pub(crate) fn to_opponent(self) -> Self {
        Self {
            expected: self.expected.map(|expected| 1.0 - expected),
            mate: self.mate.map(|moves| -moves),
            ..self
        }
    }
}

/// Expected scores in and around a position, all for the side to move in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swing {
    here: Worth,
    /// The expected score before the opponent's last move.
    before: Worth,
    /// After the played move; equal to `here` if the game ends in this position.
    played: Worth,
    /// Whether the played move sacrifices material.
    is_sacrifice: bool,
}

impl Swing {
    /// Creates a swing from the evaluations of a position, of the position before the opponent's
    /// last move, and of the position after the played move, if there is one. A position is worth
    /// at least as much as the position after the played move, even if its own short search missed
    /// that move.
    pub(crate) fn new(
        here: Worth,
        before: Worth,
        played: Option<Worth>,
        is_sacrifice: bool,
    ) -> Self {
        let here = played.map_or(here, |played| here.at_least(played));
        Self {
            here,
            before,
            played: played.unwrap_or(here),
            is_sacrifice,
        }
    }

    /// Returns whether the evaluations allow that one move is the only good one here, and that a
    /// mistake or a sacrifice led to it; or whether there is a short mate.
    pub(crate) fn is_worth_a_look(&self, rule: &Rule) -> bool {
        let is_short_mate = self
            .here
            .mate
            .is_some_and(|moves| (1..=SHORT_MATE).contains(&moves));
        let allows_save = self.allows_save();
        is_short_mate
            || self
                .by_scale()
                .any(|scores| self.may_stand_alone(rule, scores, allows_save))
    }

    fn may_stand_alone(
        &self,
        rule: &Rule,
        [here, before, played]: [f64; 3],
        allows_save: bool,
    ) -> bool {
        let doubt = if self.here.is_in_game {
            DOUBT
        } else {
            SHORT_DOUBT
        };
        let is_given = here - before >= SWING;
        let is_missed = here - played >= SWING;
        let is_kept_by_sacrifice = self.is_sacrifice && here - played < DOUBT;
        if here < rule.saved - doubt || !(is_given || is_missed || is_kept_by_sacrifice) {
            return false;
        }
        // A played move that is not the best is at most second best. The best move can be the only
        // good one only if the played move is bad enough.
        let is_other_move = here - played > DOUBT;
        let may_win = here >= rule.won - doubt
            && (!is_other_move || played <= rule.too_little(Goal::Win, here) + DOUBT);
        let is_equal = (EQUAL - doubt..rule.won).contains(&here);
        let may_save = is_equal && allows_save && (!is_other_move || played <= rule.lost + DOUBT);
        may_win || may_save
    }

    /// Returns whether the position is known to be won: by an evaluation in the game, or because a
    /// mate was found.
    pub(crate) fn is_known_won(&self, rule: &Rule) -> bool {
        let is_mate = self.here.mate.is_some_and(|moves| moves > 0);
        is_mate || self.here.is_in_game && self.by_scale().any(|[here, ..]| here >= rule.won)
    }

    /// Returns whether the opponent's last move lost expected score.
    pub(crate) fn is_given(&self) -> bool {
        self.by_scale()
            .any(|[here, before, _]| here - before >= SWING)
    }

    /// Returns whether the opponent's last move was a mistake that may allow a save. It must be one
    /// on both scales, because the evaluations of a site are on the scale on which the site
    /// measures mistakes.
    pub(crate) fn allows_save(&self) -> bool {
        self.by_scale()
            .all(|[here, before, _]| here - before >= MISTAKE)
    }

    /// Returns whether the played move certainly keeps the expected score. Then it is the solution,
    /// or there is none.
    pub(crate) fn is_kept(&self) -> bool {
        self.by_scale()
            .all(|[here, _, played]| here - played < DOUBT / 3.0)
    }

    /// Returns the expected scores here, before the opponent's move and after the played one, on
    /// each scale.
    fn by_scale(&self) -> impl Iterator<Item = [f64; 3]> {
        let Self {
            here,
            before,
            played,
            ..
        } = *self;
        (0..2).map(move |scale| [here, before, played].map(|worth| worth.expected[scale]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swing(here: Worth, before: Worth, played: Worth) -> Swing {
        Swing::new(here, before, Some(played), false)
    }

    fn mate(moves: i32) -> Worth {
        Worth {
            mate: Some(moves),
            ..Worth::certain(f64::from(u8::from(moves > 0)))
        }
    }

    #[test]
    fn a_short_mate_is_always_examined() {
        let won = Worth::certain(0.97);
        let is_examined =
            |here, before| swing(here, before, here).is_worth_a_look(&Rule::default());
        assert!(!is_examined(won, won));
        assert!(is_examined(mate(5), won));
        assert!(!is_examined(mate(6), won));
        // Examine the position even if the mover could already mate before the opponent's last
        // move: a puzzle needs a single solution, and that move may have removed the other ones.
        assert!(is_examined(mate(2), mate(3)));
    }

    #[test]
    fn a_position_is_worth_what_the_played_move_reaches() {
        let level = Worth::certain(0.5);
        let is_examined = |played| swing(level, level, played).is_worth_a_look(&Rule::default());
        assert!(is_examined(Worth::certain(0.98)));
        assert!(!is_examined(Worth::certain(0.6)));
        // If a mate in one is left after the move, there was a mate in two before it.
        assert_eq!(swing(level, level, mate(1)).here.mate, Some(2));
        assert_eq!(swing(mate(2), level, mate(4)).here.mate, Some(2));
    }

    #[test]
    fn a_short_search_is_trusted_less_than_the_game() {
        let is_examined = |is_in_game, expected: f64| {
            let here = Worth {
                is_in_game,
                ..Worth::certain(expected)
            };
            swing(here, Worth::certain(0.4), Worth::certain(0.45)).is_worth_a_look(&Rule::default())
        };
        assert!(is_examined(true, 0.76) && !is_examined(true, 0.74));
        assert!(is_examined(false, 0.66) && !is_examined(false, 0.64));
    }

    #[test]
    fn either_scale_may_allow_a_puzzle() {
        let scorer = Scorer::of_engine("Stockfish 15.1");
        let position = Chess::default();
        let in_game = |cp| Worth::in_game(Eval::cp(cp), &scorer, Curve::LICHESS, &position);
        // At +1.07, Stockfish 15.1 wins half of its games, which is too much for a second-best
        // move. On Lichess' curve it is 0.6.
        let swing = swing(in_game(600), in_game(0), in_game(107));
        let [by_engine, by_source] = [0, 1].map(|scale| swing.played.expected[scale]);
        assert!(
            by_engine > 0.75 && (by_source - 0.597).abs() < 0.001,
            "{by_engine} {by_source}"
        );
        assert!(swing.is_worth_a_look(&Rule::default()));
        assert!(swing.is_known_won(&Rule::default()) && swing.is_given());
    }
}
