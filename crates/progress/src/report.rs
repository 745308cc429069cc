//! Progress and problems of running work.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};

use crate::shorten;

/// Receives the progress and the problems of long work, from any of its threads.
///
/// The command line implements it by a progress line and messages, the server by events for the
/// page, and a fleet worker by renewing its lease. [`Silent`] ignores everything.
pub trait Reporter: Send + Sync {
    /// Called after every step, or about ten times a second if steps are short.
    fn progress(&self, progress: &Progress);

    /// Called for each problem. If the work keeps the order of the input, so do the problems.
    fn problem(&self, problem: &Problem);
}

impl<R: Reporter + ?Sized> Reporter for &R {
    fn progress(&self, progress: &Progress) {
        (**self).progress(progress);
    }

    fn problem(&self, problem: &Problem) {
        (**self).problem(problem);
    }
}

impl<R: Reporter + ?Sized> Reporter for Arc<R> {
    fn progress(&self, progress: &Progress) {
        (**self).progress(progress);
    }

    fn problem(&self, problem: &Problem) {
        (**self).problem(problem);
    }
}

/// A [`Reporter`] that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn progress(&self, _: &Progress) {}

    fn problem(&self, _: &Problem) {}
}

/// How far work has advanced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of units done, from 0 to [`total`](Self::total).
    pub done: u64,
    /// Number of units in total; `None` while it is unknown.
    pub total: Option<u64>,
    /// The unit of `done` and `total`.
    pub unit: Unit,
    /// Number of games finished so far; 0 for work without games.
    pub games: u64,
    /// The current item: a file, or the players of a game.
    pub label: String,
}

/// The unit that [`Progress`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Positions of games, or single positions.
    #[default]
    Positions,
    /// Bytes of input files.
    Bytes,
    /// Whole games.
    Games,
    /// Whole puzzles.
    Puzzles,
    /// Bootstrap resamples of the games.
    Resamples,
}

impl Unit {
    /// Returns the name of the unit, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Positions => "positions",
            Unit::Bytes => "bytes",
            Unit::Games => "games",
            Unit::Puzzles => "puzzles",
            Unit::Resamples => "resamples",
        }
    }
}

/// A problem with the input or the work, with its location.
///
/// It is formatted as one line: `games.pgn: game 2, line 7: 1. e5 is not a legal move`.
///
/// ```
/// use centipawn_progress::Problem;
///
/// let problem = Problem::error("the file ends inside a game").of("games.pgn");
/// let problem = problem.in_game(2).at_line(7);
/// let text = "games.pgn: game 2, line 7: the file ends inside a game";
/// assert_eq!(problem.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// Whether something had to be skipped.
    pub severity: Severity,
    /// The file, or "standard input"; `None` if the problem concerns no input.
    pub source: Option<String>,
    /// Number of the game in its source, from 1.
    pub game: Option<u64>,
    /// Line number in the source, from 1.
    pub line: Option<u64>,
    /// The description without the location, of at most [about a thousand characters](shorten).
    pub text: String,
}

/// Severity of a [`Problem`].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something looks wrong, but everything was processed.
    Warning,
    /// An item had to be skipped.
    Error,
}

impl Severity {
    /// Returns the name of the severity, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl Problem {
    /// Returns a problem because of which an item had to be skipped.
    pub fn error(text: impl fmt::Display) -> Self {
        Self::new(Severity::Error, &text)
    }

    /// Returns a problem in spite of which everything was processed.
    pub fn warning(text: impl fmt::Display) -> Self {
        Self::new(Severity::Warning, &text)
    }

    fn new(severity: Severity, text: &dyn fmt::Display) -> Self {
        Self {
            severity,
            source: None,
            game: None,
            line: None,
            text: shorten(&text.to_string()).into_owned(),
        }
    }

    /// Sets the source: a file, or "standard input". An empty text leaves it unset.
    #[must_use]
    pub fn of(self, source: impl Into<String>) -> Self {
        Self {
            source: Some(source.into()).filter(|source| !source.is_empty()),
            ..self
        }
    }

    /// Sets the number of the game in its source, from 1.
    #[must_use]
    pub fn in_game(self, game: u64) -> Self {
        Self {
            game: Some(game),
            ..self
        }
    }

    /// Sets the line number in the source, from 1.
    #[must_use]
    pub fn at_line(self, line: u64) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }
}

impl fmt::Display for Problem {
    /// Formats location and description in one line, without the severity.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(source) = &self.source {
            write!(f, "{source}: ")?;
        }
        match (self.game, self.line) {
            (Some(game), Some(line)) => write!(f, "game {game}, line {line}: ")?,
            (Some(game), None) => write!(f, "game {game}: ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.text)
    }
}

/// Forwards everything to another [`Reporter`], and counts the errors.
#[derive(Debug)]
pub struct ProblemCount<R> {
    reporter: R,
    errors: AtomicU64,
}

impl<R: Reporter> ProblemCount<R> {
    /// Forwards to `reporter`, and starts counting at 0.
    pub fn new(reporter: R) -> Self {
        Self {
            reporter,
            errors: AtomicU64::new(0),
        }
    }

    /// Returns the number of problems with [`Severity::Error`] so far.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }
}

impl<R: Reporter> Reporter for ProblemCount<R> {
    fn progress(&self, progress: &Progress) {
        self.reporter.progress(progress);
    }

    fn problem(&self, problem: &Problem) {
        if problem.severity == Severity::Error {
            self.errors.fetch_add(1, Ordering::Relaxed);
        }
        self.reporter.problem(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_round_trip_through_json() {
        let problem = Problem::warning("two tags White").of("a.pgn").in_game(3);
        let json = serde_json::to_string(&problem).unwrap();
        assert_eq!(
            json,
            r#"{"severity":"warning","source":"a.pgn","game":3,"line":null,"text":"two tags White"}"#
        );
        assert_eq!(serde_json::from_str::<Problem>(&json).unwrap(), problem);
    }

    #[test]
    fn errors_are_counted() {
        let count = ProblemCount::new(Silent);
        count.problem(&Problem::warning("odd"));
        count.problem(&Problem::error("bad"));
        assert_eq!(count.errors(), 1);
    }

    #[test]
    fn units_have_the_same_name_in_json() {
        for unit in [
            Unit::Positions,
            Unit::Bytes,
            Unit::Games,
            Unit::Puzzles,
            Unit::Resamples,
        ] {
            assert_eq!(serde_json::to_value(unit).unwrap(), unit.name());
        }
    }
}
