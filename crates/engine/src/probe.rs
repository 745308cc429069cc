//! Documents about engines: their names, options and speed.

use std::{collections::BTreeMap, time::Duration};

use centipawn_core::History;
use centipawn_progress::contempt_name;
use serde::{Deserialize, Serialize};

use crate::{AnalystError, Engine, EngineCommand, EngineConfig, Limit, Question, uci::OptionKind};

/// Commands of common engines, as [`find`](crate::find) reads them.
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

/// The position of the speed test: a middlegame with many moves.
const POSITION: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";

/// The engines found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineList {
    /// One report for each engine, in the order requested.
    pub engines: Vec<EngineReport>,
}

/// The name, options and speed of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineReport {
    /// The command, as the user gave it.
    pub command: String,
    /// The program that was found, with its arguments.
    pub program: String,
    /// The engine's name with its version, as it reports them.
    pub name: String,
    /// The author, as the engine reports it; may be empty.
    pub author: String,
    /// Options that are set, and the engine's default network files.
    pub set: BTreeMap<String, String>,
    /// Settings of contempt and of the mode of analysis, as they are set or by default; empty for
    /// an engine without them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contempt: BTreeMap<String, String>,
    /// A warning if contempt shifts the evaluations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// All options that the engine offers, in its order.
    pub options: Vec<OptionReport>,
    /// The result of the speed test; absent if no test was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
}

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionReport {
    /// The name of the option.
    pub name: String,
    /// The accepted values, with the default in brackets: `1 to 1024 [16]`.
    pub kind: String,
}

/// A speed test with one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Number of nodes visited.
    pub nodes: u64,
    /// Nodes per second, rounded to a whole number.
    pub nodes_per_second: f64,
    /// Depth reached, in plies.
    pub depth: u32,
}

impl EngineReport {
    /// Starts an engine and describes it. `command` is the command as the user gave it; `movetime`
    /// is the duration of the speed test, `None` for no test.
    ///
    /// # Errors
    ///
    /// [`AnalystError`] when the engine does not start, or fails at the speed test.
    pub fn of(
        command: &str,
        program: &EngineCommand,
        movetime: Option<Duration>,
    ) -> Result<Self, AnalystError> {
        let mut engine = Engine::start(&EngineConfig::new(program.clone()))?;
        let identity = engine.identity();
        let option = |(name, kind): (&String, &OptionKind)| OptionReport {
            name: name.clone(),
            kind: describe(kind),
        };
        let options = engine
            .options()
            .iter()
            .map(|decl| option((&decl.name, &decl.kind)))
            .collect();
        let contempt = engine
            .options()
            .iter()
            .filter(|decl| contempt_name(&decl.name).is_some())
            .filter_map(|decl| {
                let set = identity.options.get(&decl.name).cloned();
                Some((
                    decl.name.clone(),
                    set.or_else(|| decl.kind.default_value())?,
                ))
            })
            .collect();
        let history = History::from_fen(POSITION, None).unwrap_or_default();
        let speed = movetime
            .map(|time| engine.analyse(&Question::new(history, Limit::MoveTime(time))))
            .transpose()?;
        Ok(Self {
            command: command.to_owned(),
            program: program.to_string(),
            name: identity.name.clone(),
            author: identity.author.clone(),
            set: identity.options.clone(),
            contempt,
            note: identity.contempt_note(),
            options,
            speed: speed.map(|analysis| Speed {
                nodes: analysis.nodes,
                nodes_per_second: (analysis.nodes as f64 / analysis.time.as_secs_f64().max(1e-3))
                    .round(),
                depth: analysis.depth,
            }),
        })
    }
}

/// Returns the accepted values of an option, and its default.
fn describe(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { default } => format!("true or false [{default}]"),
        OptionKind::Spin { default, min, max } => format!("{min} to {max} [{default}]"),
        OptionKind::Combo { default, choices } => format!("{} [{default}]", choices.join(", ")),
        OptionKind::Button => "a button".to_owned(),
        OptionKind::Text { default } => format!("text [{default}]"),
    }
}
