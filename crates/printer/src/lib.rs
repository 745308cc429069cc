//! Formats documents as text for a terminal. Each document of the workspace has a function, such as
//! [`review()`] for a reviewed game: its players, accuracy, symbols and critical moments.
//!
//! ```
//! use centipawn_core::Curve;
//! use centipawn_engine::Limit;
//! use centipawn_judge::JudgeOptions;
//! use centipawn_pgn::{Dialect, Reader};
//! use centipawn_printer::review;
//! use centipawn_progress::{Cancel, Silent};
//! use centipawn_review::{Event, review_games};
//! # use std::sync::Arc;
//! # use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};
//! # struct NoEngine;
//! # impl Analyst for NoEngine {
//! #     fn analyse(&self, _: &Question) -> Result<Analysis, AnalystError> { Err(AnalystError::NoEngines) }
//! #     fn identity(&self) -> Arc<Identity> { Arc::default() }
//! #     fn parallelism(&self) -> usize { 1 }
//! # }
//! # let analyst = NoEngine;
//!
//! // The game contains its evaluations, so this example never asks the analyst, which is usually a
//! // `Pool` of engines.
//! let pgn = "1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } *";
//! let games = Reader::new(pgn.as_bytes()).filter_map(Result::ok).filter_map(Result::ok);
//! let options = JudgeOptions {
//!     curve: Curve::LICHESS.into(),
//!     reuse_evals: Some(Dialect::Auto),
//!     ..JudgeOptions::new(Limit::Nodes(100_000))
//! };
//! let mut text = String::new();
//! review_games(games, &analyst, &[], &options.into(), &Cancel::new(), &Silent, |event| {
//!     if let Event::Reviewed(reviewed) = event {
//!         text += &review(&reviewed, 80, false);
//!     }
//! });
//! assert!(text.contains("2... Ke7??"), "{text}");
//! ```
//!
//! This crate guarantees:
//!
//! - Names from files appear without control characters.
//! - Only [`review()`] and [`board`] (with [`BoardStyle::Colours`]) use ANSI escape sequences. If
//!   the output is not a terminal, the caller must remove them.
//! - A text names an option as "option `games_in`". The caller replaces it by the option's name in
//!   its interface, with [`with_options`](centipawn_progress::text::with_options).
//! - Functions return text and print nothing. The same document always gives the same text.

mod balance;
mod bands;
mod board;
mod columns;
mod ease;
mod engines;
mod games;
mod human;
mod match_games;
mod material;
mod mining;
mod odds;
mod odds_atlas;
mod play_rating;
mod policies;
mod position;
mod rating;
mod review;
mod solving;
mod store;
mod symbols;
mod verifying;
mod wdl;

pub use balance::balances;
pub use board::{BoardStyle, board};
pub use columns::within;
pub use ease::ease;
pub use engines::{engine, suite};
pub use games::{check_summary, game_stats, players};
pub use human::{human, human_check, human_left_out};
pub use match_games::{match_games, match_openings};
pub use material::{collections, material};
pub use mining::{candidate_lines, mine_summary};
pub use odds::odds;
pub use odds_atlas::odds_atlas;
pub use play_rating::play_ratings;
pub use policies::{network, network_answer, networks};
pub use position::position;
pub use rating::{agreement, rating_errors};
pub use review::review;
pub use solving::solve_counts;
pub use store::{deleted, imported_library, library_counts, store};
pub use symbols::symbols;
pub use verifying::{verified_puzzle, verify_summary};
pub use wdl::{eval_value, model_comparison};
