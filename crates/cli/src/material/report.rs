//! Values for people and for programs.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use centipawn_calibrate::material::{
    Balance, Bands, By, CannotTest, Coefficient, Feature, Fit, FitError, FitOptions, HeldOut, Target, Tested, Value,
};
use serde_json::{Map, Value as Json, json};

use super::{Games, Material, bands};
use crate::text::{plural, thousands};

/// Everything about a collection.
pub(super) struct Report {
    pub(super) fit: Fit,
    pub(super) tests: Vec<Tested>,
    pub(super) balance: Option<Balance>,
    pub(super) held_out: Option<Result<HeldOut, FitError>>,
    pub(super) bands: Option<(By, Bands)>,
    unfinished: u64,
    finished: bool,
    is_loose: bool,
}

impl Report {
    pub(super) fn new(args: &Material, options: &FitOptions, games: &Games) -> Result<Self> {
        let collection = &games.collection;
        if collection.is_empty() && games.skipped > 0 {
            return Err(anyhow!("no games to tell values from: nothing that was named could be read"));
        }
        let fit = Fit::new(collection, options)?;
        let mut tests = Vec::new();
        for test in args.model.tests() {
            match fit.test(&test) {
                Ok(tested) => tests.push(tested),
                // Said where the values are.
                Err(CannotTest::NoPawn(_)) => {}
                Err(error) => return Err(crate::exit::usage(error.to_string())),
            }
        }
        let usual = if options.terms.is_empty() && args.out.is_none() { 0 } else { 5 };
        let folds = usize::from(args.model.folds.unwrap_or(usual));
        let held_out = (folds > 0).then(|| HeldOut::new(collection, options, folds));
        let band = |by: By| {
            let width = args.width.unwrap_or(by.usual_width());
            Bands::new(collection, options, by, width, args.top).map(|bands| (by, bands))
        };
        Ok(Self {
            tests,
            balance: Balance::new(collection),
            held_out,
            bands: args.by.map(band).transpose()?,
            unfinished: collection.unfinished(),
            finished: args.model.finished,
            is_loose: collection.is_loose(),
            fit,
        })
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = heading(&self.fit);
        text += &table(&self.fit);
        text += &self.notes();
        if !self.tests.is_empty() {
            text += &tests_table(&self.tests);
        }
        if let Some(balance) = &self.balance {
            let _ = writeln!(
                text,
                "\nScore against balance (1-3-3-5-9): 1/(1 + e^(-a x)), a = {:.3} ± {:.3}",
                balance.alpha, balance.alpha_error
            );
        }
        match &self.held_out {
            Some(Ok(held_out)) => text += &held_out_text(held_out),
            Some(Err(error)) => {
                let _ = writeln!(text, "\nNo games held out, for without some of them: {error}");
            }
            None => {}
        }
        if let Some((by, bands)) = &self.bands {
            text += &bands::text(*by, bands);
        }
        text
    }

    fn notes(&self) -> String {
        let mut text = String::new();
        let ratios: Vec<f64> = self.fit.coefficients.iter().map(|own| own.error / own.model_error).collect();
        let ratio = ratios.iter().sum::<f64>() / ratios.len() as f64;
        if self.is_loose {
            text += "Rows of one game are not told apart in these files: errors take all for independent, and are too small.\n";
        } else if self.fit.options.target == Target::Search {
            text += "Errors are by game.\n";
        } else {
            let _ = writeln!(
                text,
                "Errors are by game; had rows been taken for independent, they would be {ratio:.1} times smaller."
            );
        }
        if self.fit.draws() > 0 {
            let _ = write!(text, "Intervals are those of {} draws of games", thousands(self.fit.draws() as u64));
            let failed = self.fit.options.draws - self.fit.draws();
            text += &if failed > 0 {
                format!("; in {} more there is no model, so they are too narrow.\n", thousands(failed as u64))
            } else {
                ".\n".to_owned()
            };
        }
        if self.unfinished > 0 {
            let games = plural(self.unfinished, "game");
            let what = if self.finished { "left out" } else { "counted as drawn (--finished leaves them out)" };
            let _ = writeln!(text, "{games} without a result: {what}.");
        }
        if self.fit.without_term > 0 {
            let _ = writeln!(text, "{} without both ratings: left out.", plural(self.fit.without_term, "game"));
        }
        text
    }

    /// For programs.
    pub(super) fn json(&self) -> Json {
        let mut document = fit_json(&self.fit);
        document["unfinished"] = self.unfinished.into();
        document["tests"] = self.tests.iter().map(test_json).collect();
        document["balance"] = self.balance.as_ref().map(balance_json).into();
        document["held_out"] = self.held_out.as_ref().and_then(|told| told.as_ref().ok()).map(held_out_json).into();
        if let Some((by, bands)) = &self.bands {
            document["by"] = by.name().into();
            document["bands"] = bands::json(bands);
        }
        document
    }
}

/// What the values are of.
pub(super) fn heading(fit: &Fit) -> String {
    format!(
        "{} games, {} rows, {} different; {}\n\n",
        thousands(fit.games),
        thousands(fit.rows),
        thousands(fit.groups),
        method(fit)
    )
}

