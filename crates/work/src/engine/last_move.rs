//! The judgement of a move that was just played on a board.

use centipawn_engine::Analyst;
use centipawn_judge::LastMove;
use centipawn_pgn::Game;
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event, ReviewOptions};

use crate::engine::{ReviewResources, Threads, review_game};

/// Judges the last move of `game` as moves of a reviewed game are judged. The review has all moves,
/// because earlier ones show whether the last one is theory, but only the last ones are searched:
/// the symbols of the others have no meaning.
///
/// `None` if `cancel` was set.
pub fn judge_last_move(
    game: Game,
    options: &ReviewOptions,
    analyst: &dyn Analyst,
    cancel: &Cancel,
) -> Option<Event> {
    let analyst = LastMove::new(analyst, game.plies.len().saturating_sub(1));
    let resources = ReviewResources {
        analyst: &analyst,
        networks: &[],
        store: None,
    };
    review_game(
        game,
        options,
        &resources,
        &Threads::of(Some(&analyst)),
        cancel,
        &Silent,
        &|_| (),
    )
}
