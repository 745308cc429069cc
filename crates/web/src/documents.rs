//! What the interface takes and gives, beside the documents of the libraries.

mod puzzles;

use centipawn_core::{Eval, Wdl, White};
use centipawn_progress::Problem;
use centipawn_review::{LineDocument, PlyDocument, ease::MomentDocument};
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
    /// What to do.
    pub(crate) hint: String,
}

/// What this server has and allows.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct StatusDocument {
    /// The program's version.
    pub(crate) centipawn: &'static str,
    /// The engine's command.
    pub(crate) engine: String,
    /// Whether the engine's program is installed where the command says; it is not started for this.
    pub(crate) has_engine: bool,
    /// How many engines work on a review.
    pub(crate) engines: usize,
    /// Where evaluations, games and jobs are kept.
    pub(crate) store: String,
    /// The limit of a position unless a request names another: `1000000 nodes`.
    pub(crate) limit: String,
    /// The curve unless a request names another.
    pub(crate) curve: String,
    /// The schemes of symbols unless a request names others: `auto,s40`.
    pub(crate) scheme: String,
    /// The language unless a request names another: `en`.
    pub(crate) language: String,
    /// Names of curves.
    pub(crate) curves: Vec<String>,
    /// Those of them that the server's owner calibrated.
    pub(crate) own_curves: Vec<OwnCurveRow>,
    /// Whether there are games in which positions are looked up.
    pub(crate) has_positions: bool,
    /// Names of the schemes for moves, then of those for positions.
    #[schema(value_type = (Vec<String>, Vec<String>))]
    pub(crate) schemes: [Vec<&'static str>; 2],
    /// Most nodes of a question.
    pub(crate) most_nodes: u64,
    /// Most lines of a question.
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
    /// Its options.
    pub(crate) options: Vec<(String, String)>,
    /// How many work on a job.
    pub(crate) processes: usize,
    /// The network in the program, and the levels that it imitates.
    pub(crate) network: String,
    pub(crate) levels: Option<(u32, u32)>,
    /// The document of `centipawn store stats --json`.
    pub(crate) store: StoreStats,
    /// Where it is.
    pub(crate) place: String,
    /// What requests may ask for.
    pub(crate) limits: Limits,
}

/// Exchanges the token that the server printed for a cookie.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SessionRequest {
    /// The token that the server printed.
    pub(crate) token: String,
    /// Instead of the token: a login code, which serves once.
    pub(crate) code: Option<String>,
}

/// A session.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SessionDocument {
    /// What stands before `/api` in all addresses of this session, since its cookie is sent only there; empty if the server asks for no
    /// token.
    pub(crate) path: String,
}

/// A game of the store in a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct GameRow {
    /// Its number in the store.
    pub(crate) id: i64,
    #[serde(flatten)]
    pub(crate) line: GameLine,
    /// The newest work on it.
    pub(crate) job: Option<JobDocument>,
    /// What its newest finished review says; missing until it is judged for lists.
    pub(crate) review: Option<ReviewLine>,
}

/// Asks for games of the store.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct GamesRequest {
    /// Which games, in which order.
    #[serde(flatten)]
    pub(crate) filter: GameFilter,
    /// Games that are skipped.
    pub(crate) offset: usize,
    /// Games in the answer, 200 at most; 0 for 100.
    pub(crate) most: usize,
}

/// Games of the store.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct GamesDocument {
    /// Some of the games.
    pub(crate) games: Vec<GameRow>,
    /// Games that the filter wants, or that were added.
    pub(crate) total: usize,
    /// Added games that were there already; 0 for a filter.
    pub(crate) known: usize,
    /// Games of the answer's total without a finished review.
    pub(crate) unreviewed: usize,
    /// Games of the store.
    pub(crate) all: usize,
    /// What could not be read, with line and reason.
    pub(crate) problems: Vec<Problem>,
}

/// Asks to review many games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct BatchRequest {
    /// The games; empty for all that the filter wants, without those that have a finished review unless it asks for these.
    pub(crate) games: Vec<i64>,
    /// Which games, if none are named.
    pub(crate) filter: GameFilter,
    #[serde(flatten)]
    pub(crate) review: ReviewOptionsRequest,
}

