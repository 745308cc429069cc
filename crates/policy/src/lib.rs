//! Predicts which moves humans play.
//!
//! A [`Network`] reads a weight file of Lc0, such as those of the [Maia
//! project](https://maiachess.com), and computes a probability for each legal move of a position:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use centipawn_core::History;
//! use centipawn_policy::Network;
//!
//! // Any .pb or .pb.gz file works. This one is small and random, for tests.
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/res_se_conv_wdl.pb.gz");
//! let network = Network::open(path)?;
//! assert_eq!(network.name(), "res_se_conv_wdl");
//!
//! let mut game = History::default();
//! game.push(game.parse_uci("e2e4")?);
//! let answer = network.evaluate(&game)?;
//! let likeliest = answer.moves[0];
//! println!("{} {:.3}", game.uci(likeliest.mv), likeliest.probability);
//! # assert!(answer.moves.is_sorted_by(|a, b| a.probability >= b.probability));
//! # Ok(())
//! # }
//! ```
//!
//! Networks run on the CPU, on the calling thread. They need no other program and no conversion of
//! the file. A [`Kernel`] is the instruction set that is used (AVX-512, AVX2, or a portable one).
//! Results of different kernels differ by rounding only.

mod activation;
mod attention;
#[cfg(feature = "bundled")]
mod bundled;
mod catalog;
mod conditioning;
mod dense;
mod document;
mod error;
mod experience;
#[cfg(feature = "fetch")]
mod fetch;
mod format;
mod graph;
mod heads;
mod index;
mod load;
mod matrix;
mod mixed;
mod network;
mod planes;
mod proto;
mod residual;
mod simd;
mod winograd;

/// Lichess ratings of the players whose moves are predicted if the user gives no level: weak,
/// average and strong club players, within the levels that the bundled network imitates.
pub const LEVELS: [u32; 3] = [1100, 1500, 1900];

pub use catalog::{Published, UnknownNetwork, find_network, is_network_name, policy_folder};
use catalog::{network_name, networks_in};
pub use document::{EvaluationDocument, ListedNetwork, MoveDocument, NetworkDocument, NetworkList};
pub use error::{EvaluateError, NetworkError};
pub use experience::{UNKNOWN_NOTE, is_known};
#[cfg(feature = "fetch")]
pub use fetch::{FetchError, Fetched, fetch};
pub use format::Input;
pub use network::{Description, Evaluation, MoveProbability, Network};
pub use planes::Planes;
pub use simd::Kernel;
