//! A rating estimated from a player's moves.
//!
//! [`GamePlay`] measures how both players of a game played: how likely people of each rating are to
//! play these moves, how much the moves lost, and how the clock was used. [`PlayModel`] turns such
//! measurements of one or more games into a rating with an 80 % interval.

mod document;
mod features;
mod judged;
mod model;

pub use document::{PlayGameDocument, PlayRatingDocument, PlayRatingsDocument};
pub use features::GamePlay;
use features::PlayFeatures;
pub use model::{PlayEvidence, PlayModel, PlayRating};
