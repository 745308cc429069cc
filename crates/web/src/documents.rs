//! The requests and answers of the interface that are not documents of the libraries.

mod puzzles;

use centipawn_core::{Eval, Wdl, White};
use centipawn_judge::LivePosition;
use centipawn_progress::Problem;
use centipawn_review::{LineDocument, MomentDocument, PlyDocument, ReviewOptions};
use centipawn_site::MovesDocument;
use centipawn_store::StoreStats;
use centipawn_work::library::{GameFilter, GameLine, ReviewLine};
use serde::{Deserialize, Serialize};

pub(crate) use self::puzzles::*;
use crate::server::Limits;

/// Why a request was not answered.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ErrorDocument {
    /// The problem.
    pub(crate) error: String,
    /// What the user can do.
    pub(crate) hint: String,
}

/// The limits, curves and defaults of this server.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct StatusDocument {
    /// The program's version.
    pub(crate) centipawn: &'static str,
    /// The engine's command.
    pub(crate) engine: String,
    /// Whether the engine's program exists. It is not started to find out.
    pub(crate) has_engine: bool,
    /// Number of engine processes of a review.
    pub(crate) engines: usize,
    /// The store of evaluations, games and jobs.
    pub(crate) store: String,
    /// The default limit of a position: `1000000 nodes`.
    pub(crate) limit: String,
    /// The default curve.
    pub(crate) curve: String,
    /// The default schemes of symbols: `auto,s40`.
    pub(crate) scheme: String,
    /// The default language: `en`.
    pub(crate) language: String,
    /// Names of all curves.
    pub(crate) curves: Vec<String>,
    /// Those that take a win-draw balance.
    pub(crate) curves_with_balance: Vec<&'static str>,
    /// The curves that the server's owner calibrated.
    pub(crate) own_curves: Vec<OwnCurveRow>,
    /// Whether the server has games in which positions can be looked up.
    pub(crate) has_positions: bool,
    /// Names of the schemes for moves, then of the schemes for positions.
    #[schema(value_type = (Vec<String>, Vec<String>))]
    pub(crate) schemes: [Vec<&'static str>; 2],
    /// Maximum number of nodes of a question.
    pub(crate) most_nodes: u64,
    /// Maximum number of lines of a question.
    pub(crate) most_lines: usize,
}

/// A curve that the server's owner calibrated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OwnCurveRow {
    pub(crate) name: String,
    /// Whether `GET /api/curves/plots.svg?name=…` has drawings of it.
    pub(crate) has_plots: bool,
}

/// The engine, the network and the contents of the store.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct EnginesDocument {
    /// The engine's command.
    pub(crate) engine: String,
    /// The options that are set for it.
    pub(crate) options: Vec<(String, String)>,
    /// Number of processes of a review.
    pub(crate) processes: usize,
    /// The bundled network, and the levels that it imitates.
    pub(crate) network: String,
    pub(crate) levels: Option<(u32, u32)>,
    /// The document of `centipawn store stats --json`.
    pub(crate) store: StoreStats,
    /// The store's file or database.
    pub(crate) place: String,
    /// Upper limits of requests.
    pub(crate) limits: Limits,
}

/// Exchanges a token for a session cookie.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SessionRequest {
    /// The token that the server printed.
    pub(crate) token: String,
    /// A login code instead of the token. It can be used once.
    pub(crate) code: Option<String>,
}

/// A new session.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SessionDocument {
    /// The path before `/api` in all addresses of this session. The cookie is sent only below it.
    /// Empty if the server needs no token.
    pub(crate) path: String,
}

/// A game of the store in a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct GameRow {
    /// The game's number in the store.
    pub(crate) id: i64,
    #[serde(flatten)]
    pub(crate) line: GameLine,
    /// The newest job on it.
    pub(crate) job: Option<JobDocument>,
    /// Results of its newest finished review; missing until they are computed for lists.
    pub(crate) review: Option<ReviewLine>,
}

/// Asks for games that match a filter.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct GamesRequest {
    /// The filter and the order.
    #[serde(flatten)]
    pub(crate) filter: GameFilter,
    /// Number of games to skip.
    pub(crate) offset: usize,
    /// Maximum number of games in the answer, at most 200; 0 means 100.
    pub(crate) most: usize,
}

/// Games of the store.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct GamesDocument {
    /// The games from `offset` on.
    pub(crate) games: Vec<GameRow>,
    /// Number of games that match the filter, or that were added.
    pub(crate) total: usize,
    /// Number of added games that the store already contained; 0 for a filter.
    pub(crate) known: usize,
    /// Number of these games without a finished review.
    pub(crate) unreviewed: usize,
    /// Number of games in the store.
    pub(crate) all: usize,
    /// Games that could not be read, with line and reason.
    pub(crate) problems: Vec<Problem>,
}

