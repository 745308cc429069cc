//! Rating puzzles.

use std::{error::Error, fs};

use centipawn_policy::{Network, find_network};
use centipawn_progress::{Network as UsedNetwork, Problem, Reporter, sha256};
use serde::{Deserialize, Serialize};

use super::{LineError, RatingModel};
use crate::Puzzle;

/// The options of rating puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateOptions {
    /// Also rate puzzles with a rating from players; estimates are replaced in any case. Default no.
    pub all: bool,
    /// Use the three policy networks of [`RatingModel::NETWORKS`] if they are installed. Default yes.
    pub policy: bool,
}

impl Default for RateOptions {
    fn default() -> Self {
        Self { all: false, policy: true }
    }
}

impl RateOptions {
    /// Whether this puzzle gets an estimate: it has no rating, only an estimated one, or [`all`](Self::all) is set.
    pub fn concerns(&self, puzzle: &Puzzle) -> bool {
        self.all || puzzle.rating.is_none() || puzzle.rating_interval.is_some()
    }
}

/// Estimates puzzle ratings on Lichess' scale.
#[derive(Debug)]
pub struct Rater {
    networks: Vec<Network>,
    used: Vec<UsedNetwork>,
    model: &'static RatingModel,
}

/// Why the rater with networks is unavailable: the first network that is missing or cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct NoNetworks(Box<dyn Error + Send + Sync>);

impl Rater {
    /// The rater without networks.
    pub fn plain() -> Self {
        Self { networks: Vec::new(), used: Vec::new(), model: RatingModel::plain() }
    }

    /// The rater with the three networks of [`RatingModel::NETWORKS`].
    ///
    /// # Errors
    ///
    /// [`NoNetworks`] if a network is missing or cannot be read.
    pub fn with_networks() -> Result<Self, NoNetworks> {
        let mut rater = Self { model: RatingModel::bundled(), ..Self::plain() };
        for name in RatingModel::NETWORKS {
            let (network, used) = open(name).map_err(NoNetworks)?;
            rater.networks.push(network);
            rater.used.push(used);
        }
        Ok(rater)
    }

    /// The rater for these options: with networks if they are wanted and installed, otherwise [plain](Self::plain).
    /// Missing networks are reported as a warning.
    pub fn open(options: RateOptions, reporter: &dyn Reporter) -> Self {
        if !options.policy {
            return Self::plain();
        }
        Self::with_networks().unwrap_or_else(|error| {
            reporter.problem(&Problem::warning(format_args!(
                "ratings are estimated from the moves alone, and are less certain: {error}"
            )));
            Self::plain()
        })
    }

    /// The networks in use, for provenance; empty for the [plain](Self::plain) rater.
    pub fn networks(&self) -> &[UsedNetwork] {
        &self.used
    }

    /// Sets the puzzle's rating, interval and standard deviation to an estimate.
    ///
    /// # Errors
    ///
    /// [`LineError`] if a network fails; the puzzle stays unchanged.
    pub fn rate(&self, puzzle: &mut Puzzle) -> Result<(), LineError> {
        /// Half the width of an 80 % interval in standard deviations of a normal distribution.
        const HALF_OF_80: f64 = 1.2816;
        let networks: Vec<&Network> = self.networks.iter().collect();
        let line: Vec<_> = puzzle.solution.line().collect();
        let features = RatingModel::features(&networks, &puzzle.shown(), &line)?;
        if let Some(rating) = self.model.rate(&features) {
            let whole = |number: f64| number.round().max(0.0) as u32;
            puzzle.rating = Some(whole(rating.rating));
            puzzle.rating_interval = Some([whole(rating.low), whole(rating.high)]);
            puzzle.deviation = Some(whole((rating.high - rating.low) / (2.0 * HALF_OF_80)));
        }
        Ok(())
    }
}

/// Loads a network by its name, with the hash of its file.
fn open(name: &str) -> Result<(Network, UsedNetwork), Box<dyn Error + Send + Sync>> {
    let path = find_network(name)?;
    let network = Network::open(&path)?;
    let used = UsedNetwork { name: network.name().to_owned(), sha256: sha256(&fs::read(path)?) };
    Ok((network, used))
}
