//! The conclusions of a comparison, in sentences.

use super::{ComparedModel, ModelComparison, ModelDifference, Number};

impl ModelComparison {
    /// One sentence for each model that is compared with the first one.
    pub fn verdicts(&self) -> impl Iterator<Item = String> + '_ {
        let first = &self.models[0].name;
        let verdict = move |(difference, own): (&ModelDifference, &ComparedModel)| {
            let name = &difference.name;
            if difference.is_same {
                return format!("{name} and {first} are the same model.");
            }
            let Some(loss) = difference.log_loss else {
                let pawn = format!("{:+.1}", difference.normalize_to_pawn_value);
                let gap = difference.places.first().map(|place| place.gap().abs());
                let gap = gap
                    .map(|gap| format!(" and by up to {gap:.3} in expected score"))
                    .unwrap_or_default();
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
            let size = format!(
                "{:.6}",
                Number {
                    value: loss.value.abs(),
                    ..loss
                }
            );
            let (better, worse) = if loss.value < 0.0 {
                (name, first)
            } else {
                (first, name)
            };
            match loss.is_sure() {
                Some(true) => {
                    format!(
                        "{better} predicts these games better than {worse}: its log loss is {size} lower."
                    )
                }
                Some(false) => {
                    format!(
                        "{name} and {first} predict these games equally well: their log losses differ by {size}."
                    )
                }
                None => format!(
                    "{better} predicts these games better than {worse} by {size} of log loss, whose error is unknown."
                ),
            }
        };
        self.differences
            .iter()
            .zip(&self.models[1..])
            .map(move |pair| {
                let sentence = verdict(pair);
                // Capitalise the sentence, unless it begins with the name of a file.
                if sentence.starts_with("the ") {
                    sentence.replacen('t', "T", 1)
                } else {
                    sentence
                }
            })
    }
}
