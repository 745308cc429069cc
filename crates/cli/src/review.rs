//! `centipawn review`: annotated PGN, an HTML report, JSON, a summary on the terminal.

use std::{
    io::Write as _,
    num::NonZero,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_core::Scheme;
use centipawn_engine::Analyst;
use centipawn_pgn::{Dialect, Game, Glyphs, ScanOptions, Sources, scan, write_game_with};
use centipawn_review::{Annotations, Event, Language, Options, Review as Reviewed, report::Report, review_games};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::{
    args::{CurveArgs, EngineArgs, Shared},
    batch::{self, Batch},
    engine::{late_pool, start_pool},
    exit::{self, usage},
    games::{Games, read_ahead, sources},
    interrupt,
    kept::{self, StoreArg},
    output::{Output, refuse_collisions},
    policies::PolicyArgs,
    progress::{Progress, Total},
    summary::summary,
    text::plural,
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
    /// Write a report that opens in any browser
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    html: Option<PathBuf>,
    /// Write everything about many games into a folder of its own: games.pgn, a page for each game, index.html, and tables
    /// of players and openings as CSV and JSON; what an earlier batch left there is replaced
    #[arg(long, value_name = "FOLDER", help_heading = "Results")]
    batch: Option<PathBuf>,
    /// Write everything as one JSON document (- is standard output)
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    json: Option<PathBuf>,
    /// Judge how hard every move was to find for humans (see centipawn ease), and name the hardest moments; natural moves
    /// that the lines leave out are evaluated as well, but not with --reuse-evals
    #[arg(long, help_heading = "Results")]
    ease: bool,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    store: StoreArg,
    /// Lines the engine gives in each position; good moves can be told only from two on
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=500), help_heading = "Engine")]
    lines: u16,
    /// Use evaluations that stand in the games; the engine is asked only where one is missing
    #[arg(long, help_heading = "Engine")]
    reuse_evals: bool,
    /// How evaluations are written in the games, where auto does not find out
    #[arg(long, value_name = "DIALECT", default_value_t, help_heading = "Engine")]
    evals: Dialect,
    #[command(flatten)]
    curve: CurveArgs,
    /// Symbol schemes: s8, s7 (economical), s20, s12 (generous) for moves, s40, s9, s7 for positions; two may be joined
    #[arg(long, value_name = "SCHEME", default_value_t, env = "CENTIPAWN_SCHEME", help_heading = "Curve")]
    scheme: Scheme,
    /// Language of comments and reports: en (English), de (German)
    #[arg(long, value_name = "CODE", default_value_t, env = "CENTIPAWN_LANGUAGE", help_heading = "Annotation")]
    language: Language,
    /// How symbols are written in PGN
    #[arg(long, value_enum, default_value_t, help_heading = "Annotation")]
    glyphs: GlyphsArg,
    /// Keep comments, symbols and variations that the games have already (this is the default); those of an earlier review
    /// give way to the new ones
    #[arg(long, help_heading = "Annotation", overrides_with = "replace")]
    keep: bool,
    /// Replace comments, symbols and variations that the games have already; clocks stay
    #[arg(long, help_heading = "Annotation", overrides_with = "keep")]
    replace: bool,
    /// Give good-move symbols also where they mislead: for recaptures, captures of what has just moved there, the better of
    /// two legal moves, and mates already under way
    #[arg(long, help_heading = "Curve")]
    every_symbol: bool,
}

/// `--glyphs`.
#[derive(Clone, Copy, Default, ValueEnum)]
enum GlyphsArg {
    /// $1 $14, as the standard has it
    #[default]
    Numbers,
    /// ! ⩲, as in print
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

/// After so many failures of the engine without a success between, it will fail at all the rest.
const FAILURES_TO_GIVE_UP: u32 = 5;

/// Runs the command.
pub(crate) fn run(args: &Review, shared: &Shared) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    match review(args, shared, stop) {
        // Engines killed under their start, say: that is what was asked for.
        Err(_) if interrupt::interrupted() => Ok(exit::INTERRUPTED.into()),
        result => result,
    }
}

