//! Piece values.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{Float64Array, StringArray, UInt64Array};
use centipawn_calibrate::{
    PlotForm,
    material::{
        Band, ComparisonDocument, Fit, Hypothesis, MaterialPlot, Method, ReportError, Target, Value,
    },
};
use centipawn_work::{
    Inputs, Run,
    remote::PartScan,
    scan::{
        CollectedRows, MaterialError, MaterialRequest, MaterialResult, MaterialRunOptions,
        material_rows as collect, rows_format,
    },
};
use numpy::PyArray2;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict},
};

use crate::{
    curve::without_game,
    drawing::Drawing,
    error::{FitError, PgnError, chain, file_error, value_chain, value_error, with_keywords},
    executor::part_tasks,
    html,
    json::{from_json, to_python},
    run::{Asked, run},
    table::{Columns, Table, matrix},
    wdl::save,
};

/// Quiet positions with their material balance, and the results of their games.
#[pyclass(frozen, module = "centipawn.material")]
pub(crate) struct Rows(Arc<CollectedRows>);

/// Parses the options of collecting rows, the number of threads, and whether to be strict.
fn collecting(
    options: &str,
    curve: Option<&Bound<'_, PyAny>>,
) -> PyResult<(MaterialRunOptions, Option<NonZeroUsize>, bool)> {
    let Asked::<MaterialRequest> {
        run: mut request,
        threads,
        strict,
    } = from_json(options)?;
    if let Some(curve) = curve {
        request.curve = Some(without_game(curve)?);
        request.target = Target::Search;
    }
    Ok((request.options().map_err(value_error)?, threads, strict))
}

/// The tasks of [`material_rows`] for an executor, one for each part of the games.
#[pyfunction]
pub(crate) fn material_tasks(
    games: Vec<PathBuf>,
    options: &str,
    curve: Option<&Bound<'_, PyAny>>,
    workers: usize,
) -> PyResult<Vec<Py<PyBytes>>> {
    let (options, threads, strict) = collecting(options, curve)?;
    part_tasks(
        &PartScan::Material(options),
        &games,
        (threads, strict),
        workers,
    )
}

/// Collects rows from games or from files of rows. `search` is whether expected scores are kept, by
/// this curve or by the curve of the dialect.
#[pyfunction]
pub(crate) fn material_rows(
    py: Python<'_>,
    games: Vec<PathBuf>,
    options: &str,
    curve: Option<&Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Rows> {
    let (own, threads, strict) = collecting(options, curve)?;
    // Report missing files first, as all functions of the package do.
    crate::scan::sources(&games)?;
    run(py, progress, move |cancel, watch| {
        let run = Run {
            threads,
            strict,
            ..Run::new(cancel, watch)
        };
        let rows = collect(&own, Inputs::new(&games), run)
            .map_err(|error| file_error(&error, PgnError::new_err))?;
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

    /// Writes the rows into a file. Its ending is .rows, .tsv or .csv.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut bytes = Vec::new();
            self.0
                .write(Method::Ordered, rows_format(&path), &mut bytes)
                .map_err(value_error)?;
            save(&path, &bytes)
        })
    }

    /// Fits values. The Python half makes the options.
    fn _fit(
        &self,
        py: Python<'_>,
        options: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<MaterialFit> {
        let mut request: MaterialRequest = from_json(options)?;
        request.features = self.0.features().map(Path::to_owned);
        let own = request.options().map_err(value_error)?;
        own.report.check().map_err(value_error)?;
        let rows = Arc::clone(&self.0);
        run(py, progress, move |cancel, watch| {
            let fitted = rows.fit(&own.report, Run::new(cancel, watch));
            fitted.map(MaterialFit).map_err(|error| match error {
                MaterialError::Report(ReportError::Test(error)) => value_chain(error),
                error => FitError::new_err(chain(&error)),
            })
        })
    }

    /// Fits values to the rows. The arguments are those of `centipawn.material.fit`, without the
    /// games.
    #[pyo3(signature = (**options), text_signature = "($self, *, terms=(), method=None, \
        first_move=None, target='result', resamples=None, folds=None, seed=0, tests=(), by=None, \
        width=None, top=10, progress=None)")]
    fn fit<'py>(
        slf: Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("centipawn.material")?
            .call_method("fit", (slf,), options)
    }

    fn __repr__(&self) -> String {
        format!(
            "<centipawn.material.Rows: {} rows of {} games>",
            self.__len__(),
            self.games()
        )
    }
}

