//! Whether a reason holds in a longer search, against every defence worth naming.

use centipawn_core::{Context, Curve, Ending, History, material_balance};
use centipawn_engine::{Analyst, AnalystError, Limit, Line, Question};
use shakmaty::{Chess, Color, Move, Position as _};

use super::{Gain, LONGEST_MATE, Motif, Reason, quiet::quiet_end};

/// Defences that are tried at most.
const DEFENCES: usize = 3;
/// Pawns that a piece is worth.
const PIECE: i32 = 3;
/// A defence that expects so much less than the best one is not worth naming.
const WORTH_NAMING: f64 = 1.0 / 20.0;

impl Reason {
    /// Whether the line shows its claim at once: mate, or a piece that the first move takes. Other claims are easily mistaken in a short
    /// search.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.gain, Gain::Mate(_)) || matches!(self.motif, Some(Motif::Hanging | Motif::Capture))
    }

    /// Whether the reason for the move `played` in the position `before` holds: its first move wins what it claims by a search to
    /// `limit`, and so does every defence within a twentieth of the best, three at most. `curve` says what evaluations are worth.
    ///
    /// # Errors
    ///
    /// Those of the analyst.
    pub fn holds(
        &self,
        before: &History,
        played: Move,
        analyst: &dyn Analyst,
        limit: Limit,
        curve: &Curve,
    ) -> Result<bool, AnalystError> {
        let start = self.kind.start(before, played);
        let side = start.turn();
        let base = material_balance(before.position().board(), side);
        let Some(&first) = self.line.first() else { return Ok(false) };
        let mut after = start.clone();
        after.push(first);
        if after.ending() == Some(Ending::Checkmate) {
            return Ok(true);
        }
        let answer = analyst.analyse(&Question::new(start.clone(), limit).searchmoves([first]))?;
        let is_won = |moves: &[Move], mates: bool| match self.gain {
            Gain::Mate(_) => mates,
            Gain::Material(..) => mates || self.wins(start.position(), moves, side, base),
        };
        let mates = |line: &Line| line.eval.mate_moves().is_some_and(|moves| moves > 0);
        if !answer.best().is_some_and(|line| is_won(&line.pv, mates(line))) {
            return Ok(false);
        }
        let defences = analyst.analyse(&Question::new(after.clone(), limit).lines(DEFENCES))?.lines;
        let context = Context::of(after.position());
        let worth = |line: &Line| curve.expected_score(line.eval, context);
        let best = defences.first().map_or(0.0, worth);
        let named = defences.iter().filter(|line| worth(line) >= best - WORTH_NAMING);
        let loses = |line: &Line| {
            let moves: Vec<Move> = std::iter::once(first).chain(line.pv.iter().copied()).collect();
            is_won(&moves, line.eval.mate_moves().is_some_and(|moves| (-LONGEST_MATE..0).contains(&moves)))
        };
        Ok(named.into_iter().all(loses))
    }

    /// Whether the moves end quietly with the material that the reason claims. For a piece a pawn less will do: what is given back later
    /// is no part of the claim.
    fn wins(&self, start: &Chess, moves: &[Move], side: Color, base: i32) -> bool {
        let Gain::Material(_, pawns) = self.gain else { return false };
        let pawns = pawns.cast_signed();
        let least = if pawns >= PIECE { pawns - 1 } else { pawns };
        quiet_end(start, moves, side).is_some_and(|end| end.balance - base >= least)
    }
}
