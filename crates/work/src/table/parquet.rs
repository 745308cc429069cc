//! Parquet files of tables.

use std::{io::Write, sync::Arc};

use parquet::{
    basic::{Compression, ZstdLevel},
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::{ParquetError, Result},
    file::{metadata::KeyValue, properties::WriterProperties, writer::SerializedFileWriter},
    schema::parser::parse_message_type,
};

use super::{
    columns::{Column, ColumnType},
    memory::{StoredColumn, Table, Values},
};

/// Returns a column as Parquet declares it.
fn declared(column: &Column) -> String {
    let (presence, name) = (
        if column.is_nullable() {
            "optional"
        } else {
            "required"
        },
        column.name,
    );
    let typed = match column.data_type {
        ColumnType::Boolean => format!("boolean {name}"),
        ColumnType::Int16 => format!("int32 {name} (INTEGER(16,true))"),
        ColumnType::Int32 => format!("int32 {name}"),
        ColumnType::Int64 => format!("int64 {name}"),
        ColumnType::Float64 => format!("double {name}"),
        ColumnType::Date => format!("int32 {name} (DATE)"),
        // The Parquet writer chooses dictionaries itself where texts repeat.
        ColumnType::Text | ColumnType::Dictionary8 | ColumnType::Dictionary32 => {
            format!("byte_array {name} (STRING)")
        }
    };
    format!("{presence} {typed};\n")
}

fn write(
    StoredColumn { values, levels, .. }: StoredColumn,
    writer: &mut ColumnWriter<'_>,
) -> Result<()> {
    let levels = levels.as_deref();
    match (writer, values) {
        (ColumnWriter::Int32ColumnWriter(writer), Values::Int(values)) => {
            writer.write_batch(&values, levels, None)
        }
        (ColumnWriter::Int64ColumnWriter(writer), Values::Long(values)) => {
            writer.write_batch(&values, levels, None)
        }
        (ColumnWriter::DoubleColumnWriter(writer), Values::Double(values)) => {
            writer.write_batch(&values, levels, None)
        }
        (ColumnWriter::BoolColumnWriter(writer), Values::Bool(values)) => {
            writer.write_batch(&values, levels, None)
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Values::Text { bytes, ends }) => {
            let all = ByteArray::from(bytes);
            let begins = std::iter::once(0).chain(ends.iter().copied());
            let texts: Vec<ByteArray> = begins
                .zip(&ends)
                .map(|(begin, end)| all.slice(begin, end - begin))
                .collect();
            writer.write_batch(&texts, levels, None)
        }
        _ => Err(ParquetError::General(
            "a column has another type".to_owned(),
        )),
    }
    .map(drop)
}

/// A Parquet file of tables with the same columns.
pub(super) struct TableWriter<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> TableWriter<W> {
    pub(super) fn new(file: W, name: &str, columns: &[&'static Column]) -> Result<Self> {
        let columns: String = columns.iter().map(|column| declared(column)).collect();
        let schema = Arc::new(parse_message_type(&format!(
            "message {name} {{\n{columns}}}"
        ))?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_created_by(concat!("centipawn ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        SerializedFileWriter::new(file, schema, Arc::new(properties)).map(Self)
    }

    /// Writes a table as a row group.
    pub(super) fn write(&mut self, table: Table) -> Result<()> {
        if table.is_empty() {
            return Ok(());
        }
        let mut group = self.0.next_row_group()?;
        for column in table.into_columns() {
            let Some(mut writer) = group.next_column()? else {
                break;
            };
            write(column, writer.untyped())?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Ends the file, with `provenance` in its metadata.
    pub(super) fn finish(mut self, provenance: String) -> Result<W> {
        self.0
            .append_key_value_metadata(KeyValue::new("provenance".to_owned(), provenance));
        self.0.into_inner()
    }
}
