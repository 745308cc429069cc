//! Formats win/draw/loss models: the value of an evaluation, and comparisons of models.

use std::fmt::Write as _;

use centipawn_calibrate::wdl::{
    By, ComparedModel, Estimate, EvalDocument, ModelComparison, ModelDifference,
};
use centipawn_core::{Argument, Context, Eval, Mover, WdlModel};
use centipawn_progress::text::{printable, thousands};
use unicode_width::UnicodeWidthStr as _;

use crate::columns::padded;

/// Width of the column of model names.
const NAME: usize = 32;

/// Returns the value of an evaluation by `model`, in sentences.
pub fn eval_value(value: &EvalDocument, model: &WdlModel) -> String {
    let EvalDocument {
        eval,
        material,
        number,
        wdl,
        ..
    } = *value;
    let context = Context {
        material,
        ply: 2 * number.saturating_sub(1),
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let (place, known) = match model.argument {
        Argument::Material => (
            format!("with {material} points of material on the board"),
            f64::from(material),
        ),
        Argument::Move => (format!("at move {number}"), f64::from(number)),
        Argument::Ply => (format!("at move {number}"), f64::from(context.ply)),
    };
    let mut text = format!(
        "At {} {place} the side to move\nwins {}, draws {}, loses {}: it scores {:.3} points a \
         game.\n",
        Eval::<Mover>::cp((100.0 * eval).round() as i32),
        percent(wdl.win),
        percent(wdl.draw),
        percent(wdl.loss),
        value.expected_score,
    );
    let drawn = percent(model.wdl(0.0, context).draw);
    text += &format!(
        "Half of the games are won at {:+.2}; at 0.00 {drawn} are drawn.\n",
        value.balance
    );
    if let Some(errors) = &value.errors {
        text += &format!(
            "Standard errors and 95 % intervals of {} resamples by game:\n",
            errors.resamples
        );
        let of = errors.of;
        for (
            name,
            Estimate {
                error,
                interval: (low, high),
                ..
            },
        ) in [("wins", of.win), ("draws", of.draw), ("losses", of.loss)]
        {
            let (error, low, high) = (100.0 * error, 100.0 * low, 100.0 * high);
            text += &format!("  {name:<7} ± {error:.1} % ({low:.1} to {high:.1} %)\n");
        }
        let Estimate {
            error,
            interval: (low, high),
            ..
        } = of.expected_score;
        text += &format!("  {:<7} ± {error:.3} ({low:.3} to {high:.3})\n", "score");
    }
    let [low, high] = model.range;
    if !(low..=high).contains(&known) {
        text += &format!(
            "The model covers {low} to {high}; it treats {known} like {}.\n",
            known.clamp(low, high)
        );
    }
    text
}

/// Returns a comparison of models: a table, the differences from the first model, and a verdict in
/// one sentence for each.
pub fn model_comparison(comparison: &ModelComparison) -> String {
    let mut text = String::new();
    if let (Some(games), Some(positions)) = (&comparison.games, comparison.positions) {
        let _ = writeln!(
            text,
            "Log losses on {} positions of {}\n",
            thousands(positions as u64),
            printable(games)
        );
    }
    let titles = ["model", "positions", "pawn", "spread", "draws", "log loss"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(titles)
        .chain(comparison.models.iter().map(cells))
        .collect();
    let widths: [usize; 6] = std::array::from_fn(|column| {
        rows.iter()
            .map(|row| row[column].width())
            .max()
            .unwrap_or_default()
    });
    let marks = std::iter::once("").chain(comparison.models.iter().map(mark));
    for (row, mark) in rows.iter().zip(marks) {
        text += &padded(&row[0], widths[0] + 1);
        for (cell, width) in row.iter().zip(widths).skip(1) {
            let _ = write!(text, " {cell:>width$} ");
        }
        text.truncate(text.trim_end().len());
        text += mark;
        text.push('\n');
    }
    for difference in &comparison.differences {
        add(comparison, difference, &mut text);
    }
    if comparison.models.iter().any(|model| model.is_held_out) {
        text += "\n* fitted to these games: tested on folds that the model was not fitted to\n";
    }
    if comparison
        .models
        .iter()
        .any(|model| model.is_fitted_to_games)
    {
        text += "\n! fitted to some or all of these games and tested on them: its log loss is too \
                 low\n";
    }
    if let Some(missing) = &comparison.missing {
        let _ = writeln!(text, "\nMissing: {missing}");
    }
    text += "\n";
    comparison
        .verdicts()
        .for_each(|verdict| text += &(printable(&verdict) + "\n"));
    text
}

fn cells(model: &ComparedModel) -> [String; 6] {
    [
        shortened(&model.name),
        model
            .positions
            .map_or("-".to_owned(), |positions| thousands(positions as u64)),
        format!("{:.2}", model.normalize_to_pawn_value),
        format!("{:.2}", model.spread),
        format!("{:.4}", model.draw_rate),
        model
            .log_loss
            .map_or("-".to_owned(), |loss| format!("{loss:.6}")),
    ]
}

fn mark(model: &ComparedModel) -> &'static str {
    match (model.is_held_out, model.is_fitted_to_games) {
        (true, _) => " *",
        (false, true) => " !",
        (false, false) => "",
    }
}

fn add(comparison: &ModelComparison, difference: &ModelDifference, text: &mut String) {
    let name = printable(&format!(
        "{} minus {}",
        difference.name, comparison.models[0].name
    ));
    let _ = writeln!(
        text,
        "\n{name}\n  pawn {:+.2}, spread {:+.2}, draws {:+.4}",
        difference.normalize_to_pawn_value, difference.spread, difference.draw_rate
    );
    if let Some(loss) = difference.log_loss {
        let _ = writeln!(text, "  log loss {loss:+.6}");
    }
    if difference.is_same {
        return;
    }
    if difference.places.is_empty() {
        *text += "  one model is by material, the other by move: where they differ most depends \
                  on the games\n";
        return;
    }
    let by = match difference.by {
        By::Both => "material, move",
        by => by.name(),
    };
    let _ = writeln!(
        text,
        "  widest apart:{:>WIDE$}{:>16}{:>8}{:>8}{:>8}{:>12}",
        by,
        "evaluation",
        "first",
        "other",
        "games",
        "positions",
        WIDE = if difference.by == By::Both { 26 } else { 11 }
    );
    for place in &difference.places {
        let _ = writeln!(
            text,
            "{:>WIDE$}{:>16}{:>8.4}{:>8.4}{:>8}{:>12}",
            match place.moves {
                Some(moves) => {
                    format!(
                        "{} to {}, {} to {}",
                        place.values.0, place.values.1, moves.0, moves.1
                    )
                }
                None => format!("{} to {}", place.values.0, place.values.1),
            },
            format!("{:.2} to {:.2}", place.evals.0, place.evals.1),
            place.first,
            place.other,
            place
                .games
                .map_or("-".to_owned(), |score| format!("{score:.4}")),
            place
                .positions
                .map_or("-".to_owned(), |positions| thousands(positions as u64)),
            WIDE = if place.moves.is_some() { 41 } else { 26 }
        );
    }
}

/// Shortens a name to its end, because the end distinguishes paths. The first two characters stay.
fn shortened(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() < NAME {
        return name.to_owned();
    }
    chars[..2]
        .iter()
        .chain(['.', '.'].iter())
        .chain(&chars[chars.len() + 5 - NAME..])
        .collect()
}
