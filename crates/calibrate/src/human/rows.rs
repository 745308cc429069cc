//! Tables of evaluated positions of games between humans.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read, Write},
    ops::RangeInclusive,
    str::FromStr,
};

use centipawn_core::{Eval, Pool, mix64};
use centipawn_pgn::{Game, TimeControl, rating};

use crate::clusters::{Clusters, NAME_GAMES};

use super::{
    HumanCountOptions, HumanGame, HumanGames, HumanPosition, LeftOut,
    count::{half_points, player_number},
    evaluated::circumstances,
};

/// A table of positions with evaluation, ratings and result, grouped by game.
///
/// The table has a header line. Its columns are separated by tabs, may have any order, and are
/// ignored if their name is unknown. Required are `cp` (centipawns for White), `white_elo`,
/// `black_elo`, `result` (White's score: 0, 0.5, 1) and `game` (number of the game in its file,
/// from 1). A table without game numbers is refused, unless [`Clusters::Row`] states that each row
/// counts as a game. Optional are `file` (distinguishes games of several files), `mate` (moves to
/// mate, negative if Black mates), `deep_cp` (centipawns of a much longer search), `ply`,
/// `time_control` (`180+2`) or `seconds` (base + 40·increment), `white_clock` and `black_clock`
/// (seconds left), `material`, `pool` ([`Pool`]), and `white` and `black` (names or numbers of the
/// players).
///
/// ```
/// use centipawn_calibrate::human::{HumanCountOptions, HumanRows};
///
/// let table = "game\tply\tcp\twhite_elo\tblack_elo\tresult\tseconds\n1\t12\t35\t1500\t1580\t0.5\t260\n1\t16\t-20\t1500\t1580\t0.5\t260\n";
/// let games = HumanRows::read(table.as_bytes())?.games(&HumanCountOptions::default());
/// assert_eq!((games.games, games.positions), (1, 2));
/// # Ok::<_, centipawn_calibrate::human::HumanRowsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HumanRows {
    /// The games, by file and number in that file.
    games: BTreeMap<(String, u64), RowGame>,
    /// The name that [`name`](Self::name) gave the table. It is the file of games for which the
    /// table names none.
    own: String,
    /// A number that differs between tables, so that games of different tables get different
    /// numbers.
    salt: u64,
}

#[derive(Clone, Debug)]
struct RowGame {
    ratings: [Option<f64>; 2],
    half_points: u8,
    seconds: Option<f64>,
    pool: Pool,
    players: Option<[u64; 2]>,
    /// The rows of the game. The evaluations keep the table's unit until it is known.
    rows: Vec<(i32, HumanPosition)>,
}

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HumanRowsError {
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The header lacks this required column.
    #[error("line 1 must name the columns, separated by tabs; {0} is missing")]
    Column(&'static str),
    /// A row does not name its game.
    #[error("line {line} has no number in the column game: {NAME_GAMES}")]
    Game {
        /// Number of the line, from 1; 1 if the table has no such column.
        line: u64,
    },
    /// A value is not of the expected form.
    #[error("line {line}: {column} is {value:?}; it must be {wanted}")]
    Value {
        /// Number of the line, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// The text in that column.
        value: String,
        /// The expected form.
        wanted: &'static str,
    },
    /// A game has two results or two pairs of ratings.
    #[error("line {line}: game {game} has another result or rating than in the lines before")]
    TwoGames {
        /// Number of the line, from 1.
        line: u64,
        /// Number of the game.
        game: u64,
    },
}

const COLUMNS: [&str; 17] = [
    "cp",
    "white_elo",
    "black_elo",
    "result",
    "file",
    "game",
    "ply",
    "mate",
    "seconds",
    "time_control",
    "white_clock",
    "black_clock",
    "material",
    "deep_cp",
    "pool",
    "white",
    "black",
];
const NEEDED: usize = 4;
/// The form of the column `pool`.
const POOLS: &str = "lichess, chesscom, fide, fide-online, fics, unknown, or empty";
/// Index of the column `game`.
const GAME: usize = 5;
/// Largest length of a row, in bytes. A longer line is refused.
const LONGEST: u64 = 10_000;

/// A line of the table, divided into columns.
struct Line<'a> {
    number: u64,
    values: Vec<&'a str>,
    places: &'a [Option<usize>; COLUMNS.len()],
}

