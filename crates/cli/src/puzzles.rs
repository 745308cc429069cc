//! `centipawn puzzles`: found in games, explained by themes, written in other forms, solved.

mod compare;
mod mine;
mod rate;
mod solve;
mod verify;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result};
use centipawn_engine::Analyst;
use centipawn_progress::{AtomicFile, Files, Outcome, ProblemCount};
use centipawn_puzzle::{Format, Puzzle, Writer};
use centipawn_work::{AnalystSpec, Resources, read_puzzles};
use clap::{Args, Subcommand};

use crate::{
    args::{EngineArgs, TablesArg},
    session::Session,
    text::plural,
};

/// `centipawn puzzles …`.
#[derive(Subcommand)]
pub(crate) enum Puzzles {
    /// Find puzzles in games
    #[command(after_help = "\
Examples:
  centipawn puzzles mine examples/evergreen-game.pgn --effort 0.1 --no-policy --explain
  centipawn puzzles mine examples/*.pgn --effort 0.02 --no-policy -o puzzles.pgn
  centipawn puzzles mine examples/*.pgn --rules classic --effort 0.001 -o puzzles.fen")]
    Mine(mine::Mine),
    /// Ask an engine whether each solution stands: no other move is as good
    #[command(after_help = "\
Examples:
  centipawn puzzles verify examples/puzzles.csv --nodes 50k
  centipawn puzzles verify examples/puzzles.csv --first 3 --nodes 50k --json")]
    Verify(verify::Verify),
    /// Say what puzzles are about: every theme that the moves tell
    #[command(after_help = "\
Examples:
  centipawn puzzles tag examples/puzzles.csv
  centipawn puzzles tag examples/puzzles.csv -o tagged.jsonl
  centipawn puzzles tag examples/puzzles.csv --compare")]
    Tag(Tag),
    /// Estimate how strong one must be to solve puzzles, on Lichess' scale, with an interval
    #[command(after_help = "\
Examples:
  centipawn puzzles rate examples/puzzles.csv --all --no-policy
  centipawn puzzles rate examples/puzzles.csv --no-policy -o rated.jsonl")]
    Rate(rate::Rate),
    /// Write puzzles in another form: Lichess' CSV, JSON lines, PGN
    #[command(after_help = "\
Examples:
  centipawn puzzles export examples/puzzles.csv -o puzzles.pgn
  centipawn puzzles export examples/puzzles.csv --format json
  centipawn puzzles export - --format csv < examples/puzzles.csv")]
    Export(Export),
    /// Solve puzzles on the terminal, by typing moves
    #[command(after_help = "\
Examples:
  centipawn puzzles solve examples/puzzles.csv
  centipawn puzzles solve examples/puzzles.csv --themes fork,pin --rating 1200..2000
  centipawn puzzles solve examples/puzzles.csv --shuffle --count 5")]
    Solve(solve::Solve),
}

/// Which puzzles, and where they go.
#[derive(Args)]
struct FilesArgs {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2); - is standard input
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// How puzzles are written: csv, json or pgn [default: as the output's name says, or else csv]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// Arguments of `centipawn puzzles tag`.
#[derive(Args)]
pub(crate) struct Tag {
    #[command(flatten)]
    files: FilesArgs,
    /// Write no puzzles but a table: how far the themes found agree with those that the puzzles had
    #[arg(long)]
    compare: bool,
}

/// Arguments of `centipawn puzzles export`.
#[derive(Args)]
pub(crate) struct Export {
    #[command(flatten)]
    files: FilesArgs,
}

/// Runs the command.
pub(crate) fn run(puzzles: &Puzzles, session: &Session) -> Result<ExitCode> {
    match puzzles {
        Puzzles::Mine(args) => mine::run(args, session),
        Puzzles::Verify(args) => verify::run(args, session),
        Puzzles::Rate(args) => rate::run(args, session),
        Puzzles::Tag(Tag { files, compare: true }) => compare::run(files, session),
        Puzzles::Tag(Tag { files, compare: false }) => write(files, session, "tagged", Puzzle::tag),
        Puzzles::Solve(args) => solve::run(args, session),
        Puzzles::Export(Export { files }) => write(files, session, "written", |_| ()),
    }
}

/// Who answers: tables where they are given, then what the store has to exactly the same question, then engines.
fn analyst(resources: &Resources, engine: &EngineArgs, tables: &TablesArg) -> Result<Arc<dyn Analyst>> {
    let spec = AnalystSpec {
        engine: Some(engine.spec()),
        tables: tables.syzygy.clone(),
        is_exact: true,
        ..AnalystSpec::default()
    };
    resources.analyst(&spec)?.context("puzzles need an engine")
}

/// Writes every puzzle after something was done to it.
fn write(
    files: &FilesArgs,
    session: &Session,
    done: &'static str,
    mut each: impl FnMut(&mut Puzzle),
) -> Result<ExitCode> {
    let mut out = Writer::new(files.create()?, files.format());
    let outcome = files.read(session, |mut puzzle| {
        each(&mut puzzle);
        out.write(&puzzle).context("cannot write the puzzles")
    })?;
    files.finish(out, outcome, session, done)
}

impl FilesArgs {
    fn format(&self) -> Format {
        let named = || Format::of_name(&self.output.to_string_lossy());
        self.format.or_else(named).unwrap_or(Format::Csv)
    }

    fn create(&self) -> Result<AtomicFile> {
        Ok(Files::reading(&self.puzzles).create(&self.output)?)
    }

    /// Shows every puzzle of all files. What cannot be read is reported and skipped; Ctrl-C ends it.
    fn read(&self, session: &Session, mut show: impl FnMut(Puzzle) -> Result<()>) -> Result<Outcome> {
        let cancel = session.cancel()?;
        let problems = ProblemCount::new(&**session.reporter());
        let mut done = 0;
        for puzzle in read_puzzles(&self.puzzles, None, &problems).take_while(|_| !cancel.is_set()) {
            done += 1;
            show(puzzle)?;
        }
        Ok(Outcome { done, skipped: problems.errors(), cancelled: cancel.is_set() })
    }

    /// Puts the puzzles in their place, unless none was read: then what an earlier run wrote stays.
    fn finish(&self, out: Writer<AtomicFile>, outcome: Outcome, session: &Session, done: &str) -> Result<ExitCode> {
        let out = out.finish().context("cannot write the puzzles")?;
        if outcome.done > 0 {
            session.place(out)?;
        }
        Ok(exit(outcome, session, done))
    }
}

/// The exit status, with a line that says how many puzzles were `done`.
fn exit(outcome: Outcome, session: &Session, done: &str) -> ExitCode {
    if outcome.is_whole() {
        session.note(&format!("{} {done}", plural(outcome.done, "puzzle")));
    }
    session.exit(outcome, "puzzle", done)
}
