//! Puzzles.

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use arrow_array::{
    Int32Array, StringArray, UInt32Array, UInt64Array,
    builder::{ListBuilder, StringBuilder},
};
use centipawn_progress::{Problem, ProblemCount, Reporter as _};
use centipawn_puzzle::{
    Format, MineOptions, Mined, Puzzle, PuzzleDocument, RuleSet, SolverFilter, Writer,
    rating::{RateOptions, Rater},
};
use centipawn_work::engine::{MineResources, Threads, mine_files, rate_puzzles, read_puzzles};
use pyo3::{
    exceptions::{PyFileNotFoundError, PyIndexError},
    prelude::*,
    types::{PyIterator, PyList},
};

use crate::{
    engine::{Engine, Lent},
    error::{EngineError, value_error, whole},
    executor::remote_error,
    json::{from_json, to_python},
    policy::threads,
    run::{run, run_on},
    scan::sources,
    table::{Columns, Table},
    wdl::save,
};

/// A list of puzzles.
#[pyclass(frozen, module = "centipawn.puzzles")]
pub(crate) struct Puzzles(Vec<Puzzle>);

/// Reads puzzles in Lichess' CSV, JSON lines, EPD or PGN.
#[pyfunction]
pub(crate) fn puzzles_read(
    py: Python<'_>,
    files: Vec<PathBuf>,
    #[pyo3(from_py_with = whole)] first: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Puzzles> {
    if let Some(missing) = files.iter().find(|file| !file.exists()) {
        return Err(PyFileNotFoundError::new_err(format!(
            "there is no file {}",
            missing.display()
        )));
    }
    run(py, progress, move |cancel, watch| {
        let all = read_puzzles(&files, first, cancel, watch).take_while(|_| !cancel.is_set());
        Ok(Puzzles(all.collect()))
    })
}

/// Finds puzzles in games, with an executor by its tasks. The Python half makes the options.
#[pyfunction]
pub(crate) fn puzzles_mine(
    py: Python<'_>,
    games: Vec<PathBuf>,
    engine: &Engine,
    options: &str,
    policy: bool,
    progress: Option<Py<PyAny>>,
    executor: Option<Py<PyAny>>,
) -> PyResult<Puzzles> {
    let options: MineOptions = from_json(options)?;
    options.check().map_err(value_error)?;
    if options.rules == RuleSet::Classic {
        return Err(value_error(
            "the rules `classic` find positions without solutions, which only the command writes",
        ));
    }
    let sources = sources(&games)?;
    run_on(py, progress, executor, move |cancel, watch, futures| {
        let Lent { analyst, .. } = engine.lend(cancel, watch)?;
        let problems = Arc::new(ProblemCount::new(Arc::clone(watch)));
        let rate = RateOptions { all: false, policy };
        let rater = Rater::open(rate, &problems);
        let known = HashSet::new();
        let resources = MineResources {
            analyst: &*analyst,
            rater: Some(&rater),
            known: &known,
        };
        let (mut puzzles, mut games, mut plays) = (Vec::new(), 0, false);
        let each = |mined: &Mined| {
            games += 1;
            plays |= options.player.as_deref().is_none_or(|player| {
                let tags =
                    ["White", "Black"].map(|tag| mined.game.headers.get(tag).unwrap_or_default());
                tags.iter().any(|tag| SolverFilter::has_name(tag, player))
            });
            let found = mined
                .candidates
                .iter()
                .filter(|candidate| candidate.verdict.is_found());
            puzzles.extend(found.filter_map(|candidate| candidate.puzzle.as_deref().cloned()));
        };
        match futures {
            None => {
                let crew = Threads::of(Some(&*analyst));
                mine_files(
                    &sources, &options, resources, &crew, cancel, &problems, each,
                )
                .map_err(|error| EngineError::new_err(error.to_string()))?;
            }
            Some(futures) => {
                let crew = engine.remote(futures, &*analyst, (&[], &[]), (cancel, watch))?;
                let replay = crew.analyst();
                let resources = MineResources {
                    analyst: &*replay,
                    ..resources
                };
                let mined = mine_files(
                    &sources, &options, resources, &crew, cancel, &problems, each,
                );
                crew.outcome().map_err(|error| remote_error(&error))?;
                mined.map_err(|error| EngineError::new_err(error.to_string()))?;
            }
        }
        if let (Some(player), 1.., false) = (&options.player, games, plays) {
            problems.problem(&Problem::warning(format_args!(
                "{player:?} plays in none of the games"
            )));
        }
        Ok(Puzzles(puzzles))
    })
}

