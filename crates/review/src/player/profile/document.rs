//! A player's profile as JSON.

use serde::{Deserialize, Serialize};

/// A player in all reviewed games. Losses are expected scores, for each game; a win is worth 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ProfileDocument {
    /// The player's name.
    pub player: String,
    /// Reviewed games of the player.
    pub games: usize,
    /// The mean rating in these games; `None` if none has one.
    pub rating: Option<f64>,
    /// The first and the last date, as far as games have them.
    pub dates: Option<(String, String)>,
    /// All games together.
    pub total: GroupRow,
    /// Games and moves in groups: by `color`, `opening`, `opponent`, `time class`, `month`,
    /// `phase`, `clock`.
    pub groups: Vec<GroupDocument>,
    /// Causes of losses, with what a lesson on each may be worth; the costliest first.
    pub causes: Vec<LessonDocument>,
    /// What to train next: the first of `causes`, if a reason of a loss is known.
    pub next: Option<LessonDocument>,
}

/// Groups of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct GroupDocument {
    /// `color`, `opening`, `opponent`, `time class`, `month`, `phase` or `clock`.
    pub kind: String,
    /// The groups.
    pub rows: Vec<GroupRow>,
}

/// A group of games, or of moves in games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct GroupRow {
    /// Its name: `white`, `Sicilian Defense`, `weaker` (by more than 100 points of rating),
    /// `blitz`, `2026.10`, `endgame`, `short` (less than a tenth of the time left).
    pub name: String,
    /// `white` or `black` where openings are divided by color; else empty.
    pub color: String,
    /// Games with such moves.
    pub games: usize,
    /// The player's moves in the group.
    pub moves: usize,
    /// Points for each game with a result; missing for groups of moves.
    pub score: Option<MeanDocument>,
    /// Expected score lost in each game.
    pub loss: MeanDocument,
    /// Standard error of the mean loss by the errors of the searches, which its interval contains;
    /// missing if they are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub loss_search_error: Option<f64>,
    /// What players of the player's rating lose in the same positions, for each game; `None` if
    /// that is unknown.
    pub level_loss: Option<f64>,
    /// The loss minus that of players of the player's rating: below 0 is better than the level.
    pub difference: Option<MeanDocument>,
    /// The costliest moves, ten at most.
    pub moments: Vec<CostlyMove>,
}

/// A mean over games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct MeanDocument {
    /// The mean.
    pub mean: f64,
    /// 95 % confidence interval by Student's t over games; `None` for fewer than five games.
    pub interval: Option<(f64, f64)>,
}

/// A costly move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct CostlyMove {
    /// The number of the game.
    pub game: i64,
    /// The number of its review.
    pub review: i64,
    /// Number of the half-move, from 1.
    pub ply: usize,
    /// The move: `12... Nxe4??`.
    pub text: String,
    /// The opponent's name.
    pub opponent: String,
    /// The date as far as the game has it.
    pub date: String,
    /// Expected score lost.
    pub loss: f64,
}

/// A cause of losses, and what a lesson on it may be worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct LessonDocument {
    /// `allows`, `misses` or `rest`; as in [`CauseDocument`](crate::CauseDocument).
    pub kind: String,
    /// `fork`, `hanging piece` and the like.
    pub cause: String,
    /// The cause in words, in the language asked for.
    pub text: String,
    /// Number of moves.
    pub count: u64,
    /// Expected score lost in each game, as counted.
    pub counted: f64,
    /// Expected score lost in each game, estimated from the player's games and those of players of
    /// this level; `None` for losses without a reason.
    pub estimate: Option<f64>,
    /// 80 % interval of that estimate.
    pub interval: Option<(f64, f64)>,
    /// What players of the level lose by this cause in each game.
    pub level: Option<f64>,
    /// The weight of the player's own games in the estimate, 0..=1.
    pub weight: Option<f64>,
    /// The costliest moves, thirty at most.
    pub moments: Vec<CostlyMove>,
}
