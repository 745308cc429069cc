//! `centipawn odds`: win, draw and loss of two named players, and games at material odds.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_core::{PlayerPair, Pool};
use centipawn_pgn::TimeControl;
use centipawn_printer as printer;
use centipawn_progress::ProblemCount;
use centipawn_review::{FormEval, OddsForm};
use centipawn_work::{
    AnalystSpec, ResourceError,
    engine::{OddsAtlasOptions, odds_atlas, odds_atlas_json},
};
use clap::{Args, Subcommand};

use crate::{
    args::{EngineArgs, human_model, parse_time, reading},
    exit::usage,
    policies::parse_players,
    session::Session,
    store_arg::StoreArg,
};

/// Arguments of `centipawn odds`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Odds {
    #[command(subcommand)]
    command: Option<OddsCommand>,
    #[command(flatten)]
    question: OddsQuestion,
}

/// `centipawn odds …`.
#[derive(Subcommand)]
enum OddsCommand {
    /// From games at material odds: the evaluation at which people of each rating score one half
    ///
    /// GAMES begin from positions (tag FEN) in which one player has more material. An engine
    /// evaluates each start position, and the score of the players with more material is fitted by
    /// this evaluation and by their rating.
    #[command(after_help = "\
Examples:
  centipawn odds atlas examples/odds.pgn --nodes 20k
  centipawn odds atlas examples/odds.pgn --giver leela --nodes 20k --json")]
    Atlas(Atlas),
}

/// Arguments of `centipawn odds atlas`.
#[derive(Args)]
struct Atlas {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns, web addresses, accounts (lichess:NAME,
    /// chesscom:NAME); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Only games in which the name of the player who gives odds contains NAME
    #[arg(long, value_name = "NAME")]
    giver: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    store: StoreArg,
}

/// A question about one position.
#[derive(Args)]
struct OddsQuestion {
    /// Evaluation of the position, from White's side: in pawns (0.31, -1) or a mate (#3, #-2)
    #[arg(value_name = "EVAL", allow_hyphen_values = true, required = true)]
    eval: Option<FormEval>,
    /// Ratings of White and Black (or one rating for both)
    #[arg(long, value_name = "WHITE,BLACK", value_parser = parse_players, required = true)]
    players: Option<[u32; 2]>,
    /// Time control of the game in seconds (600+5), or in minutes if under 60 (15+10) or under 180
    /// with +10 or more (90+30)
    #[arg(long, value_name = "BASE+INCREMENT", value_parser = parse_time, required = true)]
    time: Option<TimeControl>,
    /// Time left on the clocks of White and Black, in seconds (45,30) or as a clock shows it
    /// (0:45,1:10:00)
    #[arg(long, value_name = "WHITE,BLACK", value_parser = parse_clocks)]
    clocks: Option<[f64; 2]>,
    /// Site or federation of the ratings: lichess, chesscom, fide, fide-online, fics, unknown
    #[arg(long, value_name = "NAME", default_value_t)]
    pool: Pool,
    /// Human curve: the built-in one, or a file that `wdl human` wrote
    #[arg(long, value_name = "human|FILE", default_value = "human")]
    curve: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Odds, session: &Session) -> Result<ExitCode> {
    match &args.command {
        Some(OddsCommand::Atlas(args)) => atlas(args, session),
        None => ask(&args.question, session).map(|()| ExitCode::SUCCESS),
    }
}

fn atlas(args: &Atlas, session: &Session) -> Result<ExitCode> {
    let mut files = reading(&args.games);
    args.store.protect(&mut files)?;
    let cancel = session.cancel()?;
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let resources = args
        .store
        .resources(cancel, Arc::<ProblemCount<_>>::clone(&problems))?;
    let spec = AnalystSpec {
        engine: Some(args.engine.spec()),
        ..AnalystSpec::default()
    };
    let analyst = resources.analyst(&spec)?.ok_or(ResourceError::NoAnalyst)?;
    let usual = OddsAtlasOptions::default();
    let options = OddsAtlasOptions {
        limit: args.engine.given_limit().unwrap_or(usual.limit),
        giver: args.giver.clone(),
    };
    let finished = odds_atlas(&options, &args.games, &*analyst, cancel, &*problems)?;
    if let Some(atlas) = &finished.result {
        session.answer(
            args.json,
            || odds_atlas_json(atlas),
            || printer::odds_atlas(atlas),
        )?;
    }
    Ok(session.status(finished.outcome))
}

fn ask(args: &OddsQuestion, session: &Session) -> Result<()> {
    // clap requires all three, unless there is a subcommand.
    let (Some(eval), Some(ratings), Some(time)) = (args.eval, args.players, args.time) else {
        return Err(usage("an evaluation, --players and --time are needed"));
    };
    let model = human_model(&args.curve, session.cancel()?)?;
    let players = PlayerPair {
        ratings: ratings.map(f64::from),
        seconds: time.seconds(),
        clocks: args.clocks,
        pool: args.pool,
    };
    let form = OddsForm::new(eval, players, model).map_err(|error| usage(error.to_string()))?;
    if let Some(warning) = form.warning() {
        session.note(&warning);
    }
    session.print(&if args.json {
        serde_json::to_string_pretty(&form.document())? + "\n"
    } else {
        printer::odds(&eval.to_string(), &players, &form.odds())
    })
}

/// Parses the clocks of both players in seconds: `45,30` or `0:45,1:10:00`.
fn parse_clocks(text: &str) -> Result<[f64; 2], String> {
    let clocks: Vec<Option<f64>> = text.split(',').map(seconds).collect();
    match clocks[..] {
        [Some(white), Some(black)] => Ok([white, black]),
        _ => Err("clocks are two times, such as 45,30 or 0:45,1:10:00".to_owned()),
    }
}

fn seconds(text: &str) -> Option<f64> {
    let parts: Option<Vec<f64>> = text
        .trim()
        .split(':')
        .map(|part| part.parse().ok())
        .collect();
    let parts = parts.filter(|parts| parts.len() <= 3)?;
    let all = parts.iter().fold(0.0, |sum, part| 60.0 * sum + part);
    (parts.iter().all(|part| *part >= 0.0) && all <= 1e6).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_as_people_write_them() {
        assert_eq!(parse_clocks("45,30"), Ok([45.0, 30.0]));
        assert_eq!(parse_clocks("0:45, 1:10:00"), Ok([45.0, 4200.0]));
        assert_eq!(parse_clocks("7.5,0"), Ok([7.5, 0.0]));
        for wrong in ["45", "1,2,3", "-1,5", "a,b", "1:2:3:4,5", "nan,1", "inf,1"] {
            assert!(parse_clocks(wrong).is_err(), "{wrong}");
        }
    }
}
