//! Evaluations as rows that other programs read, and back.

use std::{
    fs::File,
    io::{BufWriter, Read, Write},
    path::Path,
};

use centipawn_core::{Eval, History, Score, Wdl};
use centipawn_engine::{Analysis, Identity, Limit, Line};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen, uci::UciMove};
use sqlx::{AssertSqlSafe, Row as _};

use crate::{
    Store, StoreError, answer,
    asked::{Asked, limit_columns, limit_of},
    packed::{Unpacked, move_text, pack_move, unpack},
    parquet_file,
    stats::options_of,
    store::options_text,
    writer::Row,
};

/// Rows read from the store at a time.
const PAGE: i64 = 5_000;
/// Evaluations written to the store at a time.
const BATCH: usize = 20_000;

/// One line of an evaluation: a row of an exported table.
///
/// The rows of one evaluation stand together, its lines in order; what they share is in each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The position.
    pub fen: String,
    /// The moves before it that can still be repeated, in UCI notation (castling: the king takes its rook).
    pub past: String,
    /// Whether castling is that of Chess960.
    pub chess960: bool,
    /// The engine's name.
    pub engine: String,
    /// Its author.
    pub author: String,
    /// Its options: a JSON object of names and values.
    pub options: String,
    /// The limit, such as `100000 nodes`.
    pub limit: String,
    /// Lines that were asked for.
    pub lines: i64,
    /// The moves that were asked about, in UCI notation; empty where all were.
    pub searchmoves: String,
    /// Nodes visited for all lines.
    pub nodes: i64,
    /// Time for all lines, in microseconds.
    pub time_us: i64,
    /// The line's place, the best being 1.
    pub rank: i64,
    /// Centipawns for the side to move, where it is no mate.
    pub cp: Option<i64>,
    /// Moves to mate, negative where the side to move is mated.
    pub mate: Option<i64>,
    /// The engine's probability of a win for the side to move.
    pub win: Option<f64>,
    /// Of a draw.
    pub draw: Option<f64>,
    /// Of a loss.
    pub loss: Option<f64>,
    /// Plies searched.
    pub depth: i64,
    /// Plies of the longest variation, where the engine says.
    pub seldepth: Option<i64>,
    /// The moves, in UCI notation (castling: the king takes its rook).
    pub pv: String,
}

/// The columns, in their order.
pub(crate) const COLUMNS: [&str; 20] = [
    "fen",
    "past",
    "chess960",
    "engine",
    "author",
    "options",
    "limit",
    "lines",
    "searchmoves",
    "nodes",
    "time_us",
    "rank",
    "cp",
    "mate",
    "win",
    "draw",
    "loss",
    "depth",
    "seldepth",
    "pv",
];

impl Store {
    /// Writes all evaluations to a file, as Parquet if its name ends so, as CSV otherwise. Returns how many.
    ///
    /// What another process adds in the meantime may or may not be among them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read or the file not be written.
    pub fn export(&self, file: &Path) -> Result<u64, StoreError> {
        let broken = |reason: &dyn std::fmt::Display| StoreError::File {
            file: file.display().to_string(),
            reason: reason.to_string(),
        };
        let out = File::create(file).map_err(|error| broken(&error))?;
        if is_parquet(file) {
            let mut table = parquet_file::Writer::new(out).map_err(|error| broken(&error))?;
            let count = self.each_record(|record| table.write(record).map_err(|error| broken(&error)))?;
            table.finish().map_err(|error| broken(&error))?;
            return Ok(count);
        }
        let mut out = BufWriter::new(out);
        let count = self.export_csv(&mut out, file)?;
        out.flush().map_err(|error| broken(&error))?;
        Ok(count)
    }

    fn export_csv(&self, out: &mut dyn Write, file: &Path) -> Result<u64, StoreError> {
        let broken =
            |error: csv::Error| StoreError::File { file: file.display().to_string(), reason: error.to_string() };
        let mut table = csv::Writer::from_writer(out);
        table.write_record(COLUMNS).map_err(broken)?;
        self.each_record(|record| table.write_record(record.texts()).map_err(broken))
    }

