//! The win-draw balance: the evaluation that wins half the time, of each engine in each match.
//!
//! [`Matches::count`] reads games into [`Matches`]; [`Matches::rows`] makes an [`Estimate`] of each engine.
//!
//! Two estimates stand beside each other. The *counting* one is the article's ("Evaluation Relevance Reduction"): an engine that
//! won n games, and whose best own evaluations in the games that it did not win are listed from above, has its balance at the
//! nth of them. It uses each game's highest evaluation only. The *fitted* one is the `a` of the relevance curve that makes the
//! results of all positions likeliest.
//!
//! ```
//! use centipawn_calibrate::balance::{Matches, Options};
//! use centipawn_pgn::{ScanOptions, Sources};
//!
//! # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
//! let sources = Sources::expand(&[games])?;
//! let (matches, _) = Matches::count(&sources, &ScanOptions::default(), &Options::default())?;
//! let row = &matches.rows(100)[0];
//! assert_eq!(row.games, row.wins + row.not_won);
//! assert!(row.highest_not_won >= row.balance);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod estimate;
mod fitted;
mod game;
mod plot;

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

use centipawn_pgn::{Dialect, Merge, Problem, Report, ScanOptions, Sources, scan};

pub use estimate::{Bin, Estimate, Fitted};
use fitted::Positions;
use game::{Counts, Event, Played, played};
pub use game::{GameName, Highest, Listed};
pub use plot::BalancePlot;

/// What games are counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// An engine in an event.
    #[default]
    Event,
    /// An engine in all events.
    Engine,
    /// An engine in a year.
    Year,
    /// An engine against an opponent.
    Opponent,
    /// Players of a band of a hundred points of Elo.
    Elo,
}

impl By {
    /// All of them.
    pub const ALL: [By; 5] = [By::Event, By::Engine, By::Year, By::Opponent, By::Elo];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            By::Event => "event",
            By::Engine => "engine",
            By::Year => "year",
            By::Opponent => "opponent",
            By::Elo => "elo",
        }
    }
}

impl FromStr for By {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|by| by.name() == name)
            .ok_or_else(|| "balances are told by event, engine, year, opponent or elo".to_owned())
    }
}

/// How games are counted.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is counted together.
    pub by: By,
    /// Games that count as drawn whatever their result: one that was adjudicated, say.
    pub not_won: Vec<GameName>,
    /// Games that do not count.
    pub exclude: Vec<GameName>,
    /// Keeps every game that was not won, for [`Estimate::list`].
    pub list: bool,
}

impl Options {
    /// Whether games must be told apart, so that they are kept until all are read.
    fn tells_games_apart(&self) -> bool {
        self.list || !self.not_won.is_empty() || !self.exclude.is_empty()
    }
}

/// Whose games are counted together. What they are not told apart by is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The tag `Event`.
    pub event: Option<String>,
    /// The tag `White` or `Black`.
    pub engine: Option<String>,
    /// Of the tag `Date`.
    pub year: Option<u32>,
    /// The tag `Black` or `White`.
    pub opponent: Option<String>,
    /// The lowest Elo of the band.
    pub elo: Option<u32>,
}

/// Counted games. They [merge](Merge::merge), and what they say does not depend on how they were parted.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    groups: BTreeMap<Key, Group>,
    /// Games in the order of the input that are not counted yet; none but where games are told apart.
    kept: Vec<Counts>,
    /// Games without a result.
    pub unfinished: u64,
    /// Games without an evaluation.
    pub without_evals: u64,
    /// Games left out by name.
    pub excluded: u64,
    /// Games that count as drawn by name.
    pub not_won: u64,
}

/// A key's games.
#[derive(Clone, Debug, Default)]
struct Group {
    games: u64,
    wins: u64,
    /// How many games that were not won had this as the highest own evaluation.
    not_won: BTreeMap<Highest, u64>,
    positions: Positions,
    list: Vec<Listed>,
}

