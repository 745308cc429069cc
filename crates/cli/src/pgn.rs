//! `centipawn pgn`: what is in files of games, what is wrong with them, and copies without it.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, Result};
use centipawn_pgn::{Problem, Report, ScanOptions, Shard, scan, write_game};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    args::{JobsArg, Shared},
    exit,
    games::{Games, Problems, plural, printable, sources},
    interrupt,
    output::{Output, refuse_collisions},
    progress::ScanProgress,
};

/// `centipawn pgn …`.
#[derive(Subcommand)]
pub(crate) enum Pgn {
    /// List what is wrong with games, and where
    #[command(after_help = "\
Examples:
  centipawn pgn check examples/*.pgn
  centipawn pgn check examples --json")]
    Check(Check),
    /// Write a copy of all games that can be read: UTF-8, one form, nothing else changed
    #[command(after_help = "\
Examples:
  centipawn pgn clean examples -o clean.pgn
  cat examples/*.pgn | centipawn pgn clean - > clean.pgn")]
    Clean(Clean),
}

/// Which games, and how they are gone through.
#[derive(Args)]
struct ScanArgs {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    jobs: JobsArg,
    /// Only the Ith of N equal parts, for several machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Stop at the first game or file that cannot be read
    #[arg(long)]
    strict: bool,
}

/// Arguments of `centipawn pgn check`.
#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    scan: ScanArgs,
    /// One JSON document a line for each problem
    #[arg(long)]
    json: bool,
}

/// Arguments of `centipawn pgn clean`.
#[derive(Args)]
pub(crate) struct Clean {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Runs the command.
pub(crate) fn run(pgn: &Pgn, shared: &Shared) -> Result<ExitCode> {
    match pgn {
        Pgn::Check(check) => run_check(check, shared),
        Pgn::Clean(clean) => run_clean(clean),
    }
}

impl ScanArgs {
    /// Goes through the games; `on_problem` hears of what cannot be read, in the order of the input.
    fn run<S: centipawn_pgn::Merge + Send>(
        &self,
        shared: &Shared,
        on_problem: &(dyn Fn(&Problem) + Sync),
        make_state: impl Fn() -> S + Sync,
        on_game: impl Fn(&mut S, &centipawn_pgn::GameView<'_>) + Sync,
    ) -> Result<(S, Report, u64)> {
        let stop = interrupt::flag()?;
        let progress = ScanProgress::new(shared.progress, shared.quiet);
        let problems = progress.problems();
        let sources = sources(&self.games, &problems);
        let on_progress = |scanned: &centipawn_pgn::Progress| progress.show(scanned);
        let on_problem = |problem: &Problem| progress.suspend(|| on_problem(problem));
        let options = ScanOptions {
            threads: self.jobs.given(),
            shard: self.shard,
            strict: self.strict,
            on_problem: Some(&on_problem),
            on_progress: Some(&on_progress),
            cancel: Some(stop),
            ..ScanOptions::default()
        };
        let result = scan(&sources, &options, make_state, on_game);
        progress.finish();
        let (state, report) = result?;
        Ok((state, report, problems.count()))
    }
}

fn run_check(check: &Check, shared: &Shared) -> Result<ExitCode> {
    let failed: Mutex<io::Result<()>> = Mutex::new(Ok(()));
    let tell = |problem: &Problem| {
        let line = if check.json { json_line(problem) } else { printable(&problem.to_string()) };
        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_ok() {
            *failed = writeln!(io::stdout(), "{line}");
        }
    };
    let ((), report, missing) = check.scan.run(shared, &tell, || (), |(), _| ())?;
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).context("cannot print")?;
    if !shared.quiet {
        let speed = report.text as f64 / 1e6 / report.elapsed.as_secs_f64().max(1e-9);
        anstream::eprintln!(
            "{} in order, {} not, of {} ({:.0} MB at {speed:.0} MB/s)",
            plural(report.games, "game"),
            report.bad_games(),
            plural(report.sources, "file"),
            report.text as f64 / 1e6,
        );
    }
    Ok(status(&report, missing))
}

/// The status of a scan: what was skipped, what could not be done, whether it was interrupted.
fn status(report: &Report, missing: u64) -> ExitCode {
    match (report.games, report.bad_games() + report.failed_sources + missing) {
        _ if report.cancelled => exit::INTERRUPTED.into(),
        (_, 0) => ExitCode::SUCCESS,
        (0, _) if report.sources == 0 => exit::FAILED.into(),
        _ => exit::SKIPPED.into(),
    }
}

fn json_line(problem: &Problem) -> String {
    match problem {
        Problem::Game { source_name, error } => json!({
            "source": source_name,
            "game": error.game,
            "line": error.line,
            "move": error.number.map(|number| number.to_string()),
            "text": error.text,
            "kind": error.kind.name(),
            "message": error.to_string(),
        }),
        Problem::Source(error) => json!({ "source": error.name, "message": error.to_string() }),
    }
    .to_string()
}

fn run_clean(clean: &Clean) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    let problems = Problems::new(|line| anstream::eprintln!("{line}"));
    let sources = sources(&clean.games, &problems);
    refuse_collisions(&[Path::new(&clean.output)], sources.paths())?;
    let mut out = Output::create(&clean.output)?;
    let mut count = 0;
    let games = Games::new(sources.paths().to_vec(), problems.clone());
    for game in games.take_while(|_| !stop.load(std::sync::atomic::Ordering::Relaxed)) {
        write_game(&mut out, &game).context("cannot write the games")?;
        count += 1;
    }
    if interrupt::interrupted() {
        // A copy is only of use when it is whole.
        return Ok(exit::INTERRUPTED.into());
    }
    if count > 0 {
        out.finish()?;
    }
    Ok(match (count, problems.count()) {
        (_, 0) => ExitCode::SUCCESS,
        (0, _) => exit::FAILED.into(),
        (_, skipped) => {
            anstream::eprintln!("{} written, {} left out, named above", plural(count, "game"), skipped);
            exit::SKIPPED.into()
        }
    })
}
