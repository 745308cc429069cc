//! The events of a worker: text for the terminal, lines of JSON for programs.

use std::time::{SystemTime, UNIX_EPOCH};

use centipawn_progress::text::plural;
use serde::Serialize;

use crate::RunId;

/// An event of a worker, from any of its threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[non_exhaustive]
pub enum WorkerEvent {
    /// The worker is registered and takes tasks.
    Started {
        /// Its number in the fleet.
        worker: i64,
        /// Its name.
        name: String,
        /// Its engine.
        engine: String,
        /// Tasks at a time.
        slots: usize,
    },
    /// The worker serves its counts.
    Metrics {
        /// The address of the page for Prometheus.
        address: String,
    },
    /// A slot took a task.
    Taken {
        /// Its run.
        run: RunId,
        /// Its number.
        task: i32,
        /// How many games it has.
        games: usize,
    },
    /// A task is done.
    Done {
        /// Its run.
        run: RunId,
        /// Its number.
        task: i32,
        /// How many games it has.
        games: usize,
        /// Nodes that were searched.
        nodes: u64,
        /// How long it took.
        seconds: f32,
        /// Whether it counts: false if another worker was sooner, or if the run was cancelled or deleted.
        counts: bool,
    },
    /// A task that another worker had done was done again, and the answers compared.
    Compared {
        /// Its run.
        run: RunId,
        /// Its number.
        task: i32,
        /// Whether they are the same; `None` if the comparison was no longer needed.
        agrees: Option<bool>,
    },
    /// A task failed.
    Failed {
        /// Its run.
        run: RunId,
        /// Its number.
        task: i32,
        /// Why.
        reason: String,
        /// Whether it was the last try.
        parked: bool,
    },
    /// A task was returned unfinished.
    Returned {
        /// Its run.
        run: RunId,
        /// Its number.
        task: i32,
        /// Why.
        reason: String,
    },
    /// This worker may not serve a run.
    Refused {
        /// The run.
        run: RunId,
        /// The missing requirements.
        reason: String,
    },
    /// The database or the store is in trouble.
    Problem {
        /// What happened.
        text: String,
    },
    /// The worker ends.
    Ended {
        /// Tasks done.
        tasks: u64,
        /// Games in them.
        games: u64,
    },
}

impl std::fmt::Display for WorkerEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Started { worker, name, engine, slots } => {
                write!(f, "worker {worker} ({name}) is ready: {slots} at a time, {engine}")
            }
            Self::Metrics { address } => write!(f, "metrics: {address}"),
            Self::Taken { run, task, games } => {
                write!(f, "run {run}, task {task}: taken, {}", plural(*games as u64, "game"))
            }
            Self::Done { run, task, games, nodes, seconds, counts } => {
                let nodes = *nodes as f64 / 1e6;
                write!(
                    f,
                    "run {run}, task {task}: {} done in {seconds:.1} s, {nodes:.1}M nodes",
                    plural(*games as u64, "game")
                )?;
                if *counts {
                    Ok(())
                } else {
                    f.write_str("; it does not count: another worker was sooner, or the run is cancelled or deleted")
                }
            }
            Self::Compared { run, task, agrees } => f.write_str(&match agrees {
                Some(true) => format!("run {run}, task {task}: another worker gave the same answers"),
                Some(false) => {
                    format!("run {run}, task {task}: another worker gave other answers; a third one decides")
                }
                None => format!("run {run}, task {task}: done again, and no longer needed"),
            }),
            Self::Failed { run, task, reason, parked } => {
                let then = if *parked { "parked" } else { "it will be tried again" };
                write!(f, "run {run}, task {task}: failed, {then}: {reason}")
            }
            Self::Returned { run, task, reason } => write!(f, "run {run}, task {task}: returned, {reason}"),
            Self::Refused { run, reason } => write!(f, "run {run} is not for this worker: {reason}"),
            Self::Problem { text } => f.write_str(text),
            Self::Ended { tasks, games } => {
                write!(f, "ended: {}, {} done", plural(*tasks, "task"), plural(*games, "game"))
            }
        }
    }
}

impl WorkerEvent {
    /// The event as one line of JSON, with the time in seconds since 1970.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            time: f64,
            #[serde(flatten)]
            event: &'a WorkerEvent,
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_millis() as f64 / 1000.0);
        serde_json::to_string(&Line { time, event: self }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_json_lines() {
        let event = WorkerEvent::Refused { run: RunId(7), reason: "no".to_owned() };
        assert_eq!(serde_json::to_string(&event).unwrap(), r#"{"event":"refused","run":7,"reason":"no"}"#);
        assert_eq!(event.to_string(), "run 7 is not for this worker: no");
        let line: serde_json::Value = serde_json::from_str(&event.json()).unwrap();
        assert!(line["time"].as_f64().unwrap() > 1.7e9 && line["run"] == 7, "{line}");
    }
}
