//! `centipawn fleet`: the database of a fleet and its runs.

use std::{process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use centipawn_fleet::{Exporter, Fleet, FleetError, Retried, RunId, RunStatus};
use clap::{Args, Subcommand};

use crate::{exit, flags::with_flags, fleet_args::FleetPlace, session::Session, text::plural};

/// Interval between status queries of `fleet follow`.
const LOOK: Duration = Duration::from_secs(2);

/// `centipawn fleet`.
#[derive(Subcommand)]
pub(crate) enum FleetCommand {
    /// Create the fleet's tables in a PostgreSQL database; can be repeated
    #[command(after_help = "\
Examples:
  centipawn fleet setup --fleet postgres://owner@db.example/chess --worker-role worker")]
    Setup {
        #[command(flatten)]
        place: FleetPlace,
        /// PostgreSQL role for workers, which may only lease work and add evaluations; may be
        /// repeated
        #[arg(long, value_name = "NAME")]
        worker_role: Vec<String>,
        /// PostgreSQL role for monitoring, which may read the state of runs and workers, but no
        /// games; may be repeated
        #[arg(long, value_name = "NAME")]
        monitor_role: Vec<String>,
    },
    /// Show runs and workers
    #[command(after_help = "\
Examples:
  centipawn fleet status
  centipawn fleet status 7 --json
  centipawn fleet status --serve 127.0.0.1:9101")]
    Status {
        #[command(flatten)]
        place: FleetPlace,
        /// Show only this run
        run: Option<RunId>,
        /// Print one JSON document
        #[arg(long, conflicts_with = "prometheus")]
        json: bool,
        /// Print Prometheus' text format
        #[arg(long)]
        prometheus: bool,
        /// Serve the state for Prometheus at http://ADDRESS/metrics, and /healthz and /livez, until
        /// interrupted
        #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["run", "json", "prometheus"])]
        serve: Option<String>,
    },
    /// Watch a run until it is complete
    Follow(OfRun),
    /// Repair a run: retry its parked tasks (which failed several times), and have lost or damaged
    /// answers made again
    Retry(OfRun),
    /// Cancel a run that is not complete; evaluations that are already stored are kept
    Cancel(OfRun),
    /// Delete a run; its evaluations are kept for other runs
    Drop {
        #[command(flatten)]
        of: OfRun,
        /// Confirm the deletion
        #[arg(long)]
        yes: bool,
    },
    /// Delete old runs, evaluations that no run needs, and workers that ended or disappeared long
    /// ago
    #[command(after_help = "\
Examples:
  centipawn fleet prune --older 30d")]
    Prune {
        #[command(flatten)]
        place: FleetPlace,
        /// Minimum age: days (30d), hours (12h) or minutes (90m)
        #[arg(long, value_name = "AGE", value_parser = parse_age)]
        older: Duration,
    },
}

/// A run of a fleet.
#[derive(Args)]
pub(crate) struct OfRun {
    #[command(flatten)]
    place: FleetPlace,
    /// Number of the run, as `fleet status` shows it
    run: RunId,
}

fn parse_age(text: &str) -> Result<Duration, String> {
    let bad = || "an age is a number of days, hours or minutes, such as 30d, 12h or 90m".to_owned();
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(bad)?;
    let seconds = match unit {
        "d" => 86_400,
        "h" => 3600,
        "m" => 60,
        _ => return Err(bad()),
    };
    let number: u32 = number.parse().map_err(|_| bad())?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

fn open(place: &FleetPlace, session: &Session) -> Result<Fleet> {
    Ok(Fleet::open(
        &place.place()?,
        1,
        Arc::clone(session.reporter()) as _,
    )?)
}

/// Runs the command.
pub(crate) fn run(command: &FleetCommand, session: &Session) -> Result<ExitCode> {
    let result = answer(command, session);
    let is_usage = |error: &anyhow::Error| {
        error
            .downcast_ref::<FleetError>()
            .is_some_and(FleetError::is_usage)
    };
    result.map_err(|error| {
        if is_usage(&error) {
            exit::usage(error.to_string())
        } else {
            error
        }
    })
}

fn answer(command: &FleetCommand, session: &Session) -> Result<ExitCode> {
    match command {
        FleetCommand::Setup {
            place,
            worker_role,
            monitor_role,
        } => {
            let fleet = Fleet::setup(
                &place.place()?,
                worker_role,
                monitor_role,
                Arc::clone(session.reporter()) as _,
            )?;
            session.note(&format!(
                "the fleet at {} is ready; workers join with: centipawn worker --fleet URL",
                fleet.place()
            ));
        }
        FleetCommand::Status {
            place,
            serve: Some(address),
            ..
        } => {
            let cancel = session.cancel()?;
            let place = place.place()?;
            let exporter = Exporter::listen(address.as_str());
            let exporter =
                exporter.with_context(|| format!("cannot serve metrics at {address}"))?;
            session.note(&format!("metrics: http://{}/metrics", exporter.address()));
            // The monitor may start before the database, so wait for it.
            match Fleet::wait_for(&place, 2, Arc::clone(session.reporter()) as _, cancel) {
                Err(FleetError::Cancelled) => return Ok(ExitCode::SUCCESS),
                fleet => exporter.show(fleet?),
            }
            while !cancel.wait(Duration::from_secs(3600)) {}
        }
        FleetCommand::Status {
            place,
            run,
            json,
            prometheus,
            serve: None,
        } => {
            let status = open(place, session)?.status(*run)?;
            let text = match (json, prometheus) {
                (true, _) => with_flags(&serde_json::to_string_pretty(&status)?) + "\n",
                (_, true) => status.prometheus(),
                _ => with_flags(&status.text()),
            };
            session.print(&text)?;
        }
        FleetCommand::Follow(of) => return follow(of, session),
        FleetCommand::Retry(of) => {
            let Retried {
                tasks,
                without_games,
                damaged,
            } = open(&of.place, session)?.retry(of.run)?;
            session.note(&format!("{} will be tried again", plural(tasks, "task")));
            if damaged > 0 {
                session.note(&format!(
                    "{} could not be read; deleted",
                    plural(damaged, "answer")
                ));
            }
            if without_games + damaged > 0 {
                session
                    .note("run the command that submitted the run again: it brings the games whose answers are gone");
            }
        }
        FleetCommand::Cancel(of) => {
            let was_open = open(&of.place, session)?.cancel(of.run)?;
            session.note(&format!(
                "run {} {}",
                of.run,
                if was_open {
                    "is cancelled"
                } else {
                    "was cancelled before"
                }
            ));
        }
        FleetCommand::Drop { of, yes } => {
            if !yes {
                let question = format!(
                    "this deletes run {} and its remaining work; --yes confirms it",
                    of.run
                );
                return Err(exit::usage(question));
            }
            open(&of.place, session)?.drop_run(of.run)?;
            session.note(&format!("run {} is deleted", of.run));
        }
        FleetCommand::Prune { place, older } => {
            let (runs, answers) = open(place, session)?.prune(older.as_secs_f64())?;
            session.note(&format!(
                "{} and {} deleted",
                plural(runs, "run"),
                plural(answers, "answer")
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints each change of a run until it is complete. The exit status is that of skipped input if
/// tasks are parked.
fn follow(of: &OfRun, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let fleet = open(&of.place, session)?;
    let mut last = String::new();
    loop {
        let run = match fleet.run_status(of.run, cancel) {
            Err(FleetError::Cancelled) => return Ok(exit::INTERRUPTED.into()),
            run => run?,
        };
        let waits = run
            .waits_for
            .as_ref()
            .map(|reason| format!("; it waits: {}", with_flags(reason)));
        let line = run.line() + &waits.unwrap_or_default();
        if line != last {
            session.print(&format!("{line}\n"))?;
            last = line;
        }
        let RunStatus { state, parked, .. } = &run;
        match state.as_str() {
            "complete" if parked.is_empty() => return Ok(ExitCode::SUCCESS),
            "complete" => {
                for task in parked {
                    session.note(&format!("task {} is parked: {}", task.task, task.reason));
                }
                return Ok(exit::SKIPPED.into());
            }
            "cancelled" => return Ok(exit::FAILED.into()),
            _ => {}
        }
        if cancel.wait(LOOK) {
            return Ok(exit::INTERRUPTED.into());
        }
    }
}
