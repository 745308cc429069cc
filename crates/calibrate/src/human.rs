//! Curves of people: what an evaluation is worth between them, by rating and time.
//!
//! - [`HumanGames`] are games between humans with their evaluated positions, from a scan
//!   ([`HumanGames::count`]) or a table ([`HumanRows`]).
//! - [`HumanFit`] is the model fitted to them, a [`HumanModel`](centipawn_core::HumanModel);
//!   [`HumanReport`] adds errors by game, a held-out comparison with other curves, and single
//!   classes of time and rating.
//! - [`HumanPlot`] shows data and model.

mod clock_worth;
mod clocks;
mod count;
mod deep_search;
mod draws;
mod evaluated;
mod fit;
mod game;
mod games;
mod held_out;
mod likelihood;
mod plots;
mod reliability;
mod report;
mod rows;
mod term;
mod winners;

pub use clock_worth::ClockWorth;
pub use count::HumanCountOptions;
pub use fit::{HumanFit, HumanFitError};
pub use game::{GameClass, HumanGame, HumanPosition, TimeClass};
pub use games::{HumanGames, LeftOut};
pub use held_out::{CurveLoss, HumanGroup, HumanHeldOut, TermGain};
pub use plots::HumanPlot;
pub use reliability::ReliabilityRow;
pub use report::{
    ClassFit, ClocksFit, DeepSearchFit, HumanErrors, HumanFitOptions, HumanReport, OwnFit,
    SourceFit,
};
pub use rows::{HumanRows, HumanRowsError};
pub use term::HumanTerm;