impl Line<'_> {
    /// The text in a column; `None` if it is empty or the column is missing.
    fn text(&self, column: &str) -> Option<&str> {
        let index = COLUMNS.iter().position(|own| *own == column)?;
        self.values
            .get(self.places[index]?)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
    }

    /// The number in a column; `None` if it is empty or the column is missing.
    fn number<T: FromStr + PartialOrd>(
        &self,
        column: &'static str,
        range: RangeInclusive<T>,
        wanted: &'static str,
    ) -> Result<Option<T>, HumanRowsError> {
        let Some(text) = self.text(column) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(value) if range.contains(&value) => Ok(Some(value)),
            _ => Err(self.wrong(column, wanted)),
        }
    }

    fn wrong(&self, column: &'static str, wanted: &'static str) -> HumanRowsError {
        let value = self
            .text(column)
            .unwrap_or_default()
            .chars()
            .take(40)
            .collect();
        HumanRowsError::Value {
            line: self.number,
            column,
            value,
            wanted,
        }
    }
}

impl HumanRows {
    /// Reads a table in which each row names its game.
    ///
    /// # Errors
    ///
    /// [`HumanRowsError`], with the line and the problem.
    pub fn read(input: impl Read) -> Result<Self, HumanRowsError> {
        Self::read_by(input, Clusters::Game)
    }

