//! `centipawn puzzles tag --compare`: a table that compares the computed themes with the themes in
//! the file.

use std::{io::Write as _, process::ExitCode};

use anyhow::{Context as _, Result};
use centipawn_printer as printer;
use centipawn_puzzle::Agreement;

use super::{FilesArgs, exit};
use crate::session::Session;

pub(super) fn run(files: &FilesArgs, session: &Session) -> Result<ExitCode> {
    let mut out = files.create(session.cancel()?)?;
    let mut agreement = Agreement::default();
    let outcome = files.read(session, |puzzle| {
        agreement.add(&puzzle);
        Ok(())
    })?;
    let table = agreement.table();
    out.write_all(printer::agreement(&table).as_bytes())
        .context("cannot write the table")?;
    if outcome.done > 0 {
        session.place(out)?;
    }
    let unlabelled: Vec<&str> = table.unlabelled().collect();
    if !unlabelled.is_empty() {
        let names = unlabelled.join(", ");
        session.note(&format!(
            "no puzzle has the label, which may be younger than the file: {names}"
        ));
    }
    Ok(exit(outcome, session, "compared"))
}
