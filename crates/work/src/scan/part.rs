//! Files of parts: the state of a scan of one shard, and merging them.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use centipawn_calibrate::wdl::SelectedGames;
use centipawn_pgn::{Impossible, Merge as _, ScanReport, Shard, Source, SourceError, StreamHashes};
use centipawn_progress::{
    AtomicFile, Cancel, FileError, Input, Placed, RunningHash, SmallDocument,
};
use serde::{Deserialize, Serialize, de::Error as _};
use serde_json::{Deserializer, Value};

use crate::scan::Scan;

/// The beginning of a part's text; the number rises when its form changes.
const BEGINNING: &str = r#"{"format":"centipawn-part-1""#;
const FORMAT: &str = "centipawn-part-1";
const PROGRAM: &str = concat!("centipawn ", env!("CARGO_PKG_VERSION"));

/// Blocks of a file, spread evenly from its beginning to its end, by which it is recognised, and
/// bytes of each.
const BLOCKS: u64 = 16;
const BLOCK: u64 = 4096;

/// The header names all files of games. It is read before anything else of a file that may be
/// hostile.
const HEADER: SmallDocument = SmallDocument::new("part's header", 64 << 20);

/// Maximum number of missing parts that a message names.
const NAMED: usize = 10;

/// The state of a scan of one shard, with everything that `merge_parts` checks.
///
/// A file of a part is a Zstandard frame with a check sum; its text is two JSON values, this one
/// and the state with its report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartHeader {
    format: String,
    /// The version of the program that wrote the part.
    program: String,
    /// The command that wrote it, and that merges it with the other parts: `wdl count`.
    pub command: String,
    /// The part of the games that was scanned.
    pub shard: Shard,
    /// The options with which games were selected and counted.
    options: Value,
    /// The input files; `None` for a file that cannot be read.
    inputs: Vec<Option<PartInput>>,
    selected: SelectedGames,
}

/// The counts of a scan: the second value of a part.
#[derive(Serialize, Deserialize)]
struct Counted<S> {
    /// The state, as the only value of an object, under the [name](Scan::NAME) of its scan.
    state: BTreeMap<String, S>,
    /// Games and files read, and those that could not be read.
    report: ScanReport,
}

/// A file of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PartInput {
    /// The hash is known to one part: each part hashes its share of the files.
    #[serde(flatten)]
    input: Input,
    /// A hash of some of the file's blocks. For an input that can be read only once, a hash of all
    /// its text; `None` if this part did not read it.
    sample: Option<String>,
    /// Length of the text in bytes, for an input that can be read only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<u64>,
}

