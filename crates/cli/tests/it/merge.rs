//! Merged parts of scans give the bytes of an undivided run, including errors and resamples.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use crate::common::{Ran, centipawn, root, run};
use centipawn_pgn::Source;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Engines,
    People,
}

impl Between {
    fn of(words: &[&str]) -> Self {
        if words == ["wdl", "human"] {
            Self::People
        } else {
            Self::Engines
        }
    }
}

/// Returns the example's games in three forms: as five files, and repeated in one file, plain and
/// compressed. The single file is large enough that each of two parts gets stripes of it.
fn games(folder: &Path, between: Between) -> [Vec<PathBuf>; 3] {
    let mut text = String::new();
    Source::open(root().join("examples/selfplay.pgn.gz"))
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    if between == Between::People {
        // Add ratings and time controls, and change the evaluations to those of an analysis:
        // `{+0.17/7 0.01s}` becomes `{[%eval 0.17]}`.
        text = text
            .replace("{book}", "")
            .replace("Stockfish 15.1 weak", "Weak, W.")
            .replace("Stockfish 15.1", "Strong, S.");
        let tags = "[WhiteElo \"1650\"]\n[BlackElo \"1700\"]\n[TimeControl \"600+5\"]\n[Result ";
        text = text.replace("[Result ", tags);
        let comments = text.split('{').map(|part| match part.split_once('/') {
            Some((eval, rest)) if eval.starts_with(['+', '-']) => {
                format!("{{[%eval {eval}]{}", &rest[rest.find('}').unwrap()..])
            }
            _ => part.to_owned(),
        });
        text = comments.collect();
    }
    let starts: Vec<usize> = text
        .match_indices("[Event ")
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let all: Vec<&str> = starts
        .windows(2)
        .map(|ends| &text[ends[0]..ends[1]])
        .collect();
    let five = all
        .chunks(all.len().div_ceil(5))
        .enumerate()
        .map(|(index, games)| {
            let path = folder.join(format!("{index}.pgn"));
            // Give one game no result, and another one no readable moves.
            let last = if index == 3 {
                "[Event \"?\"]\n\n1. e4 {+0.10/9 1s} *\n\n[Event \"?\"]\n\n1. Ke3 1-0\n\n"
            } else {
                ""
            };
            fs::write(&path, games.concat() + last).unwrap();
            path
        });
    let five = five.collect();
    // Change the event in each copy, so that the games differ.
    let copies = 5 * 1_048_576 / text.len();
    let long: String = (0..copies)
        .map(|copy| text.replace("Self-play", &format!("Self-play {}", copy % 3)))
        .collect();
    let (plain, packed) = (folder.join("long.pgn"), folder.join("long.pgn.gz"));
    fs::write(&plain, &long).unwrap();
    let mut gzip = std::process::Command::new("gzip")
        .arg("-1")
        .stdin(std::process::Stdio::piped())
        .stdout(fs::File::create(&packed).unwrap())
        .spawn()
        .unwrap();
    gzip.stdin
        .take()
        .unwrap()
        .write_all(long.as_bytes())
        .unwrap();
    assert!(gzip.wait().unwrap().success());
    [five, vec![plain], vec![packed]]
}

fn command(words: &[&str], games: &[PathBuf], more: &[&str]) -> Ran {
    let mut command = centipawn([]);
    command.args(words).args(games).args(more);
    run(command)
}

/// Creates three parts, or two of a single file, and returns them out of order.
fn parts(folder: &Path, words: &[&str], games: &[PathBuf], more: &[&str]) -> Vec<PathBuf> {
    let indices = if games.len() == 1 {
        &[2, 1][..]
    } else {
        &[3, 1, 2]
    };
    let count = indices.len() as u32;
    indices
        .iter()
        .map(|index| part(folder, words, games, more, *index, count))
        .collect()
}

