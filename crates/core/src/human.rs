//! The expected score of an evaluation in games between people, by rating and time control.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{Eval, Pool, PoolEffect, PoolEffects, Score, Wdl, White, math::Portable as _};

/// A model of people's games: how fast the expected score rises with the evaluation, by rating and
/// time.
///
/// `P = 1/(1 + e^(−k·pawns − r·d/400))` with `ln k = b0 + b1·(R − 1800)/400 + ln(T/(T +
/// half_time)) + c1·u + c2·u²`, where `R` is the mean rating of the two players, `T` the seconds
/// that each has (base + 40·increment), `d` the rating difference, and `u = (material − 58)/20`: a
/// lead is worth less while the board is full. A [pool](Pool) of players adds to `b0`, `b1` and
/// `r`. People do not win every game with a forced mate, so a mate has the log-odds `m0 + m1·(R −
/// 1800)/400 + m2·ln(T/600)`, which no evaluation exceeds.
///
/// Methods without a material describe positions with a material of 58, and methods without a pool
/// use the common constants; [`in_pool`](Self::in_pool) returns those of a pool.
///
/// ```
/// use centipawn_core::HumanModel;
///
/// // +3.00 between two players rated 1500 in a game of three minutes, and between two masters.
/// let worth = |rating, seconds| HumanModel::default().expected_score(3.0, rating, seconds, 0.0);
/// assert_eq!(format!("{:.2} {:.2}", worth(1500.0, 180.0), worth(2500.0, 7200.0)), "0.66 0.89");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(remote = "Self")]
pub struct HumanModel {
    /// `ln k` at rating 1800 in games without haste, k per pawn.
    pub b0: f64,
    /// What 400 points of rating add to `ln k`.
    pub b1: f64,
    /// Seconds a player with which `k` is half of that without haste; 0 if the time changes
    /// nothing.
    pub half_time: f64,
    /// What 400 points of rating difference add to the log-odds of the stronger player's score.
    pub r: f64,
    /// The phase of the game: `c1` and `c2`; `None` if the material changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub phase: Option<[f64; 2]>,
    /// What each pool of players adds to the constants.
    #[serde(default, skip_serializing_if = "PoolEffects::is_empty")]
    #[schema(nullable = false)]
    pub pools: PoolEffects,
    /// The log-odds of the side with a mate: constant, by 400 points of rating, by `ln(T/600)`;
    /// `None` if a mate is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mates: Option<[f64; 3]>,
    /// The two clocks: `c` and `a` in `c·(own − other)/(own + other)·(T/600)^(−a)`, which is added
    /// to the log-odds of a player with `own` seconds left; `None` if the model has no clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub clocks: Option<[f64; 2]>,
    /// The width of draws, `ln h` of an ordered logit: constant, by 400 points of rating, by
    /// `ln(T/600)` (see [`wdl`](Self::wdl)); `None` if the model has no draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draws: Option<[f64; 3]>,
    /// Ratings outside of these bounds, where the model had games, count as the nearest bound.
    #[serde(default = "every_rating")]
    #[schema(required)]
    pub ratings: [f64; 2],
    /// The same for the seconds that each player has.
    #[serde(default = "every_time")]
    #[schema(required)]
    pub seconds: [f64; 2],
    /// The unit of the evaluations that the model was fitted to, in [pawns for one of Stockfish
    /// 15.1's](crate::WdlModel::pawn_units).
    #[serde(default = "one")]
    #[schema(required)]
    pub units: f64,
}

