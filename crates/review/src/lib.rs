//! Reviews games: what every move was worth, which symbol it deserves, what would have been better.
//!
//! [`review_games`] asks an [`Analyst`](centipawn_engine::Analyst) about the positions of games and
//! returns a [`Review`] of each game, to be written as an annotated game ([`Review::annotated`]) or
//! as JSON ([`Review::document`]). The crate `centipawn-judge` does the judging; this crate has the
//! words and the documents.
//!
//! ```
//! use centipawn_core::Curve;
//! use centipawn_engine::Limit;
//! use centipawn_judge::JudgeOptions;
//! use centipawn_pgn::{Dialect, Reader};
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
//! // The game contains its evaluations, so this example never asks the analyst (usually a `Pool` of engines).
//! let pgn = "1. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 2. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } *";
//! let games = Reader::new(pgn.as_bytes()).filter_map(Result::ok).filter_map(Result::ok);
//! let options = JudgeOptions {
//!     curve: Curve::LICHESS.into(),
//!     reuse_evals: Some(Dialect::Auto),
//!     ..JudgeOptions::new(Limit::Nodes(100_000))
//! };
//! let mut symbols = Vec::new();
//! review_games(games, &analyst, &[], &options.into(), &Cancel::new(), &Silent, |event| {
//!     if let Event::Reviewed(review) = event {
//!         symbols.extend(review.plies.iter().map(|ply| ply.symbol.map(|symbol| symbol.glyph())));
//!     }
//! });
//! assert_eq!(symbols, [None, None, None, Some("??")]);
//! ```

mod openapi;
mod options;
mod player;
mod record;
pub mod rooms;
mod run;
mod words;

pub use options::{Annotations, ReviewOptions};
pub use player::{
    CauseDocument, Causes, GamePlay, GroupRow, LossFeatures, Mistake, MistakeCounts, Mistakes,
    OpeningRow, PlayEvidence, PlayGameDocument, PlayModel, PlayRating, PlayRatingDocument,
    PlayRatingsDocument, PlayerGame, PlayerRow, Profile, ProfileDocument, Results, Tally,
    TrendPoint,
};
pub use record::{
    Cell, DocumentWriter, Extras, FindKey, FindingsDocument, FindingsError, FormEval, GameDocument,
    HugeEval, InvalidFormEval, LineDocument, MomentDocument, OddsDocument, OddsForm,
    PlayerDocument, PlyDocument, PlyRow, Review, ReviewDocument, SecondIsBetter, SymbolCounts,
    SymbolsDocument, SymbolsForm, Threat, UNCLEAR, WhyDocument, columns, line_documents,
    without_review,
};
pub use run::{Event, review_games};
pub use words::{EvalSources, Labels, Language, UnknownLanguage, result_text};