fn part(
    folder: &Path,
    words: &[&str],
    games: &[PathBuf],
    more: &[&str],
    index: u32,
    count: u32,
) -> PathBuf {
    let path = folder.join(format!("{}-{index}.part", words.join("-")));
    let (shard, name) = (format!("{index}/{count}"), path.to_str().unwrap());
    let ran = command(
        words,
        games,
        &[more, &["--shard", &shard, "--partial", name]].concat(),
    );
    // The status is 1 for files with unreadable games, which are skipped.
    assert!(
        matches!(ran.code(), Some(0 | 1)),
        "{words:?}: {}",
        ran.stderr()
    );
    assert_eq!(ran.stdout(), "");
    path
}

/// Names and contents of a folder's files.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect();
    all.sort();
    all
}

/// A command, its options for counting, and its options for results.
type Case = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

/// Returns all options, for an undivided run.
fn both<'a>(counting: &[&'a str], results: &[&'a str]) -> Vec<&'a str> {
    let more = counting.iter().filter(|option| !results.contains(option));
    results.iter().chain(more).copied().collect()
}

const PRINTED: [Case; 7] = [
    (&["pgn", "stats"], &[], &["--json"]),
    (&["pgn", "stats"], &["--evals", "engine"], &[]),
    (
        &["balance"],
        &["--by", "engine"],
        &["--json", "--resamples", "200", "--seed", "7"],
    ),
    (
        &["balance"],
        &["--list", "--exclude", "4"],
        &["--json", "--resamples", "50", "--list"],
    ),
    (&["match"], &[], &["--json", "--sprt", "0,5"]),
    (
        &["material"],
        &[],
        &[
            "--json",
            "--by",
            "player",
            "--resamples",
            "40",
            "--terms",
            "tempo",
        ],
    ),
    (
        &["wdl", "human"],
        &["--per-class", "60"],
        &["--json", "--resamples", "20"],
    ),
];

#[test]
fn printed_results_are_those_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    for (index, (words, counting, results)) in PRINTED.into_iter().enumerate() {
        let all = games(folder.path(), Between::of(words));
        // Commands divide files in the same way, so test the large files, which take long, with
        // some commands only.
        for games in all
            .into_iter()
            .take(if matches!(index, 0 | 3 | 4 | 5) { 3 } else { 1 })
        {
            let whole = command(words, &games, &both(counting, results));
            let parts = parts(folder.path(), words, &games, counting);
            let merged = command(words, &parts, results);
            assert_eq!(
                merged.code(),
                whole.code(),
                "{words:?}: {} {}",
                merged.stderr(),
                whole.stderr()
            );
            assert!(whole.stdout().len() > 500, "{words:?}: {}", whole.stderr());
            assert!(
                merged.stdout() == whole.stdout(),
                "{words:?} {counting:?} {games:?}"
            );
        }
    }
}

