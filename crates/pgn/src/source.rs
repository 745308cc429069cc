//! Plain and compressed input files.

use std::{
    borrow::Borrow,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Cursor, ErrorKind, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bzip2::read::MultiBzDecoder;
use centipawn_progress::{Cancel, is_address, read_stream, until};
use flate2::bufread::GzDecoder;

use crate::{
    frames::{FrameReader, Frames},
    pieces::Pieces,
    sources::name,
};

/// The bytes of a file or of standard input, decompressed if necessary.
///
/// gzip (also with several members), Zstandard (also with several frames, and skippable ones) and
/// bzip2 are recognised by their first bytes; the name does not matter. One thread decodes all of
/// it, unlike in a [scan](crate::scan()).
///
/// With the feature `http`, a path may be an address that begins with `http://` or `https://`. The
/// file there is read as it comes, at most a few megabytes ahead; redirects are followed. After a
/// broken connection the rest is requested, a few times and with pauses, if the server confirms by
/// an `ETag` or a time of change that it is the rest of the same file.
///
/// ```no_run
/// use centipawn_pgn::{Reader, Source};
///
/// let games = Reader::new(Source::open("games.pgn.zst")?);
/// # let _ = games;
/// # Ok::<_, centipawn_pgn::SourceError>(())
/// ```
pub struct Source {
    name: String,
    input: Box<dyn Read + Send>,
}

impl Source {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    ///
    /// [`SourceError`] if the file cannot be opened or its first bytes cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SourceError> {
        Self::opened(path.as_ref(), None)
    }

    /// Like [`open`](Self::open); once `cancel` is set, reading ends with an error, also while it
    /// waits for standard input, a pipe or an address.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    pub fn open_until(path: impl AsRef<Path>, cancel: &Cancel) -> Result<Self, SourceError> {
        Self::opened(path.as_ref(), Some(cancel))
    }

    fn opened(path: &Path, cancel: Option<&Cancel>) -> Result<Self, SourceError> {
        let name = name(path);
        let opened = match open_once(path, cancel) {
            Some(input) => input.and_then(decompressed),
            None => file_as_it_is(path).and_then(decompressed),
        };
        // A small compressed file may expand endlessly, so reading a file must be cancellable, too.
        let until_cancelled = |input| match cancel {
            Some(cancel) => Box::new(until(input, cancel)) as Box<dyn Read + Send>,
            None => input,
        };
        match opened {
            Ok(input) => Ok(Self {
                name,
                input: until_cancelled(input),
            }),
            Err(error) => Err(SourceError { name, error }),
        }
    }

    /// Reads from `input`, which `name` names in messages; compressed data is recognised as in
    /// files.
    ///
    /// # Errors
    ///
    /// [`SourceError`] if the first bytes cannot be read.
    pub fn of(name: &str, input: impl Read + Send + 'static) -> Result<Self, SourceError> {
        let name = name.to_owned();
        match decompressed(input) {
            Ok(input) => Ok(Self { name, input }),
            Err(error) => Err(SourceError { name, error }),
        }
    }

    /// Returns the path, the address without password and query, or "standard input", for messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Read for Source {
    /// Errors name the file.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => error,
            kind => io::Error::new(
                kind,
                SourceError {
                    name: self.name.clone(),
                    error,
                },
            ),
        })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// An input opened for a scan.
pub(crate) enum Opened {
    /// A plain file and its length in bytes; it can be read at any offset.
    Plain(Arc<File>, u64),
    /// Data that can only be read from beginning to end, and its frames if other threads can decode
    /// them ahead.
    Stream(Box<dyn Read + Send>, Option<Arc<Frames>>),
}

/// Opens an input. `read` counts the compressed bytes that were read from a stream. If `threads` is
/// above 1, that many threads can decode the frames of a Zstandard file at the same time. Once
/// `cancel` is set, waiting for standard input, a pipe or an address ends with an error.
pub(crate) fn open(
    path: &Path,
    read: &Arc<AtomicU64>,
    threads: usize,
    cancel: Option<&Cancel>,
) -> io::Result<Opened> {
    let stream = |input: Box<dyn Read + Send>| {
        let stream = decompressed(Counted {
            input,
            read: Arc::clone(read),
        })?;
        // The result for a damaged file does not depend on the scan's buffers.
        Ok(Opened::Stream(Box::new(Pieces::new(stream)), None))
    };
    if let Some(input) = open_once(path, cancel) {
        return stream(input?);
    }
    let file = File::open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return stream(Box::new(file));
    }
    let file = Arc::new(file);
    let mut magic = Vec::new();
    At {
        file: &*file,
        at: 0,
    }
    .take(MAGIC)
    .read_to_end(&mut magic)?;
    match Compression::of(&magic) {
        None => return Ok(Opened::Plain(file, about.len())),
        Some(Compression::Zstandard) if threads > 1 => {
            if let Some(reader) = FrameReader::open(&file, read, threads) {
                let frames = reader.frames();
                return Ok(Opened::Stream(Box::new(reader), Some(frames)));
            }
        }
        Some(_) => {}
    }
    stream(Box::new(At { file, at: 0 }))
}

