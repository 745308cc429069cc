//! Curves: what an evaluation is worth.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
};

use centipawn_calibrate::{CurveFile, NamedCurveError, named_choice};
use centipawn_core::{
    Context, Curve as Core, CurveChoice, CurveTable, Eval, HumanCurve, HumanModel, Mover, WdlModel,
};
use centipawn_progress::Cancel;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::{
    prelude::*,
    types::{PyDict, PyType},
};

use crate::{
    error::{named_error, value_error, warn, whole},
    html,
    json::{from_json, to_python},
};

/// What an evaluation is worth: a function from evaluations to expected scores.
#[pyclass(frozen, eq, module = "centipawn")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Curve(pub(crate) Core);

/// The columns of one call. The Python half has broadcast them to one shape.
struct Inputs<'a> {
    evals: &'a [f64],
    mates: Option<&'a [f64]>,
    materials: Option<&'a [f64]>,
    plies: Option<&'a [f64]>,
    /// Only for human curves. Without it, the curve's own rating and time are used.
    ratings: Option<&'a [f64]>,
    seconds: Option<&'a [f64]>,
}

impl<'a> Inputs<'a> {
    /// The next rows, beginning at `first`, at most [`CHUNK`].
    fn part(&self, first: usize) -> Self {
        let rows = first..self.evals.len().min(first + CHUNK);
        let part = |values: Option<&'a [f64]>| values.map(|values| &values[rows.clone()]);
        Self {
            evals: &self.evals[rows.clone()],
            mates: part(self.mates),
            materials: part(self.materials),
            plies: part(self.plies),
            ratings: part(self.ratings),
            seconds: part(self.seconds),
        }
    }

    /// Appends the expected scores. A row gets NaN if it has neither an evaluation nor a mate, or
    /// if its context is missing.
    fn add_scores(&self, table: &mut CurveTable, scores: &mut Vec<f64>) {
        let default = Context::default();
        let curve = table.curve();
        let is_many = self.evals.len() >= MANY;
        let mut at = |eval: f64, context| {
            if is_many {
                table.at_centipawns(eval, context)
            } else {
                table.at(eval / 100.0, context)
            }
        };
        let Self {
            evals,
            mates,
            materials,
            plies,
            ..
        } = *self;
        if let Core::Human(human) = curve
            && (self.ratings.is_some() || self.seconds.is_some())
        {
            return self.add_human_scores(human, scores);
        }
        if mates.is_none() && materials.is_none() && plies.is_none() {
            return scores.extend(evals.iter().map(|eval| at(*eval, default)));
        }
        let whole = |values: Option<&[f64]>, index: usize, default: u32| match values
            .map(|values| values[index])
        {
            None => Some(default),
            // The cast saturates, and curves clamp values beyond their range.
            Some(value) => (value >= 0.0).then_some(value as u32),
        };
        let score = |(index, eval): (usize, &f64)| {
            if let Some(mate) = mates
                .map(|mates| mates[index])
                .filter(|mate| !mate.is_nan())
            {
                return of_mate(curve, mate);
            }
            match (
                whole(materials, index, default.material),
                whole(plies, index, default.ply),
            ) {
                (Some(material), Some(ply)) => at(*eval, Context { material, ply }),
                _ => f64::NAN,
            }
        };
        scores.extend(evals.iter().enumerate().map(score));
    }

    /// Appends the expected scores between humans, with the rating and time of each row.
    fn add_human_scores(&self, human: HumanCurve, scores: &mut Vec<f64>) {
        let at = |values: Option<&[f64]>, index: usize, own: f64| {
            values.map_or(own, |values| values[index])
        };
        let score = |(index, eval): (usize, &f64)| {
            let (rating, seconds) = (
                at(self.ratings, index, human.rating),
                at(self.seconds, index, human.seconds),
            );
            if rating.is_nan() || seconds.is_nan() {
                return f64::NAN;
            }
            let curve = Core::Human(HumanCurve {
                rating,
                seconds,
                ..human
            });
            let material = match self.materials.map(|materials| materials[index]) {
                None => Context::default().material,
                // The cast saturates, and curves clamp values beyond their range.
                Some(value) if value >= 0.0 => value as u32,
                Some(_) => return f64::NAN,
            };
            let context = Context {
                material,
                ..Context::default()
            };
            match self
                .mates
                .map(|mates| mates[index])
                .filter(|mate| !mate.is_nan())
            {
                Some(mate) => of_mate(curve, mate),
                None => curve.at(eval / 100.0, context),
            }
        };
        scores.extend(self.evals.iter().enumerate().map(score));
    }

