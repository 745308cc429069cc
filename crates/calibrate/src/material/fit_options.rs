//! Options of a model of rows.

use serde::{Deserialize, Serialize};

use super::Term;

/// How results enter the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The article's method: a logistic model of decisive games only, with a small penalty and
    /// without a first-move term.
    Classic,
    /// A logistic model of the score, in which a draw counts as half a win.
    Score,
    /// An ordered logit: a game is drawn if the advantage lies between two cut points.
    #[default]
    Ordered,
    /// Davidson's model: win, draw and loss as `e^(η/2) : ν : e^(−η/2)`.
    Davidson,
}

impl Method {
    /// Returns the name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Score => "score",
            Self::Ordered => "ordered",
            Self::Davidson => "davidson",
        }
    }
}

/// What the model predicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The result of the game.
    #[default]
    Result,
    /// White's expected score by the evaluation of a search.
    Search,
}

/// Options of a fit.
///
/// ```
/// use centipawn_calibrate::material::{FitOptions, Method, Term};
///
/// let options = FitOptions {
///     terms: vec![Term::BishopPair, Term::Tempo],
///     ..FitOptions::of(Method::Ordered)
/// };
/// assert!(options.first_move && options.resamples == 1000);
/// assert!(!FitOptions::of(Method::Classic).first_move);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitOptions {
    /// How results enter the model; [`Method::Ordered`] by default.
    pub method: Method,
    /// Terms besides the five kinds of pieces, each at most once; none by default.
    pub terms: Vec<Term>,
    /// Whether the first move has a coefficient; true by default except for [`Method::Classic`].
    pub first_move: bool,
    /// What the model predicts; results by default. [`Target::Search`] requires [`Method::Score`],
    /// because the other methods need results.
    pub target: Target,
    /// Number of bootstrap resamples for intervals; 1,000 by default, fewer than 2 for none.
    pub resamples: usize,
    /// Seed of the resamples' random numbers; 0 by default.
    pub seed: u64,
}

impl FitOptions {
    /// Returns the default options of a method: a first-move coefficient except for
    /// [`Method::Classic`], and 1,000 resamples.
    pub fn of(method: Method) -> Self {
        Self {
            method,
            terms: Vec::new(),
            first_move: method != Method::Classic,
            target: Target::Result,
            resamples: 1000,
            seed: 0,
        }
    }
}

impl Default for FitOptions {
    fn default() -> Self {
        Self::of(Method::default())
    }
}

impl Target {
    /// Returns the name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Search => "search",
        }
    }
}
