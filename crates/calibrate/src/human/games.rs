//! Games between humans that are collected for a fit.

use std::collections::BTreeMap;

use centipawn_pgn::{Impossible, Merge, ScanReport};
use serde::{Deserialize, Serialize};

use super::{GameClass, HumanGame};

/// The reason why a game is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeftOut {
    /// It has no evaluation.
    WithoutEvals,
    /// It has no result.
    Unfinished,
    /// It was abandoned, or a player broke the rules.
    Abandoned,
    /// A player is a program.
    Programs,
    /// A rating is missing or not a number from 100 to 5000.
    WithoutRatings,
    /// The ratings differ by more than 300.
    RatingsApart,
    /// The game states no time control, and the options give none for such games.
    WithoutTime,
    /// Each player has more than a day.
    Correspondence,
    /// All evaluations are in the opening or too large.
    NoPosition,
}

impl LeftOut {
    /// A description of such games that follows their number: `12 without evaluations`.
    pub fn name(self) -> &'static str {
        match self {
            Self::WithoutEvals => "without evaluations",
            Self::Unfinished => "without a result",
            Self::Abandoned => "abandoned",
            Self::Programs => "with programs",
            Self::WithoutRatings => "without ratings",
            Self::RatingsApart => "with ratings too far apart",
            Self::WithoutTime => "without a time control",
            Self::Correspondence => "by correspondence",
            Self::NoPosition => "without a position that counts",
        }
    }
}

/// Games between humans with evaluated positions, at most N of each [class](GameClass) of time and
/// rating.
///
/// If a class has more games, the games with the smallest pseudo-random numbers are kept. That
/// choice does not depend on the order of the games, so parts [merge](Merge) to what one pass over
/// all games keeps, and memory is bounded for any number of games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
pub struct HumanGames {
    /// Largest number of games kept of each class.
    per_class: usize,
    /// The kept games of each class, by number.
    kept: BTreeMap<GameClass, BTreeMap<u64, HumanGame>>,
    /// Names of the files that the games are from; empty for files without a name.
    pub sources: Vec<String>,
    /// Number of games that count, kept or not.
    pub games: u64,
    /// Number of positions of those games.
    pub positions: u64,
    /// Number of games left out, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
}

/// Serialised form of [`HumanGames`].
#[derive(Serialize, Deserialize)]
struct Kept {
    per_class: usize,
    kept: Vec<HumanGame>,
    sources: Vec<String>,
    games: u64,
    positions: u64,
    left_out: BTreeMap<LeftOut, u64>,
}

impl From<Kept> for HumanGames {
    fn from(
        Kept {
            per_class,
            kept,
            sources,
            games,
            positions,
            left_out,
        }: Kept,
    ) -> Self {
        let mut all = Self::new(per_class);
        kept.into_iter().for_each(|game| all.add(game));
        Self {
            sources,
            games,
            positions,
            left_out,
            ..all
        }
    }
}

impl From<HumanGames> for Kept {
    fn from(
        HumanGames {
            per_class,
            kept,
            sources,
            games,
            positions,
            left_out,
        }: HumanGames,
    ) -> Self {
        let kept = kept.into_values().flat_map(BTreeMap::into_values).collect();
        Self {
            per_class,
            kept,
            sources,
            games,
            positions,
            left_out,
        }
    }
}

impl HumanGames {
    /// Creates an empty collection that keeps at most `per_class` games of each class.
    pub fn new(per_class: usize) -> Self {
        Self {
            per_class,
            ..Self::default()
        }
    }

    /// Adds a game that counts. If its class is full, the game with the largest number is dropped.
    pub fn add(&mut self, game: HumanGame) {
        self.games += 1;
        self.positions += game.positions.len() as u64;
        self.keep(game);
    }

    /// Counts a game that is left out for this reason.
    pub fn leave_out(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }

    fn keep(&mut self, game: HumanGame) {
        let class = self.kept.entry(game.class()).or_default();
        let is_full = class.len() >= self.per_class;
        if is_full
            && class
                .last_key_value()
                .is_none_or(|(largest, _)| game.number >= *largest)
        {
            return;
        }
        class.insert(game.number, game);
        if class.len() > self.per_class {
            class.pop_last();
        }
    }

    /// The kept games, ordered by class and number.
    pub fn kept(&self) -> impl Iterator<Item = &HumanGame> {
        self.kept.values().flat_map(BTreeMap::values)
    }

