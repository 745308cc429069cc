//! A part of a scan, as a task. The answer is the file of the part, which the scan's own function
//! merges.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use centipawn_calibrate::wdl::FenCounters;
use centipawn_pgn::{Shard, Source, Sources};
use centipawn_progress::{Cancel, Problem, Progress, Reporter};
use serde::{Deserialize, Serialize};

use crate::{
    Inputs, Run,
    scan::{
        BalanceRunOptions, HumanRunOptions, MatchRunOptions, MaterialRunOptions, PartError,
        WdlGamesOptions, balance, collect_human_games, count_games, has_rows, match_games,
        material_rows, part_header,
    },
};

/// A part of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartTask {
    /// The kind of scan, with its options.
    pub scan: PartScan,
    /// Files, folders and patterns of games.
    pub games: Vec<PathBuf>,
    /// The part of the games to count.
    pub shard: Shard,
    /// Threads that read; `None` for one, since a worker has other tasks at the same time.
    pub threads: Option<NonZeroUsize>,
    /// Whether the first game that cannot be read ends the scan.
    pub strict: bool,
}

/// The scans whose parts are tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartScan {
    /// [`count_games`].
    WdlCount {
        /// How games are selected and counted.
        options: Box<WdlGamesOptions>,
        /// The book of start positions.
        book: Option<PathBuf>,
    },
    /// [`balance`].
    Balance(BalanceRunOptions),
    /// [`match_games`](crate::scan::match_games).
    Match(MatchRunOptions),
    /// [`material_rows`].
    Material(MaterialRunOptions),
    /// [`collect_human_games`].
    Human(HumanRunOptions),
}

/// The result of a part. If it was counted, the only block is the part's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartAnswer {
    /// Problems with their messages; `true` if input was lost.
    pub problems: Vec<(bool, String)>,
    /// The reason why there is no part: a game that cannot be read in a strict scan, or files that
    /// cannot be selected.
    pub failure: Option<String>,
}

/// A reporter that collects the problems of a task.
#[derive(Default)]
struct Problems(Mutex<Vec<(bool, String)>>);

impl Reporter for Problems {
    fn progress(&self, _: &Progress) {}

    fn problem(&self, problem: &Problem) {
        let is_error = problem.severity == centipawn_progress::Severity::Error;
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((is_error, problem.to_string()));
    }
}

impl PartTask {
    /// Counts the part.
    pub(super) fn perform(&self, cancel: &Cancel) -> (PartAnswer, Vec<Vec<u8>>) {
        let problems = Problems::default();
        let counted = self.count(cancel, &problems);
        let problems = problems
            .0
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match counted {
            Ok(file) => (
                PartAnswer {
                    problems,
                    failure: None,
                },
                vec![file],
            ),
            Err(failure) => (
                PartAnswer {
                    problems,
                    failure: Some(failure),
                },
                Vec::new(),
            ),
        }
    }

    fn count(&self, cancel: &Cancel, reporter: &dyn Reporter) -> Result<Vec<u8>, String> {
        let folder =
            tempfile::tempdir().map_err(|error| format!("there is no room for a file: {error}"))?;
        let path = folder.path().join("part");
        let inputs = Inputs {
            partial: Some(&path),
            ..Inputs::new(&self.games)
        };
        let threads = self.threads.or(NonZeroUsize::new(1));
        let run = Run {
            threads,
            strict: self.strict,
            ..Run::new(cancel, reporter)
        };
        let shard = self.shard;
        match &self.scan {
            PartScan::WdlCount { options, book } => {
                let book = book
                    .as_deref()
                    .map(|path| read_book(path, cancel))
                    .transpose()?;
                count_games(options, shard, book.as_ref(), inputs, run)
                    .map(drop)
                    .map_err(|error| text(&error))?;
            }
            PartScan::Balance(options) => {
                let options = BalanceRunOptions {
                    shard,
                    ..options.clone()
                };
                balance(&options, inputs, run)
                    .map(drop)
                    .map_err(|error| text(&error))?;
            }
            PartScan::Match(options) => {
                let options = MatchRunOptions {
                    shard,
                    ..options.clone()
                };
                match_games(&options, inputs, run)
                    .map(drop)
                    .map_err(|error| text(&error))?;
            }
            PartScan::Material(options) => {
                let options = MaterialRunOptions {
                    shard,
                    ..options.clone()
                };
                material_rows(&options, inputs, run)
                    .map(drop)
                    .map_err(|error| text(&error))?;
            }
            PartScan::Human(options) => {
                let options = HumanRunOptions {
                    shard,
                    ..options.clone()
                };
                collect_human_games(&options, inputs, None, run)
                    .map(drop)
                    .map_err(|error| text(&error))?;
            }
        }
        fs::read(&path).map_err(|error| format!("the part {shard} was not written: {error}"))
    }
}

