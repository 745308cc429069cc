//! Ease beyond one position: along a line, over future moves, and by players' level.

/// Ease of a player's moves along a line.
///
/// ```
/// use centipawn_core::LineEase;
///
/// let line = LineEase::of([0.9, 0.5, 1.0]).unwrap();
/// assert_eq!((line.minimum, line.product), (0.5, 0.45));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LineEase {
    /// Ease of the hardest position.
    pub minimum: f64,
    /// Product of the ease of all positions, 0..=1. A long line is hard even if each of its moves
    /// is easy.
    pub product: f64,
}

impl LineEase {
    /// Combines the eases of a line's positions; `None` if there are none.
    pub fn of(eases: impl IntoIterator<Item = f64>) -> Option<Self> {
        eases.into_iter().fold(None, |line, ease| {
            let Self { minimum, product } = line.unwrap_or(Self {
                minimum: f64::INFINITY,
                product: 1.0,
            });
            Some(Self {
                minimum: minimum.min(ease),
                product: product * ease,
            })
        })
    }
}

/// A position, and the positions that its natural moves lead to after the opponent's best reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EaseTree {
    /// Ease of the position itself.
    pub ease: f64,
    /// The natural moves: the probability of each, and the tree of the player's next position.
    pub next: Vec<(f64, EaseTree)>,
}

impl EaseTree {
    /// Returns ease of this move and those that follow: the position's ease times the mean over the
    /// natural moves, weighted by their probabilities. Without natural moves, the position's ease
    /// alone.
    ///
    /// ```
    /// use centipawn_core::EaseTree;
    ///
    /// let leaf = |ease| EaseTree { ease, next: vec![] };
    /// let tree = EaseTree { ease: 0.5, next: vec![(0.6, leaf(1.0)), (0.2, leaf(0.2))] };
    /// assert!((tree.expected() - 0.5 * 0.8).abs() < 1e-12);
    /// ```
    pub fn expected(&self) -> f64 {
        let mass: f64 = self.next.iter().map(|(p, _)| p).sum();
        if mass <= 0.0 {
            return self.ease;
        }
        self.ease
            * self
                .next
                .iter()
                .map(|(p, tree)| p * tree.expected())
                .sum::<f64>()
            / mass
    }
}

/// The ease of a position for players of one rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelPoint {
    /// Rating of the players.
    pub rating: u32,
    /// Ease of the position for these players.
    pub ease: f64,
    /// Probability, 0..=1, that these players find a good move
    /// ([`Ease::finds`](crate::Ease::finds)).
    pub finds: f64,
}

/// How hard a position is for players of several ratings, and which of them find a good move.
///
/// ```
/// use centipawn_core::{LevelCurve, LevelPoint};
///
/// let points = [(1100, 0.2), (1500, 0.55), (1900, 0.8)];
/// let points = points.map(|(rating, finds)| LevelPoint { rating, ease: 0.5, finds });
/// assert_eq!(LevelCurve::new(points.to_vec()).found_from(), Some(1500));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelCurve(Vec<LevelPoint>);

impl LevelCurve {
    /// Creates a curve from points in any order.
    pub fn new(mut points: Vec<LevelPoint>) -> Self {
        points.sort_by_key(|point| point.rating);
        Self(points)
    }

    /// Returns the points, in ascending order of rating.
    pub fn points(&self) -> &[LevelPoint] {
        &self.0
    }

    /// Returns the levels that are expected to find a good move: those that find one with a
    /// probability above 0.5.
    ///
    /// ```
    /// use centipawn_core::{Finders, LevelCurve, LevelPoint};
    ///
    /// let points = [(1100, 0.56), (1500, 0.37), (1900, 0.44)];
    /// let points = points.map(|(rating, finds)| LevelPoint { rating, ease: 0.5, finds });
    /// assert_eq!(LevelCurve::new(points.to_vec()).finders(), Finders::Some(vec![1100]));
    /// ```
    pub fn finders(&self) -> Finders {
        let found = self.found_at();
        let from = self
            .0
            .iter()
            .rev()
            .take_while(|point| point.finds > 0.5)
            .count();
        match found.first() {
            None if self.rises() => Finders::None,
            None => Finders::Unclear,
            Some(_) if found.len() == self.0.len() => Finders::All,
            Some(first) if found.len() == from => Finders::From(*first),
            Some(_) => Finders::Some(found),
        }
    }

    /// Returns the ratings that find a good move with a probability above 0.5, in ascending order.
    pub fn found_at(&self) -> Vec<u32> {
        self.0
            .iter()
            .filter(|point| point.finds > 0.5)
            .map(|point| point.rating)
            .collect()
    }

