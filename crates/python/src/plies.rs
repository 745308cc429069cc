//! The columns of a scan: plies and their games, filled game by game.

use std::{collections::HashMap, mem, str::FromStr as _, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray, RecordBatch, StringArray, UInt16Array,
    UInt32Array, UInt64Array,
    builder::{Date32Builder, Float32Builder, Int16Builder, Int32Builder, StringBuilder, UInt8Builder, UInt16Builder},
    types::Int32Type,
};
use arrow_schema::{DataType, Field, Schema};
use centipawn_core::{Eval, Score, White};
use centipawn_pgn::{Annotation, GameView, Merge, Sources, rating};
use chrono::NaiveDate;
use pyo3::prelude::*;
use shakmaty::{Color, KnownOutcome, Outcome};

use crate::{
    error::value_error,
    table::{Columns, Table, field},
};

/// The columns of plies, in their order. The first ten are there unless others are named.
pub(crate) const COLUMNS: [&str; 13] = [
    "game",
    "ply",
    "white",
    "eval_cp",
    "eval_mate",
    "depth",
    "clock",
    "time",
    "material",
    "score",
    "san",
    "uci",
    "nag",
];
const DEFAULT: usize = 10;

/// Which columns are filled, by [`COLUMNS`].
#[derive(Clone, Copy)]
pub(crate) struct Wanted([bool; COLUMNS.len()]);

impl Wanted {
    /// The columns with these names; the default ones without names.
    pub(crate) fn new(names: Option<Vec<String>>) -> PyResult<Self> {
        let mut wanted = [false; COLUMNS.len()];
        let Some(names) = names else {
            wanted[..DEFAULT].fill(true);
            return Ok(Self(wanted));
        };
        for name in &names {
            let index = COLUMNS.iter().position(|column| column == name).ok_or_else(|| {
                value_error(format!("there is no column {name:?}; columns are {}", COLUMNS.join(", ")))
            })?;
            wanted[index] = true;
        }
        Ok(Self(wanted))
    }

    fn has(self, column: &str) -> bool {
        COLUMNS.iter().zip(self.0).any(|(own, is_wanted)| is_wanted && *own == column)
    }

    /// Whether a comment's numbers besides the evaluation are needed.
    fn annotates(self) -> bool {
        ["depth", "clock", "time"].into_iter().any(|column| self.has(column))
    }
}

/// Texts by number: what a dictionary column holds.
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

    /// The numbers here of the words there.
    fn numbers_of(&mut self, other: &Self) -> Vec<i32> {
        other.words.iter().map(|word| self.number(word)).collect()
    }

    fn array(&self) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(&self.words))
    }
}

/// The games of one block of text, as columns.
#[derive(Default)]
struct Part {
    // Of plies.
    game: Vec<u32>,
    ply: Vec<u16>,
    white: Vec<bool>,
    eval_cp: Int32Builder,
    eval_mate: Int16Builder,
    depth: UInt8Builder,
    clock: Float32Builder,
    time: Float32Builder,
    material: Vec<u8>,
    score: Float32Builder,
    san: Coded,
    uci: Coded,
    nag: UInt8Builder,
    // Of games.
    source: Vec<i32>,
    offset: Vec<u64>,
    names: [StringBuilder; 2],
    event: Coded,
    elos: [UInt16Builder; 2],
    date: Date32Builder,
    result: StringBuilder,
    tags: [StringBuilder; 3],
    plies: Vec<u32>,
    dialect: StringBuilder,
    fen: StringBuilder,
}

/// A dictionary column: numbers of words, −1 for none.
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
        self.keys.iter().map(|key| numbers.get(*key as usize).copied()).collect()
    }
}

/// Tags of games that are columns as they stand.
const TAGS: [(&str, &str); 3] = [("termination", "Termination"), ("time_control", "TimeControl"), ("eco", "ECO")];

