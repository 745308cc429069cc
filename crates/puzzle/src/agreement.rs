//! How far the themes found agree with those that puzzles have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Puzzle, Theme, themes};

/// Our themes beside those that puzzles have, counted by theme. Themes that moves do not tell ([`Theme::is_told`]) are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    puzzles: u64,
    counts: BTreeMap<Theme, Counts>,
}

/// In how many puzzles a theme is found by both, by us alone, by the label alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    both: u64,
    ours: u64,
    theirs: u64,
}

/// The table of an [`Agreement`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementTable {
    /// Puzzles compared.
    pub puzzles: u64,
    /// A row for each theme that occurs.
    pub themes: Vec<ThemeAgreement>,
}

/// How far we agree about one theme. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThemeAgreement {
    /// The theme's [name](Theme::name).
    pub theme: String,
    /// Puzzles that have it.
    pub labelled: u64,
    /// Puzzles in which we find it.
    pub found: u64,
    /// Share of those we find it in that have it; `None` if we find it in none.
    pub precision: Option<f64>,
    /// Share of those that have it that we find it in; `None` if none has it.
    pub recall: Option<f64>,
    /// Share of all puzzles about which we agree.
    pub agreement: Option<f64>,
}

impl Agreement {
    /// Compares one more puzzle.
    pub fn add(&mut self, puzzle: &Puzzle) {
        self.puzzles += 1;
        let found = themes(&puzzle.solution);
        for &theme in Theme::ALL.iter().filter(|theme| !theme.is_told()) {
            let counts = self.counts.entry(theme).or_default();
            match (found.contains(theme), puzzle.themes.contains(theme)) {
                (true, true) => counts.both += 1,
                (true, false) => counts.ours += 1,
                (false, true) => counts.theirs += 1,
                (false, false) => {}
            }
        }
    }

    /// What was counted, as a table.
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
        let themes = self.counts.iter().filter(|(_, counts)| occurs(counts)).map(row).collect();
        AgreementTable { puzzles: self.puzzles, themes }
    }
}

impl AgreementTable {
    /// Themes that are found though no puzzle has the label, which may be younger than the file.
    pub fn unlabelled(&self) -> impl Iterator<Item = &str> {
        self.themes.iter().filter(|row| row.labelled == 0 && row.found > 0).map(|row| row.theme.as_str())
    }
}
