//! Export of evaluations to tables for other programs, and import.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read, Write},
    ops::ControlFlow,
    path::Path,
};

use centipawn_core::{Eval, History, Mover, Score, Wdl};
use centipawn_engine::{Analysis, Identity, Limit, Line, ParseLimitError};
use centipawn_progress::{
    Bounded, Cancel, Outcome, Progress, Provenance, Reporter, Unit, open_input, shorten,
    text::{for_spreadsheet, from_spreadsheet, printable},
};
use serde::Serialize;
use shakmaty::{CastlingMode, EnPassantMode, Position as _, fen::Fen, uci::UciMove};
use sqlx::{AssertSqlSafe, Row as _};

use crate::{
    Store, StoreError, answer,
    packed::{Unpacked, move_text, pack_move, position, unpack},
    parquet_file,
    query_key::{QueryKey, limit_columns, limit_of},
    record::{COLUMNS, Record, TableFormat},
    stats::options_of,
    store::options_text,
    writer::Row,
};

/// Name of the thread that reads Parquet files. A damaged file can make the Parquet crate panic.
/// The panic is caught and becomes an error, and a panic hook can use the name to stay silent.
pub const PARQUET_THREAD: &str = "Parquet reader";

/// Number of rows read from the store in one query.
const PAGE: i64 = 5_000;
/// Number of evaluations written to the store in one transaction.
const BATCH: usize = 20_000;
/// Maximum number of lines of an evaluation in a table. No position has more legal moves.
const MOST_LINES: usize = 256;

impl Store {
    /// Writes all evaluations as a table of [`Record`]s. A Parquet file has their provenance in its
    /// metadata, as JSON under the key `provenance`. Evaluations that other processes add during
    /// the export may be missing.
    ///
    /// `out` should be an [`AtomicFile`](centipawn_progress::AtomicFile) of [`files`](Self::files),
    /// which cannot replace the store. If `cancel` is set, the table ends early, after a complete
    /// evaluation. The outcome counts evaluations.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read or the table cannot be written.
    pub fn export(
        &self,
        out: &mut (dyn Write + Send),
        format: TableFormat,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, StoreError> {
        let broken = |reason: &dyn std::fmt::Display| StoreError::File {
            file: "the exported table".to_owned(),
            reason: reason.to_string(),
        };
        let stats = self.stats()?;
        let total = Some(stats.evaluations);
        let progress = |done| {
            let label = "export".to_owned();
            reporter.progress(&Progress {
                done,
                total,
                unit: Unit::Positions,
                games: 0,
                label,
            });
        };
        match format {
            TableFormat::Parquet => {
                let engines: Vec<Identity> = stats
                    .engines
                    .into_iter()
                    .map(|engine| engine.identity)
                    .collect();
                let recipe = ExportRecipe {
                    store: stats.store,
                    engines,
                };
                let provenance = serde_json::to_string(&Provenance::of("store export", &recipe))
                    .map_err(|error| broken(&error))?;
                let mut table =
                    parquet_file::Writer::new(out, provenance).map_err(|error| broken(&error))?;
                let write = |record| table.write(record).map_err(|error| broken(&error));
                let outcome = self.each_record(cancel, progress, write)?;
                table.finish().map_err(|error| broken(&error))?;
                Ok(outcome)
            }
            TableFormat::Csv => {
                let mut table = csv::Writer::from_writer(out);
                table
                    .write_record(COLUMNS)
                    .map_err(|error| broken(&error))?;
                let write = |record: Record| {
                    let texts = record.texts();
                    let cells = texts.iter().map(|text| for_spreadsheet(text).into_owned());
                    table.write_record(cells).map_err(|error| broken(&error))
                };
                let outcome = self.each_record(cancel, progress, write)?;
                table.flush().map_err(|error| broken(&error))?;
                Ok(outcome)
            }
        }
    }

    /// Calls `each` with every line of every evaluation, in the order of an
    /// [`export`](Self::export). If `cancel` is set, ends early, after a complete evaluation. The
    /// outcome counts evaluations.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn records(
        &self,
        cancel: &Cancel,
        reporter: &dyn Reporter,
        mut each: impl FnMut(Record),
    ) -> Result<Outcome, StoreError> {
        let total = Some(self.stats()?.evaluations);
        let progress = |done| {
            let label = "evaluations".to_owned();
            reporter.progress(&Progress {
                done,
                total,
                unit: Unit::Positions,
                games: 0,
                label,
            });
        };
        self.each_record(cancel, progress, |record| {
            each(record);
            Ok(())
        })
    }

