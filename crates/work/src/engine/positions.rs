//! Positions as text: one by one, or in files with one on each line.

use std::{
    collections::VecDeque,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use centipawn_core::{FenError, History, IllegalMove};
use centipawn_pgn::{Shard, Source, Sources};
use centipawn_progress::{Cancel, LONGEST_LINE, Problem, ProblemCount, Reporter, is_address};

use super::epd::Epd;

/// The byte order mark that some programs write at the beginning of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// How often waiting for standard input checks for cancellation.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Positions, or games whose positions are used.
#[derive(Clone, Debug)]
pub enum PositionInput {
    /// Single positions.
    Positions(Positions),
    /// All positions of these games in which a move was played.
    Games(Sources),
}

/// Positions, and files of positions, which are read line by line: a file may have millions of
/// them.
#[derive(Clone, Debug)]
pub struct Positions {
    parts: Vec<PositionPart>,
    shard: Shard,
}

/// A part of [`Positions`].
#[derive(Clone, Debug)]
enum PositionPart {
    Position(Box<History>),
    File(PathBuf),
}

/// The reason why the arguments are no input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionInputError {
    /// The only argument is a position, and wrong.
    #[error(transparent)]
    Position(#[from] BadPosition),
    /// Some inputs are positions, others are games.
    #[error("give positions or games, not both: {} holds games", games.display())]
    Both {
        /// The first of the games.
        games: PathBuf,
    },
}

/// The reason why a text is not a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPosition {
    /// The FEN of an input is invalid.
    #[error("{fen}: {source}")]
    Fen {
        /// The FEN as it was given.
        fen: String,
        /// The underlying error.
        source: FenError,
    },
    /// A move after the FEN is illegal.
    #[error(transparent)]
    Move(#[from] IllegalMove),
}

/// Returns the position that a text describes: a FEN, a position of an EPD file, or `startpos`,
/// perhaps followed by `moves e2e4 …`.
///
/// ```
/// let game = centipawn_work::engine::parse_position("startpos moves e2e4 e7e5")?;
/// assert_eq!(game.moves().len(), 2);
/// assert!(centipawn_work::engine::parse_position("startpos moves e2e5").is_err());
/// # Ok::<_, centipawn_work::engine::BadPosition>(())
/// ```
///
/// # Errors
///
/// [`BadPosition`] if the FEN or a move is wrong.
pub fn parse_position(text: &str) -> Result<History, BadPosition> {
    let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let mut history = match start.trim() {
        "startpos" => History::default(),
        fen => fen.parse::<Epd>()?.position,
    };
    for uci in moves.split_whitespace() {
        history.push(history.parse_uci(uci)?);
    }
    Ok(history)
}

impl PositionInput {
    /// Reads what arguments name: positions, files of positions (one on each line; empty lines and
    /// lines that begin with `#` are skipped; a file may be compressed), or files of games. `-` is
    /// standard input.
    ///
    /// Unreadable arguments are reported and skipped now, unreadable lines of files when they are
    /// [read](Positions::read). Setting `cancel` ends the wait for standard input.
    ///
    /// # Errors
    ///
    /// [`PositionInputError`] if positions and games are mixed, or if the only argument is a wrong
    /// position.
    pub fn read<R: Reporter + 'static>(
        arguments: &[PathBuf],
        cancel: &Cancel,
        reporter: &Arc<ProblemCount<R>>,
    ) -> Result<Self, PositionInputError> {
        if let [only] = arguments
            && is_position(&only.to_string_lossy())
            && !only.exists()
        {
            return Ok(Self::Positions(
                vec![parse_position(&only.to_string_lossy())?].into(),
            ));
        }
        let mut parts = Vec::new();
        let mut games = Vec::new();
        let mut are_positions = false;
        for argument in arguments {
            if is_position(&argument.to_string_lossy()) && !argument.exists() {
                are_positions = true;
                match parse_position(&argument.to_string_lossy()) {
                    Ok(position) => parts.push(PositionPart::Position(Box::new(position))),
                    Err(error) => reporter.problem(&Problem::error(error)),
                }
            } else if holds_positions(argument, cancel) {
                are_positions = true;
                parts.push(PositionPart::File(argument.clone()));
            } else {
                games.push(argument.clone());
            }
        }
        match games.first() {
            Some(first) if are_positions => Err(PositionInputError::Both {
                games: first.clone(),
            }),
            Some(_) => Ok(Self::Games(Sources::expand_reporting(&games, reporter))),
            None => Ok(Self::Positions(Positions {
                parts,
                shard: Shard::ALL,
            })),
        }
    }

    /// Selects a part of the inputs: every Nth game or position.
    #[must_use]
    pub fn divided(self, shard: Shard) -> Self {
        match self {
            Self::Games(sources) => Self::Games(sources.divided(shard)),
            Self::Positions(positions) => Self::Positions(Positions { shard, ..positions }),
        }
    }

    /// Returns the sources of the games; none for positions.
    pub(crate) fn sources(&self) -> Sources {
        match self {
            PositionInput::Positions(_) => Sources::default(),
            PositionInput::Games(sources) => sources.clone(),
        }
    }
}

