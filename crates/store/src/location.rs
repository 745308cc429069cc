//! The location of a store.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use centipawn_progress::data_folder;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

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
    /// An SQLite database. It is created if it does not exist.
    File(PathBuf),
    /// A `postgres://user:password@host:port/database` address, with sqlx's parameters. The
    /// database must exist; tables are created in the first schema of its search path. A server on
    /// another machine must have a valid certificate (`sslmode=verify-full`), unless the address
    /// sets another `sslmode`. The password may also be in `PGPASSWORD` or in the file of
    /// `PGPASSFILE`.
    Server(String),
}

impl Location {
    /// Returns the path of the user's own store: `centipawn.db` in the [user's data
    /// folder](centipawn_progress::data_folder). `None` if the environment does not define this
    /// folder.
    pub fn of_user() -> Option<PathBuf> {
        data_folder().map(|data| data.join("centipawn.db"))
    }

    /// Returns the address for sqlx, with the password, and with `sslmode=verify-full` if that is
    /// the default.
    ///
    /// # Errors
    ///
    /// [`StoreError::CannotOpen`] if the current folder is unknown, or if the address cannot be
    /// parsed.
    pub fn url(&self) -> Result<String, StoreError> {
        match self {
            Location::Server(url)
                if self.is_local()? || has_parameter(url, &["sslmode=", "ssl-mode="]) =>
            {
                Ok(url.clone())
            }
            Location::Server(url) => {
                let separator = if url.contains('?') { '&' } else { '?' };
                Ok(format!("{url}{separator}sslmode=verify-full"))
            }
            Location::File(path) => {
                let absolute =
                    std::path::absolute(path).map_err(|error| self.cannot_open(&error))?;
                Ok(format!("sqlite://{}?mode=rwc", percent_encoded(&absolute)))
            }
        }
    }

    /// Returns whether the connection stays on this machine: loopback, or a Unix socket. The target
    /// is taken from sqlx's parser, because it depends not only on the host, but also on the
    /// parameters `host` and `hostaddr`, and on the environment variables `PGHOST` and
    /// `PGHOSTADDR`.
    fn is_local(&self) -> Result<bool, StoreError> {
        let Location::Server(url) = self else {
            return Ok(true);
        };
        let options = sqlx::postgres::PgConnectOptions::from_str(url).map_err(|error| {
            self.cannot_open(&format_args!(
                "{error} (in a password, write / ? # @ as %2F %3F %23 %40)"
            ))
        })?;
        let host = options
            .get_host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        Ok(options.get_socket().is_some()
            || host.starts_with('/')
            || host.eq_ignore_ascii_case("localhost")
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback()))
    }

    pub(crate) fn cannot_open(&self, reason: &dyn fmt::Display) -> StoreError {
        StoreError::CannotOpen {
            place: self.to_string(),
            reason: reason.to_string(),
            advice: self.advice(),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            Location::File(path) if path.is_dir() => "name a file in it",
            Location::File(_) => "does its folder exist, and may you write there?",
            Location::Server(_) => {
                "does the server run, does the database exist, and may you use it?"
            }
        }
    }
}

fn has_parameter(url: &str, names: &[&str]) -> bool {
    let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
    parameters
        .split('&')
        .any(|parameter| names.iter().any(|name| parameter.starts_with(name)))
}

/// Returns the server's message for an error with this code. If the server refuses the password,
/// and sqlx has silently ignored a password file because other users can read it, the message says
/// so.
pub fn server_message(message: &str, code: Option<&str>) -> String {
    match ignored_password_file().filter(|_| matches!(code, Some("28P01" | "28000"))) {
        Some(ignored) => format!("{message} ({ignored})"),
        None => message.to_owned(),
    }
}

#[cfg(target_os = "linux")]
fn ignored_password_file() -> Option<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let home = || std::env::home_dir().map(|home| home.join(".pgpass"));
    let path = std::env::var_os("PGPASSFILE")
        .map(PathBuf::from)
        .or_else(home)?;
    let mode = std::fs::metadata(&path).ok()?.permissions().mode() & 0o777;
    let path = path.display();
    (mode & 0o77 != 0)
        .then(|| format!("{path} was ignored, because others may read it: use `chmod 600 {path}`"))
}

/// On other systems, sqlx does not check the permissions.
#[cfg(not(target_os = "linux"))]
fn ignored_password_file() -> Option<String> {
    None
}

fn percent_encoded(path: &Path) -> String {
    const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    percent_encode(path.as_os_str().as_encoded_bytes(), SPECIAL).to_string()
}

impl FromStr for Location {
    type Err = StoreError;

