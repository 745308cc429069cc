//! Maximum-likelihood ratings of several players.

use super::estimate::ELO;
use crate::logistic::{logistic, softplus};

/// Maximum number of players for which standard errors are computed. The covariance matrix has one
/// row for each player.
pub(super) const MOST_ERRORS: usize = 1000;

/// If White's advantage exceeds this in log-odds (1,000 Elo), it counts as unknown.
const LARGEST_ADVANTAGE: f64 = 1000.0 / ELO;

/// The games of two players. Pairs of numbers are for games in which the first player had White,
/// then Black.
#[derive(Clone, Debug, Default)]
pub(super) struct Meeting {
    /// Indices of the two players.
    pub(super) players: [usize; 2],
    /// Number of games of the first player with White and with Black.
    pub(super) games: [u64; 2],
    /// Points of the first player in these games.
    pub(super) points: [f64; 2],
    /// Number of draws in these games.
    pub(super) draws: [u64; 2],
    /// The independent observations: pairs of games if they are known, otherwise single games.
    pub(super) observations: Vec<Observation>,
}

/// Equal observations: how many, the number of games with White and with Black in each, and the
/// first player's points in these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Observation {
    pub(super) count: u64,
    pub(super) games: [f64; 2],
    pub(super) points: [f64; 2],
}

/// Fitted ratings, in log-odds. Their mean is 0.
#[derive(Clone, Debug)]
pub(super) struct Ratings {
    pub(super) strength: Vec<f64>,
    /// White's advantage, in log-odds.
    pub(super) advantage: f64,
    /// Standard error of White's advantage; `None` if the advantage was given or is unknown.
    pub(super) advantage_error: Option<f64>,
    /// Covariance matrix of the strengths, row by row; `None` for more than [`MOST_ERRORS`]
    /// players.
    pub(super) covariance: Option<Vec<f64>>,
    /// Whether White's advantage could not be separated from the strengths, so that it is set to 0.
    pub(super) is_unknown: bool,
}

impl Ratings {
    /// Fits ratings to `count` players whose scores are [connected](super::connected::groups).
    /// `advantage` fixes White's advantage; otherwise it is fitted.
    ///
    /// The expected score is `1/(1 + e^−(own − other ± advantage))`, and a draw is half a point.
    /// Errors are the sandwich estimate: the inverse curvature of the likelihood around the
    /// observed variance of the observations. Draws therefore make errors smaller, and so do pairs
    /// of games if the opening decides the result. The fit itself absorbs a part of this variance,
    /// all of it for a player with one observation, so the part that the model expects to be
    /// absorbed is added.
    pub(super) fn fit(count: usize, meetings: &[Meeting], advantage: Option<f64>) -> Self {
        if advantage.is_none()
            && let Some(ratings) = Self::with_advantage(count, meetings, None)
        {
            return ratings;
        }
        let given = Self::with_advantage(count, meetings, Some(advantage.unwrap_or(0.0)));
        // With a given advantage, ratings exist whenever the players are connected.
        let mut ratings = given.unwrap_or_else(|| Self {
            strength: vec![0.0; count],
            advantage: 0.0,
            advantage_error: None,
            covariance: None,
            is_unknown: false,
        });
        ratings.is_unknown = advantage.is_none();
        ratings
    }

