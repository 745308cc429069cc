//! Options of a fit.

use serde::{Deserialize, Serialize};

use super::{Selection, Shape, rates::Loss};

/// The objective of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Maximum likelihood: minimises the mean of −ln p.
    #[default]
    Probability,
    /// Minimises the mean squared error of the expected score; the reported objective is its root.
    Score,
    /// Minimises, row by row, the squared error of the share won, then puts cubics through the rows.
    Density,
}

/// How a model is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitOptions {
    /// Which observations are fitted; [`Selection::default`] by default.
    pub selection: Selection,
    /// The objective; [`Method::Probability`] by default.
    pub method: Method,
    /// The family of functions for `a` and `b`; [`Shape::Cubic`] by default.
    pub shape: Shape,
    /// The value at which a cubic's coefficients add up to `a` or `b`; 58 by default.
    pub target: f64,
    /// Fewest wins for fitting a row alone; 10 by default.
    pub win_min: u64,
    /// Whether to stop where WDL_model stops, rather than at the minimum; false by default.
    pub compat: bool,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            method: Method::Probability,
            shape: Shape::Cubic,
            target: 58.0,
            win_min: 10,
            compat: false,
        }
    }
}

impl Method {
    pub(super) fn loss(self) -> Option<Loss> {
        match self {
            Self::Probability => Some(Loss::Log),
            Self::Score => Some(Loss::Square),
            Self::Density => None,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probability => "probability",
            Self::Score => "score",
            Self::Density => "density",
        }
    }
}
