//! The files that a review writes.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use centipawn_engine::Identity;
use centipawn_pgn::{Game, Glyphs, write_game_with};
use centipawn_progress::{AtomicFile, Cancel, FileError, Files, Placement, Provenance};
use centipawn_review::{DocumentWriter, Review, ReviewOptions};
use centipawn_work::engine::ReviewOutput;

use crate::{
    FolderError, Markdown, MomentsTable, Report,
    batch::{Batch, check_batch},
};

/// Paths of a review's results. `None` omits a result; `-` is standard output.
#[derive(Clone, Debug, Default)]
pub struct OutputPaths {
    /// The file of annotated games.
    pub pgn: Option<PathBuf>,
    /// The HTML page with all games.
    pub html: Option<PathBuf>,
    /// The file of the [`ReviewDocument`](centipawn_review::ReviewDocument).
    pub json: Option<PathBuf>,
    /// One Markdown file with all games; diagrams are in a folder beside it.
    pub markdown: Option<PathBuf>,
    /// One HTML page with a table of each game's moments, with diagrams.
    pub moments: Option<PathBuf>,
    /// A folder with a page for each game and player, an index, tables and `games.pgn`.
    pub batch: Option<PathBuf>,
    /// How PGN writes symbols. Default: as NAGs.
    pub glyphs: Glyphs,
    /// The player for whom the HTML page is, as a handout; `None` for both players of all games.
    pub player: Option<String>,
}

impl OutputPaths {
    /// Returns whether there is any result.
    pub fn has_any(&self) -> bool {
        [
            &self.pgn,
            &self.html,
            &self.json,
            &self.markdown,
            &self.moments,
            &self.batch,
        ]
        .into_iter()
        .any(Option::is_some)
    }

    /// Returns the page that people open: the batch's index or the report; `None` without one in a
    /// file.
    pub fn page(&self) -> Option<PathBuf> {
        let index = self.batch.as_ref().map(|folder| folder.join("index.html"));
        index
            .or_else(|| self.html.clone())
            .filter(|page| page != Path::new("-"))
    }
}

/// Writes the results of a review: [`create`](Self::create) opens them,
/// [`game`](ReviewOutput::game) adds a game, and [`finish`](ReviewOutput::finish) puts them in
/// place, all or none. Dropped before that, it leaves earlier results untouched.
pub struct Outputs {
    pgn: Option<AtomicFile>,
    glyphs: Glyphs,
    batch: Option<Batch>,
    html: Option<Report<AtomicFile>>,
    json: Option<DocumentWriter<AtomicFile>>,
    markdown: Option<Markdown>,
    moments: Option<MomentsTable<AtomicFile>>,
    provenance: Provenance,
    limits: String,
    /// The identity of the analyst; `None` before the first engine request.
    analyst: Option<Arc<Identity>>,
}

/// The reason why a result of a review cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file cannot be opened or put in place.
    #[error("{0}")]
    File(#[from] FileError),
    /// The folder of a batch cannot be written.
    #[error("{0}")]
    Folder(#[from] FolderError),
    /// Writing to a result failed.
    #[error("cannot write the {what}")]
    Write {
        /// The result: "report".
        what: &'static str,
        /// The system's error.
        #[source]
        error: io::Error,
    },
}

impl OutputError {
    /// Returns whether the caller asked for something impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        match self {
            OutputError::File(error) => error.is_usage(),
            OutputError::Folder(error) => error.is_usage(),
            OutputError::Write { .. } => false,
        }
    }

    fn write(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| OutputError::Write { what, error }
    }
}

const GAMES: &str = "annotated games";
const REPORT: &str = "report";
const MOMENTS: &str = "table of moments";
const MARKDOWN: &str = "Markdown";
const DOCUMENT: &str = "JSON document";

