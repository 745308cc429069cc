//! `centipawn puzzles tag --compare`: our themes beside those that puzzles had.

use std::{collections::BTreeMap, io::Write as _, process::ExitCode};

use anyhow::{Context as _, Result};
use centipawn_puzzle::{Theme, themes};

use super::FilesArgs;
use crate::args::Shared;

/// In how many puzzles a theme is found by both, by us alone, by the label alone.
#[derive(Clone, Copy, Default)]
struct Agreement {
    both: u64,
    ours: u64,
    theirs: u64,
}

pub(super) fn run(files: &FilesArgs, shared: &Shared) -> Result<ExitCode> {
    let mut out = files.create()?;
    let mut table = BTreeMap::<Theme, Agreement>::new();
    let count = files.read(|puzzle| {
        let found = themes(&puzzle.solution);
        for &theme in Theme::ALL.iter().filter(|theme| !theme.is_told()) {
            let entry = table.entry(theme).or_default();
            match (found.contains(theme), puzzle.themes.contains(theme)) {
                (true, true) => entry.both += 1,
                (true, false) => entry.ours += 1,
                (false, true) => entry.theirs += 1,
                (false, false) => {}
            }
        }
        Ok(())
    })?;
    let mut write = || {
        writeln!(
            out,
            "{:<18}{:>9}{:>9}{:>11}{:>9}{:>11}",
            "theme", "labelled", "found", "precision", "recall", "agreement"
        )?;
        for (theme, row) in table.iter().filter(|(_, row)| row.both + row.ours + row.theirs > 0) {
            let (labelled, found) = (row.both + row.theirs, row.both + row.ours);
            let differ = row.ours + row.theirs;
            writeln!(
                out,
                "{:<18}{labelled:>9}{found:>9}{:>11}{:>9}{:>11}",
                theme.name(),
                share(row.both, found),
                share(row.both, labelled),
                share(count.read - differ, count.read)
            )?;
        }
        std::io::Result::Ok(())
    };
    write().context("cannot write the table")?;
    if count.read > 0 {
        out.finish()?;
    }
    let unlabelled: Vec<&str> = table
        .iter()
        .filter(|(_, row)| row.both + row.theirs == 0 && row.ours > 0)
        .map(|(theme, _)| theme.name())
        .collect();
    if !unlabelled.is_empty() && !shared.quiet {
        anstream::eprintln!("no puzzle has the label, which may be younger than the file: {}", unlabelled.join(", "));
    }
    Ok(count.status(shared, "compared"))
}

/// A part of a whole; a dash where there is no whole.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.4}", part as f64 / whole as f64) }
}
