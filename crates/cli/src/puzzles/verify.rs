//! `centipawn puzzles verify`: whether the solutions of puzzles stand.

use std::{io::Write as _, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result};
use centipawn_progress::{Files, Input, ProblemCount};
use centipawn_puzzle::{Fault, FaultKind, ScoredMove, VerifyOptions};
use centipawn_work::{Threads, VerifiedPuzzle, VerifyResources, VerifySummary, read_puzzles, verify_puzzles};
use clap::Args;
use shakmaty::{Position as _, san::SanPlus};

use crate::{
    args::{CurveArgs, EngineArgs, TablesArg},
    exit,
    session::Session,
    store_arg::StoreArg,
    text::{plural, printable},
};

/// Arguments of `centipawn puzzles verify`.
#[derive(Args)]
pub(crate) struct Verify {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2); - is standard input
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Read only the first N of each file
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Print one JSON document per line
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

pub(super) fn run(args: &Verify, session: &Session) -> Result<ExitCode> {
    let options = VerifyOptions { limit: args.engine.limit(), curve: args.curve.curve()? };
    let stop = session.cancel()?.child();
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let opened = args.store.resources(&stop, Arc::<ProblemCount<_>>::clone(&problems))?;
    let mut files = Files::reading(&args.puzzles);
    args.store.protect(&mut files)?;
    let mut out = files.create(&args.output)?;
    let analyst = super::analyst(&opened, &args.engine, &args.tables)?;
    let inputs = if args.json { Input::of_all(&args.puzzles) } else { Vec::new() };
    let resources = VerifyResources { analyst: &*analyst, inputs: &inputs };
    let puzzles = read_puzzles(&args.puzzles, args.first, &problems);
    let mut written = Ok(());
    let each = |verified: &VerifiedPuzzle| {
        if written.is_ok() {
            written = line(verified, args.json)
                .and_then(|line| session.reporter().suspend(|| writeln!(out, "{line}").and_then(|()| out.flush())))
                .inspect_err(|_| stop.set());
        }
    };
    let (summary, mut outcome) =
        verify_puzzles(puzzles, &options, resources, &Threads::of(Some(&*analyst)), &stop, &problems, each);
    written.context("cannot write the result")?;
    outcome.skipped = problems.errors();
    if summary.puzzles > 0 {
        session.place(out)?;
    }
    session.note(&text(&summary));
    let status = session.exit(outcome, "puzzle", "verified");
    Ok(if outcome.is_whole() && summary.standing < summary.puzzles { exit::SKIPPED.into() } else { status })
}

fn line(verified: &VerifiedPuzzle, is_json: bool) -> std::io::Result<String> {
    if is_json { Ok(serde_json::to_string(&verified.document())?) } else { Ok(sentence(verified)) }
}

fn text(summary: &VerifySummary) -> String {
    let share = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    let VerifySummary { puzzles, standing, first_same, positions, standing_positions } = *summary;
    format!(
        "{standing} of {} stand ({:.1} %); {standing_positions} of {} of the solver ({:.1} %); the first move is the engine's in {:.1} %",
        plural(puzzles, "puzzle"),
        share(standing as f64, puzzles as f64),
        plural(positions as u64, "position"),
        share(standing_positions as f64, positions as f64),
        share(first_same as f64, puzzles as f64),
    )
}

/// A move with its number and expected score, such as `31... Qg1+ (0.98)`.
fn san(fault: &Fault, scored: &ScoredMove) -> String {
    let position = fault.history.position();
    let dots = position.turn().fold_wb(".", "...");
    let san = SanPlus::from_move(position.clone(), scored.mv);
    format!("{}{dots} {san} ({:.2})", position.fullmoves(), scored.expected)
}

fn sentence(VerifiedPuzzle { puzzle, verified, .. }: &VerifiedPuzzle) -> String {
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
