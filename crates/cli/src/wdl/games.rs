//! Which games are counted, and how.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::wdl::{
    CountOptions, CountReport, Counted, FenCounters, FileFilter, Pattern, Replicas, count, find_duplicate,
};
use centipawn_pgn::{Dialect, Problem, ScanOptions, Shard, Sources};
use clap::Args;

use super::fit::open;
use crate::{
    args::{JobsArg, Shared},
    exit::{self, usage},
    games::sources,
    interrupt,
    progress::ScanProgress,
    text::{plural, printable, thousands},
    told::Told,
};

/// Games and what of them counts.
#[derive(Args, Clone, Debug)]
pub(crate) struct GamesArgs {
    /// Files (plain, .gz, .zst, .bz2), folders, patterns; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    pub(crate) games: Vec<PathBuf>,
    /// Round evaluations to multiples of so many centipawns
    #[arg(long, value_name = "CP", default_value_t = 5, value_parser = parse_bin)]
    bin: u32,
    /// Count as WDL_model's scoreWDLstat does, to the byte; docs/wdl.md says what differs otherwise
    #[arg(long)]
    pub(crate) compat: bool,
    /// How evaluations are written, where auto does not find out
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    /// Of folders, only files directly in them
    #[arg(long)]
    flat: bool,
    /// Count a test also where its games are in two folders
    #[arg(long)]
    allow_duplicates: bool,
    #[command(flatten)]
    jobs: JobsArg,
    /// Only the Ith of N equal parts, for several machines; `wdl merge` adds them up
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Stop at the first game or file that cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    filters: Filters,
}

/// Filters by fishtest's metadata, `<test id>.json` beside the games, and by names.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Filters (regular expressions match the whole text)")]
struct Filters {
    /// Tests of a commit, and evaluations of that engine unless --match-engine is given
    #[arg(long, value_name = "REGEX")]
    match_rev: Option<String>,
    /// Evaluations of engines with such a name (tags White and Black)
    #[arg(long, value_name = "REGEX")]
    match_engine: Option<String>,
    /// Tests with such a time control, of both engines
    #[arg(long, value_name = "REGEX")]
    match_tc: Option<String>,
    /// Tests with so many threads an engine
    #[arg(long, value_name = "N")]
    match_threads: Option<i64>,
    /// Tests with such a book of openings
    #[arg(long, value_name = "REGEX")]
    match_book: Option<String>,
    /// Tests with any other known book
    #[arg(long, requires = "match_book")]
    match_book_invert: bool,
    /// Tests whose normalised Elo difference is at most this (and at least its negative)
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    elo_diff_max: Option<f64>,
    /// Tests whose normalised Elo difference is at least this
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    elo_diff_min: Option<f64>,
    /// Sequential tests only
    #[arg(long)]
    sprt_only: bool,
    /// Restore full moves of start positions that end in "0 1" from this book (EPD)
    #[arg(long, value_name = "EPD")]
    fix_fen_source: Option<PathBuf>,
}

impl Filters {
    fn of_files(&self) -> Result<FileFilter> {
        let elo = match (self.elo_diff_min, self.elo_diff_max) {
            (None, None) => None,
            (low, high) => {
                let high = high.unwrap_or(f64::INFINITY);
                Some((low.unwrap_or(-high), high))
            }
        };
        if elo.is_some_and(|(low, high)| low.is_nan() || high.is_nan() || low > high) {
            return Err(usage("--elo-diff-min must be a number not above --elo-diff-max"));
        }
        Ok(FileFilter {
            rev: pattern(self.match_rev.as_deref(), "--match-rev")?,
            tc: pattern(self.match_tc.as_deref(), "--match-tc")?,
            threads: self.match_threads,
            book: pattern(self.match_book.as_deref(), "--match-book")?,
            book_invert: self.match_book_invert,
            elo,
            sprt_only: self.sprt_only,
        })
    }

    /// Whether more strong tests on one side are left in than on the other, which biases a model.
    fn are_lopsided(&self) -> bool {
        let balanced = match (self.elo_diff_min, self.elo_diff_max) {
            (Some(low), Some(high)) => low == -high,
            (Some(_), None) => false,
            _ => true,
        };
        !balanced && !self.sprt_only
    }
}

