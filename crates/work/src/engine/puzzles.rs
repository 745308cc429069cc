//! Puzzles from several files, one after another.

use std::path::{Path, PathBuf};

use centipawn_pgn::Source;
use centipawn_progress::{Cancel, Problem, Reporter};
use centipawn_puzzle::{Puzzle, ReadError, Reader};

/// The puzzles of all files, at most the first `first` of each. Unreadable puzzles and files are reported and skipped. Once `cancel` is
/// set, there are no more.
pub fn read_puzzles<'a>(
    files: &'a [PathBuf],
    first: Option<usize>,
    cancel: &'a Cancel,
    reporter: &'a dyn Reporter,
) -> impl Iterator<Item = Puzzle> + Send + 'a {
    files.iter().take_while(|_| !cancel.is_set()).flat_map(move |path| {
        let good = move |puzzle: Result<Puzzle, ReadError>| match puzzle {
            Ok(puzzle) => Some(puzzle),
            Err(_) if cancel.is_set() => None,
            // The error names the file.
            Err(ReadError::Io(error)) => {
                reporter.problem(&Problem::error(error));
                None
            }
            Err(error) => {
                reporter.problem(&Problem::error(error).of(path.display().to_string()));
                None
            }
        };
        open(path, cancel, reporter).into_iter().flatten().filter_map(good).take(first.unwrap_or(usize::MAX))
    })
}

fn open(path: &Path, cancel: &Cancel, reporter: &dyn Reporter) -> Option<Reader<'static>> {
    let report = |problem: Problem| {
        if !cancel.is_set() {
            reporter.problem(&problem);
        }
    };
    let source = Source::open_until(path, cancel).map_err(|error| report(Problem::error(error))).ok()?;
    let name = source.name().to_owned();
    Reader::new(source, None).map_err(|error| report(Problem::error(error).of(name))).ok()
}
