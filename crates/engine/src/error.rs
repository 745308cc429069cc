//! Why there is no answer.

use std::time::Duration;

use crate::{Limit, options::OptionError};

/// Why a question was not answered, or an engine not started. Each text names the engine, the position and a way on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalystError {
    /// No such program.
    #[error("{command} was not found; {advice}")]
    NotFound {
        /// The program as it was named.
        command: String,
        /// How to get it.
        advice: String,
    },
    /// A command line that cannot be read.
    #[error("cannot read the engine command `{command}`: {reason}")]
    BadCommand {
        /// As it was given.
        command: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A pool was asked for without an engine in it.
    #[error("a pool needs at least one engine; give it one")]
    NoEngines,
    /// The operating system did not start the program.
    #[error("cannot start {engine}: {reason}")]
    Start {
        /// The command.
        engine: String,
        /// What the system says.
        reason: String,
    },
    /// The program started but did not introduce itself as a UCI engine.
    #[error("{engine} does not answer as a UCI engine: {reason}; is it one, and is the command complete?")]
    Handshake {
        /// The command.
        engine: String,
        /// What happened instead.
        reason: String,
    },
    /// An option the engine does not have or does not take.
    #[error("{engine}: {reason}")]
    Option {
        /// The engine's name.
        engine: String,
        /// Which and why.
        reason: OptionError,
    },
    /// A position with Chess960 castling for an engine that cannot castle so.
    #[error("{engine} does not play Chess960 (it has no option UCI_Chess960), but {fen} needs it; use another engine")]
    NoChess960 {
        /// The engine's name.
        engine: String,
        /// The position.
        fen: String,
    },
    /// One of the question's own `searchmoves` cannot be played.
    #[error("asked about {uci}, which is not a legal move in {fen}")]
    NotLegal {
        /// The move.
        uci: String,
        /// The position.
        fen: String,
    },
    /// The process ended.
    #[error("{engine} died ({status}) at {fen}{}", said(.stderr))]
    Died {
        /// The engine's name.
        engine: String,
        /// Exit status or signal.
        status: String,
        /// The position it was asked about.
        fen: String,
        /// The last line it wrote to its error output.
        stderr: Option<String>,
    },
    /// No `readyok` in time.
    #[error("{engine} stopped answering: no readyok within {waited:.1?} before {fen}")]
    Unready {
        /// The engine's name.
        engine: String,
        /// How long it had.
        waited: Duration,
        /// The position it was to be asked about.
        fen: String,
    },
    /// The search did not reach its limit before the deadline.
    #[error(
        "{engine} did not reach {limit} within {waited:.1?}{} at {fen}; lower the limit or allow more time",
        if *.obeyed { "" } else { " and did not obey stop" }
    )]
    Timeout {
        /// The engine's name.
        engine: String,
        /// The limit it was given.
        limit: Limit,
        /// How long it had.
        waited: Duration,
        /// Whether it answered once told to stop.
        obeyed: bool,
        /// The position.
        fen: String,
    },
    /// A best move or a line that begins with a move that cannot be played.
    #[error(
        "{engine} answered {text:?}, which is not a legal move in {fen}; the engine is broken or saw another position"
    )]
    IllegalMove {
        /// The engine's name.
        engine: String,
        /// What it said.
        text: String,
        /// The position.
        fen: String,
    },
    /// The engine considered other moves than those asked about.
    #[error("{engine} ignores searchmoves: it answered {uci}, which was not asked about, in {fen}; use another engine")]
    SearchmovesIgnored {
        /// The engine's name.
        engine: String,
        /// The move it answered.
        uci: String,
        /// The position.
        fen: String,
    },
    /// A best move without any score.
    #[error("{engine} gave no score in {fen} at {limit}; raise the limit or use another engine")]
    NoScore {
        /// The engine's name.
        engine: String,
        /// The limit it was given.
        limit: Limit,
        /// The position.
        fen: String,
    },
    /// Fewer lines than asked for, though there are moves enough.
    #[error("{engine} gave {got} of {wanted} lines in {fen} at {limit}; raise the limit or ask for fewer lines")]
    TooFewLines {
        /// The engine's name.
        engine: String,
        /// Lines asked for, at most the number of moves.
        wanted: usize,
        /// Lines with a score and a move of their own.
        got: usize,
        /// The limit it was given.
        limit: Limit,
        /// The position.
        fen: String,
    },
    /// An analyst that only knows what it was told before knows no answer.
    #[error("{analyst} has no answer at {fen}: {reason}")]
    Unknown {
        /// Who was asked.
        analyst: String,
        /// What is missing.
        reason: String,
        /// The position.
        fen: String,
    },
    /// A service on the network did not answer as it should.
    #[error("{service} cannot be asked: {reason}; try again later, or do without it")]
    Service {
        /// Which, with its address.
        service: String,
        /// What happened.
        reason: String,
    },
    /// The work was cancelled, or the pool closed.
    #[error("the analysis was cancelled")]
    Cancelled,
}

fn said(stderr: &Option<String>) -> String {
    stderr.as_ref().map_or_else(String::new, |line| format!("; its last words: {line}"))
}

impl AnalystError {
    /// Whether an engine failed at the question, rather than at starting.
    pub(crate) fn is_about_position(&self) -> bool {
        self.is_transient() && !matches!(self, Self::Start { .. } | Self::Handshake { .. })
    }

    /// Whether the same question may succeed with a fresh process.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Start { .. }
            | Self::Handshake { .. }
            | Self::Died { .. }
            | Self::Unready { .. }
            | Self::Timeout { .. }
            | Self::IllegalMove { .. }
            | Self::NoScore { .. } => true,
            Self::NotFound { .. }
            | Self::BadCommand { .. }
            | Self::NoEngines
            | Self::Option { .. }
            | Self::NoChess960 { .. }
            | Self::NotLegal { .. }
            | Self::SearchmovesIgnored { .. }
            | Self::TooFewLines { .. }
            | Self::Unknown { .. }
            | Self::Service { .. }
            | Self::Cancelled => false,
        }
    }
}
