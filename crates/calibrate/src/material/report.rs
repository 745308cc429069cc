//! The report on a collection: the model, tests of it, and separate models of bands.

use centipawn_progress::{Cancel, Reporter};
use serde::{Deserialize, Serialize};

use super::{
    BandOptions, Bands, By, CannotTest, Collection, Fit, FitError, FitOptions, HeldOut, Hypothesis,
    Method, ScoreByBalance, Target, Tested, stored,
};
use crate::{
    OutOfRange,
    out_of_range::{check_folds, check_resamples},
};

/// Options of the report on a collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportOptions {
    /// The options of the model.
    pub fit: FitOptions,
    /// The hypotheses to test; by default Capablanca's rules.
    pub tests: Vec<Hypothesis>,
    /// Number of folds of the held-out test, in which each fold is predicted by a model fitted to
    /// the others. 0, the default, for no test.
    pub folds: usize,
    /// Bands to fit separately; none by default.
    pub bands: Option<BandOptions>,
}

impl ReportOptions {
    /// Checks the numbers of resamples (at most 10,000) and folds (at most 50, but not 1).
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for the first number out of its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        check_resamples(self.fit.resamples, 10_000)?;
        check_folds(self.folds)
    }
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            fit: FitOptions::default(),
            tests: Hypothesis::capablanca(),
            folds: 0,
            bands: None,
        }
    }
}

/// The complete report on a collection.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MaterialReport {
    /// The model.
    pub fit: Fit,
    /// The tests of the hypotheses, corrected for multiple testing; empty if the pawn's coefficient
    /// is not significantly above zero.
    pub tests: Vec<Tested>,
    /// Scores by material advantage; `None` if no row has an advantage.
    pub score_by_balance: Option<ScoreByBalance>,
    /// The held-out test, or the reason why it failed; `None` if it was not requested.
    #[serde(with = "stored::optional")]
    pub held_out: Option<Result<HeldOut, FitError>>,
    /// The models of the bands, with the criterion that divides them; `None` if they were not
    /// requested.
    pub bands: Option<(By, Bands)>,
    /// Number of games without a result.
    pub unfinished: u64,
    /// Whether rows come from a file without game numbers.
    pub is_loose: bool,
    /// Warnings about the games, each with its cause; empty if there are none.
    pub warnings: Vec<String>,
}

/// Why no report can be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// No model can be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The model lacks a feature of a hypothesis.
    #[error(transparent)]
    Test(CannotTest),
}

impl MaterialReport {
    /// Computes everything that `options` request.
    ///
    /// # Errors
    ///
    /// [`ReportError`]. It contains [`FitError::Cancelled`] soon after `cancel` is set.
    pub fn new(
        collection: &Collection,
        options: &ReportOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, ReportError> {
        let fit = Fit::new(collection, &options.fit, cancel, reporter)?;
        let tests = match fit.test_all(&options.tests) {
            Ok(tests) => tests,
            // The values in the report already state this problem.
            Err(CannotTest::NoPawn(_)) => Vec::new(),
            Err(error) => return Err(ReportError::Test(error)),
        };
        let held_out = match (options.folds > 0)
            .then(|| HeldOut::new(collection, &options.fit, options.folds, cancel))
        {
            Some(Err(FitError::Cancelled(cancelled))) => {
                return Err(FitError::Cancelled(cancelled).into());
            }
            held_out => held_out,
        };
        let bands = |bands: BandOptions| {
            Bands::new(collection, &options.fit, bands, cancel, reporter)
                .map(|fitted| (bands.by, fitted))
        };
        let results = collection.with_results(options.fit.method);
        let score_by_balance = ScoreByBalance::new(&results, cancel).map_err(FitError::from)?;
        let warnings = match (&held_out, &score_by_balance) {
            (Some(Ok(held_out)), Some(scores)) => {
                no_better_than_guessing(&options.fit, held_out, scores)
            }
            _ => None,
        };
        Ok(Self {
            warnings: warnings.into_iter().collect(),
            fit,
            tests,
            score_by_balance,
            held_out,
            bands: options.bands.map(bands).transpose()?,
            unfinished: collection.unfinished(),
            is_loose: collection.is_loose(),
        })
    }
}

/// Returns the warning about a model that predicts held-out games no better than the overall shares
/// of results do.
fn no_better_than_guessing(
    options: &FitOptions,
    held_out: &HeldOut,
    scores: &ScoreByBalance,
) -> Option<String> {
    if options.target == Target::Search {
        return None;
    }
    let sum = |of: usize| {
        scores
            .points
            .iter()
            .map(|point| point.counts[of] as f64)
            .sum::<f64>()
    };
    let [black, drawn, white] = [sum(0), sum(1), sum(2)];
    let shares = match options.method {
        Method::Ordered | Method::Davidson => vec![black, drawn, white],
        Method::Score => vec![black + drawn / 2.0, white + drawn / 2.0],
        Method::Classic => vec![black, white],
    };
    let all: f64 = shares.iter().sum();
    let guessed: f64 = shares
        .iter()
        .filter(|own| **own > 0.0)
        .map(|own| -own / all * (own / all).ln())
        .sum();
    (held_out.held_out >= guessed).then(|| {
        format!(
            "no better than guessing: the log loss in games held out is {:.4}, that of guessing with the shares of results is {guessed:.4}: \
             there are too few games, or material does not decide their results",
            held_out.held_out
        )
    })
}
