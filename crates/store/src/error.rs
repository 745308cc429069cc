//! The error type of stores.

use crate::{Location, database::Kind};

/// Errors of a store. Messages name the store and suggest a remedy. No error deletes or changes
/// stored data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The text is not a [`Location`].
    #[error("{text:?} is not a place for a store: {reason}")]
    BadLocation {
        /// The text as the user entered it.
        text: String,
        /// The problem of the location, in words.
        reason: &'static str,
    },
    /// The store cannot be opened, created or reached.
    #[error("cannot open the store {place}: {reason}; {advice}")]
    CannotOpen {
        /// The location of the store.
        place: String,
        /// The message of the system or the server.
        reason: String,
        /// A hint for the user.
        advice: &'static str,
    },
    /// A store to be read does not exist: the file is missing, or the database has no tables of a
    /// store.
    #[error("there is no store {place}; is the name right?")]
    Missing {
        /// The location of the store.
        place: String,
    },
    /// The file is not a database, or is the database of another program.
    #[error("{place} is not a store of Centipawn: {reason}; it is unchanged; name another place")]
    NotAStore {
        /// The location of the store.
        place: String,
        /// The content of the file instead of a store, in words.
        reason: String,
    },
    /// A newer version of this program created the store.
    #[error(
        "the store {place} has version {found}, and this program knows versions up to {known}; \
         update the program, or name another store"
    )]
    Newer {
        /// The location of the store.
        place: String,
        /// The version of the store.
        found: i64,
        /// The newest version that this program can read.
        known: i64,
    },
    /// The store's contents are invalid.
    #[error(
        "the store {place} is damaged ({reason}); it is unchanged: move it away and start a new \
         one, or save what is left with the database's own tools (`sqlite3 FILE .recover`)"
    )]
    Damaged {
        /// The location of the store.
        place: String,
        /// The damage, in words.
        reason: String,
    },
    /// The store cannot be written.
    #[error(
        "the store {place} cannot be written to ({reason}); may you write there, and is the disk \
         not read-only?"
    )]
    ReadOnly {
        /// The location of the store.
        place: String,
        /// The message of the database.
        reason: String,
    },
    /// The role has no permission for the request.
    #[error(
        "the store {place} could not {doing}: {reason}; use a role that may, or let the owner \
         grant it"
    )]
    Denied {
        /// The location of the store.
        place: String,
        /// The request, to complete "the store could not …".
        doing: &'static str,
        /// The message of the server.
        reason: String,
    },
    /// The disk is full.
    #[error(
        "no space for the store {place} ({reason}); its contents are safe: free space on that disk"
    )]
    Full {
        /// The location of the store.
        place: String,
        /// The message of the database.
        reason: String,
    },
    /// Any other error of the database.
    #[error("the store {place} could not {doing}: {reason}")]
    Failed {
        /// The location of the store.
        place: String,
        /// The request, to complete "the store could not …".
        doing: &'static str,
        /// The message of the database.
        reason: String,
    },
    /// Another server works on the jobs of the store.
    #[error(
        "another `centipawn serve` works on the store {place}; close it, or give this one its own \
         store with the option `store FILE`; to divide work over many machines, use a fleet \
         (`centipawn fleet`)"
    )]
    QueueTaken {
        /// The location of the store.
        place: String,
    },
    /// The environment variables do not name a folder for the user's own store.
    #[error("there is no place for a store: neither XDG_DATA_HOME nor HOME names a folder")]
    NoHome,
    /// The folder of the user's own store cannot be created.
    #[error("cannot make the folder {folder}: {reason}")]
    Folder {
        /// Path of the folder.
        folder: String,
        /// The message of the operating system.
        reason: String,
    },
    /// A table that is exported or imported cannot be written or read.
    #[error("{file}: {reason}")]
    File {
        /// Path of the table.
        file: String,
        /// The problem, with the row number if it concerns a row.
        reason: String,
    },
}

impl StoreError {
    /// Converts an error of the database into one for the user.
    pub(crate) fn from_sqlx(
        place: &Location,
        kind: Kind,
        doing: &'static str,
        error: &sqlx::Error,
    ) -> Self {
        let place_text = place.to_string();
        let (code, reason) = match error {
            sqlx::Error::Database(database) => (
                database.code().unwrap_or_default().into_owned(),
                database.message().to_owned(),
            ),
            other => (String::new(), other.to_string()),
        };
        let place = place_text;
        if matches!(
            error,
            sqlx::Error::Decode(_)
                | sqlx::Error::ColumnDecode { .. }
                | sqlx::Error::TypeNotFound { .. }
        ) {
            return Self::Damaged { place, reason };
        }
        match kind {
            // The low byte of SQLite's extended result code is the primary code.
            Kind::Sqlite => match code.parse::<u32>().map(|code| code & 0xff) {
                Ok(8) => Self::ReadOnly { place, reason },
                Ok(11) => Self::Damaged { place, reason },
                Ok(13) => Self::Full { place, reason },
                Ok(14) => Self::CannotOpen {
                    place,
                    reason,
                    advice: "does its folder exist, and \
                     may you write there?",
                },
                Ok(26) => Self::NotAStore { place, reason },
                _ => Self::Failed {
                    place,
                    doing,
                    reason,
                },
            },
            Kind::Postgres => match code.as_str() {
                "25006" => Self::ReadOnly { place, reason },
                "42501" => Self::Denied {
                    place,
                    doing,
                    reason,
                },
                "53100" => Self::Full { place, reason },
                "XX001" | "XX002" => Self::Damaged { place, reason },
                _ => Self::Failed {
                    place,
                    doing,
                    reason,
                },
            },
        }
    }

    /// Returns whether the error is transient: another process is writing, or the server is
    /// restarting.
    pub(crate) fn may_pass(kind: Kind, error: &sqlx::Error) -> bool {
        let code = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .unwrap_or_default();
        match kind {
            // SQLITE_BUSY and SQLITE_LOCKED.
            Kind::Sqlite => matches!(code.parse::<u32>().map(|code| code & 0xff), Ok(5 | 6)),
            // No code if there is no reply. 57P: the server is starting or stopping. 40: two
            // transactions conflict.
            Kind::Postgres => code.is_empty() || code.starts_with("57P") || code.starts_with("40"),
        }
    }
}
