//! Where a document comes from.

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{is_address, option_text::shown_option, shown_path};

/// Where a document comes from: enough to create it again, or to see why another one differs.
///
/// Every document has one: JSON documents and curve files under the key `provenance`, HTML in a
/// `meta` element, Parquet in its metadata. It contains neither a time nor a name of the machine,
/// so that the same work produces the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Provenance {
    /// `centipawn` and its version.
    pub program: String,
    /// The kind of work, with all options that affect the document.
    pub recipe: Value,
    /// The inputs, in the order in which the user named them.
    pub inputs: Vec<Input>,
    /// The engine or other analyst, with its options; `None` if none was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Identity>)]
    pub engine: Option<Arc<Identity>>,
    /// The limit of each search as it was applied: `100000 nodes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub limit: Option<String>,
    /// Policy networks that were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<Network>,
    /// Seed of the random numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seed: Option<u64>,
}

/// An input file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Input {
    /// The file's name without its folder, its address without password and query, or "standard
    /// input".
    pub name: String,
    /// Size in bytes of the file as it is stored (possibly compressed). `None` for standard input
    /// and addresses, which can be read only once.
    pub bytes: Option<u64>,
    /// SHA-256 of these bytes, hexadecimal. `None` for standard input and addresses, which can be
    /// read only once.
    pub sha256: Option<String>,
}

/// A policy network that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Network {
    /// Name of the network: `maia-1500`.
    pub name: String,
    /// SHA-256 of the network's file, hexadecimal.
    pub sha256: String,
}

/// The identity of an engine or other analyst: name, author and all options that change its
/// results.
///
/// ```
/// use centipawn_progress::Identity;
///
/// let mut identity = Identity { name: "Stockfish 15.1".into(), ..Identity::default() };
/// identity.options.insert("Hash".into(), "64".into());
/// assert_eq!(identity.to_string(), "Stockfish 15.1");
/// assert_eq!(identity.with_options(), "Stockfish 15.1 (Hash 64)");
/// ```
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
pub struct Identity {
    /// The name that the engine reports, with its version.
    pub name: String,
    /// The author that the engine reports; may be empty.
    pub author: String,
    /// Option names and values: those that were set, and the network and table files that the
    /// engine uses by default.
    pub options: BTreeMap<String, String>,
}

impl Identity {
    /// Formats name and options in one line, with values as in [`shown`](Self::shown).
    pub fn with_options(&self) -> String {
        if self.options.is_empty() {
            return self.name.clone();
        }
        let option =
            |(name, value): (&String, &String)| format!("{name} {}", shown_option(name, value));
        let options: Vec<String> = self.options.iter().map(option).collect();
        format!("{} ({})", self.name, options.join(", "))
    }

    /// Returns the settings by which the engine shifts its evaluations in favour of one side, such
    /// as `Contempt` 24. Empty if there are none, or if `Analysis Contempt` turns them off.
    ///
    /// ```
    /// use centipawn_progress::Identity;
    ///
    /// let mut engine = Identity { name: "X 1".into(), ..Identity::default() };
    /// engine.options.insert("Contempt".into(), "0".into());
    /// assert!(engine.contempt().is_empty());
    /// engine.options.insert("Contempt".into(), "24".into());
    /// assert_eq!(engine.contempt(), [("Contempt", "24")]);
    /// ```
    pub fn contempt(&self) -> Vec<(&str, &str)> {
        let own = |name: &str| {
            let mut all = self.options.iter();
            all.any(|(other, value)| contempt_name(other) == Some(name) && is_neutral(value))
        };
        if own("analysis contempt") {
            return Vec::new();
        }
        let shifts = |name: &str| contempt_name(name).is_some_and(|name| name != "uci_analysemode");
        self.options
            .iter()
            .filter(|(name, value)| shifts(name) && !is_neutral(value))
            .map(|(name, value)| (&**name, &**value))
            .collect()
    }

    /// Returns the sentence that warns of [`contempt`](Self::contempt); `None` without it.
    pub fn contempt_note(&self) -> Option<String> {
        let settings: Vec<String> = self
            .contempt()
            .into_iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        (!settings.is_empty()).then(|| {
            format!(
                "{}: {} shifts evaluations in favour of one side, so they are not comparable with \
                 those of other engines; set it to 0",
                self.name,
                settings.join(", ")
            )
        })
    }

    /// Returns the identity for documents: file names in options lose their folders, because
    /// documents are passed on and folders can contain the user's name.
    ///
    /// Stores and fleets identify an engine by the full values instead.
    #[must_use]
    pub fn shown(&self) -> Self {
        let option = |(name, value): (&String, &String)| (name.clone(), shown_option(name, value));
        Self {
            options: self.options.iter().map(option).collect(),
            ..self.clone()
        }
    }
}

/// Options of engines that have to do with contempt, in lower case.
const CONTEMPT: [&str; 5] = [
    "contempt",
    "analysis contempt",
    "dynamic contempt",
    "wdl_contempt",
    "uci_analysemode",
];

/// Returns an option's name in lower case if it has to do with contempt. In the identity of several
/// engines, names of options follow the name of an engine and a colon.
pub fn contempt_name(option: &str) -> Option<&'static str> {
    let name = option.rsplit(": ").next().unwrap_or(option);
    let mut all = CONTEMPT.into_iter();
    all.find(|own| own.eq_ignore_ascii_case(name.trim()))
}

