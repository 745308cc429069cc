//! Which positions of a game deserve a deeper search.

use centipawn_core::{Context, Curve, History, MoveSymbol};
use centipawn_pgn::Game;

use crate::{
    Deepen, JudgeOptions, PositionFindings,
    findings::{OPEN, one_move_later},
};

/// A move that loses this share of the threshold of `??` may turn out to be a blunder in a deeper
/// search.
const NEAR: f64 = 0.75;

/// For each position of a game, whether a deeper search may change the symbol or the remark of its
/// move. `found` are the findings of a quick pass, one for each position.
///
/// With [`Deepen::Symbols`] a position matters if one of these holds, where the threshold is that
/// of `?!`:
///
/// - the move loses at least half the threshold,
/// - the move is ahead of the next best one by at least the threshold,
/// - the search of the next position, which sees one move further, disagrees by at least twice the
///   threshold (neighbouring searches usually disagree by half of it),
/// - the engine's last bound leaves too much open.
///
/// With [`Deepen::Blunders`] it matters if the move loses three quarters of the threshold of `??`,
/// if the next search disagrees by as much, or if only one of the best and the played move leads to
/// mate and the move loses the threshold of `?!`. Positions whose evaluations come from the game
/// never matter.
pub(crate) fn what_matters(
    game: &Game,
    found: &[Option<PositionFindings>],
    curve: &Curve,
    options: &JudgeOptions,
) -> Vec<bool> {
    let moves = options.scheme.scheme(curve).moves;
    let [threshold, blunder] =
        [MoveSymbol::Dubious, MoveSymbol::Blunder].map(|symbol| moves.threshold(symbol).abs());
    let matters = |(index, before): (usize, History)| {
        let Some(here) = found[index].as_ref().filter(|here| here.limit.is_some()) else {
            return false;
        };
        let context = Context::of(before.position());
        let expected = |eval| curve.expected_score(eval, context);
        let played = expected(here.played);
        let after = found
            .get(index + 1)
            .and_then(Option::as_ref)
            .filter(|next| next.limit.is_some());
        // Convert the next position's evaluation to the view of the side that moves here.
        let after = after.map(|next| {
            let mover = before.turn();
            expected(next.best.for_white(!mover).for_mover(mover))
        });
        let seen_from_here = expected(one_move_later(here.played));
        let disagreement = after.map_or(0.0, |after| (after - seen_from_here).abs());
        if options.deepen == Deepen::Blunders {
            let loss = expected(here.best) - played;
            let is_mate_at_stake =
                here.best.mate_moves().is_some() != here.played.mate_moves().is_some();
            return loss >= blunder * NEAR
                || disagreement >= blunder * NEAR
                || (is_mate_at_stake && loss >= threshold);
        }
        let lead = here
            .best_other
            .filter(|_| here.best == here.played)
            .map_or(0.0, |other| played - expected(other));
        expected(here.best) - played >= threshold / 2.0
            || here.open(curve, context) >= OPEN
            || lead >= threshold
            || disagreement >= 2.0 * threshold
    };
    game.mainline()
        .map(|(before, _)| before)
        .enumerate()
        .map(matters)
        .collect()
}
