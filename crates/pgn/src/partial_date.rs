//! Dates as far as games have them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The characters between the parts of a date.
const SEPARATORS: [char; 3] = ['.', '-', '/'];

/// A year, a month or a day of the Gregorian calendar. A year comes before its months, and a month
/// before its days.
///
/// [`read`](Self::read) is for texts of others, and takes what is sure; `parse` wants a whole text
/// that is a date.
///
/// ```
/// use centipawn_pgn::PartialDate;
///
/// let read = |text| PartialDate::read(text).map(|date| date.to_string());
/// assert_eq!(read("2021-2-3").as_deref(), Some("2021.02.03"));
/// assert_eq!(read("1858.??.??").as_deref(), Some("1858"));
/// assert_eq!(read("????.??.??"), None);
/// assert!("2021.13".parse::<PartialDate>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartialDate {
    year: u16,
    month: Option<u8>,
    /// The day of the month. It is known only if the month is known.
    day: Option<u8>,
}

/// The text is not a date; it holds the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no date; write a year, a month or a day, such as 2026, 2026-10 or 2026-10-05")]
pub struct BadDate(String);

impl PartialDate {
    /// Returns the date in a text, as far as it is sure: `2021.10.01`, `2021-10-1`, `2021.??.??`,
    /// `1.10.2021`. The day can only come first if dots stand between the parts, or if it cannot be
    /// a month: of `1/10/2021`, only the year is sure. `None` without a year of four digits.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        // The text may continue with a time.
        let text = text
            .split(|char: char| char.is_whitespace() || char == 'T')
            .next()
            .unwrap_or(text);
        let mut parts = text.split(SEPARATORS);
        let [first, second, third] = [(); 3].map(|()| parts.next().unwrap_or_default());
        let year_of =
            |part: &str| if part.len() == 4 { number(part) } else { None }.filter(|year| *year > 0);
        let (year, month, day) = match (year_of(first), year_of(third)) {
            (Some(year), _) => (year, second, third),
            (None, Some(year))
                if !text.contains('/') && !text.contains('-') || number(first) > Some(12) =>
            {
                (year, second, first)
            }
            (None, Some(year)) => (year, "", ""),
            (None, None) => return None,
        };
        let small = |part: &str, most: u8| {
            let number = if part.len() <= 2 { number(part) } else { None };
            number
                .and_then(|number| u8::try_from(number).ok())
                .filter(|number| (1..=most).contains(number))
        };
        let month = small(month, 12);
        let day = month.and_then(|month| small(day, length(year, month)));
        Some(Self { year, month, day })
    }

    /// Returns the year.
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the month, 1 to 12, if it is known.
    pub fn month(self) -> Option<u8> {
        self.month
    }

    /// Returns the day, 1 to 31, if it is known.
    pub fn day(self) -> Option<u8> {
        self.day
    }

    /// Returns the same date without its day and month.
    #[must_use]
    pub fn only_year(self) -> Self {
        Self {
            month: None,
            day: None,
            ..self
        }
    }

    /// Returns the same date without its day.
    #[must_use]
    pub fn only_month(self) -> Self {
        Self { day: None, ..self }
    }

    /// Days from 1970-01-01 to the first day that it can be.
    pub fn first_day(self) -> i32 {
        days_since_1970(self.year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }

    /// Days from 1970-01-01 to the last day that it can be.
    pub fn last_day(self) -> i32 {
        let month = self.month.unwrap_or(12);
        days_since_1970(
            self.year,
            month,
            self.day.unwrap_or_else(|| length(self.year, month)),
        )
    }
}

/// Returns a number of digits only.
fn number(part: &str) -> Option<u16> {
    if part.bytes().all(|byte| byte.is_ascii_digit()) {
        part.parse().ok()
    } else {
        None
    }
}

/// Days of a month.
fn length(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_1970(year: u16, month: u8, day: u8) -> i32 {
    // Let years begin in March, so that the leap day is the last day of a year.
    let (year, month, day) = (i32::from(year), i32::from(month), i32::from(day));
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let before = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    before + (153 * month + 2) / 5 + day - 1 - 719_468
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        [self.month, self.day]
            .into_iter()
            .flatten()
            .try_for_each(|part| write!(f, ".{part:02}"))
    }
}