/// The state of the reviews of many games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum BatchProgress {
    Running,
    /// It goes on with a request.
    Interrupted,
    Paused,
    Done,
    Cancelled,
}

/// How far the reviews of many games are.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BatchDocument {
    /// Its number.
    pub(crate) id: i64,
    /// A line for people.
    pub(crate) title: String,
    pub(crate) state: BatchProgress,
    /// Its games.
    pub(crate) games: i64,
    /// Games whose review is finished.
    pub(crate) done: i64,
    /// Games whose review failed.
    pub(crate) failed: i64,
    /// Games whose review was cancelled.
    pub(crate) cancelled: i64,
    /// Positions evaluated.
    pub(crate) positions_done: i64,
    /// Positions of all games.
    pub(crate) positions: i64,
    /// Seconds until the end, by the pace so far; `None` while it is unknown.
    pub(crate) seconds_left: Option<f64>,
}

/// The newest reviews of many games.
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
    /// Games of the player.
    pub(crate) games: usize,
}

/// Asks for a lesson on a cause of a player's losses.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LessonRequest {
    /// The player's name.
    pub(crate) player: String,
    /// `allows` or `misses`.
    pub(crate) kind: String,
    /// The cause, as in the player's profile.
    pub(crate) cause: String,
}

/// A lesson: puzzles that are due for repetition now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct LessonAnswer {
    /// Numbers of the puzzles made of the player's own mistakes.
    pub(crate) own: Vec<i64>,
    /// Numbers of other puzzles of the theme.
    pub(crate) others: Vec<i64>,
}

/// A game of the store with its moves.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct StoredGameDocument {
    #[serde(flatten)]
    pub(crate) moves: MovesDocument,
    /// The newest work on it.
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
    /// Search as much as suits hundreds of games, instead of to `limit`; see `centipawn review --archive`.
    pub(crate) archive: bool,
    /// `100000 nodes` or `depth 20`.
    pub(crate) limit: Option<String>,
    /// Lines of a position, 1 to the server's most.
    pub(crate) lines: Option<usize>,
    /// Take the game's own evaluations; an engine is asked only for missing ones.
    pub(crate) reuse_evals: bool,
    #[serde(flatten)]
    pub(crate) judge: JudgeRequest,
}

/// How a review is judged; changing it uses no engine. Missing values stay unchanged.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct JudgeRequest {
    /// The name of a curve; `auto` decides by the players.
    pub(crate) curve: Option<String>,
    /// Win-draw balance in pawns, for the curves relevance and relevance-sigmoid.
    pub(crate) balance: Option<f64>,
    /// `auto`, or names such as `s20,s40`.
    pub(crate) scheme: Option<String>,
    /// `en` or `de`.
    pub(crate) language: Option<String>,
    /// Give good-move symbols to obvious moves too.
    pub(crate) every_symbol: Option<bool>,
}

/// Asks why a move has its symbol.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct WhyRequest {
    /// Number of the half-move, from 1.
    pub(crate) ply: usize,
    #[serde(flatten)]
    pub(crate) judge: JudgeRequest,
}

/// Asks to judge the last of a line of moves as the moves of a game are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MoveRequest {
    /// FEN of the start.
    pub(crate) fen: String,
    /// Whether castling is written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves in UCI notation; the last one is judged.
    pub(crate) moves: Vec<String>,
    /// The review whose limit, lines and curve judge the move; missing for those of the server.
    pub(crate) review: Option<i64>,
    #[serde(flatten)]
    pub(crate) judge: JudgeRequest,
}

/// A judged move of the user's.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct MoveDocument {
    pub(crate) ply: PlyDocument,
}

/// Asks for the best lines of a position.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LinesRequest {
    /// FEN of the start.
    pub(crate) fen: String,
    /// Whether castling is written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub(crate) moves: Vec<String>,
    /// Nodes.
    pub(crate) nodes: u64,
    /// How many lines.
    pub(crate) lines: usize,
    /// The name of a curve; missing for the engine's.
    pub(crate) curve: Option<String>,
    pub(crate) balance: Option<f64>,
}

