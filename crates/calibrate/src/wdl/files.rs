//! Selects files of games by fishtest's metadata.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    Pattern, TestMetadata,
    metadata::{MetadataCache, MetadataError, test_id},
};

/// Filters of tests by fishtest's metadata. If any filter is set, files without metadata are
/// rejected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileFilter {
    /// Commit of one of the two engines.
    pub rev: Option<Pattern>,
    /// Time control, which must match for both engines.
    pub tc: Option<Pattern>,
    /// Threads of each engine.
    pub threads: Option<i64>,
    /// Opening book.
    pub book: Option<Pattern>,
    /// Whether to leave out tests whose book matches `book`, instead of all others.
    pub book_invert: bool,
    /// Range of the normalised Elo difference, including both ends. In JSON an open end is `null`.
    #[serde(with = "open_range")]
    pub elo: Option<(f64, f64)>,
    /// Whether to keep sequential tests only.
    pub sprt_only: bool,
}

impl FileFilter {
    /// Returns whether no filter is set.
    pub fn is_open(&self) -> bool {
        self.rev.is_none()
            && self.tc.is_none()
            && self.threads.is_none()
            && self.book.is_none()
            && self.elo.is_none()
            && !self.sprt_only
    }

    /// Returns whether the range keeps more tests in which one side is stronger than tests in which
    /// the other is, which biases a model.
    pub(crate) fn is_lopsided(&self) -> bool {
        !self.sprt_only && self.elo.is_some_and(|(low, high)| low != -high)
    }

    /// Returns whether all filters accept this test.
    pub fn takes(&self, test: &TestMetadata) -> bool {
        let matches = |pattern: &Pattern, text: &Option<String>| {
            text.as_ref().is_some_and(|text| pattern.matches(text))
        };
        let rev =
            |pattern| matches(pattern, &test.resolved_base) || matches(pattern, &test.resolved_new);
        let tc = |pattern| test.tc == test.new_tc && matches(pattern, &test.tc);
        let book =
            |pattern| test.book.is_some() && matches(pattern, &test.book) != self.book_invert;
        let elo = |(low, high): (f64, f64)| {
            test.normalized_elo()
                .is_some_and(|elo| low <= elo && elo <= high)
        };
        self.rev.as_ref().is_none_or(rev)
            && self.tc.as_ref().is_none_or(tc)
            && self
                .threads
                .is_none_or(|threads| test.threads == Some(threads))
            && self.book.as_ref().is_none_or(book)
            && self.elo.is_none_or(elo)
            && (!self.sprt_only || test.sprt)
    }

    /// Keeps those paths whose tests the filters accept.
    ///
    /// `report` receives metadata that cannot be read. Files with such metadata count as files
    /// without any.
    pub fn choose(&self, paths: &[PathBuf], mut report: impl FnMut(MetadataError)) -> Chosen {
        let mut chosen = Chosen::default();
        let mut cache = MetadataCache::default();
        for path in paths {
            match cache.of(path, &mut report) {
                Some(test) if self.takes(test) => chosen.paths.push(path.clone()),
                Some(_) => chosen.filtered += 1,
                None => chosen.without_metadata += 1,
            }
        }
        chosen
    }
}

/// Serialises a range with `null` for infinite ends.
mod open_range {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(super) fn serialize<S: Serializer>(
        range: &Option<(f64, f64)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let end = |end: f64| end.is_finite().then_some(end);
        range
            .map(|(low, high)| (end(low), end(high)))
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<(f64, f64)>, D::Error> {
        let range = Option::<(Option<f64>, Option<f64>)>::deserialize(deserializer)?;
        Ok(range.map(|(low, high)| {
            (
                low.unwrap_or(f64::NEG_INFINITY),
                high.unwrap_or(f64::INFINITY),
            )
        }))
    }
}

/// The result of [`FileFilter::choose`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chosen {
    /// The accepted files.
    pub paths: Vec<PathBuf>,
    /// Number of files whose tests were rejected.
    pub filtered: u64,
    /// Number of files rejected because they have no metadata.
    pub without_metadata: u64,
}

/// Games that are probably given twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Duplicate {
    /// The same test in two folders.
    #[error("the test {id} is in two folders, {} and {}: its games would count twice; give one of them, or the option `allow_duplicates`", first.display(), second.display())]
    Test {
        /// The id of the test.
        id: String,
        /// One folder with the test.
        first: PathBuf,
        /// Another folder with the test.
        second: PathBuf,
    },
    /// A file given both compressed and uncompressed.
    #[error("{} and {} seem to be the same games, compressed and not: give one of them", first.display(), second.display())]
    File {
        /// One of the two files.
        first: PathBuf,
        /// The other file, with another extension.
        second: PathBuf,
    },
}

