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
    /// T in `ln k`, as `−ln(1 + τ·600/T)`: the coefficient is τ, the half time in units of ten
    /// minutes.
    Time,
    /// The rating difference/400 in the log-odds: `r`.
    Difference,
    /// 1 in the log-odds of the side with a mate: `m0`.
    MateConstant,
    /// (R − 1800)/400 in the log-odds of the side with a mate: `m1`.
    MateRating,
    /// l = ln(T/600) in the log-odds of the side with a mate: `m2`.
    MateTime,
    /// Rating × l in `ln k`.
    RatingTime,
    /// l in `ln k`, besides [`Time`](Self::Time).
    LogTime,
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
    /// 1 if White moves, −1 if Black does, in the log-odds.
    Turn,
    /// `ln n` of a mate in n moves, in the log-odds of the side with the mate.
    MateDistance,
}

impl HumanTerm {
    /// The terms of a [`HumanModel`](centipawn_core::HumanModel) for evaluations that are no mates,
    /// in its order.
    pub const MODEL: [Self; 4] = [Self::Constant, Self::Rating, Self::Time, Self::Difference];

    /// Its terms for mates.
    pub(crate) const MATES: [Self; 3] = [Self::MateConstant, Self::MateRating, Self::MateTime];

    /// Terms that a model of the others can be tested with.
    pub(crate) const TESTED: [Self; 9] = [
        Self::RatingTime,
        Self::RatingSquared,
        Self::LogTime,
        Self::Material,
        Self::Ply,
        Self::TimeLeft,
        Self::Turn,
        Self::MateDistance,
        Self::Clocks,
    ];

    /// What it is, for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Rating => "rating",
            Self::Time => "time",
            Self::Difference => "rating difference",
            Self::MateConstant => "mates",
            Self::MateRating => "mates by rating",
            Self::MateTime => "mates by time",
            Self::RatingTime => "rating times time",
            Self::LogTime => "logarithm of the time",
            Self::RatingSquared => "rating squared",
            Self::Material => "material",
            Self::Ply => "ply",
            Self::TimeLeft => "share of time left",
            Self::Clocks => "difference of the clocks",
            Self::Turn => "side to move",
            Self::MateDistance => "distance to mate",
        }
    }

    /// Whether it is added to the log-odds rather than to `ln k`.
    pub(super) fn is_of_odds(self) -> bool {
        matches!(self, Self::Difference | Self::Clocks | Self::Turn) || self.is_of_mates()
    }

    /// Whether it changes only the log-odds of mates.
    pub fn is_of_mates(self) -> bool {
        Self::MATES.contains(&self) || self == Self::MateDistance
    }

    /// Its value in a game; `None` if it differs between positions.
    pub(super) fn of_game(self, game: &HumanGame) -> Option<f64> {
        let rating = (game.rating() - 1800.0) / 400.0;
        let time = (game.seconds / 600.0).ln();
        Some(match self {
            Self::Constant => 1.0,
            Self::Rating => rating,
            Self::Time => 600.0 / game.seconds,
            Self::LogTime => time,
            Self::Difference => game.difference() / 400.0,
            Self::RatingTime => rating * time,
            Self::RatingSquared => rating * rating,
            Self::Material | Self::Ply | Self::TimeLeft | Self::Clocks | Self::Turn => return None,
            Self::MateConstant | Self::MateRating | Self::MateTime | Self::MateDistance => {
                return None;
            }
        })
    }

    /// The value of a term of [`MATES`](Self::MATES) for the side with a mate; 0 for any other
    /// term.
    pub(super) fn of_mate(self, game: &HumanGame) -> f64 {
        match self {
            Self::MateConstant => 1.0,
            Self::MateRating => (game.rating() - 1800.0) / 400.0,
            Self::MateTime => (game.seconds / 600.0).ln(),
            _ => 0.0,
        }
    }

    /// Its value in a position; `None` where it is unknown, which adds nothing.
    pub(super) fn of_position(self, game: &HumanGame, position: &HumanPosition) -> Option<f64> {
        match self {
            Self::Material => Some((f64::from(position.material?) - 58.0) / 20.0),
            Self::Ply if position.ply == u16::MAX => None,
            Self::Ply => Some((f64::from(position.ply) - 60.0) / 40.0),
            Self::Turn if position.ply == u16::MAX => None,
            Self::Turn => Some(if position.ply.is_multiple_of(2) {
                1.0
            } else {
                -1.0
            }),
            Self::MateConstant => Some(f64::from(position.mate.signum())),
            Self::MateRating | Self::MateTime => {
                let value = self.of_mate(game);
                Some(f64::from(position.mate.signum()) * value)
            }
            Self::MateDistance if position.mate == 0 => None,
            Self::MateDistance => Some(
                f64::from(position.mate.signum()) * f64::from(position.mate.unsigned_abs()).ln(),
            ),
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
