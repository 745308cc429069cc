//! Reading an index: the rows of one position from a few pages, or all rows as a stream.

use std::{
    fs::File,
    io::Read as _,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
};

use centipawn_calibrate::position::{RatingBand, Results};
use centipawn_progress::Provenance;
use centipawn_store::PARQUET_THREAD;
use parquet::{
    basic::Type,
    column::reader::{ColumnReader, get_column_reader},
    data_type::ByteArray,
    errors::{ParquetError, Result},
    file::{
        metadata::{
            ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
            RowGroupMetaData,
        },
        page_index::{
            column_index::ColumnIndexMetaData,
            index_reader::{decode_column_index, decode_offset_index},
            offset_index::PageLocation,
        },
        reader::ChunkReader as _,
        serialized_reader::SerializedPageReader,
        statistics::Statistics,
    },
};

use super::{
    PositionIndexError, PositionRow as Row,
    format::{HEADER, IndexHeader, SCHEMA, VERSION},
};

/// The first and last bytes of a Parquet file.
const MAGIC: &[u8; 4] = b"PAR1";
/// Most rows of a row group that is read; more are not written.
const MOST_ROWS: i64 = 1 << 22;
/// Most bytes of the description of a row group's pages.
const MOST_INDEX: u64 = 16 << 20;
/// Rows of a batch of a stream.
const BATCH: usize = 1 << 16;
/// Maximum number of batches that a stream reads ahead.
const AHEAD: usize = 2;

/// An index of positions, opened.
#[derive(Clone, Debug)]
pub struct PositionIndex {
    path: PathBuf,
    file: Arc<File>,
    metadata: Arc<ParquetMetaData>,
    pub(super) header: IndexHeader,
    pub(super) provenance: Provenance,
}

/// Returns whether a file begins as a Parquet file does.
pub(super) fn is_index(path: &Path) -> bool {
    let mut beginning = [0; 4];
    // Examine regular files only, because reading from a pipe would consume its beginning.
    path.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut beginning))
            .is_ok()
        && &beginning == MAGIC
}

