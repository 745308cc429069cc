//! Classes of time controls.

use std::str::FromStr;

use crate::{Game, TimeControl};

/// The class of a game by its speed, as on Lichess: by the seconds for forty moves.
///
/// ```
/// use centipawn_pgn::TimeClass;
///
/// assert_eq!("blitz".parse(), Ok(TimeClass::Blitz));
/// assert_eq!(TimeClass::Correspondence.name(), "correspondence");
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
    /// At least 25 minutes.
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
    pub const ALL: [Self; 6] = [
        Self::UltraBullet,
        Self::Bullet,
        Self::Blitz,
        Self::Rapid,
        Self::Classical,
        Self::Correspondence,
    ];

    /// The names of all.
    pub(crate) const NAMES: &'static str =
        "ultrabullet, bullet, blitz, rapid, classical or correspondence";

    /// Returns the class of a game by its tag `TimeControl` in seconds, as sites write it; `None`
    /// if the tag states no time. [`Game::time_class`] also knows tags in minutes.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        if Self::is_slow(tag) {
            Some(Self::Correspondence)
        } else {
            tag.parse().ok().map(Self::of_control)
        }
    }

    /// Returns whether a tag is that of games with days for a move.
    fn is_slow(tag: &str) -> bool {
        let days_for_a_move = |seconds: f64| seconds >= 3600.0;
        tag == "-"
            || tag
                .strip_prefix("1/")
                .is_some_and(|seconds| seconds.trim().parse().map_or(true, days_for_a_move))
    }

    fn of_control(control: TimeControl) -> Self {
        let seconds = control.seconds();
        match seconds {
            _ if seconds < 30.0 => Self::UltraBullet,
            _ if seconds < 180.0 => Self::Bullet,
            _ if seconds < 480.0 => Self::Blitz,
            _ if seconds < 1500.0 => Self::Rapid,
            _ if seconds < 40.0 * 6.0 * 3600.0 => Self::Classical,
            _ => Self::Correspondence,
        }
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

impl Game {
    /// Returns the class of the game by its tag `TimeControl`, which may be in
    /// [minutes](TimeControl::of_tag); `None` if the tag states no time.
    pub fn time_class(&self) -> Option<TimeClass> {
        match self.headers.get("TimeControl")? {
            tag if TimeClass::is_slow(tag) => Some(TimeClass::Correspondence),
            _ => self.time_control().map(TimeClass::of_control),
        }
    }
}

impl FromStr for TimeClass {
    type Err = BadTimeClass;

    fn from_str(text: &str) -> Result<Self, BadTimeClass> {
        Self::ALL
            .into_iter()
            .find(|class| class.name().eq_ignore_ascii_case(text))
            .ok_or(BadTimeClass)
    }
}

#[cfg(test)]
mod tests {
    use crate::Reader;

    #[test]
    fn minutes_are_slow() {
        let class = |pgn: &str| {
            Reader::new(pgn.as_bytes())
                .next()
                .unwrap()
                .unwrap()
                .unwrap()
                .time_class()
                .map(super::TimeClass::name)
        };
        assert_eq!(
            class("[TimeControl \"90+30\"]\n\n1. e4 *"),
            Some("classical")
        );
        assert_eq!(
            class("[TimeControl \"15+5\"]\n\n1. e4 {[%clk 0:15:05]} *"),
            Some("rapid")
        );
        assert_eq!(
            class("[TimeControl \"15+0\"]\n\n1. e4 {[%clk 0:00:15]} *"),
            Some("ultraBullet")
        );
        assert_eq!(
            class("[TimeControl \"1/86400\"]\n\n1. e4 *"),
            Some("correspondence")
        );
        assert_eq!(class("[TimeControl \"?\"]\n\n1. e4 *"), None);
    }
}
