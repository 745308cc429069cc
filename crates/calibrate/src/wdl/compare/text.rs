//! A comparison as text.

use std::fmt::Write as _;

use centipawn_progress::text::thousands;

use super::{By, ComparedModel, ModelComparison, ModelDifference, Number};

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
            let held_out = match (model.is_held_out, model.is_fitted_to_games) {
                (true, _) => " *",
                (false, true) => " !",
                (false, false) => "",
            };
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
            text += "\n* fitted to these games: tested on folds that the model was not fitted to\n";
        }
        if self.models.iter().any(|model| model.is_fitted_to_games) {
            text += "\n! fitted to some or all of these games and tested on them: its log loss is too low\n";
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
        if difference.is_same {
            return;
        }
        if difference.places.is_empty() {
            *text += "  one is by material, the other by move: where they are widest apart depends on games\n";
            return;
        }
        let by = match difference.by {
            By::Both => "material, move",
            by => by.name(),
        };
        let _ = writeln!(
            text,
            "  widest apart:{:>WIDE$}{:>16}{:>10}{:>10}{:>10}{:>13}",
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
                "{:>WIDE$}{:>16}{:>10.4}{:>10.4}{:>10}{:>13}",
                match place.moves {
                    Some(moves) => {
                        format!("{} to {}, {} to {}", place.values.0, place.values.1, moves.0, moves.1)
                    }
                    None => format!("{} to {}", place.values.0, place.values.1),
                },
                format!("{:.2} to {:.2}", place.evals.0, place.evals.1),
                place.first,
                place.other,
                place.games.map_or("-".to_owned(), |score| format!("{score:.4}")),
                place.positions.map_or("-".to_owned(), |positions| thousands(positions as u64)),
                WIDE = if place.moves.is_some() { 41 } else { 26 }
            );
        }
    }

    /// A sentence for each model that is compared with the first.
    pub fn verdicts(&self) -> impl Iterator<Item = String> + '_ {
        let first = &self.models[0].name;
        let verdict = move |(difference, own): (&ModelDifference, &ComparedModel)| {
            let name = &difference.name;
            if difference.is_same {
                return format!("{name} and {first} are the same model.");
            }
            let Some(loss) = difference.log_loss else {
                let pawn = difference.normalize_to_pawn_value.signed(1);
                let gap = difference.places.first().map(|place| place.gap().abs());
                let gap = gap.map(|gap| format!(" and by up to {gap:.3} in expected score")).unwrap_or_default();
                return format!(
                    "{name} differs from {first} by {pawn} units a pawn{gap}; a test on games (the option `on`) shows which is better."
                );
            };
            let fitted: Vec<&str> = [&self.models[0], own]
                .iter()
                .filter(|own| own.is_fitted_to_games)
                .map(|own| own.name.as_str())
                .collect();
            if !fitted.is_empty() {
                let were = if fitted.len() > 1 { "were" } else { "was" };
                return format!(
                    "These games do not show which of {name} and {first} predicts better: {} {were} fitted to some or all of them \
                     and cannot be tested on the others. Test on games that neither was fitted to.",
                    fitted.join(" and ")
                );
            }
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
        self.differences.iter().zip(&self.models[1..]).map(move |pair| {
            let sentence = verdict(pair);
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
