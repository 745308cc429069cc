//! `centipawn material`: piece values of games.

mod compare;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::{
    document,
    material::{
        BandOptions, By, Collection, CountOptions, FitOptions, Hypothesis, MaterialReport, Method, ReportError,
        ReportOptions, RowsFormat, SearchCurve, Target, Term,
    },
};
use centipawn_pgn::Dialect;
use centipawn_progress::{AtomicFile, Files, Input, Outcome, Provenance};
use centipawn_work::{
    CollectedRows, MaterialRunOptions, MaterialScan, REPORT_FILES, ScanRequest, collect_rows, rows_format, write_report,
};
use clap::{Args, ValueEnum};

use crate::{
    args::{CurveArgs, PartialArg, SeedArg},
    exit::{self, usage},
    pgn::ScanArgs,
    session::Session,
};

/// Arguments of `centipawn material`.
#[derive(Args)]
pub(crate) struct Material {
    #[command(flatten)]
    scan: ScanArgs,
    #[command(flatten)]
    part: PartialArg,
    /// Compare collections: each of GAMES is one
    #[arg(long, conflicts_with_all = ["by", "rows", "csv", "partial"])]
    compare: bool,
    /// Fit each band separately: phase, elo, year, event or player
    #[arg(long, value_name = "WHAT")]
    by: Option<By>,
    /// Width of a band in Elo points or years [default: 200, 10]
    #[arg(long, value_name = "N", requires = "by", value_parser = clap::value_parser!(u16).range(1..))]
    width: Option<u16>,
    /// Number of events or players to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print everything as one JSON document
    #[arg(long, conflicts_with = "partial")]
    json: bool,
    /// Write the rows to a file: in the article's format, as .tsv with game and ply, or as .csv; - prints them instead of
    /// values
    #[arg(long, value_name = "FILE", conflicts_with = "partial")]
    rows: Option<PathBuf>,
    /// Print the rows as CSV instead of values, or write them to a file (--csv=FILE)
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-", conflicts_with = "partial")]
    csv: Option<PathBuf>,
    /// Write everything, including plots, into a folder, which is created if necessary
    #[arg(short, long, value_name = "DIR", conflicts_with = "partial")]
    out: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
}

/// The options of the model.
#[derive(Args)]
#[command(next_help_heading = "Model")]
struct ModelArgs {
    /// How results enter the model [default: ordered; with --target search: score]
    #[arg(long, value_enum)]
    method: Option<MethodName>,
    /// Further features to estimate, separated by commas: bishop-pair, knight-pair, rook-pair, queen-knight, last-pawn,
    /// tempo, elo, opposite-bishops
    #[arg(long, value_name = "TERMS", value_delimiter = ',')]
    terms: Vec<Term>,
    /// A hypothesis about values to test, such as 'N > 3P'; may be repeated
    #[arg(long, value_name = "TEST")]
    test: Vec<Hypothesis>,
    /// Fit no advantage of the first move
    #[arg(long)]
    no_first_move: bool,
    /// What the model predicts
    #[arg(long, value_enum, default_value_t)]
    target: TargetName,
    /// Leave out games without a result, which --method classic counts as drawn, as in the article; others always leave them out
    #[arg(long)]
    finished: bool,
    /// Number of bootstrap resamples for intervals; 0: intervals from standard errors
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    resamples: u16,
    #[command(flatten)]
    seed: SeedArg,
    /// Number of parts of the games for a held-out test: each part is predicted by a model of the others; 0 for no test
    /// [default: 5 with --terms or --out]
    #[arg(long, value_name = "N", value_parser = crate::args::parse_folds)]
    folds: Option<u16>,
    /// Dialect of the evaluations, if auto detection fails
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    #[command(flatten)]
    curve: CurveArgs,
}

/// `--method`.
#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    /// The article's: a logistic model of decisive games
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
    /// Results of games
    #[default]
    Result,
    /// Expected scores by the evaluations in the games and --curve
    Search,
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
            resamples: usize::from(self.resamples),
            seed: self.seed.seed,
            ..usual
        })
    }

    /// Capablanca's rules, then those of `--test`.
    fn tests(&self) -> Vec<Hypothesis> {
        let mut tests = Hypothesis::capablanca();
        tests.extend(self.test.iter().cloned());
        tests
    }
}

