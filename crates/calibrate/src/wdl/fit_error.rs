//! Why no model can be fitted.

use centipawn_progress::Cancelled;

/// Why no model can be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// No position is within the limits.
    #[error(
        "none of the {counted} positions counted is within the limits of move, material and evaluation; widen them"
    )]
    NoData {
        /// Number of positions counted.
        counted: u64,
    },
    /// Too few rows have enough wins.
    #[error(
        "only {rows} values of {by} have at least {win_min} wins, and a cubic needs 4: \
         count more games, or lower the option `win_min`"
    )]
    TooFewRows {
        /// Number of rows with enough wins.
        rows: usize,
        /// The rows' argument: material or move.
        by: &'static str,
        /// Number of wins required.
        win_min: u64,
    },
    /// Results do not depend on evaluations as a model requires, or all evaluations are equal.
    #[error(
        "no win/draw/loss model fits these positions: {reason}. \
         Are the evaluations read from the right point of view (the option `evals`), and are there wins, draws and losses?"
    )]
    NoFit {
        /// What went wrong.
        reason: String,
    },
    /// [`Method::Density`](super::Method::Density) with another shape, or with two arguments.
    #[error("the method density fits cubics by material or move only; take probability or score")]
    DensityIsCubic,
    /// The fit was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
