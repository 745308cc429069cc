//! The Parquet file of an index.

use std::sync::{Arc, LazyLock};

use centipawn_calibrate::position::{NextMove, PositionGames, RatingBand};
use centipawn_pgn::Shard;
use parquet::{
    basic::{Compression, Encoding, ZstdLevel},
    file::{
        metadata::SortingColumn,
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr},
    },
    schema::{
        parser::parse_message_type,
        types::{ColumnPath, SchemaDescPtr, SchemaDescriptor, TypePtr},
    },
};
use serde::{Deserialize, Serialize};

/// The order of rows.
pub(super) type Order = (u64, NextMove, RatingBand);

/// The key of the [`IndexHeader`] in the file's metadata.
pub(super) const HEADER: &str = "centipawn_position_index";
/// Raised when the format changes.
pub(super) const VERSION: u32 = 1;

/// The index's own metadata, besides its provenance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct IndexHeader {
    pub(super) version: u32,
    /// Numbers of the games in the index.
    pub(super) games: PositionGames,
    /// The part of the inputs that the index covers.
    pub(super) shard: Shard,
}

/// Rows of a row group: all but the last one have as many. An index of the same rows therefore
/// always has the same bytes.
pub(super) const GROUP: usize = 1 << 20;
/// Rows of a page.
const PAGE: usize = 4096;

const MESSAGE: &str = "message position {
    required int64 key (INTEGER(64,false));
    required byte_array move (STRING);
    optional int32 rating_from (INTEGER(16,false));
    required int64 white_wins;
    required int64 draws;
    required int64 black_wins;
}";

/// The Parquet schema of an index.
pub(super) struct Schema {
    pub(super) root: TypePtr,
    pub(super) columns: SchemaDescPtr,
}

pub(super) static SCHEMA: LazyLock<Result<Schema, String>> = LazyLock::new(|| {
    let root = Arc::new(parse_message_type(MESSAGE).map_err(|error| error.to_string())?);
    let columns = Arc::new(SchemaDescriptor::new(root.clone()));
    Ok(Schema { root, columns })
});

/// Keys are close to random: their differences are stored, and compressing them gains nothing. The
/// other columns have few values, so that dictionaries make them small. Pages are small, and the
/// first column has statistics of each page, by which one is found.
pub(super) fn properties() -> parquet::errors::Result<WriterPropertiesPtr> {
    let key = ColumnPath::from("key");
    let sorted = [0, 1, 2].map(|column_idx| SortingColumn {
        column_idx,
        descending: false,
        nulls_first: true,
    });
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_created_by(concat!("centipawn ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_data_page_row_count_limit(PAGE)
        .set_sorting_columns(Some(sorted.to_vec()))
        .set_column_statistics_enabled(key.clone(), EnabledStatistics::Page)
        .set_column_dictionary_enabled(key.clone(), false)
        .set_column_encoding(key.clone(), Encoding::DELTA_BINARY_PACKED)
        .set_column_compression(key, Compression::UNCOMPRESSED);
    Ok(Arc::new(properties.build()))
}
