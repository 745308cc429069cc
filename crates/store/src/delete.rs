//! Deletion of games, with all that belongs to them.

use sqlx::{AnyConnection, AssertSqlSafe, Row as _};

use crate::{Store, StoreError, batches::numbers};

/// Number of games in one statement. The texts of statements are limited.
const GAMES: usize = 1000;

/// What a deletion of games deletes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Number of games.
    pub games: u64,
    /// Number of finished reviews of these games.
    pub reviews: u64,
    /// Number of puzzles from these games.
    pub puzzles: u64,
    /// Number of attempts at these puzzles.
    pub attempts: u64,
}

impl Store {
    /// Counts what [`delete_games`](Self::delete_games) would delete.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn would_delete(&self, games: &[i64]) -> Result<Deleted, StoreError> {
        let session = &self.database.session;
        let counted = self.database.block_on(session.patiently(|| async {
            let mut connection = session.pool.acquire().await?;
            count(&mut connection, games).await
        }));
        counted.map_err(session.failed("be read"))
    }

    /// Deletes games with their findings, jobs, puzzles and the attempts at these puzzles, in one
    /// transaction. Evaluations stay, because other games may contain the same positions.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written. Then nothing is deleted.
    pub fn delete_games(&self, games: &[i64]) -> Result<Deleted, StoreError> {
        let session = &self.database.session;
        let deleted = self.database.block_on(session.transact(async |connection| {
            let deleted = count(connection, games).await?;
            for games in games.chunks(GAMES) {
                let games = numbers(games);
                let jobs = format!("SELECT id FROM job WHERE game IN ({games})");
                let puzzles = format!("SELECT id FROM puzzle WHERE game IN ({games})");
                for sql in [
                    format!("DELETE FROM attempt WHERE puzzle IN ({puzzles})"),
                    format!("DELETE FROM puzzle WHERE game IN ({games})"),
                    format!("DELETE FROM judged WHERE job IN ({jobs})"),
                    format!("DELETE FROM batch_job WHERE job IN ({jobs})"),
                    format!("DELETE FROM job WHERE game IN ({games})"),
                    format!("DELETE FROM findings WHERE game IN ({games})"),
                    format!("DELETE FROM game WHERE id IN ({games})"),
                ] {
                    sqlx::query(AssertSqlSafe(sql))
                        .execute(&mut *connection)
                        .await?;
                }
            }
            if deleted.games > 0 {
                sqlx::query("UPDATE centipawn_store SET deletions = deletions + 1")
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(deleted)
        }));
        deleted.map_err(session.failed("delete games"))
    }

    /// Deletes a batch. Its jobs and their games stay; open jobs that neither another batch nor a
    /// single request needs are deleted.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn delete_batch(&self, id: i64) -> Result<(), StoreError> {
        self.set_batch(id, crate::BatchState::Cancelled, None)?;
        let session = &self.database.session;
        let deleted = self.database.block_on(session.transact(async |connection| {
            for sql in [
                "DELETE FROM batch_job WHERE batch = $1",
                "DELETE FROM batch WHERE id = $1",
            ] {
                sqlx::query(sql).bind(id).execute(&mut *connection).await?;
            }
            Ok(())
        }));
        deleted.map_err(session.failed("delete a batch"))
    }

    /// Returns how often games were deleted from this store. A number of a deleted game may be used
    /// again, so lists of games must be read again when this number has changed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn deletions(&self) -> Result<i64, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query("SELECT deletions FROM centipawn_store");
        let found = self.database.block_on(query.fetch_one(&session.pool));
        found
            .and_then(|row| row.try_get(0))
            .map_err(session.failed("be read"))
    }
}

async fn count(connection: &mut AnyConnection, games: &[i64]) -> Result<Deleted, sqlx::Error> {
    let mut all = Deleted::default();
    for games in games.chunks(GAMES) {
        let games = numbers(games);
        let sql = format!(
            "SELECT (SELECT COUNT(*) FROM game WHERE id IN ({games})), \
             (SELECT COUNT(*) FROM job WHERE game IN ({games}) AND state = 1 AND puzzles IS NULL), \
             (SELECT COUNT(*) FROM puzzle WHERE game IN ({games})), \
             (SELECT COUNT(*) FROM attempt WHERE puzzle IN \
             (SELECT id FROM puzzle WHERE game IN ({games})))"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .fetch_one(&mut *connection)
            .await?;
        let number = |column: usize| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
        all.games += number(0)?;
        all.reviews += number(1)?;
        all.puzzles += number(2)?;
        all.attempts += number(3)?;
    }
    Ok(all)
}
