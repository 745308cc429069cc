//! Why no model can be fitted.

use centipawn_progress::Cancelled;

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// No observation is left.
    #[error(
        "none of the {counted} positions counted is within the limits of move, material and evaluation; widen them"
    )]
    NoData {
        /// Positions before the limits.
        counted: u64,
    },
    /// Too few rows.
    #[error(
        "only {rows} values of {by} have at least {win_min} wins, and a cubic needs 4: \
         count more games, or lower --win-min"
    )]
    TooFewRows {
        /// Rows that have enough.
        rows: usize,
        /// What rows are.
        by: &'static str,
        /// How many is enough.
        win_min: u64,
    },
    /// Games were won and lost without regard to evaluations, or by a single one.
    #[error(
        "no win/draw/loss model fits these positions: {reason}. \
         Are the evaluations read from the right point of view (--evals), and are there wins, draws and losses?"
    )]
    NoFit {
        /// What went wrong.
        reason: String,
    },
    /// The density of rows says nothing of other shapes, nor of two arguments.
    #[error("the method density fits cubics by material or move only; take probability or score")]
    DensityIsCubic,
    /// The fit was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
