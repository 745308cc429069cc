//! The relevance article's puzzles: positions with one winning move that is not plain to see.

use centipawn_core::{Eval, History, Mover, Score};
use centipawn_engine::{Analysis, Analyst, AnalystError, Limit, Line, Question};
use centipawn_pgn::Game;
use shakmaty::{Move, Position as _, Role};

use crate::{Candidate, Verdict, exchange};

/// The article's rules, with its limits or a share of them.
///
/// Every position in which a move was played is scanned with two lines; it is a candidate if the first line wins and the second
/// does not. A candidate is searched again with ever more nodes, and must pass each time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classic {
    /// Every node limit is multiplied by this; 1 is the article.
    pub scale: f64,
}

/// Won: mate, or more than this many centipawns.
const WON: i32 = 280;
/// Neither side has won within this many.
const OPEN: i32 = 100;
/// Nodes of the scan and of the first stage.
const NODES: f64 = 1e6;
const MOST_NODES: f64 = 40e6;
const GROWTH: f64 = 1.4;

fn is_won(eval: Eval<Mover>) -> bool {
    match eval.score() {
        Score::Mate(moves) => moves > 0,
        Score::Cp(cp) => cp > WON,
    }
}

fn is_not_won(eval: Eval<Mover>) -> bool {
    match eval.score() {
        Score::Mate(moves) => moves <= 0,
        Score::Cp(cp) => cp < OPEN,
    }
}

fn is_not_lost(eval: Eval<Mover>) -> bool {
    match eval.score() {
        Score::Mate(moves) => moves > 0,
        Score::Cp(cp) => cp > -OPEN,
    }
}

impl Classic {
    /// All candidates of a game, in its order. `on_position` hears of each position scanned.
    ///
    /// A position that the analyst cannot answer is no candidate; `on_failure` hears of it, and the game goes on.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Cancelled`] only.
    pub fn mine(
        self,
        game: &Game,
        analyst: &dyn Analyst,
        mut on_position: impl FnMut(),
        mut on_failure: impl FnMut(usize, AnalystError),
    ) -> Result<Vec<Candidate>, AnalystError> {
        let (mut candidates, mut previous) = (Vec::new(), None);
        for (ply, (history, played)) in game.mainline().enumerate() {
            match self.look(ply, &history, previous.as_ref(), played.mv, analyst) {
                Ok(candidate) => candidates.extend(candidate),
                Err(AnalystError::Cancelled) => return Err(AnalystError::Cancelled),
                Err(error) => on_failure(ply, error),
            }
            on_position();
            previous = Some(history);
        }
        Ok(candidates)
    }

    fn look(
        self,
        ply: usize,
        history: &History,
        previous: Option<&History>,
        played: Move,
        analyst: &dyn Analyst,
    ) -> Result<Option<Candidate>, AnalystError> {
        let scan = analyst.analyse(&Question::new(history.clone(), self.limit(NODES)).lines(2))?;
        let [first, rest @ ..] = &scan.lines[..] else { return Ok(None) };
        if rest.is_empty() || !is_won(first.eval) || !rest.iter().all(|line| is_not_won(line.eval)) {
            return Ok(None);
        }
        let mut candidate = Candidate {
            ply,
            history: history.clone(),
            played: Some(played),
            best: Some(first.first_move()),
            verdict: Verdict::InCheck,
            stages: 0,
            puzzle: None,
        };
        // No search tells anything else about a check.
        if history.position().is_check() {
            return Ok(Some(candidate));
        }
        let mut nodes = NODES;
        while nodes <= MOST_NODES {
            let limit = self.limit(nodes);
            let analysis = analyst.analyse(&Question::new(history.clone(), limit).lines(2))?;
            candidate.best = analysis.best().map(Line::first_move).or(candidate.best);
            candidate.verdict = judge(history, previous, played, &analysis, limit, analyst)?;
            if !candidate.verdict.is_puzzle() {
                break;
            }
            candidate.stages += 1;
            nodes = (nodes * GROWTH).round();
        }
        Ok(Some(candidate))
    }

    fn limit(self, nodes: f64) -> Limit {
        Limit::Nodes((nodes * self.scale).round().max(1.0) as u64)
    }
}

/// What one search of a position that is not check says.
fn judge(
    history: &History,
    previous: Option<&History>,
    played: Move,
    analysis: &Analysis,
    limit: Limit,
    analyst: &dyn Analyst,
) -> Result<Verdict, AnalystError> {
    let [best, rest @ ..] = &analysis.lines[..] else { return Ok(Verdict::NotWon) };
    let mv = best.first_move();
    if !is_won(best.eval) {
        return Ok(Verdict::NotWon);
    }
    // Less strict than the scan: a second line that is neither won nor not won may stay.
    if rest.iter().any(|line| is_won(line.eval)) {
        return Ok(Verdict::SecondWins);
    }
    if best.eval.mate_moves() == Some(1) {
        return Ok(Verdict::MateInOne);
    }
    if mv.is_en_passant() {
        return Ok(Verdict::EnPassant);
    }
    if mv.promotion() == Some(Role::Queen) {
        return Ok(Verdict::Queening);
    }
    match exchange(history.position(), mv) {
        1.. => return Ok(Verdict::WinsMaterial),
        ..0 => return Ok(Verdict::Sacrifice),
        0 if mv != played => return Ok(Verdict::Missed),
        0 => {}
    }
    let Some(previous) = previous else { return Ok(Verdict::Trivial) };
    let before = analyst.analyse(&Question::new(previous.clone(), limit))?;
    let was_open = before.best().is_some_and(|line| is_not_lost(line.eval));
    Ok(if was_open { Verdict::Blunder } else { Verdict::Trivial })
}
