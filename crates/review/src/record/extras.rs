//! What further searches add to an annotated game.

use std::collections::{BTreeMap, BTreeSet};

use centipawn_core::{Eval, White};
use centipawn_pgn::{Nag, Ply};
use shakmaty::{Chess, Move};

/// `∝`: the position cannot be evaluated.
pub const UNCLEAR: Nag = Nag(13);

/// What further searches add to an [annotated game](crate::Review::annotated). Plies are counted
/// from 0.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Extras {
    /// Whether every move is followed by the symbol of its position, and not only moves with a
    /// symbol and the last one.
    pub position_symbols: bool,
    /// The plies after which the position is unclear: a longer search evaluates it differently.
    /// They get `∝` as the symbol of the position.
    pub unclear: BTreeSet<usize>,
    /// The opponent's threat before a ply.
    pub threats: BTreeMap<usize, Threat>,
}

/// What the opponent threatens: the line that follows if the side to move passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Threat {
    /// The moves, the opponent's first. Never empty.
    pub line: Vec<Move>,
    /// The evaluation after passing, White's view.
    pub eval: Eval<White>,
}

impl Threat {
    /// Returns the variation that shows the threat: a null move with the evaluation, then the line.
    /// `None` in check, where passing is illegal.
    pub(crate) fn variation(&self, before: &Chess) -> Option<Vec<Ply>> {
        let mut null = Ply::null(before)?;
        null.set_eval(self.eval);
        Some(
            [null]
                .into_iter()
                .chain(self.line.iter().map(|&mv| Ply::new(mv)))
                .collect(),
        )
    }
}

/// Returns whether a variation has the form of a review's threat: a null move with nothing but an
/// evaluation, and moves without annotations.
pub(crate) fn is_threat(line: &[Ply]) -> bool {
    let [null, rest @ ..] = line else {
        return false;
    };
    let is_eval = |comment: &String| {
        let inner = comment
            .strip_prefix("[%eval ")
            .and_then(|rest| rest.strip_suffix(']'));
        inner.is_some_and(|eval| !eval.contains(']'))
    };
    null.is_null()
        && null.nags.is_empty()
        && matches!(&null.comments[..], [only] if is_eval(only))
        && !rest.is_empty()
        && rest
            .iter()
            .all(|ply| ply.nags.is_empty() && ply.comments.is_empty() && !ply.is_null())
        && line
            .iter()
            .all(|ply| ply.comments_before.is_empty() && ply.variations.is_empty())
}
