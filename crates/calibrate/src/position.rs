//! One position in many games: how often it was reached, with which results, which moves were
//! played, and by players of which rating.
//!
//! [`PositionCounts::count`] finds a position in games, and [`PositionCounts::report`] computes a
//! [`PositionDocument`] from the counts. An index of all positions (`centipawn-work`) consists of
//! [`PositionRow`]s, which [`PositionSpill`] counts and sorts for any number of games.
//!
//! ```
//! use centipawn_calibrate::position::{PositionCounts, PositionReportOptions};
//! use centipawn_pgn::{ScanOptions, Sources};
//! use shakmaty::Chess;
//!
//! # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
//! let sources = Sources::expand(&[games])?;
//! let (counts, _) = PositionCounts::count(&sources, &ScanOptions::default(), &Chess::default())?;
//! let report = counts.report(&Chess::default(), &PositionReportOptions::default());
//! assert_eq!(report.results.games, report.moves.iter().map(|own| own.results.games).sum::<u64>());
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod band;
mod counts;
mod document;
mod game;
mod next_move;
mod report;
mod spill;

pub use band::RatingBand;
pub use counts::{PositionCounts, PositionRow, Results};
pub use document::{
    ExpectedResults, PositionBand, PositionDocument, PositionEval, PositionMove, PositionResults,
};
pub use game::{GamePositions, PositionGames};
pub use next_move::{BadMove, NextMove};
pub use report::PositionReportOptions;
pub use spill::{PositionSpill, SortedPositions};