impl Material {
    fn options(&self) -> Result<MaterialRunOptions> {
        let fit = self.model.options()?;
        let search = match (self.model.target, self.model.curve.curve()?) {
            (TargetName::Result, _) => None,
            (TargetName::Search, Some(curve)) => Some(SearchCurve::Given(curve)),
            (TargetName::Search, None) => Some(SearchCurve::ByDialect),
        };
        let names = self.by.is_some_and(By::needs_names);
        let options = CountOptions { finished: self.model.finished, names, search };
        let usual = if fit.terms.is_empty() && self.out.is_none() { 0 } else { 5 };
        let bands = self.by.map(|by| BandOptions { by, width: self.width, top: self.top });
        let folds = usize::from(self.model.folds.unwrap_or(usual));
        Ok(MaterialRunOptions {
            shard: self.scan.shard,
            count: MaterialScan { evals: self.model.evals, options },
            report: ReportOptions { fit, tests: self.model.tests(), folds, bands },
        })
    }

    fn has_document(&self) -> bool {
        self.json || self.out.is_some()
    }

    /// Collects the rows of games and files.
    fn read(&self, named: &[PathBuf], options: &MaterialRunOptions, session: &Session) -> Result<CollectedRows> {
        let scan = self.scan.options(session, session.cancel()?);
        let request = ScanRequest { games: named, ..self.scan.request("material", &self.part, self.has_document()) };
        Ok(collect_rows(&request, &options.count, &scan, session.reporter())?)
    }

    /// Whether rows go to standard output, so that nothing else may.
    fn prints_rows(&self) -> bool {
        [&self.rows, &self.csv].into_iter().flatten().any(|path| path == Path::new("-"))
    }

    fn write_rows(&self, collection: &Collection, session: &Session) -> Result<()> {
        let outputs = [(&self.rows, None), (&self.csv, Some(RowsFormat::Commas))];
        for (path, format) in outputs.into_iter().filter_map(|(path, format)| path.as_ref().map(|path| (path, format)))
        {
            let mut out = AtomicFile::create(path)?;
            let format = format.unwrap_or_else(|| rows_format(path));
            collection.write_rows(format, &mut out).with_context(|| format!("cannot write {}", path.display()))?;
            session.place(out)?;
        }
        Ok(())
    }
}

/// Runs the command.
pub(crate) fn run(args: &Material, session: &Session) -> Result<ExitCode> {
    let mut options = args.options()?;
    let mut files = Files::reading(&args.scan.games);
    args.rows.iter().chain(&args.csv).try_for_each(|path| files.reserve(path))?;
    if args.prints_rows() && args.has_document() {
        return Err(usage("rows go to standard output, so nothing else can: give --rows or --csv a FILE"));
    }
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    if args.compare {
        return compare::run(args, &options, session);
    }
    let cancel = session.cancel()?;
    let mut rows = args.read(&args.scan.games, &options, session)?;
    if rows.is_part {
        return Ok(session.status(rows.outcome));
    }
    options.count.clone_from(&rows.options);
    let hashes = args.has_document().then(|| rows.hashes());
    args.write_rows(&rows.collection.with_results(options.report.fit.method), session)?;
    if args.prints_rows() || rows.outcome.cancelled {
        return Ok(session.status(rows.outcome));
    }
    let report = match report(&rows, &options.report, session) {
        Err(error) if !files.written().is_empty() && !rows.collection.is_empty() && !session.is_cancelled() => {
            session.reporter().note(&format!("error: {error:#}; the rows are written"));
            return Ok(exit::SKIPPED.into());
        }
        report => report?,
    };
    let inputs = hashes.map(|hashes| hashes.finish(cancel));
    let provenance = inputs.map(|inputs| provenance(&options, inputs));
    let text = report.text(options.count.options.finished);
    if let Some(folder) = &args.out {
        if session.is_cancelled() {
            return Ok(session.status(Outcome { cancelled: true, ..rows.outcome }));
        }
        write_report(folder, &report, &text, &rows.collection, provenance.clone())?;
        session.note(&format!("In {}: {}", folder.display(), REPORT_FILES.join(", ")));
    }
    session.print(&if args.json { document(&report.document(provenance)) } else { text })?;
    if let Err(why) = report.fit.values() {
        session.reporter().note(&format!("error: {why}"));
        return Ok(exit::SKIPPED.into());
    }
    Ok(session.status(rows.outcome))
}

fn provenance(options: &MaterialRunOptions, inputs: Vec<Input>) -> Provenance {
    Provenance::of("material", options).inputs(inputs).seed(options.report.fit.seed)
}

/// Computes the report on the rows.
fn report(rows: &CollectedRows, options: &ReportOptions, session: &Session) -> Result<MaterialReport> {
    if rows.collection.is_empty() && rows.outcome.skipped > 0 {
        return Err(anyhow!("no games to tell values from: nothing that was named could be read"));
    }
    let report = MaterialReport::new(&rows.collection, options, session.cancel()?, session.reporter());
    report.map_err(|error| match error {
        ReportError::Test(error) => usage(error.to_string()),
        ReportError::Fit(error) => anyhow::Error::from(error),
        error => anyhow::Error::from(error),
    })
}
