//! Agreement between the themes found in puzzles and the themes that the puzzles are labelled with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Puzzle, Theme, themes};

/// Counts, by theme, how often the themes found in puzzles agree with their labels. Themes that do
/// not follow from the moves ([`Theme::is_external`]) are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    puzzles: u64,
    counts: BTreeMap<Theme, Counts>,
}

/// Number of puzzles with a theme both found and labelled, only found, or only labelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    both: u64,
    ours: u64,
    theirs: u64,
}

/// The table of an [`Agreement`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementTable {
    /// Number of puzzles compared.
    pub puzzles: u64,
    /// The agreement on each theme that occurs.
    pub themes: Vec<ThemeAgreement>,
}

/// Agreement on one theme. Shares range from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThemeAgreement {
    /// The theme's [name](Theme::name).
    pub theme: String,
    /// Number of puzzles labelled with the theme.
    pub labelled: u64,
    /// Number of puzzles in which the theme is found.
    pub found: u64,
    /// Share of the puzzles with the theme found that are also labelled with it; `None` if
    /// [`found`](Self::found) is 0.
    pub precision: Option<f64>,
    /// Share of the puzzles labelled with the theme in which it is found; `None` if
    /// [`labelled`](Self::labelled) is 0.
    pub recall: Option<f64>,
    /// Share of all puzzles in which the theme is both found and labelled, or neither.
    pub agreement: Option<f64>,
}

impl Agreement {
    /// Adds a puzzle to the counts.
    pub fn add(&mut self, puzzle: &Puzzle) {
        self.puzzles += 1;
        let found = themes(&puzzle.solution);
        for &theme in Theme::ALL.iter().filter(|theme| !theme.is_external()) {
            let counts = self.counts.entry(theme).or_default();
            match (found.contains(theme), puzzle.themes.contains(theme)) {
                (true, true) => counts.both += 1,
                (true, false) => counts.ours += 1,
                (false, true) => counts.theirs += 1,
                (false, false) => {}
            }
        }
    }

    /// Returns the counts as a table.
    pub fn table(&self) -> AgreementTable {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let row = |(theme, counts): (&Theme, &Counts)| {
            let &Counts { both, ours, theirs } = counts;
            ThemeAgreement {
                theme: theme.name().to_owned(),
                labelled: both + theirs,
                found: both + ours,
                precision: share(both, both + ours),
                recall: share(both, both + theirs),
                agreement: share(self.puzzles - ours - theirs, self.puzzles),
            }
        };
        let occurs = |counts: &Counts| *counts != Counts::default();
        let themes = self
            .counts
            .iter()
            .filter(|(_, counts)| occurs(counts))
            .map(row)
            .collect();
        AgreementTable {
            puzzles: self.puzzles,
            themes,
        }
    }
}

impl AgreementTable {
    /// Returns the themes that are found although no puzzle has the label. The labels of the file
    /// may be older than the theme.
    pub fn unlabelled(&self) -> impl Iterator<Item = &str> {
        self.themes
            .iter()
            .filter(|row| row.labelled == 0 && row.found > 0)
            .map(|row| row.theme.as_str())
    }
}
