//! Predicts how players of a rating fare with a puzzle.

use centipawn_policy::{Network, NetworkError};
use centipawn_progress::Silent;

use crate::{
    Puzzle,
    rating::{RateOptions, Rater},
};

/// Players of a rating, as predicted by the rating scale and the network in the program.
#[derive(Debug)]
pub struct LevelPlayers {
    network: Network,
    rater: Rater,
    rating: u32,
}

impl LevelPlayers {
    /// Creates the prediction for players of a Lichess rating.
    ///
    /// # Errors
    ///
    /// The errors of [`Network::bundled`]: only if the program was built without a network.
    pub fn new(rating: u32) -> Result<Self, NetworkError> {
        Ok(Self {
            network: Network::bundled()?,
            rater: Rater::open(RateOptions::default(), &Silent),
            rating,
        })
    }

    /// Returns the share (0 to 1) of these players that solve a puzzle of this rating: `1/(1 +
    /// 10^((puzzle − players)/400))`, the formula by which Lichess rates puzzles and players.
    ///
    /// ```
    /// use centipawn_puzzle::solve::LevelPlayers;
    ///
    /// let players = LevelPlayers::new(1500).unwrap();
    /// assert_eq!(players.share(1500.0), 0.5);
    /// assert!((players.share(1400.0) - 0.64).abs() < 0.001);
    /// ```
    pub fn share(&self, puzzle: f64) -> f64 {
        1.0 / (1.0 + 10_f64.powf((puzzle - f64::from(self.rating)) / 400.0))
    }

    /// Describes what share of these players solve the puzzle, by its rating or, if it has none, by
    /// an estimate, and which wrong move tempts the others: `64 % of players rated 1500 solve this
    /// puzzle; the most tempting other move is Bb5`. Returns `None` if the network fails.
    pub fn outlook(&self, puzzle: &Puzzle) -> Option<String> {
        let solution = puzzle.solution.moves().nth(1)?;
        let shown = puzzle.shown();
        let evaluation = self.network.evaluate_at(&shown, self.rating).ok()?;
        let is_correct = |mv| mv == solution || puzzle.also_correct(0).contains(&mv);
        let tempting = evaluation
            .moves
            .first()
            .filter(|favourite| !is_correct(favourite.mv));
        let tempting = tempting.map_or_else(String::new, |favourite| {
            format!(
                "; the most tempting other move is {}",
                shown.san(favourite.mv)
            )
        });
        let (rating, estimated) = match puzzle.rating.filter(|_| puzzle.rating_interval.is_none()) {
            Some(rating) => (rating, ""),
            None => {
                let mut rated = puzzle.clone();
                self.rater.rate(&mut rated).ok()?;
                (rated.rating?, ", by an estimate")
            }
        };
        let percent = 100.0 * self.share(f64::from(rating));
        Some(format!(
            "{percent:.0} % of players rated {} solve this puzzle{estimated}{tempting}",
            self.rating
        ))
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;

    use super::*;

    /// The puzzle has two mates in one, and the file lists one of them. The other one is not a
    /// wrong move.
    #[test]
    fn a_second_correct_move_is_not_called_tempting() {
        let start = History::from_fen("6k1/r4ppp/8/8/8/8/8/3RR1K1 b - - 0 1", None).unwrap();
        let players = LevelPlayers::new(1500).unwrap();
        for main in ["d1d8", "e1e8"] {
            let outlook = players
                .outlook(&Puzzle::new(&start, ["a7a2", main]).unwrap())
                .unwrap();
            assert!(
                !outlook.contains("Rd8") && !outlook.contains("Re8"),
                "{outlook}"
            );
        }
    }
}
