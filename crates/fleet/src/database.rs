//! The connection to the fleet's database, with a blocking interface.

use std::{
    fmt,
    str::FromStr as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use centipawn_progress::{Cancel, Problem, Reporter};
use centipawn_store::Location;
use sqlx::{
    PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
    query::Query,
};
use tokio::{
    runtime::{Builder, Runtime},
    time::{error::Elapsed, sleep, timeout},
};

use crate::{
    FleetError,
    error::{is_denied, may_pass, words},
    pulse::Pulse,
    schema::{self, QueueLibrary},
};

/// A transaction that takes longer than this is given up, because its connection is probably lost.
const TRANSACTION: Duration = Duration::from_secs(60);

/// Starts a transaction. The server must give up too when this process does, so that no lost
/// transaction keeps its locks: a statement ends before [`TRANSACTION`], and so does a transaction
/// whose client is gone.
const BEGIN: &str = "BEGIN; SET LOCAL statement_timeout = '55s'; \
     SET LOCAL idle_in_transaction_session_timeout = '60s'";

/// Time limit for the repair of a run, which reads all of its tasks and answers.
const LONG_TRANSACTION: Duration = Duration::from_secs(6 * 3600);
const BEGIN_LONG: &str = "BEGIN; SET LOCAL statement_timeout = 0; \
     SET LOCAL idle_in_transaction_session_timeout = 0";

/// Time limit for a running transaction after a request to end.
const LAST: Duration = Duration::from_millis(1500);

/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// Interval between checks for a request to end.
const TICK: Duration = Duration::from_millis(50);

/// Time after which a failing request is reported as a problem.
const LONG: Duration = Duration::from_secs(5);

/// For how long an interactive command retries, and a process that is ending.
const BRIEF: Duration = Duration::from_secs(15);
const PARTING: Duration = Duration::from_secs(3);

/// Pauses between attempts; the last pause repeats.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// For how long a request is retried while the database is unreachable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience<'a> {
    /// Retry for [`BRIEF`].
    Brief,
    /// Retry for [`PARTING`], for the last requests of a process that is ending.
    Parting,
    /// Retry for [`BRIEF`], but a single transaction may take hours.
    Long,
    /// Until the cancel is set.
    Until(&'a Cancel),
    /// Until the cancel is set. Errors of permission or password are retried too, because a worker
    /// must not lose its tasks if its rights are revoked for a moment.
    Holding(&'a Cancel),
}

impl Patience<'_> {
    fn cancel(&self) -> Option<&Cancel> {
        match self {
            Patience::Until(cancel) | Patience::Holding(cancel) => Some(cancel),
            Patience::Brief | Patience::Parting | Patience::Long => None,
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel().is_some_and(Cancel::is_set)
    }

    /// Returns whether another attempt can succeed.
    fn retries(&self, error: &sqlx::Error) -> bool {
        may_pass(error) || matches!(self, Patience::Holding(_)) && is_denied(error)
    }
}

/// A fleet: runs, workers and answers in a PostgreSQL database.
///
/// Any number of processes may use it at the same time. All functions block, and reconnect after a
/// lost connection.
pub struct Fleet {
    place: Location,
    pool: PgPool,
    runtime: Runtime,
    /// The application name of this process's sessions, by which it finds and cancels its own
    /// statements.
    sessions: String,
    reporter: Arc<dyn Reporter>,
    /// Whether it was reported that the database is unreachable, so that several threads report it
    /// once.
    is_lost: AtomicBool,
    pulse: Arc<Pulse>,
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl Fleet {
    /// Opens a fleet that was [set up](Self::setup), with at most `connections` connections.
    ///
    /// # Errors
    ///
    /// [`FleetError::NotSetUp`] or [`FleetError::Newer`] for the tables. If the server cannot be
    /// reached, it fails at once with [`FleetError::Unreachable`], because the address may be
    /// wrong.
    pub fn open(
        place: &Location,
        connections: u32,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self, FleetError> {
        let fleet = Self::connect(place, connections, reporter)?;
        fleet.try_once()?;
        fleet.check_version(Patience::Brief)?;
        Ok(fleet)
    }

    /// Like [`open`](Self::open), but waits for the server and for the fleet's tables until
    /// `cancel` is set, because a worker may start before them.
    ///
    /// # Errors
    ///
    /// [`FleetError::Cancelled`] after a cancel, and errors that waiting does not resolve.
    pub fn wait_for(
        place: &Location,
        connections: u32,
        reporter: Arc<dyn Reporter>,
        cancel: &Cancel,
    ) -> Result<Self, FleetError> {
        let fleet = Self::connect(place, connections, reporter)?;
        let mut is_reported = false;
        loop {
            match fleet.check_version(Patience::Until(cancel)) {
                Err(FleetError::NotSetUp { .. }) if cancel.is_set() => {
                    return Err(FleetError::Cancelled);
                }
                Err(error @ FleetError::NotSetUp { .. }) => {
                    if !std::mem::replace(&mut is_reported, true) {
                        fleet
                            .reporter
                            .problem(&Problem::warning(format_args!("{error}; waiting for that")));
                    }
                    cancel.wait(Duration::from_secs(2));
                }
                checked => return checked.map(|()| fleet),
            }
        }
    }

    /// Like [`wait_for`](Self::wait_for), but missing tables are an error.
    ///
    /// # Errors
    ///
    /// [`FleetError::NotSetUp`] without tables, [`FleetError::Cancelled`] after a cancel, and
    /// errors that waiting does not resolve.
    pub fn wait_for_server(
        place: &Location,
        connections: u32,
        reporter: Arc<dyn Reporter>,
        cancel: &Cancel,
    ) -> Result<Self, FleetError> {
        let fleet = Self::connect(place, connections, reporter)?;
        fleet.check_version(Patience::Until(cancel))?;
        Ok(fleet)
    }

    /// Creates the fleet's tables if they do not exist. `worker_roles` may then call the functions
    /// for workers, but read no table. `monitor_roles` may read the state of runs and workers, but
    /// neither games nor answers.
    ///
    /// # Errors
    ///
    /// [`FleetError::NoRole`] for a role that does not exist, [`FleetError::Denied`] without the
    /// right to create tables, and errors of the connection.
    pub fn setup(
        place: &Location,
        worker_roles: &[String],
        monitor_roles: &[String],
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self, FleetError> {
        let fleet = Self::connect(place, 2, reporter)?;
        fleet.try_once()?;
        schema::set_up(&fleet, worker_roles, monitor_roles)?;
        Ok(fleet)
    }

    /// Returns the location of the database.
    pub fn place(&self) -> &Location {
        &self.place
    }

    pub(crate) fn pulse(&self) -> &Arc<Pulse> {
        &self.pulse
    }

    pub(crate) fn reporter(&self) -> &Arc<dyn Reporter> {
        &self.reporter
    }

    fn connect(
        place: &Location,
        connections: u32,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self, FleetError> {
        let Location::Server(_) = place else {
            return Err(FleetError::NotAServer {
                place: place.to_string(),
            });
        };
        let unreachable = |reason: String| FleetError::Unreachable {
            place: place.to_string(),
            reason,
        };
        let options = PgConnectOptions::from_str(&place.url()?)
            .map_err(|error| unreachable(error.to_string()))?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("fleet")
            .enable_all()
            .build()
            .map_err(|error| unreachable(error.to_string()))?;
        let started = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let sessions = format!("centipawn {}-{}", std::process::id(), started.as_nanos());
        // Prepared statements would outlive their transaction. A pooler such as PgBouncer may
        // continue in another session, which does not have them.
        let options = options
            .statement_cache_capacity(0)
            .application_name(&sessions);
        let pool = {
            let _context = runtime.enter();
            PgPoolOptions::new()
                .max_connections(connections)
                .acquire_timeout(CONNECT)
                // No test query is needed: a lost connection is noticed by its first statement, and
                // then the transaction is repeated.
                .test_before_acquire(false)
                .connect_lazy_with(options)
        };
        Ok(Self {
            place: place.clone(),
            pool,
            runtime,
            sessions,
            reporter,
            is_lost: AtomicBool::new(false),
            pulse: Arc::default(),
        })
    }

    /// Tries once, so that a wrong address is reported at once.
    fn try_once(&self) -> Result<(), FleetError> {
        let options = self.pool.connect_options();
        let attempt = async {
            let connection = timeout(CONNECT, sqlx::ConnectOptions::connect(&*options));
            match connection.await {
                Ok(Ok(connection)) => sqlx::Connection::close(connection).await,
                Ok(Err(error)) => Err(error),
                Err(_) => Err(sqlx::Error::PoolTimedOut),
            }
        };
        self.runtime.block_on(attempt).map_err(|error| {
            let reason = match &error {
                sqlx::Error::Database(database) => words(&**database),
                sqlx::Error::PoolTimedOut => {
                    format!("no answer within {} seconds", CONNECT.as_secs())
                }
                other => other.to_string(),
            };
            FleetError::Unreachable {
                place: self.place.to_string(),
                reason,
            }
        })
    }

    fn check_version(&self, patience: Patience<'_>) -> Result<(), FleetError> {
        schema::check(
            &self.place,
            self.transact("be read", patience, async |connection| {
                schema::version(connection).await
            })?,
        )
    }

    /// Runs `work` in one transaction. The transaction is repeated while the database is
    /// unreachable, even if only the reply to its commit was lost. So `work` must be idempotent.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "closures are written where they are used"
    )]
    pub(crate) fn transact<T>(
        &self,
        doing: &'static str,
        patience: Patience<'_>,
        work: impl AsyncFn(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, FleetError> {
        let begin = Instant::now();
        let mut complained = false;
        let result = self.runtime.block_on(async {
            for attempt in 0.. {
                let error = match self.limited(patience, self.attempt(patience, &work)).await {
                    Ok(Ok(value)) => {
                        self.pulse.answers();
                        return Ok(value);
                    }
                    Ok(Err(error)) if !patience.retries(&error) => {
                        return Err(FleetError::from_sqlx(&self.place, doing, &error));
                    }
                    Ok(Err(error)) => error,
                    Err(_) => {
                        self.cancel_statements().await;
                        sqlx::Error::PoolTimedOut
                    }
                };
                self.pulse.fails();
                let is_over = match patience {
                    Patience::Brief | Patience::Long => begin.elapsed() > BRIEF,
                    Patience::Parting => begin.elapsed() > PARTING,
                    Patience::Until(_) | Patience::Holding(_) if patience.is_cancelled() => {
                        return Err(FleetError::Cancelled);
                    }
                    Patience::Until(_) | Patience::Holding(_) => false,
                };
                if is_over {
                    return Err(FleetError::from_sqlx(&self.place, doing, &error));
                }
                if begin.elapsed() > LONG && !self.is_lost.swap(true, Ordering::Relaxed) {
                    complained = true;
                    self.reporter.problem(&Problem::warning(match &error {
                        sqlx::Error::Database(database) => {
                            format!(
                                "the fleet at {} cannot {doing} now ({}); trying again",
                                self.place,
                                words(&**database)
                            )
                        }
                        error => format!(
                            "the fleet at {} does not answer ({error}); waiting for it",
                            self.place
                        ),
                    }));
                }
                self.pause(PAUSES[attempt.min(PAUSES.len() - 1)], patience)
                    .await;
            }
            Err(FleetError::Cancelled)
        });
        // Only the request that was reported ends the report. Other requests may succeed in the
        // meantime, which does not mean that this one can.
        if complained {
            self.is_lost.store(false, Ordering::Relaxed);
            if result.is_ok() {
                self.reporter.problem(&Problem::warning(format_args!(
                    "the fleet at {} answers again",
                    self.place
                )));
            }
        }
        result
    }

    async fn pause(&self, pause: Duration, patience: Patience<'_>) {
        let end = Instant::now() + pause;
        while Instant::now() < end && !patience.is_cancelled() {
            sleep(TICK.min(end.saturating_duration_since(Instant::now()))).await;
        }
    }

    /// Waits for an attempt, up to the time limit of `patience`. After a request to end, waits at
    /// most [`LAST`].
    async fn limited<T>(
        &self,
        patience: Patience<'_>,
        attempt: impl Future<Output = T>,
    ) -> Result<T, Elapsed> {
        let longest = match patience {
            Patience::Parting => PARTING,
            Patience::Long => LONG_TRANSACTION,
            Patience::Brief | Patience::Until(_) | Patience::Holding(_) => TRANSACTION,
        };
        let mut attempt = std::pin::pin!(timeout(longest, attempt));
        let mut cancelled: Option<Instant> = None;
        loop {
            match timeout(TICK, attempt.as_mut()).await {
                Ok(ended) => return ended,
                Err(elapsed) if patience.is_cancelled() => {
                    if cancelled.get_or_insert_with(Instant::now).elapsed() > LAST {
                        return Err(elapsed);
                    }
                }
                Err(_) => {}
            }
        }
    }

    async fn attempt<T>(
        &self,
        patience: Patience<'_>,
        work: &impl AsyncFn(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, sqlx::Error> {
        let begin = if matches!(patience, Patience::Long) {
            BEGIN_LONG
        } else {
            BEGIN
        };
        let mut transaction = self.pool.begin_with(begin).await?;
        let value = work(&mut transaction).await?;
        transaction.commit().await?;
        Ok(value)
    }

    /// Asks the server to cancel the statements that this process no longer waits for. This request
    /// itself is not waited for long.
    async fn cancel_statements(&self) {
        let cancel = async {
            let mut connection =
                sqlx::ConnectOptions::connect(&*self.pool.connect_options()).await?;
            sql(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = $1 \
                 AND pid <> pg_backend_pid() \
                 AND state = 'active' AND query_start < now() - interval '1 second'",
            )
            .bind(&self.sessions)
            .execute(&mut connection)
            .await?;
            sqlx::Connection::close(connection).await
        };
        // Ignore the error: if this request fails, the timeout of the statement ends it.
        let _ = timeout(LAST, cancel).await;
    }

    /// Installs pgmq if it is missing: as an extension if the server offers a sufficiently new one,
    /// otherwise from the copy in the crate `pgmq`.
    pub(crate) fn install_queue(&self) -> Result<(), FleetError> {
        let failed = |reason: String| FleetError::Failed {
            place: self.place.to_string(),
            doing: "install pgmq",
            reason,
        };
        let found = self.transact("be read", Patience::Brief, async |connection| {
            schema::queue_library(connection).await
        })?;
        let queues = self
            .runtime
            .block_on(pgmq::PGMQueueExt::new_with_pool(self.pool.clone()));
        let install = async {
            match found {
                QueueLibrary::Extension => queues.init().await.map(drop),
                QueueLibrary::Own => queues.install_sql_from_embedded().await,
                QueueLibrary::Foreign => Ok(()),
            }
        };
        let installed = self
            .runtime
            .block_on(async { timeout(TRANSACTION, install).await });
        match installed {
            Ok(Ok(())) => Ok(()),
            Ok(Err(pgmq::PgmqError::DatabaseError(error))) => {
                Err(FleetError::from_sqlx(&self.place, "install pgmq", &error))
            }
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed(format!(
                "no answer within {} seconds",
                TRANSACTION.as_secs()
            ))),
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // Do not wait longer: the server closes sessions that do not close in time.
        let _ = self
            .runtime
            .block_on(async { timeout(Duration::from_secs(1), self.pool.close()).await });
    }
}

/// Returns a statement that the server does not keep as prepared statement.
pub(crate) fn sql(
    text: &'static str,
) -> Query<'static, sqlx::Postgres, sqlx::postgres::PgArguments> {
    sqlx::query(text).persistent(false)
}
