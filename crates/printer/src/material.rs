//! Formats piece values.

use std::fmt::Write as _;

use centipawn_calibrate::material::{
    Comparison, Feature, Fit, HeldOut, MaterialReport, Method, Target, Tested, Value,
};
use centipawn_progress::text::{plural, printable, thousands};
use centipawn_work::scan::{ComparedCollections, MaterialResult};

use crate::{bands, columns::shortened};

/// Returns piece values in hundredths of a pawn with standard errors, the tests of hypotheses, and
/// the values of bands.
pub fn material(result: &MaterialResult) -> String {
    let report = &result.report;
    let mut text: String = report
        .warnings
        .iter()
        .map(|own| format!("Warning: {}\n", printable(own)))
        .collect();
    text += &heading(&report.fit);
    text += &table(&report.fit);
    text += &notes(report, result.finished);
    if !report.tests.is_empty() {
        text += &tests_table(&report.tests);
    }
    if let Some(balance) = &report.score_by_balance {
        let _ = writeln!(
            text,
            "\nScore by material balance x (1-3-3-5-9): 1/(1 + e^(-a x)), a = {:.3} ± {:.3}",
            balance.alpha, balance.alpha_error
        );
    }
    match &report.held_out {
        Some(Ok(held_out)) => text += &held_out_text(held_out),
        Some(Err(error)) => {
            let _ = writeln!(
                text,
                "\nNo held-out test, because a fit without some of the games fails: {error}"
            );
        }
        None => {}
    }
    if let Some((by, bands)) = &report.bands {
        text += &bands::table(*by, bands);
    }
    text
}

