//! File formats of puzzles, with a reader and a writer for all of them.

mod csv;
mod json;
mod pgn;

use std::{
    fmt,
    io::{self, BufRead, BufReader, Read, Write},
    str::FromStr,
};

use crate::{Puzzle, ReadError};

/// A file format for puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// CSV with the columns of Lichess' puzzle database:
    /// `PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags`.
    /// The FEN gives the position before the opponent's move. Columns may come in any order; only
    /// `FEN` and `Moves` are required, and unknown columns are ignored.
    Csv,
    /// JSON lines, one [`PuzzleDocument`](crate::PuzzleDocument) per line. Only this format keeps
    /// the whole tree and the provenance.
    Json,
    /// PGN with one game per puzzle, starting at the position before the opponent's move. The CSV
    /// columns become tags, and branches of the tree become variations.
    Pgn,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Json, Format::Pgn];

    /// Returns the format for a file name's extension, ignoring a compression suffix; `None` for an
    /// unknown extension.
    pub fn of_name(name: &str) -> Option<Self> {
        let mut parts = name.rsplit('.').map(str::to_ascii_lowercase);
        let mut last = parts.next()?;
        if matches!(last.as_str(), "gz" | "zst" | "bz2") {
            last = parts.next()?;
        }
        match last.as_str() {
            "csv" => Some(Format::Csv),
            "json" | "jsonl" | "ndjson" => Some(Format::Json),
            "pgn" => Some(Format::Pgn),
            _ => None,
        }
    }

    /// Detects the format from the first characters: `{` is JSON, `[` or a move number is PGN,
    /// everything else is CSV.
    fn of_text(start: &[u8]) -> Self {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => Format::Json,
            Some(b'[' | b'1'..=b'9' | b'%' | b';') => Format::Pgn,
            _ => Format::Csv,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Pgn => "pgn",
        })
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.to_string() == text)
            .ok_or(UnknownFormat)
    }
}

/// The name is not that of a [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("puzzles are written as csv, json or pgn")]
pub struct UnknownFormat;

/// Reads puzzles one after another. If a puzzle cannot be read, the next call continues with the
/// next puzzle.
///
/// ```
/// use centipawn_puzzle::Reader;
///
/// let csv = "PuzzleId,FEN,Moves\n\
///     a,6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1d8\n\
///     b,8/8/8/8/8/8/8/8 w - - 0 1,a2b2 d1d8\n";
/// let mut puzzles = Reader::new(csv.as_bytes(), None)?;
/// assert_eq!(puzzles.next().unwrap()?.id, "a");
/// let bad = puzzles.next().unwrap().unwrap_err();
/// assert!(bad.to_string().starts_with("line 3, puzzle b: not a position of chess"));
/// assert!(puzzles.next().is_none());
/// # Ok::<_, centipawn_puzzle::ReadError>(())
/// ```
pub struct Reader<'a>(Box<dyn Iterator<Item = Result<Puzzle, ReadError>> + Send + 'a>);

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl<'a> Reader<'a> {
    /// Reads from `input`. Without a `format`, the first characters determine it.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the input cannot be read, or a required column is missing.
    pub fn new(input: impl Read + Send + 'a, format: Option<Format>) -> Result<Self, ReadError> {
        let mut input = BufReader::with_capacity(1 << 18, input);
        let start = input.fill_buf().map_err(ReadError::Io)?;
        let format = format.unwrap_or_else(|| Format::of_text(start));
        Ok(Self(match format {
            Format::Csv => Box::new(csv::Puzzles::new(input)?),
            Format::Json => Box::new(json::puzzles(input)),
            Format::Pgn => Box::new(pgn::puzzles(input)),
        }))
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Puzzle, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// Writes puzzles one after another.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::{Format, Puzzle, Reader, Writer};
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
/// let mut out = Writer::new(Vec::new(), Format::Pgn);
/// out.write(&Puzzle::new(&start, ["a2b2", "d1d8"])?)?;
/// let pgn = out.finish()?;
/// let read = Reader::new(&*pgn, Some(Format::Pgn))?.next().unwrap()?;
/// assert_eq!(read.solution.moves().len(), 2);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    format: Format,
    is_begun: bool,
}

impl<W: Write> Writer<W> {
    /// Creates a writer. A CSV header is written with the first puzzle, or by
    /// [`finish`](Self::finish).
    pub fn new(out: W, format: Format) -> Self {
        Self {
            out,
            format,
            is_begun: false,
        }
    }

    /// Writes a puzzle.
    ///
    /// # Errors
    ///
    /// I/O errors of the output.
    pub fn write(&mut self, puzzle: &Puzzle) -> io::Result<()> {
        self.begin()?;
        match self.format {
            Format::Csv => csv::write(&mut self.out, puzzle),
            Format::Json => json::write(&mut self.out, puzzle),
            Format::Pgn => pgn::write(&mut self.out, puzzle),
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.format == Format::Csv && !self.is_begun {
            csv::write_header(&mut self.out)?;
        }
        self.is_begun = true;
        Ok(())
    }

    /// Completes the file and returns the output.
    ///
    /// # Errors
    ///
    /// I/O errors of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.begin()?;
        self.out.flush()?;
        Ok(self.out)
    }
}
