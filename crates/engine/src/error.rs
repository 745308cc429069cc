//! The error type of analysts.

use std::time::Duration;

use crate::{Limit, options::OptionError};

/// The reason why a question was not answered or an engine not started. Messages name the engine
/// and the position, and suggest what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalystError {
    /// The engine program was not found.
    #[error("{command} was not found; {advice}")]
    NotFound {
        /// The program, as the user gave it.
        command: String,
        /// How to install the engine.
        advice: String,
    },
    /// The engine command cannot be parsed.
    #[error("cannot read the engine command `{command}`: {reason}")]
    BadCommand {
        /// The command, as the user gave it.
        command: String,
        /// The problem of the command, in words.
        reason: &'static str,
    },
    /// A pool was to be started without engines.
    #[error("a pool needs at least one engine; give it one")]
    NoEngines,
    /// The operating system did not start the program.
    #[error("cannot start {engine}: {reason}")]
    Start {
        /// The command.
        engine: String,
        /// The message of the operating system.
        reason: String,
    },
    /// The program started but did not introduce itself as a UCI engine.
    #[error(
        "{engine} does not answer as a UCI engine: {reason}; is it one, and is the command complete?"
    )]
    Handshake {
        /// The command.
        engine: String,
        /// The engine's behaviour instead of the handshake, in words.
        reason: String,
    },
    /// The engine does not have an option, or does not accept its value.
    #[error("{engine}: {reason}")]
    Option {
        /// The engine's name.
        engine: String,
        /// The option, and the reason.
        reason: OptionError,
    },
    /// The position has Chess960 castling, which the engine does not support.
    #[error(
        "{engine} does not play Chess960 (it has no option UCI_Chess960), but {fen} needs it; use another engine"
    )]
    NoChess960 {
        /// The engine's name.
        engine: String,
        /// The position as FEN.
        fen: String,
    },
    /// One of the question's `searchmoves` is not legal.
    #[error("asked about {uci}, which is not a legal move in {fen}")]
    NotLegal {
        /// The move.
        uci: String,
        /// The position as FEN.
        fen: String,
    },
    /// The engine's process ended.
    #[error("{engine} died ({status}) at {fen}{}", last_words(.stderr))]
    Died {
        /// The engine's name.
        engine: String,
        /// Exit status or signal.
        status: String,
        /// FEN of the position of the question.
        fen: String,
        /// The last line that the engine wrote to standard error.
        stderr: Option<String>,
    },
    /// The engine did not answer `isready` with `readyok` in time.
    #[error("{engine} stopped answering: no readyok within {waited:.1?} before {fen}")]
    Unready {
        /// The engine's name.
        engine: String,
        /// The time that the engine had.
        waited: Duration,
        /// The position of the next question.
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
        /// The limit of the search.
        limit: Limit,
        /// The time that the engine had.
        waited: Duration,
        /// Whether the engine answered after `stop`.
        obeyed: bool,
        /// The position as FEN.
        fen: String,
    },
    /// The engine missed its deadline at several positions in a row; the pool asks it no more for a
    /// minute.
    #[error(
        "{engine} did not reach its limit at {positions} positions in a row, and is asked no more for now; choose a limit below {limit}, \
         or another engine"
    )]
    TooSlow {
        /// The engine's name.
        engine: String,
        /// The limit of this question.
        limit: Limit,
        /// Number of consecutive positions with a timeout.
        positions: u32,
    },
    /// The best move, or the first move of a line, is not legal.
    #[error(
        "{engine} answered {text:?}, which is not a legal move in {fen}; the engine is broken or saw another position"
    )]
    IllegalMove {
        /// The engine's name.
        engine: String,
        /// The text that the engine printed.
        text: String,
        /// The position as FEN.
        fen: String,
    },
    /// The score of a line is beyond everything that an engine can mean, as after an overflow.
    #[error(
        "{engine} answered \"score {score}\" in {fen}, which no position is worth; the engine is broken, use another version of it"
    )]
    ImplausibleScore {
        /// The engine's name.
        engine: String,
        /// The score in the engine's words.
        score: String,
        /// The position as FEN.
        fen: String,
    },
    /// The engine gave a best move without a score.
    #[error("{engine} gave no score in {fen} at {limit}; raise the limit or use another engine")]
    NoScore {
        /// The engine's name.
        engine: String,
        /// The limit of the search.
        limit: Limit,
        /// The position as FEN.
        fen: String,
    },
    /// The engine gave fewer lines than asked for, although there are enough legal moves.
    #[error("{engine} gave {got} of {wanted} lines in {fen} at {limit}; {}", few_lines_advice(*has_multipv))]
    TooFewLines {
        /// The engine's name.
        engine: String,
        /// Number of lines asked for, at most the number of moves.
        wanted: usize,
        /// Number of lines with a score and different first moves.
        got: usize,
        /// The limit of the search.
        limit: Limit,
        /// Whether the engine has the option MultiPV, so that a deeper search may give more lines.
        has_multipv: bool,
        /// The position as FEN.
        fen: String,
    },
    /// The analyst, which does not search (a database, endgame tables), has no answer.
    #[error("{analyst} has no answer at {fen}: {reason}")]
    Unknown {
        /// The analyst's name.
        analyst: String,
        /// The ability that the analyst lacks, in words.
        reason: String,
        /// The position as FEN.
        fen: String,
    },
    /// A service on the network failed, or sent a reply that cannot be parsed.
    #[error("{service} does not answer: {reason}; try again later, or run without it")]
    Service {
        /// The service, with its address.
        service: String,
        /// The failure, in words.
        reason: String,
    },
    /// The work was cancelled, or the pool closed.
    #[error("the analysis was cancelled")]
    Cancelled,
}

fn few_lines_advice(has_multipv: bool) -> &'static str {
    if has_multipv {
        "raise the limit or ask for fewer lines"
    } else {
        "it has no option MultiPV and ignores searchmoves; ask for one line, or use another engine"
    }
}

fn last_words(stderr: &Option<String>) -> String {
    stderr
        .as_ref()
        .map_or_else(String::new, |line| format!("; its last words: {line}"))
}

impl AnalystError {
    /// Returns whether an engine failed while it worked on a question, not while it started.
    pub(crate) fn is_about_position(&self) -> bool {
        self.is_transient() && !matches!(self, Self::Start { .. } | Self::Handshake { .. })
    }

    /// Returns whether the same question may succeed with a fresh process.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Start { .. }
            | Self::Handshake { .. }
            | Self::Died { .. }
            | Self::Unready { .. }
            | Self::Timeout { .. }
            | Self::IllegalMove { .. }
            | Self::ImplausibleScore { .. }
            | Self::NoScore { .. } => true,
            Self::NotFound { .. }
            | Self::BadCommand { .. }
            | Self::NoEngines
            | Self::Option { .. }
            | Self::NoChess960 { .. }
            | Self::NotLegal { .. }
            | Self::TooFewLines { .. }
            | Self::TooSlow { .. }
            | Self::Unknown { .. }
            | Self::Service { .. }
            | Self::Cancelled => false,
        }
    }
}
