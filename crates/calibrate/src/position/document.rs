//! What games say about a position, as JSON.

use centipawn_core::{Eval, HumanModel, White};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{NextMove, PositionGames};

/// What games say about a position: `position --json`. All results and expectations are White's,
/// also if Black is to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionDocument {
    /// The position, with an en passant square only if such a capture is legal.
    pub fen: String,
    /// Its Zobrist key, in hexadecimal: the column `key` of an index.
    pub key: String,
    /// The games that were searched, and those that were left out.
    pub games: PositionGames,
    /// Results of the games with this position.
    pub results: PositionResults,
    /// The evaluation of the position; `null` if it is unknown.
    pub eval: Option<PositionEval>,
    /// The results that the human curve expects from the evaluation, averaged over the rated games;
    /// `null` without an evaluation or without rated games.
    pub expected: Option<ExpectedResults>,
    /// By the move that was played, the most frequent first.
    pub moves: Vec<PositionMove>,
    /// By the mean rating of both players, unrated games first.
    pub bands: Vec<PositionBand>,
    /// The curve of the expectations.
    pub curve: HumanModel,
    /// Seconds that each player has for the game (base + 40·increment), for the expectations.
    pub seconds: f64,
    /// Games of which an index has a move that is not legal in this position, because another
    /// position has the same key. Left out.
    pub illegal: u64,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Results with their 95 % intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionResults {
    /// Games. The shares below are 0 if there are none.
    pub games: u64,
    /// Games that White won.
    pub white_wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that Black won.
    pub black_wins: u64,
    /// Points of White per game, 0..=1.
    pub score: f64,
    /// Interval of `score`: Wilson's, for the variance of these results.
    pub score_interval: (f64, f64),
    /// Share of games that White won, 0..=1.
    pub win: f64,
    /// Wilson's interval of `win`.
    pub win_interval: (f64, f64),
    /// Share of draws.
    pub draw: f64,
    /// Wilson's interval of `draw`.
    pub draw_interval: (f64, f64),
    /// Share of games that Black won.
    pub loss: f64,
    /// Wilson's interval of `loss`.
    pub loss_interval: (f64, f64),
}

/// An evaluation of a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionEval {
    /// The evaluation, for White.
    pub eval: Eval<White>,
    /// Comments of games that it is the median of; 0 if it was given.
    pub comments: u64,
}

/// What the human curve expects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExpectedResults {
    /// White's expected score, 0..=1.
    pub score: f64,
    /// The probability that White wins; `null` if the curve has no draws, as are the next two.
    pub win: Option<f64>,
    /// The probability of a draw.
    pub draw: Option<f64>,
    /// The probability that Black wins.
    pub loss: Option<f64>,
}

/// Games in which this move was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionMove {
    /// The move in UCI notation; empty if the game ended in the position.
    pub uci: NextMove,
    /// The move in algebraic notation; empty if the game ended.
    pub san: String,
    /// Share of the games, 0..=1.
    pub share: f64,
    /// Results.
    pub results: PositionResults,
    /// The evaluation after the move; `null` if it is unknown.
    pub eval: Option<PositionEval>,
    /// The results that the human curve expects from this evaluation.
    pub expected: Option<ExpectedResults>,
    /// By rating.
    pub bands: Vec<PositionBand>,
}

/// Games of a band of rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionBand {
    /// The lowest mean rating of both players; `null` for games in which a rating is missing.
    pub from: Option<u16>,
    /// The highest mean rating.
    pub to: Option<u16>,
    /// Results.
    pub results: PositionResults,
    /// The results that the human curve expects between players of this rating; `null` for unrated
    /// games.
    pub expected: Option<ExpectedResults>,
}
