//! Compares consecutive evaluations of a game to find out their point of view, and whether two
//! engines use the same unit.
//!
//! A full move has two evaluations, White's and Black's, of nearly the same position. Each one
//! should be from the side to move, so they have opposite signs. If one engine made both, or two
//! engines with the same unit, they also have about the same absolute value.

use std::{collections::BTreeMap, ops::AddAssign};

use centipawn_pgn::{Impossible, ScanReport};
use serde::{Deserialize, Serialize};

use super::{Key, MATE};

/// Evaluations below this many centipawns are ignored, because their sign may change from one ply
/// to the next.
const LEAST: u32 = 50;

/// Pairs whose mean absolute evaluation is above this many centipawns are ignored, because engines
/// differ most in decided games.
const MOST: u32 = 600;

/// Fewest pairs of evaluations needed to check the point of view.
const FEWEST_PAIRS: u64 = 100;

/// A larger share of pairs with equal signs cannot be chance.
const SAME_SIGN: f64 = 0.3;

/// Fewest games of two engines needed to compare their units.
const FEWEST_GAMES: u64 = 8;

/// Units whose ratio is below this count as equal.
const SAME_UNIT: f64 = 1.15;

/// A ratio of units is reported only if its logarithm differs from 0 by this many standard errors
/// by game.
const SURE: f64 = 4.0;

/// Statistics of pairs of consecutive evaluations by the two sides. The statistics of the parts of
/// an input add up to those of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Views {
    /// Number of pairs in which neither evaluation is near 0 and the game is not decided.
    pub pairs: u64,
    /// Number of these pairs whose evaluations, each from the side to move, have the same sign.
    pub same_sign: u64,
    /// Absolute evaluations by pair of engines. The key has the two names in alphabetical order,
    /// separated by a line feed.
    units: BTreeMap<String, Sizes>,
}

/// Sums over games of two engines' absolute evaluations in centipawns, and of their squares and
/// products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sizes {
    games: u64,
    sums: [u64; 2],
    squares: [u128; 3],
}

impl AddAssign for Sizes {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.sums
            .iter_mut()
            .zip(other.sums)
            .for_each(|(own, other)| *own += other);
        self.squares
            .iter_mut()
            .zip(other.squares)
            .for_each(|(own, other)| *own += other);
    }
}

impl Sizes {
    /// Returns the ratio of the second engine's mean absolute evaluation to the first engine's, and
    /// the standard error of its logarithm, clustered by game.
    fn ratio(&self) -> Option<(f64, f64)> {
        let [first, second] = self.sums.map(|sum| sum as f64);
        if self.games < FEWEST_GAMES || first == 0.0 || second == 0.0 {
            return None;
        }
        let [one, both, two] = self.squares.map(|sum| sum as f64);
        let variance =
            one / (first * first) - 2.0 * both / (first * second) + two / (second * second);
        Some((second / first, variance.max(0.0).sqrt()))
    }
}

impl Views {
    /// Adds a game with these positions, in the order of plies. `engines` are the names of White
    /// and Black, if the players made the evaluations.
    pub(super) fn add(&mut self, keys: &[u32], engines: Option<[&str; 2]>) {
        let mut sizes = [0_u64; 2];
        for pair in keys.windows(2) {
            let [white, black] = [Key(pair[0]), Key(pair[1])];
            let [one, two] = [white.eval().unsigned_abs(), black.eval().unsigned_abs()];
            // The absolute values are unpredictable, so avoid branches. Within a full move, White's
            // evaluation comes first. A mate is larger than any limit here.
            let is_pair = (white.number() == black.number())
                & (one >= LEAST)
                & (two >= LEAST)
                & (one < MATE as u32)
                & (two < MATE as u32)
                & (one + two <= 2 * MOST);
            let is_same = is_pair & ((white.eval() > 0) == (black.eval() > 0));
            self.pairs += u64::from(is_pair);
            self.same_sign += u64::from(is_same);
            sizes[0] += u64::from(one * u32::from(is_pair));
            sizes[1] += u64::from(two * u32::from(is_pair));
        }
        let Some([white, black]) = engines.filter(|[white, black]| white != black && sizes[0] > 0)
        else {
            return;
        };
        let (key, [one, two]) = if white < black {
            (format!("{white}\n{black}"), sizes)
        } else {
            (format!("{black}\n{white}"), [sizes[1], sizes[0]])
        };
        let squares = [(one, one), (one, two), (two, two)]
            .map(|(one, two)| u128::from(one) * u128::from(two));
        *self.units.entry(key).or_default() += Sizes {
            games: 1,
            sums: [one, two],
            squares,
        };
    }

    /// Checks the numbers of a part of a scan against the report of that scan.
    pub(super) fn check(&self, scan: &ScanReport) -> Result<(), Impossible> {
        let are_pairs = self.same_sign <= self.pairs && self.pairs <= scan.plies;
        Impossible::unless(are_pairs, "more pairs of evaluations count than were read")?;
        let are_sizes = |sizes: &Sizes| {
            sizes.games <= scan.games && sizes.sums.iter().all(|sum| *sum <= Impossible::LARGEST)
        };
        Impossible::unless(
            self.units.values().all(are_sizes),
            "sizes of evaluations are of more games than were read",
        )?;
        let are_squares = |sizes: &Sizes| {
            let [one, two] = sizes.sums.map(u128::from);
            sizes
                .squares
                .iter()
                .zip([one * one, one * two, two * two])
                .all(|(sum, most)| *sum <= most)
        };
        Impossible::unless(
            self.units.values().all(are_squares),
            "squares of evaluations are larger than their sums allow",
        )
    }

