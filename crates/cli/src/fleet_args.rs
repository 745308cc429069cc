//! `--fleet`: the flags of engine work by the workers of a fleet.

use std::sync::Arc;

use anyhow::Result;
use centipawn_engine::{Analyst, EngineSpec};
use centipawn_fleet::{Fleet, FleetCrew, SubmitOptions};
use centipawn_policy::Network;
use centipawn_progress::{ProblemCount, Reporter};
use centipawn_store::Location;
use centipawn_work::Resources;
use clap::Args;

use crate::{exit::usage, numbers::whole_number};

/// Number of connections of a submitter, which runs one query at a time.
const CONNECTIONS: u32 = 2;

/// The database of a fleet.
#[derive(Args, Clone, Debug)]
pub(crate) struct FleetPlace {
    /// The fleet's database: postgres://user@host/database. The password may be in PGPASSWORD or in
    /// the file of PGPASSFILE
    #[arg(
        long,
        value_name = "URL",
        env = "CENTIPAWN_FLEET",
        hide_env_values = true,
        global = true
    )]
    fleet: Option<String>,
}

impl FleetPlace {
    /// Returns the database that the flag or the environment names.
    pub(crate) fn place(&self) -> Result<Location> {
        let given = self.fleet.as_deref().filter(|text| !text.trim().is_empty());
        let text = given.ok_or_else(|| {
            usage("no fleet is given: name its database with --fleet or $CENTIPAWN_FLEET")
        })?;
        place(text)
    }
}

fn place(text: &str) -> Result<Location> {
    match text.parse() {
        Ok(place @ Location::Server(_)) => Ok(place),
        _ => Err(usage(
            "--fleet: a fleet lives in a PostgreSQL database: postgres://user@host/database",
        )),
    }
}

/// Engine work by a fleet.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Fleet")]
pub(crate) struct FleetArgs {
    /// Let the workers of a fleet do the engine work; URL is the fleet's database,
    /// postgres://user@host/database (see centipawn fleet). After an interruption, the same command
    /// continues
    #[arg(
        long,
        value_name = "URL",
        env = "CENTIPAWN_FLEET",
        hide_env_values = true
    )]
    fleet: Option<String>,
    /// With --fleet: end after the games are submitted; the same command without this flag collects
    /// the results
    #[arg(long, requires = "fleet")]
    pub(crate) submit: bool,
    /// With --fleet: number of games that a worker leases at once (a task) [default: about a
    /// minute's work, less in a small run]
    #[arg(long, value_name = "N", requires = "fleet", value_parser = whole_number::<u16>(1..=1000))]
    task_size: Option<u16>,
    /// With --fleet: runs of a higher priority are served first
    #[arg(
        long,
        value_name = "N",
        requires = "fleet",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    priority: i32,
}

impl FleetArgs {
    pub(crate) fn given(&self) -> Option<&str> {
        self.fleet.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// Returns the workers of the fleet, if one is given. They must give the same answers as
    /// `analyst`.
    pub(crate) fn crew<R: Reporter + 'static>(
        &self,
        resources: &Resources,
        analyst: &dyn Analyst,
        engine: &EngineSpec,
        networks: &[Network],
        reporter: &Arc<ProblemCount<R>>,
    ) -> Result<Option<FleetCrew>> {
        let Some(text) = self.given() else {
            return Ok(None);
        };
        let fleet = Fleet::open(
            &place(text)?,
            CONNECTIONS,
            Arc::<ProblemCount<R>>::clone(reporter),
        )?;
        let options = SubmitOptions {
            submit_only: self.submit,
            task_size: self.task_size.map(usize::from),
            priority: self.priority,
        };
        let identity = analyst.identity();
        Ok(Some(FleetCrew::new(
            Arc::new(fleet),
            &identity,
            &resources.engine(engine),
            networks,
            options,
        )?))
    }
}
