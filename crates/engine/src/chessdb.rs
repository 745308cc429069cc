//! ChessDB, the database of evaluated positions at chessdb.cn, as an analyst.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

use centipawn_core::{Eval, Mover};
use centipawn_progress::{Cancel, USER_AGENT, text::site_answer};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Deserialize;
use shakmaty::{CastlingMode, Move};
use ureq::Agent;

use crate::{Analysis, Analyst, AnalystError, Identity, Line, Question};

/// The pauses before each further attempt, after a network failure, a server error or a rate limit.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// The longest reply that is read, in bytes. One with evaluations of 218 moves has 20,000.
const LONGEST_ANSWER: u64 = 1 << 20;

/// Scores above this are mates: 30000 minus the plies to mate. Scores from 10000 to this are
/// tablebase wins.
const MATE: i32 = 25_000;

/// The score of a move that gives mate.
const MOST: u32 = 30_000;

/// The service ChessDB, or another with the same protocol. Its lines are one move long and have no
/// depth, nodes or win, draw and loss.
///
/// The service ignores a question's limit: it answers at once with the evaluations it has, or this
/// analyst returns [`AnalystError::Unknown`]. All sessions ([`under`](Self::under)) together send
/// one request at a time. After a network failure, a server error or a rate limit the request is
/// repeated, with growing pauses. Proxies come from the environment (HTTPS_PROXY, ALL_PROXY,
/// NO_PROXY). Put a store before this analyst, so that no question is sent twice.
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

/// The data that all sessions share.
struct Service {
    base: String,
    agent: Agent,
    pauses: Vec<Duration>,
    identity: Arc<Identity>,
    turn: Turn,
}

/// Serialises requests, so that only one caller sends a request at a time.
#[derive(Default)]
struct Turn {
    is_taken: Mutex<bool>,
    changed: Condvar,
}

/// The right to send a request, until it is dropped.
struct MyTurn<'a>(&'a Turn);

/// A reply to `queryall`; fields that are not needed here are left out.
#[derive(Deserialize)]
struct Reply {
    status: String,
    #[serde(default)]
    moves: Vec<KnownMove>,
}

#[derive(Deserialize)]
struct KnownMove {
    uci: String,
    /// Centipawns for the side to move; `"??"` if the move has no evaluation yet.
    score: serde_json::Value,
}

/// The kind of failure of an attempt.
enum Failure {
    /// A temporary failure, after which the request is repeated.
    Passing(String),
    /// The same request would fail again.
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

    /// Creates the service at chessdb.cn.
    pub fn new() -> Self {
        Self::at(Self::BASE)
    }

    /// Returns the service at another address, such as `http://localhost:8000`; requests go to
    /// `cdb.php` below it.
    pub fn at(base: &str) -> Self {
        Self::with(base, Duration::from_secs(20), &PAUSES)
    }

    /// Returns the same service with other timeouts: `answer` for each request (20 s by default),
    /// and one of `pauses` before each further attempt (0.5, 2 and 5 s by default; empty for a
    /// single attempt).
    #[must_use]
    pub fn patience(self, answer: Duration, pauses: &[Duration]) -> Self {
        Self {
            cancel: self.cancel,
            ..Self::with(&self.service.base, answer, pauses)
        }
    }

    /// Returns a session of the same service for one piece of work. When `cancel` is set, the
    /// session's questions return [`AnalystError::Cancelled`] at once, including those that wait
    /// for their turn, a pause or a reply. Other sessions continue.
    #[must_use]
    pub fn under(&self, cancel: &Cancel) -> Self {
        Self {
            service: Arc::clone(&self.service),
            cancel: cancel.clone(),
        }
    }