#[test]
fn files_are_those_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let cases: [Case; 3] = [
        (
            &["wdl", "run"],
            &["--from", "15.1"],
            &["--from", "15.1", "--resamples", "10"],
        ),
        (
            &["material"],
            &["--finished"],
            &["--resamples", "10", "--folds", "3"],
        ),
        (
            &["wdl", "human"],
            &["--per-class", "60"],
            &["--resamples", "10"],
        ),
    ];
    for (words, counting, results) in cases {
        let all = games(folder.path(), Between::of(words));
        for games in all
            .into_iter()
            .take(if words == ["material"] { 2 } else { 1 })
        {
            let [one, other] = ["whole", "merged"].map(at);
            let whole = command(
                words,
                &games,
                &[&both(counting, results)[..], &["--out", &one]].concat(),
            );
            let parts = parts(folder.path(), words, &games, counting);
            let merged = command(words, &parts, &[results, &["--out", &other]].concat());
            assert_eq!(
                merged.code(),
                whole.code(),
                "{words:?}: {} {}",
                merged.stderr(),
                whole.stderr()
            );
            let said = merged.stderr().to_owned();
            let (whole, merged) = (files(Path::new(&one)), files(Path::new(&other)));
            assert!(
                whole.len() >= 5,
                "{words:?}: {:?} {}",
                whole.iter().map(|file| &file.0).collect::<Vec<_>>(),
                said
            );
            for (own, other) in whole.iter().zip(&merged) {
                assert!(own == other, "{words:?}: {}, {}", own.0, other.0);
            }
            assert_eq!(whole.len(), merged.len());
            [one, other]
                .iter()
                .for_each(|folder| fs::remove_dir_all(folder).unwrap());
        }
    }
    for games in games(folder.path(), Between::Engines) {
        for (counting, results) in [
            (&["--bin", "1"][..], &[][..]),
            (&["--compat"], &["--compat"]),
        ] {
            let [one, other] = ["whole.wdl", "merged.wdl"].map(at);
            let whole = command(
                &["wdl", "count"],
                &games,
                &[counting, &["-o", &one]].concat(),
            );
            let parts = parts(folder.path(), &["wdl", "count"], &games, counting);
            let merged = command(
                &["wdl", "count"],
                &parts,
                &[results, &["-o", &other]].concat(),
            );
            assert_eq!(merged.code(), whole.code(), "{}", merged.stderr());
            assert!(
                whole.stderr().ends_with(merged.stderr())
                    && merged.stderr().contains("positions of")
            );
            assert!(fs::read(&one).unwrap() == fs::read(&other).unwrap());
        }
    }
}

#[test]
fn parts_that_do_not_match_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [five, ..] = games(folder.path(), Between::Engines);
    let at = |name: &str| folder.path().join(name);
    let [third, first, second]: [PathBuf; 3] = parts(folder.path(), &["balance"], &five, &[])
        .try_into()
        .unwrap();
    let mut said = Vec::new();
    let mut say = |parts: &[&PathBuf], more: &[&str]| {
        let parts: Vec<PathBuf> = parts.iter().map(|path| (*path).clone()).collect();
        let ran = command(&["balance"], &parts, more);
        assert_ne!(ran.code(), Some(0));
        let text = ran
            .stderr()
            .replace(folder.path().to_str().unwrap(), "FOLDER");
        said.push(format!("{}{text}", ran.code().unwrap()));
    };
    say(&[&first, &third], &[]);
    say(&[&first], &[]);
    fs::copy(&first, at("again.part")).unwrap();
    say(&[&first, &second, &third, &at("again.part")], &[]);
    say(&[&first, &second, &third], &["--by", "year"]);
    say(&[&first, &second, &third], &["--list"]);
    say(&[&first, &second, &third], &["--shard", "1/3"]);
    say(&[&first, &second, &third, &five[0]], &[]);
    fs::create_dir(at("other")).unwrap();
    let other = |name: &str| at("other").join(name);
    // Parts with other divisions, options or games are refused.
    let moved = part(&at("other"), &["balance"], &five, &[], 2, 4);
    say(&[&first, &moved], &[]);
    part(&at("other"), &["balance"], &five, &["--by", "elo"], 2, 3);
    say(&[&first, &other("balance-2.part"), &third], &[]);
    part(&at("other"), &["pgn", "stats"], &five, &[], 2, 3);
    say(&[&first, &other("pgn-stats-2.part"), &third], &[]);
    let text = fs::read_to_string(&five[4]).unwrap();
    fs::write(
        &five[4],
        text.replacen("15.1", "15.2", 1).replacen("+0.", "-0.", 1),
    )
    .unwrap();
    part(&at("other"), &["balance"], &five, &[], 2, 3);
    say(&[&first, &other("balance-2.part"), &third], &[]);
    // Damaged parts, and parts of another version, are refused.
    let bytes = fs::read(&second).unwrap();
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(at("damaged.part"), damaged).unwrap();
    say(&[&first, &at("damaged.part"), &third], &[]);
    fs::write(at("short.part"), &bytes[..bytes.len() - 100]).unwrap();
    say(&[&first, &at("short.part"), &third], &[]);
    let mut text = String::new();
    Source::open(&second)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let program = concat!("centipawn ", env!("CARGO_PKG_VERSION"));
    fs::write(at("old.part"), text.replacen(program, "centipawn 0.0.9", 1)).unwrap();
    say(&[&first, &at("old.part"), &third], &[]);
    // A part is no file of games, and files of rows cannot be divided.
    let ran = command(&["pgn", "stats"], &[first.clone(), second, third], &[]);
    said.push(format!(
        "{}{}",
        ran.code().unwrap(),
        ran.stderr()
            .replace(folder.path().to_str().unwrap(), "FOLDER")
    ));
    fs::write(at("a.rows"), " 0  0  0  0  0  1\n").unwrap();
    let ran = command(&["material"], &[at("a.rows")], &["--shard", "1/2"]);
    said.push(format!(
        "{}{}",
        ran.code().unwrap(),
        ran.stderr()
            .replace(folder.path().to_str().unwrap(), "FOLDER")
    ));
    let fine = at("fine.wdl").to_str().unwrap().to_owned();
    assert_eq!(
        command(&["wdl", "count"], &five[..1], &["--bin", "1", "-o", &fine]).code(),
        Some(0)
    );
    let ran = run(centipawn([
        "merge",
        "examples/selfplay.wdl",
        &fine,
        "-o",
        "no.wdl",
    ]));
    said.push(format!(
        "{}{}",
        ran.code().unwrap(),
        ran.stderr()
            .replace(folder.path().to_str().unwrap(), "FOLDER")
    ));
    insta::assert_snapshot!(said.join("\n"));
}

