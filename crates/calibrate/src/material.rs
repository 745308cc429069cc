//! Piece values by regression, with standard errors by game.
//!
//! - [`count`] collects rows from games: quiet positions whose balance of pieces differs from the
//!   game's previous row. Games and row files alike give a [`Collection`].
//! - [`Fit`] is a model of a collection: how much each piece, and each [`Term`], adds to White's
//!   advantage. [`Fit::values`] gives values in pawns, [`Fit::test`] tests a hypothesis,
//!   [`Comparison`] compares two collections.
//! - [`Bands`] are models of parts; [`HeldOut`] measures how well a model predicts other games;
//!   [`ScoreByBalance`] gives the mean score by an advantage counted 1-3-3-5-9. [`MaterialReport`]
//!   has everything.

mod band;
mod check;
mod collection;
mod compare;
mod count;
mod data;
mod documents;
mod error;
mod fit;
mod fit_options;
mod held_out;
mod holm;
mod hypothesis;
mod likelihood;
mod lowest;
mod matrix;
mod plots;
mod report;
mod resamples;
mod row;
mod row_features;
mod rows_file;
mod score_by_balance;
mod stored;
mod structure;
mod term;
mod values;

pub use band::{Band, BandOptions, Bands, By, UnknownBy};
pub use collection::{Collection, GameResult};
pub use compare::{Comparison, Difference};
pub use count::{CountOptions, SearchCurve, count};
pub use data::{Feature, PIECES};
pub use documents::{
    BalanceOfMenDocument, BalancePointDocument, BandDocument, ByFeature, CollectionDocument,
    ComparedValues, ComparisonDocument, DifferenceDocument, DifferencesDocument, MaterialDocument,
    ValuesDocument,
};
pub use error::FitError;
pub use fit::{Coefficient, Fit};
pub use fit_options::{FitOptions, Method, Target};
pub use held_out::{CalibrationBin, HeldOut, WithoutTerms};
pub use hypothesis::{BadHypothesis, CannotTest, Finding, Hypothesis, Tested};
pub use plots::MaterialPlot;
pub use report::{MaterialReport, ReportError, ReportOptions};
pub use row::{Differences, Row};
pub use row_features::{FeaturesError, Matched, OwnFeatures, OwnName};
pub use rows_file::{RowsError, RowsFormat};
pub use score_by_balance::{BalancePoint, ScoreByBalance};
pub use term::{Term, UnknownTerm};
pub use values::{PawnUncertain, Value};