impl Matches {
    /// Reads games on all cores. Every game counts for both its players, each with the evaluations of the own moves.
    ///
    /// An evaluation of a move that ends the game by rule (stalemate, repetition …) is nothing an engine could hope for, and
    /// is left out of the highest ones.
    ///
    /// # Errors
    ///
    /// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
    pub fn count(
        sources: &Sources,
        scan_options: &ScanOptions<'_>,
        options: &Options,
    ) -> Result<(Self, Report), Problem> {
        let apart = options.tells_games_apart();
        let (mut matches, report) = scan(sources, scan_options, Self::default, |matches: &mut Self, game| {
            let dialect = if scan_options.dialect == Dialect::Auto { game.dialect() } else { scan_options.dialect };
            match played(game, dialect, options.by, apart) {
                Played::Unfinished => matches.unfinished += 1,
                Played::WithoutEvals => matches.without_evals += 1,
                Played::Counts(game) if apart => matches.kept.push(*game),
                Played::Counts(game) => matches.add(*game, false),
            }
        })?;
        matches.count_kept(options);
        Ok((matches, report))
    }

    fn add(&mut self, game: Counts, with_list: bool) {
        for side in game.sides {
            let group = self.groups.entry(side.key).or_default();
            group.games += 1;
            group.positions.add(&side.evals, side.score);
            if side.score == 2 {
                group.wins += 1;
                continue;
            }
            *group.not_won.entry(side.listed.highest).or_default() += 1;
            if with_list {
                group.list.push(side.listed);
            }
        }
    }

    /// Counts the games that were kept, now that their numbers are known.
    fn count_kept(&mut self, options: &Options) {
        let kept = std::mem::take(&mut self.kept);
        let mut rounds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for game in &kept {
            rounds.entry(&game.event).or_default().push(&game.round);
        }
        let are_numbers = |rounds: &Vec<&str>| {
            let numbers: Option<BTreeSet<u64>> = rounds.iter().map(|round| round.parse().ok()).collect();
            numbers.is_some_and(|numbers| numbers.len() == rounds.len())
        };
        let numbered: BTreeSet<String> =
            rounds.iter().filter(|(_, rounds)| are_numbers(rounds)).map(|(event, _)| (*event).to_owned()).collect();
        let mut places: BTreeMap<String, u64> = BTreeMap::new();
        for mut game in kept {
            let place = places.entry(game.event.clone()).or_default();
            *place += 1;
            let event = Event { name: &game.event, rounds_are_numbers: numbered.contains(&game.event) };
            let named = |names: &[GameName]| names.iter().any(|name| name.is(&event, *place, &game.round));
            if named(&options.exclude) {
                self.excluded += 1;
                continue;
            }
            if named(&options.not_won) {
                self.not_won += 1;
                game.not_won();
            }
            game.sides.iter_mut().for_each(|side| side.listed.game = *place);
            self.add(game, options.list);
        }
    }

    /// Whether no game counts.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// An estimate for each key, in their order. Games are drawn again `draws` times for the interval of the counting
    /// estimate (the bootstrap; a thousand is usual).
    pub fn rows(&self, draws: usize) -> Vec<Estimate> {
        self.groups.iter().map(|(key, group)| Estimate::new(key, group, draws)).collect()
    }
}

impl Merge for Matches {
    fn merge(&mut self, later: Self) {
        for (key, more) in later.groups {
            let group = self.groups.entry(key).or_default();
            group.games += more.games;
            group.wins += more.wins;
            for (highest, count) in more.not_won {
                *group.not_won.entry(highest).or_default() += count;
            }
            group.positions.merge(&more.positions);
            group.list.extend(more.list);
        }
        self.kept.extend(later.kept);
        self.unfinished += later.unfinished;
        self.without_evals += later.without_evals;
        self.excluded += later.excluded;
        self.not_won += later.not_won;
    }
}
