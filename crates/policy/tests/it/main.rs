//! Tests of networks: one program, which is linked once.

mod golden;
mod refused;
