//! Reviews of games.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use arrow_array::{BooleanArray, Float64Array, Int32Array, StringArray, UInt8Array, UInt32Array};
use centipawn_core::{Eval, Score, White};
use centipawn_pgn::{Glyphs, write_game_with};
use centipawn_progress::{Files, ProblemCount, Provenance};
use centipawn_review::{OutputPaths, Outputs, PlyDocument, Review as Core, ReviewOptions, report::Report};
use centipawn_work::{ReviewResources, Threads, review_files, review_provenance};
use pyo3::{exceptions::PyIndexError, prelude::*};

use crate::{
    curve::{Curve, argument},
    engine::{Engine, Lent},
    error::{EngineError, chain, file_error, value_error},
    json::{from_json, to_python},
    policy::open,
    run::run,
    scan::sources,
    table::{Columns, Table, field},
};

/// A reviewed game.
#[pyclass(frozen, module = "centipawn")]
pub(crate) struct Review {
    review: Arc<Core>,
    provenance: Arc<Provenance>,
}

/// Reviews games; the Python half makes the options.
#[pyfunction]
pub(crate) fn review(
    py: Python<'_>,
    games: Vec<PathBuf>,
    engine: &Engine,
    options: &str,
    curve: &Bound<'_, PyAny>,
    networks: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Reviews> {
    let options =
        ReviewOptions { limit: engine.limit, curve: argument(curve)?, ..from_json::<ReviewOptions>(options)? };
    let sources = sources(&games)?;
    let reviews = run(py, progress, move |cancel, watch| {
        let networks = networks.iter().map(|name| open(name, None)).collect::<PyResult<Vec<_>>>()?;
        let options = options.with_networks(&networks);
        let Lent { analyst, store } = engine.lend(cancel, watch)?;
        let provenance = review_provenance(&options, &sources, &networks);
        let mut files = Files::default();
        let outputs = Outputs::create(&OutputPaths::default(), &mut files, &options, Provenance::default());
        let outputs = outputs.map_err(value_error)?;
        let resources = ReviewResources { analyst: &*analyst, networks: &networks, store };
        let problems = Arc::new(ProblemCount::new(Arc::clone(watch)));
        let crew = Threads::of(Some(&*analyst));
        let mut reviews = Vec::new();
        let ended = review_files(&sources, &options, &resources, outputs, &crew, cancel, &problems, |review| {
            let provenance = provenance.clone().engine(review.analyst.clone(), options.limits());
            reviews.push(Review { review: Arc::new(review.clone()), provenance: Arc::new(provenance) });
            Ok(())
        });
        ended.map_err(|error| file_error(&error, |_| EngineError::new_err(chain(&error))))?;
        Ok(reviews)
    })?;
    let reviews = reviews.into_iter().map(|review| Py::new(py, review)).collect::<PyResult<_>>()?;
    Ok(Reviews(reviews))
}

/// Reviewed games, in the order of the input.
#[pyclass(frozen, sequence, module = "centipawn")]
pub(crate) struct Reviews(Vec<Py<Review>>);

#[pymethods]
impl Reviews {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Py<Review>> {
        let at = if index < 0 { index + self.0.len() as isize } else { index };
        let review = usize::try_from(at).ok().and_then(|at| self.0.get(at));
        review.map(|review| review.clone_ref(py)).ok_or_else(|| PyIndexError::new_err("there is no such review"))
    }

    /// The moves of all games, a row each; the column `game` counts the games from 0.
    #[getter]
    fn plies(&self) -> PyResult<Table> {
        let documents: Vec<Vec<PlyDocument>> =
            self.0.iter().map(|review| review.get().review.document().plies).collect();
        let games = (0..).zip(&documents).flat_map(|(game, plies)| vec![game; plies.len()]);
        let columns = Columns::default().full("game", UInt32Array::from_iter_values(games));
        plies(columns, &documents.concat())
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.Reviews: {}>", self.0.len())
    }
}

#[pymethods]
impl Review {
    /// Both players' names.
    #[getter]
    fn title(&self) -> String {
        self.review.title()
    }

    /// The curve by which the game was judged.
    #[getter]
    fn curve(&self) -> Curve {
        Curve(self.review.curve)
    }

    /// The moves with their judgement, a row each. Evaluations and expected scores are White's, losses the mover's.
    #[getter]
    fn plies(&self) -> PyResult<Table> {
        plies(Columns::default(), &self.review.document().plies)
    }

    /// The tags of the game.
    #[getter]
    fn headers(&self) -> HashMap<String, String> {
        self.review.game.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
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

    /// The opening's code and name; `None` if unknown.
    #[getter]
    fn opening(&self) -> Option<String> {
        self.review.opening_name()
    }

    /// Everything, as `review --json` writes it for a game.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.review.document())
    }

    /// Program, options, inputs and engine.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &*self.provenance)
    }

    /// The annotated game.
    #[getter]
    fn pgn(&self) -> PyResult<String> {
        let mut text = Vec::new();
        write_game_with(&mut text, &self.review.annotated(), Glyphs::Numbers).map_err(value_error)?;
        String::from_utf8(text).map_err(value_error)
    }

    /// The report, a page that needs nothing else.
    #[getter]
    fn html(&self) -> PyResult<String> {
        let title = self.review.title();
        let mut report = Report::new(Vec::new(), self.review.options.language, Some(&title));
        report.game(&self.review).map_err(value_error)?;
        let page = report.finish(Some(&self.provenance)).map_err(value_error)?;
        String::from_utf8(page).map_err(value_error)
    }

    /// The page in a frame, for notebooks.
    fn _repr_html_(&self) -> PyResult<String> {
        let page = self.html()?.replace('&', "&amp;").replace('"', "&quot;");
        Ok(format!("<iframe srcdoc=\"{page}\" width=\"100%\" height=\"720\" style=\"border:0\"></iframe>"))
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.Review: {}, {} moves>", self.review.title(), self.review.plies.len())
    }
}

