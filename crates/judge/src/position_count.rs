//! Progress counted in positions.

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

/// Counts finished positions and games across threads, and reports progress.
pub struct PositionCount<'a> {
    reporter: &'a dyn Reporter,
    done: AtomicU64,
    /// Number of positions in total; 0 while it is unknown.
    total: Arc<AtomicU64>,
    games: AtomicU64,
    /// Number of passes of the work over each position.
    passes: u64,
    label: Mutex<String>,
}

impl<'a> PositionCount<'a> {
    /// Creates a count at 0, with an unknown total.
    pub fn new(reporter: &'a dyn Reporter) -> Self {
        Self {
            reporter,
            done: AtomicU64::new(0),
            total: Arc::default(),
            games: AtomicU64::new(0),
            passes: 1,
            label: Mutex::default(),
        }
    }

    /// Returns the same count for work with `passes` passes over the positions. Each pass over a
    /// position counts as one.
    #[must_use]
    pub fn passes(self, passes: u64) -> Self {
        Self { passes, ..self }
    }

    /// Sets the number of positions.
    pub fn set_total(&self, positions: u64) {
        self.total.store(self.passes * positions, Ordering::Relaxed);
    }

    /// Counts positions with which all passes are finished.
    pub fn add_whole(&self, positions: u64) {
        self.add(positions * self.passes);
    }

    /// Counts the positions in `sources` on a background thread, to learn the total; `cancel` stops
    /// it. Does nothing unless all sources are ordinary files, since standard input and pipes
    /// cannot be read twice.
    pub fn count_sources(&self, sources: Sources, cancel: &Cancel) {
        if sources.paths().iter().any(|path| !path.is_file()) {
            return;
        }
        let (total, passes, cancel) = (Arc::clone(&self.total), self.passes, cancel.clone());
        thread::spawn(move || {
            let threads = Some(NonZeroUsize::MIN);
            let options = ScanOptions {
                threads,
                cancel: Some(&cancel),
                ..ScanOptions::default()
            };
            if let Ok((plies, _)) = scan(
                &sources,
                &options,
                || 0,
                |plies, game| *plies += game.len() as u64,
            ) && !cancel.is_set()
            {
                total.store(
                    passes * plies / u64::from(sources.shard().count()),
                    Ordering::Relaxed,
                );
            }
        });
    }

    /// Counts more positions as finished.
    pub fn add(&self, positions: u64) {
        self.done.fetch_add(positions, Ordering::Relaxed);
        self.report();
    }

    /// Counts a game as finished; `title` names its players.
    pub fn add_game(&self, title: &str) {
        self.games.fetch_add(1, Ordering::Relaxed);
        title.clone_into(&mut self.label.lock().unwrap_or_else(PoisonError::into_inner));
        self.report();
    }

    fn report(&self) {
        // Hold the lock while reporting, so that reports stay in order.
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
