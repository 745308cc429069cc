//! Plies as rows.

use std::time::Duration;

use centipawn_core::{Eval, Wdl, White};
use centipawn_pgn::{Annotation, Board, Described, Dialect, GameView, PlyView};
use shakmaty::{Color, EnPassantMode, Outcome, fen::Fen};

use super::{
    columns::{
        CLOCK_SECONDS, Column, DEPTH, EVAL_BEFORE_CP, EVAL_BEFORE_MATE, EVAL_CP, EVAL_MATE, FEN,
        GAME_ID, MATERIAL, MATERIAL_BEFORE, MOVE_NUMBER, MOVER, P_BEFORE_DRAW, P_BEFORE_LOSS,
        P_BEFORE_WIN, P_DRAW, P_LOSS, P_WIN, PLY, RESULT, SAN, TIME_SECONDS, eval_after,
        eval_columns, result, small,
    },
    games::{GameRow, game_id},
    memory::{Row, Table},
};

/// A ply; probabilities and evaluations are White's view. Pairs are of the position before and of
/// that after the move.
struct PlyRow<'a> {
    game_id: i64,
    index: usize,
    number: u32,
    mover: Color,
    san: &'a str,
    material: [u32; 2],
    evals: [Option<Eval<White>>; 2],
    depth: Option<u32>,
    wdl: [Option<Wdl>; 2],
    time: Option<Duration>,
    clock: Option<Duration>,
    result: Outcome,
}

impl PlyRow<'_> {
    /// Adds a row; returns it for the columns that follow.
    fn add(self, plies: &mut Table) -> Row<'_> {
        let mut row = plies.row();
        row.long(&GAME_ID, self.game_id);
        row.int(&PLY, small(self.index + 1));
        row.int(&MOVE_NUMBER, small(self.number as usize));
        row.text(&MOVER, self.mover.fold_wb("white", "black"));
        row.text(&SAN, self.san);
        for (column, material) in [&MATERIAL_BEFORE, &MATERIAL].into_iter().zip(self.material) {
            row.int(column, small(material as usize));
        }
        let columns = [(&EVAL_BEFORE_CP, &EVAL_BEFORE_MATE), (&EVAL_CP, &EVAL_MATE)];
        let [before, after] = self.evals;
        for ((cp, mate), eval) in columns
            .into_iter()
            .zip([before, after.map(|eval| eval_after(eval, self.mover))])
        {
            add_eval(&mut row, cp, mate, eval);
        }
        row.int(&DEPTH, self.depth.map(|depth| small(depth as usize)));
        let columns = [
            [&P_BEFORE_WIN, &P_BEFORE_DRAW, &P_BEFORE_LOSS],
            [&P_WIN, &P_DRAW, &P_LOSS],
        ];
        for (columns, wdl) in columns.into_iter().zip(self.wdl) {
            let [win, draw, loss] = columns;
            row.double(win, wdl.map(|wdl| wdl.win));
            row.double(draw, wdl.map(|wdl| wdl.draw));
            row.double(loss, wdl.map(|wdl| wdl.loss));
        }
        row.double(&TIME_SECONDS, self.time.map(|time| time.as_secs_f64()));
        row.double(&CLOCK_SECONDS, self.clock.map(|clock| clock.as_secs_f64()));
        row.double(&RESULT, result(self.result));
        row
    }
}

fn add_eval(
    row: &mut Row<'_>,
    cp: &'static Column,
    mate: &'static Column,
    eval: Option<Eval<White>>,
) {
    let (own_cp, own_mate) = eval_columns(eval);
    row.int(cp, own_cp);
    row.int(mate, own_mate.map(i32::from));
}

/// Returns the dialect in which the comments of a game are read: the given one, else that of the
/// game's file. A file of [`Dialect::Text`] may have comments of other dialects.
pub fn comment_dialect(given: Dialect, detected: Dialect) -> Dialect {
    match (given, detected) {
        (Dialect::Auto, Dialect::Text) => Dialect::Auto,
        (Dialect::Auto, detected) => detected,
        (given, _) => given,
    }
}

/// The data on which the rows of an export depend besides the game.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The index of the source among all sources, and its name.
    pub(super) source: (usize, &'a str),
    /// The dialect of the evaluations; by default, the dialect detected for the file.
    pub(super) evals: Dialect,
    pub(super) has_fen: bool,
}

impl Reading<'_> {
    /// Adds the row of a game and the rows of its plies.
    pub(super) fn add(&self, games: &mut Table, plies: &mut Table, game: &GameView<'_>) {
        let (source, offset, result) = (self.source, game.offset(), game.result());
        let (game_id, dialect) = (
            game_id(source.0, offset),
            comment_dialect(self.evals, game.dialect()),
        );
        let row = GameRow {
            game: 0,
            source,
            offset,
            result,
            plies: game.len(),
            dialect: "",
        };
        row.add(games, |name| {
            game.tag(name).map(std::borrow::Cow::into_owned)
        });
        let mut add = |board: Option<&Board>, ply: PlyView<'_>| {
            let Annotation {
                eval,
                depth,
                wdl,
                time,
                clock,
                described,
                ..
            } = ply.annotation(dialect);
            let is_after = described == Described::After;
            let row = PlyRow {
                game_id,
                index: ply.index(),
                number: ply.number(),
                mover: ply.turn(),
                san: &String::from_utf8_lossy(ply.san()),
                material: [ply.material_before().total(), ply.material().total()],
                evals: if is_after { [None, eval] } else { [eval, None] },
                depth,
                wdl: if is_after { [None, wdl] } else { [wdl, None] },
                time,
                clock,
                result,
            };
            let mut row = row.add(plies);
            if let Some(board) = board {
                row.text(
                    &FEN,
                    &*Fen::from_position(&board.position(), EnPassantMode::Legal).to_string(),
                );
            }
        };
        if self.has_fen {
            game.walk(|board, ply| add(Some(board), ply));
        } else {
            game.plies().for_each(|ply| add(None, ply));
        }
    }
}
