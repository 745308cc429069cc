//! The inputs and outputs of a command or a job.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    AtomicFile, Cancel, FileError,
    atomic_file::{Target, link_target},
};

/// The inputs and outputs of a command or a job. It opens results, and refuses a result that would
/// replace an input or another result.
///
/// ```
/// use std::path::Path;
///
/// use centipawn_progress::{Cancel, Files};
///
/// let mut files = Files::reading(["Cargo.toml"]);
/// let error = files.create(Path::new("src/../Cargo.toml"), &Cancel::new()).unwrap_err();
/// assert_eq!(error.to_string(), "src/../Cargo.toml is read, so it cannot be written as well");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Paths as the user wrote them. [`resolved`] paths are compared.
    read: Vec<PathBuf>,
    written: Vec<PathBuf>,
}

impl Files {
    /// Starts with these input files; `-` means standard input.
    pub fn reading(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let mut files = Self::default();
        files.also_reads(paths);
        files
    }

    /// Adds input files.
    pub fn also_reads(&mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) {
        self.read.extend(
            paths
                .into_iter()
                .map(Into::into)
                .filter(|path| path != Path::new("-")),
        );
    }

    /// Adds a database file and the files beside it that SQLite and the queue need, so that no
    /// result replaces them.
    pub fn also_reads_database(&mut self, path: &Path) {
        let beside = ["", "-wal", "-shm", "-journal", ".queue"].map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        });
        self.also_reads(beside);
    }

    /// Returns all input files, in the order in which they were added.
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Returns all results so far, in the order in which they were reserved.
    pub fn written(&self) -> &[PathBuf] {
        &self.written
    }

    /// Reserves a path for a result, without opening it.
    ///
    /// # Errors
    ///
    /// [`FileError::IsRead`] for an input, [`FileError::Twice`] for an earlier result. Devices and
    /// pipes are always accepted.
    pub fn reserve(&mut self, path: &Path) -> Result<(), FileError> {
        let is_ordinary = path != Path::new("-")
            && fs::metadata(path).map_or(true, |existing| existing.is_file());
        let place = resolved(path);
        if is_ordinary && self.read.iter().any(|read| resolved(read) == place) {
            return Err(FileError::IsRead {
                path: path.to_owned(),
            });
        }
        let is_standard_output = path == Path::new("-");
        let is_taken = |other: &PathBuf| {
            if is_standard_output {
                other == path
            } else {
                is_ordinary && resolved(other) == place
            }
        };
        if self.written.iter().any(is_taken) {
            return Err(FileError::Twice {
                path: path.to_owned(),
            });
        }
        self.written.push(path.to_owned());
        Ok(())
    }

    /// Reserves a path for a result and opens it, as [`AtomicFile::create`] does.
    ///
    /// # Errors
    ///
    /// Those of [`reserve`](Self::reserve) and [`AtomicFile::create`].
    pub fn create(&mut self, path: &Path, cancel: &Cancel) -> Result<AtomicFile, FileError> {
        self.reserve(path)?;
        AtomicFile::create(path, cancel)
    }
}

/// Returns the absolute path of the file that `path` leads to. Links are followed as [`AtomicFile`]
/// follows them, even to a file that does not exist yet. If `path` does not exist, its longest
/// existing ancestor is resolved.
pub fn resolved(path: &Path) -> PathBuf {
    let place = match link_target(path) {
        Target::Place(place) => place,
        Target::Descriptor | Target::Loop => path.to_owned(),
    };
    let absolute = std::path::absolute(&place).unwrap_or(place);
    let resolved = absolute.ancestors().find_map(|known| {
        let rest = absolute.strip_prefix(known).ok()?;
        known.canonicalize().ok().map(|known| {
            if rest == Path::new("") {
                known
            } else {
                known.join(rest)
            }
        })
    });
    resolved.unwrap_or(absolute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_replace_neither_inputs_nor_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let cancel = Cancel::new();
        fs::write(at("games.pgn"), "").unwrap();
        let mut files = Files::reading([at("games.pgn"), "-".into()]);
        files.also_reads_database(&at("store.db"));
        for name in ["games.pgn", "./games.pgn", "store.db", "store.db-wal"] {
            assert!(
                matches!(
                    files.create(&at(name), &cancel),
                    Err(FileError::IsRead { .. })
                ),
                "{name}"
            );
        }
        files.create(&at("out.pgn"), &cancel).unwrap();
        assert!(matches!(
            files.create(&at("./out.pgn"), &cancel),
            Err(FileError::Twice { .. })
        ));
        #[cfg(unix)]
        {
            // A link whose target does not exist yet.
            std::os::unix::fs::symlink("target.pgn", at("link.pgn")).unwrap();
            files.create(&at("link.pgn"), &cancel).unwrap();
            assert!(matches!(
                files.create(&at("target.pgn"), &cancel),
                Err(FileError::Twice { .. })
            ));
        }
        files.reserve(Path::new("-")).unwrap();
        assert!(matches!(
            files.reserve(Path::new("-")),
            Err(FileError::Twice { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn several_results_may_be_written_to_a_device() {
        let mut files = Files::default();
        for _ in 0..2 {
            files
                .create(Path::new("/dev/null"), &Cancel::new())
                .unwrap();
        }
    }
}
