//! The inputs of every command besides its options, and its result.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use centipawn_pgn::{ScanOptions, Shard};
use centipawn_progress::{Cancel, Outcome, Reporter};

use crate::scan::part_header;

/// The inputs of a command over games, and how problems are handled.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Files, folders and patterns of games; or all parts of an earlier scan.
    pub games: &'a [PathBuf],
    /// The file that the state is written to as a part; `None` for results instead.
    pub partial: Option<&'a Path>,
    /// Whether documents name the files with their hashes, which reads them a second time.
    pub is_hashed: bool,
}

impl<'a> Inputs<'a> {
    /// Games whose results will name them with their hashes.
    pub fn new(games: &'a [PathBuf]) -> Self {
        Self {
            games,
            partial: None,
            is_hashed: true,
        }
    }

    /// Returns whether parts are named instead of games.
    pub(crate) fn has_parts(&self) -> bool {
        self.games.iter().any(|path| part_header(path).is_some())
    }
}

/// The way in which a command runs. Its fields do not change results.
///
/// ```
/// use std::{num::NonZeroUsize, path::PathBuf};
///
/// use centipawn_progress::{Cancel, Silent};
/// use centipawn_work::{
///     Inputs, Run,
///     scan::{MatchRunOptions, match_games},
/// };
///
/// # let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// let games = [PathBuf::from(format!("{root}/examples/selfplay.pgn.gz"))];
/// let cancel = Cancel::new();
/// let run = Run {
///     threads: NonZeroUsize::new(2),
///     strict: true,
///     ..Run::new(&cancel, &Silent)
/// };
/// let finished = match_games(&MatchRunOptions::default(), Inputs::new(&games), run)?;
/// assert_eq!(finished.result.unwrap().document.games, 130);
/// assert_eq!(finished.outcome.skipped, 0);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Ends the work early.
    pub cancel: &'a Cancel,
    /// Receives progress and problems.
    pub reporter: &'a dyn Reporter,
    /// Number of threads that read games; by default one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Whether the first unreadable game is an error, instead of a problem that is reported.
    pub strict: bool,
}

impl<'a> Run<'a> {
    /// Creates a run on all cores that skips what cannot be read.
    pub fn new(cancel: &'a Cancel, reporter: &'a dyn Reporter) -> Self {
        Self {
            cancel,
            reporter,
            threads: None,
            strict: false,
        }
    }

    pub(crate) fn scan(&self, shard: Shard) -> ScanOptions<'a> {
        let Self {
            cancel,
            reporter,
            threads,
            strict,
        } = *self;
        ScanOptions {
            threads,
            shard,
            strict,
            reporter: Some(reporter),
            cancel: Some(cancel),
            ..ScanOptions::default()
        }
    }
}

/// The result of a command.
#[derive(Debug)]
pub struct Finished<D> {
    /// The result; `None` where a [part](Inputs::partial) was written in its place.
    pub result: Option<D>,
    /// How much was done and skipped.
    pub outcome: Outcome,
}
