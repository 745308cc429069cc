//! Chooses between two models with the same expected scores when a fit minimises errors of scores.
//!
//! With `x = v/b` and `r = a/b` the expected score is `½ + ½ sinh x/(cosh x + cosh r)`, which is
//! even in `a`. So `a` and `−a` fit scores equally well, in each row separately, but only `a > 0`
//! is a model in which games are drawn. A fit of scores therefore takes this branch. Where its
//! cubic would cross 0, `a` is [held](super::edge) above 0.

use centipawn_progress::{Cancel, Cancelled};

use super::{Fit, Grid, Method, edge::Held, rates::Loss};

impl Fit {
    /// Takes the branch `a > 0` for separate fits of rows.
    pub(super) fn take_branch_of_rows(&mut self) {
        if self.options.method == Method::Score && !self.options.compat {
            self.rows.iter_mut().for_each(|row| row.a = row.a.abs());
        }
    }

    /// Takes the branch `a > 0` if the fit minimises errors of scores. `start` are the weights to
    /// start from if the fit would cross 0.
    ///
    /// With `compat` only the sign may change, so that the model stays where the reference ends.
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
        let constant = |a: f64, b: f64| {
            [self.basis.constant(a * pawn), self.basis.constant(b * pawn)].concat()
        };
        // A resample starts from the fit of all games, which is already on the branch.
        let directions = self.directions();
        let again = (self.barrier > 0.0)
            .then(|| self.held(grid, loss, (start, directions), cancel))
            .flatten();
        let held = again.or_else(|| {
            let starts = [
                start.to_vec(),
                constant(1.0, 0.5),
                constant(0.3, 1.0),
                constant(1.5, 0.25),
            ];
            let ends = starts
                .iter()
                .filter_map(|start| self.held(grid, loss, (start, directions), cancel));
            let ends = ends.map(|held| (self.objective_of(grid, loss, &held.point), held));
            ends.min_by(|one, other| one.0.total_cmp(&other.0))
                .map(|(_, held)| held)
        });
        cancel.check()?;
        if let Some(Held { point, barrier }) = held {
            self.take(&point);
            self.barrier = barrier;
        }
        Ok(())
    }

    fn is_above_0(&self, grid: &Grid) -> bool {
        let value = |functions: &Vec<f64>| {
            functions
                .iter()
                .zip(&self.a)
                .map(|(own, weight)| own * weight)
                .sum::<f64>()
        };
        self.held_values(grid)
            .iter()
            .all(|functions| value(functions) > 0.0)
    }
}
