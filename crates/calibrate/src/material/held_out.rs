//! Tests a model on games that it was not fitted to.

use centipawn_core::mix64;
use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};

use super::{
    Collection, FitError, FitOptions, Row, Term, check::check, collection::Game, data::Data,
    likelihood::predictors, lowest::lowest,
};
use crate::parallel::in_parallel;

/// How well a model predicts games that it was not fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeldOut {
    /// Number of folds that the games are divided into.
    pub folds: usize,
    /// Mean −ln p of a row in the games that each model was fitted to.
    pub fitted: f64,
    /// Mean −ln p of a row in the held-out games.
    pub held_out: f64,
    /// The comparison with a model without the terms and the reader's own features; `None` if the
    /// model has neither.
    pub without_terms: Option<WithoutTerms>,
    /// Predicted and actual scores of held-out games, in ascending order of prediction. Bins
    /// without rows are left out.
    pub calibration: Vec<CalibrationBin>,
}

/// A model of the pieces without terms, compared with the model that also has terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WithoutTerms {
    /// Mean −ln p of a row in the held-out games.
    pub held_out: f64,
    /// Decrease of the mean loss by the terms. Above 0 they help.
    pub gain: f64,
    /// Standard error of the gain, clustered by game.
    pub error: f64,
}

/// Rows whose predicted scores lie in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CalibrationBin {
    /// Mean score predicted for White, 0..=1.
    pub expected: f64,
    /// White's mean score, 0..=1.
    pub score: f64,
    /// Standard error of the difference between the two, clustered by game.
    pub error: f64,
    /// Number of rows.
    pub rows: f64,
}

/// Number of bins into which predicted scores from 0 to 1 are divided.
const BINS: usize = 20;

impl HeldOut {
    /// Divides the games into `folds` folds, and tests on each fold a model fitted to all others.
    ///
    /// # Errors
    ///
    /// The [`FitError`] of a model that cannot be fitted; [`FitError::Cancelled`] soon after
    /// `cancel` is set.
    pub fn new(
        collection: &Collection,
        options: &FitOptions,
        folds: usize,
        cancel: &Cancel,
    ) -> Result<Self, FitError> {
        let folds = folds.max(2);
        let data = Data::new(collection, options, |_, _| true, cancel)?;
        let predicted = Predicted::new(&data, options, folds, cancel)?;
        let bare = FitOptions {
            terms: Vec::new(),
            ..options.clone()
        };
        let has_own = !collection.features.names.is_empty();
        let without_terms = if options.terms.is_empty() && !has_own {
            None
        } else {
            let needs_elo = options.terms.contains(&Term::Elo);
            let has_all = |game: &Game, row: Row| {
                (!needs_elo || !game.elo.contains(&0))
                    && collection.features.own_at(row.features).is_some()
            };
            let data = Data::of(collection, &bare, &[], has_all, cancel)?;
            let bare = Predicted::new(&data, &bare, folds, cancel)?;
            let rows = data.total();
            // Both lists have the same games in the same order.
            let gains: Vec<f64> = bare
                .losses
                .iter()
                .zip(&predicted.losses)
                .map(|(bare, own)| bare - own)
                .collect();
            let gain = gains.iter().sum::<f64>() / rows;
            let weights = (0..data.games())
                .map(|game| data.game(game).map(|(_, weight)| weight).sum::<f64>());
            let squares: f64 = gains
                .iter()
                .zip(weights)
                .map(|(own, rows)| (own - gain * rows).powi(2))
                .sum();
            Some(WithoutTerms {
                held_out: bare.held_out,
                gain,
                error: squares.sqrt() / rows,
            })
        };
        Ok(Self {
            folds,
            fitted: predicted.fitted,
            held_out: predicted.held_out,
            without_terms,
            calibration: calibration(&data, &predicted.scores, folds),
        })
    }
}

/// Returns the fold of a game, by its number.
fn fold(data: &Data, game: usize, folds: usize) -> usize {
    (mix64(data.number(game) ^ 0x6865_6c64) >> 32) as usize % folds
}

