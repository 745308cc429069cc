//! The requests and answers of the puzzle room.

use centipawn_progress::Problem;
use centipawn_puzzle::{PuzzleDocument, Side};
use centipawn_site::LineMove;
use serde::{Deserialize, Serialize};

/// The result of adding puzzles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AddedPuzzles {
    /// Number of new puzzles.
    pub(crate) added: usize,
    /// Number of puzzles whose position the store already contained.
    pub(crate) known: usize,
    /// Puzzles that could not be read, with line and reason.
    pub(crate) problems: Vec<Problem>,
}

/// Asks to turn a player's mistakes into puzzles.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MistakesRequest {
    /// The player's name, as written in the games.
    pub(crate) player: String,
}

/// Asks for the puzzles that match a filter, and for the next one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PuzzlesRequest {
    /// Only puzzles with this theme.
    pub(crate) theme: Option<String>,
    /// Only puzzles in this range of ratings: `1200..1600`.
    pub(crate) rating: Option<String>,
    /// Only puzzles of this origin.
    pub(crate) origin: Option<String>,
    /// Only puzzles with these numbers, such as those of a lesson.
    pub(crate) only: Option<Vec<i64>>,
    /// Only puzzles that are due for repetition. Otherwise, puzzles that were never tried come
    /// first.
    pub(crate) due: bool,
    /// The puzzle on the board, which must not be the next one.
    pub(crate) after: Option<i64>,
}

/// An origin of puzzles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) count: i64,
}

/// A theme of puzzles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ThemeCount {
    /// The theme's name in puzzle files.
    pub(crate) name: String,
    pub(crate) count: i64,
}

/// The puzzles that match a request, with counts for filters.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PuzzlesDocument {
    pub(crate) total: i64,
    /// Number of puzzles that are due for repetition.
    pub(crate) due: i64,
    /// Number of puzzles that were never tried.
    pub(crate) untried: i64,
    /// Number of puzzles that match the request.
    pub(crate) fitting: i64,
    /// The number of the next puzzle; missing if no puzzle is left.
    pub(crate) next: Option<i64>,
    pub(crate) origins: Vec<Origin>,
    /// The themes of all puzzles, by name.
    pub(crate) themes: Vec<ThemeCount>,
}

/// When a puzzle is repeated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RepetitionDocument {
    /// Number of days between the last attempt and the next one.
    pub(crate) days: i64,
    /// When it is due, in seconds since 1970.
    pub(crate) due: i64,
}

/// A puzzle without its solution.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PosedPuzzle {
    /// The puzzle's number in the store.
    pub(crate) id: i64,
    /// The origin: the name of a file, a game or a player.
    pub(crate) origin: String,
    /// The position before the opponent's move, as FEN.
    pub(crate) fen: String,
    /// The opponent's move that leads to the puzzle.
    pub(crate) first: LineMove,
    /// The side that must find the moves.
    pub(crate) solver: Side,
    /// Number of moves that the solver must find.
    pub(crate) moves: usize,
    pub(crate) rating: Option<u32>,
    /// The 80 % interval of an estimated rating.
    #[schema(value_type = Option<(u32, u32)>)]
    pub(crate) rating_interval: Option<[u32; 2]>,
    /// The mistake that the user played in the game, in UCI notation; missing for other puzzles.
    pub(crate) mistake: Option<String>,
    pub(crate) attempts: i64,
    pub(crate) repetition: Option<RepetitionDocument>,
}

/// A move of the solver.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AnswerRequest {
    /// Number of correct moves of the solver so far.
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
    /// The move in algebraic notation.
    pub(crate) san: String,
    /// The move of the solution, if the solver's move is another one that is as good.
    pub(crate) instead_of: Option<String>,
    /// The opponent's reply to the move of the solution.
    pub(crate) reply: Option<LineMove>,
}

/// How a puzzle was solved.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AttemptRequest {
    /// Number of wrong moves.
    pub(crate) mistakes: u32,
    /// Number of hints. Showing the solution counts as one.
    pub(crate) hints: u32,
    /// Add the puzzle to repetition.
    pub(crate) repeat: bool,
}

/// Whether a puzzle is repeated.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RepetitionRequest {
    pub(crate) repeat: bool,
}

/// The solution of a puzzle, with themes, ratings and origin.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SolutionDocument {
    /// The moves. The first one is the opponent's.
    pub(crate) line: Vec<LineMove>,
    /// For each move of the solver, other moves that are as good, in algebraic notation. Empty if
    /// they are unknown.
    pub(crate) also: Vec<Vec<String>>,
    /// The number of a finished review of the game that the puzzle comes from.
    pub(crate) review: Option<i64>,
    /// Number of half-moves of that game before the mistake.
    pub(crate) ply: Option<i64>,
    /// The themes that describe motifs. Themes that describe phases of the game, lengths and goals
    /// are left out.
    pub(crate) motifs: Vec<String>,
    /// The puzzle as in a file of puzzles.
    pub(crate) puzzle: PuzzleDocument,
}

/// Asks to search for puzzles in games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MiningRequest {
    /// The games' numbers in the store. Each game becomes a job.
    pub(crate) games: Vec<i64>,
    /// Factor of the node limits, 0.01 to 1; missing for 0.1.
    pub(crate) effort: Option<f64>,
}
