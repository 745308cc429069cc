//! Tables of records as Parquet files.

use std::{fs::File, io::Write, ops::ControlFlow, sync::Arc, thread};

use parquet::{
    basic::Compression,
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::{ParquetError, Result},
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        reader::{FileReader as _, SerializedFileReader},
        writer::SerializedFileWriter,
    },
    record::Field,
    schema::parser::parse_message_type,
};

use crate::{PARQUET_THREAD, StoreError, record::Record};

/// Number of records in a row group.
const GROUP: usize = 100_000;

/// The columns of [`Record`], in the same order.
const SCHEMA: &str = "message evaluation {
    required byte_array fen (utf8);
    required byte_array past (utf8);
    required boolean chess960;
    required byte_array engine (utf8);
    required byte_array author (utf8);
    required byte_array options (utf8);
    required byte_array limit (utf8);
    required int64 lines;
    required byte_array searchmoves (utf8);
    required int64 nodes;
    required double search_seconds;
    required int64 rank;
    optional int64 mover_eval_cp;
    optional int64 mover_eval_mate;
    optional double mover_p_win;
    optional double mover_p_draw;
    optional double mover_p_loss;
    required int64 depth;
    optional int64 seldepth;
    required byte_array pv (utf8);
    optional int64 mover_last_exact_cp;
    optional int64 mover_last_exact_mate;
}";

/// Writes a Parquet file.
pub(crate) struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    records: Vec<Record>,
}

impl<W: Write + Send> Writer<W> {
    /// Starts a file with `provenance`, as JSON, in its metadata.
    pub(crate) fn new(file: W, provenance: String) -> Result<Self> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![KeyValue::new(
                "provenance".to_owned(),
                provenance,
            )]))
            .build();
        Ok(Self {
            file: SerializedFileWriter::new(file, schema, Arc::new(properties))?,
            records: Vec::new(),
        })
    }

    pub(crate) fn write(&mut self, record: Record) -> Result<()> {
        self.records.push(record);
        if self.records.len() >= GROUP {
            self.group()
        } else {
            Ok(())
        }
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.group()?;
        self.file.close().map(|_| ())
    }

    fn group(&mut self) -> Result<()> {
        let records = std::mem::take(&mut self.records);
        if records.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for column in 0.. {
            let Some(mut writer) = group.next_column()? else {
                break;
            };
            put(&records, column, writer.untyped())?;
            writer.close()?;
        }
        group.close().map(|_| ())
    }
}

fn put(records: &[Record], column: usize, writer: &mut ColumnWriter<'_>) -> Result<()> {
    match writer {
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            let texts: Vec<ByteArray> = records
                .iter()
                .map(|record| text(record, column).into())
                .collect();
            writer.write_batch(&texts, None, None)
        }
        ColumnWriter::BoolColumnWriter(writer) => {
            let values: Vec<bool> = records.iter().map(|record| record.chess960).collect();
            writer.write_batch(&values, None, None)
        }
        ColumnWriter::Int64ColumnWriter(writer) => {
            let cells: Vec<Option<i64>> =
                records.iter().map(|record| whole(record, column)).collect();
            let values: Vec<i64> = cells.iter().copied().flatten().collect();
            writer.write_batch(
                &values,
                levels(&cells).as_deref().filter(|_| is_optional(column)),
                None,
            )
        }
        ColumnWriter::DoubleColumnWriter(writer) => {
            let cells: Vec<Option<f64>> =
                records.iter().map(|record| real(record, column)).collect();
            let values: Vec<f64> = cells.iter().copied().flatten().collect();
            writer.write_batch(
                &values,
                levels(&cells).as_deref().filter(|_| is_optional(column)),
                None,
            )
        }
        _ => Err(ParquetError::General(format!(
            "column {column} has another type"
        ))),
    }
    .map(|_| ())
}

/// Returns definition levels: 1 for a cell with a value, 0 for an empty one.
fn levels<T>(cells: &[Option<T>]) -> Option<Vec<i16>> {
    Some(cells.iter().map(|cell| i16::from(cell.is_some())).collect())
}

fn is_optional(column: usize) -> bool {
    matches!(column, 12..=16 | 18 | 20 | 21)
}

