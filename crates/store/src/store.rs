//! The store, which finds and stores evaluations.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    sync::{Arc, Mutex, PoisonError},
};

use centipawn_engine::{Analysis, Identity, Question};
use centipawn_progress::{Files, Reporter, Silent};
use sqlx::{AssertSqlSafe, Row as _};

use crate::{
    Location, StoreError, answer,
    database::{Access, Database, Kind, Session},
    packed::slot,
    query_key::{QueryKey, StoredAnswer},
    writer::{Row, Writer},
};

/// Numbers of slots in one statement. There are only three, so that each statement is prepared
/// once.
const STATEMENTS: [usize; 3] = [1, 16, 256];

/// Separates the rows in a statement's result.
const SEPARATOR: char = ';';

/// Evaluations, games and their reviews, in a file or on a server.
///
/// All functions block, and rows are on disk when the function that stores them returns. Any number
/// of threads and processes may use one store at the same time. Rows that several threads of a
/// process store at the same time are written in one transaction.
///
/// ```
/// use centipawn_core::{Eval, History};
/// use centipawn_engine::{Analysis, Identity, Limit, Line, Question};
/// use centipawn_store::{Location, Store};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let file = folder.path().join("evaluations.db");
/// let store = Store::open(&Location::File(file))?;
/// let who = Identity { name: "Stockfish 15.1".into(), ..Identity::default() };
/// let question = Question::new(History::default(), Limit::Nodes(100_000)).lines(2);
/// # let mv = |uci| question.history.parse_uci(uci).unwrap();
/// # let line = |uci, cp| Line {
/// #     pv: vec![mv(uci)],
/// #     eval: Eval::cp(cp),
/// #     last_exact: None,
/// #     wdl: None,
/// #     depth: 13,
/// #     seldepth: None,
/// # };
/// # let lines = vec![line("e2e4", 35), line("d2d4", 30)];
/// # let analysis = Analysis { lines, nodes: 100_012, depth: 13, time: Default::default() };
/// store.keep(&who, &question, &analysis)?;
///
/// // A wider or deeper answer is used for a smaller question.
/// let smaller = Question::new(History::default(), Limit::Nodes(50_000));
/// assert_eq!(store.find(&who, &smaller)?.unwrap().lines, analysis.lines[..1]);
/// # Ok::<(), centipawn_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Store {
    // Dropped first: the task of the writer ends, for which the database waits.
    writer: Writer,
    engines: Mutex<HashMap<Identity, i64>>,
    pub(crate) database: Database,
}

impl Store {
    /// Opens a store. Creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be created or written, is damaged or of a newer version,
    /// or is not a store. The file is then unchanged.
    pub fn open(place: &Location) -> Result<Self, StoreError> {
        Self::open_reporting(place, Arc::new(Silent))
    }

    /// Like [`open`](Self::open). Also reports waits of more than five seconds, for a locked file
    /// or a server that does not answer. All waits end after about a minute.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_reporting(
        place: &Location,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self, StoreError> {
        Self::open_for(place, Access::Write, reporter)
    }

    /// Opens an existing store for reading only. Nothing is created, and the file may be on a
    /// read-only disk.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open), and [`StoreError::Missing`]. An empty file is not a
    /// store.
    pub fn open_to_read(place: &Location, reporter: Arc<dyn Reporter>) -> Result<Self, StoreError> {
        Self::open_for(place, Access::Read, reporter)
    }

