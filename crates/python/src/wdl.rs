//! Win/draw/loss models: counting games, fitting, comparing.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{Int8Array, Int16Array, UInt8Array, UInt16Array, UInt64Array};
use centipawn_calibrate::{
    PlotForm,
    wdl::{
        CountsFormat, Estimate, FenCounters, FitError as CoreFitError, FitReport, MoverResult,
        Predictor, Units,
    },
};
use centipawn_pgn::Source;
use centipawn_progress::{AtomicFile, Cancel, Input};
use centipawn_work::{
    Inputs, Run,
    remote::PartScan,
    scan::{
        CountGamesError, FishtestFilter, FittedModel, KnownCounts, WdlFitOptions, WdlGamesOptions,
        WdlRunOptions, count_games,
    },
};
use numpy::PyArray2;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict},
};
use serde::Deserialize;

use crate::{
    curve::Curve,
    drawing::Drawing,
    error::{
        FitError, PgnError, causes, file_error, pgn_error, value_chain, value_error, warn,
        with_wdl_keywords,
    },
    executor::{part_tasks, shared_path},
    html,
    json::{from_json, to_python},
    models::named_units,
    predict::{Numbers, Rows, predict},
    run::{Asked, run},
    table::{Columns, Table, matrix},
};

/// Evaluated positions of games, counted by result, move, material and evaluation.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Counts(pub(crate) Arc<KnownCounts>);

/// The options of counting games, with the filters of fishtest's tests as the user gave them.
#[derive(Deserialize)]
struct WithFilter {
    #[serde(flatten)]
    asked: Asked<WdlRunOptions>,
    #[serde(default)]
    fishtest: FishtestFilter,
}

/// Parses the options of counting games.
fn counting(options: &str) -> PyResult<Asked<WdlRunOptions>> {
    let WithFilter {
        asked: mut counting,
        fishtest,
    } = from_json(options)?;
    let (files, engine) = fishtest.resolve().map_err(value_error)?;
    counting.run.selection.files = files;
    counting.run.count.options.engine = engine;
    counting.run.count.options.check().map_err(value_error)?;
    Ok(counting)
}

/// Reads the book of start positions, and adds it to the options.
fn with_book(
    mut counting: Asked<WdlRunOptions>,
    book: Option<&Path>,
    cancel: &Cancel,
) -> PyResult<(WdlGamesOptions, Option<FenCounters>, Asked<WdlRunOptions>)> {
    let fens = book.map(|path| {
        let source = Source::open_until(path, cancel).map_err(|error| pgn_error(&error))?;
        let fens =
            FenCounters::read(source).map_err(|error| file_error(&error, PgnError::new_err))?;
        let input = Input::of(path).map_err(|error| file_error(&error, PgnError::new_err))?;
        Ok::<_, PyErr>((fens, input))
    });
    let (fens, input) = fens.transpose()?.unzip();
    counting.run.count.options.fens = input;
    let asked = WdlGamesOptions {
        selection: counting.run.selection.clone(),
        count: counting.run.count.clone(),
    };
    Ok((asked, fens, counting))
}

/// The tasks of [`wdl_count`] for an executor, one for each part of the games.
#[pyfunction]
pub(crate) fn wdl_tasks(
    py: Python<'_>,
    games: Vec<PathBuf>,
    options: &str,
    book: Option<PathBuf>,
    workers: usize,
) -> PyResult<Vec<Py<PyBytes>>> {
    let counting = counting(options)?;
    let (
        options,
        _,
        Asked {
            threads, strict, ..
        },
    ) = run(py, None, |cancel, _| {
        with_book(counting, book.as_deref(), cancel)
    })?;
    let book = book.map(|path| shared_path(&path)).transpose()?;
    part_tasks(
        &PartScan::WdlCount {
            options: Box::new(options),
            book,
        },
        &games,
        (threads, strict),
        workers,
    )
}

