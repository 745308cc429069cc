//! The requests and answers of the page's interface.

use centipawn_core::{Eval, Wdl, White};
use centipawn_judge::LivePosition;
use centipawn_progress::Problem;
use serde::{Deserialize, Serialize};

use super::{GameFilter, GameLine, MovesDocument, OwnNote, OwnNotes, ReviewLine};
use crate::{LineDocument, MomentDocument, PlyDocument, ReviewOptions};

/// Why a request was not answered.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorDocument {
    /// The problem.
    pub error: String,
    /// What the user can do.
    pub hint: String,
}

/// The limits, curves and defaults of this server.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct StatusDocument {
    /// The program's version.
    pub centipawn: &'static str,
    /// The engine's command.
    pub engine: String,
    /// Whether the engine's program exists. It is not started to find out.
    pub has_engine: bool,
    /// Number of engine processes of a review.
    pub engines: usize,
    /// The store of evaluations, games and jobs.
    pub store: String,
    /// The default limit of a position: `1000000 nodes`.
    pub limit: String,
    /// The default curve.
    pub curve: String,
    /// The default schemes of symbols: `auto,s40`.
    pub scheme: String,
    /// The default language: `en`.
    pub language: String,
    /// Names of all curves.
    pub curves: Vec<String>,
    /// Those that take a win-draw balance.
    pub curves_with_balance: Vec<&'static str>,
    /// The curves that the server's owner calibrated.
    pub own_curves: Vec<OwnCurveRow>,
    /// Whether the server has games in which positions can be looked up.
    pub has_positions: bool,
    /// Maximum number of men on the board in the server's endgame tables; 0 without tables.
    pub table_men: usize,
    /// Names of the schemes for moves, then of the schemes for positions.
    #[schema(value_type = (Vec<String>, Vec<String>))]
    pub schemes: [Vec<&'static str>; 2],
    /// Maximum number of nodes of a question.
    pub most_nodes: u64,
    /// Maximum number of lines of a question.
    pub most_lines: usize,
}

/// A curve that the server's owner calibrated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct OwnCurveRow {
    /// The name.
    pub name: String,
    /// Whether `GET /api/curves/plots.svg?name=…` has drawings of it.
    pub has_plots: bool,
}

/// A game of the store in a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct GameRow {
    /// The game's number in the store.
    pub id: i64,
    /// The line of the list.
    #[serde(flatten)]
    pub line: GameLine,
    /// The newest job on it.
    pub job: Option<JobDocument>,
    /// Results of its newest finished review; missing until they are computed for lists.
    pub review: Option<ReviewLine>,
}

/// Asks for games that match a filter.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct GamesRequest {
    /// The filter and the order.
    #[serde(flatten)]
    pub filter: GameFilter,
    /// Number of games to skip.
    pub offset: usize,
    /// Maximum number of games in the answer, at most 200; 0 means 100.
    pub most: usize,
}

impl GamesRequest {
    /// Number of games in an answer if the request names none.
    pub const LISTED: usize = 100;
    const MOST: usize = 200;

    /// Returns those of the selected games that the request asks for.
    pub fn page(&self, games: &[i64]) -> Vec<i64> {
        let most = match self.most {
            0 => Self::LISTED,
            most => most.min(Self::MOST),
        };
        games.iter().skip(self.offset).take(most).copied().collect()
    }
}

/// Games of the store.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct GamesDocument {
    /// The games from `offset` on.
    pub games: Vec<GameRow>,
    /// Number of games that match the filter, or that were added.
    pub total: usize,
    /// Number of added games that the store already contained; 0 for a filter.
    pub known: usize,
    /// Number of these games without a finished review.
    pub unreviewed: usize,
    /// Number of games in the store.
    pub all: usize,
    /// Games that could not be read, with line and reason.
    pub problems: Vec<Problem>,
}

/// Asks for a batch, the review of many games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct BatchRequest {
    /// The games to review. If it is empty, all games that match the filter and have no finished
    /// review; games with one only if the filter asks for them.
    pub games: Vec<i64>,
    /// The filter, if `games` is empty.
    pub filter: GameFilter,
    /// How the games are reviewed.
    #[serde(flatten)]
    pub review: ReviewOptionsRequest,
}

/// The state of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum BatchProgress {
    /// It runs.
    Running,
    /// A stopped server left it. It continues on request.
    Interrupted,
    /// It was paused.
    Paused,
    /// It is finished.
    Done,
    /// It was cancelled.
    Cancelled,
}

/// The progress of a batch.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct BatchDocument {
    /// The batch's number.
    pub id: i64,
    /// A title for the list, such as `12 games`.
    pub title: String,
    /// How far it is.
    pub state: BatchProgress,
    /// Number of games.
    pub games: i64,
    /// Number of finished reviews.
    pub done: i64,
    /// Number of failed reviews.
    pub failed: i64,
    /// Number of cancelled reviews.
    pub cancelled: i64,
    /// Number of evaluated positions.
    pub positions_done: i64,
    /// Number of positions of all games.
    pub positions: i64,
    /// Estimated seconds until the end, by the pace so far; `None` if the pace is unknown.
    pub seconds_left: Option<f64>,
}