/// A human model for two players: their rating and time, and the unit of the evaluations.
///
/// ```
/// use centipawn_core::{Curve, HumanCurve};
///
/// // Two players rated 1500 with five minutes each win less often from +2.00 than the players of
/// // the study curve, rated 1800 with 90 minutes.
/// let blitz = HumanCurve { rating: 1500.0, seconds: 300.0, ..HumanCurve::study() };
/// assert!(0.5 < blitz.at(2.0) && blitz.at(2.0) < HumanCurve::study().at(2.0));
/// assert_eq!(Curve::Human(blitz).to_string(), "human, rating 1500, 5 min a player, k 0.27");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(remote = "Self")]
pub struct HumanCurve {
    /// The mean rating of the two players.
    pub rating: f64,
    /// Seconds that each player has for the game: base + 40·increment.
    pub seconds: f64,
    /// The pool that the rating belongs to.
    #[serde(default, skip_serializing_if = "Pool::is_unknown")]
    #[schema(nullable = false)]
    pub pool: Pool,
    /// The unit of the evaluations, in [pawns for one of Stockfish
    /// 15.1's](crate::WdlModel::pawn_units).
    #[serde(default = "one")]
    #[schema(required)]
    pub units: f64,
    /// The constants; by default the built-in ones.
    #[serde(default)]
    #[schema(required)]
    pub model: HumanModel,
}

/// A number of a [`HumanModel`] or [`HumanCurve`] that is out of bounds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("human curve: {name} is {value}; it must be from {least} to {most}")]
pub struct InvalidHumanCurve {
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
}

const RATINGS: [f64; 2] = [0.0, 5000.0];
const SECONDS: [f64; 2] = HumanCurve::SECONDS;
const UNITS: [f64; 2] = HumanCurve::UNITS;
/// Bounds of `k`, per pawn. At the lower one, evaluations have no effect; at the upper one, a
/// centipawn decides the game.
const STEEPNESS: [f64; 2] = [1e-5, 1e2];
/// Lower bound of the log-odds of the side with a mate, an expected score of 52 %.
const LEAST_CEILING: f64 = 0.1;
/// Fewer seconds on a clock count as this many, so that the model stays defined at 0.
const LEAST_CLOCK: f64 = 0.5;

fn every_rating() -> [f64; 2] {
    RATINGS
}

fn every_time() -> [f64; 2] {
    SECONDS
}

fn one() -> f64 {
    1.0
}

fn check(name: &'static str, value: f64, [least, most]: [f64; 2]) -> Result<(), InvalidHumanCurve> {
    // The range also refuses NaN.
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(InvalidHumanCurve {
            name,
            value,
            least,
            most,
        })
    }
}

impl Default for HumanModel {
    /// Fitted by `wdl human` to the table `examples/people.tsv.zst`: 177,213 positions of 8,733
    /// games between humans, from bullet online to masters' classical games, evaluated by Stockfish
    /// 15.1 with 6,000 nodes.
    fn default() -> Self {
        let effect = |level, slope, difference| {
            Some(PoolEffect {
                level,
                slope,
                difference,
            })
        };
        Self {
            b0: -0.727,
            b1: 0.225,
            half_time: 159.5,
            r: 1.317,
            phase: Some([-0.164, -0.029]),
            pools: PoolEffects {
                lichess: effect(-0.193, 0.029, 0.067),
                chess_com: effect(-0.016, 0.017, 0.0),
                fide: effect(-0.010, 0.044, 0.370),
                fide_online: effect(0.219, -0.091, -0.479),
                fics: None,
            },
            mates: Some([3.171, 0.342, 0.521]),
            clocks: Some([1.067, 0.449]),
            draws: Some([-1.038, 0.267, 0.274]),
            ratings: [300.0, 2900.0],
            seconds: [30.0, 7200.0],
            units: 1.0,
        }
    }
}

/// The material of both sides at which the phase of the game multiplies `k` by 1: that of
/// [`Context::default`](crate::Context::default).
const MATERIAL: f64 = 58.0;
/// Bounds of the material of both sides: bare kings, and all pieces.
const MATERIALS: [f64; 2] = [0.0, 78.0];

impl HumanModel {
    /// The model for the players of a pool, whose effect becomes part of the constants.
    ///
    /// ```
    /// use centipawn_core::{HumanModel, Pool, PoolEffect};
    ///
    /// let mut model = HumanModel::default();
    /// model.pools.set(Pool::Fics, PoolEffect { level: -0.2, ..PoolEffect::default() });
    /// assert_eq!(model.in_pool(Pool::Fics).b0, model.b0 - 0.2);
    /// assert_eq!(model.in_pool(Pool::Unknown).b0, model.b0);
    /// ```
    #[must_use]
    pub fn in_pool(&self, pool: Pool) -> Self {
        let own = self.pools.get(pool).unwrap_or_default();
        Self {
            b0: self.b0 + own.level,
            b1: self.b1 + own.slope,
            r: self.r + own.difference,
            pools: PoolEffects::default(),
            ..*self
        }
    }

