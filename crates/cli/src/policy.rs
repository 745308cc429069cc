//! `centipawn policy`: networks that foretell which moves humans play.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Result, anyhow};
use centipawn_core::History;
use centipawn_policy::{Description, Evaluation, Network, Published, find_network, networks_in, policy_folder};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use shakmaty::{Move, san::SanPlus};

use crate::{
    args::Shared,
    exit::{self, usage},
    games::{Games, sources},
    interrupt,
    policies::{Inputs, PolicyArgs, history_note},
    policy_fetch::fetch,
    policy_fit::{self, FitRating},
    progress::Progress,
    text::{padded, plural, printable},
};

/// `centipawn policy …`.
#[derive(Subcommand)]
pub(crate) enum Policy {
    /// List the networks that are here, and those that can be fetched
    #[command(after_help = "\
Examples:
  centipawn policy list
  centipawn policy list --json")]
    List(List),
    /// Download published networks, checking that they are what was published
    #[command(after_help = "\
Examples:
  centipawn policy fetch maia-1500
  centipawn policy fetch maia-1100 maia-1500 maia-1900")]
    Fetch(Fetch),
    /// Say what a network is made of
    #[command(after_help = "\
Examples:
  centipawn policy show maia-1500
  centipawn policy show maia-1500 --json")]
    Show(Show),
    /// Give each move its probability, in positions or throughout games
    #[command(after_help = "\
Examples:
  centipawn policy run startpos
  centipawn policy run 'r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3'
  centipawn policy run 'startpos moves e2e4 e7e5 g1f3' --policy maia-1500 --json
  centipawn policy run examples/opera-game.pgn")]
    Run(Run),
    /// Fit the model that rates puzzles, and say how far off it is on puzzles kept back
    ///
    /// Reads a CSV of Lichess puzzles (PuzzleId, FEN, Moves, Rating) and prints the model as JSON. A third of the puzzles, chosen
    /// by their names, is kept back and only measured on.
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
    /// Where from: the address that the files' names are put behind
    #[arg(long, value_name = "URL", env = "CENTIPAWN_POLICY_URL", default_value = Published::MAIA_BASE)]
    url: String,
}

/// Arguments of `centipawn policy show`.
#[derive(Args)]
pub(crate) struct Show {
    /// Networks by name or file
    #[arg(required = true, value_name = "NAME|FILE")]
    networks: Vec<String>,
    /// Print one JSON document a line for each network
    #[arg(long)]
    json: bool,
}