/// The newest batches.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BatchesDocument {
    /// The batches.
    pub batches: Vec<BatchDocument>,
}

/// The players of the store's games, those with the most games first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PlayersDocument {
    /// The players.
    pub players: Vec<PlayerRow>,
}

/// A player of the store's games.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PlayerRow {
    /// The name.
    pub name: String,
    /// Number of the player's games.
    pub games: usize,
}

/// A game of the store with its moves.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct StoredGameDocument {
    /// The moves.
    #[serde(flatten)]
    pub moves: MovesDocument,
    /// The newest job on it.
    pub job: Option<JobDocument>,
    /// The user's own symbols and comments, by the number of the half-move. `notes` contain them
    /// too.
    pub own: OwnNotes,
}

/// Sets the user's own symbols and comment on a move of a game. Without both, it removes them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct OwnNoteRequest {
    /// The number of the half-move, from 1.
    pub ply: usize,
    /// The note.
    #[serde(flatten)]
    pub note: OwnNote,
}

/// The options of a review. Missing values have the server's default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct ReviewRequest {
    /// The game's number in the store.
    pub game: i64,
    /// The number of a review of this game whose options are used. Of the options here, only `ease`
    /// is then added, so that all its evaluations are used again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub like: Option<i64>,
    /// How the games are reviewed.
    #[serde(flatten)]
    pub review: ReviewOptionsRequest,
}

/// How games are reviewed. Missing values have the server's default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct ReviewOptionsRequest {
    /// Use the limits for hundreds of games instead of `limit`, as `centipawn review --archive`
    /// does.
    pub archive: bool,
    /// The limit of a position: `100000 nodes` or `depth 20`.
    pub limit: Option<String>,
    /// Number of lines of a position, from 1 to the server's maximum.
    pub lines: Option<usize>,
    /// Use the evaluations in the game. The engine evaluates only positions that have none.
    pub reuse_evals: bool,
    /// Judge how hard each move was to find, with the network of the program.
    pub ease: bool,
    /// How it is judged.
    #[serde(flatten)]
    pub judge: JudgeRequest,
}

/// How a review is judged. A change needs no engine. Missing values stay unchanged.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct JudgeRequest {
    /// The name of a curve; `auto` chooses one by the players.
    pub curve: Option<String>,
    /// Win-draw balance in pawns, for the curves of the article.
    pub balance: Option<f64>,
    /// `auto`, or names such as `s20,s40`.
    pub scheme: Option<String>,
    /// `en` or `de`.
    pub language: Option<String>,
    /// Give symbols for good moves to obvious moves too.
    pub every_symbol: Option<bool>,
}

/// Asks why a move has its symbol.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct WhyRequest {
    /// Number of the half-move, counted from 1.
    pub ply: usize,
    /// How it is judged.
    #[serde(flatten)]
    pub judge: JudgeRequest,
}

/// Asks to judge the last move of a line, as moves of a game are judged.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct MoveRequest {
    /// The start position, as FEN.
    pub fen: String,
    /// Whether castling moves are written as in Chess960.
    pub chess960: bool,
    /// The moves in UCI notation; the last one is judged.
    pub moves: Vec<String>,
    /// The review with whose limit, lines and curve the move is judged; missing for the server's
    /// defaults.
    pub review: Option<i64>,
    /// How it is judged.
    #[serde(flatten)]
    pub judge: JudgeRequest,
}

/// A judged move that the user played on the board.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MoveDocument {
    /// The judged move.
    pub ply: PlyDocument,
}

/// Asks for the best lines of a position.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct LinesRequest {
    /// The start position, as FEN.
    pub fen: String,
    /// Whether castling moves are written as in Chess960.
    pub chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub moves: Vec<String>,
    /// Number of nodes to search.
    pub nodes: u64,
    /// Number of lines.
    pub lines: usize,
    /// The name of a curve; missing for the curve of the engine.
    pub curve: Option<String>,
    /// Win-draw balance in pawns, for curves that take one.
    pub balance: Option<f64>,
}

/// The best lines of a position in descending order; none at mate and stalemate.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LinesDocument {
    /// The engine's name.
    pub engine: String,
    /// The position, as FEN.
    pub fen: String,
    /// Number of nodes searched.
    pub nodes: u64,
    /// Depth in plies.
    pub depth: u32,
    /// The lines, or their number.
    pub lines: Vec<LineDocument>,
    /// White's expected score of the best line, 0..=1.
    pub expected_score_best: Option<f64>,
    /// Win, draw and loss of the best line; missing unless the curve has them.
    pub wdl: Option<Wdl>,
}

