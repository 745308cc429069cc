//! Fits at the edge of the valid models, where `a` or `b` is 0 in some row.
//!
//! Newton's method stops where it meets the edge, which may be far from the lowest point. So `a`
//! and `b` are held above 0 by a logarithmic barrier whose weight falls until it no longer matters
//! (an interior-point method).

use centipawn_progress::Cancel;

use super::{Fit, Grid, rates::Loss};
use crate::newton::{Function as _, STEPS};

/// Weights of the barrier, as shares of the objective, from the first to the last.
const FIRST: f64 = 1e-2;
const LAST: f64 = 1e-7;

/// `a` below this share of `b`, or `b` below this share of `a`, is 0. Without `a`, fewer than a
/// thousandth of the games would be drawn at an evaluation of 0.
const NONE: f64 = 1e-3;

/// A minimum with `a` and `b` above 0.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// The weights.
    pub(super) point: Vec<f64>,
    /// The last weight of the barrier.
    pub(super) barrier: f64,
}

impl Fit {
    /// The minimum with `a` and `b` above 0, from these weights and for these directions; `None` if
    /// the model is invalid at the start.
    pub(super) fn held(
        &self,
        grid: &Grid,
        loss: Loss,
        (start, directions): (&[f64], [f64; 2]),
        cancel: &Cancel,
    ) -> Option<Held> {
        self.held_within(grid, loss, (start, directions), STEPS, cancel)
    }

    /// The same, in at most `steps` steps for each weight of the barrier.
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

    /// The basis functions wherever `a` and `b` must be above 0: in each row, and at the target.
    pub(super) fn held_values(&self, grid: &Grid) -> Vec<Vec<f64>> {
        let rows = grid
            .rows
            .iter()
            .map(|row| self.basis.at(f64::from(row.value), f64::from(row.number)));
        rows.chain([self.basis.at(self.options.target, 32.0)])
            .collect()
    }

    /// Values within the limits where the fit rests at `a` = 0, so that its model has no draws
    /// there.
    pub fn without_draws(&self) -> Vec<u32> {
        self.at_edge(|a, b| a.abs() < NONE * b)
    }

    /// Values within the limits where the fit rests at `b` = 0, so that in its model the evaluation
    /// alone decides.
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
