//! Fits a model to counts.

use centipawn_core::{Argument, Pawn, WdlModel};
use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};

use super::{
    By, Convergence, Counts, FitError, FitOptions, Grid, RowFit, Shape, TooFewGames, Units,
    edge::Held,
    fit_report::runs,
    fit_warnings::Decided,
    powell,
    problem::Problem,
    rates::{Loss, rates, reference_objective},
    rows::{Density, cubic_through, fit_row},
    shape::Basis,
};
use crate::newton::Function as _;

/// Largest number of steps of a fit that starts from the model of all games. Usually fewer than
/// twenty are needed, but a resample without a minimum would take as many as allowed.
const AGAIN: usize = 200;

/// A win/draw/loss model with the statistics of its fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fit {
    /// The options of the fit.
    pub options: FitOptions,
    /// Weights of `a` in internal units. For cubics they are the coefficients, highest power first.
    pub a: Vec<f64>,
    /// Weights of `b` in internal units, in the same order.
    pub b: Vec<f64>,
    /// Separate fits of single rows.
    pub rows: Vec<RowFit>,
    /// Values of the argument with too few wins for a separate fit.
    pub sparse: Vec<u32>,
    /// The objective before and after all rows were fitted together. For the method density: the
    /// mean squared error of the share won, with `a` and `b` of each row, and with the cubics
    /// through them.
    pub objective: Option<(f64, f64)>,
    /// The state in which the fit ended. For the method density it covers the separate fits of all
    /// rows.
    pub convergence: Option<Convergence>,
    /// The standard error of [`normalize_to_pawn_value`](Self::normalize_to_pawn_value) as if
    /// positions were independent, which those of a game are not. `None` if the fit is not at a
    /// minimum.
    pub naive_error: Option<f64>,
    /// Number of positions won, drawn and lost to which the model was fitted.
    pub retained: [f64; 3],
    /// Weight of the barrier that keeps `a` and `b` above 0; 0 if no barrier is needed. See
    /// [`super::edge`].
    pub(super) barrier: f64,
    pub(super) basis: Basis,
}

