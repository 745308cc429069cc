//! A comparison as text.

use std::fmt::Write as _;

use centipawn_progress::text::thousands;

use super::{ModelComparison, ModelDifference, Number};

/// Width of a model's name.
const NAME: usize = 32;

impl ModelComparison {
    /// The comparison as text: a table of the models, the differences, and a verdict in one sentence.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let (Some(games), Some(positions)) = (&self.games, self.positions) {
            let _ = writeln!(text, "Log losses on {} positions of {games}\n", thousands(positions as u64));
        }
        let _ = writeln!(
            text,
            "{:<NAME$}{:>13}{:>18}{:>18}{:>20}{:>12}",
            "model", "positions", "pawn", "spread", "draws", "log loss"
        );
        for model in &self.models {
            let positions = model.positions.map_or("-".to_owned(), |positions| thousands(positions as u64));
            let held_out = if model.is_held_out { " *" } else { "" };
            let _ = writeln!(
                text,
                "{:<NAME$}{positions:>13}{:>18}{:>18}{:>20}{:>12}{held_out}",
                shortened(&model.name),
                model.normalize_to_pawn_value.text(2),
                model.spread.text(2),
                model.draw_rate.text(4),
                model.log_loss.map_or("-".to_owned(), |loss| format!("{loss:.6}")),
            );
        }
        for difference in &self.differences {
            self.add(difference, &mut text);
        }
        if self.models.iter().any(|model| model.is_held_out) {
            text += "\n* fitted to these games: tested on parts that the model was not fitted to\n";
        }
        if let Some(missing) = &self.missing {
            let _ = writeln!(text, "\nMissing: {missing}");
        }
        text += "\n";
        self.verdicts().for_each(|verdict| text += &(verdict + "\n"));
        text
    }

    fn add(&self, difference: &ModelDifference, text: &mut String) {
        let name = format!("{} less {}", difference.name, self.models[0].name);
        let _ = writeln!(
            text,
            "\n{name}\n  pawn {}, spread {}, draws {}",
            difference.normalize_to_pawn_value.signed(2),
            difference.spread.signed(2),
            difference.draw_rate.signed(4)
        );
        if let Some(loss) = difference.log_loss {
            let _ = writeln!(text, "  log loss {}", loss.signed(6));
        }
        let by = match self.models[0].curve {
            centipawn_core::Curve::Wdl(model) if model.argument != centipawn_core::Argument::Material => "move",
            _ => "material",
        };
        let _ = writeln!(
            text,
            "  widest apart:{:>11}{:>16}{:>10}{:>10}{:>10}{:>13}",
            by, "evaluation", "first", "other", "games", "positions"
        );
        for place in &difference.places {
            let _ = writeln!(
                text,
                "{:>26}{:>16}{:>10.4}{:>10.4}{:>10}{:>13}",
                format!("{} to {}", place.values.0, place.values.1),
                format!("{:.2} to {:.2}", place.evals.0, place.evals.1),
                place.first,
                place.other,
                place.games.map_or("-".to_owned(), |score| format!("{score:.4}")),
                place.positions.map_or("-".to_owned(), |positions| thousands(positions as u64)),
            );
        }
    }

    /// A sentence for each model that is compared with the first.
    pub fn verdicts(&self) -> impl Iterator<Item = String> + '_ {
        let first = &self.models[0].name;
        let verdict = move |difference: &ModelDifference| {
            let name = &difference.name;
            let Some(loss) = difference.log_loss else {
                let pawn = difference.normalize_to_pawn_value.signed(1);
                let place = difference.places.first();
                let gap = place.map_or(0.0, super::places::Place::gap);
                return format!(
                    "{name} differs from {first} by {pawn} units a pawn and by up to {:.3} in expected score; --on GAMES tells which \
                     is better.",
                    gap.abs()
                );
            };
            let size = Number { value: loss.value.abs(), ..loss }.text(6);
            let (better, worse) = if loss.value < 0.0 { (name, first) } else { (first, name) };
            match loss.is_sure() {
                Some(true) => {
                    format!("{better} predicts these games better than {worse}: its log loss is {size} lower.")
                }
                Some(false) => {
                    format!("{name} and {first} predict these games equally well: their log losses differ by {size}.")
                }
                None => format!(
                    "{better} predicts these games better than {worse} by {size} of log loss, whose error is unknown."
                ),
            }
        };
        self.differences.iter().map(move |difference| {
            let sentence = verdict(difference);
            // A file's name stays as it is.
            if sentence.starts_with("the ") { sentence.replacen('t', "T", 1) } else { sentence }
        })
    }
}

impl Number {
    /// `384.65 ± 0.52`.
    fn text(&self, digits: usize) -> String {
        match self.error {
            Some(error) => format!("{:.digits$} ± {error:.digits$}", self.value),
            None => format!("{:.digits$}", self.value),
        }
    }

    /// The same with its sign.
    fn signed(&self, digits: usize) -> String {
        let sign = if self.value < 0.0 { "-" } else { "+" };
        sign.to_owned() + &Self { value: self.value.abs(), ..*self }.text(digits)
    }
}

/// The end of a name, which is the distinctive part of a path.
fn shortened(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() < NAME {
        return name.to_owned();
    }
    chars[..2].iter().chain(['.', '.'].iter()).chain(&chars[chars.len() + 5 - NAME..]).collect()
}
