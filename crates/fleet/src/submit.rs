//! Submission: games become items and tasks of a run, in transactions of a thousand.

use std::collections::{HashMap, HashSet};

use centipawn_progress::Cancel;
use sqlx::{Executor as _, PgConnection, Row as _};

use crate::{
    Fleet, FleetError, Need, RunId, WORK_FORMAT,
    database::{Patience, sql},
    queue::known,
    run::{TaskGame, hash, pack_games},
    spill::{Spill, SpilledGame},
};

/// Number of games in one transaction.
const BATCH: usize = 1000;

/// A task is limited to the nodes of about a minute on one core. In a run with fewer than this many
/// such tasks the tasks are smaller, so that all workers end at about the same time.
const TASKS: u64 = 64;
const TASK_NODES: std::ops::RangeInclusive<u64> = 2_000_000..=60_000_000;
/// Maximum number of games in a task, and maximum number of bytes of their text.
const TASK_GAMES: usize = 64;
const TASK_BYTES: usize = 1 << 20;

/// A run without its games.
#[derive(Clone, Debug)]
pub(crate) struct RunSpec {
    /// The recipe as JSON.
    pub(crate) recipe: String,
    pub(crate) need: Need,
    pub(crate) proof: Vec<String>,
    /// Everything except the game on which its answers depend.
    pub(crate) game_key: String,
    pub(crate) priority: i32,
    /// Number of games in each task; `None` for tasks that take about a minute, or less in a small
    /// run.
    pub(crate) task_size: Option<usize>,
}

/// Limits of the size of a task.
#[derive(Clone, Copy, Debug)]
struct Limits {
    nodes: u64,
    games: usize,
}

impl RunSpec {
    /// Returns the key of a game's answer.
    pub(crate) fn key(&self, pgn: &str) -> [u8; 32] {
        hash([
            &WORK_FORMAT.to_be_bytes()[..],
            self.game_key.as_bytes(),
            pgn.as_bytes(),
        ])
    }

    /// Returns the limits of tasks of a run. `nodes` is the estimate for all of its games.
    fn limits(&self, nodes: u64) -> Limits {
        match self.task_size {
            Some(games) => Limits {
                nodes: u64::MAX,
                games: games.min(16 * TASK_GAMES),
            },
            None => Limits {
                nodes: (nodes / TASKS).clamp(*TASK_NODES.start(), *TASK_NODES.end()),
                games: TASK_GAMES,
            },
        }
    }
}

/// Up to a thousand items, ready to be inserted.
#[derive(Debug, Default)]
struct Batch {
    numbers: Vec<i64>,
    keys: Vec<Vec<u8>>,
    games: Vec<SpilledGame>,
}

/// Tasks that need their games again, and items that never had a task but have lost their answer.
#[derive(Debug, Default)]
struct Missing {
    /// Numbers of tasks, each with the numbers of its items.
    hollow: Vec<(i32, Vec<i64>)>,
    items: Vec<i64>,
}

