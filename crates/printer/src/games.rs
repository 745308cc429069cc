//! Formats statistics of games.

use std::cmp::Reverse;

use centipawn_pgn::{Dialect, Game, Results, ScanReport};
use centipawn_progress::text::{plural, printable};
use centipawn_work::scan::GameStats;

use crate::columns::padded;

/// How many names of each kind are shown. The JSON document has all of them.
const NAMES_SHOWN: usize = 10;

/// Returns a table of the counts, with the most frequent names.
pub fn game_stats(counted: &GameStats) -> String {
    let GameStats { stats, report, .. } = counted;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let mut rows = vec![("Files".to_owned(), report.sources, String::new())];
    if report.failed_sources > 0 {
        rows.push((
            "Files not read to their end".to_owned(),
            report.failed_sources,
            String::new(),
        ));
    }
    rows.push(("Games".to_owned(), report.games, String::new()));
    let Results {
        white,
        draw,
        black,
        unknown,
    } = stats.results;
    for (name, count) in [
        ("1-0", white),
        ("1/2-1/2", draw),
        ("0-1", black),
        ("no result", unknown),
    ] {
        rows.push((
            format!("  {name}"),
            count,
            format!("{:.1} %", percent(count, report.games)),
        ));
    }
    rows.push((
        "Other start positions".to_owned(),
        stats.other_starts,
        String::new(),
    ));
    rows.push(("Plies".to_owned(), report.plies, String::new()));
    for (name, count) in [
        ("with a comment", stats.commented),
        ("with an evaluation", stats.evals),
    ] {
        rows.push((
            format!("  {name}"),
            count,
            format!("{:.1} %", percent(count, report.plies)),
        ));
    }
    rows.push((
        "Games that cannot be read".to_owned(),
        report.bad_games(),
        String::new(),
    ));
    rows.extend(
        report
            .errors
            .iter()
            .map(|(kind, count)| (format!("  {kind}"), *count, String::new())),
    );
    if report.flawed_games > 0 {
        rows.push((
            "Games read only in part".to_owned(),
            report.flawed_games,
            String::new(),
        ));
        rows.extend(
            report
                .flaws
                .iter()
                .map(|(kind, count)| (format!("  {kind}"), *count, String::new())),
        );
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
            let name = if *name == Dialect::Auto.name() {
                "none found"
            } else {
                name
            };
            rows.push((format!("  {name}"), **count, String::new()));
        }
        if most.len() > NAMES_SHOWN {
            let rest = most[NAMES_SHOWN..].iter().map(|(_, count)| **count).sum();
            rows.push((
                format!("  {} others", most.len() - NAMES_SHOWN),
                rest,
                String::new(),
            ));
        }
    }
    let line = |(name, count, note): &(String, u64, String)| {
        format!("{}{count:>14}{note:>10}", padded(name, 48))
            .trim_end()
            .to_owned()
            + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns how many games are without errors, in one line without a newline: `12 games in order, 1
/// with problems, in 1 file (12 MB at 640 MB/s)`.
pub fn check_summary(report: &ScanReport) -> String {
    format!(
        "{} in order, {} with problems, in {} ({})",
        plural(report.games - report.flawed_games, "game"),
        report.bad_games() + report.flawed_games,
        plural(report.sources, "file"),
        size(report),
    )
}

/// Returns the players of a game, in one line without a newline: `White – Black`; `?` for a missing
/// name.
pub fn players(game: &Game) -> String {
    let [white, black] =
        ["White", "Black"].map(|tag| printable(game.headers.get(tag).unwrap_or("?")));
    format!("{white} – {black}")
}

/// Returns the size of the input and the speed: `12 MB at 640 MB/s`. Small inputs have no speed
/// (`310 bytes`), because it would measure the start of the program.
fn size(report: &ScanReport) -> String {
    const ENOUGH: u64 = 10_000_000;
    let (megabytes, seconds) = (report.text as f64 / 1e6, report.elapsed.as_secs_f64());
    match report.text {
        0..1_000 => plural(report.text, "byte"),
        1_000..1_000_000 => format!("{:.0} kB", report.text as f64 / 1e3),
        1_000_000..ENOUGH => format!("{megabytes:.1} MB"),
        _ => format!(
            "{megabytes:.0} MB at {:.0} MB/s",
            megabytes / seconds.max(1e-9)
        ),
    }
}