    /// Shows every line of every evaluation.
    fn each_record(&self, mut each: impl FnMut(Record) -> Result<(), StoreError>) -> Result<u64, StoreError> {
        let session = &self.database.session;
        let failed = session.failed("be read");
        let engines = self
            .database
            .block_on(sqlx::query("SELECT id, name, author, options FROM engine ORDER BY id").fetch_all(&session.pool));
        let mut count = 0;
        for row in engines.map_err(&failed)? {
            let (engine, options): (i64, String) = (row.try_get(0).map_err(&failed)?, row.try_get(3).map_err(&failed)?);
            let who = Identity {
                name: row.try_get(1).map_err(&failed)?,
                author: row.try_get(2).map_err(&failed)?,
                options: options_of(&options),
            };
            let mut last = [i64::MIN, i64::MIN, i64::MIN, i64::MIN];
            loop {
                let [engine_place, slot, kind, amount, lines, page] = [1, 2, 3, 4, 5, 6].map(|n| session.kind.place(n));
                let sql = format!(
                    "SELECT slot, limit_kind, limit_amount, lines, question, answer FROM evaluation \
                     WHERE engine = {engine_place} AND (slot, limit_kind, limit_amount, lines) > ({slot}, {kind}, {amount}, {lines}) \
                     ORDER BY slot, limit_kind, limit_amount, lines LIMIT {page}"
                );
                let mut query = sqlx::query(AssertSqlSafe(sql)).bind(engine);
                for value in last {
                    query = query.bind(value);
                }
                let rows = self.database.block_on(query.bind(PAGE).fetch_all(&session.pool)).map_err(&failed)?;
                for row in &rows {
                    for (column, value) in last.iter_mut().enumerate() {
                        *value = row.try_get(column).map_err(&failed)?;
                    }
                    let question: Vec<u8> = row.try_get(4).map_err(&failed)?;
                    let answer: Vec<u8> = row.try_get(5).map_err(&failed)?;
                    let [_, kind, amount, lines] = last;
                    let records =
                        records(&who, &question, kind, amount, lines, &answer).ok_or_else(|| StoreError::Damaged {
                            place: self.place().to_string(),
                            reason: format!("the evaluation in slot {} is not as it was kept", last[0]),
                        })?;
                    records.into_iter().try_for_each(&mut each)?;
                    count += 1;
                }
                if rows.len() < PAGE as usize {
                    break;
                }
            }
        }
        Ok(count)
    }

    /// Reads a file that [`export`](Self::export) wrote, or another of its form. What is here already stays. Returns how many
    /// evaluations the file has.
    ///
    /// # Errors
    ///
    /// [`StoreError::File`] with the row that makes no sense; those before it may be kept by then.
    pub fn import(&self, file: &Path) -> Result<u64, StoreError> {
        let broken = |reason: &dyn std::fmt::Display| StoreError::File {
            file: file.display().to_string(),
            reason: reason.to_string(),
        };
        let input = File::open(file).map_err(|error| broken(&error))?;
        let mut taken = Import { store: self, group: Vec::new(), rows: Vec::new(), count: 0 };
        let mut row_number = 1_u64;
        let mut take = |record: Result<Record, String>| {
            // The head of a CSV file is its first row.
            row_number += 1;
            let taken =
                record.and_then(|record| taken.take(record)).map_err(|reason| format!("row {row_number}: {reason}"));
            taken.map_err(|reason| broken(&reason))
        };
        if is_parquet(file) {
            parquet_file::read(input, |record| take(Ok(record)))
                .map_err(|error| broken(&error))
                .and_then(std::convert::identity)?;
        } else {
            read_csv(input, &mut take).map_err(|error| broken(&error)).and_then(std::convert::identity)?;
        }
        taken.group_done().map_err(|reason| broken(&reason))?;
        taken.flush()?;
        Ok(taken.count)
    }
}