fn method(fit: &Fit) -> &'static str {
    use centipawn_calibrate::material::Method;
    match (fit.options.method, fit.options.target) {
        (Method::Classic, _) => "a logistic model of games that were won",
        (_, Target::Search) => "a logistic model of what a search expects",
        (Method::Score, _) => "a logistic model of the score",
        (Method::Ordered, _) => "an ordered logit",
        (Method::Davidson, _) => "Davidson's model",
    }
}

/// Values beside logits.
pub(super) fn table(fit: &Fit) -> String {
    let values = fit.values().ok();
    let mut text = format!("{:<18}", "");
    if values.is_some() {
        let _ = write!(text, "{:>7}  {:<7} {:<17}", "value", "error", "95 % interval");
    }
    let _ = writeln!(text, "{:>7}  {}", "logit", if values.is_some() { "error" } else { "error   95 % interval" });
    for (index, own) in fit.coefficients.iter().enumerate() {
        let _ = write!(text, "{:<18}", label(own.feature));
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
    format!("{:>7.0}  {:<7} {interval:<17}", value.value, format!("± {:.0}", value.error))
}

/// A feature's name in a table.
pub(super) fn label(feature: Feature) -> String {
    match feature {
        Feature::Width => "width of draws".to_owned(),
        _ => feature.name().replace('-', " "),
    }
}

fn tests_table(tests: &[Tested]) -> String {
    let mut text = format!("\n{:<24}{:>9}  {:<8}{:>7}\n", "test", "estimate", "error", "z");
    for tested in tests {
        let _ = writeln!(
            text,
            "{:<24}{:>9.0}  {:<8}{:>7.2}  {}",
            crate::text::shortened(&tested.hypothesis.to_string(), 23),
            tested.estimate,
            format!("± {:.0}", tested.error),
            tested.z,
            tested.verdict.name()
        );
    }
    text
}

fn held_out_text(held_out: &HeldOut) -> String {
    let mut text = format!(
        "\nLog loss {:.5} in games held out ({} parts), {:.5} in those fitted\n",
        held_out.held_out, held_out.folds, held_out.fitted
    );
    if let Some(bare) = held_out.without_terms {
        let _ = writeln!(
            text,
            "Without the terms {:.5} in games held out: they gain {:.5} ± {:.5}",
            bare.held_out, bare.gain, bare.error
        );
    }
    text
}

/// A JSON object with something of each feature.
fn each<T>(items: &[T], feature: impl Fn(&T) -> Feature, what: impl Fn(&T) -> Json) -> Json {
    items.iter().map(|item| (feature(item).name().to_owned(), what(item))).collect::<Map<_, _>>().into()
}

/// What is common to whole collections and bands.
pub(super) fn fit_json(fit: &Fit) -> Json {
    let values = fit.values();
    let of_values = |what: &dyn Fn(&Value) -> Json| {
        values.as_ref().map_or(Json::Null, |values| each(values, |value| value.feature, what))
    };
    let of_logits =
        |what: &dyn Fn(&Coefficient) -> f64| each(&fit.coefficients, |own| own.feature, |own| what(own).into());
    let places: Vec<usize> = (0..fit.coefficients.len()).collect();
    json!({
        "games": fit.games,
        "rows": fit.rows,
        "groups": fit.groups,
        "method": fit.options.method.name(),
        "target": if fit.options.target == Target::Search { "search" } else { "result" },
        "draws": fit.draws(),
        "values": of_values(&|value| value.value.into()),
        "errors": of_values(&|value| value.error.into()),
        "errors_rows": of_values(&|value| value.model_error.into()),
        "errors_draws": of_values(&|value| value.draws_error.into()),
        "intervals": of_values(&|value| json!([value.interval.0, value.interval.1])),
        "not_in_pawns": values.as_ref().err().map(ToString::to_string),
        "logits": of_logits(&|own| own.value),
        "logit_errors": of_logits(&|own| own.error),
        "logit_errors_rows": of_logits(&|own| own.model_error),
        "logit_intervals": each(&places, |&index| fit.coefficients[index].feature, |&index| {
            let (low, high) = fit.interval(index);
            json!([low, high])
        }),
        "log_loss": fit.loss,
        "without_ratings": fit.without_term,
    })
}

fn test_json(tested: &Tested) -> Json {
    json!({
        "test": tested.hypothesis.to_string(),
        "estimate": tested.estimate,
        "error": tested.error,
        "z": tested.z,
        "verdict": tested.verdict.name(),
    })
}

fn balance_json(balance: &Balance) -> Json {
    let points = balance.points.iter().map(|point| {
        let (low, high) = point.interval();
        let [losses, draws, wins] = point.counts;
        json!({
            "balance": point.balance, "wins": wins, "draws": draws, "losses": losses,
            "score": point.score, "error": point.error, "interval": [low, high],
        })
    });
    json!({ "alpha": balance.alpha, "alpha_error": balance.alpha_error, "points": points.collect::<Vec<_>>() })
}

fn held_out_json(held_out: &HeldOut) -> Json {
    let bins = held_out
        .calibration
        .iter()
        .map(|bin| json!({ "expected": bin.expected, "score": bin.score, "error": bin.error, "rows": bin.rows }));
    json!({
        "folds": held_out.folds,
        "fitted": held_out.fitted,
        "held_out": held_out.held_out,
        "without_terms": held_out.without_terms.map(|bare| json!({
            "held_out": bare.held_out, "gain": bare.gain, "error": bare.error,
        })),
        "calibration": bins.collect::<Vec<_>>(),
    })
}