impl Part {
    fn add(&mut self, view: &GameView<'_>, wanted: Wanted, first_source: usize) {
        let game = self.source.len() as u32;
        let score = match view.result() {
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(1.0, 0.0)),
            Outcome::Known(KnownOutcome::Draw) => Some(0.5),
            Outcome::Unknown => None,
        };
        let (dialect, annotates) = (view.dialect(), wanted.annotates());
        let has_eval = wanted.has("eval_cp") || wanted.has("eval_mate");
        let (has_san, has_uci) = (wanted.has("san"), wanted.has("uci"));
        for ply in view.plies() {
            if annotates {
                self.annotate(&ply.annotation(dialect));
            } else if has_eval {
                self.evaluate(ply.eval(dialect));
            }
            self.game.push(game);
            self.ply.push(ply.index().min(u16::MAX.into()) as u16);
            self.white.push(ply.turn() == Color::White);
            self.material.push(ply.material().total().min(u8::MAX.into()) as u8);
            self.score.append_option(score);
            if has_san {
                self.san.push(&String::from_utf8_lossy(ply.san()));
            }
            if has_uci {
                self.uci.push(&ply.uci().to_string());
            }
        }
        if wanted.has("nag") {
            // A scan skips glyphs; the whole game has them.
            let whole = view.to_game().ok();
            let nags = whole.iter().flat_map(|whole| &whole.plies).map(|ply| ply.nags.first().map(|nag| nag.0));
            let nags: Vec<Option<u8>> = nags.chain(std::iter::repeat(None)).take(view.len()).collect();
            nags.into_iter().for_each(|nag| self.nag.append_option(nag));
        }
        self.source.push((first_source + view.source()) as i32);
        self.add_game(view);
    }

    fn evaluate(&mut self, eval: Option<Eval<White>>) {
        let (cp, mate) = parts(eval);
        self.eval_cp.append_option(cp);
        self.eval_mate.append_option(mate);
    }

    fn annotate(&mut self, annotation: &Annotation) {
        self.evaluate(annotation.eval);
        self.depth.append_option(annotation.depth.map(|depth| depth.min(u8::MAX.into()) as u8));
        self.clock.append_option(annotation.clock.map(|clock| clock.as_secs_f32()));
        self.time.append_option(annotation.time.map(|time| time.as_secs_f32()));
    }

    fn add_game(&mut self, view: &GameView<'_>) {
        self.offset.push(view.offset());
        let tag = |name: &str| view.tag(name).filter(|text| !is_unknown(text));
        for ((name, elo), colour) in self.names.iter_mut().zip(&mut self.elos).zip(["White", "Black"]) {
            name.append_option(tag(colour));
            let stated = view.tag(&format!("{colour}Elo")).and_then(|text| rating(&text));
            elo.append_option(stated.map(|elo| elo as u16));
        }
        match tag("Event") {
            Some(event) => self.event.push(&event),
            None => self.event.keys.push(-1),
        }
        self.date.append_option(tag("Date").or_else(|| tag("UTCDate")).and_then(|date| days(&date)));
        self.result.append_value(view.result().to_string());
        for (column, (_, name)) in self.tags.iter_mut().zip(TAGS) {
            column.append_option(tag(name));
        }
        self.plies.push(view.len() as u32);
        self.dialect.append_value(view.dialect().name());
        self.fen.append_option(tag("FEN"));
    }
}

/// Whether a tag's text says that nothing is known.
fn is_unknown(text: &str) -> bool {
    matches!(text.trim(), "" | "?" | "-")
}

/// Centipawns and moves to mate of an evaluation; at most one is there.
fn parts(eval: Option<Eval<White>>) -> (Option<i32>, Option<i16>) {
    match eval.map(Eval::score) {
        None => (None, None),
        Some(Score::Cp(cp)) => (Some(cp), None),
        Some(Score::Mate(moves)) => (None, Some(moves.clamp(i16::MIN.into(), i16::MAX.into()) as i16)),
    }
}

/// Days since 1970 of a date as PGN writes it; `None` if a part is missing.
fn days(date: &str) -> Option<i32> {
    let mut parts = date.trim().split(['.', '-', '/']);
    let year = i32::from_str(parts.next()?).ok()?;
    let [month, day] = [parts.next()?, parts.next()?].map(|part| u32::from_str(part).ok());
    let date = NaiveDate::from_ymd_opt(year, month?, day?)?;
    i32::try_from(date.signed_duration_since(NaiveDate::default()).num_days()).ok()
}

/// What a scan records: the columns of each block of text, in the order of the input.
pub(crate) struct Parts {
    wanted: Wanted,
    /// Number of the first source of the scan, among all sources.
    first_source: usize,
    parts: Vec<Part>,
}

impl Parts {
    /// Nothing yet, of a scan whose first source has this number.
    pub(crate) fn new(wanted: Wanted, first_source: usize) -> Self {
        Self { wanted, first_source, parts: vec![Part::default()] }
    }

    /// Records a game.
    pub(crate) fn add(&mut self, view: &GameView<'_>) {
        if let Some(part) = self.parts.last_mut() {
            part.add(view, self.wanted, self.first_source);
        }
    }

    /// Takes what was recorded.
    pub(crate) fn take(&mut self) -> Self {
        Self { parts: mem::take(&mut self.parts), ..*self }
    }

