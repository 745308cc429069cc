//! Reviews of games.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Glyphs, write_game_with};
use centipawn_progress::{ProblemCount, Provenance, text::plural};
use centipawn_review::{Review as Core, ReviewOptions};
use centipawn_site::Report;
use centipawn_work::{
    engine::{ReviewResources, Threads, review_files, review_provenance},
    table::{
        columns::{Column, GAME, JUDGED_PLIES},
        judged_plies,
    },
};
use pyo3::{
    exceptions::PyIndexError,
    prelude::*,
    types::{PyIterator, PyList},
};

use crate::{
    curve::{Curve, argument},
    engine::{Engine, Lent},
    error::{EngineError, ExecutorError, chain, file_error, in_range, value_error},
    executor::remote_error,
    html,
    json::{from_json, to_python},
    policy::open,
    run::run_on,
    scan::sources,
    table::{Columns, Table},
};

/// A reviewed game.
#[pyclass(frozen, module = "centipawn")]
pub(crate) struct Review {
    review: Arc<Core>,
    provenance: Arc<Provenance>,
}

/// Reviews games, with an executor by its tasks. The Python half makes the options.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn review(
    py: Python<'_>,
    games: Vec<PathBuf>,
    engine: &Engine,
    options: &str,
    curve: &Bound<'_, PyAny>,
    networks: Vec<String>,
    progress: Option<Py<PyAny>>,
    executor: Option<Py<PyAny>>,
) -> PyResult<Reviews> {
    let mut options = from_json::<ReviewOptions>(options)?;
    let judge = JudgeOptions {
        limit: engine.limit,
        curve: argument(curve)?,
        ..options.judge
    };
    options.judge = judge.complete();
    in_range("lines", options.judge.lines, 1..=500)?;
    let sources = sources(&games)?;
    let reviews = run_on(py, progress, executor, move |cancel, watch, futures| {
        let opened = networks
            .iter()
            .map(|name| open(name, None))
            .collect::<PyResult<Vec<_>>>()?;
        let options = ReviewOptions {
            judge: options.judge.with_networks(&opened),
            ..options
        };
        let Lent { analyst, store } = engine.lend(cancel, watch)?;
        let provenance = review_provenance(&options, &sources, &opened);
        let problems = Arc::new(ProblemCount::new(Arc::clone(watch)));
        let mut reviews = Vec::new();
        let show = |review: &Core| {
            let provenance = provenance
                .clone()
                .engine(review.analyst.clone(), options.judge.limits());
            reviews.push(Review {
                review: Arc::new(review.clone()),
                provenance: Arc::new(provenance),
            });
            Ok(())
        };
        let ended = match futures {
            None => {
                let resources = ReviewResources {
                    analyst: &*analyst,
                    networks: &opened,
                    store,
                };
                let crew = Threads::of(Some(&*analyst));
                review_files(
                    &sources,
                    &options,
                    &resources,
                    (),
                    &crew,
                    cancel,
                    &problems,
                    show,
                )
            }
            Some(futures) => {
                let crew =
                    engine.remote(futures, &*analyst, (&opened, &networks), (cancel, watch))?;
                let replay = crew.analyst();
                let resources = ReviewResources {
                    analyst: &*replay,
                    networks: &opened,
                    store,
                };
                let ended = review_files(
                    &sources,
                    &options,
                    &resources,
                    (),
                    &crew,
                    cancel,
                    &problems,
                    show,
                );
                crew.outcome().map_err(|error| remote_error(&error))?;
                if let (Err(error), Some(failure)) = (&ended, crew.last_failure()) {
                    return Err(ExecutorError::new_err(format!(
                        "{}; the last: {failure}",
                        chain(error)
                    )));
                }
                ended
            }
        };
        ended.map_err(|error| file_error(&error, |_| EngineError::new_err(chain(&error))))?;
        Ok(reviews)
    })?;
    let reviews = reviews
        .into_iter()
        .map(|review| Py::new(py, review))
        .collect::<PyResult<_>>()?;
    Ok(Reviews(reviews))
}

/// Reviewed games in the order of the input.
#[pyclass(frozen, sequence, module = "centipawn")]
pub(crate) struct Reviews(Vec<Py<Review>>);

