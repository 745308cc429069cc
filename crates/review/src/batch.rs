//! A folder with all results of many reviewed games.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use centipawn_progress::{AtomicFile, Cancel, FileError, Files, Placed, Provenance, resolved};
use serde::Serialize;
use tempfile::TempDir;

use crate::{
    Language, PlayerRow, Review, Tally,
    report::{Index, Report, is_own_page, write_player},
};

/// Writes a batch: `games.pgn`, a page for each game in `games/` and for each player in `players/`, `index.html`, and tables of
/// players and openings as CSV and JSON.
///
/// Temporary files hold everything until [`finish`](Self::finish), so a run that fails or is killed does not touch a previous
/// batch.
pub struct Batch {
    folder: PathBuf,
    language: Language,
    pgn: AtomicFile,
    index: Index<AtomicFile>,
    tally: Tally,
    games: u64,
    /// Holds the pages until they move to their place.
    pages: TempDir,
    /// Dropped last, after all temporary files.
    _made: MadeFolders,
}

/// Folders created for the batch, the outermost first. Dropping removes those that are empty.
struct MadeFolders(Vec<PathBuf>);

impl Drop for MadeFolders {
    fn drop(&mut self) {
        // Fails for a folder that is not empty, as it should.
        self.0.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// Why a batch cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The batch's folder contains an input.
    #[error("{} is read, so the batch cannot be written into {}; choose another folder", input.display(), folder.display())]
    IsRead {
        /// The input.
        input: PathBuf,
        /// The batch's folder.
        folder: PathBuf,
    },
    /// The batch would replace an input.
    #[error("{} is read, so the batch cannot replace it; choose another folder", input.display())]
    FileIsRead {
        /// The input.
        input: PathBuf,
    },
    /// The folder has files that are not a batch's.
    #[error(
        "{} is not empty, and not the folder of an earlier batch: it contains {}; choose another folder",
        folder.display(), name
    )]
    NotOurs {
        /// The batch's folder.
        folder: PathBuf,
        /// A file or folder in it.
        name: String,
    },
    /// The batch would replace another result of the run.
    #[error("two results cannot both go to {}: the batch writes there", result.display())]
    Twice {
        /// The other result.
        result: PathBuf,
    },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The operating system reports an error.
    #[error("cannot {what} {}", path.display())]
    Io {
        /// The operation: "write".
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
}

impl BatchError {
    /// Whether the caller asked for something impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        match self {
            BatchError::File(error) => error.is_usage(),
            BatchError::Io { .. } => false,
            BatchError::IsRead { .. }
            | BatchError::FileIsRead { .. }
            | BatchError::NotOurs { .. }
            | BatchError::Twice { .. } => true,
        }
    }

    fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| BatchError::Io { what, path, error }
    }
}

/// The files of a batch besides the pages in `games` and `players`.
const FILES: [&str; 6] = ["games.pgn", "index.html", "players.csv", "players.json", "openings.csv", "openings.json"];

/// Temporary files and folders begin with this; a batch that was killed leaves them.
const TEMPORARY: &str = ".centipawn-";

/// Rejects a folder that contains inputs, which the batch might replace, a folder with files of others, and other results that
/// would replace the batch's own.
///
/// # Errors
///
/// A [`BatchError`] for which [`is_usage`](BatchError::is_usage) holds.
pub(crate) fn check_folder(folder: &Path, files: &Files) -> Result<(), BatchError> {
    let own = resolved(folder);
    let inputs = || files.read().iter();
    if let Some(input) = inputs().find(|input| resolved(input).starts_with(&own)) {
        return Err(BatchError::IsRead { input: input.clone(), folder: folder.to_owned() });
    }
    let places: Vec<PathBuf> = FILES.iter().map(|name| resolved(&folder.join(name))).collect();
    if let Some(input) = inputs().find(|input| places.contains(&resolved(input))) {
        return Err(BatchError::FileIsRead { input: input.clone() });
    }
    let pages = PAGES.map(|name| own.join(name));
    let is_own =
        |path: &Path| places.iter().any(|file| file == path) || pages.iter().any(|folder| path.starts_with(folder));
    let results = || files.written().iter().filter(|result| *result != Path::new("-"));
    match results().find(|result| is_own(&resolved(result))) {
        Some(result) => Err(BatchError::Twice { result: result.clone() }),
        None => check_owner(folder),
    }
}

