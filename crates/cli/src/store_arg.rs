//! `--store`: where evaluations are cached, for every command that asks an analyst.

use std::sync::Arc;

use anyhow::Result;
use centipawn_progress::{Cancel, Files, Reporter};
use centipawn_store::Store;
use centipawn_work::{Resources, StoreChoice};
use clap::Args;

use crate::exit::usage;

/// Where evaluations are cached.
#[derive(Args, Clone, Debug)]
pub(crate) struct StoreArg {
    /// Where to cache evaluations, so that none is computed twice: a file, postgres://…, or none
    /// [default: $CENTIPAWN_STORE, or centipawn/centipawn.db in the user's data folder]
    #[arg(
        long,
        value_name = "FILE|URL|none",
        global = true,
        help_heading = "Engine"
    )]
    store: Option<String>,
}

/// The purpose for which a command opens the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Import,
    Vacuum,
    Delete,
}

impl StoreArg {
    /// Returns the store from the flag, else from the environment.
    pub(crate) fn choice(&self) -> Result<StoreChoice> {
        StoreChoice::named(self.store.clone()).map_err(|error| usage(format!("--store: {error}")))
    }

    /// Returns the resources of work, with this store.
    pub(crate) fn resources(
        &self,
        cancel: &Cancel,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Resources> {
        Ok(Resources::new(self.choice()?, cancel, reporter))
    }

    /// Protects the store's files from being replaced by results.
    pub(crate) fn protect(&self, files: &mut Files) -> Result<()> {
        self.choice()?.protect(files);
        Ok(())
    }

    /// Opens the store, for commands that require one. Only `Use::Import` creates a named store
    /// that does not exist.
    pub(crate) fn open_or_fail(&self, purpose: Use, reporter: Arc<dyn Reporter>) -> Result<Store> {
        match self.choice()? {
            StoreChoice::None => Err(usage("this command needs a store; name one with --store")),
            // `vacuum` and `delete` write to the store, but must not create one.
            StoreChoice::At(location) if purpose != Use::Import => {
                Ok(Store::open_to_read(&location, reporter)?)
            }
            StoreChoice::At(location) => Ok(Store::open_reporting(&location, reporter)?),
            StoreChoice::OfUser => Ok(Store::of_user(reporter)?),
        }
    }
}