/// Predictions for games by models that were not fitted to them.
struct Predicted {
    fitted: f64,
    held_out: f64,
    /// −ln p of the rows of each game.
    losses: Vec<f64>,
    /// White's expected score by fold and by group.
    scores: Vec<Vec<f64>>,
}

impl Predicted {
    fn new(
        data: &Data,
        options: &FitOptions,
        folds: usize,
        cancel: &Cancel,
    ) -> Result<Self, FitError> {
        check(data, options)?;
        let models = in_parallel(folds, cancel, |own| {
            Model::without(data, folds, own, cancel)
        })?;
        let models: Vec<Model> = models.into_iter().collect::<Result<_, _>>()?;
        let loss = |game: usize| {
            let losses = &models[fold(data, game, folds)].losses;
            data.game(game)
                .map(|(cell, weight)| weight * losses[cell / 3][cell % 3])
                .sum()
        };
        let losses: Vec<f64> = (0..data.games()).map(loss).collect();
        let (inside, rows) = models.iter().fold((0.0, 0.0), |sum, model| {
            (sum.0 + model.fitted, sum.1 + model.rows)
        });
        Ok(Self {
            fitted: inside / rows,
            held_out: losses.iter().sum::<f64>() / data.total(),
            losses,
            scores: models.into_iter().map(|model| model.scores).collect(),
        })
    }
}

/// A model of all games except those of one fold.
struct Model {
    /// Sum of −ln p over the rows that the model was fitted to, and their number.
    fitted: f64,
    rows: f64,
    /// −ln p of each group, by result.
    losses: Vec<[f64; 3]>,
    /// White's expected score by group.
    scores: Vec<f64>,
}

impl Model {
    fn without(data: &Data, folds: usize, own: usize, cancel: &Cancel) -> Result<Self, FitError> {
        let mut counts = data.counts.clone();
        for game in (0..data.games()).filter(|&game| fold(data, game, folds) == own) {
            data.game(game)
                .for_each(|(cell, weight)| counts[cell / 3][cell % 3] -= weight);
        }
        let point = lowest(data, &counts, cancel)?;
        let at: Vec<(f64, f64)> = (0..data.groups())
            .map(|group| predictors(data, group, &point))
            .collect();
        let loss = |(eta, h): (f64, f64)| {
            std::array::from_fn(|result| {
                let mut one = [0.0; 3];
                one[result] = 1.0;
                data.method.loss(one, eta, h)
            })
        };
        let losses: Vec<[f64; 3]> = at.iter().copied().map(loss).collect();
        let of_group = |(losses, counts): (&[f64; 3], &[f64; 3])| {
            losses.iter().zip(counts).map(|(a, b)| a * b).sum::<f64>()
        };
        let score = |(eta, h): (f64, f64)| {
            let [_, draw, white] = data.method.chances(eta, h);
            white + draw / 2.0
        };
        Ok(Self {
            fitted: losses.iter().zip(&counts).map(of_group).sum(),
            rows: counts.iter().flatten().sum(),
            losses,
            scores: at.into_iter().map(score).collect(),
        })
    }
}

/// Compares expected with actual scores, in bins of the expected score.
fn calibration(data: &Data, scores: &[Vec<f64>], folds: usize) -> Vec<CalibrationBin> {
    let mut bins = vec![CalibrationBin::default(); BINS];
    for game in 0..data.games() {
        let mut apart = [0.0; BINS];
        for (cell, weight) in data.game(game) {
            let expected = scores[fold(data, game, folds)][cell / 3];
            let score = (cell % 3) as f64 / 2.0;
            let place = ((expected * BINS as f64) as usize).min(BINS - 1);
            let bin = &mut bins[place];
            bin.rows += weight;
            bin.expected += weight * expected;
            bin.score += weight * score;
            apart[place] += weight * (score - expected);
        }
        bins.iter_mut()
            .zip(apart)
            .for_each(|(bin, apart)| bin.error += apart * apart);
    }
    bins.retain(|bin| bin.rows > 0.0);
    for bin in &mut bins {
        bin.expected /= bin.rows;
        bin.score /= bin.rows;
        bin.error = bin.error.sqrt() / bin.rows;
    }
    bins
}
