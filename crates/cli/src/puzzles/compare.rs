//! `centipawn puzzles tag --compare`: a table that compares the themes found with the puzzles' own.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use centipawn_puzzle::{Agreement, AgreementTable};

use super::{FilesArgs, exit};
use crate::session::Session;

pub(super) fn run(files: &FilesArgs, session: &Session) -> Result<ExitCode> {
    let mut out = files.create()?;
    let mut agreement = Agreement::default();
    let outcome = files.read(session, |puzzle| {
        agreement.add(&puzzle);
        Ok(())
    })?;
    let table = agreement.table();
    write(&mut out, &table).context("cannot write the table")?;
    if outcome.done > 0 {
        session.place(out)?;
    }
    let unlabelled: Vec<&str> = table.unlabelled().collect();
    if !unlabelled.is_empty() {
        let names = unlabelled.join(", ");
        session.note(&format!("no puzzle has the label, which may be younger than the file: {names}"));
    }
    Ok(exit(outcome, session, "compared"))
}

fn write(out: &mut impl Write, table: &AgreementTable) -> io::Result<()> {
    let columns = ["labelled", "found", "precision", "recall", "agreement"];
    let [labelled, found, precision, recall, agreement] = columns;
    writeln!(out, "{:<18}{labelled:>9}{found:>9}{precision:>11}{recall:>9}{agreement:>11}", "theme")?;
    // A dash if the share is undefined.
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.4}"));
    for row in &table.themes {
        let [precision, recall, agreement] = [row.precision, row.recall, row.agreement].map(share);
        let (theme, labelled, found) = (&row.theme, row.labelled, row.found);
        writeln!(out, "{theme:<18}{labelled:>9}{found:>9}{precision:>11}{recall:>9}{agreement:>11}")?;
    }
    Ok(())
}
