//! `centipawn wdl compare`: whether a model was fitted to the test's games, and the comparison of
//! models with different arguments.

use std::{fs, io::Read as _, path::Path};

use crate::common::{Ran, centipawn, root, run};
use serde_json::Value;

/// A folder with the example's counts, the curve file of a fit to them, and the folder of a run.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["selfplay.pgn.gz", "selfplay.wdl"] {
            fs::copy(root().join("examples").join(name), folder.path().join(name)).unwrap();
        }
        let folder = Self(folder);
        folder.wdl("fit selfplay.wdl --resamples 5 --folds 0 -o curve.json");
        folder.wdl("run selfplay.pgn.gz --resamples 5 --folds 0 --out run");
        assert!(
            folder.path().join("run/curve.json").exists()
                && folder.path().join("curve.json").exists()
        );
        folder
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

    /// Returns the JSON document of a comparison.
    fn compared(&self, args: &str) -> Value {
        let ran = self.wdl(&format!("compare {args} --resamples 5 --json"));
        assert_eq!(ran.code(), Some(0), "{args}: {}", ran.stderr());
        serde_json::from_str(ran.stdout()).unwrap()
    }

    fn verdict(&self, args: &str) -> String {
        let ran = self.wdl(&format!("compare {args} --resamples 5"));
        assert_eq!(ran.code(), Some(0), "{args}: {}", ran.stderr());
        ran.stdout().lines().last().unwrap().to_owned()
    }
}

/// Returns how the document classifies the games on which a model's log loss was measured.
fn tested(comparison: &Value, model: usize) -> &'static str {
    let model = &comparison["models"][model];
    assert!(model["log_loss"].is_f64(), "{comparison}");
    match (
        model["is_held_out"].as_bool().unwrap(),
        model["is_fitted_to_games"].as_bool().unwrap(),
    ) {
        (false, false) => "unseen",
        (true, false) => "held out",
        (false, true) => "fitted",
        (true, true) => panic!("{comparison}"),
    }
}

#[test]
fn a_model_is_known_by_the_hashes_of_its_games() {
    let folder = Folder::new();
    fs::copy(
        folder.path().join("selfplay.wdl"),
        folder.path().join("copy.wdl"),
    )
    .unwrap();
    for own in [
        "selfplay.wdl",
        "copy.wdl",
        "curve.json",
        "run",
        "run/curve.json",
        "run/fit.json",
        "run/counts.wdl",
    ] {
        for on in ["selfplay.wdl", "run/counts.wdl"] {
            let comparison = folder.compared(&format!("curve.json {own} --on {on}"));
            assert_eq!(tested(&comparison, 1), "held out", "{own} on {on}");
            assert_eq!(
                comparison["differences"][0]["log_loss"]["value"], 0.0,
                "{own} on {on}"
            );
        }
    }
    // The published constants were not fitted to these games, so the games count as held-out.
    let comparison = folder.compared("18 selfplay.wdl --on run/counts.wdl");
    assert_eq!(
        (tested(&comparison, 0), tested(&comparison, 1)),
        ("unseen", "held out")
    );
}

#[test]
fn a_model_predicts_no_better_than_itself() {
    let folder = Folder::new();
    assert_eq!(
        folder.verdict("curve.json selfplay.wdl"),
        "selfplay.wdl and curve.json are the same model."
    );
    assert_eq!(
        folder.verdict("run selfplay.wdl --on selfplay.wdl"),
        "selfplay.wdl and run are the same model."
    );
    assert_eq!(
        folder.verdict("selfplay.wdl run"),
        "run and selfplay.wdl are the same model."
    );
    assert_eq!(
        folder.verdict("18 18"),
        "Stockfish 18 and Stockfish 18 are the same model."
    );
}

