//! `--store`: where evaluations are kept, for every command that asks an analyst.

use std::{fs, sync::Arc};

use anyhow::{Context as _, Result, anyhow};
use centipawn_engine::Analyst;
use centipawn_progress::{Problem, Reporter};
use centipawn_store::{Cached, Place, Store};
use clap::Args;

use crate::exit::usage;

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
    pub(crate) fn open(&self, reporter: &dyn Reporter) -> Result<Option<Store>> {
        match self.given()? {
            Some(None) => Ok(None),
            Some(Some(place)) => Ok(Some(Store::open(&place)?)),
            None => Ok(open_users_own().map_or_else(
                |error| {
                    reporter.problem(&Problem::warning(format_args!("{error:#}; evaluations are not kept")));
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
pub(crate) fn cached<R: Reporter + 'static>(
    analyst: Arc<dyn Analyst>,
    store: Option<Arc<Store>>,
    reporter: &Arc<R>,
) -> Arc<dyn Analyst> {
    let Some(store) = store else { return analyst };
    Arc::new(before(analyst, store, reporter))
}

/// The same, with answers to exactly the questions that are asked: the store changes no result.
pub(crate) fn cached_exactly<R: Reporter + 'static>(
    analyst: Arc<dyn Analyst>,
    store: Option<Arc<Store>>,
    reporter: &Arc<R>,
) -> Arc<dyn Analyst> {
    let Some(store) = store else { return analyst };
    Arc::new(before(analyst, store, reporter).exact())
}

fn before<R: Reporter + 'static>(
    analyst: Arc<dyn Analyst>,
    store: Arc<Store>,
    reporter: &Arc<R>,
) -> Cached<Arc<dyn Analyst>> {
    let reporter = Arc::clone(reporter);
    Cached::new(analyst, store, move |error| {
        reporter.problem(&Problem::error(format_args!("{error}; from here on evaluations are not kept")));
    })
}
