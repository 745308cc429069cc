//! Drawings, which a notebook shows.

use pyo3::prelude::*;

/// A drawing as SVG; a notebook shows it.
#[pyclass(frozen, module = "centipawn")]
pub(crate) struct Drawing(pub(crate) Vec<u8>);

#[pymethods]
impl Drawing {
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
