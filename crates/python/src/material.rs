//! Piece values.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc};

use arrow_array::{Float64Array, StringArray};
use centipawn_calibrate::{
    PlotForm,
    material::{Hypothesis, MaterialPlot, Method, ReportError, Target},
};
use centipawn_work::{
    CollectedRows, Inputs, MaterialError, MaterialRequest, MaterialResult, Run, material_rows as collect, rows_format,
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    curve::without_game,
    drawing::Drawing,
    error::{FitError, PgnError, chain, file_error, value_chain, value_error},
    json::{from_json, to_python},
    run::run,
    table::{Columns, Table},
    wdl::save,
};

/// Quiet positions with their balance of men, and the results of their games.
#[pyclass(frozen, module = "centipawn.material")]
pub(crate) struct Rows(Arc<CollectedRows>);

/// How rows are collected: the recipe, and what only concerns this run.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Collecting {
    #[serde(flatten)]
    request: MaterialRequest,
    threads: Option<NonZeroUsize>,
    strict: bool,
}

/// Collects rows of games, or of files of rows. `search`: whether expected scores are kept, by this curve or by that of the dialect.
#[pyfunction]
pub(crate) fn material_rows(
    py: Python<'_>,
    games: Vec<PathBuf>,
    options: &str,
    curve: Option<&Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Rows> {
    let Collecting { mut request, threads, strict } = from_json(options)?;
    if let Some(curve) = curve {
        request.curve = Some(without_game(curve)?);
        request.target = Target::Search;
    }
    let own = request.options().map_err(value_error)?;
    // What is missing is an error here, as everywhere in Python.
    crate::scan::sources(&games)?;
    run(py, progress, move |cancel, watch| {
        let run = Run { threads, strict, ..Run::new(cancel, watch) };
        let rows = collect(&own, Inputs::new(&games), run).map_err(|error| file_error(&error, PgnError::new_err))?;
        Ok(Rows(Arc::new(rows.result.unwrap_or_default())))
    })
}

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.0.collection.rows().len()
    }

    /// Number of games with rows.
    #[getter]
    fn games(&self) -> u64 {
        self.0.collection.games()
    }

    /// Writes the rows into a file: .rows, .tsv or .csv.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut bytes = Vec::new();
            self.0.write(Method::Ordered, rows_format(&path), &mut bytes).map_err(value_error)?;
            save(&path, &bytes)
        })
    }

    /// Fits values; the Python half makes the request.
    fn _fit(&self, py: Python<'_>, options: &str, progress: Option<Py<PyAny>>) -> PyResult<MaterialFit> {
        let request: MaterialRequest = from_json(options)?;
        let own = request.options().map_err(value_error)?;
        let rows = Arc::clone(&self.0);
        run(py, progress, move |cancel, watch| {
            let fitted = rows.fit(&own.report, Run::new(cancel, watch));
            fitted.map(MaterialFit).map_err(|error| match error {
                MaterialError::Report(ReportError::Test(error)) => value_chain(error),
                error => FitError::new_err(chain(&error)),
            })
        })
    }

    /// Fits values to the rows: `centipawn.material.fit`, without the games.
    #[pyo3(signature = (**options), text_signature = "($self, *, terms=(), method=None, first_move=None, target='result', resamples=None, folds=None, seed=0, tests=(), by=None, width=None, top=10, progress=None)")]
    fn fit<'py>(slf: Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("centipawn.material")?.call_method("fit", (slf,), options)
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.material.Rows: {} rows of {} games>", self.__len__(), self.games())
    }
}

/// Values of men, fitted to rows.
#[pyclass(frozen, module = "centipawn.material")]
pub(crate) struct MaterialFit(MaterialResult);

#[pymethods]
impl MaterialFit {
    /// Piece or term, its value in hundredths of a pawn, its standard error by game, its 95 % interval.
    #[getter]
    fn values(&self) -> PyResult<Table> {
        let values = self.0.report.fit.values().map_err(|error| FitError::new_err(error.to_string()))?;
        let floats = |of: fn(&centipawn_calibrate::material::Value) -> f64| {
            Float64Array::from_iter_values(values.iter().map(of))
        };
        Columns::default()
            .full("piece", StringArray::from_iter_values(values.iter().map(|value| value.feature.name())))
            .full("centipawns", floats(|value| value.value))
            .full("error", floats(|value| value.error))
            .full("low", floats(|value| value.interval.0))
            .full("high", floats(|value| value.interval.1))
            .table()
    }

    /// Tests a hypothesis about values, such as `N > 3P` or `B + N = R + 1.5P`.
    fn test<'py>(&self, py: Python<'py>, hypothesis: &str) -> PyResult<Bound<'py, PyAny>> {
        let hypothesis: Hypothesis = hypothesis.parse().map_err(value_chain)?;
        let tested = self.0.report.fit.test(&hypothesis).map_err(value_chain)?;
        py.import("centipawn.material")?.call_method1("_tested", (to_python(py, &tested)?,))
    }

    /// Tests hypotheses together, with Holm's correction for all of them.
    #[pyo3(signature = (*hypotheses))]
    fn tests<'py>(&self, py: Python<'py>, hypotheses: Vec<String>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let parsed = hypotheses.iter().map(|text| text.parse::<Hypothesis>().map_err(value_chain));
        let all = self.0.report.fit.test_all(&parsed.collect::<PyResult<Vec<_>>>()?).map_err(value_chain)?;
        let module = py.import("centipawn.material")?;
        all.iter().map(|tested| module.call_method1("_tested", (to_python(py, tested)?,))).collect()
    }

    /// Everything, as `material --json` writes it.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.report.document(self.0.provenance.clone()))
    }

    /// Program, options and inputs with their hashes.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.provenance)
    }

    /// The values with their intervals in a drawing.
    fn plot(&self) -> Drawing {
        Drawing(MaterialPlot::values(&[("all games", &self.0.report.fit)]).draw(PlotForm::Svg))
    }

    fn __repr__(&self) -> String {
        match self.0.report.fit.values() {
            Ok(values) => {
                let texts: Vec<String> =
                    values.iter().map(|own| format!("{} {:.0}", own.feature.name(), own.value)).collect();
                format!("<centipawn.material.MaterialFit: {}>", texts.join(", "))
            }
            Err(_) => "<centipawn.material.MaterialFit: a pawn's value is not certain>".to_owned(),
        }
    }
}
