//! Results that appear whole or not at all.

use std::{
    fmt, fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::{
    Cancel, Placement, is_cancelled,
    stream_writer::{open_stream, standard_output},
    unnamed_file::UnnamedFile,
};

/// A result file that is being written and has not replaced its target yet.
///
/// An ordinary file is written without a name (or, where the system has no such files, beside its
/// place with a temporary one), and [`finish`](Self::finish) puts it in its place once it is on
/// disk, so that no reader ever sees a part of it; dropped without that, it leaves the previous
/// file. Other outputs (`-` for standard output, a pipe, a device) are written directly, and
/// waiting for their reader ends soon after a cancel.
///
/// ```
/// use std::{fs, io::Write as _};
///
/// use centipawn_progress::{AtomicFile, Cancel, Placed};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("result.txt");
/// fs::write(&path, "earlier")?;
/// let cancel = Cancel::new();
///
/// let mut file = AtomicFile::create(&path, &cancel)?;
/// write!(file, "a part")?;
/// drop(file);
/// assert_eq!(fs::read_to_string(&path)?, "earlier");
///
/// let mut file = AtomicFile::create(&path, &cancel)?;
/// write!(file, "complete")?;
/// assert_eq!(file.finish(&cancel)?, Placed::Written);
/// assert_eq!(fs::read_to_string(&path)?, "complete");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct AtomicFile(Inner);

enum Inner {
    Stream {
        out: Box<dyn Write + Send>,
        path: PathBuf,
    },
    File {
        out: BufWriter<UnnamedFile>,
        path: PathBuf,
    },
}

/// The outcome of a finished [`AtomicFile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The result was written to its path.
    Written,
    /// The run was cancelled, so the earlier result at this path was kept.
    Kept(PathBuf),
}

/// The reason why a result cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system returned an error.
    #[error("cannot write {}: {error}{advice}", path.display())]
    Write {
        /// Path of the result.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
        /// A hint for the user, with a separator before it; may be empty.
        advice: &'static str,
    },
    /// A folder for results cannot be made.
    #[error("cannot make the folder {}: {error}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
    /// The result would replace an input.
    #[error("{} is read, so it cannot be written as well", path.display())]
    IsRead {
        /// Path of the result.
        path: PathBuf,
    },
    /// Two results would go to the same place.
    #[error("two results cannot both go to {}", path.display())]
    Twice {
        /// Path of the result.
        path: PathBuf,
    },
}

impl FileError {
    pub(crate) fn write(path: &Path, error: io::Error, advice: &'static str) -> Self {
        FileError::Write {
            path: path.to_owned(),
            error: plain(error),
            advice,
        }
    }

    /// Returns whether the output was given up because its reader stalled when the work was
    /// cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, FileError::Write { error, .. } if is_cancelled(error))
    }

    /// Returns whether the caller asked for something impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        !matches!(self, FileError::Write { .. } | FileError::Folder { .. })
    }
}

/// Makes a folder for results, with those above it; one that exists already is as good.
///
/// # Errors
///
/// [`FileError::Folder`].
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    let cannot = |error| FileError::Folder {
        path: path.to_owned(),
        error,
    };
    if path.exists() && !path.is_dir() {
        return Err(cannot(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "it is a file; name another",
        )));
    }
    fs::create_dir_all(path).map_err(|error| cannot(plain(error)))
}