impl Fleet {
    /// Returns the open run of these games, or submits them. If several processes submit the same
    /// games at the same time, each of them adds a part.
    pub(crate) fn submit(
        &self,
        spec: &RunSpec,
        spill: &mut Spill,
        cancel: &Cancel,
    ) -> Result<RunId, FleetError> {
        let mut key = hash([
            &WORK_FORMAT.to_be_bytes()[..],
            spec.game_key.as_bytes(),
            spec.recipe.as_bytes(),
        ]);
        let mut nodes = 0_u64;
        for game in spill.read()? {
            let game = game?;
            nodes = nodes.saturating_add(game.nodes);
            key = hash([&key[..], &spec.key(&game.pgn)]);
        }
        let limits = spec.limits(nodes);
        let patience = Patience::Until(cancel);
        let (run, is_submitting) = self.create_run(spec, &key, patience)?;
        if !is_submitting {
            self.refill(run, spec, limits, spill, patience)?;
            return Ok(run);
        }
        let total = spill.games as i64;
        let mut games = spill.read()?.zip(1_i64..).peekable();
        loop {
            let first = self.submitted(run, patience)? + 1;
            let mut batch = Batch::default();
            while batch.numbers.len() < BATCH
                && let Some((game, number)) =
                    games.next_if(|(_, number)| *number < first + BATCH as i64)
            {
                let game = game?;
                if number >= first {
                    batch.numbers.push(number);
                    batch.keys.push(spec.key(&game.pgn).to_vec());
                    batch.games.push(game);
                }
            }
            if self.add(run, limits, first, &batch, total, patience)? {
                // Without statistics of the new rows, the server sorts all tasks to find the first
                // one, which is a hundred times slower.
                self.transact("count what was submitted", patience, async |connection| {
                    connection.execute("ANALYZE centipawn_fleet.task").await?;
                    connection.execute("ANALYZE centipawn_fleet.input").await?;
                    connection
                        .execute("ANALYZE centipawn_fleet.item")
                        .await
                        .map(drop)
                })?;
                return Ok(run);
            }
            if cancel.is_set() {
                return Err(FleetError::Cancelled);
            }
            if batch.numbers.is_empty() && first <= total {
                // The reader is already past the next game to submit, because committed batches are
                // gone, for example after a failover of the server. Start again from the beginning.
                games = spill.read()?.zip(1_i64..).peekable();
            }
        }
    }

    /// Sends games again for tasks that must be repeated and whose games were deleted. Creates
    /// tasks for games whose earlier answer was deleted. Returns whether there were any.
    pub(crate) fn refill_run(
        &self,
        run: RunId,
        spec: &RunSpec,
        spill: &mut Spill,
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        self.refill(run, spec, spec.limits(0), spill, patience)
    }

    fn refill(
        &self,
        run: RunId,
        spec: &RunSpec,
        limits: Limits,
        spill: &mut Spill,
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        let missing = self.transact("look for what is missing", patience, async |connection| {
            missing(connection, run).await
        })?;
        let wanted: HashSet<i64> = missing
            .hollow
            .iter()
            .flat_map(|(_, items)| items)
            .chain(&missing.items)
            .copied()
            .collect();
        if wanted.is_empty() {
            return Ok(false);
        }
        let mut games = HashMap::new();
        for (game, number) in spill.read()?.zip(1_i64..) {
            let game = game?;
            if wanted.contains(&number) && (!game.is_stored || !missing.items.contains(&number)) {
                games.insert(number, game);
            }
        }
        for (task, items) in &missing.hollow {
            let mut open = Vec::new();
            for number in items {
                // The keys of the run and of this file are equal, so items have the numbers of the
                // file's games.
                let Some(game) = games.get(number) else {
                    continue;
                };
                open.push((
                    *number,
                    TaskGame {
                        key: spec.key(&game.pgn).to_vec(),
                        pgn: game.pgn.clone(),
                    },
                ));
            }
            let mut tasks = Tasks::default();
            tasks.close(*task, &mut open);
            self.transact("submit games again", patience, async |connection| {
                let filled = sql("UPDATE centipawn_fleet.task \
                     SET state = 'waiting', source = number, skip = 0, message = NULL \
                     WHERE run = $1 AND number = $2 AND state = 'hollow'");
                let filled = filled
                    .bind(run.0)
                    .bind(task)
                    .execute(&mut *connection)
                    .await?;
                if filled.rows_affected() > 0 {
                    put(connection, run, &tasks).await?;
                    sql("SELECT centipawn_fleet.add_tally($1, 0, more_hollow => -1)")
                        .bind(run.0)
                        .execute(connection)
                        .await?;
                }
                Ok(())
            })?;
        }
        for numbers in missing.items.chunks(BATCH) {
            let mut batch = Batch::default();
            for number in numbers {
                let Some(game) = games.remove(number) else {
                    continue;
                };
                batch.numbers.push(*number);
                batch.keys.push(spec.key(&game.pgn).to_vec());
                batch.games.push(game);
            }
            self.transact("submit games again", patience, async |connection| {
                // The lock ensures that only one process assigns numbers of tasks. It may have
                // waited, so filter the items that still have no task.
                sql("SELECT FROM centipawn_fleet.run WHERE id = $1 FOR NO KEY UPDATE")
                    .bind(run.0)
                    .execute(&mut *connection)
                    .await?;
                let free = sql("SELECT number FROM centipawn_fleet.item WHERE run = $1 \
                     AND number = ANY($2) AND task IS NULL");
                let free = free
                    .bind(run.0)
                    .bind(&batch.numbers)
                    .fetch_all(&mut *connection)
                    .await?;
                if free.len() < batch.numbers.len() || batch.numbers.is_empty() {
                    return Ok(());
                }
                let tasks = Tasks::of(
                    &batch,
                    limits,
                    next_task(connection, run).await?,
                    &HashSet::new(),
                );
                sql("UPDATE centipawn_fleet.item i SET task = new.task \
                     FROM unnest($2::bigint[], $3::int[]) AS new(number, task) \
                     WHERE i.run = $1 AND i.number = new.number")
                .bind(run.0)
                .bind(&batch.numbers)
                .bind(&tasks.of_game)
                .execute(&mut *connection)
                .await?;
                insert(connection, run, &tasks).await?;
                // An item without a task was counted as answered. Now it waits for its task.
                sql(
                    "SELECT centipawn_fleet.add_tally($1, 0, more_tasks => $2, more_answered => \
                     -$3::bigint)",
                )
                .bind(run.0)
                .bind(tasks.numbers.len() as i64)
                .bind(batch.numbers.len() as i64)
                .execute(connection)
                .await
                .map(drop)
            })?;
        }
        Ok(true)
    }