/// Estimates the ratings of puzzles.
#[pyfunction]
pub(crate) fn puzzles_rate(
    py: Python<'_>,
    puzzles: &Puzzles,
    all: bool,
    policy: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Puzzles> {
    let puzzles = puzzles.0.clone();
    run(py, progress, move |cancel, watch| {
        let options = RateOptions { all, policy };
        let rater = Rater::open(options, watch);
        let mut rated = Vec::new();
        rate_puzzles(
            puzzles.into_iter(),
            &options,
            &rater,
            &threads(),
            cancel,
            watch,
            |puzzle| {
                rated.push(puzzle.clone());
            },
        );
        Ok(Puzzles(rated))
    })
}

/// Finds the themes of puzzles and replaces the themes that they have.
#[pyfunction]
pub(crate) fn puzzles_tag(
    py: Python<'_>,
    puzzles: &Puzzles,
    progress: Option<Py<PyAny>>,
) -> PyResult<Puzzles> {
    let mut puzzles = puzzles.0.clone();
    run(py, progress, move |cancel, _| {
        puzzles
            .iter_mut()
            .take_while(|_| !cancel.is_set())
            .for_each(Puzzle::tag);
        Ok(Puzzles(puzzles))
    })
}

#[pymethods]
impl Puzzles {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let at = if index < 0 {
            index + self.0.len() as isize
        } else {
            index
        };
        let puzzle = usize::try_from(at).ok().and_then(|at| self.0.get(at));
        let puzzle = puzzle.ok_or_else(|| PyIndexError::new_err("there is no such puzzle"))?;
        to_python(py, &puzzle.document())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let documents = self
            .0
            .iter()
            .map(|puzzle| to_python(py, &puzzle.document()));
        PyList::new(py, documents.collect::<PyResult<Vec<_>>>()?)?.try_iter()
    }

    /// The puzzles, one row for each. Moves are in UCI notation, and the first one is the
    /// opponent's.
    #[getter]
    fn table(&self) -> PyResult<Table> {
        let documents: Vec<PuzzleDocument> = self.0.iter().map(Puzzle::document).collect();
        let lists = |of: fn(&PuzzleDocument) -> &[String]| {
            let mut lists = ListBuilder::new(StringBuilder::new());
            for document in &documents {
                lists.append_value(of(document).iter().map(Some));
            }
            lists.finish()
        };
        let texts = |of: fn(&PuzzleDocument) -> &str| {
            StringArray::from_iter_values(documents.iter().map(of))
        };
        let numbers = |of: fn(&PuzzleDocument) -> Option<u32>| {
            documents.iter().map(of).collect::<UInt32Array>()
        };
        Columns::default()
            .full("id", texts(|own| &own.id))
            .full("fen", texts(|own| &own.fen))
            .full("moves", lists(|own| &own.moves))
            .nullable("rating", numbers(|own| own.rating))
            .nullable(
                "low",
                numbers(|own| own.rating_interval.map(|interval| interval[0])),
            )
            .nullable(
                "high",
                numbers(|own| own.rating_interval.map(|interval| interval[1])),
            )
            .nullable("deviation", numbers(|own| own.deviation))
            .nullable(
                "popularity",
                documents
                    .iter()
                    .map(|own| own.popularity)
                    .collect::<Int32Array>(),
            )
            .nullable(
                "plays",
                documents
                    .iter()
                    .map(|own| own.plays)
                    .collect::<UInt64Array>(),
            )
            .full("themes", lists(|own| &own.themes))
            .full("url", texts(|own| &own.url))
            .table()
    }

    /// Writes the puzzles. The ending of the file determines the format.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let name = path.to_string_lossy();
            let unknown = || value_error("a file of puzzles ends in .csv, .jsonl or .pgn");
            let format = Format::of_name(&name).ok_or_else(unknown)?;
            let mut out = Writer::new(Vec::new(), format);
            self.0
                .iter()
                .try_for_each(|puzzle| out.write(puzzle))
                .map_err(value_error)?;
            save(&path, &out.finish().map_err(value_error)?)
        })
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.puzzles.Puzzles: {}>", self.0.len())
    }
}
