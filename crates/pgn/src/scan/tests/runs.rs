//! Order, errors, progress and the end of a scan.

use std::sync::atomic::{AtomicU64, Ordering};

use centipawn_progress::{Cancel, Problem, Progress, Reporter, Unit};

use super::*;

const GAME: &str = "[Event \"e\"]\n\n1. e4 e5 2. Nf3 1-0\n\n";
const BAD: &str = "[Event \"e\"]\n\n1. e4 e5\n2. Ke3 d6 1-0\n\n";

#[test]
fn many_files_stay_in_order() {
    let folder = tempfile::tempdir().unwrap();
    for index in 0..40 {
        let text = GAME.repeat(index % 7) + &BAD.repeat(index % 3);
        let name = folder.path().join(format!("{index:02}.pgn"));
        let bytes = if index % 2 == 0 {
            gzip(text.as_bytes())
        } else {
            text.into_bytes()
        };
        fs::write(name, bytes).unwrap();
    }
    let one = scan_of(&[folder.path()], &options(1, 50, 1 << 20));
    let games = |index: usize| index % 7;
    let order: Vec<usize> = (0..40)
        .flat_map(|index| vec![index; games(index)])
        .collect();
    let read: Vec<usize> = one
        .games
        .iter()
        .map(|game| game.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(read, order);
    assert_eq!(one.counts.2, (0..40).map(|index| index % 3).sum::<u64>());
    for threads in 2..5 {
        assert_eq!(
            scan_of(&[folder.path()], &options(threads, 77, 1 << 20)),
            one
        );
    }
}

#[test]
fn errors_have_their_place() {
    let text = [GAME, GAME, BAD, GAME, BAD].concat();
    let file = file(text.as_bytes());
    let seen = scan_of(&[file.path()], &options(2, 60, 1 << 20));
    let name = file.path().display();
    assert!(
        seen.problems[0].starts_with(&format!(
            "{name}: game 3, line 12: 2. Ke3 is not a legal move in "
        )),
        "{seen:?}"
    );
    assert!(
        seen.problems[1].starts_with(&format!("{name}: game 5, line 21: 2. Ke3 ")),
        "{seen:?}"
    );
    assert_eq!(seen.counts, (3, 9, 2, 0));
}

#[test]
fn a_strict_scan_ends_at_the_first_error() {
    let text = GAME.repeat(50) + BAD + &GAME.repeat(50) + BAD;
    let file = file(text.as_bytes());
    for threads in 1..4 {
        let options = ScanOptions {
            strict: true,
            ..options(threads, 100, 1 << 20)
        };
        let sources = Sources::expand(&[file.path()]).unwrap();
        let error = scan(&sources, &options, || (), |(), _| {})
            .unwrap_err()
            .to_string();
        assert!(error.contains(": game 51, line 204: 2. Ke3 "), "{error}");
    }
}

#[test]
fn unreadable_sources_are_reported() {
    let packed = gzip(GAME.repeat(500).as_bytes());
    let cut = file(&packed[..packed.len() - 20]);
    let binary = file(b"a\0b\0");
    let whole = file(GAME.as_bytes());
    let paths = [cut.path(), binary.path(), whole.path()];
    let seen = scan_of(&paths, &options(2, 1000, 1 << 20));
    assert!(seen.problems[0].starts_with("cannot read "), "{seen:?}");
    assert!(
        seen.problems[1].contains("game 1, line 1: this is not PGN but a binary file"),
        "{seen:?}"
    );
    assert_eq!((seen.counts.2, seen.counts.3), (1, 1));
    // All complete games are counted. The truncated file lacks the other games.
    assert!((400..=501).contains(&seen.counts.0), "{:?}", seen.counts);
    let strict = ScanOptions {
        strict: true,
        ..ScanOptions::default()
    };
    let sources = Sources::expand(&paths).unwrap();
    assert!(matches!(
        scan(&sources, &strict, || (), |(), _| {}),
        Err(Unreadable::Source(_))
    ));
}

#[test]
fn a_missing_file_is_reported() {
    let file = file(GAME.as_bytes());
    let sources = Sources::expand(&[file.path()]).unwrap();
    drop(file);
    let ((), report) = scan(&sources, &ScanOptions::default(), || (), |(), _| {}).unwrap();
    assert_eq!((report.sources, report.failed_sources), (0, 1));
}

/// The last progress reported.
struct Last(Mutex<Option<Progress>>);

impl Reporter for Last {
    fn progress(&self, progress: &Progress) {
        *self.0.lock().unwrap() = Some(progress.clone());
    }

    fn problem(&self, _: &Problem) {}
}

#[test]
fn progress_reaches_the_end() {
    let (plain, packed) = (
        file(GAME.repeat(300).as_bytes()),
        file(&gzip(GAME.repeat(300).as_bytes())),
    );
    let sources = Sources::expand(&[plain.path(), packed.path()]).unwrap();
    let last = Last(Mutex::new(None));
    let options = ScanOptions {
        reporter: Some(&last),
        ..options(2, 1000, 1 << 20)
    };
    scan(&sources, &options, || (), |(), _| {}).unwrap();
    let last = last.0.into_inner().unwrap().unwrap();
    assert_eq!(
        (last.games, Some(last.done), last.unit),
        (600, last.total, Unit::Bytes)
    );
}

/// The games of a part, and the largest number in any part at its merge.
#[derive(Default)]
struct Most {
    games: usize,
    most: usize,
}

impl Merge for Most {
    fn merge(&mut self, later: Self) {
        self.most = self.most.max(later.games).max(later.most);
    }
}

/// Without tags no line certainly begins a game, so that the first range has all games: its state
/// is merged early, and a cancel ends it.
#[test]
fn games_without_tags_do_not_gather() {
    let file = file("1. e4 e5 *\n".repeat(50_000).as_bytes());
    let sources = Sources::expand(&[file.path()]).unwrap();
    let own = options(2, 10_000, 1 << 20);
    let (most, report) = scan(&sources, &own, Most::default, |most: &mut Most, _| {
        most.games += 1;
    })
    .unwrap();
    assert_eq!(report.games, 50_000);
    assert!((1..10_000).contains(&most.most), "{}", most.most);
    let cancel = Cancel::new();
    let own = ScanOptions {
        cancel: Some(&cancel),
        ..own
    };
    let ((), report) = scan(&sources, &own, || (), |(), _| cancel.set()).unwrap();
    assert!(report.cancelled && report.games < 10_000, "{report:?}");
}

#[test]
fn a_scan_can_be_cancelled() {
    let file = file(GAME.repeat(5000).as_bytes());
    let sources = Sources::expand(&[file.path()]).unwrap();
    let (cancel, seen) = (Cancel::new(), AtomicU64::new(0));
    let options = ScanOptions {
        cancel: Some(&cancel),
        ..options(2, 100, 1 << 20)
    };
    let (offsets, report) = scan(
        &sources,
        &options,
        Vec::new,
        |offsets: &mut Vec<u64>, game| {
            offsets.push(game.offset());
            if seen.fetch_add(1, Ordering::Relaxed) > 100 {
                cancel.set();
            }
        },
    )
    .unwrap();
    assert!(report.cancelled && report.games < 5000, "{report:?}");
    // The merged games are the beginning of the input without gaps.
    assert!(
        offsets
            .iter()
            .copied()
            .eq((0..report.games).map(|index| index * GAME.len() as u64)),
        "{offsets:?}"
    );
}

#[test]
#[should_panic(expected = "a panic in on_game")]
fn a_panic_ends_the_scan() {
    let file = file(&gzip(GAME.repeat(5000).as_bytes()));
    let sources = Sources::expand(&[file.path()]).unwrap();
    let seen = AtomicU64::new(0);
    let _ = scan(
        &sources,
        &options(1, 100, 1 << 20),
        || (),
        |(), _| {
            assert!(
                seen.fetch_add(1, Ordering::Relaxed) < 1000,
                "a panic in on_game"
            );
        },
    );
}

#[test]
fn reported_errors_have_a_limit() {
    let file = file(
        "1. e5 *\n"
            .repeat(ScanOptions::ERRORS_LISTED + 500)
            .as_bytes(),
    );
    let seen = scan_of(&[file.path()], &options(2, 10_000, 1 << 20));
    assert_eq!(seen.problems.len(), ScanOptions::ERRORS_LISTED);
    assert_eq!(seen.counts.2, ScanOptions::ERRORS_LISTED as u64 + 500);
}

#[test]
fn errors_of_a_part_have_their_number() {
    let filled = format!("[Event \"e\"]\n\n1. e4 {{{}}} 1-0\n\n", "x".repeat(1 << 20));
    let file = file((filled.repeat(18) + BAD + GAME).as_bytes());
    let mut problems = Vec::new();
    for index in 1..=2 {
        let shard = Shard::new(index, 2).unwrap();
        problems.extend(
            scan_of(
                &[file.path()],
                &ScanOptions {
                    shard,
                    ..options(2, 1 << 20, 1 << 23)
                },
            )
            .problems,
        );
    }
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].contains(": game 19, line 76: 2. Ke3 "),
        "{problems:?}"
    );
}
