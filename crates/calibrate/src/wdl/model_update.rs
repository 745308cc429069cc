//! Decides whether an engine's constants should change.

use centipawn_core::WdlModel;
use centipawn_progress::{Cancel, text::thousands};
use serde::{Deserialize, Serialize};

use super::{
    Candidate, CommonGames, CompareError, Counts, FitReport, ModelComparison, NeededGames, Number,
    ResampleOptions, Units,
};

/// The constants in force, compared with those of new games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelUpdate {
    /// Number of games counted.
    pub games: u64,
    /// Number of positions to which the new model was fitted.
    pub positions: u64,
    /// `NormalizeToPawnValue` in force.
    pub old_pawn: i32,
    /// `NormalizeToPawnValue` of the new model.
    pub new_pawn: i32,
    /// The value of the new model before rounding, minus the one in force.
    pub change: Number,
    /// The smallest difference between the rounded values that justifies a change, in internal
    /// units.
    pub least_change: u32,
    /// The recommendation that follows.
    pub recommendation: Recommendation,
    /// Number of games for a standard error of 2 units, if errors were computed.
    pub needed_games: Option<NeededGames>,
    /// The comparison of both models on the new games.
    pub comparison: ModelComparison,
}

/// Whether NormalizeToPawnValue should change, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recommendation {
    /// The value should change.
    Change,
    /// The new games give the value that is in force.
    Same,
    /// The difference is at most 1.96 standard errors.
    WithinChance,
    /// The difference is larger than chance explains, but smaller than
    /// [`ModelUpdate::least_change`].
    TooSmall,
}

impl Recommendation {
    fn new(old: i32, new: i32, change: Number, least: u32) -> Self {
        match () {
            () if old == new => Self::Same,
            () if change.is_sure() == Some(false) => Self::WithinChance,
            () if old.abs_diff(new) < least => Self::TooSmall,
            () => Self::Change,
        }
    }
}

impl ModelUpdate {
    /// The default of [`least_change`](Self::least_change), about 1 % of a pawn of Stockfish. It
    /// changes a printed evaluation of +1.00 by a centipawn. Stockfish's own updates of its model
    /// by material were at least as large: the smallest was from 368 to 372, in September 2024.
    pub const LEAST_CHANGE: u32 = 4;

    /// Compares the model in force with the one fitted to `counts` of new games.
    ///
    /// # Errors
    ///
    /// [`CompareError`], as for [`ModelComparison::new`].
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
            Candidate {
                name: name.to_owned(),
                model,
                errors: None,
                positions: None,
                fit: None,
                has_seen_games: false,
            },
            Candidate::fitted("the new model", new, true)?,
        ];
        let selection = new.fit.options.selection;
        let games_of = CommonGames {
            name: "these games",
            counts,
            selection,
            resampling,
        };
        let comparison = ModelComparison::new(&candidates, Some(&games_of), cancel)?;
        let old_pawn = Units::of_model(model).pawn();
        let value = new.fit.normalize_to_pawn_value();
        let error = new
            .uncertainty
            .as_ref()
            .map(|sure| sure.normalize_to_pawn_value.error);
        let (new_pawn, change) = (
            (value + 0.5) as i32,
            Number {
                value: value - model.a.iter().sum::<f64>(),
                error,
            },
        );
        Ok(Self {
            games,
            positions: new.fit.retained.iter().sum::<f64>() as u64,
            old_pawn,
            new_pawn,
            change,
            least_change: Self::LEAST_CHANGE,
            recommendation: Recommendation::new(old_pawn, new_pawn, change, Self::LEAST_CHANGE),
            needed_games: error.and_then(|error| NeededGames::new(error, Some(games))),
            comparison,
        })
    }

    /// Returns the same update with another [`least_change`](Self::least_change).
    #[must_use]
    pub fn with_least_change(self, least: u32) -> Self {
        let recommendation = Recommendation::new(self.old_pawn, self.new_pawn, self.change, least);
        Self {
            least_change: least,
            recommendation,
            ..self
        }
    }

    /// Returns the recommendation in two sentences.
    pub fn text(&self) -> String {
        let Self {
            old_pawn,
            new_pawn,
            least_change,
            ..
        } = self;
        let error = self
            .change
            .error
            .map(|error| format!(" (± {error:.1})"))
            .unwrap_or_default();
        let gives = format!("need not change from {old_pawn}: these games give {new_pawn}{error}");
        let what = match self.recommendation {
            Recommendation::Change => format!("should change from {old_pawn} to {new_pawn}{error}"),
            Recommendation::Same => format!("{gives} too"),
            Recommendation::WithinChance => format!("{gives}, which is within chance"),
            Recommendation::TooSmall => {
                format!(
                    "{gives}, more than chance explains, but less than the least change that matters ({least_change})"
                )
            }
        };
        let verdicts: String = self
            .comparison
            .verdicts()
            .map(|verdict| verdict + "\n")
            .collect();
        format!(
            "Based on {} positions of {} games, NormalizeToPawnValue {what}.\n{verdicts}",
            thousands(self.positions),
            thousands(self.games)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_must_be_certain_and_large_enough() {
        let of = |new: i32, error: Option<f64>, least: u32| {
            let change = Number {
                value: f64::from(new - 385),
                error,
            };
            Recommendation::new(385, new, change, least)
        };
        assert_eq!(of(385, Some(0.1), 4), Recommendation::Same);
        assert_eq!(of(389, Some(2.1), 4), Recommendation::WithinChance);
        assert_eq!(of(389, Some(2.0), 4), Recommendation::Change);
        assert_eq!(of(388, Some(0.2), 4), Recommendation::TooSmall);
        assert_eq!(of(381, Some(0.2), 4), Recommendation::Change);
        assert_eq!(of(388, Some(0.2), 3), Recommendation::Change);
        assert_eq!(of(386, Some(0.2), 0), Recommendation::Change);
        // Without standard errors, only the absolute difference decides.
        assert_eq!(of(304, None, 4), Recommendation::Change);
        assert_eq!(of(386, None, 4), Recommendation::TooSmall);
    }
}
