//! The CSV format of Lichess' puzzle database.

use std::io::{self, Read, Write};

use centipawn_core::History;
use centipawn_progress::{
    Bounded,
    text::{for_spreadsheet, from_spreadsheet},
};
use csv::{ByteRecord, ReaderBuilder};

use crate::{BadPuzzle, Puzzle, ReadError, error::clipped};

const COLUMNS: [&str; 10] = [
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
];

pub(super) struct Puzzles<R> {
    rows: csv::Reader<Bounded<R>>,
    row: ByteRecord,
    /// Index in a row of each of [`COLUMNS`].
    places: [Option<usize>; 10],
    width: usize,
    is_over: bool,
}

impl<R: Read> Puzzles<R> {
    pub(super) fn new(input: R) -> Result<Self, ReadError> {
        let mut rows = ReaderBuilder::new()
            .flexible(true)
            .from_reader(Bounded::new(input));
        let header = match rows.byte_headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(read_error(&rows, error)),
        };
        let mut names = Vec::new();
        for (index, name) in header.iter().enumerate() {
            let name = if index == 0 {
                name.strip_prefix(b"\xef\xbb\xbf").unwrap_or(name)
            } else {
                name
            };
            names.push(
                std::str::from_utf8(name)
                    .map_err(|_| ReadError::NotUtf8)?
                    .trim()
                    .to_owned(),
            );
        }
        if names.iter().any(|name| name.contains('\0')) {
            return Err(ReadError::NotUtf8);
        }
        let place = |wanted: &str| {
            names
                .iter()
                .position(|name| name.eq_ignore_ascii_case(wanted))
        };
        let missing: Vec<&str> = ["FEN", "Moves"]
            .into_iter()
            .filter(|name| place(name).is_none())
            .collect();
        if !missing.is_empty() {
            return Err(ReadError::Columns {
                missing: missing.join(" and "),
                found: clipped(&names.join(", ")),
            });
        }
        let places = COLUMNS.map(place);
        Ok(Self {
            rows,
            row: ByteRecord::new(),
            places,
            width: names.len(),
            is_over: false,
        })
    }

    fn field(&self, column: usize) -> Result<&str, BadPuzzle> {
        let bytes = self.places[column]
            .and_then(|place| self.row.get(place))
            .unwrap_or_default();
        std::str::from_utf8(bytes)
            .map(|text| from_spreadsheet(text.trim()))
            .map_err(|_| BadPuzzle::NotUtf8 {
                column: COLUMNS[column],
            })
    }

    fn number<N: std::str::FromStr>(&self, column: usize) -> Result<Option<N>, BadPuzzle> {
        let text = self.field(column)?;
        if text.is_empty() {
            return Ok(None);
        }
        let number = text.parse().map_err(|_| BadPuzzle::NoNumber {
            column: COLUMNS[column],
            text: clipped(text),
        })?;
        Ok(Some(number))
    }

    fn puzzle(&self) -> Result<Puzzle, BadPuzzle> {
        if self.row.len() != self.width {
            return Err(BadPuzzle::Fields {
                found: self.row.len(),
                wanted: self.width,
            });
        }
        let start = History::from_fen(self.field(1)?, None)?;
        let mut puzzle = Puzzle::new(&start, self.field(2)?.split_ascii_whitespace())?;
        if let Some(id) = Some(self.field(0)?).filter(|id| !id.is_empty()) {
            id.clone_into(&mut puzzle.id);
        }
        puzzle.rating = self.number(3)?;
        puzzle.deviation = self.number(4)?;
        puzzle.popularity = self.number(5)?;
        puzzle.plays = self.number(6)?;
        puzzle.set_theme_names(self.field(7)?.split_ascii_whitespace());
        self.field(8)?.clone_into(&mut puzzle.url);
        self.field(9)?.clone_into(&mut puzzle.openings);
        Ok(puzzle)
    }
}

impl<R: Read> Iterator for Puzzles<R> {
    type Item = Result<Puzzle, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        self.rows.get_mut().restart();
        match self.rows.read_byte_record(&mut self.row) {
            Ok(false) => None,
            Ok(true) => Some(self.puzzle().map_err(|kind| {
                let line = self.row.position().map_or(0, csv::Position::line);
                ReadError::Puzzle {
                    line,
                    id: clipped(self.field(0).unwrap_or_default()),
                    kind,
                }
            })),
            Err(error) => {
                self.is_over = true;
                Some(Err(read_error(&self.rows, error)))
            }
        }
    }
}

fn read_error<R: Read>(rows: &csv::Reader<Bounded<R>>, error: csv::Error) -> ReadError {
    if rows.get_ref().is_exceeded() {
        return ReadError::LongLine {
            line: rows.position().line(),
        };
    }
    ReadError::csv(error)
}

pub(super) fn write_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))
}

pub(super) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    fn number<N: ToString>(number: Option<N>) -> String {
        number.map_or_else(String::new, |number| number.to_string())
    }
    // An estimated rating does not come from plays, so it has no number of plays.
    let plays = puzzle.plays.filter(|_| puzzle.rating_interval.is_none());
    let mut row = csv::WriterBuilder::new().from_writer(out);
    let moves: Vec<String> = puzzle.uci_moves().collect();
    let cells = [
        puzzle.id.as_str(),
        &puzzle.start.fen(),
        &moves.join(" "),
        &number(puzzle.rating),
        &number(puzzle.deviation),
        &number(puzzle.popularity),
        &number(plays),
        &puzzle.theme_names().join(" "),
        &puzzle.url,
        &puzzle.openings,
    ];
    // Names and addresses come from files of others, and many people open the table in a
    // spreadsheet.
    row.write_record(cells.iter().map(|cell| for_spreadsheet(cell).into_owned()))?;
    row.flush()
}
