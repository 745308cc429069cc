//! The win-draw balance of each engine in each match: the evaluation, in pawns, with which half of
//! the games are won.
//!
//! [`Matches::count`] counts games into [`Matches`]; [`Matches::rows`] estimates a
//! [`BalanceEstimate`] for each engine.
//!
//! There are two estimates. The *counting* one is the article's ("Evaluation Relevance Reduction"):
//! for an engine that won n games, take its highest own evaluation in each game that it did not
//! win; the nth highest of these is its balance. It uses one evaluation of each game only. The
//! *fitted* one is the `a` of the relevance curve under which the results of all positions are most
//! likely.
//!
//! ```
//! use centipawn_calibrate::balance::{BalanceOptions, Bootstrap, Matches};
//! use centipawn_pgn::{ScanOptions, Sources};
//! use centipawn_progress::{Cancel, Silent};
//!
//! # let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/selfplay.pgn.gz");
//! let sources = Sources::expand(&[games])?;
//! let (matches, _) = Matches::count(&sources, &ScanOptions::default(), &BalanceOptions::default())?;
//! let row = &matches.rows(Bootstrap { resamples: 100, ..Bootstrap::default() }, &Cancel::new(), &Silent)?[0];
//! assert_eq!(row.games, row.wins + row.not_won);
//! assert!(row.highest_not_won >= row.balance);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod contempt;
mod documents;
mod estimate;
mod fitted;
mod game;
mod plot;
mod sound;
mod stretched;

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    str::FromStr,
};

use centipawn_core::{Eval, White};
use centipawn_pgn::{
    Dialect, Game, GameView, Merge, ScanOptions, ScanReport, Sources, Unreadable, scan,
};
use centipawn_progress::{Cancel, Cancelled, Progress, Reporter, Unit, is_neutral};
use serde::{Deserialize, Serialize};

use contempt::contempt;
pub use documents::{
    BalanceDocument, BalanceRowDocument, BinDocument, ListedDocument, StretchedDocument,
};
pub use estimate::{BalanceEstimate, Bin, Fitted};
use fitted::Positions;
use game::{Analysed, Annotated, Counts, Event, Played, played};
pub use game::{GameName, Highest, Listed};
pub use plot::BalancePlot;
pub use stretched::Stretched;

use crate::{OutOfRange, out_of_range::check_resamples};

/// Smaller evaluations, in centipawns, hardly predict the result, so they are ignored when the
/// point of view is checked.
const LEAST: i32 = 50;

/// Fewest evaluations of a side needed to check their point of view.
const FEWEST: u64 = 200;

/// If a smaller share of a side's evaluations agrees with the results, they are probably not from
/// the side's own view, and a warning says so.
const BORNE_OUT: f64 = 0.5;

/// How games are grouped. Each group gets one estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// One group for each engine in each event.
    #[default]
    Event,
    /// One group for each engine, over all events.
    Engine,
    /// One group for each engine in each year.
    Year,
    /// One group for each engine against each opponent.
    Opponent,
    /// One group for each band of a hundred Elo points of the player.
    Elo,
}

impl By {
    /// All groupings.
    pub const ALL: [By; 5] = [By::Event, By::Engine, By::Year, By::Opponent, By::Elo];

    /// Returns the grouping's name on the command line.
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
            .ok_or_else(|| {
                "balances are grouped by event, engine, year, opponent or elo".to_owned()
            })
    }
}

/// Options of counting: the grouping, and exceptions for single games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BalanceOptions {
    /// How games are grouped; by default by engine and event.
    pub by: By,
    /// Games that count as drawn whatever their result, for instance because they were adjudicated.
    /// None by default.
    pub not_won: Vec<GameName>,
    /// Games that are left out; none by default.
    pub exclude: Vec<GameName>,
    /// Whether to keep every game not won, for [`BalanceEstimate::list`]; false by default.
    pub list: bool,
    /// Whether to fit the stretched curve, for [`BalanceEstimate::stretched`]; false by default. It
    /// keeps the evaluations of each game.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fit: bool,
}