    /// Checks the ratings and times. Impossible values are an error; for values beyond the games of
    /// the model, returns a note.
    fn check_people(&self, curve: Core) -> PyResult<Option<String>> {
        let Self {
            ratings, seconds, ..
        } = *self;
        if ratings.is_none() && seconds.is_none() {
            return Ok(None);
        }
        let Core::Human(human) = curve else {
            return Err(value_error(format!(
                "rating and seconds are for curves of people, which {curve} is not: take \
                 curve=\"human\" or Curve.human()"
            )));
        };
        check_people(human, ratings, seconds)
    }
}

/// The expected score of a mate in this number of moves, negative for the other side.
fn of_mate(curve: Core, moves: f64) -> f64 {
    // Only the sign matters, so a saturating cast is enough.
    let moves = if moves > 0.0 {
        moves.ceil()
    } else {
        moves.floor()
    } as i32;
    curve.expected_score(Eval::<Mover>::mate(moves), Context::default())
}

/// Checks columns of ratings and times. Impossible values are an error; for values beyond the games
/// of the model, returns a note.
pub(crate) fn check_people(
    human: HumanCurve,
    ratings: Option<&[f64]>,
    seconds: Option<&[f64]>,
) -> PyResult<Option<String>> {
    // Check only the smallest and the largest value, because the ranges have no gaps.
    let ends = |values: Option<&[f64]>, own: f64| {
        let known = values
            .unwrap_or(&[])
            .iter()
            .copied()
            .filter(|value| !value.is_nan());
        let ends = known.fold(None, |ends: Option<(f64, f64)>, value| {
            Some(ends.map_or((value, value), |(least, most)| {
                (least.min(value), most.max(value))
            }))
        });
        ends.unwrap_or((own, own))
    };
    let ((weakest, strongest), (shortest, longest)) =
        (ends(ratings, human.rating), ends(seconds, human.seconds));
    let people = [(weakest, shortest), (strongest, longest)];
    let people = people.map(|(rating, seconds)| HumanCurve {
        rating,
        seconds,
        ..human
    });
    people
        .iter()
        .try_for_each(|curve| curve.check().map_err(value_error))?;
    Ok(people.iter().find_map(HumanCurve::beyond_games))
}

#[pymethods]
impl Curve {
    /// A curve by its name on the command line, or from a curve file.
    #[new]
    #[pyo3(signature = (name, *, balance=None))]
    fn new(name: PathBuf, balance: Option<f64>) -> PyResult<Self> {
        let choice = named(&name.to_string_lossy(), balance)?;
        choice
            .without_game()
            .map(Self)
            .ok_or_else(|| value_error("the curve auto is for games; name another one"))
    }

    /// The curve of people: by their mean rating and the seconds that each has for the game.
    #[classmethod]
    ///
    /// `units` is the unit of the evaluations, in pawns for one of Stockfish 15.1's; in `review`
    /// each game's own unit counts. A rating or time beyond the games of the model counts as the
    /// nearest, with a `CentipawnWarning`.
    ///
    /// `pool` names the site or federation of the rating: lichess, chesscom, fide, fide-online,
    /// fics, unknown.
    #[pyo3(signature = (rating=1800.0, seconds=5400.0, *, pool="unknown", units=1.0))]
    fn human(
        class: &Bound<'_, PyType>,
        rating: f64,
        seconds: f64,
        pool: &str,
        units: f64,
    ) -> PyResult<Self> {
        let curve = HumanCurve {
            rating,
            seconds,
            pool: pool.parse().map_err(value_error)?,
            units,
            model: HumanModel::default(),
        };
        curve.check().map_err(value_error)?;
        if let Some(note) = curve.beyond_games() {
            warn(class.py(), &note)?;
        }
        Ok(Self(Core::Human(curve)))
    }

    /// The exponential curve of the relevance article, by its win-draw balance in pawns.
    #[classmethod]
    fn relevance(_class: &Bound<'_, PyType>, balance: f64) -> PyResult<Self> {
        checked(Core::Relevance { balance })
    }

    /// A logistic curve: `k` per centipawn, evaluations clamped to ± `clamp` pawns.
    #[classmethod]
    #[pyo3(signature = (k, *, clamp=None))]
    fn logistic(_class: &Bound<'_, PyType>, k: f64, clamp: Option<f64>) -> PyResult<Self> {
        checked(Core::Logistic { k, clamp })
    }

    /// The curve of a Stockfish release, `"15.1"`; without one, of the newest.
    #[classmethod]
    #[pyo3(signature = (version=None))]
    fn stockfish(_class: &Bound<'_, PyType>, version: Option<&str>) -> PyResult<Self> {
        let model = match version {
            None => WdlModel::default(),
            Some(version) => WdlModel::stockfish(version).ok_or_else(|| {
                let versions: Vec<&str> = WdlModel::stockfish_releases().collect();
                value_error(format!(
                    "Stockfish {version} has no model; those with one are {}",
                    versions.join(", ")
                ))
            })?,
        };
        Ok(Self(Core::Wdl(model)))
    }

