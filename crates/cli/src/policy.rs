//! `centipawn policy`: networks that predict human moves.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Result, anyhow};
use centipawn_policy::{
    Kernel, Network, NetworkDocument, NetworkList, Published, fetch, find_network, policy_folder,
};
use centipawn_printer as printer;
use centipawn_progress::ProblemCount;
use centipawn_work::engine::{NetworkEvent, PolicyOptions, PositionInput, run_networks};
use clap::{Args, Subcommand};

use crate::{
    args::environment,
    exit::usage,
    policies::PolicyArgs,
    policy_fit::{self, FitRating},
    session::Session,
};

/// `centipawn policy …`.
#[derive(Subcommand)]
pub(crate) enum Policy {
    /// List installed networks, and networks that can be fetched
    #[command(after_help = "\
Examples:
  centipawn policy list
  centipawn policy list --json")]
    List(List),
    /// Download published networks and check their hashes
    #[command(after_help = "\
Examples:
  centipawn policy fetch maia-1500
  centipawn policy fetch maia-1100 maia-1500 maia-1900")]
    Fetch(Fetch),
    /// Show the structure of networks
    #[command(after_help = "\
Examples:
  centipawn policy show maia-1500
  centipawn policy show maia-1500 --json")]
    Show(Show),
    /// Print the probability of each move, in positions or throughout games
    #[command(after_help = "\
Examples:
  centipawn policy run startpos
  centipawn policy run 'r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3'
  centipawn policy run 'startpos moves e2e4 e7e5 g1f3' --level 1100..1900 --json
  centipawn policy run examples/opera-game.pgn")]
    Run(Run),
    /// Fit the model that rates puzzles, and report its errors on held-out puzzles
    ///
    /// Reads a CSV file of Lichess puzzles (PuzzleId, FEN, Moves, Rating) and prints the model as
    /// JSON. A third of the puzzles, chosen by their ids, is held out for measuring errors.
    FitRating(FitRating),
}

/// Arguments of `centipawn policy list`.
#[derive(Args)]
pub(crate) struct List {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Arguments of `centipawn policy fetch`.
#[derive(Args)]
pub(crate) struct Fetch {
    /// Networks by name: maia-1100, maia-1200 … maia-1900
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Base URL; the file names are appended to it [default: $CENTIPAWN_POLICY_URL, or
    /// https://github.com/CSSLab/maia-chess/releases/download/v1.0]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

/// Arguments of `centipawn policy show`.
#[derive(Args)]
pub(crate) struct Show {
    /// Networks by name or file
    #[arg(required = true, value_name = "NAME|FILE")]
    networks: Vec<String>,
    /// Print one JSON document per line, for each network
    #[arg(long)]
    json: bool,
}

/// Arguments of `centipawn policy run`.
#[derive(Args)]
pub(crate) struct Run {
    /// Positions (FEN or startpos, optionally followed by "moves e2e4 …"), files with one position
    /// on each line, or files of games; - is standard input
    #[arg(required = true, value_name = "FEN|FILE")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Number of moves to show per position; 0 for all. JSON always has all
    #[arg(long, value_name = "N", default_value_t = 10)]
    moves: usize,
    /// Print one JSON document per line, for each position, network and level
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(policy: &Policy, session: &Session) -> Result<ExitCode> {
    match policy {
        Policy::List(args) => list(args, session),
        Policy::Fetch(args) => run_fetch(args, session),
        Policy::Show(args) => show(args, session),
        Policy::Run(args) => evaluate(args, session),
        Policy::FitRating(args) => policy_fit::run(args, session),
    }
}

fn list(args: &List, session: &Session) -> Result<ExitCode> {
    let list = NetworkList::of(policy_folder().as_deref());
    if args.json {
        session.print(&format!("{}\n", serde_json::to_string_pretty(&list)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    session.print(&printer::networks(&list))?;
    Ok(ExitCode::SUCCESS)
}

fn run_fetch(args: &Fetch, session: &Session) -> Result<ExitCode> {
    let known = |name: &String| {
        Published::by_name(name).ok_or_else(|| {
            usage(format!(
                "{name} is not a published network: maia-1100, maia-1200 … maia-1900"
            ))
        })
    };
    let networks = args.names.iter().map(known).collect::<Result<Vec<_>>>()?;
    let folder = policy_folder().ok_or_else(|| {
        anyhow!("no folder for networks is known; set CENTIPAWN_POLICY_DIR to a folder")
    })?;
    let url = args
        .url
        .clone()
        .or_else(|| environment("CENTIPAWN_POLICY_URL"));
    let url = url.unwrap_or_else(|| Published::MAIA_BASE.to_owned());
    for published in networks {
        let fetched = fetch(published, &url, &folder, session.cancel()?)?;
        let how = if fetched.is_new {
            "fetched"
        } else {
            "was here already"
        };
        let (hash, path) = (&published.sha256[..12], fetched.path.display());
        session.print(&format!(
            "{}: {how}, SHA-256 {hash}… as published; {path}\n",
            published.name
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &Show, session: &Session) -> Result<ExitCode> {
    for name in &args.networks {
        let file = if name == Network::BUNDLED {
            None
        } else {
            Some(find_network(name)?)
        };
        let document = NetworkDocument::new(&Network::find(name, Kernel::best())?, file.as_deref());
        let text = if args.json {
            format!("{}\n", serde_json::to_string(&document)?)
        } else {
            printer::network(&document)
        };
        session.print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn evaluate(args: &Run, session: &Session) -> Result<ExitCode> {
    let networks = args.policy.open()?;
    let options = PolicyOptions {
        levels: args
            .policy
            .levels(&networks, &[Network::DEFAULT_LEVEL], session),
    };
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let input = PositionInput::read(&args.inputs, session.cancel()?, &problems)
        .map_err(|error| usage(error.to_string()))?;
    let (what, verb) = match input {
        PositionInput::Positions(_) => ("position", "evaluated"),
        PositionInput::Games(_) => ("game", "read"),
    };
    let outcome = run_networks(
        &input,
        &networks,
        &options,
        session.cancel()?,
        &problems,
        |event| {
            session.print(&match event {
                NetworkEvent::Game(_) if args.json => String::new(),
                NetworkEvent::Game(game) => printer::players(game) + "\n",
                NetworkEvent::Answer(answer) if args.json => {
                    format!("{}\n", serde_json::to_string(&answer.document())?)
                }
                NetworkEvent::Answer(answer) => printer::network_answer(&answer, args.moves),
            })
        },
    )?;
    Ok(session.exit(outcome, what, verb))
}