/// An empty expression is none, as in scripts that fill it in.
fn pattern(text: Option<&str>, flag: &str) -> Result<Option<Pattern>> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| text.parse().map_err(|error| usage(format!("{flag}: {error}")))).transpose()
}

fn parse_bin(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bin) if (1..=CountOptions::LARGEST_BIN).contains(&bin) => Ok(bin),
        _ => Err(format!("a bin is a number of centipawns from 1 to {}", CountOptions::LARGEST_BIN)),
    }
}

/// What counting gave.
pub(crate) struct Done {
    pub(crate) counted: Counted,
    /// Nothing that was named is there.
    pub(crate) missing: bool,
    /// Things that could not be done: files, games, metadata.
    skipped: u64,
    /// Files of games left out by filters.
    filtered: u64,
    without_metadata: u64,
}

impl GamesArgs {
    /// Counts the games, and says on standard error what was left out.
    pub(crate) fn count(&self, shared: &Shared, replicas: Option<&Replicas>) -> Result<Done> {
        let filter = self.filters.of_files()?;
        let options = self.options()?;
        let stop = interrupt::flag()?;
        let progress = ScanProgress::new(shared.progress, shared.quiet);
        let problems = progress.problems();
        let found = sources(&self.named()?, &problems);
        let missing = problems.count() > 0 && found.paths().is_empty();
        if let Some(duplicate) = find_duplicate(found.paths(), self.allow_duplicates) {
            return Err(usage(duplicate.to_string()));
        }
        let (found, filtered, without_metadata) = if filter.is_open() {
            (found, 0, 0)
        } else {
            let chosen = filter.choose(found.paths(), |error| problems.error(error));
            let left = Sources::expand(&chosen.paths)?;
            (left, chosen.filtered, chosen.without_metadata)
        };
        if self.filters.are_lopsided() {
            problems.warning(
                "tests of an Elo window that is not symmetric favour one side's results; --sprt-only avoids that",
            );
        }
        let told = Told::default();
        let on_problem = |problem: &Problem| {
            if told.is_due(problem) {
                let rest =
                    if is_cut_off(problem) { "; the file seems to be cut off, what is before that counts" } else { "" };
                progress.suspend(|| anstream::eprintln!("error: {}{rest}", printable(&problem.to_string())));
            }
        };
        let on_progress = |scanned: &centipawn_pgn::Progress| progress.show(scanned);
        let scan_options = ScanOptions {
            threads: self.jobs.given(),
            dialect: self.evals,
            shard: self.shard,
            strict: self.strict,
            on_problem: Some(&on_problem),
            on_progress: Some(&on_progress),
            cancel: Some(stop),
            ..ScanOptions::default()
        };
        let counted = count(&found, &scan_options, &options, replicas);
        progress.finish();
        let counted = counted?;
        if let Some(rest) = told.rest() {
            problems.warning(rest);
        }
        if let Some(fen) = &counted.report.unknown_start {
            let games = plural(counted.report.unknown_starts, "game");
            problems.warning(format_args!("{games} left out: --fix-fen-source does not know {fen}"));
        }
        let skipped =
            problems.count() + counted.scan.bad_games() + counted.scan.failed_sources + counted.report.unknown_starts;
        Ok(Done { counted, missing, skipped, filtered, without_metadata })
    }

    fn options(&self) -> Result<CountOptions> {
        let filters = &self.filters;
        // As in fishtest's tools an engine's name has its commit.
        let engine = match &filters.match_engine {
            Some(engine) => pattern(Some(engine), "--match-engine")?,
            None => pattern(filters.match_rev.as_deref(), "--match-rev")?,
        };
        let fens = filters.fix_fen_source.as_deref().map(read_fens).transpose()?;
        Ok(CountOptions { bin: self.bin, compat: self.compat, engine, fens })
    }

    /// The arguments; with --flat folders stand for the files directly in them.
    fn named(&self) -> Result<Vec<PathBuf>> {
        let mut named = Vec::new();
        for argument in &self.games {
            if !self.flat || !argument.is_dir() {
                named.push(argument.clone());
                continue;
            }
            let cannot = || format!("cannot read the folder {}", argument.display());
            let files = fs::read_dir(argument).with_context(cannot)?.map(|entry| entry.map(|entry| entry.path()));
            let mut files: Vec<_> = files.collect::<Result<_, _>>().with_context(cannot)?;
            files.retain(|path| path.is_file() && has_games(path));
            files.sort();
            named.append(&mut files);
        }
        Ok(named)
    }
}

