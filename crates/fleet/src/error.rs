//! The error type of a fleet.

use centipawn_store::{Location, StoreError, server_message};

use crate::RunId;

/// Errors of a fleet. Messages show the database without its password, and suggest a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// The location is not a PostgreSQL server.
    #[error(
        "{place} is not a place for a fleet: it lives in a PostgreSQL database, \
         postgres://user@host/database"
    )]
    NotAServer {
        /// The location as the user entered it.
        place: String,
    },
    /// The location cannot be parsed.
    #[error(transparent)]
    Location(#[from] StoreError),
    /// The server cannot be reached.
    #[error(
        "cannot reach the fleet at {place}: {reason}; does the server run, does the database \
         exist, and may you use it?"
    )]
    Unreachable {
        /// Location of the database.
        place: String,
        /// The message of the system or the server.
        reason: String,
    },
    /// The database has no tables of a fleet.
    #[error(
        "there is no fleet at {place}; its owner sets it up once: centipawn fleet setup, with the \
         option `fleet URL`"
    )]
    NotSetUp {
        /// Location of the database.
        place: String,
    },
    /// A newer version of this program set up the fleet.
    #[error(
        "the fleet at {place} has version {found}, and this program supports versions up to \
         {known}; update the program"
    )]
    Newer {
        /// Location of the database.
        place: String,
        /// The version of the tables.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The database has no role of this name.
    #[error(
        "there is no role {role} in the database; create it first: CREATE ROLE {role} LOGIN \
         PASSWORD '…'"
    )]
    NoRole {
        /// The name of the role.
        role: String,
    },
    /// No run has this number.
    #[error("the fleet has no run {run}; `centipawn fleet status` lists them")]
    NoRun {
        /// The number of the run.
        run: RunId,
    },
    /// A complete run cannot be cancelled.
    #[error(
        "run {run} is complete, so there is nothing to cancel; `centipawn fleet drop {run}` \
         deletes it"
    )]
    RunComplete {
        /// The number of the run.
        run: RunId,
    },
    /// The run was cancelled.
    #[error("run {run} was cancelled; the same command submits its games again")]
    RunCancelled {
        /// The number of the run.
        run: RunId,
    },
    /// The role has no permission for the request.
    #[error(
        "the fleet at {place} could not {doing}: {reason}; use a role that may, see `centipawn \
         fleet setup`"
    )]
    Denied {
        /// Location of the database.
        place: String,
        /// The request, to complete "the fleet could not …".
        doing: &'static str,
        /// The message of the server.
        reason: String,
    },
    /// Any other error of the database.
    #[error("the fleet at {place} could not {doing}: {reason}")]
    Failed {
        /// Location of the database.
        place: String,
        /// The request, to complete "the fleet could not …".
        doing: &'static str,
        /// The message of the server.
        reason: String,
    },
    /// Workers would refuse this name of a network.
    #[error(
        "the network {name:?} cannot be used in a fleet: workers find networks by the name of a \
         file in their policy folder; rename the file (no path, no leading dot, at most 100 \
         bytes)"
    )]
    NetworkName {
        /// The name of the network.
        name: String,
    },
    /// Only games can be submitted.
    #[error("a fleet processes whole games; this item is not a game")]
    NotAGame,
    /// The local disk could not store the submitted games until their answers arrive.
    #[error(
        "cannot keep the games until their answers come: {reason}; is there room in the folder for \
         temporary files?"
    )]
    Spill {
        /// The message of the system.
        reason: String,
    },
    /// The engine of the submitter or the worker failed.
    #[error(transparent)]
    Engine(#[from] centipawn_engine::AnalystError),
    /// This worker was set aside, because its answers differ from those of two other workers.
    #[error("{reason}")]
    SetAside {
        /// The task and its workers, with a hint for the user.
        reason: String,
    },
    /// The database's pgmq extension is too old.
    #[error(
        "the database has pgmq {found}, and a fleet needs {needed} or newer; its owner updates it: \
         ALTER EXTENSION pgmq UPDATE"
    )]
    OldQueue {
        /// The installed version of pgmq.
        found: String,
        /// The oldest version with all functions that a fleet uses.
        needed: &'static str,
    },
    /// A thread of a worker panicked, which is a bug.
    #[error(
        "a thread of this worker panicked: {reason}; its tasks were returned. This is a mistake in \
         Centipawn: please report it"
    )]
    Panicked {
        /// The message of the panic.
        reason: String,
    },
    /// A worker's engine no longer gives the same answers as at the start.
    #[error("the engine failed: {reason}; the task was returned, and this worker ends")]
    EngineBroken {
        /// The question and the two answers, in words.
        reason: String,
    },
    /// The work was cancelled while the database was unreachable.
    #[error("the work was cancelled")]
    Cancelled,
}

/// In this crate, I/O errors come only from the temporary file of submitted games.
impl From<std::io::Error> for FleetError {
    fn from(error: std::io::Error) -> Self {
        Self::Spill {
            reason: error.to_string(),
        }
    }
}

impl FleetError {
    /// Returns whether the user's arguments were wrong, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NotAServer { .. } | Self::NoRun { .. } | Self::NoRole { .. } | Self::NotAGame
        ) || matches!(self, Self::NetworkName { .. })
            || matches!(self, Self::Location(StoreError::BadLocation { .. }))
    }

    /// Converts an error of the database into one for the user.
    pub(crate) fn from_sqlx(place: &Location, doing: &'static str, error: &sqlx::Error) -> Self {
        let place = place.to_string();
        match error {
            sqlx::Error::Database(database) => {
                let reason = words(&**database);
                match database.code().as_deref() {
                    Some("CP002") => Self::SetAside { reason },
                    Some("42501" | "25006" | "28P01" | "28000") => Self::Denied {
                        place,
                        doing,
                        reason,
                    },
                    Some("3F000" | "42P01") => Self::NotSetUp { place },
                    _ => Self::Failed {
                        place,
                        doing,
                        reason,
                    },
                }
            }
            other => Self::Failed {
                place,
                doing,
                reason: other.to_string(),
            },
        }
    }
}

/// Returns the message of the database, with a hint if a pooler in front of it sent the message.
pub(crate) fn words(error: &dyn sqlx::error::DatabaseError) -> String {
    let said = error.message();
    if said.contains("extra_float_digits") {
        return format!(
            "{said}; PgBouncer needs the setting `ignore_startup_parameters = extra_float_digits`"
        );
    }
    server_message(said, error.code().as_deref())
}

/// Returns whether the same request may succeed later: the server restarts, has no free session or
/// disk space, or two transactions conflicted.
pub(crate) fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(database) => {
            let code = database.code().unwrap_or_default();
            // Classes of SQLSTATE: 08 connection, 40 conflict, 53 resources, 57 shutdown and
            // timeouts, 58 system. 55P03 is an unavailable lock.
            let passes = ["08", "40", "53", "57", "58", "55P03"]
                .iter()
                .any(|class| code.starts_with(class));
            // The queue of a run that was dropped at this moment does not exist. The next attempt
            // finds that the run is gone too.
            passes || code == "42P01" && database.message().contains("pgmq.q_centipawn_")
        }
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::WorkerCrashed => true,
        _ => false,
    }
}

/// Returns whether the database refused the permission or the password.
pub(crate) fn is_denied(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(database) if matches!(database.code().as_deref(), Some("42501" | "28P01" | "28000" | "3D000")))
}
