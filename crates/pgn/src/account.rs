//! The games of an account on Lichess or Chess.com, named like a file:
//! `lichess:NAME?since=2026-10&max=50`.

#[cfg(feature = "http")]
mod cache;
#[cfg(feature = "http")]
mod chesscom;
// Without the feature `http`, only the syntax of the conditions is checked.
#[cfg_attr(not(feature = "http"), allow(dead_code))]
mod filter;
#[cfg(feature = "http")]
mod lichess;
#[cfg(feature = "http")]
mod request;
#[cfg(feature = "http")]
mod study;

use std::fmt;

#[cfg(feature = "http")]
pub use study::{LichessStudies, StudyMode, StudyPostError, UnknownVisibility, Visibility};

use filter::{Filter, end_of, start_of};

use crate::{BadDate, PartialDate, TimeClass};

/// A site from which the games of an account can be downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    Lichess,
    ChessCom,
}

impl Site {
    /// Returns the scheme before the colon.
    pub(crate) fn scheme(self) -> &'static str {
        match self {
            Site::Lichess => "lichess",
            Site::ChessCom => "chesscom",
        }
    }
}

/// An account, and the conditions on its games.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Account {
    pub(crate) site: Site,
    /// The name in lower case, because both sites ignore the case of names.
    pub(crate) name: String,
    pub(crate) filter: Filter,
}

/// The reason why the text after `lichess:` or `chesscom:` names no games.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AccountError {
    #[error("a name on {0} has 2 to 30 letters, digits, _ or -")]
    Name(&'static str),
    #[error(transparent)]
    Date(#[from] BadDate),
    #[error("no game on {0} is that old ({1}); write a year from 1970 on")]
    Early(&'static str, PartialDate),
    #[error("{value:?} is no value of {key}; possible is {possible}")]
    Value {
        key: String,
        value: String,
        possible: &'static str,
    },
    #[error("{0:?} is unknown; possible are since, until, max, time-class, rated and color")]
    Key(String),
}

impl Account {
    /// Returns the account that a text names; `None` if it begins with neither `lichess:` nor
    /// `chesscom:`.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, AccountError>> {
        let (scheme, rest) = text.split_once(':')?;
        let site = [Site::Lichess, Site::ChessCom]
            .into_iter()
            .find(|site| site.scheme().eq_ignore_ascii_case(scheme))?;
        // `lichess://…` is a web address, not an account.
        (!rest.starts_with("//")).then(|| Self::of_site(site, rest))
    }

    fn of_site(site: Site, rest: &str) -> Result<Self, AccountError> {
        let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
        let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        if !(2..=30).contains(&name.len()) || !name.chars().all(is_name) {
            return Err(AccountError::Name(site.scheme()));
        }
        let mut filter = Filter::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let wrong = |possible| AccountError::Value {
                key: key.to_owned(),
                value: value.to_owned(),
                possible,
            };
            let time_of = |time: fn(PartialDate) -> Option<u64>| {
                let date = value.parse()?;
                time(date).ok_or(AccountError::Early(site.scheme(), date))
            };
            match key {
                "since" => filter.since = Some(time_of(start_of)?),
                "until" => filter.until = Some(time_of(end_of)?),
                "max" => {
                    let max = value.parse().ok().filter(|max| *max > 0);
                    filter.max = Some(max.ok_or_else(|| wrong("a number from 1"))?);
                }
                "time-class" => {
                    let classes = value
                        .split(',')
                        .map(str::parse::<TimeClass>)
                        .collect::<Result<_, _>>();
                    filter.classes = classes.map_err(|_| wrong(TimeClass::NAMES))?;
                }
                "rated" => {
                    filter.rated = Some(value.parse().map_err(|_| wrong("true or false"))?);
                }
                "color" => filter.color = Some(value.parse().map_err(|_| wrong("white or black"))?),
                _ => return Err(AccountError::Key(key.to_owned())),
            }
        }
        Ok(Self {
            site,
            name: name.to_ascii_lowercase(),
            filter,
        })
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.site.scheme(), self.name)
    }
}

/// Opens the games of an account: those of an earlier download, then newer ones.
#[cfg(feature = "http")]
pub(crate) fn open(
    account: Account,
    cancel: Option<&centipawn_progress::Cancel>,
) -> impl std::io::Read + Send + 'static {
    let cancel = cancel.map_or_else(
        centipawn_progress::Cancel::new,
        centipawn_progress::Cancel::child,
    );
    let requests = request::Requests::new(account.site, cancel.clone());
    let games: Box<dyn FnMut() -> std::io::Result<Option<Vec<u8>>> + Send> = match account.site {
        Site::Lichess => {
            let mut games = lichess::LichessGames::new(account, requests);
            Box::new(move || games.next())
        }
        Site::ChessCom => {
            let mut games = chesscom::ChessComGames::new(account, requests);
            Box::new(move || games.next())
        }
    };
    centipawn_progress::read_blocks_ahead(cancel, games)
}

#[cfg(test)]
mod tests {
    use super::{filter::AccountColor, *};

    #[test]
    fn accounts_are_parsed() {
        let account = |text| Account::parse(text).unwrap().unwrap();
        let anna = account("lichess:Anna_1");
        assert_eq!(
            (anna.site, &*anna.name, anna.filter),
            (Site::Lichess, "anna_1", Filter::default())
        );
        let all = account(
            "ChessCom:bo-b?since=2026-10&until=2026-10-05&max=50&time-class=blitz,rapid&rated=true&color=white",
        );
        assert_eq!(all.to_string(), "chesscom:bo-b");
        let Filter {
            since,
            until,
            max,
            classes,
            rated,
            color,
        } = all.filter;
        // The beginning of the first of October 2026, and the end of the fifth.
        assert_eq!(
            (since, until),
            (Some(1_790_812_800_000), Some(1_791_244_799_999))
        );
        assert_eq!(
            (max, rated, color),
            (Some(50), Some(true), Some(AccountColor::White))
        );
        assert_eq!(classes, [TimeClass::Blitz, TimeClass::Rapid]);
        for (text, error) in [
            ("lichess:a", "2 to 30 letters"),
            ("lichess:../x", "2 to 30 letters"),
            ("lichess:anna?since=October", "\"October\" is no date"),
            ("lichess:anna?since=2026-13", "\"2026-13\" is no date"),
            (
                "lichess:anna?since=1969",
                "no game on lichess is that old (1969)",
            ),
            ("lichess:anna?max=0", "\"0\" is no value of max"),
            ("chesscom:anna?time-class=fast", "possible is ultrabullet"),
            ("chesscom:anna?vs=bob", "\"vs\" is unknown"),
        ] {
            let found = Account::parse(text).unwrap().unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
        assert_eq!(Account::parse("lichess://x"), None);
        assert_eq!(Account::parse("games/lichess.pgn"), None);
    }
}
