//! Curves as data for graphs.

use std::ops::RangeInclusive;

use centipawn_core::{Context, Curve, Eval, HumanModel, Wdl, White};
use serde::Serialize;

/// The range of material in a graph by material: the range that Stockfish's models cover.
const MATERIALS: RangeInclusive<u32> = 17..=78;
/// Distance between two ratings in a graph by rating.
const RATING_STEP: f64 = 50.0;

/// A curve as data for a graph.
///
/// ```
/// use centipawn_core::{Context, Curve};
/// use centipawn_review::rooms::CurveDocument;
///
/// let graph = CurveDocument::new(&Curve::LICHESS, Context::default(), Some(0.0));
/// assert_eq!((graph.points.len(), graph.score), (81, Some(0.5)));
/// assert!(graph.wdl.is_none());
/// ```
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct CurveDocument {
    /// The curve's name and parameters.
    pub curve: String,
    /// The win-draw balance in pawns.
    pub balance: f64,
    /// Pairs of an evaluation in pawns, from −10 to +10, and its expected score, 0..=1.
    pub points: Vec<(f64, f64)>,
    /// Win, draw and loss at each point; missing unless the curve has them.
    pub wdl: Option<Vec<Wdl>>,
    /// Pairs of material on the board, 17..=78, and the win-draw balance with this material, in
    /// pawns.
    pub balances: Vec<(u32, f64)>,
    /// Expected score, 0..=1, of the requested evaluation.
    pub score: Option<f64>,
    /// Win, draw and loss at the requested evaluation; missing unless the curve has them.
    pub chances: Option<Wdl>,
}

impl CurveDocument {
    /// Creates the points of a curve at a context, one every quarter of a pawn, and its value at
    /// `eval`, in pawns.
    pub fn new(curve: &Curve, context: Context, eval: Option<f64>) -> Self {
        let centipawns = || (-40..=40).map(|quarters| 25 * quarters);
        let points = centipawns()
            .map(|cp| f64::from(cp) / 100.0)
            .map(|pawns| (pawns, curve.at(pawns, context)));
        let wdl = |cp| curve.wdl(Eval::<White>::cp(cp), context);
        Self {
            curve: curve.to_string(),
            balance: curve.balance(context),
            points: points.collect(),
            wdl: centipawns().map(wdl).collect(),
            balances: MATERIALS
                .map(|material| {
                    (
                        material,
                        curve.balance(Context {
                            material,
                            ..context
                        }),
                    )
                })
                .collect(),
            score: eval.map(|pawns| curve.at(pawns, context)),
            chances: eval.and_then(|pawns| wdl((100.0 * pawns).round() as i32)),
        }
    }
}

/// What an evaluation is worth between humans, by rating.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PeopleDocument {
    /// Ratings in ascending order, over the range of the model.
    pub ratings: Vec<f64>,
    /// For each time control, the expected scores, 0..=1, in the order of `ratings`.
    pub scores: Vec<Vec<f64>>,
}

impl PeopleDocument {
    /// Creates the worth of an evaluation in pawns between equal players, for each of these times:
    /// seconds that a player has for the game.
    pub fn new(model: &HumanModel, eval: f64, times: &[f64]) -> Self {
        let [first, last] = model.ratings;
        let steps = ((last - first) / RATING_STEP) as u32;
        let ratings: Vec<f64> = (0..=steps)
            .map(|step| first + RATING_STEP * f64::from(step))
            .collect();
        let by_rating = |&seconds: &f64| -> Vec<f64> {
            ratings
                .iter()
                .map(|&rating| model.expected_score(eval, rating, seconds, 0.0))
                .collect()
        };
        let scores = times.iter().map(by_rating).collect();
        Self { ratings, scores }
    }
}
