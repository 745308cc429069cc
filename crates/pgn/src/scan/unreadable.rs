//! Games and sources that cannot be read, and how many of them a reporter hears of.

use std::{
    io::ErrorKind,
    sync::atomic::{AtomicU64, Ordering},
};

use centipawn_progress::{Problem, Reporter, Severity};
use serde::{Deserialize, Serialize};

use crate::{GameError, SourceError};

/// A game or a source that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A game; it is left out.
    #[error("{source_name}: {error}")]
    Game {
        /// The path, or "standard input".
        source_name: String,
        /// What is wrong with it, and where.
        #[source]
        error: GameError,
    },
    /// A source; whole games read before count.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl Unreadable {
    /// Whether it is a source that ends too early, or whose bytes are damaged: games before that may have been read.
    pub fn is_cut_off(&self) -> bool {
        use ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        matches!(self, Self::Source(error)
            if matches!(error.error.kind(), UnexpectedEof | InvalidData | InvalidInput))
    }

    /// The same for programs, as `pgn check --json` prints it.
    pub fn document(&self) -> UnreadableDocument {
        match self {
            Self::Game { source_name, error } => UnreadableDocument::Game {
                source: source_name.clone(),
                game: error.game,
                line: error.line,
                number: error.number.map(|number| number.to_string()),
                text: error.text.clone(),
                kind: error.kind.name().to_owned(),
                message: error.to_string(),
            },
            Self::Source(error) => {
                UnreadableDocument::Source { source: error.name.clone(), message: error.to_string() }
            }
        }
    }
}

impl From<&Unreadable> for Problem {
    /// An error whose line of text is that of the [`Unreadable`].
    fn from(unreadable: &Unreadable) -> Self {
        match unreadable {
            Unreadable::Game { source_name, error } => error.problem(Severity::Error, source_name),
            // Its text names the source.
            Unreadable::Source(error) => Problem::error(error),
        }
    }
}

/// A game or a source that cannot be read, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UnreadableDocument {
    /// A game.
    Game {
        /// The path, or "standard input".
        source: String,
        /// The game's number in its source, from 1.
        game: u64,
        /// The line in its source, from 1.
        line: u64,
        /// The number of the move that is wrong, `2.` or `2...`, if it is about a move.
        #[serde(rename = "move")]
        number: Option<String>,
        /// What stands there, shortened.
        text: String,
        /// The [name](crate::GameErrorKind::name) of what is wrong.
        kind: String,
        /// Place and reason in words.
        message: String,
    },
    /// A source.
    Source {
        /// The path, or "standard input".
        source: String,
        /// The reason in words.
        message: String,
    },
}

/// Reports unreadable sources, and the first [`GAMES`](Self::GAMES) unreadable games; [`finish`](Self::finish) reports how many
/// more games there were.
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
    /// Unreadable games that are reported one by one.
    pub const GAMES: u64 = 20;

    /// Reports to `reporter`.
    pub fn new(reporter: &'a dyn Reporter) -> Self {
        Self { reporter, games: AtomicU64::new(0) }
    }

    /// Reports it, unless it is a game and enough of them were reported.
    pub fn report(&self, unreadable: &Unreadable) {
        self.report_with(unreadable, "");
    }

    /// The same, with `more` behind the text.
    pub fn report_with(&self, unreadable: &Unreadable, more: &str) {
        let is_source = matches!(unreadable, Unreadable::Source(_));
        if is_source || self.games.fetch_add(1, Ordering::Relaxed) < Self::GAMES {
            let mut problem = Problem::from(unreadable);
            problem.text += more;
            self.reporter.problem(&problem);
        }
    }

    /// Reports, as a warning, how many games were not reported; call it when the scan has ended.
    pub fn finish(&self) {
        let games = self.games.load(Ordering::Relaxed);
        if let Some(more) = games.checked_sub(Self::GAMES).filter(|more| *more > 0) {
            let plural = if more == 1 { "" } else { "s" };
            self.reporter.problem(&Problem::warning(format_args!(
                "{more} more game{plural} cannot be read; `centipawn pgn check` lists them all"
            )));
        }
    }
}
