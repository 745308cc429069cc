//! Evaluations of a game's positions, from an analyst or from the game's own comments.

use std::{cmp::Reverse, iter, sync::Arc};

use centipawn_core::{Context, Curve, Ending, Eval, History, Mover};
use centipawn_engine::{Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_pgn::{GameEvals, ended_by};
use shakmaty::{Move, Position as _};

use crate::{
    JudgeOptions,
    ease::JudgedEase,
    reason::{DrawKind, Proof},
};

/// The answers of the analyst and the networks about a game: all the engine work that
/// [`judge_game`](crate::judge_game) needs.
#[derive(Clone, Debug, PartialEq)]
pub struct GameFindings {
    /// The analyst; `None` if every evaluation came from the game itself.
    pub analyst: Option<Arc<Identity>>,
    /// The curve from evaluations to expected scores that the options choose for this game.
    pub curve: Curve,
    /// One entry for each move of the game, for the position before the move.
    pub positions: Vec<PositionFindings>,
}

/// A search is repeated with a larger limit if its last bound leaves at least this much expected
/// score open. It is the smallest threshold of any scheme of move symbols, so a smaller uncertainty
/// cannot change a symbol.
pub(crate) const OPEN: f64 = 1.0 / 20.0;

/// Maximum number of times that the limit of a search is doubled because its scores are too
/// uncertain.
const DOUBLINGS: usize = 3;

/// Evaluations of a position's best moves and of the move played.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionFindings {
    /// The analyst's lines, best first; empty if the evaluations come from the game.
    pub lines: Vec<Line>,
    /// Evaluation of the best move.
    pub best: Eval<Mover>,
    /// Evaluation of the played move; never better than `best`.
    pub played: Eval<Mover>,
    /// The last exact score of the played move, where the engine's last bound contradicts it (see
    /// [`Line::last_exact`]).
    pub played_last_exact: Option<Eval<Mover>>,
    /// Evaluation of the best move other than the played move, if known.
    pub best_other: Option<Eval<Mover>>,
    /// The limit of the search, which exceeds that of the options if the first search left too much
    /// open. `None` if the evaluations come from the game, or neither side has the material to win.
    pub limit: Option<Limit>,
    /// The ease of the position before the move, for each network.
    pub ease: Vec<JudgedEase>,
    /// The proven [reason](crate::reason::Reason) of the played move's loss; `None` if none was
    /// proven.
    pub proof: Option<Proof>,
    /// The best line after the played move, if that move was searched alone. It is needed until the
    /// reason is proven, and is not stored.
    pub answer: Vec<Move>,
}

impl GameFindings {
    /// Version of the computation and format of findings. Findings of different versions are not
    /// interchangeable.
    pub const VERSION: u32 = 16;
}

impl PositionFindings {
    /// Findings of a position in which neither side has the material to win.
    fn drawn() -> Self {
        let even = Eval::cp(0);
        let (played_last_exact, best_other, limit) = (None, None, None);
        Self {
            lines: Vec::new(),
            best: even,
            played: even,
            played_last_exact,
            best_other,
            limit,
            ease: Vec::new(),
            proof: None,
            answer: Vec::new(),
        }
    }

    /// Searches a position for the last time: to `limit`, and beyond it while an evaluation that
    /// may earn a symbol is too open.
    pub(crate) fn search_on(
        analyst: &dyn Analyst,
        before: &History,
        played: Move,
        curve: &Curve,
        limit: Limit,
        options: &JudgeOptions,
    ) -> Result<Self, AnalystError> {
        let context = Context::of(before.position());
        let limits = iter::successors(limit.doubled(), |limit| limit.doubled()).take(DOUBLINGS);
        let mut found = Self::search(analyst, before, played, curve, limit, options)?;
        for limit in limits {
            if is_forced(before) || found.open(curve, context) < OPEN {
                break;
            }
            match Self::search(analyst, before, played, curve, limit, options) {
                Ok(deeper) => found = deeper,
                Err(AnalystError::Cancelled) => return Err(AnalystError::Cancelled),
                // The deeper search failed, so keep the answer of the search within the limit.
                Err(_) => break,
            }
        }
        Ok(found)
    }

