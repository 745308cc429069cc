//! A game, reviewed: what every move was worth, which symbol it deserves, what would have been better.
//!
//! [`review_games`] sends games through an [`Analyst`](centipawn_engine::Analyst) and gives back a [`Review`] of each, which
//! can be written as an annotated game ([`Review::annotated`]), as JSON ([`Review::json`]) or as a page ([`report`]).
//!
//! ```
//! use std::{io::Cursor, sync::atomic::AtomicBool};
//!
//! use centipawn_core::Curve;
//! use centipawn_engine::{Limit, NoAnalyst};
//! use centipawn_pgn::{Dialect, Reader};
//! use centipawn_review::{Event, Options, review_games};
//!
//! // Evaluations that stand in the game are enough; no engine is asked.
//! let pgn = "1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Ba6 { [%eval -3.9] } *";
//! let games = Reader::new(Cursor::new(pgn)).map(Result::unwrap);
//! let options = Options {
//!     curve: Curve::LICHESS,
//!     reuse_evals: Some(Dialect::Auto),
//!     ..Options::new(Limit::Nodes(100_000))
//! };
//! review_games(games, &NoAnalyst, &options, &AtomicBool::new(false), |event| {
//!     if let Event::Reviewed(review) = event {
//!         assert_eq!(review.plies[2].symbol.unwrap().glyph(), "?");
//!     }
//! });
//! ```

mod annotate;
mod findings;
mod json;
mod judge;
mod options;
pub mod report;
mod review;
mod run;

pub use judge::{HeldBack, Loss, PlyReview};
pub use options::Options;
pub use review::{PlayerReview, Review};
pub use run::{Event, Failure, review_games};
