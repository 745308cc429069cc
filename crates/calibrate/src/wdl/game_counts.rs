//! Counts the positions of games one game at a time.

use std::collections::BTreeMap;

use centipawn_pgn::{Dialect, GameView, Merge};
use serde::{Deserialize, Serialize};

use super::{
    Counts, GROUPS, GroupRows, Key,
    count::{CountOptions, played_out},
    evaluations::{EvalReading, Found},
    groups::{GroupCounter, Groups, group},
    score::Bins,
};

/// Evaluated positions, counted as [`count`](super::count) does with its default options. It is for
/// scans that also count something else, and that choose games only after all are read. Parts of
/// the same games [merge](Merge) to the counts of the whole.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct GameCounts {
    /// The keys of all positions, by group of games.
    groups: BTreeMap<usize, Vec<Key>>,
    /// Number of games with at least one evaluated position.
    games: u64,
}

/// The way in which the evaluations of games are read for [`GameCounts`].
pub(crate) struct GameReading(EvalReading);

impl Default for GameReading {
    fn default() -> Self {
        Self(EvalReading {
            compat: false,
            bins: Bins::new(CountOptions::default().bin),
        })
    }
}

impl GameCounts {
    /// Counts a game. Games without a result, and games that did not end on the board, are left
    /// out.
    pub(crate) fn add(&mut self, game: &GameView<'_>, wanted: Dialect, reading: &GameReading) {
        let Some(winner) = played_out(game, false) else {
            return;
        };
        let forced = wanted != Dialect::Auto;
        let dialect = if forced { wanted } else { game.dialect() };
        let found = Found {
            winner,
            sides: [true; 2],
            first_number: game.start().fullmoves(),
            dialect,
            forced,
        };
        let mut keys = Vec::new();
        found.gather(game, &reading.0, &mut keys);
        if !keys.is_empty() {
            self.games += 1;
            self.groups
                .entry(group(&keys))
                .or_default()
                .extend(keys.into_iter().map(Key));
        }
    }

    /// Returns whether games can belong to these groups.
    pub(crate) fn is_sound(&self) -> bool {
        self.groups.keys().all(|group| *group < GROUPS) && self.games <= self.positions()
    }

    /// Returns the number of positions.
    pub(crate) fn positions(&self) -> u64 {
        self.groups.values().map(|keys| keys.len() as u64).sum()
    }

    /// Returns the number of games with evaluated positions.
    pub(crate) fn games(&self) -> u64 {
        self.games
    }

    /// Returns the counts, including those by group of games.
    pub(crate) fn counts(&self) -> Counts {
        let bin = CountOptions::default().bin;
        let entries = self
            .groups
            .values()
            .flatten()
            .map(|key| (*key, 1))
            .collect();
        let counter = GroupCounter::new(&GroupRows::usual(), bin);
        Counts::new(Some(bin), entries).with_groups(self.by_group(&counter))
    }

    fn by_group(&self, counter: &GroupCounter) -> Groups {
        let (mut counts, mut room) = (Vec::new(), super::count_list::CountList::default());
        let cells = (0..GROUPS).map(|number| {
            let mut keys: Vec<u32> = self
                .groups
                .get(&number)
                .into_iter()
                .flatten()
                .map(|key| key.0)
                .collect();
            keys.sort_unstable();
            counter.count(&keys, &mut counts);
            counter.take(&mut counts, &mut room)
        });
        counter.groups(cells.collect())
    }
}

impl PartialEq for GameCounts {
    /// Returns whether both values have the same positions. The order of the games does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.games == other.games && self.counts() == other.counts()
    }
}

impl Merge for GameCounts {
    fn merge(&mut self, later: Self) {
        self.games += later.games;
        for (group, keys) in later.groups {
            self.groups.entry(group).or_default().extend(keys);
        }
    }
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::{ScanOptions, Sources, scan};

    use super::*;

    /// Counting game by game, also in merged parts, must give the counts of a scan of positions.
    #[test]
    fn counts_equal_those_of_a_scan_of_positions() {
        let games = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../examples/selfplay.pgn.gz"
        );
        let sources = Sources::expand(&[games]).unwrap();
        let options = ScanOptions::default();
        let (counted, _) =
            super::super::count(&sources, &options, &CountOptions::default(), None).unwrap();
        let reading = GameReading::default();
        let (own, _) = scan(
            &sources,
            &options,
            GameCounts::default,
            |own: &mut GameCounts, game| {
                own.add(game, Dialect::Auto, &reading);
            },
        )
        .unwrap();
        assert!(own.positions() > 10_000);
        assert_eq!(own.positions(), counted.counts.positions());
        assert_eq!(own.counts(), counted.counts);
    }
}
