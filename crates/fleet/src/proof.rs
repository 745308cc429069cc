//! Three questions that check whether two engines give the same answers, and whether an engine still gives those it gave.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use centipawn_core::{History, Score};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Question};

/// An opening, a middlegame and an endgame.
const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8",
    "8/5pk1/4p1p1/3pP2p/1p1P1P1P/1P2K1P1/8/8 w - - 0 40",
];

/// Nodes for each.
const NODES: u64 = 50_000;

/// In work that takes longer, a question is asked after each such time.
const INTERVAL: Duration = Duration::from_secs(20);

/// The answers of `analyst`, a line each. Empty for an engine that searches with several threads, whose answers vary.
///
/// # Errors
///
/// Those of the analyst.
pub(crate) fn prove(analyst: &dyn Analyst) -> Result<Vec<String>, AnalystError> {
    let identity = analyst.identity();
    let has_threads = |(name, value): (&String, &String)| name.ends_with("Threads") && value != "1";
    if identity.options.iter().any(has_threads) {
        return Ok(Vec::new());
    }
    (0..POSITIONS.len()).map(|number| ask(analyst, number)).collect()
}

/// The answer to one of the questions.
fn ask(analyst: &dyn Analyst, number: usize) -> Result<String, AnalystError> {
    let Ok(position) = History::from_fen(POSITIONS[number % POSITIONS.len()], None) else { return Ok(String::new()) };
    let analysis = analyst.analyse(&Question::new(position.clone(), Limit::Nodes(NODES)))?;
    let best = analysis.best().map_or_else(String::new, |line| {
        let eval = match line.eval.score() {
            Score::Cp(cp) => format!("{cp} cp"),
            Score::Mate(moves) => format!("mate {moves}"),
        };
        format!("{} {eval} depth {}", position.uci(line.first_move()), line.depth)
    });
    Ok(format!("{best}, {} nodes", analysis.nodes))
}

/// The answers that an engine gave when its worker started. Each check asks one of the questions again, in turn.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) answers: Vec<String>,
    next: AtomicUsize,
}

impl Proof {
    pub(crate) fn new(answers: Vec<String>) -> Self {
        Self { answers, next: AtomicUsize::new(0) }
    }

    /// Asks `engine`, which has just worked on this thread.
    ///
    /// # Errors
    ///
    /// What is wrong with it; `None` if the question was cancelled.
    pub(crate) fn check(&self, engine: &dyn Analyst) -> Result<(), Option<String>> {
        if self.answers.is_empty() {
            return Ok(());
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed) % self.answers.len();
        match ask(engine, number) {
            Ok(answer) if answer == self.answers[number] => Ok(()),
            Ok(answer) => {
                Err(Some(format!("it answers differently than at the start: {answer}, not {}", self.answers[number])))
            }
            Err(AnalystError::Cancelled) => Err(None),
            Err(error) => Err(Some(error.to_string())),
        }
    }
}

/// An analyst whose engine is checked every [`INTERVAL`] while it works.
pub(crate) struct Checked<'a> {
    analyst: Arc<dyn Analyst>,
    engine: &'a dyn Analyst,
    proof: &'a Proof,
    state: Mutex<CheckState>,
}

struct CheckState {
    last: Instant,
    /// Checks that were good.
    good: u64,
    broken: Option<String>,
}

impl<'a> Checked<'a> {
    /// `engine` is what `analyst` asks.
    pub(crate) fn new(analyst: Arc<dyn Analyst>, engine: &'a dyn Analyst, proof: &'a Proof) -> Self {
        let state = CheckState { last: Instant::now(), good: 0, broken: None };
        Self { analyst, engine, proof, state: Mutex::new(state) }
    }

    /// Checks the engine now. Returns whether it is good; it is not if the question was cancelled.
    pub(crate) fn check(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.proof.check(self.engine) {
            Ok(()) => {
                state.last = Instant::now();
                state.good += 1;
                true
            }
            Err(reason) => {
                state.broken = state.broken.take().or(reason);
                false
            }
        }
    }

    /// How many checks were good so far.
    pub(crate) fn good(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).good
    }

    /// What is wrong with the engine.
    pub(crate) fn broken(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).broken.clone()
    }

    fn is_due(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).last.elapsed() >= INTERVAL
    }
}

impl Analyst for Checked<'_> {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        if self.is_due() && !self.check() {
            // The work ends here; whoever asked for it looks for the reason.
            return Err(AnalystError::Cancelled);
        }
        self.analyst.analyse(question)
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    fn parallelism(&self) -> usize {
        self.analyst.parallelism()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_legal() {
        for fen in POSITIONS {
            assert_eq!(History::from_fen(fen, None).unwrap().fen(), fen);
        }
    }
}
