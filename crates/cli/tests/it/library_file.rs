//! `centipawn store export`, `import` and `delete`: everything of a person as one file.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::Command,
    sync::Arc,
};

use centipawn_pgn::Source;
use centipawn_review::rooms::{OwnNote, OwnNotes, read_kept_game};
use centipawn_store::{BatchState, Location, Store};
use centipawn_work::library::{
    Answered, GameFilter, Library, LibraryCounts, LibraryFileError, UploadLimits,
};

use crate::common::{Ran, centipawn, fake, root, run_with};

/// Fills a store: three reviewed games, a paused batch of them, puzzles of a file and of mistakes,
/// and attempts.
fn fill(store: &Path) {
    let engine = fake("");
    let mut review = centipawn(["review", "--nodes", "1000", "--quiet", "--engine", &engine]);
    review
        .args(
            ["opera-game", "evergreen-game", "immortal-draw"]
                .map(|game| format!("examples/{game}.pgn")),
        )
        .arg("--store")
        .arg(store)
        .args(["--json", "/dev/null"]);
    let ran = run_with(&mut review);
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let library = open(store);
    let games = library.select_games(&GameFilter::default()).unwrap().games;
    let lines = library.game_lines(&games).unwrap();
    let options = centipawn_judge::JudgeOptions::new(centipawn_engine::Limit::Nodes(7));
    let batch = library
        .keep_batch(
            "three games",
            &lines,
            &options.into(),
            "{\"command\":\"fish\"}",
        )
        .unwrap();
    let store = library.store();
    let game = read_kept_game(&store.game_texts_after(0, 1).unwrap()[0].1).unwrap();
    let mut notes = OwnNotes::default();
    let note = OwnNote {
        nags: vec![5, 14],
        text: "My plan: castle first.".to_owned(),
    };
    notes.set(&game, 3, note).unwrap();
    library.keep_own_notes(&game, &notes).unwrap();
    store.set_batch(batch, BatchState::Paused, None).unwrap();
    let limits = UploadLimits {
        decompressed_bytes: 1 << 20,
        items: 30,
    };
    let csv = fs::read(root().join("examples/puzzles.csv")).unwrap();
    let added = library
        .add_puzzles("puzzles.csv", csv, limits)
        .unwrap()
        .added;
    assert!(added > 3, "{added}");
    let player = lines[0].1.white.clone();
    let mistakes = library.keep_mistakes(&player).unwrap();
    assert!(mistakes.added > 0, "{mistakes:?}");
    let answered = |mistakes, repeat| Answered {
        mistakes,
        repeat,
        ..Answered::default()
    };
    library.note_attempt(1, answered(0, true), 1000).unwrap();
    library.note_attempt(1, answered(0, true), 200_000).unwrap();
    library.note_attempt(2, answered(1, false), 2000).unwrap();
}

fn open(store: &Path) -> Library {
    Library::new(Arc::new(
        Store::open(&Location::File(store.to_owned())).unwrap(),
    ))
}

fn store_command(args: &[&str], store: &Path) -> Command {
    let mut command = centipawn(["store"]);
    command.args(args).arg("--store").arg(store);
    command
}

fn ran(args: &[&str], store: &Path) -> Ran {
    run_with(&mut store_command(args, store))
}

/// Returns the lines of a library file after the first one, which has the time.
fn lines(file: &Path) -> Vec<String> {
    let mut text = String::new();
    Source::open(file)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text.lines().map(str::to_owned);
    let header = lines.next().unwrap();
    assert!(
        header.starts_with("{\"format\":\"centipawn library\",\"version\":1,"),
        "{header}"
    );
    lines.collect()
}

