//! The terms of a model of human games.

use std::borrow::Cow;

use centipawn_core::Pool;
use serde::{Deserialize, Serialize};

use super::{HumanGame, HumanPosition};

/// A term of `ln k` or of the log-odds of White's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HumanTerm {
    /// In `ln k`: the constant `b0`.
    Constant,
    /// In `ln k`: (R − 1800)/400, with the coefficient `b1`.
    Rating,
    /// In `ln k`: `−ln(1 + τ·600/T)`. The coefficient τ is the half time in units of ten minutes.
    Time,
    /// In the log-odds: rating difference/400, with the coefficient `r`.
    Difference,
    /// In the log-odds of the side with a mate: the constant `m0`.
    MateConstant,
    /// In the log-odds of the side with a mate: (R − 1800)/400, with the coefficient `m1`.
    MateRating,
    /// In the log-odds of the side with a mate: l = ln(T/600), with the coefficient `m2`.
    MateTime,
    /// In `ln k`: the product of (R − 1800)/400 and l.
    RatingTime,
    /// In `ln k`: l, in addition to [`Time`](Self::Time).
    LogTime,
    /// In `ln k`: the square of [`Rating`](Self::Rating).
    RatingSquared,
    /// In `ln k`: (material − 58)/20, the phase of the game.
    Material,
    /// In `ln k`: (ply − 60)/40.
    Ply,
    /// In `ln k`: the mean share of the time that is left, minus a half.
    TimeLeft,
    /// In the log-odds: the difference of the clocks divided by their sum.
    Clocks,
    /// In the log-odds: 1 if White is to move, −1 if Black is.
    Turn,
    /// In the log-odds of the side with a mate: `ln n` of a mate in n moves.
    MateDistance,
    /// The square of [`Material`](Self::Material) in `ln k`.
    MaterialSquared,
    /// 1 in the games of a pool, in `ln k`: the pool's level.
    PoolLevel(Pool),
    /// [`Rating`](Self::Rating) in the games of a pool, in `ln k`: the pool's slope.
    PoolSlope(Pool),
    /// [`Difference`](Self::Difference) in the games of a pool, in the log-odds.
    PoolDifference(Pool),
}

impl HumanTerm {
    /// The terms of a [`HumanModel`](centipawn_core::HumanModel) for evaluations that are not
    /// mates, in the order of its fields.
    pub const MODEL: [Self; 4] = [Self::Constant, Self::Rating, Self::Time, Self::Difference];

    /// The terms of a [`HumanModel`](centipawn_core::HumanModel) for mates.
    pub(crate) const MATES: [Self; 3] = [Self::MateConstant, Self::MateRating, Self::MateTime];

    /// The model's terms for the phase of the game.
    pub(crate) const PHASE: [Self; 2] = [Self::Material, Self::MaterialSquared];

    /// Terms that the held-out test adds to the model one at a time.
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

    /// The terms of a pool's effect, in the order of [`PoolEffect`](centipawn_core::PoolEffect).
    pub(super) fn of_pool(pool: Pool) -> [Self; 3] {
        [
            Self::PoolLevel(pool),
            Self::PoolSlope(pool),
            Self::PoolDifference(pool),
        ]
    }

    /// A short description, for tables.
    pub fn name(self) -> Cow<'static, str> {
        let name = match self {
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
            Self::MaterialSquared => "material squared",
            Self::PoolLevel(pool) => return format!("level of {pool}").into(),
            Self::PoolSlope(pool) => return format!("rating in {pool}").into(),
            Self::PoolDifference(pool) => {
                return format!("rating difference in {pool}").into();
            }
        };
        name.into()
    }

    /// Standard deviation of the normal prior of the coefficient, around 0; `None` for a term
    /// without a prior. The effects of pools shrink towards the common constants, so that a pool of
    /// few games keeps close to them, and phases towards none.
    pub(super) fn prior(self) -> Option<f64> {
        match self {
            Self::PoolLevel(_) => Some(0.2),
            Self::PoolSlope(_) => Some(0.08),
            // Ratings after the game inflate the coefficient of their pool without bound.
            Self::PoolDifference(pool) if pool.rates_after_game() => Some(4.0),
            Self::PoolDifference(_) => Some(0.5),
            Self::Material | Self::MaterialSquared => Some(0.5),
            _ => None,
        }
    }

    /// Returns whether the term is added to the log-odds rather than to `ln k`.
    pub(super) fn is_of_odds(self) -> bool {
        matches!(
            self,
            Self::Difference | Self::Clocks | Self::Turn | Self::PoolDifference(_)
        ) || self.is_of_mates()
    }

    /// Returns whether the term changes only the log-odds of mates.
    pub fn is_of_mates(self) -> bool {
        Self::MATES.contains(&self) || self == Self::MateDistance
    }

    /// The value of the term in a game; `None` if it differs between positions.
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
            Self::PoolLevel(pool) => f64::from(u8::from(game.pool == pool)),
            Self::PoolSlope(pool) if game.pool == pool => rating,
            Self::PoolDifference(pool) if game.pool == pool => game.difference() / 400.0,
            Self::PoolSlope(_) | Self::PoolDifference(_) => 0.0,
            Self::MaterialSquared
            | Self::Material
            | Self::Ply
            | Self::TimeLeft
            | Self::Clocks
            | Self::Turn => return None,
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

    /// The value of the term in a position; `None` if it is unknown, so that it adds nothing.
    pub(super) fn of_position(self, game: &HumanGame, position: &HumanPosition) -> Option<f64> {
        match self {
            Self::Material => Some((f64::from(position.material?) - 58.0) / 20.0),
            Self::MaterialSquared => Some(((f64::from(position.material?) - 58.0) / 20.0).powi(2)),
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
                // Less than half a second counts as half a second, so that the sum is not 0.
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
