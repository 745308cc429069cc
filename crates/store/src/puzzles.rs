//! Puzzles, with the user's attempts and their repetition.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};

use crate::{Store, StoreError, batches::numbers, games::storable};

/// A puzzle, as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPuzzle {
    /// Number of the puzzle, from 1.
    pub id: i64,
    /// The source of the puzzle, as users see it: a file or a game.
    pub origin: String,
    /// The puzzle's rating in points; `None` if it has not been rated.
    pub rating: Option<i64>,
    /// Number of the puzzle's game in the store; `None` if it has no game.
    pub game: Option<i64>,
    /// Number of plies of the game before the solver's mistake.
    pub ply: Option<i64>,
    /// The puzzle as JSON.
    pub document: String,
    /// The repetition of the puzzle; `None` if the user does not repeat it.
    pub repetition: Option<Repetition>,
    /// Number of attempts.
    pub attempts: i64,
}

/// The state of a puzzle in spaced repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repetition {
    /// Time from which the puzzle is due, in seconds since 1970.
    pub due: i64,
    /// What the solver remembers; `None` before the first answer.
    pub memory: Option<Remembered>,
}

/// What a solver remembers of a puzzle after an answer. The crate `puzzle` has the formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remembered {
    /// Days after which the solver still knows the solution with a probability of 0.9.
    pub stability: f64,
    /// Difficulty of the puzzle for the solver, from 1 to 10.
    pub difficulty: f64,
    /// Time of the answer, in seconds since 1970.
    pub at: i64,
}

/// A puzzle to be stored.
///
/// ```
/// use centipawn_store::{Location, NewPuzzle, PuzzleFilter, Store};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("a.db");
/// let store = Store::open(&Location::File(file))?;
/// let puzzle = NewPuzzle {
///     key: 1,
///     origin: "my puzzles",
///     rating: Some(1500),
///     themes: &["fork", "short"],
///     place: None,
///     document: "{}",
/// };
/// let (id, is_new) = store.keep_puzzle(puzzle)?;
/// assert!(is_new);
/// assert_eq!(store.keep_puzzle(puzzle)?, (id, false));   // the key is known
/// let forks = PuzzleFilter { theme: Some("fork"), ..PuzzleFilter::default() };
/// assert_eq!(store.count_puzzles(forks)?, 1);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NewPuzzle<'a> {
    /// Zobrist key of the position shown, which identifies the puzzle.
    pub key: u64,
    /// The source of the puzzle, as users see it: a file or a game.
    pub origin: &'a str,
    /// The puzzle's rating in points; `None` if it has not been rated.
    pub rating: Option<u32>,
    /// Names of the puzzle's themes.
    pub themes: &'a [&'a str],
    /// Number of its game in the store, and number of plies before the solver's mistake.
    pub place: Option<(i64, i64)>,
    /// The puzzle as JSON.
    pub document: &'a str,
}

/// A selection of puzzles. The default selects all.
#[derive(Clone, Copy, Debug, Default)]
pub struct PuzzleFilter<'a> {
    /// Only puzzles with this theme.
    pub theme: Option<&'a str>,
    /// Only puzzles with a rating in this range, both ends included.
    pub ratings: Option<(i64, i64)>,
    /// Only puzzles from this source.
    pub origin: Option<&'a str>,
    /// Only puzzles that are due at this time, in seconds since 1970.
    pub due: Option<i64>,
    /// Only puzzles without attempts.
    pub untried: bool,
    /// Only puzzles with these numbers.
    pub only: Option<&'a [i64]>,
}

/// Numbers of puzzles of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PuzzleCounts {
    /// Number of all puzzles.
    pub total: i64,
    /// Number of puzzles that are due for repetition.
    pub due: i64,
    /// Number of puzzles without attempts.
    pub untried: i64,
}

/// An attempt at a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// Number of the puzzle.
    pub puzzle: i64,
    /// Time of the attempt, in seconds since 1970.
    pub at: i64,
    /// Number of wrong moves.
    pub mistakes: i64,
    /// Number of hints; showing the solution counts as one.
    pub hints: i64,
}

