//! Win/draw/loss models: counting evaluated positions, and fitting the model that Stockfish and others publish.

mod count;
mod counts;
mod counts_file;
mod counts_json;
mod evaluations;
mod fens;
mod files;
mod grid;
mod key;
mod metadata;
mod pattern;
mod replicas;
mod score;
mod table;
mod units;

pub use count::{CountOptions, CountReport, Counted, count};
pub use counts::Counts;
pub use counts_file::{CountsError, CountsFormat, Place};
pub use fens::FenCounters;
pub use files::{Chosen, Duplicate, FileFilter, find_duplicate};
pub use grid::{By, Grid, Row, Selection};
pub use key::{Key, LARGEST_EVAL, LAST_MOVE, MATE, MoverResult};
pub use metadata::{MetadataError, TestMetadata};
pub use pattern::{BadPattern, Pattern};
pub use replicas::Replicas;
pub use units::Units;
