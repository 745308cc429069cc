//! Compares `centipawn wdl count` with the counts of the reference implementation.

use std::{fs, io::Read as _, path::Path};

use crate::common::{Ran, centipawn, run};
use centipawn_pgn::Source;
use centipawn_test_support::data::{shared, test_data};

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    Source::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Counts with these arguments in a folder.
fn count(folder: &Path, args: &[&str]) -> Ran {
    let mut command = centipawn(["wdl", "count", "--quiet"]);
    command.current_dir(folder).args(args);
    run(command)
}

fn assert_same(own: &Ran, golden: &[u8], name: &str) {
    assert!(
        own.stdout().as_bytes() == golden,
        "{name} differs; {}",
        own.stderr()
    );
}

#[test]
fn counts_equal_the_reference_for_every_bin() {
    let folder = test_data("golden/wdl/evalparse");
    for bin in [1, 2, 3, 4, 5, 6, 7, 10, 25] {
        let own = count(
            &folder,
            &["--compat", "--bin", &bin.to_string(), "evals_all.pgn.zst"],
        );
        assert_same(
            &own,
            &unpacked(&folder.join(format!("evals_bin{bin}.json.zst"))),
            &format!("bin {bin}"),
        );
    }
}

#[test]
fn counts_of_large_files_equal_the_reference() {
    let (Some(data), Some(golden)) = (shared("data/wdl"), shared("golden/wdl")) else {
        return;
    };
    let own = count(&data, &["--compat", "tcec_fishtest.pgn.zst"]);
    assert_same(&own, &unpacked(&golden.join("tcec/tcec.json.zst")), "tcec");
    // The counts do not depend on the number of threads or on the division into parts.
    let text = unpacked(&data.join("tcec_fishtest.pgn.zst"));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tcec.pgn"), text).unwrap();
    for (name, args) in [
        ("all", &["--jobs", "3"][..]),
        ("1", &["--shard", "1/2"]),
        ("2", &["--shard", "2/2"]),
    ] {
        let output = folder.path().join(name);
        let own = count(
            folder.path(),
            &[
                args,
                &["--compat", "tcec.pgn", "-o", output.to_str().unwrap()],
            ]
            .concat(),
        );
        assert_eq!(own.code(), Some(0), "{}", own.stderr());
    }
    let mut merge = centipawn([
        "merge",
        "1",
        "2",
        "--format",
        "stockfish",
        "-o",
        "both",
        "--quiet",
    ]);
    merge.current_dir(folder.path());
    assert_eq!(run(merge).code(), Some(0));
    for name in ["all", "both"] {
        assert!(
            fs::read(folder.path().join(name)).unwrap() == own.stdout().as_bytes(),
            "{name} differs"
        );
    }
}

/// The reference's options (`stat_options/*.cmd`) and the equivalent options of `wdl count`.
const OPTIONS: [(&str, &[&str]); 17] = [
    ("all_bin1", &["--bin", "1", "pgns"]),
    (
        "book_frc_invert",
        &["--match-book", "DFRC.*", "--match-book-invert", "pgns"],
    ),
    ("default_nonrecursive", &["--flat", "pgns"]),
    ("dup_ok", &["--allow-duplicates", "../mockdup"]),
    ("elo5", &["--elo-diff-max", "5", "pgns"]),
    (
        "elo_asym",
        &[
            "--elo-diff-max",
            "100",
            "--elo-diff-min",
            "-1",
            "--sprt-only",
            "pgns",
        ],
    ),
    ("elo_min_only", &["--elo-diff-min", "0", "pgns"]),
    ("engine_base", &["--match-engine", "Base-.*", "pgns"]),
    (
        "file_one",
        &["pgns/26-11-21/aaaaaaaaaaaaaaaaaaaaaaa1/aaaaaaaaaaaaaaaaaaaaaaa1.pgn"],
    ),
    // If the move counters are restored from the book, the file gives the counts of one that has
    // them.
    (
        "file_one",
        &[
            "../mockfix/t1_fen01.pgn",
            "--fix-fen-source",
            "../mockfix/source.epd",
        ],
    ),
    ("fix_without", &["../mockfix/t1_fen01.pgn"]),
    (
        "rev1",
        &[
            "--match-rev",
            ".*1111111111111111111111111111111111111111",
            "pgns",
        ],
    ),
    ("sprt", &["--sprt-only", "pgns"]),
    ("tc60", &["--match-tc", r"60\+0.6", "pgns"]),
    ("threads1", &["--match-threads", "1", "pgns"]),
    ("threads8", &["--match-threads", "8", "pgns"]),
    (
        "update_like",
        &[
            "--match-tc",
            r"60\+0.6",
            "--match-threads",
            "1",
            "--elo-diff-max",
            "5",
            "--match-rev",
            ".*1111111111111111111111111111111111111111|.*0000000000000000000000000000000000000000",
            "--match-book",
            "UHO_4060_v..epd",
            "pgns",
        ],
    ),
];

/// The cases whose games are in the repository.
const SMALL_OPTIONS: [&str; 3] = ["default_nonrecursive", "dup_ok", "threads8"];

fn assert_counts(tree: &Path, name: &str, args: &[&str], golden: &Path) {
    let own = count(tree, &[&["--compat"], args].concat());
    assert_same(&own, &unpacked(golden), name);
    assert_eq!(
        own.code(),
        Some(if name == "default_nonrecursive" { 1 } else { 0 }),
        "{name}: {}",
        own.stderr()
    );
}

