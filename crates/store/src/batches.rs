//! Reviews of many games that were requested together: each is a job, and the batch goes on, pauses or ends as a whole.

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};

use crate::{NewJob, Store, StoreError, StoredState, games::storable};

/// A batch of jobs, as a row of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBatch {
    /// Its number, from 1.
    pub id: i64,
    /// A line for people.
    pub title: String,
    /// Whether it goes on.
    pub state: BatchState,
    /// Its jobs that are open, done, cancelled and failed, in this order.
    pub jobs: [BatchCount; 4],
}

/// Jobs of a batch in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchCount {
    /// How many.
    pub jobs: i64,
    /// Positions of them together.
    pub positions: i64,
}

/// Whether a batch goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// Its open jobs are worked on.
    Open,
    /// A user paused it.
    Paused,
    /// A user cancelled it; the jobs that were open are gone.
    Cancelled,
}

impl BatchState {
    const ALL: [Self; 3] = [Self::Open, Self::Paused, Self::Cancelled];

    fn number(self) -> i64 {
        self as i64
    }

    fn of(number: i64) -> Self {
        Self::ALL.into_iter().find(|state| state.number() == number).unwrap_or(Self::Paused)
    }
}

impl StoredBatch {
    /// Its jobs in a state.
    pub fn count(&self, state: StoredState) -> BatchCount {
        self.jobs[state as usize]
    }
}

impl Store {
    /// Stores a batch of jobs, and returns its number. Of a job that is stored already, a finished one stays finished, and any other one
    /// becomes open.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be written.
    pub fn keep_batch(&self, title: &str, jobs: &[NewJob<'_>]) -> Result<i64, StoreError> {
        let session = &self.database.session;
        let title = &*storable(title);
        let kept = self.database.block_on(session.patiently(|| async {
            let mut transaction = session.pool.begin_with(session.kind.begin()).await?;
            let row = sqlx::query("INSERT INTO batch (title, state) VALUES ($1, 0) RETURNING id").bind(title);
            let batch: i64 = row.fetch_one(&mut *transaction).await?.try_get(0)?;
            for job in jobs {
                let NewJob { game, title, positions, recipe, engine } = job;
                sqlx::query(
                    "INSERT INTO job (game, title, positions, recipe, engine, state, batch) VALUES ($1, $2, $3, $4, $5, 0, $6) \
                     ON CONFLICT (game, recipe, engine) DO UPDATE SET batch = excluded.batch, \
                     state = CASE job.state WHEN 1 THEN 1 ELSE 0 END, problem = NULL",
                )
                .bind(game)
                .bind(&*storable(title))
                .bind(positions)
                .bind(*recipe)
                .bind(*engine)
                .bind(batch)
                .execute(&mut *transaction)
                .await?;
            }
            transaction.commit().await?;
            Ok(batch)
        }));
        kept.map_err(session.failed("keep a batch"))
    }

    /// The batches, newest first: `most` at most, of which those with open jobs come before all others.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn batches(&self, most: i64) -> Result<Vec<StoredBatch>, StoreError> {
        self.find_batches(&format!(
            "SELECT id FROM batch ORDER BY CASE WHEN state < 2 AND EXISTS \
             (SELECT 1 FROM job WHERE job.batch = batch.id AND job.state = 0) THEN 0 ELSE 1 END, id DESC LIMIT {most}"
        ))
    }