impl BalanceOptions {
    /// Returns whether games must be kept until all are read. Options that name single games or
    /// list them need each game's number in its event, which is known only then.
    fn distinguishes_games(&self) -> bool {
        self.list || !self.not_won.is_empty() || !self.exclude.is_empty()
    }
}

/// The group that a game is counted in. Fields that do not divide the games are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BalanceKey {
    /// The tag `Event`.
    pub event: Option<String>,
    /// The tag `White` or `Black`.
    pub engine: Option<String>,
    /// The year of the tag `Date`.
    pub year: Option<u32>,
    /// The tag `Black` or `White`.
    pub opponent: Option<String>,
    /// The lowest Elo of the band of a hundred points.
    pub elo: Option<u32>,
}

/// Counted games. Parts of the same input [merge](Merge::merge) to the same result however the
/// input was divided; call [`finish`](Self::finish) after the last merge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Matches {
    #[serde(with = "pairs")]
    groups: BTreeMap<BalanceKey, Group>,
    /// Games not counted yet; empty unless options name single games or list them.
    kept: Vec<Counts>,
    /// Number of games without a result.
    pub unfinished: u64,
    /// Number of games without an evaluation.
    pub without_evals: u64,
    /// Number of games left out by name.
    pub excluded: u64,
    /// Number of games counted as drawn by name.
    pub not_won: u64,
    /// Number of games that name a setting of contempt in a tag or a comment, by the setting
    /// (`Contempt=24`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contempt: BTreeMap<String, u64>,
}

/// Counts of the games in one group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Group {
    games: u64,
    wins: u64,
    /// Number of games not won, by the highest own evaluation.
    #[serde(with = "pairs")]
    not_won: BTreeMap<Highest, u64>,
    positions: Positions,
    /// For White's and Black's side: number of own evaluations in decided games that agree with the
    /// result, and of those that do not.
    borne_out: [[u64; 2]; 2],
    list: Vec<Listed>,
    /// Evaluations in centipawns of each game, with the side's score in half points, if the options
    /// ask for the stretched curve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    by_game: Vec<(u8, Vec<i32>)>,
}

impl Group {
    fn merge(&mut self, more: &Self) {
        self.games += more.games;
        self.wins += more.wins;
        for (highest, count) in &more.not_won {
            *self.not_won.entry(*highest).or_default() += count;
        }
        self.positions.merge(&more.positions);
        for (own, more) in self
            .borne_out
            .iter_mut()
            .flatten()
            .zip(more.borne_out.iter().flatten())
        {
            *own = own.saturating_add(*more);
        }
        self.list.extend_from_slice(&more.list);
        self.by_game.extend_from_slice(&more.by_game);
    }
}

/// Serialises maps whose keys are not strings as lists of pairs.
pub(crate) mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(crate) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Vec::<(K, V)>::deserialize(deserializer).map(|pairs| pairs.into_iter().collect())
    }
}

/// Options of the bootstrap intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bootstrap {
    /// Number of resamples of the games; 1,000 by default, 0 for no intervals.
    pub resamples: usize,
    /// Seed of the random numbers; 0 by default.
    pub seed: u64,
}

impl Bootstrap {
    /// Checks the number of resamples, which may be at most 10,000.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`], if there are more resamples.
    pub fn check(&self) -> Result<(), OutOfRange> {
        check_resamples(self.resamples, 10_000)
    }
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self {
            resamples: 1000,
            seed: 0,
        }
    }
}

impl Matches {
    /// Counts games on all cores. Every game counts for both players, each with the evaluations of
    /// that player's own moves.
    ///
    /// An evaluation on a move that ends the game by rule (stalemate, repetition …) cannot lead to
    /// a win any more, so it does not count as a game's highest.
    ///
    /// # Errors
    ///
    /// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
    pub fn count(
        sources: &Sources,
        scan_options: &ScanOptions<'_>,
        options: &BalanceOptions,
    ) -> Result<(Self, ScanReport), Unreadable> {
        let (mut matches, report) = Self::count_part(sources, scan_options, options)?;
        matches.finish(options);
        Ok((matches, report))
    }

