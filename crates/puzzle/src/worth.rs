//! What moves are worth, and when one of them stands alone.

use centipawn_core::{Context, Curve, Eval, Mover};
use centipawn_engine::{Analysis, Line};
use shakmaty::{Chess, Move};

/// From an engine's lines to expected scores.
///
/// Centipawns mean something else in every version of an engine; half the games were won at 1.13, 1.67 and 1.00 in three
/// Stockfishes. So all rules here speak of expected scores: the engine's own win/draw/loss where it gives them, or a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    curve: Curve,
    is_given: bool,
}

impl Scale {
    /// What an engine says itself, or else the curve that fits its name.
    pub fn of_engine(name: &str) -> Self {
        Self { curve: Curve::for_engine(name), is_given: false }
    }

    /// This curve, whatever the engine says.
    pub fn by(curve: Curve) -> Self {
        Self { curve, is_given: true }
    }

    /// Expected score of an evaluation, 0..=1.
    pub fn of_eval(&self, eval: Eval<Mover>, position: &Chess) -> f64 {
        self.curve.expected_score(eval, Context::of(position))
    }

    /// Expected score of a line for the side to move in `position`, 0..=1.
    pub fn of_line(&self, line: &Line, position: &Chess) -> f64 {
        match line.wdl {
            Some(wdl) if !self.is_given && line.eval.mate_moves().is_none() => wdl.expected_score(),
            _ => self.of_eval(line.eval, position),
        }
    }

    /// The moves of an analysis of `position` with their worth, best first.
    pub fn of_analysis(&self, analysis: &Analysis, position: &Chess) -> Vec<Worth> {
        let worth =
            |line: &Line| Worth { mv: line.first_move(), eval: line.eval, expected: self.of_line(line, position) };
        analysis.lines.iter().map(worth).collect()
    }
}

/// A move with what it is worth to the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// The move.
    pub mv: Move,
    /// As the engine says.
    pub eval: Eval<Mover>,
    /// Expected score, 0..=1.
    pub expected: f64,
}

/// What a solver is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To win.
    Win,
    /// To hold a position that any other move loses.
    Save,
}

/// When a move stands alone, in expected scores of the side that moves.
///
/// The defaults separate the positions of known puzzles best: at 100,000 nodes they accept 93 in 100 of them, and 6 in 100 of
/// others; the rules in centipawns of the public generators accept 59 and 77.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// From here on a move wins.
    pub won: f64,
    /// Up to here it does not.
    pub not_won: f64,
    /// From here on it saves, and does not lose.
    pub saved: f64,
    /// Up to here it loses.
    pub lost: f64,
    /// So far behind the best, a move that wins is as good.
    pub margin: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { won: 0.9, not_won: 0.6, saved: 0.4, lost: 0.1, margin: 0.1 }
    }
}

impl Rule {
    /// What the best move is for, if it stands alone: it wins and the second does not, or it saves and the second loses.
    ///
    /// `slack` moves all limits in favour of the best move: few nodes cannot tell for certain.
    ///
    /// ```
    /// use centipawn_puzzle::{Goal, Rule};
    ///
    /// let rule = Rule::default();
    /// assert_eq!(rule.goal(0.97, 0.52, 0.0), Some(Goal::Win));
    /// assert_eq!(rule.goal(0.97, 0.75, 0.0), None);       // the second is good enough, nearly
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

    /// What reaches the goal, and what clearly does not: between them lies doubt.
    pub fn limits(&self, goal: Goal) -> (f64, f64) {
        match goal {
            Goal::Win => (self.won, self.not_won),
            Goal::Save => (self.saved, self.lost),
        }
    }

    /// Half way between good and bad: what is worth less has missed the goal.
    pub fn middle(&self, goal: Goal) -> f64 {
        let (enough, too_little) = self.limits(goal);
        (enough + too_little) / 2.0
    }

    /// Whether a move reaches the goal as well as the best one does.
    pub fn is_correct(&self, goal: Goal, worth: f64, best: f64) -> bool {
        let (enough, _) = self.limits(goal);
        worth >= enough && worth >= best - self.margin
    }
}
