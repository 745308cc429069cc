//! Whether an engine's constants should change.

use centipawn_core::WdlModel;
use centipawn_progress::{Cancel, text::thousands};
use serde::{Deserialize, Serialize};

use super::{Candidate, CommonGames, CompareError, Counts, FitReport, ModelComparison, Number, ResampleOptions, Units};

/// The constants in force beside those of new games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelUpdate {
    /// Number of games counted.
    pub games: u64,
    /// Number of positions that the new model was fitted to.
    pub positions: u64,
    /// `NormalizeToPawnValue` in force.
    pub old_pawn: i32,
    /// That of the new model.
    pub new_pawn: i32,
    /// The new model's, before rounding, less the one in force.
    pub change: Number,
    /// Both models on the new games.
    pub comparison: ModelComparison,
}

impl ModelUpdate {
    /// Compares the model in force with the one fitted to `counts` of new games.
    ///
    /// # Errors
    ///
    /// [`CompareError`].
    pub fn new(
        old: (&str, WdlModel),
        new: &FitReport,
        counts: &Counts,
        games: u64,
        resampling: ResampleOptions,
        cancel: &Cancel,
    ) -> Result<Self, CompareError> {
        let (name, model) = old;
        let candidates = [
            Candidate { name: name.to_owned(), model, errors: None, positions: None, fit: None, has_seen_games: false },
            Candidate::fitted("the new model", new, true)?,
        ];
        let selection = new.fit.options.selection;
        let games_of = CommonGames { name: "these games", counts, selection, resampling };
        let comparison = ModelComparison::new(&candidates, Some(&games_of), cancel)?;
        let old_pawn = Units::of_model(model).pawn();
        let value = new.fit.normalize_to_pawn_value();
        let error = new.uncertainty.as_ref().map(|sure| sure.normalize_to_pawn_value.error);
        Ok(Self {
            games,
            positions: new.fit.retained.iter().sum::<f64>() as u64,
            old_pawn,
            new_pawn: (value + 0.5) as i32,
            change: Number { value: value - model.a.iter().sum::<f64>(), error },
            comparison,
        })
    }

    /// Whether NormalizeToPawnValue should change: its rounded value does, and by more than chance explains.
    pub fn should_change(&self) -> bool {
        self.old_pawn != self.new_pawn && self.change.is_sure() != Some(false)
    }

    /// What should happen, in two sentences.
    pub fn text(&self) -> String {
        let Self { old_pawn, new_pawn, .. } = self;
        let error = self.change.error.map(|error| format!(" (± {error:.1})")).unwrap_or_default();
        let what = if self.should_change() {
            format!("should change from {old_pawn} to {new_pawn}{error}")
        } else if old_pawn == new_pawn {
            format!("need not change from {old_pawn}: these games give {new_pawn}{error} too")
        } else {
            format!("need not change from {old_pawn}: these games give {new_pawn}{error}, which is within chance")
        };
        let verdicts: String = self.comparison.verdicts().map(|verdict| verdict + "\n").collect();
        format!(
            "Based on {} positions of {} games, NormalizeToPawnValue {what}.\n{verdicts}",
            thousands(self.positions),
            thousands(self.games)
        )
    }
}
