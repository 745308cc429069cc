//! Games of an account on Lichess, by its interface `/api/games/user/NAME`.
//!
//! Kept are the games from some time on, without a gap, oldest first. So a further download asks only for later games.

use std::{collections::VecDeque, fs::File, io, time::Duration};

use ureq::BodyReader;

use super::{
    Account,
    cache::Kept,
    filter::{Filter, time_of},
    request::{Answer, Requests, Split},
};

/// The file of games.
const GAMES: &str = "games.pgn";
/// The file with the time from which on the games are kept; 0 for all.
const SINCE: &str = "since";
/// Attempts after a broken connection, if no further game arrives.
const ATTEMPTS: u32 = 4;

/// The games of an account, oldest first.
pub(super) struct LichessGames {
    account: Account,
    requests: Requests,
    kept: Kept,
    /// When the newest game that was seen began.
    newest: Option<u64>,
    failures: u32,
    state: State,
}

enum State {
    Start,
    Kept(Split<File>),
    /// The kept games are read.
    Ask,
    Stream(Split<BodyReader<'static>>),
    /// Games in their order.
    Ready(VecDeque<Vec<u8>>),
}

impl LichessGames {
    pub(super) fn new(account: Account, requests: Requests) -> Self {
        let kept = Kept::of(account.site, &account.name);
        Self { account, requests, kept, newest: None, failures: 0, state: State::Start }
    }

    /// The next game that is wanted; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let (State::Start, Some(max)) = (&self.state, self.account.filter.max) {
            self.state = State::Ready(self.newest_games(max)?);
        }
        if let State::Ready(games) = &mut self.state {
            return Ok(games.pop_front());
        }
        while let Some(game) = self.any()? {
            let text = String::from_utf8_lossy(&game);
            if self.account.filter.takes(&text, &self.account.name) {
                return Ok(Some(game));
            }
        }
        Ok(None)
    }

    /// The next game, wanted or not: first those kept, then those since.
    fn any(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match &mut self.state {
                State::Start => {
                    let since = self.account.filter.since.unwrap_or(0);
                    let is_enough = self.kept_since().is_some_and(|kept| kept <= since);
                    self.state = match self.kept.games(GAMES).filter(|_| is_enough) {
                        Some(games) => State::Kept(games),
                        None => {
                            self.kept.write(GAMES, b"")?;
                            self.kept.write(SINCE, since.to_string().as_bytes())?;
                            State::Ask
                        }
                    };
                }
                State::Kept(games) => match games.next()? {
                    Some(game) => {
                        self.see(&game);
                        return Ok(Some(game));
                    }
                    None => self.state = State::Ask,
                },
                State::Ask => match self.ask()? {
                    Some(games) => self.state = State::Stream(games),
                    None => return Ok(None),
                },
                State::Stream(games) => match games.next() {
                    Ok(Some(game)) => {
                        self.failures = 0;
                        self.kept.append(GAMES, &game)?;
                        self.see(&game);
                        return Ok(Some(game));
                    }
                    Ok(None) => return Ok(None),
                    Err(error) if self.failures == ATTEMPTS => return Err(error),
                    Err(_) => {
                        // What arrived is kept: the rest is asked for.
                        self.failures += 1;
                        self.requests.pause(Duration::from_secs(1 << self.failures.min(4)) / 4)?;
                        self.state = State::Ask;
                    }
                },
                State::Ready(games) => return Ok(games.pop_front()),
            }
        }
    }

    fn kept_since(&self) -> Option<u64> {
        self.kept.text(SINCE)?.trim().parse().ok()
    }

    fn see(&mut self, game: &[u8]) {
        self.newest = time_of(&String::from_utf8_lossy(game)).max(self.newest);
    }

    /// Asks for the games after the newest that is known, oldest first; `None` if none of them can be wanted.
    fn ask(&self) -> io::Result<Option<Split<BodyReader<'static>>>> {
        // Tags count in seconds.
        let since = self.newest.map(|newest| newest + 1000).max(self.account.filter.since);
        if since.zip(self.account.filter.until).is_some_and(|(since, until)| since > until) {
            return Ok(None);
        }
        let since = since.map_or_else(String::new, |since| format!("&since={}", since.max(FIRST)));
        self.request(&format!("&sort=dateAsc{since}")).map(Some)
    }

    fn request(&self, more: &str) -> io::Result<Split<BodyReader<'static>>> {
        let name = &self.account.name;
        let path = format!("/api/games/user/{name}?clocks=true&evals=true&opening=true{more}");
        match self.requests.get(&path, name, None)? {
            Answer::Games(body, _) => Ok(Split::new(body)),
            Answer::NotModified => Err(io::Error::other("Lichess answers without games")),
        }
    }

    /// The newest games, at most `max`, oldest first.
    fn newest_games(&mut self, max: usize) -> io::Result<VecDeque<Vec<u8>>> {
        let Filter { since, until, classes, rated, color, .. } = self.account.filter.clone();
        if self.kept_since().is_some() && self.kept.games(GAMES).is_some() {
            let kept_since = self.kept_since().unwrap_or(0);
            // Games since the last time are added at the end.
            let mut found = VecDeque::new();
            let wanted = self.account.filter.clone();
            self.state = self.kept.games(GAMES).map_or(State::Ask, State::Kept);
            while let Some(game) = self.any()? {
                if wanted.takes(&String::from_utf8_lossy(&game), &self.account.name) {
                    found.push_back(game);
                    if found.len() > max {
                        found.pop_front();
                    }
                }
            }
            if found.len() == max || kept_since <= since.unwrap_or(0) {
                return Ok(found);
            }
        }
        let mut more = format!("&max={max}");
        for (key, value) in [("since", since.map(|since| since.max(FIRST))), ("until", until)] {
            more += &value.map_or_else(String::new, |value| format!("&{key}={value}"));
        }
        if !classes.is_empty() {
            more += &format!("&perfType={}", classes.iter().map(|class| class.name()).collect::<Vec<_>>().join(","));
        }
        more += &rated.map_or_else(String::new, |rated| format!("&rated={rated}"));
        more += &color.map_or_else(String::new, |color| format!("&color={}", color.name()));
        let mut games = self.request(&more)?;
        let mut found = VecDeque::new();
        while let Some(game) = games.next()? {
            found.push_front(game);
        }
        if !self.account.filter.is_narrow() && until.is_none() {
            let oldest = found.front().and_then(|game| time_of(&String::from_utf8_lossy(game)));
            // With fewer games than asked for, there are no earlier ones.
            let kept_since = if found.len() < max { since.unwrap_or(0) } else { oldest.unwrap_or(0) };
            self.kept.write(GAMES, &found.iter().flatten().copied().collect::<Vec<u8>>())?;
            self.kept.write(SINCE, kept_since.to_string().as_bytes())?;
        }
        Ok(found)
    }
}

/// The earliest time that Lichess accepts: the beginning of 2013.
const FIRST: u64 = 1_356_998_400_070;
