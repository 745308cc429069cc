//! ChessDB, the database of evaluated positions at chessdb.cn, as an analyst.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

use centipawn_core::{Eval, Mover};
use centipawn_progress::Cancel;
use serde::Deserialize;
use shakmaty::{CastlingMode, Move};
use ureq::Agent;

use crate::{Analysis, Analyst, AnalystError, Identity, Line, Question};

/// The pauses before each further attempt, after a failure on the way or a question that came too soon.
const PAUSES: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(5)];

/// The longest answer that is read, in bytes. One with evaluations of 218 moves has 20,000.
const LONGEST_ANSWER: u64 = 1 << 20;

/// Beyond this a score is a mate: 30000 less the plies to it. Between 10000 and this it is a tablebase's win.
const MATE: i32 = 25_000;

/// The service ChessDB, or another that speaks its language: evaluations of moves, without variations.
///
/// A question's limit does not matter: the service answers at once with what it knows, or with [`AnalystError::Unknown`]. It gets
/// one question at a time, from all sessions ([`under`](Self::under)) together; a question that fails on the way is repeated
/// after growing pauses. Proxies are those of the environment (HTTPS_PROXY, ALL_PROXY, NO_PROXY). Put a store before it, so that
/// no question is asked twice.
///
/// ```no_run
/// use centipawn_core::History;
/// use centipawn_engine::{Analyst, ChessDb, Limit, Question};
///
/// let analysis = ChessDb::new().analyse(&Question::new(History::default(), Limit::Depth(1)).lines(3))?;
/// assert_eq!(analysis.lines.len(), 3);
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChessDb {
    service: Arc<Service>,
    cancel: Cancel,
}

/// What all sessions share.
struct Service {
    base: String,
    agent: Agent,
    pauses: Vec<Duration>,
    identity: Arc<Identity>,
    turn: Turn,
}

/// Lets one caller ask at a time.
#[derive(Default)]
struct Turn {
    is_taken: Mutex<bool>,
    changed: Condvar,
}

/// The right to ask, until it is dropped.
struct MyTurn<'a>(&'a Turn);

/// `queryall`, as far as it is of use here.
#[derive(Deserialize)]
struct Reply {
    status: String,
    #[serde(default)]
    moves: Vec<KnownMove>,
}

#[derive(Deserialize)]
struct KnownMove {
    uci: String,
    /// Centipawns for the side to move; `"??"` where there is none yet.
    score: serde_json::Value,
}

/// What came of one attempt.
enum Failure {
    /// May pass.
    Passing(String),
    Lasting(String),
}

impl Default for ChessDb {
    fn default() -> Self {
        Self::new()
    }
}

impl ChessDb {
    /// The address of the service at chessdb.cn.
    pub const BASE: &'static str = "https://www.chessdb.cn";

    /// The service at chessdb.cn.
    pub fn new() -> Self {
        Self::at(Self::BASE)
    }

    /// The service at another address, such as `http://localhost:8000`; `cdb.php` is added to it.
    pub fn at(base: &str) -> Self {
        Self::with(base, Duration::from_secs(20), &PAUSES)
    }

    /// The same with other deadlines: how long an answer may take, and how long to wait before each further attempt.
    #[must_use]
    pub fn patience(self, answer: Duration, pauses: &[Duration]) -> Self {
        Self { cancel: self.cancel, ..Self::with(&self.service.base, answer, pauses) }
    }

    /// The same service for work that `cancel` ends: its questions return [`AnalystError::Cancelled`] at once, also those that
    /// wait for their turn, for a pause or for an answer. Other sessions go on.
    #[must_use]
    pub fn under(&self, cancel: &Cancel) -> Self {
        Self { service: Arc::clone(&self.service), cancel: cancel.clone() }
    }

    fn with(base: &str, answer: Duration, pauses: &[Duration]) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        let mut identity =
            Identity { name: "ChessDB".to_owned(), author: "chessdb.cn".to_owned(), ..Identity::default() };
        if base != Self::BASE {
            identity.options.insert("address".to_owned(), base.clone());
        }
        let config = Agent::config_builder()
            .timeout_global(Some(answer))
            .http_status_as_error(false)
            .user_agent(concat!("centipawn/", env!("CARGO_PKG_VERSION")))
            .build();
        let (agent, pauses) = (Agent::new_with_config(config), pauses.to_vec());
        let service = Service { base, agent, pauses, identity: Arc::new(identity), turn: Turn::default() };
        Self { service: Arc::new(service), cancel: Cancel::new() }
    }

    fn query(&self, fen: &str) -> Result<Reply, AnalystError> {
        let _turn = self.take_turn()?;
        let mut pauses = self.service.pauses.iter();
        loop {
            let reason = match self.attempt(fen)? {
                Ok(reply) => return Ok(reply),
                Err(Failure::Lasting(reason)) => reason,
                Err(Failure::Passing(reason)) => match pauses.next() {
                    Some(pause) if self.cancel.wait(*pause) => return Err(AnalystError::Cancelled),
                    Some(_) => continue,
                    None => format!("{reason} ({} attempts)", self.service.pauses.len() + 1),
                },
            };
            return Err(AnalystError::Service { service: format!("ChessDB at {}", self.service.base), reason });
        }
    }

    fn take_turn(&self) -> Result<MyTurn<'_>, AnalystError> {
        let service = Arc::downgrade(&self.service);
        let _registered = self.cancel.on_set(move || {
            if let Some(service) = service.upgrade() {
                service.notify();
            }
        });
        let turn = &self.service.turn;
        let mut is_taken = turn.is_taken();
        while !self.cancel.is_set() {
            if !*is_taken {
                *is_taken = true;
                return Ok(MyTurn(turn));
            }
            is_taken = turn.changed.wait(is_taken).unwrap_or_else(PoisonError::into_inner);
        }
        Err(AnalystError::Cancelled)
    }

    /// One attempt, on a thread of its own: a request cannot be broken off, so a cancelled caller leaves it behind.
    fn attempt(&self, fen: &str) -> Result<Result<Reply, Failure>, AnalystError> {
        let (sender, receiver) = mpsc::channel();
        let wake = sender.clone();
        let _registered = self.cancel.on_set(move || {
            let _ = wake.send(None);
        });
        let url = format!("{}/cdb.php?action=queryall&board={}&json=1", self.service.base, encoded(fen));
        let agent = self.service.agent.clone();
        let request = move || {
            // Nobody listens any more to one that was left behind.
            let _ = sender.send(Some(get(&agent, &url)));
        };
        if let Err(error) = thread::Builder::new().name("chessdb".to_owned()).spawn(request) {
            return Ok(Err(Failure::Passing(error.to_string())));
        }
        receiver.recv().ok().flatten().ok_or(AnalystError::Cancelled)
    }

    fn unknown(&self, question: &Question, reason: impl Into<String>) -> AnalystError {
        AnalystError::Unknown {
            analyst: self.service.identity.name.clone(),
            reason: reason.into(),
            fen: question.history.fen(),
        }
    }
}