    /// Checks a part of a scan against the report of that scan.
    ///
    /// # Errors
    ///
    /// [`Impossible`], if no scan can produce these values.
    pub fn check(&self, report: &ScanReport) -> Result<(), Impossible> {
        let games = Impossible::sum(self.left_out.values().copied().chain([self.games]));
        Impossible::unless(
            games.is_some_and(|games| games <= report.games),
            "more games count than were read",
        )?;
        Impossible::unless(
            self.positions <= report.plies,
            "more positions count than were read",
        )?;
        let kept = Impossible::sum(self.kept().map(|game| game.positions.len() as u64));
        Impossible::unless(
            self.kept().count() as u64 <= self.games
                && kept.is_some_and(|kept| kept <= self.positions),
            "more games or positions are kept than counted",
        )?;
        let is_sound = |game: &HumanGame| {
            let is_rating = |rating: &f64| (0.0..=10_000.0).contains(rating);
            game.half_points <= 2
                && game.ratings.iter().all(is_rating)
                && (0.0..=1e9).contains(&game.seconds)
        };
        Impossible::unless(
            self.kept().all(is_sound),
            "a game has no such result, rating or time",
        )
    }

    /// Appends the games of other files. The file numbers of `later` continue those of `self`.
    pub fn append(&mut self, mut later: Self) {
        let offset = self.sources.len() as u32;
        later
            .kept
            .values_mut()
            .flat_map(BTreeMap::values_mut)
            .for_each(|game| game.source += offset);
        self.sources.append(&mut later.sources);
        self.merge(later);
    }
}

impl Merge for HumanGames {
    fn merge(&mut self, later: Self) {
        self.per_class = self.per_class.max(later.per_class);
        self.games += later.games;
        self.positions += later.positions;
        for (why, count) in later.left_out {
            *self.left_out.entry(why).or_default() += count;
        }
        later
            .kept
            .into_values()
            .flat_map(BTreeMap::into_values)
            .for_each(|game| self.keep(game));
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::{Pool, mix64};

    use super::*;

    fn game(index: u64) -> HumanGame {
        let rating = 1500.0 + 100.0 * (index % 7) as f64;
        HumanGame {
            number: mix64(index),
            source: 0,
            ratings: [rating; 2],
            seconds: 300.0,
            pool: Pool::Unknown,
            players: None,
            half_points: 1,
            positions: Vec::new(),
        }
    }

    #[test]
    fn parts_in_any_order_keep_what_the_whole_keeps() {
        let of = |indices: &mut dyn Iterator<Item = u64>| {
            let mut games = HumanGames::new(10);
            indices.for_each(|index| games.add(game(index)));
            games
        };
        let whole = of(&mut (0..1000));
        assert_eq!((whole.games, whole.kept().count()), (1000, 40));
        let mut parts = of(&mut (600..1000));
        parts.merge(of(&mut (0..300)));
        parts.merge(of(&mut (300..600).rev()));
        assert_eq!(parts, whole);
        let json = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<HumanGames>(&json).unwrap(), whole);
    }

    #[test]
    fn counts_that_no_scan_produces_are_refused() {
        let report = ScanReport {
            games: 4,
            plies: 40,
            ..ScanReport::default()
        };
        let mut games = HumanGames::new(10);
        (0..3).for_each(|index| games.add(game(index)));
        games.leave_out(LeftOut::Programs);
        assert_eq!(games.check(&report), Ok(()));
        let checked = |change: &dyn Fn(&mut HumanGames)| {
            let mut games = games.clone();
            change(&mut games);
            games.check(&report).unwrap_err().to_string()
        };
        let first = |change: fn(&mut HumanGame)| {
            let change = move |games: &mut HumanGames| {
                games
                    .kept
                    .values_mut()
                    .flat_map(BTreeMap::values_mut)
                    .take(1)
                    .for_each(change);
            };
            checked(&change)
        };
        assert!(checked(&|games| games.games = u64::MAX).contains("more games count"));
        assert!(checked(&|games| games.games = 2).contains("are kept"));
        assert!(checked(&|games| games.positions = 41).contains("more positions"));
        assert!(
            checked(&|games| *games.left_out.entry(LeftOut::Programs).or_default() = 5)
                .contains("more games count")
        );
        assert!(first(|game| game.half_points = 3).contains("no such result"));
        assert!(first(|game| game.ratings[1] = -5.0).contains("no such result"));
        assert!(first(|game| game.seconds = -1.0).contains("no such result"));
    }

    #[test]
    fn games_of_other_files_keep_their_file() {
        let mut first = HumanGames::new(5);
        first.sources = vec!["a".to_owned(), "b".to_owned()];
        let mut second = HumanGames::new(5);
        second.sources = vec!["c".to_owned()];
        second.add(game(1));
        first.append(second);
        let sources: Vec<_> = first
            .kept()
            .map(|game| &*first.sources[game.source as usize])
            .collect();
        assert_eq!(sources, ["c"]);
    }
}