    /// A curve from the text of a curve file.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        // Read the curve itself first, because a choice of a curve does not keep the unit of a
        // human curve.
        if let Ok(curve) = serde_json::from_str::<Core>(text) {
            return checked(curve);
        }
        from_json::<CurveChoice>(text)?
            .without_game()
            .map(Self)
            .ok_or_else(|| value_error("the curve auto is for games; name another one"))
    }

    /// The text of a curve file, which `--curve` and `Curve` take.
    fn to_json(&self) -> String {
        CurveFile {
            curve: self.0,
            provenance: None,
        }
        .json()
    }

    /// For `pickle`, so that other processes can use the curve.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        Ok((
            slf.get_type().getattr("from_json")?.unbind(),
            (slf.get().to_json(),),
        ))
    }

    /// Name and numbers.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    /// The expected score, 0 to 1, of evaluations in centipawns: `centipawn.expected_score` by this
    /// curve.
    #[pyo3(signature = (eval, **context), text_signature = "($self, eval, *, mate=None, \
        material=None, ply=None, rating=None, seconds=None)")]
    fn expected<'py>(
        slf: Bound<'py, Self>,
        eval: Bound<'py, PyAny>,
        context: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("centipawn._curves")?
            .call_method("_expected", (slf, eval), context)
    }

    /// Expected scores of arrays of one shape, which the Python half prepares.
    #[pyo3(signature = (evals, mates=None, materials=None, plies=None, ratings=None, seconds=None))]
    #[expect(clippy::too_many_arguments, reason = "columns")]
    fn _expected<'py>(
        &self,
        py: Python<'py>,
        evals: PyReadonlyArrayDyn<'py, f64>,
        mates: Option<PyReadonlyArrayDyn<'py, f64>>,
        materials: Option<PyReadonlyArrayDyn<'py, f64>>,
        plies: Option<PyReadonlyArrayDyn<'py, f64>>,
        ratings: Option<PyReadonlyArrayDyn<'py, f64>>,
        seconds: Option<PyReadonlyArrayDyn<'py, f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape: Vec<usize> = evals.as_array().shape().to_vec();
        let others = [&mates, &materials, &plies, &ratings, &seconds];
        let others = others.map(|other| {
            other
                .as_ref()
                .map(|array| array.as_slice().map_err(value_error))
                .transpose()
        });
        let [mates, materials, plies, ratings, seconds] = others;
        let (mates, materials, plies, ratings, seconds) =
            (mates?, materials?, plies?, ratings?, seconds?);
        let evals = evals.as_slice().map_err(value_error)?;
        let alike = [mates, materials, plies, ratings, seconds]
            .into_iter()
            .flatten()
            .all(|other| other.len() == evals.len());
        if !alike {
            return Err(value_error("the columns must have one shape"));
        }
        let curve = self.0;
        let inputs = Inputs {
            evals,
            mates,
            materials,
            plies,
            ratings,
            seconds,
        };
        if let Some(note) = inputs.check_people(curve)? {
            warn(py, &note)?;
        }
        let mut table = CurveTable::new(curve);
        let mut scores = Vec::with_capacity(evals.len());
        for first in (0..evals.len()).step_by(CHUNK) {
            py.check_signals()?;
            py.detach(|| inputs.part(first).add_scores(&mut table, &mut scores));
        }
        let array = PyArrayDyn::from_owned_array(
            py,
            numpy::ndarray::ArrayD::from_shape_vec(shape, scores).map_err(value_error)?,
        );
        Ok(array.into_any())
    }

    /// Win, draw and loss at an evaluation in centipawns; `None` if the curve has no draws.
    #[pyo3(signature = (eval, *, material=58, ply=64))]
    fn wdl(
        &self,
        #[pyo3(from_py_with = whole)] eval: i32,
        #[pyo3(from_py_with = whole)] material: u32,
        #[pyo3(from_py_with = whole)] ply: u32,
    ) -> Option<(f64, f64, f64)> {
        let wdl = self
            .0
            .wdl(Eval::<Mover>::cp(eval), Context { material, ply })?;
        Some((wdl.win, wdl.draw, wdl.loss))
    }

    /// The evaluation in centipawns with this expected score, 0 to 1; `None` if there is none.
    #[pyo3(signature = (score, *, material=58, ply=64))]
    fn eval_of(
        &self,
        score: f64,
        #[pyo3(from_py_with = whole)] material: u32,
        #[pyo3(from_py_with = whole)] ply: u32,
    ) -> Option<f64> {
        self.0
            .pawns(score, Context { material, ply })
            .map(|pawns| 100.0 * pawns)
    }

    /// The win-draw balance in pawns: the evaluation that wins half the time.
    #[pyo3(signature = (*, material=58, ply=64))]
    fn balance(
        &self,
        #[pyo3(from_py_with = whole)] material: u32,
        #[pyo3(from_py_with = whole)] ply: u32,
    ) -> f64 {
        self.0.balance(Context { material, ply })
    }

    /// How much of the game lies between two evaluations in centipawns, in pawns: the whole scale
    /// of expected score is 2/ln 2 balances.
    #[pyo3(signature = (to, start, *, material=58, ply=64))]
    fn relevant_difference(
        &self,
        to: f64,
        start: f64,
        #[pyo3(from_py_with = whole)] material: u32,
        #[pyo3(from_py_with = whole)] ply: u32,
    ) -> f64 {
        self.0
            .relevant_difference(to / 100.0, start / 100.0, Context { material, ply })
    }

    /// Equal curves have the same hash in every process, so Python's random hash is not used.
    fn __hash__(&self) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        hash(
            &serde_json::to_value(self.0).map_err(value_error)?,
            &mut hasher,
        );
        Ok(hasher.finish())
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.Curve: {}>", self.0)
    }

    /// The name and the expected scores of some evaluations, for notebooks.
    fn _repr_html_(&self) -> String {
        let context = Context::default();
        let row = |cp: &f64| {
            vec![
                format!("{:+.2}", cp / 100.0),
                format!("{:.3}", self.0.at(cp / 100.0, context)),
            ]
        };
        let rows: Vec<Vec<String>> = SHOWN.iter().map(row).collect();
        let note = format!(
            "Half of the games are won at {:+.2}.",
            self.0.balance(context)
        );
        html::table(
            &self.0.to_string(),
            &["pawns", "expected score"],
            &rows,
            &note,
        )
    }
}

