//! What can be wrong with a network.

use std::{io, path::PathBuf};

/// Why a file is no network that can be used.
///
/// ```
/// let error = centipawn_policy::Network::from_bytes(b"1. e4 e5").unwrap_err();
/// assert_eq!(error.to_string(), "not an Lc0 weight file: it does not begin with 0x1c0");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Something is wrong with what the file holds.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<NetworkError>,
    },
    /// Cut off or damaged while compressed.
    #[error("the compressed file is damaged or cut off ({0}); get it anew")]
    Compressed(io::Error),
    /// Something else than a weight file.
    #[error("not an Lc0 weight file: it does not begin with 0x1c0")]
    Magic,
    /// Begins as a weight file, but does not go on as one.
    #[error("the weight file is damaged or cut off ({0}); get it anew")]
    Damaged(prost::DecodeError),
    /// Holds a network in another format.
    #[error("the file wraps an ONNX model (network format 5), not Lc0 weights; take the network's original .pb.gz")]
    Onnx,
    /// Has no weights at all.
    #[error("the file describes a network but has no weights; get it anew")]
    NoWeights,
    /// Says of itself what nobody here understands.
    #[error("{what} {number} is not known here; known are {known}")]
    Unknown {
        /// What is given by a number.
        what: &'static str,
        /// The number.
        number: i32,
        /// What would be understood.
        known: &'static str,
    },
    /// A combination that does not exist, or that is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// Something the architecture needs is not there.
    #[error("the network has no {0}; the file is damaged or of another kind than it says")]
    Missing(String),
    /// Numbers of a part do not fit together with the other parts.
    #[error("{part} has {found} numbers where {wanted} belong; the file is damaged or of another kind than it says")]
    Shape {
        /// The part, by its name in the format.
        part: String,
        /// How many it has.
        found: usize,
        /// How many the other parts ask for.
        wanted: String,
    },
    /// A part holds infinity or something that is no number.
    #[error("{0} holds a value that is no finite number; the file is damaged")]
    NotFinite(String),
}

/// Why a position gets no answer.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum EvaluateError {
    /// Mate or stalemate.
    #[error("there is no legal move in {fen}")]
    NoMoves {
        /// The position.
        fen: String,
    },
    /// The network's output overflowed: its weights are not those of a network that was trained.
    #[error("the network answers {fen} with something that is no number; its file is damaged")]
    NotFinite {
        /// The position.
        fen: String,
    },
}
