//! The connection to a database, with a blocking interface.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    future::Future,
    io::Read as _,
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use centipawn_progress::{Problem, Reporter};
use sqlx::{
    AnyConnection, AnyPool, Connection as _, Executor as _,
    any::{AnyPoolOptions, install_default_drivers},
};
use tokio::{
    runtime::{Builder, Runtime},
    time::{sleep, timeout},
};

use crate::{
    Location, StoreError,
    location::server_message,
    schema::{self, Tables},
};

/// Maximum number of connections. One connection writes, the others only read.
const CONNECTIONS: u32 = 5;

/// Time limit for connecting, and for waiting until another process has finished writing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Duration from which on a wait is reported.
const LONG: Duration = Duration::from_secs(5);

/// The first bytes of an SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Access for which a database is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading and writing. A file that does not exist is created.
    Write,
    /// Only reading. No file is created, and the disk may be read-only.
    Read,
}

/// The kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// An open database.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) place: Location,
    pub(crate) kind: Kind,
    pub(crate) pool: AnyPool,
    reporter: Arc<dyn Reporter>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("place", &self.place)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Awaits `work`. If it takes longer than [`LONG`], reports the reason once.
async fn reporting<T>(
    place: &Location,
    kind: Kind,
    reporter: &dyn Reporter,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    if let Ok(done) = timeout(LONG, &mut work).await {
        return done;
    }
    let why = match kind {
        Kind::Sqlite => "is locked by another program",
        Kind::Postgres => "does not answer",
    };
    reporter.problem(&Problem::warning(format_args!(
        "the store {place} {why}; waiting up to a minute for it"
    )));
    work.await
}

/// Pauses before further attempts after a transient failure, such as a server restart.
const RETRIES: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

impl Session {
    /// Runs `work`, and repeats it after a pause if it fails with a transient error. Work that must
    /// not run twice returns the result of its commit inside `Ok`, so that a failed commit is not
    /// repeated: if only the reply was lost, the commit has succeeded.
    pub(crate) async fn patiently<T, W: Future<Output = Result<T, sqlx::Error>>>(
        &self,
        work: impl Fn() -> W,
    ) -> Result<T, sqlx::Error> {
        let begin = Instant::now();
        let attempts = async {
            for pause in RETRIES {
                match work().await {
                    // A first attempt that has already used up the time limit is not repeated.
                    Err(error)
                        if StoreError::may_pass(self.kind, &error)
                            && begin.elapsed() < PATIENCE =>
                    {
                        sleep(pause).await;
                    }
                    result => return result,
                }
            }
            work().await
        };
        reporting(&self.place, self.kind, &self.reporter, attempts).await
    }

    /// Runs `work` in a write transaction. Like [`Session::patiently`], repeats both after a
    /// transient error, even if only the commit failed.
    ///
    /// `work` is `AsyncFnOnce + Copy`, because the compiler does not recognize the future of an
    /// `AsyncFn` as `Send`.
    pub(crate) async fn transact<T>(
        &self,
        work: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, sqlx::Error> + Copy,
    ) -> Result<T, sqlx::Error> {
        self.patiently(|| async { self.attempt(work).await.flatten() })
            .await
    }

    /// Like [`transact`](Self::transact), for work that must not run twice: it is not repeated
    /// after its commit failed.
    pub(crate) async fn transact_once<T>(
        &self,
        work: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, sqlx::Error> + Copy,
    ) -> Result<T, sqlx::Error> {
        self.patiently(|| self.attempt(work)).await.flatten()
    }

    /// Runs one transaction. The inner result is that of its commit. The future must not be dropped
    /// before it ends, because the transaction would stay open.
    ///
    /// This does not use `sqlx::Transaction`, because SQLite rolls back some transactions by
    /// itself, for example on a full disk. The `ROLLBACK` of sqlx then fails, and sqlx refuses all
    /// later transactions on this connection, because it still counts the first one as open.
    async fn attempt<T>(
        &self,
        work: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, sqlx::Error>,
    ) -> Result<Result<T, sqlx::Error>, sqlx::Error> {
        let mut connection = self.pool.acquire().await?;
        connection.execute(self.kind.begin()).await?;
        let result = match work(&mut connection).await {
            Ok(value) => Ok(connection.execute("COMMIT").await.map(|_| value)),
            Err(error) => Err(error),
        };
        if !matches!(result, Ok(Ok(_))) {
            // A failed commit may leave its transaction open. If it does not, this statement fails
            // without effect.
            let _ = connection.execute("ROLLBACK").await;
        }
        result
    }

