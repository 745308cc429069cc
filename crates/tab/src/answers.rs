//! The answers of the engine, and the searches that it should run.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use centipawn_engine::{Analysis, Analyst, AnalystError, DetachedEngine, Identity, Question};

/// Number of answers to questions of the board that stay in memory.
const OF_BOARD: usize = 300;

/// The output of searches, by their commands.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    outputs: HashMap<String, String>,
    /// Searches of the board, the oldest first. Those of a review are forgotten with its end.
    of_board: VecDeque<String>,
}

impl Answers {
    pub(crate) fn get(&self, commands: &str) -> Option<&str> {
        self.outputs.get(commands).map(String::as_str)
    }

    pub(crate) fn insert(&mut self, commands: String, output: String, is_of_board: bool) {
        if is_of_board {
            self.of_board.push_back(commands.clone());
            if self.of_board.len() > OF_BOARD
                && let Some(oldest) = self.of_board.pop_front()
            {
                self.outputs.remove(&oldest);
            }
        }
        self.outputs.insert(commands, output);
    }

    pub(crate) fn remove(&mut self, commands: &str) {
        self.outputs.remove(commands);
    }
}

/// An analyst that answers from known searches. A question whose search is unknown is cancelled,
/// and its search is noted.
pub(crate) struct Known<'a> {
    engine: &'a DetachedEngine,
    answers: &'a Answers,
    noted: Mutex<Noted>,
}

/// The searches of some work.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// Searches that are missing, in the order of the questions.
    pub(crate) missing: Vec<String>,
    /// Searches whose output was used.
    pub(crate) used: HashSet<String>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(engine: &'a DetachedEngine, answers: &'a Answers) -> Self {
        Self {
            engine,
            answers,
            noted: Mutex::default(),
        }
    }

    pub(crate) fn finish(self) -> Noted {
        self.noted
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Analyst for Known<'_> {
    /// # Errors
    ///
    /// [`AnalystError::Cancelled`] if the search is unknown.
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let analysis = self.engine.analyse(question, |commands| {
            let output = self.answers.get(commands);
            if output.is_some() {
                noted.used.insert(commands.to_owned());
            } else if !noted.missing.iter().any(|known| known == commands) {
                noted.missing.push(commands.to_owned());
            }
            output
        });
        analysis.unwrap_or(Err(AnalystError::Cancelled))
    }

    fn identity(&self) -> Arc<Identity> {
        self.engine.identity()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

/// An analyst that is not there.
pub(crate) struct NoEngine;

impl Analyst for NoEngine {
    fn analyse(&self, _: &Question) -> Result<Analysis, AnalystError> {
        Err(AnalystError::NoEngines)
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}
