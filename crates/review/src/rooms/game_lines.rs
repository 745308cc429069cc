//! The lines of a list of games, and the selection and order of games.

use std::{cmp::Reverse, collections::BTreeMap};

use centipawn_core::History;
use centipawn_judge::Tags;
use centipawn_pgn::{Dialect, Game, Opening, PartialDate, Ply, player_key};
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::player_names;

/// Minimum similarity (Jaro and Winkler) of names that are spelled like another one.
const SIMILAR: f64 = 0.85;
/// Minimum length of a part of a name that is like the whole name.
const SHORTEST_PART: usize = 4;

/// What a list shows of a game.
///
/// ```
/// use centipawn_pgn::Reader;
/// use centipawn_review::rooms::GameLine;
///
/// let pgn = "[White \"Anna\"]\n[TimeControl \"300+3\"]\n\n1. e4 e5 1/2-1/2\n";
/// let line = GameLine::of(&Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap());
/// assert_eq!((&*line.white, line.time_class.as_deref(), line.plies), ("Anna", Some("blitz"), 2));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GameLine {
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// White's rating, if the game has it.
    pub white_rating: Option<u32>,
    /// Black's rating, if the game has it.
    pub black_rating: Option<u32>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// Event, site and date, as far as the game has them.
    pub occasion: String,
    /// The date as far as the game has it: `1858`, `2021.10.01`.
    #[schema(value_type = Option<String>)]
    pub date: Option<PartialDate>,
    /// `ultraBullet`, `bullet`, `blitz`, `rapid`, `classical` or `correspondence`; `None` if the
    /// game states no time.
    pub time_class: Option<String>,
    /// Code and name of the opening.
    pub opening: Option<String>,
    /// The family of the opening in our table: `Sicilian Defense`.
    pub family: Option<String>,
    /// Half-moves.
    pub plies: usize,
    /// Half-moves whose evaluation the game has in its comments.
    pub evaluated: usize,
}

impl GameLine {
    /// Returns what a list shows of `game`.
    pub fn of(game: &Game) -> Self {
        let tags = Tags::of(&game.headers);
        let dialect = Dialect::detect([game]);
        let has_eval =
            |(before, ply): &(History, &Ply)| ply.annotation(dialect, before.turn()).eval.is_some();
        let [white, black] = player_names(game);
        let opening = Opening::of(game);
        Self {
            white,
            black,
            white_rating: tags.rating(Color::White),
            black_rating: tags.rating(Color::Black),
            result: game.result.to_string(),
            occasion: tags.occasion(),
            date: tags.date(),
            time_class: game.time_class().map(|class| class.name().to_owned()),
            opening: tags.opening(opening),
            family: opening
                .and_then(|opening| opening.name.split(':').next())
                .map(ToOwned::to_owned),
            plies: game.plies.len(),
            evaluated: game.mainline().filter(has_eval).count(),
        }
    }

    /// Returns the color of a player; `None` if the player takes no part.
    pub fn color_of(&self, player: &str) -> Option<Color> {
        let player = player_key(player);
        let is = |name: &str| player_key(name) == player;
        if is(&self.white) {
            Some(Color::White)
        } else {
            is(&self.black).then_some(Color::Black)
        }
    }

    fn rating(&self, color: Color) -> Option<u32> {
        color.fold_wb(self.white_rating, self.black_rating)
    }

    /// Returns the text in which a search looks for its words, in lower case.
    fn haystack(&self) -> String {
        let parts = [
            &*self.white,
            &*self.black,
            &*self.occasion,
            self.opening.as_deref().unwrap_or_default(),
        ];
        parts.join("\n").to_lowercase()
    }
}

