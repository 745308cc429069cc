//! Games that should not be fitted without a warning. Each case is reported with its cause, and
//! good games cause no warning.

use std::{fs, io::Read as _, path::Path};

use crate::common::{Ran, centipawn, root, run};
use serde_json::Value;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn wdl(&self, args: &str) -> Ran {
        let mut command = centipawn(["wdl"]);
        command
            .current_dir(self.path())
            .args(args.split_whitespace());
        run(command)
    }

    /// Returns the warnings of `wdl run`, which must be the same in the text and in the documents.
    fn warnings_of_run(&self, games: &str) -> Vec<String> {
        fs::write(self.path().join("games.pgn"), games).unwrap();
        self.wdl("run games.pgn --resamples 5 --out run");
        let document: Value = serde_json::from_slice(
            &fs::read(self.path().join("run/fit.json")).unwrap_or_else(|_| b"{}".to_vec()),
        )
        .unwrap();
        let all: Vec<String> =
            serde_json::from_value(document["warnings"].clone()).unwrap_or_default();
        let [text, page] = ["run/model.txt", "run/plots.html"]
            .map(|name| fs::read_to_string(self.path().join(name)).unwrap());
        for warning in &all {
            assert!(text.contains(warning), "{text}");
            assert!(
                page.contains(warning.split([':', '<', '&']).next().unwrap()),
                "{warning}"
            );
        }
        assert_eq!(
            text.matches("\nWarning").count() + usize::from(text.starts_with("Warning")),
            all.len(),
            "{text}"
        );
        all
    }

    /// Returns the warnings of fitting a file of counts, which contains neither colours nor names.
    fn warnings_of_fit(&self, games: &str) -> Vec<String> {
        fs::write(self.path().join("games.pgn"), games).unwrap();
        self.wdl("count games.pgn -o games.wdl");
        let ran = self.wdl("fit games.wdl --resamples 5 --json");
        let document: Value =
            serde_json::from_str(ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()));
        serde_json::from_value(document["warnings"].clone()).unwrap()
    }
}

fn example() -> String {
    let mut games = String::new();
    centipawn_pgn::Source::open(root().join("examples/selfplay.pgn.gz"))
        .unwrap()
        .read_to_string(&mut games)
        .unwrap();
    games
}

/// Changes each evaluation. The arguments are the game's number, whether White moved, whether the
/// mover won (1), drew (0) or lost (−1), and the evaluation. The comment is removed if the function
/// returns `None`.
fn changed(games: &str, change: impl Fn(usize, bool, i32, f64) -> Option<f64>) -> String {
    let mut out = String::new();
    for (number, game) in games.split_inclusive("\n\n[Event ").enumerate() {
        let winner = if game.contains("\"1-0\"") {
            1
        } else if game.contains("\"0-1\"") {
            -1
        } else {
            0
        };
        let mut is_white = true;
        let mut rest = game;
        while let Some(at) = rest.find('{') {
            let end = at + rest[at..].find('}').unwrap() + 1;
            let (before, comment) = (&rest[..at], &rest[at..end]);
            out += before;
            let eval = comment[1..]
                .split('/')
                .next()
                .and_then(|text| text.parse::<f64>().ok());
            let side = if is_white { 1 } else { -1 };
            match eval.map(|eval| change(number, is_white, side * winner, eval)) {
                Some(Some(eval)) => {
                    out += &format!("{{{eval:+.2}{}", &comment[comment.find('/').unwrap()..]);
                }
                Some(None) => {}
                None => out += comment,
            }
            is_white = !is_white;
            rest = &rest[end..];
        }
        out += rest;
    }
    out
}

#[track_caller]
fn only(warnings: &[String], cause: &str) {
    assert!(
        !warnings.is_empty() && warnings[0].starts_with(cause),
        "{warnings:#?}"
    );
}

#[test]
fn good_games_have_none() {
    let folder = Folder::new();
    assert_eq!(folder.warnings_of_run(&example()), Vec::<String>::new());
    assert_eq!(folder.warnings_of_fit(&example()), Vec::<String>::new());
}

