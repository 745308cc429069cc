//! The columns of a scan, filled game by game: plies and their games.

use std::{collections::HashMap, mem, sync::Arc};

use arrow_array::{
    ArrayRef, DictionaryArray, Int8Array, Int16Array, Int32Array, RecordBatch, StringArray,
    builder::StringBuilder,
    types::{Float64Type, Int8Type, Int16Type, Int32Type},
};
use arrow_schema::Schema;
use centipawn_core::{Eval, Wdl, White};
use centipawn_pgn::{Board, Described, Dialect, GameView, Merge, PlyView, Sources};
use centipawn_work::table::{
    GameRow, Table as Rows,
    columns::{
        CLOCK_SECONDS, COMMENT, Column, DEPTH, DIALECT, EVAL_BEFORE_CP, EVAL_BEFORE_MATE, EVAL_CP,
        EVAL_MATE, FEN, GAME, GAMES, MATERIAL, MATERIAL_BEFORE, MOVE_NUMBER, MOVER, NAG,
        P_BEFORE_DRAW, P_BEFORE_LOSS, P_BEFORE_WIN, P_DRAW, P_LOSS, P_WIN, PLY, RESULT, SAN,
        SCANNED_ON_REQUEST, SCANNED_PLIES, TIME_SECONDS, UCI,
    },
    comment_dialect, eval_after, eval_columns, result,
};
use pyo3::prelude::*;
use shakmaty::{Color, EnPassantMode, fen::Fen};

use crate::{
    error::value_error,
    optional::Optional,
    table::{Columns, Table},
};

/// Which columns of [`SCANNED_PLIES`] are filled.
#[derive(Clone, Copy)]
pub(crate) struct Wanted([bool; SCANNED_PLIES.len()]);

impl Wanted {
    /// The columns with these names. Without names, all columns except those that are filled only
    /// on request.
    pub(crate) fn new(names: Option<Vec<String>>) -> PyResult<Self> {
        let Some(names) = names else {
            return Ok(Self(
                SCANNED_PLIES.map(|column| !SCANNED_ON_REQUEST.contains(&column)),
            ));
        };
        let mut wanted = [false; SCANNED_PLIES.len()];
        for name in &names {
            let index = SCANNED_PLIES
                .iter()
                .position(|column| column.name == name)
                .ok_or_else(|| {
                    let columns = SCANNED_PLIES.map(|column| column.name).join(", ");
                    value_error(format!(
                        "there is no column {name:?}; columns are {columns}"
                    ))
                })?;
            wanted[index] = true;
        }
        Ok(Self(wanted))
    }

    fn has(self, column: &Column) -> bool {
        SCANNED_PLIES
            .iter()
            .zip(self.0)
            .any(|(own, is_wanted)| is_wanted && *own == column)
    }

    fn has_any(self, columns: &[&Column]) -> bool {
        columns.iter().any(|column| self.has(column))
    }
}

/// How the plies of a game are read: the dialect of its comments, and which of the wanted columns
/// cost time.
#[derive(Clone, Copy)]
struct Reading {
    dialect: Dialect,
    /// Whether depths or clocks are wanted.
    has_notes: bool,
    has_wdl: bool,
    has_eval: bool,
    has_san: bool,
    has_uci: bool,
    has_comment: bool,
}

/// The texts of a dictionary column, which stores numbers in their place.
#[derive(Default)]
struct Words {
    numbers: HashMap<Box<str>, i32>,
    words: Vec<Box<str>>,
}

impl Words {
    fn number(&mut self, word: &str) -> i32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as i32;
        self.numbers.insert(word.into(), number);
        self.words.push(word.into());
        number
    }

    /// Adds the words of `other` and returns their numbers in this dictionary.
    fn numbers_of(&mut self, other: &Self) -> Vec<i32> {
        other.words.iter().map(|word| self.number(word)).collect()
    }

    fn array(&self) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(&self.words))
    }
}

/// The columns of all games in one block of text.
struct Part {
    // The columns of plies.
    game: Vec<i32>,
    ply: Vec<i16>,
    move_number: Vec<i16>,
    /// Indices into [`MOVERS`].
    mover: Vec<i8>,
    san: Coded,
    uci: Coded,
    material_before: Vec<i16>,
    material: Vec<i16>,
    /// Evaluations before and after the move: centipawns and mate.
    evals: [(Optional<Int32Type>, Optional<Int16Type>); 2],
    depth: Optional<Int16Type>,
    nag: Optional<Int16Type>,
    wdls: [[Optional<Float64Type>; 3]; 2],
    time: Optional<Float64Type>,
    clock: Optional<Float64Type>,
    result: Optional<Float64Type>,
    fen: StringBuilder,
    comment: StringBuilder,
    games: Rows,
}