impl From<Vec<History>> for Positions {
    fn from(positions: Vec<History>) -> Self {
        let parts = positions
            .into_iter()
            .map(|position| PositionPart::Position(Box::new(position)))
            .collect();
        Self {
            parts,
            shard: Shard::ALL,
        }
    }
}

impl Positions {
    /// Reads the positions in order, one at a time. Invalid lines and unreadable files are reported
    /// and skipped. Once `cancel` is set, the positions end.
    pub fn read<R: Reporter + 'static>(
        self,
        cancel: &Cancel,
        reporter: &Arc<ProblemCount<R>>,
    ) -> impl Iterator<Item = History> + Send + use<R> {
        let (cancel, reporter) = (cancel.clone(), Arc::clone(reporter));
        let shard = self.shard;
        let mut parts = VecDeque::from(self.parts);
        let mut open: Option<PositionLines> = None;
        let positions = std::iter::from_fn(move || {
            loop {
                if let Some(lines) = &mut open {
                    match lines.next() {
                        Some(Ok(position)) => return Some(position),
                        Some(Err(_)) if cancel.is_set() => return None,
                        Some(Err(problem)) => reporter.problem(&problem),
                        None => open = None,
                    }
                    continue;
                }
                match parts.pop_front()? {
                    PositionPart::Position(position) => return Some(*position),
                    PositionPart::File(path) => match Source::open_until(&path, &cancel) {
                        Ok(source) => open = Some(PositionLines::new(&path, source)),
                        Err(_) if cancel.is_set() => return None,
                        Err(error) => reporter.problem(&Problem::error(error)),
                    },
                }
            }
        });
        (0..)
            .zip(positions)
            .filter(move |(index, _)| shard.takes(*index))
            .map(|(_, position)| position)
    }
}

/// The positions of a file, one on each line. Only one line is in memory.
struct PositionLines {
    name: String,
    input: BufReader<Source>,
    line: Vec<u8>,
    number: u64,
    has_failed: bool,
}

impl PositionLines {
    fn new(path: &Path, source: Source) -> Self {
        let name = path.display().to_string();
        Self {
            name,
            input: BufReader::new(source),
            line: Vec::new(),
            number: 0,
            has_failed: false,
        }
    }
}

impl Iterator for PositionLines {
    type Item = Result<History, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.has_failed {
            self.line.clear();
            self.number += 1;
            match self
                .input
                .by_ref()
                .take(LONGEST_LINE as u64)
                .read_until(b'\n', &mut self.line)
            {
                Ok(0) => return None,
                Ok(LONGEST_LINE) if !self.line.ends_with(b"\n") => {
                    self.has_failed = true;
                    let why = "the line is longer than 1 MiB, so this is no file of positions; the rest is skipped";
                    return Some(Err(Problem::error(why)
                        .of(self.name.clone())
                        .at_line(self.number)));
                }
                Ok(_) => {}
                // The error already names the file.
                Err(error) => {
                    self.has_failed = true;
                    return Some(Err(Problem::error(error)));
                }
            }
            let line = String::from_utf8_lossy(&self.line);
            let line = line
                .trim_start_matches(BYTE_ORDER_MARK)
                .trim_end_matches(['\r', '\n']);
            if !is_skipped(line) {
                let position = parse_position(line);
                return Some(position.map_err(|error| {
                    Problem::error(error)
                        .of(self.name.clone())
                        .at_line(self.number)
                }));
            }
        }
        None
    }
}

/// Returns whether a text looks like a position, right or wrong.
fn is_position(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first == "startpos" || !is_address(first.as_ref()) && first.matches('/').count() == 7
}

fn is_skipped(line: &str) -> bool {
    let line = line.trim_start_matches(BYTE_ORDER_MARK).trim();
    line.is_empty() || line.starts_with('#')
}

