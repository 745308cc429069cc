//! Which files of games are counted: folders, tests in two places, fishtest's metadata.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use centipawn_pgn::{SourceError, Sources};
use centipawn_progress::{Problem, ProblemCount, Reporter};
use serde::{Deserialize, Serialize};

use super::{Chosen, Duplicate, FileFilter, find_duplicate};

/// Which files of those that are named are counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GamesSelection {
    /// Whether folders stand for the files directly in them only; by default for all files under them.
    pub flat: bool,
    /// Whether a test counts also where its games are in two folders; by default that is an error.
    pub allow_duplicates: bool,
    /// Which tests are counted; all by default.
    pub files: FileFilter,
}

/// What a [`GamesSelection`] leaves.
#[derive(Clone, Debug, Default)]
pub struct SelectedGames {
    /// The files.
    pub sources: Sources,
    /// Whether nothing that was named is there.
    pub missing: bool,
    /// Arguments and metadata that cannot be read; each was reported.
    pub problems: u64,
    /// Files of tests that are not wanted.
    pub filtered: u64,
    /// Files without metadata, which no filter can take.
    pub without_metadata: u64,
}

/// Why no files can be selected.
#[derive(Debug, thiserror::Error)]
pub enum SelectionError {
    /// Games would count twice.
    #[error(transparent)]
    Duplicate(#[from] Duplicate),
    /// A folder cannot be listed.
    #[error("cannot read the folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// A file vanished meanwhile.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl GamesSelection {
    /// The files that `arguments` name, less those that are not wanted. What is not there, and metadata that cannot be read,
    /// is reported and skipped.
    ///
    /// # Errors
    ///
    /// [`SelectionError`].
    pub fn choose(&self, arguments: &[PathBuf], reporter: &dyn Reporter) -> Result<SelectedGames, SelectionError> {
        let problems = ProblemCount::new(reporter);
        let sources = Sources::expand_reporting(&self.named(arguments)?, &problems);
        let missing = problems.errors() > 0 && sources.paths().is_empty();
        if let Some(duplicate) = find_duplicate(sources.paths(), self.allow_duplicates) {
            return Err(duplicate.into());
        }
        let selected = if self.files.is_open() {
            SelectedGames { sources, missing, ..SelectedGames::default() }
        } else {
            let report = |error| problems.problem(&Problem::error(error));
            let Chosen { paths, filtered, without_metadata } = self.files.choose(sources.paths(), report);
            let sources = Sources::expand(&paths)?;
            SelectedGames { sources, missing, filtered, without_metadata, ..SelectedGames::default() }
        };
        if self.files.is_lopsided() {
            problems.problem(&Problem::warning(
                "tests of an Elo window that is not symmetric favour one side's results; --sprt-only avoids that",
            ));
        }
        Ok(SelectedGames { problems: problems.errors(), ..selected })
    }

    /// The arguments, or for flat folders the files directly in them.
    fn named(&self, arguments: &[PathBuf]) -> Result<Vec<PathBuf>, SelectionError> {
        let mut named = Vec::new();
        for argument in arguments {
            if !self.flat || !argument.is_dir() {
                named.push(argument.clone());
                continue;
            }
            let error = |error| SelectionError::Folder { path: argument.clone(), error };
            let files = fs::read_dir(argument).map_err(error)?.map(|entry| entry.map(|entry| entry.path()));
            let mut files: Vec<_> = files.collect::<Result<_, _>>().map_err(error)?;
            files.retain(|path| path.is_file() && has_games(path));
            files.sort();
            named.append(&mut files);
        }
        Ok(named)
    }
}

fn has_games(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".pgn", ".pgn.gz", ".pgn.zst", ".pgn.bz2"].iter().any(|ending| name.ends_with(ending))
}
