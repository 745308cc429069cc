//! What is said of a fitted model.

use std::fmt::Write as _;

use centipawn_calibrate::wdl::{By, Estimate, Fit, HeldOut, Method, Shape, Uncertainty, Units};
use centipawn_core::Curve;
use serde_json::{Value, json};

use crate::text::thousands;

/// A model with all that is known of it.
pub(super) struct Fitted {
    pub(super) fit: Fit,
    pub(super) uncertainty: Option<Uncertainty>,
    pub(super) held_out: Option<HeldOut>,
}

impl Fitted {
    /// The curve, where it can be kept as one.
    pub(super) fn curve(&self) -> Option<Curve> {
        self.fit.model().map(Curve::Wdl)
    }

    /// The curve file.
    pub(super) fn curve_file(&self) -> Option<String> {
        let json = serde_json::to_string_pretty(&self.curve()?).ok()?;
        Some(json + "\n")
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let fit = &self.fit;
        let selection = &fit.options.selection;
        let by = selection.by;
        let mut text = String::new();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<22} {value}");
        };
        let [wins, draws, losses] = fit.retained.map(|count| thousands(count as u64));
        row("Positions", format!("{wins} won, {draws} drawn, {losses} lost"));
        row(
            "Within",
            format!(
                "moves {} to {}, material {} to {}, evaluations to ±{:.2}",
                selection.moves.0,
                selection.moves.1,
                selection.material.0,
                selection.material.1,
                f64::from(selection.eval_max) / 100.0
            ),
        );
        let units = match selection.units {
            Units::Fixed(units) => format!("{units} units a pawn"),
            Units::Model(model) => format!("as many units a pawn as {model} has", model = Curve::Wdl(model)),
        };
        row("Evaluations", units);
        row("Model", format!("{}, by {}, {}", shape(fit.options.shape), by.name(), fit.options.method.name()));
        if let Some((before, after)) = fit.objective {
            let what =
                if fit.options.method == Method::Score { "root of the mean squared error" } else { "mean -ln p" };
            row("Objective", format!("{after:.10} ({what}; {before:.10} before all rows were fitted together)"));
        }
        if let Some(HeldOut { folds, fitted, held_out }) = self.held_out {
            row("Log loss", format!("{held_out:.6} in games held out ({folds} parts), {fitted:.6} in those fitted"));
        }
        let sure = self.uncertainty.as_ref();
        let number = |value: f64, digits: usize, estimate: Option<Estimate>| match estimate {
            None => format!("{value:.digits$}"),
            Some(Estimate { error, interval: (low, high), .. }) => {
                format!("{value:.digits$} ± {error:.digits$} ({low:.digits$} to {high:.digits$})")
            }
        };
        row(
            "NormalizeToPawnValue",
            number(fit.normalize_to_pawn_value(), 2, sure.map(|sure| sure.normalize_to_pawn_value)),
        );
        row("Spread", number(fit.spread(), 2, sure.map(|sure| sure.spread)));
        row("Normalised spread", format!("{:.4}", fit.spread() / fit.normalize_to_pawn_value()));
        let target = format!("{} {}", if by == By::Move { "move" } else { "material" }, fit.options.target);
        row("Draw rate at 0.00", format!("{} ({target})", number(fit.draw_rate(), 4, sure.map(|sure| sure.draw_rate))));
        if let Some(sure) = sure {
            row("Errors", format!("standard errors and 95 % intervals of {} draws of games", sure.draws));
        }
        if let Some(sparse) = self.sparse() {
            row("Few wins", sparse);
        }
        let unsound = fit.unsound();
        if !unsound.is_empty() {
            let (values, name) = (runs(&unsound), by.name());
            row(
                "No model",
                format!("{name} {values}: a or b is not above 0 there; leave these out, or count more games"),
            );
        }
        match fit.cpp() {
            Some(cpp) => {
                let _ = write!(text, "\n{cpp}");
            }
            None => text += "\nOf this shape there are no constants for Stockfish, and no curve file.\n",
        }
        text
    }

    /// Rows that were not fitted by themselves, and what became of them.
    fn sparse(&self) -> Option<String> {
        let sparse = &self.fit.sparse;
        if sparse.is_empty() {
            return None;
        }
        let runs = runs(sparse);
        let win_min = self.fit.options.win_min;
        let what = match (self.fit.options.method, self.fit.options.shape) {
            (Method::Density, _) => "left out",
            (_, Shape::Spline) => "held by their neighbours, the less the more games they have",
            _ => "not fitted by themselves, they count with all others",
        };
        Some(format!("{} {}: under {win_min}, {what}", self.fit.options.selection.by.name(), runs))
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let fit = &self.fit;
        let selection = &fit.options.selection;
        let [wins, draws, losses] = fit.retained;
        let estimate = |estimate: &Estimate| json!({ "value": estimate.value, "error": estimate.error, "interval": [estimate.interval.0, estimate.interval.1] });
        json!({
            "method": fit.options.method.name(),
            "by": selection.by.name(),
            "shape": shape(fit.options.shape),
            "target": fit.options.target,
            "moves": [selection.moves.0, selection.moves.1],
            "material": [selection.material.0, selection.material.1],
            "eval_max": selection.eval_max,
            "units": match selection.units {
                Units::Fixed(units) => json!(units),
                Units::Model(model) => json!(Curve::Wdl(model)),
            },
            "positions": { "wins": wins, "draws": draws, "losses": losses },
            "objective": fit.objective.map(|(before, after)| json!({ "before": before, "after": after })),
            "normalize_to_pawn_value": fit.normalize_to_pawn_value(),
            "spread": fit.spread(),
            "draw_rate": fit.draw_rate(),
            "as": fit.a,
            "bs": fit.b,
            "rows": fit.rows.iter().map(|row| json!({
                "value": row.value, "a": row.a, "b": row.b, "wins": row.wins, "positions": row.positions,
            })).collect::<Vec<_>>(),
            "few_wins": fit.sparse,
            "no_model": fit.unsound(),
            "errors": self.uncertainty.as_ref().map(|sure| json!({
                "draws": sure.draws,
                "normalize_to_pawn_value": estimate(&sure.normalize_to_pawn_value),
                "spread": estimate(&sure.spread),
                "draw_rate": estimate(&sure.draw_rate),
                "as": sure.a.iter().map(estimate).collect::<Vec<_>>(),
                "bs": sure.b.iter().map(estimate).collect::<Vec<_>>(),
            })),
            "held_out": self.held_out.map(|held| json!({
                "folds": held.folds, "fitted": held.fitted, "held_out": held.held_out,
            })),
            "curve": self.curve(),
        })
    }
}

/// `1 to 5, 54`.
fn runs(values: &[u32]) -> String {
    let runs = values.chunk_by(|one, next| one + 1 == *next);
    let texts: Vec<_> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first} to {last}"),
            _ => run.iter().map(u32::to_string).collect(),
        })
        .collect();
    texts.join(", ")
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Cubic => "cubic",
        Shape::Monotone => "monotone",
        Shape::Spline => "spline",
    }
}
