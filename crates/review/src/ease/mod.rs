//! How hard positions and the moves of a game are for humans of some level: policy networks' probabilities, weighed by an
//! analyst's evaluations.
//!
//! A [`EaseJudge`] judges a position for every network; [`review_games`](crate::review_games) does so at every move where
//! [`ReviewOptions::ease`](crate::ReviewOptions::ease) names networks. The formulas are [`centipawn_core::Ease`].

mod document;
mod job;
mod judge;
mod moment;
mod options;
mod words;

use centipawn_core::{LevelCurve, LevelPoint, hardest};
use shakmaty::Move;

pub use document::{EaseDocument, EaseMoveDocument, MomentDocument, MomentPlace};
pub use job::{EaseJob, EaseOutcome, EaseStep};
pub use judge::{EaseJudge, EaseJudgeError, JudgedEase, JudgedMove, KnownEvals};
pub use moment::Moment;
pub use options::EaseOptions;

use crate::{PlyReview, Review};

/// Moments of a game are hard below this ease.
pub const HARD: f64 = 0.6;
/// Hardest moments named of a reviewed game, at most.
const MOMENTS: usize = 3;
/// Expected score from which on a move that gives it away is no good one.
const INACCURATE: f64 = 0.05;

impl JudgedEase {
    /// Whether ease is exact; otherwise somebody's natural moves were not evaluated, and it is at most so much.
    pub fn is_exact(&self) -> bool {
        self.missing.is_empty()
    }

    /// The best move, of equals the likelier, if it is a good one; `None` where the best move is not known.
    pub fn best(&self) -> Option<&JudgedMove> {
        self.moves.iter().rev().max_by(|a, b| a.q.total_cmp(&b.q)).filter(|mv| mv.loss < INACCURATE)
    }

    /// The move that lures most: the one with the largest share in what makes the position hard.
    pub fn lure(&self) -> Option<&JudgedMove> {
        self.moves.iter().max_by(|a, b| a.share.total_cmp(&b.share)).filter(|mv| mv.share > 0.0)
    }

    /// How likely a move is, 0..=1, if it was among the candidates.
    pub fn probability(&self, mv: Move) -> Option<f64> {
        self.moves.iter().find(|judged| judged.mv == mv).map(|judged| judged.p)
    }
}

/// Who would find a good move: a point for each network that stands for a level and whose ease is exact. `None` with fewer
/// than two.
pub fn levels(judged: &[JudgedEase]) -> Option<LevelCurve> {
    let exact = judged.iter().filter(|judged| judged.is_exact());
    let points: Vec<LevelPoint> = exact
        .filter_map(|judged| {
            Some(LevelPoint { rating: judged.rating?, ease: judged.ease.sum, finds: judged.ease.finds() })
        })
        .collect();
    (points.len() > 1).then(|| LevelCurve::new(points))
}

/// What stands for all networks where there is room for one number: the network in the middle.
pub fn middle(judged: &[JudgedEase]) -> Option<&JudgedEase> {
    judged.get(judged.len() / 2)
}

impl PlyReview {
    /// The move that was to be found: the analyst's first where it is a good one, else the best that was evaluated.
    pub fn to_be_found(&self) -> Option<Move> {
        let judged = middle(&self.ease)?;
        let first = self.lines.first().map(centipawn_engine::Line::first_move);
        let is_good = |mv: &Move| judged.moves.iter().any(|judged| judged.mv == *mv && judged.loss < INACCURATE);
        first.filter(is_good).or_else(|| judged.best().map(|best| best.mv))
    }
}

impl Review {
    /// The plies whose ease was asked for and is known only as "at most": evaluations from the game itself leave out moves
    /// that humans play.
    pub fn bounded_ease(&self) -> usize {
        self.plies.iter().filter(|ply| middle(&ply.ease).is_some_and(|judged| !judged.is_exact())).count()
    }
}

/// Indices of the plies that were hardest to play, the hardest first.
pub(crate) fn hardest_moments(plies: &[PlyReview]) -> Vec<usize> {
    let eases: Vec<Option<f64>> = plies.iter().map(|ply| Some(middle(&ply.ease)?.ease.sum)).collect();
    hardest(&eases, MOMENTS, HARD)
}
