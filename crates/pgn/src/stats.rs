//! Counting results, names, comments and evaluations over many games.

use std::{borrow::Cow, collections::BTreeMap};

use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, KnownOutcome, Outcome};

use crate::{
    GameView, Impossible, Letters, Merge, ScanOptions, ScanReport, Sources, Unreadable, scan,
};

/// Counts over many games. Names come from the tags; tags that are missing, empty, `?` or `-` are
/// not counted.
///
/// The size grows with the number of different names, not with the number of games.
///
/// ```
/// use centipawn_pgn::{ScanOptions, Sources, Stats};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "[White \"A\"]\n[Black \"B\"]\n\n1. e4 {[%eval 0.3]} e5 1-0\n\n[White \"B\"]\n\n1. d4 *\n")?;
/// let (stats, report) = Stats::of(&Sources::expand(&[&path])?, &ScanOptions::default())?;
/// assert_eq!((report.games, stats.results.white, stats.results.unknown, stats.evals), (2, 1, 1, 1));
/// assert_eq!(stats.players.iter().collect::<Vec<_>>(), [(&"A".to_owned(), &1), (&"B".to_owned(), &2)]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stats {
    /// Results of the games.
    pub results: Results,
    /// Games of each player, with either color.
    pub players: BTreeMap<String, u64>,
    /// Games of each event.
    pub events: BTreeMap<String, u64>,
    /// Games of each opening code.
    pub eco: BTreeMap<String, u64>,
    /// Games by the name of the dialect of their evaluations: that of the file, or their own in a
    /// file that begins without evaluations. `auto` for games without evaluations in such a file.
    pub dialects: BTreeMap<String, u64>,
    /// Number of games that do not start from the normal start position.
    pub other_starts: u64,
    /// Number of plies with a comment.
    pub commented: u64,
    /// Number of plies with an evaluation.
    pub evals: u64,
}

/// Numbers of games by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// Number of games won by White.
    pub white: u64,
    /// Number of drawn games.
    pub draw: u64,
    /// Number of games won by Black.
    pub black: u64,
    /// Number of games without a result.
    pub unknown: u64,
}

impl Stats {
    /// Counts all games of `sources`. Numbers of games, plies and errors are in the [`ScanReport`].
    ///
    /// # Errors
    ///
    /// The errors of [`scan`].
    pub fn of(
        sources: &Sources,
        options: &ScanOptions<'_>,
    ) -> Result<(Self, ScanReport), Unreadable> {
        scan(sources, options, Self::default, Self::add)
    }

    /// Checks counts, as a part of a scan has them, against the report of their scan.
    ///
    /// # Errors
    ///
    /// [`Impossible`]: values that no scan can produce.
    pub fn check(&self, report: &ScanReport) -> Result<(), Impossible> {
        let Results {
            white,
            draw,
            black,
            unknown,
        } = self.results;
        let results = Impossible::sum([white, draw, black, unknown]);
        Impossible::unless(
            results == Some(report.games),
            "results are not those of the games read",
        )?;
        let within = |names: &BTreeMap<String, u64>, most: u64| {
            Impossible::sum(names.values().copied()).is_some_and(|sum| sum <= most)
        };
        let are_games = [&self.events, &self.eco, &self.dialects]
            .iter()
            .all(|names| within(names, report.games))
            && within(&self.players, 2 * report.games)
            && self.other_starts <= report.games;
        Impossible::unless(are_games, "more games count than were read")?;
        let are_plies = self.commented <= report.plies && self.evals <= report.plies;
        Impossible::unless(are_plies, "more positions count than were read")
    }

    /// Converts the counts to JSON, as printed by `pgn stats --json`.
    pub fn document(&self, report: &ScanReport, provenance: Option<Provenance>) -> StatsDocument {
        StatsDocument {
            files: report.sources,
            bytes: report.text,
            games: report.games,
            plies: report.plies,
            bad_games: report.bad_games(),
            errors: report.errors.clone(),
            flawed_games: report.flawed_games,
            flaws: report.flaws.clone(),
            letters: report.letters.clone(),
            results: self.results,
            other_starts: self.other_starts,
            commented_plies: self.commented,
            evaluated_plies: self.evals,
            dialects: self.dialects.clone(),
            players: self.players.clone(),
            events: self.events.clone(),
            eco: self.eco.clone(),
            provenance,
        }
    }

