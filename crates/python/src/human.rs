//! What an evaluation is worth between humans, fitted to games.

use std::{collections::HashMap, num::NonZeroUsize, path::PathBuf, sync::Arc};

use arrow_array::{Float64Array, StringArray, UInt32Array, UInt64Array};
use centipawn_calibrate::{
    HumanPlayers, HumanPrediction, HumanPredictor, PlotForm, document,
    human::{ClassFit, HumanFitError, HumanPlot, HumanReport},
};
use centipawn_core::{Curve as Core, HumanCurve, HumanModel, Pool, Wdl};
use centipawn_printer as printer;
use centipawn_progress::ProblemCount;
use centipawn_work::{
    Inputs, Run,
    engine::{HumanEvaluation, Threads},
    remote::PartScan,
    scan::{
        CollectHumanError, HumanRunOptions, check_human_curve, collect_evaluated_human_games,
        collect_human_games,
    },
};
use numpy::PyArray2;
use pyo3::{
    prelude::*,
    types::{IntoPyDict as _, PyBytes, PyDict},
};

use crate::{
    curve::{Curve, check_people, named},
    drawing::Drawing,
    engine::{Engine, Lent},
    error::{FitError, PgnError, chain, file_error, in_range, value_error, warn, with_keywords},
    executor::{part_tasks, remote_error},
    html,
    json::{from_json, to_python},
    predict::{Cell, Numbers, Predicted, Rows},
    run::{run, run_on, threads},
    table::{Columns, Table, matrix},
    wdl::save,
};

/// How games are collected: the options of the recipe, and options of this run only.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Collecting {
    #[serde(flatten)]
    run: HumanRunOptions,
    /// With an engine: it evaluates every `every`-th ply.
    every: Option<usize>,
    #[serde(deserialize_with = "threads")]
    threads: Option<NonZeroUsize>,
    strict: bool,
    /// The names of files by the paths that are read. Copies and files of workers have other paths
    /// than names.
    names: HashMap<String, String>,
}

fn collecting(options: &str) -> PyResult<Collecting> {
    let collecting: Collecting = from_json(options)?;
    let HumanRunOptions { count, fit, .. } = &collecting.run;
    count
        .options
        .check()
        .and_then(|()| fit.check())
        .map_err(value_error)?;
    collecting.every.map_or(Ok(()), |every| {
        in_range("every", every, 1..=u16::MAX.into())
    })?;
    Ok(collecting)
}

/// The tasks of collecting games for an executor, one for each part of the games.
#[pyfunction]
pub(crate) fn human_tasks(
    games: Vec<PathBuf>,
    options: &str,
    workers: usize,
) -> PyResult<Vec<Py<PyBytes>>> {
    let Collecting {
        run,
        threads,
        strict,
        ..
    } = collecting(options)?;
    part_tasks(&PartScan::Human(run), &games, (threads, strict), workers)
}

/// Checks a curve on a table that it was not fitted to.
#[pyfunction]
pub(crate) fn human_check<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: &str,
    curve: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let count = collecting(options)?.run.count.options;
    let curve = named(curve, None)?;
    let check = run(py, None, move |cancel, watch| {
        let own = Run::new(cancel, watch);
        check_human_curve(&path, curve, &count, own).map_err(value_error)
    })?;
    to_python(py, &check)
}

