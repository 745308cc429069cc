//! Which of two models with the same scores a fit of scores means.
//!
//! With `x = v/b` and `r = a/b` the expected score is `½ + ½ sinh x/(cosh x + cosh r)`: even in `a`. So `a` and `−a` fit scores
//! equally well, row by row, and only `a > 0` is a model in which games are drawn. A fit of scores takes this branch. Where its
//! cubic would cross 0, `a` is held above 0 by a logarithmic barrier whose weight falls until it no longer matters.

use centipawn_progress::{Cancel, Cancelled};

use super::{Fit, Grid, Method, rates::Loss};
use crate::newton::Function as _;

/// Weights of the barrier, as shares of the objective, from the first to the last.
const FIRST: f64 = 1e-2;
const LAST: f64 = 1e-10;

/// `a` below this share of `b` is 0: fewer than a thousandth of the games would be drawn at an evaluation of 0.
const NO_DRAWS: f64 = 1e-3;

impl Fit {
    /// Takes the branch `a > 0` for rows fitted alone.
    pub(super) fn take_branch_of_rows(&mut self) {
        if self.options.method == Method::Score && !self.options.compat {
            self.rows.iter_mut().for_each(|row| row.a = row.a.abs());
        }
    }

    /// Takes the branch `a > 0`, where the model fits scores. `start` are weights to start from, should the fit cross 0.
    ///
    /// With `compat` the sign may change and nothing else, so that the model is where the reference ends.
    pub(super) fn take_branch(
        &mut self,
        grid: &Grid,
        loss: Loss,
        start: &[f64],
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        if self.options.method != Method::Score {
            return Ok(());
        }
        if self.parameters(self.options.target, 32.0).0 < 0.0 {
            self.a.iter_mut().for_each(|weight| *weight = -*weight);
        }
        if self.options.compat || self.is_above_0(grid) {
            return Ok(());
        }
        let pawn = f64::from(self.options.selection.units.pawn());
        let constant = |a: f64, b: f64| [self.basis.constant(a * pawn), self.basis.constant(b * pawn)].concat();
        // A resample starts from the fit of all games, which is on the branch already.
        let again = (self.barrier > 0.0).then(|| self.held(grid, loss, start, cancel)).flatten();
        let lowest = again.map(|(point, barrier)| (0.0, point, barrier)).or_else(|| {
            let starts = [start.to_vec(), constant(1.0, 0.5), constant(0.3, 1.0), constant(1.5, 0.25)];
            let ends = starts.iter().filter_map(|start| self.held(grid, loss, start, cancel));
            let ends = ends.map(|(point, barrier)| (self.objective_of(grid, loss, &point), point, barrier));
            ends.min_by(|one, other| one.0.total_cmp(&other.0))
        });
        cancel.check()?;
        if let Some((_, point, barrier)) = lowest {
            self.take(&point);
            self.barrier = barrier;
        }
        Ok(())
    }

    /// The minimum with `a` above 0 and the last weight of the barrier; `None` if there is none from this start.
    fn held(&self, grid: &Grid, loss: Loss, start: &[f64], cancel: &Cancel) -> Option<(Vec<f64>, f64)> {
        let values = self.values_with_a(grid);
        let objective = self.problem(loss.smooth(), grid, self.directions()).quadratic(start).value;
        let (mut point, mut weight, mut share) = (start.to_vec(), 0.0, FIRST);
        while share >= LAST / 2.0 && !cancel.is_set() {
            weight = share * objective.max(1e-12);
            let problem = self.problem(loss.smooth(), grid, self.directions());
            let minimum = problem.with_barrier(weight, values.clone()).minimize(&point, cancel);
            if !minimum.value.is_finite() {
                return None;
            }
            point = minimum.point;
            share /= 10.0;
        }
        Some((point, weight))
    }

    /// The basis functions wherever `a` must be above 0: in each row, and at the target.
    pub(super) fn values_with_a(&self, grid: &Grid) -> Vec<Vec<f64>> {
        let rows = grid.rows.iter().map(|row| self.basis.at(f64::from(row.value), f64::from(row.number)));
        rows.chain([self.basis.at(self.options.target, 32.0)]).collect()
    }

    fn is_above_0(&self, grid: &Grid) -> bool {
        let value = |functions: &Vec<f64>| functions.iter().zip(&self.a).map(|(own, weight)| own * weight).sum::<f64>();
        self.values_with_a(grid).iter().all(|functions| value(functions) > 0.0)
    }

    /// Values within the limits where a fit of scores rests on the edge of its branch, so that its model has no draws there.
    pub fn without_draws(&self) -> Vec<u32> {
        let (low, high) = self.options.selection.range();
        let is_at_edge = |value: &u32| {
            let (a, b) = self.parameters(f64::from(*value), 32.0);
            self.barrier > 0.0 && a.abs() < NO_DRAWS * b
        };
        (low..=high).filter(is_at_edge).collect()
    }
}
