//! What to train next: the points that each cause costs a player, shrunk to what it costs players
//! of that level.

use std::{collections::BTreeMap, sync::LazyLock};

use centipawn_judge::Cause;
use serde::Deserialize;

use super::{LessonDocument, PlayerGame, PlayerMove, groups::moments};
use crate::{Language, player::causes::rounded};

/// Maximum number of a cause's costliest moves in the list.
const MOMENTS: usize = 30;
/// The rating that is assumed for players whose games have no rating.
const UNRATED: f64 = 1500.0;
/// Half the width of an 80 % interval of a normal distribution, in standard deviations.
const EIGHTY: f64 = 1.281_552;

/// The model of the score lost by causes: linear credibility (H. Bühlmann and E. Straub, 1970) with
/// means that depend on the rating.
///
/// A cause costs a player of true rate θ (expected score lost in each game) in n games a sum of
/// mean nθ and variance φnθ. Over players of a level, θ has mean m and standard deviation k·m. The
/// estimate of θ is then a weighted mean of what is counted and of m; the weight of what is counted
/// is n / (n + φ / (k²·m)).
///
/// `research/lessons.py` fitted the numbers; docs/how-we-know/archive.md has the data and the
/// tests.
#[derive(Clone, Debug, Deserialize)]
struct LessonModel {
    /// The parameter k: the spread of the losses among players of one level.
    spread: f64,
    causes: Vec<CausePrior>,
}

/// The expected score that players of a level lose by a cause.
#[derive(Clone, Debug, Deserialize)]
struct CausePrior {
    kind: String,
    cause: String,
    /// Expected score lost in each game at a rating of 1500.
    mean: f64,
    /// Change of the logarithm of the loss for 400 points of rating.
    slope: f64,
    /// φ: the mean of squared losses divided by the mean of losses, by game.
    dispersion: f64,
}

impl CausePrior {
    /// Returns the expected score that players of a rating lose in each game.
    fn level(&self, rating: f64) -> f64 {
        self.mean * (self.slope * (rating - UNRATED) / 400.0).exp()
    }
}

/// The estimated gain from a lesson on a cause.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Estimate {
    points: f64,
    interval: (f64, f64),
    level: f64,
    weight: f64,
}

static MODEL: LazyLock<LessonModel> = LazyLock::new(|| {
    serde_json::from_str(include_str!("lessons.json")).expect("the file is a part of the program")
});

impl LessonModel {
    fn estimate(&self, cause: Cause, rating: f64, games: usize, lost: f64) -> Option<Estimate> {
        let is = |prior: &&CausePrior| prior.kind == cause.kind() && prior.cause == cause.name();
        let prior = self.causes.iter().find(is)?;
        let level = prior.level(rating);
        let (n, variance) = (games as f64, (self.spread * level).powi(2));
        let weight = n * variance / (n * variance + prior.dispersion * level);
        let points = weight * lost / n.max(1.0) + (1.0 - weight) * level;
        let deviation = ((1.0 - weight) * variance).sqrt();
        Some(Estimate {
            points,
            interval: gamma_interval(points, deviation),
            level,
            weight,
        })
    }
}

/// What players of a level lose by a cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelCause {
    pub(super) cause: Cause,
    /// Expected score lost in each game.
    pub(super) mean: f64,
    /// The mean of squared losses divided by the mean of losses, by game.
    pub(super) dispersion: f64,
}

/// Returns what players of a rating lose by each cause.
pub(super) fn priors(rating: Option<f64>) -> Vec<LevelCause> {
    let of = |prior: &CausePrior| {
        Some(LevelCause {
            cause: Cause::of_names(&prior.kind, &prior.cause)?,
            mean: prior.level(rating.unwrap_or(UNRATED)),
            dispersion: prior.dispersion,
        })
    };
    MODEL.causes.iter().filter_map(of).collect()
}

/// Returns the causes that cost players of a rating most; `most` at most.
pub(super) fn common(rating: Option<f64>, most: usize) -> Vec<LevelCause> {
    let mut causes = priors(rating);
    causes.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    causes.truncate(most);
    causes
}

/// Returns the 80 % interval of a gamma distribution with this mean and standard deviation (Wilson
/// and Hilferty, 1931).
fn gamma_interval(mean: f64, deviation: f64) -> (f64, f64) {
    if deviation <= 0.0 || mean <= 0.0 {
        return (mean, mean);
    }
    let ninth = (deviation / mean).powi(2) / 9.0;
    let at = |z: f64| mean * (1.0 - ninth + z * ninth.sqrt()).max(0.0).powi(3);
    (at(-EIGHTY), at(EIGHTY))
}

/// Returns the causes of the losses in these games; those with a reason first, the one whose lesson
/// may be worth most first.
pub(super) fn lessons(
    games: &[PlayerGame],
    rating: Option<f64>,
    language: Language,
) -> Vec<LessonDocument> {
    // Games without searches have no reasons, and would make each cause look rare.
    let searched = games.iter().filter(|game| game.is_searched).count();
    let mut by_cause: BTreeMap<Cause, Vec<(&PlayerGame, &PlayerMove)>> = BTreeMap::new();
    for game in games {
        for mv in game.moves.iter().filter(|mv| mv.cause.counts(mv.loss)) {
            by_cause.entry(mv.cause).or_default().push((game, mv));
        }
    }
    let mut lessons: Vec<LessonDocument> = by_cause
        .into_iter()
        .map(|(cause, moves)| {
            let lost: f64 = moves.iter().map(|(_, mv)| mv.loss).sum();
            let all = if cause.topic().is_some() {
                searched
            } else {
                games.len()
            };
            let estimate = MODEL.estimate(cause, rating.unwrap_or(UNRATED), all, lost);
            let count = moves.len() as u64;
            LessonDocument {
                kind: cause.kind().to_owned(),
                cause: cause.name().to_owned(),
                text: language.cause(cause, count, lost),
                count,
                counted: rounded(lost / all.max(1) as f64),
                estimate: estimate.map(|estimate| rounded(estimate.points)),
                interval: estimate.map(
                    |Estimate {
                         interval: (low, high),
                         ..
                     }| (rounded(low), rounded(high)),
                ),
                level: estimate.map(|estimate| rounded(estimate.level)),
                weight: estimate.map(|estimate| rounded(estimate.weight)),
                moments: moments(moves.into_iter(), MOMENTS),
            }
        })
        .collect();
    let key = |lesson: &LessonDocument| {
        (
            lesson.estimate.is_some(),
            lesson.estimate.unwrap_or(lesson.counted),
        )
    };
    lessons.sort_by(|a, b| key(b).0.cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)));
    lessons
}
