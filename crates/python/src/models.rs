//! Win/draw/loss models by name or from files, and comparisons of models.

use std::sync::Arc;

use arrow_array::StringArray;
use centipawn_calibrate::{
    PlotForm,
    wdl::{CompareError, ModelError, NamedModel, Predictor, Units, UnitsError},
};
use centipawn_core::Curve as CoreCurve;
use centipawn_printer as printer;
use centipawn_work::{
    Run,
    scan::{ComparedModel, ComparedModels, WdlCompareOptions, compare},
};
use numpy::PyArray2;
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyDict};

use crate::{
    curve::Curve,
    drawing::Drawing,
    error::{FitError, causes, named_error, value_chain, value_error, with_wdl_keywords},
    json::{from_json, to_python},
    predict::{Numbers, Rows, predict},
    run::run,
    table::{Columns, Table, matrix},
    wdl::{Counts, Fit},
};

/// A model by name or from a file.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Model(NamedModel);

/// Loads a model by its name or from a file.
#[pyfunction]
pub(crate) fn wdl_load(name: &str) -> PyResult<Model> {
    NamedModel::load(name)
        .map(Model)
        .map_err(|error| model_error(&error))
}

fn model_error(error: &ModelError) -> PyErr {
    let unknown = if let ModelError::Unknown { name } = error {
        Some(&**name)
    } else {
        None
    };
    named_error(error, unknown, value_error)
}

/// The units that an argument names.
pub(crate) fn named_units(text: &str) -> PyResult<Units> {
    Units::load(text).map_err(|error| match error {
        UnitsError::Model(error) => model_error(&error),
        error => value_chain(error),
    })
}

#[pymethods]
impl Model {
    /// Predicts results, a row for each evaluation in centipawns. There are errors if the model
    /// comes from a fit that has them.
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
        let fitted = self.0.fit.as_deref().and_then(Predictor::of_document);
        let predictor = fitted.unwrap_or_else(|| Predictor::new(self.0.model, &[]));
        predict(
            py,
            &predictor,
            Rows::new(&evals, mates.as_ref(), [materials.as_ref(), plies.as_ref()])?,
            progress,
        )
    }

    /// The covariance matrix of the coefficients `as`, then `bs`; `None` unless the model comes
    /// from a fit that has it.
    #[getter]
    fn covariance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let errors = self.0.fit.as_ref().and_then(|fit| fit.errors.as_ref());
        errors
            .filter(|own| !own.covariance.is_empty())
            .map(|own| matrix(py, &own.covariance))
            .transpose()
    }

    /// The coefficients of each resample, one row for each; `None` unless the model comes from a
    /// fit that has them.
    #[getter]
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let errors = self.0.fit.as_ref().and_then(|fit| fit.errors.as_ref());
        errors
            .filter(|own| !own.draws.is_empty())
            .map(|own| matrix(py, &own.draws))
            .transpose()
    }

    /// For `pickle`.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().0).map_err(value_error)?;
        Ok((slf.get_type().getattr("_of_json")?.unbind(), (text,)))
    }

    /// Reads a model from its JSON.
    #[staticmethod]
    fn _of_json(text: &str) -> PyResult<Self> {
        from_json(text).map(Self)
    }

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

    /// The document of the fit that it comes from; `None` if only the constants are known.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0
            .fit
            .as_ref()
            .map(|fit| to_python(py, fit))
            .transpose()
    }

    /// The program, options and inputs of the fit; `None` if they are unknown.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let provenance = self.0.provenance.as_deref();
        provenance
            .map(|provenance| to_python(py, provenance))
            .transpose()
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.wdl.Model: {}>", self.0.name)
    }
}

/// A comparison of models.
#[pyclass(frozen, module = "centipawn.wdl")]
pub(crate) struct Comparison(ComparedModels);