    /// Calls `each` with every line of every evaluation, and `progress` with the number of finished
    /// evaluations.
    fn each_record(
        &self,
        cancel: &Cancel,
        progress: impl Fn(u64),
        mut each: impl FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<Outcome, StoreError> {
        let session = &self.database.session;
        let failed = session.failed("be read");
        let engines = self.database.block_on(
            sqlx::query("SELECT id, name, author, options FROM engine ORDER BY id")
                .fetch_all(&session.pool),
        );
        let mut count = 0;
        for row in engines.map_err(&failed)? {
            let (engine, options): (i64, String) = (
                row.try_get(0).map_err(&failed)?,
                row.try_get(3).map_err(&failed)?,
            );
            let who = Identity {
                name: row.try_get(1).map_err(&failed)?,
                author: row.try_get(2).map_err(&failed)?,
                options: options_of(&options),
            };
            let mut last = [i64::MIN, i64::MIN, i64::MIN, i64::MIN];
            loop {
                if cancel.is_set() {
                    return Ok(Outcome {
                        done: count,
                        skipped: 0,
                        cancelled: true,
                    });
                }
                progress(count);
                let [engine_place, slot, kind, amount, lines, page] =
                    [1, 2, 3, 4, 5, 6].map(|n| session.kind.place(n));
                let sql = format!(
                    "SELECT slot, limit_kind, limit_amount, lines, question, answer \
                     FROM evaluation \
                     WHERE engine = {engine_place} \
                     AND (slot, limit_kind, limit_amount, lines) > ({slot}, {kind}, {amount}, \
                     {lines}) \
                     ORDER BY slot, limit_kind, limit_amount, lines LIMIT {page}"
                );
                let mut query = sqlx::query(AssertSqlSafe(sql)).bind(engine);
                for value in last {
                    query = query.bind(value);
                }
                let rows = self
                    .database
                    .block_on(query.bind(PAGE).fetch_all(&session.pool))
                    .map_err(&failed)?;
                for row in &rows {
                    for (column, value) in last.iter_mut().enumerate() {
                        *value = row.try_get(column).map_err(&failed)?;
                    }
                    let question: Vec<u8> = row.try_get(4).map_err(&failed)?;
                    let answer: Vec<u8> = row.try_get(5).map_err(&failed)?;
                    let [_, kind, amount, lines] = last;
                    let records = records(&who, &question, kind, amount, lines, &answer)
                        .ok_or_else(|| StoreError::Damaged {
                            place: self.location().to_string(),
                            reason: format!(
                                "the evaluation in slot {} is not as it was kept",
                                last[0]
                            ),
                        })?;
                    records.into_iter().try_for_each(&mut each)?;
                    count += 1;
                }
                if rows.len() < PAGE as usize {
                    break;
                }
            }
        }
        progress(count);
        Ok(Outcome {
            done: count,
            skipped: 0,
            cancelled: false,
        })
    }

    /// Imports a table that [`export`](Self::export) wrote, or another one of the same format;
    /// [`TableFormat::of`] determines whether it is Parquet or CSV. Evaluations that the store
    /// already has are kept. The outcome counts the evaluations read. If `cancel` is set, the
    /// import ends early; the evaluations read so far are on disk.
    ///
    /// # Errors
    ///
    /// [`StoreError::File`] if the file cannot be read, with the number of an invalid row; earlier
    /// rows may be in the store by then. Other [`StoreError`]s if the store cannot be written.
    pub fn import(
        &self,
        file: &Path,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, StoreError> {
        let broken = |reason: &dyn std::fmt::Display| StoreError::File {
            file: file.display().to_string(),
            reason: shorten(&reason.to_string()).into_owned(),
        };
        let mut taken = Import {
            store: self,
            group: Vec::new(),
            begin: 0,
            rows: Vec::new(),
            count: 0,
            label: file.display().to_string(),
        };
        let is_parquet = TableFormat::of(file) == TableFormat::Parquet;
        // The header of a CSV file is counted as its first row.
        let mut row_number = u64::from(!is_parquet);
        let mut take = |record: Result<Record, String>| {
            row_number += 1;
            let record = record.map_err(|reason| broken(&format!("row {row_number}: {reason}")))?;
            taken
                .take(record, row_number, reporter)
                .map_err(|reason| broken(&reason))?;
            Ok(if cancel.is_set() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        if is_parquet {
            let about = fs::metadata(file).map_err(|error| broken(&error))?;
            if !about.is_file() {
                return Err(broken(
                    &"a Parquet file is read from its end, so it must be an ordinary file",
                ));
            }
            let input = File::open(file).map_err(|error| broken(&error))?;
            parquet_file::read(input, |record| take(Ok(record)))
                .map_err(|error| broken(&error))
                .and_then(std::convert::identity)?;
        } else {
            let input = open_input(file, cancel).map_err(csv::Error::from);
            match input.and_then(|input| read_csv(input, &mut take)) {
                Ok(taken) => taken?,
                // Reading fails after a cancel. The evaluations that were read stay.
                Err(_) if cancel.is_set() => {}
                Err(error) => return Err(broken(&error)),
            }
        }
        let cancelled = cancel.is_set();
        // If the file was not read to its end, lines of its last evaluation may be missing.
        if !cancelled {
            taken.group_done().map_err(|reason| broken(&reason))?;
        }
        taken.flush()?;
        taken.report(reporter);
        Ok(Outcome {
            done: taken.count,
            skipped: 0,
            cancelled,
        })
    }
}

/// The recipe of an export, for its provenance.
#[derive(Serialize)]
struct ExportRecipe {
    /// The location of the store, without a password.
    store: String,
    engines: Vec<Identity>,
}

/// Checks that a file can be a table for [`Store::import`], before a store is created for it: the
/// file exists, and the first line of a CSV file names the columns. A pipe is not read, because it
/// can be read only once.
///
/// # Errors
///
/// [`StoreError::File`] if it is not a table.
pub fn check_table(file: &Path) -> Result<(), StoreError> {
    let broken = |reason: &dyn std::fmt::Display| StoreError::File {
        file: file.display().to_string(),
        reason: shorten(&reason.to_string()).into_owned(),
    };
    let is_file = fs::metadata(file)
        .map_err(|error| broken(&error))?
        .is_file();
    if is_file && TableFormat::of(file) == TableFormat::Csv {
        let input = File::open(file).map_err(|error| broken(&error))?;
        places(&mut csv::Reader::from_reader(Bounded::new(input)))
            .map_err(|error| broken(&error))?;
    }
    Ok(())
}

/// Returns the position of each column of [`COLUMNS`] in the first line; `None` for a missing one.
fn places(
    table: &mut csv::Reader<impl Read>,
) -> Result<[Option<usize>; COLUMNS.len()], csv::Error> {
    let heads = table.headers()?;
    if let Some(missing) = ["fen", "engine", "limit", "pv"]
        .iter()
        .find(|name| !heads.iter().any(|head| head == **name))
    {
        let why = format!(
            "its first line has no column {missing}; `centipawn store export` writes such tables"
        );
        return Err(io::Error::new(ErrorKind::InvalidData, why).into());
    }
    Ok(COLUMNS.map(|column| heads.iter().position(|head| head == column)))
}

fn read_csv(
    input: impl Read,
    take: &mut impl FnMut(Result<Record, String>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<Result<(), StoreError>, csv::Error> {
    let mut table = csv::Reader::from_reader(Bounded::new(input));
    let places = places(&mut table)?;
    let mut row = csv::StringRecord::new();
    loop {
        table.get_mut().restart();
        if !table.read_record(&mut row)? {
            return Ok(Ok(()));
        }
        let cell = |column: usize| {
            from_spreadsheet(
                places[column]
                    .and_then(|place| row.get(place))
                    .unwrap_or_default(),
            )
        };
        match take(Record::from_texts(cell)) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error)),
        }
    }
}

fn records(
    who: &Identity,
    question: &[u8],
    kind: i64,
    amount: i64,
    lines: i64,
    answer: &[u8],
) -> Option<Vec<Record>> {
    let Unpacked {
        setup,
        mode,
        past,
        moves,
    } = unpack(question)?;
    let position = position(setup, mode)?;
    let history = History::new(position.clone(), mode);
    let analysis = answer::decode(answer, question, &history, usize::MAX)?;
    let texts = |codes: &[u16]| -> Option<String> {
        let texts: Option<Vec<String>> = codes
            .iter()
            .map(|&code| Some(move_text(code)?.to_string()))
            .collect();
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
        search_seconds: analysis.time.as_secs_f64(),
        ..Record::default()
    };
    let record = |(index, line): (usize, &Line)| {
        let (mover_eval_cp, mover_eval_mate) = columns(line.eval);
        let (mover_last_exact_cp, mover_last_exact_mate) =
            line.last_exact.map_or((None, None), columns);
        let pv: Vec<u16> = line.pv.iter().map(|&mv| pack_move(mv)).collect();
        Some(Record {
            rank: index as i64 + 1,
            mover_eval_cp,
            mover_eval_mate,
            mover_p_win: line.wdl.map(|wdl| wdl.win),
            mover_p_draw: line.wdl.map(|wdl| wdl.draw),
            mover_p_loss: line.wdl.map(|wdl| wdl.loss),
            depth: line.depth.into(),
            seldepth: line.seldepth.map(Into::into),
            pv: texts(&pv)?,
            mover_last_exact_cp,
            mover_last_exact_mate,
            ..shared.clone()
        })
    };
    analysis.lines.iter().enumerate().map(record).collect()
}

/// Splits an evaluation into the columns for centipawns and for moves to mate.
fn columns(eval: Eval<Mover>) -> (Option<i64>, Option<i64>) {
    match eval.score() {
        Score::Cp(cp) => (Some(cp.into()), None),
        Score::Mate(moves) => (None, Some(moves.into())),
    }
}

/// Returns the engine of an imported evaluation. Its name has no control characters, as that of an
/// engine that this program starts.
fn engine_of(first: &Record) -> Identity {
    Identity {
        name: printable(&first.engine),
        author: printable(&first.author),
        options: options_of(&first.options),
    }
}

/// The state of an import.
struct Import<'a> {
    store: &'a Store,
    /// The lines of the current evaluation.
    group: Vec<Record>,
    /// Row number of the first line of the evaluation.
    begin: u64,
    rows: Vec<Row>,
    count: u64,
    /// Path of the file, for progress reports.
    label: String,
}

impl Import<'_> {
    fn take(&mut self, record: Record, row: u64, reporter: &dyn Reporter) -> Result<(), String> {
        // Lines beyond the limit are treated as a new evaluation, which is invalid and ends the
        // import. Otherwise a malformed file could fill the memory with one evaluation.
        if self.group.len() >= MOST_LINES
            || self
                .group
                .first()
                .is_some_and(|first| !record.goes_with(first))
        {
            self.group_done()?;
        }
        if self.group.is_empty() {
            self.begin = row;
        }
        self.group.push(record);
        if self.rows.len() >= BATCH {
            self.flush().map_err(|error| error.to_string())?;
            self.report(reporter);
        }
        Ok(())
    }

    fn report(&self, reporter: &dyn Reporter) {
        let label = self.label.clone();
        reporter.progress(&Progress {
            done: self.count,
            total: None,
            unit: Unit::Positions,
            games: 0,
            label,
        });
    }

    fn group_done(&mut self) -> Result<(), String> {
        let group = std::mem::take(&mut self.group);
        if group.is_empty() {
            return Ok(());
        }
        let in_file = |reason: String| match group.len() as u64 - 1 {
            0 => format!("row {}: {reason}", self.begin),
            more => format!("rows {} to {}: {reason}", self.begin, self.begin + more),
        };
        self.rows.push(row_of(self.store, &group).map_err(in_file)?);
        self.count += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.store.write(std::mem::take(&mut self.rows))
    }
}

/// Returns the row of an evaluation, given as the records of its lines.
pub(crate) fn row_of(store: &Store, group: &[Record]) -> Result<Row, String> {
    let first = group.first().ok_or("it has no lines")?;
    let limit: Limit = first
        .limit
        .parse()
        .map_err(|error: ParseLimitError| error.to_string())?;
    let engine = store
        .engine_id_or_new(&engine_of(first))
        .map_err(|error| error.to_string())?;
    let (key, analysis) = evaluation(first, limit, group)?;
    let answer = answer::encode(&key.question, &analysis);
    Ok(Row {
        engine,
        key,
        answer,
    })
}

fn evaluation(
    first: &Record,
    limit: Limit,
    group: &[Record],
) -> Result<(QueryKey, Analysis), String> {
    let mode = CastlingMode::from_chess960(first.chess960);
    let history = History::from_fen(&first.fen, Some(mode)).map_err(|error| error.to_string())?;
    let legal =
        |uci: &str, history: &History| history.parse_uci(uci).map_err(|error| error.to_string());
    let mut moves = first
        .searchmoves
        .split_whitespace()
        .map(|uci| Ok(pack_move(legal(uci, &history)?)))
        .collect::<Result<Vec<u16>, String>>()?;
    moves.sort_unstable();
    moves.dedup();
    let past = first
        .past
        .split_whitespace()
        .map(past_code)
        .collect::<Result<Vec<u16>, String>>()?;
    let setup = history.position().to_setup(EnPassantMode::Legal);
    let (limit_kind, limit_amount) = limit_columns(limit);
    let key = QueryKey {
        question: Unpacked {
            setup,
            mode,
            past,
            moves,
        }
        .pack(),
        limit_kind,
        limit_amount,
        lines: first.lines,
    };
    if first.lines < 1 {
        return Err(format!(
            "{} lines were asked for; at least 1 is needed",
            first.lines
        ));
    }
    let mut lines: Vec<Line> = Vec::with_capacity(group.len());
    for (record, rank) in group.iter().zip(1..) {
        if record.rank != rank {
            return Err(format!(
                "rank {} stands where rank {rank} is expected; the best line comes first",
                record.rank
            ));
        }
        let mut line = History::new(history.position().clone(), mode);
        let mut pv = Vec::new();
        for uci in record.pv.split_whitespace() {
            let mv = legal(uci, &line)?;
            line.push(mv);
            pv.push(mv);
        }
        let number =
            |value: i64| i32::try_from(value).map_err(|_| format!("{value} is not a valid score"));
        let score = |cp: Option<i64>, mate: Option<i64>| match (cp, mate) {
            (Some(cp), None) => Ok(Some(Eval::cp(number(cp)?))),
            (None, Some(moves)) => Ok(Some(Eval::mate(number(moves)?))),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => {
                Err("a row has mover_eval_cp or mover_eval_mate, not both".to_owned())
            }
        };
        let eval = score(record.mover_eval_cp, record.mover_eval_mate)?
            .ok_or("a row needs mover_eval_cp or mover_eval_mate")?;
        let last_exact = score(record.mover_last_exact_cp, record.mover_last_exact_mate)?;
        let wdl = match (record.mover_p_win, record.mover_p_draw, record.mover_p_loss) {
            (Some(win), Some(draw), Some(loss)) => {
                let wdl = Wdl { win, draw, loss };
                let is = "are no probabilities of a win, a draw and a loss";
                Some(
                    wdl.is_distribution()
                        .then_some(wdl)
                        .ok_or_else(|| format!("{win}, {draw} and {loss} {is}"))?,
                )
            }
            _ => None,
        };
        let depth = u32::try_from(record.depth)
            .map_err(|_| format!("{} is not a valid depth", record.depth))?;
        let seldepth = record.seldepth.and_then(|depth| u32::try_from(depth).ok());
        let Some(&mv) = pv.first() else {
            return Err("the line has no moves".to_owned());
        };
        if lines.iter().any(|line| line.pv[0] == mv) {
            return Err(format!("two lines begin with {}", mv.to_uci(mode)));
        }
        lines.push(Line {
            pv,
            eval,
            last_exact,
            wdl,
            depth,
            seldepth,
        });
    }
    if (lines.len() as i64) < first.lines {
        return Err(format!("{} of {} lines", lines.len(), first.lines));
    }
    let depth = lines.first().map_or(0, |line| line.depth);
    let count = |value: i64| u64::try_from(value).map_err(|_| format!("{value} is below 0"));
    let time = std::time::Duration::try_from_secs_f64(first.search_seconds)
        .map_err(|error| error.to_string())?;
    Ok((
        key,
        Analysis {
            lines,
            nodes: count(first.nodes)?,
            depth,
            time,
        },
    ))
}

/// Encodes a move before the position. Only its squares are stored.
fn past_code(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(UciMove::Normal {
            from,
            to,
            promotion: None,
        }) => Ok(u16::from(from) | u16::from(to) << 6),
        _ => Err(format!("{text:?} is not a move that can be repeated")),
    }
}
