//! The lines of a library file: everything that a store or a browser keeps, as JSON lines.
//! docs/store.md describes the file.

use centipawn_progress::Identity;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name of the format in the first line of a file.
pub const LIBRARY_FORMAT: &str = "centipawn library";

/// The version of the format.
pub const LIBRARY_VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LibraryHeader {
    /// [`LIBRARY_FORMAT`].
    pub format: String,
    /// [`LIBRARY_VERSION`] of the program that wrote the file.
    pub version: u32,
    /// Name and version of the program that wrote the file.
    #[serde(default)]
    pub program: String,
    /// The time of writing, in seconds since 1970.
    #[serde(default)]
    pub created: i64,
}

impl LibraryHeader {
    /// Returns the first line of a file that is written now, in seconds since 1970.
    pub fn new(now: i64) -> Self {
        Self {
            format: LIBRARY_FORMAT.to_owned(),
            version: LIBRARY_VERSION,
            program: concat!("centipawn ", env!("CARGO_PKG_VERSION")).to_owned(),
            created: now,
        }
    }
}

/// Any other line. A line names objects of earlier lines by the numbers that these have in the
/// file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum LibraryLine {
    /// A game.
    Game {
        /// Its number.
        id: i64,
        /// Its text.
        pgn: String,
    },
    /// What searches have found in a game.
    Findings {
        /// The game's number.
        game: i64,
        /// How it was searched.
        settings: Value,
        /// A `FindingsDocument`.
        document: Value,
    },
    /// The user's own symbols and comments on a game.
    Notes {
        /// The game's number.
        game: i64,
        /// The notes, as [`OwnNotes`](super::OwnNotes).
        notes: Value,
    },
    /// A review, or a search for puzzles.
    Job(Box<JobLine>),
    /// Jobs that were started together.
    Batch {
        /// Its title.
        title: String,
        /// Whether it goes on.
        #[serde(default)]
        state: BatchLineState,
        /// Numbers of its jobs.
        jobs: Vec<i64>,
    },
    /// A puzzle.
    Puzzle(Box<PuzzleLine>),
    /// An answer to a puzzle.
    Attempt {
        /// The puzzle's number.
        puzzle: i64,
        /// The time, in seconds since 1970.
        at: i64,
        /// Number of wrong moves.
        #[serde(default)]
        mistakes: i64,
        /// Number of hints.
        #[serde(default)]
        hints: i64,
    },
    /// An evaluated position.
    Evaluation(Box<EvaluationLine>),
    /// A kind of a later program.
    #[serde(other)]
    Unknown,
}

/// A review, or a search for puzzles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobLine {
    /// Its number.
    pub id: i64,
    /// The game's number.
    pub game: i64,
    /// What lists show.
    #[serde(default)]
    pub title: String,
    /// Number of positions to search.
    #[serde(default)]
    pub positions: i64,
    /// What is to be done: an object with the key `recipe`, which is `review` or `mine`.
    pub recipe: Value,
    /// The command and options of the engine.
    pub engine: Value,
    /// How far it is.
    pub state: JobLineState,
    /// The settings of the findings that a finished review uses; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
    /// Number of puzzles that a finished search has found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzles: Option<u64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobLineState {
    /// It waits or runs.
    Open,
    /// A finished review.
    Reviewed,
    /// A finished search for puzzles.
    Mined,
    /// Its user has cancelled it.
    Cancelled,
    /// It has failed.
    Failed,
}

/// Whether a batch goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchLineState {
    /// It goes on until its jobs are done.
    #[default]
    Open,
    /// Its user has paused it.
    Paused,
    /// Its user has cancelled it.
    Cancelled,
}

/// A puzzle, and when it is asked again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PuzzleLine {
    /// Its number.
    pub id: i64,
    /// Where it comes from.
    #[serde(default)]
    pub origin: String,
    /// A `PuzzleDocument`.
    pub document: Value,
    /// The number of the game that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<i64>,
    /// The half-move of the game before which it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<i64>,
    /// When it is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<RepetitionLine>,
}

