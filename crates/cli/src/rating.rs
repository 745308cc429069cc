//! `centipawn rating`: how strong players are, by their moves.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_pgn::Sources;
use centipawn_printer as printer;
use centipawn_progress::ProblemCount;
use centipawn_work::{
    Finished, Run,
    engine::{PlayRatingOptions, rate_play},
};
use clap::Args;

use crate::{
    args::{AccountArgs, JobsArg},
    player,
    session::Session,
};

/// Arguments of `centipawn rating`.
#[derive(Args)]
pub(crate) struct Rating {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    account: AccountArgs,
    /// Estimate only the rating of this player: the whole name as in the tags, in upper or lower
    /// case [default: all players]
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    #[command(flatten)]
    jobs: JobsArg,
    /// Print one JSON document, with each game of each player
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Rating, session: &Session) -> Result<ExitCode> {
    let player = player::named(args.player.as_deref())?.map(str::to_owned);
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let sources = Sources::expand_reporting(&args.account.apply(&args.games)?, &problems);
    let options = PlayRatingOptions {
        player,
        by_game: args.json,
    };
    let run = Run {
        threads: args.jobs.given(),
        ..Run::new(session.cancel()?, session.reporter())
    };
    let Finished { result, outcome } = rate_play(&sources, &options, run, &problems)?;
    if let Some(player) = options
        .player
        .filter(|_| outcome.done == 0 && !outcome.cancelled && outcome.skipped == 0)
    {
        return Err(player::not_in_games(&player));
    }
    if let Some(document) = result.filter(|_| outcome.done > 0) {
        let json = || serde_json::to_string_pretty(&document).map(|text| text + "\n");
        session.print(&if args.json {
            json()?
        } else {
            printer::play_ratings(&document)
        })?;
    }
    Ok(session.exit(outcome, "game", "rated"))
}
