//! Fits curves and values to games: win/draw/loss models, curves of people, win-draw balances,
//! piece values, and ratings of matches.
//!
//! [`wdl::count`] counts evaluated positions by result, move, material and evaluation; [`wdl::Fit`]
//! fits a model to them. [`human::HumanGames`] collects games between people;
//! [`human::HumanReport`] fits the expected score of an evaluation by rating and time.
//! [`balance::Matches`] counts the highest evaluations of games and estimates which one wins half
//! of them. [`material::count`] collects quiet positions with their balance of men;
//! [`material::Fit`] estimates the men's values from them. [`engine_match::MatchGames`] counts the
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
//! How the numbers arise:
//!
//! How the results are computed:

pub mod balance;
mod clusters;
mod curve_file;
pub mod engine_match;
pub mod human;
mod human_predictor;
mod logistic;
pub mod material;
mod named_curve;
mod newton;
mod normal;
mod out_of_range;
mod parallel;
mod plot;
mod poisson;
pub mod position;
pub mod wdl;

pub use clusters::Clusters;
pub use curve_file::{CurveFile, document};
pub use human_predictor::{HumanPlayers, HumanPrediction, HumanPredictor};
pub use named_curve::{NamedCurveError, named_choice, read_choice};
pub use normal::wilson;
pub use out_of_range::OutOfRange;
pub use plot::{PlotForm, UnknownPlotForm};

pub(crate) use normal::TWO_SIDED;
