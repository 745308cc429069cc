//! A folder of pages: it appears whole, replaces only pages of Centipawn, and touches no other files.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use centipawn_progress::{AtomicFile, Cancel, FileError, Files, Placed, remove_leftovers, resolved};
use centipawn_review::Language;
use tempfile::TempDir;

use crate::{
    html::{ICON, SCRIPT, STYLE, is_own_page},
    index::{Index, Totals},
    page,
    shown::ShownGame,
};

/// The viewer, built from `crates/web/ui`, and what all pages load.
const VIEWER: [(&str, &str); 3] = [("viewer.js", SCRIPT), ("viewer.css", STYLE), ("icon.svg", ICON)];
/// The list of games, which is also how an earlier folder is known.
pub(crate) const INDEX: &str = "index.html";
/// The folders of pages.
const GAMES: &str = "games";
const PLAYERS: &str = "players";
/// Temporary files begin with this; a run that was killed leaves them.
const TEMPORARY: &str = ".centipawn-";

/// Why a folder of pages cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder has files of others.
    #[error(
        "{} is not empty, and not a folder of earlier reviews: it contains {}; choose another folder",
        folder.display(), name
    )]
    NotOurs {
        /// The folder.
        folder: PathBuf,
        /// A file or folder in it.
        name: String,
    },
    /// The folder contains an input, or is one.
    #[error("{} is read, so pages cannot be written into {}; choose another folder", input.display(), folder.display())]
    IsRead {
        /// The input.
        input: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// Another result of the run would stand in the folder.
    #[error("two results cannot both go to {}: pages are written there", result.display())]
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

impl FolderError {
    /// Whether the caller asked for something impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NotOurs { .. } | Self::IsRead { .. } | Self::Twice { .. } => true,
            Self::File(error) => error.is_usage(),
            Self::Io { .. } => false,
        }
    }

    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { what, path, error }
    }
}

/// A folder of pages under way. Temporary files hold the pages until [`finish`](Self::finish), so a run that fails does not touch earlier
/// ones.
pub(crate) struct Folder {
    folder: PathBuf,
    index: Index,
    /// Names of the files in [`GAMES`].
    names: BTreeSet<String>,
    games: u64,
    /// Holds the pages until they move to their place.
    pages: TempDir,
    /// Dropped last, after the temporary files.
    _made: MadeFolders,
}

/// Folders that were created, the outermost first. Dropping removes those that are empty.
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn create(folder: &Path) -> Result<Self, FolderError> {
        let is_new = |path: &&Path| **path != *Path::new("") && !path.exists();
        let mut made: Vec<PathBuf> = folder.ancestors().take_while(is_new).map(Path::to_owned).collect();
        made.reverse();
        let made = Self(made);
        fs::create_dir_all(folder).map_err(FolderError::io("make the folder", folder))?;
        Ok(made)
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        // Fails for a folder that is not empty, as it should.
        self.0.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

impl Folder {
    /// Begins a folder, and creates it if it does not exist. `others` are names of files that the caller writes into it.
    pub(crate) fn create(
        folder: &Path,
        language: Language,
        title: Option<&str>,
        files: &Files,
        others: &[&str],
    ) -> Result<Self, FolderError> {
        check(folder, files, others)?;
        let made = MadeFolders::create(folder)?;
        remove_leftovers(folder);
        let pages = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(folder);
        Ok(Self {
            folder: folder.to_owned(),
            index: Index::new(language, title),
            names: BTreeSet::new(),
            games: 0,
            pages: pages.map_err(FolderError::io("write into", folder))?,
            _made: made,
        })
    }

    /// Games so far.
    pub(crate) fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game.
    pub(crate) fn add(&mut self, game: &ShownGame) -> Result<(), FolderError> {
        let name = format!("{:05}", game.number);
        let pgn = game.pgn.as_ref().map(|_| format!("{name}.pgn"));
        let page = page::game(game, self.index.language, pgn.as_deref());
        self.put(format!("{name}.html"), page.as_bytes())?;
        if let (Some(name), Some(text)) = (pgn, &game.pgn) {
            self.put(name, text)?;
        }
        let index = self.folder.join(INDEX);
        self.index.add(game, &format!("{GAMES}/{name}.html")).map_err(FolderError::io("write", &index))?;
        self.games += 1;
        Ok(())
    }

    fn put(&mut self, name: String, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.pages.path().join(&name);
        fs::write(&path, bytes).map_err(FolderError::io("write", &path))?;
        self.names.insert(name);
        Ok(())
    }

    /// Moves everything to its place, the list of games last, and removes pages of games that are gone. Without games, or if `cancel`
    /// is set, earlier pages stay, and [`Placed::Kept`] names their list. `players` are the pages of the players in `totals`.
    pub(crate) fn finish(
        self,
        totals: Option<&Totals<'_>>,
        players: impl Iterator<Item = String>,
        cancel: &Cancel,
    ) -> Result<Placed, FolderError> {
        // What is named first is dropped last.
        let Self { _made, folder, index, names, games, pages } = self;
        let list = folder.join(INDEX);
        if (cancel.is_set() || games == 0) && list.is_file() {
            return Ok(Placed::Kept(list));
        }
        if games == 0 {
            return Ok(Placed::Written);
        }
        // From here on a cancel comes too late: a folder is replaced as a whole or not at all.
        let place = Cancel::new();
        for (name, text) in VIEWER {
            AtomicFile::write_whole(&folder.join(name), text.as_bytes(), &place)?;
        }
        let games = folder.join(GAMES);
        fs::create_dir_all(&games).map_err(FolderError::io("make the folder", &games))?;
        for name in &names {
            let to = games.join(name);
            fs::rename(pages.path().join(name), &to).map_err(FolderError::io("write", &to))?;
        }
        remove_others(&games, &names)?;
        place_players(&folder.join(PLAYERS), players)?;
        let mut out = AtomicFile::create(&list)?;
        index.write(&mut out, totals).and_then(|()| out.flush()).map_err(FolderError::io("write", &list))?;
        Ok(out.finish(&place)?)
    }
}

/// Rejects a folder that contains inputs, one with files of others, and other results that would stand in it. `others` are names of
/// files that the caller writes into it.
pub(crate) fn check(folder: &Path, files: &Files, others: &[&str]) -> Result<(), FolderError> {
    let own = resolved(folder);
    let viewer = VIEWER.iter().map(|(name, _)| *name).chain([INDEX]);
    let places: Vec<PathBuf> = viewer.chain(others.iter().copied()).map(|name| resolved(&own.join(name))).collect();
    let is_inside = |path: &Path| path.starts_with(&own) || places.iter().any(|place| place == path);
    if let Some(input) = files.read().iter().find(|input| is_inside(&resolved(input))) {
        return Err(FolderError::IsRead { input: input.clone(), folder: folder.to_owned() });
    }
    let pages = [GAMES, PLAYERS].map(|name| own.join(name));
    let is_own =
        |path: &Path| places.iter().any(|file| file == path) || pages.iter().any(|pages| path.starts_with(pages));
    let results = || files.written().iter().filter(|result| *result != Path::new("-"));
    if let Some(result) = results().find(|result| is_own(&resolved(result))) {
        return Err(FolderError::Twice { result: result.clone() });
    }
    match foreign(folder).filter(|_| !is_own_page(&folder.join(INDEX))) {
        Some(name) => Err(FolderError::NotOurs { folder: folder.to_owned(), name }),
        None => Ok(()),
    }
}

/// A file in the folder that a killed run does not leave; it leaves temporary files, and folders of pages with nothing else.
fn foreign(folder: &Path) -> Option<String> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        if [GAMES, PLAYERS].contains(&&*name) && entry.path().is_dir() {
            return foreign(&entry.path()).map(|inner| format!("{name}/{inner}"));
        }
        (!name.starts_with(TEMPORARY)).then_some(name)
    })
}

