//! Result files that belong together.

use std::path::{Path, PathBuf};

use crate::{AtomicFile, Cancel, FileError, FolderFiles};

/// Result files that belong together: either all of them appear, or none.
///
/// [`place`](Self::place) first syncs all files to disk, because this step can fail, for example on
/// a full disk. Only then does it rename them. If the run was cancelled, its results are partial:
/// they never replace an existing file.
///
/// ```
/// use centipawn_progress::{Cancel, Placement};
///
/// let folder = tempfile::tempdir()?;
/// let mut results = Placement::new(&Cancel::new());
/// results.add_whole(&folder.path().join("games"), b"1\n")?;
/// results.add_whole(&folder.path().join("players"), b"2\n")?;
/// assert!(results.place()?.is_empty());
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 2);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Placement {
    is_cancelled: bool,
    cancel: Cancel,
    // Declared, and so dropped, before the folders: a folder is removed only if it is empty.
    files: Vec<AtomicFile>,
    folders: Vec<FolderFiles>,
    kept: Vec<PathBuf>,
}

impl Placement {
    /// Starts with the results of a run. Whether the run counts as cancelled is decided now, so
    /// that all its results are treated alike even if `cancel` is set between two of them.
    pub fn new(cancel: &Cancel) -> Self {
        Self {
            is_cancelled: cancel.is_set(),
            cancel: cancel.clone(),
            files: Vec::new(),
            folders: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Returns whether the run was cancelled when this value was created.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Returns the value that cancels the run.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Adds an existing result to the list of [kept](Self::place) files.
    pub fn keep(&mut self, path: PathBuf) {
        self.kept.push(path);
    }

    /// Adds a file. Returns whether it will be placed: after a cancel, an existing file stays
    /// instead.
    pub fn add(&mut self, file: AtomicFile) -> bool {
        let earlier = file
            .place()
            .filter(|place| self.is_cancelled && place.is_file());
        let is_placed = earlier.is_none();
        match earlier {
            Some(place) => self.kept.push(place.to_owned()),
            None => self.files.push(file),
        }
        is_placed
    }

    /// Adds a file with the contents `bytes`.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`] if it cannot be written.
    pub fn add_whole(&mut self, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        self.add(AtomicFile::with(path, bytes, &self.cancel)?);
        Ok(())
    }

    /// Adds the files of a folder. They are placed before all single files.
    pub fn add_folder(&mut self, folder: FolderFiles) {
        self.folders.push(folder);
    }

    /// Places all files, in the order in which they were added. Returns the existing files that
    /// were kept because the run was cancelled.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`]. If a file cannot be synced to disk, no file is replaced.
    pub fn place(mut self) -> Result<Vec<PathBuf>, FileError> {
        self.files.iter_mut().try_for_each(AtomicFile::complete)?;
        self.folders.iter().try_for_each(FolderFiles::complete)?;
        self.folders.into_iter().try_for_each(FolderFiles::place)?;
        self.files.into_iter().try_for_each(AtomicFile::put)?;
        Ok(self.kept)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn if_one_file_cannot_be_written_no_file_is_replaced() {
        use std::io::Write as _;

        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["first", "page"] {
            fs::write(at(name), "earlier").unwrap();
        }
        let mut results = Placement::new(&Cancel::new());
        let mut pages = FolderFiles::create(folder.path(), &[], |_| false).unwrap();
        pages.add("page", b"new").unwrap();
        results.add_folder(pages);
        results.add_whole(&at("first"), b"new").unwrap();
        // `/dev/full` accepts writes into the buffer and fails when it is flushed.
        let mut last = AtomicFile::create(Path::new("/dev/full"), &Cancel::new()).unwrap();
        last.write_all(b"new").unwrap();
        results.add(last);
        let error = results.place().unwrap_err().to_string();
        assert!(error.contains("/dev/full: No space left"), "{error}");
        for name in ["first", "page"] {
            assert_eq!(fs::read_to_string(at(name)).unwrap(), "earlier");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_cancel_after_the_placement_was_created_has_no_effect() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "earlier").unwrap();
        let cancel = Cancel::new();
        let mut results = Placement::new(&cancel);
        results.add_whole(&old, b"of the first").unwrap();
        // The placement was created before the cancel, so its results replace earlier files.
        cancel.set();
        results.add_whole(&new, b"of the first").unwrap();
        assert!(results.place().unwrap().is_empty());
        for path in [&old, &new] {
            assert_eq!(fs::read_to_string(path).unwrap(), "of the first");
        }

        fs::remove_file(&new).unwrap();
        let mut results = Placement::new(&cancel);
        results.add_whole(&old, b"a part").unwrap();
        results.add_whole(&new, b"a part").unwrap();
        assert_eq!(results.place().unwrap(), [old.canonicalize().unwrap()]);
        assert_eq!(fs::read_to_string(&old).unwrap(), "of the first");
        assert_eq!(fs::read_to_string(&new).unwrap(), "a part");
    }
}