    /// The tables of plies and games; `before` games stand in earlier tables.
    pub(crate) fn tables(self, sources: &Sources, before: u32) -> PyResult<(Table, Table)> {
        let names = StringArray::from_iter_values((0..sources.paths().len()).map(|source| sources.name(source)));
        let (mut san, mut uci, mut event) = (Words::default(), Words::default(), Words::default());
        let mut keys = Vec::new();
        // First all words, for the parts share their dictionaries.
        for part in &self.parts {
            keys.push([part.san.array(&mut san), part.uci.array(&mut uci), part.event.array(&mut event)]);
        }
        let shared = Shared { names: Arc::new(names), san: san.array(), uci: uci.array(), event: event.array() };
        let (mut plies, mut games, mut first) = (Vec::new(), Vec::new(), before);
        for (part, keys) in self.parts.into_iter().zip(keys) {
            let count = part.source.len() as u32;
            let (ply_batch, game_batch) = part.batches(self.wanted, keys, &shared, first)?;
            // An empty table has one batch, which has its columns.
            if count > 0 || plies.is_empty() {
                plies.push(ply_batch);
                games.push(game_batch);
            }
            first += count;
        }
        Ok((Table::new(schema(&plies), plies), Table::new(schema(&games), games)))
    }
}

fn schema(batches: &[RecordBatch]) -> Arc<Schema> {
    batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema)
}

impl Merge for Parts {
    fn merge(&mut self, mut later: Self) {
        self.parts.append(&mut later.parts);
    }
}

/// The words of dictionary columns.
struct Shared {
    names: ArrayRef,
    san: ArrayRef,
    uci: ArrayRef,
    event: ArrayRef,
}

fn coded(keys: Int32Array, words: &ArrayRef) -> PyResult<ArrayRef> {
    let array = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(words)).map_err(value_error)?;
    Ok(Arc::new(array))
}

fn words_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

impl Part {
    fn batches(
        mut self,
        wanted: Wanted,
        [san, uci, event]: [Int32Array; 3],
        shared: &Shared,
        first: u32,
    ) -> PyResult<(RecordBatch, RecordBatch)> {
        let numbers: Vec<u32> = (first..).take(self.source.len()).collect();
        self.game.iter_mut().for_each(|game| *game += first);
        let mut plies = Columns::default();
        let mut add = |name: &str, nullable, unit: &str, array: ArrayRef| {
            // Columns that are not wanted may not have been filled.
            if wanted.has(name) {
                let view = if name.starts_with("eval") || name == "score" { "White" } else { "" };
                let field = field(name, array.data_type().clone(), nullable, unit, view);
                plies = mem::take(&mut plies).add(field, array);
            }
        };
        add("game", false, "row of games", Arc::new(UInt32Array::from(self.game)));
        add("ply", false, "half-moves before", Arc::new(UInt16Array::from(self.ply)));
        add("white", false, "", Arc::new(BooleanArray::from(self.white)));
        if wanted.has("san") {
            add("san", false, "", coded(san, &shared.san)?);
        }
        if wanted.has("uci") {
            add("uci", false, "", coded(uci, &shared.uci)?);
        }
        add("eval_cp", true, "centipawns", Arc::new(self.eval_cp.finish()));
        add("eval_mate", true, "moves", Arc::new(self.eval_mate.finish()));
        add("depth", true, "plies", Arc::new(self.depth.finish()));
        if wanted.has("nag") {
            add("nag", true, "", Arc::new(self.nag.finish()));
        }
        add("clock", true, "seconds", Arc::new(self.clock.finish()));
        add("time", true, "seconds", Arc::new(self.time.finish()));
        add("material", false, "pawns", Arc::new(PrimitiveArray::<arrow_array::types::UInt8Type>::from(self.material)));
        add("score", true, "points", Arc::new(self.score.finish()));

        let [white, black] = &mut self.names;
        let [white_elo, black_elo] = &mut self.elos;
        let mut games = Columns::default()
            .full("game", UInt32Array::from(numbers))
            .add(Field::new("source", words_type(), false), coded(Int32Array::from(self.source), &shared.names)?)
            .full("offset", UInt64Array::from(self.offset))
            .nullable("white", white.finish())
            .nullable("black", black.finish())
            .add(Field::new("event", words_type(), true), coded(event, &shared.event)?)
            .nullable("white_elo", white_elo.finish())
            .nullable("black_elo", black_elo.finish())
            .nullable("date", self.date.finish())
            .full("result", self.result.finish());
        for (column, (name, _)) in self.tags.iter_mut().zip(TAGS) {
            games = games.nullable(name, column.finish());
        }
        let games = games
            .full("plies", UInt32Array::from(self.plies))
            .full("dialect", self.dialect.finish())
            .nullable("fen", self.fen.finish());
        Ok((plies.batch()?, games.batch()?))
    }
}
