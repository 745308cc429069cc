//! Tests of the server through its interface. They are one program, because linking several takes
//! longer.

mod common;
mod described;
mod jobs;
mod labels;
mod serve;
mod strangers;
