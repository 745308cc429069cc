//! Work for engines: recipes, the loops over their items, and who does the work.
//!
//! A [`Recipe`] defines the work on an item (a game, a position, a puzzle); with its resources it
//! is [`Work`], which a [`Crew`] runs.

mod balance_evaluate;
mod crew;
mod ease;
mod epd;
mod evaluate;
mod extras;
mod failing;
mod follow;
mod game_review;
mod human_evaluate;
mod last_move;
mod mine;
mod networks;
mod odds_atlas;
mod perform;
mod play_rating;
mod positions;
mod puzzles;
mod rate;
mod recipe;
mod review;
mod review_store;
mod suite;
mod test_question;
mod verify;

pub(crate) use balance_evaluate::{BalanceEvaluation, evaluate_balance};
pub use crew::{Crew, Threads, Work};
pub use ease::{EaseError, EaseResources, judge_ease};
pub use epd::{BadEpdMove, Epd};
pub use evaluate::EvaluateOptions;
pub use extras::{ExtraOptions, UNCLEAR_DIFFERENCE, WithExtras};
pub use failing::Failing;
pub use follow::{Followed, Follower};
pub(crate) use game_review::stored_findings;
pub use game_review::{find_key, review_game};
pub(crate) use human_evaluate::evaluate_human_games;
pub use human_evaluate::{HumanEvaluateOptions, HumanEvaluation};
pub use last_move::judge_last_move;
pub use mine::{MineResources, MineSummary, VerdictCount, mine_files, mine_game, move_number};
pub use networks::{AnswerPlace, NetworkAnswer, NetworkEvent, PolicyOptions, run_networks};
pub use odds_atlas::{OddsAtlasError, OddsAtlasOptions, odds_atlas, odds_atlas_json};
pub use perform::{game_key, nodes_of_game, perform};
pub(crate) use perform::{is_fleet_work, nodes_of_position, perform_position};
pub use play_rating::{NotInGames, PlayRatingOptions, rate_play};
pub use positions::{BadPosition, PositionInput, PositionInputError, Positions, parse_position};
pub use puzzles::{FitRatingError, fit_rating, read_claims, read_puzzles};
pub use rate::rate_puzzles;
pub use recipe::Recipe;
pub use review::{
    ReviewEnd, ReviewError, ReviewOutput, ReviewResources, review_files, review_files_once,
    review_provenance,
};
pub use suite::{
    Suite, SuiteError, SuiteOptions, SuitePosition, SuiteReport, SuiteResult, run_suite,
};
pub use test_question::{TEST_QUESTIONS, is_repeatable, test_answer};
pub use verify::{VerifiedPuzzle, VerifyResources, VerifySummary, verify_puzzles};
