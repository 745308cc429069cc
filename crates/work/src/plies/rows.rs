//! Games and plies as rows.

use std::{borrow::Cow, time::Duration};

use centipawn_core::{Eval, Score, Wdl, White};
use centipawn_pgn::{Annotation, Board, Described, Dialect, GameView, PlyView};
use shakmaty::{Color, EnPassantMode, KnownOutcome, Outcome, fen::Fen};

use super::table::{Column, Field, Kind, Table};

/// The columns of games.
pub(super) const GAMES: [Field; 17] = [
    ("game", Kind::Int64, false),
    ("source", Kind::Text, false),
    ("byte", Kind::Int64, false),
    ("event", Kind::Text, true),
    ("site", Kind::Text, true),
    ("date", Kind::Text, true),
    ("white_name", Kind::Text, true),
    ("black_name", Kind::Text, true),
    ("white_elo", Kind::Int16, true),
    ("black_elo", Kind::Int16, true),
    ("eco", Kind::Text, true),
    ("time_control", Kind::Text, true),
    ("termination", Kind::Text, true),
    ("variant", Kind::Text, true),
    ("start_fen", Kind::Text, true),
    ("result", Kind::Int8, true),
    ("plies", Kind::Int32, false),
];

/// The columns of plies; `fen` follows if it is requested.
pub(super) const PLIES: [Field; 17] = [
    ("game", Kind::Int64, false),
    ("ply", Kind::Int16, false),
    ("number", Kind::Int16, false),
    ("white_to_move", Kind::Bool, false),
    ("san", Kind::Text, false),
    ("material", Kind::Int16, false),
    ("material_after", Kind::Int16, false),
    ("cp", Kind::Int32, true),
    ("mate", Kind::Int16, true),
    ("eval_after", Kind::Bool, true),
    ("depth", Kind::Int16, true),
    ("win", Kind::Float, true),
    ("draw", Kind::Float, true),
    ("loss", Kind::Float, true),
    ("time_us", Kind::Int64, true),
    ("clock_us", Kind::Int64, true),
    ("result", Kind::Int8, true),
];

/// The position before the move, if it is requested.
pub(super) const FEN: Field = ("fen", Kind::Text, false);

/// White's score: 1, 0 for a draw, −1; `None` without a result.
pub(super) fn result(outcome: Outcome) -> Option<i32> {
    match outcome {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(1, -1)),
        Outcome::Known(KnownOutcome::Draw) => Some(0),
        Outcome::Unknown => None,
    }
}

/// The number of a game: its source and the place in it.
pub(super) fn game_number(source: usize, byte: u64) -> i64 {
    (source as i64) << 48 | byte as i64
}

/// A game; its tags are given beside it.
pub(super) struct GameRow<'a> {
    pub(super) number: i64,
    pub(super) source: &'a str,
    pub(super) byte: u64,
    pub(super) result: Outcome,
    pub(super) plies: usize,
}

impl GameRow<'_> {
    pub(super) fn add(self, games: &mut Table, tag: impl Fn(&str) -> Option<String>) {
        games.rows += 1;
        let [id, source, byte, event, site, date, white, black, white_elo, black_elo, rest @ ..] =
            &mut games.columns[..]
        else {
            return;
        };
        let [eco, time_control, termination, variant, start_fen, score, length] = rest else { return };
        id.long(self.number);
        source.text(Some(self.source.as_bytes()));
        byte.long(self.byte as i64);
        let tag = |name: &str| {
            let value = tag(name)?;
            let value = value.trim();
            (!matches!(value, "" | "?" | "-")).then(|| value.to_owned())
        };
        for (column, name) in [
            (event, "Event"),
            (site, "Site"),
            (white, "White"),
            (black, "Black"),
            (eco, "ECO"),
            (time_control, "TimeControl"),
            (termination, "Termination"),
            (variant, "Variant"),
            (start_fen, "FEN"),
        ] {
            column.text(tag(name).as_deref().map(str::as_bytes));
        }
        date.text(tag("Date").or_else(|| tag("UTCDate")).as_deref().map(str::as_bytes));
        for (column, name) in [(white_elo, "WhiteElo"), (black_elo, "BlackElo")] {
            column.int(tag(name).and_then(|elo| elo.parse::<i16>().ok()).filter(|elo| *elo > 0).map(i32::from));
        }
        score.int(result(self.result));
        length.int(i32::try_from(self.plies).unwrap_or(i32::MAX));
    }
}

