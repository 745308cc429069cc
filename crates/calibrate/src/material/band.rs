//! Separate models for bands of rows: by phase, rating, year, event or player.

use std::{collections::HashMap, fmt, num::NonZeroU16, str::FromStr};

use centipawn_progress::{Cancel, Reporter};
use serde::{Deserialize, Serialize};

use super::{Collection, Fit, FitError, FitOptions, Method, Row, collection::Game, stored};

/// The criterion that divides rows into bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Pieces (knights, bishops, rooks, queens) on the board: opening 11 to 14, middlegame 7 to 10,
    /// endgame at most 6.
    Phase,
    /// The mean rating of both players.
    Elo,
    /// The year in the tag `Date`.
    Year,
    /// The tag `Event`.
    Event,
    /// A player, as White or Black, so each game belongs to two bands.
    Player,
}

impl By {
    /// All criteria.
    pub const ALL: [Self; 5] = [
        Self::Phase,
        Self::Elo,
        Self::Year,
        Self::Event,
        Self::Player,
    ];

    /// Returns the name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Phase => "phase",
            Self::Elo => "elo",
            Self::Year => "year",
            Self::Event => "event",
            Self::Player => "player",
        }
    }

    /// Returns whether the criterion needs the [names](super::CountOptions::names) of events and
    /// players.
    pub fn needs_names(self) -> bool {
        matches!(self, Self::Event | Self::Player)
    }

    /// Returns the default width of a band: 200 Elo points, or 10 years. Criteria without a width
    /// ignore it.
    pub fn usual_width(self) -> u16 {
        if self == Self::Elo { 200 } else { 10 }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for By {
    type Err = UnknownBy;

    fn from_str(name: &str) -> Result<Self, UnknownBy> {
        Self::ALL
            .into_iter()
            .find(|by| by.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownBy(name.to_owned()))
    }
}

/// The text names no criterion for bands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are no bands by {0:?}; bands are by {names}", names = By::ALL.map(By::name).join(", "))]
pub struct UnknownBy(pub String);

/// A band with the model fitted to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Band {
    /// The name of the band: `endgame`, `2400-2599`, `1990-1999`, or that of an event or player.
    pub name: String,
    /// Number of games with rows in the band. The classic method counts games without a result as
    /// drawn; the other methods leave them out.
    pub games: u64,
    /// The model, or the reason why there is none.
    #[serde(with = "stored")]
    pub fit: Result<Fit, FitError>,
}

/// How games are divided into bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandOptions {
    /// The criterion that divides the games.
    pub by: By,
    /// Width of a band in Elo points or years; by default [`By::usual_width`].
    #[serde(default)]
    pub width: Option<NonZeroU16>,
    /// For events or players, the number that get a band, in descending order of games; 10 by
    /// default.
    #[serde(default = "usual_top")]
    pub top: usize,
}

fn usual_top() -> usize {
    10
}

/// The models of all bands of a collection.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bands {
    /// The bands in ascending order; events and players in descending order of games.
    pub bands: Vec<Band>,
    /// Number of events or players without a band, because too many others have more games.
    pub others: u64,
    /// Number of games that belong to no band, because the rating, date or name is missing.
    pub unknown: u64,
}

