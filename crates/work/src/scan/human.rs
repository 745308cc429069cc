//! Curves of people: collecting games from PGN files and tables, and writing the folder of results.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use centipawn_calibrate::{
    PlotForm, document,
    human::{
        HumanCountOptions, HumanFitError, HumanFitOptions, HumanGames, HumanPlot, HumanReport,
        HumanRows, HumanRowsError,
    },
    wdl::FenCounters,
};
use centipawn_engine::Analyst;
use centipawn_pgn::{
    Dialect, Games, Impossible, Merge as _, ScanOptions, ScanReport, Shard, Source, SourceError,
    Sources,
};
use centipawn_progress::{
    Cancel, FileError, Identity, Outcome, Placement, Problem, ProblemCount, Provenance, Reporter,
    shown_path,
};
use serde::{Deserialize, Serialize};

use super::gather::{gather, named_games};
use crate::{
    Inputs, Run,
    engine::{Crew, HumanEvaluateOptions, HumanEvaluation, evaluate_human_games},
    scan::{Gathered, InputHashes, PartError, Scan, ScanError, has_rows},
};

/// How games are counted for [`HumanGames`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HumanScan {
    /// How evaluations are written; by default detected for each file.
    pub evals: Dialect,
    /// Which games and positions count.
    #[serde(flatten)]
    pub options: HumanCountOptions,
}

impl Scan for HumanScan {
    type State = HumanGames;

    const NAME: &'static str = "human";

    const COMMANDS: &'static [&'static str] = &["wdl human"];

    fn run(
        &self,
        _book: Option<&FenCounters>,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(HumanGames, ScanReport), ScanError> {
        let options = ScanOptions {
            dialect: self.evals,
            ..*options
        };
        Ok(HumanGames::count(sources, &options, &self.options)?)
    }

    fn check(state: &HumanGames, report: &ScanReport) -> Result<(), Impossible> {
        state.check(report)
    }
}

/// The options from games to a human curve: the recipe of `fit.json` and `curve.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HumanRunOptions {
    /// Which part of the games to read; all by default.
    #[serde(skip_serializing_if = "Shard::is_all")]
    pub shard: Shard,
    /// Which games and positions count.
    pub count: HumanScan,
    /// How an engine evaluates positions; by default the evaluations in the games are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluate: Option<HumanEvaluation>,
    /// What to compute from them.
    pub fit: HumanFitOptions,
}

/// Games between humans, and the skipped ones.
#[non_exhaustive]
pub struct CollectedHumanGames {
    /// The games.
    pub games: HumanGames,
    /// Games and files read, skipped or cancelled.
    pub outcome: Outcome,
    /// Counts of the scan of the games.
    pub scan: ScanReport,
    /// Whether the games were written as a part, so that there is nothing else to do.
    pub is_part: bool,
    /// The files that were read, including those that tables refer to.
    pub files: Vec<PathBuf>,
    /// The options of the counts: the requested ones, or those of the parts.
    count: HumanScan,
    /// Hashes of the files of merged parts.
    hashes: Option<InputHashes>,
    /// The analyst; `None` if the evaluations come from the games.
    analyst: Option<Arc<Identity>>,
}

impl CollectedHumanGames {
    fn of(games: HumanGames, files: Vec<PathBuf>, count: HumanScan, outcome: Outcome) -> Self {
        let scan = ScanReport::default();
        Self {
            games,
            files,
            outcome,
            scan,
            count,
            hashes: None,
            analyst: None,
            is_part: false,
        }
    }

    /// Fits a curve to the games.
    ///
    /// # Errors
    ///
    /// [`HumanFitError`]: there is no curve of these games, or the run was cancelled.
    pub fn fit(
        self,
        options: &HumanRunOptions,
        run: Run<'_>,
    ) -> Result<HumanReport, HumanFitError> {
        let Self {
            games,
            files,
            scan,
            count,
            hashes,
            analyst,
            ..
        } = self;
        let hashes = hashes.unwrap_or_else(|| InputHashes::start(files));
        let mut report = HumanReport::new(&games, &options.fit, run.cancel, run.reporter)?;
        let options = HumanRunOptions {
            count,
            ..options.clone()
        };
        let mut provenance = Provenance::of("wdl human", &options).seed(options.count.options.seed);
        if let Some(HumanEvaluation { limit, .. }) = options.evaluate {
            provenance = provenance.engine(analyst, limit);
        }
        let left_out: Vec<(u64, &str)> = report
            .left_out
            .iter()
            .map(|(why, count)| (*count, why.name()))
            .collect();
        report.warnings.extend(scan.left_out(&left_out));
        report.provenance = Some(provenance.inputs(hashes.finish(run.cancel)));
        Ok(report)
    }
}

/// Why games cannot be collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectHumanError {
    /// A table cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A table cannot be read.
    #[error("{}", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// The problem, and its place.
        #[source]
        error: HumanRowsError,
    },
    /// The scan cannot continue.
    #[error(transparent)]
    Scan(#[from] ScanError),
}