fn review(args: &Review, shared: &Shared, stop: &'static AtomicBool) -> Result<ExitCode> {
    if !args.ease && args.policy.is_given() {
        return Err(usage("--policy and --kernel are for --ease; give that as well"));
    }
    let options = Options {
        limit: args.engine.limit(),
        lines: args.lines.into(),
        curve: args.curve.curve()?,
        scheme: args.scheme,
        every_symbol: args.every_symbol,
        reuse_evals: args.reuse_evals.then_some(args.evals),
        ease: if args.ease { args.policy.open()?.into() } else { Arc::default() },
        language: args.language,
        annotations: if args.replace { Annotations::Replace } else { Annotations::Keep },
    };
    let mut progress = Progress::new(shared.progress, shared.quiet);
    let problems = progress.problems();
    let sources = sources(&args.games, &problems);
    // The outputs are tried before the engine works for an hour.
    let mut outputs = Outputs::create(args, sources.paths())?;
    outputs.begin(&options)?;
    let store = args.store.open(&problems)?.map(Arc::new);
    let analyst: Arc<dyn Analyst> =
        if args.reuse_evals { Arc::new(late_pool(&args.engine)) } else { start_pool(&args.engine)? };
    let analyst = kept::cached(analyst, store.clone(), &problems);
    let mut reviews = kept::Reviews::new(store, Arc::clone(&problems));

    let games = Games::new(sources.paths().to_vec(), Arc::clone(&problems));
    let names = games.names();
    count_positions(sources, progress.total());
    let games = read_ahead(games, stop);

    let (mut done, mut failures_in_a_row) = (0_u64, 0);
    let mut failed: Result<()> = Ok(());
    review_games(games, &*analyst, &options, stop, |event| match event {
        // What was under way when the run ended is of no more use.
        _ if failed.is_err() => {}
        Event::Position => progress.position(),
        Event::Reviewed(review) => {
            done += 1;
            failures_in_a_row = 0;
            progress.game(&review.title());
            reviews.keep(&review);
            let written = outputs.game(&review, &progress, shared);
            keep_first_error(&mut failed, written, stop);
        }
        Event::Failed(failure) => {
            problems.error(format_args!("{}: {failure}; the game is left as it was", names.of(failure.index)));
            failures_in_a_row += 1;
            let result = match failures_in_a_row {
                FAILURES_TO_GIVE_UP => {
                    Err(anyhow!("{FAILURES_TO_GIVE_UP} games in a row failed; is the engine in order?"))
                }
                _ => outputs.unreviewed(&failure.game),
            };
            keep_first_error(&mut failed, result, stop);
        }
    });
    progress.finish();
    // What was done before a failure is kept; where nothing was, results of an earlier run stay.
    if done > 0 {
        outputs.finish()?;
    }
    failed?;

    if interrupt::interrupted() {
        anstream::eprintln!("interrupted; finished: {}", plural(done, "game"));
        return Ok(exit::INTERRUPTED.into());
    }
    Ok(match (done, problems.count()) {
        (_, 0) => ExitCode::SUCCESS,
        (0, _) => exit::FAILED.into(),
        (_, count) => {
            anstream::eprintln!("{} reviewed; {}, named above", plural(done, "game"), plural(count, "problem"));
            exit::SKIPPED.into()
        }
    })
}

/// A result that cannot be written ends the run: nothing would come of the rest.
fn keep_first_error(first: &mut Result<()>, result: Result<()>, stop: &AtomicBool) {
    if result.is_err() && first.is_ok() {
        *first = result;
        stop.store(true, Ordering::Relaxed);
    }
}

/// Reads files once more beside the work, to know how much there is. Standard input cannot be read twice.
fn count_positions(sources: Sources, total: Total) {
    if sources.paths().iter().any(|path| !path.is_file()) {
        return;
    }
    thread::spawn(move || {
        let options = ScanOptions { threads: Some(NonZero::<usize>::MIN), ..ScanOptions::default() };
        if let Ok((plies, _)) = scan(&sources, &options, || 0, |plies, game| *plies += game.len() as u64) {
            total.set(plies);
        }
    });
}

