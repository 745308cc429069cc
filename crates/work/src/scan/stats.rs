//! What games contain: counting, and merging of parts.

use std::cmp::Reverse;

use centipawn_calibrate::document;
use centipawn_pgn::{Dialect, Results, ScanOptions, ScanReport, Stats, Unreadable};
use centipawn_progress::{Outcome, Problem, Provenance, text::padded};

use super::gather::{gather, named_games};
use crate::{Finished, Gathered, Inputs, Run, ScanError, StatsRunOptions};

/// What games contain, with where they come from.
#[derive(Debug)]
#[non_exhaustive]
pub struct GameStats {
    /// The counts.
    pub stats: Stats,
    /// Games and files read, and those that could not be read.
    pub report: ScanReport,
    /// Where they come from; `None` if inputs were not [hashed](Inputs::is_hashed).
    pub provenance: Option<Provenance>,
}

/// Counts what games contain, or merges parts. Unreadable files are reported; unreadable games are only counted. A file without a readable
/// game counts as done, too.
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
    let scan = ScanOptions { on_unreadable: Some(&on_unreadable), ..run.scan(options.shard) };
    let choose = || Ok::<_, ScanError>(named_games(inputs.games, run.reporter));
    let gathered = gather("pgn stats", inputs, &options.count, None, &scan, choose)?;
    let outcome = gathered.outcome();
    let Gathered { options: count, state: stats, report, hashes, is_part, .. } = gathered;
    if is_part {
        return Ok(Finished { result: None, outcome });
    }
    let options = StatsRunOptions { count, ..*options };
    let provenance = hashes.map(|hashes| Provenance::of("pgn stats", &options).inputs(hashes.finish(run.cancel)));
    let outcome = Outcome { done: outcome.done.max(report.sources), ..outcome };
    Ok(Finished { result: Some(GameStats { stats, report, provenance }), outcome })
}

/// Number of names shown of each kind; JSON has all.
const NAMES_SHOWN: usize = 10;

impl GameStats {
    /// The document of `pgn stats --json`.
    pub fn json(&self) -> String {
        document(&self.stats.document(&self.report, self.provenance.clone()))
    }

    /// A table of the counts, with the most frequent names.
    pub fn text(&self) -> String {
        let Self { stats, report, .. } = self;
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mut rows = vec![
            ("Files".to_owned(), report.sources, String::new()),
            ("Games".to_owned(), report.games, String::new()),
        ];
        let Results { white, draw, black, unknown } = stats.results;
        for (name, count) in [("1-0", white), ("1/2-1/2", draw), ("0-1", black), ("no result", unknown)] {
            rows.push((format!("  {name}"), count, format!("{:.1} %", percent(count, report.games))));
        }
        rows.push(("Other start positions".to_owned(), stats.other_starts, String::new()));
        rows.push(("Plies".to_owned(), report.plies, String::new()));
        for (name, count) in [("with a comment", stats.commented), ("with an evaluation", stats.evals)] {
            rows.push((format!("  {name}"), count, format!("{:.1} %", percent(count, report.plies))));
        }
        rows.push(("Games that cannot be read".to_owned(), report.bad_games(), String::new()));
        rows.extend(report.errors.iter().map(|(kind, count)| (format!("  {kind}"), *count, String::new())));
        if report.flawed_games > 0 {
            rows.push(("Games that lost a part".to_owned(), report.flawed_games, String::new()));
            rows.extend(report.flaws.iter().map(|(kind, count)| (format!("  {kind}"), *count, String::new())));
        }
        let kinds = [
            ("Games by dialect of evaluations", &stats.dialects),
            ("Players", &stats.players),
            ("Events", &stats.events),
            ("Openings (ECO)", &stats.eco),
        ];
        for (title, names) in kinds.into_iter().filter(|(_, names)| !names.is_empty()) {
            rows.push((title.to_owned(), names.len() as u64, String::new()));
            let mut most: Vec<_> = names.iter().collect();
            most.sort_by_key(|(name, count)| (Reverse(**count), *name));
            for (name, count) in most.iter().take(NAMES_SHOWN) {
                let name = if *name == Dialect::Auto.name() { "none found" } else { name };
                rows.push((format!("  {name}"), **count, String::new()));
            }
            if most.len() > NAMES_SHOWN {
                let rest = most[NAMES_SHOWN..].iter().map(|(_, count)| **count).sum();
                rows.push((format!("  {} others", most.len() - NAMES_SHOWN), rest, String::new()));
            }
        }
        let line = |(name, count, note): &(String, u64, String)| {
            format!("{}{count:>14}{note:>10}", padded(name, 48)).trim_end().to_owned() + "\n"
        };
        rows.iter().map(line).collect()
    }
}