/// Commands that work game by game process every Nth game. All parts together contain each game and
/// each error once.
#[test]
fn a_missing_part_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let game = root().join("examples/opera-game.pgn");
    let first = part(folder.path(), &["pgn", "stats"], &[game], &[], 1, 2)
        .display()
        .to_string();
    for words in [
        vec!["none.part", "--json"],
        vec![&first, "none.part", "--json"],
    ] {
        let mut command = centipawn(["pgn", "stats"]);
        command.args(&words);
        let ran = run(command);
        assert!(
            ran.code() == Some(3) && ran.stderr().contains("none.part: No such file"),
            "{words:?}: {}",
            ran.stderr()
        );
    }
}

/// A small file is not divided: its first part has all games. The other parts are empty without an
/// error, so that an array of jobs can write counts to files.
#[test]
fn counts_of_empty_parts_merge() {
    let folder = tempfile::tempdir().unwrap();
    let games = root().join("examples/selfplay.pgn.gz");
    for index in 1..=2 {
        let mut command = centipawn(["wdl", "count", "--shard", &format!("{index}/2"), "-o"]);
        command
            .arg(folder.path().join(format!("{index}.wdl")))
            .arg(&games);
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    }
    let mut command = centipawn(["merge", "1.wdl", "2.wdl", "-o", "both.wdl"]);
    command.current_dir(folder.path());
    assert_eq!(run(command).code(), Some(0));
    let [first, both] =
        ["1.wdl", "both.wdl"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert!(first == both);
}

#[test]
fn parts_together_have_each_game_once() {
    let folder = tempfile::tempdir().unwrap();
    let [five, ..] = games(folder.path(), Between::Engines);
    let games = &five[3..];
    for words in [
        &["pgn", "clean"][..],
        &["review", "--reuse-evals", "--nodes", "1", "-o", "-"],
    ] {
        let of = |shard: &str| {
            let ran = command(words, games, &["--shard", shard]);
            let games: Vec<String> = ran
                .stdout()
                .split("[Event ")
                .skip(1)
                .map(str::to_owned)
                .collect();
            (
                games,
                ran.stderr().matches("1. Ke3 is not a legal move").count(),
            )
        };
        let ((mut whole, errors), parts) = (of("1/1"), ["1/3", "2/3", "3/3"].map(of));
        assert!(
            errors == 1 && whole.len() > 40,
            "{words:?}: {errors} {}",
            whole.len()
        );
        // Games are assigned to the parts in turn, in file order.
        assert_eq!(parts[1].0[0], whole[1]);
        let mut all: Vec<String> = parts.iter().flat_map(|(games, _)| games.clone()).collect();
        whole.sort();
        all.sort();
        assert!(all == whole, "{words:?}");
        assert_eq!(parts.iter().map(|(_, errors)| errors).sum::<usize>(), 1);
        assert!(
            parts
                .iter()
                .all(|(games, _)| games.len() >= whole.len() / 3)
        );
    }
    let ran = command(
        &["review", "--reuse-evals", "--json", "-"],
        &games[..1],
        &["--shard", "2/3", "--quiet"],
    );
    let document: serde_json::Value = serde_json::from_str(ran.stdout()).unwrap();
    assert_eq!(document["provenance"]["recipe"]["shard"], "2/3");
}

/// A file in the place of a part stays if the scan is interrupted, or if the part would replace its
/// own games.
#[test]
fn parts_are_written_completely_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let [five, ..] = games(folder.path(), Between::Engines);
    let ran = command(
        &["pgn", "stats"],
        &five,
        &["--partial", five[2].to_str().unwrap()],
    );
    assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
    assert!(fs::read_to_string(&five[2]).unwrap().starts_with("[Event"));
}