/// The words of the column `mover`.
const MOVERS: [&str; 2] = ["white", "black"];

/// The columns of games that come after [`GAME`].
fn game_columns() -> Vec<&'static Column> {
    GAMES.into_iter().chain([&DIALECT]).collect()
}

impl Default for Part {
    fn default() -> Self {
        Self {
            game: Vec::new(),
            ply: Vec::new(),
            move_number: Vec::new(),
            mover: Vec::new(),
            san: Coded::default(),
            uci: Coded::default(),
            material_before: Vec::new(),
            material: Vec::new(),
            evals: Default::default(),
            depth: Optional::default(),
            nag: Optional::default(),
            wdls: Default::default(),
            time: Optional::default(),
            clock: Optional::default(),
            result: Optional::default(),
            fen: StringBuilder::new(),
            comment: StringBuilder::new(),
            games: Rows::new(&game_columns()),
        }
    }
}

/// A dictionary column: for each row the number of a word, or −1 if there is none.
#[derive(Default)]
struct Coded {
    keys: Vec<i32>,
    words: Words,
}

impl Coded {
    fn push(&mut self, word: &str) {
        self.keys.push(self.words.number(word));
    }

    fn array(&self, all: &mut Words) -> Int32Array {
        let numbers = all.numbers_of(&self.words);
        self.keys
            .iter()
            .map(|key| numbers.get(*key as usize).copied())
            .collect()
    }
}

impl Part {
    fn add(&mut self, view: &GameView<'_>, scan: &ScanOf) {
        let wanted = scan.wanted;
        let before = self.ply.len();
        let reading = Reading {
            dialect: comment_dialect(scan.evals, view.dialect()),
            has_notes: wanted.has_any(&[&DEPTH, &TIME_SECONDS, &CLOCK_SECONDS]),
            has_wdl: wanted.has_any(&[
                &P_BEFORE_WIN,
                &P_BEFORE_DRAW,
                &P_BEFORE_LOSS,
                &P_WIN,
                &P_DRAW,
                &P_LOSS,
            ]),
            has_eval: wanted.has_any(&[&EVAL_BEFORE_CP, &EVAL_BEFORE_MATE, &EVAL_CP, &EVAL_MATE]),
            has_san: wanted.has(&SAN),
            has_uci: wanted.has(&UCI),
            has_comment: wanted.has(&COMMENT),
        };
        if wanted.has(&FEN) {
            view.walk(|board, ply| {
                self.fen.append_value(fen(board));
                self.add_ply(&ply, reading);
            });
        } else {
            view.plies().for_each(|ply| self.add_ply(&ply, reading));
        }
        let plies = self.ply.len() - before;
        let game = self.games.len() as i32;
        self.game.extend(std::iter::repeat_n(game, plies));
        let result = result(view.result());
        self.result.push_times(result, plies);
        if wanted.has(&NAG) {
            // A scan skips annotation symbols, so read the whole game.
            let whole = view.to_game().ok();
            let nags = whole
                .iter()
                .flat_map(|whole| &whole.plies)
                .map(|ply| ply.nags.first().map(|nag| nag.0));
            let nags: Vec<Option<u8>> = nags.chain(std::iter::repeat(None)).take(plies).collect();
            nags.into_iter()
                .for_each(|nag| self.nag.push(nag.map(i16::from)));
        }
        let source = scan.first_source + view.source();
        let row = GameRow {
            game: 0,
            source: (source, &scan.names[source]),
            offset: view.offset(),
            result: view.result(),
            plies,
            dialect: view.dialect().name(),
        };
        row.add(&mut self.games, |name| {
            view.tag(name).map(std::borrow::Cow::into_owned)
        });
    }