/// When a puzzle is asked again.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RepetitionLine {
    due: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stability: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    difficulty: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
}

impl RepetitionLine {
    /// Describes a repetition that is due at this time, in seconds since 1970. `memory` is what
    /// [`memory`](Self::memory) returns.
    pub fn new(due: i64, memory: Option<(f64, f64, i64)>) -> Self {
        Self {
            due,
            stability: memory.map(|(stability, _, _)| stability),
            difficulty: memory.map(|(_, difficulty, _)| difficulty),
            at: memory.map(|(_, _, at)| at),
        }
    }

    /// Returns the time at which the puzzle is due, in seconds since 1970.
    pub fn due(&self) -> i64 {
        self.due
    }

    /// Returns what the solver remembers: stability in days, difficulty from 1 to 10, and the time
    /// of the last answer in seconds since 1970; `None` before the first answer. Numbers outside
    /// their ranges are clamped, so that a damaged file schedules no puzzle for the year 10,000.
    pub fn memory(&self) -> Option<(f64, f64, i64)> {
        let (stability, difficulty) = self.stability.zip(self.difficulty)?;
        Some((
            stability.clamp(0.001, 36_500.0),
            difficulty.clamp(1.0, 10.0),
            self.at?,
        ))
    }
}

/// An evaluated position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EvaluationLine {
    /// The position.
    pub fen: String,
    /// The moves that led to it, in UCI notation, as the engine got them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub past: String,
    /// Whether the engine plays Chess960.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chess960: bool,
    /// The engine.
    pub engine: Identity,
    /// The limit of the search.
    pub limit: String,
    /// Number of lines that were asked for.
    pub lines: i64,
    /// The moves that were searched, in UCI notation; empty if all were.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub searchmoves: String,
    /// Number of nodes that were searched.
    #[serde(default)]
    pub nodes: i64,
    /// Duration of the search.
    #[serde(default)]
    pub seconds: f64,
    /// The engine's lines, the best one first.
    pub pvs: Vec<PvLine>,
}

/// A line of an engine. Scores are from the view of the side to move.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PvLine {
    /// Its moves, in UCI notation.
    pub moves: String,
    /// Its evaluation.
    #[serde(flatten)]
    pub score: ScoreLine,
    /// Depth in half-moves.
    #[serde(default)]
    pub depth: i64,
    /// Greatest depth in half-moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<i64>,
    /// Probabilities of win, draw and loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wdl: Option<[f64; 3]>,
    /// The last exact evaluation, if that of the line is a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_exact: Option<ScoreLine>,
}

/// An evaluation in centipawns, or the number of moves to mate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreLine {
    /// In centipawns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i64>,
    /// In moves to mate; negative if the side to move gets mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let puzzle = r#"{"kind":"puzzle","id":1,"origin":"review 3","document":{},"repetition":{"due":5,"stability":2.5,"difficulty":6.0,"at":4}}"#;
        let attempt = r#"{"kind":"attempt","puzzle":1,"at":4,"mistakes":0,"hints":2}"#;
        for text in [puzzle, attempt] {
            let line: LibraryLine = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&line).unwrap(), text);
        }
    }

    #[test]
    fn a_kind_of_a_later_program_is_unknown() {
        let line: LibraryLine = serde_json::from_str(r#"{"kind":"club","name":"A"}"#).unwrap();
        assert!(matches!(line, LibraryLine::Unknown));
    }

    #[test]
    fn damaged_numbers_of_a_repetition_are_clamped() {
        let text = r#"{"due":5,"stability":1e12,"difficulty":-3.0,"at":4}"#;
        let line: RepetitionLine = serde_json::from_str(text).unwrap();
        assert_eq!((line.due(), line.memory()), (5, Some((36_500.0, 1.0, 4))));
        let unanswered: RepetitionLine = serde_json::from_str(r#"{"due":5}"#).unwrap();
        assert_eq!(unanswered.memory(), None);
    }
}
