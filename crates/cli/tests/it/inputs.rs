//! A result never replaces an input of the command or another result.

use std::{fs, path::Path};

use crate::common::{Ran, centipawn, root, run_with};

/// Runs a command in a folder that contains the games `own/a.pgn.gz`, the store `store.db` and the
/// counts `a.wdl`.
fn run(folder: &Path, args: &str) -> Ran {
    run_with(
        centipawn([])
            .args(args.split_whitespace())
            .current_dir(folder)
            .env("CENTIPAWN_STORE", folder.join("store.db"))
            .env("HOME", folder),
    )
}

/// The constants of Stockfish 18, in the form of its source code.
const MODEL: &str = "double m = std::clamp(material, 17, 78) / 58.0;\n\
    constexpr double as[] = {-72.32565836, 185.93832038, -144.58862193, 416.44950446};\n\
    constexpr double bs[] = {83.86794042, -136.06112997, 69.98820887, 47.62901433};\n";

#[test]
fn inputs_and_the_store_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("own")).unwrap();
    fs::copy(root().join("examples/selfplay.pgn.gz"), at("own/a.pgn.gz")).unwrap();
    fs::copy(root().join("examples/selfplay.wdl"), at("a.wdl")).unwrap();
    for name in ["store.db", "uci.cpp", "book.epd"] {
        fs::write(at(name), MODEL).unwrap();
    }
    let before = fs::read(at("own/a.pgn.gz")).unwrap();
    for args in [
        "wdl count own -o own/a.pgn.gz",
        "wdl run own --out model --code own/a.pgn.gz",
        "wdl human own --rows own/a.pgn.gz",
        "wdl human own --rows store.db",
        "balance own --by engine -o own/a.pgn.gz",
        "balance own --by engine -o store.db",
        "material own --rows own/a.pgn.gz",
        "wdl fit a.wdl --code a.wdl",
        "wdl fit a.wdl --from uci.cpp --code uci.cpp",
        "wdl count own --fix-fen-source book.epd -o book.epd",
    ] {
        let ran = run(folder.path(), args);
        let is_refused = ran
            .stderr()
            .contains("is read, so it cannot be written as well");
        assert!(
            ran.code() == Some(2) && is_refused,
            "{args}: {}",
            ran.snapshot()
        );
    }
    assert!(fs::read(at("own/a.pgn.gz")).unwrap() == before);
    for name in ["store.db", "uci.cpp", "book.epd"] {
        assert_eq!(fs::read_to_string(at(name)).unwrap(), MODEL, "{name}");
    }
    let ran = run(folder.path(), "wdl fit a.wdl -o a.hpp --code a.hpp");
    assert!(
        ran.code() == Some(2) && ran.stderr().contains("a.hpp"),
        "{}",
        ran.snapshot()
    );
    assert!(!at("a.hpp").exists());
}

/// `merge` adds up counts only. For parts, the error names the command that merges them.
#[test]
fn merge_names_the_command_of_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let games = root()
        .join("examples/selfplay.pgn.gz")
        .display()
        .to_string();
    let ran = run(
        folder.path(),
        &format!("pgn stats {games} --partial a.part"),
    );
    assert_eq!(ran.code(), Some(0), "{}", ran.snapshot());
    let ran = run(folder.path(), "merge a.part");
    assert!(
        ran.code() == Some(2) && ran.stderr().contains("centipawn pgn stats PARTS"),
        "{}",
        ran.snapshot()
    );
    let ran = run(folder.path(), "pgn stats a.part --json");
    assert!(
        ran.code() == Some(0) && ran.stdout().contains("12075"),
        "{}",
        ran.snapshot()
    );
}
