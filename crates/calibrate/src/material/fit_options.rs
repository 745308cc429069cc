//! What a model of rows is made of.

use serde::{Deserialize, Serialize};

use super::Term;

/// What a result is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// How the game ended.
    #[default]
    Result,
    /// What a search expects White to score.
    Search,
}

/// What a model is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitOptions {
    /// What a result is taken for; [`Method::Ordered`] by default.
    pub method: Method,
    /// What else may have a value, each once; nothing by default.
    pub terms: Vec<Term>,
    /// Whether the first move may; by default unless the method is the article's.
    pub first_move: bool,
    /// What rows are fitted to; results by default. A search's scores are no results: for them the method is
    /// [`Method::Score`].
    pub target: Target,
    /// Bootstrap resamples for intervals; 1,000 by default, fewer than 2: none.
    pub resamples: usize,
    /// What the resamples' random numbers begin with; 0 by default.
    pub seed: u64,
}

impl FitOptions {
    /// The defaults of a method: with the first move unless it is the article's, with 1,000 resamples.
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
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Search => "search",
        }
    }
}