/// Piece values, fitted to rows.
#[pyclass(frozen, module = "centipawn.material")]
pub(crate) struct MaterialFit(MaterialResult);

#[pymethods]
impl MaterialFit {
    /// A row for each piece or term: its value in hundredths of a pawn, its standard error by game,
    /// and its 95 % interval.
    #[getter]
    fn values(&self) -> PyResult<Table> {
        let values = self
            .0
            .report
            .fit
            .values()
            .map_err(|error| FitError::new_err(chain(&error)))?;
        let floats = |of: fn(&centipawn_calibrate::material::Value) -> f64| {
            Float64Array::from_iter_values(values.iter().map(of))
        };
        Columns::default()
            .full(
                "piece",
                StringArray::from_iter_values(values.iter().map(|value| value.feature.name())),
            )
            .full("centipawns", floats(|value| value.value))
            .full("error", floats(|value| value.error))
            .full("low", floats(|value| value.interval.0))
            .full("high", floats(|value| value.interval.1))
            .table()
    }

    /// The values of each band of `by`, with the columns of `values`. A band without a model has
    /// one row with the reason. `None` without `by`.
    #[getter]
    fn bands(&self) -> PyResult<Option<Table>> {
        let Some((_, bands)) = &self.0.report.bands else {
            return Ok(None);
        };
        let mut rows = BandRows::default();
        bands.bands.iter().for_each(|band| rows.add(band));
        rows.table().map(Some)
    }

    /// The names of the coefficients, in the order of `covariance` and of each of `draws`.
    #[getter]
    fn coefficients(&self) -> Vec<String> {
        self.0
            .report
            .fit
            .coefficients
            .iter()
            .map(|own| own.feature.name().to_owned())
            .collect()
    }

