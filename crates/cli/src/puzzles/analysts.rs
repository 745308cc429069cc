//! Who answers questions about positions: tables, the store, engines.

use std::sync::Arc;

use anyhow::Result;
use centipawn_engine::{Analyst, LazyPool};
use centipawn_progress::Reporter;
use centipawn_work::AnalystSpec;

use crate::{args::EngineArgs, engine::TablesArg, session::Session, store_arg::StoreArg};

/// Engines, and the analyst in front of them. Ctrl-C ends their searches.
pub(super) struct Analysts {
    pub(super) pool: LazyPool,
    pub(super) analyst: Arc<dyn Analyst>,
}

impl Analysts {
    /// Tables where they are given, then the store's answers to exactly the same question, then engines.
    pub(super) fn start(
        engine: &EngineArgs,
        tables: &TablesArg,
        store: &StoreArg,
        session: &Session,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self> {
        let resources = store.resources(session.cancel()?, reporter)?;
        let spec = AnalystSpec { tables: tables.syzygy.clone(), is_exact: true, ..engine.analyst() };
        let analyst = resources.some_analyst(&spec)?;
        Ok(Self { pool: resources.engine(&engine.spec()), analyst })
    }
}
