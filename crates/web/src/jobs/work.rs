//! Runs one job: reviews a game, or searches it for puzzles.

use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering},
};

use centipawn_judge::{LiveJudge, LivePosition};
use centipawn_pgn::Game;
use centipawn_progress::{Cancel, Silent};
use centipawn_puzzle::{
    MineOptions,
    rating::{RateOptions, Rater},
};
use centipawn_review::{Event as Reviewed, ReviewOptions};
use centipawn_work::{
    MineResources, ReviewResources, Threads, find_key,
    library::{KeptJob, KeptState, KeptWork, game_title},
    mine_game, review_game,
};

use super::publish_job;
use crate::{
    documents::{Event, PositionEvent},
    error::message,
    server::Server,
};

/// How a job ended.
pub(super) enum End {
    /// The findings are in the store under this key; `None` if no engine was needed.
    Reviewed(Option<String>),
    /// The number of puzzles found.
    Mined(i64),
    Cancelled,
    Failed(String),
}

/// Runs a job.
pub(super) fn work(server: &Arc<Server>, id: i64, cancel: &Cancel) -> End {
    let work = || {
        let failed = |error: &(dyn std::error::Error + 'static)| message(error);
        let job = server.store.job(id).map_err(|error| failed(&error))?.ok_or("the job is no longer in the store")?;
        let job = KeptJob::try_from(job)?;
        // The job was cancelled between the queue's choice and this start.
        if job.state != KeptState::Open {
            return Ok(End::Cancelled);
        }
        let game = server.library.game(job.game).map_err(|error| failed(&error))?;
        let game = game.ok_or("the game is no longer in the store")?;
        match &job.work {
            KeptWork::Review(options) => review(server, id, game, options, cancel),
            KeptWork::Mine(options) => mine(server, &job, game, options, cancel),
        }
    };
    work().unwrap_or_else(End::Failed)
}

/// Searches a game for puzzles and stores them.
fn mine(server: &Server, job: &KeptJob, game: Game, options: &MineOptions, cancel: &Cancel) -> Result<End, String> {
    let failed = |error: &(dyn std::error::Error + 'static)| message(error);
    let own = server.resources.with_own_engines(cancel, Arc::new(Silent)).map_err(|error| failed(&error))?;
    let analyst = own.some_analyst(&server.analyst(server.options.engine.jobs)).map_err(|error| failed(&error))?;
    let rater = Rater::open(RateOptions::default(), &Silent);
    let known = HashSet::new();
    let resources = MineResources { analyst: &*analyst, rater: Some(&rater), known: &known };
    let done = server.queue.state().running.as_ref().map(|running| Arc::clone(&running.mined)).unwrap_or_default();
    let on_position = || {
        done.fetch_add(1, Ordering::Relaxed);
        publish_job(server, job.id);
    };
    let origin = game_title(&game);
    let crew = Threads::of(Some(&*analyst));
    let Some(mined) = mine_game(game, options, resources, &crew, cancel, &Silent, &on_position) else {
        return Ok(End::Cancelled);
    };
    let mut found = 0;
    for candidate in mined.candidates {
        if let Some(puzzle) = candidate.puzzle.filter(|_| candidate.verdict.is_found()) {
            server.library.keep_puzzle(*puzzle, &origin, None).map_err(|error| failed(&error))?;
            found += 1;
        }
    }
    // A job that is done is never repeated, so a job with failed positions must not count as done.
    match mined.failures.first() {
        None => Ok(End::Mined(found)),
        Some((_, error)) if found == 0 => Err(error.to_string()),
        Some((_, error)) => Err(format!("{error}; the puzzles found in the other positions are kept")),
    }
}

fn review(server: &Arc<Server>, id: i64, game: Game, options: &ReviewOptions, cancel: &Cancel) -> Result<End, String> {
    let failed = |error: &(dyn std::error::Error + 'static)| message(error);
    let live = Arc::new(LiveJudge::new(game.clone(), options.judge.clone()));
    if let Some(running) = &mut server.queue.state().running {
        running.live = Some(Arc::clone(&live));
    }
    // Engines of this job only. They stop when the job ends, even if it fails.
    let own = server.resources.with_own_engines(cancel, Arc::new(Silent)).map_err(|error| failed(&error))?;
    let analyst = own.some_analyst(&server.analyst(server.options.engine.jobs)).map_err(|error| failed(&error))?;
    let resources = ReviewResources { analyst: &*analyst, networks: &[], store: Some(Arc::clone(&server.store)) };
    let settings = find_key(&game, &options.judge, &resources);
    if let Some(settings) = &settings {
        server.store.note_settings(id, settings).map_err(|error| failed(&error))?;
    }
    let crew = Threads::of(Some(&*analyst));
    let event = review_game(game, options, &resources, &crew, cancel, &Silent, &|found| {
        let publish = |position: LivePosition<'_>| {
            server.events.publish(&Event::Position(PositionEvent::new(id, &position, options)));
        };
        live.found(found, || analyst.identity(), publish);
    });
    Ok(match event {
        _ if cancel.is_set() && !matches!(event, Some(Reviewed::Reviewed(_))) => End::Cancelled,
        None => End::Cancelled,
        Some(Reviewed::Reviewed(_)) => End::Reviewed(settings),
        Some(Reviewed::Failed(failure)) => End::Failed(failure.problem().text),
    })
}