    /// The covariance matrix of the coefficients, in logits, clustered by game.
    #[getter]
    fn covariance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(
            py,
            &self
                .0
                .report
                .fit
                .covariance()
                .map(<[f64]>::to_vec)
                .collect::<Vec<_>>(),
        )
    }

    /// The coefficients of each resample in logits, one row for each; `None` without enough
    /// resamples.
    #[getter]
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let draws = self.0.report.fit.draws();
        (!draws.is_empty()).then(|| matrix(py, draws)).transpose()
    }

    /// For `pickle`.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().0).map_err(value_error)?;
        Ok((slf.get_type().getattr("_of_json")?.unbind(), (text,)))
    }

    /// Reads a fit from its JSON.
    #[staticmethod]
    fn _of_json(text: &str) -> PyResult<Self> {
        from_json(text).map(Self)
    }

    /// The values, for notebooks.
    fn _repr_html_(&self) -> String {
        let fit = &self.0.report.fit;
        let title = format!("Piece values: {} rows of {} games", fit.rows, fit.games);
        match fit.values() {
            Ok(values) => {
                let row = |own: &Value| {
                    html::estimate(
                        own.feature.name(),
                        own.value,
                        Some((own.error, own.interval)),
                        1,
                    )
                };
                html::table(
                    &title,
                    &html::ESTIMATE,
                    &values.iter().map(row).collect::<Vec<_>>(),
                    "In hundredths of a pawn.",
                )
            }
            Err(why) => html::table(&title, &[], &[], &why.to_string()),
        }
    }

    /// Tests a hypothesis about values, such as `N > 3P` or `B + N = R + 1.5P`.
    fn test<'py>(&self, py: Python<'py>, hypothesis: &str) -> PyResult<Bound<'py, PyAny>> {
        let hypothesis: Hypothesis = hypothesis.parse().map_err(value_chain)?;
        let tested = self.0.report.fit.test(&hypothesis).map_err(value_chain)?;
        py.import("centipawn.material")?
            .call_method1("_tested", (to_python(py, &tested)?,))
    }

    /// Tests hypotheses together, with Holm's correction for all of them. A hypothesis that occurs
    /// twice counts once.
    #[pyo3(signature = (*hypotheses))]
    fn tests<'py>(
        &self,
        py: Python<'py>,
        hypotheses: Vec<String>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let parsed = hypotheses
            .iter()
            .map(|text| text.parse::<Hypothesis>().map_err(value_chain));
        let all = self
            .0
            .report
            .fit
            .test_all(&parsed.collect::<PyResult<Vec<_>>>()?)
            .map_err(value_chain)?;
        let module = py.import("centipawn.material")?;
        all.iter()
            .map(|tested| module.call_method1("_tested", (to_python(py, tested)?,)))
            .collect()
    }

    /// The whole document, as `material --json` writes it.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.report.document(self.0.provenance.clone()))
    }

    /// The program, the options, and the inputs with their hashes.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.provenance)
    }

    /// A drawing of the values with their intervals.
    fn plot(&self) -> Drawing {
        Drawing(MaterialPlot::values(&[("all games", &self.0.report.fit)]).draw(PlotForm::Svg))
    }

    fn __repr__(&self) -> String {
        match self.0.report.fit.values() {
            Ok(values) => {
                let texts: Vec<String> = values
                    .iter()
                    .map(|own| format!("{} {:.0}", own.feature.name(), own.value))
                    .collect();
                format!("<centipawn.material.MaterialFit: {}>", texts.join(", "))
            }
            Err(_) => "<centipawn.material.MaterialFit: a pawn's value is not certain>".to_owned(),
        }
    }
}

/// The rows of the table of bands.
#[derive(Default)]
struct BandRows {
    bands: Vec<String>,
    games: Vec<u64>,
    pieces: Vec<Option<String>>,
    values: Vec<Option<Value>>,
    reasons: Vec<Option<String>>,
}

impl BandRows {
    fn add(&mut self, band: &Band) {
        let values = match &band.fit {
            Ok(fit) => fit.values().map_err(|why| why.to_string()),
            Err(why) => Err(with_keywords(&why.to_string())),
        };
        match values {
            Ok(values) => values
                .into_iter()
                .for_each(|value| self.push(band, Some(value), None)),
            Err(why) => self.push(band, None, Some(why)),
        }
    }

    fn push(&mut self, band: &Band, value: Option<Value>, reason: Option<String>) {
        self.bands.push(band.name.clone());
        self.games.push(band.games);
        self.pieces
            .push(value.map(|own| own.feature.name().to_owned()));
        self.values.push(value);
        self.reasons.push(reason);
    }

    fn table(self) -> PyResult<Table> {
        let floats = |of: fn(&Value) -> f64| {
            self.values
                .iter()
                .map(|own| own.as_ref().map(of))
                .collect::<Float64Array>()
        };
        Columns::default()
            .full("band", StringArray::from_iter_values(&self.bands))
            .full(
                "games",
                UInt64Array::from_iter_values(self.games.iter().copied()),
            )
            .nullable(
                "piece",
                self.pieces
                    .iter()
                    .map(Option::as_deref)
                    .collect::<StringArray>(),
            )
            .nullable("centipawns", floats(|own| own.value))
            .nullable("error", floats(|own| own.error))
            .nullable("low", floats(|own| own.interval.0))
            .nullable("high", floats(|own| own.interval.1))
            .nullable(
                "reason",
                self.reasons
                    .iter()
                    .map(Option::as_deref)
                    .collect::<StringArray>(),
            )
            .table()
    }
}

