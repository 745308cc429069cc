//! Balances as JSON.

use std::collections::BTreeMap;

use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{BalanceEstimate, Bin, Highest, Listed, Stretched, game::side};

/// Balances as JSON: `balance --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BalanceDocument {
    /// The estimate of each engine.
    pub rows: Vec<BalanceRowDocument>,
    /// Warnings about the games, each with its cause.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Number of games that name a setting of contempt in a tag or a comment, by the setting
    /// (`Contempt=0`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contempt: BTreeMap<String, u64>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// An estimate as JSON. Evaluations are in pawns from the engine's side; an announced mate is
/// `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BalanceRowDocument {
    /// The tag `Event`, if games are grouped by it.
    pub event: Option<String>,
    /// The tag `White` or `Black`, if games are grouped by engine.
    pub engine: Option<String>,
    /// The year of the tag `Date`, if games are grouped by it.
    pub year: Option<u32>,
    /// The tag of the other player, if games are grouped by opponent.
    pub opponent: Option<String>,
    /// The lowest Elo of the band of a hundred points, if games are grouped by Elo.
    pub elo: Option<u32>,
    /// Number of games with a result and own evaluations.
    pub games: u64,
    /// Number of games won.
    pub wins: u64,
    /// Number of games drawn or lost.
    pub not_won: u64,
    /// The highest own evaluation in a game that was not won.
    pub highest_not_won: Option<f64>,
    /// The counting estimate of the balance.
    pub balance: Option<f64>,
    /// Why there is no counting estimate; `null` if there is one.
    pub reason: Option<String>,
    /// 95 % interval of the counting estimate.
    pub interval: Option<(Option<f64>, Option<f64>)>,
    /// The fitted estimate of the balance.
    pub fitted: Option<f64>,
    /// 95 % interval of the fitted estimate; `null` if all games agree, as a single game does,
    /// because they then show no error.
    pub fitted_interval: Option<(f64, f64)>,
    /// Actual and expected scores by evaluation, for the fitted estimate.
    pub calibration: Option<Vec<BinDocument>>,
    /// The stretched curve, if it was requested and the likelihood has a maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretched: Option<StretchedDocument>,
    /// The games not won, by descending evaluation, if the list was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<ListedDocument>>,
}

/// The curve `relevance-stretched`, fitted to all positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StretchedDocument {
    /// The balance in pawns.
    pub balance: f64,
    /// 95 % interval of the balance.
    pub balance_interval: Option<(f64, f64)>,
    /// The slope at the balance, as a multiple of the exponential curve's.
    pub slope: f64,
    /// 95 % interval of the slope.
    pub slope_interval: Option<(f64, f64)>,
    /// Mean log loss of a position under this curve.
    pub log_loss: f64,
    /// Mean log loss of a position under the best exponential curve.
    pub log_loss_exponential: f64,
}

/// Positions whose evaluations lie in one bin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BinDocument {
    /// Lower end of the bin, in balances.
    pub from: f64,
    /// Mean evaluation, in balances.
    pub mean: f64,
    /// Number of positions.
    pub positions: u64,
    /// Mean score of the better side, 0..=1.
    pub score: f64,
    /// Score of the better side that the fitted curve expects, 0..=1.
    pub expected: f64,
}

/// A game that an engine did not win.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedDocument {
    /// The game's number among the counted games of its event, from 1.
    pub game: u64,
    /// The tag `Round`.
    pub round: String,
    /// The tag `White`.
    pub white: String,
    /// The tag `Black`.
    pub black: String,
    /// `1-0`, `1/2-1/2`, `0-1`.
    pub result: String,
    /// The side that the engine played.
    #[serde(with = "side")]
    pub side: Color,
    /// The engine's highest own evaluation in the game.
    pub highest: Option<f64>,
    /// The full-move number at which it occurred.
    #[serde(rename = "move")]
    pub number: u32,
}

impl BalanceDocument {
    /// Creates the document of some estimates. `with_list` adds the games behind them.
    pub fn new(rows: &[BalanceEstimate], with_list: bool, provenance: Option<Provenance>) -> Self {
        let row = |row: &BalanceEstimate| {
            let (key, fitted) = (row.key.clone(), row.fitted.as_ref());
            BalanceRowDocument {
                event: key.event,
                engine: key.engine,
                year: key.year,
                opponent: key.opponent,
                elo: key.elo,
                games: row.games,
                wins: row.wins,
                not_won: row.not_won,
                highest_not_won: row.highest_not_won.and_then(finite),
                balance: row.balance.and_then(finite),
                reason: row.reason().map(str::to_owned),
                interval: row.interval.map(|(low, high)| (finite(low), finite(high))),
                fitted: fitted.map(|fitted| fitted.balance),
                fitted_interval: fitted.and_then(|fitted| fitted.interval),
                calibration: fitted.map(|fitted| fitted.calibration.iter().map(bin).collect()),
                stretched: row.stretched.as_ref().map(stretched),
                list: with_list.then(|| row.list.iter().map(listed).collect()),
            }
        };
        Self {
            rows: rows.iter().map(row).collect(),
            warnings: Vec::new(),
            contempt: BTreeMap::new(),
            provenance,
        }
    }

    /// Adds the warnings of [`Matches::warnings`](super::Matches::warnings).
    #[must_use]
    pub fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// Adds the [settings of contempt](super::Matches::contempt) that the games name.
    #[must_use]
    pub fn with_contempt(self, contempt: BTreeMap<String, u64>) -> Self {
        Self { contempt, ..self }
    }
}

fn stretched(own: &Stretched) -> StretchedDocument {
    StretchedDocument {
        balance: own.balance,
        balance_interval: own.balance_interval,
        slope: own.slope,
        slope_interval: own.slope_interval,
        log_loss: own.log_loss,
        log_loss_exponential: own.log_loss_exponential,
    }
}

fn bin(
    &Bin {
        from,
        mean,
        positions,
        score,
        expected,
    }: &Bin,
) -> BinDocument {
    BinDocument {
        from,
        mean,
        positions,
        score,
        expected,
    }
}

fn listed(game: &Listed) -> ListedDocument {
    let [white, black] = game.players.clone();
    ListedDocument {
        game: game.game,
        round: game.round.clone(),
        white,
        black,
        result: game.result.to_string(),
        side: game.color,
        highest: finite(game.highest),
        number: game.move_number,
    }
}

/// Returns the evaluation in pawns; `None` for a mate.
fn finite(highest: Highest) -> Option<f64> {
    Some(highest.pawns()).filter(|pawns| pawns.is_finite())
}