/// Arguments of `centipawn policy run`.
#[derive(Args)]
pub(crate) struct Run {
    /// Positions (FEN, or startpos, each with "moves e2e4 …" behind it if you like) or files of games
    #[arg(required = true, value_name = "FEN|GAMES")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Moves to show of a position; 0 is all. JSON has all
    #[arg(long, value_name = "N", default_value_t = 10)]
    moves: usize,
    /// One JSON document a line for each position and network
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(policy: &Policy, shared: &Shared) -> Result<ExitCode> {
    match policy {
        Policy::List(args) => list(args),
        Policy::Fetch(args) => run_fetch(args),
        Policy::Show(args) => show(args),
        Policy::Run(args) => run_networks(args, shared),
        Policy::FitRating(args) => policy_fit::run(args, shared),
    }
}

fn list(args: &List) -> Result<ExitCode> {
    let folder = policy_folder();
    let here: Vec<String> = folder
        .iter()
        .flat_map(|folder| networks_in(folder))
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let name = name.strip_suffix(".gz").unwrap_or(&name);
            Some(name.strip_suffix(".pb").unwrap_or(name).to_owned())
        })
        .collect();
    let others: Vec<&String> = here.iter().filter(|name| Published::by_name(name).is_none()).collect();
    let is_here = |name: &str| here.iter().any(|other| other == name);
    let text = if args.json {
        let published = Published::MAIA.iter().map(|network| {
            json!({ "name": network.name, "rating": network.rating, "here": is_here(network.name), "sha256": network.sha256 })
        });
        let others = others.iter().map(|name| json!({ "name": name, "here": true }));
        let folder = folder.map(|folder| folder.display().to_string());
        format!("{:#}\n", json!({ "folder": folder, "networks": published.chain(others).collect::<Vec<_>>() }))
    } else {
        let mut text = String::new();
        for Published { name, rating, .. } in &Published::MAIA {
            let state = if is_here(name) { "here" } else { "can be fetched" };
            writeln!(text, "{name:12} humans of about {rating} (Lichess)   {state}")?;
        }
        for name in others {
            writeln!(text, "{:12} a file of yours                 here", printable(name))?;
        }
        if let Some(folder) = folder {
            writeln!(text, "Networks are kept in {}.", folder.display())?;
        }
        text
    };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn run_fetch(args: &Fetch) -> Result<ExitCode> {
    let known = |name: &String| {
        Published::by_name(name)
            .ok_or_else(|| usage(format!("{name} is none of the published networks, maia-1100, maia-1200 … maia-1900")))
    };
    let networks = args.names.iter().map(known).collect::<Result<Vec<_>>>()?;
    let folder = policy_folder()
        .ok_or_else(|| anyhow!("cannot tell where to keep networks; set CENTIPAWN_POLICY_DIR to a folder of yours"))?;
    for published in networks {
        let fetched = fetch(published, &args.url, &folder)?;
        let how = if fetched.is_new { "fetched" } else { "was here already" };
        writeln!(
            io::stdout(),
            "{}: {how}, SHA-256 {}… as published; {}",
            published.name,
            &published.sha256[..12],
            fetched.path.display()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &Show) -> Result<ExitCode> {
    for name in &args.networks {
        let path = find_network(name)?;
        let network = Network::open(&path)?;
        let Description { input, body, layers, width, heads, policy, .. } = network.description();
        let Description { has_wdl, has_moves_left, training_steps, license, .. } = network.description();
        let text = if args.json {
            let document = json!({
                "name": network.name(), "file": path.display().to_string(), "input": input.to_string(), "body": body,
                "layers": layers, "width": width, "heads": heads, "policy": policy, "wdl": has_wdl,
                "moves_left": has_moves_left, "training_steps": training_steps, "license": license,
                "kernel": network.kernel().name(),
            });
            format!("{document}\n")
        } else {
            let mut text = format!("{}\n  file      {}\n  input     {input}\n", network.name(), path.display());
            let of_heads = if *heads > 0 { format!(", {heads} heads") } else { String::new() };
            writeln!(text, "  body      {body}: {layers} × {width}{of_heads}\n  policy    {policy}")?;
            writeln!(text, "  value     {}", if *has_wdl { "win, draw, loss" } else { "one number" })?;
            if *has_moves_left {
                writeln!(text, "  length    says how long the game will last")?;
            }
            if let Some(steps) = training_steps {
                writeln!(text, "  training  {steps} steps")?;
            }
            if let Some(license) = license {
                writeln!(text, "  licence   {}", printable(license.lines().next().unwrap_or_default()))?;
            }
            writeln!(text, "  computed  with {}", network.kernel().name())?;
            text
        };
        anstream::stdout().write_all(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn run_networks(args: &Run, shared: &Shared) -> Result<ExitCode> {
    let inputs = Inputs::new(&args.inputs)?;
    let networks = args.policy.open()?;
    match inputs {
        Inputs::Positions(positions) => {
            let mut skipped = 0;
            for history in &positions {
                for network in &networks {
                    match network.evaluate(history) {
                        Ok(answer) if args.json => print(&format!("{}\n", document(network, history, &answer)))?,
                        Ok(answer) => print(&table(network, history, &answer, args.moves)?)?,
                        Err(error) => {
                            anstream::eprintln!("error: {error}");
                            skipped += 1;
                            break;
                        }
                    }
                }
            }
            Ok(match skipped {
                0 => ExitCode::SUCCESS,
                _ if skipped == positions.len() => exit::FAILED.into(),
                _ => exit::SKIPPED.into(),
            })
        }
        Inputs::Games(paths) => run_games(args, &paths, &networks, shared),
    }
}

fn run_games(args: &Run, paths: &[PathBuf], networks: &[Network], shared: &Shared) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    let problems = Progress::new(shared.progress, shared.quiet).problems();
    let games = Games::new(sources(paths, &problems).paths().to_vec(), std::sync::Arc::clone(&problems));
    let mut done = 0;
    for game in crate::games::read_ahead(games, stop) {
        let players = ["White", "Black"].map(|tag| printable(game.headers.get(tag).unwrap_or("?")));
        if !args.json {
            print(&format!("{} – {}\n", players[0], players[1]))?;
        }
        for (ply, (before, played)) in game.mainline().enumerate() {
            for network in networks {
                let answer = network.evaluate(&before)?;
                let probability = answer.moves.iter().find(|mv| mv.mv == played.mv).map_or(0.0, |mv| mv.probability);
                if args.json {
                    let mut line = document(network, &before, &answer);
                    line["game"] = json!(done + 1);
                    line["ply"] = json!(ply + 1);
                    line["played"] = json!(before.uci(played.mv).to_string());
                    print(&format!("{line}\n"))?;
                } else {
                    let likeliest = &answer.moves[0];
                    print(&format!(
                        "{} {:>5.1} %   {:10} {} {} %\n",
                        padded(&numbered(&before, played.mv), 16),
                        100.0 * probability,
                        network.name(),
                        if likeliest.mv == played.mv { "as foretold," } else { "rather" },
                        format_args!("{} {:.1}", san(&before, likeliest.mv), 100.0 * likeliest.probability),
                    ))?;
                }
            }
        }
        done += 1;
    }
    if interrupt::interrupted() {
        return Ok(exit::INTERRUPTED.into());
    }
    Ok(match (done, problems.count()) {
        (_, 0) => ExitCode::SUCCESS,
        (0, _) => exit::FAILED.into(),
        (_, count) => {
            anstream::eprintln!("{} read; {}, named above", plural(done, "game"), plural(count, "problem"));
            exit::SKIPPED.into()
        }
    })
}

fn print(text: &str) -> Result<()> {
    Ok(anstream::stdout().write_all(text.as_bytes())?)
}

/// A move as players write it.
pub(crate) fn san(history: &History, mv: Move) -> String {
    SanPlus::from_move(history.position().clone(), mv).to_string()
}

/// The same with its number.
pub(crate) fn numbered(history: &History, mv: Move) -> String {
    use shakmaty::Position as _;
    let dots = history.turn().fold_wb(".", "...");
    format!("{}{dots} {}", history.position().fullmoves(), san(history, mv))
}

fn document(network: &Network, history: &History, answer: &Evaluation) -> Value {
    let moves: Vec<Value> = answer
        .moves
        .iter()
        .map(|mv| json!({ "uci": history.uci(mv.mv).to_string(), "san": san(history, mv.mv), "p": mv.probability, "logit": mv.logit }))
        .collect();
    let wdl = answer.wdl.map(|wdl| json!([wdl.win, wdl.draw, wdl.loss]));
    json!({
        "fen": history.fen(), "policy": network.name(), "value": answer.value, "wdl": wdl,
        "moves_left": answer.moves_left, "history_made_up": answer.made_up, "moves": moves,
    })
}

fn table(network: &Network, history: &History, answer: &Evaluation, moves: usize) -> Result<String> {
    let mut text = format!("{}\n{}: ", history.fen(), network.name());
    match answer.wdl {
        Some(wdl) => writeln!(
            text,
            "win {:.1} %, draw {:.1} %, loss {:.1} % for the side to move",
            100.0 * wdl.win,
            100.0 * wdl.draw,
            100.0 * wdl.loss
        )?,
        None => writeln!(text, "value {:+.3} for the side to move", answer.value)?,
    }
    if let Some(note) = history_note(answer.made_up) {
        writeln!(text, "note: {note}")?;
    }
    let shown = if moves == 0 { answer.moves.len() } else { moves.min(answer.moves.len()) };
    for mv in &answer.moves[..shown] {
        let bar = "█".repeat((40.0 * mv.probability).round() as usize);
        writeln!(text, "  {:9} {:5.1} %  {bar}", san(history, mv.mv), 100.0 * mv.probability)?;
    }
    if shown < answer.moves.len() {
        let rest: f64 = answer.moves[shown..].iter().map(|mv| mv.probability).sum();
        writeln!(text, "  {:9} {:5.1} %", format!("{} more", answer.moves.len() - shown), 100.0 * rest)?;
    }
    Ok(text)
}
