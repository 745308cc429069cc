//! Which positions of a game deserve a deeper search.

use centipawn_core::{Context, Curve, History, MoveSymbol};
use centipawn_pgn::Game;

use crate::{
    Deepen, JudgeOptions, PositionFindings,
    findings::{OPEN, one_move_later},
};

/// A loss of this share of a blunder's may be one in a deeper search.
const NEAR: f64 = 0.75;

/// For each position of a game, whether a deeper search may change the symbol or the remark of its move. `found` are the findings of a quick
/// pass, one for each position.
///
/// It may where the move gives away half of what earns a symbol, or is ahead of the next best move by what earns one; and where
/// the search of the following position, which sees one move further, disagrees by twice that: neighbouring searches disagree by
/// half of it as a rule. It may also where the engine's last word leaves too much open. With [`Deepen::Blunders`] only `??` count, and mates
/// that one of the two moves has: the move gives away three quarters of what makes it a blunder, or the following search disagrees by as
/// much. Positions whose evaluations come from the game itself never matter.
pub(crate) fn what_matters(
    game: &Game,
    found: &[Option<PositionFindings>],
    curve: &Curve,
    options: &JudgeOptions,
) -> Vec<bool> {
    let moves = options.scheme.scheme(curve).moves;
    let [threshold, blunder] = [MoveSymbol::Dubious, MoveSymbol::Blunder].map(|symbol| moves.threshold(symbol).abs());
    let matters = |(index, before): (usize, History)| {
        let Some(here) = found[index].as_ref().filter(|here| here.limit.is_some()) else { return false };
        let context = Context::of(before.position());
        let expected = |eval| curve.expected_score(eval, context);
        let played = expected(here.played);
        let after = found.get(index + 1).and_then(Option::as_ref).filter(|next| next.limit.is_some());
        // The next position's evaluation, seen by who moved here.
        let after = after.map(|next| {
            let mover = before.turn();
            expected(next.best.for_white(!mover).for_mover(mover))
        });
        let seen_from_here = expected(one_move_later(here.played));
        let disagreement = after.map_or(0.0, |after| (after - seen_from_here).abs());
        if options.deepen == Deepen::Blunders {
            let loss = expected(here.best) - played;
            let is_mate_at_stake = here.best.mate_moves().is_some() != here.played.mate_moves().is_some();
            return loss >= blunder * NEAR || disagreement >= blunder * NEAR || (is_mate_at_stake && loss >= threshold);
        }
        let lead = here.best_other.filter(|_| here.best == here.played).map_or(0.0, |other| played - expected(other));
        expected(here.best) - played >= threshold / 2.0
            || here.open(curve, context) >= OPEN
            || lead >= threshold
            || disagreement >= 2.0 * threshold
    };
    game.mainline().map(|(before, _)| before).enumerate().map(matters).collect()
}
