//! What the room of puzzles takes and gives.

use centipawn_progress::Problem;
use centipawn_puzzle::{PuzzleDocument, Side};
use centipawn_site::LineMove;
use serde::{Deserialize, Serialize};

/// Puzzles that were added.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AddedPuzzles {
    /// New ones.
    pub(crate) added: usize,
    /// Ones whose position the store had.
    pub(crate) known: usize,
    /// What could not be read, with line and reason.
    pub(crate) problems: Vec<Problem>,
}

/// Whose mistakes become puzzles.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MistakesRequest {
    /// The player's name, as in the games.
    pub(crate) player: String,
}

/// Asks which puzzles there are, and for the next one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PuzzlesRequest {
    /// Only those with this theme.
    pub(crate) theme: Option<String>,
    /// Only those in this range of ratings: `1200..1600`.
    pub(crate) rating: Option<String>,
    /// Only those from there.
    pub(crate) origin: Option<String>,
    /// Only those with these numbers, as those of a lesson.
    pub(crate) only: Option<Vec<i64>>,
    /// Only those that are to be repeated now; otherwise those that were never tried come first.
    pub(crate) due: bool,
    /// Not this one next.
    pub(crate) after: Option<i64>,
}

/// Where puzzles are from.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) count: i64,
}

/// A theme of puzzles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ThemeCount {
    /// Its name in puzzle files.
    pub(crate) name: String,
    pub(crate) count: i64,
}

/// Which puzzles there are.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PuzzlesDocument {
    pub(crate) total: i64,
    /// To be repeated now.
    pub(crate) due: i64,
    /// Never tried.
    pub(crate) untried: i64,
    /// Those that the request is about.
    pub(crate) fitting: i64,
    /// The number of the next puzzle; missing if none is left.
    pub(crate) next: Option<i64>,
    pub(crate) origins: Vec<Origin>,
    /// The themes of all puzzles, by name.
    pub(crate) themes: Vec<ThemeCount>,
}

/// When a puzzle is repeated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RepetitionDocument {
    /// Days between the last attempt and the next.
    pub(crate) days: i64,
    /// Seconds since 1970 at which it is due.
    pub(crate) due: i64,
}

/// A puzzle without its solution.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PosedPuzzle {
    /// Its number in the store.
    pub(crate) id: i64,
    /// Where it is from: a file, a game, a player.
    pub(crate) origin: String,
    /// FEN before the opponent's move.
    pub(crate) fen: String,
    /// The opponent's move.
    pub(crate) first: LineMove,
    /// The side that has to find the moves.
    pub(crate) solver: Side,
    /// How many moves the solver has to find.
    pub(crate) moves: usize,
    pub(crate) rating: Option<u32>,
    /// The 80 % interval of an estimated rating.
    #[schema(value_type = Option<(u32, u32)>)]
    pub(crate) rating_interval: Option<[u32; 2]>,
    /// The mistake that was played in one's own game; missing for other puzzles.
    pub(crate) mistake: Option<String>,
    pub(crate) attempts: i64,
    pub(crate) repetition: Option<RepetitionDocument>,
}

/// A move of the solver.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AnswerRequest {
    /// Correct moves of the solver so far.
    pub(crate) step: usize,
    /// The move, in UCI notation.
    pub(crate) uci: String,
}

/// Whether a move of the solver is correct, and whether it is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum AnswerResult {
    Wrong,
    Right,
    Solved,
}

/// The verdict on a move of the solver.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AnswerDocument {
    pub(crate) result: AnswerResult,
    /// The move in SAN.
    pub(crate) san: String,
    /// The solution's own move, if another one is as good.
    pub(crate) instead_of: Option<String>,
    /// The opponent's answer to the solution's move.
    pub(crate) reply: Option<LineMove>,
}

/// How a puzzle was solved.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AttemptRequest {
    /// Wrong moves.
    pub(crate) mistakes: u32,
    /// Hints; the solution counts as one.
    pub(crate) hints: u32,
    /// Take the puzzle into repetition.
    pub(crate) repeat: bool,
}

/// Whether a puzzle is repeated.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RepetitionRequest {
    pub(crate) repeat: bool,
}

/// A solution with all that is known of it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SolutionDocument {
    /// The moves, the opponent's first.
    pub(crate) line: Vec<LineMove>,
    /// For each of the solver's moves, the others that are as good, in SAN; empty without a tree.
    pub(crate) also: Vec<Vec<String>>,
    /// The review of the game that it comes from.
    pub(crate) review: Option<i64>,
    /// Half-moves of that game before the solver's mistake.
    pub(crate) ply: Option<i64>,
    /// The themes that are motifs: without phases of the game, lengths and goals.
    pub(crate) motifs: Vec<String>,
    /// The puzzle as a line of a puzzle file.
    pub(crate) puzzle: PuzzleDocument,
}

/// Asks to look for puzzles in games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MiningRequest {
    /// The games' numbers in the store; each becomes a job.
    pub(crate) games: Vec<i64>,
    /// Factor for the node limits, 0.01 to 1; missing for 0.1.
    pub(crate) effort: Option<f64>,
}
