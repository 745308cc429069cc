//! The data of a submission that the database stores.

use std::{fmt, str::FromStr};

use centipawn_engine::Identity;
use centipawn_progress::Network;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The number of a run, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for RunId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse()
            .map(Self)
            .map_err(|_| "a run is a number, as `centipawn fleet status` lists them".to_owned())
    }
}

/// The requirements that a worker must meet to serve a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// The engine with all options that change its answers, including tables.
    pub engine: Identity,
    /// The policy networks, with names and hashes.
    pub networks: Vec<Network>,
}

/// Returns SHA-256 of several parts. The length of each part is hashed too, so that moving a byte
/// from one part to the next changes the hash.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A game of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskGame {
    /// Key under which the answers are stored.
    pub(crate) key: Vec<u8>,
    pub(crate) pgn: String,
}

/// Maximum size in bytes of an input or a document, uncompressed.
pub(crate) const LONGEST: u64 = 16 << 20;

/// Maximum compressed size, because data that cannot be compressed grows a little.
pub(crate) const LONGEST_COMPRESSED: u64 = LONGEST + (LONGEST >> 8) + 1024;

/// Maximum window of the decompressor, as a power of two: that of [`LONGEST`] bytes. A malicious
/// frame could request a larger one, and with it memory, whatever its size.
const WINDOW: u32 = LONGEST.ilog2();

/// Compresses the answers about a game.
///
/// # Errors
///
/// The message if they are longer than a submitter would read.
pub(crate) fn pack_answers(document: &[u8]) -> Result<Vec<u8>, String> {
    match document.len() {
        length if length as u64 > LONGEST => Err(format!(
            "the answers have {length} bytes, and a submitter reads at most {LONGEST}: ask for \
             fewer lines"
        )),
        _ => Ok(compress(document)),
    }
}

/// Encodes games as the input of a task: for each its key, the length of its text and the text, all
/// compressed.
pub(crate) fn pack_games(games: &[TaskGame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for game in games {
        bytes.extend(&game.key);
        bytes.extend((game.pgn.len() as u32).to_be_bytes());
        bytes.extend(game.pgn.as_bytes());
    }
    compress(&bytes)
}

/// Decodes the output of [`pack_games`]. Returns `None` if it is damaged.
pub(crate) fn unpack_games(bytes: &[u8]) -> Option<Vec<TaskGame>> {
    let bytes = decompress(bytes)?;
    let (mut rest, mut games) = (&*bytes, Vec::new());
    while !rest.is_empty() {
        let (key, after) = rest.split_at_checked(32)?;
        let (length, after) = after.split_at_checked(4)?;
        let (pgn, after) =
            after.split_at_checked(u32::from_be_bytes(length.try_into().ok()?) as usize)?;
        games.push(TaskGame {
            key: key.to_vec(),
            pgn: String::from_utf8(pgn.to_vec()).ok()?,
        });
        rest = after;
    }
    Some(games)
}

/// Compresses bytes.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    // Compressing into memory cannot fail.
    zstd::bulk::compress(bytes, 3).unwrap_or_default()
}

/// Decompresses at most [`LONGEST`] bytes. Memory is limited to the result and a window of at most
/// the same size.
pub(crate) fn decompress(bytes: &[u8]) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let length = zstd::zstd_safe::get_frame_content_size(bytes).ok()?;
    if length.is_some_and(|length| length > LONGEST) {
        return None;
    }
    let mut decoder = zstd::stream::read::Decoder::new(bytes).ok()?;
    decoder.window_log_max(WINDOW).ok()?;
    // `read_to_end` doubles a full buffer to look for the end of the data, so leave some room.
    let mut out = Vec::with_capacity(length.unwrap_or_default() as usize + 32);
    decoder.take(LONGEST + 1).read_to_end(&mut out).ok()?;
    (out.len() as u64 <= LONGEST).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_decoded_as_they_were_encoded() {
        let game = |pgn: &str| TaskGame {
            key: hash([pgn.as_bytes()]).to_vec(),
            pgn: pgn.to_owned(),
        };
        let games = vec![game("1. e4 *"), game(""), game("{ä} *")];
        let bytes = pack_games(&games);
        assert_eq!(unpack_games(&bytes).unwrap(), games);
        assert_eq!(unpack_games(&pack_games(&[])).unwrap(), []);
        assert_eq!(unpack_games(&bytes[..bytes.len() - 3]), None);
        assert_eq!(unpack_games(b"garbage"), None);
        assert_eq!(unpack_games(&compress(&[7; 40])), None);
    }

    /// A worker must not do hours of work whose result the submitter would then refuse.
    #[test]
    fn answers_at_the_size_limit_can_be_read_and_longer_ones_are_refused() {
        let mut longest = vec![7; LONGEST as usize];
        assert_eq!(
            decompress(&pack_answers(&longest).unwrap()).unwrap().len() as u64,
            LONGEST
        );
        longest.push(7);
        let error = pack_answers(&longest).unwrap_err();
        assert!(
            error.contains("16777217 bytes") && error.contains("ask for fewer lines"),
            "{error}"
        );
    }

    #[test]
    fn a_decompression_bomb_is_refused() {
        assert_eq!(decompress(&compress(&vec![0; LONGEST as usize + 1])), None);
    }

    /// Decodes a frame without a content size, and a frame whose window is larger than any
    /// document.
    #[test]
    fn frames_without_content_size_are_limited_too() {
        use std::io::Write as _;
        let frame = |length: usize, window: u32| {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(window).unwrap();
            encoder.write_all(&vec![7; length]).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!(decompress(&frame(1_000_000, 20)), Some(vec![7; 1_000_000]));
        assert_eq!(
            decompress(&frame(LONGEST as usize, 24)).unwrap().len() as u64,
            LONGEST
        );
        assert_eq!(decompress(&frame(LONGEST as usize + 1, 20)), None);
        assert_eq!(decompress(&frame(1000, 27)), None);
    }

    #[test]
    fn the_same_bytes_in_other_parts_have_another_hash() {
        assert_ne!(
            hash([b"ab".as_slice(), b"c"]),
            hash([b"a".as_slice(), b"bc"])
        );
    }
}
