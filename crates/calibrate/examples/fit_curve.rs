//! Fits a win/draw/loss model to engine games, with standard errors from resampled games, and
//! writes it as a curve file.
//!
//! `cargo run --release -p centipawn-calibrate --example fit_curve -- examples/selfplay.pgn.gz
//! curve.json`

use std::{env, error::Error, fs};

use centipawn_calibrate::wdl::{CountOptions, FitOptions, FitReport, ResampleOptions, count};
use centipawn_pgn::{ScanOptions, Sources};
use centipawn_progress::{Cancel, Silent};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [games, curve] = arguments.as_slice() else {
        return Err("give GAMES and CURVE.json".into());
    };
    let (counted, _) = count(
        &Sources::expand(&[games])?,
        &ScanOptions::default(),
        &CountOptions::default(),
        None,
    )?;
    let resampling = ResampleOptions {
        resamples: 100,
        ..ResampleOptions::default()
    };
    let report = FitReport::new(
        &counted.counts,
        &FitOptions::default(),
        resampling,
        &Cancel::new(),
        &Silent,
    )?;
    print!("{}", report.text());
    if let Some(file) = report.curve_file(None) {
        fs::write(curve, file.json())?;
    }
    Ok(())
}
