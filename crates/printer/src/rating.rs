//! Ratings and themes of puzzles, beside those that puzzles are labelled with.

use std::fmt::Write as _;

use centipawn_puzzle::{AgreementTable, rating::RatingTable};

/// How themes agree with labels, a line for each theme; a dash where a share is undefined.
pub fn agreement(table: &AgreementTable) -> String {
    let [labelled, found, precision, recall, agreement] = ["labelled", "found", "precision", "recall", "agreement"];
    let mut text = format!("{:<18}{labelled:>9}{found:>9}{precision:>11}{recall:>9}{agreement:>11}\n", "theme");
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.4}"));
    for row in &table.themes {
        let [precision, recall, agreement] = [row.precision, row.recall, row.agreement].map(share);
        let (theme, labelled, found) = (&row.theme, row.labelled, row.found);
        text += &format!("{theme:<18}{labelled:>9}{found:>9}{precision:>11}{recall:>9}{agreement:>11}\n");
    }
    text
}

/// Errors of estimated ratings, a line for each band.
pub fn rating_errors(table: &RatingTable) -> String {
    let title = &table.title;
    let mut text =
        format!("{title:24} {:>8} {:>6} {:>6} {:>6} {:>12}\n", "puzzles", "MAE", "RMSE", "bias", "in interval");
    for row in &table.bands {
        let errors = &row.errors;
        let band = match (row.from, row.to) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            _ => "all".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{band:24} {:8} {:6.0} {:6.0} {:+6.0} {:10.0} %",
            errors.count,
            errors.mean_absolute,
            errors.root_mean_square,
            errors.bias,
            100.0 * errors.covered
        );
    }
    text
}
