//! The list of a library's games, in memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use centipawn_review::rooms::{GameFilter, GameLine, GameLines, SelectedGames, read_kept_game};
use centipawn_store::{KeptGame, Store, StoreError};
use serde::{Deserialize, Serialize};

/// Version of [`GameLine`] in a store.
const VERSION: u32 = 4;
/// Number of games that are read from the store at once.
const CHUNK: i64 = 1000;
/// Number of games before the last one that are looked at again: on a server, a game may become
/// visible after one with a greater number.
const OVERLAP: i64 = 100;

/// A [`GameLine`] in the store.
#[derive(Serialize, Deserialize)]
struct StoredLine {
    version: u32,
    #[serde(flatten)]
    line: GameLine,
    #[serde(flatten)]
    noted: Noted,
}

/// When the line of a game was first stored. It does not change with the version of the line.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Noted {
    /// Milliseconds since 1970, the same for all games that were read from the store together:
    /// those of one upload. Missing in lines of earlier programs.
    #[serde(default)]
    added: Option<u64>,
}

/// A list of all games of a store, in memory. It is read once, and then only what is new.
#[derive(Debug, Default)]
pub struct GameList(Mutex<Lines>);

#[derive(Debug, Default)]
struct Lines {
    lines: GameLines,
    /// How often games had been deleted when the lines were read.
    deletions: i64,
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
        Ok(lines.lines.select(filter, reviews))
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
        Ok(lines.lines.players(most))
    }

    /// Returns the players whose names are spelled like `name`, as [`players`](Self::players), the
    /// most similar names first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn players_like(
        &self,
        store: &Store,
        name: &str,
        most: usize,
    ) -> Result<Vec<(String, usize)>, StoreError> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.refresh(store)?;
        Ok(lines.lines.players_like(name, most))
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
            .filter_map(|id| Some((*id, lines.lines.get(*id)?.clone())))
            .collect())
    }
}

impl Lines {
    /// Reads the games that were added since the last time. Lines that are new are noted in the
    /// store.
    fn refresh(&mut self, store: &Store) -> Result<(), StoreError> {
        let deletions = store.deletions()?;
        if std::mem::replace(&mut self.deletions, deletions) != deletions {
            self.lines = GameLines::default();
        }
        let mut last = self.lines.last().map_or(0, |id| (id - OVERLAP).max(0));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let now = now.and_then(|since| u64::try_from(since.as_millis()).ok());
        // What is added later never counts as added together with earlier games.
        let now = now.max(self.lines.last_added().map(|before| before + 1));
        loop {
            let kept = store.games_after(last, CHUNK)?;
            let Some(newest) = kept.last() else {
                return Ok(());
            };
            last = newest.id;
            let mut new = Vec::new();
            for game in kept {
                let id = game.id;
                if self.lines.get(id).is_some() {
                    continue;
                }
                let StoredLine { line, noted, .. } = match known(&game) {
                    Some(stored) => stored,
                    None => {
                        // A line of another version keeps the time at which it was added.
                        let noted = game.line.as_deref().map_or(Noted { added: now }, |line| {
                            serde_json::from_str(line).unwrap_or_default()
                        });
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
                            noted,
                        };
                        new.extend(serde_json::to_string(&stored).ok().map(|text| (id, text)));
                        stored
                    }
                };
                self.lines.insert(id, line, noted.added);
            }
            if !new.is_empty() {
                // Ignore the error: the list is correct, and only slower to read the next time.
                let _ = store.note_game_lines(&new);
            }
        }
    }
}

/// Returns the line of a game that has one of this version.
fn known(game: &KeptGame) -> Option<StoredLine> {
    let stored: StoredLine = serde_json::from_str(game.line.as_ref()?).ok()?;
    (stored.version == VERSION).then_some(stored)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use centipawn_review::rooms::GameSort;
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
        assert_eq!(
            some(all()),
            [2, 1, 3, 4],
            "of games that were added together, the one played last comes first"
        );
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
            [2, 3],
            "the day of 3 is unknown"
        );
        assert_eq!(
            some(GameFilter {
                until: "2026-10".to_owned(),
                since: "2026-10".to_owned(),
                ..all()
            }),
            [2, 1, 3]
        );
        assert_eq!(
            some(GameFilter {
                since: "2.10.2026".to_owned(),
                until: "31/10/2026".to_owned(),
                ..all()
            }),
            [2, 3]
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
            [3, 4]
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
            [5, 1, 3, 4]
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

    /// Exports begin with the newest game, so the order in the file is not that of the list.
    #[test]
    fn games_of_one_upload_are_listed_by_date_and_later_uploads_first() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::File(folder.path().join("a.db"))).unwrap();
        let list = GameList::default();
        let add = |date: &str| {
            let game = pgn("Anna", "Boris", [1500, 1600], date, "60", "1. e4 *");
            store.keep_game(&game).unwrap()
        };
        let [november, october] = ["2026.11.02", "2026.10.30"].map(add);
        let all = GameFilter::default();
        assert_eq!(found(&list, &store, &all), [november, october]);
        let old = add("1999.01.01");
        assert_eq!(found(&list, &store, &all), [old, november, october]);
        // The times are in the store, also after a line was computed again.
        store
            .note_game_lines(&[(october, "{\"version\":0,\"added\":1}".to_owned())])
            .unwrap();
        let again = GameList::default();
        assert_eq!(found(&again, &store, &all), [old, november, october]);
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