#[test]
fn an_export_fills_an_empty_store_with_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["a.db", "b.db"].map(|name| folder.path().join(name));
    fill(&first);
    for name in ["all.jsonl", "all.jsonl.gz", "all.jsonl.zst"] {
        let file = folder.path().join(name);
        let file_name = file.to_str().unwrap();
        let exported = ran(&["export", file_name], &first);
        assert_eq!((exported.code(), exported.stderr()), (Some(0), ""));
        assert!(
            exported
                .stdout()
                .starts_with("3 games, 3 sets of findings, 1 game with own notes, ")
                && exported.stdout().contains(" 1 batch, ")
                && exported.stdout().contains(" 3 attempts, "),
            "{}",
            exported.stdout()
        );
        let _ = fs::remove_file(&second);
        let imported = ran(&["import", file_name], &second);
        assert_eq!((imported.code(), imported.stderr()), (Some(0), ""));
        let again = folder.path().join(format!("again-{name}"));
        ran(&["export", again.to_str().unwrap()], &second);
        assert_eq!(lines(&file), lines(&again), "{name}");
    }
    // The lists of the page are the same, and so are the profiles that are judged from findings.
    let [a, b] = [&first, &second].map(|store| {
        let library = open(store);
        let reviews = library.reviews().unwrap();
        let games = library.select_games(&GameFilter::default()).unwrap();
        let profile = library.profile("Morphy, Paul").unwrap();
        let batches = library.store().batches(9).unwrap();
        (reviews, games, format!("{profile:?}"), batches)
    });
    assert_eq!(a, b);
    assert_eq!(a.0.len(), 3);

    // A second import adds nothing.
    let file = folder.path().join("all.jsonl");
    let imported = ran(&["import", file.to_str().unwrap()], &second);
    assert_eq!((imported.code(), imported.stderr()), (Some(0), ""));
    let again = folder.path().join("twice.jsonl");
    ran(&["export", again.to_str().unwrap()], &second);
    let count = |lines: Vec<String>, kind: &str| {
        let kind = format!("{{\"kind\":\"{kind}\"");
        lines.iter().filter(|line| line.starts_with(&kind)).count()
    };
    for kind in [
        "game",
        "findings",
        "job",
        "batch",
        "puzzle",
        "attempt",
        "evaluation",
    ] {
        assert_eq!(
            count(lines(&again), kind),
            count(lines(&file), kind),
            "{kind}"
        );
    }
}

#[test]
fn evaluations_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("a.db");
    fill(&store);
    let file = folder.path().join("small.jsonl");
    let file_name = file.to_str().unwrap();
    let exported = ran(&["export", file_name, "--without", "evaluations"], &store);
    assert_eq!(exported.code(), Some(0), "{}", exported.stderr());
    assert!(!exported.stdout().contains("evaluation"));
    assert!(
        !lines(&file)
            .iter()
            .any(|line| line.contains("\"evaluation\""))
    );
    let table = ran(&["export", "x.csv", "--without", "evaluations"], &store);
    assert_eq!(table.code(), Some(2), "{}", table.stdout());
}

#[test]
fn absent_and_broken_parts_are_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("a.db");
    let file = folder.path().join("hand-made.jsonl");
    let text = r#"{"format":"centipawn library","version":1}
{"kind":"game","id":7,"pgn":"1. e4 e5 *"}
{"kind":"game","id":8,"pgn":"1. e5 *"}
{"kind":"weather","sun":true}
{"kind":"findings","game":9,"settings":{},"document":{}}

{"kind":"attempt","puzzle":1,"at":5}
{"kind":"puzzle","id":1,"document":{"fen":"8/7p/5Kpk/5p2/8/4p1Pr/8/4R3 b - - 3 43","moves":["h3g3","e1h1","g3h3","h1h3"]},"later":1}
{"kind":"attempt","puzzle":1,"at":5}
not JSON
{"kind":"evaluation","fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","engine":{"name":"F","author":"","options":{}},"limit":"10 nodes","lines":1,"pvs":[{"moves":"e2e4","cp":31}]}
{"kind":"evaluation","fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","engine":{"name":"F","author":"","options":{}},"limit":"10 nodes","lines":1,"pvs":[{"moves":"e2e5","cp":31}]}
{"kind":"game","id":10,"pgn":"1. d4 *""#;
    fs::write(&file, text).unwrap();
    let imported = ran(&["import", file.to_str().unwrap()], &store);
    assert_eq!(imported.code(), Some(1), "{}", imported.stderr());
    let problems = imported.stderr();
    for (line, reason) in [
        (3, "the game cannot be read"),
        (5, "has the game 9"),
        (7, "has the puzzle 1"),
        (10, "it is not a line of a library file"),
        (12, "e2e5"),
        (13, "it is not a line of a library file"),
    ] {
        let place = format!("line {line}: ");
        let found = problems
            .split("\nwarning: ")
            .flat_map(|part| part.split("\nerror: "))
            .any(|problem| {
                let problem = problem.split_whitespace().collect::<Vec<_>>().join(" ");
                problem.contains(&place) && problem.contains(reason)
            });
        assert!(found, "{line} {reason}: {problems}");
    }
    assert_eq!(
        imported.stdout(),
        "1 game, 1 puzzle, 1 attempt, 1 evaluation read; new: 1 game, 1 puzzle, 1 attempt, 1 \
         evaluation\n1 line of a kind that this version does not know\n"
    );
    let store = open(&store);
    assert_eq!(store.store().game(1).unwrap().unwrap(), "1. e4 e5 *");
    assert_eq!(store.store().attempts().unwrap().len(), 1);
}

