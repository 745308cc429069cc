//! The stretched curve by maximum likelihood: balance and slope together.
//!
//! The worse side scores `q = ½·e^(−u)` with `u = ln 2·(x/a)^s` at an evaluation of `x` pawns. A
//! position whose better side scored `t` has the log-likelihood `t·ln(1−q) + (1−t)·ln q`. The
//! parameters are `ln a` and `ln s`, so that both stay above 0.

use std::f64::consts::LN_2;

use centipawn_core::Curve;

use crate::TWO_SIDED;

/// The fit of the curve `relevance-stretched` to all positions of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stretched {
    /// The balance in pawns.
    pub balance: f64,
    /// 95 % interval of the balance, with errors clustered by game; `None` if the games show no
    /// error.
    pub balance_interval: Option<(f64, f64)>,
    /// The slope at the balance, as a multiple of the exponential curve's.
    pub slope: f64,
    /// 95 % interval of the slope.
    pub slope_interval: Option<(f64, f64)>,
    /// Mean log loss of a position under this curve.
    pub log_loss: f64,
    /// Mean log loss of a position under the best exponential curve (slope 1).
    pub log_loss_exponential: f64,
}

impl Stretched {
    /// Returns the fitted curve.
    pub fn curve(&self) -> Curve {
        Curve::RelevanceStretched {
            balance: self.balance,
            slope: self.slope,
        }
    }
}

/// Positions with the same evaluation and score: the evaluation in pawns, the better side's score,
/// and their number.
type Cell = (f64, f64, f64);

/// The log-likelihood with its derivatives by `ln a` and `ln s`.
#[derive(Clone, Copy, Default)]
struct Sums {
    likelihood: f64,
    gradient: [f64; 2],
    /// Second derivatives: by `ln a` twice, by both, by `ln s` twice.
    bend: [f64; 3],
}

/// Range of the balance in pawns. A maximum outside of it is no estimate.
const BALANCES: [f64; 2] = [0.05, 20.0];
/// Slopes from which the search for the maximum starts.
const STARTS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
const STEPS: usize = 200;

fn sums(cells: &[Cell], [ln_a, ln_s]: [f64; 2]) -> Sums {
    let s = ln_s.exp();
    let mut sums = Sums::default();
    for &(pawns, t, count) in cells {
        if pawns == 0.0 {
            // Equality scores one half under every curve.
            sums.likelihood -= count * LN_2;
            continue;
        }
        let ln_z = pawns.ln() - ln_a;
        // Beyond this bound q is 0 in floating point, and its logarithm is not used.
        let u = (LN_2 * (s * ln_z).exp()).min(700.0);
        let q = 0.5 * (-u).exp();
        let p = 1.0 - q;
        sums.likelihood += count * (t * p.ln() - (1.0 - t) * (u + LN_2));
        let by_u = (q - 1.0 + t) / p;
        let twice_by_u = -q * t / (p * p);
        let u_by = [-s * u, s * u * ln_z];
        let u_twice_by = [
            s * s * u,
            -s * u * (1.0 + s * ln_z),
            s * u * ln_z * (1.0 + s * ln_z),
        ];
        let squares = [u_by[0] * u_by[0], u_by[0] * u_by[1], u_by[1] * u_by[1]];
        for (sum, own) in sums.gradient.iter_mut().zip(u_by) {
            *sum += count * by_u * own;
        }
        for (sum, (square, twice)) in sums
            .bend
            .iter_mut()
            .zip(squares.into_iter().zip(u_twice_by))
        {
            *sum += count * (twice_by_u * square + by_u * twice);
        }
    }
    sums
}

/// Returns the inverse of a symmetric 2×2 matrix; `None` if it is not positive definite.
fn inverse([a, b, c]: [f64; 3]) -> Option<[f64; 3]> {
    let determinant = a * c - b * b;
    (a > 0.0 && determinant > 1e-12 * a * c)
        .then(|| [c / determinant, -b / determinant, a / determinant])
}

