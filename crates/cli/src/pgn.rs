//! `centipawn pgn`: what is in files of games, what is wrong with them, and copies without it.

use std::{
    cmp::Reverse,
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context as _, Result};
use centipawn_pgn::{Dialect, Problem, Report, Results, ScanOptions, Shard, Sources, Stats, check, clean};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    args::{JobsArg, Shared},
    exit,
    games::{Problems, sources},
    interrupt,
    output::{Output, refuse_collisions},
    progress::ScanProgress,
    text::{padded, plural, printable},
};

/// `centipawn pgn …`.
#[derive(Subcommand)]
pub(crate) enum Pgn {
    /// Count games, results, players, events, openings, evaluations, errors
    #[command(after_help = "\
Examples:
  centipawn pgn stats examples
  centipawn pgn stats examples/*.pgn --json")]
    Stats(StatsArgs),
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
pub(crate) struct ScanArgs {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    pub(crate) games: Vec<PathBuf>,
    #[command(flatten)]
    jobs: JobsArg,
    /// Only the Ith of N equal parts, for several machines
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Stop at the first game or file that cannot be read
    #[arg(long)]
    strict: bool,
}

/// Arguments of `centipawn pgn stats`.
#[derive(Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    scan: ScanArgs,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
    /// How evaluations are written, where auto does not find out
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
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
        Pgn::Stats(args) => run_stats(args, shared),
        Pgn::Check(args) => run_check(args, shared),
        Pgn::Clean(args) => run_clean(args),
    }
}

impl ScanArgs {
    /// Has `scan` go through `games`, which are all or some of those named; `on_problem` hears of what cannot be read, in the order of the input. Gives its result
    /// and how many arguments named nothing.
    pub(crate) fn run<R>(
        &self,
        shared: &Shared,
        games: &[PathBuf],
        dialect: Dialect,
        on_problem: &(dyn Fn(&Problem) + Sync),
        scan: impl FnOnce(&Sources, &ScanOptions<'_>) -> Result<R, Problem>,
    ) -> Result<(R, u64)> {
        let stop = interrupt::flag()?;
        let progress = ScanProgress::new(shared.progress, shared.quiet);
        let problems = progress.problems();
        let sources = sources(games, &problems);
        let on_progress = |scanned: &centipawn_pgn::Progress| progress.show(scanned);
        let on_problem = |problem: &Problem| progress.suspend(|| on_problem(problem));
        let options = ScanOptions {
            threads: self.jobs.given(),
            dialect,
            shard: self.shard,
            strict: self.strict,
            on_problem: Some(&on_problem),
            on_progress: Some(&on_progress),
            cancel: Some(stop),
            ..ScanOptions::default()
        };
        let result = scan(&sources, &options);
        progress.finish();
        Ok((result?, problems.count()))
    }
}

fn run_stats(args: &StatsArgs, shared: &Shared) -> Result<ExitCode> {
    // They are counted by kind; `check` lists them.
    let unheard = |problem: &Problem| {
        if let Problem::Source(error) = problem {
            anstream::eprintln!("error: {error}");
        }
    };
    let ((stats, report), missing) = args.scan.run(shared, &args.scan.games, args.evals, &unheard, Stats::of)?;
    let text = if args.json { stats_json(&stats, &report) } else { stats_text(&stats, &report) };
    io::stdout().write_all(text.as_bytes()).context("cannot print")?;
    Ok(status(&report, missing))
}

fn stats_json(stats: &Stats, report: &Report) -> String {
    let Results { white, draw, black, unknown } = stats.results;
    let document = json!({
        "files": report.sources,
        "bytes": report.text,
        "games": report.games,
        "plies": report.plies,
        "bad_games": report.bad_games(),
        "errors": report.errors,
        "results": { "white": white, "draw": draw, "black": black, "unknown": unknown },
        "other_starts": stats.other_starts,
        "commented_plies": stats.commented,
        "evaluated_plies": stats.evals,
        "dialects": stats.dialects,
        "players": stats.players,
        "events": stats.events,
        "eco": stats.eco,
    });
    format!("{document:#}\n")
}

/// So many names of a kind are shown; JSON has all.
const NAMES_SHOWN: usize = 10;

fn stats_text(stats: &Stats, report: &Report) -> String {
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let mut rows =
        vec![("Files".to_owned(), report.sources, String::new()), ("Games".to_owned(), report.games, String::new())];
    let Results { white, draw, black, unknown } = stats.results;
    for (name, count) in [("1-0", white), ("1/2-1/2", draw), ("0-1", black), ("no result", unknown)] {
        rows.push((format!("  {name}"), count, format!("{:.1} %", percent(count, report.games))));
    }
    rows.push(("Other start positions".to_owned(), stats.other_starts, String::new()));
    rows.push(("Plies".to_owned(), report.plies, String::new()));
    for (name, count) in [("with a comment", stats.commented), ("with an evaluation", stats.evals)] {
        rows.push((format!("  {name}"), count, format!("{:.1} %", percent(count, report.plies))));
    }
    rows.push(("Games that cannot be read".to_owned(), report.bad_games(), String::new()));
    rows.extend(report.errors.iter().map(|(kind, count)| (format!("  {kind}"), *count, String::new())));
    let kinds = [
        ("Games by dialect of evaluations", &stats.dialects),
        ("Players", &stats.players),
        ("Events", &stats.events),
        ("Openings (ECO)", &stats.eco),
    ];
    for (title, names) in kinds.into_iter().filter(|(_, names)| !names.is_empty()) {
        rows.push((title.to_owned(), names.len() as u64, String::new()));
        let mut most: Vec<_> = names.iter().collect();
        most.sort_by_key(|(name, count)| (Reverse(**count), *name));
        for (name, count) in most.iter().take(NAMES_SHOWN) {
            let name = if *name == Dialect::Auto.name() { "none found" } else { name };
            rows.push((format!("  {name}"), **count, String::new()));
        }
        if most.len() > NAMES_SHOWN {
            let rest = most[NAMES_SHOWN..].iter().map(|(_, count)| **count).sum();
            rows.push((format!("  {} others", most.len() - NAMES_SHOWN), rest, String::new()));
        }
    }
    let line = |(name, count, note): &(String, u64, String)| {
        format!("{}{count:>14}{note:>10}", padded(name, 48)).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn run_check(args: &Check, shared: &Shared) -> Result<ExitCode> {
    let failed: Mutex<io::Result<()>> = Mutex::new(Ok(()));
    let tell = |problem: &Problem| {
        let line = if args.json { json_line(problem) } else { printable(&problem.to_string()) };
        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_ok() {
            *failed = writeln!(io::stdout(), "{line}");
        }
    };
    let (report, missing) = args.scan.run(shared, &args.scan.games, Dialect::Auto, &tell, check)?;
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

fn run_clean(args: &Clean) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    let problems = Problems::new(|line| anstream::eprintln!("{line}"));
    let sources = sources(&args.games, &problems);
    refuse_collisions(&[&args.output], sources.paths())?;
    let mut out = UntilStopped { out: Output::create(&args.output)?, stop };
    let missing = problems.count();
    // Games left out, and parts of others that had to become comments.
    let report = clean(&sources, &mut out, |problem| anstream::eprintln!("{}", printable(&problem.to_string())));
    if interrupt::interrupted() {
        // A copy is only of use when it is whole.
        return Ok(exit::INTERRUPTED.into());
    }
    let report = report.context("cannot write the games")?;
    if report.games > 0 {
        out.out.finish()?;
    }
    if report.bad_games() > 0 {
        anstream::eprintln!("{} written, {} left out", plural(report.games, "game"), report.bad_games());
    }
    Ok(status(&report, missing))
}

/// Fails once the user has interrupted, which ends whoever writes.
struct UntilStopped {
    out: Output,
    stop: &'static AtomicBool,
}

impl io::Write for UntilStopped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("interrupted"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