/// The folders of pages.
const PAGES: [&str; 2] = ["games", "players"];

/// Rejects a folder that has files, unless Centipawn wrote its index.
fn check_owner(folder: &Path) -> Result<(), BatchError> {
    match foreign(folder).filter(|_| !is_own_page(&folder.join("index.html"))) {
        Some(name) => Err(BatchError::NotOurs { folder: folder.to_owned(), name }),
        None => Ok(()),
    }
}

/// A file in the folder that a killed batch does not leave; it leaves temporary files, and folders of pages with nothing else.
fn foreign(folder: &Path) -> Option<String> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        if PAGES.contains(&&*name) && entry.path().is_dir() {
            return foreign(&entry.path()).map(|inner| format!("{name}/{inner}"));
        }
        (!name.starts_with(TEMPORARY)).then_some(name)
    })
}

impl Batch {
    /// Begins a batch, and creates the folder if it does not exist.
    ///
    /// # Errors
    ///
    /// [`BatchError`] if the batch conflicts with an input or another result in `files`, or if the folder cannot be written.
    pub fn create(folder: &Path, files: &Files, language: Language) -> Result<Self, BatchError> {
        check_folder(folder, files)?;
        let games = folder.join("games");
        let mut made: Vec<PathBuf> =
            games.ancestors().take_while(|path| *path != Path::new("")).map(Path::to_owned).collect();
        made.retain(|path| !path.exists());
        made.reverse();
        let made = MadeFolders(made);
        fs::create_dir_all(&games).map_err(BatchError::io("make the folder", &games))?;
        let pages = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(&games);
        Ok(Self {
            pgn: AtomicFile::create(&folder.join("games.pgn"))?,
            index: Index::new(AtomicFile::create(&folder.join("index.html"))?, language),
            pages: pages.map_err(BatchError::io("write into", &games))?,
            folder: folder.to_owned(),
            language,
            tally: Tally::default(),
            games: 0,
            _made: made,
        })
    }

    /// Adds a game: a page, a line in the index, and `pgn`, its annotated text, in `games.pgn`.
    ///
    /// # Errors
    ///
    /// [`BatchError`] when one of them cannot be written.
    pub fn game(&mut self, review: &Review, pgn: &[u8], provenance: &Provenance) -> Result<(), BatchError> {
        self.games += 1;
        let page = page_name(self.games);
        let path = self.pages.path().join(&page);
        let write = || {
            let out = io::BufWriter::new(fs::File::create(&path)?);
            let mut report = Report::new(out, self.language, Some(&review.title()));
            report.game(review)?;
            report.finish(Some(provenance))?.flush()
        };
        write().map_err(BatchError::io("write", &path))?;
        let index = self.folder.join("index.html");
        self.index.game(review, &format!("games/{page}")).map_err(BatchError::io("write", &index))?;
        self.tally.add(review, self.games);
        self.unreviewed(pgn)
    }

    /// Adds the PGN of a game that could not be reviewed to `games.pgn`.
    ///
    /// # Errors
    ///
    /// [`BatchError`] when it cannot be written.
    pub fn unreviewed(&mut self, pgn: &[u8]) -> Result<(), BatchError> {
        self.pgn.write_all(pgn).map_err(BatchError::io("write", &self.folder.join("games.pgn")))
    }