    /// Adds the statistics of other games.
    pub(super) fn merge(&mut self, later: Self) {
        self.pairs += later.pairs;
        self.same_sign += later.same_sign;
        for (key, sizes) in later.units {
            *self.units.entry(key).or_default() += sizes;
        }
    }

    /// Warnings about the evaluations, each with its cause; empty if there are none.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        let share = self.same_sign as f64 / self.pairs.max(1) as f64;
        if self.pairs >= FEWEST_PAIRS && share > SAME_SIGN {
            all.push(format!(
                "point of view: after {:.0} % of White's evaluations Black's has the same sign, though each should be from its own side: \
                 the evaluations, or some of them, seem to be from White's view (or one side's are negated); set the dialect \
                 of the comments with the option `evals`, or correct the games",
                100.0 * share
            ));
            // If the point of view is wrong, a comparison of the sizes means nothing.
            return all;
        }
        let differ = self.units.iter().filter_map(|(names, sizes)| {
            let (ratio, error) = sizes.ratio()?;
            let is_sure = ratio.ln().abs() > SAME_UNIT.ln() && ratio.ln().abs() > SURE * error;
            is_sure.then_some((names, sizes, ratio, error))
        });
        let mut differ: Vec<_> = differ.collect();
        differ.sort_by(|one, other| other.1.games.cmp(&one.1.games).then(one.0.cmp(other.0)));
        if let Some((names, sizes, ratio, error)) = differ.first() {
            let (one, two) = names.split_once('\n').unwrap_or((names, ""));
            let (large, small, ratio) = if *ratio > 1.0 {
                (two, one, *ratio)
            } else {
                (one, two, 1.0 / ratio)
            };
            let more = match differ.len() - 1 {
                0 => String::new(),
                more => format!(" ({more} more pairs of engines differ, too)"),
            };
            all.push(format!(
                "units: in {} games {large} evaluates {ratio:.2} ± {:.2} times as high as {small}, so that their centipawns are not the \
                 same{more}: one model of both is of neither; count the evaluations of one engine with the option `match_engine`",
                sizes.games,
                ratio * error
            ));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wdl::MoverResult;

    /// Returns a game of forty moves in which Black's evaluations are White's multiplied by a
    /// factor.
    fn game(seed: i32, factor: f64) -> Vec<u32> {
        let eval = |index: i32| 60 + (index * 37 + seed * 91) % 200;
        let keys = (1..=40).flat_map(|number| {
            let white = eval(number);
            let black = (f64::from(white) * factor) as i32 + seed % 7;
            [white, black].map(|eval| Key::packed(MoverResult::Draw, number as u32, 40, eval).0)
        });
        keys.collect()
    }

    fn of(games: i32, factor: f64) -> Vec<String> {
        let mut views = Views::default();
        (0..games).for_each(|seed| views.add(&game(seed, factor), Some(["A", "B"])));
        views.warnings()
    }

    #[test]
    fn wrong_views_and_different_units_are_reported() {
        assert!(of(30, -1.0).is_empty() && of(30, -1.1).is_empty() && of(3, -2.0).is_empty());
        let [warning] = &of(30, 1.0)[..] else {
            panic!("one warning")
        };
        assert!(warning.starts_with("point of view"), "{warning}");
        for (factor, name) in [(-1.6, "B evaluates 1."), (-0.625, "A evaluates 1.")] {
            let [warning] = &of(30, factor)[..] else {
                panic!("one warning")
            };
            assert!(
                warning.starts_with("units") && warning.contains(name),
                "{warning}"
            );
        }
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let (mut whole, mut first, mut second) =
            (Views::default(), Views::default(), Views::default());
        for seed in 0..20 {
            whole.add(&game(seed, -1.5), Some(["A", "B"]));
            if seed < 7 { &mut first } else { &mut second }
                .add(&game(seed, -1.5), Some(["A", "B"]));
        }
        first.merge(second);
        assert_eq!(first, whole);
    }

    /// Sums of squares over long games exceed 64 bits, so they need 128.
    #[test]
    fn large_squares_are_exact() {
        let units = |sums: [u64; 2], squares: [u128; 3]| {
            let sizes = Sizes {
                games: 1,
                sums,
                squares,
            };
            Views {
                units: BTreeMap::from([("A\nB".to_owned(), sizes)]),
                ..Views::default()
            }
        };
        let large = 1_u64 << 40;
        let square = u128::from(large) * u128::from(large);
        let mut sum = units([large; 2], [square; 3]);
        sum.merge(units([large; 2], [square; 3]));
        assert_eq!(sum.units["A\nB"].squares, [2 * square; 3]);
        let text = serde_json::to_string(&sum).unwrap();
        assert_eq!(serde_json::from_str::<Views>(&text).unwrap(), sum);
        let scan = ScanReport {
            games: 2,
            plies: 9,
            ..ScanReport::default()
        };
        assert_eq!(sum.check(&scan), Ok(()));
        let wrong = units([large; 2], [square, square + 1, square])
            .check(&scan)
            .unwrap_err()
            .to_string();
        assert!(wrong.contains("squares of evaluations"), "{wrong}");
    }
}