/// Collects games between humans from PGN files and then from tables (.tsv, also compressed), or
/// merges parts. Unreadable games and missing files are reported and skipped.
///
/// Tables name their games' files, in which the games' time, clocks and material are looked up
/// where the table lacks the time: below `games_in`, or else below the table's own folder.
///
/// # Errors
///
/// [`CollectHumanError`]: a table that cannot be opened or read, or a scan that cannot continue.
pub fn collect_human_games(
    options: &HumanRunOptions,
    inputs: Inputs<'_>,
    games_in: Option<&Path>,
    run: Run<'_>,
) -> Result<CollectedHumanGames, CollectHumanError> {
    let (scan, options) = (&options.count, run.scan(options.shard));
    if inputs.has_parts() || inputs.partial.is_some() || options.shard != Shard::ALL {
        if let Some(path) = inputs.games.iter().find(|path| has_rows(path)) {
            return Err(ScanError::from(PartError::Rows { path: path.clone() }).into());
        }
        let choose = || Ok::<_, ScanError>(named_games(inputs.games, run.reporter));
        let gathered = gather("wdl human", inputs, scan, None, &options, choose)?;
        let outcome = gathered.outcome();
        let Gathered {
            options: count,
            state: games,
            report: scan,
            selected,
            hashes,
            is_part,
        } = gathered;
        let files = selected.sources.paths().to_vec();
        return Ok(CollectedHumanGames {
            scan,
            hashes,
            is_part,
            ..CollectedHumanGames::of(games, files, count, outcome)
        });
    }
    let games = HumanGames::new(scan.options.per_class);
    let mut collected =
        CollectedHumanGames::of(games, Vec::new(), scan.clone(), Outcome::default());
    let (tables, files): (Vec<PathBuf>, Vec<PathBuf>) = inputs
        .games
        .iter()
        .cloned()
        .partition(|path| has_rows(path));
    let problems = ProblemCount::new(run.reporter);
    let [files, tables] = [files, tables].map(|given| Sources::expand_reporting(&given, &problems));
    collected.outcome.skipped += problems.errors();
    if !files.paths().is_empty() {
        // Scan all files at once, because each scan numbers its games from the beginning.
        let (games, report) = scan.run(None, &files, &options)?;
        collected.outcome = collected.outcome.and(report.outcome());
        collected.files.extend_from_slice(files.paths());
        collected.scan.merge(report);
        collected.games.append(games);
    }
    let several = tables.paths().len() > 1 || !collected.files.is_empty();
    for (place, path) in (0..).zip(tables.paths()) {
        let read = HumanRows::read_by(Source::open_until(path, run.cancel)?, scan.options.clusters);
        let mut rows = read.map_err(|error| CollectHumanError::Rows {
            path: path.clone(),
            error,
        })?;
        let folder = games_in.or_else(|| path.parent()).unwrap_or(Path::new(""));
        collected.files.push(path.clone());
        let cancelled = complete(&mut rows, folder, &mut collected, run);
        if several {
            // Rename the games by table: two tables may use the same numbers for different games.
            rows.name(&shown_path(path), place);
        }
        collected.games.append(rows.games(&scan.options));
        collected.outcome = collected.outcome.and(Outcome {
            done: 1,
            skipped: 0,
            cancelled,
        });
    }
    Ok(collected)
}

/// Looks up games of a table in their own files. Returns whether that was cancelled.
fn complete(
    rows: &mut HumanRows,
    folder: &Path,
    collected: &mut CollectedHumanGames,
    run: Run<'_>,
) -> bool {
    for file in rows.files() {
        let path = folder.join(&file);
        if !rows.lacks_time(&file) || file.is_empty() {
            continue;
        }
        let sources = match Sources::expand(&[&path]) {
            Ok(sources) => sources,
            Err(error) => {
                let why = "the table has no time_control or seconds; set the option `games_in` to the folder of its games";
                run.reporter
                    .problem(&Problem::warning(format_args!("{error}; {why}")));
                continue;
            }
        };
        let mut others = 0;
        for game in Games::new(&sources, run.reporter) {
            if run.cancel.is_set() {
                return true;
            }
            others += u64::from(!rows.complete(&file, game.place.game, &game));
        }
        if others > 0 {
            run.reporter.problem(&Problem::warning(format_args!(
                "{others} of the table's games have other ratings or another result in {}: their times stay unknown; the column game \
                 must be the number of the game in this file",
                path.display()
            )));
        }
        collected.files.extend_from_slice(sources.paths());
    }
    false
}

