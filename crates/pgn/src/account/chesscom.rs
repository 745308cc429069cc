//! Games of an account on Chess.com, by its published data: a file of games for each month.

use std::{
    collections::VecDeque,
    fmt,
    io::{self, Read as _},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use centipawn_progress::sha256;

use super::{
    Account,
    cache::{Kept, Lock},
    filter::{end_of, end_time_of, start_of, time_of},
    request::{Answer, Requests, Split, beginning, is_lasting},
};
use crate::PartialDate;

/// Maximum size of the list of months in bytes.
const LONGEST_LIST: u64 = 1 << 20;
/// Number of attempts after a broken connection.
const ATTEMPTS: u32 = 4;
/// The site renews its files once or twice a day: so long after its end a month has all its games,
/// in milliseconds.
const RENEWED: u64 = 2 * 24 * 60 * 60 * 1000;

/// The games of an account, month by month, oldest first.
pub(super) struct ChessComGames {
    account: Account,
    requests: Requests,
    kept: Kept,
    lock: Option<Lock>,
    state: State,
    /// The reason why the site gave no list of months; it follows the games that are kept.
    failure: Option<io::Error>,
}

/// The site's list of months.
#[derive(serde::Deserialize)]
struct List {
    /// Addresses of the months with games; each ends with `/games/2026/10` or the like.
    archives: Vec<String>,
}

enum State {
    Start,
    /// Months to read, such as `2026-10`, and the games of the present one.
    Months(VecDeque<String>, VecDeque<Vec<u8>>),
}

/// The state of the kept games of a month.
#[derive(Debug, Default, PartialEq)]
struct KeptMonth {
    /// The SHA-256 of their file.
    sha256: String,
    /// The ETag of the answer; empty if the answer had no ETag.
    etag: String,
    /// Whether no more games come.
    is_final: bool,
}

impl fmt::Display for KeptMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_final { "final" } else { "open" };
        write!(f, "{}\n{state}\n{}\n", self.sha256, self.etag)
    }
}

impl KeptMonth {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (sha256, state, etag) = (lines.next()?, lines.next()?, lines.next()?);
        Some(Self {
            sha256: sha256.to_owned(),
            etag: etag.to_owned(),
            is_final: state == "final",
        })
    }
}

impl ChessComGames {
    pub(super) fn new(account: Account, requests: Requests) -> Self {
        let kept = Kept::of(account.site, &account.name);
        Self {
            account,
            requests,
            kept,
            lock: None,
            state: State::Start,
            failure: None,
        }
    }

