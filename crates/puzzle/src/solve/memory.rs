//! When a puzzle should be repeated: the formula of FSRS, version 6.

/// How well a solver answered a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recall {
    /// A wrong move, or the solution was shown.
    Failed,
    /// Solved with hints.
    Hard,
    /// Solved without wrong moves and hints.
    Good,
}

impl Recall {
    /// The grade of FSRS, from 1 to 4. Grade 4 ("easy") is not used, because no answer
    /// distinguishes it from grade 3.
    fn grade(self) -> f64 {
        match self {
            Self::Failed => 1.0,
            Self::Hard => 2.0,
            Self::Good => 3.0,
        }
    }
}

/// What a solver remembers of a puzzle.
///
/// The formula is that of [FSRS 6](https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm)
/// (the Free Spaced Repetition Scheduler) with its default parameters, without learning steps: a
/// failed puzzle returns the next day. The tests contain values of its reference implementation,
/// [py-fsrs](https://github.com/open-spaced-repetition/py-fsrs) 6.3.1.
///
/// ```
/// use centipawn_puzzle::solve::{Memory, Recall};
///
/// let first = Memory::after(None, Recall::Good);
/// assert_eq!(first.days(), 2);
/// let second = Memory::after(Some((first, 2)), Recall::Good);
/// assert_eq!(second.days(), 11);
/// assert_eq!(Memory::after(Some((second, 11)), Recall::Failed).days(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Days after which the solver still knows the solution with a probability of 0.9.
    pub stability: f64,
    /// Difficulty of the puzzle for this solver, from 1 to 10.
    pub difficulty: f64,
}

/// The default parameters w₀ to w₂₀.
const W: [f64; 21] = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835,
    0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
];

/// The largest number of days between two repetitions, a hundred years.
const MOST_DAYS: f64 = 36_500.0;

impl Memory {
    /// Returns the memory after an answer. `before` is the memory after the previous answer, with
    /// the number of whole days since then; `None` for the first answer.
    pub fn after(before: Option<(Self, u32)>, recall: Recall) -> Self {
        let grade = recall.grade();
        let Some((before, days)) = before else {
            return Self {
                stability: W[grade as usize - 1],
                difficulty: initial_difficulty(grade).clamp(1.0, 10.0),
            };
        };
        let stability = if days == 0 {
            before.within_a_day(recall)
        } else if recall == Recall::Failed {
            before.forgotten(days)
        } else {
            before.recalled(days, recall)
        };
        Self {
            stability: stability.max(0.001),
            difficulty: before.next_difficulty(grade),
        }
    }

    /// Returns the probability that the solver still knows the solution after this number of days.
    pub fn retrievability(&self, days: u32) -> f64 {
        let decay = -W[20];
        let factor = 0.9_f64.powf(1.0 / decay) - 1.0;
        (1.0 + factor * f64::from(days) / self.stability).powf(decay)
    }

    /// Returns the number of days until the next repetition, at least 1. Then the solver is
    /// expected to know nine of ten solutions, so it is the stability in whole days.
    pub fn days(&self) -> u32 {
        self.stability.round_ties_even().clamp(1.0, MOST_DAYS) as u32
    }

    fn within_a_day(&self, recall: Recall) -> f64 {
        let growth = (W[17] * (recall.grade() - 3.0 + W[18])).exp() * self.stability.powf(-W[19]);
        let least = if recall == Recall::Good { 1.0 } else { 0.0 };
        self.stability * growth.max(least)
    }

    fn forgotten(&self, days: u32) -> f64 {
        let later = W[11]
            * self.difficulty.powf(-W[12])
            * ((self.stability + 1.0).powf(W[13]) - 1.0)
            * ((1.0 - self.retrievability(days)) * W[14]).exp();
        later.min(self.stability / (W[17] * W[18]).exp())
    }

    fn recalled(&self, days: u32, recall: Recall) -> f64 {
        let penalty = if recall == Recall::Hard { W[15] } else { 1.0 };
        let growth = W[8].exp()
            * (11.0 - self.difficulty)
            * self.stability.powf(-W[9])
            * (((1.0 - self.retrievability(days)) * W[10]).exp() - 1.0)
            * penalty;
        self.stability * (1.0 + growth)
    }

    fn next_difficulty(&self, grade: f64) -> f64 {
        let change = -W[6] * (grade - 3.0) * (10.0 - self.difficulty) / 9.0;
        // Difficulties drift slowly to that of a puzzle which is easy at the first answer.
        let next = W[7] * initial_difficulty(4.0) + (1.0 - W[7]) * (self.difficulty + change);
        next.clamp(1.0, 10.0)
    }
}

fn initial_difficulty(grade: f64) -> f64 {
    W[4] - (W[5] * (grade - 1.0)).exp() + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use Recall::{Failed, Good, Hard};

    /// Returns the memory after each answer, each with the days since the answer before.
    fn memories(answers: &[(u32, Recall)]) -> Vec<Memory> {
        let mut all: Vec<Memory> = Vec::new();
        for (days, recall) in answers {
            all.push(Memory::after(
                all.last().map(|before| (*before, *days)),
                *recall,
            ));
        }
        all
    }

    /// `test_memo_state` of py-fsrs.
    #[test]
    fn the_memory_is_that_of_the_reference() {
        let last = memories(&[
            (0, Failed),
            (0, Good),
            (1, Good),
            (3, Good),
            (8, Good),
            (21, Good),
        ]);
        let last = last.last().unwrap();
        assert!((last.stability - 53.62691).abs() < 1e-4, "{last:?}");
        assert!((last.difficulty - 6.3574867).abs() < 1e-4, "{last:?}");
    }

    /// `test_custom_scheduler_args` of py-fsrs. Its learning steps last minutes and have no
    /// interval here: the first answer, and both failures.
    #[test]
    fn the_intervals_are_those_of_the_reference() {
        let days = [0, 0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12];
        let recalls = [
            Good, Good, Good, Good, Good, Good, Failed, Failed, Good, Good, Good, Good, Good,
        ];
        let answers: Vec<(u32, Recall)> = days.into_iter().zip(recalls).collect();
        let intervals: Vec<u32> = memories(&answers).iter().map(Memory::days).collect();
        assert_eq!(intervals[1..6], [2, 11, 46, 163, 498]);
        assert_eq!(intervals[8..], [2, 4, 7, 12, 21]);
    }

    #[test]
    fn nine_of_ten_are_known_after_the_stability() {
        let memory = Memory {
            stability: 30.0,
            difficulty: 5.0,
        };
        assert!((memory.retrievability(30) - 0.9).abs() < 1e-12);
        assert_eq!(memory.retrievability(0), 1.0);
    }

    #[test]
    fn worse_answers_return_sooner() {
        let before = memories(&[(0, Good), (2, Good)])[1];
        let next = |recall| Memory::after(Some((before, 11)), recall);
        assert!(next(Failed).days() < next(Hard).days());
        assert!(next(Hard).days() < next(Good).days());
        assert!(next(Failed).difficulty > next(Hard).difficulty);
        assert!(next(Hard).difficulty > next(Good).difficulty);
    }
}
