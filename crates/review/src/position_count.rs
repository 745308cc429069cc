//! How far a piece of work is, counted in positions.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use centipawn_pgn::{ScanOptions, Sources, scan};
use centipawn_progress::{Cancel, Progress, Reporter, Unit};

/// Counts positions and games of many threads, and reports them.
pub struct PositionCount<'a> {
    reporter: &'a dyn Reporter,
    done: AtomicU64,
    /// 0 while it is not known.
    total: Arc<AtomicU64>,
    games: AtomicU64,
    label: Mutex<String>,
}

impl<'a> PositionCount<'a> {
    /// Nothing done yet, of an unknown total.
    pub fn new(reporter: &'a dyn Reporter) -> Self {
        Self {
            reporter,
            done: AtomicU64::new(0),
            total: Arc::default(),
            games: AtomicU64::new(0),
            label: Mutex::default(),
        }
    }

    /// Positions in all, once they are known.
    pub fn set_total(&self, positions: u64) {
        self.total.store(positions, Ordering::Relaxed);
    }

    /// Reads files once more on a thread of its own, which goes on until `cancel` is set, to know the total. Does nothing where one
    /// of them is no ordinary file: standard input and pipes cannot be read twice.
    pub fn count_sources(&self, sources: Sources, cancel: &Cancel) {
        if sources.paths().iter().any(|path| !path.is_file()) {
            return;
        }
        let (total, cancel) = (Arc::clone(&self.total), cancel.clone());
        thread::spawn(move || {
            let threads = Some(NonZeroUsize::MIN);
            let options = ScanOptions { threads, cancel: Some(&cancel), ..ScanOptions::default() };
            if let Ok((plies, _)) = scan(&sources, &options, || 0, |plies, game| *plies += game.len() as u64)
                && !cancel.is_set()
            {
                total.store(plies, Ordering::Relaxed);
            }
        });
    }

    /// This many more positions are done.
    pub fn add(&self, positions: u64) {
        self.done.fetch_add(positions, Ordering::Relaxed);
        self.report();
    }

    /// A game is done; `title` names its players.
    pub fn add_game(&self, title: &str) {
        self.games.fetch_add(1, Ordering::Relaxed);
        title.clone_into(&mut self.label.lock().unwrap_or_else(PoisonError::into_inner));
        self.report();
    }

    fn report(&self) {
        // Held while it is reported, so that reports do not overtake each other.
        let label = self.label.lock().unwrap_or_else(PoisonError::into_inner);
        let total = self.total.load(Ordering::Relaxed);
        self.reporter.progress(&Progress {
            done: self.done.load(Ordering::Relaxed),
            total: (total > 0).then_some(total),
            unit: Unit::Positions,
            games: self.games.load(Ordering::Relaxed),
            label: label.clone(),
        });
    }
}
