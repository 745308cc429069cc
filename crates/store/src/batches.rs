//! Batches: reviews of many games that were requested together. Each game is a job, and the batch
//! as a whole is open, paused or cancelled. Several batches may share a job. It runs once, and is
//! kept while one of them waits for it.

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};

use crate::{NewJob, Store, StoreError, games::storable};

/// A batch of jobs, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBatch {
    /// Number of the batch, from 1.
    pub id: i64,
    /// A line that describes the batch to users.
    pub title: String,
    /// Whether the server works on the open jobs of the batch.
    pub state: BatchState,
    /// Counts of the batch's jobs.
    pub jobs: BatchJobs,
}

/// The jobs of a batch, by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchJobs {
    /// Jobs that are not finished.
    pub open: BatchCount,
    /// Finished jobs.
    pub done: BatchCount,
    /// Jobs that a user cancelled.
    pub cancelled: BatchCount,
    /// Jobs that failed.
    pub failed: BatchCount,
}

/// The jobs of a batch in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchCount {
    /// Number of jobs.
    pub jobs: i64,
    /// Number of positions of these jobs.
    pub positions: i64,
}

/// The state of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// The server works on the open jobs of the batch.
    Open,
    /// A user paused the batch.
    Paused,
    /// A user cancelled it. The jobs that were open then are removed from it.
    Cancelled,
}

impl BatchState {
    const ALL: [Self; 3] = [Self::Open, Self::Paused, Self::Cancelled];

    fn number(self) -> i64 {
        self as i64
    }

    fn of(number: i64) -> Self {
        Self::ALL
            .into_iter()
            .find(|state| state.number() == number)
            .unwrap_or(Self::Paused)
    }
}

impl Store {
    /// Stores a batch of jobs and returns its number. If a job is already stored, it keeps its
    /// state if it is done, and otherwise becomes open again. It also stays in its other batches.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_batch(&self, title: &str, jobs: &[NewJob<'_>]) -> Result<i64, StoreError> {
        let session = &self.database.session;
        let title = &*storable(title);
        let kept = self
            .database
            .block_on(session.transact_once(async |connection| {
                let row =
                    sqlx::query("INSERT INTO batch (title, state) VALUES ($1, 0) RETURNING id")
                        .bind(title);
                let batch: i64 = row.fetch_one(&mut *connection).await?.try_get(0)?;
                for job in jobs {
                    let NewJob {
                        game,
                        title,
                        positions,
                        recipe,
                        engine,
                    } = job;
                    let ended = sqlx::query(AssertSqlSafe(note_ended(
                        "job.game = $1 AND job.recipe = $2 AND job.engine = $3",
                    )));
                    ended
                        .bind(game)
                        .bind(*recipe)
                        .bind(*engine)
                        .execute(&mut *connection)
                        .await?;
                    let row = sqlx::query(
                        "INSERT INTO job (game, title, positions, recipe, engine, state) \
                     VALUES ($1, $2, $3, $4, $5, 0) \
                     ON CONFLICT (game, recipe, engine) DO UPDATE SET \
                     state = CASE job.state WHEN 1 THEN 1 ELSE 0 END, problem = NULL RETURNING id",
                    )
                    .bind(game)
                    .bind(&*storable(title))
                    .bind(positions)
                    .bind(*recipe)
                    .bind(*engine)
                    .fetch_one(&mut *connection)
                    .await?;
                    let job: i64 = row.try_get(0)?;
                    let member = sqlx::query(
                        "INSERT INTO batch_job (batch, job) VALUES ($1, $2) \
                     ON CONFLICT DO NOTHING",
                    );
                    member
                        .bind(batch)
                        .bind(job)
                        .execute(&mut *connection)
                        .await?;
                }
                Ok(batch)
            }));
        kept.map_err(session.failed("keep a batch"))
    }

    /// Returns at most `most` batches, newest first. Batches with open jobs come before all others.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn batches(&self, most: i64) -> Result<Vec<StoredBatch>, StoreError> {
        self.find_batches(&format!(
            "SELECT id FROM batch ORDER BY CASE WHEN state < 2 AND EXISTS \
             (SELECT 1 FROM batch_job JOIN job ON job.id = batch_job.job \
             WHERE batch_job.batch = batch.id AND {IS_OPEN}) \
             THEN 0 ELSE 1 END, id DESC LIMIT {most}"
        ))
    }

    /// Returns the batch with this number; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn batch(&self, id: i64) -> Result<Option<StoredBatch>, StoreError> {
        Ok(self.find_batches(&id.to_string())?.pop())
    }

    fn find_batches(&self, ids: &str) -> Result<Vec<StoredBatch>, StoreError> {
        let session = &self.database.session;
        // Several batches can share a job. If another batch has requested a job again that had
        // already ended for this batch, the job is open (state 0). This batch then still shows the
        // state in which the job had ended for it (`batch_job.ended`), until the job ends again.
        let sql = AssertSqlSafe(format!(
            "SELECT id, title, state, job_state, COUNT(job), \
             CAST(COALESCE(SUM(positions), 0) AS BIGINT) FROM \
             (SELECT batch.id AS id, batch.title AS title, batch.state AS state, job.id AS job, \
             job.positions AS positions, \
             CASE job.state WHEN 0 THEN COALESCE(batch_job.ended, 0) ELSE job.state END \
             AS job_state \
             FROM batch LEFT JOIN batch_job ON batch_job.batch = batch.id \
             LEFT JOIN job ON job.id = batch_job.job \
             WHERE batch.id IN ({ids})) AS jobs \
             GROUP BY id, title, state, job_state ORDER BY id DESC"
        ));
        let rows = self
            .database
            .block_on(sqlx::query(sql).fetch_all(&session.pool));
        let batches = rows.and_then(|rows| {
            let mut batches: Vec<StoredBatch> = Vec::new();
            for row in &rows {
                add(&mut batches, row)?;
            }
            Ok(batches)
        });
        batches.map_err(session.failed("be read"))
    }

    /// Sets the state of a batch. Cancelling removes its open jobs from it, and deletes those that
    /// neither another batch nor a single request needs. The job `running`, on which the server
    /// works now, stays until [`forget_job`](Self::forget_job).
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn set_batch(
        &self,
        id: i64,
        state: BatchState,
        running: Option<i64>,
    ) -> Result<(), StoreError> {
        let session = &self.database.session;
        let kept = self.database.block_on(session.transact(async |connection| {
            let update = sqlx::query("UPDATE batch SET state = $2 WHERE id = $1");
            update
                .bind(id)
                .bind(state.number())
                .execute(&mut *connection)
                .await?;
            if state == BatchState::Cancelled {
                // Numbers of jobs start at 1, so 0 excludes no job.
                let members = "job.id IN (SELECT job FROM batch_job WHERE batch = $1) \
                     AND job.id <> $2";
                for sql in remove_unwanted(members) {
                    let query = sqlx::query(AssertSqlSafe(sql))
                        .bind(id)
                        .bind(running.unwrap_or(0));
                    query.execute(&mut *connection).await?;
                }
                let left = sqlx::query(
                    "DELETE FROM batch_job WHERE batch = $1 AND ended IS NULL AND job IN \
                     (SELECT id FROM job WHERE state = 0)",
                );
                left.bind(id).execute(&mut *connection).await?;
            }
            Ok(())
        }));
        kept.map_err(session.failed("keep a batch"))
    }

    /// Records that a job was also requested by itself. It then stays when its batches are
    /// cancelled.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_alone(&self, job: i64) -> Result<(), StoreError> {
        let session = &self.database.session;
        let kept = self.database.block_on(session.patiently(|| {
            let query = sqlx::query("UPDATE job SET alone = 1 WHERE id = $1").bind(job);
            query.execute(&session.pool)
        }));
        kept.map(|_| ()).map_err(session.failed("keep a job"))
    }

    /// Returns the next open job of those of `batches` that are not paused or cancelled, the oldest
    /// batch first, as the numbers of the batch and of the job.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn next_of_batches(&self, batches: &[i64]) -> Result<Option<(i64, i64)>, StoreError> {
        let session = &self.database.session;
        let sql = AssertSqlSafe(format!(
            "SELECT batch.id, job.id FROM batch_job JOIN batch ON batch.id = batch_job.batch \
             JOIN job ON job.id = batch_job.job \
             WHERE batch_job.batch IN ({}) AND batch.state = 0 AND {IS_OPEN} \
             ORDER BY batch.id, job.id LIMIT 1",
            numbers(batches)
        ));
        let found = self
            .database
            .block_on(sqlx::query(sql).fetch_optional(&session.pool));
        let read = |row: AnyRow| Ok((row.try_get(0)?, row.try_get(1)?));
        found
            .and_then(|row| row.map(read).transpose())
            .map_err(session.failed("be read"))
    }
}