/// The reason why parts cannot be written, read or merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// A file cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The part cannot be written.
    #[error("{0}")]
    File(#[from] FileError),
    /// A file is no part, or is damaged.
    #[error("{} is not a complete part of a scan: it is damaged or another kind of file; count it again", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: serde_json::Error,
    },
    /// A part contains values that no scan can produce.
    #[error("{} contains values that no scan can produce ({error}): it is damaged or was changed; count its games again", path.display())]
    Impossible {
        /// Path of the part's file.
        path: PathBuf,
        /// The invalid value.
        #[source]
        error: Impossible,
    },
    /// With this part, the sums over all parts exceed the possible number of games, plies or bytes.
    #[error(
        "with {} the parts have more games, plies or bytes than exist ({} at most): one of them is damaged or was changed; count its \
         games again", path.display(), Impossible::LARGEST
    )]
    TooMany {
        /// Path of the part's file.
        path: PathBuf,
        /// The value that is too large.
        #[source]
        error: Impossible,
    },
    /// A part of another version.
    #[error("{} is of {theirs}, and this is {PROGRAM}: merge with the version that counted, or count again", path.display())]
    Version {
        /// Path of the part's file.
        path: PathBuf,
        /// The version of the program that wrote the part.
        theirs: String,
    },
    /// A part of another scan.
    #[error("{} is a part of `centipawn {theirs}`, not of `centipawn {wanted}`", path.display())]
    Command {
        /// Path of the part's file.
        path: PathBuf,
        /// The command that wrote it.
        theirs: String,
        /// The command that reads it.
        wanted: String,
    },
    /// A file of games was given among parts.
    #[error("{} is not a part, or is cut off: parts merge with parts only", path.display())]
    Games {
        /// Path of the file.
        path: PathBuf,
    },
    /// Parts of divisions into different numbers.
    #[error("{} is part {shard} and {} part {other}: give parts of one division", path.display(), first.display())]
    Divided {
        /// Path of the part's file.
        path: PathBuf,
        /// The shard of the part.
        shard: Shard,
        /// The first part given.
        first: PathBuf,
        /// The first part's shard.
        other: Shard,
    },
    /// The same part is given twice.
    #[error("{} and {} are both part {shard}", first.display(), path.display())]
    Twice {
        /// Path of the part's file.
        path: PathBuf,
        /// The file that already has this part.
        first: PathBuf,
        /// The shard of both files.
        shard: Shard,
    },
    /// Some parts are missing.
    #[error("{missing} missing: all {count} are needed")]
    Missing {
        /// The shards: `part 2/3 is`.
        missing: String,
        /// The number of parts.
        count: u32,
    },
    /// Parts of different games.
    #[error("{} is of other games than {}: {theirs} there, {own} here", path.display(), first.display())]
    Inputs {
        /// Path of the part's file.
        path: PathBuf,
        /// The first part given.
        first: PathBuf,
        /// A file of the part that the first part does not have in this place.
        own: String,
        /// The first part's file.
        theirs: String,
    },
    /// The parts were counted with different options.
    #[error("{} was counted with other options than {} ({options})", path.display(), first.display())]
    Options {
        /// Path of the part's file.
        path: PathBuf,
        /// The first part given.
        first: PathBuf,
        /// The names of the options that differ.
        options: String,
    },
    /// The options of merging differ from the options with which the parts were counted.
    #[error(
        "these parts were counted with other options ({options}): give those that they were counted with"
    )]
    Given {
        /// The names of the options that differ.
        options: String,
    },
    /// A shard, or an output for a part, of parts.
    #[error("parts are merged whole: option `shard` and option `partial` are for games")]
    Whole,
    /// Files of rows were given instead of games.
    #[error("{} has rows, which are not divided: option `shard` and option `partial` are for games", path.display())]
    Rows {
        /// The file of rows.
        path: PathBuf,
    },
}

impl PartError {
    /// Returns whether the request is impossible, rather than the system failing or a file damaged.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::File(error) => error.is_usage(),
            _ => !matches!(
                self,
                Self::Source(_)
                    | Self::Damaged { .. }
                    | Self::Impossible { .. }
                    | Self::TooMany { .. }
            ),
        }
    }
}

/// Returns the header of a file, if it is a part of a scan.
pub fn part_header(path: &Path) -> Option<PartHeader> {
    // An input that is not a file (a pipe) can be read only once.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut source = Source::open(path).ok()?;
    let mut beginning = [0; BEGINNING.len()];
    source.read_exact(&mut beginning).ok()?;
    let text = (beginning == BEGINNING.as_bytes()).then_some(&beginning[..])?;
    PartHeader::deserialize(&mut Deserializer::from_reader(BufReader::new(
        HEADER.limit(text.chain(source)),
    )))
    .ok()
}

/// The origin of a part.
pub(crate) struct PartOf<'a, T> {
    pub(crate) command: &'a str,
    pub(crate) shard: Shard,
    pub(crate) options: &'a T,
    pub(crate) selected: &'a SelectedGames,
}

/// The inputs of a part: names, sizes and samples of all files, hashes of every Nth, and hashes of
/// streams.
pub(crate) struct PartInputs(Vec<Option<PartInput>>);

impl PartInputs {
    pub(crate) fn of(paths: &[PathBuf], shard: Shard) -> Self {
        let input = |(index, path): (u64, &PathBuf)| {
            let input = if shard.takes(index) {
                Input::of(path)
            } else {
                Input::without_hash(path)
            };
            input
                .and_then(|input| {
                    Ok(PartInput {
                        sample: sample(path, input.bytes)?,
                        input,
                        text: None,
                    })
                })
                .ok()
        };
        Self((0..).zip(paths).map(input).collect())
    }

