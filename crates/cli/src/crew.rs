//! Who does the engine work: threads of this process or, with the feature `fleet`, the workers of a
//! fleet.

use std::{process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_engine::{Analyst, EngineSpec};
#[cfg(feature = "fleet")]
use centipawn_fleet::FleetCrew;
use centipawn_policy::Network;
use centipawn_progress::{Cancel, ProblemCount, Reporter};
use centipawn_work::{
    Resources,
    engine::{Crew, Threads, Work},
};
use clap::Args;

#[cfg(feature = "fleet")]
use crate::fleet_args::FleetArgs;
use crate::{
    exit::{self, usage},
    session::Session,
};

/// Where the engine work runs. Without the feature `fleet` it always runs here, and there are no
/// flags.
#[derive(Args, Clone, Debug)]
pub(crate) struct CrewArgs {
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    fleet: FleetArgs,
}

impl CrewArgs {
    #[cfg(feature = "fleet")]
    fn is_fleet(&self) -> bool {
        self.fleet.given().is_some()
    }

    #[cfg(not(feature = "fleet"))]
    fn is_fleet(&self) -> bool {
        false
    }

    /// Refuses flags that only make sense on this machine.
    pub(crate) fn refuse_with(&self, flags: &[(&str, bool)]) -> Result<()> {
        match flags.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if self.is_fleet() => Err(usage(format!(
                "a fleet works on whole games, with its own engines; leave out --fleet or {flag}"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the crew, and the analyst of the work. `analyst` is that of this machine: a fleet
    /// must give the same answers.
    #[cfg_attr(
        not(feature = "fleet"),
        expect(unused_variables, reason = "only a fleet needs them")
    )]
    pub(crate) fn crew<R: Reporter + 'static>(
        &self,
        resources: &Resources,
        analyst: Arc<dyn Analyst>,
        engine: &EngineSpec,
        networks: &[Network],
        reporter: &Arc<ProblemCount<R>>,
    ) -> Result<(AnyCrew, Arc<dyn Analyst>)> {
        #[cfg(feature = "fleet")]
        if let Some(crew) = self
            .fleet
            .crew(resources, &*analyst, engine, networks, reporter)?
        {
            let analyst = resources.kept(crew.analyst())?;
            return Ok((
                AnyCrew::Fleet {
                    crew: Box::new(crew),
                    ends_submitted: self.fleet.submit,
                },
                analyst,
            ));
        }
        Ok((AnyCrew::Threads(Threads::of(Some(&*analyst))), analyst))
    }
}

/// Threads of this process, or a fleet.
pub(crate) enum AnyCrew {
    Threads(Threads),
    #[cfg(feature = "fleet")]
    Fleet {
        crew: Box<FleetCrew>,
        /// Whether the command ends after the submission.
        ends_submitted: bool,
    },
}

impl AnyCrew {
    pub(crate) fn is_fleet(&self) -> bool {
        !matches!(self, AnyCrew::Threads(_))
    }

    /// Returns whether the fleet failed, so that games are missing.
    pub(crate) fn has_failed(&self) -> bool {
        match self {
            AnyCrew::Threads(_) => false,
            #[cfg(feature = "fleet")]
            AnyCrew::Fleet { crew, .. } => crew.outcome().is_err(),
        }
    }

    /// Returns the text of the run if the command ends after the submission, else `None`.
    fn submitted(&self) -> Result<Option<String>> {
        match self {
            AnyCrew::Threads(_) => Ok(None),
            #[cfg(feature = "fleet")]
            AnyCrew::Fleet {
                crew,
                ends_submitted,
            } => {
                let run = crew.outcome()?.filter(|_| *ends_submitted);
                Ok(run.map(|run| run.to_string()))
            }
        }
    }

    /// Returns the exit status if the command ended after the submission, else `None`. `skipped` is
    /// the number of items that were skipped.
    pub(crate) fn end(&self, skipped: u64, session: &Session) -> Result<Option<ExitCode>> {
        let Some(run) = self.submitted()? else {
            return Ok(None);
        };
        session.note(&format!(
            "run {run} is submitted; the same command without --submit collects its results"
        ));
        Ok(Some(if skipped > 0 {
            exit::SKIPPED.into()
        } else {
            ExitCode::SUCCESS
        }))
    }
}

impl Crew for AnyCrew {
    fn run<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item> + Send,
        cancel: &Cancel,
        each: impl FnMut(W::Answer),
    ) -> bool {
        match self {
            AnyCrew::Threads(threads) => threads.run(work, items, cancel, each),
            #[cfg(feature = "fleet")]
            AnyCrew::Fleet { crew, .. } => crew.run(work, items, cancel, each),
        }
    }
}
