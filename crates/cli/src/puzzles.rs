//! `centipawn puzzles`: found in games, explained by themes, written in other forms, solved.

mod compare;
mod mine;
mod rate;
mod solve;
mod verify;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, atomic::Ordering},
};

use anyhow::{Context as _, Result};
use centipawn_pgn::Source;
use centipawn_puzzle::{Format, Puzzle, ReadError, Reader, Scorer, Writer};
use clap::{Args, Subcommand};

use crate::{
    args::{CurveArgs, Shared},
    exit,
    games::Problems,
    interrupt,
    output::{Output, refuse_collisions},
    text::plural,
};

/// `centipawn puzzles …`.
#[derive(Subcommand)]
pub(crate) enum Puzzles {
    /// Find puzzles in games
    #[command(after_help = "\
Examples:
  centipawn puzzles mine examples/evergreen-game.pgn --scale 0.1 --no-policy --explain
  centipawn puzzles mine examples/*.pgn --scale 0.02 --no-policy -o puzzles.pgn
  centipawn puzzles mine examples/*.pgn --rules classic --scale 0.001 -o puzzles.fen")]
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
pub(crate) fn run(puzzles: &Puzzles, shared: &Shared) -> Result<ExitCode> {
    match puzzles {
        Puzzles::Mine(args) => mine::run(args, shared),
        Puzzles::Verify(args) => verify::run(args, shared),
        Puzzles::Rate(args) => rate::run(args, shared),
        Puzzles::Tag(Tag { files, compare: true }) => compare::run(files, shared),
        Puzzles::Tag(Tag { files, compare: false }) => write(files, shared, "tagged", Puzzle::tag),
        Puzzles::Solve(args) => solve::run(args, shared),
        Puzzles::Export(Export { files }) => write(files, shared, "written", |_| ()),
    }
}

/// Writes every puzzle after something was done to it.
fn write(files: &FilesArgs, shared: &Shared, done: &str, mut each: impl FnMut(&mut Puzzle)) -> Result<ExitCode> {
    let mut out = Writer::new(files.create()?, files.format());
    let count = files.read(|mut puzzle| {
        each(&mut puzzle);
        out.write(&puzzle).context("cannot write the puzzles")
    })?;
    let out = out.finish().context("cannot write the puzzles")?;
    // Nothing read: what an earlier run wrote stays.
    if count.read > 0 {
        out.finish()?;
    }
    Ok(count.status(shared, done))
}

/// What came of reading.
struct Count {
    read: u64,
    problems: u64,
}

impl FilesArgs {
    fn format(&self) -> Format {
        let named = || Format::of_name(&self.output.to_string_lossy());
        self.format.or_else(named).unwrap_or(Format::Csv)
    }

    fn create(&self) -> Result<Output> {
        refuse_collisions(&[&self.output], &self.puzzles)?;
        Output::create(&self.output)
    }

    /// Shows every puzzle of all files. What cannot be read is said and passed over; Ctrl-C ends it.
    fn read(&self, mut show: impl FnMut(Puzzle) -> Result<()>) -> Result<Count> {
        let stop = interrupt::flag()?;
        let problems = Problems::new(|line| anstream::eprintln!("{line}"));
        let mut read = 0;
        for puzzle in all(&self.puzzles, None, &problems) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            read += 1;
            show(puzzle)?;
        }
        Ok(Count { read, problems: problems.count() })
    }
}

/// The puzzles of all files, the first so many of each; what cannot be read is said and passed over.
fn all<'a>(
    files: &'a [PathBuf],
    first: Option<usize>,
    problems: &'a Arc<Problems>,
) -> impl Iterator<Item = Puzzle> + Send + 'a {
    files.iter().flat_map(move |path| {
        let good = move |puzzle: Result<Puzzle, ReadError>| match puzzle {
            Ok(puzzle) => Some(puzzle),
            // It names the file.
            Err(ReadError::Io(error)) => {
                problems.error(error);
                None
            }
            Err(error) => {
                problems.error(format_args!("{}: {error}", path.display()));
                None
            }
        };
        open(path, problems).into_iter().flatten().filter_map(good).take(first.unwrap_or(usize::MAX))
    })
}

/// How an engine's evaluations become expected scores: by the curve that was asked for, or as the engine has it.
fn scale(curve: &CurveArgs, engine: &str) -> Result<Scorer> {
    Ok(curve.curve()?.map_or_else(|| Scorer::of_engine(engine), Scorer::by))
}

/// The puzzles of a file; one that is none is said.
fn open(path: &Path, problems: &Arc<Problems>) -> Option<Reader<'static>> {
    let source = match Source::open(path) {
        Ok(source) => source,
        Err(error) => {
            problems.error(error);
            return None;
        }
    };
    let name = source.name().to_owned();
    Reader::new(source, None).map_err(|error| problems.error(format_args!("{name}: {error}"))).ok()
}

impl Count {
    /// Tells how it went, and the status to end with.
    fn status(&self, shared: &Shared, done: &str) -> ExitCode {
        if interrupt::interrupted() {
            anstream::eprintln!("interrupted; {done}: {}", plural(self.read, "puzzle"));
            return exit::INTERRUPTED.into();
        }
        match (self.read, self.problems) {
            (read, 0) => {
                if !shared.quiet {
                    anstream::eprintln!("{} {done}", plural(read, "puzzle"));
                }
                ExitCode::SUCCESS
            }
            (0, _) => exit::FAILED.into(),
            (read, problems) => {
                anstream::eprintln!("{} {done}; {}, named above", plural(read, "puzzle"), plural(problems, "problem"));
                exit::SKIPPED.into()
            }
        }
    }
}
