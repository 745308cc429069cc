//! The events of a worker, as text for the terminal or as JSON lines for programs.

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
        /// Number of the worker in the fleet.
        worker: i64,
        /// Name of the worker.
        name: String,
        /// Name of the worker's engine.
        engine: String,
        /// Number of tasks at the same time.
        slots: usize,
    },
    /// The worker serves its metrics.
    Metrics {
        /// URL of the page for Prometheus.
        address: String,
    },
    /// A slot has leased a task.
    Taken {
        /// Run of the task.
        run: RunId,
        /// Number of the task.
        task: i32,
        /// Number of games in the task.
        games: usize,
    },
    /// A task is done.
    Done {
        /// Run of the task.
        run: RunId,
        /// Number of the task.
        task: i32,
        /// Number of games in the task.
        games: usize,
        /// Number of searched nodes.
        nodes: u64,
        /// Duration in seconds.
        seconds: f32,
        /// Whether it counts: false if another worker finished it first, or if the run was
        /// cancelled or deleted.
        counts: bool,
    },
    /// A task was repeated, and the answers were compared with those of another worker.
    Compared {
        /// Run of the task.
        run: RunId,
        /// Number of the task.
        task: i32,
        /// Whether the answers are equal; `None` if the comparison was no longer needed.
        agrees: Option<bool>,
    },
    /// A task failed.
    Failed {
        /// Run of the task.
        run: RunId,
        /// Number of the task.
        task: i32,
        /// The reason, in words.
        reason: String,
        /// Whether the task is parked, because it failed for the last time.
        parked: bool,
    },
    /// A task was returned to the queue unfinished.
    Returned {
        /// Run of the task.
        run: RunId,
        /// Number of the task.
        task: i32,
        /// The reason, in words.
        reason: String,
    },
    /// This worker does not serve a run.
    Refused {
        /// Number of the run.
        run: RunId,
        /// The missing requirement.
        reason: String,
    },
    /// A problem with the database or the store.
    Problem {
        /// The description.
        text: String,
    },
    /// The worker ends.
    Ended {
        /// Number of finished tasks.
        tasks: u64,
        /// Number of games in these tasks.
        games: u64,
    },
}

impl std::fmt::Display for WorkerEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Started {
                worker,
                name,
                engine,
                slots,
            } => {
                write!(
                    f,
                    "worker {worker} ({name}) is ready: {slots} at a time, {engine}"
                )
            }
            Self::Metrics { address } => write!(f, "metrics: {address}"),
            Self::Taken { run, task, games } => {
                write!(
                    f,
                    "run {run}, task {task}: taken, {}",
                    plural(*games as u64, "game")
                )
            }
            Self::Done {
                run,
                task,
                games,
                nodes,
                seconds,
                counts,
            } => {
                let nodes = *nodes as f64 / 1e6;
                write!(
                    f,
                    "run {run}, task {task}: {} done in {seconds:.1} s, {nodes:.1}M nodes",
                    plural(*games as u64, "game")
                )?;
                if *counts {
                    Ok(())
                } else {
                    f.write_str(
                        "; it does not count: another worker was sooner, or the run is cancelled \
                         or deleted",
                    )
                }
            }
            Self::Compared { run, task, agrees } => f.write_str(&match agrees {
                Some(true) => {
                    format!("run {run}, task {task}: another worker gave the same answers")
                }
                Some(false) => {
                    format!(
                        "run {run}, task {task}: another worker gave other answers; a third one \
                         decides"
                    )
                }
                None => format!("run {run}, task {task}: done again, and no longer needed"),
            }),
            Self::Failed {
                run,
                task,
                reason,
                parked,
            } => {
                let then = if *parked {
                    "parked"
                } else {
                    "it will be tried again"
                };
                write!(f, "run {run}, task {task}: failed, {then}: {reason}")
            }
            Self::Returned { run, task, reason } => {
                write!(f, "run {run}, task {task}: returned, {reason}")
            }
            Self::Refused { run, reason } => {
                write!(f, "run {run} is not for this worker: {reason}")
            }
            Self::Problem { text } => f.write_str(text),
            Self::Ended { tasks, games } => {
                write!(
                    f,
                    "ended: {}, {} done",
                    plural(*tasks, "task"),
                    plural(*games, "game")
                )
            }
        }
    }
}

impl WorkerEvent {
    /// Formats the event as one line of JSON, with the time in seconds since 1970.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            time: f64,
            #[serde(flatten)]
            event: &'a WorkerEvent,
        }
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |time| time.as_millis() as f64 / 1000.0);
        serde_json::to_string(&Line { time, event: self }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_json_lines() {
        let event = WorkerEvent::Refused {
            run: RunId(7),
            reason: "no".to_owned(),
        };
        assert_eq!(
            serde_json::to_string(&event).unwrap(),
            r#"{"event":"refused","run":7,"reason":"no"}"#
        );
        assert_eq!(event.to_string(), "run 7 is not for this worker: no");
        let line: serde_json::Value = serde_json::from_str(&event.json()).unwrap();
        assert!(
            line["time"].as_f64().unwrap() > 1.7e9 && line["run"] == 7,
            "{line}"
        );
    }
}
