//! The bytes of tasks and answers: a header in JSON and any number of blocks of bytes, compressed,
//! with a checksum.

use std::io::{self, Read as _, Write as _};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::RemoteError;

/// The first bytes of a task and of an answer. They do not change, so that versions can name
/// themselves to each other.
const MAGIC: &[u8; 4] = b"CPTA";

/// The name of the format of tasks and answers. Its number rises when the format changes.
const FORMAT: &str = "centipawn-task-1";

/// The version of the program, on which results may depend.
const PROGRAM: &str = concat!("centipawn ", env!("CARGO_PKG_VERSION"));

/// Fast, because most blocks are compressed already or small.
const LEVEL: i32 = 1;

/// A task or an answer that would decompress to more than this many bytes, and to more than
/// [`RATIO`] times its compressed size, counts as damaged: otherwise a few bytes could fill the
/// memory.
const SMALL: u64 = 64 << 20;
/// See [`SMALL`]. Text of games and counts is compressed to a twentieth of its size, and blocks of
/// tables not at all.
const RATIO: u64 = 256;
/// Largest window of the compression, as a power of two. The [level](LEVEL) uses smaller ones.
const WINDOW: u32 = 24;

/// The format and program of a task or an answer.
#[derive(Serialize, Deserialize)]
struct Stamp {
    format: String,
    program: String,
}

/// The header of a task.
#[derive(Serialize, Deserialize)]
struct Task<T> {
    #[serde(flatten)]
    stamp: Stamp,
    task: T,
}

/// The header of an answer.
#[derive(Serialize, Deserialize)]
struct Answer<T> {
    #[serde(flatten)]
    stamp: Stamp,
    /// The worker's name.
    worker: String,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    answer: Option<T>,
    /// The reason why the worker does not do the task, nor any other like it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<String>,
}

fn none<T>() -> Option<T> {
    None
}

impl Stamp {
    fn own() -> Self {
        Self {
            format: FORMAT.to_owned(),
            program: PROGRAM.to_owned(),
        }
    }

    fn is_own(&self) -> bool {
        self.format == FORMAT && self.program == PROGRAM
    }
}

/// Returns a task of this version, with its blocks of bytes.
pub fn pack_task<T: Serialize>(task: &T, blocks: &[Vec<u8>]) -> Vec<u8> {
    pack(
        &Task {
            stamp: Stamp::own(),
            task,
        },
        blocks,
    )
}

/// Returns the task and its blocks.
///
/// # Errors
///
/// Why this program does not do it, for [`pack_refusal`].
pub fn open_task<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Vec<Vec<u8>>), String> {
    let (header, blocks) = unpack(bytes).ok_or("the task is damaged, or something else")?;
    let stamp: Stamp =
        serde_json::from_slice(&header).map_err(|error| format!("the task is damaged: {error}"))?;
    if !stamp.is_own() {
        return Err(format!(
            "it has {PROGRAM}, and the task is of {}; install the same version everywhere",
            stamp.program
        ));
    }
    let task: Task<T> = serde_json::from_slice(&header)
        .map_err(|error| format!("the task cannot be read by this version: {error}"))?;
    Ok((task.task, blocks))
}

/// Returns the answer of a worker, with its blocks of bytes.
pub fn pack_answer<T: Serialize>(worker: &str, answer: &T, blocks: &[Vec<u8>]) -> Vec<u8> {
    let (stamp, worker) = (Stamp::own(), worker.to_owned());
    pack(
        &Answer {
            stamp,
            worker,
            answer: Some(answer),
            refusal: None,
        },
        blocks,
    )
}

/// Returns the answer of a worker that does not do a task.
pub fn pack_refusal(worker: &str, reason: &str) -> Vec<u8> {
    let (stamp, worker, refusal) = (Stamp::own(), worker.to_owned(), Some(reason.to_owned()));
    pack(
        &Answer::<()> {
            stamp,
            worker,
            answer: None,
            refusal,
        },
        &[],
    )
}

/// Returns the answer and its blocks.
///
/// # Errors
///
/// [`RemoteError::Refused`] and [`RemoteError::Damaged`].
pub fn open_answer<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Vec<Vec<u8>>), RemoteError> {
    let damaged = |reason: String| RemoteError::Damaged { reason };
    let (header, blocks) =
        unpack(bytes).ok_or_else(|| damaged("it is damaged, or something else".to_owned()))?;
    let Answer {
        stamp,
        worker,
        answer,
        refusal,
    }: Answer<serde_json::Value> =
        serde_json::from_slice(&header).map_err(|error| damaged(error.to_string()))?;
    if let Some(reason) = refusal {
        return Err(RemoteError::Refused { worker, reason });
    }
    if !stamp.is_own() {
        let reason = format!(
            "it has {}, and this is {PROGRAM}; install the same version everywhere",
            stamp.program
        );
        return Err(RemoteError::Refused { worker, reason });
    }
    let answer = serde_json::from_value(answer.unwrap_or_default())
        .map_err(|error| damaged(error.to_string()))?;
    Ok((answer, blocks))
}

