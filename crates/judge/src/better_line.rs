//! The better lines that a review writes into a game, and how a later review recognises them.

use centipawn_core::History;
use centipawn_pgn::{Nag, Ply};
use shakmaty::{Chess, Move, Position as _};

/// The command before our remark on a move, with the loss in expected score: `[%loss 0.62] Throws
/// away a won game.`. An annotator's symbols that are kept instead of ours follow the number:
/// `[%loss 0.62 $4 $14]`. Without a remark, the command is written only after the last move, where
/// an annotator's symbol of the position may be kept.
pub const LOSS: &str = "[%loss ";

/// Maximum number of half-moves shown of a better line.
pub const LINE_PLIES: usize = 10;

/// Returns the moves of a better line that are shown: at most ten half-moves, and no capture at the
/// end, since another may answer it, unless the capture mates or all moves are captures.
pub fn shown_line<'a>(before: &History, line: &'a [Move]) -> &'a [Move] {
    let line = &line[..line.len().min(LINE_PLIES)];
    let mut end = before.position().clone();
    line.iter().for_each(|&mv| end.play_unchecked(mv));
    if end.is_checkmate() {
        return line;
    }
    let quiet = line
        .iter()
        .rposition(|mv| !mv.is_capture())
        .map_or(line.len(), |last| last + 1);
    &line[..quiet]
}

/// Returns whether a variation has the form of a review's better line: only `[%eval …]` at the
/// first move and no other annotation except a position symbol at the end; or a single move that
/// mates, without annotation. `before` is the position in which the variation begins.
pub fn is_better_line(line: &[Ply], before: &Chess) -> bool {
    let ([first, ..], Some((last, inner))) = (line, line.split_last()) else {
        return false;
    };
    let is_eval = |comment: &str| {
        comment
            .strip_prefix("[%eval ")
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|eval| !eval.contains(']'))
    };
    let mates = || {
        let mut end = before.clone();
        first.play(&mut end);
        line.len() == 1 && last.nags.is_empty() && end.is_checkmate()
    };
    let begins_as_ours = match &first.comments[..] {
        [] => mates(),
        [comment] => is_eval(comment),
        _ => false,
    };
    line.len() <= LINE_PLIES
        && begins_as_ours
        && line[1..].iter().all(|ply| ply.comments.is_empty())
        && line.iter().all(|ply| {
            ply.comments_before.is_empty() && ply.variations.is_empty() && !ply.is_null()
        })
        && inner.iter().all(|ply| ply.nags.is_empty())
        && matches!(last.nags[..], [] | [Nag(10..=21)])
}
