//! The list of a library's games: the lines of the list, and the selection and order of games.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use centipawn_core::History;
use centipawn_judge::Tags;
use centipawn_pgn::{Dialect, Game, Opening, PartialDate, Ply, player_key};
use centipawn_store::{KeptGame, Store, StoreError};
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{player_names, read_kept_game};

/// Version of [`GameLine`] in a store.
const VERSION: u32 = 4;
/// Number of games that are read from the store at once.
const CHUNK: i64 = 1000;
/// Number of games before the last one that are looked at again: on a server, a game may become
/// visible after one with a greater number.
const OVERLAP: i64 = 100;

/// What a list shows of a game.
///
/// ```
/// use centipawn_pgn::Reader;
/// use centipawn_work::library::GameLine;
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

/// A [`GameLine`] in the store.
#[derive(Serialize, Deserialize)]
struct StoredLine {
    version: u32,
    #[serde(flatten)]
    line: GameLine,
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
    /// The games added last come first.
    #[default]
    Added,
    /// The games played last come first, then those without a date.
    Played,
    /// The games reviewed last come first, then those without a review.
    Reviewed,
}

/// A list of all games of a store, in memory. It is read once, and then only what is new.
#[derive(Debug, Default)]
pub struct GameList(Mutex<Lines>);

#[derive(Debug, Default)]
struct Lines {
    /// Lines by the game's number, each with the [`haystack`](GameLine::haystack) of searches.
    lines: BTreeMap<i64, (GameLine, String)>,
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

impl GameList {
    /// Selects the games that match a filter; `reviews` are the newest finished reviews of games,
    /// by game.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn select(
        &self,
        store: &Store,
        filter: &GameFilter,
        reviews: &BTreeMap<i64, i64>,
    ) -> Result<SelectedGames, StoreError> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.refresh(store)?;
        let wanted = Wanted::of(filter);
        let mut games: Vec<i64> = lines.lines.iter().rev().map(|(id, _)| *id).collect();
        games.retain(|id| {
            let (line, haystack) = &lines.lines[id];
            wanted.is(line, haystack)
                && filter
                    .reviewed
                    .is_none_or(|is| reviews.contains_key(id) == is)
        });
        // The sorts are stable, so among equals the game added last comes first.
        match filter.sort {
            GameSort::Added => {}
            GameSort::Played => games.sort_by_key(|id| Reverse(lines.lines[id].0.date)),
            GameSort::Reviewed => games.sort_by_key(|id| Reverse(reviews.get(id).copied())),
        }
        let unreviewed = games
            .iter()
            .filter(|id| lines.lines[*id].0.plies > 0 && !reviews.contains_key(*id))
            .count();
        Ok(SelectedGames {
            games,
            unreviewed,
            all: lines.lines.len(),
        })
    }

    /// Returns the names of players with the numbers of their games, those with the most games
    /// first; `most` at most. Spellings in small and capital letters are one player, shown as in
    /// the oldest game.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn players(&self, store: &Store, most: usize) -> Result<Vec<(String, usize)>, StoreError> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.refresh(store)?;
        let mut counts: BTreeMap<String, (&str, usize)> = BTreeMap::new();
        for (line, _) in lines.lines.values() {
            for name in [&*line.white, &*line.black] {
                counts.entry(player_key(name)).or_insert((name, 0)).1 += 1;
            }
        }
        let mut players: Vec<(&str, usize)> = counts.into_values().collect();
        players.sort_by_key(|(_, games)| Reverse(*games));
        Ok(players
            .into_iter()
            .take(most)
            .map(|(name, games)| (name.to_owned(), games))
            .collect())
    }

    /// Returns the list's lines of these games; games that it lacks are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn lines(&self, store: &Store, games: &[i64]) -> Result<Vec<(i64, GameLine)>, StoreError> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.refresh(store)?;
        Ok(games
            .iter()
            .filter_map(|id| Some((*id, lines.lines.get(id)?.0.clone())))
            .collect())
    }
}

