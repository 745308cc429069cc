//! Converts printed centipawns to an engine's internal units.

use centipawn_core::{Context, Curve, Pawn, WdlModel};
use serde::{Deserialize, Serialize};

/// The number of internal units that an engine printed as one pawn, so that a model can be fitted
/// in internal units.
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
    /// The same number everywhere; 100 if the unit is the centipawn.
    Fixed(f64),
    /// The `a` of this model, which depends on the position.
    Model(WdlModel),
}

/// JSON form of [`Units`]: a number, or a curve.
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
        let units = match document {
            UnitsDocument::Fixed(units) => Self::Fixed(units),
            UnitsDocument::Model(Curve::Wdl(model)) => Self::Model(model),
            UnitsDocument::Model(_) => return Err("units are those of a win/draw/loss model"),
        };
        if units.is_sound() {
            Ok(units)
        } else {
            Err("a pawn has 1 to 10,000 units")
        }
    }
}

impl Default for Units {
    /// Returns the centipawns of the games: 100 units in a pawn.
    fn default() -> Self {
        Self::Fixed(100.0)
    }
}

impl Units {
    /// Returns the default units: centipawns, or with `compat` those of Stockfish 18, which are the
    /// default of the reference.
    pub fn usual(compat: bool) -> Self {
        // The default of WDL_model changes with each release. The golden values come from the
        // revision whose default was Stockfish 18.
        let reference = || Self::of_stockfish("18");
        compat.then(reference).flatten().unwrap_or_default()
    }

    /// Returns the units of an engine that normalises its evaluations by this model.
    pub fn of_model(model: WdlModel) -> Self {
        match model.pawn {
            Pawn::Units(units) => Self::Fixed(units),
            Pawn::Normalised => Self::Model(model),
        }
    }

    /// Returns the units of a Stockfish release such as `"15.1"`; `None` if the text is not a
    /// release.
    pub fn of_stockfish(version: &str) -> Option<Self> {
        Some(Self::of_model(WdlModel::stockfish(version)?))
    }

    /// Returns whether a pawn has 1 to 10,000 units. The upper limit bounds the memory of a fit.
    pub(super) fn is_sound(&self) -> bool {
        let is_finite = match self {
            Self::Fixed(units) => units.is_finite(),
            Self::Model(model) => model.a.iter().all(|weight| weight.is_finite()),
        };
        is_finite && (1..=10_000).contains(&self.pawn())
    }

    /// Returns the size of a pawn in whole internal units. A fixed number is truncated. The number
    /// of a model is its `a` at the argument that equals its divisor, rounded.
    pub fn pawn(&self) -> i32 {
        match self {
            Self::Fixed(units) => *units as i32,
            Self::Model(model) => (model.a.iter().sum::<f64>() + 0.5) as i32,
        }
    }

    /// Converts an evaluation in centipawns to internal units, rounded half to even.
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
