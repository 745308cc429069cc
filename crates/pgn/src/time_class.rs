//! Classes of time controls.

use std::str::FromStr;

use crate::TimeControl;

/// How fast a game is, as Lichess divides games: by the seconds for forty moves.
///
/// ```
/// use centipawn_pgn::TimeClass;
///
/// assert_eq!(TimeClass::of_tag("180+2"), Some(TimeClass::Blitz));
/// assert_eq!(TimeClass::of_tag("1/86400").unwrap().name(), "correspondence");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeClass {
    /// Under half a minute.
    UltraBullet,
    /// Under three minutes.
    Bullet,
    /// Under eight minutes.
    Blitz,
    /// Under 25 minutes.
    Rapid,
    /// From 25 minutes.
    Classical,
    /// Days for a move.
    Correspondence,
}

/// The text is no class of time controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("classes of time controls are {}", TimeClass::NAMES)]
pub struct BadTimeClass;

impl TimeClass {
    /// All classes, the fastest first.
    pub const ALL: [Self; 6] =
        [Self::UltraBullet, Self::Bullet, Self::Blitz, Self::Rapid, Self::Classical, Self::Correspondence];

    /// The names of all.
    pub(crate) const NAMES: &'static str = "ultrabullet, bullet, blitz, rapid, classical or correspondence";

    /// The class of a game by its tag `TimeControl`; `None` if the tag states no time.
    pub fn of_tag(tag: &str) -> Option<Self> {
        if tag == "-" || tag.starts_with("1/") {
            return Some(Self::Correspondence);
        }
        let seconds = tag.parse::<TimeControl>().ok()?.seconds();
        Some(match seconds {
            _ if seconds < 30.0 => Self::UltraBullet,
            _ if seconds < 180.0 => Self::Bullet,
            _ if seconds < 480.0 => Self::Blitz,
            _ if seconds < 1500.0 => Self::Rapid,
            _ => Self::Classical,
        })
    }

    /// Its name at Lichess.
    pub fn name(self) -> &'static str {
        match self {
            Self::UltraBullet => "ultraBullet",
            Self::Bullet => "bullet",
            Self::Blitz => "blitz",
            Self::Rapid => "rapid",
            Self::Classical => "classical",
            Self::Correspondence => "correspondence",
        }
    }
}

impl FromStr for TimeClass {
    type Err = BadTimeClass;

    fn from_str(text: &str) -> Result<Self, BadTimeClass> {
        Self::ALL.into_iter().find(|class| class.name().eq_ignore_ascii_case(text)).ok_or(BadTimeClass)
    }
}
