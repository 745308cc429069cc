//! Engines: their names, options and speed.

use centipawn_engine::{EngineReport, Speed};
use centipawn_progress::text::printable;

/// An engine, a line for each part; `with_options` lists all its options.
pub fn engine(report: &EngineReport, with_options: bool) -> String {
    let mut out = format!("{}\n  program  {}\n", printable(&report.name), printable(&report.program));
    if !report.author.is_empty() {
        out += &format!("  author   {}\n", printable(&report.author));
    }
    let set: Vec<String> = report.set.iter().map(|(name, value)| format!("{name} {value}")).collect();
    if !set.is_empty() {
        out += &format!("  set      {}\n", printable(&set.join(", ")));
    }
    if let Some(Speed { nodes_per_second, depth, .. }) = report.speed {
        out += &format!("  speed    {:.0} thousand nodes a second, depth {depth}\n", nodes_per_second / 1e3);
    }
    if with_options {
        for option in &report.options {
            out += &printable(&format!("    {:28} {}", option.name, option.kind));
            out.push('\n');
        }
    } else {
        out += &format!("  options  {} (option `options` lists them)\n", report.options.len());
    }
    out
}
