//! A sparring partner, whose moves and thinking times are those of people with a given rating.

use std::time::Duration;

use centipawn_core::{History, SplitMix64};
use centipawn_engine::Analyst;
use centipawn_judge::ease::{EaseJudgeError, JudgedEase, KnownEvals};
use shakmaty::{Move, Position as _};

use crate::{game::Go, people::People};

/// Number of nodes for a position, and in a hurry.
const NODES: [u64; 2] = [20_000, 2_000];
/// Remaining seconds below which the search is hurried.
const HURRY: f64 = 5.0;

/// A chosen move with its judgement.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The move.
    pub(crate) mv: Move,
    /// The judgement of the position; `None` if the move is forced.
    pub(crate) judged: Option<JudgedEase>,
}

/// Chooses each move with the probability that players of this rating play it. Returns `None` if
/// there is no legal move.
pub(crate) fn choose(
    people: People<'_>,
    history: &History,
    rating: u32,
    analyst: &dyn Analyst,
    left: f64,
    random: &mut SplitMix64,
) -> Result<Option<Chosen>, EaseJudgeError> {
    let legal = history.position().legal_moves();
    if legal.len() < 2 {
        return Ok(legal.first().map(|mv| Chosen {
            mv: *mv,
            judged: None,
        }));
    }
    let nodes = NODES[usize::from(left < HURRY)];
    let judged = people.judge(
        history,
        rating,
        KnownEvals::default(),
        Some((analyst, nodes)),
    )?;
    let Some(judged) = judged else {
        return Ok(legal.first().map(|mv| Chosen {
            mv: *mv,
            judged: None,
        }));
    };
    let mut rest = random.unit();
    for candidate in &judged.moves {
        if rest < candidate.p {
            return Ok(Some(Chosen {
                mv: candidate.mv,
                judged: Some(judged),
            }));
        }
        rest -= candidate.p;
    }
    // The drawn move is neither likely nor among the engine's best, so it was not evaluated. Draw
    // it by the network's probabilities.
    let answer = match people.network.nearest_level(rating) {
        Some(level) => people.network.evaluate_at(history, level)?,
        None => people.network.evaluate(history)?,
    };
    let others: Vec<(Move, f64)> = answer
        .moves
        .iter()
        .filter(|found| judged.moves.iter().all(|known| known.mv != found.mv))
        .map(|found| (found.mv, found.probability))
        .collect();
    let mut place = random.unit() * others.iter().map(|(_, p)| p).sum::<f64>();
    let drawn = others.iter().find(|(_, p)| {
        place -= p;
        place < 0.0
    });
    let fallback = judged
        .moves
        .first()
        .map_or(legal[0], |likeliest| likeliest.mv);
    Ok(Some(Chosen {
        mv: drawn.map_or(fallback, |(mv, _)| *mv),
        judged: Some(judged),
    }))
}

/// Median share of the remaining time (plus twenty increments) that players of Lichess take for a
/// move, for moves 1 to 5, 6 to 10, and so on, in games of less than three minutes, less than
/// eight, and more. Measured in 999 games (64,000 moves) of October 2021.
const SHARES: [[f64; 8]; 3] = [
    [
        0.0099, 0.0179, 0.0263, 0.0465, 0.0588, 0.0667, 0.0714, 0.0417,
    ],
    [
        0.0057, 0.0117, 0.0198, 0.0278, 0.0336, 0.0366, 0.0373, 0.0337,
    ],
    [
        0.0042, 0.0076, 0.0112, 0.0136, 0.0149, 0.0146, 0.0150, 0.0120,
    ],
];
/// Standard deviation of the logarithm of this share, in the same games.
const SPREAD: f64 = 1.2;
/// Maximum share of the remaining time for one move, so that the player does not lose on time.
const MOST: f64 = 0.25;
/// Seconds that are kept in reserve on the clock for the communication with the GUI.
const RESERVE: f64 = 0.2;

/// Draws a thinking time for the move. Returns `None` without a clock: then the move is played at
/// once.
pub(crate) fn think_time(
    go: &Go,
    history: &History,
    seconds: Option<f64>,
    is_forced: bool,
    random: &mut SplitMix64,
) -> Option<Duration> {
    let side = history.turn().fold_wb(0, 1);
    let left = go.clocks?[side];
    let class = match seconds.unwrap_or(left) {
        ..180.0 => 0,
        ..480.0 => 1,
        _ => 2,
    };
    let fives = (history.ply() as usize / 2 / 5).min(SHARES[class].len() - 1);
    // A normal random number by the Box-Muller transform.
    let normal =
        (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos();
    let share = SHARES[class][fives] * (SPREAD * normal).exp() * if is_forced { 0.3 } else { 1.0 };
    // Before a time control, spend at least 30 % of an equal share for each move.
    let share = go.moves_to_go.map_or(share, |moves| share.max(0.3 / moves));
    let wanted = share * (left + 20.0 * go.increments[side]);
    let most = (MOST * left + 0.9 * go.increments[side]).min(left - RESERVE);
    Some(Duration::from_secs_f64(wanted.min(most).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_never_uses_up_the_clock() {
        let mut random = SplitMix64::new(7);
        let history = History::default();
        let mut left = 180.0;
        for _ in 0..200 {
            let go = Go {
                clocks: Some([left, 100.0]),
                ..Go::default()
            };
            left -= think_time(&go, &history, Some(180.0), false, &mut random)
                .unwrap()
                .as_secs_f64();
            assert!(left > 0.0);
        }
        let endless = Go::parse("wtime 1e300 btime inf winc inf binc nan");
        assert!(
            think_time(&endless, &history, None, false, &mut random).unwrap()
                < Duration::from_secs(2_000_000_000)
        );
        let empty = Go {
            clocks: Some([0.05, 0.05]),
            ..Go::default()
        };
        assert_eq!(
            think_time(&empty, &history, None, false, &mut random),
            Some(Duration::ZERO)
        );
        assert_eq!(
            think_time(&Go::default(), &history, None, false, &mut random),
            None
        );
    }

    #[test]
    fn the_median_time_is_that_of_people() {
        let mut random = SplitMix64::new(1);
        let go = Go {
            clocks: Some([300.0, 300.0]),
            ..Go::default()
        };
        let mut times: Vec<f64> = (0..2001)
            .map(|_| {
                think_time(&go, &History::default(), Some(300.0), false, &mut random)
                    .unwrap()
                    .as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        assert!(
            (times[1000] / 300.0 / SHARES[1][0] - 1.0).abs() < 0.15,
            "{}",
            times[1000]
        );
    }
}
