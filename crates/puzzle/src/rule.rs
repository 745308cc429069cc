//! The rule that decides whether a move is the only good one.

use serde::{Deserialize, Serialize};

use crate::Refusal;

/// The goal of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Reaching a winning expected score.
    Win,
    /// Saving a position that every other move loses.
    Save,
}

/// Expected score from which on a win is so clear that a smaller advantage is not a second
/// solution.
const CLEAR: f64 = 0.99;

/// Decides whether a move is the only good one: it reaches a goal that no other move reaches. All
/// values are expected scores (0 to 1) of the mover.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// A move with at least this score wins. Default 0.9.
    pub won: f64,
    /// A move with at most this score does not win. If the best move scores at least 0.99 (for
    /// example a mate), this limit is the midpoint between this value and [`won`](Self::won).
    /// Default 0.6.
    pub not_won: f64,
    /// A move with at least this score saves the game. Default 0.4; the first move of a mined
    /// puzzle must reach 0.48.
    pub saved: f64,
    /// A move with at most this score loses. Default 0.1.
    pub lost: f64,
    /// A move at most this far behind the best one counts as equally good if it reaches the goal.
    /// Default 0.1.
    pub margin: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            won: 0.9,
            not_won: 0.6,
            saved: 0.4,
            lost: 0.1,
            margin: 0.1,
        }
    }
}

impl Rule {
    /// Returns the goal that only the best move reaches: it wins and the second-best does not, or
    /// it saves and the second-best loses. `None` if there is no such goal.
    ///
    /// `slack` widens all limits in favour of the best move, because short searches are uncertain.
    /// A negative value narrows only the limit of the second move: a best move close to its own
    /// limit is searched again anyway.
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
        // If the win is clear, the limit of the second move is already halfway to a win, so it gets
        // only half the slack.
        let doubt = if best >= CLEAR { slack / 2.0 } else { slack };
        let slack_of_best = slack.max(0.0);
        if best >= self.won - slack_of_best && second <= self.too_little(Goal::Win, best) + doubt {
            Some(Goal::Win)
        } else if (self.saved - slack_of_best..self.won).contains(&best)
            && second <= self.lost + slack
        {
            Some(Goal::Save)
        } else {
            None
        }
    }

    /// Returns the refusal of a position whose best move scores `best` and is not the only good one
    /// beside a move that scores `second`.
    pub(crate) fn refusal(&self, best: f64, second: f64) -> Refusal {
        if best >= self.won && second >= self.middle(Goal::Win) {
            Refusal::SecondWins
        } else if best >= self.saved {
            Refusal::NothingStandsOut
        } else {
            Refusal::NotWon
        }
    }

    /// Returns the score up to which a move clearly misses the goal, if the best move scores
    /// `best`.
    pub(crate) fn too_little(&self, goal: Goal, best: f64) -> f64 {
        match goal {
            Goal::Win if best >= CLEAR => self.middle(goal),
            Goal::Win => self.not_won,
            Goal::Save => self.lost,
        }
    }

    /// Returns the midpoint between the scores that certainly reach and certainly miss the goal. A
    /// lower score misses it.
    pub(crate) fn middle(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Win => (self.won + self.not_won) / 2.0,
            Goal::Save => (self.saved + self.lost) / 2.0,
        }
    }

    /// Returns the score from which a move certainly reaches the goal.
    pub(crate) fn reached(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Win => self.won,
            Goal::Save => self.saved,
        }
    }

    /// Returns the midpoint between the scores at which another move clearly misses and certainly
    /// reaches the goal, if the best move scores `best`.
    pub(crate) fn far_too_much(&self, goal: Goal, best: f64) -> f64 {
        (self.too_little(goal, best) + self.reached(goal)) / 2.0
    }

    /// Returns whether a move later in a solution is correct: it does not miss the goal, and is
    /// about as good as the best move.
    pub(crate) fn is_correct(&self, goal: Goal, score: f64, best: f64) -> bool {
        score >= self.middle(goal) && score >= best - self.margin
    }
}