/// Values of several collections. The others are compared with the first.
#[pyclass(frozen, module = "centipawn.material")]
pub(crate) struct MaterialComparison {
    fits: Vec<(String, Fit)>,
    document: ComparisonDocument,
}

/// Compares the values of collections with those of the first.
#[pyfunction]
pub(crate) fn material_compare(
    fits: Vec<Py<MaterialFit>>,
    names: Vec<String>,
) -> PyResult<MaterialComparison> {
    if fits.len() < 2 || fits.len() != names.len() {
        return Err(value_error(
            "a comparison is of two collections or more, with a name for each",
        ));
    }
    let fits = names
        .into_iter()
        .zip(&fits)
        .map(|(name, fit)| (name, fit.get().0.report.fit.clone()));
    let fits: Vec<(String, Fit)> = fits.collect();
    Ok(MaterialComparison {
        document: ComparisonDocument::new(&fits, None),
        fits,
    })
}

#[pymethods]
impl MaterialComparison {
    /// Each value of another collection minus that of the first one, in hundredths of a pawn, one
    /// row for each. A collection whose pawn is too uncertain has no rows.
    fn table(&self) -> PyResult<Table> {
        let (mut names, mut pieces, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for own in &self.document.comparisons {
            for (feature, difference) in own.comparison.iter().flat_map(|own| &own.differences.0) {
                names.push(own.collection.as_str());
                pieces.push(feature.name().to_owned());
                numbers.push(*difference);
            }
        }
        let floats =
            |of: &dyn Fn(usize) -> f64| Float64Array::from_iter_values((0..numbers.len()).map(of));
        Columns::default()
            .full("collection", StringArray::from_iter_values(&names))
            .full("piece", StringArray::from_iter_values(&pieces))
            .full("difference", floats(&|row| numbers[row].difference))
            .full("error", floats(&|row| numbers[row].error))
            .full("low", floats(&|row| numbers[row].interval.0))
            .full("high", floats(&|row| numbers[row].interval.1))
            .full("z", floats(&|row| numbers[row].z))
            .table()
    }

    /// Tests whether all piece values are equal, one row for each other collection: chi square, its
    /// degrees of freedom, and the probability of a chi square that is at least this large if they
    /// are equal.
    fn equality(&self) -> PyResult<Table> {
        let all: Vec<_> = self
            .document
            .comparisons
            .iter()
            .filter_map(|own| Some((own.collection.as_str(), own.comparison.as_ref()?)))
            .collect();
        Columns::default()
            .full(
                "collection",
                StringArray::from_iter_values(all.iter().map(|own| own.0)),
            )
            .full(
                "chi_square",
                Float64Array::from_iter_values(all.iter().map(|own| own.1.chi_square)),
            )
            .full(
                "degrees_of_freedom",
                UInt64Array::from_iter_values(
                    all.iter().map(|own| own.1.degrees_of_freedom as u64),
                ),
            )
            .full(
                "p",
                Float64Array::from_iter_values(all.iter().map(|own| own.1.p)),
            )
            .table()
    }

    /// The differences, for notebooks.
    fn _repr_html_(&self) -> PyResult<String> {
        self.table()?._repr_html_()
    }

    /// The whole document, as `material --compare --json` prints it, without the provenance.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.document)
    }

    /// The values of all collections in one drawing.
    fn plot(&self) -> Drawing {
        let named: Vec<(&str, &Fit)> = self
            .fits
            .iter()
            .map(|(name, fit)| (name.as_str(), fit))
            .collect();
        Drawing(MaterialPlot::values(&named).draw(PlotForm::Svg))
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.fits.iter().map(|(name, _)| name.as_str()).collect();
        format!(
            "<centipawn.material.MaterialComparison: {}>",
            names.join(", ")
        )
    }
}
