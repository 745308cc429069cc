//! The lines of a library file.

use std::collections::BTreeMap;

use centipawn_progress::Identity;
use centipawn_store::{BatchState, JobState, Record, Remembered, Repetition};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) version: u32,
    #[serde(default)]
    pub(super) program: String,
    #[serde(default)]
    pub(super) created: i64,
}

/// Any other line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Line {
    Game {
        id: i64,
        pgn: String,
    },
    Findings {
        game: i64,
        settings: Value,
        document: Value,
    },
    Job(Box<JobLine>),
    Batch {
        title: String,
        #[serde(default)]
        state: BatchStateName,
        jobs: Vec<i64>,
    },
    Puzzle(Box<PuzzleLine>),
    Attempt {
        puzzle: i64,
        at: i64,
        #[serde(default)]
        mistakes: i64,
        #[serde(default)]
        hints: i64,
    },
    Evaluation(Box<EvaluationLine>),
    /// A kind of a later program.
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JobLine {
    pub(super) id: i64,
    pub(super) game: i64,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) positions: i64,
    pub(super) recipe: Value,
    pub(super) engine: Value,
    pub(super) state: JobStateName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) settings: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) puzzles: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum JobStateName {
    Open,
    Reviewed,
    Mined,
    Cancelled,
    Failed,
}

impl JobStateName {
    pub(super) fn of(state: &JobState) -> Self {
        match state {
            JobState::Open => Self::Open,
            JobState::Reviewed(_) => Self::Reviewed,
            JobState::Mined(_) => Self::Mined,
            JobState::Cancelled => Self::Cancelled,
            JobState::Failed(_) => Self::Failed,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BatchStateName {
    #[default]
    Open,
    Paused,
    Cancelled,
}

impl From<BatchState> for BatchStateName {
    fn from(state: BatchState) -> Self {
        match state {
            BatchState::Open => Self::Open,
            BatchState::Paused => Self::Paused,
            BatchState::Cancelled => Self::Cancelled,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PuzzleLine {
    pub(super) id: i64,
    #[serde(default)]
    pub(super) origin: String,
    pub(super) document: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ply: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repetition: Option<RepetitionLine>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct RepetitionLine {
    due: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stability: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    difficulty: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
}

impl From<Repetition> for RepetitionLine {
    fn from(Repetition { due, memory }: Repetition) -> Self {
        Self {
            due,
            stability: memory.map(|memory| memory.stability),
            difficulty: memory.map(|memory| memory.difficulty),
            at: memory.map(|memory| memory.at),
        }
    }
}

impl RepetitionLine {
    /// Returns the repetition. Numbers outside their ranges are clamped, so that a damaged file
    /// schedules no puzzle for the year 10,000.
    pub(super) fn repetition(self) -> Repetition {
        let memory = self.stability.zip(self.difficulty).zip(self.at);
        Repetition {
            due: self.due,
            memory: memory.map(|((stability, difficulty), at)| Remembered {
                stability: stability.clamp(0.001, 36_500.0),
                difficulty: difficulty.clamp(1.0, 10.0),
                at,
            }),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EvaluationLine {
    fen: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    past: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    chess960: bool,
    engine: Identity,
    limit: String,
    lines: i64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    searchmoves: String,
    #[serde(default)]
    nodes: i64,
    #[serde(default)]
    seconds: f64,
    pvs: Vec<PvLine>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PvLine {
    moves: String,
    #[serde(flatten)]
    score: Score,
    #[serde(default)]
    depth: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seldepth: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wdl: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_exact: Option<Score>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Score {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cp: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mate: Option<i64>,
}

impl EvaluationLine {
    /// Returns the line of an evaluation, given as the records of its lines; `None` without one.
    pub(super) fn of(records: &[Record]) -> Option<Self> {
        let first = records.first()?;
        let score = |cp, mate| Score { cp, mate };
        let pv = |record: &Record| {
            let wdl = record.mover_p_win.zip(record.mover_p_draw);
            let last_exact = score(record.mover_last_exact_cp, record.mover_last_exact_mate);
            PvLine {
                moves: record.pv.clone(),
                score: score(record.mover_eval_cp, record.mover_eval_mate),
                depth: record.depth,
                seldepth: record.seldepth,
                wdl: wdl
                    .zip(record.mover_p_loss)
                    .map(|((win, draw), loss)| [win, draw, loss]),
                last_exact: last_exact
                    .cp
                    .or(last_exact.mate)
                    .is_some()
                    .then_some(last_exact),
            }
        };
        Some(Self {
            fen: first.fen.clone(),
            past: first.past.clone(),
            chess960: first.chess960,
            engine: Identity {
                name: first.engine.clone(),
                author: first.author.clone(),
                options: serde_json::from_str(&first.options).unwrap_or_default(),
            },
            limit: first.limit.clone(),
            lines: first.lines,
            searchmoves: first.searchmoves.clone(),
            nodes: first.nodes,
            seconds: first.search_seconds,
            pvs: records.iter().map(pv).collect(),
        })
    }

    /// Returns the records of the evaluation's lines.
    pub(super) fn records(self) -> Vec<Record> {
        let options: BTreeMap<String, String> = self.engine.options;
        let shared = Record {
            fen: self.fen,
            past: self.past,
            chess960: self.chess960,
            engine: self.engine.name,
            author: self.engine.author,
            options: serde_json::to_string(&options).unwrap_or_default(),
            limit: self.limit,
            lines: self.lines,
            searchmoves: self.searchmoves,
            nodes: self.nodes,
            search_seconds: self.seconds,
            ..Record::default()
        };
        let record = |(pv, rank): (PvLine, i64)| {
            let last_exact = pv.last_exact.unwrap_or_default();
            let [win, draw, loss] = pv.wdl.map_or([None; 3], |wdl| wdl.map(Some));
            Record {
                rank,
                mover_eval_cp: pv.score.cp,
                mover_eval_mate: pv.score.mate,
                mover_p_win: win,
                mover_p_draw: draw,
                mover_p_loss: loss,
                depth: pv.depth,
                seldepth: pv.seldepth,
                pv: pv.moves,
                mover_last_exact_cp: last_exact.cp,
                mover_last_exact_mate: last_exact.mate,
                ..shared.clone()
            }
        };
        self.pvs.into_iter().zip(1..).map(record).collect()
    }
}