impl AtomicFile {
    /// Opens a result; `-` is standard output. [`Files::create`](crate::Files::create) also refuses
    /// to replace what is read. Opening and writing a pipe may have to wait for its reader; after
    /// `cancel` is set, they fail if the reader stalls.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`].
    pub fn create(path: &Path, cancel: &Cancel) -> Result<Self, FileError> {
        if path == Path::new("-") {
            return Ok(Self(Inner::Stream {
                out: standard_output(cancel),
                path: path.to_owned(),
            }));
        }
        if path.is_dir() {
            return Err(FileError::write(
                path,
                io::ErrorKind::IsADirectory.into(),
                "; name a file in it",
            ));
        }
        let cannot = |error| {
            FileError::write(
                path,
                error,
                "; does the folder exist, and may you write there?",
            )
        };
        // If the path is a link, write its target, so that it remains a link.
        let place = match link_target(path) {
            Target::Descriptor => None,
            Target::Place(place) => Some(place),
            Target::Loop => {
                let why = "it is a symbolic link that leads back to itself";
                let error = io::Error::other(why);
                return Err(FileError::write(
                    path,
                    error,
                    "; remove the link, or name another file",
                ));
            }
        };
        let existing = fs::metadata(path).ok();
        let is_ordinary = existing.as_ref().is_none_or(fs::Metadata::is_file);
        let Some(place) = place.filter(|_| is_ordinary) else {
            let out = open_stream(path, cancel).map_err(cannot)?;
            return Ok(Self(Inner::Stream {
                out,
                path: path.to_owned(),
            }));
        };
        // In the same folder, since a rename cannot leave the file system.
        let folder = match place.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let file = UnnamedFile::create_in(folder).map_err(cannot)?;
        if let Some(existing) = existing {
            file.file()
                .set_permissions(existing.permissions())
                .map_err(cannot)?;
        }
        Ok(Self(Inner::File {
            out: BufWriter::new(file),
            path: place,
        }))
    }

    /// Moves the complete result to its path.
    ///
    /// After `cancel` was set the result is partial: it never replaces an existing file, which
    /// stays and is [reported](Placed::Kept).
    ///
    /// # Errors
    ///
    /// [`FileError::Write`]; the previous file stays.
    pub fn finish(self, cancel: &Cancel) -> Result<Placed, FileError> {
        let mut results = Placement::new(cancel);
        results.add(self);
        Ok(results.place()?.pop().map_or(Placed::Written, Placed::Kept))
    }

    /// Returns where it will stand; `None` for a stream.
    pub(crate) fn place(&self) -> Option<&Path> {
        match &self.0 {
            Inner::Stream { .. } => None,
            Inner::File { path, .. } => Some(path),
        }
    }

    /// Brings everything written to disk.
    pub(crate) fn complete(&mut self) -> Result<(), FileError> {
        match &mut self.0 {
            Inner::Stream { out, path } => out
                .flush()
                .map_err(|error| FileError::write(path, error, "")),
            Inner::File { out, path } => {
                let completed = out.flush().and_then(|()| out.get_ref().file().sync_all());
                completed.map_err(|error| FileError::write(path, error, ""))
            }
        }
    }

    /// Gives a [complete](Self::complete) file its name.
    pub(crate) fn put(self) -> Result<(), FileError> {
        match self.0 {
            Inner::Stream { .. } => Ok(()),
            Inner::File { out, path } => {
                let (file, _) = out.into_parts();
                file.place(&path)
                    .map_err(|error| FileError::write(&path, error, ""))
            }
        }
    }

    /// Returns a file with these contents.
    pub(crate) fn with(path: &Path, bytes: &[u8], cancel: &Cancel) -> Result<Self, FileError> {
        let mut file = Self::create(path, cancel)?;
        file.write_all(bytes)
            .map_err(|error| FileError::write(path, error, ""))?;
        Ok(file)
    }

    /// Writes a whole file at once.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`].
    pub fn write_whole(path: &Path, bytes: &[u8], cancel: &Cancel) -> Result<Placed, FileError> {
        Self::with(path, bytes, cancel)?.finish(cancel)
    }

    /// Returns whether it is standard output.
    pub fn is_standard_output(&self) -> bool {
        matches!(&self.0, Inner::Stream { path, .. } if path == Path::new("-"))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Stream { out, .. } => out.write(bytes),
            Inner::File { out, .. } => out.write(bytes).map_err(plain),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Inner::Stream { out, .. } => out.flush(),
            Inner::File { out, .. } => out.flush().map_err(plain),
        }
    }
}

impl fmt::Debug for AtomicFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Inner::Stream { path, .. } | Inner::File { path, .. }) = &self.0;
        f.debug_tuple("AtomicFile").field(path).finish()
    }
}