#[test]
fn other_files_and_later_versions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("a.db");
    let library = open(&store);
    let import = |text: &str| {
        let cancel = centipawn_progress::Cancel::new();
        library
            .import("x", text.as_bytes(), &cancel, &centipawn_progress::Silent)
            .map(|imported| imported.read)
    };
    assert!(matches!(
        import("{\"format\":\"centipawn library\",\"version\":2}\n"),
        Err(LibraryFileError::Newer { found: 2, .. })
    ));
    for text in [
        "",
        "1. e4 *",
        "{\"format\":\"other\",\"version\":1}",
        "[1]\n",
    ] {
        let error = import(text).unwrap_err();
        assert!(
            matches!(error, LibraryFileError::NotALibrary { .. }),
            "{text}: {error}"
        );
        assert!(error.to_string().starts_with("x is not a library file: "));
    }
    assert_eq!(
        import("{\"format\":\"centipawn library\",\"version\":1}").unwrap(),
        LibraryCounts::default()
    );
    // A file that is cut off keeps what was read.
    let file = folder.path().join("all.jsonl.gz");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let header = "{\"format\":\"centipawn library\",\"version\":1}\n";
    gzip.write_all(header.as_bytes()).unwrap();
    for number in 0..3000 {
        let game = format!(
            "{{\"kind\":\"game\",\"id\":{number},\"pgn\":\"[Round \\\"{number}\\\"]\\n\\n1. e4 *\"}}\n"
        );
        gzip.write_all(game.as_bytes()).unwrap();
    }
    let whole = gzip.finish().unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let ran = ran(&["import", file.to_str().unwrap()], &store);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(library.select_games(&GameFilter::default()).unwrap().all > 100);
}

#[test]
fn games_are_deleted_after_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("a.db");
    fill(&store);
    let before = open(&store)
        .select_games(&GameFilter::default())
        .unwrap()
        .all;
    assert_eq!(before, 3);
    // Nobody can be asked, so nothing is deleted.
    let asked = ran(&["delete", "--game", "1"], &store);
    assert_eq!(asked.code(), Some(2), "{}", asked.stdout());
    assert!(
        asked.stderr().contains("would delete 1 game, 1 review, "),
        "{}",
        asked.stderr()
    );
    let deleted = ran(&["delete", "--game", "1", "--yes"], &store);
    assert_eq!((deleted.code(), deleted.stderr()), (Some(0), ""));
    assert!(
        deleted.stdout().starts_with("1 game, 1 review, "),
        "{}",
        deleted.stdout()
    );
    let name = open(&store).players(9).unwrap()[0].0.clone();
    let deleted = ran(
        &["delete", "--player", &name.to_uppercase(), "--yes"],
        &store,
    );
    assert_eq!(deleted.code(), Some(0), "{}", deleted.stderr());
    let missing = ran(&["delete", "--player", &name, "--yes"], &store);
    assert_ne!(missing.code(), Some(0));
    assert!(
        missing.stderr().contains("there is no game of"),
        "{}",
        missing.stderr()
    );
    let batch = ran(&["delete", "--batch", "1", "--yes"], &store);
    assert_eq!(batch.code(), Some(0), "{}", batch.stderr());
    let library = open(&store);
    assert_eq!(library.select_games(&GameFilter::default()).unwrap().all, 0);
    assert!(library.store().batches(9).unwrap().is_empty());
    // Puzzles of files stay.
    assert!(library.store().puzzle(1).unwrap().is_some());
}
