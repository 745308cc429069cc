//! Plots of data and models.

mod chart;
mod drawing;
mod figure;
mod html;
mod panels;
mod raster;

use std::path::Path;

use centipawn_progress::Provenance;
pub(crate) use chart::{Chart, Marker, Plot};
pub(crate) use figure::{BINS, Figure, FigureRow};

/// The file format of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlotForm {
    /// A vector drawing in SVG.
    Svg,
    /// A bitmap in PNG.
    Png,
    /// An HTML page that shows the numbers under the mouse pointer; only for
    /// [`wdl::Plots`](crate::wdl::Plots) and [`CurvePlot`](crate::CurvePlot).
    Html,
}

/// The extension of a file name is not that of a plot format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: plots are {forms}")]
pub struct UnknownPlotForm {
    file: String,
    forms: &'static str,
}

impl PlotForm {
    /// Returns the format of a file by its extension. [`Html`](Self::Html) is accepted only if
    /// `has_pages`.
    ///
    /// # Errors
    ///
    /// [`UnknownPlotForm`], which lists the valid extensions.
    ///
    /// ```
    /// use centipawn_calibrate::PlotForm;
    ///
    /// assert_eq!(PlotForm::of("a/plot.SVG".as_ref(), false), Ok(PlotForm::Svg));
    /// assert_eq!(PlotForm::of("plot.gif".as_ref(), true).unwrap_err().to_string(), "plot.gif: plots are .svg, .png or .html");
    /// ```
    pub fn of(path: &Path, has_pages: bool) -> Result<Self, UnknownPlotForm> {
        match path
            .extension()
            .and_then(|extension| extension.to_str())
            .map(str::to_lowercase)
            .as_deref()
        {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            Some("html" | "htm") if has_pages => Ok(Self::Html),
            _ => {
                let forms = if has_pages {
                    ".svg, .png or .html"
                } else {
                    ".svg or .png"
                };
                Err(UnknownPlotForm {
                    file: path.display().to_string(),
                    forms,
                })
            }
        }
    }
}

/// Returns the first `most` characters of a name, in plain ASCII, because the font of the plots has
/// no others.
pub(crate) fn ascii(name: &str, most: usize) -> String {
    name.chars()
        .map(|char| {
            if char.is_ascii_graphic() || char == ' ' {
                char
            } else {
                '?'
            }
        })
        .take(most)
        .collect()
}

/// Returns the last characters of a name that is longer than `most`, because the end of a path
/// distinguishes it.
pub(crate) fn ending(name: &str, most: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= most {
        return name.to_owned();
    }
    format!(
        "..{}",
        chars[chars.len() + 2 - most..].iter().collect::<String>()
    )
}

impl Figure {
    /// Returns the bytes of the file in this format.
    pub(crate) fn draw(&self, form: PlotForm, provenance: Option<&Provenance>) -> Vec<u8> {
        match form {
            PlotForm::Svg => self.drawing().svg().into_bytes(),
            PlotForm::Png => raster::png(&self.drawing()),
            PlotForm::Html => html::page(self, provenance).into_bytes(),
        }
    }
}
