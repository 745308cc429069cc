//! Fits at the edge of the valid models, where `a` or `b` reaches 0 in some row.
//!
//! Newton's method stops where it meets the edge, which may be far from the minimum. So a
//! logarithmic barrier keeps `a` and `b` above 0. Its weight falls until it no longer matters (an
//! interior-point method).

use centipawn_progress::Cancel;

use super::{Fit, Grid, rates::Loss};
use crate::newton::{Function as _, STEPS};

/// The first and the last weight of the barrier, as shares of the objective.
const FIRST: f64 = 1e-2;
const LAST: f64 = 1e-7;

/// If `a` is below this share of `b`, or `b` below this share of `a`, it counts as 0. At such an
/// `a`, fewer than a thousandth of the games would be drawn at an evaluation of 0.
const NONE: f64 = 1e-3;

/// A minimum at which `a` and `b` are kept above 0.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// The weights.
    pub(super) point: Vec<f64>,
    /// The last weight of the barrier.
    pub(super) barrier: f64,
}

impl Fit {
    /// Finds the minimum with `a` and `b` above 0, from these weights and for these directions of
    /// `a` and `b`; `None` if the model is invalid at the start.
    pub(super) fn held(
        &self,
        grid: &Grid,
        loss: Loss,
        (start, directions): (&[f64], [f64; 2]),
        cancel: &Cancel,
    ) -> Option<Held> {
        self.held_within(grid, loss, (start, directions), STEPS, cancel)
    }

    /// Like [`held`](Self::held), with at most `steps` steps for each weight of the barrier.
    pub(super) fn held_within(
        &self,
        grid: &Grid,
        loss: Loss,
        (start, directions): (&[f64], [f64; 2]),
        steps: usize,
        cancel: &Cancel,
    ) -> Option<Held> {
        let values = self.held_values(grid);
        let problem = || self.problem(loss.smooth(), grid, directions);
        let objective = problem().quadratic(start).value;
        let (mut point, mut barrier, mut share) = (start.to_vec(), 0.0, FIRST);
        while share >= LAST / 2.0 && !cancel.is_set() {
            barrier = share * objective.max(1e-12);
            let minimum = problem()
                .with_barrier(barrier, values.clone())
                .minimize_within(&point, steps, cancel);
            if !minimum.value.is_finite() {
                return None;
            }
            point = minimum.point;
            share /= 10.0;
        }
        Some(Held { point, barrier })
    }

    /// Returns the values of the basis functions at each point where `a` and `b` must be above 0:
    /// in each row, and at the target.
    pub(super) fn held_values(&self, grid: &Grid) -> Vec<Vec<f64>> {
        let rows = grid
            .rows
            .iter()
            .map(|row| self.basis.at(f64::from(row.value), f64::from(row.number)));
        rows.chain([self.basis.at(self.options.target, 32.0)])
            .collect()
    }

    /// Values of the argument at which `a` is 0, so that the model has no draws there.
    pub fn without_draws(&self) -> Vec<u32> {
        self.at_edge(|a, b| a.abs() < NONE * b)
    }

    /// Values of the argument at which `b` is 0, so that under the model the evaluation alone
    /// decides the game.
    pub fn without_width(&self) -> Vec<u32> {
        self.at_edge(|a, b| b.abs() < NONE * a)
    }

    fn at_edge(&self, is_none: impl Fn(f64, f64) -> bool) -> Vec<u32> {
        let (low, high) = self.options.selection.range();
        let is_at_edge = |value: &u32| {
            let (a, b) = self.parameters(f64::from(*value), 32.0);
            self.barrier > 0.0 && is_none(a, b)
        };
        (low..=high).filter(is_at_edge).collect()
    }
}