    /// Adds the hashes and lengths of inputs that can be read only once, as the scan read them.
    pub(crate) fn with_streams(mut self, streams: &StreamHashes) -> Self {
        for (index, input) in self.0.iter_mut().enumerate() {
            if let (Some(input), Some(hash)) = (input, streams.of(index)) {
                (input.sample, input.text) = (Some(hash.sha256()), Some(hash.bytes()));
            }
        }
        self
    }
}

/// Returns a hash of some of a file's blocks; `None` if it is not a file.
fn sample(path: &Path, bytes: Option<u64>) -> io::Result<Option<String>> {
    let Some(bytes) = bytes else { return Ok(None) };
    let (mut file, mut hash, mut block) =
        (fs::File::open(path)?, RunningHash::default(), Vec::new());
    let last = bytes.saturating_sub(BLOCK);
    for index in 0..BLOCKS {
        let at = u128::from(last) * u128::from(index) / u128::from(BLOCKS - 1);
        file.seek(SeekFrom::Start(at as u64))?;
        block.clear();
        (&file).take(BLOCK).read_to_end(&mut block)?;
        hash.add(&block);
    }
    Ok(Some(hash.sha256()))
}

/// Writes a part.
pub(crate) fn write_part<T: Scan>(
    mut file: AtomicFile,
    path: &Path,
    part: &PartOf<'_, T>,
    inputs: PartInputs,
    (state, report): (&T::State, &ScanReport),
    cancel: &Cancel,
) -> Result<Placed, PartError> {
    let header = PartHeader {
        format: FORMAT.to_owned(),
        program: PROGRAM.to_owned(),
        command: part.command.to_owned(),
        shard: part.shard,
        options: serde_json::to_value(part.options).unwrap_or_default(),
        inputs: inputs.0,
        selected: part.selected.clone(),
    };
    let counted = Counted {
        state: BTreeMap::from([(T::NAME.to_owned(), state)]),
        report: report.clone(),
    };
    let mut write = || -> io::Result<()> {
        let mut out = zstd::Encoder::new(&mut file, 3)?;
        out.include_checksum(true)?;
        serde_json::to_writer(&mut out, &header)?;
        out.write_all(b"\n")?;
        serde_json::to_writer(&mut out, &counted)?;
        out.write_all(b"\n")?;
        out.finish().map(drop)
    };
    write().map_err(|error| FileError::Write {
        path: path.to_owned(),
        error,
        advice: "",
    })?;
    Ok(file.finish(cancel)?)
}

/// All parts of a scan, merged.
pub(crate) struct MergedParts<T: Scan> {
    /// The options with which the parts were counted.
    pub(crate) options: T,
    /// The options as JSON.
    options_value: Value,
    pub(crate) state: T::State,
    pub(crate) report: ScanReport,
    inputs: Vec<Option<Input>>,
    pub(crate) selected: SelectedGames,
}

