//! `centipawn review`: annotated PGN, an HTML report, JSON, a summary on the terminal.

use std::{
    io::Write as _,
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

use anyhow::{Context as _, Result};
use centipawn_core::{Curve, Scheme};
use centipawn_engine::Analyst;
use centipawn_pgn::{Dialect, write_game};
use centipawn_review::{Event, Options, Review as Reviewed, report::Report, review_games};
use clap::Args;
use serde_json::json;
use shakmaty::Color;

use crate::{
    args::{CurveArgs, EngineArgs, Shared},
    engine::{LazyPool, start_pool},
    exit,
    games::{Games, Problems},
    interrupt,
    output::Output,
    progress::{Progress, Total},
    summary::summary,
};

/// Arguments of `centipawn review`.
#[derive(Args)]
pub(crate) struct Review {
    /// PGN files, plain or compressed (.gz, .zst, .bz2); - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Write the annotated games to a file (- is standard output)
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    output: Option<PathBuf>,
    /// Write a report that opens in any browser
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    html: Option<PathBuf>,
    /// Write everything as one JSON document (alone or with -: to standard output)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = "Results")]
    json: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
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
    /// Give good-move symbols also where they mislead: for recaptures and for mates already under way
    #[arg(long, help_heading = "Curve")]
    every_symbol: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Review, shared: &Shared) -> Result<ExitCode> {
    let stop = interrupt::flag()?;
    let chosen = args.curve.curve()?;
    let limit = args.engine.limit();
    // The outputs are tried before the engine works for an hour.
    let mut outputs = Outputs::create(args)?;
    let (analyst, named): (Arc<dyn Analyst>, Option<Curve>) = if args.reuse_evals {
        (Arc::new(LazyPool::new(args.engine.clone())), None)
    } else {
        let pool = start_pool(&args.engine)?;
        let curve = Curve::for_engine(&pool.identity().name);
        (pool, Some(curve))
    };
    let options = Options {
        limit,
        lines: args.lines.into(),
        curve: chosen.or(named).unwrap_or_default(),
        scheme: args.scheme,
        every_symbol: args.every_symbol,
        reuse_evals: args.reuse_evals.then_some(args.evals),
    };
    outputs.begin(&options)?;

    let mut progress = Progress::new(shared.progress, shared.quiet);
    let problems = progress.problems();
    count_positions(args.games.clone(), progress.total());
    let games = Games::new(args.games.clone(), Arc::clone(&problems));
    let names = games.names();

    let mut done = 0_u64;
    let mut failed: Result<()> = Ok(());
    review_games(games, &*analyst, &options, stop, |event| match event {
        Event::Position => progress.position(),
        Event::Reviewed(review) => {
            done += 1;
            progress.game(&title(&review));
            let written = outputs.game(&review, &progress, shared);
            keep_first_error(&mut failed, written, stop);
        }
        Event::Failed(failure) => {
            problems.error(format_args!("{}: {failure}; the game is left as it was", names.of(failure.index)));
            let written = outputs.unreviewed(&failure.game);
            keep_first_error(&mut failed, written, stop);
        }
    });
    progress.finish();
    failed?;
    outputs.finish()?;

    if interrupt::interrupted() {
        anstream::eprintln!("interrupted; finished and in the output: {}", plural(done, "game"));
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

fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn title(review: &Reviewed) -> String {
    format!("{} – {}", review.name(Color::White), review.name(Color::Black))
}

/// A result that cannot be written ends the run: nothing would come of the rest.
fn keep_first_error(first: &mut Result<()>, result: Result<()>, stop: &AtomicBool) {
    if result.is_err() && first.is_ok() {
        *first = result;
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Reads files once more beside the work, to know how much there is. Standard input cannot be read twice.
fn count_positions(paths: Vec<PathBuf>, total: Total) {
    if paths.iter().any(|path| !path.is_file()) {
        return;
    }
    thread::spawn(move || {
        let unheard = Problems::new(|_| {});
        total.set(Games::new(paths, unheard).map(|game| game.plies.len() as u64).sum());
    });
}

/// Everything a review is written to.
struct Outputs {
    pgn: Option<Output>,
    html: Option<Report<Output>>,
    json: Option<(Output, u64)>,
    /// Whether the summary goes to standard output, or, if a result goes there, nowhere.
    summary: bool,
    summaries: u64,
}

impl Outputs {
    fn create(args: &Review) -> Result<Self> {
        let create = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
        let taken =
            [&args.output, &args.html, &args.json].into_iter().filter(|path| Output::is_stdout(path.as_ref())).count();
        anyhow::ensure!(taken < 2, exit::usage("only one result can go to standard output; name files for the others"));
        Ok(Self {
            pgn: create(&args.output)?,
            html: create(&args.html)?.map(Report::new).transpose()?,
            json: create(&args.json)?.map(|out| (out, 0)),
            summary: taken == 0,
            summaries: 0,
        })
    }

    fn begin(&mut self, options: &Options) -> Result<()> {
        let Some((json, _)) = &mut self.json else { return Ok(()) };
        let Options { limit, lines, curve, scheme, .. } = options;
        let head = json!({
            "centipawn": env!("CARGO_PKG_VERSION"),
            "curve": curve.to_string(),
            "scheme": scheme.to_string(),
            "limit": limit.to_string(),
            "lines": lines,
        });
        // The document is written game by game, so the head's closing brace has to wait.
        let head = head.to_string();
        write!(json, "{},\"games\":[", head.trim_end_matches('}')).context("cannot write the JSON document")
    }

    fn game(&mut self, review: &Reviewed, progress: &Progress, shared: &Shared) -> Result<()> {
        if let Some(pgn) = &mut self.pgn {
            write_game(pgn, &review.annotated()).context("cannot write the annotated games")?;
        }
        if let Some(html) = &mut self.html {
            html.game(review).context("cannot write the report")?;
        }
        if let Some((json, count)) = &mut self.json {
            json.write_all(if *count > 0 { b",\n" } else { b"\n" })?;
            serde_json::to_writer(json, &review.json()).context("cannot write the JSON document")?;
            *count += 1;
        }
        if self.summary && !shared.quiet {
            let space = if self.summaries > 0 { "\n" } else { "" };
            self.summaries += 1;
            progress.suspend(|| anstream::print!("{space}{}", summary(review)));
        }
        Ok(())
    }

    /// A game that could not be reviewed is not lost.
    fn unreviewed(&mut self, game: &centipawn_pgn::Game) -> Result<()> {
        match &mut self.pgn {
            Some(pgn) => write_game(pgn, game).context("cannot write the annotated games"),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<()> {
        if let Some((mut json, _)) = self.json {
            json.write_all(b"\n]}\n")?;
            json.finish()?;
        }
        if let Some(html) = self.html {
            html.finish().context("cannot write the report")?.finish()?;
        }
        self.pgn.map_or(Ok(()), Output::finish)
    }
}