#[test]
fn evaluations_from_whites_view() {
    let folder = Folder::new();
    // If all evaluations have the wrong point of view, no model can be fitted, and the counting
    // step reports the cause.
    let games = changed(&example(), |_, is_white, _, eval| {
        Some(if is_white { eval } else { -eval })
    });
    fs::write(folder.path().join("games.pgn"), &games).unwrap();
    let ran = folder.wdl("run games.pgn --resamples 0 --out none");
    assert!(
        ran.code() == Some(3) && ran.stderr().contains("Warning: point of view"),
        "{}",
        ran.stderr()
    );
    // If three quarters of the games have it, there is a model with a warning.
    let games = changed(&example(), |number, is_white, _, eval| {
        Some(if is_white || number % 4 == 0 {
            eval
        } else {
            -eval
        })
    });
    let all = folder.warnings_of_run(&games);
    only(&all, "point of view");
    assert!(all[0].contains("White's view"), "{all:#?}");
    let ran = folder.wdl("count games.pgn -o x.wdl");
    assert!(
        ran.stderr().contains("Warning: point of view"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn evaluations_of_the_opponent() {
    let folder = Folder::new();
    let games = changed(&example(), |_, _, _, eval| Some(-eval));
    fs::write(folder.path().join("games.pgn"), &games).unwrap();
    folder.wdl("count games.pgn -o games.wdl");
    let ran = folder.wdl("fit games.wdl --resamples 0");
    // No model can be fitted, and the error suggests another point of view.
    let said = ran.stderr();
    assert!(
        ran.code() == Some(3) && said.contains("right point of view (--evals)"),
        "{:?} {said}",
        ran.code()
    );
}

#[test]
fn two_engines_with_different_centipawns() {
    let folder = Folder::new();
    // Engine A has White in games of even number.
    let games = changed(&example(), |number, is_white, _, eval| {
        Some(if is_white == (number % 2 == 0) {
            eval
        } else {
            1.6 * eval
        })
    });
    let mut named = String::new();
    for (number, game) in games.split_inclusive("\n\n[Event ").enumerate() {
        let (white, black) = if number % 2 == 0 {
            ("A", "B")
        } else {
            ("B", "A")
        };
        for line in game.split_inclusive('\n') {
            if line.starts_with("[White \"") {
                named += &format!("[White \"{white}\"]\n");
            } else if line.starts_with("[Black \"") {
                named += &format!("[Black \"{black}\"]\n");
            } else {
                named += line;
            }
        }
    }
    let all = folder.warnings_of_run(&named);
    only(&all, "units");
    assert!(
        all[0].contains("B evaluates 1.") && all[0].contains("as high as A"),
        "{all:#?}"
    );
}

#[test]
fn wins_without_losses() {
    let folder = Folder::new();
    let games = changed(&example(), |number, _, won, eval| {
        (won >= 0 || number % 8 == 0).then_some(eval)
    });
    only(&folder.warnings_of_run(&games), "asymmetry");
    only(&folder.warnings_of_fit(&games), "asymmetry");
}

#[test]
fn results_of_other_games() {
    let folder = Folder::new();
    let results = ["1-0", "0-1", "1/2-1/2", "0-1", "1-0", "1/2-1/2"];
    let mut games = String::new();
    for (number, game) in example().split_inclusive("\n\n[Event ").enumerate() {
        let own = ["1/2-1/2", "1-0", "0-1"]
            .into_iter()
            .find(|own| game.contains(&format!("\"{own}\"")))
            .unwrap();
        games += &game.replace(own, results[(number * 7 + number / 5) % 6]);
    }
    fs::write(folder.path().join("games.pgn"), &games).unwrap();
    folder.wdl("count games.pgn -o games.wdl");
    let ran = folder.wdl("fit games.wdl --resamples 5");
    let said = ran.stderr();
    assert!(
        ran.code() == Some(3) && said.contains("results do not follow evaluations"),
        "{:?} {said}",
        ran.code()
    );
}
