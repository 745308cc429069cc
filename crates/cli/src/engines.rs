//! `centipawn engines`: the engines installed, their identity and speed.

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use anyhow::Result;
use centipawn_engine::{EngineList, EngineReport, EngineSpec, KNOWN_ENGINES, Limit, find};
use centipawn_printer as printer;
use centipawn_progress::{Problem, ProblemCount, Reporter as _};
use centipawn_work::engine::{Suite, SuiteOptions, run_suite};
use clap::Args;

use crate::{
    args::{environment, parse_depth, parse_nodes, parse_option},
    exit::{self, usage},
    numbers::whole_number,
    session::Session,
};

/// Arguments of `centipawn engines`.
#[derive(Args)]
pub(crate) struct Engines {
    /// UCI engines: names, paths, or commands with arguments [default: $CENTIPAWN_ENGINE, and all
    /// well-known engines that are installed]
    #[arg(value_name = "COMMAND")]
    engines: Vec<String>,
    /// List each engine's options
    #[arg(long)]
    options: bool,
    /// Length of the speed test in milliseconds, or with --suite of each search; 0 for no test
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    movetime: u32,
    /// Run a test suite: an EPD file with best moves (bm), moves to avoid (am), or points (c0, or
    /// c8 and c9); may be repeated
    #[arg(long, value_name = "FILE", requires = "engines")]
    suite: Vec<PathBuf>,
    /// With --suite: nodes per position, instead of --movetime
    #[arg(long, value_name = "N", value_parser = parse_nodes, requires = "suite", conflicts_with_all = ["depth", "movetime"])]
    nodes: Option<Limit>,
    /// With --suite: depth per position, instead of --movetime
    #[arg(long, value_name = "N", value_parser = parse_depth, requires = "suite", conflicts_with = "movetime")]
    depth: Option<Limit>,
    /// With --suite: engine option; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option, requires = "suite")]
    set: Vec<(String, String)>,
    /// With --suite: list solved positions too
    #[arg(long, requires = "suite")]
    all: bool,
    /// With --suite: number of engines that run in parallel [default: 1, so that times are not
    /// disturbed]
    #[arg(short, long, value_name = "N", value_parser = whole_number::<u16>(1..=1024), requires = "suite")]
    jobs: Option<u16>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Engines, session: &Session) -> Result<ExitCode> {
    if !args.suite.is_empty() {
        return args.run_suite(session);
    }
    let is_named = !args.engines.is_empty();
    let of_user = environment("CENTIPAWN_ENGINE");
    let commands: Vec<String> = if is_named {
        args.engines.clone()
    } else {
        let mut seen = BTreeSet::new();
        let known = of_user.into_iter().chain(KNOWN_ENGINES.map(String::from));
        known
            .filter(|command| seen.insert(command.clone()))
            .collect()
    };
    let movetime = (args.movetime > 0).then(|| Duration::from_millis(args.movetime.into()));
    let (mut list, mut failed) = (EngineList::default(), 0);
    for command in &commands {
        let found = match find(command) {
            Ok(found) => found,
            // Without arguments, all well-known engines are tried. Those that are not installed are
            // no error.
            Err(_) if !is_named => continue,
            Err(error) => {
                session.reporter().problem(&Problem::error(error));
                failed += 1;
                continue;
            }
        };
        match EngineReport::of(command, &found, movetime) {
            Ok(report) if args.json => list.engines.push(report),
            Ok(report) => session.print_words(&printer::engine(&report, args.options))?,
            Err(error) => {
                session
                    .reporter()
                    .problem(&Problem::error(format_args!("{found}: {error}")));
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

impl Engines {
    /// Runs one engine on test suites.
    fn run_suite(&self, session: &Session) -> Result<ExitCode> {
        let [command] = &*self.engines else {
            return Err(usage("--suite runs one engine; call it once for each"));
        };
        let movetime = Limit::MoveTime(Duration::from_millis(self.movetime.into()));
        let limit = self.nodes.or(self.depth).unwrap_or(movetime);
        if limit == Limit::MoveTime(Duration::ZERO) {
            return Err(usage(
                "--suite needs --movetime above 0, --nodes or --depth",
            ));
        }
        let jobs = self.jobs.map_or(1, usize::from);
        let spec = EngineSpec {
            command: command.clone(),
            options: self.set.clone(),
            jobs,
        };
        let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
        let suite = Suite::read(&self.suite, session.cancel()?, &*problems);
        let unread = problems.errors();
        let (report, outcome) = run_suite(
            &suite,
            &SuiteOptions { limit },
            &spec,
            session.cancel()?,
            &*problems,
        )?;
        session.answer(
            self.json,
            || report.json(),
            || printer::suite(&report, self.all),
        )?;
        let outcome = centipawn_progress::Outcome {
            skipped: outcome.skipped + unread,
            ..outcome
        };
        Ok(session.status(outcome))
    }
}
