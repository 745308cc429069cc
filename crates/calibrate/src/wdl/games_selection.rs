//! Selects files of games: folders, duplicate tests, fishtest's metadata.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use centipawn_pgn::{SourceError, Sources};
use centipawn_progress::{Problem, ProblemCount, Reporter};
use serde::{Deserialize, Serialize};

use super::{Chosen, Duplicate, FileFilter, find_duplicate};

/// Options that decide which of the named files are counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GamesSelection {
    /// Whether a folder stands only for the files directly in it; by default (false) it stands for
    /// all files below it.
    pub flat: bool,
    /// Whether to accept a test whose games are in two folders; by default (false) that is an
    /// error.
    pub allow_duplicates: bool,
    /// Filters of tests by their metadata; by default all tests are accepted.
    pub files: FileFilter,
}

/// The result of [`GamesSelection::choose`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedGames {
    /// The selected files. They are not serialised.
    #[serde(skip)]
    pub sources: Sources,
    /// Whether none of the named files exists.
    pub missing: bool,
    /// Number of arguments and metadata files that could not be read. Each one was reported.
    pub problems: u64,
    /// Number of files of rejected tests.
    pub filtered: u64,
    /// Number of files rejected because they have no metadata.
    pub without_metadata: u64,
}

/// Why files cannot be selected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// Some games would count twice.
    #[error(transparent)]
    Duplicate(#[from] Duplicate),
    /// A folder cannot be listed.
    #[error("cannot read the folder {}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// A file was deleted after it was listed.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl GamesSelection {
    /// Selects from the files that `arguments` name. Missing files and unreadable metadata are
    /// reported and skipped.
    ///
    /// # Errors
    ///
    /// [`SelectionError`], if games would count twice or a folder or file cannot be read.
    pub fn choose(
        &self,
        arguments: &[PathBuf],
        reporter: &dyn Reporter,
    ) -> Result<SelectedGames, SelectionError> {
        let problems = ProblemCount::new(reporter);
        let sources = Sources::expand_reporting(&self.named(arguments)?, &problems);
        let missing = problems.errors() > 0 && sources.paths().is_empty();
        if let Some(duplicate) = find_duplicate(sources.paths(), self.allow_duplicates) {
            return Err(duplicate.into());
        }
        let selected = if self.files.is_open() {
            SelectedGames {
                sources,
                missing,
                ..SelectedGames::default()
            }
        } else {
            let report = |error| problems.problem(&Problem::error(error));
            let Chosen {
                paths,
                filtered,
                without_metadata,
            } = self.files.choose(sources.paths(), report);
            let sources = Sources::expand(&paths)?;
            SelectedGames {
                sources,
                missing,
                filtered,
                without_metadata,
                ..SelectedGames::default()
            }
        };
        if self.files.is_lopsided() {
            problems.problem(&Problem::warning(
                "tests of an Elo window that is not symmetric favour one side's results; the option `sprt_only` avoids that",
            ));
        }
        Ok(SelectedGames {
            problems: problems.errors(),
            ..selected
        })
    }

    /// Returns the arguments. With `flat`, folders are replaced by the files directly in them.
    fn named(&self, arguments: &[PathBuf]) -> Result<Vec<PathBuf>, SelectionError> {
        let mut named = Vec::new();
        for argument in arguments {
            if !self.flat || !argument.is_dir() {
                named.push(argument.clone());
                continue;
            }
            let error = |error| SelectionError::Folder {
                path: argument.clone(),
                error,
            };
            let files = fs::read_dir(argument)
                .map_err(error)?
                .map(|entry| entry.map(|entry| entry.path()));
            let mut files: Vec<_> = files.collect::<Result<_, _>>().map_err(error)?;
            files.retain(|path| path.is_file() && has_games(path));
            files.sort();
            named.append(&mut files);
        }
        Ok(named)
    }
}

fn has_games(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    [".pgn", ".pgn.gz", ".pgn.zst", ".pgn.bz2"]
        .iter()
        .any(|ending| name.ends_with(ending))
}