/// The best lines of a position, best first; none at mate and stalemate.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct LinesDocument {
    /// Who analysed.
    pub(crate) engine: String,
    /// FEN of the position.
    pub(crate) fen: String,
    pub(crate) nodes: u64,
    pub(crate) depth: u32,
    pub(crate) lines: Vec<LineDocument>,
    /// White's expected score of the best line, 0..=1.
    pub(crate) expected_score_best: Option<f64>,
    /// Its win, draw and loss; missing unless the curve has them.
    pub(crate) wdl: Option<Wdl>,
}

/// The form of symbols: evaluations as on the command line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SymbolsRequest {
    /// `white` or `black`.
    pub(crate) side: String,
    /// Evaluation of the move played, White's view: `0.31`, `#-2`.
    pub(crate) played: String,
    pub(crate) best: String,
    pub(crate) second: Option<String>,
    pub(crate) curve: Option<String>,
    pub(crate) balance: Option<f64>,
    /// Material on the board, 0..=78.
    pub(crate) material: Option<u32>,
    /// Half-moves played.
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
    /// Half-moves played.
    pub(crate) ply: Option<u32>,
    /// Pawns, for the worth of one evaluation.
    pub(crate) eval: Option<f64>,
}

/// A curve, to be drawn.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CurveDocument {
    /// The curve, in words.
    pub(crate) curve: String,
    /// Its win-draw balance in pawns.
    pub(crate) balance: f64,
    /// Pairs of pawns, from −10 to +10, and expected score, 0..=1.
    pub(crate) points: Vec<(f64, f64)>,
    /// Win, draw and loss at each point; missing unless the curve has them.
    pub(crate) wdl: Option<Vec<Wdl>>,
    /// Pairs of material on the board, 17..=78, and the balance with it, in pawns.
    pub(crate) balances: Vec<(u32, f64)>,
    /// Expected score, 0..=1, of the evaluation asked about.
    pub(crate) score: Option<f64>,
    /// Its win, draw and loss; missing unless the curve has them.
    pub(crate) chances: Option<Wdl>,
}

/// Asks what an evaluation is worth to people, by rating.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PeopleRequest {
    /// Pawns.
    pub(crate) eval: f64,
    /// Time controls: `600+5`.
    pub(crate) times: Vec<String>,
}

/// What an evaluation is worth to people, by rating.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PeopleDocument {
    /// Ratings, from the lowest to the highest that the model knows.
    pub(crate) ratings: Vec<f64>,
    /// For each time control, expected scores, 0..=1, by rating.
    pub(crate) scores: Vec<Vec<f64>>,
}

/// Asks how easy a position is for players of several levels.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct EaseRequest {
    /// FEN of the start.
    pub(crate) fen: String,
    /// Whether castling is written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub(crate) moves: Vec<String>,
    /// The limit of a search; missing for the server's.
    pub(crate) limit: Option<String>,
}

/// A position that is looked up in the server's games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PositionRequest {
    /// FEN of the start.
    pub(crate) fen: String,
    /// Whether castling is written as in Chess960.
    pub(crate) chess960: bool,
    /// The moves that lead to the position, in UCI notation.
    pub(crate) moves: Vec<String>,
    /// The position's evaluation for White, from which the human curve expects results.
    #[schema(value_type = Option<centipawn_core::Score>)]
    pub(crate) eval: Option<Eval<White>>,
}

/// How often a position occurs in the server's games, with results and moves.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PositionAnswer {
    /// The games that were searched.
    pub(crate) searched: u64,
    /// Results of the games with this position.
    pub(crate) results: ResultsRow,
    /// White's expected score by the human curve, averaged over the rated games, 0..=1; missing without an evaluation or rated games.
    pub(crate) expected_score: Option<f64>,
    /// By the move that was played, the most frequent first.
    pub(crate) moves: Vec<PositionMoveRow>,
}

/// Results of games.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ResultsRow {
    pub(crate) games: u64,
    pub(crate) white_wins: u64,
    pub(crate) draws: u64,
    pub(crate) black_wins: u64,
    /// White's points per game, 0..=1.
    pub(crate) score: f64,
    /// Its 95 % interval.
    pub(crate) score_interval: (f64, f64),
}

