//! The record of a reviewed game: its documents, the annotated game, and what a store keeps.

mod annotate;
mod document;
mod document_writer;
mod ease;
mod find_key;
mod findings;
mod odds;
mod previous_review;
mod reason;
mod review;
mod symbols_document;
mod symbols_form;
mod why;

pub use document::{
    BetterDocument, GameDocument, LineDocument, OpeningDocument, PhaseDocument, PlayerDocument, PlyDocument,
    ReviewDocument, SuppressedDocument, SymbolCounts, line_documents,
};
pub use document_writer::DocumentWriter;
pub use ease::{EaseDocument, EaseMoveDocument, MomentDocument, MomentPlace};
pub use find_key::{FindKey, FindOptions};
pub use findings::{FindingsDocument, FindingsError, FoundEase, FoundLine, FoundMove, PositionDocument};
pub use odds::{HugeEval, OddsDocument, OddsForm, OddsFormDocument};
pub use previous_review::without_review;
pub use reason::{GainDocument, PlacedPiece, ProofDocument, ReasonDocument};
pub use review::Review;
pub use symbols_document::{
    ByMoveScheme, ByMoveSymbol, ByPositionScheme, FormCurves, FormLimits, FormNags, FormScores, SymbolsDocument,
};
pub use symbols_form::{FormEval, InvalidFormEval, SecondIsBetter, SymbolsForm};
pub use why::{ComparedMove, LimitDocument, WhyDocument, WorthDocument};