impl PositionIndex {
    /// Opens an index. Only its end is read, which describes the rest.
    ///
    /// # Errors
    ///
    /// [`PositionIndexError`] if it cannot be read, or is no index.
    pub fn open(path: &Path) -> std::result::Result<Self, PositionIndexError> {
        // Refuse pipes, because an index is read from its end, and opening a pipe may block
        // forever.
        let is_folder_or_file = path
            .metadata()
            .map_or(true, |about| about.is_file() || about.is_dir());
        if !is_folder_or_file {
            return Err(PositionIndexError::Foreign {
                path: path.to_owned(),
                reason: "it is not an ordinary file".to_owned(),
            });
        }
        let file = File::open(path).map_err(|error| PositionIndexError::Read {
            path: path.to_owned(),
            error,
        })?;
        let metadata = guarded(path, || {
            ParquetMetaDataReader::new()
                .with_page_index_policy(PageIndexPolicy::Skip)
                .parse_and_finish(&file)
        })?;
        let foreign = |reason: &str| PositionIndexError::Foreign {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let schema = SCHEMA.as_ref().map_err(|error| foreign(error))?;
        let own = metadata.file_metadata();
        let is_same = own
            .schema_descr()
            .columns()
            .iter()
            .map(|column| column.self_type())
            .eq(schema
                .columns
                .columns()
                .iter()
                .map(|column| column.self_type()));
        if !is_same {
            return Err(foreign("it has other columns"));
        }
        let value = |key: &str| {
            let values = own.key_value_metadata().into_iter().flatten();
            values
                .filter(|value| value.key == key)
                .find_map(|value| value.value.clone())
        };
        let header = value(HEADER).ok_or_else(|| foreign("its metadata lacks the index's own"))?;
        let header: IndexHeader = serde_json::from_str(&header)
            .map_err(|error| foreign(&format!("its metadata cannot be read ({error})")))?;
        if header.version != VERSION {
            return Err(foreign(&format!(
                "it has version {}, this program reads version {VERSION}",
                header.version
            )));
        }
        let provenance = value("provenance").and_then(|text| serde_json::from_str(&text).ok());
        let provenance = provenance.ok_or_else(|| foreign("its provenance is missing"))?;
        let index = Self {
            path: path.to_owned(),
            file: Arc::new(file),
            metadata: Arc::new(metadata),
            header,
            provenance,
        };
        if index
            .metadata
            .row_groups()
            .iter()
            .any(|group| !(0..=MOST_ROWS).contains(&group.num_rows()))
        {
            return Err(index.damaged("a row group has an impossible size"));
        }
        Ok(index)
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.metadata
            .row_groups()
            .iter()
            .map(|group| group.num_rows() as u64)
            .sum()
    }

    /// Returns the rows of a position, by move and rating band.
    ///
    /// # Errors
    ///
    /// [`PositionIndexError`] if they cannot be read.
    pub fn find(&self, key: u64) -> std::result::Result<Vec<Row>, PositionIndexError> {
        let mut found = Vec::new();
        guarded(&self.path, || {
            for group in self.metadata.row_groups() {
                if may_have(group, key) {
                    self.find_in(group, key, &mut found)?;
                }
            }
            Ok(())
        })?;
        if found.is_sorted_by(|one, next| one.order() < next.order()) {
            Ok(found)
        } else {
            Err(self.damaged("its rows are not in order"))
        }
    }

    fn find_in(&self, group: &RowGroupMetaData, key: u64, found: &mut Vec<Row>) -> Result<()> {
        let rows = group.num_rows() as usize;
        let keys = group.column(0);
        let pages = decode_column_index(&self.bytes(keys.column_index_range())?, Type::INT64)?;
        let ColumnIndexMetaData::INT64(pages) = pages else {
            return Err(damage("the pages of keys are not described"));
        };
        let locations = self.locations(keys)?;
        let (least, most) = (pages.min_values(), pages.max_values());
        if least.len() != locations.len() || most.len() != locations.len() {
            return Err(damage("its pages are described in two ways"));
        }
        let from = most.partition_point(|most| (*most as u64) < key);
        let to = least.partition_point(|least| *least as u64 <= key);
        if from >= to {
            return Ok(());
        }
        let row = |page: usize| {
            locations.get(page).map_or(Some(rows), |page| {
                usize::try_from(page.first_row_index).ok()
            })
        };
        let (Some(first), Some(end)) = (row(from), row(to)) else {
            return Err(damage("a page has no place"));
        };
        if first >= end || end > rows {
            return Err(damage("its pages are not in order"));
        }
        let mut columns =
            Columns::open(&self.file, group, |column| self.locations(column).map(Some))?;
        columns.skip(first)?;
        let mut left = end - first;
        while left > 0 {
            let batch = columns.read(left.min(BATCH))?;
            left -= batch.len();
            found.extend(batch.into_iter().filter(|row| row.key == key));
        }
        Ok(())
    }

    fn locations(&self, column: &ColumnChunkMetaData) -> Result<Vec<PageLocation>> {
        Ok(
            decode_offset_index(&self.bytes(column.offset_index_range())?)?
                .page_locations()
                .clone(),
        )
    }

    fn bytes(&self, range: Option<Range<u64>>) -> Result<bytes::Bytes> {
        let range = range.filter(|range| range.end - range.start <= MOST_INDEX);
        let range = range.ok_or_else(|| damage("the pages of a row group are not described"))?;
        self.file
            .get_bytes(range.start, (range.end - range.start) as usize)
    }

    /// Returns all rows in their order, in batches, read on a separate thread that ends when the
    /// receiver is dropped.
    pub(super) fn stream(
        &self,
    ) -> impl Iterator<Item = std::result::Result<Vec<Row>, PositionIndexError>> + Send + use<>
    {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        let index = self.clone();
        let read = move || {
            let end = index.send_all(&sender);
            let _ = sender.send(
                end.map(|()| Vec::new())
                    .map_err(|error| index.damaged(&error.to_string())),
            );
        };
        let started = thread::Builder::new()
            .name(PARQUET_THREAD.to_owned())
            .spawn(read);
        Stream {
            receiver: started.is_ok().then_some(receiver),
            index: self.clone(),
            last: None,
        }
    }

    fn send_all(
        &self,
        sender: &mpsc::SyncSender<std::result::Result<Vec<Row>, PositionIndexError>>,
    ) -> Result<()> {
        // Open the file once for each thread, because an open file has a single read position.
        let file = Arc::new(File::open(&self.path)?);
        for group in self.metadata.row_groups() {
            let mut columns = Columns::open(&file, group, |_| Ok(None))?;
            let mut left = group.num_rows() as usize;
            while left > 0 {
                let batch = columns.read(left.min(BATCH))?;
                left -= batch.len();
                if sender.send(Ok(batch)).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn damaged(&self, reason: &str) -> PositionIndexError {
        PositionIndexError::Damaged {
            path: self.path.clone(),
            reason: reason.to_owned(),
        }
    }
}

/// A stream of batches. It ends with an empty batch; without one the reader panicked.
struct Stream {
    receiver: Option<mpsc::Receiver<std::result::Result<Vec<Row>, PositionIndexError>>>,
    index: PositionIndex,
    last: Option<Row>,
}

impl Iterator for Stream {
    type Item = std::result::Result<Vec<Row>, PositionIndexError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.receiver.as_ref()?.recv();
        let batch = batch.unwrap_or_else(|_| Err(self.index.damaged("it cannot be decoded")));
        let batch = batch.and_then(|batch| {
            let rows = self.last.iter().chain(&batch);
            let is_sorted = rows.is_sorted_by(|one, next| one.order() < next.order());
            if is_sorted {
                Ok(batch)
            } else {
                Err(self.index.damaged("its rows are not in order"))
            }
        });
        match batch {
            Ok(batch) if batch.is_empty() => {
                self.receiver = None;
                None
            }
            Ok(batch) => {
                self.last = batch.last().copied();
                Some(Ok(batch))
            }
            Err(error) => {
                self.receiver = None;
                Some(Err(error))
            }
        }
    }
}

/// The columns of a row group, read side by side.
struct Columns(Vec<ColumnReader>);

impl Columns {
    fn open(
        file: &Arc<File>,
        group: &RowGroupMetaData,
        locations: impl Fn(&ColumnChunkMetaData) -> Result<Option<Vec<PageLocation>>>,
    ) -> Result<Self> {
        let open = |column: &ColumnChunkMetaData| {
            let rows = group.num_rows() as usize;
            let pages = SerializedPageReader::new(file.clone(), column, rows, locations(column)?)?;
            Ok(get_column_reader(
                column.column_descr_ptr(),
                Box::new(pages),
            ))
        };
        group
            .columns()
            .iter()
            .map(open)
            .collect::<Result<_>>()
            .map(Self)
    }

    fn skip(&mut self, rows: usize) -> Result<()> {
        for column in &mut self.0 {
            let skipped = match column {
                ColumnReader::Int32ColumnReader(reader) => reader.skip_records(rows),
                ColumnReader::Int64ColumnReader(reader) => reader.skip_records(rows),
                ColumnReader::ByteArrayColumnReader(reader) => reader.skip_records(rows),
                _ => Err(damage("a column has another type")),
            };
            if skipped? != rows {
                return Err(damage("a column is too short"));
            }
        }
        Ok(())
    }

    /// Returns the next rows.
    fn read(&mut self, rows: usize) -> Result<Vec<Row>> {
        let mut numbers = Vec::new();
        let (mut moves, mut bands) = (Vec::new(), Vec::new());
        for column in &mut self.0 {
            match column {
                ColumnReader::Int64ColumnReader(reader) => {
                    let mut values = Vec::with_capacity(rows);
                    whole(reader.read_records(rows, None, None, &mut values)?, rows)?;
                    numbers.push(values);
                }
                ColumnReader::ByteArrayColumnReader(reader) => {
                    moves.reserve(rows);
                    whole(reader.read_records(rows, None, None, &mut moves)?, rows)?;
                }
                ColumnReader::Int32ColumnReader(reader) => {
                    let (mut values, mut levels) =
                        (Vec::with_capacity(rows), Vec::with_capacity(rows));
                    whole(
                        reader.read_records(rows, Some(&mut levels), None, &mut values)?,
                        rows,
                    )?;
                    bands = bands_of(&values, &levels)?;
                }
                _ => return Err(damage("a column has another type")),
            }
        }
        let [keys, white_wins, draws, black_wins] = &numbers[..] else {
            return Err(damage("a column is missing"));
        };
        let is_short = |length: usize| length != rows;
        if numbers.iter().any(|own| is_short(own.len()))
            || is_short(moves.len())
            || is_short(bands.len())
        {
            return Err(damage("a column is too short"));
        }
        let count = |count: i64| {
            u64::try_from(count)
                .ok()
                .filter(|count| *count <= 1 << 48)
                .ok_or_else(|| damage("a count is negative or too large"))
        };
        (0..rows)
            .map(|row| {
                let results = Results {
                    white_wins: count(white_wins[row])?,
                    draws: count(draws[row])?,
                    black_wins: count(black_wins[row])?,
                };
                let mv: &ByteArray = &moves[row];
                let mv = mv.as_utf8().ok().and_then(|text| text.parse().ok());
                let mv = mv.ok_or_else(|| damage("a move cannot be read"))?;
                Ok(Row {
                    key: keys[row] as u64,
                    mv,
                    band: bands[row],
                    results,
                })
            })
            .collect()
    }
}

fn whole((records, _, _): (usize, usize, usize), rows: usize) -> Result<()> {
    if records == rows {
        Ok(())
    } else {
        Err(damage("a column is too short"))
    }
}

fn bands_of(values: &[i32], levels: &[i16]) -> Result<Vec<RatingBand>> {
    let mut values = values.iter();
    let band = |level: &i16| match level {
        0 => Ok(RatingBand::UNRATED),
        _ => {
            let from = values
                .next()
                .and_then(|from| RatingBand::starting_at(u16::try_from(*from).ok()?));
            from.ok_or_else(|| damage("a rating band is unknown"))
        }
    };
    levels.iter().map(band).collect()
}

/// Returns whether the keys of a row group may include `key`, by its statistics.
fn may_have(group: &RowGroupMetaData, key: u64) -> bool {
    match group
        .columns()
        .first()
        .and_then(ColumnChunkMetaData::statistics)
    {
        Some(Statistics::Int64(keys)) => match (keys.min_opt(), keys.max_opt()) {
            (Some(least), Some(most)) => (*least as u64..=*most as u64).contains(&key),
            _ => true,
        },
        _ => true,
    }
}

fn damage(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}

/// Runs `read` on a separate thread, and reports its panics as damage to the file.
fn guarded<T: Send>(
    path: &Path,
    read: impl FnOnce() -> Result<T> + Send,
) -> std::result::Result<T, PositionIndexError> {
    let damaged = |reason: String| PositionIndexError::Damaged {
        path: path.to_owned(),
        reason,
    };
    thread::scope(|scope| {
        let reader = thread::Builder::new().name(PARQUET_THREAD.to_owned());
        let reader = reader
            .spawn_scoped(scope, read)
            .map_err(|error| damaged(error.to_string()))?;
        match reader.join() {
            Ok(Ok(read)) => Ok(read),
            Ok(Err(ParquetError::General(reason))) => Err(damaged(reason)),
            Ok(Err(error)) => Err(damaged(error.to_string())),
            Err(_) => Err(damaged("it cannot be decoded".to_owned())),
        }
    })
}
