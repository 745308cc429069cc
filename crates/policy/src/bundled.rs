//! The bundled policy: four networks of Maia's form, packed again by `research/pack_policy.py`. The
//! file `NOTICE` names their sources and licence.

#[cfg(target_family = "wasm")]
use std::sync::OnceLock;

use crate::{Kernel, Network, NetworkError};

/// Lichess ratings of the players from whose games the networks were trained, in ascending order.
#[cfg(target_family = "wasm")]
const RATINGS: [u32; 4] = [1100, 1500, 1900, 2200];

/// The files that the page fetched: a browser loads the program sooner without them.
#[cfg(target_family = "wasm")]
static FETCHED: OnceLock<[Vec<u8>; 4]> = OnceLock::new();

/// Each network's file, with the Lichess rating of the players from whose games it was trained, in
/// ascending order.
#[cfg(not(target_family = "wasm"))]
const FILES: [(u32, &[u8]); 4] = [
    (1100, include_bytes!("../networks/maia-1100-packed.pb.gz")),
    (1500, include_bytes!("../networks/maia-1500-packed.pb.gz")),
    (1900, include_bytes!("../networks/maia-1900-packed.pb.gz")),
    (2200, include_bytes!("../networks/maia-2200-packed.pb.gz")),
];

impl Network {
    /// Returns the bundled policy, [`BUNDLED`](Self::BUNDLED). It imitates players of every Lichess
    /// rating from 600 to 2200; see [`levels`](Self::levels).
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use centipawn_core::History;
    /// use centipawn_policy::Network;
    ///
    /// // In this position Black must stop the scholar's mate. Nf6 overlooks it.
    /// let game = History::from_fen("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3", None)?;
    /// let network = Network::bundled()?;
    /// let blunders = |level| {
    ///     let answer = network.evaluate_at(&game, level)?;
    ///     let mv = answer.moves.iter().find(|mv| game.uci(mv.mv).to_string() == "g8f6");
    ///     Ok::<f64, centipawn_policy::EvaluateError>(mv.map_or(0.0, |mv| mv.probability))
    /// };
    /// assert!(blunders(1100)? > blunders(1350)? && blunders(1350)? > blunders(1900)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Does not fail in practice, because the files are part of the program and a test reads them.
    pub fn bundled() -> Result<Self, NetworkError> {
        Self::bundled_with(Kernel::best())
    }

    /// Like [`bundled`](Self::bundled), with a given kernel.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn bundled_with(kernel: Kernel) -> Result<Self, NetworkError> {
        Self::mixed(Self::BUNDLED, &FILES, kernel)
    }

    /// Like [`bundled`](Self::bundled), with a given kernel. Before the files are
    /// [provided](Self::provide_bundled), there are no weights.
    #[cfg(target_family = "wasm")]
    pub(crate) fn bundled_with(kernel: Kernel) -> Result<Self, NetworkError> {
        let fetched = FETCHED.get().into_iter().flatten().map(Vec::as_slice);
        let files: Vec<_> = RATINGS.into_iter().zip(fetched).collect();
        Self::mixed(Self::BUNDLED, &files, kernel)
    }

    /// Provides the files of the bundled policy, in ascending order of their ratings. In browsers
    /// they are not part of the program. Provide them before anything is judged, because a
    /// judgement without the policy differs. The first call counts.
    #[cfg(target_family = "wasm")]
    pub fn provide_bundled(files: [Vec<u8>; 4]) {
        // The files cannot differ, because they come with the program.
        let _ = FETCHED.set(files);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_files_stay_below_3_megabytes_and_state_their_licence() {
        assert!(FILES.iter().map(|(_, file)| file.len()).sum::<usize>() <= 3_000_000);
        for (rating, file) in FILES {
            let network = Network::from_bytes(file).unwrap();
            let license = network.description().license.clone().unwrap();
            assert!(
                license.starts_with(&format!("GPL-3.0. Derived from maia-{rating} ")),
                "{license}"
            );
        }
    }
}
