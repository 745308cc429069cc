//! `centipawn wdl`, as a user sees it.

use std::{fs, path::Path};

use crate::common::{Ran, centipawn, root, run};
use serde_json::Value;

/// A separate folder with the examples in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["selfplay.pgn.gz", "selfplay.wdl"] {
            fs::copy(root().join("examples").join(name), folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }

    fn wdl(&self, args: &str) -> Ran {
        let mut command = centipawn(["wdl"]);
        command
            .current_dir(self.path())
            .args(args.split_whitespace());
        run(command)
    }
}

#[test]
fn a_model_of_the_example() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.wdl("fit selfplay.wdl").snapshot());
    insta::assert_snapshot!(
        "a_model_by_move",
        folder
            .wdl("fit selfplay.wdl --by move --move-min 6 --move-max 53 --normalize 361")
            .snapshot()
    );
    // There are too few games with late moves. The output warns that the model is invalid there.
    insta::assert_snapshot!(
        "a_model_with_a_hole",
        folder
            .wdl("fit selfplay.wdl --by move --normalize 361")
            .snapshot()
    );
    insta::assert_snapshot!(
        "two_models_beside_each_other",
        folder
            .wdl("fit --each selfplay.wdl selfplay.wdl")
            .snapshot()
    );
}

#[test]
fn all_at_once() {
    let folder = Folder::new();
    let ran = folder.wdl("run selfplay.pgn.gz --out model");
    insta::assert_snapshot!(ran.snapshot());
    // The counts equal those of `wdl count`, and the number of threads has no influence.
    let again = folder.wdl("run selfplay.pgn.gz --out again --jobs 3");
    assert_eq!(ran.stdout(), again.stdout());
    assert_eq!(
        folder.wdl("count selfplay.pgn.gz -o counts.wdl").stderr(),
        "10,775 positions of 130 games\n"
    );
    assert_eq!(folder.read("model/counts.wdl"), folder.read("counts.wdl"));
    assert_eq!(folder.read("model/counts.wdl"), folder.read("selfplay.wdl"));
    let fit: Value = serde_json::from_slice(&folder.read("model/fit.json")).unwrap();
    let curve: Value = serde_json::from_slice(&folder.read("model/curve.json")).unwrap();
    assert_eq!(
        (&fit["as"], &fit["provenance"]),
        (&curve["a"], &curve["provenance"])
    );
    let without_provenance = |curve: &Value| -> Value {
        let keys = curve
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, _)| *key != "provenance");
        keys.map(|(key, value)| (key.clone(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    assert_eq!(fit["curve"], without_provenance(&curve));
    let provenance = &fit["provenance"];
    assert_eq!(
        (&provenance["inputs"][0]["name"], &provenance["seed"]),
        (&"selfplay.pgn.gz".into(), &0.into())
    );
    assert_eq!(provenance["recipe"]["resampling"]["resamples"], 100);
    let page = String::from_utf8(folder.read("model/plots.html")).unwrap();
    assert!(
        page.contains("<meta name=\"provenance\" content=\"{&quot;program&quot;:"),
        "{}",
        &page[..400]
    );
    // Another seed gives the same model, but other standard errors.
    let quiet = folder.wdl("run selfplay.pgn.gz --out seeded --seed 7 -q");
    assert_eq!((quiet.code(), quiet.stderr()), (Some(0), ""));
    assert!(quiet.stdout().lines().count() > 10, "{}", quiet.stdout());
    let seeded: Value = serde_json::from_slice(&folder.read("seeded/fit.json")).unwrap();
    assert_eq!(
        (&seeded["as"], &seeded["provenance"]["seed"]),
        (&fit["as"], &7.into())
    );
    assert_ne!(
        seeded["errors"]["spread"]["error"],
        fit["errors"]["spread"]["error"]
    );
    assert!(folder.read("model/plots.png").starts_with(b"\x89PNG"));
    assert!(
        folder
            .read("model/plots.html")
            .starts_with(b"<!DOCTYPE html>")
    );
    let svg = String::from_utf8(folder.read("model/plots.svg")).unwrap();
    for title in [
        "Rates at material 58",
        "Parameters by material",
        "Data: share won",
        "Model: share won",
        "Data: share drawn",
        "Model: share drawn",
    ] {
        assert!(svg.contains(title), "{title}");
    }
    // --curve accepts the curve file.
    let mut symbols = centipawn(["symbols", "--played", "0.5", "--best", "1", "--curve"]);
    symbols.arg(folder.path().join("model/curve.json"));
    assert!(run(symbols).stdout().contains("win/draw/loss model"));
    insta::assert_snapshot!(
        "an_evaluation_in_words",
        folder
            .wdl("show model/curve.json --eval 1.20 --material 40")
            .snapshot()
    );
    // A folder stands for its document of the fit, which contains the errors.
    insta::assert_snapshot!(
        "an_evaluation_with_its_errors",
        folder
            .wdl("show model --eval 1.20 --material 40")
            .snapshot()
    );
    let shown: Value = serde_json::from_str(
        folder
            .wdl("show model/fit.json --eval 1.20 --json")
            .stdout(),
    )
    .unwrap();
    let errors = &shown["errors"];
    assert_eq!(errors["resamples"], fit["errors"]["resamples"]);
    // At material 58 the parameter a is the value of a pawn.
    assert_eq!(
        errors["a"]["error"],
        fit["errors"]["normalize_to_pawn_value"]["error"]
    );
    assert_eq!(errors["expected_score"]["value"], shown["expected_score"]);
    let bare: Value =
        serde_json::from_str(folder.wdl("show model/curve.json --json").stdout()).unwrap();
    assert!(bare.get("errors").is_none());
}

/// The results belong together: a new model beside old plots would be wrong.
#[cfg(target_os = "linux")]
#[test]
fn all_results_are_replaced_or_none() {
    let folder = Folder::new();
    assert_eq!(
        folder
            .wdl("run selfplay.pgn.gz --out m --resamples 5")
            .code(),
        Some(0)
    );
    let before = ["fit.json", "plots.svg"].map(|name| folder.read(&format!("m/{name}")));
    // The disk becomes full while the last file is written.
    fs::remove_file(folder.path().join("m/plots.html")).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("m/plots.html")).unwrap();
    let ran = folder.wdl("run selfplay.pgn.gz --out m --resamples 5 --seed 7");
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("plots.html: No space left"),
        "{}",
        ran.stderr()
    );
    assert!(["fit.json", "plots.svg"].map(|name| folder.read(&format!("m/{name}"))) == before);
}

