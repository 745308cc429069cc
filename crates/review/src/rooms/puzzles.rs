//! The requests and answers of the puzzle room.

use centipawn_progress::Problem;
use centipawn_puzzle::{PuzzleDocument, Side};
use serde::{Deserialize, Serialize};

use super::LineMove;

/// The result of adding puzzles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AddedPuzzles {
    /// Number of new puzzles.
    pub added: usize,
    /// Number of puzzles whose position the store already contained.
    pub known: usize,
    /// Puzzles that could not be read, with line and reason.
    pub problems: Vec<Problem>,
}

/// Asks to turn a player's mistakes into puzzles.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct MistakesRequest {
    /// The player's name, as written in the games.
    pub player: String,
}

/// Asks for the puzzles that match a filter, and for the next one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct PuzzlesRequest {
    /// Only puzzles with this theme.
    pub theme: Option<String>,
    /// Only puzzles in this range of ratings: `1200..1600`.
    pub rating: Option<String>,
    /// Only puzzles of this origin.
    pub origin: Option<String>,
    /// Only puzzles with these numbers, such as those of a lesson.
    pub only: Option<Vec<i64>>,
    /// Only puzzles that are due for repetition. Otherwise, puzzles that were never tried come
    /// first.
    pub due: bool,
    /// The puzzle on the board, which must not be the next one.
    pub after: Option<i64>,
}

/// An origin of puzzles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Origin {
    /// The name.
    pub name: String,
    /// Number of puzzles.
    pub count: i64,
}

/// A theme of puzzles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ThemeCount {
    /// The theme's name in puzzle files.
    pub name: String,
    /// Number of puzzles.
    pub count: i64,
}

/// The puzzles that match a request, with counts for filters.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PuzzlesDocument {
    /// Number of puzzles.
    pub total: i64,
    /// Number of puzzles that are due for repetition.
    pub due: i64,
    /// Number of puzzles that were never tried.
    pub untried: i64,
    /// Number of puzzles that match the request.
    pub fitting: i64,
    /// The number of the next puzzle; missing if no puzzle is left.
    pub next: Option<i64>,
    /// The origins of all puzzles, by name.
    pub origins: Vec<Origin>,
    /// The themes of all puzzles, by name.
    pub themes: Vec<ThemeCount>,
}

/// When a puzzle is repeated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RepetitionDocument {
    /// Number of days between the last attempt and the next one.
    pub days: i64,
    /// When it is due, in seconds since 1970.
    pub due: i64,
}

/// A puzzle without its solution.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PosedPuzzle {
    /// The puzzle's number in the store.
    pub id: i64,
    /// The origin: the name of a file, a game or a player.
    pub origin: String,
    /// The position before the opponent's move, as FEN.
    pub fen: String,
    /// The opponent's move that leads to the puzzle.
    pub first: LineMove,
    /// The side that must find the moves.
    pub solver: Side,
    /// Number of moves that the solver must find.
    pub moves: usize,
    /// The rating; missing if it is unknown.
    pub rating: Option<u32>,
    /// The 80 % interval of an estimated rating.
    #[schema(value_type = Option<(u32, u32)>)]
    pub rating_interval: Option<[u32; 2]>,
    /// The mistake that the user played in the game, in UCI notation; missing for other puzzles.
    pub mistake: Option<String>,
    /// Number of attempts.
    pub attempts: i64,
    /// When it is repeated; missing if it is not.
    pub repetition: Option<RepetitionDocument>,
}

/// A move of the solver.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct AnswerRequest {
    /// Number of correct moves of the solver so far.
    pub step: usize,
    /// The move, in UCI notation.
    pub uci: String,
}

/// Whether a move of the solver is correct, and whether it is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum AnswerResult {
    /// The move is wrong.
    Wrong,
    /// The move is correct, and the solution goes on.
    Right,
    /// The move is correct, and the last one.
    Solved,
}

/// The verdict on a move of the solver.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AnswerDocument {
    /// Whether the move is correct.
    pub result: AnswerResult,
    /// The move in algebraic notation.
    pub san: String,
    /// The move of the solution, if the solver's move is another one that is as good.
    pub instead_of: Option<String>,
    /// The opponent's reply to the move of the solution.
    pub reply: Option<LineMove>,
}

/// How a puzzle was solved.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct AttemptRequest {
    /// Number of wrong moves.
    pub mistakes: u32,
    /// Number of hints. Showing the solution counts as one.
    pub hints: u32,
    /// Whether the solution was shown.
    pub shown: bool,
    /// Add the puzzle to repetition.
    pub repeat: bool,
}

/// Whether a puzzle is repeated.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct RepetitionRequest {
    /// Whether the puzzle is repeated.
    pub repeat: bool,
}

/// A user's changes to a puzzle. What is missing stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct PuzzleEditRequest {
    /// The name, which is the puzzle's id in files.
    pub name: Option<String>,
    /// Whether the puzzle was chosen by hand: the theme `handPicked`.
    pub hand_picked: Option<bool>,
    /// A line to drop: moves in UCI notation from the position shown, up to the first move of the
    /// line.
    pub without: Option<Vec<String>>,
}

/// The solution of a puzzle, with themes, ratings and origin.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SolutionDocument {
    /// The moves. The first one is the opponent's.
    pub line: Vec<LineMove>,
    /// For each move of the solver, other moves that are as good, in algebraic notation. Empty if
    /// they are unknown.
    pub also: Vec<Vec<String>>,
    /// The number of a finished review of the game that the puzzle comes from.
    pub review: Option<i64>,
    /// Number of half-moves of that game before the mistake.
    pub ply: Option<i64>,
    /// Why the move played in the game was a mistake, in the language of the request; missing if no
    /// review of the game is in the store.
    pub remark: Option<String>,
    /// The themes that describe motifs. Themes that describe phases of the game, lengths and goals
    /// are left out.
    pub motifs: Vec<String>,
    /// The puzzle as in a file of puzzles.
    pub puzzle: PuzzleDocument,
}

/// Asks to search for puzzles in games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct MiningRequest {
    /// The games' numbers in the store. Each game becomes a job.
    pub games: Vec<i64>,
    /// Factor of the node limits, 0.01 to 1; missing for 0.1.
    pub effort: Option<f64>,
}
