//! Files that get a name only when they are complete.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
    time::{Duration, SystemTime},
};

use tempfile::NamedTempFile;

/// Prefix of temporary names.
pub(crate) const PREFIX: &str = ".centipawn-";
/// A temporary file that has not been written for this long was left by a killed run.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// A file in the folder of a result, invisible until it is [placed](Self::place).
///
/// On Linux it has no name if the file system supports this (`O_TMPFILE`), so a run that is killed
/// leaves nothing behind. Elsewhere it has a temporary name, and temporary files of earlier runs
/// are removed.
#[derive(Debug)]
pub(crate) enum UnnamedFile {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl UnnamedFile {
    /// Creates the file.
    pub(crate) fn create_in(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = linux::unnamed(folder) {
            return Ok(Self::Unnamed(file));
        }
        remove_leftovers(folder);
        named(folder).map(Self::Named)
    }

    pub(crate) fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name, and replaces an existing file. The contents must already be synced
    /// to disk.
    pub(crate) fn place(self, path: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => linux::place(&file, path),
            Self::Named(file) => file.persist(path).map(drop).map_err(|error| error.error),
        }
    }
}

impl Write for UnnamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file.write(bytes),
            Self::Named(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file.flush(),
            Self::Named(file) => file.flush(),
        }
    }
}

/// Creates a file with a temporary name. Its permissions are those of an ordinary new file, not the
/// private ones of `tempfile`, because it becomes a result.
fn named(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Removes temporary files and folders (`.centipawn-…`) that have not been written for a day,
/// because killed runs left them. Errors are ignored: the files are only untidy.
pub(crate) fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // `entry.metadata` does not follow links, so a link with such a name is never taken for a
        // file.
        let Ok(about) = entry.metadata() else {
            continue;
        };
        let age = about
            .modified()
            .ok()
            .and_then(|modified| SystemTime::now().duration_since(modified).ok());
        if !entry.file_name().to_string_lossy().starts_with(PREFIX)
            || age.is_none_or(|age| age <= STALE)
        {
            continue;
        }
        let _ = match (about.is_dir(), about.is_file()) {
            (true, _) => fs::remove_dir_all(entry.path()),
            (_, true) => fs::remove_file(entry.path()),
            _ => Ok(()),
        };
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        fs::{self, File},
        io,
        os::fd::AsRawFd as _,
        path::Path,
    };

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// Creates a file without a name. Returns `None` if the file system does not support this.
    pub(super) fn unnamed(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
        // An unprivileged process can name the file only through /proc, which may be missing in a
        // container.
        Path::new(&descriptor(&file)).exists().then_some(file)
    }

    fn descriptor(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }

    pub(super) fn place(file: &File, path: &Path) -> io::Result<()> {
        let link = |to: &Path| {
            linkat(CWD, descriptor(file), CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
        };
        match link(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => return linked,
        }
        // `linkat` never replaces a file, but `rename` does. So link the file under a temporary
        // name first.
        let folder = path
            .parent()
            .filter(|folder| *folder != Path::new(""))
            .unwrap_or(Path::new("."));
        super::remove_leftovers(folder);
        let name = super::named(folder)?.into_temp_path();
        fs::remove_file(&name)?;
        link(&name)?;
        fs::rename(&name, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_invisible_until_it_is_placed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        let names = || {
            fs::read_dir(folder.path())
                .unwrap()
                .flatten()
                .map(|entry| entry.file_name())
                .collect::<Vec<_>>()
        };
        for text in ["first", "second"] {
            #[cfg(target_os = "linux")]
            let before = names();
            let mut file = UnnamedFile::create_in(folder.path()).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            #[cfg(target_os = "linux")]
            if matches!(file, UnnamedFile::Unnamed(_)) {
                assert_eq!(names(), before);
            }
            file.place(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(names(), ["result"]);
        }
    }

    #[test]
    fn only_temporary_files_older_than_a_day_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".centipawn-old", ".centipawn-new", "other"] {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at(".centipawn-folder")).unwrap();
        fs::write(at(".centipawn-folder").join("page"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("other"), at(".centipawn-link")).unwrap();
        #[cfg(unix)]
        File::open(at(".centipawn-folder"))
            .unwrap()
            .set_modified(SystemTime::now() - 2 * STALE)
            .unwrap();
        for name in [".centipawn-old", "other"] {
            let old = SystemTime::now() - 2 * STALE;
            File::options()
                .write(true)
                .open(at(name))
                .unwrap()
                .set_modified(old)
                .unwrap();
        }
        remove_leftovers(folder.path());
        #[cfg(unix)]
        assert!(!at(".centipawn-folder").exists());
        assert!(
            !at(".centipawn-old").exists() && at(".centipawn-new").exists() && at("other").exists()
        );
    }
}
