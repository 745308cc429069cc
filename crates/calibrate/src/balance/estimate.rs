//! Estimates the balance from counted games.

use std::cmp::Reverse;

use centipawn_core::mix64;
use centipawn_progress::{Cancel, Cancelled};

use super::{
    BalanceKey, Bootstrap, Group, Highest, Listed,
    stretched::{Stretched, stretched},
};
use crate::{
    TWO_SIDED,
    parallel::{are_enough, seeded},
    poisson::resampled,
};

/// Width of the calibration bins, in balances. The last bin is open.
const BIN: f64 = 0.25;
const BINS: usize = 13;

/// The balance of one group of games. Evaluations are in pawns from the engine's side.
///
/// ```
/// use centipawn_calibrate::balance::{BalanceOptions, Bootstrap, Matches};
/// use centipawn_pgn::{ScanOptions, Sources};
/// use centipawn_progress::{Cancel, Silent};
///
/// # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
/// let sources = Sources::expand(&[games])?;
/// let options = BalanceOptions::default();
/// let (matches, _) = Matches::count(&sources, &ScanOptions::default(), &options)?;
/// for estimate in matches.rows(Bootstrap::default(), &Cancel::new(), &Silent)? {
///     let engine = estimate.key.engine.as_deref().unwrap_or("unknown");
///     match (estimate.pawns(), estimate.reason()) {
///         (Some(pawns), _) => println!("{engine} wins half of the games from {pawns:+.2}"),
///         (None, reason) => println!("{engine} has no balance: {}", reason.unwrap_or("a mate")),
///     }
/// }
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BalanceEstimate {
    /// The group of games.
    pub key: BalanceKey,
    /// Number of games with a result and own evaluations.
    pub games: u64,
    /// Number of games won.
    pub wins: u64,
    /// Number of games drawn or lost.
    pub not_won: u64,
    /// The highest own evaluation in a game that was not won.
    pub highest_not_won: Option<Highest>,
    /// The counting estimate; `None` if it is undefined, for the [`reason`](Self::reason).
    pub balance: Option<Highest>,
    /// 95 % bootstrap interval of the counting estimate, with games resampled; `None` if the
    /// estimate is undefined in more than a tenth of the resamples.
    pub interval: Option<(Highest, Highest)>,
    /// The fitted estimate; `None` if the likelihood has no maximum.
    pub fitted: Option<Fitted>,
    /// The stretched curve, with a slope besides the balance; `None` if the options do not ask for
    /// it, or the likelihood has no maximum.
    pub stretched: Option<Stretched>,
    /// The games not won, by descending evaluation, if the options keep them.
    pub list: Vec<Listed>,
}

/// The balance estimated by maximum likelihood.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fitted {
    /// The balance in pawns.
    pub balance: f64,
    /// 95 % interval, with errors clustered by game; `None` if all games agree, as a single game
    /// does, because they then show no error.
    pub interval: Option<(f64, f64)>,
    /// Actual and expected scores by evaluation.
    pub calibration: Vec<Bin>,
}

/// Positions whose evaluations lie in one bin, from the better side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bin {
    /// Lower end of the bin, in balances. Each bin ends where the next begins.
    pub from: f64,
    /// Mean evaluation in balances.
    pub mean: f64,
    /// Number of positions.
    pub positions: u64,
    /// Mean score of the better side, 0..=1.
    pub score: f64,
    /// Score of the better side that the fitted curve expects, 0..=1.
    pub expected: f64,
}

impl BalanceEstimate {
    pub(super) fn new(
        key: &BalanceKey,
        group: &Group,
        bootstrap: Bootstrap,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let not_won: u64 = group.not_won.values().sum();
        let fitted = fitted(group);
        let mut list = group.list.clone();
        list.sort_by_key(|game| Reverse(game.highest));
        Ok(Self {
            key: key.clone(),
            games: group.games,
            wins: group.wins,
            not_won,
            highest_not_won: group.not_won.last_key_value().map(|(highest, _)| *highest),
            balance: counted(
                group.wins,
                group
                    .not_won
                    .iter()
                    .map(|(highest, count)| (*highest, *count)),
            ),
            interval: interval(group, bootstrap, cancel)?,
            stretched: stretched_of(group, fitted.as_ref()),
            fitted,
            list,
        })
    }

    /// Returns why there is no counting estimate; `None` if there is one.
    pub fn reason(&self) -> Option<&'static str> {
        match self.balance {
            None if self.wins == 0 => Some("no game was won"),
            None => Some("fewer games were not won than won"),
            Some(Highest::Mate) => {
                Some("as many mates as wins were announced in games that were not won")
            }
            Some(_) => None,
        }
    }

    /// Returns the counting estimate in pawns, if it is finite and above 0.
    pub fn pawns(&self) -> Option<f64> {
        self.balance
            .map(Highest::pawns)
            .filter(|pawns| pawns.is_finite() && *pawns > 0.0)
    }
}

/// Returns the `wins`th highest of the evaluations, which must be in ascending order.
fn counted(wins: u64, not_won: impl DoubleEndedIterator<Item = (Highest, u64)>) -> Option<Highest> {
    let mut before = 0;
    let mut from_above = not_won.rev();
    let (highest, _) = from_above.find(|(_, count)| {
        before += count;
        wins > 0 && before >= wins
    })?;
    Some(highest)
}

