//! Ease against values computed by independent programs.

use centipawn_core::{Context, EASE_CURVE, Ease, Eval, Mover, Score, WeighedMove};
use centipawn_test_support::data::text;
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(&text("golden/ease/ease_cases.json.zst")).unwrap()
}

fn q(score: Score) -> f64 {
    2.0 * EASE_CURVE.expected_score(Eval::<Mover>::new(score), Context::default()) - 1.0
}

#[test]
fn ease_of_synthetic_cases_equals_the_reference() {
    let golden = golden();
    let cases = golden["cases"].as_array().unwrap();
    assert!(cases.len() >= 12);
    for case in cases {
        let numbers = |key: &str| {
            case[key]
                .as_array()
                .unwrap()
                .iter()
                .map(|number| number.as_f64().unwrap())
        };
        let mut candidates = Vec::new();
        for (index, ((p, cp), wanted)) in numbers("P")
            .zip(numbers("cp"))
            .zip(numbers("Q"))
            .enumerate()
        {
            let q = q(Score::Cp(cp as i32));
            assert!((q - wanted).abs() < 1e-9, "{case}");
            candidates.push(WeighedMove::new(index.to_string(), Some(p), Some(q)).unwrap());
        }
        let ease = Ease::of(&candidates).unwrap();
        assert!(
            (ease.sum - case["ease_matstc"].as_f64().unwrap()).abs() < 1e-9,
            "{case}: {ease:?}"
        );
        assert!(
            (ease.each - case["ease_agine"].as_f64().unwrap()).abs() < 1e-9,
            "{case}: {ease:?}"
        );
    }
}

#[test]
fn ease_of_positions_equals_the_reference() {
    let golden = golden();
    let positions = golden["positions"].as_array().unwrap();
    assert!(positions.len() >= 100);
    for position in positions {
        let score = |pair: &Value| {
            let number = i32::try_from(pair[1].as_i64().unwrap()).unwrap();
            if pair[0] == "m" {
                Score::Mate(number)
            } else {
                Score::Cp(number)
            }
        };
        let scores = position["sf15_100k"].as_object().unwrap();
        let candidates = position["P1500"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(uci, p)| {
                WeighedMove::new(uci, p.as_f64(), scores.get(uci).map(|pair| q(score(pair))))
                    .unwrap()
            });
        let ease = Ease::of(&candidates.collect::<Vec<_>>()).unwrap();
        let wanted = position["ease_matstc_all_legal_mate_pm1"].as_f64().unwrap();
        assert!(
            (ease.sum - wanted).abs() < 1e-6,
            "{}: {} for {wanted}",
            position["fen"],
            ease.sum
        );
    }
}
