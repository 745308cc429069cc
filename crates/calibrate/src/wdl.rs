//! Win/draw/loss models: counting evaluated positions, and fitting the model that Stockfish and
//! others publish.
//!
//! - [`count`] counts games into [`Counts`], by the rules of [`CountOptions`]; [`GamesSelection`]
//!   chooses files, also by fishtest's metadata.
//! - [`Fit`] is a model of counts; [`FitOptions`] select positions and the objective.
//! - [`Groups`] of games travel with the counts. [`Resamples`] of them give a fit's errors
//!   ([`Uncertainty`]) and a held-out test ([`HeldOut`]). [`FitReport`] has everything. A
//!   [`Predictor`] predicts results with errors.
//! - [`Plots`] show data and model together.

mod branch;
mod cell_counts;
mod compare;
mod convergence;
mod count;
mod count_list;
mod counts;
mod counts_error;
mod counts_file;
mod counts_json;
mod edge;
mod engine_code;
mod eval_document;
mod evaluations;
mod fens;
mod files;
mod fit;
mod fit_document;
mod fit_error;
mod fit_options;
mod fit_report;
mod fit_warnings;
mod game_counts;
mod games_selection;
mod grid;
mod groups;
mod key;
mod marquardt;
mod metadata;
mod model_update;
mod named_model;
mod needed_games;
mod pattern;
mod plots;
mod powell;
mod predictor;
mod problem;
mod rates;
mod resamples;
mod rows;
mod score;
mod seen_games;
mod shape;
mod stockfish_source;
mod table;
mod tally;
mod uncertainty;
mod units;
mod views;

pub use compare::{
    Candidate, CommonGames, CompareError, ComparedModel, ComparisonPlot, ModelComparison,
    ModelDifference, Number, Place,
};
pub use convergence::Convergence;
pub use count::{CountOptions, CountReport, Counted, count};
pub use counts::Counts;
pub use counts_error::CountsError;
pub use counts_file::CountsFormat;
pub use engine_code::{CodeLanguage, EngineScale, UnknownLanguage};
pub use eval_document::{EvalDocument, EvalErrors};
pub use fens::FenCounters;
use files::find_duplicate;
pub use files::{Chosen, Duplicate, FileFilter};
pub use fit::Fit;
pub use fit_document::{Errors, FitDocument, Objective, Positions};
pub use fit_error::{FitError, TooFewGames};
pub use fit_options::{FitOptions, Method};
pub use fit_report::FitReport;
pub(crate) use game_counts::{GameCounts, GameReading};
pub use games_selection::{GamesSelection, SelectedGames, SelectionError};
pub use grid::{By, Grid, Row, Selection};
pub(crate) use groups::GROUPS;
pub use groups::{GroupRows, Groups};
pub use key::{Key, MATE, MoverResult};
pub(crate) use key::{LARGEST_EVAL, LAST_MOVE};
pub use metadata::{MetadataError, TestMetadata};
pub use model_update::{ModelUpdate, Recommendation};
pub use named_model::{ModelError, NamedModel, UnitsError};
pub use needed_games::{FitReportDocument, NeededGames};
pub use pattern::{BadPattern, Pattern};
pub use plots::Plots;
pub use predictor::{Prediction, PredictionErrors, Predictor};
pub use resamples::{ResampleOptions, Resamples};
pub use rows::RowFit;
pub use seen_games::TestGames;
pub use shape::Shape;
pub use stockfish_source::{SourceError, stockfish_model};
pub(crate) use uncertainty::covariance;
pub use uncertainty::{Band, Estimate, HeldOut, Uncertainty};
pub use units::Units;
pub use views::Views;
