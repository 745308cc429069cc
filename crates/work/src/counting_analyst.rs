//! How many questions an analyst answers.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};

/// Counts what an analyst answers, whether it searched or knew the answer.
pub(crate) struct CountingAnalyst<'a> {
    analyst: &'a dyn Analyst,
    searches: AtomicU64,
    nodes: AtomicU64,
    is_without_wdl: AtomicBool,
}

impl<'a> CountingAnalyst<'a> {
    pub(crate) fn new(analyst: &'a dyn Analyst) -> Self {
        Self { analyst, searches: AtomicU64::new(0), nodes: AtomicU64::new(0), is_without_wdl: AtomicBool::new(false) }
    }

    /// Questions answered so far.
    pub(crate) fn searches(&self) -> u64 {
        self.searches.load(Ordering::Relaxed)
    }

    /// Nodes of the answers, as the engine counted them.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Whether an evaluation in centipawns came without win, draw and loss.
    pub(crate) fn is_without_wdl(&self) -> bool {
        self.is_without_wdl.load(Ordering::Relaxed)
    }
}

impl Analyst for CountingAnalyst<'_> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let analysis = self.analyst.analyse(question)?;
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.nodes.fetch_add(analysis.nodes, Ordering::Relaxed);
        if analysis.lines.iter().any(|line| line.wdl.is_none() && line.eval.mate_moves().is_none()) {
            self.is_without_wdl.store(true, Ordering::Relaxed);
        }
        Ok(analysis)
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    fn parallelism(&self) -> usize {
        self.analyst.parallelism()
    }
}
