//! Further searches for annotated games: unclear positions, and threats.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use centipawn_core::{Context, History};
use centipawn_engine::{Analyst, AnalystError, Question};
use centipawn_judge::{JudgedMove, shown_line};
use centipawn_pgn::Game;
use centipawn_progress::{Cancel, Problem, Reporter};
use centipawn_review::{Extras, Review, Threat};
use shakmaty::Position;

use super::review::ReviewOutput;

/// What further searches add to annotated games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtraOptions {
    /// Every move is followed by the symbol of its position. Positions that a search of four times
    /// the length evaluates differently are unclear.
    pub position_symbols: bool,
    /// The opponent's threat before each move with a bad symbol is a variation.
    pub threats: bool,
}

impl ExtraOptions {
    /// Returns whether anything is asked for.
    pub fn is_any(self) -> bool {
        self.position_symbols || self.threats
    }
}

/// A position is unclear if two searches, the second with four times the work, differ by more than
/// this in expected score.
///
/// Of 300 positions that were searched to 10,000, 40,000 and 160,000 nodes, 29 differ by so much
/// between the first two under Stockfish's model. The third search gives 52 % of these another
/// symbol than the second one, and 12 % of the others. `docs/review.md` has the figures.
pub const UNCLEAR_DIFFERENCE: f64 = 0.1;

/// The work of the second search, as a multiple of the first.
const FACTOR: f64 = 4.0;

/// An output that adds [`Extras`] to each review before it passes the review on.
pub struct WithExtras<'a, O> {
    /// The output behind it.
    pub output: O,
    /// What to add.
    pub options: ExtraOptions,
    /// Answers the further questions.
    pub analyst: &'a dyn Analyst,
    /// Ends the searches.
    pub cancel: &'a Cancel,
    /// Receives the first error of the analyst in each game; the game is then written without
    /// extras.
    pub reporter: &'a dyn Reporter,
}

impl<O: ReviewOutput> ReviewOutput for WithExtras<'_, O> {
    type Error = O::Error;

    fn game(&mut self, review: &Review) -> Result<(), O::Error> {
        if !self.options.is_any() {
            return self.output.game(review);
        }
        let mut review = review.clone();
        match extras(&review, self.options, self.analyst, self.cancel) {
            Ok(extras) => review.extras = extras,
            Err(AnalystError::Cancelled) => {}
            Err(error) => self.reporter.problem(&Problem::error(format_args!(
                "no unclear positions and threats in a game of {} and {}: {error}",
                review.name(shakmaty::Color::White),
                review.name(shakmaty::Color::Black)
            ))),
        }
        self.output.game(&review)
    }

    fn unreviewed(&mut self, game: &Game) -> Result<(), O::Error> {
        self.output.unreviewed(game)
    }

    fn finish(self, cancel: &Cancel) -> Result<Vec<std::path::PathBuf>, O::Error> {
        self.output.finish(cancel)
    }
}

/// A question about a ply.
enum Asked {
    /// The position after it, searched longer.
    After,
    /// The position before it with the other side to move.
    Passed,
}

/// Asks the analyst, with as many threads as it answers questions at the same time.
fn extras(
    review: &Review,
    options: ExtraOptions,
    analyst: &dyn Analyst,
    cancel: &Cancel,
) -> Result<Extras, AnalystError> {
    let limit = review.options.limit;
    let mut questions = Vec::new();
    for (index, ply) in review.plies.iter().enumerate() {
        let is_open =
            ply.eval.is_some_and(|eval| eval.mate_moves().is_none()) && ply.ended.is_none();
        // An evaluation of the game itself is no search whose length is known.
        if let Some(limit) = ply.limit.filter(|_| options.position_symbols && is_open) {
            let mut after = ply.before.clone();
            after.push(ply.mv);
            let question = Question::new(after, limit.times(FACTOR));
            questions.push((index, Asked::After, question));
        }
        let is_bad = ply.symbol.is_some_and(|symbol| !symbol.is_praise());
        if options.threats
            && is_bad
            && let Some(passed) = passed(&ply.before)
        {
            questions.push((index, Asked::Passed, Question::new(passed, limit)));
        }
    }
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let unclear = Mutex::new(BTreeSet::new());
    let threats = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some((index, asked, question)) =
            questions.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let answer = if cancel.is_set() {
                Err(AnalystError::Cancelled)
            } else {
                analyst.analyse(question)
            };
            let ply = &review.plies[*index];
            match (asked, answer) {
                (_, Err(error)) => {
                    next.store(questions.len(), Ordering::Relaxed);
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    failed.get_or_insert(error);
                }
                (Asked::After, Ok(answer)) => {
                    let turn = question.history.turn();
                    let longer = answer.best().map(|line| line.eval.for_white(turn));
                    let context = Context::of(question.history.position());
                    let score = longer.map(|eval| review.curve.expected_score(eval, context));
                    let differs = score.is_some_and(|score| {
                        (score - ply.expected_score).abs() > UNCLEAR_DIFFERENCE
                    });
                    if differs {
                        let mut unclear = unclear.lock().unwrap_or_else(PoisonError::into_inner);
                        unclear.insert(*index);
                    }
                }
                (Asked::Passed, Ok(answer)) => {
                    if let Some(threat) = threat(review, ply, question, &answer) {
                        let mut threats = threats.lock().unwrap_or_else(PoisonError::into_inner);
                        threats.insert(*index, threat);
                    }
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..analyst.parallelism().min(questions.len()) {
            scope.spawn(work);
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => {
            let mut extras = Extras::default();
            extras.position_symbols = options.position_symbols;
            extras.unclear = unclear.into_inner().unwrap_or_else(PoisonError::into_inner);
            extras.threats = threats.into_inner().unwrap_or_else(PoisonError::into_inner);
            Ok(extras)
        }
    }
}

/// Returns the position with the other side to move; `None` where it is not legal, as in check.
fn passed(before: &History) -> Option<History> {
    let position = before.position().clone().swap_turn().ok()?;
    (!position.is_game_over()).then(|| History::new(position, before.mode()))
}

/// Returns the threat if passing costs as much as a move with `?`.
fn threat(
    review: &Review,
    ply: &JudgedMove,
    question: &Question,
    answer: &centipawn_engine::Analysis,
) -> Option<Threat> {
    let line = answer.best()?;
    let eval = line.eval.for_white(!ply.mover);
    let context = Context::of(ply.before.position());
    let passed = review.curve.expected_score(eval, context);
    let cost = ply.mover.fold_wb(
        ply.expected_score_best - passed,
        passed - ply.expected_score_best,
    );
    let least = review
        .scheme
        .moves
        .threshold(centipawn_core::MoveSymbol::Mistake)
        .abs();
    let line = shown_line(&question.history, &line.pv).to_vec();
    (cost >= least && !line.is_empty()).then_some(Threat { line, eval })
}
