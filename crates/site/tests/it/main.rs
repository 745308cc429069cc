//! Tests of sites, reports and studies: one program, which is linked once.

mod markdown;
mod report;
mod reviews;
mod study;
