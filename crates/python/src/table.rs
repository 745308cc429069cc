//! Tables whose columns pandas, polars, pyarrow and DuckDB use without a copy.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int16Array,
    Int32Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
    cast::AsArray,
    ffi_stream::FFI_ArrowArrayStream,
    types::{
        ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
        Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    },
};
use arrow_ipc::{reader::StreamReader, writer::StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef, ffi::FFI_ArrowSchema};
use centipawn_progress::text::plural;
use centipawn_work::table::{
    StoredColumn, Table as Rows, Values,
    columns::{Column, ColumnType, View},
};
use numpy::{Element, PyArray1, PyArray2};
use pyo3::{
    exceptions::PyKeyError,
    prelude::*,
    types::{PyBytes, PyCapsule, PyDict},
};

use crate::{error::value_error, html};

/// A table in memory, in Arrow's layout.
///
/// `polars.DataFrame(table)`, `pyarrow.table(table)`, `pandas.DataFrame.from_arrow(table)` and
/// DuckDB use its memory without a copy. `table["column"]` is a NumPy array. Numbers that may be
/// missing are `float64` with NaN, and texts are objects.
#[pyclass(frozen, module = "centipawn")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: usize,
}

/// The columns of a table that is being built.
#[derive(Default)]
pub(crate) struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    /// Adds a column whose cells may be missing.
    pub(crate) fn nullable(self, name: &str, array: impl Array + 'static) -> Self {
        self.add(
            Field::new(name, array.data_type().clone(), true),
            Arc::new(array),
        )
    }

    /// Adds a column without missing cells.
    pub(crate) fn full(self, name: &str, array: impl Array + 'static) -> Self {
        self.add(
            Field::new(name, array.data_type().clone(), false),
            Arc::new(array),
        )
    }

    /// Adds a column of the schema.
    pub(crate) fn column(self, column: &Column, array: impl Array + 'static) -> Self {
        self.add(field(column), Arc::new(array))
    }

    /// Adds the columns of rows that have the schema.
    pub(crate) fn rows(self, rows: Rows) -> PyResult<Self> {
        rows.into_columns()
            .iter()
            .try_fold(self, |columns, stored| {
                Ok(columns.add(field(stored.column), array(stored)?))
            })
    }

    /// Adds a column.
    fn add(mut self, field: Field, array: ArrayRef) -> Self {
        self.fields.push(field);
        self.arrays.push(array);
        self
    }

    /// The columns as one record batch.
    pub(crate) fn batch(self) -> PyResult<RecordBatch> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays).map_err(value_error)
    }

    /// The finished table.
    pub(crate) fn table(self) -> PyResult<Table> {
        let batch = self.batch()?;
        Ok(Table::new(batch.schema(), vec![batch]))
    }
}

/// The Arrow field of a column in the schema. Its metadata contain the meaning, the unit and the
/// point of view.
fn field(column: &Column) -> Field {
    let metadata = [
        ("meaning", Some(column.meaning)),
        ("unit", column.unit),
        ("view", column.view.map(View::name)),
        ("null", column.null),
    ];
    let metadata = metadata
        .into_iter()
        .filter_map(|(key, text)| Some((key.to_owned(), text?.to_owned())));
    let data_type = match column.data_type {
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Int16 => DataType::Int16,
        ColumnType::Int32 => DataType::Int32,
        ColumnType::Int64 => DataType::Int64,
        ColumnType::Float64 => DataType::Float64,
        ColumnType::Date => DataType::Date32,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Dictionary8 => {
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
        }
        ColumnType::Dictionary32 => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
    };
    Field::new(column.name, data_type, column.is_nullable())
        .with_metadata(metadata.collect::<HashMap<String, String>>())
}

