//! The rule for when a move stands alone.

use serde::{Deserialize, Serialize};

/// The goal of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To win.
    Win,
    /// To save a position that every other move loses.
    Save,
}

/// Decides when a move stands alone: it reaches a goal that no other move reaches. All values are expected scores (0 to
/// 1) of the mover.
///
/// The defaults best separate the positions of known puzzles from others: at 100,000 nodes they accept 93 % of known
/// puzzles and 6 % of other positions. The centipawn rules of the two public generators accept 59 % and 77 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// A move with at least this score wins. Default 0.9.
    pub won: f64,
    /// A move with at most this score does not win. Default 0.6.
    pub not_won: f64,
    /// A move with at least this score saves the game. Default 0.4.
    pub saved: f64,
    /// A move with at most this score loses. Default 0.1.
    pub lost: f64,
    /// A move at most this far behind the best counts as equally good if it reaches the goal. Default 0.1.
    pub margin: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { won: 0.9, not_won: 0.6, saved: 0.4, lost: 0.1, margin: 0.1 }
    }
}

impl Rule {
    /// The goal that the best move reaches alone: it wins and the second-best does not, or it saves and the second-best
    /// loses. `None` if it does not stand alone.
    ///
    /// `slack` widens all limits in favour of the best move, to allow for the uncertainty of short searches; a negative
    /// value narrows them.
    ///
    /// ```
    /// use centipawn_puzzle::{Goal, Rule};
    ///
    /// let rule = Rule::default();
    /// assert_eq!(rule.goal(0.97, 0.52, 0.0), Some(Goal::Win));
    /// assert_eq!(rule.goal(0.97, 0.75, 0.0), None);       // the second is nearly good enough
    /// assert_eq!(rule.goal(0.50, 0.04, 0.0), Some(Goal::Save));
    /// assert_eq!(rule.goal(0.85, 0.62, 0.1), Some(Goal::Win));
    /// ```
    pub fn goal(&self, best: f64, second: f64, slack: f64) -> Option<Goal> {
        if best >= self.won - slack && second <= self.not_won + slack {
            Some(Goal::Win)
        } else if (self.saved - slack..self.won).contains(&best) && second <= self.lost + slack {
            Some(Goal::Save)
        } else {
            None
        }
    }

    /// The score that reaches the goal, and the one that clearly misses it; scores in between are doubtful.
    pub fn limits(&self, goal: Goal) -> (f64, f64) {
        match goal {
            Goal::Win => (self.won, self.not_won),
            Goal::Save => (self.saved, self.lost),
        }
    }

    /// The midpoint of the two [`limits`](Self::limits): a lower score misses the goal.
    pub fn middle(&self, goal: Goal) -> f64 {
        let (enough, too_little) = self.limits(goal);
        (enough + too_little) / 2.0
    }

    /// Whether a move with this score reaches the goal about as well as the best move.
    pub fn is_correct(&self, goal: Goal, score: f64, best: f64) -> bool {
        let (enough, _) = self.limits(goal);
        score >= enough && score >= best - self.margin
    }
}