/// The form of symbols. Evaluations are written as on the command line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct SymbolsRequest {
    /// `white` or `black`.
    pub side: String,
    /// Evaluation after the move played, from White's point of view: `0.31`, `#-2`.
    pub played: String,
    /// Evaluation after the best move.
    pub best: String,
    /// Evaluation after the second-best move; missing or empty if it is unknown.
    pub second: Option<String>,
    /// The name of a curve.
    pub curve: Option<String>,
    /// Win-draw balance in pawns, for curves that take one.
    pub balance: Option<f64>,
    /// Material on the board, 0..=78.
    pub material: Option<u32>,
    /// Number of half-moves played.
    pub ply: Option<u32>,
}

/// Asks for the points of a curve.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct CurveRequest {
    /// The name of a curve.
    pub curve: Option<String>,
    /// Win-draw balance in pawns, for curves that take one.
    pub balance: Option<f64>,
    /// Material on the board, 0..=78.
    pub material: Option<u32>,
    /// Number of half-moves played.
    pub ply: Option<u32>,
    /// An evaluation in pawns whose value is requested.
    pub eval: Option<f64>,
}

/// Asks what an evaluation is worth between humans, by rating.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct PeopleRequest {
    /// The evaluation in pawns.
    pub eval: f64,
    /// Time controls, such as `600+5`.
    pub times: Vec<String>,
}

/// Asks how easy a position is for players of several levels.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct EaseRequest {
    /// The start position, as FEN.
    pub fen: String,
    /// Whether castling moves are written as in Chess960.
    pub chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub moves: Vec<String>,
    /// The limit of a search; missing for the server's default.
    pub limit: Option<String>,
}

/// Asks for a position in the server's games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct PositionRequest {
    /// The start position, as FEN.
    pub fen: String,
    /// Whether castling moves are written as in Chess960.
    pub chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub moves: Vec<String>,
    /// The position's evaluation from White's point of view. The human curve computes expected
    /// results from it.
    #[schema(value_type = Option<centipawn_core::Score>)]
    pub eval: Option<Eval<White>>,
}

/// Asks for the verdict of endgame tables on a position.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub struct TableRequest {
    /// The start position, as FEN.
    pub fen: String,
    /// Whether castling moves are written as in Chess960.
    pub chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub moves: Vec<String>,
}

/// The verdict of endgame tables on a position.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TableAnswer {
    /// What the side to move reaches with best play: `win`, `draw` or `loss`; `cursed-win` and
    /// `blessed-loss` are draws by the fifty-move rule only. Missing if the game is over or the
    /// tables lack the position.
    pub verdict: Option<&'static str>,
    /// Half-moves until the next capture, pawn move or mate, to within one.
    pub plies: Option<u32>,
}

/// How often a position occurs in the server's games, with results and moves.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PositionAnswer {
    /// Number of games that were searched.
    pub searched: u64,
    /// Results of the games that reached this position.
    pub results: ResultsRow,
    /// White's expected score, 0..=1, by the human curve, averaged over the rated games. Missing
    /// without an evaluation or without rated games.
    pub expected_score: Option<f64>,
    /// Results by the move that was played, the most frequent first.
    pub moves: Vec<PositionMoveRow>,
}

/// Results of games.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ResultsRow {
    /// Number of games.
    pub games: u64,
    /// Number of games that White won.
    pub white_wins: u64,
    /// Number of draws.
    pub draws: u64,
    /// Number of games that Black won.
    pub black_wins: u64,
    /// White's average points, 0..=1.
    pub score: f64,
    /// The 95 % interval of `score`.
    pub score_interval: (f64, f64),
}

/// Results of the games in which a move was played.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PositionMoveRow {
    /// The move in UCI notation; empty if the game ended here.
    pub uci: String,
    /// The move in algebraic notation; empty if the game ended here.
    pub san: String,
    /// Results of the games.
    pub results: ResultsRow,
}

/// How easy a position is for players of several levels.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct EaseAnswer {
    /// The engine's name.
    pub engine: String,
    /// The limit of the search.
    pub limit: String,
    /// The lines of `centipawn ease --json`, in ascending order of level.
    #[schema(value_type = Vec<LevelDocument>)]
    pub levels: Vec<MomentDocument>,
    /// The best move in UCI notation; of equally good moves, the most likely one. Missing if all
    /// moves are equally good.
    pub best: Option<String>,
    /// Probability, 0..=1, that players of each level find a good move.
    pub finds: Vec<f64>,
    /// The lowest rating from which players are more likely than not to find a good move. Missing
    /// if the highest level is not, or if a lower level is too.
    pub found_from: Option<u32>,
    /// The levels that are more likely than not to find a good move. If the highest level is not
    /// among them, the levels show no order.
    pub found_at: Vec<u32>,
    /// Whether no level is more likely than not to find a good move, and a higher level is less
    /// likely to than a lower one.
    pub is_unclear: bool,
    /// The opponent's last move in UCI notation.
    pub last: Option<String>,
}

