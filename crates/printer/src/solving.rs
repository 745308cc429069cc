//! Formats the results of solving puzzles.

use std::time::Duration;

use centipawn_progress::text::plural;
use centipawn_puzzle::solve::SolveCounts;

/// Returns how many puzzles were solved in a session of this length: a line with the total, and one
/// for each kind of result that occurs.
pub fn solve_counts(counts: &SolveCounts, time: Duration) -> String {
    let SolveCounts {
        at_once,
        with_hints,
        after_mistakes,
        shown,
        skipped,
        ..
    } = *counts;
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

/// Formats a duration: `2:41`, `1:02:41`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}
