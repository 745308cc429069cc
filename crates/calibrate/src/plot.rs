//! Drawings of data and models.

mod chart;
mod drawing;
mod html;
mod panels;
mod raster;

pub(crate) use chart::{Chart, Marker, Plot};
pub(crate) use panels::{BINS, Figure, FigureRow};