    fn open_for(
        place: &Location,
        access: Access,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self, StoreError> {
        let database = Database::open(place, access, reporter)?;
        let (writer, task) = Writer::new(database.session.clone());
        database.spawn(task);
        Ok(Self {
            writer,
            engines: Mutex::default(),
            database,
        })
    }

    /// Opens the user's own store at [`Location::of_user`], like
    /// [`open_reporting`](Self::open_reporting). Creates it and its folder if they do not exist.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open), [`StoreError::NoHome`] and [`StoreError::Folder`].
    pub fn of_user(reporter: Arc<dyn Reporter>) -> Result<Self, StoreError> {
        let file = Location::of_user().ok_or(StoreError::NoHome)?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|error| StoreError::Folder {
                folder: folder.display().to_string(),
                reason: error.to_string(),
            })?;
        }
        Self::open_reporting(&Location::File(file), reporter)
    }

    /// Returns a [`Files`] for results, which refuses to replace the files of this store.
    pub fn files(&self) -> Files {
        let mut files = Files::default();
        if let Location::File(path) = self.location() {
            files.also_reads_database(path);
        }
        files
    }

    /// Returns the location of the store.
    pub fn location(&self) -> &Location {
        &self.database.session.place
    }

    /// Returns the answer of the engine `who` to this question, or otherwise the nearest wider or
    /// deeper one; `None` if there is neither.
    ///
    /// Lines beyond the requested number are left out. Positions without a legal move, and
    /// questions with illegal [`searchmoves`](Question::searchmoves), have no answer.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn find(
        &self,
        who: &Identity,
        question: &Question,
    ) -> Result<Option<Analysis>, StoreError> {
        Ok(self
            .find_all(who, std::slice::from_ref(question))?
            .pop()
            .flatten())
    }

    /// Returns the answer to exactly this question, not a wider or deeper one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub(crate) fn find_exactly(
        &self,
        who: &Identity,
        question: &Question,
    ) -> Result<Option<Analysis>, StoreError> {
        Ok(self
            .find_where(
                who,
                std::slice::from_ref(question),
                StoredAnswer::answers_exactly,
            )?
            .pop()
            .flatten())
    }

    /// Like [`find`](Self::find), for many questions, which is several times faster than one by
    /// one. Returns an answer or `None` for each question, in their order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn find_all(
        &self,
        who: &Identity,
        questions: &[Question],
    ) -> Result<Vec<Option<Analysis>>, StoreError> {
        self.find_where(who, questions, |_, _| true)
    }

    fn find_where(
        &self,
        who: &Identity,
        questions: &[Question],
        serves: impl Fn(&StoredAnswer, &QueryKey) -> bool,
    ) -> Result<Vec<Option<Analysis>>, StoreError> {
        let keys: Vec<Option<QueryKey>> = questions
            .iter()
            .map(|question| QueryKey::of(question).ok().flatten())
            .collect();
        let kept = self.look_up(who, &keys)?;
        let found = questions
            .iter()
            .zip(&keys)
            .zip(kept)
            .map(|((question, key), kept)| {
                let (Some(key), Some(kept)) = (key, kept) else {
                    return Ok(None);
                };
                if !serves(&kept, key) {
                    return Ok(None);
                }
                let analysis = answer::decode(
                    &kept.answer,
                    &key.question,
                    &question.history,
                    key.lines as usize,
                );
                analysis.map(Some).ok_or_else(|| StoreError::Damaged {
                    place: self.location().to_string(),
                    reason: format!(
                        "the answer at {} is not as it was kept",
                        question.history.fen()
                    ),
                })
            });
        found.collect()
    }

    /// Returns the best row for each key, with its answer still encoded.
    fn look_up(
        &self,
        who: &Identity,
        keys: &[Option<QueryKey>],
    ) -> Result<Vec<Option<StoredAnswer>>, StoreError> {
        let slots = keys
            .iter()
            .enumerate()
            .filter_map(|(index, key)| Some((slot(&key.as_ref()?.question), index)));
        let mut wanted: Vec<(i64, usize)> = slots.collect();
        // Reading in the order of the index is faster.
        wanted.sort_unstable();
        let engine = if wanted.is_empty() {
            None
        } else {
            self.engine_id(who)?
        };
        let Some(engine) = engine else {
            return Ok(vec![None; keys.len()]);
        };
        let session = &self.database.session;
        let found = self
            .database
            .block_on(session.patiently(|| read_slots(session, engine, keys, &wanted)));
        found.map_err(session.failed("be read"))
    }

    /// Stores an answer, unless the store already has one to exactly this question.
    ///
    /// Returns when the answer is on disk. Answers for positions without a legal move are not
    /// stored.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep(
        &self,
        who: &Identity,
        question: &Question,
        analysis: &Analysis,
    ) -> Result<(), StoreError> {
        self.keep_all(who, [(question, analysis)])
    }

    /// Like [`keep`](Self::keep), for many answers in one transaction.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written. Then none of the answers is stored.
    pub fn keep_all<'a>(
        &self,
        who: &Identity,
        answers: impl IntoIterator<Item = (&'a Question, &'a Analysis)>,
    ) -> Result<(), StoreError> {
        let engine = self.engine_id_or_new(who)?;
        let rows = answers.into_iter().filter_map(|(question, analysis)| {
            let key = QueryKey::of(question).ok().flatten()?;
            let answer = answer::encode(&key.question, analysis);
            Some(Row {
                engine,
                key,
                answer,
            })
        });
        self.write(rows.collect())
    }

    pub(crate) fn write(&self, rows: Vec<Row>) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.writer.write(rows, || StoreError::Failed {
            place: self.location().to_string(),
            doing: "keep an evaluation",
            reason: "it was closed".to_owned(),
        })
    }

    /// Returns the number of an engine in the store; `None` if the store does not contain it.
    fn engine_id(&self, who: &Identity) -> Result<Option<i64>, StoreError> {
        if let Some(id) = self.engines().get(who) {
            return Ok(Some(*id));
        }
        let session = &self.database.session;
        let options = options_text(&who.options);
        let row = self.database.block_on(session.patiently(|| {
            sqlx::query("SELECT id FROM engine WHERE name = $1 AND author = $2 AND options = $3")
                .bind(who.name.as_str())
                .bind(who.author.as_str())
                .bind(options.as_str())
                .fetch_optional(&session.pool)
        }));
        let id = row.and_then(|row| row.map(|row| row.try_get::<i64, _>(0)).transpose());
        let id = id.map_err(session.failed("be read"))?;
        if let Some(id) = id {
            self.engines().insert(who.clone(), id);
        }
        Ok(id)
    }

    pub(crate) fn engine_id_or_new(&self, who: &Identity) -> Result<i64, StoreError> {
        if let Some(id) = self.engine_id(who)? {
            return Ok(id);
        }
        let session = &self.database.session;
        let options = options_text(&who.options);
        let inserted = self.database.block_on(session.patiently(|| {
            sqlx::query(
                "INSERT INTO engine (name, author, options) VALUES ($1, $2, $3) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(who.name.as_str())
            .bind(who.author.as_str())
            .bind(options.as_str())
            .execute(&session.pool)
        }));
        inserted.map_err(session.failed("keep an engine's name"))?;
        self.engine_id(who)?.ok_or_else(|| StoreError::Failed {
            place: self.location().to_string(),
            doing: "keep an engine's name",
            reason: "it is missing after it was written".to_owned(),
        })
    }

    fn engines(&self) -> std::sync::MutexGuard<'_, HashMap<Identity, i64>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Formats options as a JSON object with sorted names.
pub(crate) fn options_text(options: &BTreeMap<String, String>) -> String {
    serde_json::to_value(options).map_or_else(|_| "{}".to_owned(), |value| value.to_string())
}

/// Reads the best row for each key. `wanted` contains ascending slots, each with the index of its
/// key.
async fn read_slots(
    session: &Session,
    engine: i64,
    keys: &[Option<QueryKey>],
    wanted: &[(i64, usize)],
) -> Result<Vec<Option<StoredAnswer>>, sqlx::Error> {
    let mut found: Vec<Option<StoredAnswer>> = vec![None; keys.len()];
    let mut connection = session.pool.acquire().await?;
    for chunk in wanted.chunks(STATEMENTS[STATEMENTS.len() - 1]) {
        let size = STATEMENTS
            .into_iter()
            .find(|size| *size >= chunk.len())
            .unwrap_or(chunk.len());
        let mut query = sqlx::query(AssertSqlSafe(statement(session.kind, size))).bind(engine);
        // Fill unused placeholders with the last slot, which has no effect.
        for index in 0..size {
            query = query.bind(chunk[index.min(chunk.len() - 1)].0);
        }
        let rows: Option<String> = query.fetch_one(&mut *connection).await?.try_get(0)?;
        for row in rows.iter().flat_map(|rows| rows.split(SEPARATOR)) {
            let (slot, question, kept) = read(row)
                .ok_or_else(|| sqlx::Error::Decode("an evaluation cannot be parsed".into()))?;
            let first = chunk.partition_point(|(other, _)| *other < slot);
            for &(_, index) in chunk[first..]
                .iter()
                .take_while(|(other, _)| *other == slot)
            {
                // Different questions may have the same slot, because it is a hash.
                if let Some(key) = keys[index].as_ref().filter(|key| key.question == question) {
                    consider(&mut found[index], &kept, key);
                }
            }
        }
    }
    Ok(found)
}

/// Returns the statement for this number of slots. It returns all rows as one text, because with
/// sqlx transferring a row takes longer than finding it.
fn statement(kind: Kind, slots: usize) -> String {
    let places: Vec<String> = (0..slots).map(|index| kind.place(index + 2)).collect();
    let rows = match kind {
        Kind::Sqlite => format!(
            "group_concat(format('%d %d %d %d %s %s', slot, limit_kind, limit_amount, lines, \
             hex(question), hex(answer)), '{SEPARATOR}')"
        ),
        Kind::Postgres => format!(
            "string_agg(format('%s %s %s %s %s %s', slot, limit_kind, limit_amount, lines, \
             encode(question, 'hex'), encode(answer, 'hex')), '{SEPARATOR}')"
        ),
    };
    format!(
        "SELECT {rows} FROM evaluation WHERE engine = {} AND slot IN ({})",
        kind.place(1),
        places.join(", ")
    )
}

/// Parses a row into its slot, its question and the rest.
fn read(row: &str) -> Option<(i64, Vec<u8>, StoredAnswer)> {
    let mut words = row.split(' ');
    let mut number = || words.next()?.parse::<i64>().ok();
    let (slot, limit_kind, limit_amount, lines) = (number()?, number()?, number()?, number()?);
    let question = from_hex(words.next()?)?;
    let answer = from_hex(words.next()?)?;
    Some((
        slot,
        question,
        StoredAnswer {
            limit_kind,
            limit_amount,
            lines,
            answer,
        },
    ))
}

/// The value of each byte as a hexadecimal digit; 0xff00 for other bytes.
const DIGITS: [u16; 256] = {
    let mut digits = [0xff00; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u16;
        digits[b"0123456789ABCDEF"[value] as usize] = value as u16;
        value += 1;
    }
    digits
};

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    // A byte that is not a digit sets bits in the upper half, which `all` collects.
    let mut all = 0;
    let value = |pair: &[u8; 2]| {
        let byte = DIGITS[usize::from(pair[0])] << 4 | DIGITS[usize::from(pair[1])];
        all |= byte;
        byte as u8
    };
    let bytes = pairs.iter().map(value).collect();
    (rest.is_empty() && all < 0x100).then_some(bytes)
}

/// Replaces `best` by `kept` if `kept` answers the question better.
fn consider(best: &mut Option<StoredAnswer>, kept: &StoredAnswer, key: &QueryKey) {
    let Some(excess) = kept.excess(key) else {
        return;
    };
    if best
        .as_ref()
        .and_then(|best| best.excess(key))
        .is_none_or(|other| excess < other)
    {
        *best = Some(kept.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::from_hex;

    #[test]
    fn hexadecimal_digits() {
        assert_eq!(from_hex("00fFA59c").unwrap(), [0x00, 0xff, 0xa5, 0x9c]);
        assert_eq!(from_hex("").unwrap(), Vec::<u8>::new());
        for text in ["0", "0g", "g0", "0 ", "00f", "0Ä"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
