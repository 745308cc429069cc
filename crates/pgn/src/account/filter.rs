//! Conditions on the games of an account, by their tags.

use std::str::FromStr;

use crate::{PartialDate, TimeClass};

/// Conditions on games. Times are milliseconds since 1970, UTC.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    /// The earliest time at which a game may have begun, in milliseconds since 1970.
    pub(crate) since: Option<u64>,
    /// The latest time at which a game may have begun, in milliseconds since 1970.
    pub(crate) until: Option<u64>,
    /// The maximum number of games; the newest ones are taken.
    pub(crate) max: Option<usize>,
    /// The accepted classes of games; empty for all classes.
    pub(crate) classes: Vec<TimeClass>,
    /// `true` for rated games only, `false` for casual games only, `None` for both.
    pub(crate) rated: Option<bool>,
    /// The color that the account must have; `None` for both.
    pub(crate) color: Option<AccountColor>,
}

/// The color of the account's player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccountColor {
    /// The account has the white pieces.
    White,
    /// The account has the black pieces.
    Black,
}

impl FromStr for AccountColor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "white" => Ok(Self::White),
            "black" => Ok(Self::Black),
            _ => Err(()),
        }
    }
}

impl AccountColor {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
        }
    }
}

impl Filter {
    /// Returns whether a game of the account `name` meets the conditions, by its text and by its
    /// time on the site. A game without a time meets all conditions on the time.
    pub(crate) fn takes(&self, game: &str, time: Option<u64>, name: &str) -> bool {
        let is_own = |tag_name: &str| {
            tag(game, tag_name).is_some_and(|player| player.eq_ignore_ascii_case(name))
        };
        // The sites have separate time classes for variants.
        let is_standard =
            || tag(game, "Variant").is_none_or(|variant| variant.eq_ignore_ascii_case("standard"));
        let class = || {
            tag(game, "TimeControl")
                .and_then(TimeClass::of_tag)
                .filter(|_| is_standard())
        };
        self.since
            .is_none_or(|since| time.is_none_or(|time| time >= since))
            && self
                .until
                .is_none_or(|until| time.is_none_or(|time| time <= until))
            && (self.classes.is_empty()
                || class().is_some_and(|class| self.classes.contains(&class)))
            && self.rated.is_none_or(|rated| is_rated(game) == rated)
            && self.color.is_none_or(|color| match color {
                AccountColor::White => is_own("White"),
                AccountColor::Black => is_own("Black"),
            })
    }

    /// Returns whether more than the times and the number is asked for.
    pub(crate) fn is_narrow(&self) -> bool {
        !self.classes.is_empty() || self.rated.is_some() || self.color.is_some()
    }
}

/// Games of Chess.com do not state whether they are rated, and count as rated.
fn is_rated(game: &str) -> bool {
    !tag(game, "Event").is_some_and(|event| event.to_ascii_lowercase().starts_with("casual"))
}

/// Returns a tag's value in a game's text.
pub(crate) fn tag<'a>(game: &'a str, name: &str) -> Option<&'a str> {
    let tags = game.lines().take_while(|line| line.starts_with('['));
    let mut values = tags.filter_map(|line| {
        line.strip_prefix('[')?
            .strip_prefix(name)?
            .strip_prefix(" \"")?
            .split('"')
            .next()
    });
    values.next()
}

/// Returns when a game began: its tags `UTCDate` and `UTCTime`, in milliseconds since 1970.
pub(crate) fn time_of(game: &str) -> Option<u64> {
    let day = tag(game, "UTCDate").or_else(|| tag(game, "Date"))?;
    time(day, tag(game, "UTCTime").or_else(|| tag(game, "StartTime")))
}

/// Returns when a game ended: its tags `EndDate` and `EndTime`, in milliseconds since 1970.
/// `EndTime` may name a time zone, which is ignored.
pub(crate) fn end_time_of(game: &str) -> Option<u64> {
    let time_of_day = tag(game, "EndTime").and_then(|text| text.split(' ').next());
    time(tag(game, "EndDate")?, time_of_day)
}

/// `2026.10.05` and `12:00:01` in milliseconds since 1970.
fn time(day: &str, time: Option<&str>) -> Option<u64> {
    let day = PartialDate::read(day)
        .filter(|date| date.day().is_some())
        .and_then(start_of)?;
    let time = time.unwrap_or("0:0:0");
    let parts: Vec<u64> = time
        .split(':')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [hours, minutes, seconds] = parts[..] else {
        return None;
    };
    let is_time = hours < 24 && minutes < 60 && seconds < 60;
    is_time.then(|| day + 1000 * (3600 * hours + 60 * minutes + seconds))
}

const DAY: u64 = 24 * 60 * 60 * 1000;

/// Returns the first millisecond of a date; `None` before 1970.
pub(crate) fn start_of(date: PartialDate) -> Option<u64> {
    Some(u64::try_from(date.first_day()).ok()? * DAY)
}

/// Returns the last millisecond of a date; `None` before 1970.
pub(crate) fn end_of(date: PartialDate) -> Option<u64> {
    Some((u64::try_from(date.last_day()).ok()? + 1) * DAY - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Event \"Rated Blitz game\"]\n[White \"Anna\"]\n[Black \"bob\"]\n[UTCDate \"2026.10.05\"]\n\
        [UTCTime \"12:00:01\"]\n[TimeControl \"180+2\"]\n\n1. e4 *\n";

    fn date(text: &str) -> PartialDate {
        text.parse().unwrap()
    }

    #[test]
    fn dates_begin_and_end() {
        assert_eq!(start_of(date("1970-01-02")), Some(DAY));
        assert_eq!(start_of(date("1969")), None);
        assert_eq!(
            end_of(date("2026-12")),
            start_of(date("2027")).map(|next| next - 1)
        );
        assert_eq!(
            end_of(date("2026-02")),
            start_of(date("2026-03-01")).map(|next| next - 1)
        );
        assert_eq!(
            time_of(GAME),
            Some(start_of(date("2026-10-05")).unwrap() + 43_201_000)
        );
        assert_eq!(
            time_of(&GAME.replace(".05", ".??")),
            None,
            "the day is unknown"
        );
    }

    #[test]
    fn games_are_chosen_by_their_tags() {
        let with = |change: fn(&mut Filter)| {
            let mut filter = Filter::default();
            change(&mut filter);
            filter.takes(GAME, time_of(GAME), "anna")
        };
        assert!(with(|_| {}) && with(|filter| filter.since = start_of(date("2026-10-05"))));
        assert!(
            !with(|filter| filter.since = start_of(date("2026-10-06")))
                && !with(|filter| filter.until = end_of(date("2026-09")))
        );
        assert!(with(|filter| filter.classes = vec![TimeClass::Blitz]));
        assert!(!with(
            |filter| filter.classes = vec![TimeClass::Bullet, TimeClass::Rapid]
        ));
        assert!(
            with(|filter| filter.rated = Some(true)) && !with(|filter| filter.rated = Some(false))
        );
        assert!(with(|filter| filter.color = Some(AccountColor::White)));
        assert!(!with(|filter| filter.color = Some(AccountColor::Black)));
    }
}
