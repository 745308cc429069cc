//! Every sentence and every name that people read, in every language.

mod causes;
mod closing;
mod curves;
mod ease;
mod labels;
mod language;
mod motifs;
mod notation;
mod play_rating;
mod reasons;
mod remark;
mod sources;
mod symbols;
mod themes;
mod unplayed_mate;

pub use labels::Labels;
pub use language::{Language, UnknownLanguage};
pub use notation::result_text;
pub use sources::EvalSources;
