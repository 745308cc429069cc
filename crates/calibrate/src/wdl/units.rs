//! From printed centipawns back to an engine's own units.

use centipawn_core::{Context, Curve, Pawn, WdlModel};
use serde::{Deserialize, Serialize};

/// How many internal units an engine printed as one pawn, so that a model can be fitted in these units.
///
/// ```
/// use centipawn_calibrate::wdl::Units;
///
/// assert_eq!(Units::Fixed(361.0).internal(-25, 58, 32), -90); // −90.25
/// assert_eq!(Units::of_stockfish("18").unwrap().pawn(), 385);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "UnitsDocument", try_from = "UnitsDocument")]
pub enum Units {
    /// Always this number; 100 where centipawns are the unit.
    Fixed(f64),
    /// The `a` of this model, which depends on the position.
    Model(WdlModel),
}

/// [`Units`] as JSON: a number, or a curve.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum UnitsDocument {
    Fixed(f64),
    Model(Curve),
}

impl From<Units> for UnitsDocument {
    fn from(units: Units) -> Self {
        match units {
            Units::Fixed(units) => Self::Fixed(units),
            Units::Model(model) => Self::Model(Curve::Wdl(model)),
        }
    }
}

impl TryFrom<UnitsDocument> for Units {
    type Error = &'static str;

    fn try_from(document: UnitsDocument) -> Result<Self, Self::Error> {
        match document {
            UnitsDocument::Fixed(units) => Ok(Self::Fixed(units)),
            UnitsDocument::Model(Curve::Wdl(model)) => Ok(Self::Model(model)),
            UnitsDocument::Model(_) => Err("units are those of a win/draw/loss model"),
        }
    }
}

impl Default for Units {
    /// Centipawns as they stand in the games.
    fn default() -> Self {
        Self::Fixed(100.0)
    }
}

impl Units {
    /// Those of an engine that prints by this model.
    pub fn of_model(model: WdlModel) -> Self {
        match model.pawn {
            Pawn::Units(units) => Self::Fixed(units),
            Pawn::Normalised => Self::Model(model),
        }
    }

    /// Those of a Stockfish release, `"15.1"`; `None` for what is none.
    pub fn of_stockfish(version: &str) -> Option<Self> {
        Some(Self::of_model(WdlModel::stockfish(version)?))
    }

    /// A pawn in internal units, rounded; of a model at its target, where its argument is its divisor.
    pub fn pawn(&self) -> i32 {
        match self {
            Self::Fixed(units) => *units as i32,
            Self::Model(model) => (model.a.iter().sum::<f64>() + 0.5) as i32,
        }
    }

    /// An evaluation in centipawns in internal units, rounded half to even.
    pub fn internal(&self, eval: i32, material: u32, number: u32) -> i32 {
        (f64::from(eval) * self.units(material, number) / 100.0).round_ties_even() as i32
    }

    fn units(&self, material: u32, number: u32) -> f64 {
        match self {
            Self::Fixed(units) => *units,
            Self::Model(model) => {
                let ply = number.saturating_sub(1) * 2;
                model.parameters(Context { material, ply }).0
            }
        }
    }
}
