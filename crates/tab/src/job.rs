//! A review under way: run with the answers that are known, and again when there are more.

use std::{slice, sync::Arc};

use centipawn_engine::{Analyst as _, DetachedEngine};
use centipawn_judge::{
    FindJob, Finder, Found, FoundPosition, GameFindings, JudgeOptions, LiveJudge, PositionCount,
    policy,
};
use centipawn_pgn::Game;
use centipawn_policy::Network;
use centipawn_progress::{Job, Next, Silent};
use centipawn_review::{Event, ReviewOptions, rooms::PositionEvent};

use crate::answers::{Answers, Known, NoEngine, Noted};

/// The running review.
pub(crate) struct Running {
    pub(crate) id: i64,
    pub(crate) live: Arc<LiveJudge>,
    options: ReviewOptions,
    game: Game,
    /// Number of searches of each position that were reported: a review may have two passes.
    reported: Vec<u8>,
    /// Searches that are missing, in the order in which they should run.
    pub(crate) missing: Vec<String>,
    /// Number of answers since the last run of the work.
    unread: usize,
}

/// What a run of the work brought.
pub(crate) struct Advance {
    pub(crate) events: Vec<PositionEvent>,
    /// The end of the review, with the searches that it used.
    pub(crate) end: Option<(Found, Noted)>,
}

impl Running {
    pub(crate) fn new(id: i64, game: Game, options: ReviewOptions) -> Self {
        let live = Arc::new(LiveJudge::new(game.clone(), options.judge.clone()));
        Self {
            id,
            live,
            options,
            reported: vec![0; game.plies.len()],
            game,
            missing: Vec::new(),
            unread: 0,
        }
    }

    /// Takes note of an answer; `None` if the search is not one of this review. Otherwise returns
    /// whether the engines have enough to do without another run of the work, which costs as much
    /// as judging the game.
    pub(crate) fn take_answer(&mut self, commands: &str, engines: usize) -> Option<bool> {
        let before = self.missing.len();
        self.missing.retain(|other| other != commands);
        if self.missing.len() == before {
            return None;
        }
        self.unread += 1;
        Some(self.unread < engines && self.missing.len() >= 2 * engines)
    }

    /// Runs the work as far as the known answers reach.
    pub(crate) fn advance(&mut self, engine: &DetachedEngine, answers: &Answers) -> Advance {
        let known = Known::new(engine, answers);
        let count = PositionCount::new(&Silent);
        let finder = Finder {
            analyst: &known,
            networks: networks(&self.options.judge),
            options: &self.options.judge,
            count: &count,
        };
        let job = FindJob::new(finder, self.game.clone());
        let mut events = Vec::new();
        let mut searched = vec![0; self.reported.len()];
        let mut is_done = true;
        loop {
            let step = match job.next() {
                Next::Step(step) => step,
                Next::Done => break,
                // A step of this pass lacks an answer, and the next pass depends on it.
                Next::Wait => {
                    is_done = false;
                    break;
                }
            };
            let (ply, is_proof) = (step.ply(), step.is_proof());
            if job.perform(step).is_err() {
                is_done = false;
                continue;
            }
            if is_proof {
                continue;
            }
            searched[ply] += 1;
            if searched[ply] <= self.reported[ply] {
                continue;
            }
            self.reported[ply] = searched[ply];
            if let Some(findings) = job.found(ply) {
                let curve = job.curve();
                let found = FoundPosition {
                    ply,
                    findings,
                    curve,
                };
                self.live.found(
                    found,
                    || known.identity(),
                    |position| events.push(PositionEvent::new(self.id, &position, &self.options)),
                );
            }
        }
        let end = is_done.then(|| job.finish());
        drop(job);
        let noted = known.finish();
        self.missing.clone_from(&noted.missing);
        self.unread = 0;
        Advance {
            events,
            end: end.map(|found| (found, noted)),
        }
    }
}

/// Runs a job with the answers that are known. Returns its output, or the searches that are
/// missing.
pub(crate) fn run_once<J: Job>(job: &J) -> Option<J::Output> {
    let mut is_done = true;
    loop {
        match job.next() {
            Next::Step(step) => is_done &= job.perform(step).is_ok(),
            Next::Wait => return None,
            Next::Done => return is_done.then(|| job.finish()),
        }
    }
}

/// Returns the networks that judge ease: the bundled policy if the options name one.
pub(crate) fn networks(options: &JudgeOptions) -> &'static [Network] {
    match policy() {
        Some(policy) if !options.ease.is_empty() => slice::from_ref(policy),
        _ => &[],
    }
}

/// Returns the findings of a game's own evaluations; `None` if they leave positions to an engine.
pub(crate) fn without_engine(game: &Game, options: &ReviewOptions) -> Option<GameFindings> {
    let count = PositionCount::new(&Silent);
    let finder = Finder {
        analyst: &NoEngine,
        networks: &[],
        options: &options.judge,
        count: &count,
    };
    run_once(&FindJob::new(finder, game.clone()))?.findings.ok()
}

/// Judges the findings of a game.
pub(crate) fn event_of(found: Found, options: &ReviewOptions) -> Event {
    Event::of(found, &PositionCount::new(&Silent), options)
}
