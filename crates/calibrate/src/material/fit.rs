//! A model fitted to rows.

use super::{
    Collection, Feature, Term,
    check::{check, endless},
    collection::Game,
    data::Data,
    draws::draws,
    error::FitError,
    likelihood::{Problem, predictors},
    matrix::{form, inverse, product},
    row::Row,
};
use crate::newton::minimize;

/// What a result is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The article's: a logistic model of games that were won, with a small penalty and without first move.
    Classic,
    /// A logistic model of the score; a draw is half a win.
    Score,
    /// An ordered logit: two cut points on White's advantage, with draws between them.
    #[default]
    Ordered,
    /// Davidson's: win, draw and loss as `e^(η/2) : ν : e^(−η/2)`.
    Davidson,
}

impl Method {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Score => "score",
            Self::Ordered => "ordered",
            Self::Davidson => "davidson",
        }
    }
}

/// What rows are fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// How the game ended.
    #[default]
    Result,
    /// What a search expects White to score.
    Search,
}

/// What a model is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// What a result is taken for.
    pub method: Method,
    /// What else may have a value, each once.
    pub terms: Vec<Term>,
    /// Whether the first move may.
    pub first_move: bool,
    /// What rows are fitted to. A search's scores are no results: for them the method is [`Method::Score`].
    pub target: Target,
    /// How often games are drawn again for intervals; fewer than 2: not at all.
    pub draws: usize,
}

impl FitOptions {
    /// A method as it is usually taken: with the first move unless it is the article's, with 1,000 draws.
    pub fn of(method: Method) -> Self {
        Self { method, terms: Vec::new(), first_move: method != Method::Classic, target: Target::Result, draws: 1000 }
    }
}

impl Default for FitOptions {
    fn default() -> Self {
        Self::of(Method::default())
    }
}

/// The article's penalty: what the sum of the squared coefficients costs.
const RIDGE: f64 = 1e-6;

/// A model of rows, with what is needed to say how sure it is.
///
/// White's advantage η is the sum of the coefficients, each as often as White has more of what it belongs to.
///
/// ```
/// use centipawn_calibrate::material::{CountOptions, Fit, FitOptions, Method, count};
/// use centipawn_pgn::{ScanOptions, Sources};
///
/// # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
/// let sources = Sources::expand(&[games])?;
/// let (collection, _) = count(&sources, &ScanOptions::default(), &CountOptions::default())?;
/// let fit = Fit::new(&collection, &FitOptions::of(Method::Ordered))?;
/// let pawn = fit.coefficients[0];
/// assert!(pawn.value > 0.0 && pawn.error > pawn.model_error);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fit {
    /// How it was fitted.
    pub options: FitOptions,
    /// Each coefficient: the men's, the terms', the first move's, then those of the draws' width.
    pub coefficients: Vec<Coefficient>,
    /// Games with rows that count.
    pub games: u64,
    /// Rows that count.
    pub rows: u64,
    /// Rows that differ: in features or result.
    pub groups: u64,
    /// Games left out because a term is not known of them.
    pub without_term: u64,
    /// Mean −ln of the likelihood of a row, with the article's penalty if the method has it.
    pub loss: f64,
    /// Covariances of the coefficients if rows were independent.
    pub(super) model_covariance: Vec<f64>,
    /// The same with games as what is independent.
    pub(super) covariance: Vec<f64>,
    /// Coefficients of each draw.
    pub(super) draws: Vec<Vec<f64>>,
}

/// A coefficient, in logits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficient {
    /// What it belongs to.
    pub feature: Feature,
    /// With the games there are.
    pub value: f64,
    /// Standard error, with games as what is independent.
    pub error: f64,
    /// Standard error if rows were independent, which they are not: too small.
    pub model_error: f64,
}

impl Fit {
    /// Of all rows.
    ///
    /// # Errors
    ///
    /// Where there is no such model, the reason.
    pub fn new(collection: &Collection, options: &FitOptions) -> Result<Self, FitError> {
        Self::of(collection, options, |_, _| true)
    }

    /// Of the rows that `take` takes.
    pub(super) fn of(
        collection: &Collection,
        options: &FitOptions,
        take: impl Fn(&Game, Row) -> bool,
    ) -> Result<Self, FitError> {
        if options.target == Target::Search && options.method != Method::Score {
            return Err(FitError::SearchHasNoResults { method: options.method });
        }
        let data = Data::new(collection, options, take)?;
        check(&data, options)?;
        let point = lowest(&data, &data.counts)?;
        let problem = problem(&data, &data.counts);
        let n = point.len();
        let bend = problem.derivatives(&point).bend;
        let model_covariance = inverse(&bend, n).ok_or(FitError::NoLowestPoint)?;
        let scores = game_scores(&data, &point);
        let covariance = product(&product(&model_covariance, &scores, n), &model_covariance, n);
        let features = data.features.iter().chain(&data.draw_features);
        let coefficients = features.zip(&point).enumerate().map(|(index, (&feature, &value))| Coefficient {
            feature,
            value,
            error: covariance[index * n + index].sqrt(),
            model_error: model_covariance[index * n + index].sqrt(),
        });
        Ok(Self {
            options: options.clone(),
            coefficients: coefficients.collect(),
            games: data.games() as u64,
            rows: data.total().round() as u64,
            groups: data.counts.iter().flatten().filter(|count| **count > 0.0).count() as u64,
            without_term: data.without_term,
            loss: problem.value(&point) / data.total(),
            draws: if options.draws < 2 { Vec::new() } else { draws(&data, &point, options.draws) },
            model_covariance,
            covariance,
        })
    }

