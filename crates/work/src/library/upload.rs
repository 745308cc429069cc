//! Games and puzzles that are given to a library as bytes: read one at a time, bounded, and kept as
//! soon as they are read.

use std::{
    io::{self, Cursor, Read},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use centipawn_pgn::{Game, Reader, Source, Sources};
use centipawn_progress::{Cancel, Problem, Progress, Reporter, Severity, is_account};
use centipawn_puzzle::Reader as PuzzleReader;
use centipawn_review::rooms::read_positions;

use super::{ImportedLibrary, Library, LibraryError, LibraryFileError};

/// Maximum number of problems reported for an input.
const NAMED: usize = 100;
/// Number of games of an account that are read if no other number is given.
const NEWEST: usize = 50;
/// Maximum size of the name of an account with its conditions, in bytes.
const LONGEST_ACCOUNT: usize = 500;

/// Limits of the size of one input.
#[derive(Clone, Copy, Debug)]
pub struct UploadLimits {
    /// Maximum size of the input after decompression, in bytes.
    pub decompressed_bytes: u64,
    /// Maximum number of games or puzzles.
    pub items: usize,
}

/// The reason why nothing of an input was added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UploadError {
    /// The format of the input is unknown.
    #[error("{name}: {error}")]
    Unreadable {
        /// The input.
        name: String,
        /// The underlying error.
        error: String,
    },
    /// The site does not give the games of an account. The message names the site and the account.
    #[error("{0}")]
    Account(String),
    /// The library cannot be written.
    #[error(transparent)]
    Library(#[from] LibraryError),
}

/// Puzzles of an input.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct UploadedPuzzles {
    /// Number of puzzles that are new.
    pub added: usize,
    /// Number of puzzles that the store already had.
    pub known: usize,
    /// The unreadable puzzles, with their places.
    pub problems: Vec<Problem>,
}

impl Library {
    /// Keeps the games of `bytes` (PGN, plain or compressed, FENs, or the name of an account such
    /// as `lichess:NAME`, of which the newest 50 games are requested unless another number follows)
    /// and calls `kept` with the number of each, and whether it is new; `name` names the input in
    /// problems. Returns what could not be read. Once `cancel` is set, waiting for the site of an
    /// account ends with an error; games that were kept before stay.
    ///
    /// # Errors
    ///
    /// [`UploadError`].
    pub fn add_games<B: AsRef<[u8]> + Send + 'static>(
        &self,
        name: &str,
        bytes: B,
        limits: UploadLimits,
        cancel: &Cancel,
        mut kept: impl FnMut(i64, bool),
    ) -> Result<Vec<Problem>, UploadError> {
        read_games(name, bytes, limits, cancel, &mut |game| {
            let (id, is_new) = self
                .store
                .keep_new_game(&game.to_string())
                .map_err(LibraryError::from)?;
            kept(id, is_new);
            Ok(())
        })
    }

    /// Keeps the puzzles of `bytes` (Lichess' CSV, JSON lines or PGN, plain or compressed); `name`
    /// names the input, and is the origin of its puzzles.
    ///
    /// # Errors
    ///
    /// [`UploadError`].
    pub fn add_puzzles<B: AsRef<[u8]> + Send + 'static>(
        &self,
        name: &str,
        bytes: B,
        limits: UploadLimits,
    ) -> Result<UploadedPuzzles, UploadError> {
        let unreadable = |error: String| UploadError::Unreadable {
            name: name.to_owned(),
            error,
        };
        let (bounded, _) = Bounded::open(name, bytes, limits).map_err(unreadable)?;
        let mut problems = Problems {
            name,
            named: Vec::new(),
            others: 0,
        };
        let mut uploaded = UploadedPuzzles::default();
        for puzzle in
            PuzzleReader::new(bounded, None).map_err(|error| unreadable(error.to_string()))?
        {
            match puzzle {
                _ if uploaded.added + uploaded.known == limits.items => {
                    problems.add_too_many(limits.items, "puzzles");
                    break;
                }
                Ok(puzzle) => {
                    let (_, is_new) = self.keep_puzzle(puzzle, name, None)?;
                    *if is_new {
                        &mut uploaded.added
                    } else {
                        &mut uploaded.known
                    } += 1;
                }
                Err(error) => problems.add(Problem::error(error).of(name)),
            }
        }
        if uploaded.added + uploaded.known == 0 && problems.named.is_empty() {
            problems.add(Problem::error("there are no puzzles in it").of(name));
        }
        Ok(UploadedPuzzles {
            problems: problems.finish(),
            ..uploaded
        })
    }
}