/// Returns the models of several collections, and how the others differ from the first.
pub fn collections(compared: &ComparedCollections) -> String {
    let mut text = String::new();
    for (name, fit) in &compared.fits {
        let _ = write!(text, "{}: {}{}", printable(name), heading(fit), table(fit));
    }
    let Some(((first_name, first), others)) = compared.fits.split_first() else {
        return text;
    };
    for (name, fit) in others {
        let Ok(comparison) = Comparison::new(first, fit) else {
            continue;
        };
        let _ = writeln!(
            text,
            "{} minus {}",
            shortened(name, 36),
            shortened(first_name, 36)
        );
        let _ = writeln!(
            text,
            "{:<18}{:>10}  {:<8}{:>7}",
            "", "difference", "error", "z"
        );
        for own in &comparison.differences {
            let _ = writeln!(
                text,
                "{:<18}{:>+10.0}  {:<8}{:>7.2}",
                label(own.feature),
                own.difference,
                format!("± {:.0}", own.error),
                own.z
            );
        }
        let _ = writeln!(
            text,
            "All pieces together: chi square {:.2} of {} values; if the values were equal, it \
             would be at least as large\n{:.2} % of the time\n",
            comparison.chi_square,
            comparison.values,
            100.0 * comparison.p
        );
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Notes on the errors and on omitted games. `leaves_out_unfinished` says that games without a
/// result were left out by request. Otherwise the classic method counts them as drawn, and the
/// other methods leave them out.
fn notes(report: &MaterialReport, leaves_out_unfinished: bool) -> String {
    let mut text = String::new();
    let ratios: Vec<f64> = report
        .fit
        .coefficients
        .iter()
        .map(|own| own.error / own.model_error)
        .collect();
    let ratio = ratios.iter().sum::<f64>() / ratios.len() as f64;
    if report.is_loose {
        text += "These files do not identify the game of a row: errors treat all rows as \
                 independent, and are too small.\n";
    } else if report.fit.options.target == Target::Search {
        text += "Errors are by game.\n";
    } else {
        let _ = writeln!(
            text,
            "Errors are by game; if rows counted as independent, errors would be {ratio:.1} times \
             smaller."
        );
    }
    if report.fit.resamples() > 0 {
        let _ = write!(
            text,
            "Intervals are those of {} resamples",
            thousands(report.fit.resamples() as u64)
        );
        let failed = report.fit.options.resamples - report.fit.resamples();
        text += &if failed > 0 {
            format!(
                "; {} more resamples gave no model, so the intervals are too narrow.\n",
                thousands(failed as u64)
            )
        } else {
            ".\n".to_owned()
        };
    } else if report.fit.options.resamples >= 2 {
        text += "More than a tenth of the resamples gave no model, so intervals are 1.96 standard \
                 errors.\n";
    }
    if report.unfinished > 0 {
        let games = plural(report.unfinished, "game");
        let is_drawn = report.fit.options.method == Method::Classic && !leaves_out_unfinished;
        let what = if is_drawn {
            "counted as drawn, as in the article (the option `finished` leaves them out)"
        } else {
            "left out"
        };
        let _ = writeln!(text, "{games} without a result: {what}.");
    }
    if report.fit.without_term > 0 {
        let _ = writeln!(
            text,
            "{} without both ratings: left out.",
            plural(report.fit.without_term, "game")
        );
    }
    text
}

/// Returns the heading: the data and the model.
fn heading(fit: &Fit) -> String {
    format!(
        "{} games, {} rows, {} different; {}\n\n",
        thousands(fit.games),
        thousands(fit.rows),
        thousands(fit.groups),
        method(fit)
    )
}

fn method(fit: &Fit) -> &'static str {
    match (fit.options.method, fit.options.target) {
        (Method::Classic, _) => "a logistic model of games that were won",
        (_, Target::Search) => "a logistic model of the expected score of a search",
        (Method::Score, _) => "a logistic model of the score",
        (Method::Ordered, _) => "an ordered logit",
        (Method::Davidson, _) => "Davidson's model",
    }
}

/// Returns the table of values, logits and errors.
fn table(fit: &Fit) -> String {
    let values = fit.values().ok();
    let labels = fit.coefficients.iter().map(|own| label(own.feature).len());
    let name = labels.max().unwrap_or(0).max(16) + 2;
    let mut text = format!("{:<name$}", "");
    if values.is_some() {
        let _ = write!(
            text,
            "{:>7}  {:<7} {:<17}",
            "value", "error", "95 % interval"
        );
    }
    let _ = writeln!(
        text,
        "{:>7}  {}",
        "logit",
        if values.is_some() {
            "error"
        } else {
            "error   95 % interval"
        }
    );
    for (index, own) in fit.coefficients.iter().enumerate() {
        let _ = write!(text, "{:<name$}", label(own.feature));
        match values.as_ref().map(|values| values.get(index)) {
            Some(Some(value)) => text += &value_columns(value),
            Some(None) => text += &" ".repeat(34),
            None => {}
        }
        let _ = write!(text, "{:>7.3}  ± {:<5.3}", own.value, own.error);
        if values.is_none() {
            let (low, high) = fit.interval(index);
            let _ = write!(text, " {low:.3} to {high:.3}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text.push('\n');
    text
}

fn value_columns(value: &Value) -> String {
    if value.feature == Feature::Piece(0) {
        return format!("{:>7}  {:<7} {:<17}", "100", "", "");
    }
    let interval = format!("{:.0} to {:.0}", value.interval.0, value.interval.1);
    format!(
        "{:>7.0}  {:<7} {interval:<17}",
        value.value,
        format!("± {:.0}", value.error)
    )
}

/// Returns the name of a feature in a table.
pub(crate) fn label(feature: Feature) -> String {
    match feature {
        Feature::Width => "width of draws".to_owned(),
        Feature::Own(name) => name.as_str().to_owned(),
        _ => feature.name().replace('-', " "),
    }
}

fn tests_table(tests: &[Tested]) -> String {
    let mut text = format!(
        "\n{:<24}{:>9}  {:<8}{:>7}{:>8}{:>8}\n",
        "test", "estimate", "error", "z", "p", "Holm"
    );
    for tested in tests {
        let _ = writeln!(
            text,
            "{:<24}{:>9.0}  {:<8}{:>7.2}{:>8.3}{:>8}  {}",
            shortened(&tested.hypothesis.to_string(), 23),
            tested.estimate,
            format!("± {:.0}", tested.error),
            tested.z,
            tested.p,
            tested
                .p_corrected
                .map_or("-".to_owned(), |p| format!("{p:.3}")),
            tested.verdict.name()
        );
    }
    text += "p is one-sided for > and <, two-sided for =. Verdicts are at 5 %, by p after Holm's \
             correction for all these tests.\n";
    text
}

fn held_out_text(held_out: &HeldOut) -> String {
    let mut text = format!(
        "\nLog loss {:.5} in games held out ({} folds), {:.5} in those fitted\n",
        held_out.held_out, held_out.folds, held_out.fitted
    );
    if let Some(bare) = held_out.without_terms {
        let _ = writeln!(
            text,
            "Log loss without the terms {:.5} in games held out: the terms gain {:.5} ± {:.5}",
            bare.held_out, bare.gain, bare.error
        );
    }
    text
}
