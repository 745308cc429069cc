//! Mergeable collections of rows.

use std::{borrow::Cow, collections::HashMap};

use centipawn_core::mix64;
use centipawn_pgn::{Impossible, Merge, ScanReport};
use centipawn_progress::{Cancel, Cancelled};
use serde::{Deserialize, Serialize};

use super::{Method, Row, data::GAMES_BETWEEN_LOOKS, row_features::RowFeatures};

/// The result of a game. The numbers are those of row files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GameResult {
    /// 0 in the article's files.
    BlackWins,
    /// 1 in the article's files.
    Draw,
    /// 2 in the article's files.
    WhiteWins,
}

impl GameResult {
    /// All results in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::BlackWins, Self::Draw, Self::WhiteWins];

    /// Returns White's score, 0, ½ or 1.
    pub fn score(self) -> f64 {
        f64::from(self as u8) / 2.0
    }
}

/// The data of a game besides its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Game {
    /// Index of the row after its last one.
    pub(super) end: usize,
    /// The result; a draw if the game is unfinished.
    pub(super) result: GameResult,
    /// Whether the game has no result.
    #[serde(default)]
    pub(super) is_unfinished: bool,
    /// Elo of White and Black; 0 if it is unknown.
    pub(super) elo: [u16; 2],
    /// Year of the game; 0 if it is unknown.
    pub(super) year: u16,
    /// Index of the event in the names; 0 if it is unknown.
    pub(super) event: u32,
    pub(super) players: [u32; 2],
    /// Index of the game's source among all sources, and the game's offset in it; in files of rows
    /// 0 and the number of the game.
    pub(super) place: (u32, u64),
}

/// The rows of a collection of games.
///
/// Collections of parts of an input [merge](Merge), in order, to the collection of the whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Collection {
    pub(super) rows: Vec<Row>,
    pub(super) games: Vec<Game>,
    pub(super) names: Names,
    /// Whether some rows have only differences of pieces, so that terms and phases are unknown.
    pub(super) is_bare: bool,
    /// Whether some rows have no game number, so that each counts as a game.
    pub(super) is_loose: bool,
    /// Number of games without a result, which are counted as drawn or left out.
    pub(super) unfinished: u64,
    /// The features of the rows besides the pieces.
    #[serde(skip_serializing_if = "RowFeatures::is_empty")]
    pub(super) features: RowFeatures,
}

/// Deserialised form of a [`Collection`], not checked yet.
#[derive(Deserialize)]
struct Unchecked {
    rows: Vec<Row>,
    games: Vec<Game>,
    names: Names,
    is_bare: bool,
    is_loose: bool,
    unfinished: u64,
    #[serde(default)]
    features: RowFeatures,
}

impl TryFrom<Unchecked> for Collection {
    type Error = &'static str;

    fn try_from(
        Unchecked {
            rows,
            games,
            names,
            is_bare,
            is_loose,
            unfinished,
            features,
        }: Unchecked,
    ) -> Result<Self, Self::Error> {
        let is_name = |place: &u32| (*place as usize) < names.list.len();
        let is_sound = games.is_sorted_by_key(|game| game.end)
            && games.last().map_or(0, |game| game.end) == rows.len()
            && games
                .iter()
                .all(|game| is_name(&game.event) && game.players.iter().all(is_name))
            && rows.iter().all(|row| row.is_sound())
            && features.are_of(&rows);
        if is_sound {
            Ok(Self {
                rows,
                games,
                names,
                is_bare,
                is_loose,
                unfinished,
                features,
            })
        } else {
            Err("these rows are not those of these games")
        }
    }
}

/// A game's unique number, its data and its rows.
pub(super) type NumberedGame<'a> = (u64, &'a Game, &'a [Row]);

impl Collection {
    /// Checks a part of a scan against the report of that scan.
    ///
    /// # Errors
    ///
    /// [`Impossible`], if no scan can produce these values.
    pub fn check(&self, report: &ScanReport) -> Result<(), Impossible> {
        Impossible::unless(
            self.games.len() as u64 <= report.games && self.unfinished <= report.games,
            "more games count than were read",
        )?;
        // The position before the first move can be a row too.
        let most = Impossible::sum([report.plies, report.games]);
        Impossible::unless(
            most.is_some_and(|most| self.rows.len() as u64 <= most),
            "more positions count than were read",
        )
    }

    /// Returns the rows of all games.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the number of games with rows.
    pub fn games(&self) -> u64 {
        self.each().filter(|(_, rows)| !rows.is_empty()).count() as u64
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of games without a result. Only the classic method uses them, as drawn
    /// games.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Returns whether rows come from a file without game numbers. Each row then counts as a game,
    /// so standard errors are too small.
    pub fn is_loose(&self) -> bool {
        self.is_loose
    }

    /// Returns the rows of those games that have a result by this method. The classic method counts
    /// games without a result as drawn; the others leave them out.
    pub fn with_results(&self, method: Method) -> Cow<'_, Self> {
        if method == Method::Classic || !self.games.iter().any(|game| game.is_unfinished) {
            return Cow::Borrowed(self);
        }
        let mut finished = Self {
            rows: Vec::new(),
            games: Vec::new(),
            ..self.clone()
        };
        for (game, rows) in self.each().filter(|(game, _)| !game.is_unfinished) {
            finished.rows.extend_from_slice(rows);
            finished.games.push(Game {
                end: finished.rows.len(),
                ..*game
            });
        }
        Cow::Owned(finished)
    }

