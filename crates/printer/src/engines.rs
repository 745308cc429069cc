//! Formats reports on engines: names, options, speed, and results of test suites.

use std::fmt::Write as _;

use centipawn_engine::{EngineReport, Speed};
use centipawn_progress::text::{plural, printable};
use centipawn_work::engine::{SuiteReport, SuiteResult};

use crate::columns::{padded, shortened};

/// Returns a report on an engine. `with_options` adds the list of all its options.
pub fn engine(report: &EngineReport, with_options: bool) -> String {
    let mut out = format!(
        "{}\n  program  {}\n",
        printable(&report.name),
        printable(&report.program)
    );
    if !report.author.is_empty() {
        out += &format!("  author   {}\n", printable(&report.author));
    }
    let set: Vec<String> = report
        .set
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    if !set.is_empty() {
        out += &format!("  set      {}\n", printable(&set.join(", ")));
    }
    let contempt: Vec<String> = report
        .contempt
        .iter()
        .map(|(name, value)| {
            let value = if value.is_empty() { "empty" } else { value };
            format!("{name} {value}")
        })
        .collect();
    if !contempt.is_empty() {
        out += &format!("  contempt {}\n", printable(&contempt.join(", ")));
    }
    if let Some(note) = &report.note {
        out += &format!("  note     {}\n", printable(note));
    }
    if let Some(Speed {
        nodes_per_second,
        depth,
        ..
    }) = report.speed
    {
        out += &format!(
            "  speed    {:.0} thousand nodes a second, depth {depth}\n",
            nodes_per_second / 1e3
        );
    }
    if with_options {
        for option in &report.options {
            out += &printable(&format!("    {:28} {}", option.name, option.kind));
            out.push('\n');
        }
    } else {
        out += &format!(
            "  options  {} (option `options` lists them)\n",
            report.options.len()
        );
    }
    out
}

/// Returns the results of a test suite: its score, and the positions that were not solved, or `all`
/// positions.
pub fn suite(report: &SuiteReport, all: bool) -> String {
    let mut out = String::new();
    let shown: Vec<&SuiteResult> = report
        .results
        .iter()
        .filter(|result| all || !result.solved)
        .collect();
    let has_points = report.most_points > report.positions as f64;
    if !shown.is_empty() {
        let _ = writeln!(
            out,
            "{:20}{:10}{:24}{:>8}{:>12}",
            if all { "position" } else { "not solved" },
            "answer",
            "wanted",
            "seconds",
            "nodes"
        );
    }
    for result in shown {
        let wanted = match (&*result.best, &*result.avoid) {
            ([], avoid) => format!("not {}", avoid.join(", ")),
            (best, _) => best.join(", "),
        };
        let answer = result.answer.as_deref().unwrap_or("-");
        let points = if has_points && result.points > 0.0 {
            format!(" ({})", result.points)
        } else {
            String::new()
        };
        let line = format!(
            "{}{}{}{:>8}{:>12}",
            padded(&shortened(&printable(&result.id), 19), 20),
            padded(&format!("{answer}{points}"), 10),
            padded(&shortened(&wanted, 23), 24),
            result
                .seconds
                .map_or_else(String::new, |seconds| format!("{seconds:.2}")),
            result
                .nodes
                .map_or_else(String::new, |nodes| nodes.to_string()),
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let (low, high) = report.interval;
    let _ = writeln!(
        out,
        "{}: {} of {} solved, {:.1} % (95 %: {:.1} to {:.1})",
        printable(&report.engine),
        report.solved,
        plural(report.positions, "position"),
        100.0 * report.score,
        100.0 * low,
        100.0 * high
    );
    if has_points {
        let _ = writeln!(out, "Points: {} of {}", report.points, report.most_points);
    }
    if let (Some(seconds), Some(nodes)) = (report.median_seconds, report.median_nodes) {
        let _ = writeln!(out, "Median to solution: {seconds:.2} s, {nodes} nodes");
    }
    out
}