#[pymethods]
impl Reviews {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Py<Review>> {
        let at = if index < 0 {
            index + self.0.len() as isize
        } else {
            index
        };
        let review = usize::try_from(at).ok().and_then(|at| self.0.get(at));
        review
            .map(|review| review.clone_ref(py))
            .ok_or_else(|| PyIndexError::new_err("there is no such review"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, &self.0)?.try_iter()
    }

    /// The moves of all games, one row for each. The column `game` is the number of the game, from
    /// 0.
    #[getter]
    fn plies(&self) -> PyResult<Table> {
        let columns: Vec<&'static Column> = [&GAME].into_iter().chain(JUDGED_PLIES).collect();
        let reviews = self.0.iter().map(|review| &*review.get().review);
        Columns::default()
            .rows(judged_plies(reviews, &columns))?
            .table()
    }

    /// The games with the accuracy of both sides, for notebooks.
    fn _repr_html_(&self) -> String {
        let row = |review: &Py<Review>| {
            let review = &review.get().review;
            let document = review.document();
            let accuracy =
                |side: Option<f64>| side.map_or_else(String::new, |own| format!("{own:.1}"));
            vec![
                review.title(),
                review.opening_name().unwrap_or_default(),
                review.plies.len().to_string(),
                accuracy(document.white.accuracy),
                accuracy(document.black.accuracy),
            ]
        };
        let rows: Vec<Vec<String>> = self.0.iter().map(row).collect();
        let head = ["game", "opening", "moves", "accuracy of White", "of Black"];
        html::table(
            &plural(self.0.len() as u64, "reviewed game"),
            &head,
            &rows,
            "",
        )
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.Reviews: {}>", self.0.len())
    }
}

#[pymethods]
impl Review {
    /// The names of both players.
    #[getter]
    fn title(&self) -> String {
        self.review.title()
    }

    /// The curve with which the game was judged.
    #[getter]
    fn curve(&self) -> Curve {
        Curve(self.review.curve)
    }

    /// The moves with their judgement, one row for each, with the columns of `review --table`.
    #[getter]
    fn plies(&self) -> PyResult<Table> {
        Columns::default()
            .rows(judged_plies([&*self.review], &JUDGED_PLIES))?
            .table()
    }

    /// The tags of the game.
    #[getter]
    fn headers(&self) -> HashMap<String, String> {
        self.review
            .game
            .headers
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// White's totals: accuracy, losses, symbols, phases.
    #[getter]
    fn white<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.review.document().white)
    }

    /// Black's totals.
    #[getter]
    fn black<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.review.document().black)
    }

    /// The opening's code and name; `None` if it is unknown.
    #[getter]
    fn opening(&self) -> Option<String> {
        self.review.opening_name()
    }

    /// The whole document of the game, as `review --json` writes it.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.review.document())
    }

    /// The program, options, inputs and engine.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &*self.provenance)
    }

    /// The annotated game as PGN.
    #[getter]
    fn pgn(&self) -> PyResult<String> {
        let mut text = Vec::new();
        write_game_with(&mut text, &self.review.annotated(), Glyphs::Numbers)
            .map_err(value_error)?;
        String::from_utf8(text).map_err(value_error)
    }

    /// The report as an HTML page that needs no other files.
    #[getter]
    fn html(&self) -> PyResult<String> {
        let mut report = Report::new(Vec::new(), self.review.language);
        report.game(&self.review).map_err(value_error)?;
        let page = report.finish(Some(&self.provenance)).map_err(value_error)?;
        String::from_utf8(page).map_err(value_error)
    }

    /// The report in a frame, for notebooks.
    fn _repr_html_(&self) -> PyResult<String> {
        let page = self.html()?.replace('&', "&amp;").replace('"', "&quot;");
        Ok(format!(
            "<iframe srcdoc=\"{page}\" width=\"100%\" height=\"720\" style=\"border:0\"></iframe>"
        ))
    }

    fn __repr__(&self) -> String {
        format!(
            "<centipawn.Review: {}, {} moves>",
            self.review.title(),
            self.review.plies.len()
        )
    }
}
