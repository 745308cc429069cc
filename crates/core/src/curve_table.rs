//! A curve for many evaluations at many contexts.

use crate::{Argument, Context, Curve, Pawn, WdlModel};

/// A curve that knows its parameters at every context beforehand, for millions of evaluations.
///
/// It gives the numbers of [`Curve::at`], bit by bit. Only win/draw/loss models have parameters that depend on the context; a table
/// of another curve is the curve itself.
///
/// ```
/// use centipawn_core::{Context, Curve, CurveTable};
///
/// let curve = Curve::by_name("stockfish-18", 1.0).unwrap();
/// let table = CurveTable::new(curve);
/// for material in [20, 78] {
///     let context = Context { material, ..Context::default() };
///     assert_eq!(table.at(0.8, context), curve.at(0.8, context));
/// }
/// ```
#[derive(Clone, Debug)]
pub struct CurveTable {
    curve: Curve,
    /// For each value of the model's argument from 0 to the last that differs; empty for other curves.
    rows: Vec<Parameters>,
    by_material: bool,
}

/// The values of a model at a context.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    /// `a`, `b` and internal units in a printed pawn.
    model: (f64, f64, f64),
    limit: f64,
}

/// Models that still differ beyond this argument are computed anew for each evaluation.
const MOST: f64 = 4096.0;

impl CurveTable {
    /// Computes the parameters of a curve.
    pub fn new(curve: Curve) -> Self {
        let Curve::Wdl(model) = curve else { return Self { curve, rows: Vec::new(), by_material: false } };
        let by_material = model.argument == Argument::Material;
        // The first argument that is clamped; all beyond it are alike.
        let last = match model.argument {
            Argument::Material | Argument::Ply => model.range[1],
            Argument::Move => 2.0 * (model.range[1] - 1.0),
        };
        let rows = if last < MOST {
            (0..=last.max(0.0).ceil() as u32).map(|value| parameters(&model, value)).collect()
        } else {
            Vec::new()
        };
        Self { curve, rows, by_material }
    }

    /// The curve of which these are the parameters.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Expected score, 0..=1, of an evaluation in pawns.
    #[inline]
    pub fn at(&self, pawns: f64, context: Context) -> f64 {
        let value = if self.by_material { context.material } else { context.ply } as usize;
        match self.rows.get(value).or(self.rows.last()) {
            Some(&Parameters { model, limit }) => WdlModel::rates(pawns, model, limit).expected_score(),
            None => self.curve.at(pawns, context),
        }
    }
}

fn parameters(model: &WdlModel, value: u32) -> Parameters {
    let context = Context { material: value, ply: value };
    let (a, b) = model.parameters(context);
    let units = match model.pawn {
        Pawn::Units(units) => units,
        Pawn::Normalised => a,
    };
    Parameters { model: (a, b, units), limit: model.clamp.unwrap_or(f64::INFINITY) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn is_the_curve(pawns in -60.0..60.0f64, material in 0..200u32, ply in 0..900u32) {
            let context = Context { material, ply };
            let models = WdlModel::stockfish_versions().map(|version| Curve::Wdl(WdlModel::stockfish(version).unwrap()));
            for curve in models.chain([Curve::LICHESS, Curve::Relevance { balance: 0.62 }]) {
                prop_assert_eq!(CurveTable::new(curve).at(pawns, context), curve.at(pawns, context), "{}", curve);
            }
        }

        /// Models of files: bounds between whole arguments, below 0, and too far for a table.
        #[test]
        fn is_the_model_of_a_file(
            pawns in -60.0..60.0f64,
            argument in prop::sample::select(&[Argument::Material, Argument::Move, Argument::Ply][..]),
            (least, length) in (-20.0..90.0f64, prop_oneof![0.0..100.0f64, Just(1e9)]),
            value in 0..400u32,
        ) {
            let model = WdlModel { argument, range: [least, least + length], ..WdlModel::default() };
            let context = Context { material: value, ply: value };
            let same = CurveTable::new(Curve::Wdl(model)).at(pawns, context);
            prop_assert!(same.to_bits() == Curve::Wdl(model).at(pawns, context).to_bits());
        }
    }
}
