//! Files as they lie around: plain or compressed.

use std::{
    fmt,
    fs::File,
    io::{self, BufReader, Cursor, Read},
    path::Path,
};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

/// The bytes of a file or of standard input, decompressed if they are compressed.
///
/// gzip (of several members too), Zstandard and bzip2 are found by their first bytes, whatever the name.
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
    /// [`SourceError`] if it cannot be opened or its first bytes not be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SourceError> {
        let path = path.as_ref();
        let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
        let opened =
            if path == Path::new("-") { decompressed(io::stdin()) } else { File::open(path).and_then(decompressed) };
        match opened {
            Ok(input) => Ok(Self { name, input }),
            Err(error) => Err(SourceError { name, error }),
        }
    }

    /// The path, or "standard input": for messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Read for Source {
    /// Errors name the file.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, SourceError { name: self.name.clone(), error }),
        })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A file that cannot be opened or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {name}: {error}")]
pub struct SourceError {
    /// The path, or "standard input".
    pub name: String,
    /// Why.
    #[source]
    pub error: io::Error,
}

fn decompressed(mut input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut magic)?;
    let kind = magic.clone();
    let whole = BufReader::with_capacity(128 << 10, Cursor::new(magic).chain(input));
    Ok(match kind.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(whole)),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(zstd::Decoder::with_buffer(whole)?),
        [b'B', b'Z', b'h', b'1'..=b'9'] => Box::new(MultiBzDecoder::new(whole)),
        _ => Box::new(whole),
    })
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
            assert_eq!(read(&[member.clone(), member].concat()).unwrap(), TEXT.repeat(2));
        }
        assert_eq!(read(b"").unwrap(), "");
        assert_eq!(read(b"[E").unwrap(), "[E");
    }

    #[test]
    fn errors_name_the_file() {
        let error = Source::open("/no/such.pgn").unwrap_err().to_string();
        assert!(error.starts_with("cannot read /no/such.pgn: No such file"), "{error}");
        let cut = gzip(TEXT);
        let error = read(&cut[..cut.len() - 9]).unwrap_err().to_string();
        assert!(error.starts_with("cannot read "), "{error}");
    }
}