/// Compares models with the first one. Each is a [`Model`] or a [`Fit`].
#[pyfunction]
pub(crate) fn wdl_compare(
    py: Python<'_>,
    models: Vec<Bound<'_, PyAny>>,
    names: Vec<String>,
    on: Option<&Counts>,
    options: &str,
    units: Option<&str>,
) -> PyResult<Comparison> {
    if models.len() < 2 {
        return Err(value_error("a comparison is of two models or more"));
    }
    if models.len() != names.len() {
        return Err(value_error(format!(
            "names has {} for {} models; name each",
            names.len(),
            models.len()
        )));
    }
    let mut options: WdlCompareOptions = from_json(options)?;
    options.units = units.map(named_units).transpose()?;
    options.models.clone_from(&names);
    let models: Vec<AnyModel> = models.iter().map(AnyModel::of).collect::<PyResult<_>>()?;
    let on = on.map(|on| Arc::clone(&on.0));
    run(py, None, move |cancel, watch| {
        let compared = models.iter().zip(&names).map(|(model, name)| match model {
            AnyModel::Known(model) => ComparedModel::Known {
                name,
                model: &model.get().0,
                counts: None,
            },
            AnyModel::Fitted(fit) => {
                let Fit { fitted, counted } = fit.get();
                ComparedModel::Fitted {
                    name,
                    model: fitted,
                    counts: counted,
                }
            }
        });
        let compared: Vec<ComparedModel<'_>> = compared.collect();
        let compared = compare(&compared, on.as_deref(), &options, Run::new(cancel, watch));
        compared.map(Comparison).map_err(|error| match error {
            CompareError::Units { centipawns, internal } => value_error(format!(
                "the constants of {centipawns} are in centipawns, those of {internal} in the engine's internal units: fit both \
                 with the same units"
            )),
            error => FitError::new_err(with_wdl_keywords(&causes(&error))),
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
    /// Each other model minus the first: differences with their standard errors.
    fn table(&self) -> PyResult<Table> {
        use arrow_array::Float64Array;
        let all = &self.0.comparison.differences;
        let floats = |of: &dyn Fn(&centipawn_calibrate::wdl::ModelDifference) -> Option<f64>| {
            all.iter().map(of).collect::<Float64Array>()
        };
        Columns::default()
            .full(
                "model",
                StringArray::from_iter_values(all.iter().map(|own| &own.name)),
            )
            .nullable(
                "pawn",
                floats(&|own| Some(own.normalize_to_pawn_value.value)),
            )
            .nullable(
                "pawn_error",
                floats(&|own| own.normalize_to_pawn_value.error),
            )
            .nullable("spread", floats(&|own| Some(own.spread.value)))
            .nullable("spread_error", floats(&|own| own.spread.error))
            .nullable("draw_rate", floats(&|own| Some(own.draw_rate.value)))
            .nullable("draw_rate_error", floats(&|own| own.draw_rate.error))
            .nullable(
                "log_loss",
                floats(&|own| own.log_loss.map(|loss| loss.value)),
            )
            .nullable(
                "log_loss_error",
                floats(&|own| own.log_loss.and_then(|loss| loss.error)),
            )
            .table()
    }

    /// A sentence for each model that is compared with the first.
    #[getter]
    fn verdicts(&self) -> Vec<String> {
        self.0
            .comparison
            .verdicts()
            .map(|verdict| with_wdl_keywords(&verdict))
            .collect()
    }

    /// The comparison as text.
    #[getter]
    fn text(&self) -> String {
        with_wdl_keywords(&printer::model_comparison(&self.0.comparison))
    }

    /// The whole document, as `wdl compare --json` writes it.
    #[getter]
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.comparison)
    }

    /// The program, options and inputs.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let provenance = self.0.comparison.provenance.as_ref();
        to_python(
            py,
            provenance.ok_or_else(|| PyRuntimeError::new_err("a comparison has its provenance"))?,
        )
    }

    /// The curves of the models in one drawing.
    fn plot(&self) -> Drawing {
        Drawing(self.0.plot.draw(PlotForm::Svg))
    }

    fn __repr__(&self) -> String {
        self.verdicts().join("\n")
    }

    /// The differences, for notebooks.
    fn _repr_html_(&self) -> PyResult<String> {
        self.table()?._repr_html_()
    }
}
