//! A game between people, as the fit uses it.

use centipawn_core::{Context, Curve, Eval, HumanModel, PlayerPair, Pool, White};
use serde::{Deserialize, Serialize};

use super::count::LARGEST_EVAL;

/// A game between people with evaluated positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanGame {
    /// A pseudo-random number that identifies the game. It decides whether the game is kept and how
    /// often each resample counts it.
    pub number: u64,
    /// Index of the game's file among [`HumanGames::sources`](super::HumanGames::sources).
    pub source: u32,
    /// White's and Black's rating.
    pub ratings: [f64; 2],
    /// Seconds that each player has for the game: base + 40·increment.
    pub seconds: f64,
    /// The pool that the ratings belong to.
    #[serde(default)]
    pub pool: Pool,
    /// Numbers that identify White and Black among all players; `None` if a name is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<[u64; 2]>,
    /// White's score in half points: 0, 1, 2.
    pub half_points: u8,
    /// The evaluated positions, in the order of the game.
    pub positions: Vec<HumanPosition>,
}

/// An evaluated position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanPosition {
    /// The evaluation for White, in centipawns of Stockfish 15.1; 0 if it is a mate.
    pub cp: i16,
    /// Moves to mate, negative if Black mates; 0 if the evaluation is not a mate.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub mate: i16,
    /// The evaluation of a much longer search, in the same unit; `None` if there is none or if it
    /// is a mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deep_cp: Option<i16>,
    /// Number of half-moves played before the position.
    pub ply: u16,
    /// Material of both sides (pawn = 1 … queen = 9); `None` if it is unknown.
    pub material: Option<u8>,
    /// Seconds left on White's and Black's clock; `None` unless both are known.
    pub clocks: Option<[u16; 2]>,
}

fn is_zero(mate: &i16) -> bool {
    *mate == 0
}

impl HumanPosition {
    /// Creates a position with this evaluation for White, in centipawns, after this many
    /// half-moves. All other fields are unknown.
    pub fn new(cp: i16, ply: u16) -> Self {
        Self {
            cp,
            mate: 0,
            deep_cp: None,
            ply,
            material: None,
            clocks: None,
        }
    }

    /// The evaluation for White.
    pub(super) fn eval(&self) -> Eval<White> {
        if self.mate == 0 {
            Eval::cp(self.cp.into())
        } else {
            Eval::mate(self.mate.into())
        }
    }

    /// The context of the position; what is unknown is as usual.
    pub(super) fn context(&self) -> Context {
        let usual = Context::default();
        Context {
            material: self.material.map_or(usual.material, u32::from),
            ply: if self.ply == u16::MAX {
                usual.ply
            } else {
                self.ply.into()
            },
        }
    }

    /// White's expected score by a curve that does not know the players. A mate counts as the largest
    /// evaluation, because a curve that is certain of mates would have an infinite loss.
    pub(super) fn score_by(&self, curve: &Curve) -> f64 {
        let pawns = if self.mate == 0 {
            self.pawns()
        } else {
            LARGEST_EVAL.copysign(self.mate.into())
        };
        curve.at(pawns, self.context())
    }

    /// The evaluation for White in pawns; 0 if it is a mate.
    pub fn pawns(&self) -> f64 {
        f64::from(self.cp) / 100.0
    }
}

impl HumanGame {
    /// The mean rating of the players.
    pub fn rating(&self) -> f64 {
        (self.ratings[0] + self.ratings[1]) / 2.0
    }

    /// White's rating minus Black's.
    pub fn difference(&self) -> f64 {
        self.ratings[0] - self.ratings[1]
    }

    /// White's score, 0..=1.
    pub fn score(&self) -> f64 {
        f64::from(self.half_points) / 2.0
    }

    /// White's expected score in a position of the game by a model: by the evaluation, the phase, the
    /// ratings and their pool. The clocks do not count.
    pub(super) fn expected_score(&self, model: &HumanModel, position: &HumanPosition) -> f64 {
        let pair = PlayerPair {
            ratings: self.ratings,
            seconds: self.seconds,
            clocks: None,
            pool: self.pool,
        };
        let odds = model.odds(position.eval(), 1.0, position.context(), &pair);
        odds.expected_score
    }

    /// The class of time and rating to which the game belongs.
    pub fn class(&self) -> GameClass {
        GameClass {
            time: TimeClass::of(self.seconds),
            from: (self.rating() / BAND).floor() as u32 * BAND as u32,
        }
    }
}

/// Width of a rating band, in Elo points.
const BAND: f64 = 200.0;

/// A class of games with similar time and rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GameClass {
    /// The class of the time control.
    pub time: TimeClass,
    /// The lowest mean rating of the class's band of 200 points.
    pub from: u32,
}

impl GameClass {
    /// The highest mean rating of the band.
    pub fn to(self) -> u32 {
        self.from + BAND as u32 - 1
    }
}

/// The time controls as Lichess classifies them, by base + 40·increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeClass {
    /// Less than three minutes.
    Bullet,
    /// Less than eight minutes.
    Blitz,
    /// Less than 25 minutes.
    Rapid,
    /// 25 minutes and more.
    Classical,
}

impl TimeClass {
    /// All time classes, the fastest first.
    pub const ALL: [Self; 4] = [Self::Bullet, Self::Blitz, Self::Rapid, Self::Classical];

    /// The class of a game in which each player has this many seconds.
    pub fn of(seconds: f64) -> Self {
        match seconds {
            seconds if seconds < 180.0 => Self::Bullet,
            seconds if seconds < 480.0 => Self::Blitz,
            seconds if seconds < 1500.0 => Self::Rapid,
            _ => Self::Classical,
        }
    }

    /// The name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bullet => "bullet",
            Self::Blitz => "blitz",
            Self::Rapid => "rapid",
            Self::Classical => "classical",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_fall_into_lichess_time_classes() {
        let of = |ratings, seconds| {
            let game = HumanGame {
                number: 0,
                source: 0,
                ratings,
                seconds,
                pool: Pool::Unknown,
                players: None,
                half_points: 1,
                positions: Vec::new(),
            };
            (
                game.class().time.name(),
                game.class().from,
                game.class().to(),
            )
        };
        assert_eq!(of([1400.0, 1599.0], 179.0), ("bullet", 1400, 1599));
        assert_eq!(of([1600.0, 1600.0], 180.0), ("blitz", 1600, 1799));
        assert_eq!(of([2800.0, 2800.0], 7200.0), ("classical", 2800, 2999));
    }
}