impl Library {
    /// Adds everything of a library file, plain or compressed; `name` names it in problems. Returns
    /// what was added, and the lines that could not be read.
    ///
    /// # Errors
    ///
    /// [`LibraryFileError`].
    pub fn import_upload<B: AsRef<[u8]> + Send + 'static>(
        &self,
        name: &str,
        bytes: B,
        limits: UploadLimits,
        cancel: &Cancel,
    ) -> Result<(ImportedLibrary, Vec<Problem>), LibraryFileError> {
        let (bounded, _) =
            Bounded::open(name, bytes, limits).map_err(|error| LibraryFileError::NotALibrary {
                name: name.to_owned(),
                reason: error,
            })?;
        let named = Named(Mutex::new(Problems {
            name,
            named: Vec::new(),
            others: 0,
        }));
        let imported = self.import(name, bounded, cancel, &named)?;
        let problems = named.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((imported, problems.finish()))
    }
}

/// Collects reported problems.
struct Named<'a>(Mutex<Problems<'a>>);

impl Reporter for Named<'_> {
    fn progress(&self, _: &Progress) {}

    fn problem(&self, problem: &Problem) {
        let mut problems = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        problems.add(problem.clone());
    }
}

/// Problems of an input, of which the first are named.
struct Problems<'a> {
    name: &'a str,
    named: Vec<Problem>,
    others: usize,
}

impl Problems<'_> {
    fn add(&mut self, problem: Problem) {
        if self.named.len() < NAMED {
            self.named.push(problem);
        } else {
            self.others += 1;
        }
    }

    fn add_too_many(&mut self, most: usize, what: &str) {
        let text = format!("only the first {most} {what} were read; upload the rest later");
        self.add(Problem::error(text).of(self.name));
    }

    fn finish(mut self) -> Vec<Problem> {
        if self.others > 0 {
            let text = format!("{} more problems are not listed", self.others);
            self.named.push(Problem::error(text).of(self.name));
        }
        self.named
    }
}

fn read_games<B: AsRef<[u8]> + Send + 'static>(
    name: &str,
    bytes: B,
    limits: UploadLimits,
    cancel: &Cancel,
    keep: &mut dyn FnMut(Game) -> Result<(), UploadError>,
) -> Result<Vec<Problem>, UploadError> {
    if let Some(positions) = read_positions(bytes.as_ref()) {
        let mut problems = Problems {
            name,
            named: Vec::new(),
            others: 0,
        };
        for (line, position) in positions {
            match position {
                Ok(game) => keep(game)?,
                Err(error) => problems.add(Problem::error(error).of(name).at_line(line)),
            }
        }
        return Ok(problems.finish());
    }
    let unreadable = |error: String| UploadError::Unreadable {
        name: name.to_owned(),
        error,
    };
    let account = account(bytes.as_ref());
    let opened = match &account {
        Some(account) => Bounded::account(account, limits, cancel).map_err(UploadError::Account),
        None => Bounded::open(name, bytes, limits).map_err(unreadable),
    };
    let (bounded, is_over) = opened?;
    let (mut games, mut problems) = (
        0,
        Problems {
            name,
            named: Vec::new(),
            others: 0,
        },
    );
    for read in Reader::new(bounded).named(name) {
        match read {
            Err(error)
                if games == 0 && problems.named.is_empty() && !is_over.load(Ordering::Relaxed) =>
            {
                let error = error.to_string();
                return Err(match account {
                    Some(_) => UploadError::Account(error),
                    None => unreadable(error),
                });
            }
            Err(error) => problems.add(Problem::error(error)),
            Ok(Err(error)) => problems.add(error.problem(Severity::Error, name)),
            Ok(Ok(_)) if games == limits.items => {
                problems.add_too_many(limits.items, "games");
                break;
            }
            Ok(Ok(game)) => {
                game.warnings
                    .iter()
                    .for_each(|warning| problems.add(warning.problem(Severity::Warning, name)));
                games += 1;
                keep(game)?;
            }
        }
    }
    if games == 0 && problems.named.is_empty() {
        let text = match account {
            Some(_) => "the account has no such games",
            None => "there are no games in it; paste PGN or a FEN",
        };
        problems.add(Problem::error(text).of(name));
    }
    Ok(problems.finish())
}

/// Returns whether an upload is the name of an account, whose games [`Library::add_games`] requests
/// from its site.
pub fn names_account(bytes: &[u8]) -> bool {
    account(bytes).is_some()
}

/// Returns the account that a text names, with a number of games; `None` for any other text.
fn account(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes.get(..bytes.len().min(LONGEST_ACCOUNT))?)
        .ok()?
        .trim();
    let is_account = is_account(text.as_ref())
        && !text.contains(char::is_whitespace)
        && bytes.len() <= LONGEST_ACCOUNT;
    let has_max = text.contains("?max=") || text.contains("&max=");
    is_account.then(|| match (has_max, text.contains('?')) {
        (true, _) => text.to_owned(),
        (false, true) => format!("{text}&max={NEWEST}"),
        (false, false) => format!("{text}?max={NEWEST}"),
    })
}

