//! Small documents, which are read whole.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use crate::{Cancel, Cancelled, ahead::read_stream};

/// Number of bytes read between two checks of the [`Cancel`].
const BLOCK: usize = 64 << 10;

/// A kind of document that is read whole, with the size up to which it is read.
///
/// Any name may lead to an endless device, a pipe or a small compressed file with terabytes of
/// zeros. So every document that is read whole has a limit far above all real ones. Its reader
/// fails there, and ends soon after the [`Cancel`] is set.
///
/// ```
/// use centipawn_progress::{Cancel, SmallDocument};
///
/// const NOTE: SmallDocument = SmallDocument::new("note", 1 << 20);
/// assert_eq!(NOTE.read_from(&b"short"[..], &Cancel::new())?, b"short");
/// let error = NOTE.read_from(std::io::repeat(b'x'), &Cancel::new()).unwrap_err();
/// assert_eq!(error.to_string(), "it is larger than 1 MiB, the limit for a note; give the right file, or a smaller one");
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SmallDocument {
    kind: &'static str,
    largest: u64,
}

impl SmallDocument {
    /// Creates a kind of document, such as "curve file", and its largest size in bytes: a multiple
    /// of 1 MiB.
    pub const fn new(kind: &'static str, largest: u64) -> Self {
        Self { kind, largest }
    }

    /// Reads a file, a device or a pipe. Waiting for a pipe ends when `cancel` is set.
    ///
    /// # Errors
    ///
    /// Those of the system, which do not name the file; an error that states the limit; an error of
    /// [`Cancelled`].
    pub fn read(self, path: &Path, cancel: &Cancel) -> io::Result<Vec<u8>> {
        self.read_from(open_input(path, cancel)?, cancel)
    }

    /// Returns the same as text.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), and one for bytes that are not UTF-8.
    pub fn read_text(self, path: &Path, cancel: &Cancel) -> io::Result<String> {
        let text = String::from_utf8(self.read(path, cancel)?);
        text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
    }

    /// Reads the rest of an open input.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub fn read_from(self, input: impl Read, cancel: &Cancel) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.limit(until(input, cancel)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns a reader that fails behind the limit, for parsers that read by themselves.
    pub fn limit<R: Read>(self, input: R) -> impl Read {
        Limited {
            input,
            left: self.largest,
            document: self,
        }
    }

    fn too_large(self) -> io::Error {
        let Self { kind, largest } = self;
        let limit = largest >> 20;
        io::Error::other(format!(
            "it is larger than {limit} MiB, the limit for a {kind}; give the right file, or a smaller one"
        ))
    }
}

/// The reader that [`SmallDocument::limit`] returns.
struct Limited<R> {
    input: R,
    left: u64,
    document: SmallDocument,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte behind the limit shows that the document is too large. No more than a block is
        // read between two checks for a cancel.
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .saturating_add(1)
            .min(BLOCK);
        let end = buffer.len().min(most);
        let read = self.input.read(&mut buffer[..end])?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| self.document.too_large())?;
        Ok(read)
    }
}

/// Opens a file for reading. A pipe or a device is opened and read on another thread, because both
/// may block until something is written; reading them ends soon after `cancel` is set.
///
/// # Errors
///
/// Those of the system, for files. Pipes and devices return theirs when they are read.
pub fn open_input(path: &Path, cancel: &Cancel) -> io::Result<Box<dyn Read + Send>> {
    let is_stream = fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
    if !is_stream {
        return Ok(Box::new(until(File::open(path)?, cancel)));
    }
    let path = path.to_owned();
    Ok(Box::new(read_stream(cancel, move || File::open(path))))
}

/// Returns a reader that fails with [`Cancelled`] once `cancel` is set, instead of reading on.
pub fn until<R: Read>(input: R, cancel: &Cancel) -> Until<R> {
    Until {
        input,
        cancel: cancel.clone(),
    }
}

/// The reader that [`until`] returns.
#[derive(Debug)]
pub struct Until<R> {
    input: R,
    cancel: Cancel,
}

impl<R: Read> Read for Until<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.cancel.check().map_err(io::Error::other)?;
        self.input.read(buffer)
    }
}

/// Returns whether an error of reading or writing only means that the work was cancelled.
pub fn is_cancelled(error: &io::Error) -> bool {
    error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Cancelled>())
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: SmallDocument = SmallDocument::new("note", 1 << 20);

    #[test]
    fn documents_up_to_the_limit_are_read() {
        let cancel = Cancel::new();
        for length in [0, 1, BLOCK as u64, 1 << 20] {
            let read = NOTE.read_from(io::repeat(b'x').take(length), &cancel);
            assert_eq!(read.unwrap().len() as u64, length);
        }
        assert!(
            NOTE.read_from(io::repeat(b'x').take((1 << 20) + 1), &cancel)
                .is_err()
        );
    }

    #[test]
    fn a_cancel_ends_reading() {
        let cancel = Cancel::new();
        cancel.set();
        assert!(is_cancelled(
            &NOTE.read_from(io::repeat(b'x'), &cancel).unwrap_err()
        ));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_an_end_is_too_large() {
        let error = NOTE
            .read(Path::new("/dev/zero"), &Cancel::new())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "it is larger than 1 MiB, the limit for a note; give the right file, or a smaller one"
        );
    }

    #[test]
    fn other_encodings_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note");
        fs::write(&path, b"K\xf6nig").unwrap();
        let error = NOTE
            .read_text(&path, &Cancel::new())
            .unwrap_err()
            .to_string();
        assert_eq!(error, "it is not text in UTF-8");
    }
}
