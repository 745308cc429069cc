//! `centipawn worker`: engine work for a fleet.

use std::{process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use centipawn_fleet::{Fleet, FleetError, Metrics, WorkerEvent, WorkerOptions, work};
use centipawn_progress::{Cancel, Problem, Progress, Reporter};
use centipawn_work::AnalystSpec;
use clap::{Args, ValueEnum};

use crate::{
    args::{EngineChoice, JobsArg, TablesArg},
    exit,
    flags::with_flags,
    fleet_args::FleetPlace,
    session::Session,
    store_arg::StoreArg,
    terminal::Terminal,
};

/// Arguments of `centipawn worker`.
#[derive(Args)]
pub(crate) struct Worker {
    #[command(flatten)]
    place: FleetPlace,
    #[command(flatten)]
    engine: EngineChoice,
    #[command(flatten)]
    jobs: JobsArg,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    /// Name of this worker in the fleet's status [default: host name]
    #[arg(long, value_name = "NAME", help_heading = "Worker")]
    name: Option<String>,
    /// End when no work is left, instead of waiting for more
    #[arg(long, help_heading = "Worker")]
    once: bool,
    /// Seconds in which work in progress may finish after a request to end; unfinished work is then
    /// returned to the fleet
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30,
        help_heading = "Worker"
    )]
    grace: u32,
    /// Serve counts for Prometheus at http://ADDRESS/metrics, and the worker's health at /healthz
    /// and /livez
    #[arg(long, value_name = "ADDRESS", help_heading = "Worker")]
    metrics: Option<String>,
    /// Format of the log on standard error
    #[arg(long, value_enum, default_value_t, help_heading = "Worker")]
    log: Log,
}

/// `--log`.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Log {
    /// Lines of text
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

impl Log {
    fn line(self, event: &WorkerEvent) -> String {
        with_flags(&match self {
            Log::Text => event.to_string(),
            Log::Json => event.json(),
        })
    }
}

/// A reporter that writes problems to the log and counts the problems of the database.
struct LogReporter {
    inner: Arc<Terminal>,
    log: Log,
    /// The metrics that count the problems; `None` for problems of the worker's own resources.
    metrics: Option<Arc<Metrics>>,
}

impl Reporter for LogReporter {
    fn progress(&self, _: &Progress) {}

    fn problem(&self, problem: &Problem) {
        self.metrics
            .iter()
            .for_each(|metrics| metrics.add_database_error());
        self.inner.note(&self.log.line(&WorkerEvent::Problem {
            text: problem.to_string(),
        }));
    }
}

/// Runs the command until it is asked to end. With `--log json`, the final error is logged as JSON,
/// too.
pub(crate) fn run(args: &Worker, session: &Session) -> Result<ExitCode> {
    match (run_logged(args, session), args.log) {
        (Err(error), Log::Json) => {
            let status = exit::status(&error);
            session
                .reporter()
                .note(&args.log.line(&WorkerEvent::Problem {
                    text: exit::message(&error),
                }));
            Ok(status.into())
        }
        (ran, _) => ran,
    }
}

fn run_logged(args: &Worker, session: &Session) -> Result<ExitCode> {
    let place = args.place.place()?;
    let (stop, end) = (session.cancel()?, Cancel::new());
    let metrics = Arc::new(Metrics::new(crate::BUILD));
    let inner = Arc::clone(session.reporter());
    let own = Arc::new(LogReporter {
        inner: Arc::clone(&inner),
        log: args.log,
        metrics: None,
    });
    let reporter = Arc::new(LogReporter {
        inner,
        log: args.log,
        metrics: Some(Arc::clone(&metrics)),
    });
    let analyst = AnalystSpec {
        engine: Some(args.engine.spec(args.jobs)),
        tables: args.tables.syzygy.clone(),
        ..AnalystSpec::default()
    };
    let defaults = WorkerOptions::new(analyst);
    let options = WorkerOptions {
        name: args.name.clone().unwrap_or_else(|| defaults.name.clone()),
        build: crate::BUILD.to_owned(),
        once: args.once,
        grace: Duration::from_secs(args.grace.into()),
        ..defaults
    };
    let resources = args.store.resources(&end, own)?;
    if let Some(address) = &args.metrics {
        let place = metrics.serve(address.as_str());
        let place = place.with_context(|| format!("cannot serve metrics at {address}"))?;
        session.note(&args.log.line(&WorkerEvent::Metrics {
            address: format!("http://{place}/metrics"),
        }));
    }
    // One connection for the queue, one for leases, and one more for every 16 slots.
    let connections = 2 + (options.slots as u32 / 16);
    // With `--once`, a missing fleet is an error instead of a reason to wait.
    let join = if args.once {
        Fleet::wait_for_server
    } else {
        Fleet::wait_for
    };
    let fleet = match join(
        &place,
        connections,
        Arc::<LogReporter>::clone(&reporter),
        stop,
    ) {
        // The worker was stopped before it joined the fleet, so it holds no lease.
        Err(FleetError::Cancelled) => return Ok(ExitCode::SUCCESS),
        joined => joined?,
    };
    let log = |event: &WorkerEvent| session.note(&args.log.line(event));
    work(&fleet, &resources, &options, (stop, &end), &metrics, &log)?;
    Ok(ExitCode::SUCCESS)
}