/// Converts the values of a column to Arrow's layout.
fn array(stored: &StoredColumn) -> PyResult<ArrayRef> {
    let array: ArrayRef = match (&stored.values, stored.column.data_type) {
        (Values::Int(values), ColumnType::Int16) => Arc::new(Int16Array::from(
            stored.rows(values.iter().map(|value| *value as i16)),
        )),
        (Values::Int(values), ColumnType::Date) => {
            Arc::new(Date32Array::from(stored.rows(values.iter().copied())))
        }
        (Values::Int(values), _) => Arc::new(Int32Array::from(stored.rows(values.iter().copied()))),
        (Values::Long(values), _) => {
            Arc::new(Int64Array::from(stored.rows(values.iter().copied())))
        }
        (Values::Double(values), _) => {
            Arc::new(Float64Array::from(stored.rows(values.iter().copied())))
        }
        (Values::Bool(values), _) => {
            Arc::new(BooleanArray::from(stored.rows(values.iter().copied())))
        }
        (Values::Text { bytes, ends }, data_type) => {
            let all = str::from_utf8(bytes).map_err(value_error)?;
            let begins = std::iter::once(&0).chain(ends);
            let texts = stored.rows(begins.zip(ends).map(|(begin, end)| &all[*begin..*end]));
            match data_type {
                ColumnType::Dictionary8 => Arc::new(DictionaryArray::<Int8Type>::from_iter(texts)),
                ColumnType::Dictionary32 => {
                    Arc::new(DictionaryArray::<Int32Type>::from_iter(texts))
                }
                _ => Arc::new(StringArray::from(texts)),
            }
        }
    };
    Ok(array)
}

impl Table {
    /// The table as bytes in Arrow's stream format.
    pub(crate) fn stream(&self) -> PyResult<Vec<u8>> {
        let write = || {
            let mut writer = StreamWriter::try_new(Vec::new(), &self.schema)?;
            self.batches
                .iter()
                .try_for_each(|batch| writer.write(batch))?;
            writer.into_inner()
        };
        write().map_err(value_error)
    }

    /// Reads a table that [`stream`](Self::stream) wrote.
    pub(crate) fn of_stream(stream: &[u8]) -> PyResult<Self> {
        let reader = StreamReader::try_new(stream, None).map_err(value_error)?;
        let schema = reader.schema();
        Ok(Self::new(
            schema,
            reader.collect::<Result<_, _>>().map_err(value_error)?,
        ))
    }

    /// Adds `number` to each cell of a column of 32-bit integers without missing cells. Does
    /// nothing if there is no such column.
    pub(crate) fn add_to(&mut self, column: &str, number: i32) -> PyResult<()> {
        let Ok(index) = self.schema.index_of(column) else {
            return Ok(());
        };
        for batch in &mut self.batches {
            let mut arrays = batch.columns().to_vec();
            arrays[index] = Arc::new(
                arrays[index]
                    .as_primitive::<Int32Type>()
                    .unary::<_, Int32Type>(|own| own + number),
            );
            *batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(value_error)?;
        }
        Ok(())
    }

    /// Joins tables with the same columns; `None` if there are no tables.
    pub(crate) fn joined(tables: Vec<Self>) -> Option<Self> {
        let schema = Arc::clone(&tables.first()?.schema);
        let mut batches: Vec<RecordBatch> =
            tables.into_iter().flat_map(|table| table.batches).collect();
        // An empty table still needs one batch, because the batch has the columns.
        if batches.iter().any(|batch| batch.num_rows() > 0) {
            batches.retain(|batch| batch.num_rows() > 0);
        } else {
            batches.truncate(1);
        }
        Some(Self::new(schema, batches))
    }

