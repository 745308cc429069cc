//! Tables in memory, column by column, and Parquet files of them.

use std::{io::Write, sync::Arc};

use parquet::{
    basic::{Compression, ZstdLevel},
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::{ParquetError, Result},
    file::{metadata::KeyValue, properties::WriterProperties, writer::SerializedFileWriter},
    schema::parser::parse_message_type,
};

/// The kind of a column's values, with its type in Parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int8,
    Int16,
    Int32,
    Int64,
    Float,
    Bool,
    Text,
}

/// A column's name, kind, and whether its values may be missing.
pub(super) type Field = (&'static str, Kind, bool);

impl Kind {
    fn declared(self, name: &str) -> String {
        match self {
            Self::Int8 => format!("int32 {name} (INTEGER(8,true))"),
            Self::Int16 => format!("int32 {name} (INTEGER(16,true))"),
            Self::Int32 => format!("int32 {name}"),
            Self::Int64 => format!("int64 {name}"),
            Self::Float => format!("float {name}"),
            Self::Bool => format!("boolean {name}"),
            Self::Text => format!("byte_array {name} (utf8)"),
        }
    }

    fn values(self) -> Values {
        match self {
            Self::Int8 | Self::Int16 | Self::Int32 => Values::Int(Vec::new()),
            Self::Int64 => Values::Long(Vec::new()),
            Self::Float => Values::Float(Vec::new()),
            Self::Bool => Values::Bool(Vec::new()),
            Self::Text => Values::Text { bytes: Vec::new(), ends: Vec::new() },
        }
    }
}

/// The values of a column that are not missing.
#[derive(Debug)]
enum Values {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Float(Vec<f32>),
    Bool(Vec<bool>),
    /// All texts, one behind the other, and where each ends.
    Text {
        bytes: Vec<u8>,
        ends: Vec<usize>,
    },
}

impl Values {
    fn append(&mut self, later: Self) {
        match (self, later) {
            (Self::Int(own), Self::Int(mut later)) => own.append(&mut later),
            (Self::Long(own), Self::Long(mut later)) => own.append(&mut later),
            (Self::Float(own), Self::Float(mut later)) => own.append(&mut later),
            (Self::Bool(own), Self::Bool(mut later)) => own.append(&mut later),
            (Self::Text { bytes, ends }, Self::Text { bytes: mut more, ends: later }) => {
                let behind = bytes.len();
                bytes.append(&mut more);
                ends.extend(later.into_iter().map(|end| end + behind));
            }
            // Tables of the same fields have the same kinds.
            _ => {}
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        match self {
            Self::Int(own) => Self::Int(own.split_off(at)),
            Self::Long(own) => Self::Long(own.split_off(at)),
            Self::Float(own) => Self::Float(own.split_off(at)),
            Self::Bool(own) => Self::Bool(own.split_off(at)),
            Self::Text { bytes, ends } => {
                let before = at.checked_sub(1).map_or(0, |last| ends[last]);
                let later = ends.split_off(at).into_iter().map(|end| end - before).collect();
                Self::Text { bytes: bytes.split_off(before), ends: later }
            }
        }
    }
}

/// A column in memory.
#[derive(Debug)]
pub(super) struct Column {
    values: Values,
    /// For a column with missing values: 1 for each row that has one, 0 for each that has none.
    levels: Option<Vec<i16>>,
}

impl Column {
    fn new((_, kind, may_be_missing): Field) -> Self {
        Self { values: kind.values(), levels: may_be_missing.then(Vec::new) }
    }

    fn level(&mut self, is_some: bool) {
        if let Some(levels) = &mut self.levels {
            levels.push(i16::from(is_some));
        }
    }

    pub(super) fn int(&mut self, value: impl Into<Option<i32>>) {
        let value = value.into();
        self.level(value.is_some());
        if let (Values::Int(values), Some(value)) = (&mut self.values, value) {
            values.push(value);
        }
    }

    pub(super) fn long(&mut self, value: impl Into<Option<i64>>) {
        let value = value.into();
        self.level(value.is_some());
        if let (Values::Long(values), Some(value)) = (&mut self.values, value) {
            values.push(value);
        }
    }

    pub(super) fn float(&mut self, value: impl Into<Option<f32>>) {
        let value = value.into();
        self.level(value.is_some());
        if let (Values::Float(values), Some(value)) = (&mut self.values, value) {
            values.push(value);
        }
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.level(true);
        if let Values::Bool(values) = &mut self.values {
            values.push(value);
        }
    }

    pub(super) fn no_bool(&mut self) {
        self.level(false);
    }

    /// UTF-8, which the caller guarantees.
    pub(super) fn text(&mut self, value: Option<&[u8]>) {
        self.level(value.is_some());
        if let (Values::Text { bytes, ends }, Some(value)) = (&mut self.values, value) {
            bytes.extend_from_slice(value);
            ends.push(bytes.len());
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let levels = self.levels.as_mut().map(|levels| levels.split_off(at));
        let present = match &self.levels {
            Some(levels) => levels.iter().filter(|level| **level == 1).count(),
            None => at,
        };
        Self { values: self.values.split_off(present), levels }
    }

    fn write(self, writer: &mut ColumnWriter<'_>) -> Result<()> {
        let levels = self.levels.as_deref();
        match (writer, self.values) {
            (ColumnWriter::Int32ColumnWriter(writer), Values::Int(values)) => writer.write_batch(&values, levels, None),
            (ColumnWriter::Int64ColumnWriter(writer), Values::Long(values)) => {
                writer.write_batch(&values, levels, None)
            }
            (ColumnWriter::FloatColumnWriter(writer), Values::Float(values)) => {
                writer.write_batch(&values, levels, None)
            }
            (ColumnWriter::BoolColumnWriter(writer), Values::Bool(values)) => writer.write_batch(&values, levels, None),
            (ColumnWriter::ByteArrayColumnWriter(writer), Values::Text { bytes, ends }) => {
                let all = ByteArray::from(bytes);
                let begins = std::iter::once(0).chain(ends.iter().copied());
                let texts: Vec<ByteArray> =
                    begins.zip(&ends).map(|(begin, end)| all.slice(begin, end - begin)).collect();
                writer.write_batch(&texts, levels, None)
            }
            _ => Err(ParquetError::General("a column has another type".to_owned())),
        }
        .map(drop)
    }
}

/// Rows in memory.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    /// Number of rows.
    pub(super) rows: usize,
}

impl Table {
    pub(super) fn new(fields: &[Field]) -> Self {
        Self { columns: fields.iter().copied().map(Column::new).collect(), rows: 0 }
    }

    pub(super) fn append(&mut self, later: Self) {
        self.rows += later.rows;
        self.columns.iter_mut().zip(later.columns).for_each(|(own, later)| {
            own.values.append(later.values);
            if let (Some(own), Some(mut later)) = (&mut own.levels, later.levels) {
                own.append(&mut later);
            }
        });
    }

    /// Splits off the rows from `at` on.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let later =
            Self { rows: self.rows - at, columns: self.columns.iter_mut().map(|own| own.split_off(at)).collect() };
        self.rows = at;
        later
    }
}

/// A Parquet file of tables with the same fields.
pub(super) struct TableWriter<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> TableWriter<W> {
    pub(super) fn new(file: W, name: &str, fields: &[Field]) -> Result<Self> {
        let declare = |(name, kind, may_be_missing): &Field| {
            let presence = if *may_be_missing { "optional" } else { "required" };
            format!("{presence} {};\n", kind.declared(name))
        };
        let columns: String = fields.iter().map(declare).collect();
        let schema = Arc::new(parse_message_type(&format!("message {name} {{\n{columns}}}"))?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_created_by(concat!("centipawn ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        SerializedFileWriter::new(file, schema, Arc::new(properties)).map(Self)
    }

    /// Writes a table as a row group.
    pub(super) fn write(&mut self, table: Table) -> Result<()> {
        if table.rows == 0 {
            return Ok(());
        }
        let mut group = self.0.next_row_group()?;
        for column in table.columns {
            let Some(mut writer) = group.next_column()? else { break };
            column.write(writer.untyped())?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Ends the file, with `provenance` in its metadata.
    pub(super) fn finish(mut self, provenance: String) -> Result<W> {
        self.0.append_key_value_metadata(KeyValue::new("provenance".to_owned(), provenance));
        self.0.into_inner()
    }
}