/// Counts the positions of games.
#[pyfunction]
pub(crate) fn wdl_count(
    py: Python<'_>,
    games: Vec<PathBuf>,
    options: &str,
    book: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let counting = counting(options)?;
    // Report missing files first, as all functions of the package do.
    crate::scan::sources(&games)?;
    crate::run::run(py, progress, move |cancel, watch| {
        let (
            asked,
            fens,
            Asked {
                run,
                threads,
                strict,
            },
        ) = with_book(counting, book.as_deref(), cancel)?;
        let how = Run {
            threads,
            strict,
            ..Run::new(cancel, watch)
        };
        let games = count_games(&asked, run.shard, fens.as_ref(), Inputs::new(&games), how)
            .map_err(count_error)?;
        if let Some(why) = games.nothing().filter(|_| !cancel.is_set()) {
            return Err(FitError::new_err(with_wdl_keywords(&why)));
        }
        Ok(Counts(Arc::new(KnownCounts::of_games(games, cancel))))
    })
}

fn count_error(error: CountGamesError) -> PyErr {
    if error.is_usage() {
        value_chain(error)
    } else {
        pgn_error(&error)
    }
}

/// Reads a file of counts.
#[pyfunction]
pub(crate) fn wdl_read_counts(py: Python<'_>, path: PathBuf) -> PyResult<Counts> {
    run(py, None, |cancel, _| {
        let counts = KnownCounts::read(&[path], cancel)
            .map_err(|error| file_error(&error, PgnError::new_err))?;
        Ok(Counts(Arc::new(counts)))
    })
}

#[pymethods]
impl Counts {
    /// Number of counted positions.
    #[getter]
    fn positions(&self) -> u64 {
        self.0.counts.positions()
    }

    /// Number of counted games; `None` if the counts were read from a file.
    #[getter]
    fn games(&self) -> Option<u64> {
        self.0.games
    }

    /// A summary of what was counted and left out.
    #[getter]
    fn summary(&self) -> String {
        self.0.summary.clone()
    }

    /// The counts, a row for each kind of position: `mover_result` (1, 0, -1), `move_number`,
    /// `material`, `mover_eval_cp`, and the number of positions, `n`.
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
                .full(
                    "mover_result",
                    Int8Array::from_iter_values(keys().map(|key| of(key.result()))),
                )
                .full(
                    "move_number",
                    UInt16Array::from_iter_values(keys().map(|key| key.number() as u16)),
                )
                .full(
                    "material",
                    UInt8Array::from_iter_values(keys().map(|key| key.material() as u8)),
                )
                .full(
                    "mover_eval_cp",
                    Int16Array::from_iter_values(keys().map(|key| key.eval() as i16)),
                )
                .full(
                    "n",
                    UInt64Array::from_iter_values(counts.iter().map(|(_, count)| count)),
                )
                .table()
        })
    }

    /// Writes the counts into a file that `wdl fit`, `wdl merge` and `read_counts` accept.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut bytes = Vec::new();
            self.0
                .counts
                .write(CountsFormat::Compact, &mut bytes)
                .map_err(value_error)?;
            save(&path, &bytes)
        })
    }

    /// Fits a model. The Python half makes the options. `units` is the name of a model; a number of
    /// units is one of the options.
    fn _fit(
        &self,
        py: Python<'_>,
        options: &str,
        units: Option<&str>,
        has_units: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Fit> {
        let mut fitting: WdlFitOptions = from_json(options)?;
        if let Some(text) = units {
            fitting.fit.selection.units = named_units(text)?;
        } else if !has_units {
            fitting.fit.selection.units = Units::usual(fitting.fit.compat);
        }
        fitting
            .fit
            .check()
            .and_then(|()| fitting.resampling.check())
            .map_err(value_error)?;
        let counted = Arc::clone(&self.0);
        run(py, progress, move |cancel, watch| {
            let fitted = counted
                .fit(&fitting, Run::new(cancel, watch))
                .map_err(|error| fit_error(&error))?;
            Ok(Fit { fitted, counted })
        })
    }

    /// Fits a model to the counts. The arguments are those of `centipawn.wdl.fit`, without the
    /// games.
    #[pyo3(signature = (**options), text_signature = "($self, *, by='material', \
        method='probability', shape='cubic', units=None, moves=None, material=None, \
        eval_max=None, target=None, win_min=None, compat=False, resamples=None, folds=None, \
        seed=0, progress=None)")]
    fn fit<'py>(
        slf: Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("centipawn.wdl")?
            .call_method("fit", (slf,), options)
    }

    /// For `pickle`.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let text = serde_json::to_string(&*slf.get().0).map_err(value_error)?;
        Ok((slf.get_type().getattr("_of_json")?.unbind(), (text,)))
    }

    /// Reads counts from their JSON.
    #[staticmethod]
    fn _of_json(text: &str) -> PyResult<Self> {
        Ok(Self(Arc::new(from_json(text)?)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<centipawn.wdl.Counts: {}>",
            self.0.summary.lines().next().unwrap_or_default()
        )
    }
}

