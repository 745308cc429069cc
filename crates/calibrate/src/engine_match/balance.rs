//! The win-draw balance of a match, from a win/draw/loss model of all its evaluations.

use centipawn_pgn::Merge as _;
use centipawn_progress::{Cancel, Silent};
use serde::{Deserialize, Serialize};

use super::MatchGames;
use crate::wdl::{
    Estimate, FitError, FitOptions, FitReport, GameCounts, ResampleOptions, TooFewGames,
};

/// With fewer positions the report does not mention a balance at all, not even that it is missing.
const FEWEST: u64 = 100;

/// The win-draw balance of a match: the evaluation with which half of the games are won.
///
/// It is the NormalizeToPawnValue, in pawns, of the model that `wdl run` fits to the same games
/// with its default options. The evaluations of all players count alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchBalance {
    /// The balance in pawns of the games' evaluations.
    pub pawns: f64,
    /// Standard error from resampled games; `null` if the model cannot be fitted to enough
    /// resamples.
    pub error: Option<f64>,
    /// 95 % interval from resampled games; `null` as for the error.
    pub interval: Option<(f64, f64)>,
    /// Material of both sides at which the balance holds (queen 9, rook 5, minor piece 3, pawn 1).
    pub material: f64,
    /// Number of games with evaluations that ended on the board.
    pub games: u64,
    /// Number of positions within the limits of the fit.
    pub positions: u64,
}

impl MatchGames {
    /// Returns the balance of the games whose two players `meets` accepts. If no model can be
    /// fitted, `notes` receives the reason. Games without evaluations give neither.
    pub(super) fn balance_of(
        &self,
        meets: impl Fn([&String; 2]) -> bool,
        notes: &mut Vec<String>,
    ) -> Option<MatchBalance> {
        let mut positions = GameCounts::default();
        for ([one, other], own) in &self.evaluated {
            if meets([one, other]) {
                positions.merge(own.clone());
            }
        }
        if positions.positions() < FEWEST {
            return None;
        }
        match fitted(&positions) {
            Ok(report) => {
                let pawn =
                    |units: f64| units / f64::from(report.fit.options.selection.units.pawn());
                let sure = report
                    .uncertainty
                    .as_ref()
                    .map(|sure| sure.normalize_to_pawn_value);
                let interval = |Estimate {
                                    interval: (low, high),
                                    ..
                                }| (pawn(low), pawn(high));
                Some(MatchBalance {
                    pawns: pawn(report.fit.normalize_to_pawn_value()),
                    error: sure.map(|sure| pawn(sure.error)),
                    interval: sure.map(interval),
                    material: report.fit.options.target,
                    games: positions.games(),
                    positions: report.fit.retained.iter().sum::<f64>() as u64,
                })
            }
            Err(error) => {
                // A match report has no option for larger evaluations, so its note must not advise
                // to set one.
                let error = match error {
                    FitError::TooFewGames(few) => {
                        FitError::TooFewGames(Box::new(TooFewGames { beyond: 0, ..*few }))
                    }
                    error => error,
                };
                notes.push(format!(
                    "No balance: {}.",
                    error.with_games(positions.games())
                ));
                None
            }
        }
    }
}

/// Fits the model of `wdl run` with its standard errors.
fn fitted(positions: &GameCounts) -> Result<FitReport, FitError> {
    let resampling = ResampleOptions {
        folds: 0,
        ..ResampleOptions::default()
    };
    // These fits take less than a second, so cancelling is not needed.
    FitReport::new(
        &positions.counts(),
        &FitOptions::default(),
        resampling,
        &Cancel::new(),
        &Silent,
    )
}
