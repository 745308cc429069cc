//! The value of a minute on the clock, in pawns.

use centipawn_core::HumanModel;
use serde::{Deserialize, Serialize};

use crate::wdl::Estimate;

/// The value of one minute more on the clock than the opponent has, in pawns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClockWorth {
    /// Seconds that each player has for the game.
    pub seconds: f64,
    /// Rating of both players, in Elo.
    pub rating: f64,
    /// Seconds on the opponent's clock; the player has 60 more.
    pub opponent_clock: f64,
    /// The value in pawns.
    pub pawns: f64,
    /// The value with its standard error by game; `None` without resamples.
    pub estimate: Option<Estimate>,
}

/// Game times of the table, in seconds: 3, 5, 10 and 30 minutes.
const TIMES: [f64; 4] = [180.0, 300.0, 600.0, 1800.0];
const RATINGS: [f64; 4] = [1200.0, 1600.0, 2000.0, 2400.0];
const CLOCKS: [f64; 4] = [15.0, 30.0, 60.0, 180.0];

impl ClockWorth {
    /// The table of a model with clocks, for common game times, ratings and clocks of the opponent.
    pub(super) fn table(model: &HumanModel, resamples: &[HumanModel]) -> Vec<Self> {
        let within = |[least, most]: [f64; 2], value: f64| (least..=most).contains(&value);
        let mut table = Vec::new();
        for seconds in TIMES
            .into_iter()
            .filter(|seconds| within(model.seconds, *seconds))
        {
            for rating in RATINGS
                .into_iter()
                .filter(|rating| within(model.ratings, *rating))
            {
                for opponent_clock in CLOCKS
                    .into_iter()
                    .filter(|clock| *clock + MINUTE <= seconds)
                {
                    let of = |model: &HumanModel| minute(model, rating, seconds, opponent_clock);
                    let pawns = of(model);
                    let estimate = (!resamples.is_empty())
                        .then(|| Estimate::new(pawns, resamples.iter().map(of).collect()));
                    table.push(Self {
                        seconds,
                        rating,
                        opponent_clock,
                        pawns,
                        estimate,
                    });
                }
            }
        }
        table
    }
}

const MINUTE: f64 = 60.0;

/// The value of one minute more than the opponent's clock, in pawns, between two players of this
/// rating.
pub(super) fn minute(model: &HumanModel, rating: f64, seconds: f64, opponent_clock: f64) -> f64 {
    let log_odds = model.clock_log_odds([opponent_clock + MINUTE, opponent_clock], seconds);
    log_odds / model.steepness(rating, seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_is_worth_more_in_faster_games_and_to_weaker_players() {
        let model = HumanModel::default();
        let table = ClockWorth::table(&model, &[]);
        let of = |seconds: f64, rating: f64, clock: f64| {
            let row = |row: &&ClockWorth| {
                (row.seconds, row.rating, row.opponent_clock) == (seconds, rating, clock)
            };
            table.iter().find(row).unwrap().pawns
        };
        assert!(of(180.0, 1200.0, 30.0) > of(180.0, 2000.0, 30.0));
        assert!(of(180.0, 1600.0, 30.0) > of(600.0, 1600.0, 30.0));
        assert!(of(600.0, 1600.0, 15.0) > of(600.0, 1600.0, 180.0));
        // By hand: c·(90 − 30)/(90 + 30)·(180/600)^−a, divided by k.
        let [c, a] = model.clocks.unwrap();
        let by_hand = c * 0.5 * 0.3_f64.powf(-a) / model.steepness(1600.0, 180.0);
        assert!((of(180.0, 1600.0, 30.0) - by_hand).abs() < 1e-12);
        assert!(
            table
                .iter()
                .all(|row| row.opponent_clock + 60.0 <= row.seconds)
        );
    }
}