    /// Fits ratings; `None` if White's advantage has no finite value.
    fn with_advantage(count: usize, meetings: &[Meeting], given: Option<f64>) -> Option<Self> {
        const STEPS: usize = 200;
        let mut at = vec![0.0; count + 1];
        at[count] = given.unwrap_or(0.0);
        let mut likelihood = log_likelihood(meetings, &at);
        let mut converged = false;
        for _ in 0..STEPS {
            let (mut slope, bends) = derivatives(meetings, &at);
            if given.is_some() {
                slope[count] = 0.0;
            }
            let step = newton_step(&slope, meetings, &bends, given.is_none());
            let gain: f64 = step
                .iter()
                .zip(&slope)
                .map(|(step, slope)| step * slope)
                .sum();
            if gain < 1e-20 * (1.0 + likelihood.abs()) {
                converged = true;
                break;
            }
            let mut share = 1.0;
            loop {
                let next: Vec<f64> = at
                    .iter()
                    .zip(&step)
                    .map(|(at, step)| at + share * step)
                    .collect();
                let there = log_likelihood(meetings, &next);
                if there > likelihood {
                    (at, likelihood) = (next, there);
                    break;
                }
                share /= 2.0;
                if share < 1e-6 {
                    converged = true;
                    break;
                }
            }
            if converged || (given.is_none() && at[count].abs() > LARGEST_ADVANTAGE) {
                break;
            }
        }
        if given.is_none() && (!converged || at[count].abs() > LARGEST_ADVANTAGE) {
            return None;
        }
        let advantage = at[count];
        at.truncate(count);
        let mean = at.iter().sum::<f64>() / count.max(1) as f64;
        at.iter_mut().for_each(|strength| *strength -= mean);
        let all = if count <= MOST_ERRORS {
            Some(covariance(count, meetings, &at, advantage, given.is_none()))
        } else {
            None
        };
        let mut covariance = None;
        let mut advantage_error = None;
        if let Some(all) = all {
            // White's advantage cannot be separated from the strengths if in each pairing the same
            // player always had White.
            let all = all?;
            let size = count + usize::from(given.is_none());
            if given.is_none() {
                advantage_error = Some(all[count * size + count].max(0.0).sqrt());
            }
            let rows =
                (0..count).flat_map(|row| all[row * size..row * size + count].iter().copied());
            covariance = Some(rows.collect());
        }
        Some(Self {
            strength: at,
            advantage,
            advantage_error,
            covariance,
            is_unknown: false,
        })
    }

    /// Returns the variance of the difference between two strengths.
    pub(super) fn variance(&self, one: usize, other: usize) -> Option<f64> {
        let all = self.covariance.as_ref()?;
        let at = |row: usize, column: usize| all[row * self.strength.len() + column];
        Some((at(one, one) + at(other, other) - 2.0 * at(one, other)).max(0.0))
    }

    /// Returns the variance of a strength relative to the mean of all players.
    pub(super) fn own_variance(&self, player: usize) -> Option<f64> {
        let all = self.covariance.as_ref()?;
        Some(all[player * self.strength.len() + player].max(0.0))
    }

    /// Returns the expected score of the first player with White and with Black.
    pub(super) fn expected(&self, [one, other]: [usize; 2]) -> [f64; 2] {
        let lead = self.strength[one] - self.strength[other];
        [
            logistic(lead + self.advantage),
            logistic(lead - self.advantage),
        ]
    }
}

/// Returns the first player's lead in log-odds with White and with Black.
fn leads(meeting: &Meeting, at: &[f64]) -> [f64; 2] {
    let [one, other] = meeting.players;
    let advantage = at[at.len() - 1];
    [
        at[one] - at[other] + advantage,
        at[one] - at[other] - advantage,
    ]
}

fn log_likelihood(meetings: &[Meeting], at: &[f64]) -> f64 {
    let of = |meeting: &Meeting| -> f64 {
        let leads = leads(meeting, at);
        (0..2)
            .map(|color| {
                let (games, points) = (meeting.games[color] as f64, meeting.points[color]);
                -points * softplus(-leads[color]) - (games - points) * softplus(leads[color])
            })
            .sum()
    };
    meetings.iter().map(of).sum()
}

/// Returns the gradient of the log-likelihood, and for each meeting the curvature with White and
/// with Black.
fn derivatives(meetings: &[Meeting], at: &[f64]) -> (Vec<f64>, Vec<[f64; 2]>) {
    let mut slope = vec![0.0; at.len()];
    let last = at.len() - 1;
    let bends = meetings
        .iter()
        .map(|meeting| {
            let expected = leads(meeting, at).map(logistic);
            let [one, other] = meeting.players;
            let rest = [0, 1]
                .map(|color| meeting.points[color] - meeting.games[color] as f64 * expected[color]);
            slope[one] += rest[0] + rest[1];
            slope[other] -= rest[0] + rest[1];
            slope[last] += rest[0] - rest[1];
            [0, 1].map(|color| {
                meeting.games[color] as f64 * expected[color] * (1.0 - expected[color])
            })
        })
        .collect();
    (slope, bends)
}

