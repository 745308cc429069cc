//! Two analysts, one after the other.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use crate::{Analysis, Analyst, AnalystError, Identity, Question, identity::ELSE};

/// An analyst that asks a first analyst, then a second if the first has no answer: a service before
/// engines, for example.
///
/// An answer does not show which of the two gave it, so a store before a `Fallback` files all
/// answers under both names. To file each answer under the name of its analyst, put a store before
/// each of the two instead.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_engine::{Analyst, Cancel, EngineSpec, Fallback, LazyPool, Limit, Question, find};
///
/// # if find("stockfish").is_err() { return Ok(()) };
/// let pool = |command: &str| {
///     let command = command.to_owned();
///     LazyPool::new(EngineSpec { command, ..EngineSpec::default() }, &Cancel::new())
/// };
/// let analyst = Fallback::new(pool("an-engine-that-is-not-installed"), pool("stockfish"));
/// let question = Question::new(History::default(), Limit::Depth(3));
/// assert_eq!(analyst.analyse(&question)?.lines.len(), 1);
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fallback<A, B> {
    first: A,
    second: B,
    identity: OnceLock<Arc<Identity>>,
}

impl<A: Analyst, B: Analyst> Fallback<A, B> {
    /// Asks `first`, then `second`.
    pub fn new(first: A, second: B) -> Self {
        Self {
            first,
            second,
            identity: OnceLock::new(),
        }
    }

    fn joined(&self) -> Arc<Identity> {
        let [one, other] = [self.first.identity(), self.second.identity()];
        let mut options = BTreeMap::new();
        for (place, identity) in [(1, &one), (2, &other)] {
            let named = identity.options.iter();
            options.extend(named.map(|(name, value)| {
                (format!("{place} {}: {name}", identity.name), value.clone())
            }));
        }
        let authors = [one.author.as_str(), other.author.as_str()]
            .map(str::trim)
            .into_iter();
        let authors: Vec<&str> = authors.filter(|author| !author.is_empty()).collect();
        let name = format!("{}{}{}", one.name, ELSE, other.name);
        Arc::new(Identity {
            name,
            author: authors.join(" + "),
            options,
        })
    }
}

impl<A: Analyst, B: Analyst> Analyst for Fallback<A, B> {
    /// # Errors
    ///
    /// The errors of the second analyst; of the first only [`AnalystError::NotLegal`] and
    /// [`AnalystError::Cancelled`].
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        match self.first.analyse(question) {
            Err(error @ (AnalystError::NotLegal { .. } | AnalystError::Cancelled)) => Err(error),
            Err(_) => self.second.analyse(question),
            answer => answer,
        }
    }

    /// Returns both names joined, with the options of both. This starts a
    /// [`LazyPool`](crate::LazyPool).
    fn identity(&self) -> Arc<Identity> {
        Arc::clone(self.identity.get_or_init(|| self.joined()))
    }

    fn parallelism(&self) -> usize {
        self.first.parallelism().max(self.second.parallelism())
    }
}