/// The schema of a [`MomentDocument`] by the bundled network, which always has a level.
#[derive(Serialize, utoipa::ToSchema)]
pub struct LevelDocument {
    #[serde(flatten)]
    moment: MomentDocument,
    /// The rating of the imitated players.
    level: u32,
}

/// How far a job is, as pages show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum JobProgress {
    /// Other jobs come first.
    Waiting,
    /// It runs.
    Running,
    /// A stopped server had started it. It continues on request.
    Interrupted,
    /// It is finished.
    Done,
    /// It was cancelled.
    Cancelled,
    /// It failed.
    Failed,
}

/// A job: work on a game.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum JobDocument {
    /// The review of a game.
    Review(ReviewJob),
    /// The search for puzzles in a game.
    Mining(MiningJob),
}

/// What all jobs have.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct JobRow {
    /// The job's number. It is also the number of the review.
    pub id: i64,
    /// The game's number.
    pub game: i64,
    /// The names of the players.
    pub title: String,
    /// How far it is.
    pub state: JobProgress,
    /// Number of evaluated positions.
    pub done: usize,
    /// Number of all positions.
    pub total: usize,
    /// Why the job failed.
    pub problem: Option<String>,
}

/// The review of a game.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ReviewJob {
    /// The job.
    #[serde(flatten)]
    pub job: JobRow,
    /// The limit of a position.
    pub limit: String,
    /// The limit of the first pass, if there are two. `limit` then applies to the positions that
    /// matter.
    pub quick: Option<String>,
    /// The lines, or their number.
    pub lines: usize,
    /// The name of the curve.
    pub curve: String,
    /// The schemes of symbols.
    pub scheme: String,
    /// The language.
    pub language: String,
    /// Whether the game's own evaluations are used.
    pub reuse_evals: bool,
}

/// The search for puzzles in a game.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct MiningJob {
    /// The job.
    #[serde(flatten)]
    pub job: JobRow,
    /// The effort, 0.01..=1: the share of the usual nodes of each search.
    pub effort: f64,
    /// Number of puzzles found, if the job is done.
    pub found: Option<u64>,
}

impl JobDocument {
    /// Returns what all jobs have.
    pub fn row(&self) -> &JobRow {
        match self {
            Self::Review(ReviewJob { job, .. }) | Self::Mining(MiningJob { job, .. }) => job,
        }
    }
}

/// Jobs, the newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct JobsDocument {
    /// The jobs.
    pub jobs: Vec<JobDocument>,
}

/// An event for pages.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub enum Event {
    /// A job changed its state.
    Job {
        /// The job.
        job: JobDocument,
    },
    /// The progress of a batch changed.
    Batch {
        /// The batch.
        batch: BatchDocument,
    },
    /// A position was evaluated.
    Position(PositionEvent),
    /// Events were missed, so the page must load its data again.
    Reload,
}

/// A position of a review was evaluated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PositionEvent {
    /// The review's number.
    pub job: i64,
    /// Number of the half-move played in the position, counted from 1.
    pub ply: usize,
    /// Number of evaluated positions.
    pub done: usize,
    /// Number of all positions.
    pub total: usize,
    /// Evaluation after the move played.
    #[schema(value_type = centipawn_core::Score)]
    pub eval_played: Eval<White>,
    /// White's expected score after the move, 0..=1.
    pub expected_score: f64,
    /// Win, draw and loss after the move; missing unless the curve has them.
    pub wdl: Option<Wdl>,
    /// Moves that can be judged now, because all positions before them are evaluated. In the order
    /// of the game.
    pub judged: Vec<PlyDocument>,
}

impl PositionEvent {
    /// Creates the event of review `job`, by the options that it was asked for with.
    pub fn new(job: i64, position: &LivePosition<'_>, options: &ReviewOptions) -> Self {
        let LivePosition {
            ply,
            done,
            total,
            eval_played,
            expected_score,
            wdl,
            curve,
            first,
            judged,
        } = *position;
        let document = |(index, ply): (usize, _)| {
            PlyDocument::new(first + index, ply, &curve, &options.judge, options.language)
        };
        let judged = judged.iter().enumerate().map(document).collect();
        Self {
            job,
            ply: ply + 1,
            done,
            total,
            eval_played,
            expected_score,
            wdl,
            judged,
        }
    }
}

/// Events after a number, for pages that cannot use a stream.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct EventsDocument {
    /// Number of the newest event.
    pub last: u64,
    /// The events.
    #[schema(value_type = Vec<Event>)]
    pub events: Vec<serde_json::Value>,
}
