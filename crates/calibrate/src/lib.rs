//! Fits curves and values to games: win/draw/loss models, curves of people, win-draw balances,
//! piece values, and ratings of matches.
//!
//! [`wdl::count`] counts evaluated positions by result, move, material and evaluation; [`wdl::Fit`]
//! fits a model to them. [`human::HumanGames`] collects games between people;
//! [`human::HumanReport`] fits the expected score of an evaluation by rating and time.
//! [`balance::Matches`] counts the highest evaluations of games and estimates which one wins half
//! of them. [`material::count`] collects quiet positions with their balance of pieces;
//! [`material::Fit`] estimates the piece values from them. [`engine_match::MatchGames`] counts the
//! games of a match or tournament and rates the players. [`position::PositionCounts`] counts the
//! results and next moves of games with a given position.
//!
//! ```
//! use centipawn_calibrate::wdl::{CountOptions, Fit, FitOptions, count};
//! use centipawn_core::{Context, Curve};
//! use centipawn_pgn::{ScanOptions, Sources};
//! use centipawn_progress::Cancel;
//!
//! # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
//! let sources = Sources::expand(&[games])?;
//! let (counted, _) = count(&sources, &ScanOptions::default(), &CountOptions::default(), None)?;
//! assert_eq!(counted.counts.positions(), 10_775);
//!
//! let fit = Fit::new(&counted.counts, &FitOptions::default(), &Cancel::new())?;
//! let curve = Curve::Wdl(fit.model().unwrap());
//! assert!(curve.at(2.0, Context::default()) > 0.75);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! How the results are computed:
//!
//! - **Win, draw and loss** ([`wdl`]). A scan counts each evaluated position under a 32-bit key, in
//!   total and in one of 128 groups of games. A grid holds the counts for a fit, Newton's method
//!   minimises the objective, and resamples of the groups give the errors.
//! - **The human curve** ([`human`]). At most N games of each class are kept, those with the
//!   smallest pseudo-random numbers, so memory is bounded and parts merge to the same games.
//! - **Piece values** ([`material`]). Rows are collected by game, equal rows are grouped, and
//!   errors are by game.
//! - **Balance, matches, positions** ([`balance`], [`engine_match`], [`position`]). Each has a
//!   state that merges. Pairs of games are found after the merge, because the two games of a pair
//!   may be in different parts.
//!
//! The crate reads and computes; callers print and write results. Long computations take a
//! [`Cancel`](centipawn_progress::Cancel) and end soon after it is set.

pub mod balance;
mod clusters;
mod curve_file;
mod curve_plot;
pub mod engine_match;
pub mod human;
mod human_predictor;
mod logistic;
pub mod material;
mod named_curve;
mod newton;
mod normal;
mod odds_atlas;
mod out_of_range;
mod parallel;
mod plot;
mod poisson;
pub mod position;
pub mod wdl;

pub use clusters::Clusters;
pub use curve_file::{CurveFile, document};
pub use curve_plot::{CurvePlot, CurvePlotData};
pub use human_predictor::{HumanPlayers, HumanPrediction, HumanPredictor};
pub use named_curve::{NamedCurveError, named_choice, read_choice};
pub use normal::wilson;
pub use odds_atlas::{OddsAtlas, OddsFit, OddsGame, OddsRating, OddsStart};
pub use out_of_range::OutOfRange;
pub use plot::{PlotForm, UnknownPlotForm};

pub(crate) use normal::TWO_SIDED;
