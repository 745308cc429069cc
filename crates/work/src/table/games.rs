//! Games as rows.

use centipawn_pgn::{PartialDate, rating};
use shakmaty::Outcome;

use super::{
    columns::{
        BLACK_ELO, BLACK_NAME, BYTE_OFFSET, DATE, DIALECT, ECO, EVENT, GAME, GAME_ID, PLIES,
        RESULT, SITE, SOURCE, START_FEN, TERMINATION, TIME_CONTROL, VARIANT, WHITE_ELO, WHITE_NAME,
        YEAR, result,
    },
    memory::Table,
};

/// Returns the number of a game: its source and the place in it.
pub fn game_id(source: usize, offset: u64) -> i64 {
    (source as i64) << 48 | offset as i64
}

/// A row of the table of games, without the columns that come from tags.
#[derive(Clone, Copy, Debug)]
pub struct GameRow<'a> {
    /// Index of the row in the table of games.
    pub game: u32,
    /// The index of the game's source among all sources, and the source's name.
    pub source: (usize, &'a str),
    /// Byte offset of the game in the text of its source.
    pub offset: u64,
    /// The result of the game.
    pub result: Outcome,
    /// Number of half-moves.
    pub plies: usize,
    /// The dialect of the evaluations in the source.
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
            row.int(
                column,
                tag(name).and_then(|elo| rating(&elo)).map(|elo| elo as i32),
            );
        }
        for (column, name) in [(&EVENT, "Event"), (&SITE, "Site")] {
            row.text(column, tag(name).as_deref());
        }
        let dates = || {
            ["Date", "UTCDate"]
                .into_iter()
                .filter_map(|name| PartialDate::read(&tag(name)?))
        };
        row.int(
            &DATE,
            dates()
                .find(|date| date.day().is_some())
                .map(PartialDate::first_day),
        );
        row.int(&YEAR, dates().next().map(|date| i32::from(date.year())));
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

#[cfg(test)]
mod tests {
    use super::{super::memory::Values, *};

    #[test]
    fn dates_are_those_of_the_tags() {
        let mut games = Table::new(&[&DATE, &YEAR]);
        for tags in [
            ["2021.9.30", ""],
            ["2021-10-05", ""],
            ["????.??.??", "2021.10.01"],
            ["1858.??.??", ""],
            ["x", "?"],
        ] {
            let row = GameRow {
                game: 0,
                source: (0, "games.pgn"),
                offset: 0,
                result: Outcome::Unknown,
                plies: 0,
                dialect: "auto",
            };
            row.add(&mut games, |name| match name {
                "Date" => Some(tags[0].to_owned()),
                "UTCDate" => Some(tags[1].to_owned()),
                _ => None,
            });
        }
        let rows = games
            .into_columns()
            .into_iter()
            .map(|column| match &column.values {
                Values::Int(values) => column.rows(values.iter().copied()),
                values => panic!("{values:?}"),
            });
        let expected = [
            [Some(18_900), Some(18_905), Some(18_901), None, None],
            [Some(2021), Some(2021), Some(2021), Some(1858), None],
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }
}
