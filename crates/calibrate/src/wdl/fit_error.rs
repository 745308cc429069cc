//! The reasons why a fit can fail.

use std::fmt;

use centipawn_progress::{Cancelled, text::thousands};

/// Why no model can be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// No position is within the limits of the selection.
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
    /// The positions do not determine the model. Either their results agree with the evaluations,
    /// or they are too few to show whether they do.
    #[error("{0}")]
    TooFewGames(Box<TooFewGames>),
    /// The results do not depend on the evaluations as a model requires, or all evaluations are
    /// equal.
    #[error(
        "no win/draw/loss model fits these positions: {reason}. \
         Are the evaluations read from the right point of view (the option `evals`), and are there wins, draws and losses?"
    )]
    NoFit {
        /// The problem in words.
        reason: String,
    },
    /// [`Method::Density`](super::Method::Density) was requested with another shape than a cubic,
    /// or with two arguments.
    #[error("the method density fits cubics by material or move only; take probability or score")]
    DensityIsCubic,
    /// The fit was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl FitError {
    /// Adds the number of games that were counted, which the message of too few games shows.
    #[must_use]
    pub fn with_games(mut self, games: u64) -> Self {
        if let Self::TooFewGames(few) = &mut self {
            few.games = Some(games);
        }
        self
    }
}

/// The details of [`FitError::TooFewGames`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TooFewGames {
    /// The problem at which the fit ended.
    pub reason: String,
    /// Whether enough decided positions show that results agree with the evaluations.
    pub agree: bool,
    /// Number of games counted; `None` if it is unknown, as in files of counts.
    pub games: Option<u64>,
    /// Number of positions won, drawn and lost within the limits.
    pub positions: [u64; 3],
    /// Number of positions within the limits of move and material whose evaluation is larger than
    /// the largest one used.
    pub beyond: u64,
    /// The largest evaluation used, in hundredths of a pawn.
    pub eval_max: u32,
    /// The rows' argument: material or move.
    pub by: &'static str,
    /// Number of wins required for a separate fit of a row.
    pub win_min: u64,
    /// Values of the argument with fewer wins, as ranges: `17 to 25, 76`; empty if there are none.
    pub few_wins: String,
    /// Number of wins that these values lack, in total.
    pub missing_wins: u64,
}

impl fmt::Display for TooFewGames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            reason,
            positions,
            by,
            win_min,
            ..
        } = self;
        let games = self
            .games
            .map(|games| format!("{} games with ", thousands(games)))
            .unwrap_or_default();
        let [wins, draws, losses] = positions.map(thousands);
        write!(
            f,
            "too few games for a win/draw/loss model: {games}{wins} positions won, {draws} drawn and {losses} lost {} its coefficients: \
             {reason}",
            if self.agree {
                "agree with their evaluations, but do not determine"
            } else {
                "are too few to show whether they agree with their evaluations, and do not determine"
            }
        )?;
        if self.missing_wins > 0 {
            let (values, missing) = (&self.few_wins, thousands(self.missing_wins));
            write!(
                f,
                ". At {by} {values} there are fewer than {win_min} wins each, {missing} are missing in total"
            )?;
        }
        f.write_str(". Count more games")?;
        if self.beyond > 0 {
            let (beyond, largest) = (thousands(self.beyond), f64::from(self.eval_max) / 100.0);
            write!(
                f,
                ", or let larger evaluations count (the option `eval_max`): {beyond} positions are beyond ±{largest:.2}"
            )?;
        }
        Ok(())
    }
}