    /// Returns the expected score that the search leaves open: the greatest distance between a last
    /// exact score and the later bound that contradicts it, over the moves whose evaluations decide
    /// the symbol.
    pub(crate) fn open(&self, curve: &Curve, context: Context) -> f64 {
        let expected = |eval| curve.expected_score(eval, context);
        let listed = self
            .lines
            .iter()
            .take(2)
            .map(|line| (line.eval, line.last_exact));
        let pairs = listed.chain([(self.played, self.played_last_exact)]);
        let distance = |(eval, last_exact): (_, Option<_>)| {
            Some((expected(eval) - expected(last_exact?)).abs())
        };
        pairs.filter_map(distance).fold(0.0, f64::max)
    }

    /// Asks the analyst for the best lines to `limit`, and for the played move alone if it is not
    /// among them.
    pub(crate) fn search(
        analyst: &dyn Analyst,
        before: &History,
        played: Move,
        curve: &Curve,
        limit: Limit,
        options: &JudgeOptions,
    ) -> Result<Self, AnalystError> {
        if !needs_search(before) {
            return Ok(Self::drawn());
        }
        let question = Question::new(before.clone(), limit);
        let mut lines = analyst
            .analyse(&question.clone().lines(options.lines))?
            .lines;
        let alone = |mv: Move| analyst.analyse(&question.clone().searchmoves([mv]));
        let listed = lines.iter().find(|line| line.pv.first() == Some(&played));
        let mut answer = Vec::new();
        let ended = ended_by(before, played).or_else(|| drawn_by_rule(before, played));
        let (worth, played_last_exact) = match (ended, listed) {
            (Some(eval), _) => (eval, None),
            (None, Some(line)) => (line.eval, line.last_exact),
            // An analyst returns a line for every legal move in `searchmoves`.
            (None, None) => alone(played)?.best().map_or((Eval::cp(0), None), |line| {
                answer = line.pv[1..].to_vec();
                (line.eval, line.last_exact)
            }),
        };
        // The lines shared one search, while the played move was searched alone, to a greater
        // depth. Also, a search that stops while its best move is being refuted still reports the
        // old score. So if the difference would give a symbol, search the best move alone, too.
        let is_listed = lines.iter().any(|line| line.pv.first() == Some(&played));
        if let Some(first) = lines.first_mut().filter(|_| !is_listed) {
            let context = Context::of(before.position());
            let difference =
                curve.expected_score(worth, context) - curve.expected_score(first.eval, context);
            if options
                .scheme
                .scheme(curve)
                .moves
                .symbol(difference)
                .is_some()
                && let Some(line) = alone(first.first_move())?.lines.into_iter().next()
            {
                *first = within_bound(line, first);
                lines.sort_by_key(|line| Reverse(line.eval));
            }
        }
        // Engines do not score a third repetition or the fifty-move rule as a draw everywhere, so
        // set the draw in the list, too.
        if let (Some(eval), Some(line)) = (
            ended,
            lines.iter_mut().find(|line| line.first_move() == played),
        ) {
            // Drop the bound: it would cause a longer search, although the rule decides the
            // evaluation.
            (line.eval, line.last_exact) = (eval, None);
            lines.sort_by_key(|line| Reverse(line.eval));
        }
        let best_other = lines
            .iter()
            .find(|line| line.pv.first() != Some(&played))
            .map(|line| line.eval);
        let best = lines.first().map_or(worth, |line| line.eval).max(worth);
        Ok(Self {
            lines,
            best,
            played: worth,
            played_last_exact,
            best_other,
            limit: Some(limit),
            ease: Vec::new(),
            proof: None,
            answer,
        })
    }

