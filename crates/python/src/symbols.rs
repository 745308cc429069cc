//! Symbols of moves.

use centipawn_core::Context;
use centipawn_review::{FormEval, SymbolsForm};
use pyo3::prelude::*;
use shakmaty::Color;

use crate::{
    curve::without_game,
    error::{value_chain, value_error, whole},
    json::to_python,
};

/// The whole document of a move's symbols, as `symbols --json` writes it.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the form's fields")]
pub(crate) fn symbols_of_move<'py>(
    py: Python<'py>,
    played: &str,
    best: &str,
    second: Option<&str>,
    white: bool,
    curve: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = whole)] material: u32,
    #[pyo3(from_py_with = whole)] ply: u32,
) -> PyResult<Bound<'py, PyAny>> {
    let eval = |text: &str| text.parse::<FormEval>().map_err(value_chain);
    let (played, best, second) = (eval(played)?, eval(best)?, second.map(eval).transpose()?);
    let side = if white { Color::White } else { Color::Black };
    let form = SymbolsForm::new(
        side,
        played,
        best,
        second,
        without_game(curve)?,
        Context { material, ply },
    );
    let form = form.map_err(|_| {
        value_error("second is better for the mover than best; all evaluations are White's")
    })?;
    to_python(py, &form.document())
}
