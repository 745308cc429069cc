//! Judges how easy a position is for players of several levels, with the bundled network.

use std::sync::Arc;

use centipawn_judge::ease::{EaseLevels, EaseOptions, PlayerLevels};
use centipawn_policy::{Kernel, Network, is_known};
use centipawn_progress::{Cancel, ProblemCount, Silent};
use centipawn_work::engine::{EaseResources, PositionInput, Threads, judge_ease};
use shakmaty::Position as _;

use crate::{
    documents::{EaseAnswer, EaseRequest},
    error::ApiError,
    reviews::{cancelled, line},
    server::Server,
};

/// The distance between two levels.
const STEP: usize = 100;

/// Judges a position as `centipawn ease --level 600..2200` does.
pub(crate) fn judge(
    server: &Server,
    request: &EaseRequest,
    cancel: &Cancel,
) -> Result<EaseAnswer, ApiError> {
    let limit = server.limit(request.limit.as_deref())?;
    let position = line(&request.fen, request.chess960, &request.moves)?.end();
    if position.position().legal_moves().is_empty() {
        return Err(ApiError::bad(
            "the game is over in this position",
            "Go back a move.",
        ));
    }
    if !is_known(&position) {
        return Err(ApiError::bad(
            "the networks do not know the first three moves of each side",
            "Go on to the fourth move.",
        ));
    }
    let board = server.board.under(cancel, Arc::new(Silent));
    let network = board.network(Network::BUNDLED, Kernel::best())?;
    let fixed = network
        .levels()
        .map_or_else(Vec::new, |levels| levels.step_by(STEP).collect());
    let levels_of = EaseLevels {
        fixed,
        players: PlayerLevels::None,
    };
    let options = EaseOptions {
        levels: levels_of,
        ..EaseOptions::new(limit)
    };
    let analyst = board.some_analyst(&server.analyst(1))?;
    let resources = EaseResources {
        networks: std::slice::from_ref(&*network),
        analyst: Some(&*analyst),
    };
    let last = request.moves.last().cloned();
    let input = PositionInput::Positions(vec![position].into());
    let mut provenance = Some(resources.provenance(&options, &input));
    let problems = Arc::new(ProblemCount::new(Silent));
    let crew = Threads::of(resources.analyst);
    let (mut answer, mut failed) = (None, None);
    judge_ease(
        input,
        &options,
        &resources,
        &crew,
        cancel,
        &problems,
        |judged| {
            failed = judged.failures.first().map(ToString::to_string);
            answer = EaseAnswer::of(
                judged,
                &options,
                &analyst.identity(),
                &mut provenance,
                last.clone(),
            );
            Ok(())
        },
    )?;
    match (answer, failed) {
        (Some(answer), _) => Ok(answer),
        (None, Some(problem)) => Err(ApiError::bad(
            problem,
            "Try another position, or another engine.",
        )),
        (None, None) => Err(cancelled()),
    }
}
