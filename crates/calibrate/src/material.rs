//! Piece values by regression, with honest errors.
//!
//! - [`count`] takes the rows of games: quiet positions in which the balance of men is another than before. They are a
//!   [`Collection`], which files of rows are too.
//! - [`Fit`] is a model of them: how much each man, and each [`Term`], adds to White's advantage.
//!   [`Fit::values`] tells it in pawns, [`Fit::test`] tests what is said of it, [`Comparison`] sets two beside each other.
//! - [`Bands`] are models of parts; [`HeldOut`] tells how well a model foretells other games; [`Balance`] is what an advantage
//!   counted 1-3-3-5-9 turned out to be worth.

mod balance;
mod band;
mod check;
mod collection;
mod compare;
mod count;
mod data;
mod draws;
mod error;
mod fit;
mod held_out;
mod hypothesis;
mod likelihood;
mod matrix;
mod plots;
mod row;
mod rows_file;
mod term;
mod values;

pub use balance::{Balance, BalancePoint};
pub use band::{Band, Bands, By, UnknownBy};
pub use collection::{Collection, GameResult};
pub use compare::{Comparison, Difference};
pub use count::{CountOptions, SearchCurve, count};
pub use data::{Feature, PIECES};
pub use error::FitError;
pub use fit::{Coefficient, Fit, FitOptions, Method, Target};
pub use held_out::{CalibrationBin, HeldOut, WithoutTerms};
pub use hypothesis::{BadHypothesis, CannotTest, Hypothesis, Tested, Verdict};
pub use plots::MaterialPlot;
pub use row::{Differences, Row};
pub use rows_file::{RowsError, RowsFormat};
pub use term::{Term, UnknownTerm};
pub use values::{PawnUncertain, Value};