impl Bands {
    /// Fits a model to each band.
    ///
    /// # Errors
    ///
    /// [`FitError::BareRows`] if the rows come from a file without the criterion;
    /// [`FitError::Cancelled`] soon after `cancel` is set.
    pub fn new(
        collection: &Collection,
        options: &FitOptions,
        BandOptions { by, width, top }: BandOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, FitError> {
        if collection.is_bare {
            return Err(FitError::BareRows { what: by.name() });
        }
        let width = width.map_or(by.usual_width(), NonZeroU16::get);
        let mut games = HashMap::<u32, u64>::new();
        let mut unknown = 0;
        // The same rule as [`Collection::with_results`], without copying the rows.
        let has_result = |game: &Game| options.method == Method::Classic || !game.is_unfinished;
        for (game, rows) in collection
            .each()
            .filter(|(game, rows)| has_result(game) && !rows.is_empty())
        {
            let mut keys: Vec<u32> = match by {
                By::Phase => rows.iter().map(|&row| phase(row)).collect(),
                _ => keys(by, game, width).into_iter().flatten().collect(),
            };
            keys.sort_unstable();
            keys.dedup();
            unknown += u64::from(keys.is_empty());
            keys.into_iter()
                .for_each(|key| *games.entry(key).or_default() += 1);
        }
        let mut order: Vec<(u32, u64)> = games.into_iter().collect();
        order.sort_unstable();
        let mut others = 0;
        if by.needs_names() {
            let name = |key: u32| collection.names.name(key);
            order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| name(a.0).cmp(name(b.0))));
            others = order.len().saturating_sub(top) as u64;
            order.truncate(top);
        }
        let band = |(key, games): (u32, u64)| {
            cancel.check()?;
            let takes = |game: &Game, row| match by {
                By::Phase => phase(row) == key,
                _ => keys(by, game, width).contains(&Some(key)),
            };
            let fit = match Fit::of(collection, options, takes, cancel, reporter) {
                Err(FitError::Cancelled(cancelled)) => return Err(FitError::Cancelled(cancelled)),
                fit => fit,
            };
            Ok(Band {
                name: name(collection, by, key, width),
                games,
                fit,
            })
        };
        Ok(Self {
            bands: order.into_iter().map(band).collect::<Result<_, _>>()?,
            others,
            unknown,
        })
    }
}

/// Returns the keys of the bands to which a game belongs.
fn keys(by: By, game: &Game, width: u16) -> [Option<u32>; 2] {
    let named = |place: u32| (place != 0).then_some(place);
    match by {
        By::Phase => [None; 2],
        By::Elo if game.elo.contains(&0) => [None; 2],
        By::Elo => [
            Some(game.elo.iter().map(|&elo| u32::from(elo)).sum::<u32>() / 2 / u32::from(width)),
            None,
        ],
        By::Year => [(game.year > 0).then(|| u32::from(game.year / width)), None],
        By::Event => [named(game.event), None],
        By::Player => game.players.map(named),
    }
}

/// Returns the phase of a row: 0 opening, 1 middlegame, 2 endgame.
fn phase(row: Row) -> u32 {
    match row.pieces() {
        0..=6 => 2,
        7..=10 => 1,
        _ => 0,
    }
}

fn name(collection: &Collection, by: By, key: u32, width: u16) -> String {
    match by {
        By::Phase => ["opening", "middlegame", "endgame"][key as usize % 3].to_owned(),
        By::Elo | By::Year if width == 1 => key.to_string(),
        By::Elo | By::Year => {
            let first = key * u32::from(width);
            format!("{first}-{}", first + u32::from(width) - 1)
        }
        By::Event | By::Player => collection.names.name(key).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::GameResult;

    #[test]
    fn games_fall_into_bands_by_each_criterion() {
        let game = Game {
            end: 0,
            result: GameResult::Draw,
            is_unfinished: false,
            elo: [2410, 2591],
            year: 1999,
            event: 3,
            players: [5, 0],
            place: (0, 0),
        };
        assert_eq!(keys(By::Elo, &game, 200), [Some(12), None]);
        assert_eq!(keys(By::Year, &game, 10), [Some(199), None]);
        assert_eq!(keys(By::Event, &game, 1), [Some(3), None]);
        assert_eq!(keys(By::Player, &game, 1), [Some(5), None]);
        let unrated = Game {
            elo: [2410, 0],
            year: 0,
            event: 0,
            players: [0, 0],
            ..game
        };
        for by in [By::Elo, By::Year, By::Event, By::Player] {
            assert_eq!(keys(by, &unrated, 10), [None; 2]);
            assert_eq!(by.name().parse(), Ok(by));
        }
        let collection = Collection::default();
        assert_eq!(name(&collection, By::Elo, 12, 200), "2400-2599");
        assert_eq!(name(&collection, By::Year, 199, 10), "1990-1999");
        assert_eq!(name(&collection, By::Year, 1999, 1), "1999");
        let phases = [
            [0, 2, 2, 2, 1],
            [0, 1, 1, 2, 1],
            [0, 0, 1, 1, 1],
            [8, 0, 0, 2, 0],
        ];
        let phases = phases.map(|own: [i8; 5]| phase(Row::bare(own, 2)));
        // Rows of differences count as if Black had no pieces.
        assert_eq!(phases, [1, 2, 2, 2]);
    }
}
