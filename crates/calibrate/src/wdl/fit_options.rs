//! How a model is fitted.

use serde::{Deserialize, Serialize};

use super::{Selection, Shape, rates::Loss};

/// What a good model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Under which the games were most likely: the mean of −ln p of what happened is least.
    #[default]
    Probability,
    /// Whose expected scores have the least mean squared error; the objective is its root.
    Score,
    /// Whose rows have the least squared errors of the share won, then cubics through these rows.
    Density,
}

/// How a model is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitOptions {
    /// Which observations; by default those of [`Selection::default`].
    pub selection: Selection,
    /// What a good model is; [`Method::Probability`] by default.
    pub method: Method,
    /// What `a` and `b` may be; [`Shape::Cubic`] by default.
    pub shape: Shape,
    /// The value at which a cubic's coefficients add up to `a` or `b`; 58 by default.
    pub target: f64,
    /// Rows with fewer wins are not fitted by themselves; 10 by default.
    pub win_min: u64,
    /// Stop where WDL_model stops, rather than at the lowest point; not by default.
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

    /// The name that the command line takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probability => "probability",
            Self::Score => "score",
            Self::Density => "density",
        }
    }
}
