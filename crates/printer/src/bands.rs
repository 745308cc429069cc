//! Formats the piece values of bands, such as bands of rating.

use std::fmt::Write as _;

use centipawn_calibrate::material::{Bands, By, Feature, Fit, PawnUncertain};
use centipawn_progress::text::{plural, printable, thousands};

use crate::{
    columns::{padded, shortened},
    material::label,
};

const NAME: usize = 24;
/// The most values in one line of a table. With more, the bands are the columns.
const MOST_COLUMNS: usize = 8;
/// Width of the column of a band.
const COLUMN: usize = 14;

/// Returns a table with a line for each band. Values are in hundredths of a pawn.
pub(crate) fn table(by: By, bands: &Bands) -> String {
    let features: Vec<Feature> = bands
        .bands
        .iter()
        .find_map(|band| band.fit.as_ref().ok())
        .map(|fit| shown(fit).collect())
        .unwrap_or_default();
    if features.len() > MOST_COLUMNS {
        return transposed(by, bands, &features);
    }
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
    text + &left_out(by, bands)
}

/// Returns a table with a line for each value and a column for each band, and a line for each band
/// without values.
fn transposed(by: By, bands: &Bands, features: &[Feature]) -> String {
    let fitted: Vec<_> = bands
        .bands
        .iter()
        .filter_map(|band| Some((band, band.fit.as_ref().ok()?.values().ok()?)))
        .collect();
    let mut text = format!("\n{:<NAME$}", by.name());
    for (band, _) in &fitted {
        let _ = write!(text, "{:>COLUMN$}", shortened(&band.name, COLUMN - 2));
    }
    let _ = write!(text, "\n{:<NAME$}", "games");
    for (band, _) in &fitted {
        let _ = write!(text, "{:>COLUMN$}", thousands(band.games));
    }
    text.push('\n');
    for feature in features {
        text += &padded(&label(*feature), NAME);
        for (_, values) in &fitted {
            let value = values.iter().find(|value| value.feature == *feature);
            let cell = value.map(|value| format!("{:.0} ± {:.0}", value.value, value.error));
            let _ = write!(text, "{:>COLUMN$}", cell.unwrap_or_default());
        }
        text.push('\n');
    }
    for band in &bands.bands {
        let reason = match band.fit.as_ref().map(Fit::values) {
            Err(error) => error.to_string(),
            Ok(Err(why)) => why.to_string(),
            Ok(Ok(_)) => continue,
        };
        let games = plural(band.games, "game");
        let _ = writeln!(text, "{} ({games}): {reason}", printable(&band.name));
    }
    text + &left_out(by, bands)
}

/// Returns lines about bands that are not shown and games in none.
fn left_out(by: By, bands: &Bands) -> String {
    let mut text = String::new();
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
