//! A player in many judged games: totals, causes of losses, mistakes, results, a profile; and a
//! rating from play.

mod causes;
mod mistakes;
mod play_rating;
mod profile;
mod results;
mod tally;

pub use causes::{CauseDocument, Causes};
pub use mistakes::{Mistake, MistakeCounts, Mistakes};
pub use play_rating::{
    GamePlay, PlayEvidence, PlayGameDocument, PlayModel, PlayRating, PlayRatingDocument,
    PlayRatingsDocument,
};
pub use profile::{GroupRow, LossFeatures, PlayerGame, Profile, ProfileDocument};
pub use results::{Results, TrendPoint};
pub use tally::{OpeningRow, PlayerRow, Tally};
