//! Formats the piece values of bands, such as bands of rating.

use std::fmt::Write as _;

use centipawn_calibrate::material::{Bands, By, Feature, Fit, PawnUncertain};
use centipawn_progress::text::{plural, thousands};

use crate::{columns::padded, material::label};

const NAME: usize = 24;

/// Returns a table with a line for each band. Values are in hundredths of a pawn.
pub(crate) fn table(by: By, bands: &Bands) -> String {
    let features: Vec<Feature> = bands
        .bands
        .iter()
        .find_map(|band| band.fit.as_ref().ok())
        .map(|fit| shown(fit).collect())
        .unwrap_or_default();
    let mut text = format!("\n{:<NAME$}{:>9}", by.name(), "games");
    for feature in &features {
        let _ = write!(text, "  {:>12}", label(*feature));
    }
    text.push('\n');
    for band in &bands.bands {
        let _ = write!(
            text,
            "{}{:>9}",
            padded(&band.name, NAME),
            thousands(band.games)
        );
        match band.fit.as_ref().map(Fit::values) {
            Err(error) => {
                let _ = write!(text, "  {error}");
            }
            Ok(Err(PawnUncertain { value, error })) => {
                let _ = write!(
                    text,
                    "  no unit: the pawn, {value:.3} ± {error:.3} logits, is less than two errors \
                     above zero"
                );
            }
            Ok(Ok(values)) => {
                for value in features
                    .iter()
                    .filter_map(|own| values.iter().find(|value| value.feature == *own))
                {
                    let _ = write!(
                        text,
                        "  {:>12}",
                        format!("{:.0} ± {:.0}", value.value, value.error)
                    );
                }
            }
        }
        text.push('\n');
    }
    if bands.others > 0 {
        let _ = writeln!(
            text,
            "{} more with fewer games are not shown (option `top`)",
            thousands(bands.others)
        );
    }
    if bands.unknown > 0 {
        let _ = writeln!(
            text,
            "{} in no band: {} unknown",
            plural(bands.unknown, "game"),
            by.name()
        );
    }
    text
}

/// Returns the fitted features, without the pawn, which is the unit, and without the width of
/// draws, which is no piece value.
fn shown(fit: &Fit) -> impl Iterator<Item = Feature> {
    fit.coefficients
        .iter()
        .map(|own| own.feature)
        .filter(|own| !matches!(own, Feature::Piece(0) | Feature::Width))
}
