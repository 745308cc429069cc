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

/// Receives the progress and problems of long work, from any of its threads.
///
/// The command line's shows a line and prints problems, a page's sends events, a worker's renews its lease. [`Silent`] ignores
/// everything.
pub trait Reporter: Send + Sync {
    /// Called for every step that is done, or some ten times a second where steps are many.
    fn progress(&self, progress: &Progress);

    /// Called for each problem, in the order of the input where the work keeps it.
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

/// How far work is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Units done, from 0 to [`total`](Self::total).
    pub done: u64,
    /// Units in all; `None` while that is not known.
    pub total: Option<u64>,
    /// What is counted.
    pub unit: Unit,
    /// Games finished so far; 0 where the work has none.
    pub games: u64,
    /// The current item: a file, or the players of a game.
    pub label: String,
}

/// What [`Progress`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Positions of games.
    #[default]
    Positions,
    /// Bytes of files.
    Bytes,
    /// Games.
    Games,
    /// Puzzles.
    Puzzles,
    /// Bootstrap copies of the games.
    Resamples,
}

impl Unit {
    /// Its name, the same as in JSON.
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

/// Something that went wrong, or looks odd, and where.
///
/// Its text form is one line: `games.pgn: game 2, line 7: 1. e5 is not a legal move`.
///
/// ```
/// use centipawn_progress::Problem;
///
/// let problem = Problem::error("the file ends in the middle of a game").of("games.pgn").in_game(2).at_line(7);
/// assert_eq!(problem.to_string(), "games.pgn: game 2, line 7: the file ends in the middle of a game");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The file, or "standard input"; `None` if it is about no input.
    pub source: Option<String>,
    /// The game's number in its source, from 1.
    pub game: Option<u64>,
    /// The line in its source, from 1.
    pub line: Option<u64>,
    /// The problem, without the place; at most [about a thousand characters](shorten).
    pub text: String,
}

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing was lost.
    Warning,
    /// Something had to be skipped.
    Error,
}

impl Severity {
    /// Its name, the same as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl Problem {
    /// Something had to be skipped.
    pub fn error(text: impl fmt::Display) -> Self {
        Self::new(Severity::Error, &text)
    }

    /// Something is odd, and nothing was lost.
    pub fn warning(text: impl fmt::Display) -> Self {
        Self::new(Severity::Warning, &text)
    }

    fn new(severity: Severity, text: &dyn fmt::Display) -> Self {
        Self { severity, source: None, game: None, line: None, text: shorten(&text.to_string()).into_owned() }
    }

    /// The same in a source.
    #[must_use]
    pub fn of(self, source: impl Into<String>) -> Self {
        Self { source: Some(source.into()).filter(|source| !source.is_empty()), ..self }
    }

    /// The same in a game, counted from 1.
    #[must_use]
    pub fn in_game(self, game: u64) -> Self {
        Self { game: Some(game), ..self }
    }

    /// The same at a line, counted from 1.
    #[must_use]
    pub fn at_line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }
}

impl fmt::Display for Problem {
    /// The place and the text, in one line, without the severity.
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

/// Passes everything on to another [`Reporter`], and counts the errors.
#[derive(Debug)]
pub struct ProblemCount<R> {
    reporter: R,
    errors: AtomicU64,
}

impl<R: Reporter> ProblemCount<R> {
    /// Counts what goes to `reporter` from now on.
    pub fn new(reporter: R) -> Self {
        Self { reporter, errors: AtomicU64::new(0) }
    }

    /// How many [errors](Severity::Error) there were.
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
    fn problems_travel_as_json() {
        let problem = Problem::warning("two tags White").of("a.pgn").in_game(3);
        let json = serde_json::to_string(&problem).unwrap();
        assert_eq!(json, r#"{"severity":"warning","source":"a.pgn","game":3,"line":null,"text":"two tags White"}"#);
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
    fn units_are_called_the_same_everywhere() {
        for unit in [Unit::Positions, Unit::Bytes, Unit::Games, Unit::Puzzles, Unit::Resamples] {
            assert_eq!(serde_json::to_value(unit).unwrap(), unit.name());
        }
    }
}
