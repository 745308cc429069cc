//! The queue from the worker's side: tasks under leases. The queue itself is pgmq's. Database
//! functions (`functions.sql`) call it in the same transaction as all other changes to a task, so
//! that each task is counted exactly once, even if a process crashes. The role of a worker may only
//! call these functions.

use std::time::Duration;

use centipawn_engine::Identity;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, Row as _, postgres::PgRow};

use crate::{
    Fleet, FleetError, RunId,
    database::{Patience, sql},
    run::{TaskGame, unpack_games},
};

/// A registered worker: its number, and the secret that authenticates its requests.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Badge {
    pub(crate) id: i64,
    secret: String,
}

impl std::fmt::Debug for Badge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Badge")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// A task that this worker has leased.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) run: RunId,
    pub(crate) number: i32,
    /// How many times the task has been leased, this time included. Together with the worker it
    /// identifies the lease.
    pub(crate) taken: i32,
    /// Number of workers that crashed during a lease of this task.
    pub(crate) crashes: i32,
    /// Whether the task must be the only one of its process, so that no other task is blamed for a
    /// crash.
    pub(crate) is_alone: bool,
    /// Whether another worker has already done the task. Then the answers are compared, not stored.
    pub(crate) is_double: bool,
    /// The games; `None` if the input is damaged.
    pub(crate) games: Option<Vec<TaskGame>>,
}

/// The reply to a request for a task.
#[derive(Clone, Debug)]
pub(crate) enum Offer {
    /// A leased task.
    Task(Box<Held>),
    /// A run with free tasks. The worker must first decide whether it serves the run.
    Judge(RunId),
    Nothing,
}

/// The part of an open run that a worker needs to decide whether it serves the run.
#[derive(Clone, Debug)]
pub(crate) struct OpenRun {
    pub(crate) format: i32,
    pub(crate) recipe: String,
    pub(crate) need: String,
    pub(crate) proof: String,
}

/// The answers about one game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Document {
    pub(crate) key: Vec<u8>,
    pub(crate) compressed: Vec<u8>,
    /// SHA-256 of the engine's answers without their times, to compare them with another worker's;
    /// `None` if the engine's answers vary.
    digest: Option<Vec<u8>>,
}

impl Document {
    /// `said` is the engine's answers without their times; `None` if they vary.
    pub(crate) fn new(key: Vec<u8>, compressed: Vec<u8>, said: Option<&[u8]>) -> Self {
        Self {
            key,
            compressed,
            digest: said.map(|said| Sha256::digest(said).to_vec()),
        }
    }
}

/// The results of a task, or of a part of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// One document for each finished game.
    pub(crate) documents: Vec<Document>,
    pub(crate) nodes: u64,
    pub(crate) time: Duration,
}

impl Answers {
    fn columns(&self) -> Columns<'_> {
        let column = |of: fn(&Document) -> &[u8]| self.documents.iter().map(of).collect();
        let digests = self
            .documents
            .iter()
            .map(|one| one.digest.as_deref())
            .collect();
        Columns {
            keys: column(|one| &one.key),
            documents: column(|one| &one.compressed),
            digests,
        }
    }
}

/// Answers as arrays of equal length, as SQL expects them.
struct Columns<'a> {
    keys: Vec<&'a [u8]>,
    documents: Vec<&'a [u8]>,
    digests: Vec<Option<&'a [u8]>>,
}

/// The result of comparing a task with the answers of another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Agrees,
    Differs,
    /// The comparison is no longer needed.
    Late,
}

impl Fleet {
    /// Registers this process as a worker.
    pub(crate) fn enlist(
        &self,
        name: &str,
        build: &str,
        engine: &Identity,
        slots: usize,
        patience: Patience<'_>,
    ) -> Result<Badge, FleetError> {
        let engine = serde_json::to_string(engine).unwrap_or_default();
        self.transact("register a worker", patience, async |connection| {
            let row = sql("SELECT worker, secret \
                 FROM centipawn_fleet.enlist($1, $2, $3, CAST($4 AS TEXT)::JSONB, $5)")
            .bind(name)
            .bind(env!("CARGO_PKG_VERSION"))
            .bind(build)
            .bind(&engine)
            .bind(i32::try_from(slots).unwrap_or(i32::MAX))
            .fetch_one(connection)
            .await?;
            Ok(Badge {
                id: row.try_get("worker")?,
                secret: row.try_get("secret")?,
            })
        })
    }