#[test]
fn other_shapes() {
    let folder = Folder::new();
    let objective = |args: &str| {
        let ran = folder.wdl(&format!("fit selfplay.wdl --json {args}"));
        let document: Value =
            serde_json::from_str(ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()));
        document["objective"]["after"].as_f64().unwrap()
    };
    let cubic = objective("");
    // The shapes are nearly equally good, and a model with more parameters is at least as good.
    assert!((objective("--shape spline") / cubic - 1.0).abs() < 0.02);
    assert!((objective("--shape monotone") / cubic - 1.0).abs() < 0.02);
    assert!(objective("--by both") < cubic);
    let ran = folder.wdl("run selfplay.pgn.gz --out m --shape spline --resamples 10");
    assert_eq!(ran.code(), Some(0));
    assert!(ran.stdout().contains("no curve file") && !folder.path().join("m/curve.json").exists());
    for args in [
        "--shape spline -o c.json",
        "--by both --shape spline",
        "--method density --by both",
        "--from x",
        "--normalize 0",
        "--move-min 9 --move-max 8",
        "--from {} ",
        "--target 0",
    ] {
        let ran = folder.wdl(&format!("fit selfplay.wdl {args}"));
        assert_eq!(ran.code(), Some(2), "{args}: {}", ran.stderr());
    }
}

#[test]
fn plots_by_their_endings() {
    let folder = Folder::new();
    let ran = folder.wdl("fit selfplay.wdl --plot a.svg --plot b.png --plot c.html --plot d.SVG");
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert_eq!(folder.read("a.svg"), folder.read("d.SVG"));
    assert_eq!(folder.wdl("fit selfplay.wdl --plot a.gif").code(), Some(2));
}

/// The units of the games can be given in several ways, with the same result.
#[test]
fn units_can_be_given_in_several_ways() {
    let folder = Folder::new();
    let pawn = |args: &[&str]| {
        let mut command = centipawn(["wdl", "fit", "selfplay.wdl", "--json"]);
        command.current_dir(folder.path()).args(args);
        let ran = run(command);
        let document: Value =
            serde_json::from_str(ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()));
        (document["normalize_to_pawn_value"].as_f64().unwrap() * 100.0).round()
    };
    assert_eq!(pawn(&["--normalize", "361"]), pawn(&["--from", "15.1"]));
    assert_eq!(
        pawn(&["--normalize", "361"]),
        pawn(&["--from", "stockfish-15.1"])
    );
    let newest = pawn(&["--from", "18"]);
    assert_eq!(
        newest,
        pawn(&[
            "--from",
            "-72.32565836,185.93832038,-144.58862193,416.44950446"
        ])
    );
    let data = "{\"momType\":\"material\",\"momMin\":17,\"momMax\":78,\"momTarget\":58,\
                \"as\":[-72.32565836,185.93832038,-144.58862193,416.44950446]}";
    assert_eq!(newest, pawn(&["--from", data]));
}

