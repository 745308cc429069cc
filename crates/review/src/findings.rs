//! What is known of the positions of a game in which moves were played: from an analyst, or from the game's own comments.

use std::{cmp::Reverse, sync::Arc};

use centipawn_core::{Context, Curve, Ending, Eval, History, Mover};
use centipawn_engine::{Analyst, AnalystError, Identity, Line, Question};
use centipawn_pgn::{GameEvals, ended_by};
use shakmaty::{Move, Position as _};

use crate::{ReviewOptions, ease::JudgedEase};

/// What the analyst and the networks say of a game: the engine work of a review, which [`judge_game`](crate::judge_game) needs
/// and nothing else. [`FindingsDocument`](crate::FindingsDocument) is its form as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct GameFindings {
    /// Who analysed; `None` if every evaluation came from the game itself.
    pub analyst: Option<Arc<Identity>>,
    /// From evaluations to expected scores: the curve that was asked for, or that of whoever evaluated.
    pub curve: Curve,
    /// One for each move of the game, of the position before it.
    pub positions: Vec<PositionFindings>,
}

/// The worth of a position's best moves and of the one that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionFindings {
    /// The analyst's lines, best first; empty where the evaluations come from the game.
    pub lines: Vec<Line>,
    /// Of the best move.
    pub best: Eval<Mover>,
    /// Of the played move; never better than the best.
    pub played: Eval<Mover>,
    /// Of the best other move than the played one, where it is known.
    pub best_other: Option<Eval<Mover>>,
    /// Whether the analyst was asked; otherwise the evaluations come from the game, or there is no material to win with.
    pub was_asked: bool,
    /// How hard it was to find a good move, for each network.
    pub ease: Vec<JudgedEase>,
}

impl GameFindings {
    /// Version of the way findings are made and written; another one means other findings.
    pub const VERSION: u32 = 1;
}

impl PositionFindings {
    /// Where both players' moves cannot matter: no material to win with.
    fn drawn() -> Self {
        let even = Eval::cp(0);
        Self { lines: Vec::new(), best: even, played: even, best_other: None, was_asked: false, ease: Vec::new() }
    }

    /// Asks the analyst: for the best lines, and for the played move by itself if it is not among them.
    pub(crate) fn search(
        analyst: &dyn Analyst,
        before: &History,
        played: Move,
        curve: &Curve,
        options: &ReviewOptions,
    ) -> Result<Self, AnalystError> {
        if !needs_search(before) {
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
        // refuted still gives the old score. Where a symbol depends on the difference, the best move gets the same chance.
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
        Ok(Self { lines, best, played: worth, best_other, was_asked: true, ease: Vec::new() })
    }

    /// What a game's own comments say of the move after its first `index`, if they say enough.
    pub(crate) fn from_game(evals: &GameEvals, index: usize, before: &History, played: Move) -> Option<Self> {
        let best = evals.of_position(index, before)?;
        let played = evals.of_move(index, before, played)?;
        let best = best.max(played);
        Some(Self { lines: Vec::new(), best, played, best_other: None, was_asked: false, ease: Vec::new() })
    }
}

/// Whether an analyst has anything to say of a position.
pub(crate) fn needs_search(before: &History) -> bool {
    before.ending() != Some(Ending::InsufficientMaterial)
}

/// An evaluation of a move as one of the position after it (still the mover's view): the inverse of the former.
pub(crate) fn one_move_later(played: Eval<Mover>) -> Eval<Mover> {
    match played.mate_moves() {
        Some(moves) if moves > 1 => Eval::mate(moves - 1),
        _ => played,
    }
}

/// Whether there is just one move to play.
pub(crate) fn is_forced(before: &History) -> bool {
    before.position().legal_moves().len() == 1
}
