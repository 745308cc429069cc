//! The tables, their versions, and who may use them.

use centipawn_store::Location;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, Row as _};

use crate::{
    Fleet, FleetError,
    database::{Patience, sql},
};

/// The SQL that upgrades each version to the next; the first creates all tables.
const MIGRATIONS: [&str; 2] = [include_str!("../migrations/1.sql"), include_str!("../migrations/2.sql")];

/// The number is arbitrary; other programs on the server are unlikely to lock it.
const LOCK: &str = "SELECT pg_advisory_xact_lock(4356091218)";

/// The permissions of a worker; `{role}` is its role.
const GRANTS: &str = "
GRANT USAGE ON SCHEMA centipawn_fleet TO {role};
GRANT SELECT ON ALL TABLES IN SCHEMA centipawn_fleet TO {role};
GRANT INSERT ON centipawn_fleet.answer, centipawn_fleet.failure, centipawn_fleet.worker, centipawn_fleet.refusal TO {role};
GRANT UPDATE (seen, ended) ON centipawn_fleet.worker TO {role};
GRANT UPDATE (reason) ON centipawn_fleet.refusal TO {role};
GRANT UPDATE (state, lease, worker, taken, failed, returned, reason, nodes, seconds, ended) ON centipawn_fleet.task TO {role};
";

/// The version of the tables; `None` if there are none.
pub(crate) async fn version(connection: &mut PgConnection) -> Result<Option<i64>, sqlx::Error> {
    let found = sql("SELECT to_regclass('centipawn_fleet.version') IS NOT NULL").fetch_one(&mut *connection).await?;
    if !found.try_get::<bool, _>(0)? {
        return Ok(None);
    }
    sql("SELECT version FROM centipawn_fleet.version").fetch_one(connection).await?.try_get(0).map(Some)
}

/// Refuses tables that this program does not know.
pub(crate) fn check(place: &Location, version: Option<i64>) -> Result<(), FleetError> {
    let known = MIGRATIONS.len() as i64;
    match version {
        Some(found) if found == known => Ok(()),
        Some(found) if found > known => Err(FleetError::Newer { place: place.to_string(), found, known }),
        _ => Err(FleetError::NotSetUp { place: place.to_string() }),
    }
}

/// Creates or upgrades the tables, and grants workers their permissions.
pub(crate) fn set_up(fleet: &Fleet, worker_roles: &[String]) -> Result<(), FleetError> {
    let known = MIGRATIONS.len() as i64;
    let found = fleet.transact("be set up", Patience::Brief, async |connection| {
        connection.execute(LOCK).await?;
        let found = version(connection).await?.unwrap_or(0);
        if found > known {
            return Ok(found);
        }
        connection.execute("CREATE SCHEMA IF NOT EXISTS centipawn_fleet").await?;
        for migration in &MIGRATIONS[found as usize..] {
            sqlx::raw_sql(*migration).execute(&mut *connection).await?;
        }
        if found == 0 {
            connection.execute("CREATE TABLE centipawn_fleet.version (version BIGINT NOT NULL)").await?;
            sql("INSERT INTO centipawn_fleet.version VALUES ($1)").bind(known).execute(&mut *connection).await?;
        } else {
            sql("UPDATE centipawn_fleet.version SET version = $1").bind(known).execute(&mut *connection).await?;
        }
        Ok(known)
    })?;
    check(fleet.place(), Some(found))?;
    for role in worker_roles {
        let exists = fleet.transact("be read", Patience::Brief, async |connection| {
            let found = sql("SELECT 1 FROM pg_roles WHERE rolname = $1").bind(role).fetch_optional(connection).await?;
            Ok(found.is_some())
        })?;
        if !exists {
            return Err(FleetError::NoRole { role: role.clone() });
        }
        // Quoted as a name, so that it cannot be anything else.
        let grants = GRANTS.replace("{role}", &format!("\"{}\"", role.replace('"', "\"\"")));
        fleet.transact("grant rights to a role", Patience::Brief, async |connection| {
            sqlx::raw_sql(AssertSqlSafe(grants.clone())).execute(connection).await.map(drop)
        })?;
    }
    Ok(())
}