    /// Converts an error of the database into one for the user; `doing` completes "the store could
    /// not …".
    pub(crate) fn failed(&self, doing: &'static str) -> impl Fn(sqlx::Error) -> StoreError + '_ {
        move |error| StoreError::from_sqlx(&self.place, self.kind, doing, &error)
    }
}

/// An open database, and the runtime of its connections.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) session: Session,
    runtime: Runtime,
}

impl Database {
    pub(crate) fn open(
        place: &Location,
        access: Access,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self, StoreError> {
        install_default_drivers();
        let kind = match place {
            Location::File(_) => Kind::Sqlite,
            Location::Server(_) => Kind::Postgres,
        };
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store")
            .enable_all()
            .build()
            .map_err(|error| place.cannot_open(&error))?;
        let url = place.url()?;
        if let Location::File(path) = place
            && let Ok(found) = fs::metadata(path)
            && !found.is_file()
        {
            let reason = if found.is_dir() {
                "it is a folder"
            } else {
                "it is no regular file"
            };
            return Err(place.cannot_open(&reason));
        }
        let missing = || StoreError::Missing {
            place: place.to_string(),
        };
        if let Location::File(path) = place {
            match access {
                Access::Write => create_private(path),
                Access::Read if !path.exists() => return Err(missing()),
                Access::Read => {}
            }
            check_magic(path, place, access)?;
        }
        let open = async {
            // Check the file before any setting is changed, so that a file of another program stays
            // untouched.
            if let Location::File(path) = place
                && fs::metadata(path).is_ok_and(|meta| meta.len() > 0)
            {
                look_at(path, place, &url).await?;
            }
            if kind == Kind::Postgres {
                // A single connection fails at once, whereas the pool would retry for a minute, as
                // for a server restart.
                let connection = AnyConnection::connect(&url)
                    .await
                    .map_err(|error| cannot_connect(place, &error))?;
                let _ = connection.close().await;
            }
            let pool = connect(place, kind, &url).await?;
            let mut connection = pool
                .acquire()
                .await
                .map_err(|error| cannot_connect(place, &error))?;
            // A wrong name must not create tables in the database of another program.
            if access == Access::Read
                && schema::tables(&mut connection, place, kind).await? == Tables::None
            {
                return Err(missing());
            }
            schema::set_up(&mut connection, place, kind).await?;
            if kind == Kind::Sqlite && access == Access::Write {
                // Report a read-only file now rather than after an hour of searching. SQLite
                // silently opens an unwritable file read-only, and even `BEGIN IMMEDIATE` succeeds
                // then, so execute a write.
                let failed = |error| StoreError::from_sqlx(place, kind, "be written to", &error);
                let write = "BEGIN IMMEDIATE; UPDATE centipawn_store \
                     SET version = version; ROLLBACK";
                connection.execute(write).await.map_err(failed)?;
            }
            drop(connection);
            Ok(pool)
        };
        let opened = runtime.block_on(reporting(place, kind, &reporter, open));
        let pool = match opened {
            Err(StoreError::ReadOnly { .. } | StoreError::CannotOpen { .. })
                if access == Access::Read && kind == Kind::Sqlite =>
            {
                runtime.block_on(open_immutable(place, &url))?
            }
            opened => opened?,
        };
        Ok(Self {
            session: Session {
                place: place.clone(),
                kind,
                pool,
                reporter,
            },
            runtime,
        })
    }

    /// Runs `work` to its end. Work that may wait long reports its waits itself.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // When the last connection closes, SQLite merges its log into the database file.
        self.runtime.block_on(self.session.pool.close());
    }
}

/// Creates the file with permissions for its owner only, if it does not exist. SQLite gives the
/// files beside it the same permissions. An error here also occurs in SQLite, which then reports
/// the reason.
fn create_private(path: &Path) {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.write(true).create_new(true).open(path);
}

/// Refuses files that are not databases. SQLite itself treats a file of a few bytes as an empty
/// database.
fn check_magic(path: &Path, place: &Location, access: Access) -> Result<(), StoreError> {
    let mut head = Vec::new();
    let is_there = File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head))
        .is_ok();
    let reason = match head.as_slice() {
        _ if !is_there => return Ok(()),
        // An empty file becomes a new store, for example one created by `mktemp`.
        [] if access == Access::Write => return Ok(()),
        [] => "it is empty",
        head if head == MAGIC => return Ok(()),
        _ => "file is not a database",
    };
    Err(StoreError::NotAStore {
        place: place.to_string(),
        reason: reason.to_owned(),
    })
}

