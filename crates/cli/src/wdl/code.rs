//! `--code`: a fitted model as source code for an engine.

use std::path::{Path, PathBuf};

use anyhow::Result;
use centipawn_calibrate::wdl::{By, CodeLanguage, FitOptions, FitReport, Pattern, Shape};
use centipawn_progress::{AtomicFile, Files};
use clap::Args;

use crate::{exit::usage, session::Session};

/// What an engine's author takes from a fit.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Code for an engine")]
pub(crate) struct CodeArgs {
    /// The engine that the code is for (tag White or Black). From games, only its own evaluations
    /// count
    #[arg(long, value_name = "NAME")]
    engine_name: Option<String>,
    /// Write the model as source code, with functions for win, draw and loss per mille and for
    /// normalised centipawns: .hpp or .cpp (C++), .h or .c (C), .rs (Rust); may be repeated
    #[arg(long, value_name = "FILE")]
    code: Vec<PathBuf>,
}

/// The files of code to write.
#[derive(Default)]
pub(super) struct CodeFiles<'a> {
    engine: &'a str,
    files: Vec<(&'a Path, CodeLanguage)>,
}

impl CodeArgs {
    /// Returns a pattern that matches the named engine only.
    pub(super) fn engine(&self) -> Result<Option<Pattern>> {
        let name = self.engine_name.as_deref().map(Pattern::literal);
        name.transpose()
            .map_err(|error| usage(format!("--engine-name: {error}")))
    }

    /// Reserves the files, which must differ from the other files that the command reads and
    /// writes. Fails if code cannot express the shape of the fit.
    pub(super) fn files(&self, fit: &FitOptions, reserved: &mut Files) -> Result<CodeFiles<'_>> {
        if !self.code.is_empty() && (fit.shape != Shape::Cubic || fit.selection.by == By::Both) {
            return Err(no_functions());
        }
        let mut files = Vec::new();
        for path in &self.code {
            reserved.reserve(path)?;
            files.push((
                &**path,
                CodeLanguage::of(path).map_err(|error| usage(error.to_string()))?,
            ));
        }
        Ok(CodeFiles {
            engine: self.engine_name.as_deref().unwrap_or("the engine"),
            files,
        })
    }
}

impl CodeFiles<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes all files.
    pub(super) fn write(&self, report: &FitReport, session: &Session) -> Result<()> {
        for (path, language) in &self.files {
            let code = report
                .engine_code(*language, self.engine)
                .ok_or_else(no_functions)?;
            session.report_kept(AtomicFile::write_whole(
                path,
                code.as_bytes(),
                session.cancel()?,
            )?);
        }
        Ok(())
    }
}

fn no_functions() -> anyhow::Error {
    usage(
        "--code: this model has no functions for an engine; take cubics by material or move (leave out --shape and --by both), and \
         games enough that a and b are above 0 at material 58 or move 33",
    )
}