    /// Adds a game.
    pub fn add(&mut self, game: &GameView<'_>) {
        let results = &mut self.results;
        *match game.result() {
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::White,
            }) => &mut results.white,
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::Black,
            }) => &mut results.black,
            Outcome::Known(KnownOutcome::Draw) => &mut results.draw,
            Outcome::Unknown => &mut results.unknown,
        } += 1;
        let tag = |names: &mut BTreeMap<String, u64>, tag| {
            if let Some(name) = game.tag(tag) {
                count(names, name.trim(), 1);
            }
        };
        tag(&mut self.players, "White");
        tag(&mut self.players, "Black");
        tag(&mut self.events, "Event");
        tag(&mut self.eco, "ECO");
        let is_other =
            game.tag_bytes("FEN").is_some() && game.start().position() != Chess::default();
        self.other_starts += u64::from(is_other);
        let mut evals = 0;
        for ply in game.plies() {
            self.commented += u64::from(ply.comments().next().is_some());
            evals += u64::from(ply.eval(game.dialect()).is_some());
        }
        self.evals += evals;
        let dialect = if evals > 0 {
            game.eval_dialect()
        } else {
            game.dialect()
        };
        count(&mut self.dialects, dialect.name(), 1);
    }
}

/// [`Stats`] with the counts of their scan, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatsDocument {
    /// Number of files read to their end.
    pub files: u64,
    /// Number of bytes of decompressed text.
    pub bytes: u64,
    /// Number of readable games.
    pub games: u64,
    /// Number of plies in their main lines.
    pub plies: u64,
    /// Number of unreadable games.
    pub bad_games: u64,
    /// Unreadable games by the [name](crate::GameErrorKind::name) of the error.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// Number of readable games of which a tag or moves of the main line were lost.
    #[serde(default)]
    pub flawed_games: u64,
    /// Number of lost parts by the [name](crate::GameErrorKind::name) of the error.
    #[serde(default)]
    pub flaws: BTreeMap<Cow<'static, str>, u64>,
    /// Number of games by the letters of the pieces; games with English letters are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub letters: BTreeMap<Letters, u64>,
    /// Results of the games.
    pub results: Results,
    /// Number of games that do not start from the normal start position.
    pub other_starts: u64,
    /// Number of plies with a comment.
    pub commented_plies: u64,
    /// Number of plies with an evaluation.
    pub evaluated_plies: u64,
    /// Games by the dialect of their evaluations: that of the file, or their own in a file that
    /// begins without evaluations. `auto` for games without evaluations in such a file.
    pub dialects: BTreeMap<String, u64>,
    /// Games of each player, with either color.
    pub players: BTreeMap<String, u64>,
    /// Games of each event.
    pub events: BTreeMap<String, u64>,
    /// Games of each opening code.
    pub eco: BTreeMap<String, u64>,
    /// Program, version and inputs, if the caller provides them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl Merge for Stats {
    fn merge(&mut self, later: Self) {
        let (own, theirs) = (&mut self.results, later.results);
        own.white += theirs.white;
        own.draw += theirs.draw;
        own.black += theirs.black;
        own.unknown += theirs.unknown;
        for (names, more) in [
            (&mut self.players, later.players),
            (&mut self.events, later.events),
            (&mut self.eco, later.eco),
            (&mut self.dialects, later.dialects),
        ] {
            more.iter()
                .for_each(|(name, games)| count(names, name, *games));
        }
        self.other_starts += later.other_starts;
        self.commented += later.commented;
        self.evals += later.evals;
    }
}

fn count(names: &mut BTreeMap<String, u64>, name: &str, games: u64) {
    match names.get_mut(name) {
        _ if matches!(name, "" | "?" | "-") => {}
        Some(count) => *count += games,
        None => {
            names.insert(name.to_owned(), games);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameScanner;

    #[test]
    fn the_normal_start_written_as_fen_is_no_other_start() {
        let pgn = "1. e4 *\n\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n\n1. e4 *\n\n\
                   [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n";
        let (mut games, mut stats) = (GameScanner::new(pgn.as_bytes()), Stats::default());
        while let Some(game) = games.next_game() {
            stats.add(&game.unwrap());
        }
        assert_eq!((stats.results.unknown, stats.other_starts), (3, 1));
    }
}
