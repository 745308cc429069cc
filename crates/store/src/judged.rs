//! Summaries of finished reviews. They are stored, so that lists and profiles of many games need
//! not judge the games again.

use sqlx::{AssertSqlSafe, Row as _};

use crate::{Store, StoreError, batches::numbers};

/// The summary of a finished review, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedReview {
    /// Number of the review's job.
    pub job: i64,
    /// The line that lists show.
    pub line: String,
    /// The data about both players for their profiles; empty if it was not requested.
    pub sides: String,
}

impl Store {
    /// Stores summaries of reviews. `version` is the version of their format.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn note_judged(&self, version: u32, reviews: &[JudgedReview]) -> Result<(), StoreError> {
        let session = &self.database.session;
        let noted = self.database.block_on(session.transact(async |connection| {
            for JudgedReview { job, line, sides } in reviews {
                sqlx::query(
                    "INSERT INTO judged (job, version, line, sides) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (job) DO UPDATE SET \
                     version = excluded.version, line = excluded.line, sides = excluded.sides",
                )
                .bind(job)
                .bind(i64::from(version))
                .bind(&**line)
                .bind(&**sides)
                .execute(&mut *connection)
                .await?;
            }
            Ok(())
        }));
        noted.map_err(session.failed("keep a review"))
    }

    /// Returns the summaries of these reviews, in the order of their jobs' numbers. Reviews without
    /// a summary of this version are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn judged(
        &self,
        version: u32,
        jobs: &[i64],
        has_sides: bool,
    ) -> Result<Vec<JudgedReview>, StoreError> {
        let session = &self.database.session;
        let sides = if has_sides { "sides" } else { "''" };
        let sql = AssertSqlSafe(format!(
            "SELECT job, line, {sides} FROM judged WHERE version = $1 AND job IN ({}) ORDER BY job",
            numbers(jobs)
        ));
        let found = self.database.block_on(
            sqlx::query(sql)
                .bind(i64::from(version))
                .fetch_all(&session.pool),
        );
        let reviews = found.and_then(|rows| {
            let review = |row: &sqlx::any::AnyRow| {
                Ok(JudgedReview {
                    job: row.try_get(0)?,
                    line: row.try_get(1)?,
                    sides: row.try_get(2)?,
                })
            };
            rows.iter().map(review).collect()
        });
        reviews.map_err(session.failed("be read"))
    }

    /// Returns the job numbers of at most `most` finished reviews without a summary of this
    /// version, newest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn not_judged(&self, version: u32, most: i64) -> Result<Vec<i64>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query(
            "SELECT MAX(id) FROM job WHERE state = 1 AND puzzles IS NULL GROUP BY game \
             HAVING MAX(id) NOT IN (SELECT job FROM judged WHERE version = $1) \
             ORDER BY MAX(id) DESC LIMIT $2",
        );
        let query = query.bind(i64::from(version)).bind(most);
        let found = self.database.block_on(query.fetch_all(&session.pool));
        let jobs = found.and_then(|rows| rows.iter().map(|row| row.try_get(0)).collect());
        jobs.map_err(session.failed("be read"))
    }
}