#[test]
fn games_among_the_models_are_those_of_the_test() {
    let folder = Folder::new();
    for (models, on) in [
        ("curve.json selfplay.wdl", "selfplay.wdl"),
        ("run selfplay.wdl", "selfplay.wdl"),
    ] {
        let comparison = folder.compared(&format!("{models} --on {on}"));
        assert_eq!(comparison["games"], "selfplay.wdl");
        assert_eq!(
            (tested(&comparison, 0), tested(&comparison, 1)),
            ("held out", "held out")
        );
    }
    let ran = folder.wdl("compare 17 18 --on curve.json");
    assert!(
        ran.code() == Some(3) && ran.stderr().contains("counts are written"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn a_model_of_more_games_cannot_be_tested_on_some_of_them() {
    let folder = Folder::new();
    let mut games = String::new();
    centipawn_pgn::Source::open(folder.path().join("selfplay.pgn.gz"))
        .unwrap()
        .read_to_string(&mut games)
        .unwrap();
    let half = games[games.len() / 2..].find("\n[Event ").unwrap() + games.len() / 2 + 1;
    for (name, part) in [("first", &games[..half]), ("second", &games[half..])] {
        fs::write(folder.path().join(name).with_extension("pgn"), part).unwrap();
        folder.wdl(&format!("count {name}.pgn -o {name}.wdl"));
    }
    folder.wdl("fit first.wdl second.wdl --resamples 0 --folds 0 -o both.json");
    for whole in ["both.json", "selfplay.wdl"] {
        let comparison = folder.compared(&format!("second.wdl {whole} --on first.wdl"));
        assert_eq!(
            (tested(&comparison, 0), tested(&comparison, 1)),
            ("unseen", "fitted"),
            "{whole}"
        );
        let verdict = folder.verdict(&format!("second.wdl {whole} --on first.wdl"));
        assert!(
            verdict.contains("fitted to some or all of them") && !verdict.contains("than"),
            "{verdict}"
        );
    }
}

/// The counts in the folder of a run record the games to which its model was fitted.
#[test]
fn a_run_of_more_games_cannot_be_tested_on_some_of_them() {
    let folder = Folder::new();
    folder.wdl("count selfplay.pgn.gz --match-engine .*weak -o weak.wdl");
    for own in ["run", "run/curve.json", "run/fit.json"] {
        assert_eq!(
            tested(
                &folder.compared(&format!("curve.json {own} --on weak.wdl")),
                1
            ),
            "fitted",
            "{own}"
        );
    }
    // If the folder contains the counts of another fit, the model's games are unknown.
    fs::copy(
        folder.path().join("weak.wdl"),
        folder.path().join("run/counts.wdl"),
    )
    .unwrap();
    assert_eq!(
        tested(&folder.compared("curve.json run --on weak.wdl"), 1),
        "unseen"
    );
}

#[test]
fn material_and_moves_share_no_band() {
    let folder = Folder::new();
    let comparison = folder.compared("16 18");
    assert_eq!(
        comparison["differences"][0]["places"]
            .as_array()
            .unwrap()
            .len(),
        0,
        "{comparison}"
    );
    // The value of a pawn is given at each model's own target.
    let pawn = |model: usize| {
        comparison["models"][model]["normalize_to_pawn_value"]["value"]
            .as_f64()
            .unwrap()
    };
    assert!(
        (pawn(0) - 328.1).abs() < 0.1 && (pawn(1) - 385.5).abs() < 0.1,
        "{comparison}"
    );
    let ran = folder.wdl("compare 16 18");
    assert!(
        ran.stdout()
            .contains("one model is by material, the other by move"),
        "{}",
        ran.stdout()
    );
    let comparison = folder.compared("16 18 --on selfplay.wdl");
    let places = comparison["differences"][0]["places"].as_array().unwrap();
    assert!(
        !places.is_empty()
            && places
                .iter()
                .all(|place| place["moves"][1].as_u64().unwrap() <= 120),
        "{comparison}"
    );
    assert!(
        places
            .iter()
            .all(|place| place["values"][1].as_u64().unwrap() <= 78),
        "{comparison}"
    );
    // The second value is a move number, so it is at most 120; plies would be larger.
    for place in folder.compared("15.1 16.1")["differences"][0]["places"]
        .as_array()
        .unwrap()
    {
        assert!(place["values"][1].as_u64().unwrap() <= 120, "{place}");
    }
}
