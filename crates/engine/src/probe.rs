//! Which engines are here, who they are, how fast: documents.

use std::{collections::BTreeMap, time::Duration};

use centipawn_core::History;
use serde::{Deserialize, Serialize};

use crate::{AnalystError, Engine, EngineCommand, EngineConfig, Limit, Question, uci::OptionKind};

/// Commands of engines that many people have.
pub const KNOWN_ENGINES: [&str; 11] = [
    "stockfish",
    "fairy-stockfish",
    "lc0",
    "berserk",
    "ethereal",
    "ethereal-chess",
    "toga2",
    "gnuchess --uci",
    "glaurung",
    "fruit",
    "crafty",
];

/// The position of the speed test: a middlegame with much to look at.
const POSITION: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";

/// Engines that are here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineList {
    /// In the order they were asked for.
    pub engines: Vec<EngineReport>,
}

/// Who an engine is, what can be set in it, how fast it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineReport {
    /// The command as it was given.
    pub command: String,
    /// The program that was found, with its arguments.
    pub program: String,
    /// As the engine calls itself, version included.
    pub name: String,
    /// As the engine says; may be empty.
    pub author: String,
    /// Options that are set, and the files that the engine names by itself.
    pub set: BTreeMap<String, String>,
    /// All options it offers, in its order.
    pub options: Vec<OptionReport>,
    /// How fast it is; absent without a speed test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
}

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionReport {
    /// Its name.
    pub name: String,
    /// What it takes, with its default in brackets: `1 to 1024 [16]`.
    pub kind: String,
}

/// A speed test with one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Nodes visited.
    pub nodes: u64,
    /// Nodes a second, a whole number.
    pub nodes_per_second: f64,
    /// Depth reached, in plies.
    pub depth: u32,
}

impl EngineReport {
    /// Starts an engine and looks at it; `movetime` is the time of the speed test, `None` for none. `command` is how the user
    /// calls it.
    ///
    /// # Errors
    ///
    /// [`AnalystError`] when it does not start, or does not answer the speed test.
    pub fn of(command: &str, program: &EngineCommand, movetime: Option<Duration>) -> Result<Self, AnalystError> {
        let mut engine = Engine::start(&EngineConfig::new(program.clone()))?;
        let identity = engine.identity();
        let option = |(name, kind): (&String, &OptionKind)| OptionReport { name: name.clone(), kind: describe(kind) };
        let options = engine.options().iter().map(|decl| option((&decl.name, &decl.kind))).collect();
        let history = History::from_fen(POSITION, None).unwrap_or_default();
        let speed = movetime.map(|time| engine.analyse(&Question::new(history, Limit::MoveTime(time)))).transpose()?;
        Ok(Self {
            command: command.to_owned(),
            program: program.to_string(),
            name: identity.name.clone(),
            author: identity.author.clone(),
            set: identity.options.clone(),
            options,
            speed: speed.map(|analysis| Speed {
                nodes: analysis.nodes,
                nodes_per_second: (analysis.nodes as f64 / analysis.time.as_secs_f64().max(1e-3)).round(),
                depth: analysis.depth,
            }),
        })
    }
}

/// What an option takes, and its default.
fn describe(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { default } => format!("true or false [{default}]"),
        OptionKind::Spin { default, min, max } => format!("{min} to {max} [{default}]"),
        OptionKind::Combo { default, choices } => format!("{} [{default}]", choices.join(", ")),
        OptionKind::Button => "a button".to_owned(),
        OptionKind::Text { default } => format!("text [{default}]"),
    }
}
