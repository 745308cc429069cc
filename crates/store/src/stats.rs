//! Statistics of a store, its compaction, and its backup.

use std::{collections::BTreeMap, fs, path::Path};

use centipawn_engine::Identity;
use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, Row as _};

use crate::{
    Location, Store, StoreError,
    database::{Kind, beside},
    schema::TABLES,
};

/// Statistics of a store: a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StoreStats {
    /// The location of the store, without a password.
    pub store: String,
    /// Number of evaluations by all engines.
    pub evaluations: u64,
    /// Number of games that were reviewed.
    pub games: u64,
    /// Number of reviews of these games.
    pub reviews: u64,
    /// Size on disk, in bytes.
    pub bytes: u64,
    /// The engines, sorted by descending number of evaluations.
    pub engines: Vec<EngineStats>,
}

/// An engine in a store, with its number of evaluations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EngineStats {
    /// The engine, as it is [shown](Identity::shown). In JSON, its fields are beside `evaluations`.
    #[serde(flatten)]
    pub identity: Identity,
    /// Number of evaluations by this engine.
    pub evaluations: u64,
}

impl Store {
    /// Counts all rows, which reads the whole store once.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn stats(&self) -> Result<StoreStats, StoreError> {
        let session = &self.database.session;
        let failed = session.failed("be counted");
        let counted = self.database.block_on(async {
            let mut connection = session.pool.acquire().await?;
            let rows = sqlx::query(
                "SELECT name, author, options, (SELECT COUNT(*) FROM evaluation \
                 WHERE engine = engine.id) FROM engine",
            )
            .fetch_all(&mut *connection)
            .await?;
            let mut stats = StoreStats::default();
            for row in rows {
                let options: String = row.try_get(2)?;
                let who = Identity {
                    name: row.try_get(0)?,
                    author: row.try_get(1)?,
                    options: options_of(&options),
                };
                stats.engines.push(EngineStats {
                    identity: who.shown(),
                    evaluations: row.try_get::<i64, _>(3)? as u64,
                });
            }
            let row = sqlx::query(
                "SELECT (SELECT COUNT(*) FROM game), (SELECT COUNT(*) \
                 FROM findings WHERE settings <> $1)",
            )
            .bind(Store::OWN_NOTES)
            .fetch_one(&mut *connection)
            .await?;
            stats.games = row.try_get::<i64, _>(0)? as u64;
            stats.reviews = row.try_get::<i64, _>(1)? as u64;
            if session.kind == Kind::Postgres {
                let sizes = TABLES
                    .map(|table| format!("pg_total_relation_size('{table}')"))
                    .join(" + ");
                let sizes = sqlx::query(AssertSqlSafe(format!("SELECT {sizes}")));
                stats.bytes = sizes
                    .fetch_one(&mut *connection)
                    .await?
                    .try_get::<i64, _>(0)? as u64;
            }
            Ok(stats)
        });
        let mut stats = counted.map_err(failed)?;
        if let Location::File(path) = self.location() {
            // SQLite's log beside the file is a part of the store.
            let size =
                |ending: &str| fs::metadata(beside(path, ending)).map_or(0, |meta| meta.len());
            stats.bytes = size("") + size("-wal");
        }
        stats.engines.sort_by(|a, b| {
            b.evaluations
                .cmp(&a.evaluations)
                .then_with(|| a.identity.cmp(&b.identity))
        });
        stats.store = self.location().to_string();
        stats.evaluations = stats.engines.iter().map(|engine| engine.evaluations).sum();
        Ok(stats)
    }

    /// Reclaims disk space. Returns the size in bytes before and after. If `cancel` is set, the
    /// remaining steps are skipped, and their space is not reclaimed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written. SQLite needs as much free disk space as the
    /// store occupies.
    pub fn vacuum(&self, cancel: &Cancel) -> Result<(u64, u64), StoreError> {
        let before = self.stats()?.bytes;
        let session = &self.database.session;
        let statements = match session.kind {
            Kind::Sqlite => [
                "PRAGMA wal_checkpoint(TRUNCATE)",
                "VACUUM",
                "ANALYZE",
                "PRAGMA wal_checkpoint(TRUNCATE)",
            ]
            .map(str::to_owned)
            .to_vec(),
            Kind::Postgres => TABLES
                .map(|table| format!("VACUUM (FULL, ANALYZE) {table}"))
                .to_vec(),
        };
        for statement in statements {
            if cancel.is_set() {
                break;
            }
            let done = self
                .database
                .block_on(sqlx::query(AssertSqlSafe(statement)).execute(&session.pool));
            done.map_err(session.failed("be compacted"))?;
        }
        Ok((before, self.stats()?.bytes))
    }
}

impl Store {
    /// Writes a copy of the store to a new file, while other programs use the store. The copy has
    /// everything that was stored when the copying began. Returns its size in bytes; `None` for a
    /// store on PostgreSQL, whose own tools make backups.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read, the file exists, or it cannot be written.
    pub fn back_up(&self, file: &Path) -> Result<Option<u64>, StoreError> {
        let session = &self.database.session;
        if session.kind == Kind::Postgres {
            return Ok(None);
        }
        // SQLite copies in one transaction, with what is still in the log beside the file.
        let copied = self.database.block_on(
            sqlx::query("VACUUM INTO ?")
                .bind(file.to_string_lossy().into_owned())
                .execute(&session.pool),
        );
        copied.map_err(session.failed("be copied"))?;
        Ok(Some(fs::metadata(file).map_or(0, |meta| meta.len())))
    }
}

/// Parses the column `options`. Invalid text has no options.
pub(crate) fn options_of(text: &str) -> BTreeMap<String, String> {
    serde_json::from_str(text).unwrap_or_default()
}
