//! A curve for many evaluations at many contexts.

use crate::{Argument, Context, Curve, Pawn, WdlModel};

/// A curve with precomputed parameters, for scoring millions of evaluations.
///
/// It gives the same numbers as [`Curve::at`], bit for bit. Only win/draw/loss models have
/// precomputed parameters; for other curves the table calls the curve itself.
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
    /// Parameters for each value of the model's argument from 0 up to the value beyond which they
    /// no longer change; empty for other curves.
    rows: Vec<Parameters>,
    by_material: bool,
    /// Cached expected scores of whole centipawns from −[`KEPT`] to [`KEPT`], one list for each
    /// row, one for each material of a curve for people whose model has phases, or one list in all
    /// for a curve without a context. A list is empty until its first use
    /// and then holds NaN for scores that are not computed yet. There are no lists for models
    /// without rows.
    known: Vec<Vec<f64>>,
}

/// Parameters of a win/draw/loss model at one context.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    /// `a` and `b` in internal units, and the internal units of a printed pawn.
    model: (f64, f64, f64),
    limit: f64,
}

/// The largest argument with a row. A model that still changes beyond it is computed anew for each
/// evaluation.
const MOST: f64 = 4096.0;

/// Number of materials that the phase of a game distinguishes, from 0 to 78.
const PHASES: usize = 79;

/// The largest absolute value in centipawns whose expected score is cached.
const KEPT: i32 = 2000;

impl CurveTable {
    /// Computes the parameters of a curve.
    pub fn new(curve: Curve) -> Self {
        let Curve::Wdl(model) = curve else {
            let by_material = matches!(curve, Curve::Human(human) if human.model.phase.is_some());
            let lists = if by_material { PHASES } else { 1 };
            return Self {
                curve,
                rows: Vec::new(),
                by_material,
                known: vec![Vec::new(); lists],
            };
        };
        let by_material = model.argument == Argument::Material;
        // The model's argument is clamped here, so all larger arguments share the last row.
        let last = match model.argument {
            Argument::Material | Argument::Ply => model.range[1],
            Argument::Move => 2.0 * (model.range[1] - 1.0),
        };
        let rows: Vec<Parameters> = if last < MOST {
            (0..=last.max(0.0).ceil() as u32)
                .map(|value| parameters(&model, value))
                .collect()
        } else {
            Vec::new()
        };
        let known = vec![Vec::new(); rows.len()];
        Self {
            curve,
            rows,
            by_material,
            known,
        }
    }

    /// The curve that the table was made from.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Expected score, 0..=1, of an evaluation in pawns.
    #[inline]
    pub fn at(&self, pawns: f64, context: Context) -> f64 {
        match self.rows.get(self.row(context)) {
            Some(&Parameters { model, limit }) => {
                WdlModel::rates(pawns, model, limit).expected_score()
            }
            None => self.curve.at(pawns, context),
        }
    }

    /// Expected score, 0..=1, of an evaluation in centipawns. Scores of whole centipawns are
    /// cached, because most evaluations of a large file equal an earlier one.
    #[inline]
    pub fn at_centipawns(&mut self, cp: f64, context: Context) -> f64 {
        let (whole, row) = (cp as i32, self.row(context));
        let is_kept = f64::from(whole) == cp && (-KEPT..=KEPT).contains(&whole);
        let place = whole.wrapping_add(KEPT) as usize;
        match self.known.get(row).and_then(|scores| scores.get(place)) {
            Some(score) if is_kept && !score.is_nan() => *score,
            _ => self.add(cp, context, (row, place), is_kept),
        }
    }

    #[inline(never)]
    fn add(
        &mut self,
        cp: f64,
        context: Context,
        (row, place): (usize, usize),
        is_kept: bool,
    ) -> f64 {
        let score = self.at(cp / 100.0, context);
        if let Some(scores) = self.known.get_mut(row).filter(|_| is_kept) {
            scores.resize(2 * KEPT as usize + 1, f64::NAN);
            scores[place] = score;
        }
        score
    }

    /// Index of the context's row among the cached lists; 0 if there are none.
    #[inline]
    fn row(&self, context: Context) -> usize {
        let value = if self.by_material {
            context.material
        } else {
            context.ply
        } as usize;
        value.min(self.known.len().saturating_sub(1))
    }
}

fn parameters(model: &WdlModel, value: u32) -> Parameters {
    let context = Context {
        material: value,
        ply: value,
    };
    let (a, b) = model.parameters(context);
    let units = match model.pawn {
        Pawn::Units(units) => units,
        Pawn::Normalised => a,
    };
    Parameters {
        model: (a, b, units),
        limit: model.clamp.unwrap_or(f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_table_equals_the_curve(pawns in -60.0..60.0f64, material in 0..200u32, ply in 0..900u32) {
            let context = Context { material, ply };
            let models = WdlModel::stockfish_versions().map(|version| Curve::Wdl(WdlModel::stockfish(version).unwrap()));
            for curve in models.chain([Curve::LICHESS, Curve::Relevance { balance: 0.62 }]) {
                prop_assert_eq!(CurveTable::new(curve).at(pawns, context), curve.at(pawns, context), "{}", curve);
            }
        }

        /// Some evaluations occur twice, so that the second one comes from the cache.
        #[test]
        fn cached_centipawns_equal_computed_ones(
            evals in prop::collection::vec((prop_oneof![-30..30i32, -2100..2100i32], any::<bool>(), 0..90u32), 1..50),
        ) {
            for curve in [Curve::by_name("stockfish-18", 1.0).unwrap(), Curve::LICHESS] {
                let mut table = CurveTable::new(curve);
                for (cp, is_whole, material) in evals.iter().chain(&evals) {
                    let cp = f64::from(*cp) + if *is_whole { 0.0 } else { 0.5 };
                    let context = Context { material: *material, ..Context::default() };
                    let same = table.at_centipawns(cp, context);
                    prop_assert_eq!(same.to_bits(), curve.at(cp / 100.0, context).to_bits(), "{} {}", curve, cp);
                }
            }
        }

        /// Models from files may have fractional bounds, bounds below 0, or too many arguments for
        /// a table.
        #[test]
        fn the_table_equals_a_model_from_a_file(
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
