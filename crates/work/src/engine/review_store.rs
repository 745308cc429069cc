//! The engine work of reviews in the store: a repeated review is one look-up.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use centipawn_engine::Limit;
use centipawn_judge::{FindJob, FindStep, Finder, Found, GameFindings};
use centipawn_policy::Network;
use centipawn_progress::{Cancelled, Job, Next, Reporter};
use centipawn_review::{FindKey, FindingsDocument};
use centipawn_store::{Store, StoreError};

use super::review::report_store_failure;

/// Findings of games in a store. After the first failure, which is reported, the store is no longer
/// used: reviews do not depend on it.
pub(crate) struct KeptFindings<'a> {
    store: Option<Arc<Store>>,
    /// Whether findings by other settings serve as well.
    takes_any: bool,
    has_failed: AtomicBool,
    reporter: &'a dyn Reporter,
}

/// A [`FindJob`] that takes the findings from the store, if the store has them.
pub(crate) struct KeptFindJob<'a> {
    job: FindJob<'a>,
    finder: Finder<'a>,
    kept: &'a KeptFindings<'a>,
    /// The key in the store; `None` if the findings are not stored.
    key: Option<String>,
    /// Findings from the store.
    found: Mutex<Option<GameFindings>>,
    is_found: bool,
}

impl<'a> KeptFindings<'a> {
    /// Keeps findings in `store`, if there is one.
    pub(crate) fn new(store: Option<Arc<Store>>, reporter: &'a dyn Reporter) -> Self {
        Self {
            store,
            takes_any: false,
            has_failed: AtomicBool::new(false),
            reporter,
        }
    }

    /// Lets findings of a game by any settings of an engine serve, so that a game that was reviewed
    /// in any way is not searched again.
    pub(crate) fn taking_any(self, takes_any: bool) -> Self {
        Self { takes_any, ..self }
    }

    /// Returns the job, with its findings if the store has them.
    pub(crate) fn job(&'a self, job: FindJob<'a>, finder: Finder<'a>) -> KeptFindJob<'a> {
        // Looked up first, because the key asks for the identity of the engine, which starts it.
        let any = self.any(&job, finder);
        let key = match any {
            Some(_) => None,
            None => self.key(&job, finder),
        };
        let found = any.or_else(|| key.as_ref().and_then(|key| self.find(&job, key)));
        let is_found = found.is_some();
        KeptFindJob {
            job,
            finder,
            kept: self,
            key,
            found: Mutex::new(found),
            is_found,
        }
    }

    /// Returns whether the store has the findings of a job.
    pub(crate) fn has(&self, job: &FindJob<'_>, finder: Finder<'_>) -> bool {
        let by_key = || {
            self.key(job, finder)
                .is_some_and(|key| self.find(job, &key).is_some())
        };
        self.any(job, finder).is_some() || by_key()
    }

    /// Returns the findings with the most lines, then those of the longest search, whatever their
    /// settings are; `None` unless any findings serve.
    fn any(&self, job: &FindJob<'_>, finder: Finder<'_>) -> Option<GameFindings> {
        if !self.takes_any {
            return None;
        }
        let game = job.game();
        let rows = self.ask(|store| store.findings_of_text(&game.to_string()))?;
        let mut known: Vec<((usize, u64), String)> = rows
            .into_iter()
            .filter_map(|(settings, document)| {
                let key: FindKey = serde_json::from_str(&settings).ok()?;
                let is_read = key.version == GameFindings::VERSION && key.engine.is_some();
                is_read.then_some(((key.find.lines, effort(key.find.limit)), document))
            })
            .collect();
        known.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        known.into_iter().find_map(|(_, document)| {
            let document: FindingsDocument = serde_json::from_str(&document).ok()?;
            let findings = document.read(game).ok()?;
            Some(findings.under(game, finder.options))
        })
    }

    /// `None` if the findings are too cheap to store, or if the analyst has no identity, whose
    /// error the first question returns.
    pub(crate) fn key(&self, job: &FindJob<'_>, finder: Finder<'_>) -> Option<String> {
        self.store.as_ref()?;
        // The identity may start the engine, so only a job with questions asks for it.
        let engine = job.asks().then(|| finder.analyst.identity());
        let is_unnamed = engine.as_ref().is_some_and(|engine| engine.name.is_empty());
        let is_cheap = engine.is_none() && finder.networks.is_empty();
        let networks: Vec<_> = finder.networks.iter().map(Network::provenance).collect();
        (!is_unnamed && !is_cheap)
            .then(|| FindKey::new(finder.options, engine.as_deref(), &networks).text())
    }

    fn find(&self, job: &FindJob<'_>, key: &str) -> Option<GameFindings> {
        let text = self.ask(|store| store.find_findings(&job.game().to_string(), key))??;
        // Findings that cannot be decoded are computed again and replaced.
        let document: FindingsDocument = serde_json::from_str(&text).ok()?;
        document.read(job.game()).ok()
    }

    fn keep(&self, found: &Found, key: &str) {
        let Ok(findings) = &found.findings else {
            return;
        };
        if let Ok(text) = serde_json::to_string(&FindingsDocument::new(findings, &found.game)) {
            self.ask(|store| store.keep_findings(&found.game.to_string(), key, &text));
        }
    }

    /// Returns the store's answer; `None` if the store fails or has failed before.
    fn ask<T>(&self, work: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        let store = self
            .store
            .as_ref()
            .filter(|_| !self.has_failed.load(Ordering::Relaxed))?;
        match work(store) {
            Ok(value) => Some(value),
            Err(error) => {
                if !self.has_failed.swap(true, Ordering::Relaxed) {
                    report_store_failure(self.reporter, error);
                }
                None
            }
        }
    }
}

/// Returns how long a search is, comparable among limits of the same kind. Nodes are preferred,
/// because their number is known.
fn effort(limit: Limit) -> u64 {
    match limit {
        Limit::Nodes(nodes) => nodes,
        Limit::Depth(depth) => depth.into(),
        Limit::MoveTime(time) => u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
    }
}

impl KeptFindJob<'_> {
    /// Returns the engine work, which does not run if the store had the findings.
    pub(crate) fn work(&self) -> &FindJob<'_> {
        &self.job
    }
}

impl Job for KeptFindJob<'_> {
    type Step = FindStep;
    type Output = Found;

    fn next(&self) -> Next<FindStep> {
        if self.is_found {
            Next::Done
        } else {
            self.job.next()
        }
    }

    fn perform(&self, step: FindStep) -> Result<(), Cancelled> {
        self.job.perform(step)
    }

    fn finish(&self) -> Found {
        let findings = self
            .found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(findings) = findings {
            self.finder.count.add_whole(findings.positions.len() as u64);
            return Found {
                game: Arc::clone(self.job.game()),
                findings: Ok(findings),
            };
        }
        let found = self.job.finish();
        // Store the findings before the game counts as done, so that a kill cannot lose them.
        if let Some(key) = &self.key {
            self.kept.keep(&found, key);
        }
        found
    }
}