/// Returns the curvature matrix multiplied by a direction.
fn bend(
    meetings: &[Meeting],
    bends: &[[f64; 2]],
    direction: &[f64],
    with_advantage: bool,
) -> Vec<f64> {
    let last = direction.len() - 1;
    let advantage = if with_advantage { direction[last] } else { 0.0 };
    let mut out = vec![0.0; direction.len()];
    for (meeting, [white, black]) in meetings.iter().zip(bends) {
        let [one, other] = meeting.players;
        let lead = direction[one] - direction[other];
        let (white, black) = (white * (lead + advantage), black * (lead - advantage));
        out[one] += white + black;
        out[other] -= white + black;
        out[last] += white - black;
    }
    if !with_advantage {
        out[last] = 0.0;
    }
    out
}

/// Solves `curvature · step = slope` by conjugate gradients, preconditioned by the diagonal. The
/// curvature is singular along equal shifts of all strengths, but the slope has no component there.
/// The step need not be exact, since more steps follow.
fn newton_step(
    slope: &[f64],
    meetings: &[Meeting],
    bends: &[[f64; 2]],
    with_advantage: bool,
) -> Vec<f64> {
    const EXACT: f64 = 1e-16;
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut diagonal = vec![0.0; slope.len()];
    let last = slope.len() - 1;
    for (meeting, [white, black]) in meetings.iter().zip(bends) {
        for place in [meeting.players[0], meeting.players[1], last] {
            diagonal[place] += white + black;
        }
    }
    let scaled = |rest: &[f64]| -> Vec<f64> {
        rest.iter()
            .zip(&diagonal)
            .map(|(rest, bend)| if *bend > 0.0 { rest / bend } else { 0.0 })
            .collect()
    };
    let mut step = vec![0.0; slope.len()];
    let mut rest = slope.to_vec();
    let mut direction = scaled(&rest);
    let mut size = dot(&rest, &direction);
    let enough = size * EXACT;
    for _ in 0..10 * slope.len().max(20) {
        if size <= enough || size == 0.0 {
            break;
        }
        let bent = bend(meetings, bends, &direction, with_advantage);
        let curvature = dot(&direction, &bent);
        if curvature <= 0.0 {
            break;
        }
        let length = size / curvature;
        for index in 0..step.len() {
            step[index] += length * direction[index];
            rest[index] -= length * bent[index];
        }
        let next = scaled(&rest);
        let next_size = dot(&rest, &next);
        for index in 0..step.len() {
            direction[index] = next[index] + next_size / size * direction[index];
        }
        size = next_size;
    }
    step
}

