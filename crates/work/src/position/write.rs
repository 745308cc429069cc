//! Writing an index: row groups are encoded on several threads and written in their order.

use std::{
    io::Write,
    iter::Peekable,
    path::Path,
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use centipawn_calibrate::position::NextMove;
use centipawn_progress::{Cancel, Provenance, in_order};
use parquet::{
    column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer},
    data_type::ByteArray,
    errors::{ParquetError, Result},
    file::{
        metadata::KeyValue,
        properties::WriterPropertiesPtr,
        writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite},
    },
};

use super::{
    PositionIndexError, PositionRow as Row,
    format::{GROUP, HEADER, IndexHeader, SCHEMA, Schema, properties},
};

/// A row group as bytes.
struct Encoded {
    rows: u64,
    columns: Vec<(Bytes, ColumnCloseResult)>,
}

/// Writes rows, which arrive in ordered batches, and returns their number. After a cancel, rows are
/// missing.
pub(super) fn write_index<W: Write + Send>(
    output: W,
    path: &Path,
    batches: impl Iterator<Item = std::result::Result<Vec<Row>, PositionIndexError>> + Send,
    threads: usize,
    cancel: &Cancel,
    describe: impl FnOnce() -> (IndexHeader, Provenance),
) -> std::result::Result<(W, u64), PositionIndexError> {
    let cannot = |error| PositionIndexError::Write {
        path: path.to_owned(),
        error,
    };
    let schema = SCHEMA
        .as_ref()
        .map_err(|error| cannot(ParquetError::General(error.clone())))?;
    let properties = properties().map_err(cannot)?;
    let mut writer = SerializedFileWriter::new(output, schema.root.clone(), properties.clone())
        .map_err(cannot)?;
    let failure = Mutex::new(None);
    let fail = |error| {
        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
    };
    let stop = cancel.child();
    let (mut written, mut is_sound) = (0, true);
    let groups = Groups {
        batches: batches.peekable(),
        fail: &fail,
    };
    let encode = |rows: Vec<Row>| Some(encode(&rows, schema, &properties));
    in_order(
        groups,
        threads,
        &stop,
        encode,
        |encoded: Result<Encoded>| {
            let placed = encoded.and_then(|encoded| {
                if is_sound {
                    append(&mut writer, encoded)
                } else {
                    Ok(0)
                }
            });
            match placed {
                Ok(rows) => written += rows,
                Err(error) => {
                    is_sound = false;
                    stop.set();
                    fail(cannot(error));
                }
            }
        },
    );
    if let Some(error) = failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
    {
        return Err(error);
    }
    let (header, provenance) = describe();
    for (key, value) in [
        (HEADER, serde_json::to_string(&header)),
        ("provenance", serde_json::to_string(&provenance)),
    ] {
        writer.append_key_value_metadata(KeyValue::new(key.to_owned(), value.unwrap_or_default()));
    }
    Ok((writer.into_inner().map_err(cannot)?, written))
}

/// Batches of rows cut into row groups.
struct Groups<'a, I: Iterator> {
    batches: Peekable<I>,
    fail: &'a (dyn Fn(PositionIndexError) + Sync),
}

impl<I: Iterator<Item = std::result::Result<Vec<Row>, PositionIndexError>>> Iterator
    for Groups<'_, I>
{
    type Item = Vec<Row>;

    fn next(&mut self) -> Option<Vec<Row>> {
        let mut group: Vec<Row> = Vec::with_capacity(GROUP);
        while group.len() < GROUP {
            match self.batches.peek_mut() {
                Some(Ok(batch)) if group.len() + batch.len() > GROUP => {
                    let rest = batch.split_off(GROUP - group.len());
                    group.append(batch);
                    *batch = rest;
                }
                Some(Ok(batch)) => {
                    group.append(batch);
                    self.batches.next();
                }
                Some(Err(_)) => {
                    if let Some(Err(error)) = self.batches.next() {
                        (self.fail)(error);
                    }
                    return None;
                }
                None => break,
            }
        }
        (!group.is_empty()).then_some(group)
    }
}

fn encode(rows: &[Row], schema: &Schema, properties: &WriterPropertiesPtr) -> Result<Encoded> {
    let mut columns = Vec::new();
    for (index, column) in schema.columns.columns().iter().enumerate() {
        let mut sink = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut sink));
        let mut writer = get_column_writer(column.clone(), properties.clone(), pages);
        put(rows, index, &mut writer)?;
        let close = writer.close()?;
        columns.push((Bytes::from(sink.into_inner()?), close));
    }
    Ok(Encoded {
        rows: rows.len() as u64,
        columns,
    })
}

fn put(rows: &[Row], column: usize, writer: &mut ColumnWriter<'_>) -> Result<()> {
    match writer {
        ColumnWriter::Int64ColumnWriter(writer) => {
            let value = |row: &Row| match column {
                0 => row.key as i64,
                3 => row.results.white_wins as i64,
                4 => row.results.draws as i64,
                _ => row.results.black_wins as i64,
            };
            let values: Vec<i64> = rows.iter().map(value).collect();
            writer.write_batch(&values, None, None)
        }
        ColumnWriter::Int32ColumnWriter(writer) => {
            let values: Vec<i32> = rows
                .iter()
                .filter_map(|row| row.band.from().map(i32::from))
                .collect();
            let levels: Vec<i16> = rows
                .iter()
                .map(|row| i16::from(row.band.from().is_some()))
                .collect();
            writer.write_batch(&values, Some(&levels), None)
        }
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            // There are few different moves, so format each move only once.
            let mut texts: Vec<Option<ByteArray>> = vec![None; usize::from(NextMove::CODES)];
            let text = |row: &Row| {
                let text = &mut texts[usize::from(row.mv.code())];
                text.get_or_insert_with(|| ByteArray::from(row.mv.to_string().into_bytes()))
                    .clone()
            };
            let values: Vec<ByteArray> = rows.iter().map(text).collect();
            writer.write_batch(&values, None, None)
        }
        _ => Err(ParquetError::General(
            "a column has another type".to_owned(),
        )),
    }
    .map(drop)
}

fn append<W: Write + Send>(writer: &mut SerializedFileWriter<W>, encoded: Encoded) -> Result<u64> {
    let mut group = writer.next_row_group()?;
    for (bytes, close) in encoded.columns {
        group.append_column(&bytes, close)?;
    }
    group.close()?;
    Ok(encoded.rows)
}
