//! The balance by maximum likelihood.
//!
//! By the relevance curve, at an evaluation of `|x| = z` pawns the worse side scores `q = ½·2^(−z/a)`. A position whose
//! better side scored `t` has the log-likelihood `t·ln(1−q) + (1−t)·ln q`, with the derivative `u·(1−t−q)/(1−q)` by `ln a`,
//! where `u = z·ln 2/a`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// Larger evaluations count as this one; they hardly affect the fit.
const LARGEST_CP: usize = 2047;
/// Number of candidates for `a` at which games are weighed, enough for interpolation.
const CANDIDATES: usize = 16;
/// Candidates range from a tenth of a pawn to ten pawns.
const LOWEST: f64 = 0.1;
const STEP: f64 = std::f64::consts::LN_10 * 2.0 / (CANDIDATES - 1) as f64;
/// Sums are integers in this fraction of 1, so they do not depend on the order of addition.
const UNIT: f64 = 65_536.0;

/// The `n`th candidate.
fn candidate(index: usize) -> f64 {
    LOWEST * (STEP * index as f64).exp()
}

/// The derivative of a position's log-likelihood by `ln a`; `t` is the better side's score.
fn derivative(cp: usize, t: f64, a: f64) -> f64 {
    let u = cp as f64 / 100.0 * std::f64::consts::LN_2 / a;
    let q = 0.5 * (-u).exp();
    u * (1.0 - t - q) / (1.0 - q)
}

/// Derivatives at all candidates, by evaluation and score in half points.
static DERIVATIVES: LazyLock<Vec<[i32; CANDIDATES]>> = LazyLock::new(|| {
    let cell = |index: usize| {
        let (cp, halves) = (index / 3, index % 3);
        std::array::from_fn(|n| (derivative(cp, halves as f64 / 2.0, candidate(n)) * UNIT).round() as i32)
    };
    (0..3 * (LARGEST_CP + 1)).map(cell).collect()
});

/// All evaluated positions of a group, and how much its games differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Sparse", try_from = "Sparse")]
pub(super) struct Positions {
    /// By evaluation and the better side's score in half points, `3·cp + halves`.
    cells: Vec<u64>,
    /// For each candidate the sum over games of the game's squared derivative.
    squares: [i128; CANDIDATES],
}

/// [`Positions`] in serialised form.
#[derive(Serialize, Deserialize)]
struct Sparse {
    /// The non-zero cells, with their indices.
    cells: Vec<(usize, u64)>,
    /// As text, because JSON numbers are too small for them.
    squares: Vec<String>,
}

impl From<Positions> for Sparse {
    fn from(positions: Positions) -> Self {
        let cells = positions.cells.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
        Self { cells, squares: positions.squares.iter().map(ToString::to_string).collect() }
    }
}

impl TryFrom<Sparse> for Positions {
    type Error = &'static str;

    fn try_from(sparse: Sparse) -> Result<Self, Self::Error> {
        const BAD: &str = "these are no positions of a balance";
        let mut positions = Self::default();
        for (place, count) in sparse.cells {
            *positions.cells.get_mut(place).ok_or(BAD)? = count;
        }
        let squares: Result<Vec<i128>, _> = sparse.squares.iter().map(|square| square.parse()).collect();
        positions.squares = squares.ok().and_then(|squares| squares.try_into().ok()).ok_or(BAD)?;
        Ok(positions)
    }
}

impl Default for Positions {
    fn default() -> Self {
        Self { cells: vec![0; 3 * (LARGEST_CP + 1)], squares: [0; CANDIDATES] }
    }
}

impl Positions {
    /// Adds a game: its evaluations in centipawns, and the score in half points of the side that made them.
    pub(super) fn add(&mut self, evals: &[i32], score: u8) {
        let derivatives = &**DERIVATIVES;
        let mut sums = [0_i64; CANDIDATES];
        for &eval in evals {
            let halves = usize::from(if eval >= 0 { score } else { 2 - score });
            let cell = 3 * (eval.unsigned_abs() as usize).min(LARGEST_CP) + halves;
            self.cells[cell] += 1;
            sums.iter_mut().zip(&derivatives[cell]).for_each(|(sum, own)| *sum += i64::from(*own));
        }
        for (square, sum) in self.squares.iter_mut().zip(sums) {
            *square += i128::from(sum) * i128::from(sum);
        }
    }

    pub(super) fn merge(&mut self, more: &Self) {
        self.cells.iter_mut().zip(&more.cells).for_each(|(sum, own)| *sum += own);
        self.squares.iter_mut().zip(more.squares).for_each(|(sum, own)| *sum += own);
    }

