//! The results of a match: from games to the document.

use centipawn_calibrate::{
    PlotForm, document,
    engine_match::{MatchDocument, MatchError, MatchGames, MatchPlot, MatchReportOptions},
    wdl::FenCounters,
};
use centipawn_pgn::{Dialect, Impossible, ScanOptions, ScanReport, Shard, Sources};
use centipawn_progress::{Outcome, Problem, Provenance, text::plural};
use serde::{Deserialize, Serialize};

use super::gather::{gather, named_games};
use crate::{
    Finished, Inputs, Run,
    scan::{Gathered, Scan, ScanError},
};

/// How the games of a match are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchScan {
    /// The dialect of the evaluations; by default, it is detected for each file.
    pub evals: Dialect,
}

impl Scan for MatchScan {
    type State = MatchGames;

    const NAME: &'static str = "match";

    const COMMANDS: &'static [&'static str] = &["match"];

    fn run(
        &self,
        _book: Option<&FenCounters>,
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(MatchGames, ScanReport), ScanError> {
        let options = ScanOptions {
            dialect: self.evals,
            ..*options
        };
        Ok(MatchGames::count(sources, &options)?)
    }

    fn check(state: &MatchGames, report: &ScanReport) -> Result<(), Impossible> {
        state.check(report)
    }
}

/// Options from games to results: the recipe of `match --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchRunOptions {
    /// The part of the games to read; all by default.
    pub shard: Shard,
    /// Options of counting the games.
    pub count: MatchScan,
    /// Options of the report that is computed from the counts.
    pub report: MatchReportOptions,
}

/// The results of games, with their provenance.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MatchResult {
    /// The document of `match --json`.
    pub document: MatchDocument,
}

/// The reason why there are no results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchGamesError {
    /// The scan cannot continue.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// No game could be used; this is the reason.
    #[error("{0}")]
    Nothing(String),
    /// The options request a result for which the games lack data.
    #[error(transparent)]
    Report(#[from] MatchError),
}

/// Computes the results of a match or tournament, from the games or from parts. Unreadable games
/// are reported, the first ones individually, and skipped; so are games without a result.
///
/// # Errors
///
/// [`MatchGamesError`].
pub fn match_games(
    options: &MatchRunOptions,
    inputs: Inputs<'_>,
    run: Run<'_>,
) -> Result<Finished<MatchResult>, MatchGamesError> {
    let choose = || Ok::<_, ScanError>(named_games(inputs.games, run.reporter));
    let gathered = gather(
        "match",
        inputs,
        &options.count,
        None,
        &run.scan(options.shard),
        choose,
    )?;
    let outcome = gathered.outcome();
    let Gathered {
        state: games,
        options: count,
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
    if games.is_empty() && !report.cancelled {
        return Err(MatchGamesError::Nothing(
            match (report.games, report.bad_games()) {
                (0, 0) => "there are no games".to_owned(),
                (0, bad) => format!("none of {} can be read", plural(bad, "game")),
                (all, _) => format!(
                    "no game counts: {}, {} without a result, {} without two different names of players, {} without an opponent",
                    plural(all, "game"),
                    games.unfinished(),
                    games.nameless,
                    games.byes
                ),
            },
        ));
    }
    let document = games.report(&options.report);
    let unfinished = document
        .as_ref()
        .map_or_else(|_| games.unfinished(), |document| document.unfinished);
    for (count, why) in [
        (unfinished, "without a result"),
        (games.nameless, "without two different names of players"),
    ] {
        if count > 0 {
            run.reporter.problem(&Problem::warning(format!(
                "{} {why} left out",
                plural(count, "game")
            )));
        }
    }
    let mut document = document?;
    let further = [
        (unfinished, "without a result"),
        (games.nameless, "without two different names of players"),
    ];
    if let Some(note) = report.left_out(&further) {
        document.notes.insert(0, format!("{note}."));
    }
    let options = MatchRunOptions {
        count,
        ..options.clone()
    };
    document.provenance =
        hashes.map(|hashes| Provenance::of("match", &options).inputs(hashes.finish(run.cancel)));
    let outcome = Outcome {
        done: document.games,
        ..outcome
    };
    Ok(Finished {
        result: Some(MatchResult { document }),
        outcome,
    })
}

impl MatchResult {
    /// Returns the document as JSON.
    pub fn json(&self) -> String {
        document(&self.document)
    }

    /// Ratings with their errors, and the results of two players.
    pub fn plot(&self, form: PlotForm) -> Vec<u8> {
        MatchPlot::new(&self.document).draw(form)
    }
}
