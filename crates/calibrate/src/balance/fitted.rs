//! The balance by maximum likelihood.
//!
//! Under the relevance curve, the worse side scores `q = ½·2^(−z/a)` at an evaluation of `|x| = z`
//! pawns. A position whose better side scored `t` has the log-likelihood `t·ln(1−q) + (1−t)·ln q`,
//! with the derivative `u·(1−t−q)/(1−q)` by `ln a`, where `u = z·ln 2/a`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// Larger evaluations, in centipawns, count as this one. They hardly affect the fit.
pub(super) const LARGEST_CP: usize = 2047;
/// Number of values of `a` at which each game's derivative is summed. Values between them are
/// interpolated.
const CANDIDATES: usize = 16;
/// Number of candidates that one interpolation uses.
const NODES: usize = 3;
/// The lowest candidate for `a`, in pawns; the highest is 10.
const LOWEST: f64 = 0.1;
const STEP: f64 = std::f64::consts::LN_10 * 2.0 / (CANDIDATES - 1) as f64;
/// Derivatives are rounded to this fraction of 1 and summed as integers, so that sums do not depend
/// on the order of addition.
const UNIT: f64 = 65_536.0;
/// A variation below this share of the summed squares is only their rounding.
const ROUNDING: f64 = 1e-9;

/// Returns the value of `a`, in pawns, of the candidate with this index.
fn candidate(index: usize) -> f64 {
    LOWEST * (STEP * index as f64).exp()
}

/// Returns the derivative of a position's log-likelihood by `ln a`, where `t` is the better side's
/// score, 0..=1.
fn derivative(cp: usize, t: f64, a: f64) -> f64 {
    let u = cp as f64 / 100.0 * std::f64::consts::LN_2 / a;
    let q = 0.5 * (-u).exp();
    u * (1.0 - t - q) / (1.0 - q)
}

/// Derivatives at all candidates, by evaluation and by score in half points.
static DERIVATIVES: LazyLock<Vec<[i32; CANDIDATES]>> = LazyLock::new(|| {
    let cell = |index: usize| {
        let (cp, halves) = (index / 3, index % 3);
        std::array::from_fn(|n| {
            (derivative(cp, halves as f64 / 2.0, candidate(n)) * UNIT).round() as i32
        })
    };
    (0..3 * (LARGEST_CP + 1)).map(cell).collect()
});

/// Number of cells: one for each evaluation and score in half points.
const CELLS: usize = 3 * (LARGEST_CP + 1);

/// All evaluated positions of a group of games, with sums that show how much the games differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Sparse", try_from = "Sparse")]
pub(super) struct Positions {
    /// Number of positions by evaluation and the better side's score in half points. The index is
    /// `3·cp + halves`.
    cells: Cells,
    /// Number of games whose derivatives are not all 0.
    games: u64,
    /// For each distance between two candidates, and for each first one: the sum over games of the
    /// product of the game's derivatives at both. Distance 0 has the squares. Entries without a
    /// second candidate are 0.
    products: [[i128; CANDIDATES]; NODES],
}

/// Number of positions in each cell, in a form that takes little memory for few positions.
#[derive(Clone, Debug)]
enum Cells {
    /// The cell of each single position.
    Few(Vec<u16>),
    /// The number of positions in each cell.
    Many(Vec<u64>),
}

impl Default for Cells {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl PartialEq for Cells {
    fn eq(&self, other: &Self) -> bool {
        self.counts() == other.counts()
    }
}

impl Cells {
    /// Number of positions at which `Few` takes as much memory as `Many`.
    const FEW: usize = CELLS * size_of::<u64>() / size_of::<u16>();

    fn add(&mut self, cell: usize, count: u64) {
        match self {
            Self::Few(few) if count <= (Self::FEW - few.len()) as u64 => {
                few.extend((0..count).map(|_| cell as u16));
            }
            Self::Few(few) => {
                let mut many = vec![0_u64; CELLS];
                few.iter().for_each(|&own| many[usize::from(own)] += 1);
                many[cell] = many[cell].saturating_add(count);
                *self = Self::Many(many);
            }
            Self::Many(many) => many[cell] = many[cell].saturating_add(count),
        }
    }

