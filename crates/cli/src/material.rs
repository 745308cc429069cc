//! `centipawn material`: piece values of games.

mod bands;
mod compare;
mod files;
mod report;

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use centipawn_calibrate::material::{
    By, Collection, CountOptions, FitOptions, Hypothesis, Method, RowsFormat, SearchCurve, Target, Term, count,
};
use centipawn_pgn::{Dialect, Merge as _, Problem, Source};
use clap::{Args, ValueEnum};

use crate::{
    args::{CurveArgs, Shared},
    exit::{self, usage},
    output::{Output, refuse_collisions},
    pgn::ScanArgs,
    text::printable,
    told::Told,
};

/// Arguments of `centipawn material`.
#[derive(Args)]
pub(crate) struct Material {
    #[command(flatten)]
    scan: ScanArgs,
    /// Compare the collections: each of GAMES is one
    #[arg(long, conflicts_with_all = ["by", "rows", "csv"])]
    compare: bool,
    /// Values of each band: phase, elo, year, event or player
    #[arg(long, value_name = "WHAT")]
    by: Option<By>,
    /// Elo points or years of a band [default: 200, 10]
    #[arg(long, value_name = "N", requires = "by", value_parser = clap::value_parser!(u16).range(1..))]
    width: Option<u16>,
    /// Events or players that are shown
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print everything as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the rows: the article's file, as .tsv with game and ply, as .csv; - prints them instead of values
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Print the rows as CSV instead of values, or write them to a file (--csv=FILE)
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    csv: Option<PathBuf>,
    /// A folder for everything, plots too; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
}

/// What the model is.
#[derive(Args)]
#[command(next_help_heading = "Model")]
struct ModelArgs {
    /// What a result is taken for [default: ordered, for a search score]
    #[arg(long, value_enum)]
    method: Option<MethodName>,
    /// What else may have a value: bishop-pair, knight-pair, rook-pair, queen-knight, last-pawn, tempo, elo,
    /// opposite-bishops
    #[arg(long, value_name = "TERMS", value_delimiter = ',')]
    terms: Vec<Term>,
    /// A relation of values to test, such as 'N > 3P'; may be repeated
    #[arg(long, value_name = "TEST")]
    test: Vec<Hypothesis>,
    /// The first move has no value by itself
    #[arg(long)]
    no_first_move: bool,
    /// What values are fitted to
    #[arg(long, value_enum, default_value_t)]
    target: TargetName,
    /// Leave out games without a result, instead of counting them as drawn
    #[arg(long)]
    finished: bool,
    /// How often games are drawn again for intervals; 0: intervals of standard errors
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    draws: u16,
    /// Parts of the games to test models on that were fitted to the others; 0: no test [default: 5 with --terms or --out]
    #[arg(long, value_name = "N", value_parser = parse_folds)]
    folds: Option<u16>,
    /// How evaluations are written, where auto does not find out
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    #[command(flatten)]
    curve: CurveArgs,
}

/// `--method`.
#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    /// The article's: a logistic model of games that were won
    Classic,
    /// A logistic model of the score
    Score,
    /// An ordered logit: win, draw, loss
    Ordered,
    /// Davidson's model of win, draw, loss
    Davidson,
}

/// `--target`.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum TargetName {
    /// How games ended
    #[default]
    Result,
    /// What evaluations in the games promise, by --curve
    Search,
}

fn parse_folds(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(folds @ (0 | 2..=50)) => Ok(folds),
        _ => Err("folds are 2 to 50, or 0 for none".to_owned()),
    }
}

/// What was read.
struct Games {
    collection: Collection,
    /// Things that could not be read.
    skipped: u64,
    cancelled: bool,
}

impl Games {
    fn status(&self) -> ExitCode {
        match (self.cancelled, self.skipped) {
            (true, _) => exit::INTERRUPTED.into(),
            (_, 0) => ExitCode::SUCCESS,
            _ => exit::SKIPPED.into(),
        }
    }
}

impl ModelArgs {
    fn options(&self) -> Result<FitOptions> {
        let search = self.target == TargetName::Search;
        let method = match self.method {
            None if search => Method::Score,
            None | Some(MethodName::Ordered) => Method::Ordered,
            Some(MethodName::Classic) => Method::Classic,
            Some(MethodName::Score) => Method::Score,
            Some(MethodName::Davidson) => Method::Davidson,
        };
        let mut terms = Vec::new();
        for &term in &self.terms {
            if terms.contains(&term) {
                return Err(usage(format!("--terms has {term} twice")));
            }
            terms.push(term);
        }
        let usual = FitOptions::of(method);
        Ok(FitOptions {
            terms,
            first_move: usual.first_move && !self.no_first_move,
            target: if search { Target::Search } else { Target::Result },
            draws: usize::from(self.draws),
            ..usual
        })
    }

