//! Collects rows from games.

use centipawn_core::{Context, Curve};
use centipawn_pgn::{
    Board, Dialect, GameView, ScanOptions, ScanReport, Sources, Unreadable, rating, scan,
};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, KnownOutcome, Outcome, Position as _};

use crate::Clusters;

use super::{
    Collection, GameResult, Row,
    collection::{Game, Names},
    row::difference,
    structure::{Structure, structure},
};

/// Options of collecting rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountOptions {
    /// Whether all methods leave out games without a result. By default (false) the classic method
    /// counts them as drawn, as in the article, and the others leave them out.
    pub finished: bool,
    /// Whether to keep the names of events and players, which bands by them need; false by default.
    pub names: bool,
    /// The curve that converts a position's evaluation to the expected score of its row. By default
    /// (`None`) evaluations are not kept.
    pub search: Option<SearchCurve>,
    /// Whether to collect the structure of positions, which [terms of it](super::Term::STRUCTURE)
    /// need; false by default.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub structure: bool,
    /// What counts as one game in files of rows; by default the game that their numbers state.
    #[serde(skip_serializing_if = "Clusters::is_default")]
    pub clusters: Clusters,
}

/// The curve that converts a search's evaluation to an expected score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchCurve {
    /// Lichess' curve for evaluations in Lichess' form (`[%eval]`), otherwise Stockfish's newest
    /// model.
    ByDialect,
    /// The given curve.
    Given(Curve),
}

impl SearchCurve {
    fn of(self, dialect: Dialect) -> Curve {
        match (self, dialect) {
            (Self::Given(curve), _) => curve,
            (Self::ByDialect, Dialect::Commands) => Curve::LICHESS,
            (Self::ByDialect, _) => Curve::default(),
        }
    }
}

/// Collects the rows of all games of `sources`, on all cores.
///
/// A position is quiet if neither of the last two plies captured, promoted or gave check. A row is
/// recorded at each quiet position whose difference between White's and Black's pieces is not that
/// of the game's previous row.
///
/// # Errors
///
/// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
///
/// ```
/// use centipawn_calibrate::material::{CountOptions, count};
/// use centipawn_pgn::{ScanOptions, Sources};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "1. e4 d5 2. exd5 Nf6 3. Nc3 Nxd5 4. Nxd5 Qxd5 5. d4 Nc6 1-0\n")?;
/// let sources = Sources::expand(&[&path])?;
/// let (collection, report) = count(&sources, &ScanOptions::default(), &CountOptions::default())?;
/// let rows: Vec<_> = collection.rows().iter().map(|row| (row.ply, row.difference())).collect();
/// assert_eq!(rows, [(2, [0; 5]), (5, [1, 0, 0, 0, 0]), (10, [0; 5])]);
/// assert_eq!(report.games, 1);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn count(
    sources: &Sources,
    scan_options: &ScanOptions<'_>,
    options: &CountOptions,
) -> Result<(Collection, ScanReport), Unreadable> {
    scan(
        sources,
        scan_options,
        Collection::default,
        |collection, game| collection.add(game, options),
    )
}

impl Collection {
    fn add(&mut self, game: &GameView<'_>, options: &CountOptions) {
        let result = match game.result() {
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::White,
            }) => Some(GameResult::WhiteWins),
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::Black,
            }) => Some(GameResult::BlackWins),
            Outcome::Known(KnownOutcome::Draw) => Some(GameResult::Draw),
            Outcome::Unknown => None,
        };
        if result.is_some() || !options.finished {
            let begin = self.rows.len();
            let structures = options.structure.then_some(&mut self.features.structure);
            rows(game, &mut self.rows, structures);
            if let Some(curve) = options.search {
                let dialect = game.eval_dialect();
                let curve = curve.of(dialect);
                self.rows[begin..]
                    .iter_mut()
                    .for_each(|row| *row = with_search(*row, game, curve, dialect));
            }
        }
        self.unfinished += u64::from(result.is_none());
        let text = |name| {
            game.tag_bytes(name)
                .and_then(|text| std::str::from_utf8(text).ok())
        };
        let elo = |name| text(name).and_then(rating).map_or(0, |elo| elo as u16);
        let known = Game {
            end: self.rows.len(),
            result: result.unwrap_or(GameResult::Draw),
            is_unfinished: result.is_none(),
            elo: [elo("WhiteElo"), elo("BlackElo")],
            year: game
                .tag_bytes("Date")
                .or(game.tag_bytes("UTCDate"))
                .and_then(year)
                .unwrap_or(0),
            event: if options.names {
                named(&mut self.names, game, "Event")
            } else {
                0
            },
            players: ["White", "Black"].map(|name| {
                if options.names {
                    named(&mut self.names, game, name)
                } else {
                    0
                }
            }),
            place: (game.source() as u32, game.offset()),
        };
        self.games.push(known);
    }
}

/// Collects the rows of a game by the rule of the article, with the structure of their positions if
/// there is a place for it.
fn rows(game: &GameView<'_>, rows: &mut Vec<Row>, mut structures: Option<&mut Vec<Structure>>) {
    let mut quiet = 0;
    let mut recorded = None;
    let mut before = game.start().material();
    // The material changes only when the quiet count restarts. Checks therefore matter only while a
    // changed difference is not recorded yet.
    let mut after = |board: &Board, ply: usize| {
        let material = board.material();
        let changed = material != before;
        before = material;
        let difference = Some(difference(material));
        if difference == recorded {
            return;
        }
        quiet = if changed || board.is_check() {
            0
        } else {
            quiet + 1
        };
        if quiet >= 2 {
            recorded = difference;
            rows.push(Row::new(board, material, ply, rows.len()));
            if let Some(structures) = &mut structures {
                structures.push(structure(board.position().board()));
            }
        }
    };
    game.walk(|board, ply| {
        if ply.index() > 0 {
            after(board, ply.index());
        }
    });
    if !game.is_empty() {
        after(game.end(), game.len());
    }
}

fn with_search(row: Row, game: &GameView<'_>, curve: Curve, dialect: Dialect) -> Row {
    let Some(eval) = game.eval_of_position(row.ply.into(), dialect) else {
        return row;
    };
    let material = (0..10)
        .map(|index| u32::from(row.count(index)) * [1, 3, 3, 5, 9][index % 5])
        .sum();
    row.with_score(curve.expected_score(
        eval,
        Context {
            material,
            ply: u32::from(row.ply),
        },
    ))
}

fn named(names: &mut Names, game: &GameView<'_>, tag: &str) -> u32 {
    match game.tag(tag) {
        Some(name) if !matches!(name.trim(), "" | "?") => names.place(name.trim()),
        _ => 0,
    }
}

/// Returns the year of a PGN date.
fn year(date: &[u8]) -> Option<u16> {
    let year = std::str::from_utf8(date.get(..4)?).ok()?;
    year.trim().parse().ok().filter(|&year| year >= 1000)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ratings_are_read_by_the_common_rules() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        fs::write(
            &path,
            "[WhiteElo \"1500?\"]\n[BlackElo \"7\"]\n[Date \"1999.??.??\"]\n\n1. e4 e5 1-0\n",
        )
        .unwrap();
        let sources = Sources::expand(&[&path]).unwrap();
        let (collection, _) =
            count(&sources, &ScanOptions::default(), &CountOptions::default()).unwrap();
        assert_eq!(
            (collection.games[0].elo, collection.games[0].year),
            ([1500, 0], 1999)
        );
    }
}
