//! `centipawn symbols`, as a user sees it.

use crate::common::{centipawn, run, run_with};
use serde_json::Value;

fn json<const N: usize>(args: [&str; N]) -> Value {
    let mut command = centipawn(["symbols", "--json"]);
    command.args(args);
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    serde_json::from_str(ran.stdout()).unwrap()
}

#[test]
fn the_form() {
    insta::assert_snapshot!(
        run(centipawn([
            "symbols",
            "--played",
            "0.50",
            "--best",
            "0.50",
            "--second",
            "-0.30",
            "--balance",
            "0.62"
        ]))
        .snapshot()
    );
}

#[test]
fn the_form_for_black_and_a_mate() {
    insta::assert_snapshot!(
        run(centipawn([
            "symbols", "--side", "black", "--played", "0.40", "--best", "#-3", "--curve", "lichess"
        ]))
        .snapshot()
    );
}

#[test]
fn figures_of_the_article() {
    let found = json([
        "--played",
        "0.50",
        "--best",
        "0.50",
        "--second",
        "-0.30",
        "--balance",
        "0.62",
    ]);
    assert_eq!(found["move"]["s7"], "!");
    assert_eq!(
        format!(
            "{:.3}",
            found["limits"]["move"]["s7"]["!!"].as_f64().unwrap()
        ),
        "0.502"
    );
    assert_eq!(found["absolute"], 0.8);

    let lost = json(["--played", "-1", "--best", "2", "--balance", "0.62"]);
    assert_eq!(
        format!("{:.5}", lost["relevant"].as_f64().unwrap()),
        "1.40089"
    );
    assert_eq!(lost["move"]["s8"], "??");
    assert_eq!(lost["limits"]["move"]["s8"]["!!"], Value::Null);
}

/// A printed limit is exact: entering it gives the symbol.
#[test]
fn printed_limits_hold() {
    let limits = &json(["--played", "0", "--best", "0.10", "--balance", "0.62"])["limits"]["move"];
    for scheme in ["s7", "s8", "s20", "s12"] {
        for symbol in ["!!", "!", "!?"] {
            let Some(limit) = limits[scheme][symbol].as_f64() else {
                continue;
            };
            let printed = format!("{:.2}", (limit * 100.0).ceil() / 100.0);
            let found = json([
                "--played",
                &printed,
                "--best",
                &printed,
                "--second",
                "0.10",
                "--balance",
                "0.62",
            ]);
            assert_eq!(found["move"][scheme], symbol, "{scheme} from {printed}");
        }
    }
}

/// A mirrored position gives the mirrored answer.
#[test]
fn black_mirrors_white() {
    let white = json([
        "--played",
        "-0.40",
        "--best",
        "0.75",
        "--curve",
        "stockfish-15.1",
    ]);
    let black = json([
        "--played",
        "0.40",
        "--best",
        "-0.75",
        "--side",
        "black",
        "--curve",
        "stockfish-15.1",
    ]);
    assert_eq!(white["move"], black["move"]);
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&white["relevant"]) - number(&black["relevant"])).abs() < 1e-12);
    let limits = [&white, &black].map(|found| number(&found["limits"]["move"]["s8"]["?!"]));
    assert!((limits[0] + limits[1]).abs() < 1e-12, "{limits:?}");
}

#[test]
fn equal_evaluations_have_no_symbol() {
    let found = json(["--played", "0.3", "--best", "0.3"]);
    assert_eq!(
        (&found["move"]["s20"], &found["relevant"]),
        (&Value::from(""), &Value::from(0.0))
    );
}

#[test]
fn a_curve_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("curve.json");
    std::fs::write(&file, r#"{"curve": "relevance", "balance": 0.62}"#).unwrap();
    let found = json([
        "--played",
        "-1",
        "--best",
        "2",
        "--curve",
        file.to_str().unwrap(),
    ]);
    assert_eq!(found["balance"], 0.62);
}

#[test]
fn wrong_usage() {
    for args in [
        ["--played", "x", "--best", "1", "--side", "white"],
        ["--played", "1", "--best", "1", "--curve", "nix"],
        ["--played", "1", "--best", "1", "--balance", "-2"],
    ] {
        let mut command = centipawn(["symbols"]);
        command.args(args);
        let ran = run(command);
        assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
        assert!(ran.stderr().starts_with("error: ") && ran.stdout().is_empty());
    }
    let ran = run(centipawn([
        "symbols",
        "--played",
        "1",
        "--best",
        "1",
        "--curve",
        "tcec",
        "--balance",
        "1",
    ]));
    assert_eq!(
        (ran.code(), ran.stderr()),
        (
            Some(2),
            "error: --balance is for the curves relevance, relevance-sigmoid and relevance-stretched; tcec has its own\n"
        )
    );
    let ran = run(centipawn(["symbols"]));
    assert_eq!(ran.code(), Some(2));
    assert!(
        ran.stderr()
            .contains("centipawn symbols --played -1 --best 2")
            && ran.stderr().contains("centipawn serve")
    );
}