/// Finds the first test that is in two folders (unless `allow_tests`), or the first file that is
/// given both compressed and uncompressed.
pub(crate) fn find_duplicate(paths: &[PathBuf], allow_tests: bool) -> Option<Duplicate> {
    let mut folders = HashMap::new();
    let mut files = HashMap::new();
    for path in paths.iter().filter(|path| path.as_path() != Path::new("-")) {
        let first = files.entry(plain_name(path)).or_insert(path);
        if *first != path {
            return Some(Duplicate::File {
                first: (*first).clone(),
                second: path.clone(),
            });
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let id = test_id(path);
        let first = folders.entry(id.clone()).or_insert(folder);
        if *first != folder && !allow_tests {
            return Some(Duplicate::Test {
                id,
                first: first.to_path_buf(),
                second: folder.to_owned(),
            });
        }
    }
    None
}

/// Returns the path without its compression extension.
fn plain_name(path: &Path) -> PathBuf {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz" | "zst" | "bz2") => path.with_extension(""),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test() -> TestMetadata {
        TestMetadata {
            book: Some("UHO_4060_v3.epd".to_owned()),
            tc: Some("60+0.6".to_owned()),
            new_tc: Some("60+0.6".to_owned()),
            resolved_base: Some("abc".to_owned()),
            resolved_new: None,
            threads: Some(1),
            sprt: true,
            pentanomial: Some([10, 120, 400, 125, 10]),
        }
    }

    #[test]
    fn each_filter_accepts_matching_tests() {
        let pattern = |text: &str| Some(text.parse::<Pattern>().unwrap());
        let all = FileFilter::default;
        for (takes, filter) in [
            (true, all()),
            (
                true,
                FileFilter {
                    rev: pattern(".*bc"),
                    ..all()
                },
            ),
            (
                false,
                FileFilter {
                    rev: pattern("b"),
                    ..all()
                },
            ),
            (
                true,
                FileFilter {
                    tc: pattern(r"60\+0.6"),
                    ..all()
                },
            ),
            (
                false,
                FileFilter {
                    threads: Some(8),
                    ..all()
                },
            ),
            (
                true,
                FileFilter {
                    book: pattern("UHO.*"),
                    ..all()
                },
            ),
            (
                false,
                FileFilter {
                    book: pattern("UHO.*"),
                    book_invert: true,
                    ..all()
                },
            ),
            (
                true,
                FileFilter {
                    elo: Some((-5.0, 5.0)),
                    ..all()
                },
            ),
            (
                false,
                FileFilter {
                    elo: Some((3.0, f64::INFINITY)),
                    ..all()
                },
            ),
            (
                true,
                FileFilter {
                    sprt_only: true,
                    ..all()
                },
            ),
        ] {
            assert_eq!(filter.takes(&test()), takes, "{filter:?}");
            assert!(
                filter.is_open() || !filter.takes(&TestMetadata::default()),
                "{filter:?}"
            );
        }
        let other = TestMetadata {
            new_tc: Some("20+0.2".to_owned()),
            ..test()
        };
        assert!(
            !FileFilter {
                tc: pattern(".*"),
                ..all()
            }
            .takes(&other),
            "both engines must have the time control"
        );
    }

    #[test]
    fn duplicate_tests_and_files_are_found() {
        let find = |paths: &[&str], allow| {
            find_duplicate(&paths.iter().map(PathBuf::from).collect::<Vec<_>>(), allow)
                .map(|duplicate| duplicate.to_string())
                .unwrap_or_default()
        };
        assert_eq!(
            find(&["a/t-0.pgn", "a/t-1.pgn.gz", "b/u.pgn", "-"], false),
            ""
        );
        assert!(
            find(&["a/t-0.pgn", "b/t-1.pgn"], false)
                .starts_with("the test t is in two folders, a and b")
        );
        assert_eq!(find(&["a/t-0.pgn", "b/t-1.pgn"], true), "");
        assert!(
            find(&["a/t.pgn", "a/t.pgn.gz"], true)
                .starts_with("a/t.pgn and a/t.pgn.gz seem to be the same")
        );
    }
}
