//! The terms of a model of human games.

use serde::{Deserialize, Serialize};

use super::{HumanGame, HumanPosition};

/// A term of `ln k` or of the log-odds of White's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HumanTerm {
    /// 1, in `ln k`: the coefficient is `b0`.
    Constant,
    /// (R − 1800)/400 in `ln k`: `b1`.
    Rating,
    /// l = ln(T/600) in `ln k`: `b2`.
    Time,
    /// l² in `ln k`: `b3`.
    TimeSquared,
    /// The rating difference/400 in the log-odds: `r`.
    Difference,
    /// Rating × l in `ln k`.
    RatingTime,
    /// The square of [`Rating`](Self::Rating) in `ln k`.
    RatingSquared,
    /// (material − 58)/20 in `ln k`: the phase of the game.
    Material,
    /// (ply − 60)/40 in `ln k`.
    Ply,
    /// The mean share of the time that is left, less a half, in `ln k`.
    TimeLeft,
    /// The difference of the clocks over their sum, in the log-odds.
    Clocks,
}

impl HumanTerm {
    /// The terms of a [`HumanModel`](centipawn_core::HumanModel), in its order.
    pub const MODEL: [Self; 5] = [Self::Constant, Self::Rating, Self::Time, Self::TimeSquared, Self::Difference];

    /// Terms that a model of the others can be tested with.
    pub const TESTED: [Self; 6] =
        [Self::RatingTime, Self::RatingSquared, Self::Material, Self::Ply, Self::TimeLeft, Self::Clocks];

    /// What it is, for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Rating => "rating",
            Self::Time => "time",
            Self::TimeSquared => "time squared",
            Self::Difference => "rating difference",
            Self::RatingTime => "rating times time",
            Self::RatingSquared => "rating squared",
            Self::Material => "material",
            Self::Ply => "ply",
            Self::TimeLeft => "share of time left",
            Self::Clocks => "difference of the clocks",
        }
    }

    /// Whether it is added to the log-odds rather than to `ln k`.
    pub(super) fn is_of_odds(self) -> bool {
        matches!(self, Self::Difference | Self::Clocks)
    }

    /// Its value in a game; `None` if it differs between positions.
    pub(super) fn of_game(self, game: &HumanGame) -> Option<f64> {
        let rating = (game.rating() - 1800.0) / 400.0;
        let time = (game.seconds / 600.0).ln();
        Some(match self {
            Self::Constant => 1.0,
            Self::Rating => rating,
            Self::Time => time,
            Self::TimeSquared => time * time,
            Self::Difference => game.difference() / 400.0,
            Self::RatingTime => rating * time,
            Self::RatingSquared => rating * rating,
            Self::Material | Self::Ply | Self::TimeLeft | Self::Clocks => return None,
        })
    }

    /// Its value in a position; `None` where it is unknown, which adds nothing.
    pub(super) fn of_position(self, game: &HumanGame, position: &HumanPosition) -> Option<f64> {
        match self {
            Self::Material => Some((f64::from(position.material?) - 58.0) / 20.0),
            Self::Ply if position.ply == u16::MAX => None,
            Self::Ply => Some((f64::from(position.ply) - 60.0) / 40.0),
            Self::TimeLeft | Self::Clocks => {
                let [white, black] = position.clocks?.map(f64::from);
                // Less than a second left counts as half a second.
                let (white, black) = (white.max(0.5), black.max(0.5));
                Some(match self {
                    Self::Clocks => (white - black) / (white + black),
                    _ => ((white + black) / (2.0 * game.seconds)).min(1.0) - 0.5,
                })
            }
            _ => self.of_game(game),
        }
    }
}
