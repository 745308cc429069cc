//! Positions as text: one by one, or in files with one on each line.

use std::{
    io::{self, BufRead as _, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use centipawn_core::{FenError, History, IllegalMove};
use centipawn_pgn::{Shard, Source, Sources};
use centipawn_progress::{Cancel, LONGEST_LINE, Problem, ProblemCount, Reporter, is_address};

use super::epd::Epd;

/// Stands before the text of some files.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// How often waiting for standard input checks for cancellation.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Positions, or games whose positions are looked at.
#[derive(Clone, Debug)]
pub enum PositionInput {
    /// Single positions.
    Positions(Vec<History>),
    /// All positions of these games in which a move was played.
    Games(Sources),
}

/// Why the arguments are no input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionInputError {
    /// The only argument is a position, and wrong.
    #[error(transparent)]
    Position(#[from] BadPosition),
    /// Some name positions, others games.
    #[error("give positions or games, not both: {} holds games", games.display())]
    Both {
        /// The first of the games.
        games: PathBuf,
    },
}

/// Why a text is not a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPosition {
    /// Its FEN is wrong.
    #[error("{fen}: {source}")]
    Fen {
        /// The FEN as it was given.
        fen: String,
        /// The problem.
        source: FenError,
    },
    /// A move after it is wrong.
    #[error(transparent)]
    Move(#[from] IllegalMove),
}

/// The position that a text describes: a FEN, a position of an EPD file, or `startpos`, perhaps followed by `moves e2e4 …`.
///
/// ```
/// let game = centipawn_work::parse_position("startpos moves e2e4 e7e5")?;
/// assert_eq!(game.moves().len(), 2);
/// assert!(centipawn_work::parse_position("startpos moves e2e5").is_err());
/// # Ok::<_, centipawn_work::BadPosition>(())
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
    /// What arguments name: positions, files of positions (one on each line; empty lines and lines that begin with `#` are
    /// skipped; a file may be compressed), or files of games. `-` is standard input.
    ///
    /// Positions and files that cannot be read are reported, and cost only themselves. Setting `cancel` ends waiting for standard input.
    ///
    /// # Errors
    ///
    /// [`PositionInputError`] if positions and games are mixed, or if the only argument is a wrong position.
    pub fn read<R: Reporter + 'static>(
        arguments: &[PathBuf],
        cancel: &Cancel,
        reporter: &Arc<ProblemCount<R>>,
    ) -> Result<Self, PositionInputError> {
        if let [only] = arguments
            && is_position(&only.to_string_lossy())
            && !only.exists()
        {
            return Ok(Self::Positions(vec![parse_position(&only.to_string_lossy())?]));
        }
        let mut positions = Vec::new();
        let mut games = Vec::new();
        let add = |positions: &mut Vec<History>, text: &str, place: Option<(&Path, u64)>| match parse_position(text) {
            Ok(position) => positions.push(position),
            Err(error) => reporter.problem(&match place {
                Some((path, line)) => Problem::error(error).of(path.display().to_string()).at_line(line),
                None => Problem::error(error),
            }),
        };
        let mut are_positions = false;
        for argument in arguments {
            if is_position(&argument.to_string_lossy()) && !argument.exists() {
                are_positions = true;
                add(&mut positions, &argument.to_string_lossy(), None);
            } else if holds_positions(argument, cancel) {
                are_positions = true;
                match read_text(argument, cancel) {
                    Ok(text) => {
                        let lines = text.lines().zip(1..).filter(|(line, _)| !is_skipped(line));
                        lines.for_each(|(line, number)| add(&mut positions, line, Some((argument, number))));
                    }
                    Err(_) if cancel.is_set() => {}
                    Err(error) => reporter.problem(&Problem::error(error)),
                }
            } else {
                games.push(argument.clone());
            }
        }
        match games.first() {
            Some(first) if are_positions => Err(PositionInputError::Both { games: first.clone() }),
            Some(_) => Ok(Self::Games(Sources::expand_reporting(&games, reporter))),
            None => Ok(Self::Positions(positions)),
        }
    }

    /// The same, of which only a part is looked at: every Nth game or position.
    #[must_use]
    pub fn divided(self, shard: Shard) -> Self {
        match self {
            Self::Games(sources) => Self::Games(sources.divided(shard)),
            Self::Positions(positions) => {
                let own = (0..).zip(positions).filter(|(index, _)| shard.takes(*index));
                Self::Positions(own.map(|(_, position)| position).collect())
            }
        }
    }

    /// The sources of the games; none for positions.
    pub(crate) fn sources(&self) -> Sources {
        match self {
            PositionInput::Positions(_) => Sources::default(),
            PositionInput::Games(sources) => sources.clone(),
        }
    }
}

/// Whether a text looks like a position, right or wrong.
fn is_position(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first == "startpos" || !is_address(first.as_ref()) && first.matches('/').count() == 7
}

fn is_skipped(line: &str) -> bool {
    let line = line.trim_start_matches(BYTE_ORDER_MARK).trim();
    line.is_empty() || line.starts_with('#')
}

/// Whether a file holds positions.
fn holds_positions(path: &Path, cancel: &Cancel) -> bool {
    if path == Path::new("-") {
        // The peeked bytes stay in the buffer for the next reader.
        let peek = || io::stdin().lock().fill_buf().is_ok_and(begins_with_position);
        return until(cancel, peek).unwrap_or(false);
    }
    path.is_file() && Source::open(path).is_ok_and(|file| begins_with_position(io::BufReader::new(file)))
}

/// Whether the first line that is neither empty nor a comment looks like a position. Files of games have no such comments, so a text of
/// comments alone is the beginning of positions too.
fn begins_with_position(mut text: impl io::BufRead) -> bool {
    let mut has_comments = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        match text.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line) {
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

/// The result of `wait` on another thread; `None` soon after `cancel` is set.
fn until<T: Send + 'static>(cancel: &Cancel, wait: impl FnOnce() -> T + Send + 'static) -> Option<T> {
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

/// The text of a file or of standard input. Errors name it.
fn read_text(path: &Path, cancel: &Cancel) -> io::Result<String> {
    let mut bytes = Vec::new();
    Source::open_until(path, cancel).map_err(io::Error::other)?.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim_start_matches(BYTE_ORDER_MARK).to_owned())
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
        let fens = "startpos moves e2e4\n8/8/4k3/8/8/8/3R4/4K3 w - - 0 1\n8/8/8/8/8/8/8/8 w - - 0 1\n";
        let fens = file("a.fen", &(comments + fens));
        let games = file("b.pgn", "[White \"Anna\"]\n\n1. e4 *\n");
        let cancel = Cancel::new();
        let problems = Arc::new(ProblemCount::new(Arc::new(Silent)));
        let PositionInput::Positions(positions) =
            PositionInput::read(&["startpos".into(), fens.clone()], &cancel, &problems).unwrap()
        else {
            panic!("positions")
        };
        assert_eq!((positions.len(), problems.errors()), (3, 1));
        let compressed = folder.path().join("a.fen.gz");
        let mut gz = flate2::write::GzEncoder::new(fs::File::create(&compressed).unwrap(), flate2::Compression::fast());
        gz.write_all(&fs::read(&fens).unwrap()).unwrap();
        gz.finish().unwrap();
        let read = PositionInput::read(&[compressed], &cancel, &problems).unwrap();
        assert!(matches!(read, PositionInput::Positions(positions) if positions.len() == 2));
        assert!(begins_with_position(&b"# comments alone\n"[..]) && !begins_with_position(&b"\n\n"[..]));
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
