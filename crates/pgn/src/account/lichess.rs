//! Games of an account on Lichess, by its interface `/api/games/user/NAME`.
//!
//! Kept are the games that began from some time on, without a gap, oldest first. So a further
//! download asks only for games that began with the newest one or after it, and a download ends at
//! the first game after the time that is wanted. A game that was still running then (correspondence
//! chess) is missing until the folder is deleted.

use std::{collections::VecDeque, fs::File, io, time::Duration};

use ureq::BodyReader;

use super::{
    Account,
    cache::{Kept, Lock},
    filter::{tag, time_of},
    request::{Answer, Requests, Split, is_lasting},
};

/// Number of attempts after a broken connection, if no further game arrives.
const ATTEMPTS: u32 = 4;
/// The earliest time that Lichess accepts: the beginning of 2013.
const FIRST: u64 = 1_356_998_400_070;

/// A file of games, and beside it a file with the time since which the games are complete; 0 for
/// the whole account.
#[derive(Clone, Copy)]
struct Place {
    games: &'static str,
    since: &'static str,
}

const WHOLE: Place = Place {
    games: "games.pgn",
    since: "since",
};
/// A download of games earlier than the kept ones. It replaces them once it is complete.
const PART: Place = Place {
    games: "part.pgn",
    since: "part.since",
};

