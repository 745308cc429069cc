//! Where a study goes: files, standard output, Lichess.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use centipawn_pgn::{LichessStudies, StudyMode, Visibility};
use centipawn_progress::{AtomicFile, Files, Outcome, Problem, Reporter as _, resolved};
use centipawn_site::{Study, StudyPart};
use clap::Args;

use crate::{exit::usage, session::Session, text::plural};

/// Where the study goes.
#[derive(Args)]
pub(super) struct PlaceArgs {
    /// Name of the study [default: by its content]
    #[arg(long, value_name = "NAME", help_heading = "Results")]
    name: Option<String>,
    /// Write the chapters to a PGN file (- is standard output, the default without --post); after
    /// 64 chapters, which is the limit of Lichess, the next ones go to FILE-2.pgn and so on
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    output: Option<PathBuf>,
    /// Make the study on Lichess, and print its address; the environment variable LICHESS_TOKEN
    /// contains a token with the permission study:write
    #[arg(long, help_heading = "Results")]
    post: bool,
    /// Who can see the study on Lichess: private, unlisted or public
    #[arg(
        long,
        value_name = "WHO",
        default_value_t,
        requires = "post",
        help_heading = "Results"
    )]
    visibility: Visibility,
}

/// A checked [`PlaceArgs`].
pub(super) struct Place {
    name: String,
    output: Option<(PathBuf, Files)>,
    studies: Option<(LichessStudies, Visibility)>,
    mode: StudyMode,
}

impl Place {
    /// Checks the name, the file and the token.
    pub(super) fn open(
        args: &PlaceArgs,
        mode: StudyMode,
        default: &str,
        files: &mut Files,
        session: &Session,
    ) -> Result<Self> {
        let name = args.name.as_deref().unwrap_or(default).trim().to_owned();
        let studies = if args.post {
            LichessStudies::check_name(&name).map_err(|error| usage(error.to_string()))?;
            Some((LichessStudies::new(session.cancel()?)?, args.visibility))
        } else {
            None
        };
        let output = args
            .output
            .clone()
            .or_else(|| (!args.post).then(|| PathBuf::from("-")));
        if let Some(path) = &output {
            files.reserve(path)?;
        }
        let output = output.map(|path| (path, std::mem::take(files)));
        Ok(Self {
            name,
            output,
            studies,
            mode,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Writes the study. Without any chapter, earlier files stay and no study is posted.
    pub(super) fn finish(
        mut self,
        study: &Study,
        outcome: Outcome,
        session: &Session,
    ) -> Result<()> {
        let parts = study.parts();
        if let Some((path, mut files)) = self.output.take() {
            write(&path, &mut files, &parts, session)?;
            let others = if session.is_cancelled() {
                Vec::new()
            } else {
                others(&path, &files, parts.len())
            };
            if !others.is_empty() {
                let names: Vec<_> = others
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect();
                let (verb, pronoun) = if others.len() == 1 {
                    ("is", "it")
                } else {
                    ("are", "them")
                };
                session.reporter().problem(&Problem::warning(format_args!(
                    "{} {verb} not part of this study; delete {pronoun} if an earlier run left {pronoun}",
                    names.join(", ")
                )));
            }
        }
        let chapters = plural(study.len() as u64, "chapter");
        match parts.len() {
            0 => session.note("no chapters"),
            1 => session.note(&chapters),
            count => session.note(&format!(
                "{chapters} in {count} studies; a study on Lichess has at most 64"
            )),
        }
        // Do not publish the study of a cancelled run, which would look complete.
        if let Some((studies, visibility)) = self.studies.filter(|_| !outcome.cancelled) {
            for part in &parts {
                let address = post(&studies, part, visibility, self.mode)?;
                session.print(&format!("{address}\n"))?;
            }
        }
        Ok(())
    }
}

/// Writes each part to its file, or all to standard output.
fn write(path: &Path, files: &mut Files, parts: &[StudyPart], session: &Session) -> Result<()> {
    let is_standard_output = path == Path::new("-");
    let mut out: Vec<AtomicFile> = Vec::new();
    let cancel = session.cancel()?;
    for (index, part) in parts.iter().enumerate() {
        match index {
            0 => out.push(AtomicFile::create(path, cancel)?),
            _ if is_standard_output => {}
            _ => out.push(files.create(&numbered(path, index + 1), cancel)?),
        }
        let space = if index > 0 && is_standard_output {
            "\n"
        } else {
            ""
        };
        if let Some(file) = out.last_mut() {
            write!(file, "{space}{}", part.pgn()).context("cannot write the study")?;
        }
    }
    session.place_all(out)
}

/// Returns files that look like further parts of this study but were neither written nor read. They
/// remain from an earlier, longer study.
fn others(path: &Path, files: &Files, parts: usize) -> Vec<PathBuf> {
    if parts == 0 || path == Path::new("-") {
        return Vec::new();
    }
    let is_read = |other: &PathBuf| {
        files
            .read()
            .iter()
            .any(|read| resolved(read) == resolved(other))
    };
    let existing = (parts + 1..)
        .map(|number| numbered(path, number))
        .take_while(|other| other.is_file());
    existing.filter(|other| !is_read(other)).collect()
}

/// `lesson-2.pgn` for `lesson.pgn`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path
        .extension()
        .map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{end}"))
}

/// Makes a study on Lichess, and returns its address.
fn post(
    studies: &LichessStudies,
    part: &StudyPart,
    visibility: Visibility,
    mode: StudyMode,
) -> Result<String> {
    let id = studies.create(&part.name, visibility)?;
    let address = studies.address(&id);
    let imported = studies.import(&id, &part.chapters, mode, part.orientation);
    imported.with_context(|| format!("the study {address} has not all chapters"))?;
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_numbers() {
        assert_eq!(
            numbered(Path::new("a/lesson.pgn"), 2),
            Path::new("a/lesson-2.pgn")
        );
        assert_eq!(numbered(Path::new("lesson"), 3), Path::new("lesson-3"));
    }
}
