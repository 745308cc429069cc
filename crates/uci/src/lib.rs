//! A UCI engine that wraps another UCI engine and adds what its evaluations are worth to people.
//!
//! [`run`] speaks UCI with a GUI on one side and with an engine on the other. Commands of the GUI
//! and lines of the engine pass through unchanged. The additions depend on the [`Settings`], which
//! the GUI sets as UCI options:
//!
//! ```
//! use centipawn_engine::{Cancel, find};
//! use centipawn_uci::{Config, Settings, run};
//!
//! # let Ok(command) = find("stockfish") else { return Ok(()) };
//! # /*
//! let command = find("stockfish")?;
//! # */
//! let settings = Settings { show_wdl: true, ..Settings::default() };
//! let config = Config { settings, ..Config::new(command) };
//! let mut output = Vec::new();
//! let commands = "uci\nposition startpos\ngo nodes 1000\n";
//! run(&config, commands.as_bytes(), &mut output, &Cancel::new())?;
//! let text = String::from_utf8(output)?;
//! assert!(text.contains("option name Rating type spin default 1800") && text.contains(" wdl "));
//! assert!(text.lines().last().unwrap().starts_with("bestmove "));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! - The best move, the nodes and the `score cp` are the engine's own, unless an option changes
//!   them.
//! - Slow work (a network, a second engine) runs on other threads, so that it never delays a line
//!   of the engine.
//! - If the engine crashes, it is started again with the same options, position and search, and the
//!   GUI shows the reason.

mod error;
mod game;
mod info_line;
mod lichess;
mod mailbox;
mod ordering;
mod people;
mod play;
mod settings;
mod worth;
mod wrapper;

pub use error::UciError;
pub use lichess::serve_lichess;
pub use settings::{BadValue, CurveSetting, Order, RATINGS, ScoreType, Settings};
pub use wrapper::{Config, run};