/// Opens a store on a read-only disk, where SQLite cannot even create its lock files. This is only
/// possible without a log.
async fn open_immutable(place: &Location, url: &str) -> Result<AnyPool, StoreError> {
    if let Location::File(path) = place
        && let log = beside(path, "-wal")
        && fs::metadata(&log).is_ok_and(|meta| meta.len() > 0)
    {
        // Refuse the file, because SQLite would ignore the log and the rows in it.
        let reason = format!(
            "the changes in {} must be merged into it first",
            log.display()
        );
        return Err(StoreError::ReadOnly {
            place: place.to_string(),
            reason,
        });
    }
    let url = url.replace("mode=rwc", "mode=ro&immutable=1");
    let options = AnyPoolOptions::new()
        .max_connections(CONNECTIONS)
        .idle_timeout(None)
        .max_lifetime(None);
    let failed =
        |error: sqlx::Error| StoreError::from_sqlx(place, Kind::Sqlite, "be opened", &error);
    let pool = options.connect(&url).await.map_err(failed)?;
    let mut connection = pool.acquire().await.map_err(failed)?;
    let shown = || place.to_string();
    match schema::tables(&mut connection, place, Kind::Sqlite).await? {
        Tables::Current => {}
        Tables::None => {
            return Err(StoreError::NotAStore {
                place: shown(),
                reason: "it has no tables".to_owned(),
            });
        }
        Tables::Earlier(version) => {
            let reason = format!(
                "it has the tables of version {version}; copy it to where it can be written, and open it once"
            );
            return Err(StoreError::ReadOnly {
                place: shown(),
                reason,
            });
        }
    }
    drop(connection);
    Ok(pool)
}

/// Returns the path of a file beside a database: `ending` is appended to its name.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Refuses a file that is a database of another program or of a newer version.
async fn look_at(path: &Path, place: &Location, url: &str) -> Result<(), StoreError> {
    // These files contain the unfinished write of a killed process. SQLite must write to recover
    // from it, so the file cannot be opened read-only.
    let is_log_there = ["-wal", "-journal"]
        .iter()
        .any(|ending| beside(path, ending).exists());
    let url = if is_log_there {
        url.to_owned()
    } else {
        url.replace("mode=rwc", "mode=ro")
    };
    let mut connection = AnyConnection::connect(&url)
        .await
        .map_err(|error| StoreError::from_sqlx(place, Kind::Sqlite, "be opened", &error))?;
    let found = schema::tables(&mut connection, place, Kind::Sqlite).await;
    let _ = connection.close().await;
    found.map(|_| ())
}

async fn connect(place: &Location, kind: Kind, url: &str) -> Result<AnyPool, StoreError> {
    let options = AnyPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(PATIENCE)
        .idle_timeout(None)
        .max_lifetime(None)
        // For a file, a test query before each query would take longer than the query.
        .test_before_acquire(kind == Kind::Postgres);
    let options = match kind {
        Kind::Postgres => options,
        Kind::Sqlite => options.after_connect(|connection, _| {
            Box::pin(async move {
                let patience = PATIENCE.as_millis();
                // FULL: committed rows survive a power failure. The page size applies to new files
                // only. The log is truncated to its size limit after it is merged into the file.
                let pragmas = format!(
                    "PRAGMA busy_timeout = {patience}; PRAGMA page_size = 8192; PRAGMA \
                     journal_mode = WAL; \
                     PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; PRAGMA \
                     cache_size = -65536; \
                     PRAGMA temp_store = MEMORY"
                );
                connection
                    .execute(sqlx::AssertSqlSafe(pragmas))
                    .await
                    .map(|_| ())
            })
        }),
    };
    options
        .connect(url)
        .await
        .map_err(|error| match (kind, &error) {
            (Kind::Sqlite, sqlx::Error::Database(_)) => {
                StoreError::from_sqlx(place, kind, "be opened", &error)
            }
            _ => cannot_connect(place, &error),
        })
}

/// Converts a connection error. A server's error is reduced to its message, because sqlx adds the
/// line number of the server's source code.
pub(crate) fn cannot_connect(place: &Location, error: &sqlx::Error) -> StoreError {
    match error.as_database_error() {
        Some(database) => place.cannot_open(&server_message(
            database.message(),
            database.code().as_deref(),
        )),
        None => place.cannot_open(error),
    }
}
