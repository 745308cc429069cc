//! Predictions of models with their errors, row by row.

use arrow_array::Float64Array;
use centipawn_calibrate::wdl::{Estimate, Prediction, Predictor};
use centipawn_core::Context;
use centipawn_progress::{Cancel, Progress, Reporter, Unit, in_order};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use crate::{
    error::value_error,
    run::run,
    table::{Columns, Table},
};

/// Number of rows that a thread predicts at a time.
const CHUNK: usize = 4096;

/// A column of numbers from Python.
pub(crate) type Numbers<'py> = PyReadonlyArrayDyn<'py, f64>;

/// The value of a column in one row.
#[derive(Clone, Copy)]
pub(crate) enum Cell {
    /// The column was not given.
    NoColumn,
    /// The value is NaN.
    Missing,
    /// The value is a number.
    Known(f64),
}

impl Cell {
    /// The number, or `own` if the column was not given; `None` if the number is missing.
    pub(crate) fn or_own(self, own: f64) -> Option<f64> {
        match self {
            Self::NoColumn => Some(own),
            Self::Missing => None,
            Self::Known(value) => Some(value),
        }
    }
}

/// Rows to predict: evaluations in centipawns, mates, and the other columns of a model. The Python
/// half has broadcast them to one length.
pub(crate) struct Rows<const N: usize> {
    evals: Vec<f64>,
    mates: Option<Vec<f64>>,
    others: [Option<Vec<f64>>; N],
}

impl<const N: usize> Rows<N> {
    /// Copies the columns, so that the work does not hold Python's interpreter.
    pub(crate) fn new(
        evals: &Numbers<'_>,
        mates: Option<&Numbers<'_>>,
        others: [Option<&Numbers<'_>>; N],
    ) -> PyResult<Self> {
        let slice =
            |array: &Numbers<'_>| array.as_slice().map(<[f64]>::to_vec).map_err(value_error);
        let evals = slice(evals)?;
        let alike = |array: &Numbers<'_>| match slice(array)? {
            values if values.len() == evals.len() => Ok(values),
            _ => Err(value_error("the columns must have one length")),
        };
        let mates = mates.map(alike).transpose()?;
        let mut copies = [const { None }; N];
        for (copy, other) in copies.iter_mut().zip(others) {
            *copy = other.map(alike).transpose()?;
        }
        Ok(Self {
            evals,
            mates,
            others: copies,
        })
    }

    /// Predicts each row on all cores, and calls `push` with the predictions in order. `predict`
    /// receives the evaluation (`None` if it is missing), the mate if there is one, and the other
    /// columns. Stops after `cancel` is set.
    pub(crate) fn each<T: Send>(
        &self,
        cancel: &Cancel,
        reporter: &dyn Reporter,
        predict: impl Fn(Option<f64>, Option<f64>, [Cell; N]) -> T + Send + Sync,
        mut push: impl FnMut(T),
    ) {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (rows, mut done) = (self.evals.len(), 0);
        let row = |row: usize| {
            let mate = self
                .mates
                .as_ref()
                .map(|mates| mates[row])
                .filter(|mate| !mate.is_nan());
            let others = std::array::from_fn(|index| {
                match self.others[index].as_ref().map(|values| values[row]) {
                    None => Cell::NoColumn,
                    Some(value) if value.is_nan() => Cell::Missing,
                    Some(value) => Cell::Known(value),
                }
            });
            predict(
                Some(self.evals[row]).filter(|eval| !eval.is_nan()),
                mate,
                others,
            )
        };
        let work = |first: usize| {
            Some(
                (first..(first + CHUNK).min(rows))
                    .map(row)
                    .collect::<Vec<T>>(),
            )
        };
        in_order(
            (0..rows).step_by(CHUNK),
            threads,
            cancel,
            work,
            |predicted| {
                done += predicted.len();
                predicted.into_iter().for_each(&mut push);
                let total = Some(rows as u64);
                reporter.progress(&Progress {
                    done: done as u64,
                    total,
                    unit: Unit::Positions,
                    ..Progress::default()
                });
            },
        );
    }
}

/// The values of a result's column, with their errors.
#[derive(Default)]
pub(crate) struct Predicted {
    values: Vec<Option<f64>>,
    estimates: Vec<Option<Estimate>>,
}

impl Predicted {
    /// Adds a row.
    pub(crate) fn push(&mut self, value: Option<f64>, estimate: Option<Estimate>) {
        self.values.push(value);
        self.estimates.push(estimate);
    }

    /// Adds the column, and the columns of its standard error and its 95 % interval.
    pub(crate) fn add(self, columns: Columns, name: &str) -> Columns {
        let of = |of: fn(&Estimate) -> f64| {
            self.estimates
                .iter()
                .map(|own| own.as_ref().map(of))
                .collect::<Float64Array>()
        };
        columns
            .nullable(name, self.values.iter().copied().collect::<Float64Array>())
            .nullable(&format!("{name}_error"), of(|own| own.error))
            .nullable(&format!("{name}_low"), of(|own| own.interval.0))
            .nullable(&format!("{name}_high"), of(|own| own.interval.1))
    }
}

/// The columns of predictions: probabilities of win, draw and loss, and the expected score.
const NAMES: [&str; 4] = ["p_win", "p_draw", "p_loss", "expected_score"];

/// Predicts the results of rows with a win/draw/loss model.
pub(crate) fn predict(
    py: Python<'_>,
    predictor: &Predictor,
    rows: Rows<2>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let default = Context::default();
    // The cast saturates, and models clamp values beyond their range.
    let whole = |cell: Cell, own: u32| {
        cell.or_own(f64::from(own))
            .filter(|value| *value >= 0.0)
            .map(|value| value as u32)
    };
    run(py, progress, move |cancel, watch| {
        let mut columns: [Predicted; 4] = Default::default();
        let row = |eval: Option<f64>, mate: Option<f64>, [material, ply]: [Cell; 2]| {
            if let Some(mate) = mate {
                // A mate has a certain result and no error.
                let won = f64::from(u8::from(mate > 0.0));
                return [won, 0.0, 1.0 - won, won].map(|value| (Some(value), None));
            }
            let context = whole(material, default.material).zip(whole(ply, default.ply));
            let Some((eval, (material, ply))) = eval.zip(context) else {
                return [(None, None); 4];
            };
            let Prediction { wdl, errors, .. } =
                predictor.predict(eval / 100.0, Context { material, ply });
            [
                (Some(wdl.win), errors.map(|own| own.win)),
                (Some(wdl.draw), errors.map(|own| own.draw)),
                (Some(wdl.loss), errors.map(|own| own.loss)),
                (
                    Some(wdl.expected_score()),
                    errors.map(|own| own.expected_score),
                ),
            ]
        };
        rows.each(cancel, &**watch, row, |predicted| {
            columns
                .iter_mut()
                .zip(predicted)
                .for_each(|(column, (value, estimate))| column.push(value, estimate));
        });
        NAMES
            .into_iter()
            .zip(columns)
            .fold(Columns::default(), |table, (name, column)| {
                column.add(table, name)
            })
            .table()
    })
}
