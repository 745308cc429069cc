//! Expected score of a game between two given players: from evaluation, ratings and clocks.

use serde::{Deserialize, Serialize};

use crate::{Context, Eval, HumanModel, Pool, Wdl, White, logistic};

/// Two players in a game. Pairs list White first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerPair {
    /// Ratings of White and Black.
    pub ratings: [f64; 2],
    /// Seconds that each player has for the game: base + 40·increment.
    pub seconds: f64,
    /// Seconds left on the clocks of White and Black, if known.
    pub clocks: Option<[f64; 2]>,
    /// The pool that the ratings belong to.
    #[serde(default, skip_serializing_if = "Pool::is_unknown")]
    pub pool: Pool,
}

/// White's chances against a given opponent.
///
/// ```
/// use centipawn_core::{Context, Eval, HumanModel, PlayerPair, Pool};
///
/// // Equality at 3+0 between two players rated 1500: White has a minute left, Black half a minute.
/// let pair = PlayerPair {
///     ratings: [1500.0; 2],
///     seconds: 180.0,
///     clocks: Some([60.0, 30.0]),
///     pool: Pool::Unknown,
/// };
/// let odds = HumanModel::default().odds(Eval::cp(0), 1.0, Context::default(), &pair);
/// assert!(odds.expected_score > 0.6 && odds.clock_pawns > 2.0 && odds.rating_pawns == 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// White's expected score, 0..=1.
    pub expected_score: f64,
    /// White's probabilities of win, draw and loss; `None` if the model has no draws.
    pub wdl: Option<Wdl>,
    /// White's expected score, 0..=1, by the evaluation alone, with equal ratings and clocks.
    pub of_evaluation: f64,
    /// The rating difference converted to pawns of evaluation for White.
    pub rating_pawns: f64,
    /// The clock difference converted to pawns of evaluation for White; 0 if the clocks are
    /// unknown.
    pub clock_pawns: f64,
}

impl HumanModel {
    /// Computes White's odds at an evaluation. `units` is the unit of the evaluation, in [pawns for
    /// one of Stockfish 15.1's](crate::WdlModel::pawn_units); of `context` only the
    /// material counts.
    pub fn odds(&self, eval: Eval<White>, units: f64, context: Context, pair: &PlayerPair) -> Odds {
        let own = self.in_pool(pair.pool);
        let [white, black] = pair.ratings;
        let (rating, seconds) = ((white + black) / 2.0, pair.seconds);
        let phase = own.phase_factor(f64::from(context.material));
        let steepness = own.steepness(rating, seconds) * phase * own.units / units;
        let by_eval = own.log_odds(eval, steepness, rating, seconds);
        let by_rating = own.r * (white - black) / 400.0;
        let by_clocks = pair
            .clocks
            .map_or(0.0, |clocks| self.clock_log_odds(clocks, seconds));
        let expected_score = logistic(by_eval + by_rating + by_clocks);
        Odds {
            expected_score,
            wdl: self.wdl(expected_score, rating, seconds),
            of_evaluation: logistic(by_eval),
            rating_pawns: by_rating / steepness,
            clock_pawns: by_clocks / steepness,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIDDLE: Context = Context {
        material: 58,
        ply: 64,
    };

    #[test]
    fn odds_are_symmetric_and_their_parts_add_up() {
        let model = HumanModel::default();
        let pair = PlayerPair {
            ratings: [1620.0, 1480.0],
            seconds: 260.0,
            clocks: Some([20.0, 65.0]),
            pool: Pool::Unknown,
        };
        let turned = PlayerPair {
            ratings: [1480.0, 1620.0],
            clocks: Some([65.0, 20.0]),
            ..pair
        };
        let evals = [
            [130, -130].map(Eval::cp),
            [-2000, 2000].map(Eval::cp),
            [3, -3].map(Eval::mate),
        ];
        for [eval, opposite] in evals {
            let (odds, other) = (
                model.odds(eval, 1.0, MIDDLE, &pair),
                model.odds(opposite, 1.0, MIDDLE, &turned),
            );
            assert!((odds.expected_score + other.expected_score - 1.0).abs() < 1e-12);
            let wdl = odds.wdl.unwrap();
            assert!((wdl.expected_score() - odds.expected_score).abs() < 1e-9);
        }
        let odds = model.odds(Eval::cp(130), 1.0, MIDDLE, &pair);
        let pawns = 1.3 + odds.rating_pawns + odds.clock_pawns;
        let whole = model.expected_score(pawns, 1550.0, 260.0, 0.0);
        assert!((whole - odds.expected_score).abs() < 1e-12, "{odds:?}");
        let apart = PlayerPair {
            clocks: None,
            ..pair
        };
        let by_difference = model.expected_score(1.3, 1550.0, 260.0, 140.0);
        assert!(
            (model
                .odds(Eval::cp(130), 1.0, MIDDLE, &apart)
                .expected_score
                - by_difference)
                .abs()
                < 1e-12
        );
    }

    #[test]
    fn an_empty_clock_still_has_a_chance() {
        let pair = PlayerPair {
            ratings: [1500.0; 2],
            seconds: 180.0,
            clocks: Some([0.0, 0.0]),
            pool: Pool::Unknown,
        };
        assert_eq!(
            HumanModel::default()
                .odds(Eval::cp(0), 1.0, MIDDLE, &pair)
                .expected_score,
            0.5
        );
        let flagged = PlayerPair {
            clocks: Some([0.0, 180.0]),
            ..pair
        };
        let odds = HumanModel::default().odds(Eval::cp(0), 1.0, MIDDLE, &flagged);
        assert!(odds.expected_score > 0.0 && odds.expected_score < 0.3);
    }
}
