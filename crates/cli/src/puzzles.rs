//! `centipawn puzzles`: mining, verifying, tagging, rating, converting and solving puzzles.

mod compare;
mod mine;
mod mistakes;
mod rate;
mod solve;
mod verify;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result};
use centipawn_engine::Analyst;
use centipawn_progress::{AtomicFile, Cancel, Files, Outcome, ProblemCount};
use centipawn_puzzle::{Format, Puzzle, Writer};
use centipawn_review::Language;
use centipawn_site::AnkiDeck;
use centipawn_work::{AnalystSpec, Resources, engine::read_puzzles};
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
    /// Review games, and turn each mistake into a puzzle that asks for the better move
    #[command(after_help = "\
Examples:
  centipawn puzzles mistakes examples/opera-game.pgn --nodes 200k
  centipawn puzzles mistakes examples/*.pgn --player 'Morphy, Paul' --nodes 200k -o morphy.pgn
  centipawn puzzles mistakes reviewed.pgn --reuse-evals -o mistakes.csv")]
    Mistakes(mistakes::Mistakes),
    /// Check solutions with an engine: no other move may be as good
    #[command(after_help = "\
Examples:
  centipawn puzzles verify examples/puzzles.csv --nodes 50k
  centipawn puzzles verify examples/puzzles.csv --first 3 --nodes 50k --json
  centipawn puzzles verify examples/suite.epd --nodes 50k")]
    Verify(verify::Verify),
    /// Find the themes of puzzles from their moves
    #[command(after_help = "\
Examples:
  centipawn puzzles tag examples/puzzles.csv
  centipawn puzzles tag examples/puzzles.csv -o tagged.jsonl
  centipawn puzzles tag examples/puzzles.csv --compare")]
    Tag(Tag),
    /// Estimate the rating of puzzles on Lichess' scale, with an interval
    #[command(after_help = "\
Examples:
  centipawn puzzles rate examples/puzzles.csv --all
  centipawn puzzles rate examples/puzzles.csv --no-policy -o rated.jsonl")]
    Rate(rate::Rate),
    /// Convert puzzles to Lichess' CSV, JSON lines, PGN or a deck of Anki
    #[command(after_help = "\
Examples:
  centipawn puzzles export examples/puzzles.csv -o puzzles.pgn
  centipawn puzzles export examples/puzzles.csv --format json
  centipawn puzzles export - --format csv < examples/puzzles.csv
  centipawn puzzles export examples/puzzles.csv --anki Tactics -o tactics.txt")]
    Export(Export),
    /// Solve puzzles on the terminal, by typing moves
    #[command(after_help = "\
Examples:
  centipawn puzzles solve examples/puzzles.csv
  centipawn puzzles solve examples/puzzles.csv --themes fork,pin --rating 1200..2000
  centipawn puzzles solve examples/puzzles.csv --shuffle --count 5")]
    Solve(solve::Solve),
}

/// Input and output of puzzles.
#[derive(Args)]
struct FilesArgs {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2); - is standard input
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Format of the puzzles: csv, json or pgn [default: by the output's extension, otherwise csv]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

/// Arguments of `centipawn puzzles tag`.
#[derive(Args)]
pub(crate) struct Tag {
    #[command(flatten)]
    files: FilesArgs,
    /// Instead of puzzles, print a table that compares the themes found with the themes in the file
    #[arg(long)]
    compare: bool,
}

/// Arguments of `centipawn puzzles export`.
#[derive(Args)]
pub(crate) struct Export {
    #[command(flatten)]
    files: FilesArgs,
    /// Write notes for this deck of Anki, as a text file that Anki imports; a second import updates
    /// the notes
    #[arg(long, value_name = "DECK", conflicts_with = "format")]
    anki: Option<String>,
    /// Language of the notes: en (English) or de (German)
    #[arg(long, value_name = "LANGUAGE", default_value_t, requires = "anki")]
    language: Language,
}

/// Runs the command.
pub(crate) fn run(puzzles: &Puzzles, session: &Session) -> Result<ExitCode> {
    match puzzles {
        Puzzles::Mine(args) => mine::run(args, session),
        Puzzles::Mistakes(args) => mistakes::run(args, session),
        Puzzles::Verify(args) => verify::run(args, session),
        Puzzles::Rate(args) => rate::run(args, session),
        Puzzles::Tag(Tag {
            files,
            compare: true,
        }) => compare::run(files, session),
        Puzzles::Tag(Tag {
            files,
            compare: false,
        }) => write(files, session, "tagged", Puzzle::tag),
        Puzzles::Solve(args) => solve::run(args, session),
        Puzzles::Export(Export {
            files,
            anki: Some(deck),
            language,
        }) => write_anki(files, deck, *language, session),
        Puzzles::Export(Export { files, .. }) => write(files, session, "written", |_| ()),
    }
}

/// Returns the analyst: endgame tables if given, then the store, then engines.
fn analyst(
    resources: &Resources,
    engine: &EngineArgs,
    tables: &TablesArg,
) -> Result<Arc<dyn Analyst>> {
    let spec = AnalystSpec {
        engine: Some(engine.spec()),
        tables: tables.syzygy.clone(),
        ..AnalystSpec::default()
    };
    Ok(resources.some_analyst(&spec)?)
}

/// Writes every puzzle after applying `each`.
fn write(
    files: &FilesArgs,
    session: &Session,
    done: &'static str,
    mut each: impl FnMut(&mut Puzzle),
) -> Result<ExitCode> {
    let mut out = Writer::new(files.create(session.cancel()?)?, files.format());
    let outcome = files.read(session, |mut puzzle| {
        each(&mut puzzle);
        out.write(&puzzle).context("cannot write the puzzles")
    })?;
    files.finish(out, outcome, session, done)
}

/// Writes every puzzle as a note of a deck of Anki.
fn write_anki(
    files: &FilesArgs,
    deck: &str,
    language: Language,
    session: &Session,
) -> Result<ExitCode> {
    let mut out = AnkiDeck::new(files.create(session.cancel()?)?, deck, language)?;
    let outcome = files.read(session, |puzzle| {
        out.write(&puzzle).context("cannot write the notes")
    })?;
    if outcome.done > 0 {
        session.place(out.finish()?)?;
    }
    Ok(session.exit(outcome, "puzzle", "written"))
}

impl FilesArgs {
    fn format(&self) -> Format {
        let named = || Format::of_name(&self.output.to_string_lossy());
        self.format.or_else(named).unwrap_or(Format::Csv)
    }

    fn create(&self, cancel: &Cancel) -> Result<AtomicFile> {
        Ok(Files::reading(&self.puzzles).create(&self.output, cancel)?)
    }

    /// Calls `show` for every puzzle of all files. Unreadable puzzles and files are reported and
    /// skipped; Ctrl-C ends the loop.
    fn read(
        &self,
        session: &Session,
        mut show: impl FnMut(Puzzle) -> Result<()>,
    ) -> Result<Outcome> {
        let cancel = session.cancel()?;
        let problems = ProblemCount::new(&**session.reporter());
        let mut done = 0;
        for puzzle in
            read_puzzles(&self.puzzles, None, cancel, &problems).take_while(|_| !cancel.is_set())
        {
            done += 1;
            show(puzzle)?;
        }
        Ok(Outcome {
            done,
            skipped: problems.errors(),
            cancelled: cancel.is_set(),
        })
    }

    /// Puts the output in place. If no puzzle was read, the output of an earlier run stays.
    fn finish(
        &self,
        out: Writer<AtomicFile>,
        outcome: Outcome,
        session: &Session,
        done: &str,
    ) -> Result<ExitCode> {
        let out = out.finish().context("cannot write the puzzles")?;
        if outcome.done > 0 {
            session.place(out)?;
        }
        Ok(exit(outcome, session, done))
    }
}

/// Prints the number of puzzles and returns the exit status. `done` is a participle such as
/// "rated".
fn exit(outcome: Outcome, session: &Session, done: &str) -> ExitCode {
    if outcome.is_whole() {
        session.note(&format!("{} {done}", plural(outcome.done, "puzzle")));
    }
    session.exit(outcome, "puzzle", done)
}
