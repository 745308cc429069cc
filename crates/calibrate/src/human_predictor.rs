//! Predictions of a human model with their errors: over models of resampled games.

use centipawn_core::{HumanModel, Wdl, mix64};
use centipawn_progress::{Cancel, Cancelled, Reporter};
use serde::{Deserialize, Serialize};

use crate::{
    human::{HumanFit, HumanGame, HumanGames},
    parallel::{Resampled, in_parallel, poisson},
    wdl::{Estimate, covariance},
};

/// A model of games between people with models of resampled games, which predicts expected scores with errors.
///
/// A resample counts each game as often as a Poisson number of mean 1, and a model is fitted to it. So the errors are those of games, with
/// the correlation of all constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanPredictor {
    model: HumanModel,
    draws: Vec<[f64; 5]>,
}

/// The prediction of a model for an evaluation between two people.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HumanPrediction {
    /// Expected score, 0..=1.
    pub expected_score: f64,
    /// Its error; `None` if the model has no draws.
    pub error: Option<Estimate>,
    /// Win, draw and loss; `None` if the model has no widths of draws. They have no errors.
    pub wdl: Option<Wdl>,
}

impl HumanPredictor {
    /// The constants that a draw has, in this order.
    pub const CONSTANTS: [&'static str; 5] = ["b0", "b1", "b2", "b3", "r"];

    /// For a model of these games, with models of `resamples` resamples of them. Each resample is reported.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], soon after `cancel` is set.
    pub fn new(
        model: HumanModel,
        games: &HumanGames,
        resamples: usize,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, Cancelled> {
        let all: Vec<&HumanGame> = games.kept().collect();
        let resampled = Resampled::new(reporter, resamples, "draws");
        let draws = in_parallel(resamples, cancel, |index| {
            let salt = mix64(index as u64 ^ 0x7065_6f70_6c65);
            let count = |game: &HumanGame| poisson(mix64(game.number ^ salt) as u16) as usize;
            let drawn: Vec<&HumanGame> = all.iter().flat_map(|&game| std::iter::repeat_n(game, count(game))).collect();
            let fitted = HumanFit::new(&drawn, cancel).ok()?.model().ok()?;
            resampled.done(1);
            Some([fitted.b0, fitted.b1, fitted.b2, fitted.b3, fitted.r])
        })?;
        Ok(Self { model, draws: draws.into_iter().flatten().collect() })
    }

    /// The [constants](Self::CONSTANTS) of each resample that has a model.
    pub fn draws(&self) -> Vec<Vec<f64>> {
        self.draws.iter().map(|draw| draw.to_vec()).collect()
    }

    /// The covariance matrix of the constants, row by row; empty without draws.
    pub fn covariance(&self) -> Vec<Vec<f64>> {
        covariance(&self.draws())
    }

    /// The prediction for an evaluation in pawns of the model's own unit, between players of this mean rating who have these seconds each.
    /// `difference` is the rating difference between the player whose score it is and the opponent.
    pub fn predict(&self, pawns: f64, rating: f64, seconds: f64, difference: f64) -> HumanPrediction {
        let expected_score = self.model.expected_score(pawns, rating, seconds, difference);
        let error = (self.draws.len() > 1).then(|| {
            let of = |&[b0, b1, b2, b3, r]: &[f64; 5]| {
                HumanModel { b0, b1, b2, b3, r, ..self.model }.expected_score(pawns, rating, seconds, difference)
            };
            Estimate::new(expected_score, self.draws.iter().map(of).collect())
        });
        HumanPrediction { expected_score, error, wdl: self.model.wdl(expected_score, rating, seconds) }
    }
}

#[cfg(test)]
mod tests {
    use centipawn_progress::Silent;

    use super::*;
    use crate::human::{HumanFitOptions, HumanPosition, HumanReport};

    /// Four hundred games in which the side that is a pawn ahead wins three of four.
    fn games() -> HumanGames {
        let mut games = HumanGames::new(10_000);
        for number in 0..400 {
            let position = HumanPosition { cp: 100, ply: 20, material: None, clocks: None };
            games.add(HumanGame {
                number: mix64(number),
                source: 0,
                ratings: [1800.0; 2],
                seconds: 600.0,
                half_points: if number % 4 == 0 { 0 } else { 2 },
                positions: vec![position],
            });
        }
        games
    }

    #[test]
    fn errors_are_those_of_the_report() {
        let (games, cancel) = (games(), Cancel::new());
        let options = HumanFitOptions { resamples: 60, folds: 0 };
        let report = HumanReport::new(&games, &options, &cancel, &Silent).unwrap();
        let predictor = HumanPredictor::new(report.model, &games, 60, &cancel, &Silent).unwrap();
        let b0 = report.errors.unwrap().b0.error;
        assert!((predictor.covariance()[0][0].sqrt() / b0 - 1.0).abs() < 0.01, "{b0}");
        let predicted = predictor.predict(1.0, 1800.0, 600.0, 0.0);
        assert!((predicted.expected_score - 0.75).abs() < 1e-6);
        // The error of a share of 400 games: √(0.75·0.25/400).
        let error = predicted.error.unwrap().error;
        assert!((error / 0.02165 - 1.0).abs() < 0.3, "{error}");
    }

    #[test]
    fn without_draws_there_are_no_errors() {
        let predictor = HumanPredictor { model: HumanModel::default(), draws: Vec::new() };
        let predicted = predictor.predict(3.0, 1500.0, 180.0, 0.0);
        assert_eq!((predicted.error, predictor.covariance().len()), (None, 0));
        assert!((predicted.wdl.unwrap().expected_score() - predicted.expected_score).abs() < 1e-9);
    }
}