impl Outputs {
    /// Opens all results. Reserves them in `files`, which lists the inputs. `provenance` describes
    /// the run; [`finish`](ReviewOutput::finish) adds the analyst. After `cancel` is set, waiting
    /// for the reader of a pipe ends.
    ///
    /// # Errors
    ///
    /// [`OutputError`] if a result would replace an input or another result, or cannot be opened;
    /// then nothing has changed.
    pub fn create(
        paths: &OutputPaths,
        files: &mut Files,
        options: &ReviewOptions,
        provenance: Provenance,
        cancel: &Cancel,
    ) -> Result<Self, OutputError> {
        let results = || {
            [
                &paths.pgn,
                &paths.html,
                &paths.json,
                &paths.markdown,
                &paths.moments,
            ]
            .into_iter()
            .flatten()
        };
        results().try_for_each(|path| files.reserve(path))?;
        if let Some(folder) = &paths.batch {
            check_batch(folder, files)?;
        }
        let create = |path: &Option<PathBuf>| {
            path.as_deref()
                .map(|path| AtomicFile::create(path, cancel))
                .transpose()
        };
        let json = create(&paths.json)?
            .map(|out| DocumentWriter::new(out, &options.judge))
            .transpose();
        let batch = paths
            .batch
            .as_deref()
            .map(|folder: &Path| Batch::create(folder, files, options.language, cancel));
        let markdown = paths
            .markdown
            .as_deref()
            .map(|path| Markdown::create(path, options.language, cancel))
            .transpose()?;
        Ok(Self {
            markdown,
            moments: create(&paths.moments)?.map(|out| MomentsTable::new(out, options.language)),
            pgn: create(&paths.pgn)?,
            glyphs: paths.glyphs,
            batch: batch.transpose()?,
            html: create(&paths.html)?
                .map(|out| Report::new(out, options.language).for_player(paths.player.clone())),
            json: json.map_err(OutputError::write(DOCUMENT))?,
            provenance,
            limits: options.judge.limits(),
            analyst: None,
        })
    }

    fn text(&self, game: &Game) -> Result<Vec<u8>, OutputError> {
        let mut text = Vec::new();
        write_game_with(&mut text, game, self.glyphs).map_err(OutputError::write(GAMES))?;
        Ok(text)
    }

    /// Returns the run's provenance with the analyst, if one was asked.
    fn provenance_with(&self, analyst: Option<&Arc<Identity>>) -> Provenance {
        self.provenance
            .clone()
            .engine(analyst.cloned(), &self.limits)
    }
}

impl ReviewOutput for Outputs {
    type Error = OutputError;

    fn game(&mut self, review: &Review) -> Result<(), OutputError> {
        if review.analyst.is_some() {
            self.analyst.clone_from(&review.analyst);
        }
        if self.pgn.is_some() || self.batch.is_some() {
            let text = self.text(&review.annotated())?;
            if let Some(pgn) = &mut self.pgn {
                pgn.write_all(&text).map_err(OutputError::write(GAMES))?;
            }
            let provenance = self
                .batch
                .is_some()
                .then(|| self.provenance_with(review.analyst.as_ref()));
            if let Some((batch, provenance)) = self.batch.as_mut().zip(provenance) {
                batch.game(review, &text, &provenance)?;
            }
        }
        if let Some(html) = &mut self.html {
            html.game(review).map_err(OutputError::write(REPORT))?;
        }
        if let Some(markdown) = &mut self.markdown {
            markdown
                .game(review)
                .map_err(OutputError::write(MARKDOWN))?;
        }
        if let Some(moments) = &mut self.moments {
            moments.game(review).map_err(OutputError::write(MOMENTS))?;
        }
        if let Some(json) = &mut self.json {
            json.game(review).map_err(OutputError::write(DOCUMENT))?;
        }
        Ok(())
    }

    fn unreviewed(&mut self, game: &Game) -> Result<(), OutputError> {
        let text = self.text(game)?;
        if let Some(pgn) = &mut self.pgn {
            pgn.write_all(&text).map_err(OutputError::write(GAMES))?;
        }
        if let Some(batch) = &mut self.batch {
            batch.unreviewed(&text)?;
        }
        Ok(())
    }

    fn finish(self, cancel: &Cancel) -> Result<Vec<PathBuf>, OutputError> {
        let provenance = self.provenance_with(self.analyst.as_ref());
        let mut results = Placement::new(cancel);
        if let Some(json) = self.json {
            results.add(
                json.finish(&provenance)
                    .map_err(OutputError::write(DOCUMENT))?,
            );
        }
        if let Some(batch) = self.batch {
            batch.finish(&provenance, &mut results)?;
        }
        if let Some(html) = self.html {
            results.add(
                html.finish(Some(&provenance))
                    .map_err(OutputError::write(REPORT))?,
            );
        }
        if let Some(moments) = self.moments {
            results.add(
                moments
                    .finish(Some(&provenance))
                    .map_err(OutputError::write(MOMENTS))?,
            );
        }
        if let Some(markdown) = self.markdown {
            markdown.finish_into(&mut results)?;
        }
        if let Some(pgn) = self.pgn {
            results.add(pgn);
        }
        Ok(results.place()?)
    }
}
