//! `centipawn site`: reviewed games as pages without a server.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Result;
use centipawn_core::SchemeChoice;
use centipawn_engine::Limit;
use centipawn_judge::JudgeOptions;
use centipawn_progress::{Files, ProblemCount};
use centipawn_review::{Language, ReviewOptions};
use centipawn_site::{SiteGames, SiteOptions, write_site};
use clap::Args;

use crate::{
    args::{CurveArgs, language, scheme},
    exit::usage,
    session::Session,
    store_arg::{StoreArg, Use},
};

/// Arguments of `centipawn site`.
#[derive(Args)]
pub(crate) struct Site {
    /// Folder of the site, which is created if necessary; a site already in it is replaced
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Files with reviewed games: games with evaluations, as review -o writes them, or documents of
    /// review --json (.json) [default: all finished reviews of the page's store]
    #[arg(value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Heading of the list of games
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Also copy the page without a server into the site, from a folder that `make tab` built, so
    /// that visitors review their own games there
    #[arg(long, value_name = "FOLDER")]
    tab: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArg,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes for games with evaluations (see review); stored reviews and JSON documents
    /// keep their own schemes [default: $CENTIPAWN_SCHEME, or auto,s40]
    #[arg(long, value_name = "SCHEME", help_heading = "Curve")]
    scheme: Option<SchemeChoice>,
    /// Language of the pages: en (English), de (German)
    /// [default: $CENTIPAWN_LANGUAGE, or en]
    #[arg(long, value_name = "CODE")]
    language: Option<Language>,
}

/// Runs the command.
pub(crate) fn run(args: &Site, session: &Session) -> Result<ExitCode> {
    let judge = JudgeOptions {
        curve: args.curve.noted_choice(session)?,
        scheme: scheme(args.scheme)?,
        // The limit is not used, because a site is written without an engine.
        ..JudgeOptions::new(Limit::Nodes(1))
    };
    let review = ReviewOptions {
        language: language(args.language)?,
        ..judge.into()
    };
    let options = SiteOptions {
        folder: args.folder.clone(),
        title: args.title.clone(),
        tab: args.tab.clone(),
        review,
    };
    let cancel = session.cancel()?;
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let games = match args.games.is_empty() {
        true => SiteGames::Stored(Arc::new(
            args.store
                .open_or_fail(Use::Read, Arc::clone(&problems) as _)?,
        )),
        false => SiteGames::Files(args.games.clone()),
    };
    let mut files = Files::default();
    args.store.protect(&mut files)?;
    let end = write_site(&options, games, &mut files, cancel, &problems).map_err(|error| {
        if error.is_usage() {
            usage(error.to_string())
        } else {
            error.into()
        }
    })?;
    session.report_kept(end.index);
    if end.outcome.is_whole() && end.outcome.done > 0 {
        session.note(&format!(
            "The site begins at {}.",
            args.folder.join("index.html").display()
        ));
    }
    Ok(session.exit(end.outcome, "game", "written"))
}
