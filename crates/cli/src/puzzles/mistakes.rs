//! `centipawn puzzles mistakes`: mistakes as puzzles.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result};
use centipawn_core::SchemeChoice;
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Dialect, Sources};
use centipawn_progress::{Files, Problem, ProblemCount, Reporter as _};
use centipawn_puzzle::{Format, Writer};
use centipawn_work::{
    engine::{ReviewResources, Threads},
    library::mistakes_of_files,
};
use clap::Args;

use super::analyst;
use crate::{
    args::{AccountArgs, CurveArgs, EngineArgs, TablesArg, scheme},
    player,
    session::Session,
    store_arg::StoreArg,
    text::plural,
};

/// Arguments of `centipawn puzzles mistakes`.
#[derive(Args)]
pub(crate) struct Mistakes {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    account: AccountArgs,
    /// Use only mistakes of this player: the whole name as in the tags, in upper or lower case
    /// [default: both players]
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Format of the puzzles: csv, json or pgn [default: by the output's extension, otherwise csv]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Use the evaluations in the games; the engine searches only positions without one. In such
    /// games the better move is known only if an earlier review wrote it as a variation
    #[arg(long, help_heading = "Engine")]
    reuse_evals: bool,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(
        long,
        value_name = "DIALECT",
        default_value_t,
        requires = "reuse_evals",
        help_heading = "Engine"
    )]
    evals: Dialect,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes (see review): a mistake is a move with ?!, ? or ??
    /// [default: $CENTIPAWN_SCHEME, or auto,s40]
    #[arg(long, value_name = "SCHEME", help_heading = "Curve")]
    scheme: Option<SchemeChoice>,
}

pub(super) fn run(args: &Mistakes, session: &Session) -> Result<ExitCode> {
    let player = player::named(args.player.as_deref())?;
    let options = JudgeOptions {
        reuse_evals: args.reuse_evals.then_some(args.evals),
        curve: args.curve.noted_choice(session)?,
        scheme: scheme(args.scheme)?,
        ..JudgeOptions::new(args.engine.limit())
    };
    let cancel = session.cancel()?;
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let sources = Sources::expand_reporting(&args.account.apply(&args.games)?, &problems);
    let mut files = Files::reading(sources.paths());
    let opened = args
        .store
        .resources(cancel, Arc::<ProblemCount<_>>::clone(&problems))?;
    args.store.protect(&mut files)?;
    let format = args
        .format
        .or_else(|| Format::of_name(&args.output.to_string_lossy()))
        .unwrap_or(Format::Csv);
    let mut out = Writer::new(files.create(&args.output, session.cancel()?)?, format);
    let analyst = analyst(&opened, &args.engine, &args.tables)?;
    let resources = ReviewResources {
        analyst: &*analyst,
        networks: &[],
        store: opened.store()?,
    };
    let crew = Threads::of(Some(&*analyst));
    let end = mistakes_of_files(
        &sources,
        &options.into(),
        player,
        &resources,
        &crew,
        cancel,
        &problems,
        |puzzle| out.write(puzzle),
    )?;
    if let (Some(player), false) = (
        player,
        end.plays || end.outcome.cancelled || end.outcome.done == 0,
    ) {
        return Err(player::not_in_games(player));
    }
    if end.without_better > 0 {
        problems.problem(&Problem::warning(format_args!(
            "{} left out: no better move is known; review the games with the engine",
            plural(end.without_better, "mistake")
        )));
    }
    // If no game was reviewed, do not replace the output of an earlier run.
    if end.outcome.done > 0 {
        session.place(out.finish().context("cannot write the puzzles")?)?;
    }
    session.note(&format!(
        "{} in {}",
        plural(end.puzzles, "puzzle"),
        plural(end.outcome.done, "game")
    ));
    Ok(session.exit(end.outcome, "game", "reviewed"))
}
