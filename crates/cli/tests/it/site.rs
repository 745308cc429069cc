//! `centipawn site`: reviewed games as pages without a server, and the protection of other files in
//! the folder.

use std::{collections::BTreeSet, fs, path::Path};

use crate::common::{Ran, centipawn, run, run_with};
use serde_json::{Value, json};

const GAME: &str = "tests/data/lichess.pgn";
/// A game whose names and comments contain HTML, with a variation.
const HOSTILE: &str = "[White \"</script><script>alert(1)</script>\"]\n[Black \"B & 'b'\"]\n\n\
    1. e4 { [%eval 0.3] <b>bold</b> } e5 { [%eval 0.3] } (1... c5 2. Nf3 (2. c3)) 2. Ke2 { [%eval -1.5] } 0-1\n\n";

fn site(folder: &Path, more: &[&str]) -> Ran {
    run_with(centipawn(["site"]).arg(folder).args(more))
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns the data that a page gives its viewer.
fn contents(page: &Path) -> Value {
    let text = fs::read_to_string(page).unwrap();
    let (_, data) = text
        .split_once("<script type=\"application/json\" class=\"data\">")
        .unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_without_a_server_is_copied_and_linked() {
    let place = tempfile::tempdir().unwrap();
    let (folder, tab) = (place.path().join("site"), place.path().join("tab"));
    let given = tab.to_str().unwrap();
    fs::create_dir_all(tab.join("engine")).unwrap();
    fs::write(tab.join("index.html"), "<title>Centipawn</title>").unwrap();
    let incomplete = site(&folder, &[GAME, "--tab", given]);
    assert_eq!(incomplete.code(), Some(2));
    assert!(
        incomplete
            .stderr()
            .contains("it has no centipawn.wasm; build it with `make tab`"),
        "{}",
        incomplete.stderr()
    );
    fs::write(tab.join("centipawn.wasm"), b"\0asm").unwrap();
    fs::write(tab.join("engine/stockfish.js"), "start();").unwrap();
    let inside = site(&tab.join("site"), &[GAME, "--tab", given]);
    assert_eq!(inside.code(), Some(2), "{}", inside.stderr());
    // A second run replaces the site and the copy, without what the folder no longer has.
    fs::write(tab.join("old.js"), "").unwrap();
    for script in ["start();", "begin();"] {
        fs::write(tab.join("engine/stockfish.js"), script).unwrap();
        let ran = site(&folder, &[GAME, "--tab", given, "--language", "de"]);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let copy = fs::read_to_string(folder.join("tab/engine/stockfish.js")).unwrap();
        assert_eq!(copy, script);
        let _ = fs::remove_file(tab.join("old.js"));
    }
    assert_eq!(
        names(&folder.join("tab")),
        set(&["centipawn.wasm", "engine", "index.html"])
    );
    let index = fs::read_to_string(folder.join("index.html")).unwrap();
    let link = "<a href=\"tab/index.html\">Eigene Partien in diesem Browser analysieren</a>";
    assert!(index.contains(link), "{index}");
}

#[test]
fn games_with_evaluations_become_pages() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("made/site");
    let ran = site(&folder, &[GAME, "--title", "Games & more"]);
    let message = format!(
        "The site begins at {}.\n",
        folder.join("index.html").display()
    );
    assert_eq!(
        (ran.code(), ran.stderr(), ran.stdout()),
        (Some(0), &*message, "")
    );
    assert_eq!(
        names(&folder),
        set(&["games", "icon.svg", "index.html", "viewer.css", "viewer.js"])
    );
    assert_eq!(
        names(&folder.join("games")),
        set(&["00001.html", "00001.pgn"])
    );
    let index = fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(
        index.contains("<h1>Games &amp; more</h1>") && index.contains("href=\"games/00001.html\""),
        "{index}"
    );

    // The page contains the document of the command line, and its text is readable without scripts.
    let json = run(centipawn([
        "review",
        GAME,
        "--reuse-evals",
        "--quiet",
        "--json",
        "-",
    ]));
    let expected: Value = serde_json::from_str(json.stdout()).unwrap();
    let page = contents(&folder.join("games/00001.html"));
    assert_eq!(page["review"]["games"], expected["games"]);
    let plies = expected["games"][0]["plies"].as_array().unwrap();
    assert_eq!(page["why"].as_array().unwrap().len(), plies.len());
    let text = fs::read_to_string(folder.join("games/00001.html")).unwrap();
    for ply in plies.iter().filter(|ply| ply["remark"].is_string()) {
        assert!(text.contains(ply["remark"].as_str().unwrap()), "{ply}");
    }
    let pgn = fs::read_to_string(folder.join("games/00001.pgn")).unwrap();
    assert!(pgn.contains("[Annotator ") && pgn.contains("Bg4"), "{pgn}");

    // The same games give the same bytes. JSON documents give the same pages, except for data that
    // only games have.
    let again = place.path().join("again");
    assert_eq!(
        site(&again, &[GAME, "--title", "Games & more"]).code(),
        Some(0)
    );
    assert_eq!(
        fs::read(folder.join("games/00001.html")).unwrap(),
        fs::read(again.join("games/00001.html")).unwrap()
    );
    let document = place.path().join("reviewed.json");
    fs::write(&document, json.stdout()).unwrap();
    let by_json = place.path().join("json");
    assert_eq!(
        site(&by_json, &[document.to_str().unwrap()]).code(),
        Some(0)
    );
    assert_eq!(names(&by_json.join("games")), set(&["00001.html"]));
    let other = contents(&by_json.join("games/00001.html"));
    assert_eq!(other["review"], expected);
    for key in ["san", "uci", "fen", "white", "result"] {
        assert_eq!(other["moves"][key], page["moves"][key], "{key}");
    }
    assert_eq!(
        (&other["why"], &other["pgn"]),
        (&Value::Array(Vec::new()), &Value::Null)
    );
}

/// JSON documents are untrusted: numbers that do not fit the moves are refused with a message, and
/// the other games become pages.
#[test]
fn documents_with_impossible_numbers_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let json = run(centipawn([
        "review",
        GAME,
        "--reuse-evals",
        "--quiet",
        "--json",
        "-",
    ]));
    let document: Value = serde_json::from_str(json.stdout()).unwrap();
    let broken: [(&str, &str, Value); 8] = [
        ("moment-0", "/games/0/critical_moments", json!([0])),
        ("moment-999", "/games/0/critical_moments", json!([999])),
        ("hardest-999", "/games/0/hardest_moments", json!([999])),
        ("ply-0", "/games/0/plies/3/ply", json!(0)),
        ("ply-huge", "/games/0/plies/3/ply", json!(u64::MAX)),
        ("no-phases", "/games/0/white/phases", json!([])),
        ("time-negative", "/games/0/white/time_seconds", json!(-1.0)),
        ("time-huge", "/games/0/black/time_seconds", json!(1e300)),
    ];
    for (name, at, value) in broken {
        let mut document = document.clone();
        document["games"][0]["hardest_moments"] = json!([12]);
        *document.pointer_mut(at).unwrap() = value;
        let (file, folder) = (
            place.path().join(format!("{name}.json")),
            place.path().join(name),
        );
        fs::write(&file, document.to_string()).unwrap();
        let ran = site(&folder, &[file.to_str().unwrap(), GAME]);
        assert_eq!(ran.code(), Some(1), "{name}: {}", ran.stderr());
        assert!(
            ran.stderr()
                .contains("its numbers of moves, phases or times do not fit its moves"),
            "{}",
            ran.stderr()
        );
        assert_eq!(
            names(&folder.join("games")),
            set(&["00001.html", "00001.pgn"]),
            "{name}"
        );
    }
}

