//! `centipawn uci`: a UCI engine that wraps another one.

use std::{io, num::NonZero, process::ExitCode, sync::Arc, thread};

use anyhow::{Context as _, Result};
use centipawn_core::CurveChoice;
use centipawn_engine::{Cancel, ExternalEngine, Registration};
use centipawn_policy::{Kernel, Network};
use centipawn_progress::{Problem, Reporter as _};
use centipawn_uci::{Config, CurveSetting, Settings, run as run_wrapper, serve_lichess};
use clap::Args;

use crate::{
    args::{CurveName, EngineChoice, curve_help, named_curve_choice},
    exit::{self, usage},
    session::Session,
};

/// Largest hash in MiB that Lichess' analysis board may request.
const LARGEST_HASH: u32 = 1024;

/// Arguments of `centipawn uci`.
#[derive(Args)]
#[command(mut_arg("options", |arg| arg.help(
    "Initial value of an option: one of Centipawn's (Rating=1500, UCI_ShowWDL=true) or the engine's (Hash=256); may be repeated"
)))]
pub(crate) struct Uci {
    #[command(flatten)]
    engine: EngineChoice,
    /// Curve that the option Curve begins with
    #[arg(
        long, value_name = "NAME|FILE", default_value = "human", value_parser = CurveName, hide_possible_values = true,
        help = curve_help("Curve that the option Curve begins with: engine (the engine's own)")
    )]
    curve: String,
    /// Network that predicts people's moves: a name such as maia-1500, a weight file (.pb.gz), or
    /// none [default: centipawn-1, which is in the program]
    #[arg(long, value_name = "NAME|FILE|none", default_value = Network::BUNDLED, hide_default_value = true)]
    policy: String,
    /// Seed of the moves of Play_Like, for the same game again
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Serve Lichess' analysis board instead of a program: register as an external engine and do
    /// the work that the board asks for, until Ctrl-C; the environment variable LICHESS_TOKEN
    /// contains a token with the permissions engine:read and engine:write
    #[arg(long)]
    lichess: bool,
    /// The name of the engine on Lichess
    #[arg(
        long,
        value_name = "NAME",
        default_value = "Centipawn",
        requires = "lichess"
    )]
    name: String,
}

/// Runs the command.
pub(crate) fn run(args: &Uci, session: &Session) -> Result<ExitCode> {
    let network = match args.policy.as_str() {
        "none" => None,
        name => Some(Arc::new(
            Network::find(name, Kernel::best()).context("cannot use the policy network")?,
        )),
    };
    let mut settings = Settings::default();
    set_curve(&mut settings, &args.curve)?;
    let mut options = Vec::new();
    for (name, value) in args.engine.options() {
        match Settings::own(name) {
            Some(own) => settings
                .set(own, value)
                .map_err(|error| usage(error.to_string()))?,
            None => options.push((name.clone(), value.clone())),
        }
    }
    let config = Config {
        options,
        settings,
        network,
        seed: args.seed,
        ..Config::new(args.engine.find()?)
    };
    if args.lichess {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let registration = Registration {
            name: args.name.clone(),
            max_threads: cores.try_into().unwrap_or(1),
            max_hash: LARGEST_HASH,
            variants: vec!["chess".to_owned()],
        };
        let external = ExternalEngine::register(&registration)?;
        session.note(&format!(
            "Lichess' analysis board now offers the engine {:?}; Ctrl-C ends it",
            args.name
        ));
        let report = |text: &str| {
            session
                .reporter()
                .problem(&Problem::warning(text.to_owned()));
        };
        serve_lichess(&config, &external, &report, session.cancel()?)?;
        return Ok(if session.is_cancelled() {
            exit::INTERRUPTED.into()
        } else {
            ExitCode::SUCCESS
        });
    }
    // Do not lock standard output here: a lock would belong to this thread, and other threads
    // print, too.
    run_wrapper(&config, io::stdin(), &mut io::stdout(), &Cancel::new())?;
    Ok(ExitCode::SUCCESS)
}

/// Sets the initial curve. A name that is not among the usual ones, such as a file, is added to the
/// choices.
fn set_curve(settings: &mut Settings, name: &str) -> Result<()> {
    if name == "engine" {
        settings.curve = CurveSetting::Engine;
        return Ok(());
    }
    match named_curve_choice(name, &Cancel::new())? {
        CurveChoice::Human { model, .. } => {
            settings.model = model;
            settings.curve = CurveSetting::People(model);
        }
        CurveChoice::Given(curve) => {
            if settings.named.iter().all(|(_, named)| *named != curve) {
                let is_word = !name.is_empty()
                    && !name.contains(char::is_whitespace)
                    && !name.contains(['/', '\\']);
                settings
                    .named
                    .push((if is_word { name } else { "file" }.to_owned(), curve));
            }
            settings.curve = CurveSetting::Given(curve);
        }
        CurveChoice::Auto => return Err(usage("the curve auto needs games; name another curve")),
    }
    Ok(())
}
