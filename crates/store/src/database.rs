//! The connection to a database, for callers that block.

use std::{fs, future::Future, path::Path, time::Duration};

use sqlx::{
    AnyConnection, AnyPool, Connection as _, Executor as _,
    any::{AnyPoolOptions, install_default_drivers},
};
use tokio::{
    runtime::{Builder, Runtime},
    time::sleep,
};

use crate::{Location, StoreError, schema};

/// The greatest number of connections: one writes, the others read.
const CONNECTIONS: u32 = 5;

/// The timeout for a connection, and for another process that writes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    /// Whether this build has its driver.
    fn is_built(self) -> bool {
        match self {
            Kind::Sqlite => cfg!(feature = "sqlite"),
            Kind::Postgres => cfg!(feature = "postgres"),
        }
    }

    /// The feature of this crate that its driver needs.
    fn feature(self) -> &'static str {
        match self {
            Kind::Sqlite => "sqlite",
            Kind::Postgres => "postgres",
        }
    }
}

/// An open database.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) place: Location,
    pub(crate) kind: Kind,
    pub(crate) pool: AnyPool,
}

/// The pauses before further attempts after a transient failure, such as a server restart.
const RETRIES: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(5)];

impl Session {
    /// Runs `work`, and repeats it after a pause if the failure is transient.
    pub(crate) async fn patiently<T, W: Future<Output = Result<T, sqlx::Error>>>(
        &self,
        work: impl Fn() -> W,
    ) -> Result<T, sqlx::Error> {
        for pause in RETRIES {
            match work().await {
                Err(error) if StoreError::may_pass(self.kind, &error) => sleep(pause).await,
                result => return result,
            }
        }
        work().await
    }

    /// Turns an error of the database into one for the user; `doing` completes "the store could not …".
    pub(crate) fn failed(&self, doing: &'static str) -> impl Fn(sqlx::Error) -> StoreError + '_ {
        move |error| StoreError::from_sqlx(&self.place, self.kind, doing, &error)
    }
}

/// An open database, and the runtime on which its connections run.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) session: Session,
    runtime: Runtime,
}

impl Database {
    pub(crate) fn open(place: &Location, migrations: &[&str]) -> Result<Self, StoreError> {
        install_default_drivers();
        let kind = match place {
            Location::File(_) => Kind::Sqlite,
            Location::Server(_) => Kind::Postgres,
        };
        if !kind.is_built() {
            return Err(StoreError::NotBuilt { place: place.to_string(), feature: kind.feature() });
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store")
            .enable_all()
            .build()
            .map_err(|error| place.cannot_open(&error))?;
        let url = place.url()?;
        if let Location::File(path) = place
            && path.is_dir()
        {
            return Err(place.cannot_open(&"it is a folder"));
        }
        let pool = runtime.block_on(async {
            // Checked before any setting is changed, so that a foreign file is left untouched.
            if let Location::File(path) = place
                && fs::metadata(path).is_ok_and(|meta| meta.len() > 0)
            {
                look_at(path, place, &url, migrations.len()).await?;
            }
            if kind == Kind::Postgres {
                // A single connection fails at once, whereas the pool would retry for a minute, as for a server restart.
                let connection = AnyConnection::connect(&url).await.map_err(|error| place.cannot_open(&error))?;
                let _ = connection.close().await;
            }
            let pool = connect(place, kind, &url).await?;
            let mut connection = pool.acquire().await.map_err(|error| place.cannot_open(&error))?;
            schema::migrate(&mut connection, place, kind, migrations).await?;
            if kind == Kind::Sqlite {
                // A file that cannot be written is reported now, not after an hour of searching.
                let failed = |error| StoreError::from_sqlx(place, kind, "be written to", &error);
                connection.execute("BEGIN IMMEDIATE; ROLLBACK").await.map_err(failed)?;
            }
            drop(connection);
            Ok(pool)
        })?;
        Ok(Self { session: Session { place: place.clone(), kind, pool }, runtime })
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // The last connection to close merges SQLite's log into the database file.
        self.runtime.block_on(self.session.pool.close());
    }
}

async fn look_at(path: &Path, place: &Location, url: &str, known: usize) -> Result<(), StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let is_log_there = Path::new(&log).exists();
    let url = if is_log_there { url.to_owned() } else { url.replace("mode=rwc", "mode=ro") };
    let mut connection = AnyConnection::connect(&url)
        .await
        .map_err(|error| StoreError::from_sqlx(place, Kind::Sqlite, "be opened", &error))?;
    let found = schema::version(&mut connection, place, Kind::Sqlite).await;
    let _ = connection.close().await;
    match found? {
        found if found > known as i64 => {
            Err(StoreError::Newer { place: place.to_string(), found, known: known as i64 })
        }
        _ => Ok(()),
    }
}

async fn connect(place: &Location, kind: Kind, url: &str) -> Result<AnyPool, StoreError> {
    let options = AnyPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(PATIENCE)
        .idle_timeout(None)
        .max_lifetime(None)
        // For a file, a ping before each query would take longer than the query.
        .test_before_acquire(kind == Kind::Postgres);
    let options = match kind {
        Kind::Postgres => options,
        Kind::Sqlite => options.after_connect(|connection, _| {
            Box::pin(async move {
                let patience = PATIENCE.as_millis();
                // FULL: committed rows survive a power failure. The page size applies to new files only. The log is truncated to
                // its limit after it is merged into the file.
                let pragmas = format!(
                    "PRAGMA busy_timeout = {patience}; PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; \
                     PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -65536; \
                     PRAGMA temp_store = MEMORY"
                );
                connection.execute(sqlx::AssertSqlSafe(pragmas)).await.map(|_| ())
            })
        }),
    };
    options.connect(url).await.map_err(|error| match (kind, &error) {
        (Kind::Sqlite, sqlx::Error::Database(_)) => StoreError::from_sqlx(place, kind, "be opened", &error),
        _ => place.cannot_open(&error),
    })
}