fn assert_refused(tree: &Path, args: &[&str], message: &str) {
    let own = count(tree, &[&["--compat"], args].concat());
    assert!(
        own.code() >= Some(2) && own.stderr().contains(message) && own.stdout().is_empty(),
        "{}",
        own.stderr()
    );
}

#[test]
fn options_of_one_test() {
    let (tree, golden) = (
        test_data("golden/wdl/mocktree"),
        test_data("golden/wdl/stat_options"),
    );
    for (name, args) in OPTIONS
        .into_iter()
        .filter(|(name, _)| SMALL_OPTIONS.contains(name))
    {
        assert_counts(&tree, name, args, &golden.join(format!("{name}.json.zst")));
    }
    assert_refused(&tree, &["../mockdup"], "is in two folders");
    assert_refused(&tree, &["nope.pgn"], "cannot read nope.pgn");
}

#[test]
fn every_option() {
    let (Some(tree), Some(golden)) = (
        shared("data/wdl/mocktree"),
        shared("golden/wdl/stat_options"),
    ) else {
        return;
    };
    for (name, args) in OPTIONS {
        assert_counts(&tree, name, args, &golden.join(format!("{name}.json.gz")));
    }
    let selfplay = unpacked(&test_data("golden/wdl/selfplay/t1.json.zst"));
    assert_same(
        &count(&tree, &[&["--compat"], OPTIONS[8].1].concat()),
        &selfplay,
        "selfplay",
    );
    assert_refused(&tree, &["../mockdup"], "is in two folders");
    assert_refused(&tree, &["../mockdup2"], "seem to be the same games");
    let missing = ["../mockfix/t1_fen01.pgn", "--fix-fen-source", "nope.epd"];
    assert_refused(&tree, &missing, "cannot read nope.epd");
}

/// Files with which the reference has problems: the positions that it counts (in all games of the
/// file), the positions that we count, those with `--compat`, and our exit status.
/// `docs/wdl-model.md` gives the reasons.
const ROBUSTNESS: [(&str, u64, u64, u64, i32); 25] = [
    ("bom.pgn", 4, 4, 4, 0),
    ("book.pgn", 3, 3, 3, 0),
    ("bookextra.pgn", 0, 3, 3, 0),
    ("empty.pgn", 0, 0, 0, 3),
    ("evalcmd2.pgn", 0, 4, 4, 0),
    ("illegal.pgn", 3, 4, 4, 1),
    ("inf.pgn", 4, 2, 4, 0),
    ("m200.pgn", 400, 400, 400, 0),
    ("mateplain.pgn", 0, 4, 4, 0),
    ("multi.pgn", 1, 4, 4, 0),
    ("nag.pgn", 4, 4, 4, 0),
    ("nan.pgn", 4, 3, 4, 0),
    ("nores.pgn", 0, 2, 2, 0),
    ("noscore.pgn", 0, 3, 3, 0),
    ("ok.pgn", 4, 4, 4, 0),
    ("semi.pgn", 1, 4, 4, 0),
    ("star.pgn", 0, 0, 0, 3),
    ("text2.pgn", 0, 3, 3, 0),
    ("trunc.pgn.gz", 54_353, 54_341, 54_341, 1),
    ("uci.pgn", 4, 4, 4, 0),
    ("variation.pgn", 4, 4, 4, 0),
    ("wrapped.pgn", 0, 4, 4, 0),
    ("zero.pgn", 4, 4, 4, 0),
    // The test writes these two files itself.
    ("openbench", 0, 2, 2, 0),
    ("chessbase", 0, 3, 3, 0),
];

#[test]
fn files_that_trouble_the_reference_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path();
    let tags = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n";
    fs::write(
        own.join("openbench"),
        format!("{tags}1. d4 {{ +0.24 28/40 2700 1 }} d5 {{-M5 9/9 1 2}} 1-0\n"),
    )
    .unwrap();
    fs::write(
        own.join("chessbase"),
        format!("{tags}{{[%evp 0,2,17,-14,29]}} 1. d4 d5 1-0\n"),
    )
    .unwrap();
    let golden = test_data("golden/wdl/robustness");
    // This file is too large for the repository.
    let truncated = shared("golden/wdl/robustness/trunc.pgn.gz");
    let expected = fs::read_to_string(golden.join("expected.tsv")).unwrap();
    let docs = fs::read_to_string(crate::common::root().join("docs/wdl-model.md")).unwrap();
    for (name, reference, positions, compat, status) in ROBUSTNESS {
        let folder = match &truncated {
            _ if own.join(name).exists() => own,
            _ if golden.join(name).exists() => golden.as_path(),
            Some(truncated) => truncated.parent().unwrap(),
            None => continue,
        };
        if name.contains('.') {
            let message = format!("Wrote {reference} scored positions");
            let line = expected
                .lines()
                .find(|line| line.starts_with(&format!("{name}\t")))
                .unwrap();
            assert!(line.contains(&message), "{line}");
            assert!(
                docs.contains(&format!("`{name}`")),
                "docs/wdl-model.md does not name {name}"
            );
        }
        for (args, wanted, is_compat) in
            [(&[][..], positions, false), (&["--compat"], compat, true)]
        {
            let ran = count(folder, &[args, &["--format", "stockfish", name]].concat());
            let counted =
                centipawn_calibrate::wdl::Counts::read(ran.stdout().as_bytes()).unwrap_or_default();
            assert_eq!(
                counted.positions(),
                wanted,
                "{name} {args:?}: {}",
                ran.stderr()
            );
            let status = if is_compat && status == 3 { 1 } else { status };
            assert_eq!(
                ran.code(),
                Some(status),
                "{name} {args:?}: {}",
                ran.stderr()
            );
        }
    }
}
