//! `centipawn review`: annotated PGN, an HTML report, JSON, a summary on the terminal.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::Result;
use centipawn_core::Scheme;
use centipawn_pgn::{Dialect, Glyphs, Sources};
use centipawn_progress::{Files, Placed, ProblemCount, Provenance};
use centipawn_review::{Annotations, Language, OutputError, OutputPaths, Outputs, Review as Reviewed, ReviewOptions};
use centipawn_work::{AnalystSpec, ReviewError, ReviewResources, Threads, review_files, review_provenance};
use clap::{Args, ValueEnum};

use crate::{
    args::{CurveArgs, EngineArgs},
    exit::usage,
    policies::PolicyArgs,
    session::Session,
    store_arg::StoreArg,
    summary::summary,
};

/// Arguments of `centipawn review`.
#[derive(Args)]
pub(crate) struct Review {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Write the annotated games to a file (- is standard output)
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    output: Option<PathBuf>,
    /// Write an HTML report, which opens in any browser
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    html: Option<PathBuf>,
    /// Write everything about many games into a folder: games.pgn, a page for each game, index.html, and tables of players
    /// and openings as CSV and JSON; results of an earlier batch there are replaced
    #[arg(long, value_name = "FOLDER", help_heading = "Results")]
    batch: Option<PathBuf>,
    /// Write everything as one JSON document (- is standard output)
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    json: Option<PathBuf>,
    /// Judge how hard every move was to find for humans (see centipawn ease), and name the hardest moments; natural moves
    /// outside the lines are evaluated as well, except with --reuse-evals
    #[arg(long, help_heading = "Results")]
    ease: bool,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    store: StoreArg,
    /// Number of lines per position; good-move symbols need at least 2
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=500), help_heading = "Engine")]
    lines: u16,
    /// Use evaluations in the games; the engine is asked only for missing ones
    #[arg(long, help_heading = "Engine")]
    reuse_evals: bool,
    /// Dialect of the evaluations, if auto detection fails
    #[arg(long, value_name = "DIALECT", default_value_t, help_heading = "Engine")]
    evals: Dialect,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes: s8, s7 (economical), s20, s12 (generous) for moves; s40, s9, s7 for positions; two may be joined
    #[arg(long, value_name = "SCHEME", default_value_t, env = "CENTIPAWN_SCHEME", help_heading = "Curve")]
    scheme: Scheme,
    /// Language of comments and reports: en (English), de (German)
    #[arg(long, value_name = "CODE", default_value_t, env = "CENTIPAWN_LANGUAGE", help_heading = "Annotation")]
    language: Language,
    /// Format of symbols in PGN
    #[arg(long, value_enum, default_value_t, help_heading = "Annotation")]
    glyphs: GlyphsArg,
    /// Keep existing comments, symbols and variations of the games (the default); annotations of a previous review are
    /// replaced
    #[arg(long, help_heading = "Annotation", overrides_with = "replace")]
    keep: bool,
    /// Replace existing comments, symbols and variations of the games; clocks stay
    #[arg(long, help_heading = "Annotation", overrides_with = "keep")]
    replace: bool,
    /// Also give good-move symbols to obvious moves: recaptures, captures of the piece that just moved, the better of two
    /// legal moves, and mates already under way
    #[arg(long, help_heading = "Curve")]
    every_symbol: bool,
}

/// `--glyphs`.
#[derive(Clone, Copy, Default, ValueEnum)]
enum GlyphsArg {
    /// As numbers: $1 $14, the PGN standard
    #[default]
    Numbers,
    /// As characters: ! ⩲
    Text,
}

impl From<GlyphsArg> for Glyphs {
    fn from(glyphs: GlyphsArg) -> Self {
        match glyphs {
            GlyphsArg::Numbers => Glyphs::Numbers,
            GlyphsArg::Text => Glyphs::Text,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Review, session: &Session) -> Result<ExitCode> {
    if !args.ease && args.policy.is_given() {
        return Err(usage("--policy and --kernel are for --ease; give that as well"));
    }
    let networks = if args.ease { args.policy.open()? } else { Vec::new() };
    let options = args.options()?.with_networks(&networks);
    let cancel = session.cancel()?;
    let problems = Arc::new(ProblemCount::new(Arc::clone(session.reporter())));
    let sources = Sources::expand_reporting(&args.games, &problems);
    // Outputs are checked before the engine starts to work.
    let mut files = Files::reading(sources.paths());
    args.store.protect(&mut files)?;
    let provenance =
        if args.has_documents() { review_provenance(&options, &sources, &networks) } else { Provenance::default() };
    let outputs = Outputs::create(&args.outputs(), &mut files, &options, provenance).map_err(output_error)?;
    let opened = args.store.resources(cancel, Arc::<ProblemCount<_>>::clone(&problems))?;
    // If the games' own evaluations suffice, no engine starts.
    let spec =
        AnalystSpec { engine: Some(args.engine.spec()), starts_late: args.reuse_evals, ..AnalystSpec::default() };
    let analyst = opened.some_analyst(&spec)?;
    let resources = ReviewResources { analyst: &*analyst, networks: &networks, store: opened.store()? };

    let crew = Threads::of(Some(&*analyst));
    // A batch has its summaries in the folder, and results on standard output leave no room for them.
    let is_shown = !session.quiet && args.batch.is_none() && !args.writes_to_standard_output();
    let mut space = "";
    let show = |review: &Reviewed| {
        if is_shown {
            session.reporter().print(&format!("{space}{}", summary(review)))?;
            space = "\n";
        }
        Ok(())
    };
    let end =
        review_files(&sources, &options, &resources, outputs, &crew, cancel, &problems, show).map_err(review_error)?;
    end.kept.into_iter().for_each(|path| session.tell_kept(Placed::Kept(path)));
    Ok(session.exit(end.outcome, "game", "reviewed"))
}

/// An output error, with the exit status of wrong usage where it is one.
fn output_error(error: OutputError) -> anyhow::Error {
    if error.is_usage() { usage(error.to_string()) } else { error.into() }
}

fn review_error(error: ReviewError) -> anyhow::Error {
    match error {
        ReviewError::Output(error) => output_error(error),
        error => error.into(),
    }
}

impl Review {
    fn options(&self) -> Result<ReviewOptions> {
        Ok(ReviewOptions {
            lines: self.lines.into(),
            curve: self.curve.curve()?,
            scheme: self.scheme,
            every_symbol: self.every_symbol,
            reuse_evals: self.reuse_evals.then_some(self.evals),
            language: self.language,
            annotations: if self.replace { Annotations::Replace } else { Annotations::Keep },
            ..ReviewOptions::new(self.engine.limit())
        })
    }

    fn outputs(&self) -> OutputPaths {
        OutputPaths {
            pgn: self.output.clone(),
            html: self.html.clone(),
            json: self.json.clone(),
            batch: self.batch.clone(),
            glyphs: self.glyphs.into(),
        }
    }

    /// Whether any output has a provenance.
    fn has_documents(&self) -> bool {
        self.html.is_some() || self.json.is_some() || self.batch.is_some()
    }

    fn writes_to_standard_output(&self) -> bool {
        [&self.output, &self.html, &self.json].into_iter().flatten().any(|path| path == Path::new("-"))
    }
}
