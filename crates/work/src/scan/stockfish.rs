//! A checkout of Stockfish: revisions, and the win/draw/loss model that each of them has.
//!
//! The history of a checkout that is not trusted is read with `git`, which is started nowhere else.
//!
//! The settings of a repository may name programs: filters of text (`textconv`), other ways to
//! compare, hooks, pagers, `core.sshCommand` and `remote.*.uploadpack` for objects that a partial
//! clone lacks, `core.fsmonitor`, and more with each version of git. So none of them is read: git
//! works in a separate empty repository, in a temporary folder, which has the names of the
//! checkout's revisions and reads its objects.

use std::{
    collections::HashMap,
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use centipawn_calibrate::wdl::{BadPattern, Pattern, SourceError, Units, stockfish_model};
use centipawn_core::WdlModel;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// The objects of the two files that hold a revision's constants; `None` where a file is missing.
type Blobs<'a> = (Option<&'a str>, Option<&'a str>);

/// The files with the model's constants.
const FILES: [&str; 2] = ["src/uci.cpp", "src/uci.h"];

/// Pattern of the source lines that change when the model changes.
const MODEL_LINES: &str = r"double (as|bs)\[\] *=|NormalizeToPawnValue *=|double m *=";

/// The settings of the temporary repository in which git runs.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

/// Deepest folder of names of revisions.
const DEEPEST: u32 = 20;

/// Revisions that print evaluations on the same scale, and the model of that scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StockfishRevisions {
    /// The first revision: hash and date.
    pub first: Revision,
    /// The last revision.
    pub last: Revision,
    /// Hashes of all revisions of the range, the newest first.
    #[serde(skip)]
    pub hashes: Vec<String>,
    /// The model of the last revision.
    pub model: WdlModel,
}

/// A revision of Stockfish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Revision {
    /// The complete hash of the commit.
    pub hash: String,
    /// The day of the commit, `2026-01-15`.
    pub date: String,
}

/// The reason why revisions cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckoutError {
    /// The program `git` cannot be run.
    #[error("cannot start git, which reads the revisions of {}; is it installed?", checkout.display())]
    NoGit {
        /// Path of the checkout.
        checkout: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
    /// The checkout has no repository, or it cannot be read.
    #[error("cannot read the repository of {}; is it a checkout of Stockfish?", checkout.display())]
    NoCheckout {
        /// Path of the checkout.
        checkout: PathBuf,
        /// The underlying error.
        #[source]
        error: io::Error,
    },
    /// A git command failed.
    #[error("git {command}, in {}: {message}", checkout.display())]
    Git {
        /// Path of the checkout.
        checkout: PathBuf,
        /// The git subcommand.
        command: String,
        /// The message of git.
        message: String,
    },
    /// The history is cut off, so the revision that introduced the model may be missing.
    #[error("the history of {} is cut off: run git fetch --unshallow there, or name the first revision with the option `first`", checkout.display())]
    Shallow {
        /// Path of the checkout.
        checkout: PathBuf,
    },
    /// No revision introduced the model.
    #[error("no revision of {} introduced a win/draw/loss model; is it a checkout of Stockfish?", checkout.display())]
    NoModel {
        /// Path of the checkout.
        checkout: PathBuf,
    },
    /// The range is empty.
    #[error("no revisions from {first} to {last}: the first is not an ancestor of the last")]
    NoRevisions {
        /// The first revision.
        first: String,
        /// The last revision.
        last: String,
    },
    /// A revision without a readable model.
    #[error("revision {hash}: {} {error}", FILES[0])]
    Source {
        /// Hash of the revision.
        hash: String,
        /// The underlying error.
        error: SourceError,
    },
    /// The revisions print evaluations by different models.
    #[error(
        "revision {hash} prints evaluations differently from {first} ({own}, not {expected}): their games cannot be counted \
         together; give a later option `first` or an earlier option `last`"
    )]
    Normalization {
        /// Hash of the revision.
        hash: String,
        /// The first revision of the range.
        first: String,
        /// The model by which this revision prints evaluations.
        own: String,
        /// The model by which the first revision prints evaluations.
        expected: String,
    },
}