impl Lines {
    /// Reads the games that were added since the last time. Lines that are new are noted in the
    /// store.
    fn refresh(&mut self, store: &Store) -> Result<(), StoreError> {
        let mut last = self
            .lines
            .last_key_value()
            .map_or(0, |(id, _)| (id - OVERLAP).max(0));
        loop {
            let kept = store.games_after(last, CHUNK)?;
            let Some(newest) = kept.last() else {
                return Ok(());
            };
            last = newest.id;
            let mut new = Vec::new();
            for game in kept {
                let id = game.id;
                if self.lines.contains_key(&id) {
                    continue;
                }
                let line = match known(&game) {
                    Some(line) => line,
                    None => {
                        let pgn = match game.pgn {
                            Some(pgn) => Some(pgn),
                            None => store.game(id)?,
                        };
                        // A game that this version cannot read is listed without names.
                        let line = GameLine::of(
                            &read_kept_game(&pgn.unwrap_or_default()).unwrap_or_default(),
                        );
                        let stored = StoredLine {
                            version: VERSION,
                            line,
                        };
                        new.extend(serde_json::to_string(&stored).ok().map(|text| (id, text)));
                        stored.line
                    }
                };
                let haystack = line.haystack();
                self.lines.insert(id, (line, haystack));
            }
            if !new.is_empty() {
                // Ignore the error: the list is correct, and only slower to read the next time.
                let _ = store.note_game_lines(&new);
            }
        }
    }
}