/// The human curve by rating and time, and one from a file with other constants.
#[test]
fn the_human_curve() {
    let worth = |args: &[&str]| {
        let mut command = centipawn(["symbols", "--json", "--played", "3", "--best", "3"]);
        let ran = run_with(command.args(args));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let found: Value = serde_json::from_str(ran.stdout()).unwrap();
        (
            found["curve"].as_str().unwrap().to_owned(),
            format!("{:.2}", found["result"]["played"].as_f64().unwrap()),
        )
    };
    let is = |curve: &str, worth: &str| (curve.to_owned(), worth.to_owned());
    assert_eq!(
        worth(&["--rating", "1500", "--time", "3+0"]),
        is("human, rating 1500, 3 min a player, k 0.22", "0.66")
    );
    assert_eq!(
        worth(&["--curve", "human"]),
        is("human, rating 1800, 90 min a player, k 0.47", "0.80")
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("club.json");
    std::fs::write(
        &file,
        r#"{"curve": "human", "model": {"b0": 0, "b1": 0, "half_time": 0, "r": 1}}"#,
    )
    .unwrap();
    let own = worth(&["--curve", file.to_str().unwrap(), "--rating", "2000"]);
    assert_eq!(
        own,
        is(
            "human, rating 2000, 90 min a player, k 1.00, own constants",
            "0.95"
        )
    );

    let refused = |code: i32, args: &[&str]| {
        let ran = run_with(centipawn(["symbols", "--played", "3", "--best", "3"]).args(args));
        assert_eq!(ran.code(), Some(code), "{}", ran.stderr());
        ran.stderr().to_owned()
    };
    assert!(
        refused(2, &["--curve", "lichess", "--rating", "1500"])
            .contains("lichess depends on neither")
    );
    assert!(refused(2, &["--time", "soon"]).contains("600+5"));
    assert!(refused(2, &["--rating", "20"]).contains("from 100 to 4000"));
    std::fs::write(
        &file,
        r#"{"curve": "human", "model": {"b0": 99, "b1": 0, "half_time": 0, "r": 1}}"#,
    )
    .unwrap();
    let error = refused(3, &["--curve", file.to_str().unwrap()]);
    assert!(
        error.contains("club.json") && error.contains("b0 is 99; it must be from -20 to 20"),
        "{error}"
    );
}

#[test]
fn the_curve_is_drawn_with_the_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let mut command = centipawn([
            "symbols",
            "--played",
            "-1",
            "--best",
            "2",
            "--balance",
            "0.62",
        ]);
        command.arg("--plot").arg(&path).args(more);
        let ran = run(command);
        (
            ran.code(),
            ran.stderr().to_owned(),
            std::fs::read(&path).unwrap_or_default(),
        )
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (code, stderr, svg) = draw("curve.svg", &[]);
    assert_eq!((code, &*stderr), (Some(0), ""));
    let svg = text(svg);
    for part in [
        "relevant difference 1.40",
        "White moved: ??, position -+",
        "played 0.",
        "&gt;?!&lt;",
    ] {
        let part = part.replace("&gt;", ">").replace("&lt;", "<");
        assert!(svg.contains(&part), "{part}: {svg}");
    }
    let (_, _, other) = draw("other.svg", &["--scheme", "s7,s20"]);
    assert!(text(other).contains("(s7,s20;"));
    let (_, _, page) = draw("curve.html", &[]);
    assert!(text(page).contains("Relevant difference       1.40089"));
    let (_, _, png) = draw("curve.png", &[]);
    assert!(png.starts_with(b"\x89PNG"));
    let (code, stderr, _) = draw("curve.gif", &[]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("plots are .svg, .png or .html"), "{stderr}");
}

#[test]
fn a_stretched_curve_takes_two_numbers() {
    let of = |curve: &str| {
        run(centipawn([
            "symbols", "--played", "0.62", "--best", "2", "--curve", curve,
        ]))
    };
    let ran = of("relevance-stretched:0.62,3");
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        ran.stdout()
            .contains("curve relevance-stretched, balance 0.62, slope 3.00")
            && ran.stdout().contains("by relevance-stretched    0.750"),
        "{}",
        ran.stdout()
    );
    for wrong in [
        "relevance-stretched:0.62",
        "relevance-stretched:0,1",
        "relevance-stretched:1,99",
    ] {
        let ran = of(wrong);
        assert_eq!(ran.code(), Some(2));
        assert!(
            ran.stderr().contains("relevance-stretched:BALANCE,SLOPE"),
            "{}",
            ran.stderr()
        );
    }
}
