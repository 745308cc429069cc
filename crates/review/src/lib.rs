//! A game, reviewed: what every move was worth, which symbol it deserves, what would have been better.
//!
//! [`review_games`] sends games through an [`Analyst`](centipawn_engine::Analyst) and gives back a [`Review`] of each, which
//! can be written as an annotated game ([`Review::annotated`]), as JSON ([`Review::json`]) or as a page ([`report`]).
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use centipawn_core::Curve;
//! use centipawn_engine::Limit;
//! use centipawn_pgn::{Dialect, Reader};
//! use centipawn_review::{Event, Options, review_games};
//! # use std::sync::Arc;
//! # use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};
//! # struct Nobody;
//! # impl Analyst for Nobody {
//! #     fn analyse(&self, _: &Question) -> Result<Analysis, AnalystError> { Err(AnalystError::NoEngines) }
//! #     fn identity(&self) -> Arc<Identity> { Arc::default() }
//! #     fn parallelism(&self) -> usize { 1 }
//! # }
//! # let analyst = Nobody;
//!
//! // These evaluations stand in the game, so the analyst (elsewhere a `Pool` of engines) is not asked.
//! let pgn = "1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } *";
//! let games = Reader::new(pgn.as_bytes()).filter_map(Result::ok).filter_map(Result::ok);
//! let options = Options {
//!     curve: Some(Curve::LICHESS),
//!     reuse_evals: Some(Dialect::Auto),
//!     ..Options::new(Limit::Nodes(100_000))
//! };
//! let mut symbols = Vec::new();
//! review_games(games, &analyst, &options, &AtomicBool::new(false), |event| {
//!     if let Event::Reviewed(review) = event {
//!         symbols.extend(review.plies.iter().map(|ply| ply.symbol.map(|symbol| symbol.glyph())));
//!     }
//! });
//! assert_eq!(symbols, [None, None, None, Some("??")]);
//! ```

mod annotate;
mod clock;
mod earlier;
pub mod ease;
mod findings;
mod json;
mod judge;
mod options;
mod phase;
pub mod report;
mod review;
mod run;
mod tally;
mod words;

pub use judge::{HeldBack, Loss, PlyReview};
pub use options::{Annotations, Options};
pub use phase::Phase;
pub use review::{PhaseReview, PlayerReview, Review};
pub use run::{Event, Failure, review_games};
pub use tally::{OpeningRow, PlayerRow, Tally};
pub use words::{Language, UnknownLanguage};