/// The columns in the order in which [`read`] expects them.
const COLUMNS: &str = "id, origin, rating, game, ply, document, due, stability, \
     difficulty, answered_at, (SELECT count(*) FROM attempt WHERE attempt.puzzle = puzzle.id)";

/// Returns the conditions of a [`PuzzleFilter`] in SQL; $1 to $6 are its values.
fn conditions(filter: &PuzzleFilter<'_>) -> String {
    let only = filter
        .only
        .map(|only| format!(" AND id IN ({})", numbers(only)));
    format!("{CONDITIONS}{}", only.unwrap_or_default())
}

const CONDITIONS: &str = "($1 = '' OR replace(themes, $1, '') <> themes) AND ($2 < 0 \
     OR rating BETWEEN $2 AND $3) AND ($4 = '' OR origin = $4) \
                      AND ($5 < 0 OR due <= $5) \
                      AND ($6 = 0 OR NOT EXISTS (SELECT 1 FROM attempt \
                      WHERE attempt.puzzle = puzzle.id))";

impl Store {
    /// Stores a puzzle. Returns its number and whether it is new. A puzzle whose position is
    /// already stored keeps its number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_puzzle(&self, puzzle: NewPuzzle<'_>) -> Result<(i64, bool), StoreError> {
        let session = &self.database.session;
        let NewPuzzle {
            key,
            origin,
            rating,
            themes,
            place,
            document,
        } = puzzle;
        let origin = &*storable(origin);
        // The databases have no unsigned integers.
        let (key, themes) = (key.cast_signed(), format!(" {} ", themes.join(" ")));
        let kept = self.database.block_on(session.patiently(|| async {
            let mut connection = session.pool.acquire().await?;
            let done = sqlx::query(
                "INSERT INTO puzzle (key, origin, rating, themes, game, ply, document) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(key)
            .bind(origin)
            .bind(rating.map(i64::from))
            .bind(&themes)
            .bind(place.map(|(game, _)| game))
            .bind(place.map(|(_, ply)| ply))
            .bind(document)
            .execute(&mut *connection)
            .await?;
            let row = sqlx::query("SELECT id FROM puzzle WHERE key = $1")
                .bind(key)
                .fetch_one(&mut *connection)
                .await?;
            Ok((row.try_get(0)?, done.rows_affected() > 0))
        }));
        kept.map_err(session.failed("keep a puzzle"))
    }

