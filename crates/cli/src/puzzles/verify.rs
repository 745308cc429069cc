//! `centipawn puzzles verify`: does each solution stand?

use std::{io::Write as _, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result};
use centipawn_engine::{Analyst, AnalystError};
use centipawn_puzzle::{FaultKind, Puzzle, Rule, Verified, Verifier, ScoredMove};
use clap::Args;
use serde_json::json;
use shakmaty::{Position as _, san::SanPlus};

use super::{all, scale};
use crate::{
    args::{CurveArgs, EngineArgs, Shared},
    engine::{TablesArg, start_pool},
    exit,
    in_order::in_order,
    interrupt,
    kept::{self, StoreArg},
    output::{Output, refuse_collisions},
    progress::Progress,
    text::{plural, printable},
};

/// Arguments of `centipawn puzzles verify`.
#[derive(Args)]
pub(crate) struct Verify {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2); - is standard input
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Only the first so many of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// A JSON document a line
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    curve: CurveArgs,
}

/// What was found so far.
#[derive(Default)]
struct Sums {
    puzzles: u64,
    standing: u64,
    first_same: u64,
    positions: usize,
    standing_positions: usize,
}

pub(super) fn run(args: &Verify, shared: &Shared) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    let mut progress = Progress::new(shared.progress, shared.quiet);
    let problems = progress.problems();
    refuse_collisions(&[&args.output], &args.puzzles)?;
    let mut out = Output::create(&args.output)?;
    let store = args.store.open(&problems)?.map(Arc::new);
    let pool = match start_pool(&args.engine) {
        // Killed at its start: that is what was asked for.
        Err(_) if interrupt::interrupted() => return Ok(exit::INTERRUPTED.into()),
        pool => pool?,
    };
    let engine = pool.identity();
    let analyst = args.tables.before(kept::cached_exactly(pool, store, &problems))?;
    let scale = scale(&args.curve, &engine.name)?;
    let verifier = Verifier { scale, rule: Rule::default(), limit: args.engine.limit() };

    let (mut sums, mut written) = (Sums::default(), Ok(()));
    let work = |puzzle: Puzzle| match verifier.verify(&puzzle, &*analyst) {
        Ok(verified) => Some((puzzle, verified)),
        Err(AnalystError::Cancelled) => None,
        Err(error) => {
            problems.error(format_args!("puzzle {}: {error}", puzzle.id));
            None
        }
    };
    let puzzles = all(&args.puzzles, args.first, &problems);
    in_order(puzzles, analyst.parallelism(), stop, work, |(puzzle, verified)| {
        sums.add(&verified);
        progress.game(&puzzle.id);
        let line = if args.json { document(&puzzle, &verified) } else { text(&puzzle, &verified) };
        if written.is_ok() {
            written = progress.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()));
        }
    });
    progress.finish();
    written.context("cannot write the result")?;
    if sums.puzzles > 0 && interrupt::may_replace(&args.output) {
        out.finish()?;
    }
    if !shared.quiet {
        sums.tell();
    }
    if interrupt::interrupted() {
        anstream::eprintln!("interrupted; verified: {}", plural(sums.puzzles, "puzzle"));
        return Ok(exit::INTERRUPTED.into());
    }
    Ok(match (sums.puzzles, problems.count()) {
        (0, 1..) => exit::FAILED.into(),
        (puzzles, 0) if sums.standing == puzzles => ExitCode::SUCCESS,
        _ => exit::SKIPPED.into(),
    })
}

impl Sums {
    fn add(&mut self, verified: &Verified) {
        self.puzzles += 1;
        self.standing += u64::from(verified.fault.is_none());
        self.first_same += u64::from(verified.is_first_same);
        self.positions += verified.positions;
        self.standing_positions += verified.standing;
    }

    fn tell(&self) {
        let share = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
        anstream::eprintln!(
            "{} of {} stand ({:.1} %); {} of {} of the solver ({:.1} %); the first move is the engine's in {:.1} %",
            self.standing,
            plural(self.puzzles, "puzzle"),
            share(self.standing as f64, self.puzzles as f64),
            self.standing_positions,
            plural(self.positions as u64, "position"),
            share(self.standing_positions as f64, self.positions as f64),
            share(self.first_same as f64, self.puzzles as f64),
        );
    }
}

/// A move with its number and worth, such as `31... Qg1+ (0.98)`.
fn san(fault: &centipawn_puzzle::Fault, worth: &ScoredMove) -> String {
    let position = fault.history.position();
    let dots = position.turn().fold_wb(".", "...");
    let san = SanPlus::from_move(position.clone(), worth.mv);
    format!("{}{dots} {san} ({:.2})", position.fullmoves(), worth.expected)
}

fn text(puzzle: &Puzzle, verified: &Verified) -> String {
    let Some(fault) = &verified.fault else { return format!("{} stands", printable(&puzzle.id)) };
    let solution = san(fault, &fault.solution);
    let why = match &fault.kind {
        FaultKind::AsGood(other) => format!("{solution} is the solution, {} is as good", san(fault, other)),
        FaultKind::Better(other) => format!("{solution} is the solution, {} is better", san(fault, other)),
        FaultKind::NotAsGood(other) => format!("{} is called correct, {solution} is better", san(fault, other)),
        FaultKind::Misses => format!("{solution} is the best move, and not good enough"),
    };
    format!("{} fails: {why}; {}", printable(&puzzle.id), fault.history.fen())
}

fn document(puzzle: &Puzzle, verified: &Verified) -> String {
    let fault = verified.fault.as_ref().map(|fault| {
        let worth = |worth: &ScoredMove| json!({ "move": fault.history.uci(worth.mv).to_string(), "eval": worth.eval, "expected": worth.expected });
        let (why, other) = match &fault.kind {
            FaultKind::AsGood(other) => ("as good", Some(other)),
            FaultKind::Better(other) => ("better", Some(other)),
            FaultKind::NotAsGood(other) => ("not as good", Some(other)),
            FaultKind::Misses => ("misses", None),
        };
        json!({ "fen": fault.history.fen(), "solution": worth(&fault.solution), "why": why, "other": other.map(worth) })
    });
    let document = json!({
        "id": puzzle.id, "stands": verified.fault.is_none(), "positions": verified.positions,
        "standing_positions": verified.standing, "first_same": verified.is_first_same, "fault": fault,
    });
    document.to_string()
}
