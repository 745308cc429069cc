//! The work itself, as values: what a command line, a page, a worker and a notebook all run.

mod resources;

pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
