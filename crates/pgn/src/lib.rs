//! Chess games in PGN: [`Reader`] reads them, [`Game`] is a game to inspect and edit,
//! [`write_game`] writes it.
//!
//! ```
//! use centipawn_core::Eval;
//! use centipawn_pgn::{Dialect, Nag, Reader};
//!
//! let pgn = "[White \"Anna\"]\n\n1. e4 {[%eval 0.3] [%clk 0:03:00]} f6 $2 {[%eval 1.1]} 2. d4 *";
//! let mut game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
//!
//! let dialect = Dialect::detect([&game]);
//! for (before, ply) in game.mainline().take(2) {
//!     assert!(ply.annotation(dialect, before.turn()).eval > Some(Eval::cp(0)));
//! }
//! game.plies[1].set_nag(Nag(6));
//! game.plies[2].set_eval(Eval::cp(105));
//! assert_eq!(
//!     game.to_string(),
//!     "[White \"Anna\"]\n\n1. e4 { [%eval 0.3] [%clk 0:03:00] } 1... f6 $6 { [%eval 1.1] } 2. d4\n{ [%eval 1.05] } *\n"
//! );
//! # Ok::<_, std::io::Error>(())
//! ```
//!
//! - [`scan`](scan()) visits many games from many files on all cores, each as a [`GameView`] read
//!   with the fast [`Board`], and merges the records of a [`Merge`] state. [`Stats`] is such a
//!   state; [`check`] and [`clean`] find unreadable games.
//! - [`token`] cuts bytes into tokens, without a board; it accepts any input.
//! - A [`Game`] has tags, moves, comments, NAGs and variations; writing preserves them, except that
//!   each comment becomes one paragraph and empty comments are dropped.
//! - [`Annotation`] holds the numbers in a comment, read in the [`Dialect`] of the program that
//!   wrote it.
//! - [`Source`] opens plain and compressed files; [`Sources`] resolves command-line arguments to
//!   files. With the feature `http`, `http://` and `https://` addresses are files too, and
//!   `LichessStudies` writes studies on Lichess; without it, this crate uses no network.
//!
//! Two readers share the tokenizer. [`Reader`] returns owned games, for code that edits them, and
//! plays the moves with [`shakmaty`]. [`scan`](scan()) is for many games: it plays the moves on a
//! [`Board`], which finds them without generating all legal ones. If the board refuses a move, the
//! game is replayed with shakmaty, so both readers accept the same games.
//!
//! Evaluations in this crate are White's view; [`Annotation::decode`] converts those written from
//! the mover's view.

mod account;
mod annotation;
mod board;
mod clean;
mod command;
mod copies;
mod cut;
mod dialect;
mod error;
mod eval_units;
mod evaluator;
#[cfg(not(target_family = "wasm"))]
mod frames;
#[cfg(target_family = "wasm")]
#[path = "frames_absent.rs"]
mod frames;
mod game;
mod game_evals;
mod games;
mod headers;
#[cfg(feature = "http")]
mod http;
mod impossible;
mod letters;
mod nag;
mod number;
mod opening;
mod partial_date;
mod pieces;
mod plain;
mod players;
mod reader;
mod record;
mod replay;
mod san;
mod scan;
mod score;
mod site_address;
mod source;
mod sources;
mod spelling;
mod stats;
mod text;
mod time_class;
mod time_control;
pub mod token;
mod usual_commands;
mod view;
mod write;

#[cfg(feature = "http")]
pub use account::{LichessStudies, StudyMode, StudyPostError, UnknownVisibility, Visibility};
pub use annotation::{Annotation, Described};
pub use board::{Board, Material, position_key};
pub use clean::{check, clean};
pub use command::Profile;
pub use dialect::{Dialect, UnknownDialect};
pub use error::{FenSign, GameError, GameErrorKind, MoveNumber};
pub use eval_units::eval_units;
pub use evaluator::Evaluator;
pub use game::{Game, Mainline, Place, Ply};
pub use game_evals::{GameEvals, ended_by};
pub use games::{Games, read_ahead};
pub use headers::Headers;
pub use impossible::Impossible;
pub use letters::Letters;
pub use nag::Nag;
pub use opening::Opening;
pub use partial_date::{BadDate, PartialDate};
pub use players::{player_key, players, pool, rating};
pub use reader::Reader;
pub use scan::{
    BadShard, FirstUnreadable, Merge, ScanOptions, ScanReport, Shard, StreamHashes, Unreadable,
    UnreadableDocument, scan,
};
pub use source::{Source, SourceError};
pub use sources::Sources;
pub use stats::{Results, Stats, StatsDocument};
pub use time_class::{BadTimeClass, TimeClass};
pub use time_control::{BadTimeControl, TimeControl};
pub use view::{Comments, GameScanner, GameView, Plies, PlyView};
pub use write::{Glyphs, write_game, write_game_with};