fn pack(header: &impl Serialize, blocks: &[Vec<u8>]) -> Vec<u8> {
    let write = || -> io::Result<Vec<u8>> {
        let mut out = zstd::Encoder::new(MAGIC.to_vec(), LEVEL)?;
        out.include_checksum(true)?;
        let header = serde_json::to_vec(header)?;
        for block in std::iter::once(&header).chain(blocks) {
            out.write_all(&(block.len() as u64).to_be_bytes())?;
            out.write_all(block)?;
        }
        out.finish()
    };
    // Writing to memory cannot fail.
    write().unwrap_or_default()
}

/// Returns the header and the blocks; `None` if the bytes are damaged.
fn unpack(bytes: &[u8]) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
    let bytes = bytes.strip_prefix(MAGIC)?;
    let mut decoder = zstd::Decoder::new(bytes).ok()?;
    decoder.window_log_max(WINDOW).ok()?;
    let most = SMALL.max((bytes.len() as u64).saturating_mul(RATIO));
    let mut all = Vec::new();
    let length = decoder.take(most + 1).read_to_end(&mut all).ok()? as u64;
    if length > most {
        return None;
    }
    let (mut rest, mut blocks) = (&*all, Vec::new());
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk()?;
        let (block, after) =
            after.split_at_checked(usize::try_from(u64::from_be_bytes(*length)).ok()?)?;
        blocks.push(block.to_vec());
        rest = after;
    }
    let mut blocks = blocks.into_iter();
    Some((blocks.next()?, blocks.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_and_answers_are_read_back() {
        let blocks = vec![b"1. e4 *".to_vec(), Vec::new(), vec![0, 255]];
        let task = pack_task(&("mine", 3), &blocks);
        assert_eq!(
            open_task::<(String, u8)>(&task),
            Ok((("mine".to_owned(), 3), blocks.clone()))
        );
        let answer = pack_answer("w1", &[1, 2], &blocks);
        assert_eq!(open_answer::<Vec<u8>>(&answer), Ok((vec![1, 2], blocks)));
        let refusal = open_answer::<Vec<u8>>(&pack_refusal("w1", "no engine"))
            .unwrap_err()
            .to_string();
        assert_eq!(refusal, "the worker w1 refuses the work: no engine");
    }

    #[test]
    fn damage_is_noticed() {
        let task = pack_task(&"x", &[vec![7; 1000]]);
        for end in 0..task.len() {
            assert!(open_task::<String>(&task[..end]).is_err(), "cut at {end}");
        }
        for place in 0..task.len() {
            let mut damaged = task.clone();
            damaged[place] ^= 16;
            let read = open_task::<String>(&damaged);
            assert!(
                read.is_err() || read == open_task(&task),
                "changed at {place}"
            );
        }
        assert!(matches!(
            open_answer::<u8>(b"garbage"),
            Err(RemoteError::Damaged { .. })
        ));
    }

    #[test]
    fn a_task_that_would_fill_the_memory_is_damaged() {
        let bomb = pack_task(&"x", &[vec![0; SMALL as usize]]);
        assert!(bomb.len() < 100_000 && open_task::<String>(&bomb).is_err());
        assert!(open_task::<String>(&pack_task(&"x", &[vec![0; SMALL as usize / 2]])).is_ok());
    }

    #[test]
    fn another_version_is_refused_by_name() {
        let stamp = || Stamp {
            format: FORMAT.to_owned(),
            program: "centipawn 9.9.9".to_owned(),
        };
        let error = open_task::<u8>(&pack(
            &Task {
                stamp: stamp(),
                task: "of the future",
            },
            &[],
        ))
        .unwrap_err();
        assert!(
            error.contains("the task is of centipawn 9.9.9") && error.contains(PROGRAM),
            "{error}"
        );
        let answer = Answer {
            stamp: stamp(),
            worker: "w2".to_owned(),
            answer: Some(1),
            refusal: None,
        };
        let error = open_answer::<u8>(&pack(&answer, &[]))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("w2") && error.contains("centipawn 9.9.9"),
            "{error}"
        );
    }
}
