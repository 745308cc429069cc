//! The tables, and their migration from older versions.

use sqlx::{AnyConnection, AssertSqlSafe, Row as _};

use crate::{Location, StoreError, database::Kind};

/// The SQL that upgrades each version to the next; the first creates all tables.
pub(crate) const MIGRATIONS: [&str; 7] = [
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
    include_str!("../migrations/3.sql"),
    include_str!("../migrations/4.sql"),
    include_str!("../migrations/5.sql"),
    include_str!("../migrations/6.sql"),
    include_str!("../migrations/7.sql"),
];

/// The tables, without the one that has their version.
pub(crate) const TABLES: [&str; 10] =
    ["engine", "evaluation", "game", "review", "job", "puzzle", "attempt", "batch", "judged", "batch_job"];

/// The number is arbitrary; other programs on the server are unlikely to lock it.
const LOCK: &str = "DO $$ BEGIN PERFORM pg_advisory_xact_lock(4356091217); END $$";

impl Kind {
    /// The SQL of a migration in this database's dialect.
    fn words(self, sql: &str) -> String {
        let [bytes, id, by_key] = match self {
            // Rows that are stored in the index itself are found nearly twice as fast.
            Kind::Sqlite => ["BLOB", "INTEGER PRIMARY KEY", " WITHOUT ROWID"],
            Kind::Postgres => ["BYTEA", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", ""],
        };
        sql.replace("{bytes}", bytes).replace("{id}", id).replace("{by_key}", by_key)
    }

    /// The placeholder of a statement's Nth value. PostgreSQL needs the number; SQLite would treat it as a name and look it up
    /// among all others.
    pub(crate) fn place(self, number: usize) -> String {
        match self {
            Kind::Sqlite => "?".to_owned(),
            Kind::Postgres => format!("${number}"),
        }
    }

    /// The seconds since 1970 by the database's clock.
    pub(crate) fn now(self) -> &'static str {
        match self {
            Kind::Sqlite => "unixepoch()",
            Kind::Postgres => "CAST(extract(epoch FROM now()) AS BIGINT)",
        }
    }

    /// Begins a transaction that writes. SQLite must know this at once: of two transactions that begin by reading, only one can
    /// go on to write.
    pub(crate) fn begin(self) -> &'static str {
        match self {
            Kind::Sqlite => "BEGIN IMMEDIATE",
            Kind::Postgres => "BEGIN",
        }
    }
}

/// The version of the tables: 0 if there are none yet. An error if the tables belong to another program.
pub(crate) async fn version(connection: &mut AnyConnection, place: &Location, kind: Kind) -> Result<i64, StoreError> {
    let failed = |error: sqlx::Error| StoreError::from_sqlx(place, kind, "be read", &error);
    let tables = match kind {
        Kind::Sqlite => "SELECT name, CAST(sql AS BLOB) FROM sqlite_master WHERE type = 'table'",
        // On a server, the database may contain tables of other programs.
        Kind::Postgres => {
            "SELECT CAST(tablename AS TEXT), CAST('' AS BYTEA) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'centipawn_store'"
        }
    };
    let tables = sqlx::query(tables).fetch_all(&mut *connection).await.map_err(failed)?;
    let damaged = |reason: String| StoreError::Damaged { place: place.to_string(), reason };
    // sqlx panics where the declaration of a column is no text.
    for row in &tables {
        let declaration: Vec<u8> = row.try_get(1).map_err(failed)?;
        std::str::from_utf8(&declaration).map_err(|error| damaged(format!("the declaration of a table: {error}")))?;
    }
    let tables: Vec<String> = tables.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(failed)?;
    match tables.first() {
        None => Ok(0),
        Some(_) if tables.iter().any(|name| name == "centipawn_store") => {
            let row =
                sqlx::query("SELECT version FROM centipawn_store").fetch_optional(connection).await.map_err(failed)?;
            row.ok_or_else(|| damaged("its version is missing".to_owned()))?.try_get(0).map_err(failed)
        }
        Some(other) => Err(StoreError::NotAStore {
            place: place.to_string(),
            reason: format!("it is a database with a table \"{other}\""),
        }),
    }
}

/// Upgrades the tables to the last of `migrations`. Several processes may do so at the same time.
pub(crate) async fn migrate(
    connection: &mut AnyConnection,
    place: &Location,
    kind: Kind,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let known = migrations.len() as i64;
    let refuse_newer = |found: i64| match found {
        0.. if found <= known => Ok(found),
        _ => Err(StoreError::Newer { place: place.to_string(), found, known }),
    };
    if refuse_newer(version(connection, place, kind).await?)? == known {
        return Ok(());
    }
    let failed = |error: sqlx::Error| StoreError::from_sqlx(place, kind, "be set up", &error);
    let run = async |connection: &mut AnyConnection, sql: String| {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map(|_| ()).map_err(failed)
    };
    run(connection, kind.begin().to_owned()).await?;
    let result = async {
        if kind == Kind::Postgres {
            run(connection, LOCK.to_owned()).await?;
        }
        // Another process may have upgraded the tables during the wait.
        let found = refuse_newer(version(connection, place, kind).await?)?;
        for sql in &migrations[found as usize..] {
            run(connection, kind.words(sql)).await?;
        }
        if found == 0 {
            run(connection, "CREATE TABLE centipawn_store (version BIGINT NOT NULL)".to_owned()).await?;
            run(connection, format!("INSERT INTO centipawn_store VALUES ({known})")).await
        } else {
            run(connection, format!("UPDATE centipawn_store SET version = {known}")).await
        }
    }
    .await;
    run(connection, if result.is_ok() { "COMMIT" } else { "ROLLBACK" }.to_owned()).await.and(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tables_are_listed() {
        let created: String = MIGRATIONS.concat();
        let created = created.split("CREATE TABLE ").skip(1).filter_map(|rest| rest.split_whitespace().next());
        assert!(created.eq(TABLES));
    }
}
