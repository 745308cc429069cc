//! `centipawn position`: one position's statistics, and indexes of all positions.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use centipawn_calibrate::position::PositionReportOptions;
use centipawn_core::{Eval, HumanCurve, White};
use centipawn_pgn::TimeControl;
use centipawn_printer as printer;
use centipawn_progress::{
    Placed,
    text::{plural, thousands},
};
use centipawn_review::FormEval;
use centipawn_work::{
    Inputs,
    position::{
        PositionError, PositionIndexOptions, PositionIndexResult, PositionRunOptions,
        position_index, position_statistics,
    },
};
use clap::{Args, Subcommand};

use crate::{
    args::{human_model, parse_time},
    exit::usage,
    pgn::ScanArgs,
    session::Session,
    terminal::columns,
};

/// Arguments of `centipawn position`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Position {
    #[command(subcommand)]
    command: Option<PositionCommand>,
    #[command(flatten)]
    question: Question,
}

/// `centipawn position …`.
#[derive(Subcommand)]
enum PositionCommand {
    /// Write an index of all positions of games, or merge indexes
    ///
    /// An index is a Parquet file, sorted by position. It answers `centipawn position` without
    /// reading the games again; DuckDB and other programs read it, too. GAMES may also be indexes,
    /// which are merged.
    #[command(after_help = "\
Examples:
  centipawn position index examples/selfplay.pgn.gz --out selfplay.parquet
  centipawn position index examples/opera-game.pgn --out opera.parquet
  centipawn position index selfplay.parquet opera.parquet --out all.parquet
  centipawn position startpos all.parquet")]
    Index(Index),
}

/// A question about one position.
#[derive(Args)]
struct Question {
    /// The position: a FEN or startpos, optionally followed by "moves e2e4 …"
    #[arg(value_name = "POSITION", required = true)]
    position: Option<String>,
    #[command(flatten)]
    scan: ScanArgs,
    /// Evaluation of the position, from White's side: in pawns (0.31, -1) or a mate (#3, #-2); by
    /// default the median of the evaluations in comments of the games
    #[arg(long, value_name = "EVAL", allow_hyphen_values = true)]
    eval: Option<FormEval>,
    /// Time control for which results are expected, in seconds (600+5), or in minutes if under 60
    /// (15+10) or under 180 with +10 or more (90+30); 90 minutes a player by default
    #[arg(long, value_name = "BASE+INCREMENT", value_parser = parse_time)]
    time: Option<TimeControl>,
    /// Human curve of the expected results: the built-in one, or a file that `wdl human` wrote
    #[arg(long, value_name = "human|FILE", default_value = "human")]
    curve: String,
    /// How many moves to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Arguments of `centipawn position index`.
#[derive(Args)]
struct Index {
    #[command(flatten)]
    scan: ScanArgs,
    /// The index to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Position, session: &Session) -> Result<ExitCode> {
    match &args.command {
        Some(PositionCommand::Index(args)) => index(args, session),
        None => ask(&args.question, session),
    }
}

fn ask(args: &Question, session: &Session) -> Result<ExitCode> {
    let report = PositionReportOptions {
        eval: args.eval.map(evaluation).transpose()?,
        curve: human_model(&args.curve, session.cancel()?)?,
        seconds: args
            .time
            .map_or(HumanCurve::STUDY_SECONDS, TimeControl::seconds),
    };
    report.check().map_err(|error| usage(error.to_string()))?;
    let options = PositionRunOptions {
        position: args.position.clone().unwrap_or_default(),
        shard: args.scan.shard,
        report,
    };
    let inputs = Inputs {
        games: &args.scan.games,
        partial: None,
        is_hashed: args.json,
    };
    let finished = position_statistics(&options, inputs, args.scan.run(session, session.cancel()?))
        .map_err(refusal)?;
    if let Some(result) = finished.result {
        session.answer(
            args.json,
            || result.json(),
            || printer::position(&result.document, args.top, columns()),
        )?;
    }
    Ok(session.status(finished.outcome))
}

fn index(args: &Index, session: &Session) -> Result<ExitCode> {
    let options = PositionIndexOptions {
        shard: args.scan.shard,
    };
    let run = args.scan.run(session, session.cancel()?);
    let PositionIndexResult {
        rows,
        games,
        outcome,
        kept,
        written,
        ..
    } = position_index(&args.scan.games, &args.out, &options, run)?;
    if let Some(path) = kept {
        session.report_kept(Placed::Kept(path));
    }
    if written {
        let (rows, games) = (thousands(rows), plural(games.counted, "game"));
        session.note(&format!("{}: {rows} rows of {games}", args.out.display()));
    }
    Ok(session.status_of_files(outcome))
}

fn evaluation(eval: FormEval) -> Result<Eval<White>> {
    match eval {
        FormEval::Mate { mate } => Ok(Eval::mate(mate)),
        FormEval::Pawns(pawns) if pawns.abs() <= 1000.0 => {
            Ok(Eval::cp((100.0 * pawns).round() as i32))
        }
        FormEval::Pawns(_) => Err(usage(
            "an evaluation is at most 1000 pawns; a mate is #3 or #-3",
        )),
    }
}

fn refusal(error: PositionError) -> anyhow::Error {
    match error {
        PositionError::Position(_) | PositionError::Chess960 => usage(error.to_string()),
        error => error.into(),
    }
}