    fn create_run(
        &self,
        spec: &RunSpec,
        key: &[u8],
        patience: Patience<'_>,
    ) -> Result<(RunId, bool), FleetError> {
        let need = serde_json::to_string(&spec.need).unwrap_or_default();
        let proof = serde_json::to_string(&spec.proof).unwrap_or_default();
        let submitter = submitter();
        self.transact("submit a run", patience, async |connection| {
            sql("INSERT INTO centipawn_fleet.run \
                 (key, recipe, need, proof, format, priority, submitter) VALUES \
                 ($1, CAST($2 AS TEXT)::JSONB, CAST($3 AS TEXT)::JSONB, \
                 CAST($4 AS TEXT)::JSONB, $5, $6, $7) \
                 ON CONFLICT (key) WHERE state <> 'cancelled' DO NOTHING")
            .bind(key)
            .bind(&spec.recipe)
            .bind(&need)
            .bind(&proof)
            .bind(WORK_FORMAT)
            .bind(spec.priority)
            .bind(&submitter)
            .execute(&mut *connection)
            .await?;
            let row = sql(
                "SELECT id, state = 'submitting' FROM centipawn_fleet.run WHERE key = $1 \
                     AND state <> 'cancelled'",
            )
            .bind(key)
            .fetch_one(&mut *connection)
            .await?;
            let (run, is_submitting) = (RunId(row.try_get(0)?), row.try_get(1)?);
            if is_submitting {
                // `create_queue` has no effect if the queue exists.
                sql("SELECT centipawn_fleet.create_queue($1)")
                    .bind(run.0)
                    .execute(connection)
                    .await?;
            }
            Ok((run, is_submitting))
        })
    }

    /// Returns the number of submitted games of a run.
    fn submitted(&self, run: RunId, patience: Patience<'_>) -> Result<i64, FleetError> {
        self.transact("submit a run", patience, async |connection| {
            submitted(connection, run).await
        })
    }