impl StockfishRevisions {
    /// Returns the revisions from `first` to `last` of a checkout, both included. Without `first`,
    /// from the one that introduced the model of `last`.
    ///
    /// # Errors
    ///
    /// [`CheckoutError`], also if one of the revisions normalises evaluations differently from the
    /// first.
    pub fn read(checkout: &Path, first: Option<&str>, last: &str) -> Result<Self, CheckoutError> {
        let git = Git::open(checkout)?;
        let last = git.revision(last)?;
        let first = match first {
            Some(first) => git.revision(first)?,
            None => git.introduction(&last)?,
        };
        // Exclude all parents of the first revision (`^@`). The range then includes the revision
        // itself, even if it has no parent.
        let range = git.run(
            &[
                "rev-list",
                &last.hash,
                "--not",
                &format!("{}^@", first.hash),
            ],
            "",
        )?;
        let hashes: Vec<String> = range.lines().map(str::to_owned).collect();
        if !hashes.contains(&first.hash) {
            return Err(CheckoutError::NoRevisions {
                first: first.hash,
                last: last.hash,
            });
        }
        let models = git.models(&hashes)?;
        let of = |index: usize| {
            let error = |error: &SourceError| CheckoutError::Source {
                hash: hashes[index].clone(),
                error: error.clone(),
            };
            models[index].as_ref().map_err(error)
        };
        let index_of = |hash: &String| {
            hashes
                .iter()
                .position(|other| other == hash)
                .unwrap_or_default()
        };
        let expected = of(index_of(&first.hash))?;
        // Check the oldest revision first, so that the error names the one where the scale changes.
        for index in (0..hashes.len()).rev() {
            let own = of(index)?;
            if normalization(own) != normalization(expected) {
                let (own, expected) = (described(own), described(expected));
                return Err(CheckoutError::Normalization {
                    hash: hashes[index].clone(),
                    first: first.hash,
                    own,
                    expected,
                });
            }
        }
        let model = *of(index_of(&last.hash))?;
        Ok(Self {
            first,
            last,
            hashes,
            model,
        })
    }

    /// Matches the names and hashes that end with one of the revisions, as in fishtest's metadata
    /// and games.
    ///
    /// # Errors
    ///
    /// [`BadPattern`], if there are too many.
    pub fn pattern(&self) -> Result<Pattern, BadPattern> {
        format!(".*(?:{})", self.hashes.join("|")).parse()
    }

    /// Returns one line on the range and its model.
    pub fn summary(&self) -> String {
        let Self {
            first,
            last,
            hashes,
            ..
        } = self;
        format!(
            "{} revisions of Stockfish, from {} ({}) to {} ({}); NormalizeToPawnValue is {}",
            hashes.len(),
            &first.hash[..10],
            first.date,
            &last.hash[..10],
            last.date,
            self.pawn()
        )
    }

    /// Returns the value of a pawn in internal units, where the constants add up to it:
    /// `NormalizeToPawnValue`.
    pub fn pawn(&self) -> i32 {
        Units::of_model(self.model).pawn()
    }
}

/// Returns the part of a model that decides how evaluations are printed.
fn normalization(model: &WdlModel) -> Units {
    Units::of_model(WdlModel {
        b: [0.0; 4],
        clamp: None,
        ..*model
    })
}

fn described(model: &WdlModel) -> String {
    match normalization(model) {
        Units::Fixed(units) => format!("{units} units a pawn"),
        Units::Model(model) => format!("as = {:?}", model.a),
    }
}

impl Git<'_> {
    fn revision(&self, name: &str) -> Result<Revision, CheckoutError> {
        let hash = self.run(
            &[
                "rev-parse",
                "--verify",
                "--end-of-options",
                &format!("{name}^{{commit}}"),
            ],
            "",
        )?;
        let hash = hash.trim().to_owned();
        let date = self
            .run(
                &[
                    "log",
                    "--no-show-signature",
                    "-1",
                    "--format=%cs",
                    &hash,
                    "--",
                ],
                "",
            )?
            .trim()
            .to_owned();
        Ok(Revision { hash, date })
    }

    /// Returns the revision that introduced the model of `last`: changes of layout alone are
    /// skipped.
    fn introduction(&self, last: &Revision) -> Result<Revision, CheckoutError> {
        if self
            .run(&["rev-parse", "--is-shallow-repository"], "")?
            .trim()
            == "true"
        {
            return Err(CheckoutError::Shallow {
                checkout: self.checkout.to_owned(),
            });
        }
        let pattern = format!("-G{MODEL_LINES}");
        let changes = self.run(
            &[
                "log",
                "--no-textconv",
                "--no-ext-diff",
                "--no-show-signature",
                "--format=%H",
                &pattern,
                &last.hash,
                "--",
                FILES[0],
                FILES[1],
            ],
            "",
        )?;
        let changes: Vec<String> = changes.lines().map(str::to_owned).collect();
        let models = self.models(&changes)?;
        let alike = changes
            .iter()
            .zip(&models)
            .take_while(|(_, model)| model.is_ok() && **model == models[0]);
        let (hash, _) = alike.last().ok_or_else(|| CheckoutError::NoModel {
            checkout: self.checkout.to_owned(),
        })?;
        self.revision(hash)
    }

    /// Returns the model of each revision. Files that are the same in many are read once.
    fn models(
        &self,
        hashes: &[String],
    ) -> Result<Vec<Result<WdlModel, SourceError>>, CheckoutError> {
        let wanted: String = hashes
            .iter()
            .flat_map(|hash| FILES.map(|file| format!("{hash}:{file}\n")))
            .collect();
        let checked = self.run(&["cat-file", "--batch-check=%(objectname)"], &wanted)?;
        // git prints one line for each file: its object, or a message with spaces if it is missing.
        let objects: Vec<Option<&str>> = checked
            .lines()
            .map(|line| Some(line).filter(|line| !line.contains(' ')))
            .collect();
        let mut texts: HashMap<&str, String> = HashMap::new();
        let mut models: HashMap<Blobs<'_>, Result<WdlModel, SourceError>> = HashMap::new();
        let mut all = Vec::with_capacity(hashes.len());
        for pair in objects.as_chunks::<2>().0 {
            for object in pair.iter().flatten() {
                if !texts.contains_key(object) {
                    texts.insert(object, self.run(&["cat-file", "blob", object], "")?);
                }
            }
            let text = |object: Option<&str>| {
                object
                    .and_then(|object| texts.get(object))
                    .map_or("", String::as_str)
            };
            let model = models
                .entry((pair[0], pair[1]))
                .or_insert_with(|| stockfish_model(text(pair[0]), text(pair[1])));
            all.push(model.clone());
        }
        Ok(all)
    }
}

