//! Chess puzzles: files, themes, mining in games, verification, rating and solving.
//!
//! [`Puzzle`] is the principal type: a start position, the opponent's move, the solver's answer and
//! the moves that follow. [`Reader`] and [`Writer`] handle Lichess' CSV, JSON lines and PGN;
//! [`themes`] finds the themes of a solution.
//!
//! ```
//! use centipawn_puzzle::{Format, Reader, Theme, Writer};
//!
//! let csv = "PuzzleId,FEN,Moves,Themes\n\
//!     01xyJ,8/7p/5Kpk/5p2/8/4p1Pr/8/4R3 b - - 3 43,h3g3 e1h1 g3h3 h1h3,master\n";
//! let mut out = Writer::new(Vec::new(), Format::Json);
//! for puzzle in Reader::new(csv.as_bytes(), None)? {
//!     let mut puzzle = puzzle?;
//!     puzzle.tag();
//!     assert!(puzzle.themes.contains(Theme::RookEndgame));
//!     out.write(&puzzle)?;
//! }
//! let json = String::from_utf8(out.finish()?)?;
//! let names = r#"["endgame","master","mate","mateIn2","rookEndgame","short"]"#;
//! assert!(json.contains(&format!("\"themes\":{names}")));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants:
//!
//! - A [`Solution`] has only legal moves, at least the opponent's and the solver's, and ends with
//!   the solver's move.
//! - A puzzle that cannot be read yields an error with its line and the reason; reading continues
//!   with the next puzzle.
//! - Themes are found without an engine. Themes that need an engine or the players' titles are kept
//!   if the file contains them ([`Theme::is_external`]).

mod agreement;
mod candidate;
mod claim;
mod classic;
mod decided;
mod edit;
mod error;
mod format;
mod guard;
mod lichess;
mod limits;
mod mine_job;
mod mine_options;
mod miner;
mod outlook;
mod puzzle;
mod puzzle_document;
mod puzzle_game;
pub mod rating;
mod rule;
mod save;
mod scorer;
mod solution;
mod solution_search;
pub mod solve;
mod solver_filter;
mod speculation;
mod swing;
mod theme;
mod themes;
mod tree;
mod tree_growth;
mod verdict;
mod verified_document;
mod verify;

pub use agreement::{Agreement, AgreementTable, ThemeAgreement};
pub use candidate::{Candidate, CandidateDocument, PositionDocument, PositionFailure};
pub use claim::Claim;
pub use classic::Classic;
pub use edit::EditError;
pub use error::{BadPuzzle, ReadError, SolutionError};
pub use format::{Format, Reader, UnknownFormat, Writer};
pub use lichess::Lichess;
pub use limits::Limits;
pub use mine_job::{MineJob, MineStep, Mined, MiningRules};
pub use mine_options::{MineOptions, MineOptionsError, RuleSet};
pub use miner::Miner;
pub use puzzle::Puzzle;
pub use puzzle_document::{CorrectMoveDocument, NodeDocument, PuzzleDocument, ReplyDocument};
pub use puzzle_game::{PuzzleGame, Side};
pub use rule::{Goal, Rule};
pub use scorer::{ScoredMove, Scorer};
pub use solution::Solution;
pub use solver_filter::SolverFilter;
pub use theme::{Theme, Themes};
pub use themes::themes;
pub use tree::{CorrectMove, LineEnd, Node, Reply, Tree};
pub use verdict::{FoundKind, Refusal, Verdict};
pub use verified_document::{FaultDocument, FaultName, ScoredMoveDocument, VerifiedDocument};
pub use verify::{Fault, FaultKind, Verified, Verifier, VerifyOptions};
