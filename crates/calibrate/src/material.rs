//! Piece values by regression, with honest errors.
//!
//! - [`count`] takes the rows of games: quiet positions in which the balance of men is another than before. They are a
//!   [`Collection`], which files of rows are too.
//! - [`Fit`] is a model of them: how much each man, and each [`Term`], adds to White's advantage.

mod collection;
mod count;
mod data;
mod error;
mod fit;
mod likelihood;
mod matrix;
mod row;
mod rows_file;
mod term;

pub use collection::{Collection, GameResult};
pub use count::{CountOptions, SearchCurve, count};
pub use data::{Feature, PIECES};
pub use error::FitError;
pub use fit::{Coefficient, Fit, FitOptions, Method, Target};
pub use row::{Difference, Row};
pub use rows_file::{RowsError, RowsFormat};
pub use term::{Term, UnknownTerm};
