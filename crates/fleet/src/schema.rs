//! The tables of a fleet, their version, and the permissions of its roles.

use centipawn_store::Location;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, Row as _};

use crate::{
    Fleet, FleetError,
    database::{Patience, sql},
};

/// Version of the tables in `schema.sql`.
const VERSION: i64 = 1;

const TABLES: &str = include_str!("schema.sql");

/// The functions that workers may call, and their helpers.
const FUNCTIONS: &str = include_str!("functions.sql");

/// Serialises concurrent setups. The number is arbitrary; other programs on the server are unlikely
/// to use it.
const LOCK: &str = "SELECT pg_advisory_xact_lock(4356091218)";

/// The oldest version of pgmq that can renew several leases with one call.
const QUEUE_NEEDED: &str = "1.8.0";

/// The permissions of a worker; `{role}` is its role. Any other permissions of the role on the
/// fleet's tables are revoked.
const WORKER_GRANTS: &str = "
REVOKE ALL ON ALL TABLES IN SCHEMA centipawn_fleet FROM {role};
GRANT USAGE ON SCHEMA centipawn_fleet TO {role};
GRANT SELECT ON centipawn_fleet.version TO {role};
GRANT EXECUTE ON FUNCTION centipawn_fleet.enlist, centipawn_fleet.open_run, \
centipawn_fleet.refuse, centipawn_fleet.lease,
    centipawn_fleet.is_left, centipawn_fleet.renew, centipawn_fleet.known, centipawn_fleet.finish, \
    centipawn_fleet.give_back,
    centipawn_fleet.fail, centipawn_fleet.compare, centipawn_fleet.discharge TO {role};
";

/// The permissions of a monitor: it can read runs and workers, but no games, answers or secrets.
const MONITOR_GRANTS: &str = "
REVOKE ALL ON ALL TABLES IN SCHEMA centipawn_fleet FROM {role};
GRANT USAGE ON SCHEMA centipawn_fleet TO {role};
GRANT SELECT ON centipawn_fleet.version, centipawn_fleet.run, centipawn_fleet.task, \
centipawn_fleet.tally, centipawn_fleet.pace,
    centipawn_fleet.failure, centipawn_fleet.refusal, centipawn_fleet.vote TO {role};
GRANT SELECT (id, name, version, build, engine, slots, at, seen, ended, aside, agreed) \
ON centipawn_fleet.worker TO {role};
GRANT EXECUTE ON FUNCTION centipawn_fleet.measure_queue, centipawn_fleet.oldest_waiting, \
centipawn_fleet.queue TO {role};
";

/// The source of pgmq.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueLibrary {
    /// The extension that the server offers.
    Extension,
    /// The SQL scripts in the crate `pgmq`.
    Own,
    /// The database already has pgmq as an extension.
    Foreign,
}

/// Returns whether version `found` is at least `needed`. Both are numbers separated by dots.
fn is_new_enough(found: &str, needed: &str) -> bool {
    let numbers = |text: &str| {
        text.split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect::<Vec<u32>>()
    };
    numbers(found) >= numbers(needed)
}

/// Returns from which source pgmq must be installed in this database.
pub(crate) async fn queue_library(
    connection: &mut PgConnection,
) -> Result<QueueLibrary, sqlx::Error> {
    if extension(connection).await?.is_some() {
        return Ok(QueueLibrary::Foreign);
    }
    let has_tables = sql("SELECT to_regclass('pgmq.meta') IS NOT NULL")
        .fetch_one(&mut *connection)
        .await?;
    if has_tables.try_get::<bool, _>(0)? {
        // An earlier setup installed pgmq from the crate. The crate applies its newer scripts.
        return Ok(QueueLibrary::Own);
    }
    let offered = sql("SELECT default_version FROM pg_available_extensions WHERE name = 'pgmq'");
    let offered: Option<String> = offered
        .fetch_optional(connection)
        .await?
        .map(|row| row.try_get(0))
        .transpose()?;
    let is_good = offered.is_some_and(|version| is_new_enough(&version, QUEUE_NEEDED));
    Ok(if is_good {
        QueueLibrary::Extension
    } else {
        QueueLibrary::Own
    })
}