/// The games of an account, oldest first.
pub(super) struct LichessGames {
    account: Account,
    requests: Requests,
    kept: Kept,
    lock: Option<Lock>,
    place: Place,
    /// The time at which the newest game seen so far began.
    newest: Option<u64>,
    /// The games that began in the same second as the newest one, as [`id`] identifies them.
    same_second: Vec<String>,
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
        Self {
            account,
            requests,
            kept,
            lock: None,
            place: WHOLE,
            newest: None,
            same_second: Vec::new(),
            failures: 0,
            state: State::Start,
        }
    }

    /// Returns the next game that meets the conditions; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let State::Start = self.state {
            self.lock = self.kept.lock(&self.requests)?;
            self.state = match self.account.filter.max {
                Some(max) => State::Ready(self.newest_games(max)?),
                None => self.start()?,
            };
        }
        if let State::Ready(games) = &mut self.state {
            return Ok(games.pop_front());
        }
        while let Some(game) = self.any()? {
            self.requests.check()?;
            if self.takes(&game) {
                return Ok(Some(game));
            }
            // Games are sent in order of time, so all later ones are too late, too.
            if self.is_past(&game) {
                self.state = State::Ready(VecDeque::new());
                break;
            }
        }
        self.lock = None;
        Ok(None)
    }

    fn takes(&self, game: &[u8]) -> bool {
        let game = String::from_utf8_lossy(game);
        self.account
            .filter
            .takes(&game, time_of(&game), &self.account.name)
    }

    /// Returns whether a game began after the requested period.
    fn is_past(&self, game: &[u8]) -> bool {
        let time = time_of(&String::from_utf8_lossy(game));
        self.account
            .filter
            .until
            .is_some_and(|until| time.is_some_and(|time| time > until))
    }

    /// Returns the time from which on a place has all games; `None` if that is unknown.
    fn since_of(&self, place: Place) -> Option<u64> {
        self.kept.text(place.since)?.trim().parse().ok()
    }

    /// Starts with kept games from the requested time on: the complete ones, or those of an
    /// unfinished download.
    fn start(&mut self) -> io::Result<State> {
        let wanted = self.account.filter.since.unwrap_or(0);
        for place in [WHOLE, PART] {
            if self.since_of(place).is_some_and(|since| since <= wanted) {
                self.place = place;
                return Ok(self
                    .kept
                    .games(place.games)?
                    .map_or(State::Ask, State::Kept));
            }
        }
        // Ask first: if the site does not answer, the kept games stay as they are.
        let has_some = self.since_of(WHOLE).is_some();
        self.place = if has_some { PART } else { WHOLE };
        let stream = self.request(&ascending(wanted))?;
        self.kept.write(self.place.games, b"")?;
        self.kept
            .write(self.place.since, wanted.to_string().as_bytes())?;
        Ok(State::Stream(stream))
    }

    /// Returns the next game, whether it meets the conditions or not: first the kept ones, then
    /// newer ones.
    fn any(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match &mut self.state {
                State::Kept(games) => match games.next()? {
                    Some(game) => {
                        self.see(&game);
                        return Ok(Some(game));
                    }
                    None => self.state = State::Ask,
                },
                State::Ask => {
                    // Times have whole seconds, and several games may begin in one second. So ask
                    // from the second of the newest kept game on; `has_seen` skips the games of
                    // this second that are kept already.
                    let from = self
                        .newest
                        .or_else(|| self.since_of(self.place))
                        .unwrap_or(0);
                    if self.account.filter.until.is_some_and(|until| from > until) {
                        return Ok(None);
                    }
                    self.state = State::Stream(self.request(&ascending(from))?);
                }
                State::Stream(games) => match games.next() {
                    Ok(Some(game)) if self.has_seen(&game) => {}
                    Ok(Some(game)) => {
                        self.failures = 0;
                        self.kept.append(self.place.games, &game)?;
                        self.see(&game);
                        return Ok(Some(game));
                    }
                    Ok(None) => {
                        self.finish()?;
                        return Ok(None);
                    }
                    Err(error) if self.failures == ATTEMPTS || is_lasting(&error) => {
                        return Err(error);
                    }
                    Err(_) => {
                        // Lichess may cut a long download. Keep the complete games; the next
                        // request continues after the last of them.
                        self.failures += 1;
                        self.requests
                            .pause(Duration::from_millis(250) * self.failures)?;
                        self.state = State::Ask;
                    }
                },
                State::Start => return Ok(None),
                State::Ready(games) => return Ok(games.pop_front()),
            }
        }
    }

    /// Replaces the games kept before, if this download is complete.
    fn finish(&mut self) -> io::Result<()> {
        if let (true, Some(since)) = (self.place.games == PART.games, self.since_of(PART)) {
            self.kept.rename(PART.games, WHOLE.games)?;
            self.kept.write(WHOLE.since, since.to_string().as_bytes())?;
            self.kept.remove(PART.since);
        }
        Ok(())
    }

    fn see(&mut self, game: &[u8]) {
        let game = String::from_utf8_lossy(game);
        let time = time_of(&game);
        if time.is_none() || time < self.newest {
            return;
        }
        if time > self.newest {
            self.newest = time;
            self.same_second.clear();
        }
        self.same_second.push(id(&game));
    }

    /// Returns whether a game is already kept, among those that began in the second of the newest
    /// kept game.
    fn has_seen(&self, game: &[u8]) -> bool {
        let game = String::from_utf8_lossy(game);
        self.newest.is_some()
            && time_of(&game) == self.newest
            && self.same_second.contains(&id(&game))
    }

    fn request(&self, more: &str) -> io::Result<Split<BodyReader<'static>>> {
        let name = &self.account.name;
        let path = format!("/api/games/user/{name}?clocks=true&evals=true&opening=true{more}");
        match self.requests.get(&path, name, None)? {
            Answer::Games(body, _) => Ok(Split::new(body)),
            Answer::NotModified => Err(io::Error::other("Lichess answers without games")),
        }
    }

    /// Returns the newest games, at most `max`, oldest first. Requests at most twice as many,
    /// except for games that are already kept.
    fn newest_games(&mut self, max: usize) -> io::Result<VecDeque<Vec<u8>>> {
        let filter = self.account.filter.clone();
        if filter.is_narrow() || filter.until.is_some() {
            return self.asked(max, filter.since);
        }
        let wanted_since = filter.since.unwrap_or(0);
        if let (Some(kept_since), Some(mut games)) =
            (self.since_of(WHOLE), self.kept.games(WHOLE.games)?)
        {
            let (mut kept, mut total) = (VecDeque::new(), 0);
            while let Some(game) = games.next()? {
                self.requests.check()?;
                total += 1;
                self.see(&game);
                if self.takes(&game) {
                    kept.push_back(game);
                }
                if kept.len() > max {
                    kept.pop_front();
                }
            }
            if let Some(newest) = self.newest {
                let asked = max + self.same_second.len();
                let mut news = self.asked(asked, Some(newest))?;
                let are_all = news.len() < asked;
                news.retain(|game| !self.has_seen(game));
                if are_all {
                    // Lichess sent all games since the newest kept one, so these continue the kept
                    // games without a gap.
                    news.iter()
                        .try_for_each(|game| self.kept.append(WHOLE.games, game))?;
                    kept.extend(news.into_iter().filter(|game| self.takes(game)));
                    kept.drain(..kept.len().saturating_sub(max));
                    if kept.len() == max || kept_since <= wanted_since {
                        return Ok(kept);
                    }
                } else if total > max {
                    // There may be a gap between the kept games and the new ones, so do not keep
                    // the new games. The kept games are still useful for a run that requests all
                    // games.
                    news.drain(..news.len().saturating_sub(max));
                    return Ok(news.into_iter().filter(|game| self.takes(game)).collect());
                }
            }
        }
        let found = self.asked(max, filter.since)?;
        let oldest = found
            .front()
            .and_then(|game| time_of(&String::from_utf8_lossy(game)));
        // Fewer games than requested means that these are all games since that time.
        let since = if found.len() < max {
            wanted_since
        } else {
            oldest.unwrap_or(wanted_since)
        };
        // A run may end between these writes. The games must never remain with an earlier time,
        // because later runs would assume that all games since that time are kept, and never
        // download the missing ones.
        self.kept.write(WHOLE.since, b"")?;
        self.kept.write(
            WHOLE.games,
            &found.iter().flatten().copied().collect::<Vec<u8>>(),
        )?;
        self.kept.write(WHOLE.since, since.to_string().as_bytes())?;
        Ok(found)
    }

    /// Requests the newest games since a time, at most `max` of those that meet the conditions;
    /// oldest first. If the answer is cut off, the request is repeated.
    fn asked(&self, max: usize, since: Option<u64>) -> io::Result<VecDeque<Vec<u8>>> {
        let filter = &self.account.filter;
        let mut more = format!("&max={max}");
        for (key, value) in [
            ("since", since.map(|since| since.max(FIRST))),
            ("until", filter.until),
        ] {
            more += &value.map_or_else(String::new, |value| format!("&{key}={value}"));
        }
        if !filter.classes.is_empty() {
            let classes: Vec<&str> = filter.classes.iter().map(|class| class.name()).collect();
            more += &format!("&perfType={}", classes.join(","));
        }
        more += &filter
            .rated
            .map_or_else(String::new, |rated| format!("&rated={rated}"));
        more += &filter
            .color
            .map_or_else(String::new, |color| format!("&color={}", color.name()));
        for attempt in 0.. {
            let mut games = self.request(&more)?;
            let mut found = VecDeque::new();
            let end = loop {
                self.requests.check()?;
                match games.next() {
                    Ok(Some(game)) if found.len() < max => found.push_front(game),
                    Ok(_) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            match end {
                Ok(()) => return Ok(found),
                Err(error) if attempt == ATTEMPTS || is_lasting(&error) => return Err(error),
                Err(_) => self
                    .requests
                    .pause(Duration::from_millis(250) * (attempt + 1))?,
            }
        }
        Ok(VecDeque::new())
    }
}

/// Returns the identity of a game: its address, or else its text.
fn id(game: &str) -> String {
    tag(game, "GameId")
        .or_else(|| tag(game, "Site"))
        .unwrap_or(game)
        .to_owned()
}

/// Asks for the games from a time on, oldest first.
fn ascending(since: u64) -> String {
    let since = if since == 0 {
        String::new()
    } else {
        format!("&since={}", since.max(FIRST))
    };
    format!("&sort=dateAsc{since}")
}