/// Reads all parts of a scan, in any order, and merges their states to that of an undivided scan.
/// Once `cancel` is set, reading a part fails.
pub(crate) fn merge_parts<T: Scan>(
    command: &str,
    paths: &[PathBuf],
    cancel: &Cancel,
) -> Result<MergedParts<T>, PartError> {
    let mut headers: Vec<(&PathBuf, PartHeader)> = Vec::new();
    for path in paths {
        let Some(header) = part_header(path) else {
            // A missing file is reported as missing rather than as a file of games.
            Source::open_until(path, cancel)?;
            return Err(PartError::Games { path: path.clone() });
        };
        if header.program != PROGRAM {
            return Err(PartError::Version {
                path: path.clone(),
                theirs: header.program,
            });
        }
        if let Some((first, known)) = headers.first() {
            agree(path, &header, first, known)?;
        }
        headers.push((path, header));
    }
    headers.sort_by_key(|(_, header)| header.shard.index());
    for pair in headers.windows(2) {
        let [(first, one), (path, other)] = pair else {
            continue;
        };
        if one.shard == other.shard {
            return Err(PartError::Twice {
                path: path.to_path_buf(),
                first: first.to_path_buf(),
                shard: one.shard,
            });
        }
    }
    let count = headers
        .first()
        .map_or(1, |(_, header)| header.shard.count());
    let all_missing = u64::from(count).saturating_sub(headers.len() as u64);
    if all_missing > 0 {
        let is_given = |shard: &Shard| {
            headers
                .binary_search_by_key(&shard.index(), |(_, header)| header.shard.index())
                .is_ok()
        };
        let missing = (1..=count)
            .filter_map(|index| Shard::new(index, count).ok())
            .filter(|shard| !is_given(shard));
        let mut missing: Vec<String> = missing.take(NAMED).map(|shard| shard.to_string()).collect();
        if let Some(more) = all_missing
            .checked_sub(NAMED as u64)
            .filter(|more| *more > 0)
        {
            missing.push(format!("and {more} more"));
        }
        let (noun, verb) = if all_missing == 1 {
            ("part", "is")
        } else {
            ("parts", "are")
        };
        return Err(PartError::Missing {
            missing: format!("{noun} {} {verb}", missing.join(", ")),
            count,
        });
    }
    let mut merged: Option<MergedParts<T>> = None;
    for (path, header) in headers {
        let PartHeader {
            command: theirs,
            options: options_value,
            inputs,
            selected,
            ..
        } = header;
        let options = serde_json::from_value(options_value.clone()).ok();
        // Options of different scans may have the same form, so compare the commands too.
        let options: Option<T> = options.filter(|_| T::COMMANDS.contains(&&*theirs));
        let Some(options) = options else {
            return Err(PartError::Command {
                path: path.clone(),
                theirs,
                wanted: command.to_owned(),
            });
        };
        let (state, report) = read_state::<T>(path, cancel)?;
        let Some(merged) = &mut merged else {
            let inputs = inputs
                .into_iter()
                .map(|own| own.map(|own| own.input))
                .collect();
            merged = Some(MergedParts {
                options,
                options_value,
                state,
                report,
                inputs,
                selected,
            });
            continue;
        };
        for (known, own) in merged.inputs.iter_mut().zip(inputs) {
            if let (Some(known), Some(own)) = (known, own) {
                known.sha256 = known.sha256.take().or(own.input.sha256);
            }
        }
        // If there are more parts than files, files are cut, and each part opens each of them.
        let is_cut = (merged.inputs.len() as u64) < u64::from(count);
        let (read, failed) = (&merged.report, &report);
        let files = (
            read.sources.min(failed.sources),
            read.failed_sources.max(failed.failed_sources),
        );
        merged.state.merge(state);
        merged.report.merge(report);
        // The numbers of the report bound all other numbers of a part, so only the report can
        // overflow.
        let is_possible = merged.report.check();
        is_possible.map_err(|error| PartError::TooMany {
            path: path.clone(),
            error,
        })?;
        if is_cut {
            (merged.report.sources, merged.report.failed_sources) = files;
        }
    }
    merged.ok_or(PartError::Whole)
}

/// Reads the state that follows a part's header. The frame's checksum follows it.
fn read_state<T: Scan>(path: &Path, cancel: &Cancel) -> Result<(T::State, ScanReport), PartError> {
    let damaged = |error| PartError::Damaged {
        path: path.to_owned(),
        error,
    };
    let mut values = Deserializer::from_reader(BufReader::with_capacity(
        1 << 17,
        Source::open_until(path, cancel)?,
    ));
    PartHeader::deserialize(&mut values).map_err(damaged)?;
    let Counted { mut state, report } = Counted::deserialize(&mut values).map_err(damaged)?;
    values.end().map_err(damaged)?;
    let state = state
        .remove(T::NAME)
        .ok_or_else(|| damaged(serde_json::Error::missing_field(T::NAME)))?;
    let checked = report.check().and_then(|()| T::check(&state, &report));
    checked.map_err(|error| PartError::Impossible {
        path: path.to_owned(),
        error,
    })?;
    Ok((state, report))
}

