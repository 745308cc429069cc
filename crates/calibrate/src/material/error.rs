//! Why there is no model.

use centipawn_progress::Cancelled;

use super::{Feature, Method, Term};

/// Why no model can be fitted, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// There is nothing to fit.
    #[error("there are no rows: no game has a quiet position after its second ply; are these games with moves?")]
    NoRows,
    /// Nothing says what a search expects.
    #[error(
        "no row has an evaluation of a search: fit results instead (leave out --target search), or say with --evals how the \
         comments are written"
    )]
    NoEvaluations,
    /// Nothing says how strong players are.
    #[error("no game has the ratings of both players (tags WhiteElo, BlackElo): leave out --terms elo")]
    NoRatings,
    /// A term of draws where there are none.
    #[error(
        "no row with {term} is of a drawn game, so how much it changes draws cannot be told; give more games, or leave it out"
    )]
    NeverDrawn {
        /// The term.
        term: Term,
    },
    /// Nearly nobody won.
    #[error(
        "too few games were won to tell values: {decisive}, and at least {needed} are needed (hundreds are better); \
         give more games"
    )]
    TooFewDecisive {
        /// Games that were won.
        decisive: u64,
        /// How many are needed.
        needed: u64,
    },
    /// The method is about draws.
    #[error("no game was drawn, so --method {name} has nothing to fit; take --method score", name = method.name())]
    NoDraws {
        /// The method.
        method: Method,
    },
    /// A term of draws without draws.
    #[error(
        "the term {term} is about how often games are drawn, of which --method {name} knows nothing; take ordered or davidson, \
         or leave it out", name = method.name()
    )]
    NoDrawsInMethod {
        /// The term.
        term: Term,
        /// The method.
        method: Method,
    },
    /// A search gives no wins and draws.
    #[error("a search's scores are no results: --target search goes with --method score, not {name}", name = method.name())]
    SearchHasNoResults {
        /// The method.
        method: Method,
    },
    /// The rows say too little.
    #[error("files of rows tell differences of men only, so there is no {what} in them: give the games themselves")]
    BareRows {
        /// A term or band.
        what: &'static str,
    },
    /// A feature that never occurs.
    #[error(
        "no row has more {name} on one side than on the other, so they have no value here: give more games{or}",
        name = called(*feature), or = or_leave_out(*feature)
    )]
    Absent {
        /// The feature.
        feature: Feature,
    },
    /// A feature that is a sum of others.
    #[error(
        "{name} cannot be told from {others}: in every row one follows from the other; give more games{or}",
        name = called(*feature), others = list(others), or = or_leave_out(*feature)
    )]
    Collinear {
        /// The feature.
        feature: Feature,
        /// The others.
        others: Vec<Feature>,
    },
    /// A feature that always decides.
    #[error(
        "more {name} always {result} in these games, so no value is large enough: give more games, or other ones{or}",
        name = called(*feature), result = if *wins { "won" } else { "lost" }, or = or_leave_out(*feature)
    )]
    Separated {
        /// The feature.
        feature: Feature,
        /// Whether it won.
        wins: bool,
    },
    /// No step leads lower, and yet it is no lowest point.
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
        Feature::Term(term) => format!(", or leave out --terms {term}"),
        Feature::FirstMove => ", or leave it out (--no-first-move)".to_owned(),
        _ => String::new(),
    }
}

fn list(features: &[Feature]) -> String {
    features.iter().map(|&feature| called(feature)).collect::<Vec<_>>().join(", ")
}