/// Returns a file up to its present end: what is appended while it is read, as by `centipawn pgn
/// clean a.pgn >> a.pgn`, is not read.
fn file_as_it_is(path: &Path) -> io::Result<io::Take<File>> {
    let file = File::open(path)?;
    let length = match file.metadata()?.len() {
        // Files such as those in /proc have no length.
        0 => u64::MAX,
        length => length,
    };
    Ok(file.take(length))
}

/// Opens an input that can be read only once: standard input, a pipe, an address. `None` for files,
/// and for missing paths.
///
/// With `cancel`, another thread opens and reads a pipe, because both may block until something is
/// written.
fn open_once(path: &Path, cancel: Option<&Cancel>) -> Option<io::Result<Box<dyn Read + Send>>> {
    if is_address(path) {
        return Some(at_address(path, cancel));
    }
    let is_input = path == Path::new("-");
    if !is_input
        && path
            .metadata()
            .map_or(true, |about| about.is_file() || about.is_dir())
    {
        return None;
    }
    let path = path.to_owned();
    let open = move || -> io::Result<Box<dyn Read + Send>> {
        Ok(if is_input {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path)?)
        })
    };
    let Some(cancel) = cancel else {
        return Some(open());
    };
    Some(Ok(Box::new(read_stream(cancel, open))))
}

#[cfg(feature = "http")]
fn at_address(address: &Path, cancel: Option<&Cancel>) -> io::Result<Box<dyn Read + Send>> {
    if let Some(account) = address.to_str().and_then(crate::account::Account::parse) {
        let account = account.map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))?;
        return Ok(Box::new(crate::account::open(account, cancel)));
    }
    Ok(Box::new(crate::http::open(address, cancel)))
}

#[cfg(not(feature = "http"))]
fn at_address(address: &Path, _: Option<&Cancel>) -> io::Result<Box<dyn Read + Send>> {
    let advice = address
        .to_str()
        .and_then(crate::site_address::advice)
        .unwrap_or_default();
    Err(io::Error::new(ErrorKind::Unsupported, advice))
}

/// A file read from an offset, independently of other readers.
pub(crate) struct At<F> {
    pub(crate) file: F,
    pub(crate) at: u64,
}

impl<F: Borrow<File>> Read for At<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(self.file.borrow(), buffer, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(self.file.borrow(), buffer, self.at)?;
        #[cfg(not(any(unix, windows)))]
        let read = no_file(self.file.borrow(), buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Browsers have no files.
#[cfg(not(any(unix, windows)))]
fn no_file(_: &File, _: &mut [u8]) -> io::Result<usize> {
    Err(ErrorKind::Unsupported.into())
}

/// A reader that returns its error once, if it has one.
#[derive(Debug)]
pub(crate) struct Failing(pub(crate) Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Counts the bytes read.
struct Counted {
    input: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Number of bytes by which a compression is recognised.
pub(crate) const MAGIC: u64 = 4;

/// Number of bytes read at once for a decompressor, after the first.
pub(crate) const INPUT: usize = 128 << 10;

/// The compression of a file.
enum Compression {
    Gzip,
    Zstandard,
    Bzip2,
}

impl Compression {
    /// Recognises a compression from the first bytes.
    fn of(magic: &[u8]) -> Option<Self> {
        match magic {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            // A frame, or one without content, as pzstd begins its files.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Self::Zstandard)
            }
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            _ => None,
        }
    }
}

/// A file that cannot be opened or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {name}: {error}")]
#[non_exhaustive]
pub struct SourceError {
    /// The path, the address without password and query, or "standard input".
    pub name: String,
    /// The underlying error.
    #[source]
    pub error: io::Error,
}

fn decompressed(mut input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(MAGIC as usize);
    input.by_ref().take(MAGIC).read_to_end(&mut magic)?;
    let compression = Compression::of(&magic);
    let whole = BufReader::with_capacity(INPUT, Cursor::new(magic).chain(input));
    Ok(match compression {
        Some(Compression::Gzip) => Box::new(Members(Some(GzDecoder::new(whole)))),
        #[cfg(not(target_family = "wasm"))]
        Some(Compression::Zstandard) => Box::new(Decoded(zstd::Decoder::with_buffer(whole)?)),
        #[cfg(target_family = "wasm")]
        Some(Compression::Zstandard) => {
            let why = "files compressed by Zstandard cannot be read here; decompress it first";
            return Err(io::Error::new(ErrorKind::Unsupported, why));
        }
        Some(Compression::Bzip2) => Box::new(Decoded(MultiBzDecoder::new(whole))),
        None => Box::new(whole),
    })
}

/// The members of a gzip file, with [errors](decoding_error) that say what is wrong with the file;
/// `None` behind the last one.
struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(buffer).map_err(decoding_error)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            self.0 = match member.get_mut().fill_buf()? {
                [] => None,
                [0x1f, ..] => self
                    .0
                    .take()
                    .map(|member| GzDecoder::new(member.into_inner())),
                _ => {
                    self.0 = None;
                    let why = "bytes that are not compressed follow its compressed data; copy or download it again";
                    return Err(io::Error::new(ErrorKind::InvalidData, why));
                }
            };
        }
        Ok(0)
    }
}