    /// Records that the worker ended in an orderly way, and returns its tasks to the queue.
    pub(crate) fn discharge(
        &self,
        badge: &Badge,
        patience: Patience<'_>,
    ) -> Result<(), FleetError> {
        self.transact("end a worker", patience, async |connection| {
            sql("SELECT centipawn_fleet.discharge($1, $2)")
                .bind(badge.id)
                .bind(&badge.secret)
                .execute(connection)
                .await
                .map(drop)
        })
    }

    /// Returns the requirements of a run; `None` if it was cancelled or deleted.
    pub(crate) fn open_run(
        &self,
        badge: &Badge,
        run: RunId,
        patience: Patience<'_>,
    ) -> Result<Option<OpenRun>, FleetError> {
        self.transact("read a run", patience, async |connection| {
            let row = sql("SELECT format, recipe, need, proof \
                 FROM centipawn_fleet.open_run($1, $2, $3)")
            .bind(badge.id)
            .bind(&badge.secret)
            .bind(run.0)
            .fetch_optional(connection)
            .await?;
            let run = |row: PgRow| {
                let text = |column: &str| row.try_get::<String, _>(column);
                Ok(OpenRun {
                    format: row.try_get("format")?,
                    recipe: text("recipe")?,
                    need: text("need")?,
                    proof: text("proof")?,
                })
            };
            row.map(run).transpose()
        })
    }

    /// Records why a worker does not serve a run.
    pub(crate) fn refuse(
        &self,
        badge: &Badge,
        run: RunId,
        reason: &str,
        patience: Patience<'_>,
    ) -> Result<(), FleetError> {
        self.transact("note a refusal", patience, async |connection| {
            sql("SELECT centipawn_fleet.refuse($1, $2, $3, $4)")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(run.0)
                .bind(reason)
                .execute(connection)
                .await
                .map(drop)
        })
    }

    /// Leases the next task of the runs `served`. `request` must be a new number for each request:
    /// if the reply is lost, repeating the number returns the same task.
    pub(crate) fn lease(
        &self,
        badge: &Badge,
        request: i64,
        served: &[i64],
        refused: &[i64],
        patience: Patience<'_>,
    ) -> Result<Offer, FleetError> {
        self.transact("lease a task", patience, async |connection| {
            let row = sql(
                "SELECT run, task, taken, crashes, alone, doubled, skip, games, input \
                 FROM centipawn_fleet.lease($1, $2, $3, $4, $5)",
            )
            .bind(badge.id)
            .bind(&badge.secret)
            .bind(request)
            .bind(served)
            .bind(refused)
            .fetch_optional(connection)
            .await?;
            row.map_or(Ok(Offer::Nothing), |row| offer(&row))
        })
    }

    /// Returns whether unfinished tasks of these runs exist, including tasks that other workers
    /// have leased.
    pub(crate) fn is_left(
        &self,
        badge: &Badge,
        served: &[i64],
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        self.transact("look for tasks", patience, async |connection| {
            sql("SELECT centipawn_fleet.is_left($1, $2, $3) AS is_left")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(served)
                .fetch_one(connection)
                .await?
                .try_get("is_left")
        })
    }

    /// Renews the leases of tasks, and returns the tasks that are still leased to this worker.
    pub(crate) fn renew(
        &self,
        badge: &Badge,
        held: &[(RunId, i32, i32)],
        patience: Patience<'_>,
    ) -> Result<Vec<(RunId, i32)>, FleetError> {
        let runs: Vec<i64> = held.iter().map(|(run, ..)| run.0).collect();
        let numbers: Vec<i32> = held.iter().map(|(_, number, _)| *number).collect();
        let leases: Vec<i32> = held.iter().map(|(.., lease)| *lease).collect();
        self.transact("renew leases", patience, async |connection| {
            let rows = sql("SELECT run, task FROM centipawn_fleet.renew($1, $2, $3, $4, $5)")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(&runs)
                .bind(&numbers)
                .bind(&leases)
                .fetch_all(connection)
                .await?;
            rows.iter()
                .map(|row| Ok((RunId(row.try_get("run")?), row.try_get("task")?)))
                .collect()
        })
    }

    /// Returns the keys of those games of a task that have an answer.
    pub(crate) fn known(
        &self,
        badge: &Badge,
        held: &Held,
        patience: Patience<'_>,
    ) -> Result<Vec<Vec<u8>>, FleetError> {
        self.transact("look for answers", patience, async |connection| {
            let rows = sql("SELECT known AS key FROM centipawn_fleet.known($1, $2, $3, $4)")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(held.run.0)
                .bind(held.number)
                .fetch_all(connection)
                .await?;
            rows.iter().map(|row| row.try_get("key")).collect()
        })
    }

