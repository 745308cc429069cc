//! Counts evaluated positions of games.

use std::{borrow::Cow, num::NonZero, thread};

use centipawn_pgn::{
    Dialect, GameView, Impossible, Merge, ScanOptions, ScanReport, Sources, Unreadable, scan,
};
use centipawn_progress::Input;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, KnownOutcome, Outcome};

use super::{
    Counts, FenCounters, GroupRows, Pattern, Views,
    evaluations::{EvalReading, Found},
    groups::GroupCounter,
    score::Bins,
    table::Table,
};
use crate::OutOfRange;

/// Options of counting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountOptions {
    /// Width in centipawns to whose multiples evaluations are rounded, 1 to
    /// [`LARGEST_BIN`](Self::LARGEST_BIN); 5 by default.
    pub bin: u32,
    /// Whether to read evaluations as WDL_model does, and results from the tag alone; false by
    /// default.
    pub compat: bool,
    /// Only evaluations of engines whose name (tag White or Black) matches are counted; all by
    /// default.
    pub engine: Option<Pattern>,
    /// The book that restores the full-move numbers of start positions that lost them; none by
    /// default. [`count`] does not read this field; it takes the book as a separate argument.
    pub fens: Option<Input>,
    /// The tables of counts by group of games, which standard errors need; the
    /// [usual](GroupRows::usual) tables by default.
    pub groups: Vec<GroupRows>,
}

impl CountOptions {
    /// The largest bin width. A wider bin would leave only zeros and mates.
    pub const LARGEST_BIN: u32 = 2000;

    /// Checks the bin width.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`], if the width is 0 or above [`LARGEST_BIN`](Self::LARGEST_BIN).
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::check(
            "bin",
            Some(self.bin.into()),
            [1.0, Self::LARGEST_BIN.into()],
        )
    }
}

impl Default for CountOptions {
    fn default() -> Self {
        Self {
            bin: 5,
            compat: false,
            engine: None,
            fens: None,
            groups: GroupRows::usual(),
        }
    }
}

/// Numbers of games that were counted and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CountReport {
    /// Number of games whose positions were counted, including games without evaluations.
    pub games: u64,
    /// Number of games without a result of 1-0, 0-1 or 1/2-1/2.
    pub without_result: u64,
    /// Number of games that did not end on the board: lost on time, abandoned, or ended by an
    /// illegal move.
    pub other_terminations: u64,
    /// Number of games without the requested engine.
    pub other_engines: u64,
    /// Number of games that begin in a position missing from the book.
    pub unknown_starts: u64,
    /// The first start position that is missing from the book, as FEN.
    pub unknown_start: Option<String>,
    /// Number of plies with an evaluation by a counted engine.
    pub evaluations: u64,
    /// Dialects of the evaluations in the files. [`Dialect::Auto`], which stands for none found, is
    /// left out.
    pub dialects: Vec<Dialect>,
    /// Comparison of consecutive evaluations of both sides, which shows their point of view and
    /// units.
    pub views: Views,
}

impl Merge for CountReport {
    fn merge(&mut self, later: Self) {
        self.games += later.games;
        self.without_result += later.without_result;
        self.other_terminations += later.other_terminations;
        self.other_engines += later.other_engines;
        self.unknown_starts += later.unknown_starts;
        self.unknown_start = self.unknown_start.take().or(later.unknown_start);
        self.evaluations += later.evaluations;
        self.views.merge(later.views);
        for dialect in later.dialects {
            if !self.dialects.contains(&dialect) {
                self.dialects.push(dialect);
            }
        }
    }
}

/// The result of [`count`]. Results for parts of the games [merge](Merge) to the result for all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counted {
    /// The counted positions.
    pub counts: Counts,
    /// Numbers of games that were counted and left out.
    pub report: CountReport,
}