    fn with(base: &str, answer: Duration, pauses: &[Duration]) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        let mut identity = Identity {
            name: "ChessDB".to_owned(),
            author: "chessdb.cn".to_owned(),
            ..Identity::default()
        };
        if base != Self::BASE {
            identity.options.insert("address".to_owned(), base.clone());
        }
        let config = Agent::config_builder()
            .timeout_global(Some(answer))
            .http_status_as_error(false)
            .user_agent(USER_AGENT)
            .build();
        let (agent, pauses) = (Agent::new_with_config(config), pauses.to_vec());
        let service = Service {
            base,
            agent,
            pauses,
            identity: Arc::new(identity),
            turn: Turn::default(),
        };
        Self {
            service: Arc::new(service),
            cancel: Cancel::new(),
        }
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
            return Err(AnalystError::Service {
                service: format!("ChessDB at {}", self.service.base),
                reason,
            });
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
            is_taken = turn
                .changed
                .wait(is_taken)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Err(AnalystError::Cancelled)
    }

    /// Makes one attempt on a separate thread. A request cannot be aborted, so a cancelled caller
    /// abandons the thread.
    fn attempt(&self, fen: &str) -> Result<Result<Reply, Failure>, AnalystError> {
        let (sender, receiver) = mpsc::channel();
        let wake = sender.clone();
        let _registered = self.cancel.on_set(move || {
            let _ = wake.send(None);
        });
        let url = format!(
            "{}/cdb.php?action=queryall&board={}&json=1",
            self.service.base,
            encoded(fen)
        );
        let agent = self.service.agent.clone();
        let request = move || {
            // The receiver is gone if the caller was cancelled.
            let _ = sender.send(Some(get(&agent, &url)));
        };
        if let Err(error) = thread::Builder::new()
            .name("chessdb".to_owned())
            .spawn(request)
        {
            return Ok(Err(Failure::Passing(error.to_string())));
        }
        receiver
            .recv()
            .ok()
            .flatten()
            .ok_or(AnalystError::Cancelled)
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
            return Err(AnalystError::NoChess960 {
                engine: self.service.identity.name.clone(),
                fen: history.fen(),
            });
        }
        let wanted = question.lines.max(1).min(candidates.len());
        let reply = self.query(&history.fen())?;
        match reply.status.as_str() {
            "ok" => {}
            "unknown" => return Err(self.unknown(question, "the position is not in it")),
            "nobestmove" => return Err(self.unknown(question, "no move of it is evaluated yet")),
            other => return Err(self.unknown(question, format!("it answers {other:?}"))),
        }
        let mut lines = Vec::with_capacity(reply.moves.len());
        for KnownMove { uci, score } in reply.moves {
            let mv: Move = history
                .parse_uci(&uci)
                .map_err(|_| AnalystError::IllegalMove {
                    engine: self.service.identity.name.clone(),
                    text: format!("move {uci}"),
                    fen: history.fen(),
                })?;
            let score = score.as_i64().map(|score| {
                let score = i32::try_from(score)
                    .ok()
                    .filter(|score| score.unsigned_abs() <= MOST);
                score.ok_or_else(|| {
                    self.unknown(
                        question,
                        format!("its score of {uci} is beyond all that it can mean"),
                    )
                })
            });
            if let Some(score) = score.transpose()?.filter(|_| candidates.contains(&mv)) {
                lines.push(Line {
                    pv: vec![mv],
                    eval: eval(score),
                    last_exact: None,
                    wdl: None,
                    depth: 0,
                    seldepth: None,
                });
            }
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
        if lines.len() < wanted {
            return Err(self.unknown(
                question,
                format!("it evaluates {} of {wanted} moves", lines.len()),
            ));
        }
        lines.truncate(wanted);
        Ok(Analysis {
            lines,
            ..Analysis::terminal()
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.service.identity)
    }

    /// Returns 1, to be polite to the service.
    fn parallelism(&self) -> usize {
        1
    }
}

/// Sends one request.
fn get(agent: &Agent, url: &str) -> Result<Reply, Failure> {
    let on_the_way = |error: ureq::Error| Failure::Passing(error.to_string());
    let mut response = agent.get(url).call().map_err(on_the_way)?;
    let body = response
        .body_mut()
        .with_config()
        .limit(LONGEST_ANSWER)
        .read_to_vec()
        .map_err(on_the_way)?;
    let text = || site_answer(&body).unwrap_or_default();
    match response.status().as_u16() {
        200 => {}
        status => {
            let words = site_answer(&body).map_or_else(String::new, |words| format!(": {words:?}"));
            let why = format!("it answers with status {status}{words}");
            return Err(if matches!(status, 429 | 500..=599) {
                Failure::Passing(why)
            } else {
                Failure::Lasting(why)
            });
        }
    }
    match serde_json::from_slice::<Reply>(&body) {
        Ok(reply) if reply.status.contains("rate limit") => Err(Failure::Passing(reply.status)),
        Ok(reply) => Ok(reply),
        Err(_) if text().contains("rate limit") => Err(Failure::Passing(text())),
        Err(error) => Err(Failure::Lasting(format!(
            "it does not speak as ChessDB does ({error}): {:?}",
            text()
        ))),
    }
}

impl Turn {
    fn is_taken(&self) -> MutexGuard<'_, bool> {
        self.is_taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    fn notify(&self) {
        // With the lock held, no thread is between its check and its wait, so none misses the
        // notification.
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
        f.debug_struct("Service")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

/// Converts a score to an evaluation. A tablebase win stays a large number of centipawns, which
/// every curve maps to a win.
fn eval(score: i32) -> Eval<Mover> {
    if score.abs() <= MATE {
        return Eval::cp(score);
    }
    let plies = (30_000 - score.abs()).max(1);
    Eval::mate(score.signum() * ((plies + 1) / 2))
}

/// Returns a FEN, encoded for a URL.
fn encoded(fen: &str) -> String {
    const SPECIAL: &AsciiSet = &CONTROLS.add(b' ');
    utf8_percent_encode(fen, SPECIAL).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        assert_eq!(eval(35), Eval::cp(35));
        assert_eq!(
            (eval(29_999), eval(29_997), eval(-29_998)),
            (Eval::mate(1), Eval::mate(2), Eval::mate(-1))
        );
        assert_eq!(
            (eval(30_000), eval(-19_990)),
            (Eval::mate(1), Eval::cp(-19_990))
        );
    }
}