    /// Returns the next game that meets the conditions; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match &mut self.state {
                State::Start => {
                    self.lock = self.kept.lock(&self.requests)?;
                    let months = self.months()?;
                    self.state = match self.account.filter.max {
                        Some(max) => State::Months(VecDeque::new(), self.newest(months, max)?),
                        None => State::Months(months, VecDeque::new()),
                    };
                }
                State::Months(months, games) => {
                    if let Some(game) = games.pop_front() {
                        return Ok(Some(game));
                    }
                    let Some(month) = months.pop_front() else {
                        self.lock = None;
                        return self.failure.take().map_or(Ok(None), Err);
                    };
                    let found = self.month(&month)?;
                    if let State::Months(_, games) = &mut self.state {
                        *games = found;
                    }
                }
            }
        }
    }

    /// Returns the newest games, at most `max`.
    fn newest(&self, mut months: VecDeque<String>, max: usize) -> io::Result<VecDeque<Vec<u8>>> {
        let mut found = VecDeque::new();
        while found.len() < max {
            let Some(month) = months.pop_back() else {
                break;
            };
            for game in self.month(&month)?.into_iter().rev() {
                found.push_front(game);
            }
        }
        found.drain(..found.len().saturating_sub(max));
        Ok(found)
    }

    /// Returns the months that may contain games within the conditions, oldest first. If the site
    /// gives no list, the kept months.
    fn months(&mut self) -> io::Result<VecDeque<String>> {
        let mut months = match self.list() {
            Ok(months) => months,
            Err(error) => {
                self.requests.check()?;
                let kept = self.kept.names().into_iter();
                let kept: Vec<String> = kept
                    .filter_map(|name| Some(name.strip_suffix(".pgn")?.to_owned()))
                    .collect();
                if kept.is_empty() {
                    return Err(error);
                }
                self.failure = Some(error);
                kept
            }
        };
        months.sort();
        months.dedup();

        let filter = &self.account.filter;
        let is_wanted = |month: &String| {
            times_of(month).is_some_and(|(start, end)| {
                filter.since.is_none_or(|since| end >= since)
                    && filter.until.is_none_or(|until| start <= until)
            })
        };
        Ok(months.into_iter().filter(is_wanted).collect())
    }

    /// Returns the site's list of months.
    fn list(&self) -> io::Result<Vec<String>> {
        let name = &self.account.name;
        let mut text = Vec::new();
        match self
            .requests
            .get(&format!("/pub/player/{name}/games/archives"), name, None)?
        {
            Answer::Games(body, _) => body.take(LONGEST_LIST).read_to_end(&mut text)?,
            Answer::NotModified => 0,
        };
        let Ok(List { archives }) = serde_json::from_slice(&text) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "Chess.com's answer is no list of months; it begins with {}",
                    beginning(&text)
                ),
            ));
        };
        let month = |address: &String| Some(address.rsplit_once("/games/")?.1.replace('/', "-"));
        Ok(archives.iter().filter_map(month).collect())
    }

    /// Returns the games of a month that meet the conditions.
    fn month(&self, month: &str) -> io::Result<VecDeque<Vec<u8>>> {
        let (file, state) = (format!("{month}.pgn"), format!("{month}.state"));
        let about = self
            .kept
            .text(&state)
            .and_then(|text| KeptMonth::parse(&text));
        // The hash shows whether this state describes the file: a run may have ended between
        // writing the two, or the file may be damaged.
        let about = about
            .filter(|about| self.kept.sha256(&file).as_ref() == Some(&about.sha256))
            .unwrap_or_default();
        let kept = self.kept.games(&file)?;
        let known = Some(&*about.etag).filter(|etag| !etag.is_empty());
        let new = if self.failure.is_some() || about.is_final {
            None
        } else {
            self.download(month, known)?
        };
        let Some((games, etag)) = new else {
            return kept.map_or_else(|| Ok(VecDeque::new()), |games| self.wanted(month, games));
        };
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        let is_final = times_of(month).is_some_and(|(_, end)| now > u128::from(end + RENEWED));
        let about = KeptMonth {
            sha256: sha256(&games),
            etag: etag.unwrap_or_default(),
            is_final,
        };
        self.kept.write(&file, &games)?;
        self.kept.write(&state, about.to_string().as_bytes())?;
        self.wanted(month, Split::new(&*games))
    }

    /// Downloads the games of a month, each with its blank lines, and the ETag; `None` if it is
    /// still `known`.
    fn download(
        &self,
        month: &str,
        known: Option<&str>,
    ) -> io::Result<Option<(Vec<u8>, Option<String>)>> {
        let name = &self.account.name;
        let path = format!("/pub/player/{name}/games/{}/pgn", month.replace('-', "/"));
        let mut attempt = 0;
        loop {
            let Answer::Games(body, etag) = self.requests.get(&path, name, known)? else {
                return Ok(None);
            };
            let (mut split, mut games) = (Split::new(body), Vec::new());
            let end = loop {
                match split.next() {
                    Ok(Some(game)) => games.extend(game),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            match end {
                Ok(()) => return Ok(Some((games, etag))),
                Err(error) if attempt == ATTEMPTS || is_lasting(&error) => return Err(error),
                Err(_) => {
                    attempt += 1;
                    self.requests.pause(Duration::from_millis(250) * attempt)?;
                }
            }
        }
    }

    /// Returns the games of a month that meet the conditions. The site assigns a game to the month
    /// in which it ended, so use its end as its time: then each game belongs to one month, and no
    /// other month is needed.
    fn wanted<R: io::Read>(
        &self,
        month: &str,
        mut games: Split<R>,
    ) -> io::Result<VecDeque<Vec<u8>>> {
        let mut found = VecDeque::new();
        let (first, last) = times_of(month).unwrap_or((0, u64::MAX));
        while let Some(game) = games.next()? {
            let text = String::from_utf8_lossy(&game);
            let time = end_time_of(&text)
                .or_else(|| time_of(&text))
                .map(|time| time.clamp(first, last));
            if self.account.filter.takes(&text, time, &self.account.name) {
                found.push_back(game);
            }
        }
        Ok(found)
    }
}

/// Returns the first and the last millisecond of a month such as `2026-10`.
fn times_of(month: &str) -> Option<(u64, u64)> {
    let date: PartialDate = month.parse().ok()?;
    Some((start_of(date)?, end_of(date)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_month_is_read_as_written() {
        for (etag, is_final) in [("\"1\"", true), ("W/\"a b\"", false), ("", true)] {
            let about = KeptMonth {
                sha256: sha256(b""),
                etag: etag.to_owned(),
                is_final,
            };
            assert_eq!(KeptMonth::parse(&about.to_string()), Some(about));
        }
        // The state file was truncated.
        assert_eq!(KeptMonth::parse("ba7816\nfinal\n"), None);
    }
}