impl Counted {
    /// Checks a part of a scan against the report of that scan.
    ///
    /// # Errors
    ///
    /// [`Impossible`], if no scan can produce these values.
    pub fn check(&self, scan: &ScanReport) -> Result<(), Impossible> {
        let CountReport {
            games,
            without_result,
            other_terminations,
            other_engines,
            unknown_starts,
            ..
        } = self.report;
        let all = Impossible::sum([
            games,
            without_result,
            other_terminations,
            other_engines,
            unknown_starts,
        ]);
        Impossible::unless(
            all.is_some_and(|all| all <= scan.games),
            "more games count than were read",
        )?;
        self.report.views.check(scan)?;
        // A comment with the evaluations of a whole game includes the position after the last move,
        // so a game may have one evaluation more than plies.
        let most = Impossible::sum([scan.plies, scan.games]);
        let evaluations = self.report.evaluations;
        Impossible::unless(
            self.counts.positions() <= evaluations && most.is_some_and(|most| evaluations <= most),
            "more positions count than were read",
        )
    }
}

impl Merge for Counted {
    fn merge(&mut self, later: Self) {
        self.counts.merge(later.counts);
        self.report.merge(later.report);
    }
}

/// Counts the evaluated positions of all games of `sources`, on all cores.
///
/// `fens` is the book, read from the file that [`CountOptions::fens`] names.
///
/// # Errors
///
/// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
///
/// ```
/// use centipawn_calibrate::wdl::{CountOptions, Key, MoverResult, count};
/// use centipawn_pgn::{ScanOptions, Sources};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "1. e4 {+0.30/12 0.1s} e5 {-0.25/12 0.1s} 0-1\n")?;
/// let sources = Sources::expand(&[&path])?;
/// let (counted, report) = count(&sources, &ScanOptions::default(), &CountOptions::default(), None)?;
/// let keys: Vec<_> = counted.counts.iter().map(|(key, _)| key.to_string()).collect();
/// assert_eq!(keys, ["('L', 1, 78, 30)", "('W', 1, 78, -25)"]);
/// assert_eq!(report.games, 1);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn count(
    sources: &Sources,
    scan_options: &ScanOptions<'_>,
    options: &CountOptions,
    fens: Option<&FenCounters>,
) -> Result<(Counted, ScanReport), Unreadable> {
    let bin = options.bin.clamp(1, CountOptions::LARGEST_BIN);
    let threads = scan_options
        .threads
        .or(thread::available_parallelism().ok())
        .map_or(1, NonZero::get);
    let context = Context {
        options,
        fens,
        reading: EvalReading {
            compat: options.compat,
            bins: Bins::new(bin),
        },
        table: Table::new(bin, GroupCounter::new(&options.groups, bin)),
        dialect: scan_options.dialect,
    };
    let make = || State {
        context: &context,
        keys: Vec::new(),
        names: Names::default(),
        report: CountReport::default(),
    };
    let (state, scan) = scan(sources, scan_options, make, State::game)?;
    let report = state.report;
    Ok((
        Counted {
            counts: context.table.into_counts(bin, threads),
            report,
        },
        scan,
    ))
}

/// The part of a scan's state that all threads share.
struct Context<'a> {
    options: &'a CountOptions,
    fens: Option<&'a FenCounters>,
    reading: EvalReading,
    table: Table,
    /// The dialect that the user requested.
    dialect: Dialect,
}

struct State<'a> {
    context: &'a Context<'a>,
    /// The keys of the current game's positions. The memory is reused.
    keys: Vec<u32>,
    names: Names,
    report: CountReport,
}

impl Merge for State<'_> {
    fn merge(&mut self, later: Self) {
        self.report.merge(later.report);
    }
}

