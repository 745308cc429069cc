//! Runs one job: reviews a game, or searches it for puzzles.

use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering},
};

use centipawn_judge::{LiveJudge, LivePosition};
use centipawn_pgn::Game;
use centipawn_policy::{Kernel, Network};
use centipawn_progress::{Cancel, Silent};
use centipawn_puzzle::{
    MineOptions,
    rating::{RateOptions, Rater},
};
use centipawn_review::{Event, Review, ReviewOptions};
use centipawn_store::JobState;
use centipawn_work::{
    engine::{MineResources, ReviewResources, Threads, find_key, mine_game, review_game},
    library::{KeptJob, KeptWork, game_title},
};

use super::publish;
use crate::{
    documents::{self, PositionEvent},
    error::message,
    server::Server,
};

/// The result of a job.
pub(super) struct Worked {
    pub(super) state: JobState,
    /// The review, judged by its own options, if the job was one and is done.
    pub(super) review: Option<Box<Review>>,
}

impl From<JobState> for Worked {
    fn from(state: JobState) -> Self {
        Self {
            state,
            review: None,
        }
    }
}

/// Runs a job.
pub(super) fn work(server: &Arc<Server>, job: &KeptJob, cancel: &Cancel) -> Worked {
    let work = || {
        let game = server
            .library
            .game(job.game)
            .map_err(|error| message(&error))?;
        let game = game.ok_or("the game is no longer in the store")?;
        match &job.work {
            KeptWork::Review(options) => review(server, job.id, game, options, cancel),
            KeptWork::Mine(options) => mine(server, job, game, options, cancel).map(Worked::from),
        }
    };
    work().unwrap_or_else(|problem| JobState::Failed(problem).into())
}

/// Searches a game for puzzles and stores them.
fn mine(
    server: &Server,
    job: &KeptJob,
    game: Game,
    options: &MineOptions,
    cancel: &Cancel,
) -> Result<JobState, String> {
    let failed = |error: &(dyn std::error::Error + 'static)| message(error);
    let own = server
        .resources
        .with_own_engines(cancel, Arc::new(Silent))
        .map_err(|error| failed(&error))?;
    let analyst = own
        .some_analyst(&server.analyst(server.options.engine.jobs))
        .map_err(|error| failed(&error))?;
    let rater = Rater::open(RateOptions::default(), &Silent);
    let known = HashSet::new();
    let resources = MineResources {
        analyst: &*analyst,
        rater: Some(&rater),
        known: &known,
    };
    let done = server
        .queue
        .state()
        .running
        .as_ref()
        .map(|running| Arc::clone(&running.mined))
        .unwrap_or_default();
    let on_position = || {
        done.fetch_add(1, Ordering::Relaxed);
        publish(server, job);
    };
    let origin = game_title(&game);
    let crew = Threads::of(Some(&*analyst));
    let Some(mined) = mine_game(
        game,
        options,
        resources,
        &crew,
        cancel,
        &Silent,
        &on_position,
    ) else {
        return Ok(JobState::Cancelled);
    };
    let mut found = 0;
    for candidate in mined.candidates {
        if let Some(puzzle) = candidate.puzzle.filter(|_| candidate.verdict.is_found()) {
            server
                .library
                .keep_puzzle(*puzzle, &origin, None)
                .map_err(|error| failed(&error))?;
            found += 1;
        }
    }
    // A job that is done is never repeated, so a job with failed positions must not count as done.
    match mined.failures.first() {
        None => Ok(JobState::Mined(found)),
        Some((_, error)) if found == 0 => Err(error.to_string()),
        Some((_, error)) => Err(format!(
            "{error}; the puzzles found in the other positions are kept"
        )),
    }
}

fn review(
    server: &Arc<Server>,
    id: i64,
    game: Game,
    options: &ReviewOptions,
    cancel: &Cancel,
) -> Result<Worked, String> {
    let failed = |error: &(dyn std::error::Error + 'static)| message(error);
    let live = Arc::new(LiveJudge::new(game.clone(), options.judge.clone()));
    if let Some(running) = &mut server.queue.state().running {
        running.live = Some(Arc::clone(&live));
    }
    // Engines of this job only. They stop when the job ends, even if it fails.
    let own = server
        .resources
        .with_own_engines(cancel, Arc::new(Silent))
        .map_err(|error| failed(&error))?;
    let analyst = own
        .some_analyst(&server.analyst(server.options.engine.jobs))
        .map_err(|error| failed(&error))?;
    let network = (!options.judge.ease.is_empty())
        .then(|| own.network(Network::BUNDLED, Kernel::best()))
        .transpose()
        .map_err(|error| failed(&error))?;
    let resources = ReviewResources {
        analyst: &*analyst,
        networks: network.as_deref().map_or(&[], std::slice::from_ref),
        store: Some(Arc::clone(&server.store)),
    };
    let settings = find_key(&game, &options.judge, &resources);
    if let Some(settings) = &settings {
        server
            .store
            .note_settings(id, settings)
            .map_err(|error| failed(&error))?;
    }
    let crew = Threads::of(Some(&*analyst));
    let event = review_game(
        game,
        options,
        &resources,
        &crew,
        cancel,
        &Silent,
        &|found| {
            let publish = |position: LivePosition<'_>| {
                let event = PositionEvent::new(id, &position, options);
                server.events.publish(&documents::Event::Position(event));
            };
            live.found(found, || analyst.identity(), publish);
        },
    );
    Ok(match event {
        Some(Event::Reviewed(review)) => Worked {
            state: JobState::Reviewed(settings),
            review: Some(review),
        },
        _ if cancel.is_set() => JobState::Cancelled.into(),
        None => JobState::Cancelled.into(),
        Some(Event::Failed(failure)) => JobState::Failed(failure.problem().text).into(),
    })
}