fn text(record: &Record, column: usize) -> &str {
    match column {
        0 => &record.fen,
        1 => &record.past,
        3 => &record.engine,
        4 => &record.author,
        5 => &record.options,
        6 => &record.limit,
        8 => &record.searchmoves,
        _ => &record.pv,
    }
}

fn whole(record: &Record, column: usize) -> Option<i64> {
    match column {
        7 => Some(record.lines),
        9 => Some(record.nodes),
        11 => Some(record.rank),
        12 => record.mover_eval_cp,
        13 => record.mover_eval_mate,
        17 => Some(record.depth),
        18 => record.seldepth,
        20 => record.mover_last_exact_cp,
        _ => record.mover_last_exact_mate,
    }
}

fn real(record: &Record, column: usize) -> Option<f64> {
    match column {
        10 => Some(record.search_seconds),
        14 => record.mover_p_win,
        15 => record.mover_p_draw,
        _ => record.mover_p_loss,
    }
}

/// Calls `take` with every record of a file, until it returns `Break` or an error. Columns are
/// identified by name.
pub(crate) fn read(
    file: File,
    take: impl FnMut(Record) -> std::result::Result<ControlFlow<()>, StoreError> + Send,
) -> Result<std::result::Result<(), StoreError>> {
    let damaged = || ParquetError::General("the file is damaged; export it again".to_owned());
    thread::scope(|scope| {
        let reader = thread::Builder::new().name(PARQUET_THREAD.to_owned());
        let reader = reader
            .spawn_scoped(scope, || read_here(file, take))
            .map_err(|_| damaged())?;
        reader.join().unwrap_or_else(|_| Err(damaged()))
    })
}

fn read_here(
    file: File,
    mut take: impl FnMut(Record) -> std::result::Result<ControlFlow<()>, StoreError>,
) -> Result<std::result::Result<(), StoreError>> {
    let reader = SerializedFileReader::new(file)?;
    for row in reader.get_row_iter(None)? {
        let mut record = Record::default();
        for (name, field) in row?.into_columns() {
            set(&mut record, &name, field);
        }
        match take(record) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => break,
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(()))
}

fn set(record: &mut Record, name: &str, field: Field) {
    // Programs without nullable integers write them as floating-point numbers.
    let whole = match &field {
        Field::Int(value) => Some(i64::from(*value)),
        Field::Long(value) => Some(*value),
        Field::Double(value) if value.fract() == 0.0 => Some(*value as i64),
        _ => None,
    };
    match (name, field, whole) {
        ("fen", Field::Str(text), _) => record.fen = text,
        ("past", Field::Str(text), _) => record.past = text,
        ("chess960", Field::Bool(value), _) => record.chess960 = value,
        ("engine", Field::Str(text), _) => record.engine = text,
        ("author", Field::Str(text), _) => record.author = text,
        ("options", Field::Str(text), _) => record.options = text,
        ("limit", Field::Str(text), _) => record.limit = text,
        ("searchmoves", Field::Str(text), _) => record.searchmoves = text,
        ("pv", Field::Str(text), _) => record.pv = text,
        ("mover_p_win", Field::Double(value), _) => record.mover_p_win = Some(value),
        ("mover_p_draw", Field::Double(value), _) => record.mover_p_draw = Some(value),
        ("mover_p_loss", Field::Double(value), _) => record.mover_p_loss = Some(value),
        ("lines", _, Some(value)) => record.lines = value,
        ("nodes", _, Some(value)) => record.nodes = value,
        ("search_seconds", Field::Double(value), _) => record.search_seconds = value,
        ("rank", _, Some(value)) => record.rank = value,
        ("mover_eval_cp", _, whole) => record.mover_eval_cp = whole,
        ("mover_eval_mate", _, whole) => record.mover_eval_mate = whole,
        ("depth", _, Some(value)) => record.depth = value,
        ("seldepth", _, whole) => record.seldepth = whole,
        ("mover_last_exact_cp", _, whole) => record.mover_last_exact_cp = whole,
        ("mover_last_exact_mate", _, whole) => record.mover_last_exact_mate = whole,
        // Ignore unknown columns and empty cells.
        _ => {}
    }
}
