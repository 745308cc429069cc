//! How hard positions are for humans of different levels: the probabilities of policy networks,
//! weighed by an analyst's evaluations.
//!
//! An [`EaseJudge`] judges a position for every network. [`FindJob`](crate::FindJob) judges the
//! position before every move if [`JudgeOptions::ease`](crate::JudgeOptions::ease) names networks.
//! [`centipawn_core::Ease`] has the formulas.

mod early;
mod job;
mod judge;
mod levels;
mod moment;
mod options;

use centipawn_core::{BlunderMeter, LevelCurve, LevelPoint, hardest};
use shakmaty::Move;

pub use job::{EaseJob, EaseOutcome, EaseStep};
pub use judge::{EaseJudge, EaseJudgeError, EaseMove, JudgedEase, KnownEvals};
pub use levels::{EaseLevels, PlayerLevels};
pub use moment::Moment;
pub use options::EaseOptions;

use crate::{JudgedMove, Judgement};

/// A position of a game is a hard moment if its ease is below this.
pub const HARD: f64 = 0.6;
/// Maximum number of the hardest moments that a review names.
const MOMENTS: usize = 3;
/// The least probability of a tempting move.
const TEMPTING: f64 = 0.2;

impl JudgedEase {
    /// Returns whether ease is exact. If not, natural moves lack an evaluation, and ease is an
    /// upper bound.
    pub fn is_exact(&self) -> bool {
        self.missing.is_empty()
    }

    /// Returns the best of the evaluated moves, the likelier of equals; `None` if none of them is
    /// good.
    pub fn best(&self) -> Option<&EaseMove> {
        self.moves
            .iter()
            .rev()
            .max_by(|a, b| a.q.total_cmp(&b.q))
            .filter(|mv| mv.loss < BlunderMeter::INACCURATE)
    }

    /// Returns the most tempting move: the one with the largest share in what makes the position
    /// hard; `None` if no move loses anything.
    pub fn lure(&self) -> Option<&EaseMove> {
        self.moves
            .iter()
            .max_by(|a, b| a.share.total_cmp(&b.share))
            .filter(|mv| mv.share > 0.0)
    }

    /// Returns the most tempting mistake: of the moves with a probability of at least 0.2 that lose
    /// at least 0.1 of expected score, the one that costs players of this rating most.
    pub fn trap(&self) -> Option<&EaseMove> {
        let tempting = self
            .moves
            .iter()
            .filter(|mv| mv.p >= TEMPTING && mv.loss >= BlunderMeter::BLUNDER);
        tempting.max_by(|a, b| (a.p * a.loss).total_cmp(&(b.p * b.loss)))
    }

    /// Returns the probability, 0..=1, that players of this rating play a move; `None` if it was
    /// not evaluated.
    pub fn probability(&self, mv: Move) -> Option<f64> {
        self.moves
            .iter()
            .find(|judged| judged.mv == mv)
            .map(|judged| judged.p)
    }

    /// Returns a move's probability by the network alone, 0..=1; `None` if it was not evaluated.
    pub(crate) fn policy_probability(&self, mv: Move) -> Option<f64> {
        self.moves
            .iter()
            .find(|judged| judged.mv == mv)
            .map(|judged| judged.p_policy)
    }
}

/// Returns which levels find a good move: one point for each level with an exact ease. `None` with
/// fewer than two points.
pub fn levels(judged: &[JudgedEase]) -> Option<LevelCurve> {
    let exact = judged.iter().filter(|judged| judged.is_exact());
    let points: Vec<LevelPoint> = exact
        .filter_map(|judged| {
            Some(LevelPoint {
                rating: judged.level?,
                ease: judged.ease.sum,
                finds: judged.ease.finds(),
            })
        })
        .collect();
    (points.len() > 1).then(|| LevelCurve::new(points))
}

/// Returns the judgement to show where there is room for only one, such as in graphs: the one for
/// players with the mover's rating, else the middle one. `None` if there are none.
pub fn middle(judged: &[JudgedEase]) -> Option<&JudgedEase> {
    judged
        .iter()
        .find(|judged| judged.player.is_some())
        .or_else(|| judged.get(judged.len() / 2))
}

impl JudgedMove {
    /// Returns the move to find: the analyst's first move if it is good, else the best evaluated
    /// one. `None` without ease or without a good move.
    pub fn to_be_found(&self) -> Option<Move> {
        let judged = middle(&self.ease)?;
        let first = self.lines.first().map(centipawn_engine::Line::first_move);
        let is_good = |mv: &Move| {
            judged
                .moves
                .iter()
                .any(|judged| judged.mv == *mv && judged.loss < BlunderMeter::INACCURATE)
        };
        first
            .filter(is_good)
            .or_else(|| judged.best().map(|best| best.mv))
    }
}

impl Judgement {
    /// Returns the number of plies for which only an upper bound of ease is known, because
    /// evaluations from the game leave out natural moves.
    pub fn bounded_ease(&self) -> usize {
        self.plies
            .iter()
            .filter(|ply| middle(&ply.ease).is_some_and(|judged| !judged.is_exact()))
            .count()
    }
}

/// Indices of the hardest plies, hardest first.
pub(crate) fn hardest_moments(plies: &[JudgedMove]) -> Vec<usize> {
    let eases: Vec<Option<f64>> = plies
        .iter()
        .map(|ply| Some(middle(&ply.ease)?.ease.sum))
        .collect();
    hardest(&eases, MOMENTS, HARD)
}
