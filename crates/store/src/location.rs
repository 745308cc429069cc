//! Where a store is.

use std::{
    fmt,
    net::IpAddr,
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
    /// created in the first schema of its search path. A server beyond this machine must prove who it is by a certificate
    /// (`sslmode=verify-full`), unless the address names another `sslmode`. The password may also stand in `PGPASSWORD` or in
    /// the file of `PGPASSFILE`.
    Server(String),
}

impl Location {
    /// The path of the user's own store: `centipawn.db` in the [user's data folder](centipawn_progress::data_folder). `None` if
    /// the environment names no such folder.
    pub fn of_user() -> Option<PathBuf> {
        data_folder().map(|data| data.join("centipawn.db"))
    }

    /// The address for sqlx, with the password, and with `sslmode=verify-full` where that is the default.
    ///
    /// # Errors
    ///
    /// [`StoreError::CannotOpen`] if the current folder is unknown.
    pub fn url(&self) -> Result<String, StoreError> {
        match self {
            Location::Server(url) if is_local(url) || has_parameter(url, &["sslmode=", "ssl-mode="]) => Ok(url.clone()),
            Location::Server(url) => {
                let separator = if url.contains('?') { '&' } else { '?' };
                Ok(format!("{url}{separator}sslmode=verify-full"))
            }
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

/// The host and the parameters of a server's address.
fn host_and_parameters(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    (host, parameters)
}

fn has_parameter(url: &str, names: &[&str]) -> bool {
    let (_, parameters) = host_and_parameters(url);
    parameters.split('&').any(|parameter| names.iter().any(|name| parameter.starts_with(name)))
}

/// Whether the connection stays on this machine: loopback, or a socket in the file system.
fn is_local(url: &str) -> bool {
    let (host, parameters) = host_and_parameters(url);
    let named = parameters.split('&').find_map(|parameter| parameter.strip_prefix("host="));
    let environment = || std::env::var("PGHOST").unwrap_or_default();
    let host = named.map_or_else(|| if host.is_empty() { environment() } else { host.to_owned() }, str::to_owned);
    let is_socket = host.is_empty() || host.starts_with('/') || host.to_ascii_lowercase().starts_with("%2f");
    is_socket || host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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
            return Err(bad("only sqlite: and postgres:// are supported"));
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
    fn servers_beyond_this_machine_prove_who_they_are() {
        let url = |text: &str| text.parse::<Location>().unwrap().url().unwrap();
        for local in [
            "postgres://me@127.0.0.1:5433/db",
            "postgres://localhost/db",
            "postgres://me:a@b@[::1]:5433/db",
            "postgres:///db?host=%2Fvar%2Frun%2Fpostgresql",
            "postgres://me@%2Ftmp/db",
        ] {
            assert_eq!(url(local), local);
        }
        assert_eq!(url("postgres://me@db.example/x"), "postgres://me@db.example/x?sslmode=verify-full");
        assert_eq!(url("postgres://db.example:1/x?a=b"), "postgres://db.example:1/x?a=b&sslmode=verify-full");
        assert_eq!(url("postgres://localhost.evil/x"), "postgres://localhost.evil/x?sslmode=verify-full");
        assert_eq!(url("postgres:///x?host=10.0.0.7"), "postgres:///x?host=10.0.0.7&sslmode=verify-full");
        let chosen = "postgres://db.example/x?sslmode=disable";
        assert_eq!(url(chosen), chosen);
    }

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
        assert_eq!(error, "\"mysql://host/db\" is not a place for a store: only sqlite: and postgres:// are supported");
        assert!("sqlite:".parse::<Location>().is_err());
    }
}
