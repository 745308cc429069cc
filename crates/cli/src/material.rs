//! `centipawn material`: piece values of games.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use centipawn_calibrate::material::{
    BandOptions, By, Hypothesis, Method, ReportError, RowsFormat, Target, Term, UnknownTerm,
};
use centipawn_pgn::Dialect;
use centipawn_printer as printer;
use centipawn_progress::{AtomicFile, Cancel, Outcome, Problem, Reporter as _, make_folder};
use centipawn_work::scan::{
    CollectedRows, CompareCollectionsError, MATERIAL_FILES, MaterialError, MaterialRequest,
    MaterialRunOptions, compare_collections, material_rows, rows_format, write_material,
};
use clap::{Args, ValueEnum};

use crate::{
    args::{ClustersName, CurveArgs, PartialArg, SeedArg, reading},
    exit::{self, usage},
    numbers::whole_number,
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
    /// Compare collections of games: each GAMES argument is one collection
    #[arg(long, conflicts_with_all = ["by", "rows", "csv", "partial"])]
    compare: bool,
    /// Divide the games into bands and fit each band separately: by phase, elo, year, event or
    /// player
    #[arg(long, value_name = "WHAT")]
    by: Option<By>,
    /// Width of a band in Elo points or years [default: 200, 10]
    #[arg(long, value_name = "N", requires = "by", value_parser = whole_number::<u16>(1..))]
    width: Option<u16>,
    /// Number of events or players to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print everything as one JSON document
    #[arg(long, conflicts_with = "partial")]
    json: bool,
    /// Write the positions of the regression (rows) to a file: in the format of the article "Point
    /// Value by Regression Analysis", as .tsv with game and ply, or as .csv; - prints them instead
    /// of values
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
    /// How the model uses results [default: ordered; with --target search: score]
    #[arg(long, value_enum)]
    method: Option<MethodName>,
    /// Further features to estimate, separated by commas: bishop-pair, knight-pair, rook-pair,
    /// queen-knight, last-pawn, tempo, elo, opposite-bishops, structure for pawns, squares of
    /// pieces, the king's safety and mobility, or some of these (see docs/material.md)
    #[arg(long, value_name = "TERMS", value_delimiter = ',', value_parser = parse_term)]
    terms: Vec<Terms>,
    /// A table of features of your own to estimate as well: tabs or commas, a header, the columns
    /// game and ply as --rows FILE.csv writes them, and a column for each feature
    #[arg(long, value_name = "FILE", conflicts_with_all = ["partial", "compare"])]
    features: Option<PathBuf>,
    /// A hypothesis about values to test, such as 'N > 3P'; may be repeated
    #[arg(long, value_name = "TEST")]
    test: Vec<Hypothesis>,
    /// Leave the advantage of the first move out of the model
    #[arg(long)]
    no_first_move: bool,
    /// What the model predicts
    #[arg(long, value_enum, default_value_t)]
    target: TargetName,
    /// Leave out games without a result; without this flag, --method classic counts them as drawn,
    /// like the article. Other methods always leave them out
    #[arg(long)]
    finished: bool,
    /// Number of bootstrap resamples for intervals; 0: intervals from standard errors
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole_number::<u16>(0..=10_000))]
    resamples: u16,
    #[command(flatten)]
    seed: SeedArg,
    /// Number of folds of a held-out test: each fold of the games is predicted by a model fitted to
    /// the other folds; 0 for no test [default: 5 with --terms or --out]
    #[arg(long, value_name = "N", value_parser = crate::args::parse_folds)]
    folds: Option<u16>,
    /// What counts as one game in files of rows: game, which the rows must number (.tsv, .csv), or
    /// row, which also accepts the article's format
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    clusters: ClustersName,
    /// Dialect (notation) of the evaluations in comments, if automatic detection fails: commands
    /// (lichess, chessbase, scid), engine (cutechess, fastchess, fishtest, openbench, c-chess-cli,
    /// xboard), tcec, text (annotator, chess-artist, chess.com)
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    #[command(flatten)]
    curve: CurveArgs,
}

/// One name of `--terms`, which may stand for several terms.
#[derive(Clone)]
struct Terms(Vec<Term>);

fn parse_term(name: &str) -> Result<Terms, UnknownTerm> {
    Term::named(name).map(Terms)
}

/// `--method`.
#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    /// A logistic model of decisive games, as in Point Value by Regression Analysis
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
    /// Expected scores, computed with --curve from the evaluations in the games
    Search,
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Classic => Self::Classic,
            MethodName::Score => Self::Score,
            MethodName::Ordered => Self::Ordered,
            MethodName::Davidson => Self::Davidson,
        }
    }
}

impl Material {
    fn options(&self, cancel: &Cancel) -> Result<MaterialRunOptions> {
        let model = &self.model;
        let is_search = model.target == TargetName::Search;
        // Check the curve even if the target does not use it, so that a wrong name is an error.
        let curve = model.curve.curve(cancel)?;
        let request = MaterialRequest {
            shard: self.scan.shard,
            evals: model.evals,
            finished: model.finished,
            clusters: model.clusters.into(),
            method: model.method.map(Method::from),
            terms: model
                .terms
                .iter()
                .flat_map(|terms| terms.0.clone())
                .collect(),
            features: model.features.clone(),
            first_move: model.no_first_move.then_some(false),
            target: if is_search {
                Target::Search
            } else {
                Target::Result
            },
            curve,
            resamples: Some(model.resamples.into()),
            seed: model.seed.seed,
            folds: model.folds.map(usize::from),
            tests: model.test.clone(),
            bands: self.by.map(|by| BandOptions {
                by,
                width: self.width.and_then(NonZero::new),
                top: self.top,
            }),
        };
        let request = if self.out.is_some() {
            request.with_plots()
        } else {
            request
        };
        request.options().map_err(|error| usage(error.to_string()))
    }

