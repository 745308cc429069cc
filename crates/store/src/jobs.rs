//! Jobs of a server. They are stored, so that they continue after the server was killed.

use sqlx::{Row as _, any::AnyRow};

use crate::{
    Store, StoreError,
    batches::{note_ended, numbers, remove_unwanted},
    database::Kind,
    games::{key, storable},
};

/// Work on a game, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJob {
    /// Number of the job, from 1.
    pub id: i64,
    /// Number of the game in the store.
    pub game: i64,
    /// The line that users see: the players.
    pub title: String,
    /// Number of positions to evaluate.
    pub positions: i64,
    /// The work as JSON.
    pub recipe: String,
    /// The engine's command and options as JSON.
    pub engine: String,
    /// The state of the job.
    pub state: JobState,
    /// Numbers of the [batches](crate::StoredBatch) that contain the job.
    pub batches: Vec<i64>,
}

/// The state of a job, with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// The job is not finished: it waits, is running, or was interrupted.
    Open,
    /// A review is done. [`find_findings`](Store::find_findings) returns its findings by these
    /// settings; `None` if it needed no engine.
    Reviewed(Option<String>),
    /// Mining is finished. It found the given number of puzzles.
    Mined(u64),
    /// A user cancelled the job.
    Cancelled,
    /// The job failed for the given reason.
    Failed(String),
}

impl JobState {
    /// Its number in the column `state`.
    fn number(&self) -> i64 {
        match self {
            Self::Open => 0,
            Self::Reviewed(_) | Self::Mined(_) => 1,
            Self::Cancelled => 2,
            Self::Failed(_) => 3,
        }
    }

    /// Returns the state in a row with these columns. An unknown number, of a later version, counts
    /// as open.
    fn of(
        number: i64,
        settings: Option<String>,
        puzzles: Option<i64>,
        problem: Option<String>,
    ) -> Self {
        match (number, puzzles) {
            (1, Some(puzzles)) => Self::Mined(u64::try_from(puzzles).unwrap_or(0)),
            (1, None) => Self::Reviewed(settings),
            (2, _) => Self::Cancelled,
            (3, _) => Self::Failed(problem.unwrap_or_default()),
            _ => Self::Open,
        }
    }
}

/// A job to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    /// Number of the game in the store.
    pub game: i64,
    /// The line that users see: the players.
    pub title: &'a str,
    /// Number of positions to evaluate.
    pub positions: i64,
    /// The work as JSON.
    pub recipe: &'a str,
    /// The engine's command and options as JSON.
    pub engine: &'a str,
}

/// Returns the columns in the order in which [`read`] expects them.
fn columns(kind: Kind) -> String {
    let batches = match kind {
        Kind::Sqlite => "group_concat(batch)",
        Kind::Postgres => "string_agg(CAST(batch AS TEXT), ',')",
    };
    format!(
        "id, game, title, positions, recipe, engine, state, settings, puzzles, problem, \
         (SELECT {batches} FROM batch_job WHERE batch_job.job = job.id AND ended IS NULL)"
    )
}