    /// Adds a batch that begins with the game `first`, unless another process has already added it.
    /// Returns whether the run is complete.
    fn add(
        &self,
        run: RunId,
        limits: Limits,
        first: i64,
        batch: &Batch,
        total: i64,
        patience: Patience<'_>,
    ) -> Result<bool, FleetError> {
        self.transact("submit games", patience, async |connection| {
            let row =
                sql("SELECT state FROM centipawn_fleet.run WHERE id = $1 FOR UPDATE").bind(run.0);
            let state: Option<String> = row
                .fetch_optional(&mut *connection)
                .await?
                .map(|row| row.try_get(0))
                .transpose()?;
            if state.as_deref() != Some("submitting") {
                return Ok(true);
            }
            if submitted(connection, run).await? + 1 != first {
                return Ok(false);
            }
            let answered = known(connection, &batch.keys).await?.into_iter().collect();
            let next = next_task(connection, run).await?;
            let tasks = Tasks::of(batch, limits, next, &answered);
            sql("INSERT INTO centipawn_fleet.item (run, number, key, task) \
                 SELECT $1, number, key, task \
                 FROM unnest($2::bigint[], $3::bytea[], $4::int[]) AS new(number, key, task)")
            .bind(run.0)
            .bind(&batch.numbers)
            .bind(&batch.keys)
            .bind(&tasks.of_game)
            .execute(&mut *connection)
            .await?;
            insert(connection, run, &tasks).await?;
            // Games whose answers the submitter's store has are counted as answered too.
            let known = tasks.of_game.iter().filter(|task| task.is_none()).count();
            sql(
                "SELECT centipawn_fleet.add_tally($1, 0, more_tasks => $2, more_games => $3, \
                 more_answered => $4)",
            )
            .bind(run.0)
            .bind(tasks.numbers.len() as i64)
            .bind(batch.numbers.len() as i64)
            .bind(known as i64)
            .execute(&mut *connection)
            .await?;
            let is_last = first + batch.numbers.len() as i64 > total;
            if is_last {
                sql("UPDATE centipawn_fleet.run SET state = 'open' WHERE id = $1")
                    .bind(run.0)
                    .execute(connection)
                    .await?;
            }
            Ok(is_last)
        })
    }
}

async fn next_task(connection: &mut PgConnection, run: RunId) -> Result<i32, sqlx::Error> {
    let next = sql("SELECT coalesce(max(number), 0) + 1 FROM centipawn_fleet.task WHERE run = $1")
        .bind(run.0);
    next.fetch_one(connection).await?.try_get(0)
}

/// Finds the tasks without games and the items without answers of a run.
async fn missing(connection: &mut PgConnection, run: RunId) -> Result<Missing, sqlx::Error> {
    let rows = sql(
        "SELECT t.number, i.number AS item FROM centipawn_fleet.task t \
         JOIN centipawn_fleet.item i \
         ON i.run = t.run AND i.number BETWEEN t.first AND t.last AND i.task = t.number \
         WHERE t.run = $1 AND t.state = 'hollow' ORDER BY t.number, i.number",
    )
    .bind(run.0)
    .fetch_all(&mut *connection)
    .await?;
    let mut missing = Missing::default();
    for row in rows {
        let (task, item): (i32, i64) = (row.try_get("number")?, row.try_get("item")?);
        match missing.hollow.last_mut() {
            Some((last, items)) if *last == task => items.push(item),
            _ => missing.hollow.push((task, vec![item])),
        }
    }
    let rows = sql(
        "SELECT i.number FROM centipawn_fleet.item i WHERE i.run = $1 \
         AND i.task IS NULL \
         AND NOT EXISTS (SELECT FROM centipawn_fleet.answer a WHERE a.key = i.key) \
         ORDER BY i.number",
    )
    .bind(run.0)
    .fetch_all(connection)
    .await?;
    missing.items = rows
        .iter()
        .map(|row| row.try_get("number"))
        .collect::<Result<_, _>>()?;
    Ok(missing)
}

