//! Cancellation, progress reporting and result files for the command line, the page, the worker and
//! Python.
//!
//! - [`Cancel`] cancels work. Scans, fits, engines and network connections share one value.
//! - [`Reporter`] receives [`Progress`] and [`Problem`]s during the work; [`Outcome`] describes how
//!   the work ended.
//! - [`in_order`] and [`run_jobs`] process many items in parallel and deliver the results in the
//!   order of the input.
//! - [`Files`] opens results as [`AtomicFile`]s, which appear when they are complete and never
//!   replace an input. A [`Placement`] puts several files that belong together in their places: all
//!   or none.
//! - A [`SmallDocument`] is read whole, but only up to its limit.
//! - [`Provenance`] records in every document how it was created.
//! - [`text`] formats parts of texts: plurals, sizes, names from files.
//!
//! ```
//! use centipawn_progress::{Cancel, in_order};
//!
//! let cancel = Cancel::new();
//! let mut squares = Vec::new();
//! let square = |number: u64| Some(number * number);
//! in_order(1..=4, 2, &cancel, square, |square| squares.push(square));
//! assert_eq!(squares, [1, 4, 9, 16]);
//! ```
//!
//! This crate is at the bottom of the workspace, beside `core`; it contains no chess.

mod address;
mod ahead;
mod atomic_file;
mod bounded;
mod cancel;
mod data_folder;
mod files;
mod folder_files;
mod in_order;
mod jobs;
mod option_text;
mod outcome;
mod placement;
mod provenance;
mod report;
mod shorten;
mod small_document;
mod stream_writer;
pub mod text;
mod unnamed_file;

pub use address::{is_account, is_address, shown_path};
pub use ahead::{read_blocks_ahead, read_stream};
pub use atomic_file::{AtomicFile, FileError, Placed, make_folder};
pub use bounded::{Bounded, LONGEST_LINE};
pub use cancel::{Cancel, Cancelled, OnSet};
pub use data_folder::data_folder;
pub use files::{Files, resolved};
pub use folder_files::{FolderFiles, refuse_link};
pub use in_order::{in_order, single_step};
pub use jobs::{Job, Next, run_jobs};
pub use outcome::Outcome;
pub use placement::Placement;
pub use provenance::{
    Identity, Input, Network, Provenance, RunningHash, contempt_name, is_neutral, sha256,
};
pub use report::{Problem, ProblemCount, Progress, Reporter, Severity, Silent, Unit};
pub use shorten::shorten;
pub use small_document::{SmallDocument, Until, is_cancelled, open_input, until};
pub use stream_writer::standard_output;

/// The program in the header `User-Agent` of every request, with its version and the address of the
/// project: sites ask for a contact, and Lichess answers programs without a name with status 404.
pub const USER_AGENT: &str = concat!(
    "centipawn/",
    env!("CARGO_PKG_VERSION"),
    " (+",
    env!("CARGO_PKG_REPOSITORY"),
    ")"
);

// An empty address would be no contact.
const _: () = assert!(!env!("CARGO_PKG_REPOSITORY").is_empty());