impl State<'_> {
    fn game(&mut self, game: &GameView<'_>) {
        let options = self.context.options;
        let Some(winner) = result(game, options.compat) else {
            self.report.without_result += 1;
            return;
        };
        if game
            .tag_bytes("Termination")
            .is_some_and(|value| left_out(value, options.compat))
        {
            self.report.other_terminations += 1;
            return;
        }
        let sides = options
            .engine
            .as_ref()
            .map_or([true; 2], |pattern| self.names.sides(game, pattern));
        if sides == [false; 2] {
            self.report.other_engines += 1;
            return;
        }
        let number = match self.first_number(game) {
            Ok(number) => number,
            Err(fen) => {
                self.report.unknown_starts += 1;
                self.report
                    .unknown_start
                    .get_or_insert_with(|| String::from_utf8_lossy(fen).into_owned());
                return;
            }
        };
        self.report.games += 1;
        if game.dialect() != Dialect::Auto && !self.report.dialects.contains(&game.dialect()) {
            self.report.dialects.push(game.dialect());
        }
        let dialect = if self.context.dialect == Dialect::Auto {
            game.dialect()
        } else {
            self.context.dialect
        };
        let forced = self.context.dialect != Dialect::Auto;
        let found = Found {
            winner,
            sides,
            first_number: number,
            dialect,
            forced,
        };
        self.report.evaluations += found.gather(game, &self.context.reading, &mut self.keys);
        // Engines evaluate their own moves. An analyst evaluates the moves of both sides, which
        // shows nothing about the players' units.
        let is_of_players = matches!(dialect, Dialect::Engine | Dialect::Tcec);
        let names = [game.tag("White"), game.tag("Black")];
        let names = if let (true, [Some(white), Some(black)]) = (is_of_players, &names) {
            Some([&**white, &**black])
        } else {
            None
        };
        if sides == [true; 2] {
            self.report.views.add(&self.keys, names);
        }
        self.context.table.add(&self.keys);
        self.keys.clear();
    }

    /// Returns the number of the first full move of the game; `Err` is a FEN that is missing from
    /// the book.
    fn first_number<'g>(&self, game: &GameView<'g>) -> Result<u32, &'g [u8]> {
        let own = game.start().fullmoves();
        let (Some(fens), Some(fen)) = (self.context.fens, game.tag_bytes("FEN")) else {
            return Ok(own);
        };
        match fens.full_move(fen) {
            None => Ok(own),
            Some(Some(number)) => Ok(number),
            Some(None) => Err(fen),
        }
    }
}

/// Returns the winner, or `Some(None)` for a draw; `None` if the game has no result.
fn result(game: &GameView<'_>, compat: bool) -> Option<Option<Color>> {
    // With `compat`, read only the tag, as WDL_model does.
    if let (true, Some(tag)) = (compat, game.tag_bytes("Result")) {
        return match tag {
            b"1-0" => Some(Some(Color::White)),
            b"0-1" => Some(Some(Color::Black)),
            b"1/2-1/2" => Some(None),
            _ => None,
        };
    }
    match game.result() {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(Some(winner)),
        Outcome::Known(KnownOutcome::Draw) => Some(None),
        Outcome::Unknown => None,
    }
}

/// Returns the winner of a game that was played to its end on the board, or `Some(None)` for a
/// draw; `None` for games that are not counted.
pub(super) fn played_out(game: &GameView<'_>, compat: bool) -> Option<Option<Color>> {
    let is_left_out = game
        .tag_bytes("Termination")
        .is_some_and(|value| left_out(value, compat));
    result(game, compat).filter(|_| !is_left_out)
}

/// Returns whether a tag `Termination` means that the result does not reflect the positions.
fn left_out(termination: &[u8], compat: bool) -> bool {
    const LEFT_OUT: [&[u8]; 5] = [
        b"time forfeit",
        b"abandoned",
        b"stalled connection",
        b"illegal move",
        b"unterminated",
    ];
    let termination = if compat {
        termination
    } else {
        termination.trim_ascii()
    };
    LEFT_OUT.iter().any(|name| {
        if compat {
            *name == termination
        } else {
            name.eq_ignore_ascii_case(termination)
        }
    })
}

/// A cache of recently matched engine names.
#[derive(Default)]
struct Names(Vec<(String, bool)>);

impl Names {
    /// Returns whether White's and Black's evaluations are requested. Players without a name do not
    /// match.
    fn sides(&mut self, game: &GameView<'_>, pattern: &Pattern) -> [bool; 2] {
        match (game.tag("White"), game.tag("Black")) {
            (Some(white), Some(black)) if !white.is_empty() && !black.is_empty() => {
                [self.matches(white, pattern), self.matches(black, pattern)]
            }
            _ => [false; 2],
        }
    }

    fn matches(&mut self, name: Cow<'_, str>, pattern: &Pattern) -> bool {
        const KEPT: usize = 64;
        if let Some((_, matches)) = self.0.iter().find(|(known, _)| *known == name) {
            return *matches;
        }
        let matches = pattern.matches(&name);
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        self.0.push((name.into_owned(), matches));
        matches
    }
}