/// Returns whether a value of such an option shifts nothing.
pub fn is_neutral(value: &str) -> bool {
    let value = value.trim();
    value.is_empty()
        || ["false", "off", "none", "<empty>"]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(value))
        || value.parse() == Ok(0.0)
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl Provenance {
    /// Starts the provenance of a document made by this version of Centipawn. `recipe` is the kind
    /// of work (such as `wdl fit`); the fields of `options` are stored beside it.
    ///
    /// ```
    /// use centipawn_progress::Provenance;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Options {
    ///     bin: u32,
    /// }
    /// let provenance = Provenance::of("wdl count", &Options { bin: 5 });
    /// assert_eq!(provenance.recipe, serde_json::json!({ "recipe": "wdl count", "bin": 5 }));
    /// ```
    pub fn of(recipe: &str, options: &impl Serialize) -> Self {
        #[derive(Serialize)]
        struct Named<'a, T> {
            recipe: &'a str,
            #[serde(flatten)]
            options: &'a T,
        }
        Self::new(&Named { recipe, options })
    }

    /// Like [`of`](Self::of), for a `recipe` that contains its own name. A value that cannot be
    /// converted to JSON becomes `null`.
    pub fn new(recipe: &impl Serialize) -> Self {
        Self {
            program: concat!("centipawn ", env!("CARGO_PKG_VERSION")).to_owned(),
            recipe: serde_json::to_value(recipe).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Sets the input files.
    #[must_use]
    pub fn inputs(self, inputs: Vec<Input>) -> Self {
        Self { inputs, ..self }
    }

    /// Sets the engine, as it is [shown](Identity::shown), and the search limit.
    #[must_use]
    pub fn engine(self, engine: Option<Arc<Identity>>, limit: impl fmt::Display) -> Self {
        let limit = engine.is_some().then(|| limit.to_string());
        Self {
            engine: engine.map(|engine| Arc::new(engine.shown())),
            limit,
            ..self
        }
    }

    /// Sets the seed of the random numbers.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }
}

impl Input {
    /// Reads a file once to determine its size and hash. Standard input (`-`) and addresses are not
    /// read.
    ///
    /// # Errors
    ///
    /// The I/O error of opening or reading the file.
    pub fn of(path: &Path) -> io::Result<Self> {
        let unread = Self::without_hash(path)?;
        if unread.bytes.is_none() {
            return Ok(unread);
        }
        let name = unread.name;
        let (mut file, mut hash, mut bytes) = (fs::File::open(path)?, Sha256::new(), 0);
        let mut block = vec![0; 1 << 18];
        loop {
            match file.read(&mut block) {
                Ok(0) => break,
                Ok(read) => {
                    hash.update(&block[..read]);
                    bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self {
            name,
            bytes: Some(bytes),
            sha256: Some(hexadecimal(&hash.finalize())),
        })
    }

    /// Returns the file's name and size, without reading the file.
    ///
    /// # Errors
    ///
    /// The I/O error if there is no such file.
    pub fn without_hash(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self {
                name: "standard input".to_owned(),
                bytes: None,
                sha256: None,
            });
        }
        if is_address(path) {
            return Ok(Self {
                name: shown_path(path),
                bytes: None,
                sha256: None,
            });
        }
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned();
        // Another kind of file, such as a pipe, can be read only once, so its size is unknown here.
        let about = fs::metadata(path)?;
        Ok(Self {
            name,
            bytes: about.is_file().then_some(about.len()),
            sha256: None,
        })
    }

    /// Returns the readable files, in the given order. Unreadable ones are left out, because the
    /// work that reads them reports them.
    pub fn of_all(paths: &[impl AsRef<Path>]) -> Vec<Self> {
        paths
            .iter()
            .filter_map(|path| Self::of(path.as_ref()).ok())
            .collect()
    }
}

/// SHA-256 of bytes that arrive in several pieces.
///
/// ```
/// let mut hash = centipawn_progress::RunningHash::default();
/// hash.add(b"a");
/// hash.add(b"bc");
/// assert_eq!((hash.bytes(), hash.sha256()), (3, centipawn_progress::sha256(b"abc")));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunningHash {
    hash: Sha256,
    bytes: u64,
}

impl RunningHash {
    /// Adds the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Returns the number of bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the hash of the bytes so far, as 64 hexadecimal digits.
    pub fn sha256(&self) -> String {
        hexadecimal(&self.hash.clone().finalize())
    }
}

/// Returns the SHA-256 of `bytes` as 64 hexadecimal digits.
///
/// ```
/// assert!(centipawn_progress::sha256(b"abc").starts_with("ba7816bf8f01cfea"));
/// ```
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_named_sized_and_hashed() {
        let input = Input::of(Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/Cargo.toml"
        )))
        .unwrap();
        let text = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
        assert_eq!(
            (input.name.as_str(), input.bytes),
            ("Cargo.toml", Some(text.len() as u64))
        );
        assert_eq!(input.sha256, Some(sha256(&text)));
        assert_eq!(Input::of(Path::new("-")).unwrap().name, "standard input");
        let address = Input::of(Path::new("https://me:secret@example.org/a.pgn?key=1")).unwrap();
        let name = "https://me@example.org/a.pgn?…".to_owned();
        assert_eq!(
            address,
            Input {
                name,
                bytes: None,
                sha256: None
            }
        );
        assert!(Input::of_all(&["no-such-file"]).is_empty());
    }

    #[test]
    fn unknown_fields_are_omitted_from_json() {
        let provenance = Provenance::new(&serde_json::json!({ "bin": 5 }));
        let json = serde_json::to_string(&provenance).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            json,
            format!(r#"{{"program":"centipawn {version}","recipe":{{"bin":5}},"inputs":[]}}"#)
        );
        assert_eq!(
            serde_json::from_str::<Provenance>(&json).unwrap(),
            provenance
        );
    }
}
