//! Games as rows.

use centipawn_pgn::rating;
use shakmaty::{KnownOutcome, Outcome};

use super::{
    columns::{
        BLACK_ELO, BLACK_NAME, BYTE_OFFSET, DATE, DIALECT, ECO, EVENT, GAME, GAME_ID, PLIES, RESULT, SITE, SOURCE,
        START_FEN, TERMINATION, TIME_CONTROL, VARIANT, WHITE_ELO, WHITE_NAME, YEAR,
    },
    memory::Table,
};

/// White's points: 1, ½ or 0; `None` without a result.
pub fn result(outcome: Outcome) -> Option<f64> {
    match outcome {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(1.0, 0.0)),
        Outcome::Known(KnownOutcome::Draw) => Some(0.5),
        Outcome::Unknown => None,
    }
}

/// The number of a game: its source and the place in it.
pub fn game_id(source: usize, offset: u64) -> i64 {
    (source as i64) << 48 | offset as i64
}

/// A game; its tags are given beside it.
#[derive(Clone, Copy, Debug)]
pub struct GameRow<'a> {
    /// Its row in the table of games.
    pub game: u32,
    /// The index of its source among all sources, and the source's name.
    pub source: (usize, &'a str),
    /// Where it begins in the text of its source.
    pub offset: u64,
    /// Its result.
    pub result: Outcome,
    /// Its half-moves.
    pub plies: usize,
    /// How the evaluations of its source are written.
    pub dialect: &'a str,
}

impl GameRow<'_> {
    /// Adds the row; `tag` returns the value of a tag.
    pub fn add(self, games: &mut Table, tag: impl Fn(&str) -> Option<String>) {
        let tag = |name: &str| {
            let value = tag(name)?;
            let value = value.trim();
            (!matches!(value, "" | "?" | "-")).then(|| value.to_owned())
        };
        let mut row = games.row();
        row.int(&GAME, self.game as i32);
        row.long(&GAME_ID, game_id(self.source.0, self.offset));
        row.text(&SOURCE, self.source.1);
        row.long(&BYTE_OFFSET, self.offset as i64);
        for (column, name) in [(&WHITE_NAME, "White"), (&BLACK_NAME, "Black")] {
            row.text(column, tag(name).as_deref());
        }
        for (column, name) in [(&WHITE_ELO, "WhiteElo"), (&BLACK_ELO, "BlackElo")] {
            row.int(column, tag(name).and_then(|elo| rating(&elo)).map(|elo| elo as i32));
        }
        for (column, name) in [(&EVENT, "Event"), (&SITE, "Site")] {
            row.text(column, tag(name).as_deref());
        }
        let dates: Vec<String> = ["Date", "UTCDate"].into_iter().filter_map(tag).collect();
        row.int(&DATE, dates.iter().find_map(|date| days(date)));
        row.int(&YEAR, dates.iter().find_map(|date| year(date)));
        for (column, name) in [
            (&ECO, "ECO"),
            (&TIME_CONTROL, "TimeControl"),
            (&TERMINATION, "Termination"),
            (&VARIANT, "Variant"),
            (&START_FEN, "FEN"),
        ] {
            row.text(column, tag(name).as_deref());
        }
        row.double(&RESULT, result(self.result));
        row.int(&PLIES, i32::try_from(self.plies).unwrap_or(i32::MAX));
        row.text(&DIALECT, self.dialect);
    }
}

/// The parts of a date as PGN writes it.
fn parts(date: &str) -> impl Iterator<Item = Option<i32>> {
    date.split(['.', '-', '/']).map(|part| part.parse().ok())
}

/// The year of a date.
fn year(date: &str) -> Option<i32> {
    parts(date).next()?.filter(|year| (1..=9999).contains(year))
}

/// Days from 1970-01-01 to a date; `None` if a part is missing or there is no such day.
fn days(date: &str) -> Option<i32> {
    let year = year(date)?;
    let mut later = parts(date).skip(1);
    let (month, day) = (later.next()??, later.next()??);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(days("1970.01.01"), Some(0));
        assert_eq!(days("2000-02-29"), Some(11_016));
        assert_eq!(days("1969/12/31"), Some(-1));
        assert_eq!(days("2024.12.31"), Some(20_088));
        for bad in ["1900.02.29", "2021.??.??", "2021.13.01", "2021.04.31", "2021.4", "", "x", "2021.00.10"] {
            assert_eq!(days(bad), None, "{bad}");
        }
        assert_eq!(
            [year("1858.??.??"), year("????.01.01"), year("0"), year("20210101")],
            [Some(1858), None, None, None]
        );
    }
}
