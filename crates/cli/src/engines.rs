//! `centipawn engines`: the engines installed, their identity and speed.

use std::{collections::BTreeSet, process::ExitCode, time::Duration};

use anyhow::Result;
use centipawn_engine::{EngineList, EngineReport, KNOWN_ENGINES, find};
use centipawn_printer as printer;
use centipawn_progress::{Problem, Reporter as _};
use clap::Args;

use crate::{exit, flags::with_flags, session::Session};

/// Arguments of `centipawn engines`.
#[derive(Args)]
pub(crate) struct Engines {
    /// UCI engines: names, paths, or commands with arguments [default: $CENTIPAWN_ENGINE, and all well-known engines that
    /// are installed]
    #[arg(value_name = "COMMAND")]
    engines: Vec<String>,
    /// List each engine's options
    #[arg(long)]
    options: bool,
    /// Length of the speed test in milliseconds; 0 for no test
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    movetime: u32,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Engines, session: &Session) -> Result<ExitCode> {
    let is_named = !args.engines.is_empty();
    let of_user = std::env::var("CENTIPAWN_ENGINE").ok().filter(|engine| !engine.trim().is_empty());
    let commands: Vec<String> = if is_named {
        args.engines.clone()
    } else {
        let mut seen = BTreeSet::new();
        let known = of_user.into_iter().chain(KNOWN_ENGINES.map(String::from));
        known.filter(|command| seen.insert(command.clone())).collect()
    };
    let movetime = (args.movetime > 0).then(|| Duration::from_millis(args.movetime.into()));
    let (mut list, mut failed) = (EngineList::default(), 0);
    for command in &commands {
        let found = match find(command) {
            Ok(found) => found,
            // The usual engines need not all be installed.
            Err(_) if !is_named => continue,
            Err(error) => {
                session.reporter().problem(&Problem::error(error));
                failed += 1;
                continue;
            }
        };
        match EngineReport::of(command, &found, movetime) {
            Ok(report) if args.json => list.engines.push(report),
            Ok(report) => session.print(&with_flags(&printer::engine(&report, args.options)))?,
            Err(error) => {
                session.reporter().problem(&Problem::error(format_args!("{found}: {error}")));
                failed += 1;
            }
        }
    }
    if args.json {
        session.print(&format!("{}\n", serde_json::to_string_pretty(&list)?))?;
    }
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        failed if failed == commands.len() => exit::FAILED.into(),
        _ => exit::SKIPPED.into(),
    })
}
