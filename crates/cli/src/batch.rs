//! `centipawn review --batch`: a folder with everything about many games.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use centipawn_review::{
    Language, Review, Tally,
    report::{Index, Report},
};
use serde::Serialize;

use crate::output::Output;

/// The folder under way. What has no place of its own yet stands there when the run ends, even one that is interrupted.
pub(crate) struct Batch {
    folder: PathBuf,
    language: Language,
    pgn: Output,
    index: Index<Output>,
    tally: Tally,
    games: u64,
}

impl Batch {
    /// Makes the folder if there is none; what stands in it from an earlier run is replaced file by file.
    pub(crate) fn create(folder: &Path, language: Language) -> Result<Self> {
        let pages = folder.join("games");
        fs::create_dir_all(&pages).with_context(|| format!("cannot make the folder {}", pages.display()))?;
        Ok(Self {
            pgn: Output::create(&folder.join("games.pgn"))?,
            index: Index::new(Output::create(&folder.join("index.html"))?, language)?,
            folder: folder.to_owned(),
            language,
            tally: Tally::default(),
            games: 0,
        })
    }

    /// Adds a game: its page, its line in the index, its text (PGN, annotated) in the collection.
    pub(crate) fn game(&mut self, review: &Review, text: &[u8]) -> Result<()> {
        self.games += 1;
        let page = format!("games/{:05}.html", self.games);
        let mut report = Report::new(Output::create(&self.folder.join(&page))?, self.language, Some(&review.title()))?;
        report.game(review)?;
        report.finish()?.finish()?;
        self.index.game(review, &page).context("cannot write the index")?;
        self.tally.add(review);
        self.pgn.write_all(text).context("cannot write the annotated games")
    }

    /// A game that could not be reviewed is not lost.
    pub(crate) fn unreviewed(&mut self, text: &[u8]) -> Result<()> {
        self.pgn.write_all(text).context("cannot write the annotated games")
    }

    /// Writes the tables and puts the index and the games in their place.
    pub(crate) fn finish(self) -> Result<()> {
        let (players, openings) = (self.tally.players(), self.tally.openings());
        let folder = &self.folder;
        table(folder, "players", &players)?;
        table(folder, "openings", &openings)?;
        self.index.finish(&players, &openings).context("cannot write the index")?.finish()?;
        self.pgn.finish()
    }
}

/// Rows as `NAME.csv` and `NAME.json`.
fn table(folder: &Path, name: &str, rows: &[impl Serialize]) -> Result<()> {
    let mut csv = csv::Writer::from_writer(Output::create(&folder.join(format!("{name}.csv")))?);
    for row in rows {
        csv.serialize(row).with_context(|| format!("cannot write {name}.csv"))?;
    }
    csv.into_inner()
        .map_err(csv::IntoInnerError::into_error)
        .with_context(|| format!("cannot write {name}.csv"))?
        .finish()?;
    let mut json = Output::create(&folder.join(format!("{name}.json")))?;
    serde_json::to_writer_pretty(&mut json, rows).with_context(|| format!("cannot write {name}.json"))?;
    json.write_all(b"\n")?;
    json.finish()
}