    #[inline]
    fn add_ply(&mut self, ply: &PlyView<'_>, reading: Reading) {
        let Reading { dialect, .. } = reading;
        if reading.has_notes || reading.has_wdl {
            let noted = ply.annotation(dialect);
            self.evaluate(noted.eval, noted.described, ply.turn());
            self.depth
                .push(noted.depth.map(|depth| small(depth as usize)));
            if reading.has_wdl {
                self.add_wdl(noted.wdl, noted.described);
            }
            self.time.push(noted.time.map(|time| time.as_secs_f64()));
            self.clock
                .push(noted.clock.map(|clock| clock.as_secs_f64()));
        } else if let (true, Some(described)) = (reading.has_eval, dialect.described()) {
            self.evaluate(ply.eval(dialect), described, ply.turn());
        } else if reading.has_eval {
            let noted = ply.annotation(dialect);
            self.evaluate(noted.eval, noted.described, ply.turn());
        }
        self.ply.push(small(ply.index() + 1));
        self.move_number.push(small(ply.number() as usize));
        self.mover.push(ply.turn().fold_wb(0, 1));
        self.material_before
            .push(small(ply.material_before().total() as usize));
        self.material.push(small(ply.material().total() as usize));
        if reading.has_san {
            self.san.push(&String::from_utf8_lossy(ply.san()));
        }
        if reading.has_uci {
            self.uci.push(&ply.uci().to_string());
        }
        if reading.has_comment {
            let all: Vec<_> = ply.comments().map(String::from_utf8_lossy).collect();
            self.comment
                .append_option((!all.is_empty()).then(|| all.join("\n")));
        }
    }

    fn evaluate(&mut self, eval: Option<Eval<White>>, described: Described, mover: Color) {
        let eval = match described {
            Described::Before => eval,
            Described::After => eval.map(|eval| eval_after(eval, mover)),
        };
        for ((cp, mate), of) in self
            .evals
            .iter_mut()
            .zip([Described::Before, Described::After])
        {
            let (own_cp, own_mate) = eval_columns(eval.filter(|_| described == of));
            cp.push(own_cp);
            mate.push(own_mate);
        }
    }

    fn add_wdl(&mut self, wdl: Option<Wdl>, described: Described) {
        for ([win, draw, loss], of) in self
            .wdls
            .iter_mut()
            .zip([Described::Before, Described::After])
        {
            let own = wdl.filter(|_| described == of);
            win.push(own.map(|wdl| wdl.win));
            draw.push(own.map(|wdl| wdl.draw));
            loss.push(own.map(|wdl| wdl.loss));
        }
    }
}

fn fen(board: &Board) -> String {
    Fen::from_position(&board.position(), EnPassantMode::Legal).to_string()
}

/// Converts a number for a column of 16 bits. Larger numbers saturate.
fn small(number: usize) -> i16 {
    i16::try_from(number).unwrap_or(i16::MAX)
}

/// The names of files that are copies of what Python's objects contained. Messages show the names
/// instead of the paths.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Names(HashMap<String, String>);

impl Names {
    /// The name of a single file.
    pub(crate) fn of(path: String, name: String) -> Self {
        Self(HashMap::from([(path, name)]))
    }

    /// The name to show for this path.
    pub(crate) fn shown(&self, path: String) -> String {
        self.0.get(&path).cloned().unwrap_or(path)
    }

    /// A message in which paths are replaced by names.
    pub(crate) fn shown_in(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (path, name)| {
            text.replace(path, name)
        })
    }
}

/// What all parts of a scan have in common.
#[derive(Clone)]
pub(crate) struct ScanOf {
    wanted: Wanted,
    /// The dialect of the evaluations. By default it is detected.
    evals: Dialect,
    /// The number of the scan's first source among all sources.
    first_source: usize,
    /// The names of all sources.
    names: Arc<[String]>,
}

impl ScanOf {
    /// A scan whose first source is number `first_source` among `sources`.
    pub(crate) fn new(
        wanted: Wanted,
        evals: Dialect,
        first_source: usize,
        sources: &Sources,
        named: &Names,
    ) -> Self {
        let names = (0..sources.paths().len())
            .map(|source| named.shown(sources.name(source)))
            .collect();
        Self {
            wanted,
            evals,
            first_source,
            names,
        }
    }

    /// A scan of one source with this number and name.
    pub(crate) fn of_one(wanted: Wanted, evals: Dialect, source: usize, name: &str) -> Self {
        let names = (0..=source).map(|_| name.to_owned()).collect();
        Self {
            wanted,
            evals,
            first_source: source,
            names,
        }
    }
}

/// The results of a scan: the columns of each block of text, in the order of the input.
pub(crate) struct Parts {
    scan: ScanOf,
    parts: Vec<Part>,
}

impl Parts {
    /// An empty result.
    pub(crate) fn new(scan: &ScanOf) -> Self {
        Self {
            scan: scan.clone(),
            parts: vec![Part::default()],
        }
    }

