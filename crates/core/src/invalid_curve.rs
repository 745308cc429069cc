//! Why a curve is invalid.

use std::fmt;

use crate::{Argument, InvalidHumanCurve};

/// A curve with a number out of bounds, or whose expected score does not rise with the evaluation
/// somewhere in its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCurve {
    /// A number is out of bounds.
    #[error("{name} is {}; it must be {}", Plain(*value), Bounds(*least, *most))]
    Value {
        /// Key of the number in a curve file.
        name: &'static str,
        /// The number in the file.
        value: f64,
        /// The least accepted value.
        least: f64,
        /// The greatest accepted value.
        most: f64,
    },
    /// A win/draw/loss model whose width is not above 0.
    #[error(
        "at {} the width b of the win rate is {}; it must be above 0, or the expected score does not rise with the evaluation; \
         correct the coefficients b, or narrow the range", At(*argument, *at), Short(*width)
    )]
    Width {
        /// The variable of the model's coefficients.
        argument: Argument,
        /// The value of the variable at which the check fails.
        at: f64,
        /// The width at this value, in internal units.
        width: f64,
    },
    /// A win/draw/loss model in which wins and losses together exceed 1, or in which no evaluation
    /// matters.
    #[error(
        "at {} the middle a of the win rate is {}; it must be {}; correct the coefficients a, or narrow the range",
        At(*argument, *at), Short(*middle),
        if *is_pawn { "above 0, because it is the pawn" } else { "at least 0, or wins and losses together exceed 1" }
    )]
    Middle {
        /// The variable of the model's coefficients.
        argument: Argument,
        /// The value of the variable at which the check fails.
        at: f64,
        /// The middle at this value, in internal units.
        middle: f64,
        /// Whether the middle is the printed pawn ([`Pawn::Normalised`](crate::Pawn::Normalised)).
        is_pawn: bool,
    },
    /// The human model or curve has a number out of bounds.
    #[error(transparent)]
    Human(#[from] InvalidHumanCurve),
}

/// A number, with an exponent if it is very large or small: `1e308`.
struct Plain(f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            number if number == 0.0 || (1e-5..1e10).contains(&number.abs()) => {
                write!(f, "{number}")
            }
            number => write!(f, "{number:e}"),
        }
    }
}

/// Formats the allowed range of a number in words.
struct Bounds(f64, f64);

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Bounds(least, most) => write!(f, "from {} to {}", Plain(least), Plain(most)),
        }
    }
}

/// Formats the variable of a model with its value: `material 37`.
struct At(Argument, f64);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            Argument::Material => "material",
            Argument::Move => "move",
            Argument::Ply => "ply",
        };
        write!(f, "{name} {}", self.1)
    }
}

/// Formats a number with two decimals, or with all of them if two would round it to 0.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            number if number.abs() >= 0.01 => write!(f, "{number:.2}"),
            number => write!(f, "{number}"),
        }
    }
}

/// Checks that a value is a number within bounds.
pub(crate) fn check(
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
) -> Result<(), InvalidCurve> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(InvalidCurve::Value {
            name,
            value,
            least,
            most,
        })
    }
}
