//! The page: games in, reviews as jobs, a board. [`serve`] answers HTTP on loopback until it is cancelled; everything the browser
//! loads is in the program, and the server calls nobody.
//!
//! The browser judges nothing: evaluations, expected scores, symbols and words come from the libraries by the interface under
//! `/api`, which `/api/openapi.json` describes. Jobs are rows of the store, so what a kill interrupts goes on later.
//!
//! This crate guarantees:
//!
//! - Only requests to its own name and port are answered; what changes anything needs a header that no other site can send.
//! - Whoever is not on this machine needs a token.
//! - No request names a path, a command, an address or an engine option.
//! - A cancelled job leaves no engine behind.
//! - Whoever reads events slowly is asked to load again; nothing grows.

mod api;
mod assets;
mod body;
mod documents;
mod ease;
mod error;
mod events;
#[cfg(any(test, feature = "fuzz"))]
mod fuzz;
mod games;
mod guard;
mod http;
mod jobs;
mod live;
#[cfg(test)]
mod openapi;
mod places;
mod puzzles;
mod reviews;
mod server;
mod token;

#[cfg(any(test, feature = "fuzz"))]
pub use fuzz::FuzzedServer;
pub use http::{Address, ServeError, serve};
pub use server::{Limits, OwnCurve, ServeOptions};