/// Returns the version of the installed extension; `None` if it is not installed.
async fn extension(connection: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    let row = sql("SELECT extversion FROM pg_extension WHERE extname = 'pgmq'")
        .fetch_optional(connection)
        .await?;
    row.map(|row| row.try_get(0)).transpose()
}

/// Returns the version of the tables; `None` if there are none.
pub(crate) async fn version(connection: &mut PgConnection) -> Result<Option<i64>, sqlx::Error> {
    let found = sql("SELECT to_regclass('centipawn_fleet.version') IS NOT NULL")
        .fetch_one(&mut *connection)
        .await?;
    if !found.try_get::<bool, _>(0)? {
        return Ok(None);
    }
    sql("SELECT version FROM centipawn_fleet.version")
        .fetch_one(connection)
        .await?
        .try_get(0)
        .map(Some)
}

/// Returns an error for tables that this program does not support.
pub(crate) fn check(place: &Location, version: Option<i64>) -> Result<(), FleetError> {
    match version {
        Some(VERSION) => Ok(()),
        Some(found) => Err(FleetError::Newer {
            place: place.to_string(),
            found,
            known: VERSION,
        }),
        None => Err(FleetError::NotSetUp {
            place: place.to_string(),
        }),
    }
}

/// Creates the tables and functions if they do not exist, and grants the permissions to the roles.
pub(crate) fn set_up(
    fleet: &Fleet,
    worker_roles: &[String],
    monitor_roles: &[String],
) -> Result<(), FleetError> {
    let found = fleet.transact("be read", Patience::Brief, async |connection| {
        version(connection).await
    })?;
    if found.is_some() {
        check(fleet.place(), found)?;
    }
    fleet.install_queue()?;
    let installed = fleet.transact("be read", Patience::Brief, async |connection| {
        extension(connection).await
    })?;
    if let Some(found) = installed.filter(|found| !is_new_enough(found, QUEUE_NEEDED)) {
        return Err(FleetError::OldQueue {
            found,
            needed: QUEUE_NEEDED,
        });
    }
    let found = fleet.transact("be set up", Patience::Brief, async |connection| {
        connection.execute(LOCK).await?;
        // While this process waited for the lock, another one may have created the tables.
        if let Some(found) = version(connection).await? {
            return Ok(found);
        }
        connection
            .execute("CREATE SCHEMA IF NOT EXISTS centipawn_fleet")
            .await?;
        sqlx::raw_sql(TABLES).execute(&mut *connection).await?;
        sqlx::raw_sql(FUNCTIONS).execute(&mut *connection).await?;
        Ok(VERSION)
    })?;
    check(fleet.place(), Some(found))?;
    grant(fleet, worker_roles, WORKER_GRANTS)?;
    grant(fleet, monitor_roles, MONITOR_GRANTS)
}

fn grant(fleet: &Fleet, roles: &[String], grants: &str) -> Result<(), FleetError> {
    for role in roles {
        let exists = fleet.transact("be read", Patience::Brief, async |connection| {
            let found = sql("SELECT 1 FROM pg_roles WHERE rolname = $1")
                .bind(role)
                .fetch_optional(connection)
                .await?;
            Ok(found.is_some())
        })?;
        if !exists {
            return Err(FleetError::NoRole { role: role.clone() });
        }
        // Quoted as an SQL identifier, so that a role name cannot inject SQL.
        let grants = grants.replace("{role}", &format!("\"{}\"", role.replace('"', "\"\"")));
        fleet.transact(
            "grant rights to a role",
            Patience::Brief,
            async |connection| {
                sqlx::raw_sql(AssertSqlSafe(grants.clone()))
                    .execute(connection)
                    .await
                    .map(drop)
            },
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_records_its_version() {
        assert!(TABLES.contains(&format!(
            "INSERT INTO centipawn_fleet.version VALUES ({VERSION});"
        )));
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_new_enough("1.8.0", QUEUE_NEEDED) && is_new_enough("1.13.0", QUEUE_NEEDED));
        assert!(!is_new_enough("1.4.4", QUEUE_NEEDED) && !is_new_enough("0.9", QUEUE_NEEDED));
    }
}
