//! Temporary files and folders beside the results that they become.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::{Duration, SystemTime},
};

use tempfile::{NamedTempFile, TempDir};

/// The beginning of temporary names.
const PREFIX: &str = ".centipawn-";
/// Something temporary that is older was left by a killed run, unless another run still has it open.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Creates a file in the folder of a result, with the permissions of any new file. Dropping removes it.
pub(crate) fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    remove_leftovers(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    // Shows other runs that the file is in use. Some network file systems have no locks, and then it is never removed.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Creates a folder in the folder of results. Dropping removes it.
pub(crate) fn temporary_folder(folder: &Path) -> io::Result<TempDir> {
    remove_leftovers(folder);
    tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder)
}

/// Removes what killed runs left in a folder more than a day ago. What cannot be removed stays.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // The metadata of a link itself, not of its target.
        let Ok(about) = entry.metadata() else { continue };
        let age = about.modified().ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) || age.is_none_or(|age| age <= STALE) {
            continue;
        }
        let path = entry.path();
        let _ = match (about.is_dir(), about.is_file()) {
            (true, _) => fs::remove_dir_all(path),
            (_, true) if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) => fs::remove_file(path),
            _ => Ok(()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stale_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".centipawn-old", ".centipawn-new", "other"] {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at(".centipawn-folder")).unwrap();
        fs::write(at(".centipawn-folder").join("page"), "").unwrap();
        let used = temporary_file(folder.path()).unwrap();
        let old = SystemTime::now() - 2 * STALE;
        used.as_file().set_modified(old).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("other"), at(".centipawn-link")).unwrap();
        #[cfg(unix)]
        File::open(at(".centipawn-folder")).unwrap().set_modified(old).unwrap();
        for name in [".centipawn-old", "other"] {
            File::options().write(true).open(at(name)).unwrap().set_modified(old).unwrap();
        }
        remove_leftovers(folder.path());
        #[cfg(unix)]
        assert!(!at(".centipawn-folder").exists());
        assert!(!at(".centipawn-old").exists() && at(".centipawn-new").exists() && at("other").exists());
        assert!(used.path().exists(), "it is in use");
    }
}