    /// Finishes a task with its answers. Returns whether it counts: false if another worker
    /// finished it first, or if the run was cancelled or dropped.
    pub(crate) fn finish(
        &self,
        badge: &Badge,
        held: &Held,
        answers: &Answers,
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        let Columns {
            keys,
            documents,
            digests,
        } = answers.columns();
        self.transact("keep answers", patience, async |connection| {
            sql("SELECT centipawn_fleet.finish($1, $2, $3, $4, $5, $6, $7, $8, $9) AS counts")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(held.run.0)
                .bind(held.number)
                .bind(answers.nodes as i64)
                .bind(answers.time.as_secs_f32())
                .bind(&keys)
                .bind(&documents)
                .bind(&digests)
                .fetch_one(connection)
                .await?
                .try_get("counts")
        })
    }

    /// Compares the answers with those of another worker for the same task.
    pub(crate) fn compare(
        &self,
        badge: &Badge,
        held: &Held,
        answers: &Answers,
        patience: Patience<'_>,
    ) -> Result<Comparison, FleetError> {
        let Columns { keys, digests, .. } = answers.columns();
        self.transact("compare answers", patience, async |connection| {
            let row = sql("SELECT centipawn_fleet.compare($1, $2, $3, $4, $5, $6) AS found")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(held.run.0)
                .bind(held.number)
                .bind(&keys)
                .bind(&digests)
                .fetch_one(connection)
                .await?;
            Ok(match row.try_get::<String, _>("found")?.as_str() {
                "agrees" => Comparison::Agrees,
                "differs" => Comparison::Differs,
                _ => Comparison::Late,
            })
        })
    }

    /// Returns a task to the queue, and stores the answers of its finished games. Other workers can
    /// lease it at once.
    pub(crate) fn give_back(
        &self,
        badge: &Badge,
        held: &Held,
        answers: &Answers,
        patience: Patience<'_>,
    ) -> Result<(), FleetError> {
        let Columns {
            keys,
            documents,
            digests,
        } = answers.columns();
        self.transact("give a task back", patience, async |connection| {
            sql("SELECT centipawn_fleet.give_back($1, $2, $3, $4, $5, $6, $7, $8)")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(held.run.0)
                .bind(held.number)
                .bind(held.taken)
                .bind(&keys)
                .bind(&documents)
                .bind(&digests)
                .execute(connection)
                .await
                .map(drop)
        })
    }

    /// Records a failure of a task, and stores the answers of its finished games. The task is
    /// retried after 10 s, then after 40 s, and is parked after the third failure. Returns whether
    /// it is parked.
    pub(crate) fn fail(
        &self,
        badge: &Badge,
        held: &Held,
        answers: &Answers,
        reason: &str,
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        let Columns {
            keys,
            documents,
            digests,
        } = answers.columns();
        self.transact("note a failure", patience, async |connection| {
            sql("SELECT centipawn_fleet.fail($1, $2, $3, $4, $5, $6, $7, $8, $9) AS parked")
                .bind(badge.id)
                .bind(&badge.secret)
                .bind(held.run.0)
                .bind(held.number)
                .bind(held.taken)
                .bind(reason)
                .bind(&keys)
                .bind(&documents)
                .bind(&digests)
                .fetch_one(connection)
                .await?
                .try_get("parked")
        })
    }
}

/// Returns those of the keys that have an answer.
pub(crate) async fn known(
    connection: &mut PgConnection,
    keys: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, sqlx::Error> {
    let rows = sql("SELECT key FROM centipawn_fleet.answer WHERE key = ANY($1)")
        .bind(keys)
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| row.try_get("key")).collect()
}

fn offer(row: &PgRow) -> Result<Offer, sqlx::Error> {
    let run = RunId(row.try_get("run")?);
    let Some(number) = row.try_get("task")? else {
        return Ok(Offer::Judge(run));
    };
    let input: Option<Vec<u8>> = row.try_get("input")?;
    let [skip, count] = ["skip", "games"].map(|column| row.try_get::<i32, _>(column));
    let (skip, count) = (
        usize::try_from(skip?).unwrap_or_default(),
        usize::try_from(count?).unwrap_or_default(),
    );
    // A task that was split shares its input with its other half, and owns only a part of the games
    // in it.
    let part = |games: Vec<TaskGame>| Some(games.get(skip..)?.get(..count)?.to_vec());
    Ok(Offer::Task(Box::new(Held {
        run,
        number,
        taken: row.try_get("taken")?,
        crashes: row.try_get("crashes")?,
        is_alone: row.try_get("alone")?,
        is_double: row.try_get("doubled")?,
        games: input.and_then(|input| unpack_games(&input)).and_then(part),
    })))
}
