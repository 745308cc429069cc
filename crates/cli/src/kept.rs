//! The store behind analysts, for commands that do not use [`centipawn_work::Resources`] yet.

use std::sync::Arc;

use anyhow::Result;
use centipawn_engine::Analyst;
use centipawn_review::{Options, Review};
use centipawn_store::{Cached, Store};
use centipawn_work::StoreChoice;
use serde_json::json;

use crate::games::Problems;

pub(crate) use crate::store_arg::StoreArg;

impl StoreArg {
    /// The store, where there is to be one.
    pub(crate) fn open(&self, problems: &Arc<Problems>) -> Result<Option<Store>> {
        match self.choice()? {
            StoreChoice::None => Ok(None),
            StoreChoice::At(location) => Ok(Some(Store::open(&location)?)),
            StoreChoice::OfUser => Ok(Store::of_user().map_or_else(
                |error| {
                    problems.warning(format_args!("{error}; evaluations are not kept"));
                    None
                },
                Some,
            )),
        }
    }
}

/// The analyst behind the store, if there is one.
pub(crate) fn cached(
    analyst: Arc<dyn Analyst>,
    store: Option<Arc<Store>>,
    problems: &Arc<Problems>,
) -> Arc<dyn Analyst> {
    let Some(store) = store else { return analyst };
    Arc::new(before(analyst, store, problems))
}

/// The same, with answers to exactly the questions that are asked: the store changes no result.
pub(crate) fn cached_exactly(
    analyst: Arc<dyn Analyst>,
    store: Option<Arc<Store>>,
    problems: &Arc<Problems>,
) -> Arc<dyn Analyst> {
    let Some(store) = store else { return analyst };
    Arc::new(before(analyst, store, problems).exact())
}

fn before(analyst: Arc<dyn Analyst>, store: Arc<Store>, problems: &Arc<Problems>) -> Cached<Arc<dyn Analyst>> {
    let problems = Arc::clone(problems);
    Cached::new(analyst, store, move |error| {
        problems.error(format_args!("{error}; from here on evaluations are not kept"));
    })
}

/// Reviews on their way into the store.
pub(crate) struct Reviews {
    store: Option<Arc<Store>>,
    problems: Arc<Problems>,
}

impl Reviews {
    pub(crate) fn new(store: Option<Arc<Store>>, problems: Arc<Problems>) -> Self {
        Self { store, problems }
    }

    /// Keeps a review with its game. A store that fails is left alone from then on.
    pub(crate) fn keep(&mut self, review: &Review) {
        let Some(store) = &self.store else { return };
        let Options { limit, lines, scheme, every_symbol, reuse_evals, language, ease, .. } = &review.options;
        let settings = json!({
            "centipawn": env!("CARGO_PKG_VERSION"), "analyst": review.analyst.as_ref().map(|who| who.with_options()),
            "limit": limit.to_string(), "lines": lines, "curve": review.curve.to_string(), "scheme": scheme.to_string(),
            "every_symbol": every_symbol, "ease": ease.iter().map(centipawn_policy::Network::name).collect::<Vec<_>>(), "language": language.to_string(), "reuse_evals": reuse_evals.map(|dialect| dialect.to_string()),
        });
        let document = match serde_json::to_string(&review.json()) {
            Ok(document) => document,
            Err(error) => return self.problems.error(format_args!("cannot keep a review: {error}")),
        };
        if let Err(error) = store.keep_review(&review.game.to_string(), &settings.to_string(), &document) {
            self.problems.error(format_args!("{error}; from here on reviews are not kept"));
            self.store = None;
        }
    }
}
