//! The uncertainty of a model, from resampled games and from held-out games.

use std::sync::atomic::{AtomicUsize, Ordering};

use centipawn_progress::{Cancel, Cancelled, Reporter};
use serde::{Deserialize, Serialize};

use super::{Fit, Grid, Resamples};
use crate::{
    TWO_SIDED,
    normal::{above, quantile},
    parallel::{Resampled, are_enough, in_parallel},
};

/// An estimate with its standard error and interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The estimate from all games.
    pub value: f64,
    /// Standard error.
    pub error: f64,
    /// 95 % interval: the range of the middle 95 % of the resamples. For the three numbers of a
    /// model it is corrected for bias: see [`Uncertainty`].
    pub interval: (f64, f64),
}

impl Estimate {
    pub(crate) fn new(value: f64, mut resampled: Vec<f64>) -> Self {
        resampled.sort_by(f64::total_cmp);
        let count = resampled.len() as f64;
        let mean = resampled.iter().sum::<f64>() / count;
        let error = (resampled
            .iter()
            .map(|own| (own - mean).powi(2))
            .sum::<f64>()
            / (count - 1.0))
            .sqrt();
        let at = |share: f64| resampled[((share * count) as usize).min(resampled.len() - 1)];
        Self {
            value,
            error,
            interval: (at(0.025), at(0.975)),
        }
    }

    /// Creates an estimate with a bias-corrected interval (B. Efron, "Better bootstrap confidence
    /// intervals", 1987): if a share Φ(z) of the resamples is below the estimate, the interval lies
    /// between the quantiles Φ(2z ± 1.96) of the resamples.
    pub(crate) fn corrected(value: f64, mut resampled: Vec<f64>) -> Self {
        let estimate = Self::new(value, resampled.clone());
        resampled.sort_by(f64::total_cmp);
        let count = resampled.len() as f64;
        let below = resampled.iter().filter(|own| **own < value).count() as f64;
        let equal = resampled.iter().filter(|own| **own == value).count() as f64;
        // If all resamples are on one side, add half a resample to the other one, so that z is
        // finite.
        let share = ((below + equal / 2.0) / count).clamp(0.5 / count, 1.0 - 0.5 / count);
        let z = quantile(share);
        let at = |z: f64| {
            let place = (1.0 - above(z)) * count - 0.5;
            let place = place.clamp(0.0, count - 1.0);
            let (low, share) = (place.floor(), place.fract());
            let next = (low as usize + 1).min(resampled.len() - 1);
            resampled[low as usize] * (1.0 - share) + resampled[next] * share
        };
        Self {
            interval: (at(2.0 * z - TWO_SIDED), at(2.0 * z + TWO_SIDED)),
            ..estimate
        }
    }
}

/// Bootstrap standard errors of a model: games are resampled, and the model is fitted to each
/// resample.
///
/// Positions of a game are not independent. Errors that treat them as independent are several times
/// too small.
///
/// A fit to few games underestimates the spread, and a fit to a resample of these games
/// underestimates it further. The intervals of the model's three numbers are therefore corrected
/// for bias.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Uncertainty {
    /// Number of resamples to which a model could be fitted.
    pub resamples: usize,
    /// Estimate of [`Fit::normalize_to_pawn_value`].
    pub normalize_to_pawn_value: Estimate,
    /// Estimate of [`Fit::spread`].
    pub spread: Estimate,
    /// Estimate of [`Fit::draw_rate`].
    pub draw_rate: Estimate,
    /// Estimates of the weights of `a`.
    pub a: Vec<Estimate>,
    /// Estimates of the weights of `b`.
    pub b: Vec<Estimate>,
    /// Estimates of `a` and `b` by material or move.
    pub band: Vec<Band>,
    /// The weights fitted to each resample, those of `a` before those of `b`. The spread of any
    /// function of the model over these draws is its error.
    pub draws: Vec<Vec<f64>>,
}

/// Estimates of `a` and `b` at one material or move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Band {
    /// The material or full move.
    pub value: u32,
    /// Estimate of `a`, in internal units.
    pub a: Estimate,
    /// Estimate of `b`, in internal units.
    pub b: Estimate,
}

