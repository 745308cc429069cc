//! Games of an account on Chess.com, by its published data: a file of games for each month.

use std::{
    collections::VecDeque,
    io::{self, Read as _},
};

use super::{
    Account,
    cache::Kept,
    filter::{end_of, start_of},
    request::{Answer, Requests, Split},
};

/// Bytes of the list of months at most.
const LONGEST_LIST: u64 = 1 << 20;

/// The games of an account, month by month, oldest first.
pub(super) struct ChessComGames {
    account: Account,
    requests: Requests,
    kept: Kept,
    state: State,
}

enum State {
    Start,
    /// Months to read, such as `2026-10`; whether each is over; and the games of the present one.
    Months(VecDeque<(String, bool)>, VecDeque<Vec<u8>>),
}

impl ChessComGames {
    pub(super) fn new(account: Account, requests: Requests) -> Self {
        let kept = Kept::of(account.site, &account.name);
        Self { account, requests, kept, state: State::Start }
    }

    /// The next game that is wanted; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match &mut self.state {
                State::Start => {
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
                    let Some((month, is_over)) = months.pop_front() else { return Ok(None) };
                    let found = self.month(&month, is_over)?;
                    if let State::Months(_, games) = &mut self.state {
                        *games = found;
                    }
                }
            }
        }
    }

    /// The newest games, at most `max`.
    fn newest(&self, mut months: VecDeque<(String, bool)>, max: usize) -> io::Result<VecDeque<Vec<u8>>> {
        let mut found = VecDeque::new();
        while found.len() < max {
            let Some((month, is_over)) = months.pop_back() else { break };
            for game in self.month(&month, is_over)?.into_iter().rev() {
                found.push_front(game);
            }
        }
        found.drain(..found.len().saturating_sub(max));
        Ok(found)
    }

    /// The months with games that can be wanted, oldest first, each with whether it is over.
    fn months(&self) -> io::Result<VecDeque<(String, bool)>> {
        let (name, filter) = (&self.account.name, &self.account.filter);
        let path = format!("/pub/player/{name}/games/archives");
        let mut list = String::new();
        match self.requests.get(&path, name, None)? {
            Answer::Games(body, _) => body.take(LONGEST_LIST).read_to_string(&mut list)?,
            Answer::NotModified => 0,
        };
        // Each address in the list ends with `/games/2026/10`.
        let mut months: Vec<String> =
            list.split("/games/").skip(1).filter_map(|text| Some(text.get(..7)?.replace('/', "-"))).collect();
        months.retain(|month| start_of(month).is_some());
        months.sort();
        months.dedup();
        let newest = months.last().cloned();
        let is_wanted = |month: &String| {
            filter.since.is_none_or(|since| end_of(month).is_some_and(|end| end >= since))
                && filter.until.is_none_or(|until| start_of(month).is_some_and(|start| start <= until))
        };
        // A later month with games shows that a month is over.
        Ok(months.into_iter().filter(is_wanted).map(|month| (month.clone(), Some(month) != newest)).collect())
    }

    /// The wanted games of a month.
    fn month(&self, month: &str, is_over: bool) -> io::Result<VecDeque<Vec<u8>>> {
        let name = &self.account.name;
        let (file, validator, over) = (format!("{month}.pgn"), format!("{month}.etag"), format!("{month}.over"));
        let has_file = self.kept.games(&file).is_some();
        if !(has_file && self.kept.text(&over).is_some()) {
            let known = self.kept.text(&validator).filter(|_| has_file);
            let path = format!("/pub/player/{name}/games/{}/pgn", month.replace('-', "/"));
            if let Answer::Games(mut body, etag) = self.requests.get(&path, name, known.as_deref())? {
                let mut games = Vec::new();
                body.read_to_end(&mut games)?;
                self.kept.write(&file, &games)?;
                self.kept.write(&validator, etag.unwrap_or_default().as_bytes())?;
                if has_file || self.kept.games(&file).is_some() {
                    // Kept, and read again below.
                } else {
                    return self.wanted(Split::new(&*games));
                }
            }
            if is_over {
                self.kept.write(&over, b"")?;
            }
        }
        self.kept.games(&file).map_or_else(|| Ok(VecDeque::new()), |games| self.wanted(games))
    }

    fn wanted<R: io::Read>(&self, mut games: Split<R>) -> io::Result<VecDeque<Vec<u8>>> {
        let mut found = VecDeque::new();
        while let Some(game) = games.next()? {
            if self.account.filter.takes(&String::from_utf8_lossy(&game), &self.account.name) {
                found.push_back(game);
            }
        }
        Ok(found)
    }
}
