//! Piece values.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc};

use arrow_array::{Float64Array, StringArray};
use centipawn_calibrate::{
    PlotForm,
    material::{Collection, Hypothesis, MaterialPlot, MaterialReport, Method, ReportError, SearchCurve},
};
use centipawn_pgn::ScanOptions;
use centipawn_progress::{Input, Provenance};
use centipawn_work::{MaterialRunOptions, ScanRequest, collect_rows, rows_format};
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
pub(crate) struct Rows(Arc<Collected>);

struct Collected {
    collection: Collection,
    options: MaterialRunOptions,
    inputs: Vec<Input>,
}

/// How rows are collected: the recipe, and what only concerns this run.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Collecting {
    #[serde(flatten)]
    run: MaterialRunOptions,
    threads: Option<NonZeroUsize>,
    strict: bool,
}

/// Collects rows of games, or of files of rows.
#[pyfunction]
pub(crate) fn material_rows(
    py: Python<'_>,
    games: Vec<PathBuf>,
    options: &str,
    search: Option<&Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Rows> {
    let Collecting { run: mut own, threads, strict } = from_json(options)?;
    if let Some(curve) = search {
        own.count.options.search = Some(SearchCurve::Given(without_game(curve)?));
    }
    // What is missing is an error here, as everywhere in Python.
    crate::scan::sources(&games)?;
    run(py, progress, move |cancel, watch| {
        let scan = ScanOptions { threads, strict, cancel: Some(cancel), ..ScanOptions::default() };
        let request = ScanRequest { command: "material", games: &games, partial: None, is_hashed: false };
        let rows = collect_rows(&request, &own.count, &scan, watch);
        let rows = rows.map_err(|error| file_error(&error, PgnError::new_err))?;
        let inputs = Input::of_all(&rows.files);
        own.count = rows.options;
        Ok(Rows(Arc::new(Collected { collection: rows.collection, options: own, inputs })))
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
            let rows = self.0.collection.with_results(Method::Ordered);
            rows.write_rows(rows_format(&path), &mut bytes).map_err(value_error)?;
            save(&path, &bytes)
        })
    }

    /// Fits values; the Python half makes the options.
    fn _fit(&self, py: Python<'_>, options: &str, progress: Option<Py<PyAny>>) -> PyResult<MaterialFit> {
        let own: MaterialRunOptions = from_json(options)?;
        let rows = Arc::clone(&self.0);
        run(py, progress, move |cancel, watch| {
            let report = MaterialReport::new(&rows.collection, &own.report, cancel, watch);
            let report = report.map_err(|error| match error {
                ReportError::Test(error) => value_chain(error),
                ReportError::Fit(error) => FitError::new_err(chain(&error)),
                error => FitError::new_err(chain(&error)),
            })?;
            let recipe = MaterialRunOptions { report: own.report, ..rows.options.clone() };
            let provenance = Provenance::of("material", &recipe).inputs(rows.inputs.clone());
            let provenance = provenance.seed(recipe.report.fit.seed);
            Ok(MaterialFit { report, provenance })
        })
    }

    /// Fits values to the rows: `centipawn.material.fit`, without the games.
    #[pyo3(signature = (**options), text_signature = "($self, *, terms=(), method='ordered', first_move=None, target='result', resamples=1000, folds=0, seed=0, progress=None)")]
    fn fit<'py>(slf: Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("centipawn.material")?.call_method("fit", (slf,), options)
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.material.Rows: {} rows of {} games>", self.__len__(), self.games())
    }
}

/// Values of men, fitted to rows.
#[pyclass(frozen, module = "centipawn.material")]
pub(crate) struct MaterialFit {
    report: MaterialReport,
    provenance: Provenance,
}

#[pymethods]
impl MaterialFit {
    /// Piece or term, its value in hundredths of a pawn, its standard error by game, its 95 % interval.
    #[getter]
    fn values(&self) -> PyResult<Table> {
        let values = self.report.fit.values().map_err(|error| FitError::new_err(error.to_string()))?;
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
        let tested = self.report.fit.test(&hypothesis).map_err(value_chain)?;
        py.import("centipawn.material")?.call_method1("_tested", (to_python(py, &tested)?,))
    }

    /// Tests hypotheses together, with Holm's correction for all of them.
    #[pyo3(signature = (*hypotheses))]
    fn tests<'py>(&self, py: Python<'py>, hypotheses: Vec<String>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let parsed = hypotheses.iter().map(|text| text.parse::<Hypothesis>().map_err(value_chain));
        let all = self.report.fit.test_all(&parsed.collect::<PyResult<Vec<_>>>()?).map_err(value_chain)?;
        let module = py.import("centipawn.material")?;
        all.iter().map(|tested| module.call_method1("_tested", (to_python(py, tested)?,))).collect()
    }

    /// Everything, as `material --json` writes it.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report.document(Some(self.provenance.clone())))
    }

    /// Program, options and inputs with their hashes.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.provenance)
    }

    /// The values with their intervals in a drawing.
    fn plot(&self) -> Drawing {
        Drawing(MaterialPlot::values(&[("all games", &self.report.fit)]).draw(PlotForm::Svg))
    }

    fn __repr__(&self) -> String {
        match self.report.fit.values() {
            Ok(values) => {
                let texts: Vec<String> =
                    values.iter().map(|own| format!("{} {:.0}", own.feature.name(), own.value)).collect();
                format!("<centipawn.material.MaterialFit: {}>", texts.join(", "))
            }
            Err(_) => "<centipawn.material.MaterialFit: a pawn's value is not certain>".to_owned(),
        }
    }
}
