//! The data behind the six panels.

/// Data and a model of it. Evaluations are in internal units; values are material or moves.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) title: String,
    /// What the rows are: "material" or "move".
    pub(crate) by: &'static str,
    /// Internal units in a pawn, for the axes.
    pub(crate) pawn: f64,
    /// Largest evaluation.
    pub(crate) eval_max: f64,
    /// First and last value.
    pub(crate) range: (u32, u32),
    pub(crate) target: u32,
    /// A row for each value from the first to the last.
    pub(crate) rows: Vec<FigureRow>,
    /// The numbers, as text.
    pub(crate) report: String,
    /// What they mean for the model in force.
    pub(crate) verdict: Option<String>,
}

/// A row of data with its model.
#[derive(Clone, Debug, Default)]
pub(crate) struct FigureRow {
    pub(crate) value: u32,
    /// Wins, draws and losses for each bin of evaluations, from the lowest.
    pub(crate) cells: Vec<[f64; 3]>,
    /// `a` and `b` of the model.
    pub(crate) model: (f64, f64),
    /// `a`, and if known `b`, of the model that the new one may replace.
    pub(crate) old: Option<(f64, Option<f64>)>,
    /// `a` and `b` of this row fitted alone.
    pub(crate) own: Option<(f64, f64)>,
    /// Intervals of `a` and `b`.
    pub(crate) band: Option<[(f64, f64); 2]>,
}

/// Number of bins of evaluations.
pub(crate) const BINS: usize = 81;
