//! The tables of a store: their version, and their creation.

use sqlx::{AnyConnection, AssertSqlSafe, Row as _};

use crate::{Location, StoreError, database::Kind};

/// The version of the tables in `schema.sql`.
const VERSION: i64 = 3;

/// The SQL that turns the tables of each earlier version, from 1 on, into those of the next one.
const MIGRATIONS: [&str; VERSION as usize - 1] = [
    "ALTER TABLE review RENAME TO findings",
    // Version 2 repeated puzzles by the Leitner system, in boxes of 1, 3, 7, 21 and 60 days. The
    // days become the stability: after them, the solver is expected to know nine of ten solutions.
    // Boxes say nothing of the difficulty, so it becomes 5, the middle of the scale.
    "ALTER TABLE puzzle ADD COLUMN stability DOUBLE PRECISION;
     ALTER TABLE puzzle ADD COLUMN difficulty DOUBLE PRECISION;
     ALTER TABLE puzzle ADD COLUMN answered_at BIGINT;
     UPDATE puzzle SET difficulty = 5.0, stability = CASE box_number WHEN 0 THEN 1.0 WHEN 1 THEN 3.0
     WHEN 2 THEN 7.0 WHEN 3 THEN 21.0 ELSE 60.0 END WHERE box_number IS NOT NULL;
     UPDATE puzzle SET answered_at = due - CASE box_number WHEN 0 THEN 86400 WHEN 1 THEN 259200
     WHEN 2 THEN 604800 WHEN 3 THEN 1814400 ELSE 5184000 END WHERE box_number IS NOT NULL;
     ALTER TABLE puzzle DROP COLUMN box_number;
     ALTER TABLE centipawn_store ADD COLUMN deletions BIGINT NOT NULL DEFAULT 0",
];

const SCHEMA: &str = include_str!("schema.sql");

/// The names of all tables except the one that contains the version.
pub(crate) const TABLES: [&str; 10] = [
    "engine",
    "evaluation",
    "game",
    "findings",
    "job",
    "judged",
    "batch",
    "batch_job",
    "puzzle",
    "attempt",
];

/// Serialises concurrent creations of the tables. The number is arbitrary; other programs on the
/// server are unlikely to use it.
const LOCK: &str = "DO $$ BEGIN PERFORM pg_advisory_xact_lock(4356091217); END $$";

impl Kind {
    /// Returns the SQL that creates all tables, in the dialect of this database.
    fn schema(self) -> String {
        let [bytes, id, by_key] = match self {
            // Without a rowid, SQLite stores rows in the index itself, and finds them nearly twice
            // as fast.
            Kind::Sqlite => ["BLOB", "INTEGER PRIMARY KEY", " WITHOUT ROWID"],
            Kind::Postgres => [
                "BYTEA",
                "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
                "",
            ],
        };
        SCHEMA
            .replace("{bytes}", bytes)
            .replace("{id}", id)
            .replace("{by_key}", by_key)
    }

    /// Returns the placeholder of a statement's Nth value. PostgreSQL needs the number. SQLite
    /// would treat a number as a name and search it among all other names, which is slow in long
    /// statements.
    pub(crate) fn place(self, number: usize) -> String {
        match self {
            Kind::Sqlite => "?".to_owned(),
            Kind::Postgres => format!("${number}"),
        }
    }

    /// Returns the SQL that starts a write transaction. SQLite must know this from the start: if
    /// two transactions start by reading, only one of them can continue by writing.
    pub(crate) fn begin(self) -> &'static str {
        match self {
            Kind::Sqlite => "BEGIN IMMEDIATE",
            Kind::Postgres => "BEGIN",
        }
    }
}

/// The tables of a store that a database has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    None,
    /// The tables of an earlier version of the program, which [`set_up`] migrates.
    Earlier(i64),
    Current,
}

