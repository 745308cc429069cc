//! Judges games: from an analyst's answers to losses, symbols, reasons and ease, as values without
//! words.
//!
//! A [`Judgement`] is what follows from the evaluations of a game by a curve. A [`FindJob`] asks an
//! [`Analyst`](centipawn_engine::Analyst) about the positions of a game, and [`judge_game`] turns
//! its [`GameFindings`] into the judgement. A [`LiveJudge`] does the same move by move, while the
//! analyst still works.
//!
//! ```
//! use centipawn_core::Curve;
//! use centipawn_engine::Limit;
//! use centipawn_judge::{FindJob, Finder, JudgeOptions, PositionCount, judge_game};
//! use centipawn_pgn::{Dialect, Reader};
//! use centipawn_progress::{Cancel, Silent, run_jobs};
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
//! // The game contains its evaluations, so this example never asks the analyst (usually a `Pool` of engines).
//! let pgn = "1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } *";
//! let games = Reader::new(pgn.as_bytes()).filter_map(Result::ok).filter_map(Result::ok);
//! let options = JudgeOptions {
//!     curve: Curve::LICHESS.into(),
//!     reuse_evals: Some(Dialect::Auto),
//!     ..JudgeOptions::new(Limit::Nodes(100_000))
//! };
//! let count = PositionCount::new(&Silent);
//! let finder = Finder { analyst: &analyst, networks: &[], options: &options, count: &count };
//! let mut symbols = Vec::new();
//! run_jobs(games.map(|game| FindJob::new(finder, game)), 1, &Cancel::new(), |found| {
//!     let judgement = judge_game(found.game, &found.findings.unwrap(), &options);
//!     symbols.extend(judgement.plies.iter().map(|ply| ply.symbol.map(|symbol| symbol.glyph())));
//! });
//! assert_eq!(symbols, [None, None, None, Some("??")]);
//! ```

mod basis;
mod better_line;
mod cause;
mod certainty;
mod clock;
mod closing;
pub mod ease;
mod find_job;
mod findings;
mod judge;
mod judgement;
mod last_move;
mod likelihood;
mod live;
mod options;
mod own_line;
mod phase;
mod position_count;
mod praise;
pub mod reason;
mod reconcile;
mod result_change;
mod short_mate;
mod standing;
mod tags;
mod unplayed_mate;
mod what_matters;

pub use basis::{BASIS, basis};
pub use better_line::{LINE_PLIES, LOSS, is_better_line, shown_line};
pub use cause::{Cause, LOSS_UNIT, Topic};
pub use certainty::{Certainty, UNSURE};
pub use clock::{Clock, clocks, simple_control};
pub use closing::Closing;
pub use find_job::{Failure, FindJob, FindStep, Finder, Found};
pub use findings::{GameFindings, PositionFindings, is_forced};
pub use judge::{JudgedMove, judge_game};
pub use judgement::{Judgement, PhaseReview, PlayerReview};
pub use last_move::LastMove;
pub use likelihood::policy;
pub use live::{FoundPosition, LiveJudge, LivePosition};
pub use options::{Deepen, JudgeOptions};
pub use phase::Phase;
pub use position_count::PositionCount;
pub use praise::Suppression;
pub use result_change::{Outlook, ResultChange};
pub use short_mate::ShortMate;
pub use standing::Standing;
pub use tags::Tags;
pub use unplayed_mate::{GameEnd, UnplayedMate};