    /// The factor by which the phase of the game multiplies `k`, by the material of both sides: 1
    /// at 58.
    pub fn phase_factor(&self, material: f64) -> f64 {
        let Some([c1, c2]) = self.phase else {
            return 1.0;
        };
        let [least, most] = MATERIALS;
        let u = (material.clamp(least, most) - MATERIAL) / 20.0;
        (c1 * u + c2 * u * u).exp_portable()
    }

    /// The steepness `k` per pawn, in the model's own unit, for this mean rating and these seconds
    /// for each player.
    pub fn steepness(&self, rating: f64, seconds: f64) -> f64 {
        let (rating, seconds) = self.within_bounds(rating, seconds);
        (self.b0 + self.b1 * rating).exp_portable() * seconds / (seconds + self.half_time)
    }

    /// Log-odds of the side with a mate, which no evaluation exceeds; infinite if a mate always
    /// wins.
    pub fn ceiling(&self, rating: f64, seconds: f64) -> f64 {
        let Some([constant, by_rating, by_time]) = self.mates else {
            return f64::INFINITY;
        };
        let (rating, seconds) = self.within_bounds(rating, seconds);
        (constant + by_rating * rating + by_time * (seconds / 600.0).ln_portable())
            .max(LEAST_CEILING)
    }

    /// Returns `(R − 1800)/400` and the seconds, both clamped to the bounds of the model.
    fn within_bounds(&self, rating: f64, seconds: f64) -> (f64, f64) {
        let rating = rating.clamp(self.ratings[0], self.ratings[1]);
        (
            (rating - 1800.0) / 400.0,
            seconds.clamp(self.seconds[0], self.seconds[1]),
        )
    }

    /// Probabilities of win, draw and loss for the player with this expected score, 0..=1; `None`
    /// if the model has no draws.
    ///
    /// They are those of an ordered logit, `W = 1/(1 + e^(h − η))` and `L = 1/(1 + e^(h + η))`,
    /// with the `η` that gives the expected score: `u = e^η` solves `(1 − P)·u² + cosh h·(1 − 2P)·u
    /// = P`.
    ///
    /// ```
    /// use centipawn_core::HumanModel;
    ///
    /// let model = HumanModel { draws: Some([-1.0, 0.0, 0.0]), ..HumanModel::default() };
    /// let wdl = model.wdl(0.75, 1800.0, 600.0).unwrap();
    /// assert!((wdl.expected_score() - 0.75).abs() < 1e-12 && wdl.draw > 0.1 && wdl.win > wdl.loss);
    /// ```
    pub fn wdl(&self, score: f64, rating: f64, seconds: f64) -> Option<Wdl> {
        let [d0, d1, d2] = self.draws?;
        let (rating, seconds) = self.within_bounds(rating, seconds);
        Some(ordered_logit(
            (d0 + d1 * rating + d2 * (seconds / 600.0).ln_portable()).exp_portable(),
            score,
        ))
    }

    /// The log-odds of an evaluation between equal players with equal clocks. `slope` is the
    /// steepness per pawn of the evaluation's unit.
    pub(crate) fn log_odds(&self, eval: Eval<White>, slope: f64, rating: f64, seconds: f64) -> f64 {
        let ceiling = self.ceiling(rating, seconds);
        match eval.score() {
            Score::Cp(cp) => (slope * f64::from(cp) / 100.0).clamp(-ceiling, ceiling),
            Score::Mate(moves) if moves > 0 => ceiling,
            Score::Mate(_) => -ceiling,
        }
    }

    /// Expected score, 0..=1, of an evaluation in the model's own pawns; `difference` is the rating
    /// difference between the player whose score it is and the opponent.
    pub fn expected_score(&self, pawns: f64, rating: f64, seconds: f64, difference: f64) -> f64 {
        let ceiling = self.ceiling(rating, seconds);
        let own = (self.steepness(rating, seconds) * pawns).clamp(-ceiling, ceiling);
        logistic(own + self.r * difference / 400.0)
    }

