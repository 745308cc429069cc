//! Confidence intervals of sums over games, by a bootstrap in one pass.

use std::{collections::BTreeMap, f64::consts::E, iter};

use centipawn_core::{SplitMix64, mix64};

use centipawn_judge::Cause;

/// Number of resamples.
const RESAMPLES: usize = 200;
/// Minimum number of games for an interval.
const FEWEST: u64 = 10;
/// Maximum number of entries that are kept before they are added to the resamples. Most players of
/// a large batch stay below it, and then need no memory for resamples.
const RECENT: usize = 256;
/// Seed of the resamples. It is fixed, so that equal games have equal intervals.
const SEED: u64 = 0x7261_696e;

/// Bootstrap sums: the number of games and the expected score lost by cause, in each of many
/// resamples of the games.
///
/// The weight of a game in a resample is a Poisson variable with mean 1, independent of all other
/// games (N. C. Oza and S. Russell, "Online Bagging and Boosting", 2001; N. Chamandy et al.,
/// "Estimating Uncertainty for Massive Data Streams", Google, 2012). So games can be added one by
/// one, and memory does not depend on their number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resamples {
    /// Game number, cause and expected score lost, for the newest games. Entries of one game are
    /// adjacent.
    recent: Vec<(u64, Cause, f64)>,
    /// Sums over the games that were added before those in `recent`.
    sums: Sums,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Sums {
    /// Number of games in each resample; empty before the first game.
    games: Vec<f64>,
    /// Expected score lost in each resample, by cause.
    losses: BTreeMap<Cause, Vec<f64>>,
}

impl Resamples {
    /// Adds a game, whose number determines in which resamples it counts.
    pub(super) fn add(&mut self, game: u64, losses: BTreeMap<Cause, f64>) {
        // A game without losses has no other entry, but counts as a game.
        self.recent.push((game, Cause::Smaller, 0.0));
        self.recent
            .extend(losses.into_iter().map(|(cause, loss)| (game, cause, loss)));
        if self.recent.len() > RECENT {
            self.sums.add(&self.recent);
            self.recent.clear();
        }
    }

    /// Returns 95 % confidence intervals of the sums over that many games; none for few games.
    pub(super) fn intervals(&self, games: u64) -> BTreeMap<Cause, (f64, f64)> {
        if games < FEWEST {
            return BTreeMap::new();
        }
        let mut sums = self.sums.clone();
        sums.add(&self.recent);
        let interval = |losses: Vec<f64>| {
            // Resamples have different numbers of games, so scale each sum to the real number.
            let pairs = losses
                .iter()
                .zip(&sums.games)
                .filter(|(_, weight)| **weight > 0.0);
            let mut scaled: Vec<f64> = pairs
                .map(|(loss, weight)| games as f64 * loss / weight)
                .collect();
            scaled.sort_by(f64::total_cmp);
            let last = scaled.len().checked_sub(1)?;
            let at = |quantile: f64| scaled[(quantile * last as f64).round() as usize];
            Some((at(0.025), at(0.975)))
        };
        let intervals = std::mem::take(&mut sums.losses).into_iter();
        intervals
            .filter_map(|(cause, losses)| Some((cause, interval(losses)?)))
            .collect()
    }
}

impl Sums {
    fn add(&mut self, entries: &[(u64, Cause, f64)]) {
        self.games.resize(RESAMPLES, 0.0);
        for game in entries.chunk_by(|(a, ..), (b, ..)| a == b) {
            let weights = weights(game[0].0);
            add(&mut self.games, &weights, 1.0);
            for (_, cause, loss) in game.iter().filter(|(_, _, loss)| *loss > 0.0) {
                let losses = self
                    .losses
                    .entry(*cause)
                    .or_insert_with(|| vec![0.0; RESAMPLES]);
                add(losses, &weights, *loss);
            }
        }
    }
}

fn add(sums: &mut [f64], weights: &[f64], value: f64) {
    sums.iter_mut()
        .zip(weights)
        .for_each(|(sum, weight)| *sum += weight * value);
}

/// Returns the weight of a game in each resample.
fn weights(game: u64) -> Vec<f64> {
    let mut random = SplitMix64::new(mix64(SEED ^ mix64(game)));
    iter::repeat_with(|| poisson(random.unit()))
        .take(RESAMPLES)
        .collect()
}

/// Returns the quantile of the Poisson distribution with mean 1.
fn poisson(quantile: f64) -> f64 {
    let (mut left, mut probability, mut number) = (quantile, E.recip(), 0.0);
    while left >= probability && number < 16.0 {
        left -= probability;
        number += 1.0;
        probability /= number;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_count_once_on_average() {
        let all: Vec<f64> = (1..=500).flat_map(weights).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance =
            all.iter().map(|weight| (weight - 1.0).powi(2)).sum::<f64>() / all.len() as f64;
        assert!(
            (mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.02,
            "{mean} {variance}"
        );
    }

    #[test]
    fn memory_does_not_grow_with_the_games() {
        let mut resamples = Resamples::default();
        for game in 0..10_000 {
            resamples.add(game, [(Cause::Unexplained, 0.1)].into());
        }
        assert!(resamples.recent.len() <= RECENT && resamples.sums.losses.len() == 1);
    }
}