    /// A table of batches with this schema.
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        Self {
            schema,
            batches,
            rows,
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.rows).unwrap_or(u32::MAX)
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.rows
    }

    /// The columns and their Arrow types, in order.
    #[getter]
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let schema = PyDict::new(py);
        for field in self.schema.fields() {
            schema.set_item(field.name(), field.data_type().to_string())?;
        }
        Ok(schema)
    }

    /// The names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// The unit, the point of view and other notes about a column.
    fn metadata(&self, column: &str) -> PyResult<HashMap<String, String>> {
        let metadata = self.schema.field(self.index(column)?).metadata();
        Ok(metadata
            .iter()
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect())
    }

    fn __getitem__<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyAny>> {
        let index = self.index(column)?;
        let arrays: Vec<&ArrayRef> = self
            .batches
            .iter()
            .map(|batch| batch.column(index))
            .collect();
        to_numpy(py, self.schema.field(index), &arrays)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows ignoring a requested schema.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema).map_err(value_error)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// For `pickle`: the batches in Arrow's stream format.
    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (Py<PyBytes>,))> {
        let (py, own) = (slf.py(), slf.get());
        let bytes = PyBytes::new(py, &py.detach(|| own.stream())?).unbind();
        Ok((slf.get_type().getattr("_of_stream")?.unbind(), (bytes,)))
    }

    /// Reads a table from bytes in Arrow's stream format.
    #[staticmethod]
    fn _of_stream(py: Python<'_>, stream: &[u8]) -> PyResult<Self> {
        py.detach(|| Self::of_stream(stream))
    }

    /// The first rows, for notebooks.
    pub(crate) fn _repr_html_(&self) -> PyResult<String> {
        let names = self.column_names();
        let head: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut rows = Vec::new();
        for batch in &self.batches {
            let batch = batch.slice(0, batch.num_rows().min(SHOWN - rows.len()));
            for row in 0..batch.num_rows() {
                rows.push(
                    batch
                        .columns()
                        .iter()
                        .map(|column| cell(column, row))
                        .collect(),
                );
            }
        }
        let more = self.rows - rows.len();
        let note = if more > 0 {
            format!("… and {more} more")
        } else {
            String::new()
        };
        Ok(html::table(
            &plural(self.rows as u64, "row"),
            &head,
            &rows,
            &note,
        ))
    }

    fn __repr__(&self) -> String {
        let columns: Vec<String> = self
            .schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        format!(
            "<centipawn.Table: {} rows of {}>",
            self.rows,
            columns.join(", ")
        )
    }
}

impl Table {
    fn index(&self, column: &str) -> PyResult<usize> {
        self.schema.index_of(column).map_err(|_| {
            PyKeyError::new_err(format!(
                "no column {column:?}; the columns are {}",
                self.column_names().join(", ")
            ))
        })
    }
}

/// Number of rows that a notebook shows.
const SHOWN: usize = 10;

/// A value as text; empty if it is missing.
fn cell(column: &ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    macro_rules! number {
        ($($arrow:ident => $kind:ty;)*) => {
            match column.data_type() {
                $(DataType::$arrow => column.as_primitive::<$kind>().value(row).to_string(),)*
                DataType::Float64 => short(column.as_primitive::<Float64Type>().value(row)),
                DataType::Boolean => column.as_boolean().value(row).to_string(),
                DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
                DataType::Date32 => column.as_primitive::<Date32Type>().value_as_date(row).map_or_else(String::new, |day| day.to_string()),
                DataType::Dictionary(_, _) => {
                    let coded = column.as_any_dictionary();
                    coded.normalized_keys().get(row).map_or_else(String::new, |key| coded.values().as_string::<i32>().value(*key).to_owned())
                }
                _ => String::new(),
            }
        };
    }
    number! {
        Int8 => Int8Type;
        Int16 => Int16Type;
        Int32 => Int32Type;
        Int64 => Int64Type;
        UInt8 => UInt8Type;
        UInt16 => UInt16Type;
        UInt32 => UInt32Type;
        UInt64 => UInt64Type;
        Float32 => Float32Type;
    }
}