fn is_parquet(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

fn read_csv(
    input: impl Read,
    take: &mut impl FnMut(Result<Record, String>) -> Result<(), StoreError>,
) -> Result<Result<(), StoreError>, csv::Error> {
    let mut table = csv::Reader::from_reader(input);
    let heads = table.headers()?.clone();
    let places = COLUMNS.map(|column| heads.iter().position(|head| head == column));
    for row in table.records() {
        let row = row?;
        let cell = |column: usize| places[column].and_then(|place| row.get(place)).unwrap_or_default();
        if let Err(error) = take(Record::from_texts(cell)) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

impl Record {
    fn texts(&self) -> [String; 20] {
        let whole = |value: Option<i64>| value.map_or_else(String::new, |value| value.to_string());
        let real = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let text = String::clone;
        [
            text(&self.fen),
            text(&self.past),
            self.chess960.to_string(),
            text(&self.engine),
            text(&self.author),
            text(&self.options),
            text(&self.limit),
            self.lines.to_string(),
            text(&self.searchmoves),
            self.nodes.to_string(),
            self.time_us.to_string(),
            self.rank.to_string(),
            whole(self.cp),
            whole(self.mate),
            real(self.win),
            real(self.draw),
            real(self.loss),
            self.depth.to_string(),
            whole(self.seldepth),
            text(&self.pv),
        ]
    }

    fn from_texts<'a>(cell: impl Fn(usize) -> &'a str) -> Result<Self, String> {
        let text = |column: usize| cell(column).to_owned();
        let bad = |column: usize| format!("{} is {:?}", COLUMNS[column], cell(column));
        let maybe = |column: usize| match cell(column) {
            "" => Ok(None),
            value => value.parse::<i64>().map(Some).map_err(|_| bad(column)),
        };
        let whole = |column: usize| maybe(column)?.ok_or_else(|| bad(column));
        let real = |column: usize| match cell(column) {
            "" => Ok(None),
            value => value.parse::<f64>().map(Some).map_err(|_| bad(column)),
        };
        Ok(Self {
            fen: text(0),
            past: text(1),
            chess960: cell(2).eq_ignore_ascii_case("true"),
            engine: text(3),
            author: text(4),
            options: text(5),
            limit: text(6),
            lines: whole(7)?,
            searchmoves: text(8),
            nodes: whole(9)?,
            time_us: whole(10)?,
            rank: whole(11)?,
            cp: maybe(12)?,
            mate: maybe(13)?,
            win: real(14)?,
            draw: real(15)?,
            loss: real(16)?,
            depth: whole(17)?,
            seldepth: maybe(18)?,
            pv: text(19),
        })
    }

    /// Whether it is a line of the same evaluation.
    fn goes_with(&self, first: &Self) -> bool {
        let shared = |record: &Self| {
            let Self { fen, past, chess960, engine, author, options, limit, lines, searchmoves, .. } = record.clone();
            (fen, past, chess960, engine, author, options, limit, lines, searchmoves)
        };
        self.rank > 1 && shared(self) == shared(first)
    }
}

fn records(who: &Identity, question: &[u8], kind: i64, amount: i64, lines: i64, answer: &[u8]) -> Option<Vec<Record>> {
    let Unpacked { setup, mode, past, moves } = unpack(question)?;
    let position = position(setup, mode)?;
    let history = History::new(position.clone(), mode);
    let analysis = answer::decode(answer, question, &history, usize::MAX)?;
    let texts = |codes: &[u16]| -> Option<String> {
        let texts: Option<Vec<String>> = codes.iter().map(|&code| Some(move_text(code)?.to_string())).collect();
        Some(texts?.join(" "))
    };
    let shared = Record {
        fen: Fen::from_position(&position, EnPassantMode::Legal).to_string(),
        past: texts(&past)?,
        chess960: mode == CastlingMode::Chess960,
        engine: who.name.clone(),
        author: who.author.clone(),
        options: options_text(&who.options),
        limit: limit_of(kind, amount)?.to_string(),
        lines,
        searchmoves: texts(&moves)?,
        nodes: i64::try_from(analysis.nodes).ok()?,
        time_us: i64::try_from(analysis.time.as_micros()).ok()?,
        ..Record::default()
    };
    let record = |(index, line): (usize, &Line)| {
        let (cp, mate) = match line.eval.score() {
            Score::Cp(cp) => (Some(cp.into()), None),
            Score::Mate(moves) => (None, Some(moves.into())),
        };
        let pv: Vec<u16> = line.pv.iter().map(|&mv| pack_move(mv)).collect();
        Some(Record {
            rank: index as i64 + 1,
            cp,
            mate,
            win: line.wdl.map(|wdl| wdl.win),
            draw: line.wdl.map(|wdl| wdl.draw),
            loss: line.wdl.map(|wdl| wdl.loss),
            depth: line.depth.into(),
            seldepth: line.seldepth.map(Into::into),
            pv: texts(&pv)?,
            ..shared.clone()
        })
    };
    analysis.lines.iter().enumerate().map(record).collect()
}

/// As [`History::from_fen`] takes positions: with more pieces than there can be, say.
fn position(setup: shakmaty::Setup, mode: CastlingMode) -> Option<Chess> {
    setup.position::<Chess>(mode).or_else(shakmaty::PositionError::ignore_too_much_material).ok()
}

/// Records on their way into a store.
struct Import<'a> {
    store: &'a Store,
    /// Lines of one evaluation.
    group: Vec<Record>,
    rows: Vec<Row>,
    count: u64,
}

impl Import<'_> {
    fn take(&mut self, record: Record) -> Result<(), String> {
        if self.group.first().is_some_and(|first| !record.goes_with(first)) {
            self.group_done()?;
        }
        self.group.push(record);
        if self.rows.len() >= BATCH {
            self.flush().map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn group_done(&mut self) -> Result<(), String> {
        let group = std::mem::take(&mut self.group);
        let Some(first) = group.first() else { return Ok(()) };
        let who =
            Identity { name: first.engine.clone(), author: first.author.clone(), options: options_of(&first.options) };
        let engine = self.store.engine_id_or_new(&who).map_err(|error| error.to_string())?;
        let (asked, analysis) = evaluation(first, &group)?;
        let answer = answer::encode(&asked.question, &analysis);
        self.rows.push(Row { engine, asked, answer });
        self.count += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.store.write(std::mem::take(&mut self.rows))
    }
}

fn evaluation(first: &Record, group: &[Record]) -> Result<(Asked, Analysis), String> {
    let mode = CastlingMode::from_chess960(first.chess960);
    let history = History::from_fen(&first.fen, Some(mode)).map_err(|error| error.to_string())?;
    let limit: Limit = first.limit.parse().map_err(|error: centipawn_engine::ParseLimitError| error.to_string())?;
    let legal = |uci: &str, history: &History| history.parse_uci(uci).map_err(|error| error.to_string());
    let mut moves = first
        .searchmoves
        .split_whitespace()
        .map(|uci| Ok(pack_move(legal(uci, &history)?)))
        .collect::<Result<Vec<u16>, String>>()?;
    moves.sort_unstable();
    moves.dedup();
    let past = first.past.split_whitespace().map(past_code).collect::<Result<Vec<u16>, String>>()?;
    let setup = history.position().to_setup(EnPassantMode::Legal);
    let (limit_kind, limit_amount) = limit_columns(limit);
    let asked =
        Asked { question: Unpacked { setup, mode, past, moves }.pack(), limit_kind, limit_amount, lines: first.lines };
    let mut lines = Vec::with_capacity(group.len());
    for record in group {
        let mut line = History::new(history.position().clone(), mode);
        let mut pv = Vec::new();
        for uci in record.pv.split_whitespace() {
            let mv = legal(uci, &line)?;
            line.push(mv);
            pv.push(mv);
        }
        let number = |value: i64| i32::try_from(value).map_err(|_| format!("{value} is no score"));
        let eval = match (record.cp, record.mate) {
            (Some(cp), None) => Eval::cp(number(cp)?),
            (None, Some(moves)) => Eval::mate(number(moves)?),
            _ => return Err("neither or both of cp and mate".to_owned()),
        };
        let wdl = match (record.win, record.draw, record.loss) {
            (Some(win), Some(draw), Some(loss)) => Some(Wdl { win, draw, loss }),
            _ => None,
        };
        let depth = u32::try_from(record.depth).map_err(|_| format!("{} is no depth", record.depth))?;
        let seldepth = record.seldepth.and_then(|depth| u32::try_from(depth).ok());
        if pv.is_empty() {
            return Err("a line without a move".to_owned());
        }
        lines.push(Line { pv, eval, wdl, depth, seldepth });
    }
    if (lines.len() as i64) < first.lines {
        return Err(format!("{} of {} lines", lines.len(), first.lines));
    }
    let depth = lines.first().map_or(0, |line| line.depth);
    let count = |value: i64| u64::try_from(value).map_err(|_| format!("{value} is below 0"));
    let time = std::time::Duration::from_micros(count(first.time_us)?);
    Ok((asked, Analysis { lines, nodes: count(first.nodes)?, depth, time }))
}

/// A move before the position, of which only its squares are known.
fn past_code(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(UciMove::Normal { from, to, promotion: None }) => Ok(u16::from(from) | u16::from(to) << 6),
        _ => Err(format!("{text:?} is no move that can be repeated")),
    }
}