    /// Adds a game.
    pub(crate) fn add(&mut self, view: &GameView<'_>) {
        if let Some(part) = self.parts.last_mut() {
            part.add(view, &self.scan);
        }
    }

    /// Takes the results so far and leaves an empty value.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            parts: mem::take(&mut self.parts),
            scan: self.scan.clone(),
        }
    }

    /// The tables of plies and games. Game numbers begin at `before`, the number of games in
    /// earlier tables.
    pub(crate) fn tables(self, before: u32) -> PyResult<(Table, Table)> {
        let (mut san, mut uci) = (Words::default(), Words::default());
        let mut keys = Vec::new();
        // All parts share one dictionary, so collect the words of all of them first.
        for part in &self.parts {
            keys.push([part.san.array(&mut san), part.uci.array(&mut uci)]);
        }
        let shared = Shared {
            movers: movers(),
            san: san.array(),
            uci: uci.array(),
        };
        let mut games = Rows::new(&game_columns());
        let (mut plies, mut first) = (Vec::new(), before as i32);
        for (mut part, keys) in self.parts.into_iter().zip(keys) {
            let own = mem::replace(&mut part.games, Rows::new(&[]));
            let count = own.len();
            games.append(own);
            // An empty table still needs one batch, because the batch has the columns.
            if count > 0 || plies.is_empty() {
                plies.push(part.batch(self.scan.wanted, keys, &shared, first)?);
            }
            first += count as i32;
        }
        let numbers = Int32Array::from_iter_values((before as i32..).take(games.len()));
        let games = Columns::default()
            .column(&GAME, numbers)
            .rows(games)?
            .table()?;
        let schema = plies
            .first()
            .map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        Ok((Table::new(schema, plies), games))
    }
}

impl Merge for Parts {
    fn merge(&mut self, mut later: Self) {
        self.parts.append(&mut later.parts);
    }
}

/// The dictionaries that all batches share.
struct Shared {
    movers: ArrayRef,
    san: ArrayRef,
    uci: ArrayRef,
}

fn movers() -> ArrayRef {
    Arc::new(StringArray::from_iter_values(MOVERS))
}

fn coded(keys: Int32Array, words: &ArrayRef) -> PyResult<DictionaryArray<Int32Type>> {
    DictionaryArray::try_new(keys, Arc::clone(words)).map_err(value_error)
}

impl Part {
    fn batch(
        mut self,
        wanted: Wanted,
        [san, uci]: [Int32Array; 2],
        shared: &Shared,
        first: i32,
    ) -> PyResult<RecordBatch> {
        self.game.iter_mut().for_each(|game| *game += first);
        let movers = DictionaryArray::<Int8Type>::try_new(
            Int8Array::from(self.mover),
            Arc::clone(&shared.movers),
        );
        let [(before_cp, before_mate), (after_cp, after_mate)] = self.evals;
        let [[before_win, before_draw, before_loss], [win, draw, loss]] = self.wdls;
        let mut plies = Columns::default();
        // Leave out unwanted columns, because some of them were not filled.
        macro_rules! add {
            ($($column:ident: $array:expr;)*) => {$(
                if wanted.has(&$column) {
                    plies = plies.column(&$column, $array);
                }
            )*};
        }
        add! {
            GAME: Int32Array::from(self.game);
            PLY: Int16Array::from(self.ply);
            MOVE_NUMBER: Int16Array::from(self.move_number);
            MOVER: movers.map_err(value_error)?;
            SAN: coded(san, &shared.san)?;
            UCI: coded(uci, &shared.uci)?;
            MATERIAL_BEFORE: Int16Array::from(self.material_before);
            MATERIAL: Int16Array::from(self.material);
            EVAL_BEFORE_CP: before_cp.array();
            EVAL_BEFORE_MATE: before_mate.array();
            EVAL_CP: after_cp.array();
            EVAL_MATE: after_mate.array();
            DEPTH: self.depth.array();
            NAG: self.nag.array();
            P_BEFORE_WIN: before_win.array();
            P_BEFORE_DRAW: before_draw.array();
            P_BEFORE_LOSS: before_loss.array();
            P_WIN: win.array();
            P_DRAW: draw.array();
            P_LOSS: loss.array();
            TIME_SECONDS: self.time.array();
            CLOCK_SECONDS: self.clock.array();
            RESULT: self.result.array();
            FEN: self.fen.finish();
            COMMENT: self.comment.finish();
        }
        plies.batch()
    }
}
