//! The page: import of games, reviews as jobs, a board. [`serve`] answers HTTP on loopback until it is cancelled; the program contains all
//! files that the browser loads. The server makes outgoing requests only where a user asks for games of an account.
//!
//! The browser judges nothing: evaluations, expected scores, symbols and words come from the libraries by the interface under
//! `/api`, which `/api/openapi.json` describes. Jobs are rows of the store, so interrupted work can be continued after a kill.
//!
//! This crate guarantees:
//!
//! - Only requests to its own name and port are answered; requests that change state need a header that another site cannot send.
//! - Clients on other machines need a token.
//! - No request names a path, a command, an address or an engine option.
//! - A cancelled job leaves no engine behind.
//! - One server at a time works on the jobs of a store.
//! - A slow event consumer receives a reload event; buffers are bounded.

mod api;
mod assets;
mod batches;
mod body;
mod documents;
mod ease;
mod error;
mod events;
#[cfg(any(test, fuzzing))]
mod fuzz;
mod games;
mod guard;
mod http;
mod jobs;
mod live;
mod openapi;
mod places;
mod positions;
mod puzzles;
mod reviews;
mod server;
mod token;

#[cfg(any(test, fuzzing))]
pub use fuzz::FuzzedServer;
pub use http::{Address, ServeError, serve};
pub use openapi::openapi;
pub use server::{Limits, OwnCurve, ServeOptions};
