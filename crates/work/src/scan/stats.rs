//! Contents of games: counting, and merging of parts.

use centipawn_calibrate::{document, wdl::FenCounters};
use centipawn_pgn::{
    Dialect, Impossible, ScanOptions, ScanReport, Shard, Sources, Stats, Unreadable,
};
use centipawn_progress::{Outcome, Problem, Provenance};
use serde::{Deserialize, Serialize};

use super::gather::{gather, named_games};
use crate::{
    Finished, Inputs, Run,
    scan::{Gathered, Scan, ScanError},
};

/// How games are counted for [`Stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatsScan {
    /// The dialect of the evaluations; by default, it is detected for each file.
    pub evals: Dialect,
}

impl Scan for StatsScan {
    type State = Stats;

    const NAME: &'static str = "pgn-stats";

    const COMMANDS: &'static [&'static str] = &["pgn stats"];

    fn run(
        &self,
        _book: Option<&FenCounters>,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(Stats, ScanReport), ScanError> {
        let options = ScanOptions {
            dialect: self.evals,
            ..*options
        };
        Ok(Stats::of(sources, &options)?)
    }

    fn check(state: &Stats, report: &ScanReport) -> Result<(), Impossible> {
        state.check(report)
    }
}

/// The options of counting what games contain: the recipe of `pgn stats --json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatsRunOptions {
    /// The part of the games to read; all by default.
    pub shard: Shard,
    /// Options of counting the games.
    pub count: StatsScan,
}

/// Contents of games, with their provenance.
#[derive(Debug)]
#[non_exhaustive]
pub struct GameStats {
    /// The statistics of the games.
    pub stats: Stats,
    /// Numbers of games and files that were read, and of those that could not be read.
    pub report: ScanReport,
    /// The provenance; `None` if inputs were not [hashed](Inputs::is_hashed).
    pub provenance: Option<Provenance>,
}

/// Counts what games contain, or merges parts. Unreadable files are reported; unreadable games are
/// only counted. A file without a readable game counts as done, too.
///
/// # Errors
///
/// [`ScanError`].
pub fn count_stats(
    options: &StatsRunOptions,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<Finished<GameStats>, ScanError> {
    let on_unreadable = |unreadable: &Unreadable| {
        if let Unreadable::Source(_) = unreadable {
            run.reporter.problem(&Problem::from(unreadable));
        }
    };
    let scan = ScanOptions {
        on_unreadable: Some(&on_unreadable),
        ..run.scan(options.shard)
    };
    let choose = || Ok::<_, ScanError>(named_games(inputs.games, run.reporter));
    let gathered = gather("pgn stats", inputs, &options.count, None, &scan, choose)?;
    let outcome = gathered.outcome();
    let Gathered {
        options: count,
        state: stats,
        report,
        hashes,
        is_part,
        ..
    } = gathered;
    if is_part {
        return Ok(Finished {
            result: None,
            outcome,
        });
    }
    let options = StatsRunOptions { count, ..*options };
    let provenance = hashes
        .map(|hashes| Provenance::of("pgn stats", &options).inputs(hashes.finish(run.cancel)));
    let outcome = Outcome {
        done: outcome.done.max(report.sources),
        ..outcome
    };
    Ok(Finished {
        result: Some(GameStats {
            stats,
            report,
            provenance,
        }),
        outcome,
    })
}

impl GameStats {
    /// Returns the document of `pgn stats --json`.
    pub fn json(&self) -> String {
        document(&self.stats.document(&self.report, self.provenance.clone()))
    }
}
