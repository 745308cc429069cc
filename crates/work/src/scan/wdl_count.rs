//! Counting games for win/draw/loss models: selecting files, scanning games, summarising the
//! result.

use centipawn_calibrate::wdl::{
    self, CountReport, Counted, FenCounters, GamesSelection, SelectedGames,
};
use centipawn_pgn::{
    Dialect, FirstUnreadable, Impossible, ScanOptions, ScanReport, Shard, Sources, Unreadable,
};
use centipawn_progress::{
    Outcome, Problem,
    text::{plural, thousands},
};
use serde::{Deserialize, Serialize};

use super::gather::gather;
use crate::{
    Inputs, Run,
    scan::{Gathered, InputHashes, Scan, ScanError, WdlRunOptions},
};

/// How games are counted for a win/draw/loss model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlCountScan {
    /// The dialect of the evaluations; by default, it is detected for each file.
    pub evals: Dialect,
    /// Options of counting the games.
    #[serde(flatten)]
    pub options: wdl::CountOptions,
}

/// The selection of files for a win/draw/loss model, with the options of counting them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlGamesOptions {
    /// The selection of files; by default all files that the caller names.
    pub selection: GamesSelection,
    /// Options of counting the games.
    pub count: WdlCountScan,
}

impl Scan for WdlGamesOptions {
    type State = Counted;

    const NAME: &'static str = "wdl-count";

    const COMMANDS: &'static [&'static str] = &["wdl count", "wdl run", "wdl update"];

    // The groups depend on the limits of the fit, which `compat` changes, too.
    const STRICT: &'static [&'static str] = &["/count/groups", "/count/compat"];

    fn run(
        &self,
        book: Option<&FenCounters>,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(Counted, ScanReport), ScanError> {
        let WdlCountScan {
            evals,
            options: count,
        } = &self.count;
        if let (Some(wanted), None) = (&count.fens, book) {
            return Err(ScanError::NoBook {
                name: wanted.name.clone(),
            });
        }
        let options = ScanOptions {
            dialect: *evals,
            ..*options
        };
        Ok(wdl::count(sources, &options, count, book)?)
    }

    fn check(state: &Counted, report: &ScanReport) -> Result<(), Impossible> {
        state.check(report)
    }

    fn beside(&self, of_parts: &Self) -> Self {
        let mut beside = self.clone();
        // WDL_model's JSON has no groups. The requested output then matches parts with any groups.
        if beside.count.options.groups.is_empty() {
            beside
                .count
                .options
                .groups
                .clone_from(&of_parts.count.options.groups);
        }
        beside
    }
}

/// Counts of games, with the omitted games.
#[non_exhaustive]
pub struct CountedGames {
    /// The counts of positions.
    pub counted: Counted,
    /// Numbers of games and files that were read, and of those that could not be read.
    pub scan: ScanReport,
    /// The files selected.
    pub selected: SelectedGames,
    /// The options of selecting and counting: the requested ones, or those of the parts.
    pub options: WdlGamesOptions,
    /// Hashes of the files, if documents name them.
    pub(super) hashes: Option<InputHashes>,
    /// Whether the counts were written as a part, so that there is nothing else to do.
    pub is_part: bool,
}

/// The reason why no games can be counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountGamesError {
    /// The files cannot be selected.
    #[error(transparent)]
    Selection(#[from] wdl::SelectionError),
    /// The scan cannot continue.
    #[error(transparent)]
    Scan(#[from] ScanError),
}

impl CountGamesError {
    /// Returns whether the request is impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Selection(wdl::SelectionError::Duplicate(_)))
    }
}

