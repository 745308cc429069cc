//! Drawings that a notebook shows.

use pyo3::prelude::*;

/// A drawing as SVG. Notebooks show it.
#[pyclass(frozen, module = "centipawn")]
pub(crate) struct Drawing(pub(crate) Vec<u8>);

#[pymethods]
impl Drawing {
    /// Creates a drawing from the text of an SVG file.
    #[new]
    fn new(svg: String) -> Self {
        Self(svg.into_bytes())
    }

    /// For `pickle`.
    fn __reduce__(slf: &Bound<'_, Self>) -> (Py<PyAny>, (String,)) {
        (slf.get_type().into_any().unbind(), (slf.get().svg(),))
    }

    /// The text of the drawing.
    #[getter]
    fn svg(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __repr__(&self) -> String {
        format!("<centipawn.Drawing: {} bytes of SVG>", self.0.len())
    }
}