fn read_book(path: &Path, cancel: &Cancel) -> Result<FenCounters, String> {
    let source = Source::open_until(path, cancel).map_err(|error| text(&error))?;
    FenCounters::read(source).map_err(|error| text(&error))
}

/// Returns an error with its causes.
fn text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text += &format!(": {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// Returns into how many parts to divide the games of `sources` for this number of workers: four
/// for each worker if there are enough files, otherwise at most as many as there are stripes.
///
/// # Errors
///
/// [`PartError::Rows`] and [`PartError::Whole`]: rows and parts are not divided.
pub fn part_count(sources: &Sources, workers: usize) -> Result<u32, PartError> {
    if let Some(path) = sources.paths().iter().find(|path| has_rows(path)) {
        return Err(PartError::Rows { path: path.clone() });
    }
    if sources
        .paths()
        .iter()
        .any(|path| part_header(path).is_some())
    {
        return Err(PartError::Whole);
    }
    let bytes = |path: &PathBuf| fs::metadata(path).map_or(0, |about| about.len());
    let stripes = sources.paths().iter().map(bytes).sum::<u64>() / Shard::STRIPE;
    let files = sources.paths().len();
    let parts = match files >= 4 * workers {
        true => 4 * workers,
        // Use no more parts than needed, because each part decompresses a whole compressed file.
        false => workers.min(files.max(usize::try_from(stripes).unwrap_or(workers))),
    };
    Ok(u32::try_from(parts).unwrap_or(u32::MAX).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_parts_than_files_or_stripes() {
        let folder = tempfile::tempdir().unwrap();
        for name in 0..5 {
            fs::write(folder.path().join(format!("{name}.pgn")), "1. e4 *\n").unwrap();
        }
        let parts =
            |workers| part_count(&Sources::expand(&[folder.path()]).unwrap(), workers).unwrap();
        assert_eq!([parts(1), parts(4), parts(100)], [4, 4, 5]);
        fs::write(
            folder.path().join("large.pgn"),
            vec![b'\n'; 3 * Shard::STRIPE as usize],
        )
        .unwrap();
        let large = Sources::expand(&[folder.path().join("large.pgn")]).unwrap();
        assert_eq!(part_count(&large, 8).unwrap(), 3);
        let rows = folder.path().join("a.tsv.zst");
        fs::write(&rows, "x").unwrap();
        let rows = Sources::expand(&[rows]).unwrap();
        assert!(matches!(part_count(&rows, 8), Err(PartError::Rows { .. })));
    }

    /// Parts that were counted by workers, who know the games by the same names, merge to the
    /// result of one process.
    #[test]
    fn parts_from_workers_merge_to_the_whole() {
        let games = vec![PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../examples/selfplay.pgn.gz"
        ))];
        let options = BalanceRunOptions {
            bootstrap: serde_json::from_str(r#"{"resamples": 3}"#).unwrap(),
            ..BalanceRunOptions::default()
        };
        let (cancel, folder) = (Cancel::new(), tempfile::tempdir().unwrap());
        let run = Run::new(&cancel, &centipawn_progress::Silent);
        let mut parts = Vec::new();
        for index in 1..=3 {
            let shard = Shard::new(index, 3).unwrap();
            let scan = PartScan::Balance(options.clone());
            let task = PartTask {
                scan,
                games: games.clone(),
                shard,
                threads: None,
                strict: false,
            };
            let sent: PartTask =
                serde_json::from_str(&serde_json::to_string(&task).unwrap()).unwrap();
            assert_eq!(sent, task);
            let (answer, blocks) = sent.perform(&cancel);
            assert_eq!(answer.failure, None);
            parts.push(folder.path().join(index.to_string()));
            fs::write(&parts[index as usize - 1], &blocks[0]).unwrap();
        }
        let json = |games: &[PathBuf]| {
            balance(&options, Inputs::new(games), run)
                .unwrap()
                .result
                .unwrap()
                .json()
        };
        assert_eq!(json(&parts), json(&games));
    }

    #[test]
    fn a_strict_part_fails_with_the_game_s_place() {
        let folder = tempfile::tempdir().unwrap();
        let games = vec![folder.path().join("bad.pgn")];
        fs::write(&games[0], "1. e4 e5 *\n\n1. e5 *\n").unwrap();
        let scan = PartScan::Material(MaterialRunOptions::default());
        let mut task = PartTask {
            scan,
            games,
            shard: Shard::ALL,
            threads: None,
            strict: true,
        };
        let failure = task.perform(&Cancel::new()).0.failure.unwrap();
        assert!(failure.contains("bad.pgn"), "{failure}");
        task.strict = false;
        let (answer, blocks) = task.perform(&Cancel::new());
        assert_eq!((answer.failure, blocks.len()), (None, 1));
    }
}
