//! A model fitted to rows.

use centipawn_progress::{Cancel, Reporter};
use serde::{Deserialize, Serialize};

use super::{
    Collection, Feature, FitOptions, Method, Target,
    check::check,
    collection::Game,
    data::Data,
    error::FitError,
    likelihood::predictors,
    lowest::{lowest, problem},
    matrix::{inverse, product},
    resamples::resamples,
    row::Row,
};

/// A model of rows with standard errors and resamples.
///
/// White's advantage η is the sum over all features of coefficient × White's surplus.
///
/// ```
/// use centipawn_calibrate::material::{CountOptions, Fit, FitOptions, Method, count};
/// use centipawn_pgn::{ScanOptions, Sources};
/// use centipawn_progress::{Cancel, Silent};
///
/// # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
/// let sources = Sources::expand(&[games])?;
/// let (collection, _) = count(&sources, &ScanOptions::default(), &CountOptions::default())?;
/// let fit = Fit::new(&collection, &FitOptions::of(Method::Ordered), &Cancel::new(), &Silent)?;
/// let pawn = fit.coefficients[0];
/// assert!(pawn.value > 0.0 && pawn.error > pawn.model_error);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fit {
    /// The options of the fit.
    pub options: FitOptions,
    /// The coefficients, in the order pieces, terms, first move, width of draws.
    pub coefficients: Vec<Coefficient>,
    /// Number of games with rows used.
    pub games: u64,
    /// Number of rows used.
    pub rows: u64,
    /// Number of distinct rows, by features and result.
    pub groups: u64,
    /// Number of games left out because a term is unknown.
    pub without_term: u64,
    /// Mean −ln of the likelihood of a row, including the article's penalty if the method has it.
    pub loss: f64,
    /// Covariance matrix as if rows were independent.
    pub(super) model_covariance: Vec<f64>,
    /// Covariance matrix clustered by game.
    pub(super) covariance: Vec<f64>,
    /// The coefficients fitted to each resample.
    pub(super) resamples: Vec<Vec<f64>>,
}

/// A coefficient and its standard errors, in logits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Coefficient {
    /// The feature that the coefficient belongs to.
    pub feature: Feature,
    /// The estimate.
    pub value: f64,
    /// Standard error, clustered by game.
    pub error: f64,
    /// Standard error as if rows were independent. They are not, so this is too small.
    pub model_error: f64,
}

impl Fit {
    /// Fits a model to all rows. `reporter` receives the progress of the resamples.
    ///
    /// # Errors
    ///
    /// [`FitError`], if the rows determine no such model; [`FitError::Cancelled`] soon after
    /// `cancel` is set.
    pub fn new(
        collection: &Collection,
        options: &FitOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, FitError> {
        Self::of(collection, options, |_, _| true, cancel, reporter)
    }

    /// Fits a model to the rows that `take` accepts.
    pub(super) fn of(
        collection: &Collection,
        options: &FitOptions,
        take: impl Fn(&Game, Row) -> bool,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, FitError> {
        if options.target == Target::Search && options.method != Method::Score {
            return Err(FitError::SearchHasNoResults {
                method: options.method,
            });
        }
        let data = Data::new(collection, options, take, cancel)?;
        check(&data, options)?;
        let point = lowest(&data, &data.counts, cancel)?;
        let problem = problem(&data, &data.counts);
        let n = point.len();
        let bend = problem.derivatives(&point).bend;
        let model_covariance = inverse(&bend, n).ok_or(FitError::NoLowestPoint)?;
        let scores = game_scores(&data, &point);
        let covariance = product(
            &product(&model_covariance, &scores, n),
            &model_covariance,
            n,
        );
        let features = data.features.iter().chain(&data.draw_features);
        let coefficients = features
            .zip(&point)
            .enumerate()
            .map(|(index, (&feature, &value))| Coefficient {
                feature,
                value,
                error: covariance[index * n + index].sqrt(),
                model_error: model_covariance[index * n + index].sqrt(),
            });
        Ok(Self {
            options: options.clone(),
            coefficients: coefficients.collect(),
            games: data.games() as u64,
            rows: data.total().round() as u64,
            groups: data
                .counts
                .iter()
                .flatten()
                .filter(|count| **count > 0.0)
                .count() as u64,
            without_term: data.without_term,
            loss: problem.value(&point) / data.total(),
            resamples: if options.resamples < 2 {
                Vec::new()
            } else {
                resamples(&data, &point, options, cancel, reporter)?
            },
            model_covariance,
            covariance,
        })
    }

    /// Returns the coefficient of a feature; `None` if the model does not have it.
    pub fn coefficient(&self, feature: Feature) -> Option<&Coefficient> {
        self.coefficients.iter().find(|own| own.feature == feature)
    }

    /// Returns the covariance matrix of the coefficients, in logits, row by row, clustered by game.
    /// The variance of `Σ gᵢ·coefficientᵢ` is `gᵀ·C·g`.
    pub fn covariance(&self) -> impl Iterator<Item = &[f64]> {
        self.covariance.chunks_exact(self.coefficients.len().max(1))
    }

    /// Returns the coefficients fitted to each resample, in logits. The spread of any function of
    /// the model over these draws is its error.
    pub fn draws(&self) -> &[Vec<f64>] {
        &self.resamples
    }

    /// Returns the number of resamples to which the model could be fitted. In the others a feature
    /// predicted the result perfectly. The number is 0 if more than a tenth could not be fitted.
    pub fn resamples(&self) -> usize {
        self.resamples.len()
    }
}

/// Returns the sum over games of the outer product of the game's gradient with itself, which is the
/// middle part of the sandwich estimate.
fn game_scores(data: &Data, point: &[f64]) -> Vec<f64> {
    let (n, width) = (point.len(), data.features.len());
    let slopes: Vec<[[f64; 2]; 3]> = (0..data.groups())
        .map(|group| {
            let (eta, h) = predictors(data, group, point);
            std::array::from_fn(|result| {
                let mut counts = [0.0; 3];
                counts[result] = 1.0;
                data.method.local(counts, eta, h).slope
            })
        })
        .collect();
    let mut sum = vec![0.0; n * n];
    for game in 0..data.games() {
        let mut own = vec![0.0; n];
        for (cell, weight) in data.game(game) {
            let (group, result) = (cell / 3, cell % 3);
            let slope = slopes[group][result];
            own.iter_mut()
                .zip(data.x_of(group))
                .for_each(|(own, x)| *own += weight * slope[0] * x);
            own[width..]
                .iter_mut()
                .zip(data.z_of(group))
                .for_each(|(own, z)| *own += weight * slope[1] * z);
        }
        for (row, a) in own.iter().enumerate() {
            sum[row * n..(row + 1) * n]
                .iter_mut()
                .zip(&own)
                .for_each(|(sum, b)| *sum += a * b);
        }
    }
    sum
}
