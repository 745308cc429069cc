//! Reads fishtest's metadata of the test that games belong to.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

use centipawn_progress::{Cancel, SmallDocument};
use serde_json::{Map, Value};

use crate::engine_match::ScoreEstimate;

/// Size limit of a metadata file. The largest known ones have less than 1 MiB.
const METADATA: SmallDocument = SmallDocument::new("file of a test's metadata", 8 << 20);

/// The parts of a test's metadata that select games.
///
/// The metadata file is `<test id>.json` in the folder of the games. The test id is the part of a
/// game file's name before the first `-` or `.`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TestMetadata {
    /// Name of the opening book, `args.book`.
    pub book: Option<String>,
    /// Time control of the new engine, `args.new_tc`.
    pub new_tc: Option<String>,
    /// Time control of the base engine, `args.tc`.
    pub tc: Option<String>,
    /// Commit of the base engine, `args.resolved_base`.
    pub resolved_base: Option<String>,
    /// Commit of the new engine, `args.resolved_new`.
    pub resolved_new: Option<String>,
    /// Threads of each engine, `args.threads`.
    pub threads: Option<i64>,
    /// Whether the test was a sequential one, `args.sprt`.
    pub sprt: bool,
    /// Number of game pairs by score: 0, ½, 1, 1½, 2; `results.pentanomial`.
    pub pentanomial: Option<[u64; 5]>,
}

/// The metadata of a test cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
#[non_exhaustive]
pub struct MetadataError {
    /// Path of the file.
    pub path: PathBuf,
    /// The problem with the file.
    pub reason: String,
}

impl TestMetadata {
    /// Reads fishtest's JSON. Missing fields are `None`.
    ///
    /// # Errors
    ///
    /// The reason in words, if the text is not JSON or a field has another type than fishtest's.
    ///
    /// ```
    /// use centipawn_calibrate::wdl::TestMetadata;
    ///
    /// let test = TestMetadata::parse(br#"{"args": {"tc": "60+0.6", "sprt": {}}, "results": {}}"#)?;
    /// assert_eq!((test.tc.as_deref(), test.sprt), (Some("60+0.6"), true));
    /// # Ok::<_, String>(())
    /// ```
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let document: Value =
            serde_json::from_slice(json).map_err(|error| format!("is not JSON: {error}"))?;
        let empty = Map::new();
        let object = |name: &str| match document.get(name) {
            Some(Value::Object(object)) => Ok(object),
            None | Some(Value::Null) if document.is_object() => Ok(&empty),
            _ => Err(format!("has no object {name:?} as fishtest's metadata has")),
        };
        let (args, results) = (object("args")?, object("results")?);
        let text = |name: &str| match args.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(format!("args.{name} should be text, but is {other}")),
        };
        Ok(Self {
            book: text("book")?,
            new_tc: text("new_tc")?,
            tc: text("tc")?,
            resolved_base: text("resolved_base")?,
            resolved_new: text("resolved_new")?,
            threads: match args.get("threads") {
                None => None,
                Some(threads) => {
                    Some(threads.as_i64().ok_or_else(|| {
                        format!("args.threads should be a number, but is {threads}")
                    })?)
                }
            },
            sprt: args.contains_key("sprt"),
            pentanomial: results.get("pentanomial").map(pentanomial).transpose()?,
        })
    }

    /// Returns the normalised Elo difference of the test, from its game pairs: `(score −
    /// ½)/√(2·variance) · 800/ln 10`.
    ///
    /// `None` without game pairs, or if all pairs have the same score.
    ///
    /// ```
    /// use centipawn_calibrate::wdl::TestMetadata;
    ///
    /// let test = TestMetadata::parse(br#"{"args": {}, "results": {"pentanomial": [10, 120, 400, 125, 10]}}"#)?;
    /// assert_eq!(format!("{:.3}", test.normalized_elo().unwrap()), "2.642");
    /// # Ok::<(), String>(())
    /// ```
    pub fn normalized_elo(&self) -> Option<f64> {
        ScoreEstimate::of_pairs(self.pentanomial?)?.normalized_elo
    }
}

fn pentanomial(value: &Value) -> Result<[u64; 5], String> {
    let numbers: Option<Vec<u64>> = value
        .as_array()
        .and_then(|all| all.iter().map(Value::as_u64).collect());
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| {
            format!("results.pentanomial should be five numbers of pairs, but is {value}")
        })
}

/// Returns the test id of a file of games: the part of its name before the first `-` or `.`.
pub(crate) fn test_id(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let end = name.find(['-', '.']).unwrap_or(name.len());
    name[..end].to_owned()
}

/// A cache of metadata, so that each test's file is read once.
#[derive(Default)]
pub(crate) struct MetadataCache(HashMap<PathBuf, Option<TestMetadata>>);

impl MetadataCache {
    /// Returns the metadata of the test that a file belongs to; `None` if there is none or if it
    /// cannot be read. In the latter case `report` receives the error.
    pub(crate) fn of(
        &mut self,
        games: &Path,
        report: &mut dyn FnMut(MetadataError),
    ) -> Option<&TestMetadata> {
        let path = games.with_file_name(test_id(games) + ".json");
        let read = |path: &PathBuf| {
            let parsed = match METADATA.read(path, &Cancel::new()) {
                Ok(json) => TestMetadata::parse(&json),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
                Err(error) => Err(format!("cannot be read: {error}")),
            };
            let error = |reason| MetadataError {
                path: path.clone(),
                reason,
            };
            parsed.map_err(|reason| report(error(reason))).ok()
        };
        self.0.entry(path).or_insert_with_key(read).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_id_is_the_first_part_of_the_name() {
        for (name, id) in [
            ("a/65a3-0.pgn.gz", "65a3"),
            ("65a3.pgn", "65a3"),
            ("x", "x"),
            ("-.pgn", ""),
        ] {
            assert_eq!(test_id(Path::new(name)), id);
        }
    }

    #[test]
    fn unreadable_metadata_is_reported() {
        for (json, expected) in [
            ("", "is not JSON"),
            ("[]", "has no object \"args\""),
            ("{\"args\": 3}", "has no object \"args\""),
            (
                "{\"args\": {\"book\": 3}}",
                "args.book should be text, but is 3",
            ),
            (
                "{\"args\": {\"threads\": \"8\"}}",
                "args.threads should be a number",
            ),
            (
                "{\"results\": {\"pentanomial\": [1,2]}}",
                "should be five numbers of pairs, but is [1,2]",
            ),
            (
                "{\"results\": {\"pentanomial\": [1,2,3,4,-5]}}",
                "should be five numbers",
            ),
        ] {
            let error = TestMetadata::parse(json.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{json}: {error}");
        }
        assert_eq!(TestMetadata::parse(b"{}"), Ok(TestMetadata::default()));
        assert!(
            TestMetadata::parse(br#"{"args": {"sprt": null}}"#)
                .unwrap()
                .sprt
        );
    }

    #[test]
    fn equal_scores_of_all_pairs_have_no_elo() {
        let elo = |pairs| {
            TestMetadata {
                pentanomial: Some(pairs),
                ..TestMetadata::default()
            }
            .normalized_elo()
        };
        assert_eq!(elo([0; 5]), None);
        assert_eq!(elo([0, 0, 9, 0, 0]), None);
        assert_eq!(elo([0, 0, 0, 9, 0]), None);
        assert!(elo([9, 0, 0, 0, 1]).unwrap() < 0.0);
    }
}
