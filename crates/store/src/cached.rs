//! An analyst with a store as its cache.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};

use crate::{Store, StoreError, query_key::QueryKey};

/// Number of additional parallel questions, so that the analyst stays busy while answers are
/// written to disk.
const WRITING: usize = 2;

/// An analyst with a store in front of it: questions that the store can answer do not reach the
/// analyst.
///
/// An answer is on disk before it is returned, so every answer that a caller has received is
/// stored. If several threads ask the same question at the same time, only one of them reaches the
/// analyst. If the store fails, the error is reported once and the store is not used again; the
/// analyst's answers are still correct.
pub struct Cached<A> {
    analyst: A,
    store: Arc<Store>,
    /// Whether deeper and wider answers are also used.
    at_least: bool,
    /// Set by the first error of the store.
    failed: AtomicBool,
    report: Box<dyn Fn(StoreError) + Send + Sync>,
    under_way: Mutex<HashMap<QueryKey, Arc<UnderWay>>>,
    found: AtomicU64,
    asked: AtomicU64,
}

/// A question that one caller is asking. Other callers wait for its answer.
#[derive(Default)]
struct UnderWay {
    answer: Mutex<Option<Outcome>>,
    changed: Condvar,
}

#[derive(Clone)]
enum Outcome {
    Answered(Result<Analysis, AnalystError>),
    /// The thread that searched panicked, so there is no answer.
    Abandoned,
}

impl<A: Analyst> Cached<A> {
    /// Puts `store` in front of `analyst`. `report` is called with the first error of the store.
    pub fn new(
        analyst: A,
        store: Arc<Store>,
        report: impl Fn(StoreError) + Send + Sync + 'static,
    ) -> Self {
        Self {
            analyst,
            store,
            at_least: false,
            failed: AtomicBool::new(false),
            report: Box::new(report),
            under_way: Mutex::default(),
            found: AtomicU64::new(0),
            asked: AtomicU64::new(0),
        }
    }

    /// Returns the same analyst, which also uses stored answers that are deeper or wider than the
    /// question. They are better but different, so results then depend on the contents of the
    /// store. By default, only the answer to exactly the same question is used.
    #[must_use]
    pub fn at_least(mut self) -> Self {
        self.at_least = true;
        self
    }

    /// Returns the number of questions answered from the store, or together with an equal question
    /// at the same time.
    pub fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    /// Returns the number of questions that reached the analyst.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns the result of `work` on the store; `None` if the store fails or has failed.
    fn ask_store<T>(&self, work: impl FnOnce(&Store) -> Result<T, StoreError>) -> Option<T> {
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        match work(&self.store) {
            Ok(value) => Some(value),
            Err(error) => {
                if !self.failed.swap(true, Ordering::Relaxed) {
                    (self.report)(error);
                }
                None
            }
        }
    }

    fn find(
        &self,
        store: &Store,
        who: &Identity,
        question: &Question,
    ) -> Result<Option<Analysis>, StoreError> {
        if self.at_least {
            store.find(who, question)
        } else {
            store.find_exactly(who, question)
        }
    }

    fn look_up_or_ask(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let who = self.analyst.identity();
        // An analyst that could not start has an empty name. Then `analyse` below returns the
        // reason.
        let is_known = !who.name.is_empty();
        if is_known
            && let Some(Some(analysis)) = self.ask_store(|store| self.find(store, &who, question))
        {
            self.found.fetch_add(1, Ordering::Relaxed);
            return Ok(analysis);
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        let analysis = self.analyst.analyse(question)?;
        if is_known {
            self.ask_store(|store| store.keep(&who, question, &analysis));
        }
        Ok(analysis)
    }

    fn under_way(&self) -> std::sync::MutexGuard<'_, HashMap<QueryKey, Arc<UnderWay>>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Analyst> Analyst for Cached<A> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let Some(key) = QueryKey::of(question)? else {
            return Ok(Analysis::terminal());
        };
        loop {
            let waiting = match self.under_way().entry(key.clone()) {
                Entry::Occupied(other) => Some(Arc::clone(other.get())),
                Entry::Vacant(place) => {
                    place.insert(Arc::default());
                    None
                }
            };
            match waiting.map(|other| other.wait()) {
                Some(Outcome::Answered(answer)) => {
                    self.found.fetch_add(1, Ordering::Relaxed);
                    return answer;
                }
                Some(Outcome::Abandoned) => {}
                None => {
                    let mut turn = Turn {
                        cached: self,
                        key,
                        outcome: Outcome::Abandoned,
                    };
                    let answer = self.look_up_or_ask(question);
                    turn.outcome = Outcome::Answered(answer.clone());
                    return answer;
                }
            }
        }
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    /// Returns the analyst's parallelism plus 2, so that the analyst stays busy while answers are
    /// written to disk.
    fn parallelism(&self) -> usize {
        self.analyst.parallelism() + WRITING
    }
}

impl UnderWay {
    fn wait(&self) -> Outcome {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = &*answer {
                return outcome.clone();
            }
            answer = self
                .changed
                .wait(answer)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A question that this caller is asking. Dropping the value passes the outcome to the callers that
/// wait.
struct Turn<'a, A: Analyst> {
    cached: &'a Cached<A>,
    key: QueryKey,
    outcome: Outcome,
}

impl<A: Analyst> Drop for Turn<'_, A> {
    fn drop(&mut self) {
        if let Some(under_way) = self.cached.under_way().remove(&self.key) {
            *under_way
                .answer
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(self.outcome.clone());
            under_way.changed.notify_all();
        }
    }
}

impl<A: fmt::Debug> fmt::Debug for Cached<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cached")
            .field("analyst", &self.analyst)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
