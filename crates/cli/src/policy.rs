//! `centipawn policy`: networks that predict human moves.

use std::{fmt::Write as _, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Result, anyhow};
use centipawn_policy::{
    Evaluation, Kernel, ListedNetwork, Network, NetworkDocument, NetworkList, Published, fetch, find_network,
    policy_folder,
};
use centipawn_progress::ProblemCount;
use centipawn_work::{AnswerPlace, NetworkAnswer, NetworkEvent, PolicyOptions, PositionInput, run_networks};
use clap::{Args, Subcommand};

use crate::{
    exit::usage,
    policies::{PolicyArgs, history_note, levelled, numbered, san},
    policy_fit::{self, FitRating},
    session::Session,
    text::{padded, printable, wrapped},
};

/// Columns of the terminal that are used.
const WIDTH: usize = 80;

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
    /// Reads a CSV file of Lichess puzzles (PuzzleId, FEN, Moves, Rating) and prints the model as JSON. A third of the
    /// puzzles, chosen by their names, is held out for measuring errors.
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
    /// Base URL; the file names are appended to it
    #[arg(long, value_name = "URL", env = "CENTIPAWN_POLICY_URL", default_value = Published::MAIA_BASE)]
    url: String,
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
    /// Positions (FEN or startpos, optionally followed by "moves e2e4 …"), files with one position on each line, or files of
    /// games; - is standard input
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
    let mut text = String::new();
    for ListedNetwork { name, rating, levels, here, .. } in &list.networks {
        let state = if *here { "here" } else { "can be fetched" };
        match (levels, rating) {
            (Some([from, to]), _) => writeln!(text, "{name:12} humans of {from} to {to} (Lichess)  in the program")?,
            (None, Some(rating)) => writeln!(text, "{name:12} humans of about {rating} (Lichess)   {state}")?,
            (None, None) => writeln!(text, "{:12} a file of yours                 here", printable(name))?,
        }
    }
    if let Some(folder) = list.folder {
        writeln!(text, "Networks are kept in {folder}.")?;
    }
    session.print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn run_fetch(args: &Fetch, session: &Session) -> Result<ExitCode> {
    let known = |name: &String| {
        Published::by_name(name)
            .ok_or_else(|| usage(format!("{name} is none of the published networks, maia-1100, maia-1200 … maia-1900")))
    };
    let networks = args.names.iter().map(known).collect::<Result<Vec<_>>>()?;
    let folder = policy_folder()
        .ok_or_else(|| anyhow!("cannot tell where to keep networks; set CENTIPAWN_POLICY_DIR to a folder of yours"))?;
    for published in networks {
        let fetched = fetch(published, &args.url, &folder, session.cancel()?)?;
        let how = if fetched.is_new { "fetched" } else { "was here already" };
        let (hash, path) = (&published.sha256[..12], fetched.path.display());
        session.print(&format!("{}: {how}, SHA-256 {hash}… as published; {path}\n", published.name))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &Show, session: &Session) -> Result<ExitCode> {
    for name in &args.networks {
        let file = if name == Network::BUNDLED { None } else { Some(find_network(name)?) };
        let document = NetworkDocument::new(&Network::find(name, Kernel::best())?, file.as_deref());
        let text = if args.json { format!("{}\n", serde_json::to_string(&document)?) } else { described(&document)? };
        session.print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn described(network: &NetworkDocument) -> Result<String> {
    let NetworkDocument { name, file, input, body, layers, width, heads, policy, .. } = network;
    let file = file.as_deref().unwrap_or("in the program");
    let mut text = format!("{name}\n  file      {file}\n  input     {input}\n");
    let of_heads = if *heads > 0 { format!(", {heads} heads") } else { String::new() };
    writeln!(text, "  body      {body}: {layers} × {width}{of_heads}\n  policy    {policy}")?;
    writeln!(text, "  value     {}", if network.wdl { "win, draw, loss" } else { "one number" })?;
    if network.moves_left {
        writeln!(text, "  length    says how long the game will last")?;
    }
    if let Some([first, last]) = network.levels {
        let mixed = match network.mixed_from.len() {
            0 => String::new(),
            count => format!(", mixed from {count} networks"),
        };
        writeln!(text, "  levels    {first} to {last}{mixed}")?;
    }
    if let Some(steps) = network.training_steps {
        writeln!(text, "  training  {steps} steps")?;
    }
    if let Some(license) = &network.license {
        let lines = wrapped(&printable(license), WIDTH - 12);
        writeln!(text, "  licence   {}", lines.join("\n            "))?;
    }
    writeln!(text, "  computed  with {}", network.kernel)?;
    Ok(text)
}

fn evaluate(args: &Run, session: &Session) -> Result<ExitCode> {
    let networks = args.policy.open()?;
    let options = PolicyOptions { levels: args.policy.levels(&networks, &[Network::DEFAULT_LEVEL], session) };
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let input = PositionInput::read(&args.inputs, &problems).map_err(|error| usage(error.to_string()))?;
    let (what, verb) = match input {
        PositionInput::Positions(_) => ("position", "evaluated"),
        PositionInput::Games(_) => ("game", "read"),
    };
    let outcome = run_networks(&input, &networks, &options, session.cancel()?, &problems, |event| {
        session.print(&match event {
            NetworkEvent::Game(_) if args.json => String::new(),
            NetworkEvent::Game(game) => {
                let players = ["White", "Black"].map(|tag| printable(game.headers.get(tag).unwrap_or("?")));
                format!("{} – {}\n", players[0], players[1])
            }
            NetworkEvent::Answer(answer) if args.json => format!("{}\n", serde_json::to_string(&answer.document())?),
            NetworkEvent::Answer(answer) => match answer.place {
                Some(place) => line(&answer, place),
                None => table(&answer, args.moves)?,
            },
        })
    })?;
    Ok(session.exit(outcome, what, verb))
}

fn line(answer: &NetworkAnswer<'_>, AnswerPlace { played, .. }: AnswerPlace) -> String {
    let likeliest = &answer.evaluation.moves[0];
    format!(
        "{} {:>5.1} %   {:16} {} {} {:.1} %\n",
        padded(&numbered(answer.history, played), 16),
        100.0 * answer.probability(played),
        levelled(answer.network.name(), answer.evaluation.level),
        if likeliest.mv == played { "as foretold," } else { "rather" },
        san(answer.history, likeliest.mv),
        100.0 * likeliest.probability,
    )
}

fn table(answer: &NetworkAnswer<'_>, moves: usize) -> Result<String> {
    let NetworkAnswer { history, network, evaluation, .. } = answer;
    let Evaluation { level, wdl, value, made_up, moves: all, .. } = evaluation;
    let mut text = format!("{}\n{}: ", history.fen(), levelled(network.name(), *level));
    match wdl {
        Some(wdl) => writeln!(
            text,
            "win {:.1} %, draw {:.1} %, loss {:.1} % for the side to move",
            100.0 * wdl.win,
            100.0 * wdl.draw,
            100.0 * wdl.loss
        )?,
        None => writeln!(text, "value {value:+.3} for the side to move")?,
    }
    for line in history_note(*made_up).iter().flat_map(|note| wrapped(note, WIDTH)) {
        writeln!(text, "{line}")?;
    }
    let shown = if moves == 0 { all.len() } else { moves.min(all.len()) };
    for mv in &all[..shown] {
        let bar = "█".repeat((40.0 * mv.probability).round() as usize);
        writeln!(text, "  {:9} {:5.1} %  {bar}", san(history, mv.mv), 100.0 * mv.probability)?;
    }
    if shown < all.len() {
        let rest: f64 = all[shown..].iter().map(|mv| mv.probability).sum();
        writeln!(text, "  {:9} {:5.1} %", format!("{} more", all.len() - shown), 100.0 * rest)?;
    }
    Ok(text)
}