/// Asks for a batch, the review of many games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct BatchRequest {
    /// The games to review. If it is empty, all games that match the filter and have no finished
    /// review; games with one only if the filter asks for them.
    pub(crate) games: Vec<i64>,
    /// The filter, if `games` is empty.
    pub(crate) filter: GameFilter,
    #[serde(flatten)]
    pub(crate) review: ReviewOptionsRequest,
}

/// The state of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum BatchProgress {
    Running,
    /// A stopped server left it. It continues on request.
    Interrupted,
    Paused,
    Done,
    Cancelled,
}

/// The progress of a batch.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BatchDocument {
    /// The batch's number.
    pub(crate) id: i64,
    /// A title for the list, such as `12 games`.
    pub(crate) title: String,
    pub(crate) state: BatchProgress,
    /// Number of games.
    pub(crate) games: i64,
    /// Number of finished reviews.
    pub(crate) done: i64,
    /// Number of failed reviews.
    pub(crate) failed: i64,
    /// Number of cancelled reviews.
    pub(crate) cancelled: i64,
    /// Number of evaluated positions.
    pub(crate) positions_done: i64,
    /// Number of positions of all games.
    pub(crate) positions: i64,
    /// Estimated seconds until the end, by the pace so far; `None` if the pace is unknown.
    pub(crate) seconds_left: Option<f64>,
}

/// The newest batches.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BatchesDocument {
    pub(crate) batches: Vec<BatchDocument>,
}

/// The players of the store's games, those with the most games first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PlayersDocument {
    pub(crate) players: Vec<PlayerRow>,
}

/// A player of the store's games.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PlayerRow {
    pub(crate) name: String,
    /// Number of the player's games.
    pub(crate) games: usize,
}

/// Asks for a lesson on one cause of a player's losses.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LessonRequest {
    /// The player's name.
    pub(crate) player: String,
    /// `allows` or `misses`: what the mistakes of this cause do.
    pub(crate) kind: String,
    /// The cause, as in the player's profile.
    pub(crate) cause: String,
}

/// A lesson: puzzles that are due for repetition now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct LessonAnswer {
    /// Numbers of the puzzles made from the player's own mistakes.
    pub(crate) own: Vec<i64>,
    /// Numbers of other puzzles with the same theme.
    pub(crate) others: Vec<i64>,
}

/// A game of the store with its moves.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct StoredGameDocument {
    #[serde(flatten)]
    pub(crate) moves: MovesDocument,
    /// The newest job on it.
    pub(crate) job: Option<JobDocument>,
}

/// The options of a review. Missing values have the server's default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ReviewRequest {
    /// The game's number in the store.
    pub(crate) game: i64,
    #[serde(flatten)]
    pub(crate) review: ReviewOptionsRequest,
}

/// How games are reviewed. Missing values have the server's default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ReviewOptionsRequest {
    /// Use the limits for hundreds of games instead of `limit`, as `centipawn review --archive`
    /// does.
    pub(crate) archive: bool,
    /// The limit of a position: `100000 nodes` or `depth 20`.
    pub(crate) limit: Option<String>,
    /// Number of lines of a position, from 1 to the server's maximum.
    pub(crate) lines: Option<usize>,
    /// Use the evaluations in the game. The engine evaluates only positions that have none.
    pub(crate) reuse_evals: bool,
    #[serde(flatten)]
    pub(crate) judge: JudgeRequest,
}

/// How a review is judged. A change needs no engine. Missing values stay unchanged.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct JudgeRequest {
    /// The name of a curve; `auto` chooses one by the players.
    pub(crate) curve: Option<String>,
    /// Win-draw balance in pawns, for the curves relevance and relevance-sigmoid.
    pub(crate) balance: Option<f64>,
    /// `auto`, or names such as `s20,s40`.
    pub(crate) scheme: Option<String>,
    /// `en` or `de`.
    pub(crate) language: Option<String>,
    /// Give symbols for good moves to obvious moves too.
    pub(crate) every_symbol: Option<bool>,
}

/// Asks why a move has its symbol.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct WhyRequest {
    /// Number of the half-move, counted from 1.
    pub(crate) ply: usize,
    #[serde(flatten)]
    pub(crate) judge: JudgeRequest,
}

/// Asks to judge the last move of a line, as moves of a game are judged.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MoveRequest {
    /// The start position, as FEN.
    pub(crate) fen: String,
    /// Whether castling moves are written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves in UCI notation; the last one is judged.
    pub(crate) moves: Vec<String>,
    /// The review with whose limit, lines and curve the move is judged; missing for the server's
    /// defaults.
    pub(crate) review: Option<i64>,
    #[serde(flatten)]
    pub(crate) judge: JudgeRequest,
}