/// SQL condition: a batch still waits for its job.
const IS_OPEN: &str = "job.state = 0 AND batch_job.ended IS NULL";

/// Returns SQL that records for all batches how the jobs `which` ended, before the jobs become open
/// again.
pub(crate) fn note_ended(which: &str) -> String {
    format!(
        "UPDATE batch_job SET ended = (SELECT state FROM job WHERE job.id = batch_job.job) \
         WHERE job IN (SELECT id FROM job WHERE {which} AND job.state > 1)"
    )
}

/// Returns SQL that deletes those of the jobs `which` that are open, and that neither a single
/// request nor a batch that is not cancelled needs.
pub(crate) fn remove_unwanted(which: &str) -> [String; 2] {
    let unwanted = format!(
        "{which} AND job.state = 0 AND job.alone = 0 AND NOT EXISTS \
         (SELECT 1 FROM batch_job JOIN batch ON batch.id = batch_job.batch \
         WHERE batch_job.job = job.id AND batch_job.ended IS NULL AND batch.state < 2)"
    );
    // A job that was requested again may have a row in `judged` from its first result.
    [
        format!("DELETE FROM judged WHERE job IN (SELECT id FROM job WHERE {unwanted})"),
        format!("DELETE FROM job WHERE {unwanted}"),
    ]
}

/// Adds a row to the batch to which it belongs.
fn add(batches: &mut Vec<StoredBatch>, row: &AnyRow) -> Result<(), sqlx::Error> {
    let id: i64 = row.try_get(0)?;
    if batches.last().is_none_or(|batch| batch.id != id) {
        let (title, state) = (row.try_get(1)?, BatchState::of(row.try_get(2)?));
        batches.push(StoredBatch {
            id,
            title,
            state,
            jobs: BatchJobs::default(),
        });
    }
    let state: Option<i64> = row.try_get(3)?;
    let Some(batch) = batches.last_mut() else {
        return Ok(());
    };
    let count = match state {
        Some(0) => &mut batch.jobs.open,
        Some(1) => &mut batch.jobs.done,
        Some(2) => &mut batch.jobs.cancelled,
        Some(3) => &mut batch.jobs.failed,
        _ => return Ok(()),
    };
    *count = BatchCount {
        jobs: row.try_get(4)?,
        positions: row.try_get(5)?,
    };
    Ok(())
}

/// Formats numbers as an SQL list. SQL has no empty list, so it contains -1 if there are none.
pub(crate) fn numbers(ids: &[i64]) -> String {
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    if texts.is_empty() {
        "-1".to_owned()
    } else {
        texts.join(",")
    }
}