/// Inserts tasks with their games, and adds them to the queue.
async fn insert(
    connection: &mut PgConnection,
    run: RunId,
    tasks: &Tasks,
) -> Result<(), sqlx::Error> {
    sql(
        "INSERT INTO centipawn_fleet.task (run, number, source, games, first, last) \
         SELECT $1, number, number, games, first, last \
         FROM unnest($2::int[], $3::int[], $4::bigint[], $5::bigint[]) AS new(number, games, \
         first, last)",
    )
    .bind(run.0)
    .bind(&tasks.numbers)
    .bind(&tasks.games)
    .bind(&tasks.first)
    .bind(&tasks.last)
    .execute(&mut *connection)
    .await?;
    put(connection, run, tasks).await
}

/// Stores the games of tasks, and adds the tasks to the queue.
async fn put(connection: &mut PgConnection, run: RunId, tasks: &Tasks) -> Result<(), sqlx::Error> {
    sql(
        "INSERT INTO centipawn_fleet.input (run, number, games) SELECT $1, number, games \
         FROM unnest($2::int[], $3::bytea[]) AS new(number, games) \
         ON CONFLICT (run, number) DO UPDATE SET games = excluded.games",
    )
    .bind(run.0)
    .bind(&tasks.numbers)
    .bind(&tasks.inputs)
    .execute(&mut *connection)
    .await?;
    sql("SELECT centipawn_fleet.send($1, $2)")
        .bind(run.0)
        .bind(&tasks.numbers)
        .execute(connection)
        .await
        .map(drop)
}

async fn submitted(connection: &mut PgConnection, run: RunId) -> Result<i64, sqlx::Error> {
    let row =
        sql("SELECT coalesce(max(number), 0) FROM centipawn_fleet.item WHERE run = $1").bind(run.0);
    row.fetch_one(connection).await?.try_get(0)
}

/// The tasks of a batch, as columns.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tasks {
    /// The task of each game; `None` if its answer is known.
    of_game: Vec<Option<i32>>,
    numbers: Vec<i32>,
    games: Vec<i32>,
    /// The first and the last item of each task.
    first: Vec<i64>,
    last: Vec<i64>,
    inputs: Vec<Vec<u8>>,
}

impl Tasks {
    /// Groups the games of a batch into tasks, numbered from `next`.
    fn of(batch: &Batch, limits: Limits, next: i32, answered: &HashSet<Vec<u8>>) -> Self {
        let mut all = Self::default();
        let (mut open, mut nodes, mut bytes) = (Vec::<(i64, TaskGame)>::new(), 0_u64, 0);
        for ((game, key), number) in batch.games.iter().zip(&batch.keys).zip(&batch.numbers) {
            if game.is_stored || answered.contains(key) {
                all.of_game.push(None);
                continue;
            }
            let is_full = open.len() >= limits.games
                || nodes.saturating_add(game.nodes) > limits.nodes
                || bytes + game.pgn.len() > TASK_BYTES;
            if is_full && !open.is_empty() {
                all.close(next + all.numbers.len() as i32, &mut open);
                (nodes, bytes) = (0, 0);
            }
            nodes = nodes.saturating_add(game.nodes);
            bytes += game.pgn.len();
            open.push((
                *number,
                TaskGame {
                    key: key.clone(),
                    pgn: game.pgn.clone(),
                },
            ));
            all.of_game.push(Some(next + all.numbers.len() as i32));
        }
        all.close(next + all.numbers.len() as i32, &mut open);
        all
    }

    /// Completes a task with the games `open`.
    fn close(&mut self, number: i32, open: &mut Vec<(i64, TaskGame)>) {
        let (Some((first, _)), Some((last, _))) = (open.first(), open.last()) else {
            return;
        };
        self.first.push(*first);
        self.last.push(*last);
        self.numbers.push(number);
        self.games.push(open.len() as i32);
        let games: Vec<TaskGame> = std::mem::take(open)
            .into_iter()
            .map(|(_, game)| game)
            .collect();
        self.inputs.push(pack_games(&games));
    }
}