/// Checks that a part is of the same scan of the same games as the first one.
fn agree(path: &Path, own: &PartHeader, first: &Path, known: &PartHeader) -> Result<(), PartError> {
    let (path, first) = (path.to_owned(), first.to_owned());
    if own.command != known.command {
        return Err(PartError::Command {
            path,
            theirs: own.command.clone(),
            wanted: known.command.clone(),
        });
    }
    if own.shard.count() != known.shard.count() {
        return Err(PartError::Divided {
            path,
            shard: own.shard,
            first,
            other: known.shard,
        });
    }
    let mut options = Vec::new();
    differing(&own.options, &[&known.options], "", &mut options);
    if !options.is_empty() {
        return Err(PartError::Options {
            path,
            first,
            options: options.join(", "),
        });
    }
    let longer = own.inputs.len().max(known.inputs.len());
    for index in 0..longer {
        let (own, known) = (own.inputs.get(index), known.inputs.get(index));
        let is_read_once = matches!(own, Some(Some(PartInput { text: Some(_), .. })));
        let differs = match (own, known) {
            (Some(Some(own)), Some(Some(known))) => own.mark() != known.mark(),
            (own, known) => own != known,
        };
        let read = |input: Option<&Option<PartInput>>| input?.as_ref()?.sample.clone();
        // The text of an input that can be read only once is known only to the parts that read it.
        let has_other_content = read(own)
            .zip(read(known))
            .is_some_and(|(own, known)| own != known);
        if differs || has_other_content {
            let name = |input: Option<&Option<PartInput>>| match input {
                Some(Some(PartInput {
                    input:
                        Input {
                            name,
                            bytes: Some(bytes),
                            ..
                        },
                    ..
                })) => {
                    format!("{name} ({bytes} bytes)")
                }
                Some(Some(PartInput {
                    input,
                    text: Some(bytes),
                    ..
                })) => {
                    format!("{} ({bytes} bytes of text)", input.name)
                }
                Some(Some(input)) => input.input.name.clone(),
                Some(None) => "a file that cannot be read".to_owned(),
                None => "no further file".to_owned(),
            };
            let (own, theirs) = (name(own), name(known));
            let other = if is_read_once {
                "another text of that size"
            } else {
                "another file of that name and size"
            };
            let own = if own == theirs { other.to_owned() } else { own };
            return Err(PartError::Inputs {
                path,
                first,
                own,
                theirs,
            });
        }
    }
    if own.selected != known.selected {
        return Err(PartError::Options {
            path,
            first,
            options: "selected files".to_owned(),
        });
    }
    Ok(())
}

impl PartInput {
    /// Returns the data that are the same in all parts, whether they read them or not.
    fn mark(&self) -> (&str, Option<u64>) {
        (&self.input.name, self.input.bytes)
    }
}

impl<T: Scan> MergedParts<T> {
    /// Returns the files of games with their hashes.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        self.inputs.iter().flatten().cloned().collect()
    }

    /// Checks that options requested for merging are the default or those of the parts; options
    /// named in `strict` must be those of the parts.
    pub(crate) fn agree_with(&self, asked: &T, strict: &[&str]) -> Result<(), PartError> {
        let value = |options: &T| serde_json::to_value(options).unwrap_or_default();
        let (asked, mut usual) = (value(asked), value(&T::default()));
        for name in strict {
            if let (Some(usual), Some(own)) =
                (usual.pointer_mut(name), self.options_value.pointer(name))
            {
                *usual = own.clone();
            }
        }
        let mut options = Vec::new();
        differing(&asked, &[&usual, &self.options_value], "", &mut options);
        match options.is_empty() {
            true => Ok(()),
            false => Err(PartError::Given {
                options: options.join(", "),
            }),
        }
    }
}

/// Collects the names of values that equal none of the `others`.
fn differing(own: &Value, others: &[&Value], name: &str, names: &mut Vec<String>) {
    if others.contains(&own) {
        return;
    }
    if own.is_object() && others.iter().all(|other| other.is_object()) {
        let keys = |value: &Value| {
            value
                .as_object()
                .map(|map| map.keys().cloned().collect::<Vec<_>>())
        };
        let mut all: Vec<String> = std::iter::once(&own)
            .chain(others)
            .filter_map(|value| keys(value))
            .flatten()
            .collect();
        all.sort();
        all.dedup();
        for key in all {
            let others: Vec<&Value> = others.iter().map(|other| &other[&key]).collect();
            differing(&own[&key], &others, &key, names);
        }
        return;
    }
    names.push(name.to_owned());
}