/// Everything a review is written to.
struct Outputs {
    pgn: Option<Output>,
    glyphs: Glyphs,
    batch: Option<Batch>,
    html: Option<Report<Output>>,
    json: Option<(Output, u64)>,
    /// Whether standard output is free for the summary.
    summary: bool,
    summaries: u64,
}

impl Outputs {
    fn create(args: &Review, inputs: &[PathBuf]) -> Result<Self> {
        let create = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
        let results = [&args.output, &args.html, &args.json].into_iter().flatten().map(PathBuf::as_path);
        let results: Vec<&Path> = results.collect();
        refuse_collisions(&results, inputs)?;
        if let Some(folder) = &args.batch {
            batch::refuse_collisions(folder, &results, inputs)?;
        }
        Ok(Self {
            pgn: create(&args.output)?,
            glyphs: args.glyphs.into(),
            batch: args.batch.as_deref().map(|folder| Batch::create(folder, args.language)).transpose()?,
            html: create(&args.html)?.map(|out| Report::new(out, args.language, None)).transpose()?,
            json: create(&args.json)?.map(|out| (out, 0)),
            summary: !results.contains(&Path::new("-")),
            summaries: 0,
        })
    }

    /// The JSON document's head. It is written game by game, so that a long run needs no more memory than a short one.
    fn begin(&mut self, options: &Options) -> Result<()> {
        let Some((json, _)) = &mut self.json else { return Ok(()) };
        let Options { limit, lines, scheme, .. } = options;
        let [version, limit, scheme] = [env!("CARGO_PKG_VERSION").to_owned(), limit.to_string(), scheme.to_string()]
            .map(|text| json!(text).to_string());
        write!(json, "{{\"centipawn\":{version},\"limit\":{limit},\"lines\":{lines},\"scheme\":{scheme},\"games\":[")
            .context("cannot write the JSON document")
    }

    fn game(&mut self, review: &Reviewed, progress: &Progress, shared: &Shared) -> Result<()> {
        if self.pgn.is_some() || self.batch.is_some() {
            let mut text = Vec::new();
            write_game_with(&mut text, &review.annotated(), self.glyphs)?;
            if let Some(pgn) = &mut self.pgn {
                pgn.write_all(&text).context("cannot write the annotated games")?;
            }
            if let Some(batch) = &mut self.batch {
                batch.game(review, &text)?;
            }
        }
        if let Some(html) = &mut self.html {
            html.game(review).context("cannot write the report")?;
        }
        if let Some((json, count)) = &mut self.json {
            json.write_all(if *count > 0 { b",\n" } else { b"\n" }).context("cannot write the JSON document")?;
            serde_json::to_writer(json, &review.json()).context("cannot write the JSON document")?;
            *count += 1;
        }
        // Of a thousand games, the folder has the summaries.
        if self.summary && !shared.quiet && self.batch.is_none() {
            let space = if self.summaries > 0 { "\n" } else { "" };
            self.summaries += 1;
            let text = format!("{space}{}", summary(review));
            let mut printed = Ok(());
            progress.suspend(|| printed = anstream::stdout().write_all(text.as_bytes()));
            printed.context("cannot print the summary")?;
        }
        Ok(())
    }

    /// A game that could not be reviewed is not lost.
    fn unreviewed(&mut self, game: &Game) -> Result<()> {
        let mut text = Vec::new();
        write_game_with(&mut text, game, self.glyphs)?;
        if let Some(pgn) = &mut self.pgn {
            pgn.write_all(&text).context("cannot write the annotated games")?;
        }
        self.batch.as_mut().map_or(Ok(()), |batch| batch.unreviewed(&text))
    }

    fn finish(self) -> Result<()> {
        if let Some((mut json, _)) = self.json {
            json.write_all(b"\n]}\n").context("cannot write the JSON document")?;
            json.finish()?;
        }
        if let Some(batch) = self.batch {
            batch.finish()?;
        }
        if let Some(html) = self.html {
            html.finish().context("cannot write the report")?.finish()?;
        }
        self.pgn.map_or(Ok(()), Output::finish)
    }
}
