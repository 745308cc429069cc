//! Collections whose games were chosen for having a winner.

use std::collections::{BTreeMap, BTreeSet};

use centipawn_core::{Wdl, ordered_logit};

use super::{HumanGame, HumanTerm};

/// The files in which every game has a winner, although similar games of other files are often
/// drawn. Their games must have been chosen.
///
/// In such a file the side ahead wins more often than it scores in all games. The fit therefore
/// compares results with the probability of a win given that there is a winner, `W/(W + L)`, with
/// the width of draws of the other games.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Winners {
    sources: BTreeSet<u32>,
    /// The constants of the width of draws: `d0`, `d1`, `d2`.
    draws: [f64; 3],
}

/// Fewest games without a draw by which a file counts as chosen. If people draw 5 % of their games,
/// a hundred games include a draw with a probability of 0.994.
const LEAST_GAMES: u64 = 100;

impl Winners {
    /// Creates the set of files with chosen games, and the width of draws for predicting them.
    pub(super) fn new(sources: BTreeSet<u32>, draws: [f64; 3]) -> Self {
        Self { sources, draws }
    }

    /// The names of the files.
    pub(super) fn names(&self, all: &[String]) -> Vec<String> {
        self.sources
            .iter()
            .filter_map(|source| all.get(*source as usize).cloned())
            .collect()
    }

    /// Finds the files whose games were chosen.
    pub(super) fn sources(games: &[&HumanGame]) -> BTreeSet<u32> {
        let mut counts: BTreeMap<u32, (u64, bool)> = BTreeMap::new();
        for game in games {
            let (count, has_draw) = counts.entry(game.source).or_default();
            *count += 1;
            *has_draw |= game.half_points == 1;
        }
        let chosen = counts
            .into_iter()
            .filter(|(_, (count, has_draw))| *count >= LEAST_GAMES && !has_draw);
        chosen.map(|(source, _)| source).collect()
    }

    /// The width of draws by which a game's result is predicted given that there is a winner; 0 for
    /// games that were not chosen.
    pub(super) fn width(&self, game: &HumanGame) -> f64 {
        if !self.sources.contains(&game.source) {
            return 0.0;
        }
        let [d0, d1, d2] = self.draws;
        let of = |term: HumanTerm| term.of_mate(game);
        (d0 + d1 * of(HumanTerm::MateRating) + d2 * of(HumanTerm::MateTime)).exp()
    }

    /// At an expected score: the probability of a win given that there is a winner, and the
    /// derivative of its log-odds by the log-odds of the expected score.
    pub(super) fn given_a_winner(width: f64, score: f64) -> (f64, f64) {
        if width == 0.0 {
            return (score, 1.0);
        }
        let Wdl { win, draw, loss } = ordered_logit(width, score);
        let change = win * (1.0 - win) + loss * (1.0 - loss);
        let factor = if change > 0.0 {
            (1.0 + draw) * 2.0 * score * (1.0 - score) / change
        } else {
            1.0
        };
        (win / (win + loss).max(f64::MIN_POSITIVE), factor)
    }
}