fn fit_error(error: &CoreFitError) -> PyErr {
    FitError::new_err(with_wdl_keywords(&causes(error)))
}

/// Writes a file. It appears as a whole or not at all.
pub(crate) fn save(path: &std::path::Path, bytes: &[u8]) -> PyResult<()> {
    let written = AtomicFile::write_whole(path, bytes, &Cancel::new());
    written
        .map(|_| ())
        .map_err(|error| file_error(&error, pyo3::exceptions::PyOSError::new_err))
}

/// A model fitted to counts, with its errors and its held-out test.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Fit {
    pub(crate) fitted: FittedModel,
    pub(crate) counted: Arc<KnownCounts>,
}

#[pymethods]
impl Fit {
    /// The curve; `None` unless `a` and `b` are cubics of one argument.
    #[getter]
    fn curve(&self) -> Option<Curve> {
        self.fitted.report.curve().map(Curve)
    }

    /// The whole document, as `wdl run` writes it into fit.json.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.fitted.document())
    }

    /// Standard errors and 95 % intervals, from resampled games. `None` if they are missing;
    /// `missing` states why.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fitted
            .report
            .document(None)
            .errors
            .map(|errors| to_python(py, &errors))
            .transpose()
    }

    /// The covariance matrix of the weights of `a`, then of `b` (`as` and `bs` of the document);
    /// `None` without errors.
    #[getter]
    fn covariance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.fitted
            .report
            .uncertainty
            .as_ref()
            .map(|sure| matrix(py, &sure.covariance()))
            .transpose()
    }

    /// The weights of `a`, then of `b`, of each resample, one row for each. The values of any
    /// function of the model over these rows give its error. `None` without errors.
    #[getter]
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.fitted
            .report
            .uncertainty
            .as_ref()
            .map(|sure| matrix(py, &sure.draws))
            .transpose()
    }

    /// Predicts results with their errors, a row for each evaluation in centipawns.
    #[pyo3(signature = (eval, **context), text_signature = "($self, eval, *, mate=None, \
        material=None, ply=None, progress=None)")]
    fn predict<'py>(
        slf: Bound<'py, Self>,
        eval: Bound<'py, PyAny>,
        context: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("centipawn.wdl")?
            .call_method("_predict", (slf, eval), context)
    }

    /// Predicts columns of one length, which the Python half prepares.
    #[pyo3(signature = (evals, mates, materials, plies, progress))]
    fn _predict<'py>(
        &self,
        py: Python<'py>,
        evals: Numbers<'py>,
        mates: Option<Numbers<'py>>,
        materials: Option<Numbers<'py>>,
        plies: Option<Numbers<'py>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let missing =
            || value_error("a fit of this shape predicts nothing; fit cubics by material or move");
        let predictor = Predictor::of_report(&self.fitted.report).ok_or_else(missing)?;
        predict(
            py,
            &predictor,
            Rows::new(&evals, mates.as_ref(), [materials.as_ref(), plies.as_ref()])?,
            progress,
        )
    }

    /// For `pickle`: the fit, and the counts to which it was fitted.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String, String))> {
        let Fit { fitted, counted } = slf.get();
        let (fitted, counted) = (
            serde_json::to_string(fitted),
            serde_json::to_string(&**counted),
        );
        let parts = (fitted.map_err(value_error)?, counted.map_err(value_error)?);
        Ok((slf.get_type().getattr("_of_json")?.unbind(), parts))
    }

    /// Reads a fit from its JSON.
    #[staticmethod]
    fn _of_json(fitted: &str, counted: &str) -> PyResult<Self> {
        Ok(Self {
            fitted: from_json(fitted)?,
            counted: Arc::new(from_json(counted)?),
        })
    }

    /// The log losses of the model in held-out games and in the games that it was fitted to; `None`
    /// without the test.
    #[getter]
    fn held_out<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fitted
            .report
            .held_out
            .map(|held_out| to_python(py, &held_out))
            .transpose()
    }

    /// Why errors or the test are missing, although they were requested.
    #[getter]
    fn missing(&self) -> Option<String> {
        self.fitted.report.missing.as_deref().map(with_wdl_keywords)
    }

    /// Warnings about the games, each with its cause.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.fitted
            .report
            .warnings
            .iter()
            .map(|warning| with_wdl_keywords(warning))
            .collect()
    }

    /// The program, the options, and the inputs with their hashes.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.fitted.provenance)
    }

    /// The report as text.
    #[getter]
    fn text(&self) -> String {
        with_wdl_keywords(&self.fitted.report.text())
    }

    /// The constants as C++ source for Stockfish.
    fn cpp(&self) -> PyResult<String> {
        let missing = || {
            value_error(
                "of this shape there are no constants for Stockfish; fit cubics by \
                 material or move",
            )
        };
        self.fitted.report.fit.cpp().ok_or_else(missing)
    }

    /// The counts and the model in one drawing.
    fn plot(&self, py: Python<'_>) -> Drawing {
        py.detach(|| Drawing(self.fitted.plot(&self.counted, PlotForm::Svg)))
    }

    /// The drawing as the text of an SVG file.
    fn svg(&self, py: Python<'_>) -> String {
        String::from_utf8_lossy(&self.plot(py).0).into_owned()
    }

    /// Writes the curve file, which `--curve` accepts.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let missing =
            || value_error("this shape has no curve file; fit cubics by material or move");
        let (curve, warning) = self.fitted.curve_file().ok_or_else(missing)?;
        warning.map_or(Ok(()), |warning| warn(py, &warning))?;
        py.detach(|| save(&path, curve.json().as_bytes()))
    }

    /// Writes the whole document as JSON: fit.json, from which `wdl compare` and `load` read the
    /// errors too.
    fn save_document(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| save(&path, self.fitted.json().as_bytes()))
    }

    /// The main numbers with their errors, for notebooks.
    fn _repr_html_(&self) -> String {
        let FitReport {
            fit,
            uncertainty,
            held_out,
            ..
        } = &self.fitted.report;
        let sure = uncertainty.as_ref();
        let error = |own: Option<Estimate>| own.map(|own| (own.error, own.interval));
        let rows = [
            html::estimate(
                "units in a pawn (a)",
                fit.normalize_to_pawn_value(),
                error(sure.map(|own| own.normalize_to_pawn_value)),
                2,
            ),
            html::estimate(
                "spread (b)",
                fit.spread(),
                error(sure.map(|own| own.spread)),
                2,
            ),
            html::estimate(
                "draw rate at 0.00",
                fit.draw_rate(),
                error(sure.map(|own| own.draw_rate)),
                4,
            ),
        ];
        let note = held_out.map_or_else(String::new, |own| {
            format!(
                "Log loss: {:.6} in games held out, {:.6} in those fitted.",
                own.held_out, own.fitted
            )
        });
        html::table("Win/draw/loss model", &html::ESTIMATE, &rows, &note)
    }

    fn __repr__(&self) -> String {
        match self.fitted.report.curve() {
            Some(curve) => format!("<centipawn.wdl.Fit: {curve}>"),
            None => "<centipawn.wdl.Fit>".to_owned(),
        }
    }
}
