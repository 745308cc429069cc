//! Rating puzzles.

use centipawn_policy::{Network, find_network};
use serde::{Deserialize, Serialize};

use super::{LineError, RatingModel};
use crate::Puzzle;

/// The options of rating puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateOptions {
    /// Also rate puzzles that players have rated; an estimate is always replaced. Default no.
    pub all: bool,
    /// Use the three policy networks of [`RatingModel::NETWORKS`] where they are found. Default yes.
    pub policy: bool,
}

impl Default for RateOptions {
    fn default() -> Self {
        Self { all: false, policy: true }
    }
}

impl RateOptions {
    /// Whether this puzzle gets an estimate. An earlier estimate is no rating that players made.
    pub fn concerns(&self, puzzle: &Puzzle) -> bool {
        self.all || puzzle.rating.is_none() || puzzle.rating_interval.is_some()
    }
}

/// Estimates ratings on Lichess' scale.
#[derive(Debug)]
pub struct Rater {
    networks: Vec<Network>,
    model: &'static RatingModel,
}

impl Rater {
    /// The rater that needs no networks.
    pub fn plain() -> Self {
        Self { networks: Vec::new(), model: RatingModel::plain() }
    }

    /// The rater with the three networks of [`RatingModel::NETWORKS`].
    ///
    /// # Errors
    ///
    /// Why the first of them is not found, or cannot be read.
    pub fn with_networks() -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let open = |name: &&str| Ok(Network::open(find_network(name)?)?);
        let networks =
            RatingModel::NETWORKS.iter().map(open).collect::<Result<_, Box<dyn std::error::Error + Send + Sync>>>()?;
        Ok(Self { networks, model: RatingModel::bundled() })
    }

    /// The networks it asks, none for the [plain](Self::plain) one.
    pub fn networks(&self) -> &[Network] {
        &self.networks
    }

    /// Gives a puzzle an estimate with its interval and standard deviation.
    ///
    /// # Errors
    ///
    /// [`LineError`] if a network fails; then the puzzle stays as it was.
    pub fn rate(&self, puzzle: &mut Puzzle) -> Result<(), LineError> {
        /// Half of an interval that holds eight in ten, in standard deviations.
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