    /// Replaces the rating, the themes and the document of a puzzle.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn set_puzzle(
        &self,
        id: i64,
        rating: Option<u32>,
        themes: &[&str],
        document: &str,
    ) -> Result<(), StoreError> {
        let session = &self.database.session;
        let themes = format!(" {} ", themes.join(" "));
        let done = self.database.block_on(session.patiently(|| async {
            let sql = "UPDATE puzzle SET rating = $1, themes = $2, document = $3 WHERE id = $4";
            sqlx::query(sql)
                .bind(rating.map(i64::from))
                .bind(&themes)
                .bind(document)
                .bind(id)
                .execute(&session.pool)
                .await
        }));
        done.map(drop).map_err(session.failed("keep a puzzle"))
    }

    /// Returns the puzzle with this number; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn puzzle(&self, id: i64) -> Result<Option<StoredPuzzle>, StoreError> {
        let session = &self.database.session;
        let sql = AssertSqlSafe(format!("SELECT {COLUMNS} FROM puzzle WHERE id = $1"));
        let found = self
            .database
            .block_on(sqlx::query(sql).bind(id).fetch_optional(&session.pool));
        found
            .and_then(|row| row.as_ref().map(read).transpose())
            .map_err(session.failed("be read"))
    }

    /// Returns at most `most` puzzles that match the filter, after skipping the first `skipped`.
    /// Those that have been due longest come first, then the order is by number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn puzzles(
        &self,
        filter: PuzzleFilter<'_>,
        skipped: i64,
        most: i64,
    ) -> Result<Vec<StoredPuzzle>, StoreError> {
        let session = &self.database.session;
        // SQLite and PostgreSQL sort NULL differently, so sort it explicitly last.
        let sql = AssertSqlSafe(format!(
            "SELECT {COLUMNS} FROM puzzle WHERE {} ORDER BY CASE WHEN due IS NULL THEN 1 \
             ELSE 0 END, due, id \
             LIMIT $7 OFFSET $8",
            conditions(&filter)
        ));
        let query = bind(sqlx::query(sql), filter).bind(most).bind(skipped);
        let found = self.database.block_on(query.fetch_all(&session.pool));
        found
            .and_then(|rows| rows.iter().map(read).collect())
            .map_err(session.failed("be read"))
    }

    /// Returns at most `most` puzzles that match the filter and have numbers above `after`, by
    /// number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn puzzles_after(
        &self,
        filter: PuzzleFilter<'_>,
        after: i64,
        most: i64,
    ) -> Result<Vec<StoredPuzzle>, StoreError> {
        let session = &self.database.session;
        let conditions = conditions(&filter);
        let sql = AssertSqlSafe(format!(
            "SELECT {COLUMNS} FROM puzzle WHERE {conditions} AND id > $7 \
                 ORDER BY id LIMIT $8"
        ));
        let query = bind(sqlx::query(sql), filter).bind(after).bind(most);
        let found = self.database.block_on(query.fetch_all(&session.pool));
        found
            .and_then(|rows| rows.iter().map(read).collect())
            .map_err(session.failed("be read"))
    }

    /// Returns the number of puzzles that match the filter.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn count_puzzles(&self, filter: PuzzleFilter<'_>) -> Result<i64, StoreError> {
        let session = &self.database.session;
        let sql = AssertSqlSafe(format!(
            "SELECT count(*) FROM puzzle WHERE {}",
            conditions(&filter)
        ));
        let found = self
            .database
            .block_on(bind(sqlx::query(sql), filter).fetch_one(&session.pool));
        found
            .and_then(|row| row.try_get(0))
            .map_err(session.failed("be read"))
    }

    /// Counts all puzzles by one query, so that the numbers belong together while puzzles are
    /// added. `now` is the time in seconds since 1970.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn puzzle_counts(&self, now: i64) -> Result<PuzzleCounts, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query(
            "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN due <= $1 THEN 1 ELSE 0 END), 0) \
             AS BIGINT), CAST(COALESCE(SUM(CASE WHEN EXISTS (SELECT 1 FROM attempt \
             WHERE attempt.puzzle = puzzle.id) THEN 0 ELSE 1 END), 0) AS BIGINT) FROM puzzle",
        );
        let found = self
            .database
            .block_on(query.bind(now).fetch_one(&session.pool));
        let counts = |row: AnyRow| {
            Ok(PuzzleCounts {
                total: row.try_get(0)?,
                due: row.try_get(1)?,
                untried: row.try_get(2)?,
            })
        };
        found.and_then(counts).map_err(session.failed("be read"))
    }

    /// Returns the sources of the puzzles, each with its number of puzzles, the newest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn puzzle_origins(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query(
            "SELECT origin, count(*) FROM puzzle GROUP BY origin \
             ORDER BY max(id) DESC",
        );
        let found = self.database.block_on(query.fetch_all(&session.pool));
        let rows = found.and_then(|rows| {
            rows.iter()
                .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                .collect()
        });
        rows.map_err(session.failed("be read"))
    }

    /// Returns the themes of the puzzles, each with its number of puzzles.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn puzzle_themes(&self) -> Result<BTreeMap<String, i64>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query("SELECT themes, count(*) FROM puzzle GROUP BY themes");
        let rows = self
            .database
            .block_on(query.fetch_all(&session.pool))
            .map_err(session.failed("be read"))?;
        let mut counts = BTreeMap::new();
        for row in rows {
            let set: Result<(String, i64), sqlx::Error> =
                (|| Ok((row.try_get(0)?, row.try_get(1)?)))();
            let (themes, count) = set.map_err(session.failed("be read"))?;
            for theme in themes.split_whitespace() {
                *counts.entry(theme.to_owned()).or_default() += count;
            }
        }
        Ok(counts)
    }

    /// Stores an attempt, and the new repetition of its puzzle; `None` leaves the repetition
    /// unchanged.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_attempt(
        &self,
        attempt: Attempted,
        repetition: Option<Repetition>,
    ) -> Result<(), StoreError> {
        let session = &self.database.session;
        let Attempted {
            puzzle,
            at,
            mistakes,
            hints,
        } = attempt;
        let kept = self
            .database
            .block_on(session.transact_once(async |connection| {
                sqlx::query(
                    "INSERT INTO attempt (puzzle, tried_at, mistakes, hints) \
                 VALUES ($1, $2, $3, $4)",
                )
                .bind(puzzle)
                .bind(at)
                .bind(mistakes)
                .bind(hints)
                .execute(&mut *connection)
                .await?;
                if repetition.is_some() {
                    repeat(puzzle, repetition).execute(&mut *connection).await?;
                }
                Ok(())
            }));
        kept.map_err(session.failed("keep an attempt"))
    }

    /// Sets the repetition of a puzzle; `None` ends it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn set_repetition(
        &self,
        puzzle: i64,
        repetition: Option<Repetition>,
    ) -> Result<(), StoreError> {
        let session = &self.database.session;
        let kept = self
            .database
            .block_on(session.patiently(|| repeat(puzzle, repetition).execute(&session.pool)));
        kept.map(|_| ())
            .map_err(session.failed("keep a repetition"))
    }

    /// Returns all attempts, the oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn attempts(&self) -> Result<Vec<Attempted>, StoreError> {
        let session = &self.database.session;
        let query =
            sqlx::query("SELECT puzzle, tried_at, mistakes, hints FROM attempt ORDER BY id");
        let found = self.database.block_on(query.fetch_all(&session.pool));
        let read = |row: &AnyRow| {
            Ok(Attempted {
                puzzle: row.try_get(0)?,
                at: row.try_get(1)?,
                mistakes: row.try_get(2)?,
                hints: row.try_get(3)?,
            })
        };
        found
            .and_then(|rows| rows.iter().map(read).collect())
            .map_err(session.failed("be read"))
    }
}

