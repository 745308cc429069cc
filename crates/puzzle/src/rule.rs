//! The rule for when a move stands alone.

use serde::{Deserialize, Serialize};

use crate::Refusal;

/// The goal of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To win.
    Win,
    /// To save a position that every other move loses.
    Save,
}

/// From this expected score on, a win is so clear that an advantage beside it is not one more solution.
const CLEAR: f64 = 0.99;

/// Decides when a move stands alone: it reaches a goal that no other move reaches. All values are expected scores (0 to
/// 1) of the mover.
///
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// A move with at least this score wins. Default 0.9.
    pub won: f64,
    /// A move with at most this score does not win. Beside a win of 0.99 or more, a mate above all, moves up to the
    /// midpoint of this and [`won`](Self::won) do not. Default 0.6.
    pub not_won: f64,
    /// A move with at least this score saves the game. Default 0.4; the first move of a mined puzzle must reach 0.48.
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
    /// `slack` widens all limits in favour of the best move, to allow for the uncertainty of short searches. A negative value narrows
    /// that of the second move: a best move close to its own limit is searched again anyway.
    ///
    /// ```
    /// use centipawn_puzzle::{Goal, Rule};
    ///
    /// let rule = Rule::default();
    /// assert_eq!(rule.goal(0.97, 0.52, 0.0), Some(Goal::Win));
    /// assert_eq!(rule.goal(0.97, 0.75, 0.0), None);       // the second is nearly good enough
    /// assert_eq!(rule.goal(1.00, 0.75, 0.0), Some(Goal::Win));
    /// assert_eq!(rule.goal(0.50, 0.04, 0.0), Some(Goal::Save));
    /// assert_eq!(rule.goal(0.85, 0.62, 0.1), Some(Goal::Win));
    /// ```
    pub fn goal(&self, best: f64, second: f64, slack: f64) -> Option<Goal> {
        // Beside a clear win the limit is nearer to a win, so it gets half the slack.
        let doubt = if best >= CLEAR { slack / 2.0 } else { slack };
        let slack_of_best = slack.max(0.0);
        if best >= self.won - slack_of_best && second <= self.too_little(Goal::Win, best) + doubt {
            Some(Goal::Win)
        } else if (self.saved - slack_of_best..self.won).contains(&best) && second <= self.lost + slack {
            Some(Goal::Save)
        } else {
            None
        }
    }

    /// The refusal for a position whose best move, worth `best`, does not stand alone beside one worth `second`.
    pub(crate) fn refusal(&self, best: f64, second: f64) -> Refusal {
        if best >= self.won && second >= self.middle(Goal::Win) {
            Refusal::SecondWins
        } else if best >= self.saved {
            Refusal::NothingStandsOut
        } else {
            Refusal::NotWon
        }
    }

    /// The score up to which a move clearly misses the goal beside a best move worth `best`.
    pub fn too_little(&self, goal: Goal, best: f64) -> f64 {
        match goal {
            Goal::Win if best >= CLEAR => self.middle(goal),
            Goal::Win => self.not_won,
            Goal::Save => self.lost,
        }
    }

    /// The midpoint of the scores that surely reach and surely miss the goal: a lower score misses it.
    pub fn middle(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Win => (self.won + self.not_won) / 2.0,
            Goal::Save => (self.saved + self.lost) / 2.0,
        }
    }

    /// The score from which a move surely reaches the goal.
    pub fn reached(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Win => self.won,
            Goal::Save => self.saved,
        }
    }

    /// The midpoint of the scores at which another move, beside a best move worth `best`, clearly misses the goal and at
    /// which it reaches it.
    pub(crate) fn far_too_much(&self, goal: Goal, best: f64) -> f64 {
        (self.too_little(goal, best) + self.reached(goal)) / 2.0
    }

    /// Whether a move later in a solution is correct: it does not miss the goal, and is about as good as the best move.
    pub fn is_correct(&self, goal: Goal, score: f64, best: f64) -> bool {
        score >= self.middle(goal) && score >= best - self.margin
    }
}
