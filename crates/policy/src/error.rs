//! The errors of this crate.

use std::{io, path::PathBuf};

use crate::UnknownNetwork;

/// Why a network cannot be read.
///
/// ```
/// let error = centipawn_policy::Network::from_bytes(b"1. e4 e5").unwrap_err();
/// assert_eq!(error.to_string(), "not an Lc0 weight file: it does not begin with 0x1c0");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// No network has this name.
    #[error(transparent)]
    UnknownName(#[from] UnknownNetwork),
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file was read, but its contents are invalid.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// The problem of the contents.
        source: Box<NetworkError>,
    },
    /// The compressed file is damaged or truncated.
    #[error("the compressed file is damaged or cut off ({0}); download it again")]
    Compressed(io::Error),
    /// The file unpacks to more bytes than any network has.
    #[error("the file unpacks to more than {largest} MiB, which no network does")]
    TooLarge {
        /// The maximum unpacked size, in MiB.
        largest: u64,
    },
    /// The file does not begin with the magic number of weight files.
    #[error("not an Lc0 weight file: it does not begin with 0x1c0")]
    Magic,
    /// The file begins like a weight file but cannot be decoded.
    #[error("the weight file is damaged or cut off ({0}); download it again")]
    Damaged(prost::DecodeError),
    /// The file holds a network in another format.
    #[error(
        "the file wraps an ONNX model (network format 5), not Lc0 weights; take the network's \
         original .pb.gz"
    )]
    Onnx,
    /// The file has no weights.
    #[error("the file describes a network but has no weights; download it again")]
    NoWeights,
    /// The file uses a format that this crate does not know.
    #[error("{what} {number} is unknown; supported are {known}")]
    Unknown {
        /// The kind of format, such as `input format`.
        what: &'static str,
        /// The number in the file.
        number: i32,
        /// The supported numbers.
        known: &'static str,
    },
    /// The file declares a combination of formats that does not exist or is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// A part that the architecture needs is missing.
    #[error("the network has no {0}; the file is damaged or does not match its declared format")]
    Missing(String),
    /// The size of a part contradicts the sizes of the other parts.
    #[error(
        "{part} has {found} numbers where {wanted} belong; the file is damaged or does not match \
         its declared format"
    )]
    Shape {
        /// The part's name in Lc0's format.
        part: String,
        /// How many numbers the part has.
        found: usize,
        /// The number of values that the other parts require.
        wanted: String,
    },
    /// A part holds an infinite value or NaN.
    #[error("{0} holds a value that is not a finite number; the file is damaged")]
    NotFinite(String),
}

/// Why a network cannot evaluate a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    /// The position is mate or stalemate.
    #[error("there is no legal move in {fen}")]
    NoMoves {
        /// The position as FEN.
        fen: String,
    },
    /// The network's output is infinite or NaN. The weights of a trained network never lead to
    /// that, so the file is damaged.
    #[error("the network's output for {fen} is not a finite number; its file is damaged")]
    NotFinite {
        /// The position as FEN.
        fen: String,
    },
    /// The network imitates players of one level only, and another level was requested.
    #[error(
        "{name} imitates players of one level only; leave the level out, or use the policy in \
         the program"
    )]
    NotConditioned {
        /// The network's name.
        name: String,
    },
}
