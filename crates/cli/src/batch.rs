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

use crate::{
    exit::usage,
    output::{Output, place},
};

/// The folder under way. What has no place of its own yet stands there when the run ends, even one that is interrupted.
pub(crate) struct Batch {
    folder: PathBuf,
    language: Language,
    pgn: Output,
    index: Index<Output>,
    tally: Tally,
    games: u64,
    /// Dropped last, when nothing unfinished is in them any more.
    _made: Made,
}

/// Folders that were made for the batch, the outer one first. Those that are empty in the end go again.
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        // Fails where something is in it, as it should.
        self.0.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// What a batch writes beside the pages in `games`.
const FILES: [&str; 6] = ["games.pgn", "index.html", "players.csv", "players.json", "openings.csv", "openings.json"];

/// Refuses a batch's folder with games in it that are read, for they would be written over or be taken for its own, and other
/// results that go where the batch's own do.
pub(crate) fn refuse_collisions(folder: &Path, results: &[&Path], inputs: &[PathBuf]) -> Result<()> {
    let own = place(folder);
    if let Some(input) = inputs.iter().find(|input| **input != Path::new("-") && place(input).starts_with(&own)) {
        let (input, folder) = (input.display(), folder.display());
        return Err(usage(format!("{input} is read, so --batch cannot write into {folder}; give a folder of its own")));
    }
    let files: Vec<PathBuf> = FILES.iter().map(|name| place(&folder.join(name))).collect();
    if let Some(input) = inputs.iter().find(|input| files.contains(&place(input))) {
        return Err(usage(format!("{} is read, so --batch cannot write it as well", input.display())));
    }
    let is_own = |path: &Path| files.iter().any(|file| file == path) || path.starts_with(own.join("games"));
    match results.iter().find(|result| **result != Path::new("-") && is_own(&place(result))) {
        Some(result) => Err(usage(format!("two results cannot both go to {}: --batch writes there", result.display()))),
        None => Ok(()),
    }
}

impl Batch {
    /// Makes the folder if there is none; what stands in it from an earlier run is replaced file by file.
    pub(crate) fn create(folder: &Path, language: Language) -> Result<Self> {
        let pages = folder.join("games");
        let mut made: Vec<PathBuf> =
            pages.ancestors().take_while(|path| *path != Path::new("")).map(Path::to_owned).collect();
        made.retain(|path| !path.exists());
        made.reverse();
        let made = Made(made);
        fs::create_dir_all(&pages).with_context(|| format!("cannot make the folder {}", pages.display()))?;
        Ok(Self {
            pgn: Output::create(&folder.join("games.pgn"))?,
            index: Index::new(Output::create(&folder.join("index.html"))?, language)?,
            folder: folder.to_owned(),
            language,
            tally: Tally::default(),
            games: 0,
            _made: made,
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

    /// Writes the tables, puts the index and the games in their place, and removes pages of an earlier batch with more games.
    pub(crate) fn finish(self) -> Result<()> {
        remove_pages_after(&self.folder.join("games"), self.games)?;
        let (players, openings) = (self.tally.players(), self.tally.openings());
        let folder = &self.folder;
        table(folder, "players", &players)?;
        table(folder, "openings", &openings)?;
        self.index.finish(&players, &openings).context("cannot write the index")?.finish()?;
        self.pgn.finish()
    }
}

/// Removes pages (`00012.html`) whose number is above the last one.
fn remove_pages_after(pages: &Path, last: u64) -> Result<()> {
    let cannot = || format!("cannot remove pages of an earlier batch from {}", pages.display());
    for entry in fs::read_dir(pages).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".html"));
        let number = name.and_then(|name| Some((name, name.parse::<u64>().ok()?)));
        if number.is_some_and(|(name, number)| number > last && name == format!("{number:05}")) {
            fs::remove_file(&path).with_context(cannot)?;
        }
    }
    Ok(())
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