fn piped(text: &str, words: &[&str]) -> Ran {
    let mut command = centipawn([]);
    command.args(words).stdin(std::process::Stdio::piped());
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

/// Parts of standard input record a hash of the text, so halves of two different texts do not
/// merge.
#[test]
fn parts_of_standard_input_are_of_one_text() {
    let folder = tempfile::tempdir().unwrap();
    let [_, long, _] = games(folder.path(), Between::Engines);
    let text = fs::read_to_string(&long[0]).unwrap();
    // Change one game far from both ends, and keep the size.
    let middle = text.len() / 2;
    let at = middle + text[middle..].find("1-0").unwrap();
    let other = format!("{}0-1{}", &text[..at], &text[at + 3..]);
    for words in [
        &["pgn", "stats"][..],
        &["wdl", "count"],
        &["balance"],
        &["match"],
        &["material"],
        &["wdl", "human"],
    ] {
        let part = |text: &str, shard: &str, name: &str| {
            let path = folder.path().join(name);
            let more = ["-", "--shard", shard, "--partial", path.to_str().unwrap()];
            let ran = piped(text, &[words, &more].concat());
            assert_eq!(ran.code(), Some(0), "{words:?}: {}", ran.stderr());
            path
        };
        let [one, two] = [part(&text, "1/2", "one"), part(&text, "2/2", "two")];
        let foreign = part(&other, "2/2", "foreign");
        let ran = command(
            words,
            &[one.clone(), foreign],
            &["-o", folder.path().join("a").to_str().unwrap()]
                [..if words == ["wdl", "count"] { 2 } else { 0 }],
        );
        assert_eq!(ran.code(), Some(2), "{words:?}: {}", ran.stderr());
        let said = format!(
            "standard input ({} bytes of text) there, another text of that size here",
            text.len()
        );
        assert!(
            ran.stderr().contains("is of other games than") && ran.stderr().contains(&said),
            "{}",
            ran.stderr()
        );
        if words == ["pgn", "stats"] {
            let ran = command(words, &[one, two], &["--json"]);
            assert_eq!(ran.code(), Some(0), "{words:?}: {}", ran.stderr());
        }
    }
}

/// Replaces a text in a part and writes it uncompressed. Only compressed parts have a checksum, so
/// it is accepted as a part.
fn changed(part: &Path, from: &str, to: &str) -> PathBuf {
    let mut text = String::new();
    Source::open(part)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert!(text.contains(from), "{from} is not in {text:.2000}");
    let path = part.with_extension("changed");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    path
}

#[test]
fn impossible_counts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [five, ..] = games(folder.path(), Between::Engines);
    let part = |words: &[&str]| part(folder.path(), words, &five, &[], 1, 1);
    let balance = part(&["balance"]);
    let mut text = String::new();
    Source::open(&balance)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let number = |key: &str| {
        let at = text.find(key).unwrap() + key.len();
        let end = at
            + text[at..]
                .find(|char: char| !char.is_ascii_digit())
                .unwrap();
        format!("{key}{}", &text[at..end])
    };
    let wins = number("\"wins\":");
    for (words, from, to) in [
        (&["balance"][..], &*wins, "\"wins\":1000000000"),
        (&["balance"], &wins, "\"wins\":18446744073709551615"),
        (
            &["balance"],
            "\"unfinished\":1",
            "\"unfinished\":18446744073709551615",
        ),
        (&["match"], "\"points\":", "\"points\":1"),
        (&["match"], "\"plies\":", "\"plies\":99999"),
        (&["pgn", "stats"], "\"white\":", "\"white\":9"),
        (
            &["wdl", "count"],
            "\"without_result\":1",
            "\"without_result\":4000000000",
        ),
        (
            &["material"],
            "\"unfinished\":1",
            "\"unfinished\":18446744073709551615",
        ),
        (
            &["wdl", "human"],
            "\"unfinished\":1",
            "\"unfinished\":18446744073709551615",
        ),
    ] {
        let begin = std::time::Instant::now();
        let changed = changed(&part(words), from, to);
        let ran = command(words, std::slice::from_ref(&changed), &["--quiet"]);
        assert_eq!(ran.code(), Some(3), "{changed:?} {from}: {}", ran.stderr());
        assert!(
            ran.stderr()
                .contains("contains values that no scan can produce"),
            "{}",
            ran.stderr()
        );
        assert!(
            ran.stderr().contains(changed.to_str().unwrap()),
            "{}",
            ran.stderr()
        );
        assert!(begin.elapsed().as_secs() < 20);
    }
    // Consistent numbers are accepted. Large numbers take no more time than small ones.
    let games = number("\"games\":");
    let more = |games: &str| {
        let at = games.find(':').unwrap() + 1;
        format!(
            "{}{}",
            &games[..at],
            games[at..].parse::<u64>().unwrap() + 1_000_000_000
        )
    };
    let all = text
        .replacen(&wins, &more(&wins), 1)
        .replacen(&games, &more(&games), 1);
    let report = all.rfind("\"games\":").unwrap();
    let all = format!(
        "{}{}",
        &all[..report],
        all[report..]
            .replacen("\"games\":", "\"games\":4", 1)
            .replacen("\"plies\":", "\"plies\":9", 1)
    );
    let path = folder.path().join("many.changed");
    fs::write(&path, all.replacen("\"games\":4", "\"games\":40000000", 1)).unwrap();
    let begin = std::time::Instant::now();
    let ran = command(&["balance"], &[path], &["--json"]);
    // The exit status is 1, because one of the games cannot be read.
    assert_eq!(ran.code(), Some(1), "{}", ran.stderr());
    assert!(ran.stdout().contains("\"interval\""), "{}", ran.stdout());
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
    // If very many parts are missing, the message names only a few.
    let ran = command(
        &["balance"],
        &[changed(
            &balance,
            "\"shard\":\"1/1\"",
            "\"shard\":\"1/4000000000\"",
        )],
        &[],
    );
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr()
            .contains("10/4000000000, 11/4000000000, and 3999999989 more are missing"),
        "{}",
        ran.stderr()
    );
}

