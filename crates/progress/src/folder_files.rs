//! Many files for one folder, which appear together.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::{
    FileError,
    unnamed_file::{PREFIX, remove_leftovers},
};

/// Many files for one folder, such as the pages of games. They are written into a temporary folder
/// inside it, because an [`AtomicFile`](crate::AtomicFile) each would need too many open files. A
/// [`Placement`](crate::Placement) moves them to their places, and removes the files of earlier
/// runs.
#[derive(Debug)]
pub struct FolderFiles {
    folder: PathBuf,
    /// Paths within the folder, with `/` as separator.
    names: BTreeSet<String>,
    swept: Swept,
    // Fields are dropped in this order. The temporary folder must be removed first, so that the
    // folder around it is empty and can be removed too.
    temporary: TempDir,
    _made: MadeFolders,
}

/// Which files of earlier runs are removed: files in `folders` for whose path within the folder
/// `is_own` returns true.
#[derive(Clone, Copy, Debug)]
struct Swept {
    folders: &'static [&'static str],
    is_own: fn(&str) -> bool,
}

/// Folders that this run created, the outermost first. Dropping it removes those that are still
/// empty.
#[derive(Debug)]
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn create(folder: &Path) -> io::Result<Self> {
        let is_new = |path: &&Path| **path != *Path::new("") && !path.exists();
        let mut made: Vec<PathBuf> = folder
            .ancestors()
            .take_while(is_new)
            .map(Path::to_owned)
            .collect();
        made.reverse();
        let made = Self(made);
        fs::create_dir_all(folder)?;
        Ok(made)
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        // Removing fails for a folder that is not empty. Such a folder must stay, so the error is
        // ignored.
        self.0
            .iter()
            .rev()
            .for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

impl FolderFiles {
    /// Prepares files for `folder`. The folder is created if it does not exist, and removed again
    /// if it stays empty. Files in its subfolders `swept` that this run does not [add](Self::add)
    /// are removed if `is_own` recognises their paths within the folder as those of an earlier run.
    /// Folders within it must not be links, since their files would be written elsewhere.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`] if the folder cannot be created or written.
    pub fn create(
        folder: &Path,
        swept: &'static [&'static str],
        is_own: fn(&str) -> bool,
    ) -> Result<Self, FileError> {
        if folder.is_file() {
            return Err(FileError::write(
                folder,
                io::ErrorKind::NotADirectory.into(),
                "; name a folder",
            ));
        }
        swept
            .iter()
            .try_for_each(|name| refuse_link(&folder.join(name)))?;
        let cannot = |error| FileError::write(folder, error, "; may you write there?");
        let made = MadeFolders::create(folder).map_err(cannot)?;
        remove_leftovers(folder);
        let temporary = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(folder)
            .map_err(cannot)?;
        let swept = Swept {
            folders: swept,
            is_own,
        };
        Ok(Self {
            folder: folder.to_owned(),
            names: BTreeSet::new(),
            swept,
            temporary,
            _made: made,
        })
    }

    /// Adds a file. `name` is its path within the folder, with `/` as separator.
    ///
    /// # Errors
    ///
    /// [`FileError::Write`] if it cannot be written.
    pub fn add(&mut self, name: impl Into<String>, bytes: &[u8]) -> Result<(), FileError> {
        let name = name.into();
        let within = |folder: &&Path| *folder != Path::new("");
        for folder in Path::new(&name).ancestors().skip(1).take_while(within) {
            refuse_link(&self.folder.join(folder))?;
        }
        let path = self.temporary.path().join(&name);
        let written = make_folder_of(&path).and_then(|()| fs::write(&path, bytes));
        written.map_err(|error| FileError::write(&self.folder.join(&name), error, ""))?;
        self.names.insert(name);
        Ok(())
    }

    /// Syncs all files to disk.
    pub(crate) fn complete(&self) -> Result<(), FileError> {
        let paths = self
            .names
            .iter()
            .map(|name| self.temporary.path().join(name));
        sync_files(self.temporary.path(), paths)
            .map_err(|error| FileError::write(&self.folder, error, ""))
    }

    /// Moves the [completed](Self::complete) files to their places.
    pub(crate) fn place(self) -> Result<(), FileError> {
        for name in &self.names {
            let to = self.folder.join(name);
            let moved = make_folder_of(&to)
                .and_then(|()| fs::rename(self.temporary.path().join(name), &to));
            moved.map_err(|error| FileError::write(&to, error, ""))?;
        }
        for name in self.swept.folders {
            let folder = self.folder.join(name);
            let is_over = |file: &str| {
                let path = format!("{name}/{file}");
                (self.swept.is_own)(&path) && !self.names.contains(&path)
            };
            if folder.is_dir() {
                remove(&folder, is_over).map_err(|error| FileError::write(&folder, error, ""))?;
            }
        }
        Ok(())
    }
}

