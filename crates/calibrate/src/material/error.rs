//! The reasons why a fit can fail.

use centipawn_progress::Cancelled;

use super::{Feature, Method, Term};

/// Why no model can be fitted, with advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There are no rows.
    #[error(
        "there are no rows: no game has a quiet position after its second ply; are these games with moves?"
    )]
    NoRows,
    /// Evaluations are the target, but no row has one.
    #[error(
        "no row has an evaluation of a search: fit results instead (leave out option `target search`), or set the dialect of the \
         comments with the option `evals`"
    )]
    NoEvaluations,
    /// A term needs ratings, but no game has both.
    #[error(
        "no game has the ratings of both players (tags WhiteElo, BlackElo): leave out option `terms elo`"
    )]
    NoRatings,
    /// No row with this draw term belongs to a drawn game.
    #[error(
        "no row with {term} is of a drawn game, so its effect on draws cannot be estimated; give more games, or leave it out"
    )]
    NeverDrawn {
        /// The term.
        term: Term,
    },
    /// Too few decisive games.
    #[error(
        "too few decisive games to estimate values: {decisive}, and at least {needed} are needed (hundreds are better); \
         give more games"
    )]
    TooFewDecisive {
        /// Number of decisive games in the collection.
        decisive: u64,
        /// Number of decisive games required.
        needed: u64,
    },
    /// The method models draws, but no game is drawn.
    #[error("no game was drawn, so option `method {name}` has nothing to fit; take option `method score`", name = method.name())]
    NoDraws {
        /// The method.
        method: Method,
    },
    /// A draw term is used with a method that does not model draws.
    #[error(
        "the term {term} is about how often games are drawn, of which option `method {name}` knows nothing; take ordered or davidson, \
         or leave it out", name = method.name()
    )]
    NoDrawsInMethod {
        /// The term.
        term: Term,
        /// The method.
        method: Method,
    },
    /// Evaluations are the target of a method that needs results.
    #[error("expected scores are not results: option `target search` goes with option `method score`, not {name}", name = method.name())]
    SearchHasNoResults {
        /// The method.
        method: Method,
    },
    /// The row file lacks data that the options require.
    #[error(
        "files of rows contain only differences of men, so {what} is missing: give the games themselves"
    )]
    BareRows {
        /// The term or band that needs the data.
        what: &'static str,
    },
    /// The rows were collected without the structure of positions.
    #[error(
        "the rows were counted without the structure that the term {term} is about: count the \
         games again with the same terms"
    )]
    NoStructure {
        /// The term.
        term: Term,
    },
    /// A feature is zero in all rows.
    #[error(
        "no row has more {name} on one side than on the other, so they have no value here: give more games{or}",
        name = called(*feature), or = or_leave_out(*feature)
    )]
    Absent {
        /// The feature.
        feature: Feature,
    },
    /// A feature is a linear combination of others.
    #[error(
        "{name} cannot be distinguished from {others}: in every row one determines the other; give more games{or}",
        name = called(*feature), others = list(others), or = or_leave_out(*feature)
    )]
    Collinear {
        /// The feature.
        feature: Feature,
        /// The features that determine it.
        others: Vec<Feature>,
    },
    /// A feature perfectly predicts the result.
    #[error(
        "more {name} always {result} in these games, so no value is large enough: give more games, or other ones{or}",
        name = called(*feature), result = if *wins { "won" } else { "lost" }, or = or_leave_out(*feature)
    )]
    Separated {
        /// The feature.
        feature: Feature,
        /// Whether the side with more of the feature always won; otherwise it always lost.
        wins: bool,
    },
    /// The reason that an earlier run stored as text.
    #[error("{reason}")]
    Earlier {
        /// The reason, in words.
        reason: String,
    },
    /// The optimiser did not converge.
    #[error("the fit does not come to an end: give more games, or leave out terms")]
    NoLowestPoint,
    /// The fit was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn called(feature: Feature) -> String {
    match feature {
        Feature::Piece(_) => format!("{}s", feature.name()),
        Feature::FirstMove => "of the first move".to_owned(),
        _ => feature.name().to_owned(),
    }
}

fn or_leave_out(feature: Feature) -> String {
    match feature {
        Feature::Term(term) => format!(", or leave out option `terms {term}`"),
        Feature::Own(name) => format!(", or leave the column {} out", name.as_str()),
        Feature::FirstMove => ", or leave it out (option `first_move false`)".to_owned(),
        _ => String::new(),
    }
}

fn list(features: &[Feature]) -> String {
    features
        .iter()
        .map(|&feature| called(feature))
        .collect::<Vec<_>>()
        .join(", ")
}
