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
    /// - A folder stands for all files below it named `.pgn`, `.pgn.gz`, `.pgn.zst` or `.pgn.bz2`, sorted by path.
    ///   Links to folders are not followed.
    /// - An argument with `*`, `?` or `[…]` that is not a file's name is a pattern (`**` crosses folders), for use
    ///   without a shell that expands it; its files are sorted.
    /// - `-` is standard input.
    /// - With the feature `http`, `lichess:NAME` and `chesscom:NAME` stand for the games of an account; `?since=2026-10&max=50` and similar
    ///   conditions may follow.
    /// - With the feature `http`, an address that begins with `http://` or `https://` stands for the file there; nothing is
    ///   requested yet.
    ///
    /// A file named twice, by whatever path, is read once, in its first place.
    ///
    /// # Errors
    ///
    /// [`SourceError`] for the first argument that matches nothing; this includes folders without games.
    pub fn expand<P: AsRef<Path>>(arguments: &[P]) -> Result<Self, SourceError> {
        let mut sources = Self::default();
        let mut seen = HashSet::new();
        for argument in arguments {
            let argument = argument.as_ref();
            let error = |error| SourceError { name: shown_path(argument), error };
            for path in named(argument).map_err(error)? {
                let account = path.to_str().and_then(Account::parse).and_then(Result::ok);
                let known = match path == Path::new("-") || is_address(&path) {
                    // Names of accounts ignore the case.
                    true => account.map_or_else(|| path.clone(), |account| PathBuf::from(format!("{account:?}"))),
                    // A link whose file is missing stays, and is reported when it is read.
                    false => fs::canonicalize(&path).unwrap_or_else(|_| path.clone()),
                };
                if seen.insert(known) {
                    sources.paths.push(path);
                }
            }
        }
        Ok(sources)
    }

    /// Like [`expand`](Self::expand), but reports arguments that match nothing and skips them, and warns of files that are copies of
    /// others.
    pub fn expand_reporting<P: AsRef<Path>>(arguments: &[P], reporter: &dyn Reporter) -> Self {
        let named = arguments.iter().filter(|argument| match Self::expand(&[argument]) {
            Ok(_) => true,
            Err(error) => {
                reporter.problem(&Problem::error(error));
                false
            }
        });
        // Every argument left was resolved a moment ago.
        let sources = Self::expand(&named.collect::<Vec<_>>()).unwrap_or_default();
        for [copy, original] in copies(&sources.paths) {
            let text = format!("the file has the same content as {}, so its games are read twice", name(original));
            reporter.problem(&Problem::warning(text).of(name(copy)));
        }
        sources
    }

    /// The same, of which tools that read game by game ([`Games`](crate::Games), [`clean`](crate::clean())) read only a part: every Nth
    /// game or error. A [`scan`](crate::scan()) is divided by its [options](crate::ScanOptions::shard) instead.
    #[must_use]
    pub fn divided(self, shard: Shard) -> Self {
        Self { shard, ..self }
    }

    /// The part of the games that is read one by one; by default all.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// The paths in order; `-` is standard input, and addresses are as they were given.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The name of source `source` for messages: its path, or "standard input".
    pub fn name(&self, source: usize) -> String {
        self.paths.get(source).map_or_else(String::new, |path| name(path))
    }
}

pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { shown_path(path) }
}

fn named(argument: &Path) -> io::Result<Vec<PathBuf>> {
    if argument == Path::new("-") {
        return Ok(vec![argument.to_owned()]);
    }
    let missing = |what: String| io::Error::new(io::ErrorKind::NotFound, what);
    if let Some(account) = argument.to_str().and_then(Account::parse) {
        return match account {
            Ok(_) if cfg!(feature = "http") => Ok(vec![argument.to_owned()]),
            Ok(account) => {
                Err(missing(format!("this program reads no accounts; download the games of {account} as a file")))
            }
            Err(error) => Err(missing(error.to_string())),
        };
    }
    if is_address(argument) {
        return match argument.to_str().and_then(site_address::advice) {
            Some(advice) => Err(missing(advice)),
            None => Ok(vec![argument.to_owned()]),
        };
    }
    match fs::metadata(argument) {
        Ok(about) if about.is_dir() => {
            let mut found = Vec::new();
            gather(argument, &mut found)?;
            found.sort();
            match found.is_empty() {
                true => Err(missing("no .pgn, .pgn.gz, .pgn.zst or .pgn.bz2 in this folder".to_owned())),
                false => Ok(found),
            }
        }
        Ok(_) => Ok(vec![argument.to_owned()]),
        Err(error) => match argument.to_str().filter(|text| text.contains(['*', '?', '['])) {
            Some(pattern) => {
                let paths = glob::glob(pattern).map_err(|error| missing(format!("not a pattern: {error}")))?;
                let mut found: Vec<_> = paths.filter_map(Result::ok).filter(|path| is_named_file(path)).collect();
                found.sort();
                if found.is_empty() { Err(missing("no file has a name like this".to_owned())) } else { Ok(found) }
            }
            None => Err(error),
        },
    }
}

/// Adds the files with games below a folder.
fn gather(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            gather(&path, found)?;
        } else if has_games(&path) && (kind.is_file() || is_named_file(&path)) {
            found.push(path);
        }
    }
    Ok(())
}

/// A file, or a link whose file is missing, perhaps because a disk is not mounted.
fn is_named_file(path: &Path) -> bool {
    path.is_file() || path.is_symlink() && !path.exists()
}

fn has_games(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".pgn", ".pgn.gz", ".pgn.zst", ".pgn.bz2"].iter().any(|ending| name.ends_with(ending))
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
            let paths = sources.paths().iter().map(|path| path.strip_prefix(folder.path()).unwrap_or(path).to_owned());
            paths.map(|path| path.to_str().unwrap().replace('\\', "/")).collect::<Vec<_>>()
        };
        assert_eq!(names(&[at("")]), ["a.PGN.gz", "b.pgn", "deep/er/c.pgn.zst"]);
        assert_eq!(names(&[at("*.pgn"), at("deep/../b.pgn"), "-".into(), "-".into()]), ["b.pgn", "-"]);
        assert_eq!(names(&[at("notes.txt")]), ["notes.txt"]);
        assert_eq!(names(&[at("**/c*")]), ["deep/er/c.pgn.zst"]);
        for (argument, why) in [("none.pgn", "(os error "), ("x*", "no file has a name"), ("deep/er/c.pgn.zst", "")] {
            let error = Sources::expand(&[at(argument)]).map_or_else(|error| error.to_string(), |_| String::new());
            assert!(error.contains(why), "{error}");
        }
        #[cfg(unix)]
        {
            // Reading it fails, so that a disk that is not mounted is not left out in silence.
            std::os::unix::fs::symlink(at("gone/d.pgn"), at("deep/d.pgn")).unwrap();
            assert_eq!(names(&[at("deep")]), ["deep/d.pgn", "deep/er/c.pgn.zst"]);
            assert_eq!(names(&[at("deep/*.pgn")]), ["deep/d.pgn"]);
            fs::remove_file(at("deep/d.pgn")).unwrap();
        }
        fs::remove_file(at("deep/er/c.pgn.zst")).unwrap();
        assert!(Sources::expand(&[at("deep")]).unwrap_err().to_string().contains("in this folder"));
    }
}