/// Writes the players' pages, and removes those of earlier players; without players, there is no folder for them.
fn place_players(folder: &Path, players: impl Iterator<Item = String>) -> Result<(), FolderError> {
    let mut names = BTreeSet::new();
    for (page, number) in players.zip(1..) {
        fs::create_dir_all(folder).map_err(FolderError::io("make the folder", folder))?;
        let name = format!("{number:05}.html");
        let path = folder.join(&name);
        fs::write(&path, page).map_err(FolderError::io("write", &path))?;
        names.insert(name);
    }
    if folder.is_dir() { remove_others(folder, &names) } else { Ok(()) }
}

/// Removes pages and games (`00012.html`, `00012.pgn`) that are not among `names`.
fn remove_others(folder: &Path, names: &BTreeSet<String>) -> Result<(), FolderError> {
    let remove = || -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let number = name.strip_suffix(".html").or_else(|| name.strip_suffix(".pgn"));
            let is_page =
                number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()));
            if is_page && !names.contains(&name) {
                fs::remove_file(folder.join(name))?;
            }
        }
        Ok(())
    };
    remove().map_err(FolderError::io("remove earlier pages from", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_built_is_written() {
        let dist = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("dist")).unwrap();
        let built: BTreeSet<String> = dist.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        let written = VIEWER.iter().map(|(name, _)| (*name).to_owned());
        assert_eq!(built, written.collect());
    }

    #[test]
    fn foreign_files_and_inputs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("site");
        let check = |files: &Files| check(&at, files, &["games.pgn"]);
        assert!(check(&Files::default()).is_ok());
        fs::create_dir(&at).unwrap();
        fs::create_dir(at.join(".centipawn-killed")).unwrap();
        assert!(check(&Files::default()).is_ok());
        let files = Files::reading([at.join("games.pgn")]);
        assert!(matches!(check(&files), Err(FolderError::IsRead { .. })));
        fs::write(at.join(INDEX), "<title>My own page</title>").unwrap();
        assert!(matches!(check(&Files::default()), Err(FolderError::NotOurs { .. })));
    }

    #[test]
    fn pages_of_games_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["00001.html", "00001.pgn", "00002.html", "notes.html", "12.html"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        remove_others(folder.path(), &["00002.html".to_owned()].into()).unwrap();
        let left = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(left.collect::<BTreeSet<_>>(), ["00002.html", "12.html", "notes.html"].map(String::from).into());
    }
}