impl Uncertainty {
    /// Computes the standard errors of a fit from `resamples`; `None` if more than a tenth of them
    /// cannot be fitted. `reporter` receives the progress.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], soon after `cancel` is set.
    pub fn new(
        fit: &Fit,
        resamples: &Resamples,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Option<Self>, Cancelled> {
        let count = resamples.options().resamples;
        let resampled = Resampled::new(reporter, count, "errors");
        let failed = AtomicUsize::new(0);
        let fits = in_parallel(count, cancel, |index| {
            // If too many resamples have no model, no standard errors are reported, so skip the
            // other resamples.
            let fit = are_enough(count - failed.load(Ordering::Relaxed), count)
                .then(|| fit.again(&resamples.resample(index), cancel))
                .flatten();
            if fit.is_none() {
                failed.fetch_add(1, Ordering::Relaxed);
            }
            resampled.done(1);
            fit
        })?;
        let fits: Vec<Fit> = fits.into_iter().flatten().collect();
        if !are_enough(fits.len(), count) {
            return Ok(None);
        }
        let estimate = |number: &dyn Fn(&Fit) -> f64| {
            Estimate::new(number(fit), fits.iter().map(number).collect())
        };
        let corrected = |number: &dyn Fn(&Fit) -> f64| {
            Estimate::corrected(number(fit), fits.iter().map(number).collect())
        };
        let (low, high) = fit.options.selection.range();
        Ok(Some(Self {
            resamples: fits.len(),
            normalize_to_pawn_value: corrected(&Fit::normalize_to_pawn_value),
            spread: corrected(&Fit::spread),
            draw_rate: corrected(&Fit::draw_rate),
            a: (0..fit.a.len())
                .map(|index| estimate(&|fit| fit.a[index]))
                .collect(),
            b: (0..fit.b.len())
                .map(|index| estimate(&|fit| fit.b[index]))
                .collect(),
            band: (low..=high)
                .map(|value| Band {
                    value,
                    a: estimate(&|fit| fit.parameters(f64::from(value), 32.0).0),
                    b: estimate(&|fit| fit.parameters(f64::from(value), 32.0).1),
                })
                .collect(),
            draws: fits.iter().map(Fit::weights).collect(),
        }))
    }

    /// Returns the covariance matrix of the weights of `a`, then of `b`, over the draws, row by
    /// row.
    ///
    /// Use it instead of the standard errors of single coefficients, because the coefficients of a
    /// cubic are strongly correlated. The variance of `Σ gᵢ·weightᵢ` is `gᵀ·C·g`.
    pub fn covariance(&self) -> Vec<Vec<f64>> {
        covariance(&self.draws)
    }
}

/// Returns the sample covariance matrix of draws of several numbers, row by row; all 0 for fewer
/// than two draws.
pub(crate) fn covariance(draws: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = draws.len() as f64;
    let width = draws.first().map_or(0, Vec::len);
    let means: Vec<f64> = (0..width)
        .map(|index| draws.iter().map(|own| own[index]).sum::<f64>() / count)
        .collect();
    let of = |row: usize, column: usize| {
        let products = draws
            .iter()
            .map(|own| (own[row] - means[row]) * (own[column] - means[column]));
        products.sum::<f64>() / (count - 1.0).max(1.0)
    };
    (0..width)
        .map(|row| (0..width).map(|column| of(row, column)).collect())
        .collect()
}

/// Mean −ln p of the observed results, on games that a model was fitted to and on held-out games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeldOut {
    /// Number of folds that the games are divided into.
    pub folds: usize,
    /// Mean −ln p on the games that the model was fitted to.
    pub fitted: f64,
    /// Mean −ln p on each fold, by a model fitted to the other folds.
    pub held_out: f64,
}

impl HeldOut {
    /// Fits models with the options of `fit` to the folds of `resamples`, and tests them on the
    /// held-out ones; `None` if a fold has no positions or no model.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], soon after `cancel` is set.
    pub fn new(
        fit: &Fit,
        resamples: &Resamples,
        cancel: &Cancel,
    ) -> Result<Option<Self>, Cancelled> {
        let folds = in_parallel(resamples.options().folds, cancel, |fold| {
            let (others, own) = (resamples.fold(fold, false), resamples.fold(fold, true));
            if others.rows.is_empty() || own.rows.is_empty() {
                return None;
            }
            let fit = fit.again(&others, cancel)?;
            let weigh = |grid: &Grid| (fit.log_loss(grid) * grid.total(), grid.total());
            Some((weigh(&others), weigh(&own)))
        })?;
        let Some(folds) = folds.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let mean = |pairs: Vec<(f64, f64)>| {
            let (sum, count) = pairs
                .iter()
                .fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
            sum / count
        };
        let tested = (!folds.is_empty()).then(|| Self {
            folds: folds.len(),
            fitted: mean(folds.iter().map(|fold| fold.0).collect()),
            held_out: mean(folds.iter().map(|fold| fold.1).collect()),
        });
        Ok(tested.filter(|tested| tested.fitted.is_finite() && tested.held_out.is_finite()))
    }
}
