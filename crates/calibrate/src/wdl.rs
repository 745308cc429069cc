//! Win/draw/loss models: counting evaluated positions, and fitting the model that Stockfish and others publish.
//!
//! - [`count`] makes [`Counts`] of games, by the rules of [`CountOptions`]; [`FileFilter`] chooses files by fishtest's metadata.
//! - [`Fit`] is a model of counts; [`FitOptions`] say which positions it is of, and what a good model is.
//! - [`Replicas`], filled while games are counted, tell how sure it is: [`Uncertainty`], [`HeldOut`].
//! - [`Plots`] are data beside model.

mod count;
mod counts;
mod counts_file;
mod counts_json;
mod evaluations;
mod fens;
mod files;
mod fit;
mod grid;
mod key;
mod marquardt;
mod metadata;
mod pattern;
mod plots;
mod powell;
mod problem;
mod rates;
mod replicas;
mod rows;
mod score;
mod shape;
mod table;
mod uncertainty;
mod units;

pub use count::{CountOptions, CountReport, Counted, count};
pub use counts::Counts;
pub use counts_file::{CountsError, CountsFormat, Place};
pub use fens::FenCounters;
pub use files::{Chosen, Duplicate, FileFilter, find_duplicate};
pub use fit::{Fit, FitError, FitOptions, Method};
pub use grid::{By, Grid, Row, Selection};
pub use key::{Key, LARGEST_EVAL, LAST_MOVE, MATE, MoverResult};
pub use metadata::{MetadataError, TestMetadata};
pub use pattern::{BadPattern, Pattern};
pub use plots::Plots;
pub use replicas::Replicas;
pub use rows::RowFit;
pub use shape::Shape;
pub use uncertainty::{Band, Estimate, HeldOut, Uncertainty};
pub use units::Units;
