//! The inputs and outputs of a piece of work.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    AtomicFile, Cancel, FileError,
    atomic_file::{Target, link_target},
};

/// The inputs and outputs of a piece of work: opens its results, and refuses those that would replace an input or each other.
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
    /// As they were named; compared by where they lead.
    read: Vec<PathBuf>,
    written: Vec<PathBuf>,
}

impl Files {
    /// Work that reads these files; `-` is standard input.
    pub fn reading(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let mut files = Self::default();
        files.also_reads(paths);
        files
    }

    /// Adds files that are read.
    pub fn also_reads(&mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) {
        self.read.extend(paths.into_iter().map(Into::into).filter(|path| path != Path::new("-")));
    }

    /// Adds a database file with the files beside it, which SQLite and a server need: no result may replace them.
    pub fn also_reads_database(&mut self, path: &Path) {
        let beside = ["", "-wal", "-shm", "-journal", ".queue"].map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        });
        self.also_reads(beside);
    }

    /// Everything that is read.
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Every result so far.
    pub fn written(&self) -> &[PathBuf] {
        &self.written
    }

    /// Takes a place for a result without opening it.
    ///
    /// # Errors
    ///
    /// [`FileError::IsRead`], [`FileError::Twice`]. Devices and pipes are never refused.
    pub fn reserve(&mut self, path: &Path) -> Result<(), FileError> {
        let is_ordinary = path != Path::new("-") && fs::metadata(path).map_or(true, |existing| existing.is_file());
        let place = resolved(path);
        if is_ordinary && self.read.iter().any(|read| resolved(read) == place) {
            return Err(FileError::IsRead { path: path.to_owned() });
        }
        let is_standard_output = path == Path::new("-");
        let is_taken = |other: &PathBuf| {
            if is_standard_output { other == path } else { is_ordinary && resolved(other) == place }
        };
        if self.written.iter().any(is_taken) {
            return Err(FileError::Twice { path: path.to_owned() });
        }
        self.written.push(path.to_owned());
        Ok(())
    }

    /// Opens a result, as [`AtomicFile::create`] does.
    ///
    /// # Errors
    ///
    /// Those of [`reserve`](Self::reserve) and [`AtomicFile::create`].
    pub fn create(&mut self, path: &Path, cancel: &Cancel) -> Result<AtomicFile, FileError> {
        self.reserve(path)?;
        AtomicFile::create(path, cancel)
    }
}

/// Where a path leads: absolute, its links followed as [`AtomicFile`] follows them, also to what does not exist yet. Of a path that does
/// not exist the part that does is resolved.
pub fn resolved(path: &Path) -> PathBuf {
    let place = match link_target(path) {
        Target::Place(place) => place,
        Target::Descriptor | Target::Loop => path.to_owned(),
    };
    let absolute = std::path::absolute(&place).unwrap_or(place);
    let resolved = absolute.ancestors().find_map(|known| {
        let rest = absolute.strip_prefix(known).ok()?;
        known.canonicalize().ok().map(|known| if rest == Path::new("") { known } else { known.join(rest) })
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
            assert!(matches!(files.create(&at(name), &cancel), Err(FileError::IsRead { .. })), "{name}");
        }
        files.create(&at("out.pgn"), &cancel).unwrap();
        assert!(matches!(files.create(&at("./out.pgn"), &cancel), Err(FileError::Twice { .. })));
        #[cfg(unix)]
        {
            // A link to what does not exist yet.
            std::os::unix::fs::symlink("target.pgn", at("link.pgn")).unwrap();
            files.create(&at("link.pgn"), &cancel).unwrap();
            assert!(matches!(files.create(&at("target.pgn"), &cancel), Err(FileError::Twice { .. })));
        }
        files.reserve(Path::new("-")).unwrap();
        assert!(matches!(files.reserve(Path::new("-")), Err(FileError::Twice { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_by_anybody() {
        let mut files = Files::default();
        for _ in 0..2 {
            files.create(Path::new("/dev/null"), &Cancel::new()).unwrap();
        }
    }
}
