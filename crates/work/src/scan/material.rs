//! Piece values: collecting rows from games and row files, and writing the folder of results.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    slice,
    sync::{Mutex, OnceLock, PoisonError},
};

use centipawn_calibrate::{
    Clusters, PlotForm, document,
    material::{
        self, BandOptions, Collection, ComparisonDocument, CountOptions, FeaturesError, Fit,
        FitError, FitOptions, Hypothesis, Matched, MaterialPlot, MaterialReport, Method,
        OwnFeatures, PawnUncertain, ReportError, ReportOptions, RowsError, RowsFormat, SearchCurve,
        Target, Term,
    },
    wdl::FenCounters,
};
use centipawn_core::Curve;
use centipawn_pgn::{
    Dialect, Impossible, Merge as _, ScanOptions, ScanReport, Shard, Source, SourceError, Sources,
};
use centipawn_progress::{
    Cancel, FileError, Input, Outcome, Placement, ProblemCount, Provenance,
    text::{plural, printable},
};
use serde::{Deserialize, Deserializer, Serialize, de};

use super::gather::{gather, named_games};
use crate::{
    Finished, Inputs, Run,
    scan::{Gathered, InputHashes, PartError, Scan, ScanError},
};

/// How games are counted for a [`Collection`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MaterialScan {
    /// The dialect of the evaluations; by default, it is detected for each file.
    pub evals: Dialect,
    /// Options of counting the games.
    #[serde(flatten)]
    pub options: CountOptions,
}

impl Scan for MaterialScan {
    type State = Collection;

    const NAME: &'static str = "material";

    const COMMANDS: &'static [&'static str] = &["material"];

    // The search target changes the rows themselves, and the structure comes with them, so parts
    // must have the same.
    const STRICT: &'static [&'static str] = &["/search", "/structure"];

    fn run(
        &self,
        _book: Option<&FenCounters>,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(Collection, ScanReport), ScanError> {
        let options = ScanOptions {
            dialect: self.evals,
            ..*options
        };
        Ok(material::count(sources, &options, &self.options)?)
    }

    fn check(state: &Collection, report: &ScanReport) -> Result<(), Impossible> {
        state.check(report)
    }

    fn for_part(&self) -> Self {
        Self {
            options: CountOptions {
                names: true,
                ..self.options.clone()
            },
            ..self.clone()
        }
    }

    fn for_results(mut self, asked: &Self) -> Self {
        self.options.names = asked.options.names;
        self
    }
}

/// The options from games to piece values: the recipe of `material.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MaterialRunOptions {
    /// The part of the games to read; all by default.
    pub shard: Shard,
    /// Options of counting the games.
    pub count: MaterialScan,
    /// The table of the reader's own features; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<PathBuf>,
    /// Options of the report that is computed from the rows.
    pub report: ReportOptions,
}

/// A request for piece values. Missing options are derived from the others.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct MaterialRequest {
    /// The part of the games to read; all by default.
    pub shard: Shard,
    /// The dialect of the evaluations.
    pub evals: Dialect,
    /// Whether games without a result are left out by every method.
    pub finished: bool,
    /// The rule by which rows of files belong to one game; by default, rows with the same game
    /// number.
    pub clusters: Clusters,
    /// How results enter the model: ordered by default, and score where expected scores are
    /// predicted.
    pub method: Option<Method>,
    /// Further features by name, none by default. `structure` stands for all terms of the
    /// structure.
    #[serde(deserialize_with = "terms_by_name")]
    pub terms: Vec<Term>,
    /// The table of the reader's own features; none by default.
    pub features: Option<PathBuf>,
    /// Whether the first move has a coefficient: by default as is usual for the method.
    pub first_move: Option<bool>,
    /// The quantity that the model predicts; results by default.
    pub target: Target,
    /// The curve of the expected scores that are predicted: by default that of the games' dialect.
    #[serde(skip)]
    pub curve: Option<Curve>,
    /// Number of resamples for the intervals; 1,000 by default.
    pub resamples: Option<usize>,
    /// Seed of the resamples' random numbers.
    pub seed: u64,
    /// Parts of the games for the held-out test: by default five with terms, and else no test.
    pub folds: Option<usize>,
    /// Hypotheses to test beside Capablanca's rules; one that repeats another is left out.
    pub tests: Vec<Hypothesis>,
    /// Bands to fit separately; none by default.
    pub bands: Option<BandOptions>,
}