    /// Moves everything to its place, and removes surplus pages of a previous batch. If `cancel` is set and there is a
    /// previous batch, that stays instead, and [`Placed::Kept`] names its index.
    ///
    /// # Errors
    ///
    /// [`BatchError`] when something cannot be written.
    pub fn finish(self, provenance: &Provenance, cancel: &Cancel) -> Result<Placed, BatchError> {
        let Self { folder, language, pgn, index, tally, games, pages, .. } = self;
        let index_path = folder.join("index.html");
        if cancel.is_set() && index_path.is_file() {
            return Ok(Placed::Kept(index_path));
        }
        // From here on a cancel comes too late: a batch is replaced as a whole or not at all.
        let place = Cancel::new();
        let folder_of_pages = folder.join("games");
        for number in 1..=games {
            let page = page_name(number);
            let to = folder_of_pages.join(&page);
            fs::rename(pages.path().join(&page), &to).map_err(BatchError::io("write", &to))?;
        }
        remove_pages_after(&folder_of_pages, games)?;
        let (players, openings) = (tally.players(), tally.openings());
        write_players(&folder.join("players"), language, &tally, &players, provenance)?;
        write_table(&folder, "players", &players, &place)?;
        write_table(&folder, "openings", &openings, &place)?;
        let index = index.finish(&players, &openings, Some(provenance));
        index.map_err(BatchError::io("write", &index_path))?.finish(&place)?;
        Ok(pgn.finish(&place)?)
    }
}

/// `00012.html`
fn page_name(number: u64) -> String {
    format!("{number:05}.html")
}

/// Writes a page for each player, and removes surplus ones of a previous batch.
fn write_players(
    folder: &Path,
    language: Language,
    tally: &Tally,
    players: &[PlayerRow],
    provenance: &Provenance,
) -> Result<(), BatchError> {
    fs::create_dir_all(folder).map_err(BatchError::io("make the folder", folder))?;
    for (row, number) in players.iter().zip(1..) {
        let path = folder.join(page_name(number));
        let mut page = Vec::new();
        if let Some(mistakes) = tally.mistakes(&row.player) {
            let written = write_player(&mut page, language, row, mistakes, Some(provenance));
            written.map_err(BatchError::io("write", &path))?;
        }
        fs::write(&path, page).map_err(BatchError::io("write", &path))?;
    }
    remove_pages_after(folder, players.len() as u64)
}

/// Removes pages (`00012.html`) with a number above `last`.
fn remove_pages_after(pages: &Path, last: u64) -> Result<(), BatchError> {
    let remove = || {
        for entry in fs::read_dir(pages)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let number = name.and_then(|name| name.strip_suffix(".html")?.parse::<u64>().ok());
            if number.is_some_and(|number| number > last && name == Some(&page_name(number))) {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    };
    remove().map_err(BatchError::io("remove pages of an earlier batch from", pages))
}

/// A cell that a spreadsheet shows as text: not a formula, without control characters. Numbers stay.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    let shown = text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char });
    is_formula.then_some('\'').into_iter().chain(shown).collect()
}

/// Rows as `NAME.csv` and `NAME.json`.
fn write_table(folder: &Path, name: &str, rows: &[impl Serialize], cancel: &Cancel) -> Result<(), BatchError> {
    let path = folder.join(format!("{name}.csv"));
    let cannot = || BatchError::io("write", &path);
    let mut plain = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| plain.serialize(row)).map_err(io::Error::from).map_err(cannot())?;
    let plain = plain.into_inner().map_err(csv::IntoInnerError::into_error).map_err(cannot())?;
    let mut csv = csv::Writer::from_writer(AtomicFile::create(&path)?);
    for row in csv::ReaderBuilder::new().has_headers(false).from_reader(plain.as_slice()).records() {
        let row = row.map_err(io::Error::from).map_err(cannot())?;
        csv.write_record(row.iter().map(cell)).map_err(io::Error::from).map_err(cannot())?;
    }
    csv.into_inner().map_err(csv::IntoInnerError::into_error).map_err(cannot())?.finish(cancel)?;
    let path = folder.join(format!("{name}.json"));
    let mut json = serde_json::to_vec_pretty(rows).map_err(io::Error::from).map_err(BatchError::io("write", &path))?;
    json.push(b'\n');
    AtomicFile::write_whole(&path, &json, cancel)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::cell;

    /// Names come from untrusted files, and a spreadsheet runs text that begins like a formula.
    #[test]
    fn cells_are_text() {
        for (text, shown) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+cmd|x", "'+cmd|x"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2+3", "'-2+3"),
            ("-0.25", "-0.25"),
            ("Carlsen, Magnus", "Carlsen, Magnus"),
            ("a\tb\u{1b}[31m", "a\u{fffd}b\u{fffd}[31m"),
        ] {
            assert_eq!(cell(text), shown);
        }
    }
}