fn has_games(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".pgn", ".pgn.gz", ".pgn.zst", ".pgn.bz2"].iter().any(|ending| name.ends_with(ending))
}

fn read_fens(path: &Path) -> Result<FenCounters> {
    let fens = FenCounters::read(open(path)?)?;
    if fens.is_empty() {
        return Err(anyhow!("{} has no positions with counters (FEN or EPD with six fields)", path.display()));
    }
    Ok(fens)
}

impl Done {
    /// Why nothing was counted, if nothing was.
    pub(crate) fn nothing(&self) -> Option<String> {
        if !self.counted.counts.is_empty() {
            return None;
        }
        let CountReport { games, other_engines, without_result, other_terminations, .. } = self.counted.report;
        if self.missing {
            return Some("no games to count".to_owned());
        }
        if self.counted.scan.games == 0 && self.filtered + self.without_metadata > 0 {
            let (filtered, without) = (self.filtered, self.without_metadata);
            return Some(format!(
                "no games left: {filtered} files are of other tests, of {without} there is no metadata"
            ));
        }
        if self.counted.scan.games == 0 && self.counted.scan.bad_games() > 0 {
            return Some(format!("none of {} games can be read", thousands(self.counted.scan.bad_games())));
        }
        if games == 0 && self.counted.scan.games > 0 {
            return Some(format!(
                "no games left: {} without result, {} not ended on the board, {} of other engines, {} of unknown start positions",
                thousands(without_result),
                thousands(other_terminations),
                thousands(other_engines),
                thousands(self.counted.report.unknown_starts)
            ));
        }
        let dialects: Vec<_> = self.counted.report.dialects.iter().map(|dialect| dialect.name()).collect();
        Some(format!(
            "no evaluated positions: {} games, {} evaluations; dialect detected: {}; see --evals",
            thousands(games),
            thousands(self.counted.report.evaluations),
            if dialects.is_empty() { "none".to_owned() } else { dialects.join(", ") },
        ))
    }

    /// One line of what was counted, others of what was not.
    pub(crate) fn summary(&self) -> String {
        let Counted { counts, report, scan } = &self.counted;
        let mut text = format!("{} positions of {} games", thousands(counts.positions()), thousands(report.games));
        let left_out: Vec<_> = [
            (scan.bad_games(), "that cannot be read"),
            (report.without_result, "without result"),
            (report.other_terminations, "not ended on the board"),
            (report.other_engines, "of other engines"),
            (report.unknown_starts, "of unknown start positions"),
        ]
        .into_iter()
        .filter(|(games, _)| *games > 0)
        .map(|(games, why)| format!("{} {why}", thousands(games)))
        .collect();
        if !left_out.is_empty() {
            text += &format!("\nGames left out: {}", left_out.join(", "));
        }
        let files: Vec<_> = [(self.filtered, "of other tests"), (self.without_metadata, "without metadata")]
            .into_iter()
            .filter(|(files, _)| *files > 0)
            .map(|(files, why)| format!("{files} {why}"))
            .collect();
        if !files.is_empty() {
            text += &format!("\nFiles left out: {}", files.join(", "));
        }
        if scan.failed_sources > 0 {
            text += &format!("\nFiles not read to their end: {}", thousands(scan.failed_sources));
        }
        text
    }

    /// The status: what was skipped, what could not be done, whether it was interrupted.
    pub(crate) fn status(&self) -> ExitCode {
        match (self.counted.scan.cancelled, self.skipped) {
            (true, _) => exit::INTERRUPTED.into(),
            (_, 0) => ExitCode::SUCCESS,
            _ => exit::SKIPPED.into(),
        }
    }
}

/// Whether a file ends where it should not, games of it having been read.
fn is_cut_off(problem: &Problem) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(problem, Problem::Source(error)
        if matches!(error.error.kind(), UnexpectedEof | InvalidData | InvalidInput))
}