    /// What the clocks add to White's log-odds; 0 if the model ignores clocks. `clocks` are the
    /// seconds left to White and to Black, `seconds` is the time that each has for the game.
    pub fn clock_log_odds(&self, clocks: [f64; 2], seconds: f64) -> f64 {
        let Some([c, a]) = self.clocks else {
            return 0.0;
        };
        let [white, black] = clocks.map(|left| left.max(LEAST_CLOCK));
        let seconds = seconds.clamp(self.seconds[0], self.seconds[1]);
        c * (white - black) / (white + black) * (seconds / 600.0).powf_portable(-a)
    }

    /// Checks every constant, and that the steepness stays in bounds for all ratings and times of
    /// the model.
    ///
    /// # Errors
    ///
    /// [`InvalidHumanCurve`] names the first number that is out of bounds.
    pub fn check(&self) -> Result<(), InvalidHumanCurve> {
        for (name, value) in [("b0", self.b0), ("b1", self.b1), ("r", self.r)] {
            check(name, value, [-20.0, 20.0])?;
        }
        check("half_time", self.half_time, [0.0, SECONDS[1]])?;
        let [[slowest, strongest], [shortest, longest]] = [self.ratings, self.seconds];
        for value in self.draws.into_iter().flatten() {
            check("the width of draws", value, [-20.0, 20.0])?;
        }
        for value in self.mates.into_iter().flatten() {
            check("the log-odds of a mate", value, [-50.0, 50.0])?;
        }
        for (name, value) in ["c of the clocks", "a of the clocks"]
            .into_iter()
            .zip(self.clocks.into_iter().flatten())
        {
            check(name, value, [-20.0, 20.0])?;
        }
        check("the lowest rating", slowest, RATINGS)?;
        check("the highest rating", strongest, [slowest, RATINGS[1]])?;
        check("the shortest time", shortest, SECONDS)?;
        check("the longest time", longest, [shortest, SECONDS[1]])?;
        check("units", self.units, UNITS)?;
        for (name, value) in ["c1 of the phase", "c2 of the phase"]
            .into_iter()
            .zip(self.phase.into_iter().flatten())
        {
            check(name, value, [-20.0, 20.0])?;
        }
        for pool in Pool::ALL {
            let effect = self.pools.get(pool).unwrap_or_default();
            check("the level of a pool", effect.level, [-20.0, 20.0])?;
            check("the slope of a pool", effect.slope, [-20.0, 20.0])?;
            check("the difference of a pool", effect.difference, [-20.0, 20.0])?;
            // `k` rises with the time, and `ln k` is linear in the rating, so the extremes lie on
            // the bounds. In the material `ln k` is a parabola, so its middle is checked too.
            let own = self.in_pool(pool);
            for rating in self.ratings {
                for seconds in [shortest, longest] {
                    for material in [MATERIALS[0], MATERIALS[1] / 2.0, MATERIAL, MATERIALS[1]] {
                        let k = own.steepness(rating, seconds) * self.phase_factor(material);
                        check("k", k, STEEPNESS)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The logistic function `1/(1 + e^(−x))`: the expected score, 0..=1, at these log-odds.
#[inline]
pub fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp_portable())
}

/// Probabilities of win, draw and loss by an ordered logit, at an expected score of 0..=1. `width`
/// is the `h` of [`HumanModel::wdl`], above 0.
pub fn ordered_logit(width: f64, score: f64) -> Wdl {
    if score < 0.5 {
        let Wdl { win, draw, loss } = ordered_logit(width, 1.0 - score);
        return Wdl {
            win: loss,
            draw,
            loss: win,
        };
    }
    // From this width on, every game is drawn, and `cosh` of a larger one would overflow.
    let width = width.min(100.0);
    let (lean, cosh) = (2.0 * score - 1.0, width.cosh_portable());
    let root = ((cosh * lean).powi(2) + 4.0 * score * (1.0 - score)).sqrt();
    let odds = (cosh * lean + root) / (2.0 * (1.0 - score)).max(f64::MIN_POSITIVE);
    let win = 1.0 / (1.0 + width.exp_portable() / odds);
    // This form stays exact if the loss is small.
    let draw = (2.0 * (score - win)).clamp(0.0, 1.0);
    Wdl {
        win,
        draw,
        loss: (1.0 - win - draw).max(0.0),
    }
}

impl HumanCurve {
    /// Annotation for study assumes at least this rating.
    pub(crate) const STUDY_RATING: f64 = 1800.0;
    /// Annotation for study assumes at least this time for each player: 90 minutes, because a
    /// reader of the annotation is not short of time.
    pub const STUDY_SECONDS: f64 = 5400.0;
    /// Bounds of [`seconds`](Self::seconds).
    pub const SECONDS: [f64; 2] = [1.0, 1e9];
    /// Bounds of [`units`](Self::units).
    pub const UNITS: [f64; 2] = [0.1, 10.0];

    /// The curve for study, by the built-in constants: rating 1800, 90 minutes, Stockfish 15.1's
    /// pawns.
    pub fn study() -> Self {
        Self {
            rating: Self::STUDY_RATING,
            seconds: Self::STUDY_SECONDS,
            pool: Pool::Unknown,
            units: 1.0,
            model: HumanModel::default(),
        }
    }

    /// Describes how a rating or time is clamped because the model had no games there: `rating 3500
    /// counts as 2900, and 20000 s counts as 7200 s: the model had no games beyond`. `None` if
    /// neither is clamped.
    ///
    /// ```
    /// use centipawn_core::HumanCurve;
    ///
    /// let note = |rating| HumanCurve { rating, ..HumanCurve::study() }.beyond_games();
    /// assert_eq!(note(2900.0), None);
    /// assert_eq!(note(3500.0).unwrap(), "rating 3500 counts as 2900: the model had no games beyond");
    /// ```
    pub fn beyond_games(&self) -> Option<String> {
        let nearest = |value: f64, [least, most]: [f64; 2]| {
            Some(value.clamp(least, most)).filter(|near| *near != value)
        };
        let rating = nearest(self.rating, self.model.ratings)
            .map(|near| format!("rating {} counts as {near}", self.rating));
        let time = nearest(self.seconds, self.model.seconds)
            .map(|near| format!("{} s counts as {near} s", self.seconds));
        let notes = [rating, time]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", and ");
        (!notes.is_empty()).then(|| format!("{notes}: the model had no games beyond"))
    }

    /// The steepness per pawn of the evaluations, where the material of both sides is 58.
    pub fn steepness(&self) -> f64 {
        let own = self.model.in_pool(self.pool);
        own.steepness(self.rating, self.seconds) * self.model.units / self.units
    }

    /// The steepness per pawn of the evaluations, in a position with this material of both sides.
    pub fn steepness_at(&self, material: u32) -> f64 {
        self.steepness() * self.model.phase_factor(f64::from(material))
    }

    /// The evaluation in pawns from which the expected score no longer rises, because it equals
    /// that of a mate, in a position with this material; infinite if a mate always wins.
    pub(crate) fn largest_eval(&self, material: u32) -> f64 {
        self.model.ceiling(self.rating, self.seconds) / self.steepness_at(material)
    }

    /// Expected score, 0..=1, of an evaluation in pawns, where the material of both sides is 58.
    pub fn at(&self, pawns: f64) -> f64 {
        self.score(self.steepness() * pawns)
    }

    /// Expected score, 0..=1, of an evaluation in pawns, in a position with this material of both
    /// sides.
    pub fn at_material(&self, pawns: f64, material: u32) -> f64 {
        self.score(self.steepness_at(material) * pawns)
    }

    fn score(&self, log_odds: f64) -> f64 {
        let ceiling = self.model.ceiling(self.rating, self.seconds);
        logistic(log_odds.clamp(-ceiling, ceiling))
    }

    /// Expected score, 0..=1, of the side with a forced mate.
    pub fn of_mate(&self) -> f64 {
        logistic(self.model.ceiling(self.rating, self.seconds))
    }

    /// Probabilities of win, draw and loss at an expected score; `None` if the model has no draws.
    pub fn wdl(&self, score: f64) -> Option<Wdl> {
        self.model.wdl(score, self.rating, self.seconds)
    }

    /// Checks the numbers and the model.
    ///
    /// # Errors
    ///
    /// [`InvalidHumanCurve`] names the first number that is out of bounds.
    pub fn check(&self) -> Result<(), InvalidHumanCurve> {
        check("rating", self.rating, RATINGS)?;
        check("seconds", self.seconds, SECONDS)?;
        check("units", self.units, UNITS)?;
        self.model.check()
    }
}

impl fmt::Display for HumanCurve {
    /// `human, rating 1800, 90 min a player, k 0.47`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "human, rating {:.0}, ", self.rating)?;
        match self.seconds {
            seconds if seconds < 60.0 => write!(f, "{seconds:.0} s a player")?,
            seconds => write!(f, "{:.0} min a player", seconds / 60.0)?,
        }
        if self.pool != Pool::Unknown {
            write!(f, ", {}", self.pool)?;
        }
        write!(f, ", k {:.2}", self.steepness())?;
        if self.model == HumanModel::default() {
            Ok(())
        } else {
            f.write_str(", own constants")
        }
    }
}

// Deserialising checks the numbers, so that no curve with invalid ones exists.

impl Serialize for HumanModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        HumanModel::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for HumanModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let model = HumanModel::deserialize(deserializer)?;
        model.check().map_err(D::Error::custom)?;
        Ok(model)
    }
}

