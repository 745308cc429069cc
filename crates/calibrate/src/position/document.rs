//! The report on a position, as JSON.

use centipawn_core::{Eval, HumanModel, White};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{NextMove, PositionGames};

/// The results of games with a position: `position --json`. Results and expectations are White's,
/// also if Black is to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionDocument {
    /// The position, with an en passant square only if such a capture is legal.
    pub fen: String,
    /// Its Zobrist key, in hexadecimal: the column `key` of an index.
    pub key: String,
    /// Numbers of games that were searched and left out.
    pub games: PositionGames,
    /// Results of the games with this position.
    pub results: PositionResults,
    /// The evaluation of the position; `null` if it is unknown.
    pub eval: Option<PositionEval>,
    /// The results that the human curve predicts from the evaluation, averaged over the rated
    /// games; `null` without an evaluation or without rated games.
    pub expected: Option<ExpectedResults>,
    /// Results by next move, the most frequent move first.
    pub moves: Vec<PositionMove>,
    /// Results by the mean rating of both players, unrated games first.
    pub bands: Vec<PositionBand>,
    /// The model that gives the expectations.
    pub curve: HumanModel,
    /// Seconds that each player has for the game (base + 40·increment), as assumed by the
    /// expectations.
    pub seconds: f64,
    /// Number of games left out because the move in the index is not legal here. Another position
    /// then has the same key.
    pub illegal: u64,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Numbers of games by result, with shares and their 95 % intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionResults {
    /// Number of games. If it is 0, so are the shares below.
    pub games: u64,
    /// Number of games that White won.
    pub white_wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games that Black won.
    pub black_wins: u64,
    /// White's mean points per game, 0..=1.
    pub score: f64,
    /// 95 % interval of `score`: Wilson's formula, with the variance of these results.
    pub score_interval: (f64, f64),
    /// Share of games that White won, 0..=1.
    pub win: f64,
    /// Wilson's interval of `win`.
    pub win_interval: (f64, f64),
    /// Share of drawn games, 0..=1.
    pub draw: f64,
    /// Wilson's interval of `draw`.
    pub draw_interval: (f64, f64),
    /// Share of games that Black won, 0..=1.
    pub loss: f64,
    /// Wilson's interval of `loss`.
    pub loss_interval: (f64, f64),
}

/// An evaluation of a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionEval {
    /// The evaluation, from White's side.
    pub eval: Eval<White>,
    /// Number of comments of which it is the median; 0 if the options give the evaluation.
    pub comments: u64,
}

/// Results that the human curve predicts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExpectedResults {
    /// White's expected score, 0..=1.
    pub score: f64,
    /// The probability that White wins; `null`, like the next two, if the model has no draws.
    pub win: Option<f64>,
    /// The probability of a draw.
    pub draw: Option<f64>,
    /// The probability that Black wins.
    pub loss: Option<f64>,
}

/// The games in which one move was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionMove {
    /// The move in UCI notation; empty for games that ended in the position.
    pub uci: NextMove,
    /// The move in algebraic notation; empty for games that ended in the position.
    pub san: String,
    /// Share of all games with the position, 0..=1.
    pub share: f64,
    /// Results of these games.
    pub results: PositionResults,
    /// The evaluation of the position after the move; `null` if it is unknown.
    pub eval: Option<PositionEval>,
    /// The results that the human curve predicts from that evaluation.
    pub expected: Option<ExpectedResults>,
    /// Results by the mean rating of both players.
    pub bands: Vec<PositionBand>,
}

/// The games of one rating band.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionBand {
    /// The lowest mean rating of the band; `null` for games in which a rating is missing.
    pub from: Option<u16>,
    /// The highest mean rating of the band; `null` for games in which a rating is missing.
    pub to: Option<u16>,
    /// Results of these games.
    pub results: PositionResults,
    /// The results that the human curve predicts between players of this rating; `null` for unrated
    /// games.
    pub expected: Option<ExpectedResults>,
}
