//! The counts of a scan.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use centipawn_progress::{
    Outcome,
    text::{plural, thousands},
};
use serde::{Deserialize, Serialize};

use super::Merge;
use crate::{Impossible, Letters};

/// The counts of read and unreadable input of a scan. Reports of parts can be [merged](Merge).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScanReport {
    /// Number of games visited.
    pub games: u64,
    /// Number of plies in their main lines.
    pub plies: u64,
    /// Unreadable games, by the [name](crate::GameErrorKind::name) of the error.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// Games visited of which a part could not be read: a tag, moves of the main line, and in a
    /// [thorough](super::ScanOptions::thorough) scan anything.
    pub flawed_games: u64,
    /// Number of unreadable parts by the [name](crate::GameErrorKind::name) of the error.
    pub flaws: BTreeMap<Cow<'static, str>, u64>,
    /// Number of visited games by the letters of the pieces; games with English letters are left
    /// out.
    pub letters: BTreeMap<Letters, u64>,
    /// Number of sources read to their end.
    pub sources: u64,
    /// Number of sources that could not be opened or read to their end.
    pub failed_sources: u64,
    /// Number of bytes of decompressed text.
    pub text: u64,
    /// Whether the scan was cancelled; the counts then cover only the beginning of the input.
    pub cancelled: bool,
    /// Duration of the scan; not serialised, since it differs between otherwise equal scans.
    #[serde(skip)]
    pub elapsed: Duration,
}

impl ScanReport {
    /// Returns the number of unreadable games.
    pub fn bad_games(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Returns a warning that numbers computed from these games lack some of them: those that
    /// cannot be read, and `further` ones, each with a reason. `None` if they lack none.
    ///
    /// ```
    /// use centipawn_pgn::ScanReport;
    ///
    /// let report = ScanReport { games: 11, errors: [("illegal move".into(), 1)].into(), ..ScanReport::default() };
    /// assert_eq!(
    ///     report.left_out(&[(2, "without a result")]).unwrap(),
    ///     "3 of 12 games are left out: 1 that cannot be read (illegal move), 2 without a result; \
    ///      the numbers are biased if these games differ from the others"
    /// );
    /// ```
    pub fn left_out(&self, further: &[(u64, &str)]) -> Option<String> {
        let kinds: Vec<&str> = self
            .errors
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(kind, _)| &**kind)
            .collect();
        let unreadable = format!("that cannot be read ({})", kinds.join(", "));
        let all = [(self.bad_games(), &*unreadable)]
            .into_iter()
            .chain(further.iter().copied());
        let parts: Vec<(u64, &str)> = all.filter(|(count, _)| *count > 0).collect();
        let left = parts
            .iter()
            .fold(0_u64, |sum, (count, _)| sum.saturating_add(*count));
        let parts: Vec<String> = parts
            .iter()
            .map(|(count, why)| format!("{} {why}", thousands(*count)))
            .collect();
        let games = self.games.saturating_add(self.bad_games());
        let (verb, differ) = if left == 1 {
            ("is", "this game differs")
        } else {
            ("are", "these games differ")
        };
        (left > 0).then(|| {
            format!(
                "{} of {} {verb} left out: {}; the numbers are biased if {differ} from the others",
                thousands(left),
                plural(games, "game"),
                parts.join(", ")
            )
        })
    }

    /// Checks a report that comes from a file.
    ///
    /// # Errors
    ///
    /// [`Impossible`]: values that no scan can produce.
    pub fn check(&self) -> Result<(), Impossible> {
        let Self {
            games,
            plies,
            flawed_games,
            sources,
            failed_sources,
            text,
            ..
        } = *self;
        let kinds = [
            Impossible::sum(self.errors.values().copied()),
            Impossible::sum(self.flaws.values().copied()),
        ];
        let letters = Impossible::sum(self.letters.values().copied());
        let numbers = [games, plies, sources, failed_sources, text];
        let is_small = numbers
            .into_iter()
            .all(|number| number <= Impossible::LARGEST);
        Impossible::unless(
            is_small && kinds.iter().all(Option::is_some),
            "a number is too large",
        )?;
        let are_games = flawed_games <= games && letters.is_some_and(|letters| letters <= games);
        Impossible::unless(are_games, "more games have something than were read")
    }

    /// Returns the outcome: readable games are done; unreadable games, games of which a part is
    /// lost and sources are skipped.
    pub fn outcome(&self) -> Outcome {
        let skipped = self.bad_games() + self.flawed_games + self.failed_sources;
        Outcome {
            done: self.games,
            skipped,
            cancelled: self.cancelled,
        }
    }
}

impl Merge for ScanReport {
    /// Adds counts and times. A source read in several parts is counted once per part.
    fn merge(&mut self, later: Self) {
        self.games += later.games;
        self.plies += later.plies;
        for (kind, count) in later.errors {
            *self.errors.entry(kind).or_default() += count;
        }
        self.flawed_games += later.flawed_games;
        for (kind, count) in later.flaws {
            *self.flaws.entry(kind).or_default() += count;
        }
        for (letters, count) in later.letters {
            *self.letters.entry(letters).or_default() += count;
        }
        self.sources += later.sources;
        self.failed_sources += later.failed_sources;
        self.text += later.text;
        self.cancelled |= later.cancelled;
        self.elapsed += later.elapsed;
    }
}