    /// Like [`count`](Self::count), for one [shard](ScanOptions::shard) of the games. Merge the
    /// parts of all shards, then call [`finish`](Self::finish).
    ///
    /// # Errors
    ///
    /// Those of [`scan`].
    pub fn count_part(
        sources: &Sources,
        scan_options: &ScanOptions<'_>,
        options: &BalanceOptions,
    ) -> Result<(Self, ScanReport), Unreadable> {
        scan(
            sources,
            scan_options,
            Self::default,
            |matches: &mut Self, game| {
                matches.add_view(game, scan_options.dialect, options);
            },
        )
    }

    /// Counts a game with the evaluations of its comments. Options that name or list single games
    /// keep it aside until [`finish`](Self::finish).
    pub(crate) fn add_view(
        &mut self,
        game: &GameView<'_>,
        dialect: Dialect,
        options: &BalanceOptions,
    ) {
        let (by, apart) = (options.by, options.distinguishes_games());
        let dialect = if dialect == Dialect::Auto {
            game.dialect()
        } else {
            dialect
        };
        for setting in contempt(game) {
            *self.contempt.entry(setting).or_default() += 1;
        }
        let played = played(&Annotated { game, dialect }, by, apart);
        self.add_played(played, options);
    }

    /// Counts a game that an engine has evaluated. `evals` holds, in order, the index of a ply and
    /// the evaluation of the position before it; `source` is the index of the game's file among all
    /// files. Call [`finish`](Self::finish) after the last game.
    pub fn add_evaluated(
        &mut self,
        game: &Game,
        evals: &[(usize, Eval<White>)],
        source: usize,
        options: &BalanceOptions,
    ) {
        let apart = options.distinguishes_games();
        self.add_played(
            played(
                &Analysed {
                    game,
                    evals,
                    source,
                },
                options.by,
                apart,
            ),
            options,
        );
    }

    fn add_played(&mut self, played: Played, options: &BalanceOptions) {
        match played {
            Played::Unfinished => self.unfinished += 1,
            Played::WithoutEvals => self.without_evals += 1,
            Played::Counts(game) if options.distinguishes_games() => self.kept.push(*game),
            Played::Counts(game) => self.add(*game, options),
        }
    }

    fn add(&mut self, game: Counts, options: &BalanceOptions) {
        for side in game.sides {
            let group = self.groups.entry(side.key).or_default();
            let own = &mut group.borne_out[side.listed.color.fold_wb(0, 1)];
            for eval in side
                .evals
                .iter()
                .filter(|eval| side.score != 1 && eval.abs() >= LEAST)
            {
                own[usize::from((*eval > 0) != (side.score == 2))] += 1;
            }
            group.games += 1;
            group.positions.add(&side.evals, side.score);
            if options.fit {
                group.by_game.push((side.score, side.evals));
            }
            if side.score == 2 {
                group.wins += 1;
                continue;
            }
            *group.not_won.entry(side.listed.highest).or_default() += 1;
            if options.list {
                group.list.push(side.listed);
            }
        }
    }

    /// Counts the games that were kept aside, because their numbers in their events are known now.
    pub fn finish(&mut self, options: &BalanceOptions) {
        let mut kept = std::mem::take(&mut self.kept);
        // Parts of several files are not merged in input order, which the numbers of games follow.
        kept.sort_by_key(|game| game.place);
        let mut rounds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for game in &kept {
            rounds.entry(&game.event).or_default().push(&game.round);
        }
        let are_numbers = |rounds: &Vec<&str>| {
            let numbers: Option<BTreeSet<u64>> =
                rounds.iter().map(|round| round.parse().ok()).collect();
            numbers.is_some_and(|numbers| numbers.len() == rounds.len())
        };
        let numbered: BTreeSet<String> = rounds
            .iter()
            .filter(|(_, rounds)| are_numbers(rounds))
            .map(|(event, _)| (*event).to_owned())
            .collect();
        let mut places: BTreeMap<String, u64> = BTreeMap::new();
        for mut game in kept {
            let place = places.entry(game.event.clone()).or_default();
            *place += 1;
            let event = Event {
                name: &game.event,
                rounds_are_numbers: numbered.contains(&game.event),
            };
            let named = |names: &[GameName]| {
                names
                    .iter()
                    .any(|name| name.is(&event, *place, &game.round))
            };
            if named(&options.exclude) {
                self.excluded += 1;
                continue;
            }
            if named(&options.not_won) {
                self.not_won += 1;
                game.not_won();
            }
            game.sides
                .iter_mut()
                .for_each(|side| side.listed.game = *place);
            self.add(game, options);
        }
    }

