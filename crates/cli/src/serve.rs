//! `centipawn serve`: the page in the browser.

use std::{process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_core::SchemeChoice;
use centipawn_review::{Language, ReviewOptions};
use centipawn_web::{Limits, ServeOptions, serve};
use clap::Args;

use crate::{
    args::{CurveArgs, EngineArgs},
    session::Session,
    store_arg::StoreArg,
};

/// Arguments of `centipawn serve`.
#[derive(Args)]
pub(crate) struct Serve {
    /// Port on this machine; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 3141, help_heading = "Page")]
    port: u16,
    /// Open the page in the default browser
    #[arg(long, help_heading = "Page")]
    open: bool,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    store: StoreArg,
    /// Number of lines per position, unless the page asks for another; good-move symbols need at least 2
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=10), help_heading = "Engine")]
    lines: u16,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes: auto (s20 for people, s8 for engines), s8, s7 (economical), s20, s12 (generous) for moves; s40, s9, s7
    /// for positions; two may be joined
    #[arg(long, value_name = "SCHEME", default_value_t, env = "CENTIPAWN_SCHEME", help_heading = "Curve")]
    scheme: SchemeChoice,
    /// Language of comments and reports: en (English), de (German)
    #[arg(long, value_name = "CODE", default_value_t, env = "CENTIPAWN_LANGUAGE", help_heading = "Page")]
    language: Language,
}

/// Runs the command until Ctrl-C.
pub(crate) fn run(args: &Serve, session: &Session) -> Result<ExitCode> {
    let review = ReviewOptions {
        lines: args.lines.into(),
        curve: args.curve.choice()?,
        scheme: args.scheme,
        language: args.language,
        ..ReviewOptions::new(args.engine.limit())
    };
    let options = ServeOptions { port: args.port, engine: args.engine.spec(), review, limits: Limits::default() };
    let cancel = session.cancel()?;
    let resources = args.store.resources(cancel, Arc::clone(session.reporter()) as _)?;
    serve(options, resources, cancel, |address| {
        let page = format!("http://{address}/");
        // Nobody may read it, and the page is served all the same.
        let _ = session.print(&format!("{page}\n"));
        session.note("The page is open to this machine only. Ctrl-C ends it; unfinished reviews go on next time.");
        if args.open && open::that_detached(&page).is_err() {
            session.note("No browser could be opened; open the address yourself.");
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