/// A judged move that the user played on the board.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct MoveDocument {
    pub(crate) ply: PlyDocument,
}

/// Asks for the best lines of a position.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LinesRequest {
    /// The start position, as FEN.
    pub(crate) fen: String,
    /// Whether castling moves are written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub(crate) moves: Vec<String>,
    /// Number of nodes to search.
    pub(crate) nodes: u64,
    /// Number of lines.
    pub(crate) lines: usize,
    /// The name of a curve; missing for the curve of the engine.
    pub(crate) curve: Option<String>,
    pub(crate) balance: Option<f64>,
}

/// The best lines of a position in descending order; none at mate and stalemate.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct LinesDocument {
    /// The engine's name.
    pub(crate) engine: String,
    /// The position, as FEN.
    pub(crate) fen: String,
    pub(crate) nodes: u64,
    pub(crate) depth: u32,
    pub(crate) lines: Vec<LineDocument>,
    /// White's expected score of the best line, 0..=1.
    pub(crate) expected_score_best: Option<f64>,
    /// Win, draw and loss of the best line; missing unless the curve has them.
    pub(crate) wdl: Option<Wdl>,
}

/// The form of symbols. Evaluations are written as on the command line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SymbolsRequest {
    /// `white` or `black`.
    pub(crate) side: String,
    /// Evaluation after the move played, from White's point of view: `0.31`, `#-2`.
    pub(crate) played: String,
    pub(crate) best: String,
    pub(crate) second: Option<String>,
    pub(crate) curve: Option<String>,
    pub(crate) balance: Option<f64>,
    /// Material on the board, 0..=78.
    pub(crate) material: Option<u32>,
    /// Number of half-moves played.
    pub(crate) ply: Option<u32>,
}

/// Asks for the points of a curve.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CurveRequest {
    pub(crate) curve: Option<String>,
    pub(crate) balance: Option<f64>,
    /// Material on the board, 0..=78.
    pub(crate) material: Option<u32>,
    /// Number of half-moves played.
    pub(crate) ply: Option<u32>,
    /// An evaluation in pawns whose value is requested.
    pub(crate) eval: Option<f64>,
}

/// Asks what an evaluation is worth between humans, by rating.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PeopleRequest {
    /// The evaluation in pawns.
    pub(crate) eval: f64,
    /// Time controls, such as `600+5`.
    pub(crate) times: Vec<String>,
}

/// Asks how easy a position is for players of several levels.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct EaseRequest {
    /// The start position, as FEN.
    pub(crate) fen: String,
    /// Whether castling moves are written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub(crate) moves: Vec<String>,
    /// The limit of a search; missing for the server's default.
    pub(crate) limit: Option<String>,
}

/// Asks for a position in the server's games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PositionRequest {
    /// The start position, as FEN.
    pub(crate) fen: String,
    /// Whether castling moves are written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub(crate) moves: Vec<String>,
    /// The position's evaluation from White's point of view. The human curve computes expected
    /// results from it.
    #[schema(value_type = Option<centipawn_core::Score>)]
    pub(crate) eval: Option<Eval<White>>,
}

/// How often a position occurs in the server's games, with results and moves.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PositionAnswer {
    /// Number of games that were searched.
    pub(crate) searched: u64,
    /// Results of the games that reached this position.
    pub(crate) results: ResultsRow,
    /// White's expected score, 0..=1, by the human curve, averaged over the rated games. Missing
    /// without an evaluation or without rated games.
    pub(crate) expected_score: Option<f64>,
    /// Results by the move that was played, the most frequent first.
    pub(crate) moves: Vec<PositionMoveRow>,
}

/// Results of games.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ResultsRow {
    pub(crate) games: u64,
    pub(crate) white_wins: u64,
    pub(crate) draws: u64,
    pub(crate) black_wins: u64,
    /// White's average points, 0..=1.
    pub(crate) score: f64,
    /// The 95 % interval of `score`.
    pub(crate) score_interval: (f64, f64),
}

/// Results of the games in which a move was played.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PositionMoveRow {
    /// The move in UCI notation; empty if the game ended here.
    pub(crate) uci: String,
    /// The move in algebraic notation; empty if the game ended here.
    pub(crate) san: String,
    pub(crate) results: ResultsRow,
}

