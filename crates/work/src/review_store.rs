//! The engine work of reviews in the store: made once, then one look-up.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use centipawn_progress::{Cancelled, Job, Next, Reporter};
use centipawn_review::{FindJob, FindKey, FindStep, Finder, FindingsDocument, Found, GameFindings};
use centipawn_store::{Store, StoreError};

use crate::review::report_store_failure;

/// Findings of games in a store. One that fails is reported and then left alone: reviews are right without it.
pub(crate) struct KeptFindings<'a> {
    store: Option<Arc<Store>>,
    has_failed: AtomicBool,
    reporter: &'a dyn Reporter,
}

/// A [`FindJob`] whose findings come from the store where they were made before.
pub(crate) struct KeptFindJob<'a> {
    job: FindJob<'a>,
    finder: Finder<'a>,
    kept: &'a KeptFindings<'a>,
    /// The key in the store; `None` where the findings are not kept.
    key: Option<String>,
    /// Found in the store.
    found: Mutex<Option<GameFindings>>,
    is_found: bool,
}

impl<'a> KeptFindings<'a> {
    /// Of a store, if there is one.
    pub(crate) fn new(store: Option<Arc<Store>>, reporter: &'a dyn Reporter) -> Self {
        Self { store, has_failed: AtomicBool::new(false), reporter }
    }

    /// The job, with what the store has of it.
    pub(crate) fn job(&'a self, job: FindJob<'a>, finder: Finder<'a>) -> KeptFindJob<'a> {
        let key = self.key(&job, finder);
        let found = key.as_ref().and_then(|key| self.find(&job, key));
        let is_found = found.is_some();
        KeptFindJob { job, finder, kept: self, key, found: Mutex::new(found), is_found }
    }

    /// `None` where nothing costs enough to be kept, and where the analyst has no name: its error comes with the first question.
    fn key(&self, job: &FindJob<'_>, finder: Finder<'_>) -> Option<String> {
        self.store.as_ref()?;
        // An engine whose evaluations are not needed is not started.
        let engine = job.asks().then(|| finder.analyst.identity());
        let is_unnamed = engine.as_ref().is_some_and(|engine| engine.name.is_empty());
        let is_cheap = engine.is_none() && finder.networks.is_empty();
        (!is_unnamed && !is_cheap).then(|| FindKey::new(finder.options, engine.as_deref(), finder.networks).text())
    }

    fn find(&self, job: &FindJob<'_>, key: &str) -> Option<GameFindings> {
        let text = self.ask(|store| store.find_review(&job.game().to_string(), key))??;
        // What cannot be read is made anew, and replaced.
        let document: FindingsDocument = serde_json::from_str(&text).ok()?;
        document.read(job.game()).ok()
    }

    fn keep(&self, found: &Found, key: &str) {
        let Ok(findings) = &found.findings else { return };
        if let Ok(text) = serde_json::to_string(&findings.document(&found.game)) {
            self.ask(|store| store.keep_review(&found.game.to_string(), key, &text));
        }
    }

    /// What the store says, unless it failed, now or before.
    fn ask<T>(&self, work: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        let store = self.store.as_ref().filter(|_| !self.has_failed.load(Ordering::Relaxed))?;
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

impl Job for KeptFindJob<'_> {
    type Step = FindStep;
    type Output = Found;

    fn next(&self) -> Next<FindStep> {
        if self.is_found { Next::Done } else { self.job.next() }
    }

    fn perform(&self, step: FindStep) -> Result<(), Cancelled> {
        self.job.perform(step)
    }

    fn finish(&self) -> Found {
        let findings = self.found.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(findings) = findings {
            self.finder.count.add(findings.positions.len() as u64);
            return Found { game: Arc::clone(self.job.game()), findings: Ok(findings) };
        }
        let found = self.job.finish();
        // On disk before it is counted.
        if let Some(key) = &self.key {
            self.kept.keep(&found, key);
        }
        found
    }
}