/// A number with at most six decimals, without zeros at the end.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    if value.is_finite() {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Converts a column to a NumPy array.
fn to_numpy<'py>(
    py: Python<'py>,
    field: &Field,
    arrays: &[&ArrayRef],
) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! numbers {
        ($($arrow:ident => $kind:ty, $float:expr;)*) => {
            match field.data_type() {
                $(DataType::$arrow if !field.is_nullable() => Ok(values::<$kind>(py, arrays)),)*
                $(DataType::$arrow => Ok(with_nan::<$kind>(py, arrays, $float)),)*
                DataType::Float32 => Ok(with_nan::<Float32Type>(py, arrays, f64::from)),
                DataType::Float64 => Ok(with_nan::<Float64Type>(py, arrays, |value| value)),
                DataType::Date32 => {
                    let days = arrays.iter().flat_map(|array| array.as_primitive::<Date32Type>().iter());
                    let days: Vec<Option<i32>> = days.collect();
                    py.import("numpy")?.call_method1("array", (days.into_iter().map(|day| day.map_or(i64::MIN, i64::from)).collect::<Vec<_>>(), "datetime64[D]"))
                }
                DataType::Boolean => {
                    let truths: Vec<bool> =
                        arrays.iter().flat_map(|array| array.as_boolean().iter().map(Option::unwrap_or_default)).collect();
                    Ok(PyArray1::from_vec(py, truths).into_any())
                }
                _ => objects(py, field, arrays),
            }
        };
    }
    numbers! {
        Int8 => Int8Type, f64::from;
        Int16 => Int16Type, f64::from;
        Int32 => Int32Type, f64::from;
        Int64 => Int64Type, |value| value as f64;
        UInt8 => UInt8Type, f64::from;
        UInt16 => UInt16Type, f64::from;
        UInt32 => UInt32Type, f64::from;
        UInt64 => UInt64Type, |value| value as f64;
    }
}

/// Converts rows of numbers to a NumPy array with two dimensions.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    rows: &[Vec<f64>],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray2::from_vec2(py, rows).map_err(value_error)
}

fn values<'py, T>(py: Python<'py>, arrays: &[&ArrayRef]) -> Bound<'py, PyAny>
where
    T: ArrowPrimitiveType,
    T::Native: Element,
{
    let all: Vec<T::Native> = arrays
        .iter()
        .flat_map(|array| array.as_primitive::<T>().values().iter().copied())
        .collect();
    PyArray1::from_vec(py, all).into_any()
}

fn with_nan<'py, T: ArrowPrimitiveType>(
    py: Python<'py>,
    arrays: &[&ArrayRef],
    float: impl Fn(T::Native) -> f64 + Copy,
) -> Bound<'py, PyAny> {
    let all = arrays
        .iter()
        .flat_map(|array| array.as_primitive::<T>().iter());
    let all: Vec<f64> = all.map(|value| value.map_or(f64::NAN, float)).collect();
    PyArray1::from_vec(py, all).into_any()
}

/// Converts texts to an array of objects. Missing texts are `None`.
fn objects<'py>(
    py: Python<'py>,
    field: &Field,
    arrays: &[&ArrayRef],
) -> PyResult<Bound<'py, PyAny>> {
    let mut texts: Vec<Option<&str>> = Vec::new();
    for array in arrays {
        match field.data_type() {
            DataType::Utf8 => texts.extend(array.as_string::<i32>().iter()),
            DataType::Dictionary(_, _) => {
                let coded = array.as_any_dictionary();
                let words = coded.values().as_string::<i32>();
                if words.is_empty() {
                    // All values are null. `normalized_keys` panics if there are no words.
                    texts.extend(std::iter::repeat_n(None, coded.len()));
                    continue;
                }
                let keys = coded.normalized_keys().into_iter().enumerate();
                texts
                    .extend(keys.map(|(row, key)| (!coded.is_null(row)).then(|| words.value(key))));
            }
            other => {
                return Err(value_error(format!(
                    "a column of {other} has no NumPy array; use pyarrow"
                )));
            }
        }
    }
    let arguments = PyDict::new(py);
    arguments.set_item("dtype", "object")?;
    py.import("numpy")?
        .call_method("array", (texts,), Some(&arguments))
}