/// Number of evaluations between two checks for signals. They take some milliseconds at most.
const CHUNK: usize = 1 << 17;

/// From this number of evaluations on, most are equal to an earlier one, and a table of results is
/// faster.
const MANY: usize = 10_000;

/// The evaluations that a notebook shows, in centipawns.
const SHOWN: [f64; 6] = [0.0, 50.0, 100.0, 200.0, 300.0, 500.0];

/// Hashes a document. Equal numbers, such as 0 and −0, get the same hash.
fn hash(value: &serde_json::Value, hasher: &mut DefaultHasher) {
    use serde_json::Value;
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(truth) => truth.hash(hasher),
        Value::Number(number) => (number.as_f64().unwrap_or_default() + 0.0)
            .to_bits()
            .hash(hasher),
        Value::String(text) => text.hash(hasher),
        Value::Array(all) => all.iter().for_each(|own| hash(own, hasher)),
        Value::Object(all) => all.iter().for_each(|(name, own)| {
            name.hash(hasher);
            hash(own, hasher);
        }),
    }
}

fn checked(curve: Core) -> PyResult<Curve> {
    curve.check().map_err(value_error)?;
    Ok(Curve(curve))
}

/// The curve that a name or the path of a curve file stands for.
pub(crate) fn named(name: &str, balance: Option<f64>) -> PyResult<CurveChoice> {
    let choice = named_choice(
        name,
        balance.unwrap_or(Core::DEFAULT_BALANCE),
        &Cancel::new(),
    )
    .map_err(|error| {
        let unknown = if let NamedCurveError::Unknown(name) = &error {
            Some(&**name)
        } else {
            None
        };
        named_error(&error, unknown, value_error)
    })?;
    if let CurveChoice::Given(curve) = &choice {
        curve.check().map_err(value_error)?;
    }
    if balance.is_some() && !Core::leaves_balance_open(name) {
        return Err(value_error(format!(
            "a balance is for the curves {}; {name} has its own",
            Core::with_open_balance()
        )));
    }
    Ok(choice)
}

/// Reads an argument that is a `Curve`, a name, or the path of a curve file.
pub(crate) fn argument(curve: &Bound<'_, PyAny>) -> PyResult<CurveChoice> {
    if let Ok(curve) = curve.cast::<Curve>() {
        return Ok(curve.get().0.into());
    }
    named(&curve.str()?.to_cow()?, None)
}

/// Reads an argument that is a curve for evaluations without a game.
pub(crate) fn without_game(curve: &Bound<'_, PyAny>) -> PyResult<Core> {
    // Take the curve itself, because a choice of a curve does not keep the unit of a human curve.
    if let Ok(curve) = curve.cast::<Curve>() {
        return Ok(curve.get().0);
    }
    argument(curve)?
        .without_game()
        .ok_or_else(|| value_error("the curve auto is for games; name another one"))
}