impl Fit {
    /// Fits a model to counts.
    ///
    /// # Errors
    ///
    /// [`FitError`] if there are too few observations, no model fits them, or `cancel` is set.
    ///
    /// ```no_run
    /// use centipawn_calibrate::wdl::{Counts, Fit, FitOptions};
    /// use centipawn_progress::Cancel;
    ///
    /// let counts = Counts::read(std::fs::File::open("counts.wdl")?)?;
    /// let fit = Fit::new(&counts, &FitOptions::default(), &Cancel::new())?;
    /// println!("{}", fit.cpp().unwrap_or_default());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(counts: &Counts, options: &FitOptions, cancel: &Cancel) -> Result<Self, FitError> {
        let grid = Grid::new(counts, &options.selection);
        if grid.rows.is_empty() {
            return Err(FitError::NoData {
                counted: counts.positions(),
            });
        }
        Self::of_grid(&grid, options, cancel).map_err(|error| match error {
            FitError::TooFewGames(few) => {
                let beyond = options.selection.beyond(counts);
                FitError::TooFewGames(Box::new(TooFewGames { beyond, ..*few }))
            }
            error => error,
        })
    }

    /// Fits a model to a grid of observations.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub(crate) fn of_grid(
        grid: &Grid,
        options: &FitOptions,
        cancel: &Cancel,
    ) -> Result<Self, FitError> {
        let by = options.selection.by;
        let loss = options.method.loss();
        if loss.is_none() && (options.shape != Shape::Cubic || by == By::Both) {
            return Err(FitError::DensityIsCubic);
        }
        let pawn = f64::from(options.selection.units.pawn());
        let mut sparse = Vec::new();
        let mut rows = Vec::new();
        if by != By::Both {
            let (low, high) = options.selection.range();
            let present: Vec<u32> = grid.rows.iter().map(|row| row.value).collect();
            sparse.extend((low..=high).filter(|value| present.binary_search(value).is_err()));
            for row in &grid.rows {
                cancel.check()?;
                if row.wins() < options.win_min as f64 || row.evals.len() < 2 {
                    sparse.push(row.value);
                } else {
                    rows.push(fit_row(row, pawn, loss, options.compat, cancel));
                }
            }
            sparse.sort_unstable();
            if rows.len() < 4 {
                let enough = FitError::TooFewRows {
                    rows: rows.len(),
                    by: by.name(),
                    win_min: options.win_min,
                };
                return Err(enough);
            }
        }
        let basis = Basis::new(options.shape, by, options.target, &grid.rows);
        let mut fit = Self {
            options: *options,
            a: Vec::new(),
            b: Vec::new(),
            rows,
            sparse,
            objective: None,
            convergence: None,
            naive_error: None,
            retained: grid.results(),
            barrier: 0.0,
            basis,
        };
        fit.take_branch_of_rows();
        fit.through_rows();
        match loss {
            Some(loss) => fit.refine(grid, loss, cancel)?,
            None => fit.judge_rows(grid),
        }
        cancel.check()?;
        fit.check(grid)?;
        Ok(fit)
    }

    /// Fits cubics through the rows. For other shapes, or if there are no cubics, uses constants.
    fn through_rows(&mut self) {
        let target = self.options.target;
        let pairs = |part: fn(&RowFit) -> f64| -> Vec<_> {
            self.rows
                .iter()
                .map(|row| (f64::from(row.value) / target, part(row)))
                .collect()
        };
        let cubic = cubic_through(&pairs(|row| row.a)).zip(cubic_through(&pairs(|row| row.b)));
        match cubic {
            Some((a, b)) if self.options.shape == Shape::Cubic => {
                (self.a, self.b) = (a.to_vec(), b.to_vec());
            }
            _ => {
                let pawn = f64::from(self.options.selection.units.pawn());
                (self.a, self.b) = (self.basis.constant(pawn), self.basis.constant(pawn / 3.0));
            }
        }
    }

    /// Fits all rows together.
    fn refine(&mut self, grid: &Grid, loss: Loss, cancel: &Cancel) -> Result<(), FitError> {
        let before = self.objective_of(grid, loss, &self.weights());
        let start = self.weights();
        let lowest = if self.options.compat && self.options.shape == Shape::Cubic {
            let point = powell::minimize(
                |weights| self.objective_of(grid, loss, weights),
                &start,
                cancel,
            );
            Held {
                point,
                barrier: 0.0,
            }
        } else {
            self.lowest(grid, loss, &start, cancel)?
        };
        self.take(&lowest.point);
        self.barrier = lowest.barrier;
        self.take_branch(grid, loss, &start, cancel)?;
        let weights = self.weights();
        let after = self.objective_of(grid, loss, &weights);
        self.objective = Some((before, after));
        let problem = self.problem(loss, grid, self.directions());
        let problem = match self.barrier {
            0.0 => problem,
            weight => problem.with_barrier(weight, self.held_values(grid)),
        };
        self.convergence = Some(problem.convergence(&weights));
        let factors = [
            self.basis.at(self.options.target, 32.0),
            vec![0.0; self.basis.len()],
        ]
        .concat();
        self.naive_error = problem.variance(&weights, &factors).map(f64::sqrt);
        Ok(())
    }

    /// Measures how well the rows are fitted, for the method density.
    fn judge_rows(&mut self, grid: &Grid) {
        let own: Vec<(&RowFit, Density<'_>)> = self
            .rows
            .iter()
            .filter_map(|fit| {
                let index = grid
                    .rows
                    .binary_search_by_key(&fit.value, |row| row.value)
                    .ok()?;
                Some((fit, Density(&grid.rows[index])))
            })
            .collect();
        let evals = own.iter().map(|(_, row)| row.len()).sum::<usize>() as f64;
        let error = |of: &dyn Fn(&RowFit) -> (f64, f64)| {
            let squares = own.iter().map(|(fit, row)| {
                let (a, b) = of(fit);
                row.quadratic(&[a, b]).value
            });
            squares.sum::<f64>() / evals
        };
        let by_cubic = |fit: &RowFit| self.parameters(f64::from(fit.value), 32.0);
        self.objective = Some((error(&|fit| (fit.a, fit.b)), error(&by_cubic)));
        let rows: Vec<_> = own
            .iter()
            .map(|(fit, row)| Convergence::new(row, &[fit.a, fit.b]))
            .collect();
        self.convergence = Some(Convergence::of_mean(&rows, evals));
        // The cubic at the target is a weighted sum of the values of the rows. A fit to unit values
        // shows the weight of each row.
        let target = self.options.target;
        let weight = |which: usize| {
            let pairs = own.iter().enumerate();
            let pairs = pairs.map(|(index, (fit, _))| {
                (f64::from(fit.value) / target, f64::from(index == which))
            });
            Some(
                cubic_through(&pairs.collect::<Vec<_>>())?
                    .iter()
                    .sum::<f64>(),
            )
        };
        let variances = own.iter().enumerate().map(|(index, (fit, row))| {
            Some(weight(index)?.powi(2) * row.variance_of_a([fit.a, fit.b])?)
        });
        self.naive_error = variances
            .sum::<Option<f64>>()
            .map(f64::sqrt)
            .filter(|error| error.is_finite());
    }

    fn lowest(
        &self,
        grid: &Grid,
        loss: Loss,
        start: &[f64],
        cancel: &Cancel,
    ) -> Result<Held, FitError> {
        let pawn = f64::from(self.options.selection.units.pawn());
        // Start from the cubics through the rows and from constants. The lowest minimum is used.
        let mut starts = vec![start.to_vec()];
        for (a, b) in [(1.0, 0.5), (1.5, 0.25), (1.0, 1.0)] {
            starts.push([self.basis.constant(a * pawn), self.basis.constant(b * pawn)].concat());
        }
        // Minimise the smooth loss first. The loss with probability bounds has edges, so it is only
        // minimised from there.
        let minima =
            self.problems(loss.smooth(), grid)
                .into_iter()
                .flat_map(|(problem, directions)| {
                    let minima: Vec<_> = starts
                        .iter()
                        .map(|start| (problem.minimize(start, cancel), directions))
                        .collect();
                    minima
                });
        let best = minima.filter(|(minimum, _)| minimum.value.is_finite());
        let best = best.min_by(|(one, _), (other, _)| one.value.total_cmp(&other.value));
        cancel.check()?;
        let Some((best, directions)) = best.filter(|(best, _)| best.converged) else {
            return Err(self.no_fit(grid, "the fit does not converge".to_owned()));
        };
        let edged = self.problem(loss, grid, directions);
        let last = edged.minimize(&best.point, cancel);
        let smooth = self.problem(loss.smooth(), grid, directions);
        let is_minimum = smooth.convergence(&best.point).is_minimum(best.value);
        if is_minimum && (last.value - best.value).abs() <= 1e-9 * best.value.abs() {
            return Ok(Held {
                point: last.point,
                barrier: 0.0,
            });
        }
        // If the descent stopped at the edge of the valid models, continue along the edge.
        let held = starts.iter().chain([&best.point]).filter(|_| !is_minimum);
        let held: Vec<Held> = held
            .filter_map(|start| self.held(grid, loss, (start, directions), cancel))
            .collect();
        // With probability bounds there are several minima, and the minimum of the smooth loss need
        // not lead to the lowest. The reference's method crosses some edges, so its end point is
        // another candidate, and the result must not be worse.
        let mut ends = vec![best.point.clone(), last.point];
        let mut limit = f64::INFINITY;
        if matches!(self.basis, Basis::Cubic { .. }) {
            let powell = powell::minimize(
                |weights| self.objective_of(grid, loss, weights),
                start,
                cancel,
            );
            limit = self.objective_of(grid, loss, &powell);
            starts.push(powell.clone());
            ends.push(powell);
        }
        ends.extend(
            starts
                .iter()
                .map(|start| edged.minimize(start, cancel).point),
        );
        let ends = ends
            .into_iter()
            .map(|point| Held {
                point,
                barrier: 0.0,
            })
            .chain(held);
        let valued = ends.map(|end| (self.objective_of(grid, loss, &end.point), end));
        let mut all: Vec<_> = valued.filter(|(value, _)| value.is_finite()).collect();
        all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        // With bounds, an event that the model excludes costs little, so the lowest point may be an
        // invalid model in some rows. Prefer the lowest valid one.
        let is_sound =
            |(value, end): &(f64, Held)| *value <= limit && self.is_sound(grid, &end.point);
        let sound = all.iter().position(is_sound).unwrap_or(0);
        let chosen = all.into_iter().nth(sound).map(|(_, end)| end);
        chosen.ok_or_else(|| self.no_fit(grid, "the fit does not converge".to_owned()))
    }

    /// Returns whether `a` and `b` are above 0 in all rows.
    fn is_sound(&self, grid: &Grid, weights: &[f64]) -> bool {
        let (a, b) = weights.split_at(self.basis.len());
        grid.rows.iter().all(|row| {
            let (a, b) = self.parameters_by(a, b, f64::from(row.value), f64::from(row.number));
            a > 0.0 && b > 0.0
        })
    }

    /// Values of the argument, within the limits, at which `a` or `b` is not above 0, so that the
    /// model is invalid there.
    pub fn unsound(&self) -> Vec<u32> {
        let (low, high) = self.options.selection.range();
        let is_unsound = |value: &u32| {
            let (a, b) = self.parameters(f64::from(*value), 32.0);
            a <= 0.0 || b <= 0.0
        };
        (low..=high).filter(is_unsound).collect()
    }

    /// Returns the functions to minimise, one for each pair of directions of `a` and `b`.
    fn problems(&self, loss: Loss, grid: &Grid) -> Vec<(Problem, [f64; 2])> {
        let directions = match self.options.shape {
            Shape::Monotone => &[[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]][..],
            Shape::Cubic | Shape::Spline => &[[1.0, 1.0]],
        };
        directions
            .iter()
            .map(|&directions| (self.problem(loss, grid, directions), directions))
            .collect()
    }

    pub(super) fn problem(&self, loss: Loss, grid: &Grid, directions: [f64; 2]) -> Problem {
        let problem = Problem::new(loss, grid, &self.basis).with_directions(directions);
        match self.options.shape {
            Shape::Spline => problem.with_penalty(self.roughness_penalty(grid)),
            Shape::Cubic | Shape::Monotone => problem,
        }
    }

    /// Returns the weight of the penalty on a spline's second differences. It corresponds to a
    /// normal prior with a standard deviation of a twentieth of a pawn from one interval to the
    /// next, if a game (about a hundred positions) counts as one observation.
    fn roughness_penalty(&self, grid: &Grid) -> f64 {
        const POSITIONS_A_GAME: f64 = 100.0;
        let bend = f64::from(self.options.selection.units.pawn()) / 20.0;
        POSITIONS_A_GAME / (2.0 * bend * bend * grid.total().max(1.0))
    }

    /// Checks that the model is valid at the target: finite, with `a` and `b` above 0.
    fn check(&self, grid: &Grid) -> Result<(), FitError> {
        let is_finite = self
            .a
            .iter()
            .chain(&self.b)
            .all(|weight| weight.is_finite());
        let (a, b) = self.parameters(self.options.target, 32.0);
        let by = self.options.selection.by.name();
        let target = self.options.target;
        let reason = if !is_finite {
            "the fit does not converge".to_owned()
        } else if b > 10.0 * f64::from(self.options.selection.internal_max()) {
            format!("at {by} {target} the width b of the model grows without a limit")
        } else if (a <= 0.0 || b <= 0.0)
            && grid.rows.iter().any(|row| f64::from(row.value) == target)
        {
            format!(
                "at {by} {target} half of the games would be won at {a:.1}, over a width of {b:.1}"
            )
        } else {
            return Ok(());
        };
        Err(self.no_fit(grid, reason))
    }

    /// Returns the reason why there is no model. If the results agree with the evaluations, there
    /// are too few games; otherwise something is wrong with the evaluations.
    fn no_fit(&self, grid: &Grid, reason: String) -> FitError {
        /// This many positions, from about a thousand games, always determine a model of the right
        /// form.
        const MANY: f64 = 1e5;
        let decided = Decided::far(grid, f64::from(self.options.selection.internal_max()));
        if !decided.are_right() {
            return FitError::NoFit {
                reason: format!("results do not follow evaluations: {reason}"),
            };
        }
        if grid.total() >= MANY {
            return FitError::NoFit { reason };
        }
        let win_min = self.options.win_min;
        let wins = |value: &u32| {
            let row = grid.rows.binary_search_by_key(value, |row| row.value);
            row.map_or(0, |index| grid.rows[index].wins() as u64)
        };
        FitError::TooFewGames(Box::new(TooFewGames {
            reason,
            agree: decided.are_enough(),
            positions: grid.results().map(|count| count as u64),
            eval_max: self.options.selection.eval_max,
            by: self.options.selection.by.name(),
            win_min,
            few_wins: runs(&self.sparse),
            missing_wins: self
                .sparse
                .iter()
                .map(|value| win_min.saturating_sub(wins(value)))
                .sum(),
            ..TooFewGames::default()
        }))
    }

    /// Fits the same options to other observations of the same games, starting from this model;
    /// `None` if these have no model.
    pub(crate) fn again(&self, grid: &Grid, cancel: &Cancel) -> Option<Self> {
        match self.options.method.loss() {
            Some(loss) => {
                let mut fit = self.clone();
                let (start, directions) = (self.weights(), self.directions());
                if self.barrier > 0.0 {
                    fit.take(
                        &self
                            .held_within(grid, loss, (&start, directions), AGAIN, cancel)?
                            .point,
                    );
                } else {
                    let minimum = self
                        .problem(loss, grid, directions)
                        .minimize_within(&start, AGAIN, cancel);
                    // A descent that meets the edge of the valid models ends there without
                    // convergence. Its end point is used like a minimum.
                    minimum
                        .value
                        .is_finite()
                        .then(|| fit.take(&minimum.point))?;
                }
                fit.retained = grid.results();
                fit.take_branch(grid, loss, &start, cancel).ok()?;
                Some(fit)
            }
            None => Self::of_grid(grid, &self.options, cancel).ok(),
        }
        .filter(|fit| fit.has_minimum() && fit.check(grid).is_ok())
    }

    /// Returns whether the fit has a minimum. Without one the weights grow without limit, and a
    /// single such resample would make a standard error huge or infinite.
    fn has_minimum(&self) -> bool {
        /// A million pawns, in centipawns.
        const LARGEST: f64 = 1e8;
        // The comparison is false for NaN.
        self.weights().iter().all(|weight| weight.abs() < LARGEST)
    }

    /// Returns the directions of `a` and `b` for monotone shapes: 1 if rising, −1 if falling.
    pub(super) fn directions(&self) -> [f64; 2] {
        [&self.a, &self.b].map(|weights| {
            if weights.iter().skip(1).any(|&weight| weight < 0.0) {
                -1.0
            } else {
                1.0
            }
        })
    }

    pub(super) fn weights(&self) -> Vec<f64> {
        [&self.a[..], &self.b].concat()
    }

    pub(super) fn take(&mut self, weights: &[f64]) {
        let (a, b) = weights.split_at(self.basis.len());
        (self.a, self.b) = (a.to_vec(), b.to_vec());
    }

    pub(super) fn objective_of(&self, grid: &Grid, loss: Loss, weights: &[f64]) -> f64 {
        let (a, b) = weights.split_at(self.basis.len());
        let parameters: Vec<_> = grid
            .rows
            .iter()
            .map(|row| self.parameters_by(a, b, f64::from(row.value), f64::from(row.number)))
            .collect();
        reference_objective(loss, &grid.rows.iter().zip(parameters))
    }

    /// Returns the mean −ln p of the observations.
    pub fn log_loss(&self, grid: &Grid) -> f64 {
        self.objective_of(grid, Loss::Log, &self.weights())
    }

    /// `a` and `b` in internal units, at a material or move. Models of both arguments also use the
    /// full move `number`.
    pub fn parameters(&self, value: f64, number: f64) -> (f64, f64) {
        self.parameters_by(&self.a, &self.b, value, number)
    }

    fn parameters_by(&self, a: &[f64], b: &[f64], value: f64, number: f64) -> (f64, f64) {
        if let Basis::Cubic { target } = self.basis {
            let m = value / target;
            let cubic = |c: &[f64]| ((c[0] * m + c[1]) * m + c[2]) * m + c[3];
            return (cubic(a), cubic(b));
        }
        let functions = self.basis.at(value, number);
        let sum = |weights: &[f64]| {
            functions
                .iter()
                .zip(weights)
                .map(|(function, weight)| function * weight)
                .sum()
        };
        (sum(a), sum(b))
    }

    /// Probabilities of win, draw and loss at an evaluation in internal units.
    pub fn rates(&self, eval: f64, value: f64) -> [f64; 3] {
        let (a, b) = self.parameters(value, 32.0);
        rates(eval, a, b)
    }

    /// `a` at the target, in internal units: the size of a pawn with which +1.00 wins half of the
    /// games.
    pub fn normalize_to_pawn_value(&self) -> f64 {
        self.parameters(self.options.target, 32.0).0
    }

    /// Returns the width `b` at the target, in internal units.
    pub fn spread(&self) -> f64 {
        self.parameters(self.options.target, 32.0).1
    }

    /// Returns the probability of a draw at evaluation 0 and the target, 0..=1.
    pub fn draw_rate(&self) -> f64 {
        1.0 - 2.0 / (1.0 + (self.normalize_to_pawn_value() / self.spread()).exp())
    }

    /// Returns the model as a curve for evaluations in the unit of the games; `None` unless `a` and
    /// `b` are cubics of one argument.
    ///
    /// If the centipawns of the games were normalised by a model that depends on the position, the
    /// curve is that of an engine that normalises by the new model instead.
    pub fn model(&self) -> Option<WdlModel> {
        let argument = match self.options.selection.by {
            By::Material => Argument::Material,
            By::Move => Argument::Move,
            By::Both => return None,
        };
        let Basis::Cubic { target } = self.basis else {
            return None;
        };
        let (low, high) = self.options.selection.range();
        Some(WdlModel {
            argument,
            range: [f64::from(low), f64::from(high)],
            divisor: target,
            a: self.a[..].try_into().ok()?,
            b: self.b[..].try_into().ok()?,
            pawn: match self.options.selection.units {
                Units::Fixed(units) => Pawn::Units(units),
                Units::Model(_) => Pawn::Normalised,
            },
            clamp: None,
        })
    }

    /// Returns the constants of the model as lines of Stockfish's source; `None` as for
    /// [`model`](Self::model).
    pub fn cpp(&self) -> Option<String> {
        self.model()?;
        let line = |name: &str, weights: &[f64]| {
            let numbers: Vec<_> = weights
                .iter()
                .map(|weight| format!("{weight:.8}"))
                .collect();
            format!(
                "    constexpr double {name}[] = {{{}}};\n",
                numbers.join(", ")
            )
        };
        Some(line("as", &self.a) + &line("bs", &self.b))
    }
}
