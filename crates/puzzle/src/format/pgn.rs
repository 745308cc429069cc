//! Puzzles as PGN games. The tree is written as variations, and as commands in comments.

mod read;
mod write;

pub(super) use read::puzzles;
pub(super) use write::write;

/// The command with the expected score of a solver's move: `[%expected 0.97]`.
const EXPECTED: &str = "expected";
/// The command after a line's last move with the reason of its end: `[%end choice]`.
const END: &str = "end";
/// The text before the expected continuation in a comment.
const CONTINUATION: &str = "expected: ";
