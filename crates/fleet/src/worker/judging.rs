//! Decides which runs a worker serves: those for which it gives the same answers as the submitter's
//! own machine.

use std::{collections::BTreeSet, sync::Arc};

use centipawn_engine::Identity;
use centipawn_policy::{Kernel, Network};
use centipawn_work::engine::Recipe;

use super::Worker;
use crate::{
    FleetError, Need, RunId, WORK_FORMAT, database::Patience, queue::OpenRun,
    worker_event::WorkerEvent,
};

/// A run that this worker serves.
pub(super) struct RunJob {
    pub(super) recipe: Recipe,
    /// Shared by all runs that need the same networks.
    pub(super) networks: Arc<Vec<Network>>,
}

impl Worker<'_> {
    /// Returns the numbers of the runs that this worker serves, and of those that it refuses.
    pub(super) fn judged(&self) -> (Vec<i64>, Vec<i64>) {
        let jobs = self.jobs();
        let numbers = |is_served: bool| {
            jobs.iter()
                .filter(|(_, job)| job.is_some() == is_served)
                .map(|(run, _)| run.0)
                .collect::<Vec<_>>()
        };
        (numbers(true), numbers(false))
    }

    /// Returns the work of a run that this worker serves; `None` for other runs.
    pub(super) fn job(&self, run: RunId) -> Option<Arc<RunJob>> {
        self.jobs().get(&run).cloned().flatten()
    }

    /// Examines a run, and records the decision.
    pub(super) fn meet(&self, run: RunId) -> Result<(), FleetError> {
        let patience = Patience::Holding(self.stop);
        // A run that was cancelled or deleted in the meantime is not offered again.
        let Some(open) = self.fleet.open_run(&self.badge, run, patience)? else {
            return Ok(());
        };
        let job = match self.judge(&open) {
            Ok(job) => Some(Arc::new(job)),
            Err(reason) => {
                self.fleet.refuse(&self.badge, run, &reason, patience)?;
                self.metrics.refused.inc();
                self.report(WorkerEvent::Refused { run, reason });
                None
            }
        };
        self.jobs().insert(run, job);
        Ok(())
    }

    /// Returns the work of a run if this worker gives the same answers as the submitter's own
    /// machine; otherwise the reason as the error.
    fn judge(&self, run: &OpenRun) -> Result<RunJob, String> {
        if run.format != WORK_FORMAT {
            return Err(format!(
                "its work has format {}, and that of this worker is {WORK_FORMAT}",
                run.format
            ));
        }
        let unreadable = |error: serde_json::Error| format!("it cannot be read: {error}");
        let recipe: Recipe = serde_json::from_str(&run.recipe).map_err(unreadable)?;
        let need: Need = serde_json::from_str(&run.need).map_err(unreadable)?;
        let proof: Vec<String> = serde_json::from_str(&run.proof).map_err(unreadable)?;
        if need.engine != *self.identity {
            return Err(difference(&need.engine, &self.identity));
        }
        let opened = opened(self.jobs().values().flatten(), &need.networks);
        let networks = opened.map_or_else(|| self.open(&need.networks), Ok)?;
        if let Some((wanted, found)) = proof
            .iter()
            .zip(&self.proof.answers)
            .find(|(wanted, found)| wanted != found)
        {
            let text = "its engine has the same name and options, but answers differently to a \
                 test question";
            return Err(format!("{text}: {found}, not {wanted}"));
        }
        Ok(RunJob { recipe, networks })
    }

    fn open(&self, wanted: &[centipawn_progress::Network]) -> Result<Arc<Vec<Network>>, String> {
        let find = |network: &centipawn_progress::Network| {
            self.resources
                .exact_network(network, Kernel::best())
                .map_err(|error| error.to_string())?;
            Network::find_by_name(&network.name, Kernel::best()).map_err(|error| error.to_string())
        };
        wanted
            .iter()
            .map(find)
            .collect::<Result<_, _>>()
            .map(Arc::new)
    }
}

/// Returns already opened networks that are exactly `wanted`.
fn opened<'a>(
    jobs: impl IntoIterator<Item = &'a Arc<RunJob>>,
    wanted: &[centipawn_progress::Network],
) -> Option<Arc<Vec<Network>>> {
    let is_same = |job: &&Arc<RunJob>| {
        job.networks
            .iter()
            .map(Network::provenance)
            .eq(wanted.iter().cloned())
    };
    jobs.into_iter()
        .find(is_same)
        .map(|job| Arc::clone(&job.networks))
}

/// Describes the first difference between the needed engine and that of this worker.
fn difference(needed: &Identity, own: &Identity) -> String {
    if needed.name != own.name {
        return format!("it needs {}, and this worker has {}", needed.name, own.name);
    }
    let names: BTreeSet<&String> = needed.options.keys().chain(own.options.keys()).collect();
    let (needed_shown, own_shown) = (needed.shown(), own.shown());
    let shown = |name: &String| {
        let is_clear = needed_shown.options.get(name) != own_shown.options.get(name);
        let [needed, own] = if is_clear {
            [&needed_shown, &own_shown]
        } else {
            [needed, own]
        };
        [needed, own].map(|identity| {
            identity
                .options
                .get(name)
                .map_or("unset", String::as_str)
                .to_owned()
        })
    };
    let differences: Vec<String> = names
        .into_iter()
        .filter(|name| needed.options.get(*name) != own.options.get(*name))
        .map(|name| {
            let [needed, own] = shown(name);
            format!("{name} {needed}, not {own}")
        })
        .collect();
    format!("it needs {} with {}", needed.name, differences.join(", "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use centipawn_engine::Limit;
    use centipawn_judge::ease::EaseOptions;

    use super::*;

    #[test]
    fn runs_share_their_networks() {
        let networks = Arc::new(vec![
            Network::find(Network::BUNDLED, Kernel::best()).unwrap(),
        ]);
        let recipe = Recipe::Ease(EaseOptions::new(Limit::Nodes(1)));
        let jobs = [Arc::new(RunJob {
            recipe,
            networks: Arc::clone(&networks),
        })];
        let mut wanted = networks[0].provenance();
        assert!(Arc::ptr_eq(
            &opened(&jobs, std::slice::from_ref(&wanted)).unwrap(),
            &networks
        ));
        assert!(opened(&jobs, &[]).is_none());
        wanted.sha256 = "0".to_owned();
        assert!(opened(&jobs, &[wanted]).is_none());
    }

    #[test]
    fn differences_name_what_to_change() {
        let identity = |name: &str, hash: &str| Identity {
            name: name.to_owned(),
            author: String::new(),
            options: BTreeMap::from([("Hash".to_owned(), hash.to_owned())]),
        };
        let other = difference(
            &identity("Stockfish 16", "16"),
            &identity("Stockfish 15.1", "16"),
        );
        assert_eq!(
            other,
            "it needs Stockfish 16, and this worker has Stockfish 15.1"
        );
        let hash = difference(
            &identity("Stockfish 16", "16"),
            &identity("Stockfish 16", "64"),
        );
        assert_eq!(hash, "it needs Stockfish 16 with Hash 16, not 64");
    }
}
