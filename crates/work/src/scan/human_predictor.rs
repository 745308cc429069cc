//! Errors of predictions between people.

use centipawn_calibrate::{HumanPredictor, human::HumanGames};
use centipawn_core::HumanModel;
use centipawn_progress::Cancelled;

use crate::Run;

/// What predicts expected scores by a model of these games, with errors by `resamples` resamples of them.
///
/// # Errors
///
/// [`Cancelled`], soon after the run is cancelled.
pub fn human_predictor(
    model: HumanModel,
    games: &HumanGames,
    resamples: usize,
    run: Run<'_>,
) -> Result<HumanPredictor, Cancelled> {
    HumanPredictor::new(model, games, resamples, run.cancel, run.reporter)
}
