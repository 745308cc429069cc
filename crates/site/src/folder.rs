//! A folder of pages: it appears whole, replaces only pages of Centipawn, and touches no other
//! files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use centipawn_progress::{AtomicFile, FileError, Files, FolderFiles, Placement, resolved};
use centipawn_review::Language;

use crate::{
    html::{ICON, SCRIPT, STYLE, is_own_page},
    index::{Index, Totals},
    page,
    shown::ShownGame,
};

/// The files that all pages load: the viewer, built from `crates/web/ui`, and the icon.
const VIEWER: [(&str, &str); 3] = [
    ("viewer.js", SCRIPT),
    ("viewer.css", STYLE),
    ("icon.svg", ICON),
];
/// The list of games. Its content identifies a folder that Centipawn wrote.
pub(crate) const INDEX: &str = "index.html";
/// The folders of pages.
const GAMES: &str = "games";
const PLAYERS: &str = "players";
/// The folder of the page without a server.
const TAB: &str = "tab";
/// The folders with files of the program alone.
const OWN: [&str; 5] = [GAMES, PLAYERS, TAB, "tab/engine", "tab/networks"];
/// Files that every page without a server has.
const OF_TAB: [&str; 2] = ["index.html", "centipawn.wasm"];
/// Prefix of the names of temporary files, which a killed run leaves in the folder.
const TEMPORARY: &str = ".centipawn-";

/// The reason why a folder of pages cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder contains files that Centipawn did not write.
    #[error(
        "{} is not empty, and not a folder of earlier reviews: it contains {}; choose another folder",
        folder.display(), name
    )]
    NotOurs {
        /// Path of the folder.
        folder: PathBuf,
        /// Name of a file or folder in it.
        name: String,
    },
    /// The folder contains an input, or is an input.
    #[error("{} is read, so pages cannot be written into {}; choose another folder", input.display(), folder.display())]
    IsRead {
        /// The input.
        input: PathBuf,
        /// Path of the folder.
        folder: PathBuf,
    },
    /// Another result of the run would stand in the folder.
    #[error("two results cannot both go to {}: pages are written there", result.display())]
    Twice {
        /// Path of the other result.
        result: PathBuf,
    },
    /// The folder does not contain the page without a server.
    #[error(
        "{} is not the page without a server: it has no {missing}; build it with `make tab`, and name the folder target/tab",
        folder.display()
    )]
    NotATab {
        /// Path of the folder.
        folder: PathBuf,
        /// Name of the missing file.
        missing: &'static str,
    },
    /// A file cannot be written.
    #[error("{0}")]
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
    /// Returns whether the caller asked for something impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NotOurs { .. }
            | Self::IsRead { .. }
            | Self::Twice { .. }
            | Self::NotATab { .. } => true,
            Self::File(error) => error.is_usage(),
            Self::Io { .. } => false,
        }
    }

    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { what, path, error }
    }
}

/// A folder of pages that is being written. It is placed as a whole or not at all, so a failed run
/// does not touch an earlier folder.
pub(crate) struct Folder {
    folder: PathBuf,
    index: Index,
    games: u64,
    pages: FolderFiles,
}

impl Folder {
    /// Begins a folder, and creates it if it does not exist. `others` are names of files that the
    /// caller writes into it.
    pub(crate) fn create(
        folder: &Path,
        language: Language,
        title: Option<&str>,
        files: &Files,
        others: &[&str],
    ) -> Result<Self, FolderError> {
        check(folder, files, others)?;
        Ok(Self {
            folder: folder.to_owned(),
            index: Index::new(language, title),
            games: 0,
            pages: FolderFiles::create(folder, &OWN, is_page)?,
        })
    }

    /// Adds a copy of the page without a server, and a link to it.
    pub(crate) fn add_tab(&mut self, tab: &Path) -> Result<(), FolderError> {
        if let Some(missing) = OF_TAB.into_iter().find(|name| !tab.join(name).is_file()) {
            return Err(FolderError::NotATab {
                folder: tab.to_owned(),
                missing,
            });
        }
        let (from, to) = (resolved(tab), resolved(&self.folder));
        if from.starts_with(&to) || to.starts_with(&from) {
            return Err(FolderError::IsRead {
                input: tab.to_owned(),
                folder: self.folder.clone(),
            });
        }
        self.index.has_tab = true;
        let mut folders = vec![(tab.to_owned(), TAB.to_owned())];
        while let Some((folder, place)) = folders.pop() {
            let entries = fs::read_dir(&folder).map_err(FolderError::io("read", &folder))?;
            for entry in entries {
                let entry = entry.map_err(FolderError::io("read", &folder))?;
                let (path, name) = (entry.path(), entry.file_name());
                let place = format!("{place}/{}", name.to_string_lossy());
                if path.is_dir() {
                    folders.push((path, place));
                } else {
                    let bytes = fs::read(&path).map_err(FolderError::io("read", &path))?;
                    self.pages.add(place, &bytes)?;
                }
            }
        }
        Ok(())
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
        self.pages
            .add(format!("{GAMES}/{name}.html"), page.as_bytes())?;
        if let (Some(name), Some(text)) = (pgn, &game.pgn) {
            self.pages.add(format!("{GAMES}/{name}"), text)?;
        }
        let index = self.folder.join(INDEX);
        self.index
            .add(game, &format!("{GAMES}/{name}.html"))
            .map_err(FolderError::io("write", &index))?;
        self.games += 1;
        Ok(())
    }

