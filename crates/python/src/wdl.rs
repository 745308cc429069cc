//! Win/draw/loss models: counting games, fitting, comparing.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc};

use arrow_array::{Int8Array, Int16Array, StringArray, UInt8Array, UInt16Array, UInt64Array};
use centipawn_calibrate::{
    PlotForm,
    wdl::{CompareError, CountsFormat, FenCounters, FitError as CoreFitError, MoverResult, NamedModel, Units},
};
use centipawn_core::Curve as CoreCurve;
use centipawn_pgn::Source;
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Cancel, Input};
use centipawn_work::{
    ComparedModel, ComparedModels, CountGamesError, FittedModel, Inputs, KnownCounts, Run, WdlCompareOptions,
    WdlFitOptions, WdlGamesOptions, WdlRunOptions, compare, count_games,
};
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyDict};

use crate::{
    curve::Curve,
    drawing::Drawing,
    error::{FitError, PgnError, chain, file_error, pgn_error, value_chain, value_error, warn, with_keywords},
    json::{from_json, to_python},
    run::run,
    table::{Columns, Table},
};

/// Evaluated positions of games, counted by result, move, material and evaluation.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Counts(Arc<KnownCounts>);

/// How games are counted: the recipe, and what only concerns this run.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Counting {
    #[serde(flatten)]
    run: WdlRunOptions,
    threads: Option<NonZeroUsize>,
    strict: bool,
}

/// Counts games.
#[pyfunction]
pub(crate) fn wdl_count(
    py: Python<'_>,
    games: Vec<PathBuf>,
    options: &str,
    book: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let Counting { mut run, threads, strict } = from_json(options)?;
    let fens = book.as_deref().map(|path| {
        let source = Source::open(path).map_err(|error| pgn_error(&error))?;
        let fens = FenCounters::read(source).map_err(|error| file_error(&error, PgnError::new_err))?;
        let input = Input::of(path).map_err(|error| file_error(&error, PgnError::new_err))?;
        Ok::<_, PyErr>((fens, input))
    });
    let (fens, input) = fens.transpose()?.unzip();
    run.count.options.fens = input;
    // What is missing is an error here, as everywhere in Python.
    crate::scan::sources(&games)?;
    crate::run::run(py, progress, move |cancel, watch| {
        let asked = WdlGamesOptions { selection: run.selection, count: run.count };
        let how = Run { threads, strict, ..Run::new(cancel, watch) };
        let games = count_games(&asked, run.shard, fens.as_ref(), Inputs::new(&games), how).map_err(count_error)?;
        if let Some(why) = games.nothing().filter(|_| !cancel.is_set()) {
            return Err(FitError::new_err(with_keywords(&why)));
        }
        Ok(Counts(Arc::new(KnownCounts::of_games(games, cancel))))
    })
}

fn count_error(error: CountGamesError) -> PyErr {
    if error.is_usage() { value_chain(error) } else { pgn_error(&error) }
}

/// Reads a file of counts.
#[pyfunction]
pub(crate) fn wdl_read_counts(py: Python<'_>, path: PathBuf) -> PyResult<Counts> {
    run(py, None, |cancel, _| {
        let counts = KnownCounts::read(&[path], cancel).map_err(|error| file_error(&error, PgnError::new_err))?;
        Ok(Counts(Arc::new(counts)))
    })
}

#[pymethods]
impl Counts {
    /// Number of positions counted.
    #[getter]
    fn positions(&self) -> u64 {
        self.0.counts.positions()
    }

    /// Number of games counted; `None` for counts read from a file.
    #[getter]
    fn games(&self) -> Option<u64> {
        self.0.games
    }

    /// What was counted and omitted, in words.
    #[getter]
    fn summary(&self) -> String {
        self.0.summary.clone()
    }