/// Returns whether a file holds positions.
fn holds_positions(path: &Path, cancel: &Cancel) -> bool {
    if path == Path::new("-") {
        // The peeked bytes stay in the buffer for the next reader.
        let peek = || {
            io::stdin()
                .lock()
                .fill_buf()
                .is_ok_and(begins_with_position)
        };
        return until(cancel, peek).unwrap_or(false);
    }
    path.is_file()
        && Source::open_until(path, cancel)
            .is_ok_and(|file| begins_with_position(BufReader::new(file)))
}

/// Returns whether the first line that is neither empty nor a comment looks like a position. Files
/// of games have no such comments, so a text of comments alone is the beginning of positions too.
fn begins_with_position(mut text: impl io::BufRead) -> bool {
    let mut has_comments = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        match text
            .by_ref()
            .take(LONGEST_LINE as u64)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return has_comments,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        if !is_skipped(&line) {
            return is_position(&line);
        }
        has_comments |= !line.trim().is_empty();
    }
}

/// Returns the result of `wait` on another thread; `None` soon after `cancel` is set.
fn until<T: Send + 'static>(
    cancel: &Cancel,
    wait: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, result) = mpsc::channel();
    thread::spawn(move || sender.send(wait()));
    loop {
        match result.recv_timeout(LOOK_UP) {
            Ok(result) => return Some(result),
            Err(mpsc::RecvTimeoutError::Timeout) if !cancel.is_set() => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _};

    use centipawn_progress::Silent;

    use super::*;

    #[test]
    fn files_of_positions_are_distinguished_from_games() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let comments = format!("\u{feff}# two and a bad one\n# {}\n\n", "-".repeat(10_000));
        let fens =
            "startpos moves e2e4\n8/8/4k3/8/8/8/3R4/4K3 w - - 0 1\n8/8/8/8/8/8/8/8 w - - 0 1\n";
        let fens = file("a.fen", &(comments + fens));
        let games = file("b.pgn", "[White \"Anna\"]\n\n1. e4 *\n");
        let cancel = Cancel::new();
        let problems = Arc::new(ProblemCount::new(Arc::new(Silent)));
        let PositionInput::Positions(positions) =
            PositionInput::read(&["startpos".into(), fens.clone()], &cancel, &problems).unwrap()
        else {
            panic!("positions")
        };
        let half = PositionInput::Positions(positions.clone()).divided(Shard::new(2, 2).unwrap());
        assert_eq!(problems.errors(), 0, "no line is read yet");
        assert_eq!(
            (
                positions.read(&cancel, &problems).count(),
                problems.errors()
            ),
            (3, 1)
        );
        let PositionInput::Positions(half) = half else {
            panic!("positions")
        };
        assert_eq!(half.read(&cancel, &problems).count(), 1);
        let compressed = folder.path().join("a.fen.gz");
        let mut gz = flate2::write::GzEncoder::new(
            fs::File::create(&compressed).unwrap(),
            flate2::Compression::fast(),
        );
        gz.write_all(&fs::read(&fens).unwrap()).unwrap();
        gz.finish().unwrap();
        let read = PositionInput::read(&[compressed], &cancel, &problems).unwrap();
        let PositionInput::Positions(read) = read else {
            panic!("positions")
        };
        assert_eq!(read.read(&cancel, &problems).count(), 2);
        let long = file(
            "c.fen",
            &format!("startpos\n{}", "8".repeat(2 * LONGEST_LINE)),
        );
        let before = problems.errors();
        let PositionInput::Positions(positions) =
            PositionInput::read(&[long], &cancel, &problems).unwrap()
        else {
            panic!("positions")
        };
        assert_eq!(
            (
                positions.read(&cancel, &problems).count(),
                problems.errors() - before
            ),
            (1, 1)
        );
        let cancelled = Cancel::new();
        cancelled.set();
        let all = || Positions {
            parts: vec![PositionPart::File(fens.clone())],
            shard: Shard::ALL,
        };
        assert_eq!(all().read(&cancelled, &problems).count(), 0);
        assert!(
            begins_with_position(&b"# comments alone\n"[..]) && !begins_with_position(&b"\n\n"[..])
        );
        assert!(matches!(
            PositionInput::read(std::slice::from_ref(&games), &cancel, &problems),
            Ok(PositionInput::Games(_))
        ));
        assert!(matches!(
            PositionInput::read(&[games, fens], &cancel, &problems),
            Err(PositionInputError::Both { .. })
        ));
    }
}