fn times([a, b, c]: [f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    [a * x + b * y, b * x + c * y]
}

/// Climbs to a maximum by Newton's method with step halving; where the likelihood does not bend
/// downwards, it follows the gradient.
fn climb(cells: &[Cell], mut at: [f64; 2]) -> Option<([f64; 2], Sums)> {
    let inside = |[ln_a, ln_s]: [f64; 2]| {
        (BALANCES[0].ln()..=BALANCES[1].ln()).contains(&ln_a)
            && (Curve::SLOPES[0].ln()..=Curve::SLOPES[1].ln()).contains(&ln_s)
    };
    let mut here = sums(cells, at);
    for _ in 0..STEPS {
        let size = here.gradient[0].hypot(here.gradient[1]);
        let step = inverse(here.bend.map(|bend| -bend)).map_or_else(
            || here.gradient.map(|own| 0.2 * own / size.max(1e-300)),
            |inverse| times(inverse, here.gradient),
        );
        // A long step can leave the region in which the second derivatives say anything.
        let length = step[0].hypot(step[1]);
        if length < 1e-9 {
            return Some((at, here));
        }
        let mut share = (0.5 / length).min(1.0);
        loop {
            let next = [at[0] + share * step[0], at[1] + share * step[1]];
            if inside(next) {
                let there = sums(cells, next);
                if there.likelihood > here.likelihood {
                    (at, here) = (next, there);
                    break;
                }
            }
            share /= 2.0;
            if share * length < 1e-10 {
                // No better place nearby: a maximum, unless it lies at the edge of the range.
                let total: f64 = cells.iter().map(|(_, _, count)| count).sum();
                return (size < 1e-5 * total).then_some((at, here));
            }
        }
    }
    None
}

/// Fits the curve to the positions of games: for each game, evaluations in pawns from the better
/// side with that side's score. `exponential` is the balance of the best exponential curve. `None`
/// if the likelihood has no maximum in the ranges of balances and slopes.
pub(super) fn stretched(
    games: &[Vec<(f64, f64)>],
    cells: &[Cell],
    exponential: Option<f64>,
) -> Option<Stretched> {
    let first = exponential.unwrap_or(1.0).ln();
    let found = STARTS
        .iter()
        .filter_map(|slope| climb(cells, [first, slope.ln()]))
        .max_by(|one, other| one.1.likelihood.total_cmp(&other.1.likelihood));
    let (at, here) = found?;
    let positions: f64 = cells.iter().map(|(_, _, count)| count).sum();
    // Where no better side ever scored more than one half, the best curve is flat: a balance or a
    // slope without end. Its likelihood is that of a coin.
    if here.likelihood < positions * (1e-6 - LN_2) {
        return None;
    }
    let bread = inverse(here.bend.map(|bend| -bend))?;
    // The sandwich estimator: sums of each game's derivatives, because its positions share a
    // result.
    let mut meat = [0.0; 3];
    for game in games {
        let cells: Vec<Cell> = game.iter().map(|&(pawns, t)| (pawns, t, 1.0)).collect();
        let [x, y] = sums(&cells, at).gradient;
        for (sum, own) in meat.iter_mut().zip([x * x, x * y, y * y]) {
            *sum += own;
        }
    }
    let [by_a, by_s] = [[bread[0], bread[1]], [bread[1], bread[2]]];
    let error = |row: [f64; 2]| {
        let [x, y] = times(meat, row);
        (row[0] * x + row[1] * y).sqrt()
    };
    // Games that all agree, as a single one does, have derivatives of 0 at the maximum, but for
    // what the last step of the search leaves.
    let differ = meat[0].min(meat[2]) > 1e-12 * positions;
    let interval = |value: f64, error: f64| {
        let reach = (TWO_SIDED * error).exp();
        (differ && reach.is_finite()).then(|| (value / reach, value * reach))
    };
    let [balance, slope] = at.map(f64::exp);
    let alone = climb_alone(cells, first);
    Some(Stretched {
        balance,
        balance_interval: interval(balance, error(by_a)),
        slope,
        slope_interval: interval(slope, error(by_s)),
        log_loss: -here.likelihood / positions,
        log_loss_exponential: -alone / positions,
    })
}

/// Returns the log-likelihood of the best exponential curve, whose balance is near `ln_a`.
fn climb_alone(cells: &[Cell], mut ln_a: f64) -> f64 {
    let mut best = sums(cells, [ln_a, 0.0]);
    for _ in 0..STEPS {
        let step = (best.gradient[0] / -best.bend[0]).clamp(-0.3, 0.3);
        let there = sums(cells, [ln_a + step, 0.0]);
        if step.abs() < 1e-9 || !step.is_finite() || there.likelihood <= best.likelihood {
            break;
        }
        (ln_a, best) = (ln_a + step, there);
    }
    best.likelihood
}

#[cfg(test)]
mod tests {
    use centipawn_core::{Context, mix64};

    use super::*;

    fn chance(state: &mut u64) -> f64 {
        *state = mix64(*state);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Games simulated from a curve: each has several positions around one evaluation.
    fn simulated(curve: Curve, games: usize, state: &mut u64) -> Vec<Vec<(f64, f64)>> {
        (0..games)
            .map(|_| {
                let pawns = 3.0 * chance(state);
                let won = chance(state) < curve.at(pawns, Context::default());
                vec![(pawns, f64::from(u8::from(won))); 1 + (games % 4)]
            })
            .collect()
    }

    fn cells(games: &[Vec<(f64, f64)>]) -> Vec<Cell> {
        games
            .iter()
            .flatten()
            .map(|&(pawns, t)| (pawns, t, 1.0))
            .collect()
    }

    #[test]
    fn the_derivatives_are_those_of_the_likelihood() {
        let cells = [
            (0.3, 1.0, 2.0),
            (0.9, 0.5, 1.0),
            (1.7, 0.0, 3.0),
            (0.0, 0.5, 4.0),
        ];
        let at = [0.8_f64.ln(), 1.4_f64.ln()];
        let width = 1e-5;
        let exact = sums(&cells, at);
        for axis in 0..2 {
            let moved = |sign: f64| {
                let mut place = at;
                place[axis] += sign * width;
                sums(&cells, place)
            };
            let (up, down) = (moved(1.0), moved(-1.0));
            let slope = (up.likelihood - down.likelihood) / (2.0 * width);
            assert!((slope - exact.gradient[axis]).abs() < 1e-6, "{axis}");
            for other in 0..2 {
                let bend = (up.gradient[other] - down.gradient[other]) / (2.0 * width);
                assert!(
                    (bend - exact.bend[axis + other]).abs() < 1e-6,
                    "{axis} {other}"
                );
            }
        }
    }

    /// The 95 % intervals contain the true values in most of a hundred simulated matches.
    #[test]
    fn fits_recover_balance_and_slope() {
        let (balance, slope) = (0.8, 1.8);
        let curve = Curve::RelevanceStretched { balance, slope };
        let mut state = 7;
        let mut inside = [0, 0];
        for _ in 0..100 {
            let games = simulated(curve, 401, &mut state);
            let fit = stretched(&games, &cells(&games), None).unwrap();
            assert!(fit.log_loss <= fit.log_loss_exponential + 1e-12);
            let holds = |interval: Option<(f64, f64)>, value: f64| {
                interval.is_some_and(|(low, high)| (low..=high).contains(&value))
            };
            inside[0] += u32::from(holds(fit.balance_interval, balance));
            inside[1] += u32::from(holds(fit.slope_interval, slope));
        }
        assert!(
            inside.iter().all(|inside| (89..=100).contains(inside)),
            "{inside:?}"
        );
    }

    #[test]
    fn games_without_information_have_no_fit_or_no_interval() {
        assert!(stretched(&[], &[], None).is_none());
        let lost = vec![vec![(1.0, 0.0); 9]; 9];
        assert!(stretched(&lost, &cells(&lost), Some(1.0)).is_none());
        // One game whose positions together determine a curve, but show no error.
        let losses = |step: i32| match step {
            ..20 => 2,
            20..40 => 4,
            40..70 => 8,
            _ => 1000,
        };
        let game: Vec<(f64, f64)> = (1..90)
            .map(|step| {
                let is_lost = step % losses(step) == 0;
                (f64::from(step) / 30.0, f64::from(u8::from(!is_lost)))
            })
            .collect();
        let games = [game];
        let fit = stretched(&games, &cells(&games), Some(1.0)).unwrap();
        assert_eq!((fit.balance_interval, fit.slope_interval), (None, None));
    }
}