    /// Returns whether higher levels find a good move at least as often as lower ones. Differences
    /// below five percentage points are ignored, since the networks' probabilities are not more
    /// exact.
    fn rises(&self) -> bool {
        const ERROR: f64 = 0.05;
        let mut highest = f64::NEG_INFINITY;
        self.0.iter().all(|point| {
            highest = highest.max(point.finds);
            point.finds >= highest - ERROR
        })
    }

    /// Returns the lowest rating from which every level finds a good move with a probability above
    /// 0.5, if no lower level does. `None` if the levels show no such order: see
    /// [`finders`](Self::finders).
    pub fn found_from(&self) -> Option<u32> {
        match self.finders() {
            Finders::From(level) => Some(level),
            Finders::All => self.0.first().map(|point| point.rating),
            Finders::Some(_) | Finders::Unclear | Finders::None => None,
        }
    }
}

/// The levels that are expected to find a good move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finders {
    /// Every level.
    All,
    /// The given level and all higher levels, but no lower level.
    From(u32),
    /// Only the given levels, which are not the highest ones.
    Some(Vec<u32>),
    /// No level finds a good move with a probability above 0.5, but a higher level finds one less
    /// often than a lower level. The levels then show no order, so higher ones may fail too.
    Unclear,
    /// No level.
    None,
}

/// Returns the hardest plies of a game, hardest first: up to `count` indices into `eases` with an
/// ease below `below`. Plies without an ease are skipped.
///
/// ```
/// use centipawn_core::hardest;
///
/// assert_eq!(hardest(&[Some(0.9), None, Some(0.3), Some(0.1), Some(0.5)], 2, 0.6), [3, 2]);
/// ```
pub fn hardest(eases: &[Option<f64>], count: usize, below: f64) -> Vec<usize> {
    let mut plies: Vec<(usize, f64)> = eases
        .iter()
        .enumerate()
        .filter_map(|(ply, ease)| Some((ply, (*ease)?)))
        .filter(|(_, ease)| *ease < below)
        .collect();
    plies.sort_by(|a, b| a.1.total_cmp(&b.1));
    plies.truncate(count);
    plies.into_iter().map(|(ply, _)| ply).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_minimum_and_the_product_of_its_eases() {
        assert_eq!(LineEase::of([]), None);
        assert_eq!(
            LineEase::of([0.25]),
            Some(LineEase {
                minimum: 0.25,
                product: 0.25
            })
        );
    }

    #[test]
    fn levels_above_one_half_find_the_move() {
        let point = |rating, finds| LevelPoint {
            rating,
            ease: 0.5,
            finds,
        };
        let curve = LevelCurve::new(vec![point(1900, 0.8), point(1100, 0.2), point(1500, 0.51)]);
        assert_eq!(curve.points()[0].rating, 1100);
        assert_eq!(curve.found_from(), Some(1500));
        assert_eq!(
            LevelCurve::new(vec![point(1100, 0.9), point(1900, 0.4)]).found_from(),
            None
        );
        assert_eq!(
            LevelCurve::new(vec![point(1100, 0.6), point(1500, 0.4), point(1900, 0.7)])
                .found_from(),
            None
        );
        assert_eq!(LevelCurve::default().found_from(), None);
    }

    #[test]
    fn levels_without_order_are_unclear() {
        let finders = |finds: &[f64]| {
            let points = (0..).zip(finds).map(|(index, finds)| LevelPoint {
                rating: 1100 + 400 * index,
                ease: 0.5,
                finds: *finds,
            });
            LevelCurve::new(points.collect()).finders()
        };
        assert_eq!(finders(&[0.56, 0.37, 0.44]), Finders::Some(vec![1100]));
        assert_eq!(finders(&[0.6, 0.4, 0.7]), Finders::Some(vec![1100, 1900]));
        assert_eq!(finders(&[0.45, 0.37, 0.44]), Finders::Unclear);
        assert_eq!(
            finders(&[0.12, 0.11, 0.09]),
            Finders::None,
            "within the error"
        );
        assert_eq!(finders(&[0.2, 0.3, 0.5]), Finders::None);
        assert_eq!(finders(&[0.2, 0.51, 0.7]), Finders::From(1500));
        assert_eq!(finders(&[0.9, 0.6, 0.7]), Finders::All);
        assert_eq!(finders(&[]), Finders::None);
    }

    #[test]
    fn the_hardest_plies_come_first() {
        let eases = [Some(0.9), None, Some(0.3), Some(0.1), Some(0.5)];
        assert_eq!(hardest(&eases, 2, 0.6), [3, 2]);
        assert_eq!(hardest(&eases, 9, 0.2), [3]);
    }
}