/// Scripts may pass empty filters.
#[test]
fn empty_filters_are_ignored() {
    let folder = Folder::new();
    folder.write("a/t-0.pgn", "[Result \"1-0\"]\n\n1. e4 {+0.30/9 1s} 1-0\n");
    folder.write("a/t.json", "{\"args\": {\"threads\": 8}}");
    let read = |filters: &str| folder.wdl(&format!("count a -o x {filters}"));
    assert_eq!(
        read("--match-threads= --elo-diff-max= --match-tc=").code(),
        Some(0)
    );
    assert_ne!(read("--match-threads=1").code(), Some(0));
}

#[test]
fn errors_are_reported() {
    let folder = Folder::new();
    folder.write(
        "plain.pgn",
        &"[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n".repeat(1234),
    );
    folder.write("few.pgn", "1. e4 {+0.30/9 1s} e5 {-0.30/9 1s} 1-0\n");
    folder.write(
        "atomic.pgn",
        "[Variant \"Atomic\"]\n[Result \"1-0\"]\n\n1. e4 {+0.30/9 1s} e5 {-0.30/9 1s} 1-0\n",
    );
    folder.write("a/t-0.pgn", "1. e4 {+0.30/9 1s} 1-0\n");
    folder.write("b/t-1.pgn", "1. e4 {+0.30/9 1s} 1-0\n");
    folder.write("b/t.json", "{\"args\": {\"threads\": \"many\"}}");
    folder.write(
        "lost.pgn",
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 {+0.30/9 1s} 1-0\n",
    );
    folder.write("book.epd", "8/4k3/8/8/8/8/4P3/4K3 w - - 3 9\n");
    folder.write("broken.json", "{\n\"('W', 1, 78, 0)\": x\n}");
    folder.write("same.json", &one_sided());
    let gz = folder.read("selfplay.pgn.gz");
    fs::write(folder.path().join("cut.pgn.gz"), &gz[..gz.len() / 2]).unwrap();
    let cases = [
        "count plain.pgn -o x",
        "count atomic.pgn -o x",
        "count a b -o x",
        "count a b -o x --allow-duplicates --match-threads 1",
        "count a -o x --match-book .*",
        "count a -o x --match-engine (",
        "count a -o x --match-threads many",
        "count lost.pgn -o x --fix-fen-source book.epd",
        "count lost.pgn -o x --fix-fen-source few.pgn",
        "count few.pgn -o x --match-engine Nobody",
        "count cut.pgn.gz -o x",
        "count few.pgn -o x --bin 0",
        "count none.pgn -o x",
        "run few.pgn --out failed",
        "run few.pgn --out never --code x.hpp --shape spline",
        "fit failed/counts.wdl --win-min 20",
        "fit none.wdl",
        "fit few.pgn",
        "fit broken.json",
        "fit selfplay.wdl --move-min 110",
        "fit selfplay.wdl --win-min 1000",
        "fit same.json",
        "show lichess --eval 1",
        "show stockfish --eval 1 --move 30",
        "show stockfish-15.1 --eval 1 --material 30",
    ];
    assert_eq!(
        folder
            .wdl("count selfplay.pgn.gz --bin 1 -o bin1.wdl --quiet")
            .code(),
        Some(0)
    );
    let said: String = cases
        .iter()
        .map(|args| {
            let ran = folder.wdl(args);
            format!(
                "$ centipawn wdl {args}\nstatus {:?}\n{}\n",
                ran.code(),
                ran.stderr()
            )
        })
        .collect();
    insta::assert_snapshot!(said);
}

/// Counts of games whose evaluations contradict the results.
fn one_sided() -> String {
    let mut entries = Vec::new();
    for material in 17..=78 {
        for eval in (-200..=200).step_by(20) {
            let (wins, losses) = if eval < 0 { (90, 1) } else { (1, 90) };
            for (result, count) in [('W', wins), ('D', 5), ('L', losses)] {
                entries.push(format!("\"('{result}', 30, {material}, {eval})\": {count}"));
            }
        }
    }
    format!("{{{}}}", entries.join(", "))
}
