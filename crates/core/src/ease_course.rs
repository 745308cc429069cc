//! Ease beyond one position: along a line, over future moves, by level.

/// Ease along a line of one player's moves.
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
    /// Product of the ease of all positions: a long line is hard even if none of its moves is.
    pub product: f64,
}

impl LineEase {
    /// Combines the ease of each position of a line; `None` if there is none.
    pub fn of(eases: impl IntoIterator<Item = f64>) -> Option<Self> {
        eases.into_iter().fold(None, |line, ease| {
            let Self { minimum, product } = line.unwrap_or(Self { minimum: f64::INFINITY, product: 1.0 });
            Some(Self { minimum: minimum.min(ease), product: product * ease })
        })
    }
}

/// A position with the positions that its natural moves lead to, each after the opponent's best reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EaseTree {
    /// Ease of the position itself.
    pub ease: f64,
    /// The natural moves: the probability of each, and the tree of the player's next position.
    pub next: Vec<(f64, EaseTree)>,
}

impl EaseTree {
    /// Ease of this move and those that follow: the position's ease times the mean over the natural moves, weighted by their
    /// probabilities. Without natural moves, the position's ease alone.
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
        self.ease * self.next.iter().map(|(p, tree)| p * tree.expected()).sum::<f64>() / mass
    }
}

/// How hard a position is for players of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelPoint {
    /// Rating of the players.
    pub rating: u32,
    /// Ease for them.
    pub ease: f64,
    /// Probability, 0..=1, that they play a good move ([`Ease::finds`](crate::Ease::finds)).
    pub finds: f64,
}

/// How hard a position is for players of several levels, and which of them find a good move.
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

    /// The points, the lowest level first.
    pub fn points(&self) -> &[LevelPoint] {
        &self.0
    }

    /// The lowest rating from which every level is more likely than not to find a good move. `None` if even the highest level
    /// is expected to fail.
    pub fn found_from(&self) -> Option<u32> {
        let found = self.0.iter().rev().take_while(|point| point.finds > 0.5);
        found.last().map(|point| point.rating)
    }
}

/// The hardest plies of a game, hardest first: up to `count` indices into `eases` with an ease below `below`. Plies without an
/// ease are skipped.
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
    fn lines() {
        assert_eq!(LineEase::of([]), None);
        assert_eq!(LineEase::of([0.25]), Some(LineEase { minimum: 0.25, product: 0.25 }));
    }

    #[test]
    fn who_finds_it() {
        let point = |rating, finds| LevelPoint { rating, ease: 0.5, finds };
        let curve = LevelCurve::new(vec![point(1900, 0.8), point(1100, 0.2), point(1500, 0.51)]);
        assert_eq!(curve.points()[0].rating, 1100);
        assert_eq!(curve.found_from(), Some(1500));
        assert_eq!(LevelCurve::new(vec![point(1100, 0.9), point(1900, 0.4)]).found_from(), None);
        assert_eq!(LevelCurve::default().found_from(), None);
    }

    #[test]
    fn hard_moments() {
        let eases = [Some(0.9), None, Some(0.3), Some(0.1), Some(0.5)];
        assert_eq!(hardest(&eases, 2, 0.6), [3, 2]);
        assert_eq!(hardest(&eases, 9, 0.2), [3]);
    }
}
