//! Relevance formulas compared with values that another program computed with 60 digits.

use std::collections::BTreeMap;

use centipawn_core::{Context, Curve, MoveScheme, MoveSymbol, PositionScheme, PositionSymbol};
use centipawn_test_support::data::text;
use serde_json::Value;
use shakmaty::Color;

fn rows() -> Vec<Value> {
    let text = text("golden/relevance/relevance.jsonl.zst");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn number(value: &Value) -> f64 {
    let text = value.as_str().unwrap();
    match text.split_once('/') {
        Some((numerator, denominator)) => {
            numerator.parse::<f64>().unwrap() / denominator.parse::<f64>().unwrap()
        }
        None => text.parse().unwrap(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn close(actual: f64, expected: f64, tolerance: f64, row: &Value) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{actual} is not {expected}: {row}"
    );
}

/// Compares a limit with its golden value; `------` stands for `None`.
fn limit(actual: Option<f64>, expected: &Value, row: &Value) {
    match (actual, expected.as_str().unwrap()) {
        (None, "------") => {}
        (Some(actual), text) if text != "------" => close(actual, text.parse().unwrap(), 1e-9, row),
        (actual, _) => panic!("{actual:?}: {row}"),
    }
}

fn move_scheme(row: &Value) -> MoveScheme {
    MoveScheme::ALL
        .into_iter()
        .find(|scheme| scheme.name() == row["scheme"])
        .unwrap()
}

fn position_scheme(row: &Value) -> PositionScheme {
    PositionScheme::ALL
        .into_iter()
        .find(|scheme| scheme.name() == row["scheme"])
        .unwrap()
}

/// Returns −1 for Black, because the golden evaluations are White's view and the code uses the
/// mover's.
fn sign(row: &Value) -> f64 {
    if row["pov"] == "B" { -1.0 } else { 1.0 }
}

fn check(row: &Value) {
    let balance = number(&row["a"]);
    let curve = Curve::Relevance { balance };
    let context = Context::default();
    match row["k"].as_str().unwrap() {
        "total" => close(curve.total(context), number(&row["y"]), 1e-12, row),
        "relevance" => close(
            curve.relevance(number(&row["x"]), context),
            number(&row["y"]),
            1e-12,
            row,
        ),
        "result" => {
            let x = number(&row["x"]);
            let sigmoid = Curve::RelevanceSigmoid { balance };
            close(curve.at(x, context), number(&row["exp"]), 1e-12, row);
            close(sigmoid.at(x, context), number(&row["sigmoid"]), 1e-12, row);
            close(
                curve.total(context) * curve.at(x, context),
                number(&row["area"]),
                1e-12,
                row,
            );
        }
        "integral" => {
            let difference =
                curve.relevant_difference(number(&row["end"]), number(&row["start"]), context);
            close(difference, number(&row["y"]), 1e-12, row);
        }
        "pos_limits" => {
            let limits = position_scheme(row).limits();
            assert_eq!(limits, numbers(&row["p"]), "{row}");
            for (&p, x) in limits.iter().zip(numbers(&row["x"])) {
                close(curve.pawns(p, context).unwrap(), x, 1e-12, row);
            }
        }
        "pos_symbol" => {
            let symbol = position_scheme(row).symbol(curve.at(number(&row["x"]), context));
            assert_eq!(
                (symbol.ascii(), u64::from(symbol.nag())),
                (row["sym"].as_str().unwrap(), row["nag"].as_u64().unwrap()),
                "{row}"
            );
        }
        "move_thresholds" => {
            let thresholds = move_scheme(row).thresholds();
            assert_eq!(thresholds.to_vec(), numbers(&row["dp"]), "{row}");
            for (threshold, difference) in thresholds.into_iter().zip(numbers(&row["diff"])) {
                close(threshold * curve.total(context), difference, 1e-12, row);
            }
        }
        "move_symbol" => {
            let [played, reference] = ["played", "ref"].map(|key| sign(row) * number(&row[key]));
            let difference = curve.at(played, context) - curve.at(reference, context);
            close(difference, number(&row["dp"]), 1e-12, row);
            close(
                curve.relevant_difference(played, reference, context),
                number(&row["diff"]),
                1e-12,
                row,
            );
            let symbol = move_scheme(row).symbol(difference);
            assert_eq!(
                symbol.map_or("", MoveSymbol::glyph),
                row["sym"].as_str().unwrap(),
                "{row}"
            );
            assert_eq!(
                symbol.map_or(0, |symbol| u64::from(symbol.nag())),
                row["nag"].as_u64().unwrap(),
                "{row}"
            );
        }
        "x_new" => {
            let old = curve.at(sign(row) * number(&row["x_old"]), context);
            let new = curve.pawns(old + number(&row["f"]), context);
            limit(new.map(|x| sign(row) * x), &row["x_new"], row);
        }
        "limits_line" => {
            let old = curve.at(sign(row) * number(&row["x_old"]), context);
            for (symbol, expected) in MoveSymbol::ALL
                .into_iter()
                .zip(row["x_new"].as_array().unwrap())
            {
                let new = curve.pawns(old + move_scheme(row).threshold(symbol), context);
                limit(new.map(|x| sign(row) * x), expected, row);
            }
        }
        kind => panic!("unknown kind {kind}: {row}"),
    }
}

#[test]
fn golden_relevance() {
    let mut counts = BTreeMap::new();
    // Rows `balance` hold an estimate from a match's games, which this crate does not compute.
    for row in rows().iter().filter(|row| row["k"] != "balance") {
        check(row);
        *counts
            .entry(row["k"].as_str().unwrap().to_owned())
            .or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 10, "every kind is there: {counts:?}");
}

/// Figures quoted in the article's text, which truncates instead of rounding.
#[test]
fn quoted_limits() {
    let curve = Curve::Relevance { balance: 0.62 };
    let quoted: [(PositionScheme, &[f64]); 3] = [
        (PositionScheme::S40, &[0.094, 0.319, 0.62, 1.24]),
        (PositionScheme::S9, &[0.1053, 0.362, 0.7253, 1.3453]),
        (PositionScheme::S7, &[0.137, 0.5005, 1.1205]),
    ];
    for (scheme, figures) in quoted {
        for (&p, figure) in scheme.limits().iter().zip(figures) {
            let limit = curve.pawns(p, Context::default()).unwrap();
            assert!(
                (limit - figure).abs() < 1e-3,
                "{} {limit} {figure}",
                scheme.name()
            );
        }
    }
    assert_eq!(
        PositionScheme::S40.symbol(0.2),
        PositionSymbol::Winning(Color::Black)
    );
}
