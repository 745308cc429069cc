//! How a sitting went.

use std::time::Duration;

use centipawn_progress::text::plural;

use super::Attempt;

/// Counts of puzzles by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SolveCounts {
    /// Solved without a mistake or a hint.
    pub at_once: u64,
    /// Solved with hints, without a mistake.
    pub with_hints: u64,
    /// Solved after mistakes.
    pub after_mistakes: u64,
    /// Not solved: the solver asked for the solution.
    pub shown: u64,
    /// Left for the next puzzle.
    pub skipped: u64,
}

impl SolveCounts {
    /// Counts a solved puzzle; returns `Solved`, `Solved with hints` or `Solved after mistakes`.
    pub fn solved(&mut self, attempt: &Attempt<'_>) -> &'static str {
        let (how, count) = match (attempt.mistakes(), attempt.hints()) {
            (0, 0) => ("Solved", &mut self.at_once),
            (0, _) => ("Solved with hints", &mut self.with_hints),
            (_, _) => ("Solved after mistakes", &mut self.after_mistakes),
        };
        *count += 1;
        how
    }

    /// The counts for people, after a sitting of this length: a line in all, and one for each kind that occurs.
    pub fn text(&self, time: Duration) -> String {
        let SolveCounts { at_once, with_hints, after_mistakes, shown, skipped } = *self;
        let solved = at_once + with_hints + after_mistakes;
        let (all, time) = (solved + shown + skipped, clock(time));
        let mut text = match all {
            0 => format!("No puzzle finished in {time}\n"),
            all => format!("{solved} of {} solved in {time}\n", plural(all, "puzzle")),
        };
        for (what, count) in [
            ("at first try", at_once),
            ("with hints", with_hints),
            ("after mistakes", after_mistakes),
            ("not solved", shown),
            ("skipped", skipped),
        ] {
            if count > 0 {
                text += &format!("{count:>5} {what}\n");
            }
        }
        text
    }
}

/// `2:41`, `1:02:41`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}