    /// Adds everything to `results`, the list of games last; pages of games that are gone will go.
    /// Without games, or if the run is cancelled, earlier pages stay. `players` are the pages of
    /// the players in `totals`. Returns whether anything will be replaced.
    pub(crate) fn finish(
        self,
        totals: Option<&Totals<'_>>,
        players: impl Iterator<Item = String>,
        results: &mut Placement,
    ) -> Result<bool, FolderError> {
        let Self {
            folder,
            index,
            games,
            mut pages,
        } = self;
        let list = folder.join(INDEX);
        if (results.is_cancelled() || games == 0) && list.is_file() {
            results.keep(list);
            return Ok(false);
        }
        if games == 0 {
            return Ok(true);
        }
        for (page, number) in players.zip(1..) {
            pages.add(format!("{PLAYERS}/{number:05}.html"), page.as_bytes())?;
        }
        results.add_folder(pages);
        for (name, text) in VIEWER {
            results.add_whole(&folder.join(name), text.as_bytes())?;
        }
        let mut out = AtomicFile::create(&list, results.cancel())?;
        index
            .write(&mut out, totals)
            .map_err(FolderError::io("write", &list))?;
        results.add(out);
        Ok(true)
    }
}

/// Rejects a folder that contains inputs, one with files of others, and other results that would
/// stand in it. `others` are names of files that the caller writes into it.
pub(crate) fn check(folder: &Path, files: &Files, others: &[&str]) -> Result<(), FolderError> {
    let own = resolved(folder);
    let viewer = VIEWER.iter().map(|(name, _)| *name).chain([INDEX]);
    let places: Vec<PathBuf> = viewer
        .chain(others.iter().copied())
        .map(|name| resolved(&own.join(name)))
        .collect();
    let is_inside =
        |path: &Path| path.starts_with(&own) || places.iter().any(|place| place == path);
    if let Some(input) = files
        .read()
        .iter()
        .find(|input| is_inside(&resolved(input)))
    {
        return Err(FolderError::IsRead {
            input: input.clone(),
            folder: folder.to_owned(),
        });
    }
    let pages = [GAMES, PLAYERS, TAB].map(|name| own.join(name));
    let is_own = |path: &Path| {
        places.iter().any(|file| file == path) || pages.iter().any(|pages| path.starts_with(pages))
    };
    let results = || {
        files
            .written()
            .iter()
            .filter(|result| *result != Path::new("-"))
    };
    if let Some(result) = results().find(|result| is_own(&resolved(result))) {
        return Err(FolderError::Twice {
            result: result.clone(),
        });
    }
    match foreign(folder).filter(|_| !is_own_page(&folder.join(INDEX))) {
        Some(name) => Err(FolderError::NotOurs {
            folder: folder.to_owned(),
            name,
        }),
        None => Ok(()),
    }
}

/// Returns a file that no killed run left. A killed run leaves only temporary files, in the
/// folder itself and in the folders of pages.
fn foreign(folder: &Path) -> Option<String> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        if OWN.contains(&&*name) && entry.path().is_dir() {
            return foreign(&entry.path()).map(|inner| format!("{name}/{inner}"));
        }
        (!name.starts_with(TEMPORARY)).then_some(name)
    })
}

/// Returns whether a file is a page or a game, by its name: `games/00012.html`, `00012.pgn`; or
/// one of the page without a server.
fn is_page(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folder.split('/').next() == Some(TAB) {
        return !OWN.contains(&path);
    }
    let number = name
        .strip_suffix(".html")
        .or_else(|| name.strip_suffix(".pgn"));
    number
        .is_some_and(|number| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_that_was_built_is_written() {
        let dist = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("dist")).unwrap();
        let built: BTreeSet<String> = dist
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
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
        assert!(matches!(
            check(&Files::default()),
            Err(FolderError::NotOurs { .. })
        ));
    }

    #[test]
    fn pages_are_known_by_their_names() {
        assert!(
            [
                "games/00001.html",
                "00001.pgn",
                "players/123456.html",
                "tab/old.js"
            ]
            .into_iter()
            .all(is_page)
        );
        assert!(
            !["notes.html", "games/12.html", "00001.txt", "0000a.html"]
                .into_iter()
                .any(is_page)
        );
    }
}