/// Reads the names of terms.
fn terms_by_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Term>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let terms: Result<Vec<_>, _> = names.iter().map(|name| Term::named(name)).collect();
    Ok(terms.map_err(de::Error::custom)?.concat())
}

/// The same term was requested twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the term {0} is there twice")]
pub struct TermTwice(pub Term);

impl MaterialRequest {
    /// Returns the complete options.
    ///
    /// # Errors
    ///
    /// [`TermTwice`].
    pub fn options(self) -> Result<MaterialRunOptions, TermTwice> {
        if let Some(twice) =
            (1..self.terms.len()).find(|&index| self.terms[..index].contains(&self.terms[index]))
        {
            return Err(TermTwice(self.terms[twice]));
        }
        let is_search = self.target == Target::Search;
        let usual = FitOptions::of(self.method.unwrap_or(if is_search {
            Method::Score
        } else {
            Method::Ordered
        }));
        let has_terms = !self.terms.is_empty() || self.features.is_some();
        let folds = self.folds.unwrap_or(if has_terms { FOLDS } else { 0 });
        let structure = self.terms.iter().any(|term| term.is_of_structure());
        let fit = FitOptions {
            terms: self.terms,
            first_move: self.first_move.unwrap_or(usual.first_move),
            target: self.target,
            resamples: self.resamples.unwrap_or(usual.resamples),
            seed: self.seed,
            ..usual
        };
        let mut tests = Hypothesis::capablanca();
        for test in self.tests {
            // A repeated test would count twice in Holm's correction.
            if !tests.iter().any(|own| own.is_same(&test)) {
                tests.push(test);
            }
        }
        let names = self.bands.is_some_and(|bands| bands.by.needs_names());
        let search = is_search.then(|| {
            self.curve
                .map_or(SearchCurve::ByDialect, SearchCurve::Given)
        });
        let options = CountOptions {
            finished: self.finished,
            names,
            search,
            structure,
            clusters: self.clusters,
        };
        Ok(MaterialRunOptions {
            shard: self.shard,
            count: MaterialScan {
                evals: self.evals,
                options,
            },
            features: self.features,
            report: ReportOptions {
                fit,
                tests,
                folds,
                bands: self.bands,
            },
        })
    }

    /// Returns the same request for a folder of results, whose plots need a held-out test.
    #[must_use]
    pub fn with_plots(self) -> Self {
        Self {
            folds: self.folds.or(Some(FOLDS)),
            ..self
        }
    }
}

/// Parts of the games for a held-out test.
const FOLDS: usize = 5;

/// Rows of games and files, with the numbers of skipped games.
#[derive(Default)]
#[non_exhaustive]
pub struct CollectedRows {
    /// The collected rows.
    pub collection: Collection,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// Games and files read, skipped or cancelled.
    pub outcome: Outcome,
    /// Counts of the scan of the games.
    pub scan: ScanReport,
    /// The options of the counts: the requested ones, or those of the parts.
    pub options: MaterialScan,
    shard: Shard,
    /// The table of the reader's own features, with its matches.
    features: Option<(PathBuf, Matched)>,
    /// The files with their hashes; `None` if documents do not name them.
    inputs: Option<RowsInputs>,
}

/// The files with their hashes, which are computed once.
struct RowsInputs {
    /// Hashes of the files of merged parts.
    known: Mutex<Option<InputHashes>>,
    finished: OnceLock<Vec<Input>>,
}