/// Refuses a link in place of a folder of results whose name the program chooses: it leads to a
/// folder that the user did not name, where files would be replaced and removed.
///
/// # Errors
///
/// [`FileError::Write`].
pub fn refuse_link(folder: &Path) -> Result<(), FileError> {
    if folder.is_symlink() {
        let error = io::Error::other("it is a symbolic link to another place");
        return Err(FileError::write(
            folder,
            error,
            "; remove the link, or name another folder for the results",
        ));
    }
    Ok(())
}

/// Syncs the files of a folder to disk. On Linux one call syncs the whole file system, because a
/// call per file takes milliseconds and a site has thousands of pages.
fn sync_files(folder: &Path, mut paths: impl Iterator<Item = PathBuf>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::syncfs(fs::File::open(folder)?).is_ok() {
        return Ok(());
    }
    let _ = folder;
    paths.try_for_each(|path| fs::OpenOptions::new().write(true).open(path)?.sync_all())
}

fn make_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Removes the files of a folder for whose name `is_over` returns true.
fn remove(folder: &Path, is_over: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if is_over(&name) {
            fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn files_of_earlier_runs_are_replaced_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("pages")).unwrap();
        for name in ["1.html", "2.html", "notes.txt"] {
            fs::write(at("pages").join(name), "earlier").unwrap();
        }
        let mut files = FolderFiles::create(folder.path(), &["pages", "none"], |name| {
            name.ends_with(".html")
        })
        .unwrap();
        files.add("pages/2.html", b"new").unwrap();
        assert_eq!(fs::read_to_string(at("pages/2.html")).unwrap(), "earlier");
        files.place().unwrap();
        assert_eq!(
            names(&at("pages")),
            ["2.html", "notes.txt"].map(String::from).into()
        );
        assert_eq!(fs::read_to_string(at("pages/2.html")).unwrap(), "new");
        assert_eq!(names(folder.path()), ["pages".to_owned()].into());
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_elsewhere_are_refused() {
        use std::os::unix::fs::symlink;

        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("1.html"), "theirs").unwrap();
        for name in ["pages", "others"] {
            symlink(elsewhere.path(), folder.path().join(name)).unwrap();
        }
        let create = |swept| FolderFiles::create(folder.path(), swept, |_| true);
        let error = create(&["pages"]).unwrap_err().to_string();
        assert!(error.contains("pages: it is a symbolic link"), "{error}");
        let mut files = create(&[]).unwrap();
        for name in ["others/1.html", "others/below/1.html"] {
            let error = files.add(name, b"new").unwrap_err().to_string();
            assert!(error.contains("others: it is a symbolic link"), "{error}");
        }
        files.add("1.html", b"new").unwrap();
        files.place().unwrap();
        assert_eq!(
            fs::read_to_string(elsewhere.path().join("1.html")).unwrap(),
            "theirs"
        );
        // The folder itself may be a link, because the caller chose it.
        let link = elsewhere.path().join("link");
        symlink(folder.path(), &link).unwrap();
        let mut files = FolderFiles::create(&link, &[], |_| true).unwrap();
        files.add("2.html", b"new").unwrap();
        files.place().unwrap();
        assert!(folder.path().join("2.html").is_file());
    }

    #[test]
    fn an_unused_folder_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = FolderFiles::create(&folder.path().join("a/b"), &[], |_| true).unwrap();
        files.add("pages/1.html", b"new").unwrap();
        drop(files);
        assert!(names(folder.path()).is_empty());
    }
}
