//! Games and sources that cannot be read, and reporting the first of them.

use std::{
    io::ErrorKind,
    sync::atomic::{AtomicU64, Ordering},
};

use centipawn_progress::{Problem, Reporter, Severity, text::plural};
use serde::{Deserialize, Serialize};

use crate::{GameError, SourceError};

/// A game or a source that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// A game that was skipped.
    #[error("{source_name}: {error}")]
    Game {
        /// The path of its source, or "standard input".
        source_name: String,
        /// The error and its place.
        #[source]
        error: GameError,
    },
    /// A flaw of a game: a tag, move or variation that was skipped or kept as text. The game itself
    /// was read.
    #[error("{source_name}: {error}")]
    Flaw {
        /// The path of its source, or "standard input".
        source_name: String,
        /// The error and its place.
        #[source]
        error: GameError,
    },
    /// A source that cannot be read to its end. Complete games before the error count.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl Unreadable {
    /// Converts it to JSON, as printed by `pgn check --json`.
    pub fn document(&self) -> UnreadableDocument {
        match self {
            Self::Game { source_name, error } | Self::Flaw { source_name, error } => {
                UnreadableDocument::Game {
                    source: source_name.clone(),
                    game: error.game,
                    line: error.line,
                    number: error.number.map(|number| number.to_string()),
                    text: error.text.clone(),
                    kind: error.kind.name().to_owned(),
                    message: error.to_string(),
                    skipped: matches!(self, Self::Game { .. }),
                }
            }
            Self::Source(error) => UnreadableDocument::Source {
                source: error.name.clone(),
                message: error.to_string(),
            },
        }
    }
}

impl From<&Unreadable> for Problem {
    /// Returns an error problem whose text is that of the [`Unreadable`]. Of a file that ends too
    /// early or is damaged, it adds that games count.
    fn from(unreadable: &Unreadable) -> Self {
        match unreadable {
            Unreadable::Game { source_name, error } | Unreadable::Flaw { source_name, error } => {
                error.problem(Severity::Error, source_name)
            }
            // The message already names the source.
            Unreadable::Source(error) => match error.error.kind() {
                ErrorKind::UnexpectedEof | ErrorKind::InvalidData => {
                    Problem::error(format_args!("{error} (the games before that count)"))
                }
                _ => Problem::error(error),
            },
        }
    }
}

/// A game or a source that cannot be read, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UnreadableDocument {
    /// A game that was skipped, or a part of one.
    Game {
        /// The path of its source, or "standard input".
        source: String,
        /// Number of the game in its source, the first being 1.
        game: u64,
        /// Line in its source, the first being 1.
        line: u64,
        /// Number of the move concerned, `2.` or `2...`; absent if the error concerns no move.
        #[serde(rename = "move")]
        number: Option<String>,
        /// The offending text, shortened.
        text: String,
        /// The [name](crate::GameErrorKind::name) of the error.
        kind: String,
        /// Place and reason in words.
        message: String,
        /// Whether the whole game was skipped.
        skipped: bool,
    },
    /// A source that cannot be read to its end.
    Source {
        /// The path, or "standard input".
        source: String,
        /// The reason in words.
        message: String,
    },
}

/// Reports all unreadable sources, and the first [`GAMES`](Self::GAMES) unreadable games and parts
/// of games; [`finish`](Self::finish) reports the number of further ones.
///
/// ```
/// use centipawn_pgn::{FirstUnreadable, ScanOptions, Sources, check};
/// use centipawn_progress::{ProblemCount, Silent};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "1. e5 *\n\n".repeat(30))?;
/// let problems = ProblemCount::new(Silent);
/// let first = FirstUnreadable::new(&problems);
/// let report = |unreadable: &_| first.report(unreadable);
/// check(&Sources::expand(&[&path])?, &ScanOptions { on_unreadable: Some(&report), ..ScanOptions::default() })?;
/// first.finish();
/// assert_eq!(problems.errors(), FirstUnreadable::GAMES);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct FirstUnreadable<'a> {
    reporter: &'a dyn Reporter,
    games: AtomicU64,
}

impl<'a> FirstUnreadable<'a> {
    /// Maximum number of unreadable games and parts reported individually.
    pub const GAMES: u64 = 20;

    /// Creates a filter that reports to `reporter`.
    pub fn new(reporter: &'a dyn Reporter) -> Self {
        Self {
            reporter,
            games: AtomicU64::new(0),
        }
    }

    /// Reports an unreadable source, or a game unless enough games were reported.
    pub fn report(&self, unreadable: &Unreadable) {
        let is_source = matches!(unreadable, Unreadable::Source(_));
        if is_source || self.games.fetch_add(1, Ordering::Relaxed) < Self::GAMES {
            self.reporter.problem(&Problem::from(unreadable));
        }
    }

    /// Reports the number of unreported games as a warning; call it after the scan.
    pub fn finish(&self) {
        let games = self.games.load(Ordering::Relaxed);
        if let Some(more) = games.checked_sub(Self::GAMES).filter(|more| *more > 0) {
            self.reporter.problem(&Problem::warning(format_args!(
                "{} in games; `centipawn pgn check` lists them all",
                plural(more, "more problem")
            )));
        }
    }
}
