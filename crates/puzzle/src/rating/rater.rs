//! Rates puzzles.

use centipawn_policy::{Kernel, Network, NetworkError};
use centipawn_progress::{Network as UsedNetwork, Problem, Reporter};
use serde::{Deserialize, Serialize};

use super::{LineError, RatingModel};
use crate::Puzzle;

/// The options of rating puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateOptions {
    /// Also rate puzzles with a rating from players. Estimates are replaced in any case. Default
    /// false.
    pub all: bool,
    /// Use the policy network in the program, at the levels of [`RatingModel::LEVELS`]. Default
    /// true.
    pub policy: bool,
}

impl Default for RateOptions {
    fn default() -> Self {
        Self {
            all: false,
            policy: true,
        }
    }
}

impl RateOptions {
    /// Returns whether this puzzle gets an estimate: it has no rating, or only an estimated one, or
    /// [`all`](Self::all) is set.
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

impl Rater {
    /// Creates a rater without networks.
    pub fn plain() -> Self {
        Self {
            networks: Vec::new(),
            used: Vec::new(),
            model: RatingModel::plain(),
        }
    }

    /// Creates a rater with the policy network in the program.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] if the program was built without a network.
    pub(crate) fn with_network() -> Result<Self, NetworkError> {
        let network = Network::find(Network::BUNDLED, Kernel::best())?;
        let used = vec![network.provenance()];
        Ok(Self {
            networks: vec![network],
            used,
            model: RatingModel::bundled(),
        })
    }

    /// Creates a rater for these options: with the network if they ask for it, otherwise
    /// [plain](Self::plain). If the program was built without a network, reports a warning and uses
    /// the plain rater.
    pub fn open(options: RateOptions, reporter: &dyn Reporter) -> Self {
        if !options.policy {
            return Self::plain();
        }
        Self::with_network().unwrap_or_else(|error| {
            reporter.problem(&Problem::warning(format_args!(
                "ratings are estimated from the moves alone, and are less certain: {error}"
            )));
            Self::plain()
        })
    }

    /// Returns the networks in use, for provenance; empty for the [plain](Self::plain) rater.
    pub fn networks(&self) -> &[UsedNetwork] {
        &self.used
    }

    /// Sets the puzzle's rating, interval and standard deviation to an estimate.
    ///
    /// # Errors
    ///
    /// [`LineError`] if a network fails. Then the puzzle stays unchanged.
    pub fn rate(&self, puzzle: &mut Puzzle) -> Result<(), LineError> {
        /// Half the width of an 80 % interval of a normal distribution, in standard deviations.
        const HALF_OF_80: f64 = 1.2816;
        let line: Vec<_> = puzzle.solution.line().collect();
        let features =
            RatingModel::features(&self.networks, &RatingModel::LEVELS, &puzzle.shown(), &line)?;
        if let Some(rating) = self.model.rate(&features) {
            let whole = |number: f64| number.round().max(0.0) as u32;
            puzzle.rating = Some(whole(rating.rating));
            puzzle.rating_interval = Some([whole(rating.low), whole(rating.high)]);
            puzzle.deviation = Some(whole((rating.high - rating.low) / (2.0 * HALF_OF_80)));
        }
        Ok(())
    }
}
