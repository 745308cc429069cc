//! Tests of networks. They are one program, because linking several takes longer.

mod golden;
mod refused;