/// A model of piece values with its tests and bands, and its provenance.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MaterialResult {
    /// The computed report.
    pub report: MaterialReport,
    /// The provenance; `None` if inputs were not [hashed](Inputs::is_hashed).
    pub provenance: Option<Provenance>,
    /// Whether games without a result were left out by request.
    pub finished: bool,
}

/// The reason why there are no piece values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// No file could be read.
    #[error("no games to learn values from: nothing that was named could be read")]
    Nothing,
    /// The report cannot be computed from the rows.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl CollectedRows {
    /// Fits values to the rows.
    ///
    /// # Errors
    ///
    /// [`MaterialError`].
    pub fn fit(
        &self,
        options: &ReportOptions,
        run: Run<'_>,
    ) -> Result<MaterialResult, MaterialError> {
        if self.collection.is_empty() && self.outcome.skipped > 0 {
            return Err(MaterialError::Nothing);
        }
        let hashes = self.start_hashes();
        let mut report = MaterialReport::new(&self.collection, options, run.cancel, run.reporter)?;
        // The classic method counts such games as drawn, and a search's scores need no result.
        let is_used = options.fit.target == Target::Search
            || (options.fit.method == Method::Classic && !self.options.options.finished);
        let unfinished = if is_used { 0 } else { report.unfinished };
        if let Some(note) = self.scan.left_out(&[(unfinished, "without a result")]) {
            report.warnings.insert(0, note);
        }
        if let Some((path, matched)) = &self.features {
            report.warnings.extend(unmatched(path, *matched));
        }
        let recipe = MaterialRunOptions {
            shard: self.shard,
            count: self.options.clone(),
            features: self.features.as_ref().map(|(path, _)| path.clone()),
            report: options.clone(),
        };
        let provenance = self
            .inputs(hashes, run.cancel)
            .map(|inputs| provenance(&recipe, inputs));
        Ok(MaterialResult {
            report,
            provenance,
            finished: self.options.options.finished,
        })
    }

    /// Returns the file of the reader's own features; `None` without any.
    pub fn features(&self) -> Option<&Path> {
        Some(&self.features.as_ref()?.0)
    }

    /// Writes the rows that the method counts.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write(
        &self,
        method: Method,
        format: RowsFormat,
        out: &mut impl io::Write,
    ) -> io::Result<()> {
        self.collection.with_results(method).write_rows(format, out)
    }

    /// Hashes that are not known yet, computed while something else works.
    fn start_hashes(&self) -> Option<InputHashes> {
        let inputs = self
            .inputs
            .as_ref()
            .filter(|inputs| inputs.finished.get().is_none())?;
        let known = inputs
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        Some(known.unwrap_or_else(|| InputHashes::start(self.files.clone())))
    }

    fn inputs(&self, hashes: Option<InputHashes>, cancel: &Cancel) -> Option<Vec<Input>> {
        let inputs = self.inputs.as_ref()?;
        let finish = || {
            hashes
                .map(|hashes| hashes.finish(cancel))
                .unwrap_or_default()
        };
        Some(inputs.finished.get_or_init(finish).clone())
    }
}

/// Returns a warning about rows and lines of a table of features that do not belong together.
fn unmatched(path: &Path, matched: Matched) -> Option<String> {
    let Matched {
        without, unused, ..
    } = matched;
    let left_out = format!(
        "{} without a line in {}: left out",
        plural(without, "row"),
        path.display()
    );
    let verb = if unused == 1 { "matches" } else { "match" };
    let lines = format!("{} of it {verb} no row", plural(unused, "line"));
    match (without > 0, unused > 0) {
        (true, true) => Some(format!("{left_out}; {lines}")),
        (true, false) => Some(left_out),
        (false, true) => Some(format!("{}: {lines}", path.display())),
        (false, false) => None,
    }
}

fn provenance(options: &MaterialRunOptions, inputs: Vec<Input>) -> Provenance {
    Provenance::of("material", options)
        .inputs(inputs)
        .seed(options.report.fit.seed)
}

