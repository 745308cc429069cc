//! `--store`: where evaluations are kept, for every command that asks an analyst.

use std::{fs, sync::Arc};

use anyhow::{Context as _, Result, anyhow};
use centipawn_engine::Analyst;
use centipawn_review::{Options, Review};
use centipawn_store::{Cached, Place, Store};
use clap::Args;
use serde_json::json;

use crate::{exit::usage, games::Problems};

/// The environment's word for `--store`.
const VARIABLE: &str = "CENTIPAWN_STORE";

/// Where evaluations are kept.
#[derive(Args, Clone, Debug)]
pub(crate) struct StoreArg {
    /// Where evaluations are kept, so that none is computed twice: a file, postgres://…, or none
    /// [default: $CENTIPAWN_STORE, or centipawn/centipawn.db among the user's data]
    #[arg(long, value_name = "FILE|URL|none", global = true, help_heading = "Engine")]
    store: Option<String>,
}

impl StoreArg {
    /// What was asked for, by flag or environment: a place, or none at all.
    fn given(&self) -> Result<Option<Option<Place>>> {
        let environment = || std::env::var(VARIABLE).ok().filter(|value| !value.trim().is_empty());
        let Some(text) = self.store.clone().or_else(environment) else { return Ok(None) };
        if text.trim().eq_ignore_ascii_case("none") {
            return Ok(Some(None));
        }
        text.parse().map(|place| Some(Some(place))).map_err(|error| usage(format!("--store: {error}")))
    }

    /// The store, where there is to be one. That of the user's own can be missed: it is only said if it cannot be opened.
    pub(crate) fn open(&self, problems: &Problems) -> Result<Option<Store>> {
        match self.given()? {
            Some(None) => Ok(None),
            Some(Some(place)) => Ok(Some(Store::open(&place)?)),
            None => Ok(open_users_own().map_or_else(
                |error| {
                    problems.warning(format_args!("{error:#}; evaluations are not kept"));
                    None
                },
                Some,
            )),
        }
    }

    /// The store, for commands that are about nothing else; one that was named and is not there is made only if it may be.
    pub(crate) fn open_or_fail(&self, may_make: bool) -> Result<Store> {
        match self.given()? {
            Some(None) => Err(usage("this command needs a store; none was named")),
            Some(Some(Place::File(path))) if !may_make && !path.exists() => {
                Err(anyhow!("there is no store {}; is the name right?", path.display()))
            }
            Some(Some(place)) => Ok(Store::open(&place)?),
            None => open_users_own(),
        }
    }
}

fn open_users_own() -> Result<Store> {
    let file = Place::of_user()
        .ok_or_else(|| anyhow!("there is no place for a store: neither XDG_DATA_HOME nor HOME names a folder"))?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    Ok(Store::open(&Place::File(file))?)
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
