//! Puzzles as PGN games: the tree is written as variations and commands in comments, and read back from them.

mod read;
mod write;

pub(super) use read::puzzles;
pub(super) use write::write;

/// The command with the expected score of a solver's move: `[%expected 0.97]`.
const EXPECTED: &str = "expected";
/// The command after a line's last move that names why it ends: `[%end choice]`.
const END: &str = "end";
/// What stands before the expected continuation in a comment.
const CONTINUATION: &str = "expected: ";
