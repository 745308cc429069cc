//! Collections beside each other.

use std::{
    collections::HashSet,
    fmt::Write as _,
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use centipawn_calibrate::material::{Comparison, Feature, Fit, FitOptions, MaterialPlot};
use serde_json::{Value as Json, json};

use super::{
    Material, files,
    report::{fit_json, heading, label, table},
};
use crate::{
    args::Shared,
    exit::{self, usage},
    text::{printable, shortened},
};

/// Fits each collection, and sets the others beside the first.
pub(super) fn run(args: &Material, options: &FitOptions, shared: &Shared) -> Result<ExitCode> {
    if args.scan.games.len() < 2 {
        return Err(usage("--compare needs two collections: files, folders, or patterns in quotes"));
    }
    let mut all = Vec::new();
    let mut status = ExitCode::SUCCESS;
    let mut uncertain = false;
    for (name, named) in names(&args.scan.games).into_iter().zip(&args.scan.games) {
        let games = args.read(std::slice::from_ref(named), shared)?;
        if games.cancelled {
            return Ok(exit::INTERRUPTED.into());
        }
        if games.skipped > 0 {
            status = games.status();
        }
        let fit = Fit::new(&games.collection, options).with_context(|| name.clone())?;
        if let Err(why) = fit.values() {
            anstream::eprintln!("error: {name}: {why}");
            uncertain = true;
        }
        all.push((name, fit));
    }
    let text = if args.json { format!("{:#}\n", document(&all)) } else { text(&all) };
    if let Some(folder) = &args.out {
        files::write_file(&folder.join("comparison.json"), format!("{:#}\n", document(&all)).as_bytes())?;
        let named: Vec<(&str, &Fit)> = all.iter().map(|(name, fit)| (name.as_str(), fit)).collect();
        files::plot(folder, "values", &MaterialPlot::values(&named))?;
        if !shared.quiet {
            anstream::eprintln!("In {}: comparison.json, values.svg, values.png", folder.display());
        }
    }
    io::stdout().write_all(text.as_bytes()).context("cannot print")?;
    Ok(if uncertain { exit::SKIPPED.into() } else { status })
}

/// What collections are called: by their files if that tells them apart, otherwise by the whole paths.
fn names(collections: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let short: Vec<String> = collections.iter().filter_map(short).map(|name| printable(&name)).collect();
    let distinct: HashSet<&String> = short.iter().collect();
    if distinct.len() == collections.len() {
        return short;
    }
    collections.iter().map(|path| printable(&path.display().to_string())).collect()
}

fn text(all: &[(String, Fit)]) -> String {
    let mut text = String::new();
    for (name, fit) in all {
        let _ = write!(text, "{name}: {}{}", heading(fit), table(fit));
    }
    let Some(((first_name, first), others)) = all.split_first() else { return text };
    for (name, fit) in others {
        let Ok(comparison) = Comparison::new(first, fit) else { continue };
        let _ = writeln!(text, "{} less {}", shortened(name, 36), shortened(first_name, 36));
        let _ = writeln!(text, "{:<18}{:>10}  {:<8}{:>7}", "", "difference", "error", "z");
        for own in &comparison.differences {
            let _ = writeln!(
                text,
                "{:<18}{:>+10.0}  {:<8}{:>7.2}",
                label(own.feature),
                own.difference,
                format!("± {:.0}", own.error),
                own.z
            );
        }
        let _ = writeln!(
            text,
            "All men together: chi square {:.2} of {}; if they had the same values, so much or more {:.2} % of the time\n",
            comparison.chi_square,
            comparison.values,
            100.0 * comparison.p
        );
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn document(all: &[(String, Fit)]) -> Json {
    let collections = all.iter().map(|(name, fit)| {
        let mut document = fit_json(fit);
        document["collection"] = name.clone().into();
        document
    });
    let Some(((_, first), others)) = all.split_first() else { return Json::Null };
    let differences = others.iter().map(|(name, fit)| {
        let Ok(comparison) = Comparison::new(first, fit) else { return json!({ "collection": name }) };
        let each = comparison.differences.iter().map(|own| {
            let name: &str = Feature::name(own.feature);
            (name.to_owned(), json!({ "difference": own.difference, "error": own.error, "z": own.z }))
        });
        json!({
            "collection": name,
            "differences": each.collect::<serde_json::Map<_, _>>(),
            "chi_square": comparison.chi_square,
            "degrees_of_freedom": comparison.values,
            "p": comparison.p,
        })
    });
    json!({ "collections": collections.collect::<Vec<_>>(), "comparisons": differences.collect::<Vec<_>>() })
}
