//! Counts the answers of an analyst.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use crate::{Analysis, Analyst, AnalystError, Identity, Question};

/// Wraps an analyst and counts its answers, whether they come from a search or from a cache.
#[derive(Debug)]
pub struct CountingAnalyst<A> {
    analyst: A,
    searches: AtomicU64,
    nodes: AtomicU64,
    is_without_wdl: AtomicBool,
}

impl<A: Analyst> CountingAnalyst<A> {
    /// Wraps `analyst`, with all counts at 0.
    pub fn new(analyst: A) -> Self {
        Self {
            analyst,
            searches: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            is_without_wdl: AtomicBool::new(false),
        }
    }

    /// Returns the wrapped analyst.
    pub fn analyst(&self) -> &A {
        &self.analyst
    }

    /// Answers so far, not counting errors.
    pub fn searches(&self) -> u64 {
        self.searches.load(Ordering::Relaxed)
    }

    /// Nodes of all answers, as the engine counts them.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Returns whether any evaluation in centipawns came without win, draw and loss.
    pub fn is_without_wdl(&self) -> bool {
        self.is_without_wdl.load(Ordering::Relaxed)
    }
}

impl<A: Analyst> Analyst for CountingAnalyst<A> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let analysis = self.analyst.analyse(question)?;
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.nodes.fetch_add(analysis.nodes, Ordering::Relaxed);
        if analysis
            .lines
            .iter()
            .any(|line| line.wdl.is_none() && line.eval.mate_moves().is_none())
        {
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
