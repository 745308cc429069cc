//! Drawings of data and models.

mod drawing;
mod html;
mod panels;
mod raster;

pub(crate) use panels::{BINS, Figure, FigureRow};