impl Serialize for HumanCurve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        HumanCurve::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for HumanCurve {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let curve = HumanCurve::deserialize(deserializer)?;
        curve.check().map_err(D::Error::custom)?;
        Ok(curve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Curve, OLD_UNITS};

    /// Expected scores at +1.00 and +3.00 in per cent, as printed in docs/people.md.
    #[test]
    fn expected_scores_equal_the_published_table() {
        let model = HumanModel::default();
        for (rating, seconds, one, three) in [
            (1500.0, 180.0, 55, 66),
            (1500.0, 600.0, 58, 72),
            (2000.0, 6600.0, 63, 83),
            (2500.0, 7200.0, 67, 89),
            (2750.0, 7200.0, 69, 92),
        ] {
            let percent =
                |pawns| (100.0 * model.expected_score(pawns, rating, seconds, 0.0)).round() as i32;
            assert_eq!(
                (percent(1.0), percent(3.0)),
                (one, three),
                "{rating} {seconds}"
            );
        }
        assert_eq!(format!("{:.3}", HumanCurve::study().steepness()), "0.469");
    }

    #[test]
    fn expected_scores_never_fall_with_more_time() {
        let model = HumanModel::default();
        let times = [30.0, 60.0, 180.0, 600.0, 3000.0, 5400.0, 7200.0];
        assert!(
            times
                .map(|seconds| model.steepness(1800.0, seconds))
                .is_sorted()
        );
    }

