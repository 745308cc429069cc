//! From measurements of games to a rating.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};

use super::PlayFeatures;

/// Half the width of an 80 % interval of a normal distribution, in standard deviations.
const HALF_OF_80: f64 = 1.2816;

/// A model of ratings, fitted to games of players whose rating is known
/// (`research/play_rating.py`).
///
/// Each game gives one measurement of the player's rating: a weighted sum of its
/// features. Its variance is `c0 + c1/moves`. Measurements of one player share an
/// error (a style that the network takes for strength), which more games do not remove. The rating
/// is the mean of the posterior distribution: the measurements, weighted by their variances, and
/// the distribution of ratings in the pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayModel {
    /// The games to which the model was fitted.
    source: String,
    /// The rating pool: `Lichess, blitz and rapid`.
    pool: String,
    /// Mean of the ratings in the pool.
    prior_mean: f64,
    /// Standard deviation of the ratings in the pool.
    prior_deviation: f64,
    /// Standard deviation of the error that all games of a player share.
    player_deviation: f64,
    /// Measurements, the most accurate first. The first one counts of which a game has all
    /// features.
    measurements: Vec<Measurement>,
}

/// A measurement of a player's rating by one game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Measurement {
    intercept: f64,
    /// Weight of each feature.
    weights: BTreeMap<String, f64>,
    /// The variance is the first number plus the second divided by the moves.
    variance: [f64; 2],
}

/// The evidence of games about a player's rating. It consists of sums, so that games can be
/// [added](Self::add) one by one.
///
/// ```
/// use centipawn_pgn::Reader;
/// use centipawn_policy::{Kernel, Network};
/// use centipawn_review::{GamePlay, PlayModel, PlayEvidence};
/// use shakmaty::Color;
///
/// let pgn = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 *";
/// let game = Reader::new(pgn.as_bytes()).next().unwrap()??;
/// let play = GamePlay::of(&game, &Network::find(Network::BUNDLED, Kernel::best())?)?;
/// let mut evidence = PlayEvidence::default();
/// evidence.add(play.player(Color::White).unwrap());
/// let rating = PlayModel::bundled().rating(&evidence).unwrap();
/// assert!(rating.low < rating.rating && rating.rating < rating.high);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayEvidence {
    games: u64,
    /// Sum of the measurements' weights, which are 1 over their variances.
    weight: f64,
    /// Weighted sum of the measurements.
    sum: f64,
}

/// An estimated rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlayRating {
    /// The estimate, in points of the model's pool.
    pub rating: u32,
    /// Lower end of the 80 % interval.
    pub low: u32,
    /// Upper end of the 80 % interval.
    pub high: u32,
    /// Games that it rests on.
    pub games: u64,
}

impl PlayModel {
    /// Returns the model in the program.
    ///
    /// # Panics
    ///
    /// Never: a test reads the file.
    pub fn bundled() -> &'static Self {
        static MODEL: LazyLock<PlayModel> = LazyLock::new(|| {
            #[expect(
                clippy::expect_used,
                reason = "the file is a part of the program, and a test reads it"
            )]
            serde_json::from_str(include_str!("model.json"))
                .expect("the model in the program is JSON")
        });
        &MODEL
    }

    /// Returns whose ratings these are: `Lichess, blitz and rapid`.
    pub fn pool(&self) -> &str {
        &self.pool
    }

    /// Returns the rating that a game measures, and the variance; `None` if features are missing.
    fn measure(&self, features: &PlayFeatures) -> Option<(f64, f64)> {
        let value = |measurement: &Measurement| -> Option<f64> {
            let terms = measurement
                .weights
                .iter()
                .map(|(name, weight)| Some(weight * features.values.get(name)?));
            Some(measurement.intercept + terms.sum::<Option<f64>>()?)
        };
        let (measurement, rating) = self
            .measurements
            .iter()
            .find_map(|one| Some((one, value(one)?)))?;
        let [constant, by_moves] = measurement.variance;
        Some((rating, constant + by_moves / features.moves.max(1) as f64))
    }

    /// Returns the rating of a player with this evidence; `None` without a game.
    pub fn rating(&self, evidence: &PlayEvidence) -> Option<PlayRating> {
        if evidence.games == 0 {
            return None;
        }
        let variance = 1.0 / evidence.weight + self.player_deviation.powi(2);
        let prior = self.prior_deviation.powi(2);
        let share = prior / (prior + variance);
        let rating = self.prior_mean + share * (evidence.sum / evidence.weight - self.prior_mean);
        let half = HALF_OF_80 * (share * variance).sqrt();
        let whole = |number: f64| number.round().max(0.0) as u32;
        Some(PlayRating {
            rating: whole(rating),
            low: whole(rating - half),
            high: whole(rating + half),
            games: evidence.games,
        })
    }
}

impl PlayEvidence {
    /// Adds a game.
    pub fn add(&mut self, features: &PlayFeatures) {
        if let Some((rating, variance)) = PlayModel::bundled().measure(features) {
            self.games += 1;
            self.weight += 1.0 / variance;
            self.sum += rating / variance;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(rating: f64, variance: f64, games: u32) -> PlayEvidence {
        let games = f64::from(games);
        PlayEvidence {
            games: games as u64,
            weight: games / variance,
            sum: rating * games / variance,
        }
    }

    #[test]
    fn the_model_is_readable_and_measures() {
        let model = PlayModel::bundled();
        assert!(!model.measurements.is_empty() && model.prior_deviation > 0.0);
        assert!(
            model
                .measurements
                .iter()
                .all(|one| one.variance[0] > 0.0 && one.variance[1] >= 0.0)
        );
        assert_eq!(model.rating(&PlayEvidence::default()), None);
    }

    /// More games narrow the interval and give the pool's mean less weight.
    #[test]
    fn more_games_narrow_the_interval() {
        let model = PlayModel::bundled();
        let of = |games| model.rating(&evidence(2200.0, 90_000.0, games)).unwrap();
        let (one, ten, many) = (of(1), of(10), of(1000));
        assert!(
            one.rating < ten.rating && ten.rating < many.rating && many.rating < 2200,
            "{one:?} {ten:?} {many:?}"
        );
        let width = |rating: PlayRating| rating.high - rating.low;
        assert!(width(one) > width(ten) && width(ten) > width(many));
        // More games do not reduce the error that all games of a player share.
        assert!(f64::from(width(many)) > 2.0 * model.player_deviation);
    }
}
