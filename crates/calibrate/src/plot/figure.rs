//! What the six panels show.

/// What is drawn: data and a model of it. Evaluations are in internal units, values are material or moves.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) title: String,
    /// What the rows are: "material" or "move".
    pub(crate) by: &'static str,
    /// Internal units a pawn, for the axes.
    pub(crate) pawn: f64,
    /// Largest evaluation.
    pub(crate) eval_max: f64,
    /// Values, from and to.
    pub(crate) range: (u32, u32),
    pub(crate) target: u32,
    /// Each value from the first to the last.
    pub(crate) rows: Vec<FigureRow>,
}

/// A row of data with its model.
#[derive(Clone, Debug, Default)]
pub(crate) struct FigureRow {
    pub(crate) value: u32,
    /// Won, drawn, lost at evaluations from the lowest to the highest bin.
    pub(crate) cells: Vec<[f64; 3]>,
    /// `a` and `b` of the model.
    pub(crate) model: (f64, f64),
    /// `a` and `b` of this row by itself.
    pub(crate) own: Option<(f64, f64)>,
    /// Intervals of `a` and `b`.
    pub(crate) band: Option<[(f64, f64); 2]>,
}

/// Bins of evaluations from the lowest to the highest.
pub(crate) const BINS: usize = 81;