    fn has_document(&self) -> bool {
        self.json || self.out.is_some()
    }

    /// Returns whether rows go to standard output, so that nothing else may.
    fn prints_rows(&self) -> bool {
        [&self.rows, &self.csv]
            .into_iter()
            .flatten()
            .any(|path| path == Path::new("-"))
    }

    fn write_rows(&self, rows: &CollectedRows, method: Method, session: &Session) -> Result<()> {
        let outputs = [(&self.rows, None), (&self.csv, Some(RowsFormat::Commas))];
        for (path, format) in outputs
            .into_iter()
            .filter_map(|(path, format)| path.as_ref().map(|path| (path, format)))
        {
            let mut out = AtomicFile::create(path, session.cancel()?)?;
            let format = format.unwrap_or_else(|| rows_format(path));
            rows.write(method, format, &mut out)
                .with_context(|| format!("cannot write {}", path.display()))?;
            session.place(out)?;
        }
        Ok(())
    }
}

/// Runs the command.
pub(crate) fn run(args: &Material, session: &Session) -> Result<ExitCode> {
    let options = args.options(session.cancel()?)?;
    let mut files = reading(&args.scan.games);
    files.also_reads(&args.model.features);
    args.rows
        .iter()
        .chain(&args.csv)
        .try_for_each(|path| files.reserve(path))?;
    if args.prints_rows() && args.has_document() {
        return Err(usage(
            "rows go to standard output, so nothing else can: give --rows or --csv a FILE",
        ));
    }
    if let Some(folder) = &args.out {
        make_folder(folder)?;
    }
    if args.compare {
        return compare(args, &options, session);
    }
    let cancel = session.cancel()?;
    let inputs = args.scan.inputs(&args.part, args.has_document());
    let finished = material_rows(&options, inputs, args.scan.run(session, cancel))?;
    let Some(rows) = finished.result else {
        return Ok(session.status(finished.outcome));
    };
    args.write_rows(&rows, options.report.fit.method, session)?;
    if args.prints_rows() || finished.outcome.cancelled {
        return Ok(session.status(finished.outcome));
    }
    let result = match rows.fit(&options.report, args.scan.run(session, cancel)) {
        Err(error)
            if !files.written().is_empty()
                && !rows.collection.is_empty()
                && !session.is_cancelled() =>
        {
            session.reporter().problem(&Problem::error(format!(
                "{:#}; the rows are written",
                refusal(error)
            )));
            return Ok(exit::SKIPPED.into());
        }
        result => result.map_err(refusal)?,
    };
    let text = printer::material(&result);
    if let Some(folder) = &args.out {
        if session.is_cancelled() {
            return Ok(session.status(Outcome {
                cancelled: true,
                ..finished.outcome
            }));
        }
        write_material(folder, &result, &text, &rows)?;
        session.note(&format!(
            "In {}: {}",
            folder.display(),
            MATERIAL_FILES.join(", ")
        ));
    }
    session.answer(args.json, || result.json(), || text)?;
    if let Err(why) = result.report.fit.values() {
        session.reporter().problem(&Problem::error(why));
        return Ok(exit::SKIPPED.into());
    }
    Ok(session.status(finished.outcome))
}

/// Fits each collection, and compares the others with the first.
fn compare(args: &Material, options: &MaterialRunOptions, session: &Session) -> Result<ExitCode> {
    let cancel = session.cancel()?;
    let inputs = args.scan.inputs(&args.part, args.has_document());
    let finished = compare_collections(options, inputs, args.scan.run(session, cancel));
    let finished = finished.map_err(|error| match error {
        CompareCollectionsError::TooFew => usage(format!("{error} in quotes")),
        error => error.into(),
    })?;
    let Some(compared) = finished.result else {
        return Ok(session.status(finished.outcome));
    };
    let mut is_certain = true;
    for (name, why) in compared.uncertain() {
        session.reporter().note(&format!("error: {name}: {why}"));
        is_certain = false;
    }
    if let Some(folder) = &args.out {
        if session.is_cancelled() {
            return Ok(session.status(Outcome {
                cancelled: true,
                ..finished.outcome
            }));
        }
        compared.write_into(folder)?;
        session.note(&format!(
            "In {}: comparison.json, values.svg, values.png",
            folder.display()
        ));
    }
    session.answer(
        args.json,
        || compared.json(),
        || printer::collections(&compared),
    )?;
    Ok(if is_certain {
        session.status(finished.outcome)
    } else {
        exit::SKIPPED.into()
    })
}

fn refusal(error: MaterialError) -> anyhow::Error {
    match error {
        MaterialError::Report(ReportError::Test(error)) => usage(error.to_string()),
        error => error.into(),
    }
}
