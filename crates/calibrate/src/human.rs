//! Curves of people: the expected score of an evaluation between human players, by their rating and
//! their time.
//!
//! - [`HumanGames`] holds games between humans with their evaluated positions, from a scan
//!   ([`HumanGames::count`]) or a table ([`HumanRows`]).
//! - [`HumanFit`] fits a [`HumanModel`](centipawn_core::HumanModel) to them. [`HumanReport`] adds
//!   standard errors by game, a held-out comparison with other curves, and separate fits of single
//!   classes of time and rating.
//! - [`HumanPlot`] draws the data with the model.

mod check;
mod clock_worth;
mod clocks;
mod clustered;
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

pub use check::{
    CellsCheck, CheckCells, CheckCellsError, Checked, CheckedCell, HumanCheck, LossCheck, Misfit,
    PoolCheck, ReliabilityCell, RowsCheck,
};
pub use clock_worth::ClockWorth;
pub use count::HumanCountOptions;
pub use fit::{HumanFit, HumanFitError};
pub use game::{GameClass, HumanGame, HumanPosition, TimeClass};
pub use games::{HumanGames, LeftOut};
pub use held_out::{CurveLoss, HumanGroup, HumanHeldOut, PoolLoss, TermGain};
pub use plots::HumanPlot;
pub use reliability::ReliabilityRow;
pub use report::{
    ClassFit, ClocksFit, DeepSearchFit, HumanErrors, HumanFitOptions, HumanReport, OwnFit,
    SourceFit, TermEstimate,
};
pub use rows::{HumanRows, HumanRowsError};
pub use term::HumanTerm;