/// Which games of a list are wanted, and in which order. Empty conditions are met by every game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[derive(utoipa::ToSchema)]
pub struct GameFilter {
    /// Words that all occur in the names, the occasion or the opening.
    pub search: String,
    /// The name of a player who takes part.
    pub player: String,
    /// `white` or `black`: the color of that player.
    pub color: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`; of that player, `won`, `lost` or `drawn`.
    pub result: String,
    /// First day: `2026`, `2026.10` or `2026.10.01`; a hyphen may stand for the dot.
    pub since: String,
    /// Last day, written in the same way.
    pub until: String,
    /// Class of the time control: `blitz`.
    pub time_class: String,
    /// The beginning of the opening's code or name: `B9`, `Sicilian`.
    pub opening: String,
    /// The family of the opening, exactly: `Sicilian Defense`.
    pub family: String,
    /// Lowest rating of that player's opponent; without a player, of either side.
    pub rating_from: Option<u32>,
    /// Highest rating.
    pub rating_to: Option<u32>,
    /// Whether a finished review is in the store; `None` for all games.
    pub reviewed: Option<bool>,
    /// The order.
    pub sort: GameSort,
}

/// The order of a list of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum GameSort {
    /// The games added last come first; of games that were added together, those played last.
    #[default]
    Added,
    /// The games played last come first, then those without a date.
    Played,
    /// The games reviewed last come first, then those without a review.
    Reviewed,
}

/// Numbers of the games that match a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedGames {
    /// Their numbers, in the order of the filter.
    pub games: Vec<i64>,
    /// Number of these games that have moves but no finished review.
    pub unreviewed: usize,
    /// Number of games of the whole list.
    pub all: usize,
}

/// The lines of all games of a list.
#[derive(Clone, Debug, Default)]
pub struct GameLines {
    /// Lines by the game's number.
    lines: BTreeMap<i64, ListedLine>,
}

#[derive(Clone, Debug)]
struct ListedLine {
    line: GameLine,
    /// The [`haystack`](GameLine::haystack) of searches.
    haystack: String,
    /// When it was added, as far as that is known.
    added: Option<u64>,
}

impl ListedLine {
    /// Returns the key of [`GameSort::Added`]. Exports of Lichess and Chess.com begin with the
    /// newest game, so among games that were added together the date decides.
    fn added_key(&self) -> (Option<u64>, Option<PartialDate>) {
        (self.added, self.added.and(self.line.date))
    }
}

impl GameLines {
    /// Adds the line of a game, or replaces it. `added` is the time at which the game was added,
    /// the same for all games of one upload; `None` if it is unknown.
    pub fn insert(&mut self, id: i64, line: GameLine, added: Option<u64>) {
        let haystack = line.haystack();
        let listed = ListedLine {
            line,
            haystack,
            added,
        };
        self.lines.insert(id, listed);
    }

    /// Removes the line of a game.
    pub fn remove(&mut self, id: i64) {
        self.lines.remove(&id);
    }

    /// Returns the line of a game.
    pub fn get(&self, id: i64) -> Option<&GameLine> {
        self.lines.get(&id).map(|listed| &listed.line)
    }

    /// Returns the time at which the game with the greatest number was added.
    pub fn last_added(&self) -> Option<u64> {
        self.lines
            .last_key_value()
            .and_then(|(_, listed)| listed.added)
    }

    /// Returns the greatest number of a game.
    pub fn last(&self) -> Option<i64> {
        self.lines.last_key_value().map(|(id, _)| *id)
    }

    /// Selects the games that match a filter; `reviews` are the newest finished reviews of games,
    /// by game.
    pub fn select(&self, filter: &GameFilter, reviews: &BTreeMap<i64, i64>) -> SelectedGames {
        let wanted = Wanted::of(filter);
        let mut games: Vec<i64> = self.lines.iter().rev().map(|(id, _)| *id).collect();
        games.retain(|id| {
            let ListedLine { line, haystack, .. } = &self.lines[id];
            wanted.is(line, haystack)
                && filter
                    .reviewed
                    .is_none_or(|is| reviews.contains_key(id) == is)
        });
        // The sorts are stable, so among equals the game added last comes first.
        match filter.sort {
            GameSort::Added => games.sort_by_key(|id| Reverse(self.lines[id].added_key())),
            GameSort::Played => games.sort_by_key(|id| Reverse(self.lines[id].line.date)),
            GameSort::Reviewed => games.sort_by_key(|id| Reverse(reviews.get(id).copied())),
        }
        let unreviewed = games
            .iter()
            .filter(|id| self.lines[*id].line.plies > 0 && !reviews.contains_key(*id))
            .count();
        SelectedGames {
            games,
            unreviewed,
            all: self.lines.len(),
        }
    }

    /// Returns the names of players with the numbers of their games, those with the most games
    /// first; `most` at most. Spellings in small and capital letters are one player, shown as in
    /// the oldest game.
    pub fn players(&self, most: usize) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<String, (&str, usize)> = BTreeMap::new();
        for ListedLine { line, .. } in self.lines.values() {
            for name in [&*line.white, &*line.black] {
                counts.entry(player_key(name)).or_insert((name, 0)).1 += 1;
            }
        }
        let mut players: Vec<(&str, usize)> = counts.into_values().collect();
        players.sort_by_key(|(_, games)| Reverse(*games));
        players
            .into_iter()
            .take(most)
            .map(|(name, games)| (name.to_owned(), games))
            .collect()
    }

    /// Returns the players whose names are spelled like `name`, with the numbers of their games,
    /// the most similar names first; `most` at most.
    pub fn players_like(&self, name: &str, most: usize) -> Vec<(String, usize)> {
        let wanted = player_key(name);
        let similarity = |key: &str| {
            // A part of a name is like the whole one, as `anna` and `anna_k`.
            let is_part = wanted.len().min(key.len()) >= SHORTEST_PART
                && (key.contains(&*wanted) || wanted.contains(key));
            if is_part {
                1.0
            } else {
                strsim::jaro_winkler(key, &wanted)
            }
        };
        let players = self.players(usize::MAX).into_iter();
        let mut similar: Vec<(f64, (String, usize))> = players
            .map(|player| (similarity(&player_key(&player.0)), player))
            .filter(|(similarity, _)| *similarity >= SIMILAR)
            .collect();
        // The sort is stable, so of names that are equally similar the one with most games is
        // first.
        similar.sort_by(|a, b| b.0.total_cmp(&a.0));
        similar
            .into_iter()
            .take(most)
            .map(|(_, player)| player)
            .collect()
    }
}

/// A filter, ready to be compared with many games.
struct Wanted<'a> {
    filter: &'a GameFilter,
    words: Vec<String>,
    since: Option<PartialDate>,
    until: Option<PartialDate>,
    opening: String,
}

impl<'a> Wanted<'a> {
    fn of(filter: &'a GameFilter) -> Self {
        Self {
            filter,
            words: filter
                .search
                .to_lowercase()
                .split_whitespace()
                .map(ToOwned::to_owned)
                .collect(),
            // The page sends the filter while the user types, so ignore a date that is not complete
            // yet.
            since: PartialDate::read(&filter.since),
            until: PartialDate::read(&filter.until),
            opening: filter.opening.trim().to_lowercase(),
        }
    }

    fn is(&self, line: &GameLine, haystack: &str) -> bool {
        let filter = self.filter;
        let player = filter.player.trim();
        let color = if player.is_empty() {
            None
        } else {
            line.color_of(player)
        };
        if !player.is_empty() && color.is_none() {
            return false;
        }
        let is_color = match &*filter.color {
            "white" => color != Some(Color::Black),
            "black" => color != Some(Color::White),
            _ => true,
        };
        is_color
            && self.words.iter().all(|word| haystack.contains(word))
            && is_result(&filter.result, &line.result, color)
            && self.is_in_time(line.date)
            && (filter.time_class.is_empty()
                || line.time_class.as_deref() == Some(&*filter.time_class))
            && self.is_opening(line.opening.as_deref())
            && (filter.family.is_empty() || line.family.as_deref() == Some(&*filter.family))
            && self.is_rated(line, color)
    }

    /// Returns whether a date may lie in the period: `2026` may be any day of that year.
    fn is_in_time(&self, date: Option<PartialDate>) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Some(date) = date else { return false };
        self.since
            .is_none_or(|since| date.last_day() >= since.first_day())
            && self
                .until
                .is_none_or(|until| date.first_day() <= until.last_day())
    }

    fn is_opening(&self, opening: Option<&str>) -> bool {
        if self.opening.is_empty() {
            return true;
        }
        let Some(opening) = opening.map(str::to_lowercase) else {
            return false;
        };
        let name = opening.split_once(' ').map_or("", |(_, name)| name);
        opening.starts_with(&self.opening) || name.starts_with(&self.opening)
    }

    fn is_rated(&self, line: &GameLine, color: Option<Color>) -> bool {
        let (from, to) = (self.filter.rating_from, self.filter.rating_to);
        if from.is_none() && to.is_none() {
            return true;
        }
        let is_wanted = |color: Color| {
            let rating = line.rating(color);
            rating.is_some_and(|rating| {
                from.is_none_or(|from| rating >= from) && to.is_none_or(|to| rating <= to)
            })
        };
        color.map_or_else(
            || Color::ALL.into_iter().any(is_wanted),
            |color| is_wanted(!color),
        )
    }
}

fn is_result(wanted: &str, result: &str, color: Option<Color>) -> bool {
    let own = |white: &str, black: &str| match color {
        Some(color) => result == color.fold_wb(white, black),
        None => false,
    };
    match wanted {
        "" => true,
        "won" => own("1-0", "0-1"),
        "lost" => own("0-1", "1-0"),
        "drawn" => result == "1/2-1/2",
        exact => result == exact,
    }
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::Reader;

    use super::*;

    #[test]
    fn similar_names_are_found_the_most_similar_first() {
        let mut lines = GameLines::default();
        let pairs = [
            ("Karlo1650", "Anna"),
            ("Carlo1650", "Boris"),
            ("Karlo1650", "Clara"),
        ];
        for (id, (white, black)) in (1..).zip(pairs) {
            let pgn = format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 *\n");
            let game = Reader::new(pgn.as_bytes()).next().unwrap().unwrap();
            lines.insert(id, GameLine::of(&game.unwrap()), None);
        }
        let like = |name| lines.players_like(name, 5);
        assert_eq!(
            like("karlo"),
            [("Karlo1650".to_owned(), 2)],
            "a part of the name"
        );
        assert_eq!(
            like("Karlo1651"),
            [("Karlo1650".to_owned(), 2), ("Carlo1650".to_owned(), 1)]
        );
        assert!(like("Dora").is_empty() && like("").is_empty());
    }
}