    /// Searches the moves other than the played one to twice the limit of these findings, and
    /// corrects the evaluation of the best of them.
    ///
    /// The lines of a position share one search, so the second one is often evaluated by a shallow
    /// search: a move is praised only if it is ahead of all others in this search too.
    pub(crate) fn confirm(
        &mut self,
        analyst: &dyn Analyst,
        before: &History,
        played: Move,
        limit: Limit,
    ) -> Result<(), AnalystError> {
        let others = before
            .position()
            .legal_moves()
            .into_iter()
            .filter(|mv| *mv != played);
        let question =
            Question::new(before.clone(), limit.doubled().unwrap_or(limit)).searchmoves(others);
        let Some(rival) = analyst.analyse(&question)?.lines.into_iter().next() else {
            return Ok(());
        };
        // The played move was not searched to this limit. Cap the rival's evaluation, so that the
        // two searches stay comparable.
        let most = rival.eval.min(self.played);
        let rival = if rival.eval > most {
            Line {
                eval: most,
                last_exact: None,
                wdl: None,
                ..rival
            }
        } else {
            rival
        };
        self.best_other = Some(most);
        let first = rival.first_move();
        self.lines.retain(|line| line.first_move() != first);
        let place = self
            .lines
            .iter()
            .position(|line| line.first_move() != played)
            .unwrap_or(self.lines.len());
        self.lines.insert(place, rival);
        // The first search listed these moves behind the rival, so they are not better.
        for line in self
            .lines
            .iter_mut()
            .filter(|line| line.first_move() != played && line.eval > most)
        {
            (line.eval, line.last_exact, line.wdl) = (most, None, None);
        }
        Ok(())
    }

    /// Findings from the game's own comments for the move at `index`, from 0; `None` if they do not
    /// suffice.
    pub(crate) fn from_game(
        evals: &GameEvals,
        index: usize,
        before: &History,
        played: Move,
    ) -> Option<Self> {
        let best = evals.of_position(index, before)?;
        let played = evals.of_move(index, before, played)?;
        let best = best.max(played);
        let (played_last_exact, best_other, limit) = (None, None, None);
        Some(Self {
            lines: Vec::new(),
            best,
            played,
            played_last_exact,
            best_other,
            limit,
            ease: Vec::new(),
            proof: None,
            answer: Vec::new(),
        })
    }
}

/// Returns the line of a move's separate search, moved to the bound that the first search printed
/// last for this move: a deeper search may not contradict what an earlier one proved.
fn within_bound(line: Line, first: &Line) -> Line {
    let eval = match first.last_exact {
        Some(exact) if first.eval < exact => line.eval.min(first.eval),
        Some(_) => line.eval.max(first.eval),
        None => line.eval,
    };
    let last_exact = if eval == line.eval {
        line.last_exact
    } else {
        Some(line.eval)
    };
    Line {
        eval,
        last_exact,
        ..line
    }
}

/// Returns the evaluation of a move that draws by a rule which a player may claim; `None` for all
/// other moves. Engines evaluate positions after a third repetition or fifty moves differently.
pub(crate) fn drawn_by_rule(before: &History, played: Move) -> Option<Eval<Mover>> {
    let mut after = before.clone();
    after.push(played);
    DrawKind::on_board(&after).map(|_| Eval::cp(0))
}

/// Returns whether a position needs an analyst.
pub(crate) fn needs_search(before: &History) -> bool {
    before.ending() != Some(Ending::InsufficientMaterial)
}

/// Converts the evaluation of a move to the evaluation of the position after it, still from the
/// mover's point of view: a mate is one move nearer.
pub(crate) fn one_move_later(played: Eval<Mover>) -> Eval<Mover> {
    match played.mate_moves() {
        Some(moves) if moves > 1 => Eval::mate(moves - 1),
        _ => played,
    }
}

/// Returns whether there is only one legal move.
pub fn is_forced(before: &History) -> bool {
    before.position().legal_moves().len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A move's separate search does not contradict the bound that the first search ended with.
    #[test]
    fn a_separate_search_keeps_the_bound() {
        let mv = History::default().parse_uci("e2e4").unwrap();
        let line = |cp, last_exact: Option<i32>| Line {
            pv: vec![mv],
            eval: Eval::cp(cp),
            last_exact: last_exact.map(Eval::cp),
            wdl: None,
            depth: 1,
            seldepth: None,
        };
        for (first, alone, eval, last_exact) in [
            (line(40, Some(60)), line(77, None), 40, Some(77)),
            (line(40, Some(60)), line(30, None), 30, None),
            (line(80, Some(60)), line(43, None), 80, Some(43)),
            (line(80, Some(60)), line(95, Some(90)), 95, Some(90)),
            (line(60, None), line(20, None), 20, None),
        ] {
            let kept = within_bound(alone, &first);
            assert_eq!(
                (kept.eval, kept.last_exact),
                (Eval::cp(eval), last_exact.map(Eval::cp)),
                "{first:?}"
            );
        }
    }
}
