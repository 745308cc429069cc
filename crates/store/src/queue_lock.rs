//! The lock of a store's queue. Only one server at a time works on the jobs of a store.

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

/// Locks the queue until the connection ends. The key of the lock contains the object number of the
/// store's table, because a database may have a store in each of its schemas. The first number is
/// arbitrary; other programs on the server are unlikely to use it.
const LOCK: &str = "SELECT pg_try_advisory_lock(435609122, 'centipawn_store'::regclass::oid::int)";
/// A `DO` block, because sqlx does not support the type `void` that the function returns.
const UNLOCK: &str = "DO $$ BEGIN PERFORM pg_advisory_unlock_all(); END $$";

/// Number of attempts before the lock counts as taken. A PostgreSQL server needs a moment to notice
/// that the connection of a killed program is closed.
const ATTEMPTS: usize = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(200);

/// Interval between checks of the connection.
const CHECKED: Duration = Duration::from_secs(5);
/// A server that does not answer a check within this time counts as unreachable.
const ANSWERED: Duration = Duration::from_secs(30);
/// Time limit for unlocking, so that an unreachable server does not delay the end of the program.
const UNLOCKED: Duration = Duration::from_secs(2);

/// The right to work on the jobs of a [`Store`]. Only one program has it at a time; other programs
/// can do everything else with the store. It ends when this value is dropped, and when the program
/// ends, even if it is killed.
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

/// A connection that holds a lock on a PostgreSQL server.
#[derive(Debug)]
struct LockSession {
    end: Option<oneshot::Sender<()>>,
    ended: mpsc::Receiver<()>,
}

impl Store {
    /// Acquires the right to work on the jobs of this store.
    ///
    /// # Errors
    ///
    /// [`StoreError::QueueTaken`] if another server has it, and other [`StoreError`]s if the lock
    /// cannot be created.
    pub fn lock_queue(&self) -> Result<QueueLock, StoreError> {
        let place = &self.database.session.place;
        let held = match place {
            Location::File(path) => Held::File {
                _locked: lock_beside(place, path)?,
            },
            Location::Server(_) => Held::Server {
                _session: self.lock_on_server(place)?,
            },
        };
        Ok(QueueLock { _held: held })
    }

    fn lock_on_server(&self, place: &Location) -> Result<LockSession, StoreError> {
        let url = place.url()?;
        let connection = self.database.block_on(lock_patiently(place, &url))?;
        let ((end, is_over), (sender, ended)) = (oneshot::channel(), mpsc::channel());
        self.database.spawn(keep(url, connection, is_over, sender));
        Ok(LockSession {
            end: Some(end),
            ended,
        })
    }
}

fn taken(place: &Location) -> StoreError {
    StoreError::QueueTaken {
        place: place.to_string(),
    }
}

/// Locks a file beside an SQLite file. The file is never removed: otherwise a server that has just
/// opened it would lock a file that the next server does not find.
fn lock_beside(place: &Location, path: &Path) -> Result<File, StoreError> {
    let failed = |path: &Path, error: io::Error| StoreError::ReadOnly {
        place: place.to_string(),
        reason: format!("{}: {error}", path.display()),
    };
    // Two servers may use different links to the same store.
    let path = fs::canonicalize(path).map_err(|error| failed(path, error))?;
    let mut options = OpenOptions::new();
    // The lock file gets the permissions of the store, as SQLite's own files do: every user who may
    // write the store may also lock its queue.
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

/// Opens a connection that holds the lock; `None` if another one holds it.
async fn lock(url: &str) -> Result<Option<AnyConnection>, sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    let is_locked: bool = sqlx::query(LOCK)
        .fetch_one(&mut connection)
        .await?
        .try_get(0)?;
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
                return Err(StoreError::from_sqlx(
                    place,
                    Kind::Postgres,
                    "lock its queue",
                    &error,
                ));
            }
            Err(error) => return Err(cannot_connect(place, &error)),
        }
    }
    Err(taken(place))
}

/// Keeps the lock until `end`. Acquires it again after the connection was lost, for example because
/// the PostgreSQL server was restarted.
///
/// The work continues without the lock, because the lock only prevents a second server from being
/// started by mistake. A server that starts within these seconds gets the lock. Then both work on
/// the same jobs: some positions are searched twice, with the same answers, and all rows stay
/// valid, because each change of the store is a transaction. This program tries to acquire the lock
/// until the other server ends.
async fn keep(
    url: String,
    connection: AnyConnection,
    mut end: oneshot::Receiver<()>,
    _ended: mpsc::Sender<()>,
) {
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
        // Unlock explicitly, because the next server may try before PostgreSQL notices that this
        // connection is closed.
        let _ = connection.execute(UNLOCK).await;
        let _ = connection.close().await;
    }
}

impl Drop for LockSession {
    fn drop(&mut self) {
        drop(self.end.take());
        // The task drops the sender after it has released the lock, or if the task no longer runs.
        let _ = self.ended.recv_timeout(UNLOCKED);
    }
}
