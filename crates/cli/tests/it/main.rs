//! Tests of the whole program. They are one binary, so that the program is linked once.

mod accounts;
mod architecture;
mod balance;
#[cfg(unix)]
mod balance_engine;
mod batch;
mod book;
mod common;
#[cfg(unix)]
mod deploy;
mod ease;
mod engines;
mod export;
mod faces;
mod first_minute;
#[cfg(unix)]
mod fleet;
mod guides;
mod help;
mod hostile;
#[cfg(target_os = "linux")]
mod hostile_arguments;
#[cfg(target_os = "linux")]
mod hostile_outputs;
mod http;
mod inputs;
#[cfg(unix)]
mod interrupted_scans;
mod library;
mod library_file;
mod match_games;
mod material;
mod merge;
mod odd;
mod odds;
mod pgn;
mod policy;
mod position;
mod puzzles;
mod puzzles_mistakes;
mod puzzles_solve;
mod rating;

mod review;
mod review_ease;
mod review_faults;
mod review_ideas;
mod review_store;
#[cfg(unix)]
mod serve;
mod shown;
mod site;
#[cfg(unix)]
mod slow_machine;
mod study;
mod symbols;
mod uci;
mod uci_lichess;
mod wdl;
mod wdl_code;
mod wdl_compare;
mod wdl_golden;
mod wdl_human;
mod wdl_update;
mod wdl_warnings;
