//! Questions about one position.

use std::slice;

use centipawn_engine::Analyst as _;
use centipawn_judge::{
    PositionCount,
    ease::{EaseJob, EaseLevels, EaseOptions, PlayerLevels},
    policy,
};
use centipawn_policy::is_known;
use centipawn_progress::{Provenance, Silent};
use centipawn_review::rooms::{EaseAnswer, EaseRequest, line_game};
use shakmaty::Position as _;

use crate::{Reply, Tab, job::run_once, reply::Refused, router::Answer};

/// The distance between two levels.
const STEP: usize = 100;

/// Judges how easy a position is for players of several levels, as `centipawn ease --level
/// 600..2200` does.
pub(crate) fn ease(tab: &mut Tab, request: &EaseRequest) -> Answer {
    let limit = tab.choices().limit(request.limit.as_deref())?;
    let position = line_game(&request.fen, request.chess960, &request.moves)?.end();
    if position.position().legal_moves().is_empty() {
        return Err(Refused::bad(
            "the game is over in this position",
            "Go back a move.",
        ));
    }
    if !is_known(&position) {
        return Err(Refused::bad(
            "the networks do not know the first three moves of each side",
            "Go on to the fourth move.",
        ));
    }
    let network = policy().ok_or_else(|| {
        let error = "the networks are not loaded";
        Refused::new(500, error, "Load the page again while you are online.")
    })?;
    let fixed = network
        .levels()
        .map_or_else(Vec::new, |levels| levels.step_by(STEP).collect());
    let options = EaseOptions {
        levels: EaseLevels {
            fixed,
            players: PlayerLevels::None,
        },
        ..EaseOptions::new(limit)
    };
    let networks = slice::from_ref(network);
    let (outcome, engine) = tab.ask(|known| {
        let count = PositionCount::new(&Silent);
        let judge = options.judge(networks, Some(known));
        let job = EaseJob::of_position(judge, &count, 1, position, &options);
        Some((run_once(&job)?, known.identity()))
    })?;
    let mut provenance = Some(Provenance {
        networks: vec![network.provenance()],
        ..Provenance::of("ease", &options).engine(Some(engine.clone()), options.limits())
    });
    let last = request.moves.last().cloned();
    if let Some(answer) = EaseAnswer::of(&outcome, &options, &engine, &mut provenance, last) {
        return Ok(Reply::document(&answer));
    }
    let problem = outcome.failures.first().map(ToString::to_string);
    Err(Refused::bad(
        problem.unwrap_or_else(|| "the position was not judged".to_owned()),
        "Try another position.",
    ))
}
