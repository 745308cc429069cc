//! `centipawn engines`: which engines are here, who they are, how fast.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use centipawn_core::History;
use centipawn_engine::{Engine, EngineConfig, Limit, Question, find, uci::OptionKind};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::{self, usage};

/// What is looked for where none is named.
const KNOWN: [&str; 11] = [
    "stockfish",
    "fairy-stockfish",
    "lc0",
    "berserk",
    "ethereal",
    "ethereal-chess",
    "toga2",
    "gnuchess --uci",
    "glaurung",
    "fruit",
    "crafty",
];

/// A middlegame with much to look at.
const POSITION: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";

/// Arguments of `centipawn engines`.
#[derive(Args)]
pub(crate) struct Engines {
    /// UCI engines: names, paths, or commands with arguments [default: $CENTIPAWN_ENGINE, and all of the usual ones that are here]
    #[arg(value_name = "COMMAND")]
    engines: Vec<String>,
    /// List each engine's options
    #[arg(long)]
    options: bool,
    /// How long the speed test searches, in milliseconds; 0 for none
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    movetime: u32,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Engines) -> Result<std::process::ExitCode> {
    let named = !args.engines.is_empty();
    let own = std::env::var("CENTIPAWN_ENGINE").ok().filter(|engine| !engine.trim().is_empty());
    let commands: Vec<String> = if named {
        args.engines.clone()
    } else {
        let mut all: Vec<String> = own.into_iter().chain(KNOWN.map(String::from)).collect();
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|command| seen.insert(command.clone()));
        all
    };
    let (mut documents, mut failed) = (Vec::new(), 0);
    for command in &commands {
        let found = match find(command) {
            Ok(found) => found,
            // Of those nobody asked for, what is not here is not missed.
            Err(_) if !named => continue,
            Err(error) => {
                anstream::eprintln!("error: {error}");
                failed += 1;
                continue;
            }
        };
        match look_at(command, &EngineConfig::new(found.clone()), args) {
            Ok(document) if args.json => documents.push(document),
            Ok(document) => print(&document, args)?,
            Err(error) => {
                anstream::eprintln!("error: {found}: {error:#}");
                failed += 1;
            }
        }
    }
    if args.json {
        writeln!(anstream::stdout(), "{:#}", json!({ "engines": documents })).context("cannot print")?;
    }
    match (commands.len(), failed) {
        (_, 0) => Ok(std::process::ExitCode::SUCCESS),
        (all, failed) if all == failed => Ok(exit::FAILED.into()),
        _ => Ok(exit::SKIPPED.into()),
    }
}

fn look_at(command: &str, config: &EngineConfig, args: &Engines) -> Result<Value> {
    let mut engine = Engine::start(config)?;
    let identity = engine.identity();
    let options: Vec<Value> =
        engine.options().iter().map(|option| json!({ "name": option.name, "kind": kind(&option.kind) })).collect();
    let mut document = json!({
        "command": command, "program": config.command.to_string(), "name": identity.name, "author": identity.author,
        "set": identity.options, "options": options,
    });
    if args.movetime > 0 {
        let history = History::from_fen(POSITION, None).map_err(|error| usage(error.to_string()))?;
        let limit = Limit::MoveTime(std::time::Duration::from_millis(args.movetime.into()));
        let analysis = engine.analyse(&Question::new(history, limit))?;
        document["speed"] = json!({
            "nodes": analysis.nodes,
            "nodes_per_second": (analysis.nodes as f64 / analysis.time.as_secs_f64().max(1e-3)).round(),
            "depth": analysis.depth,
        });
    }
    Ok(document)
}

fn print(document: &Value, args: &Engines) -> Result<()> {
    let text = |key: &str| crate::text::printable(document[key].as_str().unwrap_or_default());
    let mut out = format!("{}\n  program  {}\n", text("name"), text("program"));
    if !text("author").is_empty() {
        out += &format!("  author   {}\n", text("author"));
    }
    let set: Vec<String> = document["set"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name} {}", value.as_str().unwrap_or_default()))
        .collect();
    if !set.is_empty() {
        out += &format!("  set      {}\n", crate::text::printable(&set.join(", ")));
    }
    if let Some(speed) = document["speed"].as_object() {
        let rate = speed["nodes_per_second"].as_f64().unwrap_or_default();
        out += &format!("  speed    {:.0} thousand nodes a second, depth {}\n", rate / 1e3, speed["depth"]);
    }
    let options = document["options"].as_array().map_or(&[][..], Vec::as_slice);
    if args.options {
        for option in options {
            let [name, kind] = ["name", "kind"].map(|key| option[key].as_str().unwrap_or_default());
            out += &crate::text::printable(&format!("    {name:28} {kind}"));
            out.push('\n');
        }
    } else {
        out += &format!("  options  {} (--options lists them)\n", options.len());
    }
    anstream::stdout().write_all(out.as_bytes()).context("cannot print")
}

/// What an option takes, and what it is unless set.
fn kind(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { default } => format!("true or false [{default}]"),
        OptionKind::Spin { default, min, max } => format!("{min} to {max} [{default}]"),
        OptionKind::Combo { default, choices } => format!("{} [{default}]", choices.join(", ")),
        OptionKind::Button => "a button".to_owned(),
        OptionKind::Text { default } => format!("text [{default}]"),
    }
}
