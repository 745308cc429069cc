//! Without the feature `fleet`: engine work by threads of this process.

use std::{process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_engine::{Analyst, EngineSpec};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, ProblemCount, Reporter};
use centipawn_work::{Crew, Resources, Threads, Work};
use clap::Args;

use crate::session::Session;

/// Where the engine work runs: here.
#[derive(Args, Clone, Debug)]
pub(crate) struct FleetArgs {}

impl FleetArgs {
    /// Nothing to refuse.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with a fleet")]
    pub(crate) fn refuse_with(&self, _: &[(&str, bool)]) -> Result<()> {
        Ok(())
    }

    /// Threads that keep `analyst` busy.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with a fleet")]
    pub(crate) fn crew<R: Reporter + 'static>(
        &self,
        _: &Resources,
        analyst: Arc<dyn Analyst>,
        _: &EngineSpec,
        _: &[Network],
        _: &Arc<ProblemCount<R>>,
    ) -> Result<(AnyCrew, Arc<dyn Analyst>)> {
        Ok((AnyCrew(Threads::of(Some(&*analyst))), analyst))
    }
}

/// Threads of this process.
pub(crate) struct AnyCrew(pub(crate) Threads);

impl AnyCrew {
    /// Threads for work that needs no engine.
    pub(crate) fn threads(threads: Threads) -> Self {
        Self(threads)
    }

    #[expect(clippy::unused_self, reason = "as with a fleet")]
    pub(crate) fn is_fleet(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "as with a fleet")]
    pub(crate) fn has_failed(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with a fleet")]
    pub(crate) fn end(&self, _: u64, _: &Session) -> Result<Option<ExitCode>> {
        Ok(None)
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
        self.0.run(work, items, cancel, each)
    }
}
