//! Converts engine evaluations to expected scores.

use centipawn_core::{Context, Curve, Eval, Mover};
use centipawn_engine::{Analysis, Line};
use shakmaty::{Chess, Move};

/// Converts an engine's lines to expected scores.
///
/// The meaning of a centipawn differs between engine versions: three Stockfish versions win half
/// their games at 1.13, 1.67 and 1.00 pawns. The puzzle rules therefore use expected scores from 0
/// to 1: the engine's own win/draw/loss if it reports them, otherwise a curve.
///
/// ```
/// use centipawn_core::{Curve, Eval};
/// use centipawn_puzzle::Scorer;
/// use shakmaty::Chess;
///
/// let scorer = Scorer::by(Curve::Relevance { balance: 0.62 });
/// assert_eq!(scorer.of_eval(Eval::cp(62), &Chess::default()), 0.75);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scorer {
    curve: Curve,
    is_given: bool,
}

impl Scorer {
    /// Uses the engine's own win/draw/loss, or for lines without one the curve that fits the
    /// engine's name.
    pub fn of_engine(name: &str) -> Self {
        Self {
            curve: Curve::for_engine(name),
            is_given: false,
        }
    }

    /// Always uses this curve, even if the engine reports win/draw/loss.
    pub fn by(curve: Curve) -> Self {
        Self {
            curve,
            is_given: true,
        }
    }

    /// Returns [`by`](Self::by) the curve if there is one, and [`of_engine`](Self::of_engine)
    /// otherwise.
    pub fn new(curve: Option<Curve>, engine: &str) -> Self {
        curve.map_or_else(|| Self::of_engine(engine), Self::by)
    }

    /// Returns the expected score (0 to 1) of an evaluation for the side to move in `position`.
    pub fn of_eval(&self, eval: Eval<Mover>, position: &Chess) -> f64 {
        self.curve.expected_score(eval, Context::of(position))
    }

    /// Returns the expected score (0 to 1) of an evaluation from another source, for the side to
    /// move in `position`: by the given curve if there is one, otherwise by `source`, the curve of
    /// that source.
    pub(crate) fn of_source(&self, eval: Eval<Mover>, source: Curve, position: &Chess) -> f64 {
        let curve = if self.is_given { self.curve } else { source };
        curve.expected_score(eval, Context::of(position))
    }

    /// Returns the win-draw balance in `position`, in pawns: the evaluation that wins half the
    /// games.
    pub(crate) fn balance(&self, position: &Chess) -> f64 {
        self.curve.balance(Context::of(position))
    }

    /// Returns the expected score of a move if its evaluation were better by this many win-draw
    /// balances, or worse if negative. A mate is not changed.
    pub(crate) fn shifted(&self, mv: &ScoredMove, balances: f64, position: &Chess) -> f64 {
        mv.eval.pawns().map_or(mv.expected, |pawns| {
            let centipawns = 100.0 * (pawns + balances * self.balance(position));
            self.of_eval(Eval::cp(centipawns.round() as i32), position)
        })
    }

    /// Returns the expected score of a move if its evaluation changed from `now` on by as much as
    /// it changed from `before` to `now`. A mate is not changed.
    pub(crate) fn further(&self, now: &ScoredMove, before: &ScoredMove, position: &Chess) -> f64 {
        match (now.eval.pawns(), before.eval.pawns()) {
            (Some(pawns), Some(before)) => {
                self.shifted(now, (pawns - before) / self.balance(position), position)
            }
            _ => now.expected,
        }
    }

    /// Returns the expected score (0 to 1) of a line for the side to move in `position`.
    pub(crate) fn of_line(&self, line: &Line, position: &Chess) -> f64 {
        match line.wdl {
            Some(wdl) if !self.is_given && line.eval.mate_moves().is_none() => wdl.expected_score(),
            _ => self.of_eval(line.eval, position),
        }
    }

    /// Returns the first moves of an analysis of `position` with their expected scores, best first.
    pub(crate) fn of_analysis(&self, analysis: &Analysis, position: &Chess) -> Vec<ScoredMove> {
        let scored = |line: &Line| ScoredMove {
            mv: line.first_move(),
            eval: line.eval,
            expected: self.of_line(line, position),
        };
        analysis.lines.iter().map(scored).collect()
    }
}

/// A move with its evaluation and expected score, both for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// The engine's evaluation.
    pub eval: Eval<Mover>,
    /// Expected score, 0 to 1.
    pub expected: f64,
}