#[test]
fn names_and_comments_are_escaped() {
    let place = tempfile::tempdir().unwrap();
    let (games, folder) = (place.path().join("in.pgn"), place.path().join("site"));
    fs::write(&games, HOSTILE).unwrap();
    assert_eq!(
        site(&folder, &[games.to_str().unwrap(), "--language", "de"]).code(),
        Some(0)
    );
    let page = fs::read_to_string(folder.join("games/00001.html")).unwrap();
    assert_eq!(page.matches("<script").count(), 2, "{page}");
    assert!(
        page.contains("<html lang=\"de\">")
            && page.contains("&lt;/script&gt;")
            && page.contains("B &amp; &#39;b&#39;")
    );
    let contents = contents(&folder.join("games/00001.html"));
    assert_eq!(
        contents["moves"]["white"],
        "</script><script>alert(1)</script>"
    );
    assert_eq!(contents["moves"]["notes"][0]["text"], "<b>bold</b>");
    assert_eq!(
        contents["moves"]["notes"][1]["variations"][0][1]["variations"][0][0]["san"],
        "c3"
    );
    assert!(
        !fs::read_to_string(folder.join("index.html"))
            .unwrap()
            .contains("<script>")
    );
}

#[test]
fn an_earlier_site_is_replaced_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let (games, folder) = (place.path().join("in.pgn"), place.path().join("site"));
    fs::write(&games, HOSTILE.repeat(2)).unwrap();
    let games = games.to_str().unwrap();
    assert_eq!(site(&folder, &[games]).code(), Some(0));
    assert_eq!(names(&folder.join("games")).len(), 4);
    fs::write(folder.join("CNAME"), "chess.example").unwrap();
    assert_eq!(site(&folder, &[GAME]).code(), Some(0));
    assert_eq!(
        names(&folder.join("games")),
        set(&["00001.html", "00001.pgn"])
    );
    assert!(folder.join("CNAME").exists());

    // Games without evaluations are an error, because no engine runs. The earlier site stays.
    let before = fs::read(folder.join("index.html")).unwrap();
    let ran = site(&folder, &["examples/opera-game.pgn"]);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(ran.stderr().contains("review it first"), "{}", ran.stderr());
    assert_eq!(fs::read(folder.join("index.html")).unwrap(), before);
    // The run skips one of the two games and reports it.
    let ran = site(
        &place.path().join("two"),
        &["examples/opera-game.pgn", GAME],
    );
    assert_eq!(ran.code(), Some(1), "{}", ran.stderr());
    assert_eq!(names(&place.path().join("two/games")).len(), 2);

    let mine = place.path().join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("index.html"), "<h1>Mine</h1>").unwrap();
    for folder in [&mine, place.path()] {
        let ran = site(folder, &[games]);
        assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
        assert!(
            ran.stderr().contains("choose another folder"),
            "{}",
            ran.stderr()
        );
    }
    assert_eq!(
        fs::read_to_string(mine.join("index.html")).unwrap(),
        "<h1>Mine</h1>"
    );
    let none = place.path().join("none");
    let ran = site(&none, &["no-such-file.json"]);
    assert!(ran.code() == Some(3) && !none.exists(), "{}", ran.stderr());
    fs::write(place.path().join("other.json"), "{}").unwrap();
    let ran = site(&none, &[place.path().join("other.json").to_str().unwrap()]);
    assert!(ran.code() == Some(3) && !none.exists(), "{}", ran.stderr());
    // Without games the command uses the store's reviews, and this store has none.
    assert_eq!(site(&none, &[]).code(), Some(2));
}