/// A ply; probabilities and evaluations are White's view.
pub(super) struct PlyRow<'a> {
    pub(super) game: i64,
    pub(super) index: usize,
    pub(super) number: u32,
    pub(super) mover: Color,
    pub(super) san: &'a [u8],
    /// Before and after the move.
    pub(super) material: [u32; 2],
    pub(super) eval: Option<Eval<White>>,
    pub(super) eval_after: bool,
    pub(super) depth: Option<u32>,
    pub(super) wdl: Option<Wdl>,
    pub(super) time: Option<Duration>,
    pub(super) clock: Option<Duration>,
    pub(super) result: Outcome,
}

impl PlyRow<'_> {
    /// Fills the columns of [`PLIES`]; returns those behind them.
    pub(super) fn add(self, plies: &mut Table) -> &mut [Column] {
        plies.rows += 1;
        let (columns, more) = plies.columns.split_at_mut(PLIES.len());
        let [id, index, number, white_to_move, san, before, after, rest @ ..] = columns else { return more };
        id.long(self.game);
        index.int(small(self.index));
        number.int(small(self.number as usize));
        white_to_move.bool(self.mover == Color::White);
        match std::str::from_utf8(self.san) {
            Ok(text) => san.text(Some(text.as_bytes())),
            Err(_) => san.text(Some(String::from_utf8_lossy(self.san).as_bytes())),
        }
        let [own_before, own_after] = self.material;
        before.int(small(own_before as usize));
        after.int(small(own_after as usize));
        let [cp, mate, eval_after, depth, win, draw, loss, time, clock, score] = rest else { return more };
        let (own_cp, own_mate) = parts(self.eval);
        cp.int(own_cp);
        mate.int(own_mate);
        match self.eval {
            Some(_) => eval_after.bool(self.eval_after),
            None => eval_after.no_bool(),
        }
        depth.int(self.depth.map(|depth| small(depth as usize)));
        win.float(self.wdl.map(|wdl| wdl.win as f32));
        draw.float(self.wdl.map(|wdl| wdl.draw as f32));
        loss.float(self.wdl.map(|wdl| wdl.loss as f32));
        let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        time.long(self.time.map(micros));
        clock.long(self.clock.map(micros));
        score.int(result(self.result));
        more
    }
}

/// Centipawns and moves to mate.
pub(super) fn parts(eval: Option<Eval<White>>) -> (Option<i32>, Option<i32>) {
    match eval.map(Eval::score) {
        Some(Score::Cp(cp)) => (Some(cp), None),
        Some(Score::Mate(mate)) => (None, Some(mate)),
        None => (None, None),
    }
}

/// What rows of a scan are made of besides the games.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The index of the source among all sources, and its name.
    pub(super) source: (usize, &'a str),
    /// How evaluations are written; by default as was detected for the file.
    pub(super) evals: Dialect,
    pub(super) has_fen: bool,
}

impl Reading<'_> {
    /// Adds the row of a game, and those of its plies.
    pub(super) fn add(&self, games: &mut Table, plies: &mut Table, game: &GameView<'_>) {
        let (number, result) = (game_number(self.source.0, game.offset()), game.result());
        let dialect = match (self.evals, game.dialect()) {
            // Each comment is taken for what it looks like.
            (Dialect::Auto, Dialect::Text) => Dialect::Auto,
            (Dialect::Auto, detected) => detected,
            (given, _) => given,
        };
        let row = GameRow { number, source: self.source.1, byte: game.offset(), result, plies: game.len() };
        row.add(games, |name| game.tag(name).map(Cow::into_owned));
        let mut add = |board: Option<&Board>, ply: PlyView<'_>| {
            let Annotation { eval, depth, wdl, time, clock, described } = ply.annotation(dialect);
            let row = PlyRow {
                game: number,
                index: ply.index(),
                number: ply.number(),
                mover: ply.turn(),
                san: ply.san(),
                material: [ply.material_before().total(), ply.material().total()],
                eval,
                eval_after: described == Described::After,
                depth,
                wdl,
                time,
                clock,
                result,
            };
            if let ([fen], Some(board)) = (row.add(plies), board) {
                fen.text(Some(Fen::from_position(&board.position(), EnPassantMode::Legal).to_string().as_bytes()));
            }
        };
        if self.has_fen {
            game.walk(|board, ply| add(Some(board), ply));
        } else {
            game.plies().for_each(|ply| add(None, ply));
        }
    }
}

/// As a column of 16 bits has it.
fn small(number: usize) -> i32 {
    i32::from(i16::try_from(number).unwrap_or(i16::MAX))
}