/// Returns the sandwich estimate of the covariance of the strengths; the last row and column are
/// those of White's advantage if it was fitted. `None` if the curvature is singular.
fn covariance(
    count: usize,
    meetings: &[Meeting],
    strength: &[f64],
    advantage: f64,
    with_advantage: bool,
) -> Option<Vec<f64>> {
    let size = count + usize::from(with_advantage);
    let mut at = strength.to_vec();
    at.push(advantage);
    let (_, bends) = derivatives(meetings, &at);
    // Adds the entries of one meeting to a matrix: those of the squared lead, of the lead times
    // White's advantage, and of the squared advantage.
    let add = |matrix: &mut [f64], [one, other]: [usize; 2], [lead, both, whites]: [f64; 3]| {
        for (row, column, value) in [
            (one, one, lead),
            (other, other, lead),
            (one, other, -lead),
            (other, one, -lead),
        ] {
            matrix[row * size + column] += value;
        }
        if with_advantage {
            for (player, value) in [(one, both), (other, -both)] {
                matrix[player * size + count] += value;
                matrix[count * size + player] += value;
            }
            matrix[count * size + count] += whites;
        }
    };
    let mut curvature = vec![0.0; size * size];
    for (meeting, [white, black]) in meetings.iter().zip(bends) {
        add(
            &mut curvature,
            meeting.players,
            [white + black, white - black, white + black],
        );
    }
    // The strengths have mean 0, so the curvature is singular along equal shifts. Adding a constant
    // to their block makes it regular and changes nothing else, since the spread has no component
    // along equal shifts.
    let typical = (0..count)
        .map(|row| curvature[row * size + row])
        .sum::<f64>()
        / count.max(1) as f64;
    for row in 0..count {
        for column in 0..count {
            curvature[row * size + column] += typical / count as f64;
        }
    }
    let inverse = inverse(curvature, size)?;
    let mut spread = vec![0.0; size * size];
    for meeting in meetings {
        let [one, other] = meeting.players;
        let expected = leads(meeting, &at).map(logistic);
        let at = |row: usize, column: usize| inverse[row * size + column];
        // The covariance of the lead and of White's advantage, from the curvature alone.
        let lead = at(one, one) + at(other, other) - 2.0 * at(one, other);
        let (both, whites) = if with_advantage {
            (at(one, count) - at(other, count), at(count, count))
        } else {
            (0.0, 0.0)
        };
        // The residual of an observation is the first player's points minus the expected points,
        // separately as White and as Black. Sum over the observations: the square of the total
        // residual, the total times the difference (White minus Black), and the square of the
        // difference.
        let mut sums = [0.0; 3];
        for observation in &meeting.observations {
            let beyond = [0, 1].map(|color| {
                observation.points[color] - observation.games[color] * expected[color]
            });
            let (sum, difference) = (beyond[0] + beyond[1], beyond[0] - beyond[1]);
            // The fit moves towards each observation, which makes its residual smaller: by
            // C·(inverse curvature)·C in the expected square, where C is the curvature of the
            // observation. Add this amount, so that the standard errors are not too small.
            let [white, black] = [0, 1]
                .map(|color| observation.games[color] * expected[color] * (1.0 - expected[color]));
            let (c, d) = (white + black, white - black);
            let taken = [
                c * c * lead + 2.0 * c * d * both + d * d * whites,
                c * d * lead + (c * c + d * d) * both + c * d * whites,
                d * d * lead + 2.0 * c * d * both + c * c * whites,
            ];
            let squares = [sum * sum, sum * difference, difference * difference];
            for index in 0..3 {
                sums[index] += observation.count as f64 * (squares[index] + taken[index]);
            }
        }
        add(&mut spread, meeting.players, sums);
    }
    let half = product(&inverse, &spread, size);
    Some(product(&half, &inverse, size))
}

fn product(left: &[f64], right: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size * size];
    for row in 0..size {
        for k in 0..size {
            let factor = left[row * size + k];
            if factor != 0.0 {
                for column in 0..size {
                    out[row * size + column] += factor * right[k * size + column];
                }
            }
        }
    }
    out
}

/// Returns the inverse of a symmetric positive definite matrix by Cholesky decomposition; `None` if
/// it is not positive definite.
fn inverse(mut matrix: Vec<f64>, size: usize) -> Option<Vec<f64>> {
    let largest = (0..size)
        .map(|row| matrix[row * size + row])
        .fold(0.0, f64::max);
    for row in 0..size {
        for column in 0..=row {
            let sum: f64 = matrix[row * size + column]
                - (0..column)
                    .map(|k| matrix[row * size + k] * matrix[column * size + k])
                    .sum::<f64>();
            if row == column {
                if sum.is_nan() || sum <= 1e-12 * largest {
                    return None;
                }
                matrix[row * size + row] = sum.sqrt();
            } else {
                matrix[row * size + column] = sum / matrix[column * size + column];
            }
        }
    }
    // Invert the lower triangle, then multiply its transpose by it.
    let mut lower = vec![0.0; size * size];
    for column in 0..size {
        for row in column..size {
            let unit = if row == column { 1.0 } else { 0.0 };
            let sum: f64 = (column..row)
                .map(|k| matrix[row * size + k] * lower[k * size + column])
                .sum();
            lower[row * size + column] = (unit - sum) / matrix[row * size + row];
        }
    }
    let mut out = vec![0.0; size * size];
    for k in 0..size {
        for row in 0..=k {
            let factor = lower[k * size + row];
            if factor != 0.0 {
                for column in 0..=k {
                    out[row * size + column] += factor * lower[k * size + column];
                }
            }
        }
    }
    Some(out)
}

