//! Options of a fit.

use serde::{Deserialize, Serialize};

use super::{Selection, Shape, key::Key, rates::Loss};
use crate::OutOfRange;

/// The objective of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Maximum likelihood: minimises the mean of −ln p.
    #[default]
    Probability,
    /// Least squares: minimises the mean squared error of the expected score. The reported
    /// objective is its root.
    Score,
    /// Minimises the squared error of the share won in each row separately, then fits cubics
    /// through the rows.
    Density,
}

/// Options of a fit.
///
/// ```
/// use centipawn_calibrate::wdl::{By, FitOptions, Selection};
///
/// // A model by move instead of material, for moves 8 to 100. The target must fit the argument.
/// let options = FitOptions {
///     selection: Selection { by: By::Move, moves: (8, 100), ..Selection::default() },
///     target: By::Move.usual_target(),
///     ..FitOptions::default()
/// };
/// assert!(options.check().is_ok());
/// assert!(FitOptions { target: f64::NAN, ..options }.check().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "GivenOptions")]
pub struct FitOptions {
    /// The observations that are fitted; [`Selection::default`] by default.
    pub selection: Selection,
    /// The objective; [`Method::Probability`] by default.
    pub method: Method,
    /// The family of functions for `a` and `b`; [`Shape::Cubic`] by default.
    pub shape: Shape,
    /// The value of the argument at which a cubic's coefficients add up to `a` or `b`; by default
    /// [`By::usual_target`](super::By::usual_target).
    pub target: f64,
    /// Fewest wins for a separate fit of a row; 10 by default.
    pub win_min: u64,
    /// Whether to stop where WDL_model stops instead of at the minimum; false by default.
    pub compat: bool,
}

/// Options as the user gave them. If no target was given, it follows from the selection.
#[derive(Deserialize, Default)]
#[serde(default)]
struct GivenOptions {
    selection: Selection,
    method: Option<Method>,
    shape: Option<Shape>,
    target: Option<f64>,
    win_min: Option<u64>,
    compat: bool,
}

impl From<GivenOptions> for FitOptions {
    fn from(given: GivenOptions) -> Self {
        let GivenOptions {
            selection,
            method,
            shape,
            target,
            win_min,
            compat,
        } = given;
        Self {
            method: method.unwrap_or(Method::Probability),
            shape: shape.unwrap_or(Shape::Cubic),
            target: target.unwrap_or(selection.by.usual_target()),
            win_min: win_min.unwrap_or(10),
            selection,
            compat,
        }
    }
}

impl Default for FitOptions {
    fn default() -> Self {
        GivenOptions::default().into()
    }
}

impl FitOptions {
    /// Checks the limits of the selection and the target.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for the first number out of its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let check = |option, value: f64, range| OutOfRange::check(option, Some(value), range);
        let Selection {
            moves,
            material,
            eval_max,
            ..
        } = self.selection;
        for ([least, most], (low, high), largest) in [
            (["move_min", "move_max"], moves, Key::LAST_NUMBER),
            (
                ["material_min", "material_max"],
                material,
                Key::MOST_MATERIAL,
            ),
        ] {
            check(least, low.into(), [0.0, largest.into()])?;
            check(most, high.into(), [low.into(), largest.into()])?;
        }
        check("eval_max", eval_max.into(), [1.0, 2000.0])?;
        check("target", self.target, [1.0, 1000.0])
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

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probability => "probability",
            Self::Score => "score",
            Self::Density => "density",
        }
    }
}
