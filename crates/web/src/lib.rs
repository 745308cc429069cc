//! The page of `centipawn serve`: import of games, reviews as jobs, a board. [`serve`] answers HTTP
//! requests until it is cancelled. The program contains all files that the browser loads.
//!
//! ```
//! use std::sync::Arc;
//!
//! use centipawn_engine::Limit;
//! use centipawn_progress::{Cancel, Silent};
//! use centipawn_review::ReviewOptions;
//! use centipawn_store::Location;
//! use centipawn_web::{ServeOptions, serve};
//! use centipawn_work::{Resources, StoreChoice};
//!
//! let folder = tempfile::tempdir()?;
//! let cancel = Cancel::new();
//! let store = StoreChoice::At(Location::File(folder.path().join("games.db")));
//! let resources = Resources::new(store, &cancel, Arc::new(Silent));
//! let options = ServeOptions::new(ReviewOptions::new(Limit::Nodes(100_000)));
//! serve(options, resources, &cancel, |address| {
//!     assert!(address.page.starts_with("http://127.0.0.1:"));
//!     cancel.set(); // A real server runs until its user stops it.
//! })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! The browser computes no chess. Evaluations, expected scores, symbols and texts come from the
//! libraries through the interface under `/api`, which `/api/openapi.json` describes. Jobs are rows
//! of the store, so interrupted work can be continued after a kill.
//!
//! A request passes `http` (connections and their limits), `guard` (rejects cross-site requests)
//! and `api`, whose handlers run on threads that may block. Attributes on the handlers and types
//! describe the interface; the build of the page makes TypeScript types from the description, so a
//! field is defined once, in Rust. A job is a row of the store
//! ([`JobState`](centipawn_store::JobState)). One thread runs one job after the other: it does the
//! engine work, a [`LiveJudge`](centipawn_judge::LiveJudge) judges each move, and `events` notifies
//! the open pages. A finished review is judged again from its findings, by any curve and scheme.
//!
//! The sources of the page are in `ui/`. There, `rooms/table.ts` is the state of the game on the
//! board. The built page is committed, so that building the program needs no Node.js.
//!
//! This crate guarantees:
//!
//! - Only requests to its own name and port are answered. Requests that change something need a
//!   header that another site cannot send.
//! - Clients on other machines need a token.
//! - No request names a path, a command, an address or an engine option.
//! - The server connects to another server only if a user asks for the games of an account.
//! - A cancelled job leaves no engine running.
//! - Only one server at a time runs the jobs of a store.
//! - A slow event consumer receives a reload event, and buffers are bounded.

mod api;
mod assets;
mod base_path;
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
mod library;
mod openapi;
mod places;
mod positions;
mod puzzles;
mod reviews;
mod server;
mod token;

pub use base_path::{BasePath, InvalidBasePath};
#[cfg(any(test, fuzzing))]
pub use fuzz::FuzzedServer;
pub use http::{Address, ServeError, serve};
pub use openapi::openapi;
pub use server::{Limits, OwnCurve, ServeOptions};