    /// Capablanca's rules, then those asked for.
    fn tests(&self) -> Vec<Hypothesis> {
        let mut tests = Hypothesis::capablanca();
        tests.extend(self.test.iter().cloned());
        tests
    }
}

impl Material {
    /// The rows of games, or of files of rows, in the order of the arguments.
    fn read(&self, named: &[PathBuf], shared: &Shared) -> Result<Games> {
        let search = match (self.model.target, self.model.curve.curve()?) {
            (TargetName::Result, _) => None,
            (TargetName::Search, Some(curve)) => Some(SearchCurve::Given(curve)),
            (TargetName::Search, None) => Some(SearchCurve::ByDialect),
        };
        let names = self.by.is_some_and(By::needs_names);
        let options = CountOptions { finished: self.model.finished, names, search };
        let mut games = Games { collection: Collection::default(), skipped: 0, cancelled: false };
        for some in named.chunk_by(|a, b| has_rows(a) == has_rows(b)) {
            if !has_rows(&some[0]) {
                self.scan(some, shared, &options, &mut games)?;
                continue;
            }
            for path in some {
                let rows = Collection::read_rows(Source::open(path)?).with_context(|| path.display().to_string())?;
                games.collection.merge(rows);
            }
        }
        Ok(games)
    }

    fn scan(&self, named: &[PathBuf], shared: &Shared, options: &CountOptions, games: &mut Games) -> Result<()> {
        let told = Told::default();
        let on_problem = |problem: &Problem| {
            if told.is_due(problem) {
                anstream::eprintln!("error: {}", printable(&problem.to_string()));
            }
        };
        let ((collection, report), missing) =
            self.scan
                .run(shared, named, self.model.evals, &on_problem, |sources, scan| count(sources, scan, options))?;
        if let Some(rest) = told.rest() {
            anstream::eprintln!("warning: {rest}");
        }
        games.collection.merge(collection);
        games.skipped += missing + report.bad_games() + report.failed_sources;
        games.cancelled |= report.cancelled;
        Ok(())
    }

    /// Whether rows are printed, so that nothing else is.
    fn prints_rows(&self) -> bool {
        [&self.rows, &self.csv].into_iter().flatten().any(|path| path == Path::new("-"))
    }

    fn write_rows(&self, collection: &Collection) -> Result<()> {
        let outputs = [(&self.rows, None), (&self.csv, Some(RowsFormat::Commas))];
        for (path, format) in outputs.into_iter().filter_map(|(path, format)| path.as_ref().map(|path| (path, format)))
        {
            let mut out = Output::create(path)?;
            let format = format.unwrap_or_else(|| rows_format(path));
            collection.write_rows(format, &mut out).with_context(|| format!("cannot write {}", path.display()))?;
            out.finish()?;
        }
        Ok(())
    }
}

/// Whether a file is one of rows, by its name; it may be compressed.
fn has_rows(path: &Path) -> bool {
    let has = |path: &Path, endings: &[&str]| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        endings.iter().any(|own| own.eq_ignore_ascii_case(extension))
    };
    let plain = if has(path, &["gz", "zst", "bz2"]) { path.with_extension("") } else { path.to_owned() };
    has(&plain, &["rows", "mat", "tsv", "csv"])
}

fn rows_format(path: &Path) -> RowsFormat {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("tsv") => RowsFormat::Tabs,
        Some("csv") => RowsFormat::Commas,
        _ => RowsFormat::Article,
    }
}

/// Runs the command.
pub(crate) fn run(args: &Material, shared: &Shared) -> Result<ExitCode> {
    let options = args.model.options()?;
    let results: Vec<&Path> = args.rows.iter().chain(&args.csv).map(PathBuf::as_path).collect();
    refuse_collisions(&results, &args.scan.games)?;
    if args.prints_rows() && (args.json || args.out.is_some()) {
        return Err(usage("rows go to standard output, so nothing else can: give --rows or --csv a FILE"));
    }
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    if args.compare {
        return compare::run(args, &options, shared);
    }
    let games = args.read(&args.scan.games, shared)?;
    args.write_rows(&games.collection)?;
    if args.prints_rows() {
        return Ok(games.status());
    }
    let report = match report::Report::new(args, &options, &games) {
        Err(error) if !results.is_empty() && !games.collection.is_empty() => {
            anstream::eprintln!("error: {error:#}; the rows are written");
            return Ok(exit::SKIPPED.into());
        }
        report => report?,
    };
    let text = if args.json { format!("{:#}\n", report.json()) } else { report.text() };
    if let Some(folder) = &args.out {
        files::write(folder, &report, &games.collection)?;
        if !shared.quiet {
            anstream::eprintln!("In {}: {}", folder.display(), files::NAMES.join(", "));
        }
    }
    io::stdout().write_all(text.as_bytes()).context("cannot print")?;
    if let Err(why) = report.fit.values() {
        anstream::eprintln!("error: {why}");
        return Ok(exit::SKIPPED.into());
    }
    Ok(games.status())
}