    /// Numbers of positions, without zeros.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.cells.iter().copied().filter(|count| *count > 0)
    }

    /// Sums of squares, one for each candidate.
    pub(super) fn squares(&self) -> impl Iterator<Item = i128> {
        self.squares.iter().copied()
    }

    /// Evaluation in centipawns, the better side's score, and the number of positions.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let cells = self.cells.iter().enumerate().filter(|(_, count)| **count > 0);
        cells.map(|(cell, &count)| (cell / 3, (cell % 3) as f64 / 2.0, count as f64))
    }

    /// The most likely `a` and the standard error of its logarithm, clustered by game because positions of a game are
    /// correlated. `None` if the maximum does not lie between the lowest and the highest candidate, or if its error is unknown.
    pub(super) fn fit(&self) -> Option<(f64, f64)> {
        let cells: Vec<_> = self.cells().collect();
        let slope =
            |ln_a: f64| -> f64 { cells.iter().map(|&(cp, t, count)| count * derivative(cp, t, ln_a.exp())).sum() };
        // The likelihood rises up to the best `a` and falls after it.
        let (mut low, mut high) = (candidate(0).ln(), candidate(CANDIDATES - 1).ln());
        if slope(low) <= 0.0 || slope(high) >= 0.0 {
            return None;
        }
        while high - low > 1e-12 {
            let middle = (low + high) / 2.0;
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        let ln_a = (low + high) / 2.0;
        let width = 1e-4;
        let bend = (slope(ln_a + width) - slope(ln_a - width)) / (2.0 * width);
        // The sandwich estimator: the variation between games over the curvature of the likelihood.
        let place = (ln_a - LOWEST.ln()) / STEP;
        let index = (place as usize).min(CANDIDATES - 2);
        let [before, after] = [index, index + 1].map(|n| (self.squares[n] as f64 / (UNIT * UNIT)).ln());
        let squares = (before + (after - before) * (place - index as f64)).exp();
        // Games that agree to the last digit, such as a single one, give no error.
        Some((ln_a.exp(), squares.sqrt() / -bend)).filter(|(_, error)| bend < 0.0 && error.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected score of the better side.
    fn expected(pawns: f64, a: f64) -> f64 {
        1.0 - 0.5 * 2_f64.powf(-pawns / a)
    }

    #[test]
    fn the_derivative_is_that_of_the_likelihood() {
        let likelihood = |cp: f64, t: f64, a: f64| {
            let p = expected(cp / 100.0, a);
            t * p.ln() + (1.0 - t) * (1.0 - p).ln()
        };
        for (cp, t, a) in [(0, 1.0, 1.0), (62, 0.5, 0.62), (150, 0.0, 1.14), (400, 1.0, 2.0)] {
            let width = 1e-6;
            let by = |sign: f64| likelihood(cp as f64, t, a * f64::exp(sign * width));
            let numeric = (by(1.0) - by(-1.0)) / (2.0 * width);
            assert!((derivative(cp, t, a) - numeric).abs() < 1e-8, "{cp} {t} {a}");
        }
    }

    /// A fit to games simulated from the curve recovers its `a`, within the reported error.
    #[test]
    fn what_made_the_games_is_found() {
        let mut positions = Positions::default();
        let mut state = 1_u64;
        let mut chance = || {
            state = centipawn_core::mix64(state);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..20_000 {
            let cp = (chance() * 300.0) as i32 - 150;
            let p = expected(f64::from(cp.abs()) / 100.0, 0.8);
            let won = chance() < p;
            positions.add(&[cp], if won == (cp >= 0) { 2 } else { 0 });
        }
        let (a, error) = positions.fit().unwrap();
        assert!((a / 0.8).ln().abs() < 3.0 * error && error < 0.1, "{a} {error}");
        // Every position twice in its game: twice the positions, but no more information.
        assert!(Positions::default().fit().is_none());
    }

    #[test]
    fn positions_of_a_game_are_one_witness() {
        let [mut once, mut thrice] = [Positions::default(), Positions::default()];
        for index in 0..1000 {
            let (cp, score) = (20 + index % 100, if index % 4 == 0 { 0 } else { 2 });
            once.add(&[cp], score);
            thrice.add(&[cp; 3], score);
        }
        let (one, three) = (once.fit().unwrap(), thrice.fit().unwrap());
        assert!((one.0 - three.0).abs() < 1e-9 && (one.1 / three.1 - 1.0).abs() < 1e-6, "{one:?} {three:?}");
    }
}