/// Fits a curve to games between humans, or to tables of positions. An engine, if it is given,
/// evaluates the positions.
#[pyfunction]
pub(crate) fn human_fit(
    py: Python<'_>,
    games: Vec<PathBuf>,
    options: &str,
    games_in: Option<PathBuf>,
    engine: Option<&Engine>,
    progress: Option<Py<PyAny>>,
    executor: Option<Py<PyAny>>,
) -> PyResult<HumanFit> {
    let Collecting {
        run: mut own,
        every,
        threads,
        strict,
        names,
    } = collecting(options)?;
    // Report missing files first, as all functions of the package do.
    crate::scan::sources(&games)?;
    own.evaluate = engine.map(|engine| HumanEvaluation {
        limit: engine.limit,
        every: every.unwrap_or(HumanEvaluation::EVERY),
    });
    run_on(py, progress, executor, move |cancel, watch, futures| {
        let how = Run {
            threads,
            strict,
            ..Run::new(cancel, watch)
        };
        let mut collected = match (engine, own.evaluate) {
            (Some(engine), Some(evaluation)) => {
                let Lent { analyst, .. } = engine.lend(cancel, watch)?;
                let problems = Arc::new(ProblemCount::new(Arc::clone(watch)));
                match futures {
                    None => {
                        let crew = Threads::of(Some(&*analyst));
                        collect_evaluated_human_games(
                            &own, evaluation, &games, &*analyst, &crew, cancel, &problems,
                        )
                    }
                    Some(futures) => {
                        let crew =
                            engine.remote(futures, &*analyst, (&[], &[]), (cancel, watch))?;
                        let replay = crew.analyst();
                        let collected = collect_evaluated_human_games(
                            &own, evaluation, &games, &*replay, &crew, cancel, &problems,
                        );
                        crew.outcome().map_err(|error| remote_error(&error))?;
                        collected
                    }
                }
            }
            _ => collect_human_games(&own, Inputs::new(&games), games_in.as_deref(), how)
                .map_err(|error: CollectHumanError| file_error(&error, PgnError::new_err))?,
        };
        for source in &mut collected.games.sources {
            if let Some(name) = names.get(source) {
                source.clone_from(name);
            }
        }
        let left_out = printer::human_left_out(&collected.games);
        let report = collected
            .fit(&own, how)
            .map_err(|error| fit_error(&error, &left_out))?;
        Ok(HumanFit::of(report))
    })
}

fn fit_error(error: &HumanFitError, left_out: &str) -> PyErr {
    let note = if left_out.is_empty() {
        String::new()
    } else {
        format!("\n{left_out}")
    };
    FitError::new_err(chain(error) + &with_keywords(&note))
}

/// A model of games between humans, with its errors and its held-out test.
#[pyclass(frozen, module = "centipawn.human")]
pub(crate) struct HumanFit {
    report: HumanReport,
    predictor: HumanPredictor,
}

impl HumanFit {
    fn of(report: HumanReport) -> Self {
        Self {
            predictor: HumanPredictor::new(&report),
            report,
        }
    }

    fn curve_of(&self, rating: f64, seconds: f64, units: f64) -> HumanCurve {
        HumanCurve {
            rating,
            seconds,
            pool: Pool::Unknown,
            units,
            model: self.report.model,
        }
    }
}

#[pymethods]
impl HumanFit {
    /// The curve between two humans with this mean rating, who have this number of seconds each. A
    /// rating or time beyond the games of the model counts as the nearest, with a
    /// `CentipawnWarning`. `expected` accepts other ratings and times for each row.
    #[pyo3(signature = (rating=1800.0, seconds=5400.0, *, units=1.0))]
    fn curve(&self, py: Python<'_>, rating: f64, seconds: f64, units: f64) -> PyResult<Curve> {
        let curve = self.curve_of(rating, seconds, units);
        curve.check().map_err(value_error)?;
        if let Some(note) = curve.beyond_games() {
            warn(py, &note)?;
        }
        Ok(Curve(Core::Human(curve)))
    }

    /// The same curve for each resample. The values of any function over these curves give its
    /// error. Empty without enough resamples.
    #[pyo3(signature = (rating=1800.0, seconds=5400.0, *, units=1.0))]
    fn curves(&self, rating: f64, seconds: f64, units: f64) -> PyResult<Vec<Curve>> {
        self.curve_of(rating, seconds, units)
            .check()
            .map_err(value_error)?;
        let curve = |model: &HumanModel| {
            Curve(Core::Human(HumanCurve {
                rating,
                seconds,
                pool: Pool::Unknown,
                units,
                model: *model,
            }))
        };
        Ok(self.predictor.resamples().iter().map(curve).collect())
    }

