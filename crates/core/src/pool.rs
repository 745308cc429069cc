//! Where people play: each site or federation has separate ratings and habits.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A pool of players: people whose ratings are comparable because they play each other.
///
/// A rating of 1800 on Lichess is not one of FIDE's, and a lead is worth something else in an
/// online event of FIDE than at a board. A [`HumanModel`](crate::HumanModel) has the
/// [effect](PoolEffect) of each pool.
///
/// ```
/// use centipawn_core::Pool;
///
/// assert_eq!("fide-online".parse(), Ok(Pool::FideOnline));
/// assert_eq!(Pool::ChessCom.to_string(), "chesscom");
/// ```
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Pool {
    /// Lichess.
    Lichess,
    /// Chess.com. Its tags and its interface give the ratings after the game.
    #[serde(rename = "chesscom")]
    ChessCom,
    /// Games over the board with FIDE's ratings.
    Fide,
    /// Online events with FIDE's ratings.
    FideOnline,
    /// The Free Internet Chess Server.
    Fics,
    /// None of these, or unknown.
    #[default]
    Unknown,
}

impl Pool {
    /// Every pool, the unknown one last.
    pub const ALL: [Self; 6] = [
        Self::Lichess,
        Self::ChessCom,
        Self::Fide,
        Self::FideOnline,
        Self::Fics,
        Self::Unknown,
    ];

    /// Name in options, documents and tables: `fide-online`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lichess => "lichess",
            Self::ChessCom => "chesscom",
            Self::Fide => "fide",
            Self::FideOnline => "fide-online",
            Self::Fics => "fics",
            Self::Unknown => "unknown",
        }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// Whether the ratings in a game's tags are those after the game, so that the winner's rating
    /// is too high because of the win.
    pub fn rates_after_game(self) -> bool {
        self == Self::ChessCom
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no [`Pool`] has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown pool {0:?}; the pools are lichess, chesscom, fide, fide-online, fics and unknown")]
pub struct UnknownPool(String);

impl FromStr for Pool {
    type Err = UnknownPool;

    fn from_str(name: &str) -> Result<Self, UnknownPool> {
        let found = Self::ALL.into_iter().find(|pool| pool.name() == name);
        found.ok_or_else(|| UnknownPool(name.to_owned()))
    }
}

/// What a pool adds to the constants of a [`HumanModel`](crate::HumanModel).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PoolEffect {
    /// Added to `b0`, the `ln k` at rating 1800.
    pub level: f64,
    /// Added to `b1`, what 400 points of rating add to `ln k`.
    pub slope: f64,
    /// Added to `r`, what 400 points of rating difference add to the log-odds.
    pub difference: f64,
}

/// The effect of each pool of which a [`HumanModel`](crate::HumanModel) has games; pools without
/// an effect use the common constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PoolEffects {
    /// Of [`Pool::Lichess`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lichess: Option<PoolEffect>,
    /// Of [`Pool::ChessCom`].
    #[serde(rename = "chesscom", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub chess_com: Option<PoolEffect>,
    /// Of [`Pool::Fide`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fide: Option<PoolEffect>,
    /// Of [`Pool::FideOnline`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fide_online: Option<PoolEffect>,
    /// Of [`Pool::Fics`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fics: Option<PoolEffect>,
}

impl PoolEffects {
    /// The effect of a pool; `None` if the common constants are its own.
    pub fn get(&self, pool: Pool) -> Option<PoolEffect> {
        match pool {
            Pool::Lichess => self.lichess,
            Pool::ChessCom => self.chess_com,
            Pool::Fide => self.fide,
            Pool::FideOnline => self.fide_online,
            Pool::Fics => self.fics,
            Pool::Unknown => None,
        }
    }

    /// Sets the effect of a pool. The unknown pool has none.
    pub fn set(&mut self, pool: Pool, effect: PoolEffect) {
        let own = match pool {
            Pool::Lichess => &mut self.lichess,
            Pool::ChessCom => &mut self.chess_com,
            Pool::Fide => &mut self.fide,
            Pool::FideOnline => &mut self.fide_online,
            Pool::Fics => &mut self.fics,
            Pool::Unknown => return,
        };
        *own = Some(effect);
    }

    /// Whether no pool has an effect.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