    /// Reads a table. With [`Clusters::Row`], a row that names no game counts as a game.
    ///
    /// # Errors
    ///
    /// [`HumanRowsError`], with the line and the problem.
    pub fn read_by(input: impl Read, clusters: Clusters) -> Result<Self, HumanRowsError> {
        let mut input = BufReader::new(input);
        let mut rows = Self::default();
        let (mut bytes, mut places) = (Vec::new(), None);
        for number in 1.. {
            bytes.clear();
            if (&mut input).take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&bytes);
            let text = if number == 1 {
                text.trim_start_matches('\u{feff}')
            } else {
                &text
            };
            let values: Vec<&str> = text.trim_end_matches(['\r', '\n']).split('\t').collect();
            match &places {
                None => {
                    let places = places.insert(columns(&values)?);
                    if places[GAME].is_none() && clusters == Clusters::Game {
                        return Err(HumanRowsError::Game { line: 1 });
                    }
                }
                Some(_) if values == [""] => {}
                Some(places) => rows.add(
                    &Line {
                        number,
                        values,
                        places,
                    },
                    clusters,
                )?,
            }
        }
        if places.is_none() {
            Err(HumanRowsError::Column(COLUMNS[0]))
        } else {
            Ok(rows)
        }
    }

    fn add(&mut self, line: &Line<'_>, clusters: Clusters) -> Result<(), HumanRowsError> {
        const COUNT: &str = "a whole number";
        let game = match line.number("game", 1..=u64::MAX, COUNT)? {
            Some(game) => game,
            None if clusters == Clusters::Row => line.number,
            None => return Err(HumanRowsError::Game { line: line.number }),
        };
        let half_points = match line.text("result") {
            Some("0") => 0,
            Some("0.5" | "1/2") => 1,
            Some("1") => 2,
            _ => return Err(line.wrong("result", "White's score: 0, 0.5 or 1")),
        };
        let seconds = match line.text("time_control") {
            Some(control) => control.parse().ok().map(TimeControl::seconds),
            None => line.number("seconds", 1.0..=1e9, "a number of seconds")?,
        };
        // An invalid rating counts as missing, because exports write 0, ? or - for it.
        let ratings = ["white_elo", "black_elo"].map(|column| line.text(column).and_then(rating));
        let clock = |column| line.number(column, 0..=u16::MAX, "a whole number of seconds");
        let clocks = clock("white_clock")?
            .zip(clock("black_clock")?)
            .map(|(white, black)| [white, black]);
        let cp = line.number("cp", -1_000_000..=1_000_000, "a whole number of centipawns")?;
        let mate = line.number(
            "mate",
            -1000..=1000,
            "a number of moves, negative if Black mates",
        )?;
        let deep_cp = line.number(
            "deep_cp",
            -i16::MAX..=i16::MAX,
            "a whole number of centipawns",
        )?;
        let position = HumanPosition {
            mate: mate.unwrap_or(0),
            deep_cp,
            material: line.number("material", 0..=u8::MAX, COUNT)?,
            clocks,
            ..HumanPosition::new(
                0,
                line.number("ply", 0..=u16::MAX, COUNT)?.unwrap_or(u16::MAX),
            )
        };
        let pool = match line.text("pool") {
            Some(name) => name.parse().map_err(|_| line.wrong("pool", POOLS))?,
            None => Pool::Unknown,
        };
        let player = |column| line.text(column).and_then(player_number);
        let players = player("white")
            .zip(player("black"))
            .map(|(white, black)| [white, black]);
        let file = line.text("file").unwrap_or_default().to_owned();
        let own = self.games.entry((file, game)).or_insert_with(|| RowGame {
            ratings,
            half_points,
            seconds,
            pool,
            players,
            rows: Vec::new(),
        });
        if (own.ratings, own.half_points) != (ratings, half_points) {
            return Err(HumanRowsError::TwoGames {
                line: line.number,
                game,
            });
        }
        match (cp, mate) {
            (Some(cp), None) => own.rows.push((cp, position)),
            // A mate in 0 moves is the end of the game, not a position to evaluate.
            (None, Some(mate)) if mate != 0 => own.rows.push((0, position)),
            (None, Some(_)) => {}
            _ => {
                return Err(line.wrong(
                    "cp",
                    "a whole number of centipawns, or empty in a row with a mate",
                ));
            }
        }
        Ok(())
    }

    /// Names the table, and makes its games differ from those of other tables. The difference comes
    /// from `place`, the position among the tables, so that results do not depend on the path.
    /// `file` becomes the file of games for which the table names none.
    pub fn name(&mut self, file: &str, place: u64) {
        (self.own, self.salt) = (file.to_owned(), mix64(place + 1));
        let games = std::mem::take(&mut self.games).into_iter();
        let named = |((own, number), game): ((String, u64), RowGame)| {
            (
                (if own.is_empty() { file.to_owned() } else { own }, number),
                game,
            )
        };
        self.games = games.map(named).collect();
    }

    /// The files that the table names, in alphabetical order.
    pub fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = self.games.keys().map(|(file, _)| file.clone()).collect();
        files.dedup();
        files
    }

    /// Returns whether games of this file lack their time.
    pub fn lacks_time(&self, file: &str) -> bool {
        self.of_file(file).any(|(_, game)| game.seconds.is_none())
    }

    fn of_file<'a>(
        &'a self,
        file: &'a str,
    ) -> impl Iterator<Item = (&'a (String, u64), &'a RowGame)> {
        self.games
            .range((file.to_owned(), 0)..)
            .take_while(move |((own, _), _)| own == file)
    }

    /// Adds to a game what the table lacks: time, clocks and material, read from `game`, the
    /// `number`th game of `file`. Returns whether ratings and result are those of the table; if
    /// not, nothing is added.
    pub fn complete(&mut self, file: &str, number: u64, game: &Game) -> bool {
        let Some(own) = self.games.get_mut(&(file.to_owned(), number)) else {
            return true;
        };
        let ratings = ["WhiteElo", "BlackElo"].map(|name| game.headers.get(name).and_then(rating));
        if ratings != own.ratings
            || half_points(game.result).is_some_and(|points| points != own.half_points)
        {
            return false;
        }
        let players = game.players();
        own.seconds = own.seconds.or(players.seconds);
        if own.pool == Pool::Unknown {
            own.pool = players.pool;
        }
        own.players = own.players.or_else(|| {
            let number = |name: &str| game.headers.get(name).and_then(player_number);
            number("White")
                .zip(number("Black"))
                .map(|(white, black)| [white, black])
        });
        let known = circumstances(game);
        for (_, row) in &mut own.rows {
            let Some(known) = known.get(usize::from(row.ply)) else {
                continue;
            };
            row.clocks = row.clocks.or(known.clocks);
            row.material = row.material.or(known.material);
        }
        true
    }

    /// Collects the games that count.
    pub fn games(&self, options: &HumanCountOptions) -> HumanGames {
        let mut games = HumanGames::new(options.per_class);
        let units = options.units.unwrap_or(1.0);
        games.sources = self.files();
        for ((file, number), game) in &self.games {
            let source = games
                .sources
                .iter()
                .position(|own| own == file)
                .unwrap_or(0);
            let (ratings, seconds) = match options.counted(game.ratings, game.seconds) {
                Ok(known) => known,
                Err(why) => {
                    games.leave_out(why);
                    continue;
                }
            };
            let positions: Vec<_> = game
                .rows
                .iter()
                .filter(|(_, row)| u32::from(row.ply) >= options.first_ply)
                .filter_map(|(cp, row)| {
                    let deep_cp = row
                        .deep_cp
                        .map(|deep| (f64::from(deep) / units).round() as i16);
                    match row.mate {
                        0 => Some(HumanPosition {
                            cp: HumanCountOptions::centipawns(Eval::cp(*cp), units)?,
                            deep_cp,
                            ..*row
                        }),
                        _ => Some(HumanPosition {
                            deep_cp: None,
                            ..*row
                        }),
                    }
                })
                .collect();
            if positions.is_empty() {
                games.leave_out(LeftOut::NoPosition);
                continue;
            }
            // Hash the name of the file, so that its position in the table does not matter. The
            // table's own name may be a path, so leave it out.
            let named = if *file == self.own { "" } else { file };
            let place = named
                .bytes()
                .fold(self.salt, |sum, byte| mix64(sum ^ u64::from(byte)));
            let number = options.number(place, *number);
            let half_points = game.half_points;
            games.add(HumanGame {
                number,
                source: source as u32,
                ratings,
                seconds,
                pool: options.pool_of(game.pool),
                players: game.players,
                half_points,
                positions,
            });
        }
        games
    }
}

