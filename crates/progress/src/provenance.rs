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

/// Where a document comes from: enough to make it again, or to see why another differs.
///
/// Every document has one: JSON under the key `provenance`, a curve file too, HTML in a `meta` element, Parquet in its metadata.
/// Nothing in it depends on time or machine, so the same work gives the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Provenance {
    /// `centipawn` and its version.
    pub program: String,
    /// The work, with all options that shape the document.
    pub recipe: Value,
    /// The inputs, in their order.
    pub inputs: Vec<Input>,
    /// The analyst, with options; `None` if none was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Identity>)]
    pub engine: Option<Arc<Identity>>,
    /// The limit of a search as it was really used: `100000 nodes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub limit: Option<String>,
    /// Policy networks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<Network>,
    /// What random numbers began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seed: Option<u64>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Input {
    /// The file's name without its folder, its address without password and query, or "standard input".
    pub name: String,
    /// Its size in bytes, compressed as it is; `None` for what can be read only once, standard input and addresses.
    pub bytes: Option<u64>,
    /// SHA-256 of its bytes, hexadecimal; `None` for what can be read only once, standard input and addresses.
    pub sha256: Option<String>,
}

/// A policy network that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Network {
    /// Its name: `maia-1500`.
    pub name: String,
    /// SHA-256 of its file, hexadecimal.
    pub sha256: String,
}

/// Who analysed: name, author and the settings that change results.
///
/// ```
/// use centipawn_progress::Identity;
///
/// let mut identity = Identity { name: "Stockfish 15.1".into(), ..Identity::default() };
/// identity.options.insert("Hash".into(), "64".into());
/// assert_eq!(identity.to_string(), "Stockfish 15.1");
/// assert_eq!(identity.with_options(), "Stockfish 15.1 (Hash 64)");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Identity {
    /// As the engine calls itself, version included.
    pub name: String,
    /// As the engine reports it; may be empty.
    pub author: String,
    /// Option names and values: those set, and the network and table files the engine names by itself.
    pub options: BTreeMap<String, String>,
}

impl Identity {
    /// Name and options in one line of text; values are those of [`shown`](Self::shown).
    pub fn with_options(&self) -> String {
        if self.options.is_empty() {
            return self.name.clone();
        }
        let option = |(name, value): (&String, &String)| format!("{name} {}", shown_option(name, value));
        let options: Vec<String> = self.options.iter().map(option).collect();
        format!("{} ({})", self.name, options.join(", "))
    }

    /// The same for documents: files in options by their names, without the folders ([`shown_option`]).
    ///
    /// A store and a fleet know an engine by the whole values.
    #[must_use]
    pub fn shown(&self) -> Self {
        let option = |(name, value): (&String, &String)| (name.clone(), shown_option(name, value));
        Self { options: self.options.iter().map(option).collect(), ..self.clone() }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl Provenance {
    /// Of this version of Centipawn, with what was done: a name such as `wdl fit`, under the key `recipe`, and its options beside it.
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

    /// Of this version of Centipawn, with a recipe that names itself. One that cannot be JSON becomes `null`.
    pub fn new(recipe: &impl Serialize) -> Self {
        Self {
            program: concat!("centipawn ", env!("CARGO_PKG_VERSION")).to_owned(),
            recipe: serde_json::to_value(recipe).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The same with the files that were read.
    #[must_use]
    pub fn inputs(self, inputs: Vec<Input>) -> Self {
        Self { inputs, ..self }
    }

    /// The same with the engine that evaluated, as it is [shown](Identity::shown), and to which limit.
    #[must_use]
    pub fn engine(self, engine: Option<Arc<Identity>>, limit: impl fmt::Display) -> Self {
        let limit = engine.is_some().then(|| limit.to_string());
        Self { engine: engine.map(|engine| Arc::new(engine.shown())), limit, ..self }
    }

    /// The same with what random numbers began with.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }
}

impl Input {
    /// Reads a file once, for its size and hash; `-` (standard input) and addresses are not read.
    ///
    /// # Errors
    ///
    /// What reading gives.
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
        Ok(Self { name, bytes: Some(bytes), sha256: Some(hexadecimal(&hash.finalize())) })
    }

    /// The file's name and size; it is not read.
    ///
    /// # Errors
    ///
    /// That there is no such file.
    pub fn without_hash(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self { name: "standard input".to_owned(), bytes: None, sha256: None });
        }
        if is_address(path) {
            return Ok(Self { name: shown_path(path), bytes: None, sha256: None });
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        // An input that is not a file (a pipe) can be read only once.
        let about = fs::metadata(path)?;
        Ok(Self { name, bytes: about.is_file().then_some(about.len()), sha256: None })
    }

    /// The readable files, in their order; the work that reads them reports the others.
    pub fn of_all(paths: &[impl AsRef<Path>]) -> Vec<Self> {
        paths.iter().filter_map(|path| Self::of(path.as_ref()).ok()).collect()
    }
}

/// SHA-256 of bytes that come in pieces.
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

    /// Number of bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The hash of the bytes so far, as 64 hexadecimal digits.
    pub fn sha256(&self) -> String {
        hexadecimal(&self.hash.clone().finalize())
    }
}

/// SHA-256 as 64 hexadecimal digits.
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
        let input = Input::of(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).unwrap();
        let text = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
        assert_eq!((input.name.as_str(), input.bytes), ("Cargo.toml", Some(text.len() as u64)));
        assert_eq!(input.sha256, Some(sha256(&text)));
        assert_eq!(Input::of(Path::new("-")).unwrap().name, "standard input");
        let address = Input::of(Path::new("https://me:secret@example.org/a.pgn?key=1")).unwrap();
        let name = "https://me@example.org/a.pgn?…".to_owned();
        assert_eq!(address, Input { name, bytes: None, sha256: None });
        assert!(Input::of_all(&["no-such-file"]).is_empty());
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let provenance = Provenance::new(&serde_json::json!({ "bin": 5 }));
        let json = serde_json::to_string(&provenance).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(json, format!(r#"{{"program":"centipawn {version}","recipe":{{"bin":5}},"inputs":[]}}"#));
        assert_eq!(serde_json::from_str::<Provenance>(&json).unwrap(), provenance);
    }
}