type EvalOf = fn(&PlyDocument) -> Option<Eval<White>>;

fn plies(columns: Columns, all: &[PlyDocument]) -> PyResult<Table> {
    let texts = |of: fn(&PlyDocument) -> &str| StringArray::from_iter_values(all.iter().map(of));
    let some = |of: fn(&PlyDocument) -> Option<&str>| all.iter().map(of).collect::<StringArray>();
    let floats = |of: fn(&PlyDocument) -> f64| Float64Array::from_iter_values(all.iter().map(of));
    let maybe = |of: fn(&PlyDocument) -> Option<f64>| all.iter().map(of).collect::<Float64Array>();
    let numbers = |of: fn(&PlyDocument) -> u32| UInt32Array::from_iter_values(all.iter().map(of));
    let mut columns = columns
        .full("ply", numbers(|own| own.ply as u32))
        .full("move_number", numbers(|own| own.move_number))
        .full("white", BooleanArray::from_iter(all.iter().map(|own| Some(own.mover == "white"))))
        .full("san", texts(|own| &own.san))
        .full("uci", texts(|own| &own.uci))
        .full("fen_before", texts(|own| &own.fen));
    let evals: [(&str, EvalOf); 3] = [
        ("eval", |own| own.eval),
        ("played_eval", |own| Some(own.eval_played)),
        ("best_eval", |own| Some(own.eval_before)),
    ];
    for (name, of) in evals {
        let scores = || all.iter().map(|own| of(own).map(Eval::score));
        let cp = scores().map(|score| if let Some(Score::Cp(cp)) = score { Some(cp) } else { None });
        let mate = scores().map(|score| if let Some(Score::Mate(moves)) = score { Some(moves) } else { None });
        for (ending, unit, array) in
            [("cp", "centipawns", cp.collect::<Int32Array>()), ("mate", "moves", mate.collect::<Int32Array>())]
        {
            let field = field(&format!("{name}_{ending}"), arrow_schema::DataType::Int32, true, unit, "White");
            columns = columns.add(field, Arc::new(array));
        }
    }
    columns
        .full("expected_score", floats(|own| own.expected_score))
        .full("best_expected_score", floats(|own| own.expected_score_best))
        .full("loss", floats(|own| own.score_loss))
        .full("relevant_loss", floats(|own| own.relevant_loss))
        .nullable("absolute_loss", maybe(|own| own.absolute_loss))
        .full("accuracy", floats(|own| own.accuracy))
        .nullable("symbol", some(|own| own.symbol.as_deref()))
        .nullable("nag", all.iter().map(|own| own.nag).collect::<UInt8Array>())
        .full("only_move", BooleanArray::from_iter(all.iter().map(|own| Some(own.only_move))))
        .full("position", texts(|own| &own.position))
        .nullable("remark", some(|own| own.remark.as_deref()))
        .full("phase", texts(|own| &own.phase))
        .nullable("clock", maybe(|own| own.clock_seconds))
        .nullable("time", maybe(|own| own.time_seconds))
        .table()
}