    /// Parses a path, `sqlite:PATH` or `postgres://…`.
    fn from_str(text: &str) -> Result<Self, StoreError> {
        let text = text.trim();
        let shown = || {
            if text.contains("://") {
                without_password(text)
            } else {
                text.to_owned()
            }
        };
        let bad = |reason| StoreError::BadLocation {
            text: shown(),
            reason,
        };
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            // sqlx silently ignores everything after `#`, which may be a part of the password.
            return if text.contains('#') {
                Err(bad("# must be written as %23"))
            } else {
                Ok(Location::Server(text.to_owned()))
            };
        }
        let path = text
            .strip_prefix("sqlite:")
            .map_or(text, |path| path.strip_prefix("//").unwrap_or(path));
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
    /// Formats the path, or the address without its password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::File(path) => write!(f, "{}", path.display()),
            Location::Server(url) => f.write_str(&without_password(url)),
        }
    }
}

/// Returns the address without its password. Everything before the last `@` may be a part of a
/// password that was not percent-encoded.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let (user, rest) = match rest.rsplit_once('@') {
        Some((before, host)) => (before.split([':', '/', '?', '#']).next(), host),
        None => (None, rest),
    };
    let (host, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let shown: Vec<&str> = parameters
        .split('&')
        .filter(|part| !part.is_empty() && !part.starts_with("password="))
        .collect();
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    let mark = if shown.is_empty() { "" } else { "?" };
    format!("{scheme}://{user}{host}{mark}{}", shown.join("&"))
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
    fn servers_on_other_machines_need_a_certificate() {
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
        assert_eq!(
            url("postgres://me@db.example/x"),
            "postgres://me@db.example/x?sslmode=verify-full"
        );
        assert_eq!(
            url("postgres://db.example:1/x?a=b"),
            "postgres://db.example:1/x?a=b&sslmode=verify-full"
        );
        assert_eq!(
            url("postgres://localhost.evil/x"),
            "postgres://localhost.evil/x?sslmode=verify-full"
        );
        for away in [
            "host=10.0.0.7",
            "hostaddr=10.0.0.7",
            "host=localhost&hostaddr=10.0.0.7",
            "ho%73t=10.0.0.7",
            "user=sslmode=disable",
        ] {
            let address = format!("postgres://db.example/x?{away}");
            assert_eq!(url(&address), format!("{address}&sslmode=verify-full"));
            let address = format!("postgres://localhost/x?{away}");
            let is_here = away.starts_with("user");
            assert_eq!(
                url(&address),
                if is_here {
                    address
                } else {
                    format!("{address}&sslmode=verify-full")
                }
            );
        }
        let chosen = "postgres://db.example/x?sslmode=disable";
        assert_eq!(url(chosen), chosen);
    }

    #[test]
    fn paths_and_addresses_are_parsed() {
        let place = |text: &str| text.parse::<Location>().unwrap();
        for text in ["x/y.db", "sqlite:x/y.db", "sqlite://x/y.db"] {
            assert_eq!(place(text), Location::File("x/y.db".into()), "{text}");
        }
        assert_eq!(place("sqlite:///x/y.db"), Location::File("/x/y.db".into()));
        assert_eq!(
            place("/x/ä ?#%.db").url().unwrap(),
            "sqlite:///x/%C3%A4%20%3F%23%25.db?mode=rwc"
        );
        let server =
            place("postgresql://me:a@b@host:5433/db?password=x&host=%2Ftmp&sslmode=disable");
        assert_eq!(
            server.to_string(),
            "postgresql://me@host:5433/db?host=%2Ftmp&sslmode=disable"
        );
        assert_eq!(
            format!("{:?}", place("postgres://me:a@host/db")),
            "Location(postgres://me@host/db)"
        );
        let unencoded = place("postgres://me:a/b?c@127.0.0.1:5477/db");
        assert_eq!(unencoded.to_string(), "postgres://me@127.0.0.1:5477/db");
        let error = unencoded.url().unwrap_err().to_string();
        assert!(
            error.contains("in a password, write / ? # @ as %2F %3F %23 %40")
                && !error.contains("b?c"),
            "{error}"
        );
        let error = "postgre://me:secret@host/db"
            .parse::<Location>()
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("\"postgre://me@host/db\" is not a place for a store"),
            "{error}"
        );
        let error = "mysql://host/db"
            .parse::<Location>()
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "\"mysql://host/db\" is not a place for a store: only sqlite: and postgres:// are \
             supported"
        );
        assert!("sqlite:".parse::<Location>().is_err());
        let error = "postgres://me:se#cret@db.example/x"
            .parse::<Location>()
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "\"postgres://me@db.example/x\" is not a place for a store: # must be written as %23"
        );
    }
}