/// Returns the line of a game that has one of this version.
fn known(game: &KeptGame) -> Option<GameLine> {
    let stored: StoredLine = serde_json::from_str(game.line.as_ref()?).ok()?;
    (stored.version == VERSION).then_some(stored.line)
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
    use std::sync::Arc;

    use centipawn_store::Location;

    use super::*;

    fn pgn(
        white: &str,
        black: &str,
        ratings: [u32; 2],
        date: &str,
        time: &str,
        moves: &str,
    ) -> String {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n\
             [TimeControl \"{time}\"]\n\n{moves}\n",
            ratings[0], ratings[1]
        )
    }

    fn store() -> (tempfile::TempDir, Arc<Store>) {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&Location::File(folder.path().join("a.db"))).unwrap());
        for pgn in [
            pgn(
                "Anna",
                "Boris",
                [1500, 1600],
                "2026.10.01",
                "180+2",
                "1. e4 c5 2. Nf3 d6 1-0",
            ),
            pgn(
                "Clara",
                "anna",
                [2100, 1510],
                "2026.10.05",
                "600",
                "1. d4 d5 2. c4 1-0",
            ),
            pgn(
                "Boris",
                "Clara",
                [1600, 2100],
                "2026.??.??",
                "60",
                "1. e4 e5 1/2-1/2",
            ),
            "1. a4 *".to_owned(),
        ] {
            store.keep_game(&pgn).unwrap();
        }
        (folder, store)
    }

    fn found(list: &GameList, store: &Store, filter: &GameFilter) -> Vec<i64> {
        list.select(store, filter, &BTreeMap::from([(2, 7), (1, 9)]))
            .unwrap()
            .games
    }

    #[test]
    fn each_condition_chooses_games() {
        let (_folder, store) = store();
        let list = GameList::default();
        let some = |filter| found(&list, &store, &filter);
        let all = GameFilter::default;
        assert_eq!(some(all()), [4, 3, 2, 1], "the newest comes first");
        let anna = || GameFilter {
            player: " ANNA ".to_owned(),
            ..all()
        };
        assert_eq!(some(anna()), [2, 1]);
        assert_eq!(
            some(GameFilter {
                color: "black".to_owned(),
                ..anna()
            }),
            [2]
        );
        assert_eq!(
            some(GameFilter {
                result: "won".to_owned(),
                ..anna()
            }),
            [1]
        );
        assert_eq!(
            some(GameFilter {
                result: "lost".to_owned(),
                ..anna()
            }),
            [2]
        );
        assert_eq!(
            some(GameFilter {
                rating_from: Some(2000),
                ..anna()
            }),
            [2],
            "the opponent's rating"
        );
        assert_eq!(
            some(GameFilter {
                rating_to: Some(1505),
                ..all()
            }),
            [1]
        );
        assert_eq!(
            some(GameFilter {
                result: "drawn".to_owned(),
                ..all()
            }),
            [3]
        );
        assert_eq!(
            some(GameFilter {
                time_class: "rapid".to_owned(),
                ..all()
            }),
            [2]
        );
        assert_eq!(
            some(GameFilter {
                opening: "sicilian".to_owned(),
                ..all()
            }),
            [1]
        );
        assert_eq!(
            some(GameFilter {
                opening: "D0".to_owned(),
                ..all()
            }),
            [2]
        );
        assert_eq!(
            some(GameFilter {
                search: "boris SICILIAN".to_owned(),
                ..all()
            }),
            [1]
        );
        assert_eq!(
            some(GameFilter {
                since: "2026-10-02".to_owned(),
                ..all()
            }),
            [3, 2],
            "the day of 3 is unknown"
        );
        assert_eq!(
            some(GameFilter {
                until: "2026-10".to_owned(),
                since: "2026-10".to_owned(),
                ..all()
            }),
            [3, 2, 1]
        );
        assert_eq!(
            some(GameFilter {
                since: "2.10.2026".to_owned(),
                until: "31/10/2026".to_owned(),
                ..all()
            }),
            [3, 2]
        );
        assert_eq!(
            some(GameFilter {
                family: "Sicilian Defense".to_owned(),
                ..all()
            }),
            [1]
        );
        assert_eq!(
            some(GameFilter {
                reviewed: Some(true),
                ..all()
            }),
            [2, 1]
        );
        assert_eq!(
            some(GameFilter {
                reviewed: Some(false),
                ..all()
            }),
            [4, 3]
        );
        assert_eq!(
            some(GameFilter {
                sort: GameSort::Played,
                ..all()
            }),
            [2, 1, 3, 4]
        );
        assert_eq!(
            some(GameFilter {
                sort: GameSort::Reviewed,
                ..all()
            }),
            [1, 2, 4, 3]
        );
    }

    #[test]
    fn dates_in_every_writing_are_compared_as_dates() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::File(folder.path().join("a.db"))).unwrap();
        for date in [
            "2021.9.30",
            "2021.10.01",
            "2021.2.3",
            "2020.12.31",
            "2021.09.30",
            "2021-10-05",
        ] {
            store
                .keep_game(&pgn("Anna", "Boris", [1500, 1600], date, "60", "1. e4 *"))
                .unwrap();
        }
        let list = GameList::default();
        let some = |filter| found(&list, &store, &filter);
        let all = GameFilter::default;
        assert_eq!(
            some(GameFilter {
                since: "2021.10.01".to_owned(),
                ..all()
            }),
            [6, 2]
        );
        assert_eq!(
            some(GameFilter {
                until: "2021-09-30".to_owned(),
                ..all()
            }),
            [5, 4, 3, 1]
        );
        assert_eq!(
            some(GameFilter {
                since: "2021.2".to_owned(),
                until: "2021.9.29".to_owned(),
                ..all()
            }),
            [3]
        );
        assert_eq!(
            some(GameFilter {
                sort: GameSort::Played,
                ..all()
            }),
            [6, 2, 5, 1, 3, 4]
        );
        // The page sends filters while the user types.
        assert_eq!(
            some(GameFilter {
                since: "202".to_owned(),
                ..all()
            })
            .len(),
            6
        );
        let dates = list
            .lines(&store, &[1, 6])
            .unwrap()
            .into_iter()
            .filter_map(|(_, line)| Some(line.date?.to_string()));
        assert_eq!(dates.collect::<Vec<_>>(), ["2021.09.30", "2021.10.05"]);
    }

    #[test]
    fn lines_are_noted_and_new_games_are_read() {
        let (_folder, store) = store();
        let list = GameList::default();
        assert_eq!(
            list.select(&store, &GameFilter::default(), &BTreeMap::new())
                .unwrap()
                .all,
            4
        );
        assert!(
            store
                .games_after(0, 10)
                .unwrap()
                .iter()
                .all(|game| game.line.is_some() && game.pgn.is_none())
        );
        let new = store.keep_game("1. h4 *").unwrap();
        assert_eq!(found(&list, &store, &GameFilter::default())[0], new);
        // Another list reads the stored lines instead of the games.
        let [a, b] = [&list, &GameList::default()]
            .map(|list| list.lines(&store, &[1, 2, 3, 4, 99]).unwrap());
        assert_eq!((a.len(), &a), (4, &b));
        // A line of another version is computed again.
        store
            .note_game_lines(&[(1, "{\"version\":0}".to_owned())])
            .unwrap();
        assert_eq!(GameList::default().lines(&store, &[1]).unwrap(), a[..1]);
    }
}