/// Games in which a move was played.
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
    /// Who evaluated.
    pub(crate) engine: String,
    /// The limit of a search.
    pub(crate) limit: String,
    /// The lines of `centipawn ease --json`, the lowest level first.
    #[schema(value_type = Vec<LevelDocument>)]
    pub(crate) levels: Vec<MomentDocument>,
    /// The move to find, in UCI notation: the best one, the likelier of equals. Missing if every move is as good.
    pub(crate) best: Option<String>,
    /// Probability, 0..=1, that players of each level find a good move.
    pub(crate) finds: Vec<f64>,
    /// The lowest rating from which players are more likely than not to find a good move. Missing if the highest level is not.
    pub(crate) found_from: Option<u32>,
    /// The levels that are more likely than not to find a good move. If the highest level is not among them, the levels show no order.
    pub(crate) found_at: Vec<u32>,
    /// Whether no level is more likely than not to find a good move, and a higher level is less likely to than a lower one.
    pub(crate) is_unclear: bool,
    /// The opponent's last move, in UCI notation.
    pub(crate) last: Option<String>,
}

/// The schema of a [`MomentDocument`] by the network in the program, which always has a level.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LevelDocument {
    #[serde(flatten)]
    moment: MomentDocument,
    /// The players' rating.
    level: u32,
}

/// The kind of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum JobKind {
    /// It reviews a game.
    Review,
    /// It looks for puzzles in a game.
    Mining,
}

/// How far work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum JobState {
    /// Other work comes first.
    Waiting,
    Running,
    /// A killed server had begun it; it continues on request.
    Interrupted,
    Done,
    Cancelled,
    Failed,
}

/// Work on a game.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct JobDocument {
    /// Its number, which is that of the review.
    pub(crate) id: i64,
    pub(crate) kind: JobKind,
    /// Puzzles found by a job that is done.
    pub(crate) found: Option<u64>,
    pub(crate) game: i64,
    /// The players.
    pub(crate) title: String,
    pub(crate) state: JobState,
    /// Positions evaluated.
    pub(crate) done: usize,
    /// Positions in all.
    pub(crate) total: usize,
    /// Why it failed.
    pub(crate) problem: Option<String>,
    /// The limit of a position; of mining, its effort.
    pub(crate) limit: String,
    /// The limit of the first of two passes; `limit` then holds for the positions that matter.
    pub(crate) quick: Option<String>,
    pub(crate) lines: usize,
    /// Which curve.
    pub(crate) curve: String,
    pub(crate) scheme: String,
    pub(crate) language: String,
    pub(crate) reuse_evals: bool,
}

/// Work, newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct JobsDocument {
    pub(crate) jobs: Vec<JobDocument>,
}

/// Something that happened.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[derive(utoipa::ToSchema)]
pub(crate) enum Event {
    /// Work changed its state.
    Job { job: JobDocument },
    /// The reviews of many games went on.
    Batch { batch: BatchDocument },
    /// A position was evaluated.
    Position(PositionEvent),
    /// Events were missed: reload the displayed data.
    Reload,
}

/// A position of a review was evaluated.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PositionEvent {
    /// The review.
    pub(crate) job: i64,
    /// Number of the half-move played in it, from 1.
    pub(crate) ply: usize,
    /// Positions evaluated.
    pub(crate) done: usize,
    /// Positions in all.
    pub(crate) total: usize,
    /// Evaluation of the move played.
    #[schema(value_type = centipawn_core::Score)]
    pub(crate) eval_played: Eval<White>,
    /// White's expected score after it, 0..=1.
    pub(crate) expected_score: f64,
    /// Its win, draw and loss; missing unless the curve has them.
    pub(crate) wdl: Option<Wdl>,
    /// Moves that can be judged now, in order: all positions before them are evaluated.
    pub(crate) judged: Vec<PlyDocument>,
}

/// Events after a number, for a page without a stream.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct EventsDocument {
    /// The number of the newest event.
    pub(crate) last: u64,
    #[schema(value_type = Vec<Event>)]
    pub(crate) events: Vec<serde_json::Value>,
}