/// Numbers that are possible in each part may overflow in the sum.
#[test]
fn sums_of_parts_that_overflow_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [five, ..] = games(folder.path(), Between::Engines);
    for words in [
        &["pgn", "stats"][..],
        &["wdl", "count"],
        &["balance"],
        &["match"],
        &["material"],
        &["wdl", "human"],
    ] {
        let parts = parts(folder.path(), words, &five, &[]);
        let changed: Vec<PathBuf> = parts
            .iter()
            .map(|part| {
                changed(
                    part,
                    "\"failed_sources\":0",
                    &format!("\"failed_sources\":{}", (1_u64 << 48) - 7),
                )
            })
            .collect();
        let ran = command(words, &changed, &["--quiet"]);
        assert_eq!(ran.code(), Some(3), "{words:?}: {}", ran.stderr());
        let message =
            "the parts have more games, plies or bytes than exist (281474976710656 at most)";
        assert!(
            ran.stderr().contains(message) && ran.stderr().contains("changed"),
            "{words:?}: {}",
            ran.stderr()
        );
    }
}

#[test]
fn counts_that_are_given_twice_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let example = "examples/selfplay.wdl";
    fs::copy(root().join(example), at("copy.wdl")).unwrap();
    assert_eq!(
        run(centipawn([
            "merge",
            example,
            "--format",
            "stockfish",
            "-o",
            &at("counts.json")
        ]))
        .code(),
        Some(0)
    );
    for other in [example, "./examples/../examples/selfplay.wdl"] {
        let [merged, fitted] = [
            &["merge", example, other, "-o", &at("no.wdl")][..],
            &["wdl", "fit", example, other],
        ]
        .map(|words| command(words, &[], &[]));
        let said = format!(
            "error: {example} and {other} are one file: its games would count twice; give it once\n"
        );
        for ran in [merged, fitted] {
            assert_eq!((ran.code(), ran.stderr()), (Some(2), &*said));
        }
        assert!(!Path::new(&at("no.wdl")).exists());
    }
    for other in [at("copy.wdl"), at("counts.json")] {
        let ran = command(&["merge", example, &other, "-o", &at("no.wdl")], &[], &[]);
        assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
        let said =
            format!("{example} and {other} have the same counts, so they are of the same games");
        assert!(ran.stderr().contains(&said), "{}", ran.stderr());
        assert!(!Path::new(&at("no.wdl")).exists());
    }
}