impl Analyst for ChessDb {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let candidates = question.candidates()?;
        if candidates.is_empty() {
            return Ok(Analysis::terminal());
        }
        let history = &question.history;
        if history.mode() == CastlingMode::Chess960 {
            return Err(AnalystError::NoChess960 { engine: self.service.identity.name.clone(), fen: history.fen() });
        }
        let wanted = question.lines.max(1).min(candidates.len());
        let reply = self.query(&history.fen())?;
        match reply.status.as_str() {
            "ok" => {}
            "unknown" => return Err(self.unknown(question, "the position is not in it")),
            "nobestmove" => return Err(self.unknown(question, "no move of it is evaluated yet")),
            other => return Err(self.unknown(question, format!("it says {other:?}"))),
        }
        let mut lines = Vec::with_capacity(reply.moves.len());
        for KnownMove { uci, score } in reply.moves {
            let mv: Move = history.parse_uci(&uci).map_err(|_| AnalystError::IllegalMove {
                engine: self.service.identity.name.clone(),
                text: format!("move {uci}"),
                fen: history.fen(),
            })?;
            let score = score.as_i64().and_then(|score| i32::try_from(score).ok());
            if let Some(score) = score.filter(|_| candidates.contains(&mv)) {
                lines.push(Line { pv: vec![mv], eval: eval(score), wdl: None, depth: 0, seldepth: None });
            }
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
        if lines.len() < wanted {
            return Err(self.unknown(question, format!("it evaluates {} of {wanted} moves", lines.len())));
        }
        lines.truncate(wanted);
        Ok(Analysis { lines, ..Analysis::terminal() })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.service.identity)
    }

    /// Politely one.
    fn parallelism(&self) -> usize {
        1
    }
}

/// Asks once.
fn get(agent: &Agent, url: &str) -> Result<Reply, Failure> {
    let on_the_way = |error: ureq::Error| Failure::Passing(error.to_string());
    let mut response = agent.get(url).call().map_err(on_the_way)?;
    let body = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec().map_err(on_the_way)?;
    let text = || String::from_utf8_lossy(&body).trim().chars().take(80).collect::<String>();
    match response.status().as_u16() {
        200 => {}
        status @ (429 | 500..=599) => return Err(Failure::Passing(format!("it answers with status {status}"))),
        status => return Err(Failure::Lasting(format!("it answers with status {status}: {:?}", text()))),
    }
    match serde_json::from_slice::<Reply>(&body) {
        Ok(reply) if reply.status.contains("rate limit") => Err(Failure::Passing(reply.status)),
        Ok(reply) => Ok(reply),
        Err(_) if text().contains("rate limit") => Err(Failure::Passing(text())),
        Err(error) => Err(Failure::Lasting(format!("it does not speak as ChessDB does ({error}): {:?}", text()))),
    }
}

impl Turn {
    fn is_taken(&self) -> MutexGuard<'_, bool> {
        self.is_taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    fn notify(&self) {
        // Under the lock, so that nobody is between looking and waiting.
        let _is_taken = self.turn.is_taken();
        self.turn.changed.notify_all();
    }
}

impl Drop for MyTurn<'_> {
    fn drop(&mut self) {
        *self.0.is_taken() = false;
        self.0.changed.notify_all();
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("base", &self.base).finish_non_exhaustive()
    }
}

/// A tablebase's win without a mate stays the large number that it is: won on every curve.
fn eval(score: i32) -> Eval<Mover> {
    if score.abs() <= MATE {
        return Eval::cp(score);
    }
    let plies = (30_000 - score.abs()).max(1);
    Eval::mate(score.signum() * ((plies + 1) / 2))
}

/// A FEN as a part of an address.
fn encoded(fen: &str) -> String {
    fen.replace(' ', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        assert_eq!(eval(35), Eval::cp(35));
        assert_eq!((eval(29_999), eval(29_997), eval(-29_998)), (Eval::mate(1), Eval::mate(2), Eval::mate(-1)));
        assert_eq!((eval(30_000), eval(-19_990)), (Eval::mate(1), Eval::cp(-19_990)));
    }
}