type Query<'q> = sqlx::query::Query<'q, sqlx::Any, sqlx::any::AnyArguments>;

fn bind<'q>(query: Query<'q>, filter: PuzzleFilter<'_>) -> Query<'q> {
    let PuzzleFilter {
        theme,
        ratings,
        origin,
        due,
        untried,
        only: _,
    } = filter;
    let (least, most) = ratings.unwrap_or((-1, -1));
    query
        .bind(theme.map_or_else(String::new, |theme| format!(" {theme} ")))
        .bind(least)
        .bind(most)
        .bind(origin.unwrap_or_default().to_owned())
        .bind(due.unwrap_or(-1))
        .bind(i64::from(untried))
}

/// Returns the statement that sets the repetition of a puzzle.
fn repeat<'q>(puzzle: i64, repetition: Option<Repetition>) -> Query<'q> {
    let memory = repetition.and_then(|repetition| repetition.memory);
    sqlx::query(
        "UPDATE puzzle SET due = $2, stability = $3, difficulty = $4, answered_at = $5 \
         WHERE id = $1",
    )
    .bind(puzzle)
    .bind(repetition.map(|repetition| repetition.due))
    .bind(memory.map(|memory| memory.stability))
    .bind(memory.map(|memory| memory.difficulty))
    .bind(memory.map(|memory| memory.at))
}

fn read(row: &AnyRow) -> Result<StoredPuzzle, sqlx::Error> {
    let due: Option<i64> = row.try_get(6)?;
    let (stability, difficulty): (Option<f64>, Option<f64>) = (row.try_get(7)?, row.try_get(8)?);
    let at: Option<i64> = row.try_get(9)?;
    let memory = stability.zip(difficulty).zip(at);
    let memory = memory.map(|((stability, difficulty), at)| Remembered {
        stability,
        difficulty,
        at,
    });
    let repetition = due.map(|due| Repetition { due, memory });
    Ok(StoredPuzzle {
        id: row.try_get(0)?,
        origin: row.try_get(1)?,
        rating: row.try_get(2)?,
        game: row.try_get(3)?,
        ply: row.try_get(4)?,
        document: row.try_get(5)?,
        repetition,
        attempts: row.try_get(10)?,
    })
}