/// The index of each of [`COLUMNS`] in the header.
fn columns(header: &[&str]) -> Result<[Option<usize>; COLUMNS.len()], HumanRowsError> {
    let places = COLUMNS.map(|name| {
        header
            .iter()
            .position(|own| own.trim().eq_ignore_ascii_case(name))
    });
    match places[..NEEDED].iter().position(Option::is_none) {
        Some(missing) => Err(HumanRowsError::Column(COLUMNS[missing])),
        None => Ok(places),
    }
}

impl HumanGames {
    /// Writes the kept games as a table that [`HumanRows::read`] reads. The column `game` numbers
    /// the games of this table, not those of their files.
    ///
    /// # Errors
    ///
    /// Errors of writing to `out`.
    pub fn write_rows(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "file\tgame\tply\tcp\tmate\twhite_elo\tblack_elo\tresult\tseconds\twhite_clock\tblack_clock\tmaterial\tdeep_cp\tpool\twhite\tblack"
        )?;
        for (number, game) in (1..).zip(self.kept()) {
            let file = self
                .sources
                .get(game.source as usize)
                .map_or("", String::as_str)
                .replace(['\t', '\n', '\r'], " ");
            let [white, black] = game.ratings;
            let pool = game.pool;
            let [white_player, black_player] = [0, 1].map(|side| {
                game.players
                    .map_or_else(String::new, |players| players[side].to_string())
            });
            let (score, seconds) = (game.score(), game.seconds);
            for position in &game.positions {
                let HumanPosition {
                    cp,
                    mate,
                    deep_cp,
                    ply,
                    material,
                    clocks,
                } = *position;
                let text =
                    |value: Option<i32>| value.map_or_else(String::new, |value| value.to_string());
                let [white_clock, black_clock] =
                    [0, 1].map(|side| text(clocks.map(|clocks| clocks[side].into())));
                let (material, deep_cp) =
                    (text(material.map(i32::from)), text(deep_cp.map(i32::from)));
                let cp = text((mate == 0).then_some(cp.into()));
                let mate = text((mate != 0).then_some(mate.into()));
                let ply = text((ply != u16::MAX).then_some(ply.into()));
                writeln!(
                    out,
                    "{file}\t{number}\t{ply}\t{cp}\t{mate}\t{white}\t{black}\t{score}\t{seconds}\t{white_clock}\t{black_clock}\t{material}\t{deep_cp}\t{pool}\t{white_player}\t{black_player}"
                )?;
            }
        }
        Ok(())
    }
}