/// Returns the most likely share of draws between equal players, 0..=1, given the expected scores
/// of all games: with this share `d`, the draws at win and loss probabilities `W` and `L` follow
/// `D² = 4·d²/(1 − d)²·W·L` (Davidson 1970; the draw model of Ordo). `None` without games.
pub(super) fn draw_rate(meetings: &[Meeting], ratings: &Ratings) -> Option<f64> {
    let games: u64 = meetings.iter().flat_map(|meeting| meeting.games).sum();
    let draws: u64 = meetings.iter().flat_map(|meeting| meeting.draws).sum();
    if games == 0 || draws == 0 || draws == games {
        return (games > 0).then(|| draws as f64 / games as f64);
    }
    let cells: Vec<(f64, f64, f64, f64)> = meetings
        .iter()
        .flat_map(|meeting| {
            let expected = ratings.expected(meeting.players);
            [0, 1].map(|color| {
                let (points, draws) = (meeting.points[color], meeting.draws[color] as f64);
                let wins = points - draws / 2.0;
                (
                    expected[color],
                    wins,
                    draws,
                    meeting.games[color] as f64 - wins - draws,
                )
            })
        })
        .collect();
    let likelihood = |rate: f64| -> f64 {
        let of = |(expected, wins, draws, losses): &(f64, f64, f64, f64)| {
            let drawn = drawn(*expected, rate);
            let (won, lost) = (expected - drawn / 2.0, 1.0 - expected - drawn / 2.0);
            let part = |count: f64, share: f64| {
                if count > 0.0 {
                    count * share.max(1e-300).ln()
                } else {
                    0.0
                }
            };
            part(*wins, won) + part(*draws, drawn) + part(*losses, lost)
        };
        cells.iter().map(of).sum()
    };
    let (mut low, mut high) = (1e-9, 1.0 - 1e-9);
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if likelihood(low + third) < likelihood(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    Some((low + high) / 2.0)
}

/// Returns the share of draws at an expected score, if equal players draw with this rate.
fn drawn(expected: f64, rate: f64) -> f64 {
    // Solves D² = k·(p − D/2)·(1 − p − D/2), in the form that avoids cancellation.
    let k = 4.0 * (rate / (1.0 - rate)).powi(2);
    let spread = expected * (1.0 - expected);
    // (1 − k/4)·D² + k/2·D − k·spread = 0
    let (a, b, c) = (1.0 - k / 4.0, k / 2.0, -k * spread);
    2.0 * c / -(b + (b * b - 4.0 * a * c).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting(players: [usize; 2], won: [u64; 2], drawn: [u64; 2], lost: [u64; 2]) -> Meeting {
        let mut observations = Vec::new();
        for color in 0..2 {
            for (count, points) in [(won[color], 1.0), (drawn[color], 0.5), (lost[color], 0.0)] {
                let mut own = Observation {
                    count,
                    games: [0.0; 2],
                    points: [0.0; 2],
                };
                (own.games[color], own.points[color]) = (1.0, points);
                observations.push(own);
            }
        }
        let all = |color: usize| won[color] + drawn[color] + lost[color];
        Meeting {
            players,
            games: [all(0), all(1)],
            points: [0, 1].map(|color| won[color] as f64 + 0.5 * drawn[color] as f64),
            draws: drawn,
            observations,
        }
    }

    #[test]
    fn expected_scores_equal_the_fitted_scores() {
        let meetings = [
            meeting([0, 1], [5, 3], [2, 4], [1, 3]),
            meeting([1, 2], [6, 2], [1, 3], [2, 3]),
            meeting([2, 0], [3, 1], [4, 1], [3, 6]),
        ];
        let ratings = Ratings::fit(3, &meetings, None);
        let mut rest = [0.0; 4];
        for meeting in &meetings {
            let expected = ratings.expected(meeting.players);
            for (color, sign) in [(0, 1.0), (1, -1.0)] {
                let beyond = meeting.points[color] - meeting.games[color] as f64 * expected[color];
                rest[meeting.players[0]] += beyond;
                rest[meeting.players[1]] -= beyond;
                rest[3] += sign * beyond;
            }
        }
        assert!(rest.iter().all(|rest| rest.abs() < 1e-8), "{rest:?}");
        assert!(ratings.strength.iter().sum::<f64>().abs() < 1e-12 && ratings.advantage > 0.0);
        assert!(ratings.advantage_error.unwrap() > 0.0);
    }

    #[test]
    fn the_error_of_two_ratings_follows_from_the_score() {
        // A score of 60 % in 100 games without draws and without an advantage. The error of Elo
        // then follows from that of the score.
        let ratings = Ratings::fit(2, &[meeting([0, 1], [30, 30], [0, 0], [20, 20])], Some(0.0));
        assert!((ratings.strength[0] - ratings.strength[1] - 1.5_f64.ln()).abs() < 1e-9);
        // The variance of the score, increased by the part that fitting one difference to 100 games
        // absorbs.
        let expected = (0.24_f64 / 100.0 * 1.01).sqrt() / 0.24;
        assert!((ratings.variance(0, 1).unwrap().sqrt() - expected).abs() < 1e-9);
    }

    /// One game determines its player's rating exactly, so it shows no variance. The error then
    /// comes from the curvature alone.
    #[test]
    fn players_with_few_games_have_large_errors() {
        let most = meeting([0, 1], [90, 90], [120, 120], [90, 90]);
        let of = |meetings: &[Meeting], count: usize| {
            let ratings = Ratings::fit(count, meetings, Some(0.0));
            (0..count)
                .map(|player| 1.96 * ELO * ratings.own_variance(player).unwrap().sqrt())
                .collect::<Vec<_>>()
        };
        let alone = of(std::slice::from_ref(&most), 2);
        for (games, least) in [(1, 400.0), (4, 100.0)] {
            let few = meeting([1, 2], [0, 0], [games, 0], [0, 0]);
            let errors = of(&[most.clone(), few], 3);
            assert!(errors[2] > least && errors[2] < 1.2 * least, "{errors:?}");
            assert!(errors[2] > 8.0 * alone[0], "{errors:?} {alone:?}");
        }
        // Two players with a single drawn game.
        assert!(of(&[meeting([0, 1], [0, 0], [1, 0], [0, 0])], 2)[0] > 300.0);
    }

    #[test]
    fn an_advantage_confounded_with_strength_is_unknown() {
        let ratings = Ratings::fit(2, &[meeting([0, 1], [6, 0], [1, 0], [3, 0])], None);
        assert!(ratings.is_unknown && ratings.advantage == 0.0);
        assert!((ratings.expected([0, 1])[0] - 0.65).abs() < 1e-9);
        // White won every game, so the most likely advantage is infinite.
        let ratings = Ratings::fit(2, &[meeting([0, 1], [6, 0], [0, 0], [0, 5])], None);
        assert!(ratings.is_unknown && ratings.strength.iter().all(|strength| strength.is_finite()));
    }

    #[test]
    fn the_draw_rate_is_that_of_equal_players() {
        assert!((drawn(0.5, 0.3) - 0.3).abs() < 1e-12 && (drawn(0.5, 0.8) - 0.8).abs() < 1e-12);
        assert!(drawn(0.7, 0.5) < 0.5 && drawn(0.999, 0.5) < 2.0 * 0.001);
        let meetings = [meeting([0, 1], [3, 3], [4, 4], [3, 3])];
        let ratings = Ratings::fit(2, &meetings, None);
        assert!((draw_rate(&meetings, &ratings).unwrap() - 0.4).abs() < 1e-6);
    }
}