    /// Sorts the games in the order of the input, as a single pass would give them. Call it after
    /// shards were merged.
    #[must_use]
    pub fn in_input_order(self) -> Self {
        if self.games.is_sorted_by_key(|game| game.place) {
            return self;
        }
        let mut games: Vec<_> = self.each().collect();
        games.sort_by_key(|(game, _)| game.place);
        let places = games
            .iter()
            .flat_map(|(_, rows)| rows.iter().map(|row| row.features));
        let features = self.features.reordered(places);
        let Self {
            is_bare,
            is_loose,
            unfinished,
            ..
        } = self;
        let mut sorted = Self {
            is_bare,
            is_loose,
            unfinished,
            features,
            ..Self::default()
        };
        for (game, rows) in games {
            let first = sorted.rows.len() as u32;
            sorted
                .rows
                .extend((first..).zip(rows).map(|(features, &row)| row.at(features)));
            // Number the names in the order of their first occurrence, as a single pass does.
            let mut name = |place| sorted.names.place(self.names.name(place));
            let (event, players) = (name(game.event), game.players.map(&mut name));
            sorted.games.push(Game {
                end: sorted.rows.len(),
                event,
                players,
                ..*game
            });
        }
        sorted
    }

    /// Returns the games in order, with their rows.
    pub(super) fn each(&self) -> impl Iterator<Item = (&Game, &[Row])> {
        let mut begin = 0;
        self.games.iter().map(move |game| {
            let rows = &self.rows[begin..game.end];
            begin = game.end;
            (game, rows)
        })
    }

    /// Returns the games in an order that does not depend on the input's order, each with a unique
    /// number.
    ///
    /// The number decides in which resamples and folds a game is, so these do not depend on how a
    /// collection was merged from parts.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], soon after `cancel` is set.
    pub(super) fn in_own_order(&self, cancel: &Cancel) -> Result<Vec<NumberedGame<'_>>, Cancelled> {
        let mut games: Vec<_> = self
            .each()
            .filter(|(_, rows)| !rows.is_empty())
            .enumerate()
            .take_while(|(index, _)| index % GAMES_BETWEEN_LOOKS != 0 || !cancel.is_set())
            .map(|(_, game)| game)
            .map(|(game, rows)| {
                let (mut moves, mut rest) = (
                    game.result as u64,
                    u64::from(game.elo[0]) << 16 | u64::from(game.elo[1]),
                );
                for row in rows {
                    // Use only the data that row files also contain, so that a file gives the same
                    // numbers.
                    let difference = row
                        .difference()
                        .into_iter()
                        .fold(0, |sum, count| sum << 8 | u64::from(count as u8));
                    moves = mix64(moves ^ (difference << 16 | u64::from(row.ply)));
                    rest = mix64(rest ^ row.packed());
                    if let Some(structure) = self.features.structure.get(row.features as usize) {
                        let counts = structure
                            .iter()
                            .fold(0_u64, |sum, count| mix64(sum ^ u64::from(*count as u8)));
                        rest = mix64(rest ^ counts);
                    }
                }
                ((moves, rest), game, rows)
            })
            .collect();
        cancel.check()?;
        games.sort_by_key(|(keys, ..)| *keys);
        let (mut last, mut times) = (None, 0);
        let games = games.into_iter().map(|((moves, _), game, rows)| {
            // Games with the same moves, such as short draws, are still different games.
            times = if last == Some(moves) { times + 1 } else { 0 };
            last = Some(moves);
            (mix64(moves ^ mix64(times)), game, rows)
        });
        Ok(games.collect())
    }
}

impl Merge for Collection {
    fn merge(&mut self, later: Self) {
        let places = self.names.merge(&later.names);
        let behind = self.rows.len();
        self.rows.extend(
            later
                .rows
                .into_iter()
                .map(|row| row.at(row.features + behind as u32)),
        );
        self.features.structure.extend(later.features.structure);
        self.games.extend(later.games.into_iter().map(|game| Game {
            end: game.end + behind,
            event: places[game.event as usize],
            players: game.players.map(|player| places[player as usize]),
            ..game
        }));
        self.is_bare |= later.is_bare;
        self.is_loose |= later.is_loose;
        self.unfinished += later.unfinished;
    }
}

/// A list of distinct names. The first one is empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub(super) struct Names {
    list: Vec<String>,
    places: HashMap<String, u32>,
}

impl From<Names> for Vec<String> {
    fn from(names: Names) -> Self {
        names.list
    }
}

impl From<Vec<String>> for Names {
    fn from(list: Vec<String>) -> Self {
        let mut names = Self::default();
        list.iter().for_each(|name| {
            names.place(name);
        });
        names
    }
}

impl Default for Names {
    fn default() -> Self {
        Self {
            list: vec![String::new()],
            places: HashMap::from([(String::new(), 0)]),
        }
    }
}

impl Names {
    pub(super) fn place(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    pub(super) fn name(&self, place: u32) -> &str {
        self.list.get(place as usize).map_or("", String::as_str)
    }

    /// Adds the names of a later list. Returns the new index of each.
    fn merge(&mut self, later: &Self) -> Vec<u32> {
        later.list.iter().map(|name| self.place(name)).collect()
    }
}