    /// A batch by its number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn batch(&self, id: i64) -> Result<Option<StoredBatch>, StoreError> {
        Ok(self.find_batches(&id.to_string())?.pop())
    }

    fn find_batches(&self, ids: &str) -> Result<Vec<StoredBatch>, StoreError> {
        let session = &self.database.session;
        let sql = AssertSqlSafe(format!(
            "SELECT batch.id, batch.title, batch.state, job.state, COUNT(job.id), CAST(COALESCE(SUM(job.positions), 0) AS BIGINT) \
             FROM batch LEFT JOIN job ON job.batch = batch.id WHERE batch.id IN ({ids}) \
             GROUP BY batch.id, batch.title, batch.state, job.state ORDER BY batch.id DESC"
        ));
        let rows = self.database.block_on(sqlx::query(sql).fetch_all(&session.pool));
        let batches = rows.and_then(|rows| {
            let mut batches: Vec<StoredBatch> = Vec::new();
            for row in &rows {
                add(&mut batches, row)?;
            }
            Ok(batches)
        });
        batches.map_err(session.failed("be read"))
    }

    /// Notes whether a batch goes on. Cancelling removes its open jobs, unless a server holds them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be written.
    pub fn set_batch(&self, id: i64, state: BatchState) -> Result<(), StoreError> {
        let session = &self.database.session;
        let now = session.kind.now();
        let kept = self.database.block_on(session.patiently(|| async {
            let mut transaction = session.pool.begin_with(session.kind.begin()).await?;
            let update = sqlx::query("UPDATE batch SET state = $2 WHERE id = $1").bind(id).bind(state.number());
            update.execute(&mut *transaction).await?;
            if state == BatchState::Cancelled {
                // A job that is reviewed again may have been judged before.
                let judged =
                    sqlx::query("DELETE FROM judged WHERE job IN (SELECT id FROM job WHERE batch = $1 AND state = 0)");
                judged.bind(id).execute(&mut *transaction).await?;
                let sql = format!(
                    "DELETE FROM job WHERE batch = $1 AND state = 0 AND (holder IS NULL OR held_until <= {now})"
                );
                sqlx::query(AssertSqlSafe(sql)).bind(id).execute(&mut *transaction).await?;
            }
            transaction.commit().await
        }));
        kept.map_err(session.failed("keep a batch"))
    }

    /// Takes a job out of its batch.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be written.
    pub fn leave_batch(&self, job: i64) -> Result<(), StoreError> {
        let session = &self.database.session;
        let left = self.database.block_on(session.patiently(|| {
            let query = sqlx::query("UPDATE job SET batch = NULL WHERE id = $1").bind(job);
            query.execute(&session.pool)
        }));
        left.map(|_| ()).map_err(session.failed("keep a job"))
    }

    /// The next open job of the batches that go on, the oldest batch first, that no server but `holder` holds.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn next_of_batches(&self, batches: &[i64], holder: &str) -> Result<Option<i64>, StoreError> {
        let session = &self.database.session;
        let now = session.kind.now();
        let sql = AssertSqlSafe(format!(
            "SELECT job.id FROM job JOIN batch ON batch.id = job.batch WHERE batch.id IN ({}) AND batch.state = 0 AND job.state = 0 \
             AND (holder IS NULL OR holder = $1 OR held_until <= {now}) ORDER BY batch.id, job.id LIMIT 1",
            numbers(batches)
        ));
        let found = self.database.block_on(sqlx::query(sql).bind(holder).fetch_optional(&session.pool));
        found.and_then(|row| row.map(|row| row.try_get(0)).transpose()).map_err(session.failed("be read"))
    }
}

/// Adds a row to the batch that it belongs to.
fn add(batches: &mut Vec<StoredBatch>, row: &AnyRow) -> Result<(), sqlx::Error> {
    let id: i64 = row.try_get(0)?;
    if batches.last().is_none_or(|batch| batch.id != id) {
        let (title, state) = (row.try_get(1)?, BatchState::of(row.try_get(2)?));
        batches.push(StoredBatch { id, title, state, jobs: Default::default() });
    }
    let state: Option<i64> = row.try_get(3)?;
    let place = state.and_then(|state| usize::try_from(state).ok());
    if let (Some(place), Some(batch)) = (place.filter(|place| *place < 4), batches.last_mut()) {
        batch.jobs[place] = BatchCount { jobs: row.try_get(4)?, positions: row.try_get(5)? };
    }
    Ok(())
}

/// Numbers as a list of SQL; never empty.
pub(crate) fn numbers(ids: &[i64]) -> String {
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    if texts.is_empty() { "-1".to_owned() } else { texts.join(",") }
}