    #[test]
    fn a_mate_is_not_certain_and_no_evaluation_scores_more() {
        let curve = Curve::Human(HumanCurve {
            seconds: 180.0,
            rating: 1500.0,
            ..HumanCurve::study()
        });
        let of = |eval: Eval<White>| curve.expected_score(eval, Context::default());
        let mate = of(Eval::mate(3));
        assert!((0.8..0.95).contains(&mate), "{mate}");
        assert!((of(Eval::mate(-3)) + mate - 1.0).abs() < 1e-12);
        assert_eq!((of(Eval::cp(5000)), of(Eval::cp(20_000))), (mate, mate));
        assert!(of(Eval::cp(900)) < mate && curve.pawns(0.999, Context::default()).is_none());
        assert_eq!(curve.relevance(50.0, Context::default()), 0.0);
        let wdl = curve
            .wdl(Eval::<White>::mate(1), Context::default())
            .unwrap();
        assert!((wdl.expected_score() - mate).abs() < 1e-9 && wdl.loss > 0.01);
        let certain = HumanModel {
            mates: None,
            ..HumanModel::default()
        };
        assert_eq!(certain.ceiling(1500.0, 180.0), f64::INFINITY);
    }

    #[test]
    fn ratings_and_times_are_clamped_to_the_fitted_games() {
        let model = HumanModel::default();
        assert_eq!(
            model.steepness(1500.0, 14.0 * 86_400.0),
            model.steepness(1500.0, 7200.0)
        );
        assert_eq!(
            model.steepness(3600.0, 600.0),
            model.steepness(2900.0, 600.0)
        );
        assert_eq!(model.steepness(0.0, 600.0), model.steepness(300.0, 600.0));
    }

