//! Who answers questions about positions: tables, the store, engines.

use std::sync::Arc;

use anyhow::Result;
use centipawn_engine::{Analyst, Cancel, EngineConfig, Pool, find};
use centipawn_progress::{OnSet, Problem, Reporter};
use centipawn_store::Cached;

use crate::{args::EngineArgs, engine::TablesArg, games::Problems, kept::StoreArg, session::Session};

/// Engines, and the analyst in front of them. Ctrl-C ends their searches.
pub(super) struct Analysts {
    pub(super) pool: Arc<Pool>,
    pub(super) analyst: Arc<dyn Analyst>,
    _on_interrupt: [OnSet; 2],
}

impl Analysts {
    /// Tables where they are given, then what the store has to exactly the same question, then engines.
    pub(super) fn start(
        engine: &EngineArgs,
        tables: &TablesArg,
        store: &StoreArg,
        session: &Session,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self> {
        let cancel = session.cancel()?;
        let terminal = Arc::clone(session.reporter());
        let store = store.open(&Problems::new(move |line| terminal.note(&line)))?;
        let mut config = EngineConfig::new(find(&engine.command())?);
        config.options.clone_from(&engine.options);
        let starting = Arc::<Cancel>::default();
        let set = Arc::clone(&starting);
        let on_start = cancel.on_set(move || set.set());
        let pool = Arc::new(Pool::start_under(&[(config, engine.jobs())], starting)?);
        let close = Arc::clone(&pool);
        let on_search = cancel.on_set(move || close.close());
        let mut analyst: Arc<dyn Analyst> = Arc::<Pool>::clone(&pool);
        if let Some(store) = store {
            let failed = move |error: centipawn_store::StoreError| {
                let text = format_args!("{error}; from here on evaluations are not kept");
                reporter.problem(&Problem::error(text));
            };
            analyst = Arc::new(Cached::new(analyst, Arc::new(store), failed).exact());
        }
        Ok(Self { pool, analyst: tables.before(analyst)?, _on_interrupt: [on_start, on_search] })
    }
}