/// A checkout whose history is read, with git in a temporary repository.
struct Git<'a> {
    checkout: &'a Path,
    /// A temporary folder that git uses as the repository.
    own: TempDir,
    objects: PathBuf,
}

impl<'a> Git<'a> {
    /// Copies the names of the checkout's revisions; nothing is started.
    fn open(checkout: &'a Path) -> Result<Self, CheckoutError> {
        let unreadable = |error| CheckoutError::NoCheckout {
            checkout: checkout.to_owned(),
            error,
        };
        let (folder, common) = folders(checkout).map_err(unreadable)?;
        let own = tempfile::tempdir().map_err(unreadable)?;
        let write = || -> io::Result<()> {
            fs::write(own.path().join("config"), CONFIG)?;
            fs::create_dir(own.path().join("objects"))?;
            fs::create_dir(own.path().join("refs"))?;
            fs::copy(folder.join("HEAD"), own.path().join("HEAD"))?;
            for name in ["packed-refs", "shallow"] {
                copy(&common.join(name), &own.path().join(name), 0)?;
            }
            copy(&common.join("refs"), &own.path().join("refs"), DEEPEST)
        };
        write().map_err(unreadable)?;
        let objects = fs::canonicalize(common.join("objects")).map_err(unreadable)?;
        Ok(Self {
            checkout,
            own,
            objects,
        })
    }

    /// Returns the output of a command, given this input.
    fn run(&self, arguments: &[&str], input: &str) -> Result<String, CheckoutError> {
        let no_git = |error| CheckoutError::NoGit {
            checkout: self.checkout.to_owned(),
            error,
        };
        let mut command = Command::new("git");
        for (name, _) in
            env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"))
        {
            command.env_remove(name);
        }
        let mut child = command
            .current_dir(self.own.path())
            .args(["--no-pager", "-c", "color.ui=false"])
            .args(arguments)
            .env("GIT_DIR", self.own.path())
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_SYSTEM", null())
            .env("GIT_CONFIG_GLOBAL", null())
            .env("GIT_ATTR_NOSYSTEM", "1")
            // Never fetch objects that a partial clone lacks, because that would start other
            // programs.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(no_git)?;
        let stdin = child.stdin.take();
        let output = thread::scope(|scope| {
            // Read answers while writing questions, so that neither pipe fills up. If git ends
            // early, its standard error has the reason.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
            child.wait_with_output()
        });
        let output = output.map_err(no_git)?;
        if !output.status.success() {
            return Err(CheckoutError::Git {
                checkout: self.checkout.to_owned(),
                command: arguments.first().copied().unwrap_or_default().to_owned(),
                message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            });
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Returns a file without settings.
fn null() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}

/// Returns the folder of a checkout's repository, and the one that it shares with other checkouts
/// of the repository.
fn folders(checkout: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let checkout = fs::canonicalize(checkout)?;
    // The path may be a folder inside a checkout.
    let found = checkout
        .ancestors()
        .find_map(|folder| folders_of(folder).transpose());
    found.unwrap_or_else(|| {
        Err(io::Error::new(
            io::ErrorKind::NotFound,
            "there is no repository of git",
        ))
    })
}

/// Like `folders`, for this folder only; `None` if it is no checkout.
fn folders_of(checkout: &Path) -> io::Result<Option<(PathBuf, PathBuf)>> {
    let inner = checkout.join(".git");
    let folder = if inner.is_file() {
        let text = fs::read_to_string(&inner)?;
        let path = text.strip_prefix("gitdir:").map(str::trim);
        checkout.join(
            path.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, ".git names no folder"))?,
        )
    } else if inner.is_dir() {
        inner
    } else {
        checkout.to_owned()
    };
    let common = match fs::read_to_string(folder.join("commondir")) {
        Ok(path) => folder.join(path.trim()),
        Err(_) => folder.clone(),
    };
    let is_repository = common.join("objects").is_dir() && folder.join("HEAD").is_file();
    Ok(is_repository.then_some((folder, common)))
}

/// Copies a file, or a folder up to the depth `deep`; links and missing files are left out.
fn copy(from: &Path, to: &Path, deep: u32) -> io::Result<()> {
    let Ok(about) = fs::symlink_metadata(from) else {
        return Ok(());
    };
    if about.is_file() {
        return fs::copy(from, to).map(drop);
    }
    if !about.is_dir() || deep == 0 {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()), deep - 1)?;
    }
    Ok(())
}