impl MaterialResult {
    /// Returns the document of `material --json`.
    pub fn json(&self) -> String {
        document(&self.report.document(self.provenance.clone()))
    }
}

/// The reason why rows cannot be collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// A file of rows cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file of rows cannot be read.
    #[error("{}", path.display())]
    Rows {
        /// Path of the file.
        path: PathBuf,
        /// The problem, and its place.
        #[source]
        error: RowsError,
    },
    /// The table of features cannot be read.
    #[error("{}", path.display())]
    Features {
        /// Path of the file.
        path: PathBuf,
        /// The problem, and its place.
        #[source]
        error: FeaturesError,
    },
    /// The numbers of games in a table of features would not be those of the rows.
    #[error(
        "a table of features belongs to all rows of one run: give it together with games, or with \
         one file of rows, without parts and shards"
    )]
    FeaturesOfParts,
    /// The scan cannot continue.
    #[error(transparent)]
    Scan(#[from] ScanError),
}

/// Returns whether a file name is that of a row file (.rows, .mat, .tsv, .csv, also compressed).
pub(crate) fn has_rows(path: &Path) -> bool {
    let has = |path: &Path, endings: &[&str]| {
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        endings
            .iter()
            .any(|own| own.eq_ignore_ascii_case(extension))
    };
    let plain = if has(path, &["gz", "zst", "bz2"]) {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    has(&plain, &["rows", "mat", "tsv", "csv"])
}

/// Returns the format in which to write a row file, by its name.
pub fn rows_format(path: &Path) -> RowsFormat {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("tsv") => RowsFormat::Tabs,
        Some("csv") => RowsFormat::Commas,
        _ => RowsFormat::Article,
    }
}

