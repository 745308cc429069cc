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
    /// How the player does, what costs more than others of the level, and what to do now.
    pub answers: AnswersDocument,
    /// All games together.
    pub total: GroupRow,
    /// Games and moves in groups: by `color`, `phase`, `clock`, `ease` (of games reviewed with
    /// ease), `time class`, `opponent`, `opening`, `ending`, `month`.
    pub groups: Vec<GroupDocument>,
    /// Causes of losses, with what a lesson on each may be worth; the costliest first.
    pub causes: Vec<LessonDocument>,
    /// What to train next: the first of `causes`, if a reason of a loss is known.
    pub next: Option<LessonDocument>,
}

/// The three answers with which a profile begins. Texts are in the language asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct AnswersDocument {
    /// How the player does.
    pub doing: DoingDocument,
    /// What costs the player more than other players of the level.
    pub costs: CostsDocument,
    /// What to do now; `None` if no game has a mistake to practise.
    pub now: Option<NowDocument>,
    /// What to do after that, in order.
    pub then: Vec<NowDocument>,
}

/// How a player does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct DoingDocument {
    /// The answer in a sentence.
    pub text: String,
    /// The games in their order, in at most twelve parts; empty for fewer than ten games.
    pub points: Vec<DoingPoint>,
}

/// Games in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct DoingPoint {
    /// The first and the last date, or the numbers of the games.
    pub label: String,
    /// Number of games.
    pub games: usize,
    /// Expected score lost in each game.
    pub loss: MeanDocument,
    /// What players of the player's rating lose in the same positions; `None` if that is unknown.
    pub level_loss: Option<f64>,
}

/// What costs a player more than other players of the level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct CostsDocument {
    /// The answer in a sentence.
    pub text: String,
    /// If nothing stands out, what costs all players of the level.
    pub note: Option<String>,
    /// Whether the rows are what stands out for this player; else what costs all players of the
    /// level most.
    pub is_personal: bool,
    /// The clearest difference first; five at most.
    pub rows: Vec<CostDocument>,
}

/// Something that costs a player points, beside players of the level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct CostDocument {
    /// `allows`, `misses`, `phase`, `clock`, `color`, `opening` or `ending`.
    pub kind: String,
    /// The cause, phase, color, opening with its color, or class of endings.
    pub name: String,
    /// The name in words.
    pub label: String,
    /// Whether the numbers are scores, 0..=1, of which more is better; else expected score lost in
    /// each game.
    pub is_score: bool,
    /// Number of games.
    pub games: usize,
    /// The player's number.
    pub own: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// The number of players of the level; for openings, the score before the first move.
    pub level: f64,
    /// The costliest moves, ten at most.
    pub moments: Vec<CostlyMove>,
}

/// What to do now: a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct NowDocument {
    /// The kind that a request for the lesson names.
    pub kind: String,
    /// The name there.
    pub name: String,
    /// What the lesson is about, in a word or two.
    pub label: String,
    /// What the lesson is, in a sentence.
    pub text: String,
    /// The label of a button.
    pub button: String,
    /// Number of positions from the player's games.
    pub positions: usize,
    /// The costliest mistake among them.
    pub first: Option<CostlyMove>,
}

/// Groups of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct GroupDocument {
    /// `color`, `phase`, `clock`, `ease`, `time class`, `opponent`, `opening`, `ending` or `month`.
    pub kind: String,
    /// The groups.
    pub rows: Vec<GroupRow>,
}

/// A group of games, or of moves in games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct GroupRow {
    /// Its name: `white`, `Sicilian Defense`, `weaker` (by more than 100 points of rating),
    /// `blitz`, `2026.10`, `endgame`, `short` (less than a tenth of the time left), `hard` (fewer
    /// than half of the players of the rating find a good move), `rooks` (of endings).
    pub name: String,
    /// `white` or `black` where openings are divided by color; else empty.
    pub color: String,
    /// Games with such moves.
    pub games: usize,
    /// The player's moves in the group.
    pub moves: usize,
    /// Points for each game with a result; missing for groups of moves.
    pub score: Option<MeanDocument>,
    /// The player's expected score after the opening phase; `None` except for openings.
    pub after_opening: Option<MeanDocument>,
    /// Expected score lost in each game; for openings, in the opening phase; for endings, in the
    /// ending.
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
