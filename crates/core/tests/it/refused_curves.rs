//! Which curves in files are refused, with the argument at which they fail, and that every accepted
//! curve rises.

use centipawn_core::{Argument, Context, Curve, CurveChoice, Pawn, WdlModel};
use proptest::prelude::*;

/// Models whose expected score falls with the evaluation, or whose wins and losses together exceed
/// 1, at an argument inside their range.
#[test]
fn models_that_do_not_rise_are_refused_with_the_argument() {
    let read = |argument: &str, range: [f64; 2], a: [f64; 4], b: [f64; 4], pawn: &str| {
        let json = serde_json::json!({
            "curve": "wdl", "argument": argument, "range": range, "divisor": 1.0, "a": a, "b": b,
            "pawn": serde_json::from_str::<serde_json::Value>(pawn).unwrap(), "clamp": null,
        });
        serde_json::from_value::<Curve>(json).map_err(|error| error.to_string())
    };
    const UNITS: &str = r#"{"units": 100}"#;
    const NORMALISED: &str = r#""normalised""#;
    let level = [0.0, 0.0, 0.0, 100.0];
    let (material, width) = ([17.0, 78.0], [0.0, 0.0, 0.0, 50.0]);
    assert!(read("material", material, level, width, UNITS).is_ok());
    assert!(
        read("material", material, [0.0; 4], width, UNITS).is_ok(),
        "no draws"
    );
    // A cubic with the minimum −`depth` at 36.5. With a depth of 0.24 it is below 0 only between
    // the whole numbers 36 and 37, with 1.24 also at these. In half moves, 36.5 is itself an
    // argument.
    let dip = |depth: f64| [0.0, 1.0, -73.0, 36.5 * 36.5 - depth];
    assert!(read("material", material, level, dip(0.24), UNITS).is_ok());
    for (argument, range, a, b, pawn, says) in [
        (
            "material",
            material,
            level,
            [0.0, 0.0, 0.0, -50.0],
            UNITS,
            "at material 17 the width b of the win rate is -50.00;",
        ),
        (
            "material",
            material,
            level,
            [0.0; 4],
            UNITS,
            "at material 17 the width b of the win rate is 0;",
        ),
        (
            "material",
            material,
            level,
            dip(1.24),
            UNITS,
            "at material 36 the width b of the win rate is -0.99;",
        ),
        (
            "move",
            [8.0, 120.0],
            level,
            dip(0.24),
            UNITS,
            "at move 36.5 the width b of the win rate is -0.24;",
        ),
        (
            "ply",
            [0.0, 1e6],
            level,
            [0.0, 0.0, -1.0, 999_999.5],
            UNITS,
            "at ply 1000000 the width b of the win rate is -0.50;",
        ),
        (
            "material",
            material,
            dip(1.24),
            width,
            UNITS,
            "at material 36 the middle a of the win rate is -0.99; it must be at least 0",
        ),
        (
            "material",
            material,
            [0.0; 4],
            width,
            NORMALISED,
            "at material 17 the middle a of the win rate is 0; it must be above 0",
        ),
        (
            "material",
            material,
            level,
            [0.0, 0.0, 0.0, 1e308],
            UNITS,
            "b is 1e308; it must be from -1000000000 to",
        ),
        (
            "material",
            material,
            [1e308, -1e308, 0.0, 0.0],
            width,
            UNITS,
            "a is 1e308;",
        ),
        (
            "material",
            [-1e300, 1e300],
            level,
            width,
            UNITS,
            "range is -1e300;",
        ),
    ] {
        let error = read(argument, range, a, b, pawn).unwrap_err();
        assert!(error.starts_with(says), "{says}\n{error}");
    }
    let people = r#"{"curve":"human","rating":1e308,"seconds":60}"#;
    assert!(
        serde_json::from_str::<CurveChoice>(people)
            .unwrap_err()
            .to_string()
            .contains("rating is 1")
    );
}

proptest! {
    /// Any model that is accepted rises with the evaluation and stays within 0..=1 at every
    /// context.
    #[test]
    fn accepted_models_rise_with_the_evaluation(
        a in prop::array::uniform4(-300.0..300.0_f64), b in prop::array::uniform4(-100.0..100.0_f64),
        (least, length) in (0.0..60.0_f64, 0.0..60.0_f64), normalised in any::<bool>(), at in 0..140_u32,
    ) {
        let pawn = if normalised { Pawn::Normalised } else { Pawn::Units(100.0) };
        let model = WdlModel { argument: Argument::Material, range: [least, least + length], divisor: 58.0, a, b, pawn, clamp: None };
        if model.check().is_err() {
            return Ok(());
        }
        let (curve, context) = (Curve::Wdl(model), Context { material: at, ply: 0 });
        let scores: Vec<f64> = (-20..=20).map(|half| curve.at(f64::from(half) / 2.0, context)).collect();
        prop_assert!(scores.is_sorted() && scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
        prop_assert!(scores.iter().zip(scores.iter().rev()).all(|(own, other)| (own + other - 1.0).abs() < 1e-9));
    }
}

/// A fit may fall below 0 at arguments without games. The range is narrowed to the rest.
#[test]
fn a_model_is_narrowed_to_the_arguments_where_it_is_valid() {
    let selfplay = WdlModel {
        argument: Argument::Move,
        range: [1.0, 120.0],
        divisor: 32.0,
        a: [
            -10.408927950283179,
            66.30770552870543,
            -41.758862529737335,
            51.50269080319532,
        ],
        b: [
            -27.319249595729577,
            118.21975392313614,
            -217.62852028631565,
            208.57726554005174,
        ],
        pawn: Pawn::Units(100.0),
        clamp: None,
    };
    assert!(selfplay.check().is_err());
    let narrowed = selfplay.narrowed().unwrap();
    assert_eq!(narrowed.range, [1.0, 73.5]);
    assert_eq!(
        (narrowed.check(), WdlModel::default().narrowed()),
        (Ok(()), Some(WdlModel::default()))
    );
    assert!(
        WdlModel {
            range: [1.0, 74.0],
            ..selfplay
        }
        .check()
        .is_err(),
        "no argument of the range is left out"
    );
    assert_eq!(
        WdlModel {
            b: [0.0, 0.0, 0.0, -1.0],
            ..selfplay
        }
        .narrowed(),
        None
    );
}