impl FromStr for PartialDate {
    type Err = BadDate;

    fn from_str(text: &str) -> Result<Self, BadDate> {
        let is_whole = |date: &Self| {
            let known = 1 + usize::from(date.month.is_some()) + usize::from(date.day.is_some());
            let is_digit = |char: char| char.is_ascii_digit() || SEPARATORS.contains(&char);
            text.chars().all(is_digit) && text.split(SEPARATORS).count() == known
        };
        Self::read(text)
            .filter(is_whole)
            .ok_or_else(|| BadDate(text.to_owned()))
    }
}

impl Serialize for PartialDate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PartialDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        PartialDate::read(text).map_or_else(|| "-".to_owned(), |date| date.to_string())
    }

    #[test]
    fn certain_parts_of_a_date_are_read() {
        for (text, expected) in [
            ("2021.10.01", "2021.10.01"),
            (" 2021-10-1 ", "2021.10.01"),
            ("1992/8/31", "1992.08.31"),
            ("2021-10-05T12:00:00Z", "2021.10.05"),
            ("2021.10.05 12:00", "2021.10.05"),
            ("31.12.2020", "2020.12.31"),
            ("2.10.2026", "2026.10.02"),
            ("31/10/2026", "2026.10.31"),
            ("1/10/2026", "2026"),
            ("10/25/2026", "2026"),
            ("2021.10.??", "2021.10"),
            ("2021.??.05", "2021"),
            ("1858.??.??", "1858"),
            ("1858", "1858"),
            ("2021.13.01", "2021"),
            ("2021.00.00", "2021"),
            ("1900.02.29", "1900.02"),
            ("2000.02.29", "2000.02.29"),
            ("2021.+1.+2", "2021"),
            ("2021.100.1", "2021"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        for other in [
            "",
            "?",
            "????.??.??",
            "????.10.01",
            "0000.01.01",
            "20210101",
            "92.8.31",
            "202",
            "1.10.",
            "x",
            "May 2021",
        ] {
            assert_eq!(shown(other), "-", "{other}");
        }
    }

    #[test]
    fn only_a_whole_text_is_parsed() {
        for text in ["2026", "2026-10", "2026.10.05", "2026-2-3", "31.12.2026"] {
            assert_eq!(
                text.parse::<PartialDate>().unwrap().to_string(),
                shown(text)
            );
        }
        for text in [
            "",
            "x",
            "2026-13",
            "2026-1-0",
            "2023-02-29",
            "2026-",
            "2026-10-05-01",
            "2026-10-05 1",
            "1/2/2026",
            " 2026",
        ] {
            let error = text.parse::<PartialDate>().unwrap_err().to_string();
            assert!(error.contains("is no date; write a year"), "{error}");
        }
        let date: PartialDate = "2026.10".parse().unwrap();
        assert_eq!(serde_json::to_string(&date).unwrap(), "\"2026.10\"");
        assert_eq!(
            serde_json::from_str::<PartialDate>("\"2026.10\"").unwrap(),
            date
        );
    }

    #[test]
    fn dates_have_an_order_and_days() {
        let mut dates = [
            "2021.10.01",
            "2021.9.30",
            "2021",
            "2021.2.3",
            "2020.12.31",
            "2021.10",
        ]
        .map(|text| PartialDate::read(text).unwrap());
        dates.sort();
        let dates = dates.map(|date| date.to_string());
        assert_eq!(
            dates,
            [
                "2020.12.31",
                "2021",
                "2021.02.03",
                "2021.09.30",
                "2021.10",
                "2021.10.01"
            ]
        );
        let days = |text: &str| {
            PartialDate::read(text)
                .map(|date| (date.first_day(), date.last_day()))
                .unwrap()
        };
        assert_eq!(days("1970.01.01"), (0, 0));
        assert_eq!(days("2000-02-29"), (11_016, 11_016));
        assert_eq!(days("1969/12/31"), (-1, -1));
        assert_eq!(days("2024.12.31"), (20_088, 20_088));
        assert_eq!(days("2024.02"), (19_754, 19_782));
        assert_eq!(days("1970"), (0, 364));
        assert_eq!(days("0001.01.01").0, -719_162);
    }
}