/// Ends with an error after a number of decompressed bytes, so that a small file cannot fill the
/// memory.
struct Bounded {
    source: Source,
    left: u64,
    /// Set when the limit was exceeded, to distinguish this error from others.
    is_over: Arc<AtomicBool>,
}

impl Bounded {
    fn open<B: AsRef<[u8]> + Send + 'static>(
        name: &str,
        bytes: B,
        limits: UploadLimits,
    ) -> Result<(Self, Arc<AtomicBool>), String> {
        let source =
            Source::of(name, Cursor::new(bytes)).map_err(|error| error.error.to_string())?;
        Ok(Self::of(source, limits))
    }

    /// Returns the games of an account.
    fn account(
        account: &str,
        limits: UploadLimits,
        cancel: &Cancel,
    ) -> Result<(Self, Arc<AtomicBool>), String> {
        let sources = Sources::expand(&[account]).map_err(|error| error.error.to_string())?;
        let source = Source::open_until(&sources.paths()[0], cancel)
            .map_err(|error| error.error.to_string())?;
        Ok(Self::of(source, limits))
    }

    fn of(source: Source, limits: UploadLimits) -> (Self, Arc<AtomicBool>) {
        let is_over = Arc::new(AtomicBool::new(false));
        (
            Self {
                source,
                left: limits.decompressed_bytes,
                is_over: Arc::clone(&is_over),
            },
            is_over,
        )
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            self.is_over.store(true, Ordering::Relaxed);
            return Err(io::Error::other(
                "it is too large after decompression; what follows was not read",
            ));
        }
        let most = buffer
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.source.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const LIMITS: UploadLimits = UploadLimits {
        decompressed_bytes: 512 << 20,
        items: 5000,
    };

    fn read(text: &[u8], limits: UploadLimits) -> (usize, Vec<String>) {
        let mut games = 0;
        let mut keep = |_| {
            games += 1;
            Ok(())
        };
        let problems =
            read_games("pasted", text.to_vec(), limits, &Cancel::new(), &mut keep).unwrap();
        (games, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn unreadable_games_have_a_line_and_a_reason() {
        let (games, problems) = read(b"1. e4 e5 *\n\n1. e5 *\n\n1. d4 (1. d6) *\n", LIMITS);
        assert_eq!(games, 2);
        assert!(
            problems[0].starts_with("pasted: game 2, line 3: 1. e5 is not a legal move"),
            "{problems:?}"
        );
        assert!(
            problems[1].starts_with("pasted: game 3, line 5: 1. d6 is not a legal move"),
            "{problems:?}"
        );
        assert_eq!(
            read(b"", LIMITS).1,
            ["pasted: there are no games in it; paste PGN or a FEN"]
        );
    }

    #[test]
    fn fens_are_positions() {
        let (games, problems) = read(
            b"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n\n8/8/8/4k3/8/8/4P3/4K3 b - - 0 1\n",
            LIMITS,
        );
        assert_eq!((games, problems.len()), (2, 0));
    }

    #[test]
    fn a_wrong_fen_has_a_line_and_a_reason() {
        let fens =
            b"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n\nk7/8/8/8/8/8/8/K6K w - - 0 1\n8/8/8/4k2/8/8/4P3/4K3 w - - 0 1\n";
        let (games, problems) = read(fens, LIMITS);
        assert_eq!((games, problems.len()), (1, 2), "{problems:?}");
        assert!(
            problems[0].starts_with("pasted: line 3: not a position of chess: illegal position"),
            "{problems:?}"
        );
        assert!(
            problems[1].starts_with("pasted: line 4: not a FEN"),
            "{problems:?}"
        );
    }

    #[test]
    fn a_bomb_is_not_read_to_its_end() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&b"1. e4 e5 *\n\n".repeat(200_000)).unwrap();
        let bomb = gzip.finish().unwrap();
        let limits = UploadLimits {
            decompressed_bytes: 1200,
            ..LIMITS
        };
        let (games, problems) = read(&bomb, limits);
        assert!(games <= 100, "{games}");
        assert!(
            problems
                .last()
                .unwrap()
                .contains("too large after decompression"),
            "{problems:?}"
        );
        let (games, problems) = read(&bomb, UploadLimits { items: 7, ..LIMITS });
        assert_eq!((games, problems.len()), (7, 1));
        assert!(
            problems[0].contains("only the first 7 games"),
            "{problems:?}"
        );
    }
}
