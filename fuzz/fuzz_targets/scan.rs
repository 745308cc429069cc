//! Any division of a file, and both readers, give the same games and the same problems.
#![no_main]

use std::{fs, num::NonZeroUsize, sync::Mutex};

use centipawn_pgn::{GameView, ScanOptions, Sources, Unreadable, scan};
use libfuzzer_sys::fuzz_target;

fn found(
    sources: &Sources,
    threads: usize,
    block: usize,
    limit: usize,
) -> (Vec<(u64, usize, u32)>, Vec<String>) {
    let problems = Mutex::new(Vec::new());
    let note = |problem: &Unreadable| problems.lock().unwrap().push(problem.to_string());
    let threads = NonZeroUsize::new(threads);
    let options = ScanOptions {
        threads,
        block,
        limit,
        on_unreadable: Some(&note),
        ..ScanOptions::default()
    };
    let game = |games: &mut Vec<_>, game: &GameView<'_>| {
        games.push((
            game.offset(),
            game.text().len(),
            game.end().material().total(),
        ));
    };
    let (games, _) = scan(sources, &options, Vec::new, game).unwrap();
    (games, problems.into_inner().unwrap())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, text)) = bytes.split_first() else {
        return;
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    let sources = Sources::expand(&[file.path()]).unwrap();
    let limit = if cut % 2 == 0 { 1 << 20 } else { 80 };
    let whole = found(&sources, 1, 1 << 24, limit);
    assert_eq!(found(&sources, 1, usize::from(*cut) + 1, limit), whole);
});
