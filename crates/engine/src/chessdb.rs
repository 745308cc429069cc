//! ChessDB, the database of evaluated positions at chessdb.cn, as an analyst.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use centipawn_core::{Eval, Mover};
use serde::Deserialize;
use shakmaty::{CastlingMode, Move};

use crate::{Analysis, Analyst, AnalystError, Identity, Line, Question};

/// The service's own address. It is asked without encryption; what is asked are positions.
const BASE: &str = "http://www.chessdb.cn";

/// Waits before asking again what failed on the way, or came too soon after the last question.
const PAUSES: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(5)];

/// Beyond this a score is a mate: 30000 less the plies to it. Between 10000 and this it is a tablebase's win.
const MATE: i32 = 25_000;

/// The service ChessDB, or another that speaks its language: evaluations of moves, without variations.
///
/// The limit of a question means nothing to it: it answers at once with what it knows, or that it knows nothing
/// ([`AnalystError::Unknown`]). One question is asked at a time, and one that fails on the way is asked again with growing
/// pauses. Put a store before it: what it once said need not be asked again.
///
/// ```no_run
/// use centipawn_core::History;
/// use centipawn_engine::{Analyst, ChessDb, Limit, Question};
///
/// let analysis = ChessDb::new().analyse(&Question::new(History::default(), Limit::Depth(1)).lines(3))?;
/// assert_eq!(analysis.lines.len(), 3);
/// # Ok::<(), centipawn_engine::AnalystError>(())
/// ```
#[derive(Debug)]
pub struct ChessDb {
    base: String,
    patience: Duration,
    pauses: Vec<Duration>,
    identity: Arc<Identity>,
    /// Whoever holds it may ask.
    turn: Mutex<()>,
}

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
    /// The service at chessdb.cn.
    pub fn new() -> Self {
        Self::at(BASE)
    }

    /// The service at another address, such as `http://localhost:8000`; `cdb.php` is added to it.
    pub fn at(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        let mut identity =
            Identity { name: "ChessDB".to_owned(), author: "chessdb.cn".to_owned(), ..Identity::default() };
        if base != BASE {
            identity.options.insert("address".to_owned(), base.clone());
        }
        Self {
            base,
            patience: Duration::from_secs(20),
            pauses: PAUSES.to_vec(),
            identity: Arc::new(identity),
            turn: Mutex::new(()),
        }
    }

    /// The same with other deadlines: how long an answer may take, and how long to wait before each further attempt.
    #[must_use]
    pub fn patience(mut self, answer: Duration, pauses: &[Duration]) -> Self {
        self.patience = answer;
        self.pauses = pauses.to_vec();
        self
    }

    fn query(&self, fen: &str) -> Result<Reply, AnalystError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pauses = self.pauses.iter();
        loop {
            let reason = match self.attempt(fen) {
                Ok(reply) => return Ok(reply),
                Err(Failure::Lasting(reason)) => reason,
                Err(Failure::Passing(reason)) => match pauses.next() {
                    Some(pause) => {
                        thread::sleep(*pause);
                        continue;
                    }
                    None => format!("{reason} ({} attempts)", self.pauses.len() + 1),
                },
            };
            return Err(AnalystError::Service { service: format!("ChessDB at {}", self.base), reason });
        }
    }

    fn attempt(&self, fen: &str) -> Result<Reply, Failure> {
        let url = format!("{}/cdb.php?action=queryall&board={}&json=1", self.base, encoded(fen));
        let response = minreq::get(url)
            .with_timeout(self.patience.as_secs().max(1))
            .with_header("User-Agent", concat!("centipawn/", env!("CARGO_PKG_VERSION")))
            .send()
            .map_err(|error| Failure::Passing(error.to_string()))?;
        let text = || String::from_utf8_lossy(response.as_bytes()).trim().chars().take(80).collect::<String>();
        match response.status_code {
            200 => {}
            status @ (429 | 500..=599) => return Err(Failure::Passing(format!("it answers with status {status}"))),
            status => return Err(Failure::Lasting(format!("it answers with status {status}: {:?}", text()))),
        }
        match serde_json::from_slice::<Reply>(response.as_bytes()) {
            Ok(reply) if reply.status.contains("rate limit") => Err(Failure::Passing(reply.status)),
            Ok(reply) => Ok(reply),
            Err(_) if text().contains("rate limit") => Err(Failure::Passing(text())),
            Err(error) => Err(Failure::Lasting(format!("it does not speak as ChessDB does ({error}): {:?}", text()))),
        }
    }

    fn unknown(&self, question: &Question, reason: impl Into<String>) -> AnalystError {
        AnalystError::Unknown {
            analyst: self.identity.name.clone(),
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
            return Err(AnalystError::NoChess960 { engine: self.identity.name.clone(), fen: history.fen() });
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
                engine: self.identity.name.clone(),
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
        Arc::clone(&self.identity)
    }

    /// Politely one.
    fn parallelism(&self) -> usize {
        1
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