    /// The counts, a row for each kind of position: `mover_result` (1, 0, -1), `move_number`, `material`, `mover_eval_cp`, and `n`, how many.
    #[getter]
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| {
            let counts = &self.0.counts;
            let of = |result| match result {
                MoverResult::Win => 1,
                MoverResult::Draw => 0,
                MoverResult::Loss => -1,
            };
            let keys = || counts.iter().map(|(key, _)| key);
            Columns::default()
                .full("mover_result", Int8Array::from_iter_values(keys().map(|key| of(key.result()))))
                .full("move_number", UInt16Array::from_iter_values(keys().map(|key| key.number() as u16)))
                .full("material", UInt8Array::from_iter_values(keys().map(|key| key.material() as u8)))
                .full("mover_eval_cp", Int16Array::from_iter_values(keys().map(|key| key.eval() as i16)))
                .full("n", UInt64Array::from_iter_values(counts.iter().map(|(_, count)| count)))
                .table()
        })
    }

    /// Writes the counts into a file that `wdl fit`, `wdl merge` and `read_counts` take.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut bytes = Vec::new();
            self.0.counts.write(CountsFormat::Compact, &mut bytes).map_err(value_error)?;
            save(&path, &bytes)
        })
    }

    /// Fits a model; the Python half makes the options.
    fn _fit(&self, py: Python<'_>, options: &str, units: Option<&str>, progress: Option<Py<PyAny>>) -> PyResult<Fit> {
        let mut fitting: WdlFitOptions = from_json(options)?;
        if let Some(text) = units {
            fitting.fit.selection.units = Units::load(text).map_err(value_chain)?;
        }
        let counted = Arc::clone(&self.0);
        run(py, progress, move |cancel, watch| {
            let fitted = counted.fit(&fitting, Run::new(cancel, watch)).map_err(|error| fit_error(&error))?;
            Ok(Fit { fitted, counted })
        })
    }

    /// Fits a model to the counts: `centipawn.wdl.fit`, without the games.
    #[pyo3(signature = (**options), text_signature = "($self, *, by='material', method='probability', shape='cubic', units=None, moves=None, material=None, eval_max=None, target=None, win_min=None, compat=False, resamples=None, folds=None, seed=0, progress=None)")]
    fn fit<'py>(slf: Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("centipawn.wdl")?.call_method("fit", (slf,), options)
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.wdl.Counts: {}>", self.0.summary.lines().next().unwrap_or_default())
    }
}

fn fit_error(error: &CoreFitError) -> PyErr {
    FitError::new_err(chain(error))
}

/// Writes a result as a whole.
pub(crate) fn save(path: &std::path::Path, bytes: &[u8]) -> PyResult<()> {
    let written = AtomicFile::write_whole(path, bytes, &Cancel::new());
    written.map(|_| ()).map_err(|error| file_error(&error, pyo3::exceptions::PyOSError::new_err))
}

/// A model fitted to counts, with its errors and its test on games held out.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Fit {
    fitted: FittedModel,
    counted: Arc<KnownCounts>,
}

#[pymethods]
impl Fit {
    /// The curve; `None` unless `a` and `b` are cubics of one argument.
    #[getter]
    fn curve(&self) -> Option<Curve> {
        self.fitted.report.curve().map(Curve)
    }

    /// Everything, as `wdl run` writes it into fit.json.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.fitted.document())
    }

    /// Standard errors and 95 % intervals by resampled games; `None` without them, see `missing`.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fitted.report.document(None).errors.map(|errors| to_python(py, &errors)).transpose()
    }

    /// The log losses of the model in games held out and in those fitted; `None` without the test.
    #[getter]
    fn held_out<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fitted.report.held_out.map(|held_out| to_python(py, &held_out)).transpose()
    }

    /// Why errors or the test are missing although they were requested.
    #[getter]
    fn missing(&self) -> Option<String> {
        self.fitted.report.missing.clone()
    }

    /// Warnings about the games, each with its cause; empty if there are none.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.fitted.report.warnings.clone()
    }

    /// Program, options and inputs with their hashes.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.fitted.provenance)
    }

    /// The report as text.
    #[getter]
    fn text(&self) -> String {
        self.fitted.report.text()
    }

    /// The constants as C++ for Stockfish's source.
    fn cpp(&self) -> PyResult<String> {
        let missing =
            || value_error("of this shape there are no constants for Stockfish; fit cubics by material or move");
        self.fitted.report.fit.cpp().ok_or_else(missing)
    }

    /// Counts and model in one drawing.
    fn plot(&self, py: Python<'_>) -> Drawing {
        py.detach(|| Drawing(self.fitted.plot(&self.counted, PlotForm::Svg)))
    }

    /// The drawing as a text.
    fn svg(&self, py: Python<'_>) -> String {
        String::from_utf8_lossy(&self.plot(py).0).into_owned()
    }

    /// Writes the curve file, which `--curve` takes.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let missing = || value_error("this shape has no curve file; fit cubics by material or move");
        let (curve, warning) = self.fitted.curve_file().ok_or_else(missing)?;
        warning.map_or(Ok(()), |warning| warn(py, &warning))?;
        py.detach(|| save(&path, curve.json().as_bytes()))
    }

    /// Writes everything as JSON: fit.json, with which `wdl compare` and `load` have the errors too.
    fn save_document(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| save(&path, self.fitted.json().as_bytes()))
    }

    fn __repr__(&self) -> String {
        match self.fitted.report.curve() {
            Some(curve) => format!("<centipawn.wdl.Fit: {curve}>"),
            None => "<centipawn.wdl.Fit>".to_owned(),
        }
    }
}

/// A model by name or from a file.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Model(NamedModel);

/// Loads a model.
#[pyfunction]
pub(crate) fn wdl_load(name: &str) -> PyResult<Model> {
    NamedModel::load(name).map(Model).map_err(|error| file_error(&error, value_error))
}

#[pymethods]
impl Model {
    /// The name.
    #[getter]
    fn name(&self) -> String {
        self.0.name.clone()
    }