/// Returns which tables of a store the database has.
///
/// # Errors
///
/// [`StoreError`] if its tables belong to a newer version or to another program.
pub(crate) async fn tables(
    connection: &mut AnyConnection,
    place: &Location,
    kind: Kind,
) -> Result<Tables, StoreError> {
    let failed = |error: sqlx::Error| StoreError::from_sqlx(place, kind, "be read", &error);
    let tables = match kind {
        Kind::Sqlite => "SELECT name, CAST(sql AS BLOB) FROM sqlite_master WHERE type = 'table'",
        // On a server, the database may also contain tables of other programs.
        Kind::Postgres => {
            "SELECT CAST(tablename AS TEXT), CAST('' AS BYTEA) FROM pg_tables \
             WHERE schemaname = current_schema() AND tablename = 'centipawn_store'"
        }
    };
    let tables = sqlx::query(tables)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    let damaged = |reason: String| StoreError::Damaged {
        place: place.to_string(),
        reason,
    };
    // In a damaged file the declaration of a column may be invalid UTF-8, and sqlx would panic.
    for row in &tables {
        let declaration: Vec<u8> = row.try_get(1).map_err(failed)?;
        std::str::from_utf8(&declaration)
            .map_err(|error| damaged(format!("the declaration of a table: {error}")))?;
    }
    let tables: Vec<String> = tables
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    match tables.first() {
        None => Ok(Tables::None),
        Some(_) if tables.iter().any(|name| name == "centipawn_store") => {
            let row = sqlx::query("SELECT version FROM centipawn_store")
                .fetch_optional(connection)
                .await
                .map_err(failed)?;
            match row
                .ok_or_else(|| damaged("its version is missing".to_owned()))?
                .try_get(0)
                .map_err(failed)?
            {
                VERSION => Ok(Tables::Current),
                found @ 1..VERSION => Ok(Tables::Earlier(found)),
                found => Err(StoreError::Newer {
                    place: place.to_string(),
                    found,
                    known: VERSION,
                }),
            }
        }
        Some(other) => Err(StoreError::NotAStore {
            place: place.to_string(),
            reason: format!("it is a database with a table \"{other}\""),
        }),
    }
}

/// Creates the tables if they do not exist, and migrates those of an earlier version. Several
/// processes may do so at the same time.
pub(crate) async fn set_up(
    connection: &mut AnyConnection,
    place: &Location,
    kind: Kind,
) -> Result<(), StoreError> {
    if tables(connection, place, kind).await? == Tables::Current {
        return Ok(());
    }
    let failed = |error: sqlx::Error| StoreError::from_sqlx(place, kind, "be set up", &error);
    let run = async |connection: &mut AnyConnection, sql: String| {
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(connection)
            .await
            .map(|_| ())
            .map_err(failed)
    };
    run(connection, kind.begin().to_owned()).await?;
    let result = async {
        if kind == Kind::Postgres {
            run(connection, LOCK.to_owned()).await?;
        }
        // While this process waited for the lock, another one may have created or migrated the
        // tables.
        match tables(connection, place, kind).await? {
            Tables::Current => Ok(()),
            Tables::None => run(connection, kind.schema()).await,
            Tables::Earlier(found) => {
                for sql in MIGRATIONS.iter().skip(found as usize - 1) {
                    run(connection, (*sql).to_owned()).await?;
                }
                run(
                    connection,
                    format!("UPDATE centipawn_store SET version = {VERSION}"),
                )
                .await
            }
        }
    }
    .await;
    run(
        connection,
        if result.is_ok() { "COMMIT" } else { "ROLLBACK" }.to_owned(),
    )
    .await
    .and(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tables_are_listed() {
        let created = SCHEMA
            .split("CREATE TABLE ")
            .skip(1)
            .filter_map(|rest| rest.split_whitespace().next());
        assert!(created.eq(TABLES.into_iter().chain(["centipawn_store"])));
    }

    #[test]
    fn the_schema_records_its_version() {
        assert!(SCHEMA.contains(&format!(
            "INSERT INTO centipawn_store (version) VALUES ({VERSION});"
        )));
    }
}