/// How easy a position is for players of several levels.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct EaseAnswer {
    /// The engine's name.
    pub(crate) engine: String,
    /// The limit of the search.
    pub(crate) limit: String,
    /// The lines of `centipawn ease --json`, in ascending order of level.
    #[schema(value_type = Vec<LevelDocument>)]
    pub(crate) levels: Vec<MomentDocument>,
    /// The best move in UCI notation; of equally good moves, the most likely one. Missing if all
    /// moves are equally good.
    pub(crate) best: Option<String>,
    /// Probability, 0..=1, that players of each level find a good move.
    pub(crate) finds: Vec<f64>,
    /// The lowest rating from which players are more likely than not to find a good move. Missing
    /// if the highest level is not, or if a lower level is too.
    pub(crate) found_from: Option<u32>,
    /// The levels that are more likely than not to find a good move. If the highest level is not
    /// among them, the levels show no order.
    pub(crate) found_at: Vec<u32>,
    /// Whether no level is more likely than not to find a good move, and a higher level is less
    /// likely to than a lower one.
    pub(crate) is_unclear: bool,
    /// The opponent's last move in UCI notation.
    pub(crate) last: Option<String>,
}

/// The schema of a [`MomentDocument`] by the bundled network, which always has a level.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LevelDocument {
    #[serde(flatten)]
    moment: MomentDocument,
    /// The rating of the imitated players.
    level: u32,
}

/// How far a job is, as pages show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum JobProgress {
    /// Other jobs come first.
    Waiting,
    Running,
    /// A stopped server had started it. It continues on request.
    Interrupted,
    Done,
    Cancelled,
    Failed,
}

/// A job: work on a game.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum JobDocument {
    /// The review of a game.
    Review(ReviewJob),
    /// The search for puzzles in a game.
    Mining(MiningJob),
}

/// What all jobs have.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct JobRow {
    /// The job's number. It is also the number of the review.
    pub(crate) id: i64,
    pub(crate) game: i64,
    /// The names of the players.
    pub(crate) title: String,
    pub(crate) state: JobProgress,
    /// Number of evaluated positions.
    pub(crate) done: usize,
    /// Number of all positions.
    pub(crate) total: usize,
    /// Why the job failed.
    pub(crate) problem: Option<String>,
}

/// The review of a game.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReviewJob {
    #[serde(flatten)]
    pub(crate) job: JobRow,
    /// The limit of a position.
    pub(crate) limit: String,
    /// The limit of the first pass, if there are two. `limit` then applies to the positions that
    /// matter.
    pub(crate) quick: Option<String>,
    pub(crate) lines: usize,
    /// The name of the curve.
    pub(crate) curve: String,
    pub(crate) scheme: String,
    pub(crate) language: String,
    pub(crate) reuse_evals: bool,
}

/// The search for puzzles in a game.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct MiningJob {
    #[serde(flatten)]
    pub(crate) job: JobRow,
    /// The effort, 0.01..=1: the share of the usual nodes of each search.
    pub(crate) effort: f64,
    /// Number of puzzles found, if the job is done.
    pub(crate) found: Option<u64>,
}

#[cfg(test)]
impl JobDocument {
    /// Returns what all jobs have.
    pub(crate) fn row(&self) -> &JobRow {
        match self {
            Self::Review(ReviewJob { job, .. }) | Self::Mining(MiningJob { job, .. }) => job,
        }
    }
}

/// Jobs, the newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct JobsDocument {
    pub(crate) jobs: Vec<JobDocument>,
}

/// An event for pages.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum Event {
    /// A job changed its state.
    Job { job: JobDocument },
    /// The progress of a batch changed.
    Batch { batch: BatchDocument },
    /// A position was evaluated.
    Position(PositionEvent),
    /// Events were missed, so the page must load its data again.
    Reload,
}

/// A position of a review was evaluated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PositionEvent {
    /// The review's number.
    pub(crate) job: i64,
    /// Number of the half-move played in the position, counted from 1.
    pub(crate) ply: usize,
    /// Number of evaluated positions.
    pub(crate) done: usize,
    /// Number of all positions.
    pub(crate) total: usize,
    /// Evaluation after the move played.
    #[schema(value_type = centipawn_core::Score)]
    pub(crate) eval_played: Eval<White>,
    /// White's expected score after the move, 0..=1.
    pub(crate) expected_score: f64,
    /// Win, draw and loss after the move; missing unless the curve has them.
    pub(crate) wdl: Option<Wdl>,
    /// Moves that can be judged now, because all positions before them are evaluated. In the order
    /// of the game.
    pub(crate) judged: Vec<PlyDocument>,
}

impl PositionEvent {
    /// Creates the event of review `job`, by the options that it was asked for with.
    pub(crate) fn new(job: i64, position: &LivePosition<'_>, options: &ReviewOptions) -> Self {
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
pub(crate) struct EventsDocument {
    /// Number of the newest event.
    pub(crate) last: u64,
    #[schema(value_type = Vec<Event>)]
    pub(crate) events: Vec<serde_json::Value>,
}
