//! Writes rows to the database. Rows of concurrent callers are written in one transaction.

use sqlx::{AnyConnection, AssertSqlSafe};
use tokio::sync::{mpsc, oneshot};

use crate::{
    StoreError,
    database::{Kind, Session},
    packed,
    query_key::QueryKey,
};

/// A batch with at least this many rows takes no rows of further callers.
const BATCH: usize = 50_000;
/// Numbers of rows in one statement. There are only three, so that each statement is prepared once.
const STATEMENTS: [usize; 3] = [256, 16, 1];
const COLUMNS: usize = 7;
/// A row of the table `evaluation`.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) engine: i64,
    pub(crate) key: QueryKey,
    pub(crate) answer: Vec<u8>,
}

struct Job {
    rows: Vec<Row>,
    done: oneshot::Sender<Result<(), StoreError>>,
}

/// Sends rows to the task that writes them.
#[derive(Clone, Debug)]
pub(crate) struct Writer(mpsc::UnboundedSender<Job>);

impl Writer {
    /// Creates a writer and its task, which ends when the last clone of the writer is dropped.
    pub(crate) fn new(session: Session) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, mut jobs) = mpsc::unbounded_channel::<Job>();
        let task = async move {
            while let Some(first) = jobs.recv().await {
                let (mut rows, mut waiting) = (first.rows, vec![first.done]);
                // Add the rows that arrived while the previous batch was being written.
                while rows.len() < BATCH {
                    let Ok(next) = jobs.try_recv() else { break };
                    rows.extend(next.rows);
                    waiting.push(next.done);
                }
                let result = write(&session, rows).await;
                for done in waiting {
                    // Sending fails if the caller no longer waits.
                    let _ = done.send(result.clone());
                }
            }
        };
        (Self(sender), task)
    }

    /// Writes rows. Returns when they are on disk.
    pub(crate) fn write(
        &self,
        rows: Vec<Row>,
        ended: impl Fn() -> StoreError,
    ) -> Result<(), StoreError> {
        let (done, result) = oneshot::channel();
        self.0.send(Job { rows, done }).map_err(|_| ended())?;
        result.blocking_recv().unwrap_or_else(|_| Err(ended()))
    }
}

async fn write(session: &Session, mut rows: Vec<Row>) -> Result<(), StoreError> {
    // Sorted rows share pages of the index. Two processes that write the same rows do so in the
    // same order and cannot deadlock.
    rows.sort_by_cached_key(|row| packed::slot(&row.key.question));
    let written = session
        .transact(async |connection| insert(connection, session.kind, &rows).await)
        .await;
    written.map_err(session.failed("keep an evaluation"))
}

async fn insert(
    connection: &mut AnyConnection,
    kind: Kind,
    mut rows: &[Row],
) -> Result<(), sqlx::Error> {
    for size in STATEMENTS {
        let sql = statement(kind, size);
        while let Some((now, rest)) = rows.split_at_checked(size) {
            let mut query = sqlx::query(AssertSqlSafe(sql.as_str()));
            for Row {
                engine,
                key,
                answer,
            } in now
            {
                query = query
                    .bind(packed::slot(&key.question))
                    .bind(engine)
                    .bind(key.limit_kind)
                    .bind(key.limit_amount)
                    .bind(key.lines)
                    .bind(key.question.as_slice())
                    .bind(answer.as_slice());
            }
            query.execute(&mut *connection).await?;
            rows = rest;
        }
    }
    Ok(())
}

/// Returns the SQL that inserts rows. It does not replace existing rows, so that a question keeps
/// its first answer.
fn statement(kind: Kind, rows: usize) -> String {
    let row = |index: usize| {
        let places: Vec<String> = (1..=COLUMNS)
            .map(|column| kind.place(index * COLUMNS + column))
            .collect();
        format!("({})", places.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!(
        "INSERT INTO evaluation (slot, engine, limit_kind, limit_amount, lines, question, answer) \
         VALUES {} \
         ON CONFLICT DO NOTHING",
        rows.join(", ")
    )
}
