//! Resolving arguments to input files.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use centipawn_progress::{Problem, Reporter, is_address, shown_path};

use crate::{Shard, SourceError, account::Account, copies::copies, site_address};

/// Files and standard input to read games from: each once, in a fixed order.
///
/// ```
/// use centipawn_pgn::Sources;
///
/// let sources = Sources::expand(&["Cargo.toml", "src/../Cargo.toml"])?;
/// assert_eq!(sources.paths().len(), 1);
/// assert!(Sources::expand(&["no-such-file.pgn"]).is_err());
/// # Ok::<_, centipawn_pgn::SourceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    paths: Vec<PathBuf>,
    shard: Shard,
}

impl Sources {
    /// Resolves arguments to files.
    ///
    /// - A file's name stands for the file, whatever its extension.
    /// - A folder stands for all files below it named `.pgn`, `.pgn.gz`, `.pgn.zst` or `.pgn.bz2`,
    ///   sorted by path. Links to folders are not followed.
    /// - An argument with `*`, `?` or `[…]` that is not a file's name is a pattern (`**` crosses
    ///   folders), for use without a shell that expands it; its files are sorted.
    /// - `-` is standard input.
    /// - With the feature `http`, `lichess:NAME` and `chesscom:NAME` stand for the games of an
    ///   account; `?since=2026-10&max=50` and similar conditions may follow.
    /// - With the feature `http`, an address that begins with `http://` or `https://` stands for
    ///   the file there; nothing is requested yet.
    ///
    /// A file named twice, by whatever path, is read once, in its first place.
    ///
    /// # Errors
    ///
    /// [`SourceError`] for the first argument that matches nothing, which includes folders without
    /// games, or the first folder below an argument that cannot be read.
    pub fn expand<P: AsRef<Path>>(arguments: &[P]) -> Result<Self, SourceError> {
        let mut errors = Vec::new();
        let sources = Self::resolve(arguments, |error| errors.push(error));
        errors.into_iter().next().map_or(Ok(sources), Err)
    }

    /// Like [`expand`](Self::expand), but reports what cannot be read or matches nothing, continues
    /// without it, and warns of files that are copies of others.
    pub fn expand_reporting<P: AsRef<Path>>(arguments: &[P], reporter: &dyn Reporter) -> Self {
        let sources = Self::resolve(arguments, |error| reporter.problem(&Problem::error(error)));
        for [copy, original] in copies(&sources.paths) {
            let text = format!(
                "the file has the same content as {}, so its games are read twice",
                name(original)
            );
            reporter.problem(&Problem::warning(text).of(name(copy)));
        }
        sources
    }

    /// Returns the files of the arguments, as far as they can be read.
    fn resolve<P: AsRef<Path>>(arguments: &[P], mut unreadable: impl FnMut(SourceError)) -> Self {
        let mut sources = Self::default();
        let mut seen = HashSet::new();
        for argument in arguments {
            let argument = argument.as_ref();
            let mut failed = |path: &Path, error| {
                unreadable(SourceError {
                    name: shown_path(path),
                    error,
                });
            };
            let paths = named(argument, &mut failed).unwrap_or_else(|error| {
                failed(argument, error);
                Vec::new()
            });
            for path in paths {
                let account = path.to_str().and_then(Account::parse).and_then(Result::ok);
                let known = match path == Path::new("-") || is_address(&path) {
                    // Sites ignore the case of account names, so two spellings are one source.
                    true => account.map_or_else(
                        || path.clone(),
                        |account| PathBuf::from(format!("{account:?}")),
                    ),
                    // A link without its file has no canonical path. It stays in the list, so that
                    // reading it reports the missing file.
                    false => fs::canonicalize(&path).unwrap_or_else(|_| path.clone()),
                };
                if seen.insert(known) {
                    sources.paths.push(path);
                }
            }
        }
        sources
    }

    /// Returns the same sources for tools that work game by game ([`Games`](crate::Games),
    /// [`clean`](crate::clean())), which then read only every Nth game or error. A
    /// [`scan`](crate::scan()) is divided by its [options](crate::ScanOptions::shard) instead.
    #[must_use]
    pub fn divided(self, shard: Shard) -> Self {
        Self { shard, ..self }
    }

    /// Returns the part of the games that is read one by one; by default all.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// Returns the paths in order; `-` is standard input, and addresses are as they were given.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns the name of source `source` for messages: its path, or "standard input".
    pub fn name(&self, source: usize) -> String {
        self.paths
            .get(source)
            .map_or_else(String::new, |path| name(path))
    }
}

pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        shown_path(path)
    }
}

