//! What games contain: counting, and merging of parts.

use std::cmp::Reverse;

use centipawn_pgn::{Dialect, Results, ScanOptions, Stats, Unreadable};
use centipawn_progress::{Problem, Reporter, text::padded};

use super::gather::{gather, named_games};
use crate::{Gathered, ScanError, ScanRequest, StatsScan};

/// Counts what games contain, or merges parts. Unreadable files are reported; unreadable games are only counted.
///
/// # Errors
///
/// [`ScanError`].
pub fn count_stats(
    request: &ScanRequest<'_>,
    scan: StatsScan,
    options: &ScanOptions<'_>,
    reporter: &dyn Reporter,
) -> Result<Gathered<StatsScan, Stats>, ScanError> {
    let on_unreadable = |unreadable: &Unreadable| {
        if let Unreadable::Source(_) = unreadable {
            reporter.problem(&Problem::from(unreadable));
        }
    };
    let options = ScanOptions { on_unreadable: Some(&on_unreadable), reporter: Some(reporter), ..*options };
    gather(request, &scan, None, &options, || Ok(named_games(request.games, reporter)))
}

/// Number of names shown of each kind; JSON has all.
const NAMES_SHOWN: usize = 10;

impl Gathered<StatsScan, Stats> {
    /// A table of the counts, with the most frequent names.
    pub fn text(&self) -> String {
        let Self { state: stats, report, .. } = self;
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
