//! Where a store is.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use centipawn_progress::data_folder;

use crate::StoreError;

/// The location of a store: an SQLite file, or a database on a PostgreSQL server.
///
/// ```
/// use centipawn_store::Location;
///
/// let file: Location = "evaluations.db".parse()?;
/// assert_eq!(file, Location::File("evaluations.db".into()));
/// let server: Location = "postgres://me:secret@db.example/chess".parse()?;
/// assert_eq!(server.to_string(), "postgres://me@db.example/chess");   // without the password
/// # Ok::<(), centipawn_store::StoreError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// An SQLite database; created if it does not exist.
    File(PathBuf),
    /// A `postgres://user:password@host:port/database` address, with sqlx's parameters. The database must exist; tables are
    /// created in the first schema of its search path. Connections are not encrypted.
    Server(String),
}

impl Location {
    /// The path of the user's own store: `centipawn.db` in the [user's data folder](centipawn_progress::data_folder). `None` if
    /// the environment names no such folder.
    pub fn of_user() -> Option<PathBuf> {
        data_folder().map(|data| data.join("centipawn.db"))
    }

    /// The address for sqlx.
    pub(crate) fn url(&self) -> Result<String, StoreError> {
        match self {
            Location::Server(url) => Ok(url.clone()),
            Location::File(path) => {
                let absolute = std::path::absolute(path).map_err(|error| self.cannot_open(&error))?;
                Ok(format!("sqlite://{}?mode=rwc", percent_encoded(&absolute)))
            }
        }
    }

    pub(crate) fn cannot_open(&self, reason: &dyn fmt::Display) -> StoreError {
        StoreError::CannotOpen { place: self.to_string(), reason: reason.to_string(), advice: self.advice() }
    }

    fn advice(&self) -> &'static str {
        match self {
            Location::File(_) => "does its folder exist, and may you write there?",
            Location::Server(_) => "does the server run, does the database exist, and may you use it?",
        }
    }
}

fn percent_encoded(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    bytes
        .iter()
        .map(|&byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

impl FromStr for Location {
    type Err = StoreError;

    /// Parses a path, `sqlite:PATH` or `postgres://…`.
    fn from_str(text: &str) -> Result<Self, StoreError> {
        let text = text.trim();
        let bad = |reason| StoreError::BadLocation { text: text.to_owned(), reason };
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Location::Server(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite:").map_or(text, |path| path.strip_prefix("//").unwrap_or(path));
        if path.contains("://") {
            return Err(bad("only sqlite: and postgres:// are known"));
        }
        if path.is_empty() {
            return Err(bad("it names no file"));
        }
        Ok(Location::File(path.into()))
    }
}

impl fmt::Display for Location {
    /// Writes the path, or the address without its password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::File(path) => write!(f, "{}", path.display()),
            Location::Server(url) => {
                let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
                let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
                let shown = match rest.rsplit_once('@') {
                    Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or_default()),
                    None => rest.to_owned(),
                };
                write!(f, "{scheme}://{shown}")?;
                let mut shown = parameters.split('&').filter(|part| !part.is_empty() && !part.starts_with("password="));
                shown.next().map_or(Ok(()), |first| write!(f, "?{first}"))?;
                shown.try_for_each(|part| write!(f, "&{part}"))
            }
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_servers() {
        let place = |text: &str| text.parse::<Location>().unwrap();
        for text in ["x/y.db", "sqlite:x/y.db", "sqlite://x/y.db"] {
            assert_eq!(place(text), Location::File("x/y.db".into()), "{text}");
        }
        assert_eq!(place("sqlite:///x/y.db"), Location::File("/x/y.db".into()));
        assert_eq!(place("/x/ä ?#%.db").url().unwrap(), "sqlite:///x/%C3%A4%20%3F%23%25.db?mode=rwc");
        let server = place("postgresql://me:a@b@host:5433/db?password=x&host=%2Ftmp&sslmode=disable");
        assert_eq!(server.to_string(), "postgresql://me@host:5433/db?host=%2Ftmp&sslmode=disable");
        assert_eq!(format!("{:?}", place("postgres://me:a@host/db")), "Location(postgres://me@host/db)");
        let error = "mysql://host/db".parse::<Location>().unwrap_err().to_string();
        assert_eq!(error, "\"mysql://host/db\" is no place for a store: only sqlite: and postgres:// are known");
        assert!("sqlite:".parse::<Location>().is_err());
    }
}
