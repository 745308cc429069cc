//! Scanning many games on all cores.

mod merge;
mod open;
mod options;
mod scan_report;
mod schedule;
mod shard;
mod stream_hashes;
mod tally;
mod task;
mod unreadable;
mod work;

use std::{num::NonZeroUsize, thread};

pub use merge::Merge;
pub use options::ScanOptions;
pub use scan_report::ScanReport;
pub use shard::{BadShard, Shard};
pub use stream_hashes::StreamHashes;
pub use unreadable::{FirstUnreadable, Unreadable, UnreadableDocument};

use crate::{GameView, Sources};
use schedule::Schedule;
use work::Work;

/// Calls `on_game` for all games of `sources`, on all cores, and combines the states in which it
/// records results.
///
/// `make_state` is called once for every few megabytes of text; the states are [merged](Merge) in
/// the order of the games. The result is therefore the same for any number of threads and any block
/// size. Plain files are cut at the lines that certainly begin a game
/// ([`token::game_start`](crate::token::game_start)) and read in several places at once; where
/// there is no such line, one thread reads on and its states are merged one by one. Compressed
/// files and standard input are decoded by one thread at a time while the others visit games. The
/// frames of a `.zst` file that has many, as pzstd writes it, are decoded by several threads if
/// there are more threads than files. Memory is bounded whatever the size of the input: to one or
/// two blocks per thread, and for such a file to 64 MiB of decoded text and a decoder of about 9
/// MiB per thread.
///
/// # Errors
///
/// Only with [`strict`](ScanOptions::strict): the first game or file that cannot be read. Otherwise
/// unreadable games and files are counted and passed to
/// [`on_unreadable`](ScanOptions::on_unreadable) or the [reporter](ScanOptions::reporter).
///
/// ```
/// use centipawn_pgn::{ScanOptions, Sources, scan};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "[White \"A\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. e5 *\n\n1. d4 *\n")?;
/// let sources = Sources::expand(&[&path])?;
/// let print = |unreadable: &_| eprintln!("{unreadable}");  // games.pgn: game 2, line 7: 1. e5 is not a legal move in …
/// let options = ScanOptions { on_unreadable: Some(&print), ..ScanOptions::default() };
/// let (plies, report) = scan(&sources, &options, || 0, |plies, game| *plies += game.len() as u64)?;
/// assert_eq!((plies, report.games, report.bad_games()), (3, 2, 1));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn scan<S, M, F>(
    sources: &Sources,
    options: &ScanOptions<'_>,
    make_state: M,
    on_game: F,
) -> Result<(S, ScanReport), Unreadable>
where
    S: Merge + Send,
    M: Fn() -> S + Sync,
    F: Fn(&mut S, &GameView<'_>) + Sync,
{
    // Offsets in a block are 32-bit numbers.
    const MOST: usize = 1 << 30;
    let options = &ScanOptions {
        limit: options.limit.min(MOST),
        block: options.block.min(MOST),
        ..*options
    };
    let threads = options
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let first = options
        .reporter
        .filter(|_| options.on_unreadable.is_none())
        .map(FirstUnreadable::new);
    let schedule = Schedule::new(sources, options, first.as_ref(), threads);
    let work = || Work::new(options, &make_state, &on_game).run(&schedule);
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    if let Some(first) = &first {
        first.finish();
    }
    schedule.finish(make_state)
}

#[cfg(test)]
mod tests;
