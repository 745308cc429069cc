//! The work itself, as values: what a command line, a page, a worker and a notebook all run.

mod policy_run;
mod resources;

pub use policy_run::{NetworkAnswer, NetworkEvent, run_networks};
pub use resources::{AnalystSpec, ResourceError, Resources, StoreChoice};
