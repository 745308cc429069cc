//! What is a chess evaluation worth?
//!
//! A [`Curve`] maps an engine's [`Eval`] to an expected score; symbols, relevant differences and
//! limits follow from it.
//!
//! ```
//! use centipawn_core::{Context, Curve, MoveScheme};
//!
//! let curve = Curve::Relevance { balance: 0.62 };
//! let context = Context::default();
//!
//! // White played a move worth 0.51, the next best was worth −0.30: how good is that?
//! let gain = curve.at(0.51, context) - curve.at(-0.30, context);
//! assert_eq!(MoveScheme::S7.symbol(gain).unwrap().glyph(), "!!");
//!
//! // From which evaluation does a move deserve `!!`? The inverse of the curve gives the limit.
//! let limit = curve.pawns(curve.at(-0.30, context) + MoveScheme::S7.thresholds()[0], context).unwrap();
//! assert_eq!(format!("{limit:.3}"), "0.502");
//! ```
//!
//! This crate is mathematics: no I/O, no processes, no async, no file formats. Positions, moves and
//! the rules of chess come from [`shakmaty`].

mod accuracy;
mod curve;
mod curve_choice;
mod curve_table;
mod ease;
mod ease_course;
mod eval;
mod history;
mod human;
mod invalid_curve;
mod material;
mod math;
mod move_model;
mod named_curve;
mod odds;
mod pool;
mod random;
mod scheme;
mod search_error;
mod static_exchange;
mod symbol;
mod units;
mod wdl;

pub use accuracy::{
    accuracy_errors, accuracy_of_game, accuracy_of_move, accuracy_of_moves, win_percent,
};
pub use curve::{Context, Curve};
pub use curve_choice::{CurveChoice, Players};
pub use curve_table::CurveTable;
pub use ease::{BlunderMeter, EASE_CURVE, Ease, EaseError, WeighedMove, sharpness};
pub use ease_course::{EaseTree, Finders, LevelCurve, LevelPoint, LineEase, hardest};
pub use eval::{Eval, Mover, Score, Wdl, White};
pub use history::{Ending, FenError, History, IllegalMove};
pub use human::{HumanCurve, HumanModel, InvalidHumanCurve, logistic, ordered_logit};
pub use invalid_curve::InvalidCurve;
pub use material::{material_balance, material_value, piece_name};
pub use move_model::{MoveModel, PolicyMove};
pub use named_curve::{ByCurve, CurveParameter, NamedCurve};
pub use odds::{Odds, PlayerPair};
pub use pool::{Pool, PoolEffect, PoolEffects, UnknownPool};
pub use random::{SplitMix64, mix64};
pub use scheme::{Scheme, SchemeChoice, UnknownScheme};
pub use search_error::{SearchError, SearchedMove};
pub use static_exchange::{piece_value, static_exchange_eval};
pub use symbol::{MoveScheme, MoveSymbol, PositionScheme, PositionSymbol};
pub use units::OLD_UNITS;
pub use wdl::{Argument, Pawn, WdlModel};
