//! The folder of a site: it appears whole, replaces only an earlier site, and touches no other files.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use centipawn_progress::{AtomicFile, Cancel, FileError, Files, Placed, resolved};
use tempfile::TempDir;

use crate::{
    page::{self, Index},
    write::{SiteGame, SiteOptions},
};

/// The viewer, built from `crates/web/ui`, and what all pages load.
const FILES: [(&str, &[u8]); 3] = [
    ("viewer.js", include_bytes!("../dist/viewer.js")),
    ("viewer.css", include_bytes!("../dist/viewer.css")),
    ("icon.svg", include_bytes!("../dist/icon.svg")),
];
/// The list of games, which is also how an earlier site is known.
const INDEX: &str = "index.html";
/// The folder of games.
const GAMES: &str = "games";
/// Temporary folders begin with this; a run that was killed leaves them.
const TEMPORARY: &str = ".centipawn-";

/// Why a folder cannot become a site.
#[derive(Debug, thiserror::Error)]
pub enum SiteFolderError {
    /// The folder has files that are not a site's.
    #[error(
        "{} is not empty, and not the folder of an earlier site: {} stands there; choose another folder",
        folder.display(), name
    )]
    NotOurs {
        /// The folder.
        folder: PathBuf,
        /// A file or folder in it.
        name: String,
    },
    /// The folder contains an input, or is one.
    #[error("{} is read, so no site can be written into {}; choose another folder", input.display(), folder.display())]
    IsRead {
        /// The input.
        input: PathBuf,
        /// The folder.
        folder: PathBuf,
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

impl SiteFolderError {
    /// Whether the caller asked for something impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NotOurs { .. } | Self::IsRead { .. } => true,
            Self::File(error) => error.is_usage(),
            Self::Io { .. } => false,
        }
    }

    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { what, path, error }
    }
}

/// A site under way. Temporary files hold the pages until [`finish`](Self::finish), so a run that fails does not touch an earlier site.
pub(crate) struct SiteFolder {
    folder: PathBuf,
    index: Index,
    /// Names of the files in [`GAMES`].
    names: BTreeSet<String>,
    games: u64,
    /// Holds the pages until they move to their place.
    pages: TempDir,
    /// Dropped last, after the temporary files.
    _made: MadeFolder,
}

/// A folder that was created for the site. Dropping removes it if it is empty.
struct MadeFolder(Option<PathBuf>);

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // Fails for a folder that is not empty, as it should.
        self.0.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

impl SiteFolder {
    /// Begins a site, and creates the folder if it does not exist.
    pub(crate) fn create(options: &SiteOptions, files: &Files) -> Result<Self, SiteFolderError> {
        let folder = &options.folder;
        check(folder, files)?;
        let made = MadeFolder((!folder.exists()).then(|| folder.clone()));
        fs::create_dir_all(folder).map_err(SiteFolderError::io("make the folder", folder))?;
        let pages = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(folder);
        Ok(Self {
            folder: folder.clone(),
            index: Index::new(options),
            names: BTreeSet::new(),
            games: 0,
            pages: pages.map_err(SiteFolderError::io("write into", folder))?,
            _made: made,
        })
    }

    /// Games so far.
    pub(crate) fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game.
    pub(crate) fn add(&mut self, game: &SiteGame) -> Result<(), SiteFolderError> {
        let name = format!("{:05}", game.number);
        let pgn = game.pgn.as_ref().map(|_| format!("{name}.pgn"));
        let page = page::game(game, self.index.language, pgn.as_deref());
        self.put(format!("{name}.html"), page.as_bytes())?;
        if let (Some(name), Some(text)) = (pgn, &game.pgn) {
            self.put(name, text)?;
        }
        self.index.add(game, &format!("{GAMES}/{name}.html"));
        self.games += 1;
        Ok(())
    }

    fn put(&mut self, name: String, bytes: &[u8]) -> Result<(), SiteFolderError> {
        let path = self.pages.path().join(&name);
        let write = || {
            let mut file = fs::File::create(&path)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(SiteFolderError::io("write", &path))?;
        self.names.insert(name);
        Ok(())
    }

    /// Moves everything to its place, the list of games last, and removes pages of games that are gone. Without games, or if `cancel`
    /// is set, an earlier site stays, and [`Placed::Kept`] names its list.
    pub(crate) fn finish(self, cancel: &Cancel) -> Result<Placed, SiteFolderError> {
        // What is named first is dropped last.
        let Self { _made, folder, index, names, games, pages } = self;
        let list = folder.join(INDEX);
        if (cancel.is_set() || games == 0) && list.is_file() {
            return Ok(Placed::Kept(list));
        }
        if games == 0 {
            return Ok(Placed::Written);
        }
        // From here on a cancel comes too late: a site is replaced as a whole or not at all.
        let place = Cancel::new();
        for (name, bytes) in FILES {
            AtomicFile::write_whole(&folder.join(name), bytes, &place)?;
        }
        let games = folder.join(GAMES);
        fs::create_dir_all(&games).map_err(SiteFolderError::io("make the folder", &games))?;
        for name in &names {
            let to = games.join(name);
            fs::rename(pages.path().join(name), &to).map_err(SiteFolderError::io("write", &to))?;
        }
        remove_others(&games, &names).map_err(SiteFolderError::io("remove pages of an earlier site from", &games))?;
        Ok(AtomicFile::write_whole(&list, index.page().as_bytes(), &place)?)
    }
}

/// Rejects a folder that contains inputs, and one that has files but no list of an earlier site.
fn check(folder: &Path, files: &Files) -> Result<(), SiteFolderError> {
    let own = resolved(folder);
    if let Some(input) = files.read().iter().find(|input| resolved(input).starts_with(&own)) {
        return Err(SiteFolderError::IsRead { input: input.clone(), folder: folder.to_owned() });
    }
    let is_site = fs::read_to_string(folder.join(INDEX)).is_ok_and(|text| text.contains(page::MARK));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    match names.find(|name| !name.starts_with(TEMPORARY)).filter(|_| !is_site) {
        Some(name) => Err(SiteFolderError::NotOurs { folder: folder.to_owned(), name }),
        None => Ok(()),
    }
}

/// Removes files of games (`00012.html`, `00012.pgn`) that are not among `names`.
fn remove_others(folder: &Path, names: &BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let number = name.strip_suffix(".html").or_else(|| name.strip_suffix(".pgn"));
        let is_game =
            number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()));
        if is_game && !names.contains(&name) {
            fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_built_is_written() {
        let dist = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("dist")).unwrap();
        let built: BTreeSet<String> = dist.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        let written = FILES.iter().map(|(name, _)| (*name).to_owned());
        assert_eq!(built, written.collect());
    }

    #[test]
    fn foreign_files_and_inputs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("site");
        assert!(check(&at, &Files::default()).is_ok());
        fs::create_dir(&at).unwrap();
        fs::create_dir(at.join(".centipawn-killed")).unwrap();
        assert!(check(&at, &Files::default()).is_ok());
        let files = Files::reading([at.join("games.pgn")]);
        assert!(matches!(check(&at, &files), Err(SiteFolderError::IsRead { .. })));
        fs::write(at.join(INDEX), "<title>My own page</title>").unwrap();
        assert!(matches!(check(&at, &Files::default()), Err(SiteFolderError::NotOurs { .. })));
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
