//! What is a chess evaluation worth?
//!
//! A [`Curve`] maps an engine's [`Eval`] to an expected score; symbols, relevant differences and limits follow from it.
//!
//! ```
//! use centipawn_core::{Context, Curve, MoveScheme, new_move_limit};
//!
//! let curve = Curve::Relevance { balance: 0.62 };
//! let context = Context::default();
//!
//! // White played a move worth 0.51, the next best was worth −0.30: how good is that?
//! let gain = curve.at(0.51, context) - curve.at(-0.30, context);
//! assert_eq!(MoveScheme::S7.symbol(gain).unwrap().glyph(), "!!");
//!
//! // And from where on would a move deserve that?
//! let limit = new_move_limit(&curve, -0.30, MoveScheme::S7.thresholds()[0], context).unwrap();
//! assert_eq!(format!("{limit:.3}"), "0.502");
//! ```
//!
//! This crate is mathematics: no input or output, no processes, not async, no file formats. Chess itself (positions,
//! moves, rules) is [`shakmaty`]'s.

mod accuracy;
mod curve;
mod eval;
mod history;
mod symbol;
mod wdl;

pub use accuracy::{accuracy_of_game, accuracy_of_move, win_percent};
pub use curve::{Context, Curve};
pub use eval::{Eval, Mover, Score, Wdl, White};
pub use history::{Ending, FenError, History, IllegalMove};
pub use symbol::{MoveScheme, MoveSymbol, PositionScheme, PositionSymbol, Scheme, UnknownScheme, nag_glyph};
pub use wdl::{Argument, Pawn, WdlModel};

/// The evaluation in pawns from which on a new move deserves a symbol, given the best other evaluation `old` and the
/// symbol's threshold (see [`MoveScheme::threshold`]); both evaluations from the mover's view.
///
/// `None` where no evaluation is good or bad enough, printed `------`. From White's view a move of Black's has the limit
/// `−new_move_limit(−old)`.
pub fn new_move_limit(curve: &Curve, old: f64, threshold: f64, context: Context) -> Option<f64> {
    curve.pawns(curve.at(old, context) + threshold, context)
}
