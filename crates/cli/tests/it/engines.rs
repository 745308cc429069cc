//! `centipawn engines`, with the fake engine.

use crate::common::{centipawn, fake, run_with};
use serde_json::Value;

#[test]
fn installed_engines_are_described() {
    let mut command = centipawn(["engines", "--movetime", "20", "--json"]);
    let ran = run_with(command.args([fake("ok"), fake("bare")]));
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let [good, bare] = &document["engines"].as_array().unwrap()[..] else {
        panic!("{document}")
    };
    assert_eq!(
        (&good["name"], &good["set"]["Threads"]),
        (&"Fake 1.0".into(), &"1".into())
    );
    assert_eq!(
        (
            good["options"].as_array().unwrap().len(),
            bare["options"].as_array().unwrap().len()
        ),
        (7, 0)
    );
    assert_eq!(good["options"][0]["kind"], "1 to 1024 [16]");
    assert!(good["speed"]["nodes_per_second"].as_f64().unwrap() > 0.0);

    let ran = run_with(centipawn(["engines", "--movetime", "0", "--options"]).arg(fake("ok")));
    assert!(
        ran.stdout()
            .contains("UCI_ShowWDL                  true or false [false]"),
        "{}",
        ran.stdout()
    );
    assert!(!ran.stdout().contains("speed"));
}

#[test]
fn missing_engines_are_reported() {
    let ran = run_with(centipawn(["engines", "no-such-engine", "--movetime", "0"]).arg(fake("ok")));
    assert_eq!(ran.code(), Some(1));
    assert!(
        ran.stderr().contains("no-such-engine was not found") && ran.stdout().contains("Fake 1.0")
    );
    let ran = run_with(centipawn(["engines"]).arg(fake("exit")));
    assert_eq!(ran.code(), Some(3));
    assert!(
        ran.stderr().contains("does not answer as a UCI engine"),
        "{}",
        ran.stderr()
    );
}

#[test]
fn contempt_is_reported() {
    let mut command = centipawn(["engines", "--movetime", "0"]);
    let ran = run_with(command.arg(fake("contempt")));
    let out = ran.stdout();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert!(
        out.contains("contempt Analysis Contempt Both, Contempt 24, UCI_AnalyseMode true")
            && out.contains(
                "note     Fake 1.0: Analysis Contempt Both, Contempt 24 shifts evaluations"
            ),
        "{out}"
    );
    let game = "examples/opera-game.pgn";
    let fake = fake("contempt");
    let review = |more: &[&str]| {
        let mut command = centipawn([
            "review", game, "--nodes", "100", "--lines", "1", "--store", "none",
        ]);
        command.args(["--engine", &fake, "--json", "-"]).args(more);
        run_with(&mut command)
    };
    let ran = review(&[]);
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    assert_eq!(
        document["provenance"]["engine"]["options"]["Contempt"],
        "24"
    );
    assert!(ran.stderr().contains("set it to 0"), "{}", ran.stderr());
    let ran = review(&["--option", "Contempt=0"]);
    assert!(!ran.stderr().contains("shifts"), "{}", ran.stderr());
}
