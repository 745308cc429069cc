//! Games of accounts that earlier downloads kept.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use centipawn_progress::data_folder;

use super::{Site, request::Split};

/// The kept games of an account: a file of games, and small files beside it. Without a folder for data, nothing is kept.
pub(super) struct Kept {
    folder: Option<PathBuf>,
}

impl Kept {
    /// Those of an account, in the folder `accounts/SITE/NAME` of the user's data. The name has no characters of paths.
    pub(super) fn of(site: Site, name: &str) -> Self {
        Self { folder: data_folder().map(|data| data.join("accounts").join(site.scheme()).join(name)) }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(name))
    }

    /// A small file's text; `None` if there is none.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)?).ok()
    }

    /// Replaces a file.
    pub(super) fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        self.change(name, |path| {
            let new = path.with_extension("new");
            fs::write(&new, text)?;
            fs::rename(new, path)
        })
    }

    /// Adds whole games to the end of a file.
    pub(super) fn append(&self, name: &str, game: &[u8]) -> io::Result<()> {
        self.change(name, |path| OpenOptions::new().create(true).append(true).open(path)?.write_all(game))
    }

    /// Changes a file in the folder, which is created if necessary. Errors name the folder.
    fn change(&self, name: &str, change: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let changed = fs::create_dir_all(folder).and_then(|()| change(&folder.join(name)));
        changed.map_err(|error| {
            io::Error::new(error.kind(), format!("the games cannot be kept in {}: {error}", folder.display()))
        })
    }

    /// The games of a file, in its order; `None` if there is none.
    pub(super) fn games(&self, name: &str) -> Option<Split<File>> {
        Some(Split::new(File::open(self.path(name)?).ok()?))
    }
}
