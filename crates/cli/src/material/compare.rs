//! Comparison of collections.

use std::{collections::HashSet, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use centipawn_calibrate::{
    document,
    material::{ComparisonDocument, Fit, comparison_text},
};
use centipawn_progress::{Input, Outcome};
use centipawn_work::{MaterialRunOptions, write_comparison};

use super::{Material, provenance};
use crate::{
    exit::{self, usage},
    session::Session,
    text::printable,
};

/// Fits each collection, and compares the others with the first.
pub(super) fn run(args: &Material, options: &MaterialRunOptions, session: &Session) -> Result<ExitCode> {
    if args.scan.games.len() < 2 {
        return Err(usage("--compare needs two collections: files, folders, or patterns in quotes"));
    }
    let cancel = session.cancel()?;
    let (mut all, mut files) = (Vec::new(), Vec::new());
    let mut outcome = Outcome::default();
    let mut uncertain = false;
    for (name, named) in names(&args.scan.games).into_iter().zip(&args.scan.games) {
        let rows = args.read(std::slice::from_ref(named), options, session)?;
        outcome = outcome.and(rows.outcome);
        if outcome.cancelled {
            return Ok(session.status(outcome));
        }
        let fit = Fit::new(&rows.collection, &options.report.fit, cancel, session.reporter());
        let fit = fit.with_context(|| name.clone())?;
        if let Err(why) = fit.values() {
            session.reporter().note(&format!("error: {name}: {why}"));
            uncertain = true;
        }
        files.extend(rows.files);
        all.push((name, fit));
    }
    let provenance = args.has_document().then(|| provenance(options, Input::of_all(&files)));
    if let Some(folder) = &args.out {
        if session.is_cancelled() {
            return Ok(session.status(Outcome { cancelled: true, ..outcome }));
        }
        write_comparison(folder, &all, provenance.clone())?;
        session.note(&format!("In {}: comparison.json, values.svg, values.png", folder.display()));
    }
    session.print(&if args.json {
        document(&ComparisonDocument::new(&all, provenance))
    } else {
        comparison_text(&all)
    })?;
    Ok(if uncertain { exit::SKIPPED.into() } else { session.status(outcome) })
}

/// Names of collections: file names if they are distinct, otherwise whole paths.
fn names(collections: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let short: Vec<String> = collections.iter().filter_map(short).map(|name| printable(&name)).collect();
    let distinct: HashSet<&String> = short.iter().collect();
    if distinct.len() == collections.len() {
        return short;
    }
    collections.iter().map(|path| printable(&path.display().to_string())).collect()
}
