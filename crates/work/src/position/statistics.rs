//! The statistics of one position.

use centipawn_calibrate::{
    document,
    position::{PositionCounts, PositionDocument, PositionReportOptions},
};
use centipawn_pgn::{Shard, position_key};
use centipawn_progress::{Outcome, Problem, Provenance, text::plural};
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;

use super::{PositionError, PositionIndexError, build::indexes, merge::together};
use crate::{
    Finished, Inputs, Run,
    engine::parse_position,
    scan::{InputHashes, ScanError, named_games},
};

/// Options of the statistics of one position: the recipe of `position --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PositionRunOptions {
    /// The position: a FEN or `startpos`, perhaps followed by `moves e2e4 …`.
    pub position: String,
    /// The part of the games to read; all by default.
    pub shard: Shard,
    /// Options of the statistics that are computed.
    pub report: PositionReportOptions,
}

/// Statistics of a position with their provenance.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PositionStatistics {
    /// The document of `position --json`.
    pub document: PositionDocument,
}

/// Counts how often a position occurs in games, with the results and the moves that were played, or
/// looks it up in indexes of the games. Unreadable games are reported, the first ones individually,
/// and skipped. A position that does not occur is a result, too.
///
/// # Errors
///
/// [`PositionError`].
pub fn position_statistics(
    options: &PositionRunOptions,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<Finished<PositionStatistics>, PositionError> {
    let history = parse_position(&options.position)?;
    if history.mode() == CastlingMode::Chess960 {
        return Err(PositionError::Chess960);
    }
    let position = history.position();
    let indexes = indexes(inputs.games)?;
    let (counts, outcome, files) = if indexes.is_empty() {
        let selected = named_games(inputs.games, run.reporter);
        let hashes = inputs
            .is_hashed
            .then(|| InputHashes::start(selected.sources.paths().to_vec()));
        let scanned = PositionCounts::count(&selected.sources, &run.scan(options.shard), position);
        let (counts, report) = scanned.map_err(ScanError::from)?;
        let Outcome {
            done,
            skipped,
            cancelled,
        } = report.outcome();
        let outcome = Outcome {
            done,
            skipped: skipped + selected.problems,
            cancelled,
        };
        (
            counts,
            outcome,
            hashes.map(|hashes| hashes.finish(run.cancel)),
        )
    } else {
        if options.shard != Shard::ALL {
            return Err(PositionIndexError::Whole.into());
        }
        let all = together(&indexes, false)?;
        let mut counts = PositionCounts::of(all.games);
        for index in &indexes {
            for row in index.find(position_key(position))? {
                counts.add(row.mv, row.band, row.results);
            }
        }
        (
            counts,
            Outcome {
                done: all.games.counted,
                skipped: 0,
                cancelled: false,
            },
            Some(all.inputs),
        )
    };
    for (count, why) in [
        (counts.games.unfinished, "without a result"),
        (counts.games.other_variants, "of other variants"),
    ] {
        if count > 0 {
            run.reporter.problem(&Problem::warning(format!(
                "{} {why} left out",
                plural(count, "game")
            )));
        }
    }
    let mut report = counts.report(position, &options.report);
    report.provenance = files
        .filter(|_| inputs.is_hashed)
        .map(|files| Provenance::of("position", options).inputs(files));
    Ok(Finished {
        result: Some(PositionStatistics { document: report }),
        outcome,
    })
}

impl PositionStatistics {
    /// Returns the document as JSON.
    pub fn json(&self) -> String {
        document(&self.document)
    }
}
