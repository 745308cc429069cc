//! `--fleet`: engine work by threads here, or by the workers of a fleet.

use std::{process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_engine::{Analyst, EngineSpec};
use centipawn_fleet::{Fleet, FleetCrew, SubmitOptions};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, ProblemCount, Reporter};
use centipawn_store::Location;
use centipawn_work::{Crew, Resources, Threads, Work};
use clap::Args;

use crate::{
    exit::{self, usage},
    session::Session,
};

/// Connections of a submitter, which runs one query at a time.
const CONNECTIONS: u32 = 2;

/// The database of a fleet.
#[derive(Args, Clone, Debug)]
pub(crate) struct FleetPlace {
    /// The fleet's database: postgres://user@host/database. The password may be in PGPASSWORD or in the file of PGPASSFILE
    #[arg(long, value_name = "URL", env = "CENTIPAWN_FLEET", hide_env_values = true, global = true)]
    fleet: Option<String>,
}

impl FleetPlace {
    /// The database that the flag or the environment names.
    pub(crate) fn place(&self) -> Result<Location> {
        let given = self.fleet.as_deref().filter(|text| !text.trim().is_empty());
        let text =
            given.ok_or_else(|| usage("no fleet is given: name its database with --fleet or $CENTIPAWN_FLEET"))?;
        place(text)
    }
}

fn place(text: &str) -> Result<Location> {
    match text.parse() {
        Ok(place @ Location::Server(_)) => Ok(place),
        _ => Err(usage("--fleet: a fleet lives in a PostgreSQL database: postgres://user@host/database")),
    }
}

/// Where the engine work runs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Fleet")]
pub(crate) struct FleetArgs {
    /// Let the workers of a fleet do the engine work; URL is the fleet's database, postgres://user@host/database (see centipawn
    /// fleet). After an interruption, the same command continues
    #[arg(long, value_name = "URL", env = "CENTIPAWN_FLEET", hide_env_values = true)]
    fleet: Option<String>,
    /// With --fleet: end after the games are submitted; the same command without this flag collects the results
    #[arg(long, requires = "fleet")]
    submit: bool,
    /// With --fleet: number of games that a worker leases at once (a task) [default: about a minute's work, less in a small
    /// run]
    #[arg(long, value_name = "N", requires = "fleet", value_parser = clap::value_parser!(u16).range(1..=1000))]
    task_size: Option<u16>,
    /// With --fleet: runs of a higher priority are served first
    #[arg(long, value_name = "N", requires = "fleet", default_value_t = 0, allow_negative_numbers = true)]
    priority: i32,
}

impl FleetArgs {
    fn given(&self) -> Option<&str> {
        self.fleet.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// Refuses flags that only make sense on this machine.
    pub(crate) fn refuse_with(&self, flags: &[(&str, bool)]) -> Result<()> {
        match flags.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if self.given().is_some() => {
                Err(usage(format!("a fleet works on whole games, with its own engines; leave out --fleet or {flag}")))
            }
            _ => Ok(()),
        }
    }

    /// The crew, and the analyst of the work. `analyst` is that of this machine: a fleet must give the same answers.
    pub(crate) fn crew<'a, R: Reporter + 'static>(
        &self,
        resources: &Resources,
        analyst: Arc<dyn Analyst>,
        engine: &EngineSpec,
        networks: &'a [Network],
        reporter: &Arc<ProblemCount<R>>,
    ) -> Result<(AnyCrew<'a>, Arc<dyn Analyst>)> {
        let Some(text) = self.given() else { return Ok((AnyCrew::Threads(Threads::of(Some(&*analyst))), analyst)) };
        let fleet = Fleet::open(&place(text)?, CONNECTIONS, Arc::<ProblemCount<R>>::clone(reporter))?;
        let options = SubmitOptions {
            submit_only: self.submit,
            task_size: self.task_size.map(usize::from),
            priority: self.priority,
        };
        let identity = analyst.identity();
        let crew = FleetCrew::new(Arc::new(fleet), &identity, &resources.engine(engine), networks, options)?;
        let analyst = resources.kept(crew.analyst())?;
        Ok((AnyCrew::Fleet(Box::new(crew), self.submit), analyst))
    }
}

/// Threads of this process, or a fleet.
pub(crate) enum AnyCrew<'a> {
    Threads(Threads),
    /// With whether the command ends after the submission.
    Fleet(Box<FleetCrew<'a>>, bool),
}

impl AnyCrew<'_> {
    /// Threads for work that needs no engine.
    pub(crate) fn threads(threads: Threads) -> Self {
        AnyCrew::Threads(threads)
    }

    pub(crate) fn is_fleet(&self) -> bool {
        matches!(self, AnyCrew::Fleet(..))
    }

    /// Whether the fleet failed, so that games are missing.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self, AnyCrew::Fleet(crew, _) if crew.outcome().is_err())
    }

    /// After the work, in which `skipped` items were skipped: the exit status if it ended with the submission.
    pub(crate) fn end(&self, skipped: u64, session: &Session) -> Result<Option<ExitCode>> {
        let AnyCrew::Fleet(crew, is_submission) = self else { return Ok(None) };
        match crew.outcome()? {
            Some(run) if *is_submission => {
                session
                    .note(&format!("run {run} is submitted; the same command without --submit collects its results"));
                Ok(Some(if skipped > 0 { exit::SKIPPED.into() } else { ExitCode::SUCCESS }))
            }
            _ => Ok(None),
        }
    }
}

impl Crew for AnyCrew<'_> {
    fn run<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item> + Send,
        cancel: &Cancel,
        each: impl FnMut(W::Answer),
    ) -> bool {
        match self {
            AnyCrew::Threads(threads) => threads.run(work, items, cancel, each),
            AnyCrew::Fleet(crew, _) => crew.run(work, items, cancel, each),
        }
    }
}
