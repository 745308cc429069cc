//! Formats how estimated ratings and themes of puzzles agree with the labels of the puzzles.

use std::fmt::Write as _;

use centipawn_puzzle::{AgreementTable, rating::RatingTable};

/// Returns how found themes agree with labels, a line for each theme. A dash stands for an
/// undefined share, such as the precision of a theme that was never found.
pub fn agreement(table: &AgreementTable) -> String {
    let [labelled, found, precision, recall, agreement] =
        ["labelled", "found", "precision", "recall", "agreement"];
    let mut text = format!(
        "{:<18}{labelled:>9}{found:>9}{precision:>11}{recall:>9}{agreement:>11}\n",
        "theme"
    );
    let share =
        |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.4}"));
    for row in &table.themes {
        let [precision, recall, agreement] = [row.precision, row.recall, row.agreement].map(share);
        let (theme, labelled, found) = (&row.theme, row.labelled, row.found);
        text += &format!(
            "{theme:<18}{labelled:>9}{found:>9}{precision:>11}{recall:>9}{agreement:>11}\n"
        );
    }
    text
}

/// Returns the errors of estimated ratings, a line for each band of ratings.
pub fn rating_errors(table: &RatingTable) -> String {
    let title = &table.title;
    let mut text = format!(
        "{title:24} {:>8} {:>6} {:>6} {:>6} {:>12}\n",
        "puzzles", "MAE", "RMSE", "bias", "in interval"
    );
    for row in &table.bands {
        let errors = &row.errors;
        let band = match (row.from, row.to) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            _ => "all".to_owned(),
        };
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
