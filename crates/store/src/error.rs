//! What can go wrong with a store.

use crate::{Location, database::Kind};

/// Why a store cannot be opened, read or written. Each text names the store and a way on; nothing is ever deleted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A text that names no place.
    #[error("{text:?} is no place for a store: {reason}")]
    BadLocation {
        /// As it was given.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// It cannot be opened, made or reached.
    #[error("cannot open the store {place}: {reason}; {advice}")]
    CannotOpen {
        /// Where.
        place: String,
        /// What the system or the server says.
        reason: String,
        /// What to look at.
        advice: &'static str,
    },
    /// This build has no driver for its kind of database.
    #[error("cannot open the store {place}: this build leaves out the feature `{feature}` of the store")]
    NotBuilt {
        /// Where.
        place: String,
        /// The feature of this crate that is missing.
        feature: &'static str,
    },
    /// A file that is no database, or a database of something else.
    #[error("{place} is no store of Centipawn: {reason}; it was left as it is, name another place")]
    NotAStore {
        /// Where.
        place: String,
        /// What it is.
        reason: String,
    },
    /// A later version of this program made it.
    #[error(
        "the store {place} is of version {found}, and this program knows versions up to {known}; update the program, or name \
         another store"
    )]
    Newer {
        /// Where.
        place: String,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Its contents make no sense.
    #[error(
        "the store {place} is damaged ({reason}); it was left as it is: move it away and begin a new one, or save what is left \
         with the database's own tools (`sqlite3 FILE .recover`)"
    )]
    Damaged {
        /// Where.
        place: String,
        /// What was found.
        reason: String,
    },
    /// It cannot be written to.
    #[error("the store {place} cannot be written to ({reason}); may you write there, and is the disk not read-only?")]
    ReadOnly {
        /// Where.
        place: String,
        /// What the database says.
        reason: String,
    },
    /// No room is left.
    #[error("no room for the store {place} ({reason}); what it holds is safe: free space on that disk")]
    Full {
        /// Where.
        place: String,
        /// What the database says.
        reason: String,
    },
    /// Anything else that the database says.
    #[error("the store {place} could not {doing}: {reason}")]
    Failed {
        /// Where.
        place: String,
        /// What it was to do.
        doing: &'static str,
        /// What the database says.
        reason: String,
    },
    /// There is no place for the user's own store.
    #[error("there is no place for a store: neither XDG_DATA_HOME nor HOME names a folder")]
    NoHome,
    /// The folder of the user's own store cannot be made.
    #[error("cannot make the folder {folder}: {reason}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system says.
        reason: String,
    },
    /// A file that is written to or read from.
    #[error("{file}: {reason}")]
    File {
        /// Its path.
        file: String,
        /// What is wrong, with the row where one is to blame.
        reason: String,
    },
}

impl StoreError {
    /// From what the database says.
    pub(crate) fn from_sqlx(place: &Location, kind: Kind, doing: &'static str, error: &sqlx::Error) -> Self {
        let place_text = place.to_string();
        let (code, reason) = match error {
            sqlx::Error::Database(said) => (said.code().unwrap_or_default().into_owned(), said.message().to_owned()),
            other => (String::new(), other.to_string()),
        };
        let place = place_text;
        if matches!(error, sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } | sqlx::Error::TypeNotFound { .. })
        {
            return Self::Damaged { place, reason };
        }
        match kind {
            // The extended codes hold the primary one in their low byte.
            Kind::Sqlite => match code.parse::<u32>().map(|code| code & 0xff) {
                Ok(8) => Self::ReadOnly { place, reason },
                Ok(11) => Self::Damaged { place, reason },
                Ok(13) => Self::Full { place, reason },
                Ok(14) => Self::CannotOpen { place, reason, advice: "does its folder exist, and may you write there?" },
                Ok(26) => Self::NotAStore { place, reason },
                _ => Self::Failed { place, doing, reason },
            },
            Kind::Postgres => match code.as_str() {
                "25006" | "42501" => Self::ReadOnly { place, reason },
                "53100" => Self::Full { place, reason },
                "XX001" | "XX002" => Self::Damaged { place, reason },
                _ => Self::Failed { place, doing, reason },
            },
        }
    }

    /// Whether trying again may help: another process writes, or a server is restarted.
    pub(crate) fn may_pass(kind: Kind, error: &sqlx::Error) -> bool {
        let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default();
        match kind {
            // Busy, locked.
            Kind::Sqlite => matches!(code.parse::<u32>().map(|code| code & 0xff), Ok(5 | 6)),
            // No answer at all; the server is starting or stopping; two transactions in each other's way.
            Kind::Postgres => code.is_empty() || code.starts_with("57P") || code.starts_with("40"),
        }
    }
}