/// Collects games between humans whose positions `analyst` evaluates, with the help of `crew`.
/// Games that cannot be read and positions that the analyst cannot answer are reported and skipped.
pub fn collect_evaluated_human_games<R: Reporter + 'static>(
    options: &HumanRunOptions,
    evaluation: HumanEvaluation,
    games: &[PathBuf],
    analyst: &dyn Analyst,
    crew: &impl Crew,
    cancel: &Cancel,
    problems: &Arc<ProblemCount<R>>,
) -> CollectedHumanGames {
    let sources = Sources::expand_reporting(games, problems);
    let asked = HumanEvaluateOptions {
        evaluation,
        count: options.count.options.clone(),
    };
    let (games, outcome) = evaluate_human_games(&sources, &asked, analyst, crew, cancel, problems);
    // Only the number of unreadable games is known here.
    let errors = [("see the messages".into(), outcome.skipped)].into();
    let scan = ScanReport {
        games: outcome.done,
        errors,
        ..ScanReport::default()
    };
    let collected = CollectedHumanGames::of(
        games,
        sources.paths().to_vec(),
        options.count.clone(),
        outcome,
    );
    CollectedHumanGames {
        scan,
        analyst: Some(analyst.identity()),
        ..collected
    }
}

/// The files that [`write_human_report`] puts into a folder.
pub(crate) const HUMAN_REPORT_FILES: [&str; 5] = [
    "curve.json",
    "fit.json",
    "model.txt",
    "plots.svg",
    "plots.png",
];

/// The results of an earlier run in a folder.
pub fn earlier_human_report(folder: &Path) -> Vec<PathBuf> {
    HUMAN_REPORT_FILES
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| path.exists())
        .collect()
}

/// Writes a report into `folder`, as curve.json, fit.json, model.txt and plots. `text`, the report
/// for readers, becomes model.txt; plots.png is written only if the program can draw it. After
/// `cancel` is set, no file is replaced, and the paths of files that stay from an earlier run are
/// returned.
///
/// # Errors
///
/// [`FileError`], if a file cannot be written.
pub fn write_human_report(
    folder: &Path,
    report: &HumanReport,
    text: &str,
    cancel: &Cancel,
) -> Result<Vec<PathBuf>, FileError> {
    let plot = HumanPlot::new(report);
    let mut files = Vec::new();
    for name in HUMAN_REPORT_FILES {
        let bytes = match (name, PlotForm::of(Path::new(name), false)) {
            ("curve.json", _) => report.curve_file().json().into_bytes(),
            ("fit.json", _) => document(report).into_bytes(),
            ("model.txt", _) => text.as_bytes().to_vec(),
            (_, Ok(form)) => plot.draw(form),
            (_, Err(_)) => continue,
        };
        files.push((name, bytes));
    }
    let mut results = Placement::new(cancel);
    if results.is_cancelled() {
        return Ok(earlier_human_report(folder));
    }
    // The files belong together, so replace all of them or none.
    files
        .iter()
        .try_for_each(|(name, bytes)| results.add_whole(&folder.join(name), bytes))?;
    results.place()
}

#[cfg(test)]
mod tests {
    use centipawn_progress::{Cancel, Silent};

    use super::*;

    #[test]
    fn tables_are_found_by_patterns_and_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let head = "game\tcp\twhite_elo\tblack_elo\tresult\tseconds\n";
        std::fs::write(at("a.tsv"), format!("{head}1\t20\t1600\t1700\t1\t300\n")).unwrap();
        std::fs::write(at("b.tsv"), format!("{head}1\t-40\t1600\t1700\t0\t300\n")).unwrap();
        let games = |names: &[&str]| {
            let paths: Vec<PathBuf> = names.iter().map(|name| at(name)).collect();
            let cancel = Cancel::new();
            let run = Run::new(&cancel, &Silent);
            let collected =
                collect_human_games(&HumanRunOptions::default(), Inputs::new(&paths), None, run)
                    .unwrap();
            (collected.games.games, collected.outcome.skipped)
        };
        assert_eq!(games(&["a.tsv", "a.tsv"]), (1, 0));
        assert_eq!(games(&["*.tsv", "b.tsv"]), (2, 0));
        assert_eq!(games(&["a.tsv", "missing.tsv"]), (1, 1));
    }

    #[test]
    fn an_unreadable_game_shifts_no_number_of_a_table() {
        let folder = tempfile::tempdir().unwrap();
        let players =
            "[WhiteElo \"1600\"]\n[BlackElo \"1700\"]\n[TimeControl \"300+0\"]\n[Result \"1-0\"]";
        let games = format!("1. e4 *\n\n[White \"X\"]\n\n1. e5 *\n\n{players}\n\n1. e4 1-0\n");
        std::fs::write(folder.path().join("games.pgn"), games).unwrap();
        let table = "file\tgame\tply\tcp\twhite_elo\tblack_elo\tresult\ngames.pgn\t3\t10\t20\t1600\t1700\t1\n";
        let mut rows = HumanRows::read(table.as_bytes()).unwrap();
        let scan = HumanScan::default();
        let games = HumanGames::new(scan.options.per_class);
        let mut collected = CollectedHumanGames::of(games, Vec::new(), scan, Outcome::default());
        complete(
            &mut rows,
            folder.path(),
            &mut collected,
            Run::new(&Cancel::new(), &Silent),
        );
        assert!(!rows.lacks_time("games.pgn"));
    }
}
