//! Everything about a collection: the model, tests of it, parts.

use centipawn_progress::{Cancel, Reporter};
use serde::{Deserialize, Serialize};

use super::{
    BandOptions, Bands, By, CannotTest, Collection, Fit, FitError, FitOptions, HeldOut, Hypothesis, ScoreByBalance,
    Tested,
};

/// What is computed of a collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportOptions {
    /// The model.
    pub fit: FitOptions,
    /// What is tested; by default Capablanca's rules.
    pub tests: Vec<Hypothesis>,
    /// Parts of the games to test models on that were fitted to the others; 0, the default: no test.
    pub folds: usize,
    /// Models of parts; none by default.
    pub bands: Option<BandOptions>,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { fit: FitOptions::default(), tests: Hypothesis::capablanca(), folds: 0, bands: None }
    }
}

/// Everything about a collection.
#[derive(Clone, Debug)]
pub struct MaterialReport {
    /// The model.
    pub fit: Fit,
    /// Tests of it; empty where a pawn is no unit.
    pub tests: Vec<Tested>,
    /// Results by the advantage in men.
    pub score_by_balance: Option<ScoreByBalance>,
    /// The model in games it was not fitted to, or why there is none; `None` if it was not asked for.
    pub held_out: Option<Result<HeldOut, FitError>>,
    /// Models of parts, with what divides them.
    pub bands: Option<(By, Bands)>,
    /// Games without a result.
    pub unfinished: u64,
    /// Whether rows are of a file that does not tell games apart.
    pub is_loose: bool,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is no model.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A test asks for what the model does not have.
    #[error(transparent)]
    Test(CannotTest),
}

impl MaterialReport {
    /// Computes everything that `options` ask for.
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
                // The values say so.
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
