//! The record of a reviewed game: its documents, the annotated game, and what a store keeps.

mod annotate;
pub mod columns;
mod document;
mod document_writer;
mod ease;
mod extras;
mod find_key;
mod findings;
mod odds;
mod ply;
mod previous_review;
mod reason;
mod review;
mod symbols_document;
mod symbols_form;
mod why;

pub use document::{GameDocument, PlayerDocument, ReviewDocument, SymbolCounts};
pub use document_writer::DocumentWriter;
pub use ease::MomentDocument;
pub use extras::{Extras, Threat, UNCLEAR};
pub use find_key::FindKey;
pub use findings::{FindingsDocument, FindingsError};
pub use odds::{HugeEval, OddsDocument, OddsForm};
pub(crate) use ply::better_document;
pub use ply::{Cell, LineDocument, PlyDocument, PlyRow, line_documents};
pub use previous_review::without_review;
pub use review::Review;
pub use symbols_document::SymbolsDocument;
pub use symbols_form::{FormEval, InvalidFormEval, SecondIsBetter, SymbolsForm};
pub use why::WhyDocument;
