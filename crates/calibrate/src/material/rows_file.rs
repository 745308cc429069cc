//! Row files: the article's intermediate format, and a table with game numbers.

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::clusters::{Clusters, NAME_GAMES};

use super::{Collection, GameResult, Row, collection::Game};

/// The format of a row file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFormat {
    /// The article's format, in columns two characters wide: pawns, knights, bishops, rooks, queens
    /// (White's minus Black's), result (0, 1, 2).
    Article,
    /// Number of the game (from 1), ply, then the article's columns, separated by tabs.
    Tabs,
    /// Like [`Tabs`](Self::Tabs), separated by commas, with a header line.
    Commas,
}

impl Collection {
    /// Writes the rows.
    ///
    /// # Errors
    ///
    /// Errors of writing to `out`.
    pub fn write_rows(&self, format: RowsFormat, out: &mut impl Write) -> io::Result<()> {
        if format == RowsFormat::Commas {
            writeln!(out, "game,ply,pawn,knight,bishop,rook,queen,result")?;
        }
        for (number, (game, rows)) in (1..).zip(self.each()) {
            let result = game.result as u8;
            for row in rows {
                let [p, n, b, r, q] = row.difference();
                let ply = row.ply;
                match format {
                    RowsFormat::Article => {
                        writeln!(out, "{p:2} {n:2} {b:2} {r:2} {q:2} {result:2}")?;
                    }
                    RowsFormat::Tabs => {
                        writeln!(out, "{number}\t{ply}\t{p}\t{n}\t{b}\t{r}\t{q}\t{result}")?;
                    }
                    RowsFormat::Commas => {
                        writeln!(out, "{number},{ply},{p},{n},{b},{r},{q},{result}")?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads rows that [`write_rows`](Self::write_rows) wrote, in any format.
    ///
    /// Rows from files support neither terms nor bands. The article's format has no game numbers,
    /// so each row counts as a game, which `clusters` must allow ([`Clusters::Row`]).
    ///
    /// # Errors
    ///
    /// [`RowsError`], with the line and the problem.
    ///
    /// ```
    /// use centipawn_calibrate::material::Collection;
    ///
    /// use centipawn_calibrate::Clusters;
    ///
    /// let text = &b"1\t2\t0\t0\t0\t0\t0\t2\n1\t31\t1\t0\t0\t0\t0\t2\n"[..];
    /// let rows = Collection::read_rows(text, Clusters::Game)?;
    /// assert_eq!((rows.games(), rows.rows().len()), (1, 2));
    /// assert!(Collection::read_rows(&b" 1  0  0  0  0  2\n"[..], Clusters::Game).is_err());
    /// # Ok::<_, centipawn_calibrate::material::RowsError>(())
    /// ```
    pub fn read_rows(input: impl Read, clusters: Clusters) -> Result<Self, RowsError> {
        let mut collection = Self {
            is_bare: true,
            ..Self::default()
        };
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        let mut columns = None;
        let mut open = None;
        for number in 1.. {
            line.clear();
            // Lines of rows are short, so a longer line is not a row and need not be read
            // completely.
            if (&mut input).take(LONGEST).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let text = line.trim_ascii();
            if text.is_empty() || number == 1 && text.starts_with(b"game,") {
                continue;
            }
            let wrong = || RowsError::Line {
                line: number,
                text: String::from_utf8_lossy(text).into_owned(),
            };
            let numbers = numbers(text).ok_or_else(wrong)?;
            if *columns.get_or_insert(numbers.len()) != numbers.len() {
                return Err(wrong());
            }
            let (place, own) = match numbers[..] {
                [game, ply, ..] if numbers.len() == 8 => (Some((game, ply)), &numbers[2..]),
                _ if numbers.len() == 6 => (None, &numbers[..]),
                _ => return Err(wrong()),
            };
            let (difference, result) = decode(own).ok_or_else(wrong)?;
            let ply = match place {
                Some((game, ply)) => {
                    // Numbers of games ascend. Games without rows leave gaps.
                    if open.is_some_and(|open| game < open) || game < 1 {
                        return Err(wrong());
                    }
                    if open == Some(game)
                        && collection
                            .games
                            .last()
                            .is_some_and(|game| game.result != result)
                    {
                        return Err(RowsError::TwoResults { line: number, game });
                    }
                    if open != Some(game) {
                        let place = (0, game.unsigned_abs());
                        let game = bare_game(result);
                        collection.games.push(Game { place, ..game });
                    }
                    open = Some(game);
                    u16::try_from(ply).map_err(|_| wrong())?
                }
                None if clusters == Clusters::Game => return Err(RowsError::Game { line: number }),
                None => {
                    collection.games.push(bare_game(result));
                    0
                }
            };
            collection.rows.push(Row::bare(difference, ply));
            let end = collection.rows.len();
            if let Some(game) = collection.games.last_mut() {
                game.end = end;
            }
        }
        collection.is_loose = columns == Some(6);
        if collection.is_empty() {
            Err(RowsError::Empty)
        } else {
            Ok(collection)
        }
    }
}

const LONGEST: u64 = 1000;

fn bare_game(result: GameResult) -> Game {
    Game {
        end: 0,
        result,
        is_unfinished: false,
        elo: [0; 2],
        year: 0,
        event: 0,
        players: [0; 2],
        place: (0, 0),
    }
}

fn numbers(text: &[u8]) -> Option<Vec<i64>> {
    let text = std::str::from_utf8(text).ok()?;
    text.split(|char: char| char == ',' || char.is_ascii_whitespace())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect()
}

/// Decodes the differences and the result.
fn decode(numbers: &[i64]) -> Option<([i8; 5], GameResult)> {
    let (result, differences) = numbers.split_last()?;
    let result = *GameResult::ALL.get(usize::try_from(*result).ok()?)?;
    let mut difference = [0; 5];
    for (own, &number) in difference.iter_mut().zip(differences) {
        *own = i8::try_from(number)
            .ok()
            .filter(|own| own.unsigned_abs() <= 60)?;
    }
    Some((difference, result))
}

/// Why a row file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    /// An I/O error.
    #[error("cannot read the rows")]
    Io(#[from] io::Error),
    /// A line is not a row, or has another format than the lines before.
    #[error(
        "line {line} is no row: {text:?}; a row is pawns, knights, bishops, rooks, queens (White's less Black's) and the result \
         (0, 1, 2), in the whole file with game and ply before them or without"
    )]
    Line {
        /// Number of the line, from 1.
        line: u64,
        /// The text of the line.
        text: String,
    },
    /// A row does not name its game.
    #[error(
        "line {line} does not name its game: {NAME_GAMES}. Rows with game numbers are written as .tsv or .csv"
    )]
    Game {
        /// Number of the line, from 1.
        line: u64,
    },
    /// Rows of one game have different results.
    #[error("line {line}: game {game} has another result in the rows before")]
    TwoResults {
        /// Number of the line, from 1.
        line: u64,
        /// Number of the game.
        game: i64,
    },
    /// The file has no rows.
    #[error("there are no rows in it")]
    Empty,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn invalid_rows_are_refused() {
        for text in [
            "",
            "\n\n",
            "1 2 3\n",
            "0 0 0 0 0 3\n",
            "0 0 0 0 61 1\n",
            "0 0 0 0 0 1\n1 2 0 0 0 0 0 1\n",
            "2 2 0 0 0 0 0 1\n1 2 0 0 0 0 0 1\n",
            "1 2 0 0 0 0 0 1\n1 9 1 0 0 0 0 2\n",
            "x\n",
            "1 70000 0 0 0 0 0 1\n",
        ] {
            assert!(
                Collection::read_rows(text.as_bytes(), Clusters::Row).is_err(),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn rows_survive_writing_and_reading(games in prop::collection::vec((0..3usize, prop::collection::vec((0..500_u16, prop::array::uniform5(-9..=9_i8)), 1..6)), 1..20)) {
            let mut collection = Collection::default();
            for (result, rows) in games {
                collection.rows.extend(rows.into_iter().map(|(ply, difference)| Row::bare(difference, ply)));
                collection.games.push(Game { end: collection.rows.len(), ..bare_game(GameResult::ALL[result]) });
            }
            for format in [RowsFormat::Article, RowsFormat::Tabs, RowsFormat::Commas] {
                let mut written = Vec::new();
                collection.write_rows(format, &mut written).unwrap();
                let read = Collection::read_rows(&written[..], Clusters::Row).unwrap();
                let by_game = Collection::read_rows(&written[..], Clusters::Game);
                prop_assert_eq!(by_game.is_err(), format == RowsFormat::Article);
                let mut again = Vec::new();
                read.write_rows(format, &mut again).unwrap();
                prop_assert_eq!(&again, &written);
                prop_assert_eq!(read.games() == collection.games(), format != RowsFormat::Article || collection.games() == collection.rows().len() as u64);
            }
        }
    }
}
