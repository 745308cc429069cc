//! Tests of curves, symbols and ease: one program, which is linked once.

mod ease;
mod readme;
mod refused_curves;
mod relevance;
