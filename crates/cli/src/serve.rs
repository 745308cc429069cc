//! `centipawn serve`: the page in the browser.

use std::{
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use anyhow::Result;
use centipawn_core::SchemeChoice;
use centipawn_judge::JudgeOptions;
use centipawn_review::{Language, ReviewOptions};
use centipawn_web::{BasePath, Limits, OwnCurve, ServeOptions, serve};
use centipawn_work::position::PositionIndex;
use clap::{Arg, Args};

use crate::{
    args::{CurveArgs, EngineArgs, TablesArg, language, scheme},
    numbers::whole_number,
    session::Session,
    store_arg::StoreArg,
};

/// Arguments of `centipawn serve`.
#[derive(Args)]
pub(crate) struct Serve {
    /// Port on this machine; 0: any free port
    #[arg(long, value_name = "N", default_value_t = 3141, help_heading = "Page")]
    port: u16,
    /// Address to listen at, so that other machines can open the page (0.0.0.0: all addresses of
    /// this machine). The page then asks for the printed token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), help_heading = "Page")]
    host: IpAddr,
    /// Path below which a proxy shows the page, such as /chess/
    #[arg(long, value_name = "PATH", default_value = "/", help_heading = "Page")]
    base: BasePath,
    /// Require the token on this machine, too
    #[arg(long, help_heading = "Page")]
    token: bool,
    /// Open the page in the default browser
    #[arg(long, help_heading = "Page")]
    open: bool,
    /// Largest upload of games or puzzles in MiB; the decompressed text may be up to eight times as
    /// large
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = whole_number::<u16>(1..=4096), help_heading = "Page")]
    max_upload: u16,
    /// Largest number of games in one upload
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = whole_number::<u32>(1..), help_heading = "Page")]
    max_games: u32,
    /// Curve file (from `wdl run`, `wdl fit` or `wdl human`) that the page lists by name and draws
    /// under Calibration; may be repeated
    #[arg(long = "own-curve", value_name = "FILE", help_heading = "Page")]
    own_curves: Vec<PathBuf>,
    /// Index of positions (from `position index`) in which the board looks up how often a position
    /// occurred, and what was played there; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Page")]
    positions: Vec<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tables: TablesArg,
    #[command(flatten)]
    store: StoreArg,
    /// Number of lines per position, unless the page asks for another number; good-move symbols
    /// need at least 2
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole_number::<u16>(1..=10), help_heading = "Engine")]
    lines: u16,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes. For moves: auto (s20 for people, s8 for engines), s8 or s7 (fewer symbols),
    /// s20 or s12 (more symbols). For positions: s40, s9, s7. Give one of each, separated by a
    /// comma [default: $CENTIPAWN_SCHEME, or auto,s40]
    #[arg(long, value_name = "SCHEME", help_heading = "Curve")]
    scheme: Option<SchemeChoice>,
    /// Language of comments and reports: en (English), de (German)
    /// [default: $CENTIPAWN_LANGUAGE, or en]
    #[arg(long, value_name = "CODE", help_heading = "Page")]
    language: Option<Language>,
}

/// Returns the flag `--store`; `none` is not allowed, because the page needs a store.
pub(crate) fn store_arg(arg: Arg) -> Arg {
    arg.value_name("FILE|URL").help(
        "Where to keep games, jobs and evaluations: a file or postgres://…, but not none, because the page needs a store \
         [default: $CENTIPAWN_STORE, or centipawn/centipawn.db in the user's data folder]",
    )
}

/// Runs the command until Ctrl-C.
pub(crate) fn run(args: &Serve, session: &Session) -> Result<ExitCode> {
    let judge = JudgeOptions {
        lines: args.lines.into(),
        curve: args.curve.noted_choice(session)?,
        scheme: scheme(args.scheme)?,
        ..JudgeOptions::new(args.engine.limit())
    };
    let review = ReviewOptions {
        language: language(args.language)?,
        ..judge.into()
    };
    let Serve {
        host, port, token, ..
    } = *args;
    let limits = Limits::default().with_uploads(args.max_upload, args.max_games);
    let cancel = session.cancel()?;
    let own_curves = args
        .own_curves
        .iter()
        .map(|path| OwnCurve::read(path, cancel))
        .collect::<Result<_, _>>()?;
    // Open the indexes now, so that a wrong file ends the start instead of failing at the first
    // request.
    args.positions
        .iter()
        .try_for_each(|path| PositionIndex::open(path).map(drop))?;
    let (engine, positions) = (args.engine.spec(), args.positions.clone());
    let options = ServeOptions {
        host,
        port,
        token,
        base: args.base.clone(),
        limits,
        own_curves,
        tables: args.tables.syzygy.clone(),
        positions,
        engine,
        ..ServeOptions::new(review)
    };
    let resources = args
        .store
        .resources(cancel, Arc::clone(session.reporter()) as _)?;
    // The same holds for a folder without tables.
    if let Some(folder) = &args.tables.syzygy {
        resources.tables(folder)?;
    }
    serve(options, resources, cancel, |address| {
        let login = || address.login().unwrap_or_else(|_| address.page.clone());
        let token = address
            .token()
            .map_or_else(String::new, |token| format!("Token: {token}\n"));
        // Serve the page even if standard output cannot be written.
        let _ = session.print(&format!("{}\n{token}", login()));
        let reach = match host.is_loopback() {
            true => "to this machine only",
            false => {
                "to everyone who has the token; other machines use this one's address. Without a proxy nothing is encrypted"
            }
        };
        session
            .note(&format!("The page is open {reach}. Ctrl-C ends it; unfinished reviews can be continued next time."));
        if address.token().is_some() {
            session.note(
                "The address above opens the page once, within a minute; after that the page asks for the token.",
            );
        }
        if args.open && open::that_detached(login()).is_err() {
            session.note("No browser could be opened; open the address yourself.");
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