/// Returns the files of an argument. Calls `failed` for each folder below it that cannot be read.
fn named(argument: &Path, failed: &mut dyn FnMut(&Path, io::Error)) -> io::Result<Vec<PathBuf>> {
    if argument == Path::new("-") {
        return Ok(vec![argument.to_owned()]);
    }
    let missing = |what: String| io::Error::new(io::ErrorKind::NotFound, what);
    let mut has_failed = false;
    let mut failed = |path: &Path, error| {
        has_failed = true;
        failed(path, error);
    };
    if let Some(account) = argument.to_str().and_then(Account::parse) {
        return match account {
            Ok(_) if cfg!(feature = "http") => Ok(vec![argument.to_owned()]),
            Ok(account) => Err(missing(format!(
                "this program reads no accounts; download the games of {account} as a file"
            ))),
            Err(error) => Err(missing(error.to_string())),
        };
    }
    if is_address(argument) {
        return match argument.to_str().and_then(site_address::advice) {
            Some(advice) => Err(missing(advice)),
            None => Ok(vec![argument.to_owned()]),
        };
    }
    let (mut found, nothing) = match fs::metadata(argument) {
        Ok(about) if about.is_dir() => {
            let mut found = Vec::new();
            gather(argument, &mut found, &mut failed);
            (
                found,
                "no .pgn, .pgn.gz, .pgn.zst or .pgn.bz2 in this folder",
            )
        }
        Ok(_) => return Ok(vec![argument.to_owned()]),
        Err(error) => {
            let Some(pattern) = argument
                .to_str()
                .filter(|text| text.contains(['*', '?', '[']))
            else {
                return Err(error);
            };
            let paths =
                glob::glob(pattern).map_err(|error| missing(format!("not a pattern: {error}")))?;
            let readable = paths.filter_map(|path| match path {
                Ok(path) => Some(path),
                Err(error) => {
                    let path = error.path().to_owned();
                    failed(&path, error.into());
                    None
                }
            });
            (
                readable.filter(|path| is_named_file(path)).collect(),
                "no file has a name like this",
            )
        }
    };
    found.sort();
    // If a folder could not be read, that error was reported and explains why there are no files.
    if found.is_empty() && !has_failed {
        Err(missing(nothing.to_owned()))
    } else {
        Ok(found)
    }
}

/// Adds the files with games below a folder.
fn gather(folder: &Path, found: &mut Vec<PathBuf>, failed: &mut dyn FnMut(&Path, io::Error)) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return failed(folder, error),
    };
    for entry in entries {
        match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
            Ok((path, kind)) if kind.is_dir() => gather(&path, found, failed),
            Ok((path, kind)) if has_games(&path) && (kind.is_file() || is_named_file(&path)) => {
                found.push(path);
            }
            Ok(_) => {}
            Err(error) => failed(folder, error),
        }
    }
}

/// Returns whether a path is a file, or a link whose file is missing, perhaps because a disk is not
/// mounted.
fn is_named_file(path: &Path) -> bool {
    path.is_file() || path.is_symlink() && !path.exists()
}

fn has_games(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    [".pgn", ".pgn.gz", ".pgn.zst", ".pgn.bz2"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_patterns_and_doubles() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("deep/er")).unwrap();
        for name in ["b.pgn", "a.PGN.gz", "deep/er/c.pgn.zst", "notes.txt"] {
            fs::write(at(name), "").unwrap();
        }
        let names = |arguments: &[PathBuf]| {
            let sources = Sources::expand(arguments).unwrap();
            let paths = sources
                .paths()
                .iter()
                .map(|path| path.strip_prefix(folder.path()).unwrap_or(path).to_owned());
            paths
                .map(|path| path.to_str().unwrap().replace('\\', "/"))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&[at("")]), ["a.PGN.gz", "b.pgn", "deep/er/c.pgn.zst"]);
        assert_eq!(
            names(&[at("*.pgn"), at("deep/../b.pgn"), "-".into(), "-".into()]),
            ["b.pgn", "-"]
        );
        assert_eq!(names(&[at("notes.txt")]), ["notes.txt"]);
        assert_eq!(names(&[at("**/c*")]), ["deep/er/c.pgn.zst"]);
        for (argument, why) in [
            ("none.pgn", "(os error "),
            ("x*", "no file has a name"),
            ("deep/er/c.pgn.zst", ""),
        ] {
            let error = Sources::expand(&[at(argument)])
                .map_or_else(|error| error.to_string(), |_| String::new());
            assert!(error.contains(why), "{error}");
        }
        #[cfg(unix)]
        {
            // Keep the broken link in the list: reading it fails, so that a disk that is not
            // mounted is reported instead of ignored.
            std::os::unix::fs::symlink(at("gone/d.pgn"), at("deep/d.pgn")).unwrap();
            assert_eq!(names(&[at("deep")]), ["deep/d.pgn", "deep/er/c.pgn.zst"]);
            assert_eq!(names(&[at("deep/*.pgn")]), ["deep/d.pgn"]);
            fs::remove_file(at("deep/d.pgn")).unwrap();
        }
        fs::remove_file(at("deep/er/c.pgn.zst")).unwrap();
        assert!(
            Sources::expand(&[at("deep")])
                .unwrap_err()
                .to_string()
                .contains("in this folder")
        );
    }

    #[cfg(unix)]
    #[test]
    fn unreadable_folders_are_reported_and_the_rest_is_read() {
        use std::os::unix::fs::PermissionsExt as _;

        use crate::games::tests::Lines;

        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("sub");
        fs::create_dir(&sub).unwrap();
        for name in ["a.pgn", "sub/b.pgn", "z.pgn"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::set_permissions(&sub, fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser may read every folder, so there is nothing to test.
        if fs::read_dir(&sub).is_ok() {
            return;
        }
        for argument in [folder.path().to_owned(), folder.path().join("**/*.pgn")] {
            let lines = Lines::default();
            let sources = Sources::expand_reporting(&[&argument], &lines);
            assert_eq!(
                sources.paths(),
                ["a.pgn", "z.pgn"].map(|name| folder.path().join(name)),
                "{argument:?}"
            );
            let lines = lines.0.into_inner().unwrap();
            assert!(lines.len() == 1 && lines[0].contains("sub: "), "{lines:?}");
            assert!(
                Sources::expand(&[&argument])
                    .unwrap_err()
                    .name
                    .ends_with("sub")
            );
        }
        let lines = Lines::default();
        assert!(
            Sources::expand_reporting(&[&sub], &lines)
                .paths()
                .is_empty()
        );
        assert_eq!(lines.0.into_inner().unwrap().len(), 1);
        fs::set_permissions(&sub, fs::Permissions::from_mode(0o700)).unwrap();
    }
}