/// Returns the 95 % bootstrap interval; `None` if too few resamples have an estimate. The weight of
/// a game in a resample is a Poisson random number with mean 1. It depends on the seed, the number
/// of the resample, and the index of the game in the list (games won first, then the others by
/// ascending evaluation), so that results are reproducible. The running time grows with the number
/// of different evaluations, not with the number of games.
fn interval(
    group: &Group,
    bootstrap: Bootstrap,
    cancel: &Cancel,
) -> Result<Option<(Highest, Highest)>, Cancelled> {
    let Bootstrap { resamples, seed } = bootstrap;
    let mut found = Vec::with_capacity(resamples);
    for resample in 0..resamples {
        cancel.check()?;
        let mut state = mix64(resample as u64 ^ seeded(seed));
        let wins = resampled(group.wins, &mut state);
        let not_won: Vec<(Highest, u64)> = group
            .not_won
            .iter()
            .map(|(highest, count)| (*highest, resampled(*count, &mut state)))
            .collect();
        found.extend(counted(wins, not_won.into_iter()));
    }
    found.sort_unstable();
    let at = |part: f64| found[((found.len() - 1) as f64 * part).round() as usize];
    Ok(are_enough(found.len(), resamples).then(|| (at(0.025), at(0.975))))
}

/// Returns the stretched curve of a group that keeps the evaluations of its games.
fn stretched_of(group: &Group, fitted: Option<&Fitted>) -> Option<Stretched> {
    if group.by_game.is_empty() {
        return None;
    }
    // Parts of the input merge in any order, and sums of floating-point numbers depend on it.
    let mut by_game: Vec<_> = group.by_game.iter().collect();
    by_game.sort_unstable();
    let games: Vec<Vec<(f64, f64)>> = by_game
        .into_iter()
        .map(|(score, evals)| {
            let better = |&eval: &i32| {
                let halves = if eval >= 0 { *score } else { 2 - *score };
                let cp = eval.unsigned_abs().min(super::fitted::LARGEST_CP as u32);
                (f64::from(cp) / 100.0, f64::from(halves) / 2.0)
            };
            evals.iter().map(better).collect()
        })
        .collect();
    let cells: Vec<_> = group
        .positions
        .cells()
        .map(|(cp, score, count)| (cp as f64 / 100.0, score, count))
        .collect();
    stretched(&games, &cells, fitted.map(|fitted| fitted.balance))
}

fn fitted(group: &Group) -> Option<Fitted> {
    let (balance, error) = group.positions.fit()?;
    let reach = error.map(|error| (TWO_SIDED * error).exp());
    if reach.is_some_and(f64::is_infinite) {
        return None;
    }
    // Sums over the positions of each bin: their number, their scores, their expected scores, and
    // their evaluations divided by the win-draw balance.
    let mut sums = [[0.0; 4]; BINS];
    for (cp, score, count) in group.positions.cells() {
        let z = cp as f64 / 100.0 / balance;
        let expected = 1.0 - 0.5 * (-z).exp2();
        let bin = &mut sums[((z / BIN) as usize).min(BINS - 1)];
        for (sum, own) in bin.iter_mut().zip([1.0, score, expected, z]) {
            *sum += count * own;
        }
    }
    let bins = sums.iter().enumerate().filter(|(_, sums)| sums[0] > 0.0);
    let calibration = bins.map(|(index, &[positions, score, expected, z])| Bin {
        from: index as f64 * BIN,
        mean: z / positions,
        positions: positions as u64,
        score: score / positions,
        expected: expected / positions,
    });
    let interval = reach.map(|reach| (balance / reach, balance * reach));
    Some(Fitted {
        balance,
        interval,
        calibration: calibration.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(wins: u64, not_won: &[i32]) -> Group {
        let mut group = Group {
            wins,
            ..Group::default()
        };
        for &cp in not_won {
            *group.not_won.entry(Highest::Cp(cp)).or_default() += 1;
        }
        group
    }

    fn estimated(group: &Group, resamples: usize) -> BalanceEstimate {
        let bootstrap = Bootstrap { resamples, seed: 0 };
        BalanceEstimate::new(&BalanceKey::default(), group, bootstrap, &Cancel::new()).unwrap()
    }

    fn balance(wins: u64, not_won: &[i32]) -> Option<Highest> {
        estimated(&group(wins, not_won), 0).balance
    }

    #[test]
    fn the_balance_is_the_nth_highest_evaluation() {
        assert_eq!(balance(1, &[10, 50, 30]), Some(Highest::Cp(50)));
        assert_eq!(balance(2, &[10, 50, 50, 30]), Some(Highest::Cp(50)));
        assert_eq!(balance(3, &[10, 50, 30]), Some(Highest::Cp(10)));
        assert_eq!(balance(4, &[10, 50, 30]), None);
        assert_eq!(balance(0, &[10]), None);
    }

    #[test]
    fn intervals_contain_their_estimate() {
        let not_won: Vec<i32> = (0..84).map(|game| 175 - 2 * game).collect();
        let estimate = estimated(&group(16, &not_won), 1000);
        let (low, high) = estimate.interval.unwrap();
        let balance = estimate.pawns().unwrap();
        let (low, high) = (low.pawns(), high.pawns());
        assert!(
            low < balance && balance < high && high - low > 0.1,
            "{low} {balance} {high}"
        );
        // Many resamples have no game won, or more games won than others, so there is no interval.
        assert_eq!(estimated(&group(1, &[10]), 1000).interval, None);
    }
}