impl Store {
    /// Stores a game, as PGN text, and returns its number. A game that is already stored keeps its
    /// number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_game(&self, pgn: &str) -> Result<i64, StoreError> {
        Ok(self.keep_new_game(pgn)?.0)
    }

    /// Like [`keep_game`](Self::keep_game), but also returns whether the game is new.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_new_game(&self, pgn: &str) -> Result<(i64, bool), StoreError> {
        let session = &self.database.session;
        let pgn = &*storable(pgn);
        let key = &key(pgn);
        let kept = self.database.block_on(session.patiently(|| async {
            let mut connection = session.pool.acquire().await?;
            let added = sqlx::query(
                "INSERT INTO game (key, pgn) VALUES ($1, $2) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(key.as_slice())
            .bind(pgn)
            .execute(&mut *connection)
            .await?;
            let row = sqlx::query("SELECT id FROM game WHERE key = $1");
            let id = row
                .bind(key.as_slice())
                .fetch_one(&mut *connection)
                .await?
                .try_get(0)?;
            Ok((id, added.rows_affected() > 0))
        }));
        kept.map_err(session.failed("keep a game"))
    }

    /// Returns the PGN text of a game; `None` if there is no game with this number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn game(&self, id: i64) -> Result<Option<String>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query("SELECT pgn FROM game WHERE id = $1").bind(id);
        let found = self.database.block_on(query.fetch_optional(&session.pool));
        found
            .and_then(|row| row.map(|row| row.try_get(0)).transpose())
            .map_err(session.failed("be read"))
    }

    /// Stores a job, or returns the stored one with the same game, recipe and engine.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_job(&self, job: NewJob<'_>) -> Result<StoredJob, StoreError> {
        let session = &self.database.session;
        let NewJob {
            game,
            title,
            positions,
            recipe,
            engine,
        } = job;
        let title = &*storable(title);
        let kept = self.database.block_on(session.patiently(|| async {
            let mut connection = session.pool.acquire().await?;
            sqlx::query(
                "INSERT INTO job (game, title, positions, recipe, engine, state) \
                 VALUES ($1, $2, $3, $4, $5, 0) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(game)
            .bind(title)
            .bind(positions)
            .bind(recipe)
            .bind(engine)
            .execute(&mut *connection)
            .await?;
            let row = sqlx::query(sqlx::AssertSqlSafe(format!(
                "SELECT {} FROM job WHERE game = $1 AND recipe = $2 AND engine = $3",
                columns(session.kind)
            )));
            read(
                &row.bind(game)
                    .bind(recipe)
                    .bind(engine)
                    .fetch_one(&mut *connection)
                    .await?,
            )
        }));
        kept.map_err(session.failed("keep a job"))
    }

    /// Records the settings under which the findings of an open review will be stored.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn note_settings(&self, id: i64, settings: &str) -> Result<(), StoreError> {
        let session = &self.database.session;
        let noted = self.database.block_on(session.patiently(|| {
            let query = sqlx::query("UPDATE job SET settings = $2 WHERE id = $1 AND state = 0");
            query.bind(id).bind(settings).execute(&session.pool)
        }));
        noted.map(|_| ()).map_err(session.failed("keep a job"))
    }

    /// Sets the state of a job.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn set_job(&self, id: i64, state: &JobState) -> Result<(), StoreError> {
        let session = &self.database.session;
        let settings = if let JobState::Reviewed(settings) = state {
            settings.as_deref()
        } else {
            None
        };
        let puzzles = if let JobState::Mined(puzzles) = state {
            Some(*puzzles as i64)
        } else {
            None
        };
        let problem = if let JobState::Failed(problem) = state {
            Some(&**problem)
        } else {
            None
        };
        // No transaction is needed: if only the first statement succeeds, the job has not started
        // again, and its own state still counts.
        let kept = self.database.block_on(session.patiently(|| async {
            if *state == JobState::Open {
                let ended = sqlx::query(sqlx::AssertSqlSafe(note_ended("job.id = $1")));
                ended.bind(id).execute(&session.pool).await?;
            }
            let query = sqlx::query(
                "UPDATE job SET state = $2, settings = $3, puzzles = $4, problem = $5, \
                 alone = CASE $2 WHEN 0 THEN alone ELSE 0 END WHERE id = $1",
            );
            let query = query
                .bind(id)
                .bind(state.number())
                .bind(settings)
                .bind(puzzles)
                .bind(problem);
            query.execute(&session.pool).await.map(|_| ())
        }));
        kept.map_err(session.failed("keep a job"))
    }

    /// Deletes an open job that neither a single request nor a batch needs. Other jobs stay.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn forget_job(&self, id: i64) -> Result<(), StoreError> {
        let session = &self.database.session;
        let forgotten = self.database.block_on(session.transact(async |connection| {
            for sql in remove_unwanted("job.id = $1") {
                sqlx::query(sqlx::AssertSqlSafe(sql))
                    .bind(id)
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }));
        forgotten.map_err(session.failed("keep a job"))
    }

    /// Returns the jobs on these games, newest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn jobs_of_games(&self, games: &[i64]) -> Result<Vec<StoredJob>, StoreError> {
        let session = &self.database.session;
        let (columns, games) = (columns(session.kind), numbers(games));
        let sql = sqlx::AssertSqlSafe(format!(
            "SELECT {columns} FROM job WHERE game IN ({games}) \
             ORDER BY id DESC"
        ));
        let found = self
            .database
            .block_on(sqlx::query(sql).fetch_all(&session.pool));
        found
            .and_then(|rows| rows.iter().map(read).collect())
            .map_err(session.failed("be read"))
    }

    /// Returns the finished reviews: the number of each game with that of its newest review job, in
    /// the order of the games.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn reviewed_games(&self) -> Result<Vec<(i64, i64)>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query(
            "SELECT game, MAX(id) FROM job WHERE state = 1 AND puzzles IS NULL GROUP BY game \
             ORDER BY game",
        );
        let found = self.database.block_on(query.fetch_all(&session.pool));
        let pairs = found.and_then(|rows| {
            rows.iter()
                .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                .collect()
        });
        pairs.map_err(session.failed("be read"))
    }

    /// Returns findings of games without a finished review job, for example those made on the
    /// command line, as pairs of a game's number and the settings. Findings under the settings of
    /// an open job are left out: that job is about to end, because its server stores the findings a
    /// moment earlier.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn findings_without_job(&self) -> Result<Vec<(i64, String)>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query(
            "SELECT game, settings FROM findings WHERE NOT EXISTS \
             (SELECT 1 FROM job WHERE job.game = findings.game AND job.puzzles IS NULL \
             AND (job.state = 1 OR job.state = 0 AND job.settings = findings.settings)) \
             AND settings <> $1 ORDER BY game",
        )
        .bind(Store::OWN_NOTES);
        let found = self.database.block_on(query.fetch_all(&session.pool));
        let pairs = found.and_then(|rows| {
            rows.iter()
                .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                .collect()
        });
        pairs.map_err(session.failed("be read"))
    }

    /// Returns the job with this number; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn job(&self, id: i64) -> Result<Option<StoredJob>, StoreError> {
        let session = &self.database.session;
        let sql = sqlx::AssertSqlSafe(format!(
            "SELECT {} FROM job WHERE id = $1",
            columns(session.kind)
        ));
        let found = self
            .database
            .block_on(sqlx::query(sql).bind(id).fetch_optional(&session.pool));
        found
            .and_then(|row| row.as_ref().map(read).transpose())
            .map_err(session.failed("be read"))
    }

    /// Returns at most `most` jobs, newest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn jobs(&self, most: i64) -> Result<Vec<StoredJob>, StoreError> {
        let session = &self.database.session;
        let sql = sqlx::AssertSqlSafe(format!(
            "SELECT {} FROM job ORDER BY id DESC LIMIT $1",
            columns(session.kind)
        ));
        let found = self
            .database
            .block_on(sqlx::query(sql).bind(most).fetch_all(&session.pool));
        found
            .and_then(|rows| rows.iter().map(read).collect())
            .map_err(session.failed("be read"))
    }
}

fn read(row: &AnyRow) -> Result<StoredJob, sqlx::Error> {
    Ok(StoredJob {
        id: row.try_get(0)?,
        game: row.try_get(1)?,
        title: row.try_get(2)?,
        positions: row.try_get(3)?,
        recipe: row.try_get(4)?,
        engine: row.try_get(5)?,
        state: JobState::of(
            row.try_get(6)?,
            row.try_get(7)?,
            row.try_get(8)?,
            row.try_get(9)?,
        ),
        batches: {
            let numbers: Option<String> = row.try_get(10)?;
            numbers
                .iter()
                .flat_map(|numbers| numbers.split(','))
                .filter_map(|number| number.parse().ok())
                .collect()
        },
    })
}
