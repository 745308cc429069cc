//! What is known of a position in which a move was played: from an analyst, or from the game's own comments.

use std::cmp::Reverse;

use centipawn_core::{Context, Curve, Ending, Eval, History, Mover};
use centipawn_engine::{Analyst, AnalystError, Line, Question};
use centipawn_pgn::{GameEvals, ended_by};
use shakmaty::{Move, Position as _};

use crate::Options;

/// The worth of a position's best moves and of the one that was played.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    /// The analyst's lines, best first; empty where the evaluations come from the game.
    pub(crate) lines: Vec<Line>,
    /// Of the best move.
    pub(crate) best: Eval<Mover>,
    /// Of the played move.
    pub(crate) played: Eval<Mover>,
    /// Of the best other move than the played one, where it is known.
    pub(crate) best_other: Option<Eval<Mover>>,
}

impl Findings {
    /// Where both players' moves cannot matter: no material to win with.
    fn drawn() -> Self {
        Self { lines: Vec::new(), best: Eval::cp(0), played: Eval::cp(0), best_other: None }
    }

    /// Asks the analyst: for the best lines, and for the played move by itself if it is not among them.
    pub(crate) fn search(
        analyst: &dyn Analyst,
        before: &History,
        played: Move,
        curve: &Curve,
        options: &Options,
    ) -> Result<Self, AnalystError> {
        if before.ending() == Some(Ending::InsufficientMaterial) {
            return Ok(Self::drawn());
        }
        let question = Question::new(before.clone(), options.limit);
        let mut lines = analyst.analyse(&question.clone().lines(options.lines))?.lines;
        let alone = |mv: Move| analyst.analyse(&question.clone().searchmoves([mv]));
        let worth = match (ended_by(before, played), lines.iter().find(|line| line.pv.first() == Some(&played))) {
            (Some(eval), _) => eval,
            (None, Some(line)) => line.eval,
            // An analyst has a line for every legal move it is asked about.
            (None, None) => alone(played)?.best().map_or(Eval::cp(0), |line| line.eval),
        };
        // The lines share the time that the played move had to itself, and a search that ends while its best move is being
        // refuted still gives the old score. Where a symbol hangs on the difference, the best move gets the same chance.
        let is_listed = lines.iter().any(|line| line.pv.first() == Some(&played));
        if let Some(first) = lines.first_mut().filter(|_| !is_listed) {
            let context = Context::of(before.position());
            let difference = curve.expected_score(worth, context) - curve.expected_score(first.eval, context);
            if options.scheme.moves.symbol(difference).is_some()
                && let Some(line) = alone(first.first_move())?.lines.into_iter().next()
            {
                *first = line;
                lines.sort_by_key(|line| Reverse(line.eval));
            }
        }
        let best_other = lines.iter().find(|line| line.pv.first() != Some(&played)).map(|line| line.eval);
        let best = lines.first().map_or(worth, |line| line.eval).max(worth);
        Ok(Self { lines, best, played: worth, best_other })
    }
}

/// An evaluation of a move as one of the position after it (still the mover's view): the inverse of the former.
pub(crate) fn one_move_later(played: Eval<Mover>) -> Eval<Mover> {
    match played.mate_moves() {
        Some(moves) if moves > 1 => Eval::mate(moves - 1),
        _ => played,
    }
}

/// What a game's own comments say of the move after its first `index`, if they say enough.
pub(crate) fn told_findings(told: &GameEvals, index: usize, before: &History, played: Move) -> Option<Findings> {
    let best = told.of_position(index, before)?;
    let played = told.of_move(index, before, played)?;
    let best = best.max(played);
    Some(Findings { lines: Vec::new(), best, played, best_other: None })
}

/// Whether there is just one move to play.
pub(crate) fn is_forced(before: &History) -> bool {
    before.position().legal_moves().len() == 1
}