    #[test]
    fn the_steepness_is_converted_to_the_evaluations_unit() {
        let study = HumanCurve::study();
        let old = HumanCurve {
            units: OLD_UNITS,
            ..study
        };
        assert!((old.steepness() * OLD_UNITS - study.steepness()).abs() < 1e-12);
        let fitted_to_old = HumanModel {
            units: OLD_UNITS,
            ..study.model
        };
        assert!(
            (HumanCurve {
                model: fitted_to_old,
                ..old
            }
            .steepness()
                - study.steepness())
            .abs()
                < 1e-12
        );
    }

    #[test]
    fn splitting_off_draws_keeps_the_expected_score() {
        for width in [1e-3, 0.2, 1.0, 3.0, 30.0, 1e9] {
            for score in [0.0, 1e-9, 0.1, 0.3, 0.5, 0.75, 0.999, 1.0] {
                let (wdl, mirrored) = (
                    ordered_logit(width, score),
                    ordered_logit(width, 1.0 - score),
                );
                assert!(
                    (wdl.expected_score() - score).abs() < 1e-9,
                    "{width} {score} {wdl:?}"
                );
                assert!(
                    (wdl.win - mirrored.loss).abs() < 1e-9
                        && [wdl.win, wdl.draw, wdl.loss].iter().all(|own| *own >= 0.0)
                );
            }
        }
        // At equality W = 1/(1 + e^h).
        assert!((ordered_logit(1.0, 0.5).win - 1.0 / (1.0 + 1.0_f64.exp())).abs() < 1e-12);
        assert!(ordered_logit(0.2, 0.6).draw < ordered_logit(0.8, 0.6).draw);
        assert_eq!(
            HumanModel {
                draws: None,
                ..HumanModel::default()
            }
            .wdl(0.5, 1800.0, 600.0),
            None
        );
    }

    #[test]
    fn invalid_numbers_are_refused_by_name() {
        let read = |text: &str| {
            serde_json::from_str::<HumanCurve>(text).map_err(|error| error.to_string())
        };
        let curve = read(r#"{"rating": 1500, "seconds": 300}"#).unwrap();
        assert_eq!((curve.units, curve.model), (1.0, HumanModel::default()));
        let model = r#""b0": -1, "b1": 0.3, "half_time": 150, "r": 1.6"#;
        let own = read(&format!(
            r#"{{"rating": 1500, "seconds": 300, "model": {{{model}}}}}"#
        ))
        .unwrap();
        assert_eq!(
            (own.model.half_time, own.model.units, own.model.ratings),
            (150.0, 1.0, RATINGS)
        );
        for (text, name) in [
            (r#"{"rating": -1, "seconds": 300}"#, "rating is -1"),
            (r#"{"rating": 1500, "seconds": 0}"#, "seconds is 0"),
            (
                r#"{"rating": 1500, "seconds": 300, "units": 1e9}"#,
                "units is 1000000000",
            ),
            (
                r#"{"rating": 1500, "seconds": 300, "model": {"b0": 9, "b1": 0, "half_time": 0, "r": 1}}"#,
                "k is 81",
            ),
            (
                r#"{"rating": 1500, "seconds": 300, "model": {"b0": 99, "b1": 0, "half_time": 0, "r": 1}}"#,
                "b0 is 99",
            ),
            (
                r#"{"rating": 1500, "seconds": 300, "model": {"b0": -1, "b1": 0, "half_time": 0, "r": 1, "ratings": [2000, 1000]}}"#,
                "highest rating is 1000; it must be from 2000",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(name), "{error}");
        }
    }
}