/// Returns the name of the submitter: user and host, as far as the environment contains them.
fn submitter() -> String {
    let name = |variables: [&str; 2]| {
        variables
            .iter()
            .find_map(|name| std::env::var(name).ok())
            .unwrap_or_default()
    };
    let (user, host) = (name(["USER", "USERNAME"]), crate::worker::host());
    if user.is_empty() {
        host
    } else {
        format!("{user}@{host}")
    }
}

#[cfg(test)]
mod tests {
    use centipawn_engine::Identity;

    use super::*;
    use centipawn_work::remote::read_game;

    use crate::run::unpack_games;

    fn spec(task: Option<usize>) -> RunSpec {
        let engine = Identity {
            name: "X".to_owned(),
            author: String::new(),
            options: [].into(),
        };
        let need = Need {
            engine,
            networks: Vec::new(),
        };
        RunSpec {
            recipe: "{}".to_owned(),
            need,
            proof: Vec::new(),
            game_key: String::new(),
            priority: 0,
            task_size: task,
        }
    }

    fn batch(nodes: &[u64]) -> Batch {
        let mut batch = Batch::default();
        for (number, nodes) in (1..).zip(nodes) {
            let game = read_game(format!("[Round \"{number}\"]\n\n1. e4 *").as_bytes()).unwrap();
            let game = SpilledGame::new(&game, *nodes, false);
            batch.numbers.push(number);
            batch.keys.push(spec(None).key(&game.pgn).to_vec());
            batch.games.push(game);
        }
        batch
    }

    /// Later versions must find the answers and runs of this version. If this test fails,
    /// [`WORK_FORMAT`] must be increased.
    #[test]
    fn keys_change_only_with_the_format() {
        let key = spec(None)
            .key("1. e4 *")
            .map(|byte| format!("{byte:02x}"))
            .concat();
        assert_eq!(
            (WORK_FORMAT, key.as_str()),
            (
                1,
                "bd9fb698048561ce2f90734bc3e2b00cc710d119cecf90af2f8a0038f79bced2"
            )
        );
    }

    #[test]
    fn tasks_take_about_a_minute() {
        let batch = batch(&[30_000_000, 20_000_000, 20_000_000, 100_000_000, 1, 1]);
        let tasks = Tasks::of(&batch, spec(None).limits(u64::MAX), 7, &HashSet::new());
        assert_eq!(
            tasks.of_game,
            [Some(7), Some(7), Some(8), Some(9), Some(10), Some(10)]
        );
        assert_eq!(
            (tasks.numbers, tasks.games),
            (vec![7, 8, 9, 10], vec![2, 1, 1, 2])
        );
        let games = unpack_games(&tasks.inputs[3]).unwrap();
        assert_eq!(games[1].pgn, batch.games[5].pgn);
        assert_eq!(games[1].key, batch.keys[5]);
    }

    #[test]
    fn tasks_of_a_small_run_are_small() {
        let nodes = |all| spec(None).limits(all).nodes;
        assert_eq!(
            [nodes(0), nodes(640_000_000), nodes(u64::MAX)],
            [2_000_000, 10_000_000, 60_000_000]
        );
        let batch = batch(&[1_500_000, 1_000_000, 600_000]);
        let tasks = Tasks::of(&batch, spec(None).limits(3_100_000), 1, &HashSet::new());
        assert_eq!(tasks.games, [1, 2]);
    }

    #[test]
    fn games_with_an_answer_get_no_task() {
        let batch = batch(&[1; 5]);
        let answered = HashSet::from([batch.keys[1].clone(), batch.keys[4].clone()]);
        let tasks = Tasks::of(&batch, spec(Some(2)).limits(5), 1, &answered);
        assert_eq!(tasks.of_game, [Some(1), None, Some(1), Some(2), None]);
        assert_eq!(tasks.games, [2, 1]);
    }
}