    fn merge(&mut self, more: &Self) {
        match more {
            Self::Few(few) => few.iter().for_each(|&cell| self.add(cell.into(), 1)),
            Self::Many(_) => more
                .counts()
                .into_iter()
                .for_each(|(cell, count)| self.add(cell, count)),
        }
    }

    /// Returns the cells with positions, each with their number.
    fn counts(&self) -> Vec<(usize, u64)> {
        match self {
            Self::Few(few) => {
                let mut few = few.clone();
                few.sort_unstable();
                few.chunk_by(|one, other| one == other)
                    .map(|own| (usize::from(own[0]), own.len() as u64))
                    .collect()
            }
            Self::Many(many) => many
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, count)| *count > 0)
                .collect(),
        }
    }
}

/// Serialised form of [`Positions`].
#[derive(Serialize, Deserialize)]
struct Sparse {
    /// The cells with positions: index and number.
    cells: Vec<(usize, u64)>,
    games: u64,
    /// Written as text, because the sums exceed the numbers of JSON.
    products: Vec<Vec<String>>,
}

impl From<Positions> for Sparse {
    fn from(
        Positions {
            cells,
            games,
            products,
        }: Positions,
    ) -> Self {
        let products = products
            .iter()
            .map(|sums| sums.iter().map(ToString::to_string).collect());
        Self {
            cells: cells.counts(),
            games,
            products: products.collect(),
        }
    }
}

impl TryFrom<Sparse> for Positions {
    type Error = &'static str;

    fn try_from(sparse: Sparse) -> Result<Self, Self::Error> {
        const BAD: &str = "these are no positions of a balance";
        let mut positions = Self {
            games: sparse.games,
            ..Self::default()
        };
        for (cell, count) in sparse.cells {
            if cell >= CELLS {
                return Err(BAD);
            }
            positions.cells.add(cell, count);
        }
        let numbers = |sums: &Vec<String>| {
            let sums: Option<Vec<i128>> = sums.iter().map(|sum| sum.parse().ok()).collect();
            sums?.try_into().ok()
        };
        let products: Option<Vec<_>> = sparse.products.iter().map(numbers).collect();
        positions.products = products
            .and_then(|products| products.try_into().ok())
            .ok_or(BAD)?;
        Ok(positions)
    }
}

impl Positions {
    /// Adds a game: its evaluations in centipawns, and the score in half points of the side whose
    /// evaluations they are.
    pub(super) fn add(&mut self, evals: &[i32], score: u8) {
        let derivatives = &**DERIVATIVES;
        let mut sums = [0_i64; CANDIDATES];
        for &eval in evals {
            let halves = usize::from(if eval >= 0 { score } else { 2 - score });
            let cell = 3 * (eval.unsigned_abs() as usize).min(LARGEST_CP) + halves;
            self.cells.add(cell, 1);
            sums.iter_mut()
                .zip(&derivatives[cell])
                .for_each(|(sum, own)| *sum += i64::from(*own));
        }
        self.games += u64::from(sums.iter().any(|sum| *sum != 0));
        for (distance, products) in self.products.iter_mut().enumerate() {
            for (product, (one, other)) in
                products.iter_mut().zip(sums.iter().zip(&sums[distance..]))
            {
                *product += i128::from(*one) * i128::from(*other);
            }
        }
    }

    pub(super) fn merge(&mut self, more: &Self) {
        self.cells.merge(&more.cells);
        self.games += more.games;
        let products = self.products.iter_mut().flatten();
        products
            .zip(more.products.iter().flatten())
            .for_each(|(sum, own)| *sum += own);
    }

    /// Returns the number of games whose evaluations affect the balance.
    pub(super) fn games(&self) -> u64 {
        self.games
    }