/// Collects the rows of games and row files, in their order, or merges parts. Unreadable games and
/// missing files are reported and skipped.
///
/// # Errors
///
/// [`CollectError`]: a row file that cannot be opened or read, or a scan that cannot continue.
pub fn material_rows(
    options: &MaterialRunOptions,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<Finished<CollectedRows>, CollectError> {
    let MaterialRunOptions {
        shard, count: scan, ..
    } = options;
    let scan_options = run.scan(*shard);
    let rows_inputs = |known| {
        inputs.is_hashed.then(|| RowsInputs {
            known: Mutex::new(known),
            finished: OnceLock::new(),
        })
    };
    let is_part = inputs.has_parts() || inputs.partial.is_some() || *shard != Shard::ALL;
    if options.features.is_some() {
        let files_of_rows = inputs.games.iter().filter(|path| has_rows(path)).count();
        if is_part || (files_of_rows > 0 && inputs.games.len() > 1) {
            return Err(CollectError::FeaturesOfParts);
        }
    }
    if is_part {
        if let Some(path) = inputs.games.iter().find(|path| has_rows(path)) {
            return Err(ScanError::from(PartError::Rows { path: path.clone() }).into());
        }
        let choose = || Ok::<_, ScanError>(named_games(inputs.games, run.reporter));
        let gathered = gather("material", inputs, scan, None, &scan_options, choose)?;
        let outcome = gathered.outcome();
        let Gathered {
            options,
            state,
            report: scan,
            selected,
            hashes,
            is_part,
        } = gathered;
        let files = selected.sources.paths().to_vec();
        let inputs = rows_inputs(hashes);
        let collection = state.in_input_order();
        let rows = CollectedRows {
            collection,
            files,
            outcome,
            scan,
            options,
            shard: *shard,
            features: None,
            inputs,
        };
        return Ok(Finished {
            result: (!is_part).then_some(rows),
            outcome,
        });
    }
    let mut rows = CollectedRows {
        options: scan.clone(),
        inputs: rows_inputs(None),
        ..CollectedRows::default()
    };
    for some in inputs.games.chunk_by(|a, b| has_rows(a) == has_rows(b)) {
        if has_rows(&some[0]) {
            for path in some {
                let read = Collection::read_rows(
                    Source::open_until(path, run.cancel)?,
                    scan.options.clusters,
                );
                rows.collection
                    .merge(read.map_err(|error| CollectError::Rows {
                        path: path.clone(),
                        error,
                    })?);
                rows.files.push(path.clone());
                rows.outcome.done += 1;
            }
            continue;
        }
        let problems = ProblemCount::new(run.reporter);
        let sources = Sources::expand_reporting(some, &problems);
        let (collection, report) = scan.run(None, &sources, &scan_options)?;
        rows.files.extend_from_slice(sources.paths());
        let missing = Outcome {
            skipped: problems.errors(),
            ..Outcome::default()
        };
        rows.outcome = rows.outcome.and(report.outcome()).and(missing);
        rows.scan.merge(report);
        rows.collection.merge(collection);
    }
    if let Some(path) = &options.features {
        let read = OwnFeatures::read(Source::open_until(path, run.cancel)?);
        let features = read.map_err(|error| CollectError::Features {
            path: path.clone(),
            error,
        })?;
        let matched = rows
            .collection
            .add_features(&features, options.report.fit.method);
        rows.features = Some((path.clone(), matched));
        rows.files.push(path.clone());
    }
    let outcome = rows.outcome;
    Ok(Finished {
        result: Some(rows),
        outcome,
    })
}

/// Collections with their piece values. The later collections are compared with the first.
#[derive(Debug)]
#[non_exhaustive]
pub struct ComparedCollections {
    /// The collections by name: the file's, or its whole path where several have the same.
    pub fits: Vec<(String, Fit)>,
    /// The provenance; `None` if inputs were not [hashed](Inputs::is_hashed).
    pub provenance: Option<Provenance>,
}

/// The reason why collections cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareCollectionsError {
    /// There are fewer than two collections.
    #[error("a comparison needs two collections: files, folders, or patterns")]
    TooFew,
    /// The rows of a collection cannot be collected.
    #[error(transparent)]
    Collect(#[from] CollectError),
    /// The model cannot be fitted to a collection.
    #[error("{name}")]
    Fit {
        /// Name of the collection.
        name: String,
        /// The underlying error.
        #[source]
        error: FitError,
    },
}

/// Fits values to each of several collections: each of `inputs` is one. Cancelled, there is no
/// result.
///
/// # Errors
///
/// [`CompareCollectionsError`].
pub fn compare_collections(
    options: &MaterialRunOptions,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<Finished<ComparedCollections>, CompareCollectionsError> {
    if inputs.games.len() < 2 {
        return Err(CompareCollectionsError::TooFew);
    }
    let (mut fits, mut files, mut outcome) = (Vec::new(), Vec::new(), Outcome::default());
    for (name, named) in names(inputs.games).into_iter().zip(inputs.games) {
        let own = Inputs {
            games: slice::from_ref(named),
            is_hashed: false,
            ..inputs
        };
        let collected = material_rows(options, own, run)?;
        outcome = outcome.and(collected.outcome);
        let Some(rows) = collected.result.filter(|_| !outcome.cancelled) else {
            return Ok(Finished {
                result: None,
                outcome,
            });
        };
        match Fit::new(
            &rows.collection,
            &options.report.fit,
            run.cancel,
            run.reporter,
        ) {
            Ok(fit) => fits.push((name, fit)),
            Err(error) => return Err(CompareCollectionsError::Fit { name, error }),
        }
        files.extend(rows.files);
    }
    let provenance = inputs
        .is_hashed
        .then(|| provenance(options, Input::of_all(&files)));
    Ok(Finished {
        result: Some(ComparedCollections { fits, provenance }),
        outcome,
    })
}

impl ComparedCollections {
    /// Returns the comparison as JSON.
    pub fn json(&self) -> String {
        document(&ComparisonDocument::new(
            &self.fits,
            self.provenance.clone(),
        ))
    }

    /// Collections in which a pawn's value is uncertain, and why.
    pub fn uncertain(&self) -> impl Iterator<Item = (&str, PawnUncertain)> {
        self.fits
            .iter()
            .filter_map(|(name, fit)| Some((name.as_str(), fit.values().err()?)))
    }

    /// Writes the comparison into a folder: comparison.json, values.svg, values.png.
    ///
    /// # Errors
    ///
    /// [`FileError`], if a file cannot be written.
    pub fn write_into(&self, folder: &Path) -> Result<(), FileError> {
        let mut results = Placement::new(&Cancel::new());
        results.add_whole(&folder.join("comparison.json"), self.json().as_bytes())?;
        let named: Vec<(&str, &Fit)> = self
            .fits
            .iter()
            .map(|(name, fit)| (name.as_str(), fit))
            .collect();
        plot(
            folder,
            "values",
            &MaterialPlot::values(&named),
            &mut results,
        )?;
        results.place().map(drop)
    }
}

/// Names of collections: file names if they are different, otherwise whole paths.
fn names(collections: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let short: Vec<String> = collections
        .iter()
        .filter_map(short)
        .map(|name| printable(&name))
        .collect();
    let distinct: HashSet<&String> = short.iter().collect();
    if distinct.len() == collections.len() {
        return short;
    }
    collections
        .iter()
        .map(|path| printable(&path.display().to_string()))
        .collect()
}

/// The files that [`write_material`] puts into a folder. Plots are written as .svg and .png.
pub const MATERIAL_FILES: [&str; 7] = [
    "material.json",
    "material.txt",
    "rows.tsv",
    "balance.svg/png",
    "results.svg/png",
    "values.svg/png",
    "calibration.svg/png",
];

/// Writes everything about a collection into a folder, and `text`, the result as a person reads it,
/// as material.txt. Results of an earlier run are replaced, all or none.
///
/// # Errors
///
/// [`FileError`], if a file cannot be written.
pub fn write_material(
    folder: &Path,
    result: &MaterialResult,
    text: &str,
    collected: &CollectedRows,
) -> Result<(), FileError> {
    let report = &result.report;
    // Cancellation was checked above, so placing the files need not be cancellable.
    let mut results = Placement::new(&Cancel::new());
    results.add_whole(&folder.join("material.json"), result.json().as_bytes())?;
    results.add_whole(&folder.join("material.txt"), text.as_bytes())?;
    let mut rows = Vec::new();
    // Writing to memory cannot fail.
    let _ = collected.write(report.fit.options.method, RowsFormat::Tabs, &mut rows);
    results.add_whole(&folder.join("rows.tsv"), &rows)?;
    if let Some(scores) = &report.score_by_balance {
        plot(
            folder,
            "balance",
            &MaterialPlot::score(scores),
            &mut results,
        )?;
        plot(
            folder,
            "results",
            &MaterialPlot::results(scores),
            &mut results,
        )?;
    }
    let mut named: Vec<(&str, &Fit)> = vec![("all games", &report.fit)];
    if let Some((_, bands)) = &report.bands {
        named.extend(
            bands
                .bands
                .iter()
                .filter_map(|band| Some((band.name.as_str(), band.fit.as_ref().ok()?))),
        );
    }
    plot(
        folder,
        "values",
        &MaterialPlot::values(&named),
        &mut results,
    )?;
    if let Some(Ok(held_out)) = &report.held_out {
        plot(
            folder,
            "calibration",
            &MaterialPlot::calibration(held_out),
            &mut results,
        )?;
    }
    results.place().map(drop)
}

/// Adds a plot in each format.
fn plot(
    folder: &Path,
    name: &str,
    plot: &MaterialPlot,
    results: &mut Placement,
) -> Result<(), FileError> {
    for ending in ["svg", "png"] {
        let path = folder.join(name).with_extension(ending);
        if let Ok(form) = PlotForm::of(&path, false) {
            results.add_whole(&path, &plot.draw(form))?;
        }
    }
    Ok(())
}