    /// The model, as a curve file contains it.
    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report.model)
    }

    /// Standard errors and 95 % intervals of the constants, from resampled games; `None` without
    /// enough resamples.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.report
            .errors
            .as_ref()
            .map(|errors| to_python(py, errors))
            .transpose()
    }

    /// The fitted constants by name, in the order of `covariance` and of each of `draws`.
    #[getter]
    fn constants<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.predictor.constants().into_py_dict(py)
    }

    /// The covariance matrix of the constants, by game; `None` without enough resamples.
    #[getter]
    fn covariance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let covariance = self.predictor.covariance();
        (!covariance.is_empty())
            .then(|| matrix(py, &covariance))
            .transpose()
    }

    /// The constants of each resample, one row for each. The values of any function of the model
    /// over these rows give its error. `None` without enough resamples.
    #[getter]
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let draws = self.predictor.draws();
        (!draws.is_empty()).then(|| matrix(py, &draws)).transpose()
    }

    /// Predicts expected scores with their errors, a row for each evaluation in centipawns.
    #[pyo3(signature = (eval, **context), text_signature = "($self, eval, *, mate=None, \
        rating=None, seconds=None, rating_difference=None, units=1.0, progress=None)")]
    fn predict<'py>(
        slf: Bound<'py, Self>,
        eval: Bound<'py, PyAny>,
        context: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("centipawn.human")?
            .call_method("_predict", (slf, eval), context)
    }

    /// Predicts columns of one length, which the Python half prepares.
    #[expect(clippy::too_many_arguments, reason = "columns")]
    #[pyo3(signature = (evals, mates, ratings, seconds, differences, units, progress))]
    fn _predict<'py>(
        &self,
        py: Python<'py>,
        evals: Numbers<'py>,
        mates: Option<Numbers<'py>>,
        ratings: Option<Numbers<'py>>,
        seconds: Option<Numbers<'py>>,
        differences: Option<Numbers<'py>>,
        units: f64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let study = HumanCurve::study();
        let curve = HumanCurve {
            units,
            ..self.curve_of(study.rating, study.seconds, units)
        };
        let [rated, timed] = [&ratings, &seconds]
            .map(|column| column.as_ref().and_then(|column| column.as_slice().ok()));
        if let Some(note) = check_people(curve, rated, timed)? {
            warn(py, &note)?;
        }
        let rows = Rows::new(
            &evals,
            mates.as_ref(),
            [ratings.as_ref(), seconds.as_ref(), differences.as_ref()],
        )?;
        let scale = self.report.model.units / units / 100.0;
        run(py, progress, move |cancel, watch| {
            let (mut score, mut wdls) = (Predicted::default(), Vec::new());
            let row =
                |eval: Option<f64>, mate: Option<f64>, [rating, seconds, difference]: [Cell; 3]| {
                    let people = rating
                        .or_own(study.rating)
                        .zip(seconds.or_own(study.seconds))
                        .zip(difference.or_own(0.0));
                    let Some(((rating, seconds), difference)) = people else {
                        return (None, None, None);
                    };
                    let players = HumanPlayers {
                        rating,
                        seconds,
                        difference,
                    };
                    let predicted = match (mate, eval) {
                        // Only the sign of a mate matters, so a saturating cast is enough.
                        (Some(mate), _) => self.predictor.predict_mate(
                            if mate > 0.0 {
                                mate.ceil()
                            } else {
                                mate.floor()
                            } as i32,
                            players,
                        ),
                        (None, Some(eval)) => self.predictor.predict(eval * scale, players),
                        (None, None) => return (None, None, None),
                    };
                    let HumanPrediction {
                        expected_score,
                        error,
                        wdl,
                        ..
                    } = predicted;
                    (Some(expected_score), error, wdl)
                };
            rows.each(cancel, &**watch, row, |(value, error, wdl)| {
                score.push(value, error);
                wdls.push(wdl);
            });
            let shares = |of: fn(&Wdl) -> f64| {
                wdls.iter()
                    .map(|wdl| wdl.as_ref().map(of))
                    .collect::<Float64Array>()
            };
            let columns = Columns::default()
                .nullable("p_win", shares(|wdl| wdl.win))
                .nullable("p_draw", shares(|wdl| wdl.draw))
                .nullable("p_loss", shares(|wdl| wdl.loss));
            score.add(columns, "expected_score").table()
        })
    }

    /// The log losses of this curve and of others in held-out games; `None` without the test.
    #[getter]
    fn held_out<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.report
            .held_out
            .as_ref()
            .map(|held_out| to_python(py, held_out))
            .transpose()
    }

    /// Number of games to which the model is fitted.
    #[getter]
    fn games(&self) -> u64 {
        self.report.games
    }

    /// Number of positions in these games.
    #[getter]
    fn positions(&self) -> u64 {
        self.report.positions
    }

    /// Number of games that were left out, by reason.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report.left_out)
    }

    /// The classes of time and rating. Each is fitted separately and compared with the model, one
    /// row for each.
    #[getter]
    fn classes(&self) -> PyResult<Table> {
        let all = &self.report.classes;
        let floats =
            |of: &dyn Fn(&ClassFit) -> Option<f64>| all.iter().map(of).collect::<Float64Array>();
        let counts = |of: fn(&ClassFit) -> u64| UInt64Array::from_iter_values(all.iter().map(of));
        Columns::default()
            .full(
                "time",
                StringArray::from_iter_values(all.iter().map(|own| own.class.time.name())),
            )
            .full(
                "rating_low",
                UInt32Array::from_iter_values(all.iter().map(|own| own.class.from)),
            )
            .full(
                "rating_high",
                UInt32Array::from_iter_values(all.iter().map(|own| own.class.to())),
            )
            .full("games", counts(|own| own.fit.games))
            .full("positions", counts(|own| own.fit.positions))
            .nullable("rating", floats(&|own| Some(own.rating)))
            .nullable("seconds", floats(&|own| Some(own.seconds)))
            .nullable("steepness", floats(&|own| own.fit.steepness))
            .nullable("steepness_error", floats(&|own| own.fit.error))
            .nullable("model_steepness", floats(&|own| Some(own.model_steepness)))
            .nullable("draws", floats(&|own| Some(own.fit.draws)))
            .nullable("model_draws", floats(&|own| own.model_draws))
            .table()
    }

    /// The whole document, as `wdl human --json` prints it.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report)
    }

    /// The program, the options, and the inputs with their hashes.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report.provenance)
    }

    /// The report as text.
    #[getter]
    fn text(&self) -> String {
        with_keywords(&printer::human(&self.report))
    }

    /// The results of the games and the model in one drawing.
    fn plot(&self, py: Python<'_>) -> Drawing {
        py.detach(|| Drawing(HumanPlot::new(&self.report).draw(PlotForm::Svg)))
    }

    /// Writes the curve file, which `--curve` and `Curve` accept. For a game, it uses the ratings
    /// and the time of the game.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| save(&path, self.report.curve_file().json().as_bytes()))
    }

    /// Writes the whole document as JSON, the fit.json of `wdl human`.
    fn save_document(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| save(&path, document(&self.report).as_bytes()))
    }

    /// For `pickle`.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().report).map_err(value_error)?;
        Ok((slf.get_type().getattr("_of_json")?.unbind(), (text,)))
    }

    /// Reads a fit from its document.
    #[staticmethod]
    fn _of_json(text: &str) -> PyResult<Self> {
        from_json(text).map(Self::of)
    }

    fn __repr__(&self) -> String {
        format!(
            "<centipawn.human.HumanFit: {}>",
            self.curve_of(1800.0, 5400.0, 1.0)
        )
    }

    /// The classes of games beside the model, for notebooks.
    fn _repr_html_(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .report
            .classes
            .iter()
            .map(|own| {
                let number = |value: Option<f64>| {
                    value.map_or_else(String::new, |value| format!("{value:.3}"))
                };
                vec![
                    format!(
                        "{} {}–{}",
                        own.class.time.name(),
                        own.class.from,
                        own.class.to()
                    ),
                    own.fit.games.to_string(),
                    number(own.fit.steepness),
                    number(own.fit.error),
                    number(Some(own.model_steepness)),
                ]
            })
            .collect();
        let note = match &self.report.held_out {
            Some(_) => "The log losses in games held out are in held_out.",
            None => "",
        };
        let head = [
            "games of",
            "games",
            "k per pawn",
            "standard error",
            "of the model",
        ];
        html::table(
            &format!(
                "What an evaluation is worth to people: {} games",
                self.report.games
            ),
            &head,
            &rows,
            note,
        )
    }
}
