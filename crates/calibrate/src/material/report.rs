//! The report on a collection: the model, tests of it, models of parts.

use centipawn_progress::{Cancel, Reporter};
use serde::{Deserialize, Serialize};

use super::{
    BandOptions, Bands, By, CannotTest, Collection, Fit, FitError, FitOptions, HeldOut, Hypothesis, ScoreByBalance,
    Tested,
};

/// What a report computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportOptions {
    /// The options of the model.
    pub fit: FitOptions,
    /// The hypotheses to test; by default Capablanca's rules.
    pub tests: Vec<Hypothesis>,
    /// Number of parts of the games for a held-out test: each part is predicted by a model of the others. 0, the default,
    /// for no test.
    pub folds: usize,
    /// Bands to fit separately; none by default.
    pub bands: Option<BandOptions>,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { fit: FitOptions::default(), tests: Hypothesis::capablanca(), folds: 0, bands: None }
    }
}

/// Everything about a collection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MaterialReport {
    /// The model.
    pub fit: Fit,
    /// Tests of hypotheses; empty if the pawn's value is not significantly above zero.
    pub tests: Vec<Tested>,
    /// Results by material advantage; `None` if no row has one.
    pub score_by_balance: Option<ScoreByBalance>,
    /// The held-out test, or why it failed; `None` if it was not requested.
    pub held_out: Option<Result<HeldOut, FitError>>,
    /// Models of bands, with the criterion that divides them.
    pub bands: Option<(By, Bands)>,
    /// Number of games without a result.
    pub unfinished: u64,
    /// Whether rows come from a file without game numbers.
    pub is_loose: bool,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// There is no model.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The model lacks a feature of a test.
    #[error(transparent)]
    Test(CannotTest),
}

impl MaterialReport {
    /// Computes everything that `options` request.
    ///
    /// # Errors
    ///
    /// [`ReportError`]; [`FitError::Cancelled`] within it soon after `cancel` is set.
    pub fn new(
        collection: &Collection,
        options: &ReportOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, ReportError> {
        let fit = Fit::new(collection, &options.fit, cancel, reporter)?;
        let mut tests = Vec::new();
        for test in &options.tests {
            match fit.test(test) {
                Ok(tested) => tests.push(tested),
                // The values report this error.
                Err(CannotTest::NoPawn(_)) => {}
                Err(error) => return Err(ReportError::Test(error)),
            }
        }
        let held_out = match (options.folds > 0).then(|| HeldOut::new(collection, &options.fit, options.folds, cancel))
        {
            Some(Err(FitError::Cancelled(cancelled))) => return Err(FitError::Cancelled(cancelled).into()),
            held_out => held_out,
        };
        let bands = |bands: BandOptions| {
            Bands::new(collection, &options.fit, bands, cancel, reporter).map(|fitted| (bands.by, fitted))
        };
        let score_by_balance = ScoreByBalance::new(collection, cancel).map_err(FitError::from)?;
        Ok(Self {
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
