//! Games of accounts that earlier downloads kept.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use centipawn_progress::{data_folder, sha256};

use super::{
    Site,
    request::{Requests, Split},
};

/// The separator after each kept game.
const END: &[u8] = b"\n\n\n";
/// Interval at which a run checks whether another run has released the account's files.
const LOOK_UP: Duration = Duration::from_millis(100);

/// The kept games of an account: files of games, and small files beside them. Without a folder for
/// data, nothing is kept.
pub(super) struct Kept {
    /// The folder of the site, and the folder of the account in it.
    folders: Option<(PathBuf, PathBuf)>,
}

/// Held while a site is asked: by one reader at a time, in this process and in others.
pub(super) struct Lock(#[expect(dead_code, reason = "closing the file unlocks it")] File);

impl Kept {
    /// Returns the kept files of an account, in the folder `accounts/SITE/NAME` of the user's data.
    /// The name contains no path separators.
    pub(super) fn of(site: Site, name: &str) -> Self {
        let folder = data_folder().map(|data| data.join("accounts").join(site.scheme()));
        Self {
            folders: folder.map(|site| (site.clone(), site.join(name))),
        }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        Some(self.folders.as_ref()?.1.join(name))
    }

    /// Waits until no other reader asks the site.
    pub(super) fn lock(&self, requests: &Requests) -> io::Result<Option<Lock>> {
        let Some((site, account)) = &self.folders else {
            return Ok(None);
        };
        let open = || {
            fs::create_dir_all(site)?;
            OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(site.join("lock"))
        };
        let file = open().map_err(|error| cannot_keep(account, &error))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Lock(file))),
                Err(TryLockError::WouldBlock) => requests.pause(LOOK_UP)?,
                // Without locks, two runs could write the same files. So keep no games on file
                // systems without locks.
                Err(TryLockError::Error(_)) => return Ok(None),
            }
        }
    }

    /// Returns a small file's text; `None` if there is none.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)?).ok()
    }

    /// Returns the SHA-256 of a file; `None` if there is none.
    pub(super) fn sha256(&self, name: &str) -> Option<String> {
        Some(sha256(&fs::read(self.path(name)?).ok()?))
    }

    /// Returns the names of all files.
    pub(super) fn names(&self) -> Vec<String> {
        let folder = self
            .folders
            .as_ref()
            .and_then(|(_, account)| fs::read_dir(account).ok());
        folder
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }

    /// Replaces a file.
    pub(super) fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        self.change(|folder| {
            let new = folder.join(format!("{name}.new"));
            File::create(&new)?.write_all(text)?;
            place(&new, &folder.join(name))
        })
    }

    /// Adds whole games to the end of a file.
    pub(super) fn append(&self, name: &str, game: &[u8]) -> io::Result<()> {
        self.change(|folder| {
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(folder.join(name))?
                .write_all(game)
        })
    }

    /// Renames a file, and replaces a file with the new name.
    pub(super) fn rename(&self, name: &str, new: &str) -> io::Result<()> {
        self.change(|folder| place(&folder.join(name), &folder.join(new)))
    }

    /// Removes a file, if there is one.
    pub(super) fn remove(&self, name: &str) {
        // Ignore the error: the next run overwrites or ignores a file that remains.
        let _ = self.path(name).map(fs::remove_file);
    }

    /// Returns the games of a file, in order; `None` if there is no file. An incomplete last game,
    /// as after a full disk, is left out.
    pub(super) fn games(&self, name: &str) -> io::Result<Option<Split<File>>> {
        let Some(path) = self.path(name).filter(|path| path.is_file()) else {
            return Ok(None);
        };
        let mend = || {
            let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
            let length = file.metadata()?.len();
            let mut end = Vec::new();
            file.seek(SeekFrom::Start(length.saturating_sub(END.len() as u64)))?;
            file.read_to_end(&mut end)?;
            if length > 0 && end != END {
                let text = fs::read(&path)?;
                let whole = text
                    .windows(END.len())
                    .rposition(|window| window == END)
                    .map_or(0, |at| at + END.len());
                file.set_len(whole as u64)?;
            }
            file.rewind()?;
            Ok(Some(Split::new(file)))
        };
        mend().map_err(|error| {
            self.folders
                .as_ref()
                .map_or(io::Error::from(io::ErrorKind::NotFound), |(_, account)| {
                    cannot_keep(account, &error)
                })
        })
    }

    /// Changes the account's folder, which is created if necessary. Errors name the folder.
    fn change(&self, change: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let Some((_, folder)) = &self.folders else {
            return Ok(());
        };
        fs::create_dir_all(folder)
            .and_then(|()| change(folder))
            .map_err(|error| cannot_keep(folder, &error))
    }
}

/// Renames a file whose contents are on disk: after a loss of power, a file that has its name is
/// whole.
fn place(from: &Path, to: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(from)?.sync_all()?;
    fs::rename(from, to)
}

fn cannot_keep(folder: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("the games cannot be kept in {}: {error}", folder.display()),
    )
}