    /// Returns the numbers of positions of all cells that have any.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.cells.counts().into_iter().map(|(_, count)| count)
    }

    /// For each candidate, the sum over games of the squared derivatives.
    pub(super) fn squares(&self) -> &[i128; CANDIDATES] {
        &self.products[0]
    }

    /// Returns the sums of products, each with the sums of squares of its two candidates.
    pub(super) fn products(&self) -> impl Iterator<Item = (i128, [i128; 2])> {
        let square = |candidate: usize| self.squares().get(candidate).copied().unwrap_or_default();
        let of = move |distance: usize| {
            let own = self.products[distance].iter().enumerate();
            own.map(move |(candidate, &product)| {
                (product, [candidate, candidate + distance].map(square))
            })
        };
        (1..NODES).flat_map(of)
    }

    /// For each cell: evaluation in centipawns, the better side's score, and the number of
    /// positions.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        self.cells
            .counts()
            .into_iter()
            .map(|(cell, count)| (cell / 3, (cell % 3) as f64 / 2.0, count as f64))
    }

    /// Fits `a`. Returns it with the standard error of its logarithm, which is clustered by game
    /// because positions of a game are correlated. `None` if the maximum does not lie between the
    /// lowest and the highest candidate. The error is `None` if all games agree, as a single one
    /// does.
    pub(super) fn fit(&self) -> Option<(f64, Option<f64>)> {
        let cells: Vec<_> = self.cells().collect();
        let slope = |ln_a: f64| -> f64 {
            cells
                .iter()
                .map(|&(cp, t, count)| count * derivative(cp, t, ln_a.exp()))
                .sum()
        };
        // The likelihood has one maximum, so bisect on the sign of its derivative.
        let (mut low, mut high) = (candidate(0).ln(), candidate(CANDIDATES - 1).ln());
        if slope(low) <= 0.0 || slope(high) >= 0.0 {
            return None;
        }
        while high - low > 1e-12 {
            let middle = (low + high) / 2.0;
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let ln_a = (low + high) / 2.0;
        let width = 1e-4;
        let bend = (slope(ln_a + width) - slope(ln_a - width)) / (2.0 * width);
        // The sandwich estimator: the variation between games divided by the curvature of the
        // likelihood.
        let error = self
            .variation(ln_a)
            .map(|variation| variation.sqrt() / -bend);
        (bend < 0.0 && error.is_none_or(f64::is_finite)).then_some((ln_a.exp(), error))
    }

    /// Returns the sum over games of the squared deviation of the game's derivative from the mean;
    /// `None` if the games do not differ.
    ///
    /// Each game's derivative is interpolated between three candidates. At the best `a` the exact
    /// derivatives have mean 0. The interpolated ones have a small mean, an error that all games
    /// share, so it is subtracted.
    fn variation(&self, ln_a: f64) -> Option<f64> {
        let place = (ln_a - LOWEST.ln()) / STEP;
        let first = (place.round() as usize).clamp(1, CANDIDATES - 2) - 1;
        let x = place - first as f64;
        let weights = [
            (x - 1.0) * (x - 2.0) / 2.0,
            x * (2.0 - x),
            x * (x - 1.0) / 2.0,
        ];
        let total = |candidate: usize| -> f64 {
            let cells = self.cells.counts().into_iter();
            cells
                .map(|(cell, count)| count as f64 * f64::from(DERIVATIVES[cell][candidate]))
                .sum()
        };
        let product = |one: usize, other: usize| {
            self.products[one.abs_diff(other)][first + one.min(other)] as f64
        };
        let nodes = || weights.iter().enumerate();
        let mean = nodes()
            .map(|(node, weight)| weight * total(first + node))
            .sum::<f64>()
            / self.games as f64;
        let pairs = nodes().flat_map(|one| nodes().map(move |other| (one, other)));
        let squares: f64 = pairs
            .map(|((one, weight), (other, more))| weight * more * product(one, other))
            .sum();
        let variation = squares - self.games as f64 * mean * mean;
        let rounding = ROUNDING * nodes().map(|(node, _)| product(node, node)).sum::<f64>();
        (variation > rounding).then_some(variation / (UNIT * UNIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the expected score of the better side, 0..=1.
    fn expected(pawns: f64, a: f64) -> f64 {
        1.0 - 0.5 * 2_f64.powf(-pawns / a)
    }

    #[test]
    fn the_derivative_is_that_of_the_likelihood() {
        let likelihood = |cp: f64, t: f64, a: f64| {
            let p = expected(cp / 100.0, a);
            t * p.ln() + (1.0 - t) * (1.0 - p).ln()
        };
        for (cp, t, a) in [
            (0, 1.0, 1.0),
            (62, 0.5, 0.62),
            (150, 0.0, 1.14),
            (400, 1.0, 2.0),
        ] {
            let width = 1e-6;
            let by = |sign: f64| likelihood(cp as f64, t, a * f64::exp(sign * width));
            let numeric = (by(1.0) - by(-1.0)) / (2.0 * width);
            assert!(
                (derivative(cp, t, a) - numeric).abs() < 1e-8,
                "{cp} {t} {a}"
            );
        }
    }

    /// Fitting games that were simulated from the curve recovers `a` within the reported error.
    #[test]
    fn fits_recover_the_balance_of_simulated_games() {
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
        let error = error.unwrap();
        assert!(
            (a / 0.8).ln().abs() < 3.0 * error && error < 0.1,
            "{a} {error}"
        );
        // Repeating every position in its game doubles the positions, but adds no information.
        assert!(Positions::default().fit().is_none());
    }

    #[test]
    fn repeated_positions_of_a_game_do_not_shrink_the_error() {
        let [mut once, mut thrice] = [Positions::default(), Positions::default()];
        for index in 0..1000 {
            let (cp, score) = (20 + index % 100, if index % 4 == 0 { 0 } else { 2 });
            once.add(&[cp], score);
            thrice.add(&[cp; 3], score);
        }
        let (one, three) = (once.fit().unwrap(), thrice.fit().unwrap());
        let ratio = one.1.unwrap() / three.1.unwrap();
        assert!(
            (one.0 - three.0).abs() < 1e-9 && (ratio - 1.0).abs() < 1e-6,
            "{one:?} {three:?}"
        );
    }

    /// Returns a won game, with evaluations of both signs, because otherwise the likelihood has no
    /// maximum.
    fn won(game: i32) -> Vec<i32> {
        (0..40)
            .map(|ply| (ply * (11 + game % 7)) % 190 - 35 - 4 * (game % 5))
            .collect()
    }

    #[test]
    fn games_that_agree_have_no_error() {
        for games in [1, 2, 30] {
            let mut positions = Positions::default();
            // An evaluation of 0 is equally likely under every balance.
            positions.add(&[0, 0], 1);
            (0..games).for_each(|_| positions.add(&won(3), 2));
            let (a, error) = positions.fit().unwrap();
            assert!(a > 0.2 && error.is_none(), "{games}: {a} {error:?}");
        }
    }

    /// Compares with the sandwich estimator from each game's exact derivative at the best `a`,
    /// without interpolation.
    #[test]
    fn the_error_is_the_sandwich_estimate() {
        for games in [2, 3, 10, 200] {
            let played = |game: i32| (won(game), if game % 3 == 1 { 1 } else { 2 });
            let mut positions = Positions::default();
            (0..games)
                .map(played)
                .for_each(|(evals, score)| positions.add(&evals, score));
            let (a, error) = positions.fit().unwrap();
            let slope = |game: i32, a: f64| -> f64 {
                let (evals, score) = played(game);
                let t = |eval: i32| f64::from(if eval >= 0 { score } else { 2 - score }) / 2.0;
                evals
                    .iter()
                    .map(|&eval| derivative(eval.unsigned_abs() as usize, t(eval), a))
                    .sum()
            };
            let squares: f64 = (0..games).map(|game| slope(game, a).powi(2)).sum();
            let all = |a: f64| (0..games).map(|game| slope(game, a)).sum::<f64>();
            let bend = (all(a * 1.0001) - all(a / 1.0001)) / (2.0 * 1.0001_f64.ln());
            let exact = squares.sqrt() / -bend;
            assert!(
                (error.unwrap() / exact - 1.0).abs() < 0.005,
                "{games} games: {error:?} for {exact}"
            );
        }
    }

    #[test]
    fn both_forms_of_counts_give_the_same_fit() {
        let part = |games: std::ops::Range<i32>| {
            let mut positions = Positions::default();
            games.for_each(|game| positions.add(&won(game), 2));
            positions
        };
        let whole = part(0..700);
        let mut merged = Positions::default();
        [part(300..700), part(0..1), part(1..300)]
            .iter()
            .for_each(|part| merged.merge(part));
        assert!(matches!(
            (&part(0..1).cells, &whole.cells),
            (Cells::Few(_), Cells::Many(_))
        ));
        assert_eq!((merged.fit(), &merged), (whole.fit(), &whole));
        for positions in [part(0..1), whole] {
            let text = serde_json::to_string(&positions).unwrap();
            assert_eq!(serde_json::from_str::<Positions>(&text).unwrap(), positions);
        }
    }
}
