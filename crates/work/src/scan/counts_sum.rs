//! Adding up files of counts.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use centipawn_calibrate::wdl::Counts;
use centipawn_pgn::{Impossible, Merge as _};

/// The sum of the counts of several files, none of which may be given twice.
///
/// ```
/// use centipawn_calibrate::wdl::Counts;
/// use centipawn_work::scan::CountsSum;
///
/// # let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.wdl"));
/// let counts = || Counts::read(&br#"{ "('D', 1, 78, 35)": 12 }"#[..]);
/// let mut sum = CountsSum::default();
/// sum.add("a.wdl", path, counts()?)?;
/// assert_eq!(
///     sum.add("./a.wdl", path, counts()?).unwrap_err().to_string(),
///     "a.wdl and ./a.wdl are one file: its games would count twice; give it once"
/// );
/// assert_eq!(sum.finish().positions(), 12);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct CountsSum {
    sum: Counts,
    /// Names of the files added, by canonical path.
    files: HashMap<PathBuf, String>,
    /// Names of files by the hash of their counts.
    counts: HashMap<String, String>,
}

/// The reason why a file's counts cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountsSumError {
    /// The same file is given twice, perhaps by two paths.
    #[error("{first} and {name} are one file: its games would count twice; give it once")]
    Twice {
        /// Name of the file.
        name: String,
        /// The name under which the file was already added.
        first: String,
    },
    /// Two files have the same counts, so one is probably a copy.
    #[error(
        "{first} and {name} have the same counts, so they are of the same games, which would count twice; give one of them"
    )]
    Copy {
        /// Name of the file.
        name: String,
        /// The name of the earlier file with the same counts.
        first: String,
    },
    /// The sum has more positions than all games together can have.
    #[error(
        "with {name} there are more than {} positions, more than all games have: one of the files is wrong",
        Impossible::LARGEST
    )]
    TooMany {
        /// Name of the file.
        name: String,
    },
}

impl CountsSum {
    /// Adds the counts of a file.
    ///
    /// # Errors
    ///
    /// [`CountsSumError`]. In this case the sum is unchanged.
    pub fn add(&mut self, name: &str, path: &Path, counts: Counts) -> Result<(), CountsSumError> {
        // An input that is not a file (standard input or a pipe) can be read only once.
        let file = fs::canonicalize(path).ok().filter(|path| path.is_file());
        if let Some(first) = file.as_ref().and_then(|file| self.files.get(file)) {
            return Err(CountsSumError::Twice {
                name: name.to_owned(),
                first: first.clone(),
            });
        }
        if Impossible::sum([self.sum.positions(), counts.positions()]).is_none() {
            return Err(CountsSumError::TooMany {
                name: name.to_owned(),
            });
        }
        // Files without positions all have the same hash and add nothing, so they are no copies.
        if !counts.is_empty()
            && let Some(first) = self.counts.insert(counts.sha256(), name.to_owned())
        {
            return Err(CountsSumError::Copy {
                name: name.to_owned(),
                first,
            });
        }
        self.files.extend(file.map(|file| (file, name.to_owned())));
        self.sum.merge(counts);
        Ok(())
    }

    /// Returns the width in centipawns to which the added evaluations were rounded; `None` if
    /// unknown or different.
    pub fn bin(&self) -> Option<u32> {
        self.sum.bin()
    }

    /// Returns the sum.
    pub fn finish(self) -> Counts {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_positions_than_exist_are_refused() {
        let counts = |eval: i32| {
            let text = format!(
                "{{\"('W', 1, 78, {eval})\": {}}}",
                Impossible::LARGEST / 2 + 1
            );
            Counts::read(text.as_bytes()).unwrap()
        };
        let mut sum = CountsSum::default();
        sum.add("a", Path::new("a"), counts(0)).unwrap();
        let error = sum
            .add("b", Path::new("b"), counts(5))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("with b there are more than"), "{error}");
        assert_eq!(sum.finish(), counts(0));
    }

    #[test]
    fn a_copy_is_refused() {
        let counts = || Counts::read(&br#"{ "('D', 1, 78, 35)": 12 }"#[..]).unwrap();
        let mut sum = CountsSum::default();
        sum.add("a", Path::new("a"), counts()).unwrap();
        let error = sum.add("b", Path::new("b"), counts()).unwrap_err();
        assert_eq!(
            error,
            CountsSumError::Copy {
                name: "b".to_owned(),
                first: "a".to_owned()
            }
        );
        assert_eq!(sum.finish().positions(), 12);
    }

    #[test]
    fn empty_files_are_not_twice_the_same() {
        let mut sum = CountsSum::default();
        let mut add = |name: &str| sum.add(name, Path::new(name), Counts::default()).unwrap();
        add("a");
        add("b");
        assert!(sum.finish().is_empty());
    }
}
