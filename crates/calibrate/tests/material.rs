//! Rows and fits against golden ones.

use std::{fs, path::PathBuf};

use centipawn_calibrate::material::{
    Collection, CountOptions, Fit, FitOptions, Method, RowsFormat, count,
};
use centipawn_pgn::{ScanOptions, Sources};
use serde_json::Value;

fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path);
    path.exists().then_some(path)
}

fn games(path: &PathBuf) -> Collection {
    let sources = Sources::expand(&[path]).unwrap();
    count(&sources, &ScanOptions::default(), &CountOptions::default()).unwrap().0
}

fn text(collection: &Collection, format: RowsFormat) -> String {
    let mut text = Vec::new();
    collection.write_rows(format, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn golden_rows() {
    for (name, pgn) in [("OpenRating", "data/pgn/engine/OpenRating.pgn"), ("Carlsen", "data/pgn/human/Carlsen.pgn")] {
        let (Some(pgn), Some(golden)) = (shared(pgn), shared(&format!("golden/material/{name}.correct.rows.tsv"))) else {
            return;
        };
        let collection = games(&pgn);
        assert!(text(&collection, RowsFormat::Tabs) == fs::read_to_string(golden).unwrap(), "{name}");
        if name == "OpenRating" {
            let sample = fs::read_to_string(shared("golden/material/sample_game.rows").unwrap()).unwrap();
            let article = text(&collection, RowsFormat::Article);
            assert!(article.starts_with(&sample));
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[track_caller]
fn near(own: f64, golden: f64, tolerance: f64, what: &str) {
    assert!((own / golden - 1.0).abs() <= tolerance, "{what}: {own} is not {golden}");
}

#[test]
fn golden_fits() {
    let Some(fits) = shared("golden/material/fits.json") else { return };
    let fits: Value = serde_json::from_str(&fs::read_to_string(fits).unwrap()).unwrap();
    for name in ["OpenRating", "Carlsen"] {
        let golden = &fits[name]["correct"];
        let file = shared(&format!("golden/material/{name}.correct.rows.tsv")).unwrap();
        let collection = Collection::read_rows(fs::File::open(file).unwrap()).unwrap();
        for (key, method) in [
            ("seed", Method::Classic),
            ("half", Method::Score),
            ("ordered", Method::Ordered),
            ("davidson", Method::Davidson),
        ] {
            let golden = &golden[key];
            let options = FitOptions { first_move: false, draws: 0, ..FitOptions::of(method) };
            let fit = Fit::new(&collection, &options).unwrap();
            // The reference's penalty is ours only in the article's method.
            let tolerance = if method == Method::Classic { 1e-6 } else { 2e-3 };
            for (own, golden) in fit.coefficients.iter().zip(numbers(&golden["theta"])) {
                println!("{name} {key} {} {golden} {:.1e}", own.value, own.value / golden - 1.0);
                near(own.value, golden, tolerance, key);
            }
            if let Some(errors) = golden.get("se_theta_cluster") {
                for (own, golden) in fit.coefficients.iter().zip(numbers(errors)) {
                    near(own.error, golden, 5e-3, key);
                }
                for (own, golden) in fit.coefficients.iter().zip(numbers(&fits[name]["correct"][key]["se_theta_model"])) {
                    near(own.model_error, golden, 5e-3, key);
                }
                assert_eq!(fit.games, golden["games"].as_u64().unwrap());
                assert_eq!(fit.rows, golden["rows"].as_u64().unwrap());
                assert_eq!(fit.groups, golden["groups"].as_u64().unwrap());
            }
        }
    }
}
