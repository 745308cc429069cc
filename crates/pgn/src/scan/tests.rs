//! Scans of small files with various contents, cuts and threads.

mod cuts;
mod many_frames;
mod runs;
mod tolerances;

use std::{
    fs,
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
};

use super::*;

/// The output of a scan: each game in order, each problem, and the counts.
#[derive(Debug, PartialEq)]
struct Seen {
    games: Vec<String>,
    problems: Vec<String>,
    counts: (u64, u64, u64, u64),
}

fn options(threads: usize, block: usize, limit: usize) -> ScanOptions<'static> {
    ScanOptions {
        threads: NonZeroUsize::new(threads),
        block,
        limit,
        ..ScanOptions::default()
    }
}

fn scan_of(paths: &[&Path], options: &ScanOptions<'_>) -> Seen {
    let sources = Sources::expand(paths).unwrap();
    let problems = Mutex::new(Vec::new());
    let note = |problem: &Unreadable| problems.lock().unwrap().push(problem.to_string());
    let options = ScanOptions {
        on_unreadable: Some(&note),
        ..*options
    };
    let (games, report) = scan(
        &sources,
        &options,
        Vec::new,
        |games: &mut Vec<String>, game| {
            games.push(format!(
                "{} {} {}",
                game.source(),
                game.offset(),
                in_short(game)
            ));
        },
    )
    .unwrap();
    let problems = problems.into_inner().unwrap();
    Seen {
        games,
        problems,
        counts: (
            report.games,
            report.plies,
            report.bad_games(),
            report.failed_sources,
        ),
    }
}

/// Tags, moves with their comments, result and dialect.
fn in_short(game: &GameView<'_>) -> String {
    let text = |bytes: &[u8]| match bytes.len() {
        length @ 1000.. => format!("{length} bytes"),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    let mut short = format!(
        "{:?}",
        game.tags()
            .map(|(name, value)| (text(name), text(value)))
            .collect::<Vec<_>>()
    );
    short += &game
        .comments()
        .map(|comment| format!("{{{}}}", text(comment)))
        .collect::<String>();
    for ply in game.plies() {
        let comments = |comments: crate::Comments<'_>| {
            comments
                .map(|comment| format!("{{{}}}", text(comment)))
                .collect::<String>()
        };
        short += &format!(
            " {}{}{}/{}{}",
            ply.move_number(),
            comments(ply.comments_before()),
            text(ply.san()),
            ply.material().total(),
            comments(ply.comments()),
        );
    }
    format!("{short} {} {}", game.result(), game.dialect())
}

fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    file
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

/// Found by a fuzzer: whether a line is a tag must not depend on the text after the game.
#[test]
fn the_end_of_a_tag_before_another() {
    for text in [
        &b"\"][Event \"a\"Nc2\n0T#+n CCCCC"[..],
        b"x\"] [Event \"a\"]\n\n1. e4 *\n",
        b"x [Event \"a\"]\n\n1. e4 *\n",
        b"x [Event \"a\n",
    ] {
        let file = file(text);
        let seen = |block| {
            let seen = scan_of(&[file.path()], &options(1, block, 1 << 20));
            (seen.games, seen.problems, seen.counts)
        };
        let whole = seen(1 << 24);
        for block in 1..40 {
            assert_eq!(
                seen(block),
                whole,
                "{block}: {}",
                String::from_utf8_lossy(text)
            );
        }
    }
}
