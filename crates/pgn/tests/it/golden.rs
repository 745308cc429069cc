//! Comments as programs write them, and their meaning.

use centipawn_core::Eval;
use centipawn_pgn::{Annotation, Described, Dialect, Profile};
use centipawn_test_support::data::text;
use serde_json::Value;
use shakmaty::Color;

#[test]
fn every_sample_decodes() {
    let samples = text("golden/pgn-evals/samples.jsonl");
    for line in samples.lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        let comment = sample["comment"].as_str().unwrap();
        let cp = sample["white_cp"].as_i64();
        let mover = match sample["mover"].as_str().unwrap() {
            "W" => Color::White,
            "B" => Color::Black,
            _ => {
                // The profile contains all evaluations of a game; the sample has that of the start
                // position.
                let profile = Profile::decode(comment.as_bytes()).unwrap();
                assert_eq!(
                    profile.evals[0].unwrap().pawns(),
                    cp.map(|cp| cp as f64 / 100.0),
                    "{line}"
                );
                assert_eq!((profile.first, profile.evals.len()), (0, 11), "{line}");
                continue;
            }
        };
        let said = Annotation::decode(comment.as_bytes(), Dialect::Auto, mover);
        let turn = match said.described {
            Described::Before => mover,
            Described::After => mover.other(),
        };
        let plies = said
            .eval
            .and_then(|eval| eval.mate_plies(turn))
            .map(i64::from);
        assert_eq!(
            said.eval.and_then(Eval::pawns),
            cp.map(|cp| cp as f64 / 100.0),
            "{line}"
        );
        assert_eq!(plies, sample["white_mate_plies"].as_i64(), "{line}");
        assert_eq!(
            said.depth.map(i64::from),
            sample["depth"].as_i64(),
            "{line}"
        );
    }
    assert_eq!(samples.lines().count(), 28);
}
