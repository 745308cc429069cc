//! What `puzzles mine` tells of its work.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};
use centipawn_pgn::{Game, Ply};
use centipawn_puzzle::{Candidate, Verdict};

use crate::{games::Names, text::plural};

/// Such as `12... Nxe4`, or `12...` where the game ends.
pub(super) fn ply_number(game: &Game, ply: usize) -> String {
    use shakmaty::Position as _;
    let here = game.mainline().nth(ply).map(|(before, ply)| (before, Some(ply)));
    let (before, played) = here.unwrap_or_else(|| (game.end(), None));
    let position = before.position();
    let dots = position.turn().fold_wb(".", "...");
    let played = played.map_or_else(String::new, |ply| format!(" {}", ply.san(position)));
    format!("{}{dots}{played}", position.fullmoves())
}

pub(super) fn explain(names: &Names, index: u64, game: &Game, candidates: &[Candidate]) {
    for candidate in candidates {
        let san = |mv| format!("{}: ", Ply::new(mv).san(candidate.history.position()));
        let best = candidate.best.map_or_else(String::new, san);
        anstream::eprintln!(
            "{}: game {}, at {}: {best}{}, {}, {}",
            names.of(index),
            game.place.game,
            ply_number(game, candidate.ply),
            if candidate.verdict.is_puzzle() { "a puzzle" } else { "refused" },
            candidate.verdict,
            plural(candidate.stages as u64, "stage")
        );
    }
}

/// Counts what an analyst was asked, whether it had to think or knew the answer.
pub(super) struct Counted {
    pub(super) analyst: Arc<dyn Analyst>,
    searches: AtomicU64,
    nodes: AtomicU64,
    /// Whether an evaluation came without win, draw and loss.
    is_without_wdl: AtomicBool,
}

impl Counted {
    pub(super) fn new(analyst: Arc<dyn Analyst>) -> Self {
        Self { analyst, searches: AtomicU64::new(0), nodes: AtomicU64::new(0), is_without_wdl: AtomicBool::new(false) }
    }
}

impl Analyst for Counted {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let analysis = self.analyst.analyse(question)?;
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.nodes.fetch_add(analysis.nodes, Ordering::Relaxed);
        if analysis.lines.iter().any(|line| line.wdl.is_none() && line.eval.mate_moves().is_none()) {
            self.is_without_wdl.store(true, Ordering::Relaxed);
        }
        Ok(analysis)
    }

    fn identity(&self) -> Arc<Identity> {
        self.analyst.identity()
    }

    fn parallelism(&self) -> usize {
        self.analyst.parallelism()
    }
}

impl Counted {
    /// Whether an engine's centipawns were taken for what they may not be.
    pub(super) fn is_guessing(&self, engine: &str) -> bool {
        self.is_without_wdl.load(Ordering::Relaxed) && !engine.starts_with("Stockfish ")
    }
}

/// What came of the games.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) games: u64,
    verdicts: BTreeMap<Verdict, u64>,
}

impl Summary {
    pub(super) fn count(&mut self, verdict: Verdict) {
        *self.verdicts.entry(verdict).or_default() += 1;
    }

    /// How many puzzles and refusals of each kind, and what they took.
    pub(super) fn tell(&self, counted: &Counted, now: u64) {
        let count = |is_puzzle: bool| -> u64 {
            self.verdicts.iter().filter(|(verdict, _)| verdict.is_puzzle() == is_puzzle).map(|(_, count)| count).sum()
        };
        let (puzzles, refused) = (count(true), count(false));
        anstream::eprintln!(
            "{}, {}: {}, {refused} refused",
            plural(self.games, "game"),
            plural(puzzles + refused, "candidate"),
            plural(puzzles, "puzzle")
        );
        for (verdict, count) in &self.verdicts {
            let what = match (verdict.is_puzzle(), count) {
                (true, 1) => "puzzle",
                (true, _) => "puzzles",
                (false, _) => "refused",
            };
            anstream::eprintln!("{count:>7} {what}: {verdict}");
        }
        let (searches, nodes) = (counted.searches.load(Ordering::Relaxed), counted.nodes.load(Ordering::Relaxed));
        let stored = searches.saturating_sub(now);
        let known = if stored > 0 { format!(", {stored} of them not anew") } else { String::new() };
        let each = match nodes.checked_div(puzzles) {
            Some(each) => format!(", {} a puzzle", millions(each)),
            None => String::new(),
        };
        anstream::eprintln!("searches: {searches}{known}; nodes: {}{each}", millions(nodes));
    }
}

fn millions(nodes: u64) -> String {
    format!("{:.2}M", nodes as f64 / 1e6)
}
