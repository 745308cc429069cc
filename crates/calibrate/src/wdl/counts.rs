//! Counts of evaluated positions.

use centipawn_pgn::{Impossible, Merge};
use serde::{Deserialize, Serialize};

use super::{Groups, Key, count_list::CountList};

/// Number of positions by [`Key`]. Counts of parts [merge](Merge) to the counts of the whole,
/// including those by [group](Groups) of games.
///
/// ```
/// use centipawn_calibrate::wdl::Counts;
///
/// let counts = Counts::read(&br#"{ "('D', 1, 78, 35)": 12, "('W', 1, 78, 35)": 3 }"#[..])?;
/// assert_eq!((counts.len(), counts.positions()), (2, 15));
/// assert_eq!(counts.results(), [12, 0, 3]); // draws, losses, wins
/// # Ok::<_, centipawn_calibrate::wdl::CountsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unordered")]
pub struct Counts {
    bin: Option<u32>,
    /// The keys with their counts.
    entries: CountList,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Groups>,
}

/// Deserialised form of [`Counts`], not checked yet.
#[derive(Deserialize)]
struct Unordered {
    bin: Option<u32>,
    entries: Vec<(Key, u64)>,
    groups: Option<Groups>,
}

impl TryFrom<Unordered> for Counts {
    type Error = Impossible;

    fn try_from(
        Unordered {
            bin,
            entries,
            groups,
        }: Unordered,
    ) -> Result<Self, Impossible> {
        Self {
            groups,
            ..Self::new(bin, entries)
        }
        .checked()
    }
}

impl Counts {
    /// Creates counts from pairs in any order. Counts of equal keys are added.
    pub(crate) fn new(bin: Option<u32>, mut entries: Vec<(Key, u64)>) -> Self {
        Self::sum_up(&mut entries);
        Self::of_list(
            bin,
            entries
                .into_iter()
                .map(|(key, count)| (key.0, count))
                .collect(),
        )
    }

    /// Sorts keys and adds the counts of equal ones.
    pub(super) fn sum_up(entries: &mut Vec<(Key, u64)>) {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.sort_unstable_by_key(|(key, _)| *key);
            entries.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 = kept.1.saturating_add(later.1);
                }
                same
            });
        }
    }

    /// Creates counts from a list of keys.
    pub(super) fn of_list(bin: Option<u32>, entries: CountList) -> Self {
        Self {
            bin,
            entries,
            groups: None,
        }
    }

    /// Adds the counts by group of games.
    pub(crate) fn with_groups(self, groups: Groups) -> Self {
        Self {
            groups: Some(groups),
            ..self
        }
    }

    /// Returns the counts if games can have them: at most [`Impossible::LARGEST`] positions, and
    /// groups that sum to these counts.
    pub(super) fn checked(self) -> Result<Self, Impossible> {
        let total = Impossible::sum(self.iter().map(|(_, count)| count));
        Impossible::unless(
            total.is_some(),
            "there are more positions than all games that were ever played have",
        )?;
        let are_groups = self
            .groups
            .as_ref()
            .is_none_or(|groups| groups.add_up_to(&self.entries));
        Impossible::unless(
            are_groups,
            "the counts by group of games are not those of all games",
        )?;
        Ok(self)
    }

    /// Counts by group of games, from which standard errors follow; `None` if they were read from
    /// WDL_model's JSON, which has none.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// Returns the width in centipawns to which evaluations were rounded; `None` if it is unknown,
    /// as in WDL_model's JSON.
    pub fn bin(&self) -> Option<u32> {
        self.bin
    }

    /// Returns the number of distinct keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the keys in ascending order, with their counts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Key, u64)> + '_ {
        self.entries.iter().map(|(key, count)| (Key(key), count))
    }

    /// Returns the number of positions counted.
    pub fn positions(&self) -> u64 {
        self.results().into_iter().fold(0, u64::saturating_add)
    }

    /// Returns the number of positions in which the side to move drew, lost and won.
    pub fn results(&self) -> [u64; 3] {
        let mut sums = [0u64; 3];
        for (key, count) in self.iter() {
            let sum = &mut sums[key.result() as usize];
            *sum = sum.saturating_add(count);
        }
        sums
    }
}

impl Merge for Counts {
    /// Adds later counts. The bin becomes unknown if both differ. Groups remain only if both have
    /// them.
    fn merge(&mut self, later: Self) {
        if self.is_empty() && self.bin.is_none() {
            *self = later;
            return;
        }
        let groups = self
            .groups
            .take()
            .zip(later.groups)
            .map(|(own, later)| own.merged(later));
        self.bin = self.bin.filter(|_| self.bin == later.bin);
        self.entries = self.entries.sum(&later.entries);
        self.groups = groups;
    }
}