/// A part is written even if none of its games can be read. The status only shows that something
/// was skipped.
#[test]
fn a_part_of_unreadable_games_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let games: Vec<PathBuf> = ["bad", "good"]
        .map(|name| folder.path().join(name).with_extension("pgn"))
        .into();
    fs::write(&games[0], "[Event \"?\"]\n\n1. Ke3 {+0.10/9 1s} 1-0\n").unwrap();
    fs::write(
        &games[1],
        "[Event \"?\"]\n\n1. e4 {+0.10/9 1s} e5 {-0.10/9 1s} 1-0\n",
    )
    .unwrap();
    for words in [
        &["pgn", "stats"][..],
        &["wdl", "count"],
        &["wdl", "run"],
        &["balance"],
        &["match"],
        &["material"],
        &["wdl", "human"],
    ] {
        let path = folder.path().join("a.part");
        let _ = fs::remove_file(&path);
        let ran = command(
            words,
            &games,
            &["--shard", "1/2", "--partial", path.to_str().unwrap()],
        );
        assert_eq!(
            (ran.code(), path.exists()),
            (Some(1), true),
            "{words:?}: {}",
            ran.stderr()
        );
        // If the input file is missing, no part is written.
        let (none, missing) = (
            folder.path().join("none.part"),
            folder.path().join("missing.pgn"),
        );
        let ran = command(words, &[missing], &["--partial", none.to_str().unwrap()]);
        assert_eq!(
            (ran.code(), none.exists()),
            (Some(3), false),
            "{words:?}: {}",
            ran.stderr()
        );
    }
}
