//! Games to curves: what evaluations, and pieces, turned out to be worth.
//!
//! [`wdl::count`] counts evaluated positions by result, move, material and evaluation; [`wdl::Fit`] is the model fitted to them.
//! [`material::count`] takes quiet positions by their balance of men, [`material::Fit`] is what these are worth.
//!
//! ```
//! use centipawn_calibrate::wdl::{CountOptions, Fit, FitOptions, count};
//! use centipawn_core::{Context, Curve};
//! use centipawn_pgn::{ScanOptions, Sources};
//!
//! # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
//! let sources = Sources::expand(&[games])?;
//! let counted = count(&sources, &ScanOptions::default(), &CountOptions::default(), None)?;
//! assert_eq!(counted.counts.positions(), 10_775);
//!
//! let fit = Fit::new(&counted.counts, &FitOptions::default())?;
//! let curve = Curve::Wdl(fit.model().unwrap());
//! assert!(curve.at(2.0, Context::default()) > 0.75);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! It reads and computes; starting, printing and files of results are the command line's.

pub mod balance;
pub mod material;
mod newton;
mod parallel;
mod plot;
pub mod wdl;
