//! The lock of a store's queue: one server at a time works on the jobs of a store.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::Path,
    sync::mpsc,
    time::Duration,
};

use sqlx::{AnyConnection, Connection as _, Executor as _, Row as _};
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};

use crate::{
    Location, Store, StoreError,
    database::{Kind, beside, cannot_connect},
};

/// Locks the queue until the connection ends. The row of the table in the server's catalogue
/// stands for the store, because a database may have a store in each of its schemas. The first
/// number is arbitrary; other programs on the server are unlikely to lock it.
const LOCK: &str = "SELECT pg_try_advisory_lock(435609122, 'centipawn_store'::regclass::oid::int)";
/// A block, because sqlx cannot read the type of the function's result.
const UNLOCK: &str = "DO $$ BEGIN PERFORM pg_advisory_unlock_all(); END $$";

/// Attempts before the lock counts as taken. A PostgreSQL server needs a moment to notice that the
/// connection of a killed program is closed.
const ATTEMPTS: usize = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(200);

/// The time between checks of the connection.
const CHECKED: Duration = Duration::from_secs(5);
/// A server that does not answer a check in this time counts as gone.
const ANSWERED: Duration = Duration::from_secs(30);
/// A server that does not answer does not delay the end of the program for longer.
const UNLOCKED: Duration = Duration::from_secs(2);

/// The right to work on the jobs of a [`Store`], which one program has at a time. The others can
/// do everything else with the store. It ends when the value is dropped, and when the program
/// ends, even if it was killed.
#[derive(Debug)]
pub struct QueueLock {
    _held: Held,
}

#[derive(Debug)]
enum Held {
    /// The system releases the lock when the file is closed.
    File {
        _locked: File,
    },
    Server {
        _session: LockSession,
    },
}

/// A connection that has a lock on a PostgreSQL server.
#[derive(Debug)]
struct LockSession {
    end: Option<oneshot::Sender<()>>,
    ended: mpsc::Receiver<()>,
}

impl Store {
    /// Takes the right to work on the jobs of this store.
    ///
    /// # Errors
    ///
    /// [`StoreError::QueueTaken`] if another server has it, [`StoreError`] if the lock cannot be
    /// made.
    pub fn lock_queue(&self) -> Result<QueueLock, StoreError> {
        let place = &self.database.session.place;
        let held = match place {
            Location::File(path) => Held::File { _locked: lock_beside(place, path)? },
            Location::Server(_) => Held::Server { _session: self.lock_on_server(place)? },
        };
        Ok(QueueLock { _held: held })
    }

    fn lock_on_server(&self, place: &Location) -> Result<LockSession, StoreError> {
        let url = place.url()?;
        let connection = self.database.block_on(lock_patiently(place, &url))?;
        let ((end, is_over), (sender, ended)) = (oneshot::channel(), mpsc::channel());
        self.database.spawn(keep(url, connection, is_over, sender));
        Ok(LockSession { end: Some(end), ended })
    }
}

fn taken(place: &Location) -> StoreError {
    StoreError::QueueTaken { place: place.to_string() }
}

/// Locks a file beside an SQLite file. It is never removed: a server that has just opened it
/// would then lock a file that the next server does not find.
fn lock_beside(place: &Location, path: &Path) -> Result<File, StoreError> {
    let failed = |path: &Path, error: io::Error| StoreError::ReadOnly {
        place: place.to_string(),
        reason: format!("{}: {error}", path.display()),
    };
    // Two servers may name one store by different links.
    let path = fs::canonicalize(path).map_err(|error| failed(path, error))?;
    let mut options = OpenOptions::new();
    // As SQLite does for its own files: who may write the store may also lock its queue.
    #[cfg(unix)]
    if let Ok(store) = fs::metadata(&path) {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        options.mode(store.permissions().mode() & 0o777);
    }
    let path = beside(&path, ".queue");
    let file = options.write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| failed(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(taken(place)),
        Err(TryLockError::Error(error)) => Err(failed(&path, error)),
    }
}

/// A new connection with the lock; `None` if another one has it.
async fn lock(url: &str) -> Result<Option<AnyConnection>, sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    let is_locked: bool = sqlx::query(LOCK).fetch_one(&mut connection).await?.try_get(0)?;
    if is_locked {
        return Ok(Some(connection));
    }
    connection.close().await?;
    Ok(None)
}

async fn lock_patiently(place: &Location, url: &str) -> Result<AnyConnection, StoreError> {
    for attempt in 1.. {
        match lock(url).await {
            Ok(Some(connection)) => return Ok(connection),
            Ok(None) if attempt < ATTEMPTS => sleep(BETWEEN_ATTEMPTS).await,
            Ok(None) => break,
            Err(error @ sqlx::Error::Database(_)) => {
                return Err(StoreError::from_sqlx(place, Kind::Postgres, "lock its queue", &error));
            }
            Err(error) => return Err(cannot_connect(place, &error)),
        }
    }
    Err(taken(place))
}

/// Keeps the lock until `end`, and takes it again after the connection broke, as when the
/// PostgreSQL server restarts.
///
/// Work goes on meanwhile, because the lock only prevents that a second server is started by
/// mistake. One that starts in the seconds until the lock is taken again gets it. Then both work on
/// the same jobs: some positions are searched twice, with the same answers, and every row stays
/// whole, because each change of the store is a transaction. The lock is asked for until the
/// other server ends.
async fn keep(url: String, connection: AnyConnection, mut end: oneshot::Receiver<()>, _ended: mpsc::Sender<()>) {
    let mut held = Some(connection);
    while timeout(CHECKED, &mut end).await.is_err() {
        let before = held.take();
        let check = async {
            if let Some(mut connection) = before
                && connection.ping().await.is_ok()
            {
                return Some(connection);
            }
            lock(&url).await.ok().flatten()
        };
        let checked = timeout(ANSWERED, check).await;
        held = checked.ok().flatten();
    }
    if let Some(mut connection) = held {
        // The next server may ask before this one notices that the connection is closed.
        let _ = connection.execute(UNLOCK).await;
        let _ = connection.close().await;
    }
}

impl Drop for LockSession {
    fn drop(&mut self) {
        drop(self.end.take());
        // The sender is dropped when the lock is released, or if the task does not run any more.
        let _ = self.ended.recv_timeout(UNLOCKED);
    }
}
