//! Rows for a copy of a store in another format.

use sqlx::{AnyConnection, Row as _, any::AnyRow};

use crate::{
    BatchState, Record, Store, StoreError,
    export::row_of,
    games::{key, storable},
};

impl Store {
    /// Returns at most `most` games with numbers above `id`, in the order of their numbers: their
    /// numbers and PGN texts.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn game_texts_after(&self, id: i64, most: i64) -> Result<Vec<(i64, String)>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query("SELECT id, pgn FROM game WHERE id > $1 ORDER BY id LIMIT $2");
        let found = self
            .database
            .block_on(query.bind(id).bind(most).fetch_all(&session.pool));
        found
            .and_then(|rows| {
                rows.iter()
                    .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                    .collect()
            })
            .map_err(session.failed("be read"))
    }

    /// Returns all findings of a game: pairs of settings and document.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn findings_of_game(&self, game: i64) -> Result<Vec<(String, String)>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query(
            "SELECT settings, document FROM findings WHERE game = $1 ORDER BY settings",
        );
        let found = self
            .database
            .block_on(query.bind(game).fetch_all(&session.pool));
        found
            .and_then(|rows| {
                rows.iter()
                    .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                    .collect()
            })
            .map_err(session.failed("be read"))
    }

    /// Returns all findings of the game with this PGN text: pairs of settings and document.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn findings_of_text(&self, pgn: &str) -> Result<Vec<(String, String)>, StoreError> {
        let session = &self.database.session;
        let key = key(&storable(pgn));
        let query = sqlx::query("SELECT id FROM game WHERE key = $1").bind(key.as_slice());
        let found = self.database.block_on(query.fetch_optional(&session.pool));
        let game = found.and_then(|row| row.map(|row| row.try_get(0)).transpose());
        match game.map_err(session.failed("be read"))? {
            Some(game) => self.findings_of_game(game),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the numbers of a batch's jobs, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn batch_members(&self, batch: i64) -> Result<Vec<i64>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query("SELECT job FROM batch_job WHERE batch = $1 ORDER BY job");
        let found = self
            .database
            .block_on(query.bind(batch).fetch_all(&session.pool));
        let job = |row: &AnyRow| row.try_get(0);
        found
            .and_then(|rows| rows.iter().map(job).collect())
            .map_err(session.failed("be read"))
    }

    /// Stores a batch of stored jobs, whose states do not change. Returns its number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn add_batch(
        &self,
        title: &str,
        state: BatchState,
        jobs: &[i64],
    ) -> Result<i64, StoreError> {
        let session = &self.database.session;
        let title = &*storable(title);
        let work = async |connection: &mut AnyConnection| {
            let row = sqlx::query("INSERT INTO batch (title, state) VALUES ($1, $2) RETURNING id")
                .bind(title)
                .bind(state as i64);
            let batch: i64 = row.fetch_one(&mut *connection).await?.try_get(0)?;
            for job in jobs {
                sqlx::query(
                    "INSERT INTO batch_job (batch, job) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                )
                .bind(batch)
                .bind(job)
                .execute(&mut *connection)
                .await?;
            }
            Ok(batch)
        };
        let kept = self.database.block_on(session.transact_once(work));
        kept.map_err(session.failed("keep a batch"))
    }

    /// Stores evaluations, each given as the records of its lines, the best line first. Returns for
    /// each the reason why it is not an evaluation, or `None`. Evaluations that the store already
    /// has are kept.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_records(
        &self,
        evaluations: &[Vec<Record>],
    ) -> Result<Vec<Option<String>>, StoreError> {
        let mut rows = Vec::new();
        let mut reasons = Vec::new();
        for lines in evaluations {
            reasons.push(match row_of(self, lines) {
                Ok(row) => {
                    rows.push(row);
                    None
                }
                Err(reason) => Some(reason),
            });
        }
        self.write(rows)?;
        Ok(reasons)
    }
}
