//! The unit of the evaluations in a game.

use std::borrow::Cow;

use centipawn_core::OLD_UNITS;

use crate::{Dialect, Evaluator, PartialDate};

/// The first year in which Lichess analysed with a Stockfish whose pawn is normalised (15.1 or
/// later).
const NORMALISED_SINCE: u16 = 2023;

/// Returns the unit of a game's evaluations, in [pawns for one of Stockfish
/// 15.1's](centipawn_core::WdlModel::pawn_units), by its tags. The program that evaluated decides,
/// if the tag `Annotator` names it ([`Evaluator`]); otherwise Lichess used older Stockfishes until
/// 2022, and other sources count as normalised. `tag` gives the value of a tag, `dialect` is that
/// of the evaluations.
///
/// ```
/// use centipawn_pgn::{Dialect, eval_units};
///
/// let of = |date: &'static str| {
///     let tag = |name: &str| match name {
///         "Site" => Some("https://lichess.org/x".into()),
///         "Date" => Some(date.into()),
///         _ => None,
///     };
///     eval_units(tag, Dialect::Commands)
/// };
/// assert_eq!(format!("{:.2} {:.2}", of("2021.10.01"), of("2026.05.01")), "1.74 1.00");
/// ```
pub fn eval_units<'a>(tag: impl Fn(&str) -> Option<Cow<'a, str>>, dialect: Dialect) -> f64 {
    if let Some(evaluator) = evaluator(&tag, dialect) {
        return evaluator.curve.source_units();
    }
    let date = ["UTCDate", "Date"]
        .into_iter()
        .find_map(|name| PartialDate::read(&tag(name)?));
    let is_old =
        date.is_some_and(|date| date.year() < NORMALISED_SINCE) && is_from_lichess(tag, dialect);
    if is_old { OLD_UNITS } else { 1.0 }
}

/// Returns the evaluator that the tag `Annotator` names; `None` where the engines that played wrote
/// the evaluations.
pub(crate) fn evaluator<'a>(
    tag: impl Fn(&str) -> Option<Cow<'a, str>>,
    dialect: Dialect,
) -> Option<Evaluator> {
    let is_of_players = matches!(dialect, Dialect::Engine | Dialect::Tcec);
    if is_of_players {
        None
    } else {
        Evaluator::of_annotator(&tag("Annotator")?)
    }
}

/// Returns whether the evaluations are Lichess' own.
pub(crate) fn is_from_lichess<'a>(
    tag: impl Fn(&str) -> Option<Cow<'a, str>>,
    dialect: Dialect,
) -> bool {
    let mut texts = ["Site", "Event"].into_iter().filter_map(tag);
    dialect == Dialect::Commands && texts.any(|text| text.contains("lichess.org"))
}