/// A decoder whose [errors](decoding_error) explain what is wrong with the file.
pub(crate) struct Decoded<R>(pub(crate) R);

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(decoding_error)
    }
}

/// Returns a decoder's error in words about the file. Errors of the input itself, which have other
/// kinds, stay as they are.
///
/// Which name the library of Zstandard gives damage depends on the memory that the decoder needed
/// earlier, so all names count as one.
pub(crate) fn decoding_error(error: io::Error) -> io::Error {
    let text = error.to_string();
    let is_damage = matches!(
        error.kind(),
        ErrorKind::InvalidData | ErrorKind::InvalidInput
    ) || [
        "Destination buffer is too small",
        "Data corruption detected",
        "Unknown frame descriptor",
    ]
    .contains(&text.as_str());
    if error.kind() == ErrorKind::UnexpectedEof {
        let why = "its compressed data ends too early, so the file is incomplete; copy or download it again";
        io::Error::new(ErrorKind::UnexpectedEof, why)
    } else if is_damage {
        io::Error::new(
            ErrorKind::InvalidData,
            "its compressed data is damaged; copy or download it again",
        )
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;

    const TEXT: &str = "1. e4 *\n";

    fn read(bytes: &[u8]) -> io::Result<String> {
        let file = tempfile::NamedTempFile::new()?;
        fs::write(file.path(), bytes)?;
        io::read_to_string(Source::open(file.path()).unwrap())
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap()
    }

    fn bzip(text: &str) -> Vec<u8> {
        let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bz.write_all(text.as_bytes()).unwrap();
        bz.finish().unwrap()
    }

    #[test]
    fn compression_is_found_by_content() {
        let zst = zstd::encode_all(TEXT.as_bytes(), 1).unwrap();
        for member in [TEXT.as_bytes().to_vec(), gzip(TEXT), bzip(TEXT), zst] {
            assert_eq!(read(&member).unwrap(), TEXT);
            assert_eq!(
                read(&[member.clone(), member].concat()).unwrap(),
                TEXT.repeat(2)
            );
        }
        assert_eq!(read(b"").unwrap(), "");
        assert_eq!(read(b"[E").unwrap(), "[E");
    }

    #[test]
    fn bytes_behind_gzip_are_not_a_cut_file() {
        let error = |rest: &[u8]| read(&[&gzip(TEXT), rest].concat()).unwrap_err().to_string();
        for rest in [&b"\n"[..], &[0; 600], b"1. d4 1-0\n"] {
            assert!(
                error(rest).contains("bytes that are not compressed follow"),
                "{}",
                error(rest)
            );
        }
        assert!(error(&gzip(TEXT)[..9]).contains("ends too early"));
    }

    #[test]
    fn bytes_appended_while_reading_are_not_read() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(TEXT.as_bytes()).unwrap();
        let source = Source::open(file.path()).unwrap();
        file.write_all(TEXT.as_bytes()).unwrap();
        assert_eq!(io::read_to_string(source).unwrap(), TEXT);
    }

    #[test]
    fn errors_name_the_file() {
        let error = Source::open("/no/such.pgn").unwrap_err().to_string();
        assert!(
            error.starts_with("cannot read /no/such.pgn: ") && error.contains("(os error "),
            "{error}"
        );
        let cut = gzip(TEXT);
        let error = read(&cut[..cut.len() - 9]).unwrap_err().to_string();
        assert!(error.starts_with("cannot read "), "{error}");
    }
}