    /// The coefficient of a feature, if the model has it.
    pub fn coefficient(&self, feature: Feature) -> Option<&Coefficient> {
        self.coefficients.iter().find(|own| own.feature == feature)
    }

    /// Draws to which the model could be fitted. In the others something always won.
    pub fn draws(&self) -> usize {
        self.draws.len()
    }
}

pub(super) fn problem<'a>(data: &'a Data, counts: &'a [[f64; 3]]) -> Problem<'a> {
    let ridge = if data.method == super::Method::Classic { RIDGE } else { 0.0 };
    Problem { data, counts, ridge }
}

/// The coefficients under which the counts are most likely.
pub(super) fn lowest(data: &Data, counts: &[[f64; 3]]) -> Result<Vec<f64>, FitError> {
    let problem = problem(data, counts);
    for (place, feature) in data.draw_features.iter().enumerate() {
        let drawn = counts.iter().enumerate().any(|(group, counts)| counts[1] > 0.0 && data.z_of(group)[place] != 0.0);
        if let (Feature::Term(term), false) = (*feature, drawn) {
            return Err(FitError::NeverDrawn { term });
        }
    }
    // Without a penalty: what grows without end must be seen to.
    let free = minimize(&Problem { ridge: 0.0, ..problem }, &start(data, counts));
    if let Some((feature, wins)) = endless(&Problem { ridge: 0.0, ..problem }, &free.point) {
        return Err(FitError::Separated { feature, wins });
    }
    if !free.converged {
        return Err(FitError::NoLowestPoint);
    }
    if problem.ridge == 0.0 {
        return Ok(free.point);
    }
    let minimum = minimize(&problem, &free.point);
    if minimum.converged { Ok(minimum.point) } else { Err(FitError::NoLowestPoint) }
}

/// No advantage for anything, and as many draws as there are.
fn start(data: &Data, counts: &[[f64; 3]]) -> Vec<f64> {
    let mut point = vec![0.0; data.parameters()];
    if data.method.has_draws() {
        let total: f64 = counts.iter().flatten().sum();
        let draws: f64 = counts.iter().map(|counts| counts[1]).sum();
        let share = (draws / total).clamp(0.01, 0.99);
        let odds =
            if data.method == Method::Ordered { (1.0 + share) / (1.0 - share) } else { 2.0 * share / (1.0 - share) };
        point[data.features.len()] = odds.ln();
    }
    point
}

/// The sum over games of the products of their slopes: how much the slope of the loss varies from game to game.
fn game_scores(data: &Data, point: &[f64]) -> Vec<f64> {
    let (n, width) = (point.len(), data.features.len());
    let slopes: Vec<[[f64; 2]; 3]> = (0..data.groups())
        .map(|group| {
            let (eta, h) = predictors(data, group, point);
            std::array::from_fn(|result| {
                let mut counts = [0.0; 3];
                counts[result] = 1.0;
                data.method.local(counts, eta, h).slope
            })
        })
        .collect();
    let mut sum = vec![0.0; n * n];
    for game in 0..data.games() {
        let mut own = vec![0.0; n];
        for (cell, weight) in data.game(game) {
            let (group, result) = (cell / 3, cell % 3);
            let slope = slopes[group][result];
            own.iter_mut().zip(data.x_of(group)).for_each(|(own, x)| *own += weight * slope[0] * x);
            own[width..].iter_mut().zip(data.z_of(group)).for_each(|(own, z)| *own += weight * slope[1] * z);
        }
        for (row, a) in own.iter().enumerate() {
            sum[row * n..(row + 1) * n].iter_mut().zip(&own).for_each(|(sum, b)| *sum += a * b);
        }
    }
    sum
}

impl Fit {
    /// A sum of coefficients, each as often as `weights` says, with its standard error.
    pub(super) fn sum(&self, weights: &[f64]) -> (f64, f64) {
        let value = self.coefficients.iter().zip(weights).map(|(own, weight)| own.value * weight).sum();
        (value, form(weights, &self.covariance, weights).sqrt())
    }
}