    /// The curve.
    #[getter]
    fn curve(&self) -> Curve {
        Curve(CoreCurve::Wdl(self.0.model))
    }

    /// The fit it comes from, as a dictionary; `None` if only the constants are known.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.fit.as_ref().map(|fit| to_python(py, fit)).transpose()
    }

    /// Program, options and inputs of the fit; `None` if unknown.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let provenance = self.0.provenance.as_deref();
        provenance.map(|provenance| to_python(py, provenance)).transpose()
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.wdl.Model: {}>", self.0.name)
    }
}

/// Models beside each other.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Comparison(ComparedModels);

/// Compares models with the first: each is a [`Model`] or a [`Fit`].
#[pyfunction]
pub(crate) fn wdl_compare(
    py: Python<'_>,
    models: Vec<Bound<'_, PyAny>>,
    names: Vec<String>,
    on: Option<&Counts>,
    options: &str,
    units: Option<&str>,
) -> PyResult<Comparison> {
    if models.len() < 2 || models.len() != names.len() {
        return Err(value_error("a comparison is of two models or more"));
    }
    let mut options: WdlCompareOptions = from_json(options)?;
    options.units = units.map(|text| Units::load(text).map_err(value_chain)).transpose()?;
    options.models.clone_from(&names);
    let models: Vec<AnyModel> = models.iter().map(AnyModel::of).collect::<PyResult<_>>()?;
    let on = on.map(|on| Arc::clone(&on.0));
    run(py, None, move |cancel, watch| {
        let compared = models.iter().zip(&names).map(|(model, name)| match model {
            AnyModel::Known(model) => ComparedModel::Known { name, model: &model.get().0 },
            AnyModel::Fitted(fit) => {
                let Fit { fitted, counted } = fit.get();
                ComparedModel::Fitted { name, model: fitted, counts: counted }
            }
        });
        let compared: Vec<ComparedModel<'_>> = compared.collect();
        let compared = compare(&compared, on.as_deref(), &options, Run::new(cancel, watch));
        compared.map(Comparison).map_err(|error| match error {
            CompareError::Units { centipawns, internal } => value_error(format!(
                "the constants of {centipawns} are in centipawns, those of {internal} in the engine's internal units: fit both \
                 with the same units"
            )),
            error => FitError::new_err(chain(&error)),
        })
    })
}

/// A [`Model`] or a [`Fit`].
enum AnyModel {
    Known(Py<Model>),
    Fitted(Py<Fit>),
}

impl AnyModel {
    fn of(model: &Bound<'_, PyAny>) -> PyResult<Self> {
        match model.cast::<Fit>() {
            Ok(fit) => Ok(Self::Fitted(fit.clone().unbind())),
            Err(_) => Ok(Self::Known(model.cast::<Model>()?.clone().unbind())),
        }
    }
}

#[pymethods]
impl Comparison {
    /// Each further model less the first: differences with their standard errors.
    fn table(&self) -> PyResult<Table> {
        use arrow_array::Float64Array;
        let all = &self.0.comparison.differences;
        let floats = |of: &dyn Fn(&centipawn_calibrate::wdl::ModelDifference) -> Option<f64>| {
            all.iter().map(of).collect::<Float64Array>()
        };
        Columns::default()
            .full("model", StringArray::from_iter_values(all.iter().map(|own| &own.name)))
            .nullable("pawn", floats(&|own| Some(own.normalize_to_pawn_value.value)))
            .nullable("pawn_error", floats(&|own| own.normalize_to_pawn_value.error))
            .nullable("spread", floats(&|own| Some(own.spread.value)))
            .nullable("spread_error", floats(&|own| own.spread.error))
            .nullable("draw_rate", floats(&|own| Some(own.draw_rate.value)))
            .nullable("draw_rate_error", floats(&|own| own.draw_rate.error))
            .nullable("log_loss", floats(&|own| own.log_loss.map(|loss| loss.value)))
            .nullable("log_loss_error", floats(&|own| own.log_loss.and_then(|loss| loss.error)))
            .table()
    }

    /// A sentence for each model that is compared with the first.
    #[getter]
    fn verdicts(&self) -> Vec<String> {
        self.0.comparison.verdicts().collect()
    }

    /// The comparison as text.
    #[getter]
    fn text(&self) -> String {
        printer::model_comparison(&self.0.comparison)
    }

    /// Everything, as `wdl compare --json` writes it.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.comparison)
    }

    /// Program, options and inputs.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let provenance = self.0.comparison.provenance.as_ref();
        to_python(py, provenance.ok_or_else(|| PyRuntimeError::new_err("a comparison has its provenance"))?)
    }

    /// The models drawn over each other.
    fn plot(&self) -> Drawing {
        Drawing(self.0.plot.draw(PlotForm::Svg))
    }

    fn __repr__(&self) -> String {
        self.0.comparison.verdicts().collect::<Vec<_>>().join("\n")
    }
}