/// Counts the games of the files that are selected, or merges parts: `wdl count`. Missing files,
/// and unreadable games and files, are reported, the first ones individually, and skipped. `book`
/// restores full-move numbers of start positions.
///
/// # Errors
///
/// [`CountGamesError`].
pub fn count_games(
    games: &WdlGamesOptions,
    shard: Shard,
    book: Option<&FenCounters>,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<CountedGames, CountGamesError> {
    count("wdl count", games, shard, book, inputs, run)
}

impl WdlRunOptions {
    /// Counts the games of a run, as [`count_games`] does.
    ///
    /// # Errors
    ///
    /// [`CountGamesError`].
    pub fn count_games(
        &self,
        book: Option<&FenCounters>,
        inputs: Inputs<'_>,
        run: Run<'_>,
    ) -> Result<CountedGames, CountGamesError> {
        let games = WdlGamesOptions {
            selection: self.selection.clone(),
            count: self.count.clone(),
        };
        count(self.recipe(), &games, self.shard, book, inputs, run)
    }
}

fn count(
    command: &str,
    games: &WdlGamesOptions,
    shard: Shard,
    book: Option<&FenCounters>,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<CountedGames, CountGamesError> {
    let first = FirstUnreadable::new(run.reporter);
    let on_unreadable = |unreadable: &Unreadable| first.report(unreadable);
    let scan = ScanOptions {
        on_unreadable: Some(&on_unreadable),
        ..run.scan(shard)
    };
    let choose = || {
        games
            .selection
            .choose(inputs.games, run.reporter)
            .map_err(CountGamesError::from)
    };
    let Gathered {
        options,
        state,
        report,
        selected,
        hashes,
        is_part,
    } = gather(command, inputs, games, book, &scan, choose)?;
    first.finish();
    if let Some(fen) = &state.report.unknown_start {
        let games = plural(state.report.unknown_starts, "game");
        let text =
            format_args!("{games} left out: the book of start positions does not contain {fen}");
        run.reporter.problem(&Problem::warning(text));
    }
    Ok(CountedGames {
        counted: state,
        scan: report,
        selected,
        options,
        hashes,
        is_part,
    })
}

impl CountedGames {
    /// Games read count as done; unreadable games and files, and missing files, as skipped.
    pub fn outcome(&self) -> Outcome {
        let Outcome {
            done,
            skipped,
            cancelled,
        } = self.scan.outcome();
        let unknown = self.counted.report.unknown_starts;
        // A written part counts as one result, even without games.
        let done = done + u64::from(self.is_part && !self.selected.missing);
        Outcome {
            done,
            skipped: skipped + self.selected.problems + unknown,
            cancelled,
        }
    }

    /// Returns the reason if no position was counted; otherwise `None`.
    pub fn nothing(&self) -> Option<String> {
        if !self.counted.counts.is_empty() {
            return None;
        }
        let CountReport {
            games,
            other_engines,
            without_result,
            other_terminations,
            unknown_starts,
            ..
        } = self.counted.report;
        let SelectedGames {
            missing,
            filtered,
            without_metadata,
            ..
        } = self.selected;
        if missing {
            return Some("no games to count".to_owned());
        }
        if self.scan.games == 0 && filtered + without_metadata > 0 {
            return Some(format!(
                "no games left: {} of other tests, {} without metadata",
                plural(filtered, "file"),
                plural(without_metadata, "file")
            ));
        }
        if self.scan.games == 0 && self.scan.bad_games() > 0 {
            return Some(format!(
                "none of {} games can be read",
                thousands(self.scan.bad_games())
            ));
        }
        if games == 0 && self.scan.games > 0 {
            return Some(format!(
                "no games left: {} without result, {} not ended on the board, {} of other engines, {} of unknown start \
                 positions",
                thousands(without_result),
                thousands(other_terminations),
                thousands(other_engines),
                thousands(unknown_starts)
            ));
        }
        let dialects: Vec<_> = self
            .counted
            .report
            .dialects
            .iter()
            .map(|dialect| dialect.name())
            .collect();
        Some(format!(
            "no evaluated positions: {} games, {} evaluations; dialect detected: {}; see the option `evals`",
            thousands(games),
            thousands(self.counted.report.evaluations),
            if dialects.is_empty() {
                "none".to_owned()
            } else {
                dialects.join(", ")
            },
        ))
    }

    /// Returns a warning that the numbers lack games; `None` if they lack none.
    pub fn left_out(&self) -> Option<String> {
        let CountReport {
            without_result,
            other_terminations,
            other_engines,
            unknown_starts,
            ..
        } = self.counted.report;
        self.scan.left_out(&[
            (without_result, "without a result"),
            (other_terminations, "not ended on the board"),
            (other_engines, "of other engines"),
            (unknown_starts, "of unknown start positions"),
        ])
    }

    /// Returns one line on the counts, and further lines on omitted games.
    pub fn summary(&self) -> String {
        let Self {
            counted: Counted { counts, report, .. },
            scan,
            selected,
            ..
        } = self;
        let mut text = format!(
            "{} positions of {} games",
            thousands(counts.positions()),
            thousands(report.games)
        );
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
        let files: Vec<_> = [
            (selected.filtered, "of other tests"),
            (selected.without_metadata, "without metadata"),
        ]
        .into_iter()
        .filter(|(files, _)| *files > 0)
        .map(|(files, why)| format!("{files} {why}"))
        .collect();
        if !files.is_empty() {
            text += &format!("\nFiles left out: {}", files.join(", "));
        }
        if scan.failed_sources > 0 {
            text += &format!(
                "\nFiles not read to their end: {}",
                thousands(scan.failed_sources)
            );
        }
        for warning in report.views.warnings() {
            text += &format!("\nWarning: {warning}");
        }
        text
    }
}