/// The target of a path after following its links.
pub(crate) enum Target {
    /// An open descriptor (`/dev/stdout`, `/proc/self/fd/1`): whatever it is, it is written and
    /// never replaced.
    Descriptor,
    /// A file, which need not exist.
    Place(PathBuf),
    /// Nowhere: the links lead in a circle.
    Loop,
}

/// Follows links as the system does, also those whose target does not exist yet.
pub(crate) fn link_target(path: &Path) -> Target {
    const MOST_LINKS: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let absolute = std::path::absolute(&place).unwrap_or_else(|_| place.clone());
        let is_descriptor = absolute.starts_with("/dev/fd")
            || absolute.starts_with("/proc")
                && absolute
                    .parent()
                    .is_some_and(|folder| folder.ends_with("fd"));
        if is_descriptor {
            return Target::Descriptor;
        }
        let Ok(target) = fs::read_link(&place) else {
            return Target::Place(place.canonicalize().unwrap_or(place));
        };
        place = place
            .parent()
            .map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Target::Loop
}

/// Returns the system's error without the temporary file's name, which is meaningless to the user:
/// `tempfile` appends it to the reason.
fn plain(error: io::Error) -> io::Error {
    if let Some(code) = error.raw_os_error() {
        return io::Error::from_raw_os_error(code);
    }
    match error.to_string().split_once(" at path ") {
        Some((reason, _)) => io::Error::new(error.kind(), reason),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.txt");
        let mut file = AtomicFile::create(&path, &Cancel::new()).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert!(!path.exists());
        assert_eq!(
            AtomicFile::write_whole(&path, b"whole", &Cancel::new()).unwrap(),
            Placed::Written
        );
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_cancelled_run_keeps_an_earlier_result() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.txt");
        let cancel = Cancel::new();
        cancel.set();
        assert_eq!(
            AtomicFile::write_whole(&path, b"a part", &cancel).unwrap(),
            Placed::Written
        );
        let kept = AtomicFile::write_whole(&path, b"another", &cancel).unwrap();
        assert_eq!(kept, Placed::Kept(path.canonicalize().unwrap()));
        assert_eq!(fs::read(&path).unwrap(), b"a part");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("target.txt", at("link")).unwrap();
        AtomicFile::write_whole(&at("link"), b"text", &Cancel::new()).unwrap();
        assert!(at("link").is_symlink(), "a link to nothing stays a link");
        assert_eq!(fs::read(at("target.txt")).unwrap(), b"text");
        AtomicFile::write_whole(&at("link"), b"other", &Cancel::new()).unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(fs::read(at("target.txt")).unwrap(), b"other");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_are_refused_and_stay() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("self", at("self")).unwrap();
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        for name in ["self", "a", "b"] {
            let error = AtomicFile::write_whole(&at(name), b"text", &Cancel::new())
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(name) && error.contains("symbolic link that leads back to itself"),
                "{error}"
            );
            assert!(at(name).is_symlink(), "{name} is replaced");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_descriptor_is_written_and_not_replaced() {
        use std::os::{fd::AsRawFd as _, unix::fs::MetadataExt as _};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("open.txt");
        let open = fs::File::create(&path).unwrap();
        let descriptor = format!("/proc/self/fd/{}", open.as_raw_fd());
        AtomicFile::write_whole(Path::new(&descriptor), b"text", &Cancel::new()).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"text");
        assert_eq!(
            fs::metadata(&path).unwrap().ino(),
            open.metadata().unwrap().ino()
        );
    }

    #[test]
    fn errors_name_the_place() {
        let error = AtomicFile::create(Path::new("/no/such/folder/x"), &Cancel::new())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("cannot write /no/such/folder/x: ") && error.contains("(os error "),
            "{error}"
        );
        assert!(
            error.ends_with("does the folder exist, and may you write there?"),
            "{error}"
        );
        assert!(!error.contains(".centipawn-"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(folder.path(), &Cancel::new())
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with(": is a directory; name a file in it"),
            "{error}"
        );
    }
}