    /// Warnings about the games, each with its cause; empty if there are none.
    pub fn warnings(&self) -> Vec<String> {
        let share =
            |[right, wrong]: [u64; 2]| right as f64 / right.saturating_add(wrong).max(1) as f64;
        let is_known = |[right, wrong]: &[u64; 2]| right.saturating_add(*wrong) >= FEWEST;
        let sum = |own: u64, more: u64| own.saturating_add(more);
        let borne_out = [0, 1].map(|color| {
            [0, 1].map(|is_wrong| {
                self.groups
                    .values()
                    .map(|group| group.borne_out[color][is_wrong])
                    .fold(0, sum)
            })
        });
        let sides = ["White", "Black"]
            .into_iter()
            .zip(borne_out)
            .filter(|(_, own)| is_known(own));
        let wrong: Vec<String> = sides
            .filter(|(_, own)| share(*own) < BORNE_OUT)
            .map(|(side, own)| format!("{side}'s in {:.0} %", 100.0 * share(own)))
            .collect();
        let shifted = self.contempt.iter().filter(|(setting, _)| {
            let value = setting.split_once('=').map_or("", |(_, value)| value);
            !is_neutral(value)
        });
        let mut warnings: Vec<String> = shifted
            .map(|(setting, games)| {
                format!(
                    "contempt: {} {setting}, which shifts an engine's evaluations in favour of one side, so its balance is shifted too",
                    if *games == 1 { "1 game names".to_owned() } else { format!("{games} games name") }
                )
            })
            .collect();
        if !wrong.is_empty() {
            warnings.push(format!(
                "point of view: results bear out too few evaluations of decided games, {}: they seem to be from the other side, or from White's \
                 view for both; set the dialect of the comments with the option `evals`, or correct the games",
                wrong.join(" and ")
            ));
        }
        warnings
    }

    /// Sums up games counted [by opponent](By::Opponent) whose two players `meets` accepts, by
    /// engine.
    pub(crate) fn of_meetings(&self, meets: impl Fn([&String; 2]) -> bool) -> Self {
        let mut all = Self::default();
        for (key, group) in &self.groups {
            if let (Some(engine), Some(opponent)) = (&key.engine, &key.opponent)
                && meets([engine, opponent])
            {
                let key = BalanceKey {
                    engine: Some(engine.clone()),
                    ..BalanceKey::default()
                };
                all.groups.entry(key).or_default().merge(group);
            }
        }
        all
    }

    /// Returns whether no game was counted.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns an estimate for each key, in the order of the keys, with bootstrap intervals of the
    /// counting estimate.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], soon after `cancel` is set.
    pub fn rows(
        &self,
        bootstrap: Bootstrap,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Vec<BalanceEstimate>, Cancelled> {
        let mut progress = Progress {
            unit: Unit::Resamples,
            ..Progress::default()
        };
        progress.total = Some((self.groups.len() * bootstrap.resamples) as u64);
        let row = |(key, group): (&BalanceKey, &Group)| {
            progress.label = key.engine.clone().unwrap_or_default();
            reporter.progress(&progress);
            progress.done += bootstrap.resamples as u64;
            BalanceEstimate::new(key, group, bootstrap, cancel)
        };
        self.groups.iter().map(row).collect()
    }
}

impl Merge for Matches {
    fn merge(&mut self, later: Self) {
        for (key, more) in later.groups {
            match self.groups.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(more);
                }
                Entry::Occupied(mut own) => own.get_mut().merge(&more),
            }
        }
        self.kept.extend(later.kept);
        self.unfinished += later.unfinished;
        self.without_evals += later.without_evals;
        self.excluded += later.excluded;
        self.not_won += later.not_won;
        for (setting, games) in later.contempt {
            *self.contempt.entry(setting).or_default() += games;
        }
    }
}
