//! Reviews games: what every move was worth, which symbol it deserves, what would have been better.
//!
//! [`review_games`] asks an [`Analyst`](centipawn_engine::Analyst) about the positions of games and returns a [`Review`] of each
//! game, to be written as an annotated game ([`Review::annotated`]) or as JSON ([`Review::document`]).
//!
//! ```
//! use centipawn_core::Curve;
//! use centipawn_engine::Limit;
//! use centipawn_pgn::{Dialect, Reader};
//! use centipawn_progress::{Cancel, Silent};
//! use centipawn_review::{Event, JudgeOptions, review_games};
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

mod annotate;
mod basis;
mod better_line;
mod cause;
mod causes;
mod clock;
mod curve_words;
mod document;
mod document_writer;
pub mod ease;
mod find_job;
mod find_key;
mod findings;
mod findings_document;
mod judge;
mod judge_options;
mod judgement;
mod labels;
mod likelihood;
mod mistakes;
mod notation;
mod odds;
mod openapi;
mod options;
mod own_line;
mod phase;
mod play_rating;
mod position_count;
mod praise;
mod previous_review;
mod profile;
mod reason;
mod reconcile;
mod remark;
mod results;
mod review;
mod run;
mod short_mate;
mod standing;
mod symbols_document;
mod symbols_form;
mod tags;
mod tally;
mod unplayed_mate;
mod unplayed_words;
mod what_matters;
mod why;
mod words;

pub use cause::{Cause, LOSS_UNIT, Topic};
pub use causes::{CauseDocument, Causes};
pub use document::{
    BetterDocument, GameDocument, LineDocument, OpeningDocument, PhaseDocument, PlayerDocument, PlyDocument,
    ReviewDocument, SuppressedDocument, SymbolCounts, line_documents,
};
pub use document_writer::DocumentWriter;
pub use find_job::{Failure, FindJob, FindStep, Finder, Found};
pub use find_key::{FindKey, FindOptions};
pub use findings::{GameFindings, PositionFindings};
pub use findings_document::{FindingsDocument, FindingsError, FoundEase, FoundLine, FoundMove, PositionDocument};
pub use judge::{GameJudge, Loss, PlyReview, judge_game};
pub use judge_options::{Deepen, JudgeOptions};
pub use judgement::{Judgement, PhaseReview, PlayerReview};
pub use labels::Labels;
pub use mistakes::{Mistake, MistakeCounts, Mistakes};
pub use notation::{EvalSources, result_text};
pub use odds::{HugeEval, OddsDocument, OddsForm, OddsFormDocument};
pub use options::{Annotations, ReviewOptions};
pub use phase::Phase;
pub use play_rating::{
    GamePlay, PlayEvidence, PlayFeatures, PlayGameDocument, PlayModel, PlayRating, PlayRatingDocument,
    PlayRatingsDocument,
};
pub use position_count::PositionCount;
pub use praise::Suppression;
pub use previous_review::without_review;
pub use profile::{
    CostlyMove, GroupDocument, GroupRow, LessonDocument, LossFeatures, MeanDocument, PlayerGame, PlayerMove, Profile,
    ProfileDocument,
};
pub use reason::{
    DrawKind, Gain, GainDocument, Motif, PlacedPiece, Prize, Proof, ProofDocument, Reason, ReasonDocument, ReasonKind,
};
pub use results::{ColorResults, Results, TrendPoint};
pub use review::Review;
pub use run::{Event, review_games};
pub use short_mate::ShortMate;
pub use symbols_document::{
    ByCurve, ByMoveScheme, ByMoveSymbol, ByPositionScheme, FormCurves, FormLimits, FormNags, FormScores,
    SymbolsDocument,
};
pub use symbols_form::{FormEval, InvalidFormEval, SecondIsBetter, SymbolsForm};
pub use tags::Tags;
pub use tally::{OpeningRow, PlayerRow, PlayerTotals, Tally};
pub use unplayed_mate::{GameEnd, UnplayedMate};
pub use why::{ComparedMove, LimitDocument, WhyDocument, WorthDocument};
pub use words::{Language, UnknownLanguage};
