//! The data of the six panels of a win/draw/loss plot.

/// Data with the model fitted to them. Evaluations are in internal units; the values of rows are
/// material or full moves.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) title: String,
    /// The argument of the rows: "material" or "move".
    pub(crate) by: &'static str,
    /// Internal units in a pawn, which scales the axes.
    pub(crate) pawn: f64,
    /// Largest evaluation, in internal units.
    pub(crate) eval_max: f64,
    /// First and last value of the rows.
    pub(crate) range: (u32, u32),
    pub(crate) target: u32,
    /// One row for each value of the range.
    pub(crate) rows: Vec<FigureRow>,
    /// The report of the fit, as text.
    pub(crate) report: String,
    /// The recommendation on the model in force, if there is one.
    pub(crate) verdict: Option<String>,
}

/// The data and the model at one value.
#[derive(Clone, Debug, Default)]
pub(crate) struct FigureRow {
    pub(crate) value: u32,
    /// Wins, draws and losses in each bin of evaluations, from the lowest.
    pub(crate) cells: Vec<[f64; 3]>,
    /// `a` and `b` of the fitted model.
    pub(crate) model: (f64, f64),
    /// `a`, and `b` if it is known, of the model that the new one may replace.
    pub(crate) old: Option<(f64, Option<f64>)>,
    /// `a` and `b` of a separate fit of this row.
    pub(crate) own: Option<(f64, f64)>,
    /// 95 % intervals of `a` and `b`.
    pub(crate) band: Option<[(f64, f64); 2]>,
}

/// Number of bins of evaluations.
pub(crate) const BINS: usize = 81;
