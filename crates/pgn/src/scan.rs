//! Many games read by all cores.

mod cut;
mod open;
mod report;
mod schedule;
mod shard;
mod work;

use std::{num::NonZeroUsize, sync::atomic::AtomicBool, thread};

pub use report::{Problem, Progress, Report};
pub use shard::{BadShard, Shard};

pub(crate) use cut::{Block, Cutter};

use crate::{Dialect, GameView, Sources};
use schedule::Schedule;
use work::Work;

/// A result that adds up: of two parts of an input, the result of the whole.
///
/// `a.merge(b)`, with `a` of the earlier part, is what one pass over both would have given. It need not be commutative.
pub trait Merge {
    /// Takes over the result of the part that follows.
    fn merge(&mut self, later: Self);
}

impl Merge for () {
    fn merge(&mut self, (): Self) {}
}

impl Merge for u64 {
    fn merge(&mut self, later: Self) {
        *self += later;
    }
}

impl<T> Merge for Vec<T> {
    fn merge(&mut self, mut later: Self) {
        self.append(&mut later);
    }
}

/// How to [`scan`].
#[derive(Clone, Copy)]
pub struct ScanOptions<'a> {
    /// Threads to work with; none given: one a core.
    pub threads: Option<NonZeroUsize>,
    /// The dialect of all evaluations; [`Dialect::Auto`]: told for each file from its first games.
    pub dialect: Dialect,
    /// Whether the first game or file that cannot be read ends the scan.
    pub strict: bool,
    /// Which part of the games to read.
    pub shard: Shard,
    /// Bytes that a game may have, at most 1 GiB.
    pub limit: usize,
    /// Bytes of text that a thread takes at a time, at most 1 GiB.
    pub block: usize,
    /// Told of each game and file that cannot be read, in the order of the input. The first
    /// [`ERRORS_TOLD`](Self::ERRORS_TOLD) of a file are told, the [`Report`] counts all.
    pub on_problem: Option<&'a (dyn Fn(&Problem) + Sync)>,
    /// Told how far it is, about ten times a second.
    pub on_progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// Once true, the scan ends soon, with what it has.
    pub cancel: Option<&'a AtomicBool>,
}

impl ScanOptions<'_> {
    /// So many games of a file that cannot be read are told one by one.
    pub const ERRORS_TOLD: usize = 10_000;
}

impl Default for ScanOptions<'_> {
    fn default() -> Self {
        Self {
            threads: None,
            dialect: Dialect::Auto,
            strict: false,
            shard: Shard::ALL,
            limit: crate::Reader::<std::io::Empty>::LIMIT,
            block: 2 << 20,
            on_problem: None,
            on_progress: None,
            cancel: None,
        }
    }
}

/// Shows all games of `sources` to `on_game`, on all cores, and adds up what it notes in states.
///
/// `make_state` is called once for every few megabytes of text; the states are [merged](Merge) in the order of the games.
/// So the result is the same for any number of threads and any size of blocks. Plain files are cut at the lines that surely
/// begin a game ([`token::game_start`](crate::token::game_start)) and read in many places at once; what is compressed, or comes
/// from standard input, is decoded by one thread at a time while the others look at games. Memory is bounded: a block or two
/// for each thread, whatever the size of the input.
///
/// # Errors
///
/// None unless [`strict`](ScanOptions::strict): then the first game or file that cannot be read. Otherwise these are told to
/// [`on_problem`](ScanOptions::on_problem) and counted.
///
/// ```
/// use centipawn_pgn::{ScanOptions, Sources, scan};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "[White \"A\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. e5 *\n\n1. d4 *\n")?;
/// let sources = Sources::expand(&[&path])?;
/// let told = |problem: &_| eprintln!("{problem}");        // games.pgn: game 2, line 7: 1. e5 is not a legal move in …
/// let options = ScanOptions { on_problem: Some(&told), ..ScanOptions::default() };
/// let (plies, report) = scan(&sources, &options, || 0, |plies, game| *plies += game.len() as u64)?;
/// assert_eq!((plies, report.games, report.bad_games()), (3, 2, 1));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn scan<S, M, F>(
    sources: &Sources,
    options: &ScanOptions<'_>,
    make_state: M,
    on_game: F,
) -> Result<(S, Report), Problem>
where
    S: Merge + Send,
    M: Fn() -> S + Sync,
    F: Fn(&mut S, &GameView<'_>) + Sync,
{
    // Places in a block are told in 32 bits.
    const MOST: usize = 1 << 30;
    let options = &ScanOptions { limit: options.limit.min(MOST), block: options.block.min(MOST), ..*options };
    let threads = options.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let schedule = Schedule::new(sources, options, threads);
    let work = || Work::new(options, &make_state, &on_game).run(&schedule);
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    schedule.finish(make_state)
}

#[cfg(test)]
mod tests;
