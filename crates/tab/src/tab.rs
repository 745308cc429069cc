//! The state of the page without a server.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use centipawn_engine::{AnalystError, DetachedEngine, Limit};
use centipawn_judge::{FindJob, Finder, JudgeOptions, LiveJudge, PositionCount};
use centipawn_pgn::Game;
use centipawn_policy::Network;
use centipawn_progress::Silent;
use centipawn_review::{
    Event as ReviewEnd, FindKey, ReviewOptions,
    rooms::{Choices, Event},
};

use crate::{
    answers::{Answers, Known, Noted},
    job::{Running, event_of, networks},
    reply::Refused,
    rooms::{batches, jobs},
    shelf::{AnswerRecord, BatchState, JobState, Shelf},
};

/// Nodes of a position, unless the user asks for others. The small network of the engine needs
/// about half a second for them in a tab.
const NODES: u64 = 100_000;
/// Upper limits of requests.
const MOST_NODES: u64 = 10_000_000;
const DEEPEST: u32 = 40;
const MOST_LINES: usize = 10;

/// The page's data, its reviews under way, and the requests of its rooms.
pub struct Tab {
    pub(crate) shelf: Shelf,
    pub(crate) review: ReviewOptions,
    pub(crate) engine: Option<DetachedEngine>,
    /// Number of engines that the worker runs.
    pub(crate) engines: usize,
    pub(crate) answers: Answers,
    /// Searches that calls wait for.
    pub(crate) asked: Vec<String>,
    pub(crate) waiting: VecDeque<i64>,
    pub(crate) running: Option<Running>,
    pub(crate) pace: BTreeMap<i64, (i64, i64)>,
    events: Vec<Event>,
    pub(crate) now: i64,
}

impl Tab {
    /// Creates a tab without games. The worker runs `engines` engines at a time.
    pub fn new(engines: usize) -> Self {
        Self {
            shelf: Shelf::default(),
            review: ReviewOptions::new(Limit::Nodes(NODES)),
            engine: None,
            engines,
            answers: Answers::default(),
            asked: Vec::new(),
            waiting: VecDeque::new(),
            running: None,
            pace: BTreeMap::new(),
            events: Vec::new(),
            now: 0,
        }
    }

    /// Reads a record that [`changes`](Self::changes) returned earlier. Load all records before the
    /// first call, then call [`resume`](Self::resume).
    pub fn load(&mut self, key: &str, value: &str) {
        if let Some(AnswerRecord { commands, output }) = self.shelf.load(key, value) {
            self.answers.insert(commands, output, false);
        }
    }

    /// Continues the reviews that a closed tab left.
    pub fn resume(&mut self) {
        let batches = &self.shelf.batches;
        let is_paused = |batch: Option<i64>| {
            batch
                .and_then(|batch| batches.get(&batch))
                .is_some_and(|batch| batch.state != BatchState::Active)
        };
        let jobs = self.shelf.jobs.iter();
        let open = jobs.filter(|(_, job)| job.state == JobState::Open && !is_paused(job.batch));
        self.waiting = open.map(|(id, _)| *id).collect();
        self.advance();
    }

    /// Returns the changed records since the last call: pairs of a key and a document, or `None`
    /// for a deleted record. Store them before the reply is delivered.
    pub fn changes(&mut self) -> Vec<(String, Option<String>)> {
        self.shelf.take_changes()
    }

    /// Returns the events for the page since the last call, each as JSON.
    pub fn events(&mut self) -> Vec<String> {
        let events = std::mem::take(&mut self.events);
        let text = |event: &Event| serde_json::to_string(event).ok();
        events.iter().filter_map(text).collect()
    }

    pub(crate) fn publish(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Sets the engine by the lines that it printed after `uci`, up to `uciok`. Returns the
    /// commands that each of its processes must receive before its first search.
    ///
    /// # Errors
    ///
    /// [`AnalystError`] if the lines are not those of a UCI engine.
    pub fn introduce(&mut self, output: &str) -> Result<String, AnalystError> {
        let engine = DetachedEngine::introduced(output, &[])?;
        let set_up = engine.set_up().to_owned();
        self.engine = Some(engine);
        self.advance();
        Ok(set_up)
    }

    /// Returns whether a call or a review waits for the engine to be
    /// [introduced](Self::introduce).
    pub fn needs_engine(&self) -> bool {
        self.engine.is_none()
            && (self.running.is_some() || !self.waiting.is_empty() || !self.asked.is_empty())
    }

    /// Returns the searches to run, the most urgent first. Each is the text of commands, of which
    /// the last one begins the search. Searches that are running are included.
    pub fn wanted(&self) -> Vec<String> {
        let of_review = self
            .running
            .iter()
            .flat_map(|running| running.missing.iter());
        self.asked.iter().chain(of_review).cloned().collect()
    }

    /// Takes the lines that an engine printed for the commands of a search, from `go` to
    /// `bestmove`.
    pub fn answer(&mut self, commands: &str, output: &str) {
        let is_asked = self.asked.iter().any(|other| other == commands);
        self.asked.retain(|other| other != commands);
        let engines = self.engines;
        let of_review = self.running.as_mut();
        let has_work = of_review.and_then(|running| running.take_answer(commands, engines));
        self.answers.insert(
            commands.to_owned(),
            output.to_owned(),
            is_asked && has_work.is_none(),
        );
        let Some(has_work) = has_work else {
            return;
        };
        self.shelf.keep_answer(&AnswerRecord {
            commands: commands.to_owned(),
            output: output.to_owned(),
        });
        if !has_work {
            self.advance();
        }
    }

    /// Forgets the searches that calls wait for, since a call was cancelled. The calls that still
    /// wait ask again when they are repeated.
    pub fn forget_asked(&mut self) {
        self.asked.clear();
    }

    /// Reports that the engine cannot be used: the reviews that need it fail, and calls are
    /// refused.
    pub fn fail(&mut self, reason: &str) {
        self.asked.clear();
        let ids: Vec<i64> = self
            .running
            .take()
            .map(|running| running.id)
            .into_iter()
            .chain(std::mem::take(&mut self.waiting))
            .collect();
        for id in ids {
            self.end(id, JobState::Failed(reason.to_owned()));
        }
    }

    /// Returns what requests may choose.
    pub(crate) fn choices(&self) -> Choices<'_> {
        Choices {
            review: &self.review,
            nodes: MOST_NODES,
            depth: DEEPEST,
            lines: MOST_LINES,
            own: Vec::new(),
        }
    }

    /// Returns the running review, if it is this job.
    pub(crate) fn live(&self, id: i64) -> Option<Arc<LiveJudge>> {
        let running = self.running.as_ref().filter(|running| running.id == id);
        running.map(|running| Arc::clone(&running.live))
    }

    /// Runs work with the answers that are known; `work` returns `None` if some are missing.
    pub(crate) fn ask<T>(
        &mut self,
        work: impl FnOnce(&Known<'_>) -> Option<T>,
    ) -> Result<T, Refused> {
        let Some(engine) = &self.engine else {
            // The engine's name is part of the answer, so it must be known first.
            self.asked.push(String::new());
            return Err(Refused::Ask);
        };
        let known = Known::new(engine, &self.answers);
        let answer = work(&known);
        let Noted { missing, .. } = known.finish();
        self.asked.retain(|commands| !commands.is_empty());
        if let Some(answer) = answer {
            return Ok(answer);
        }
        for commands in missing {
            if !self.asked.contains(&commands) {
                self.asked.push(commands);
            }
        }
        Err(Refused::Ask)
    }

    /// Returns the key of the findings of a review; empty if the game's own evaluations suffice.
    fn settings(&self, game: &Game, options: &JudgeOptions) -> String {
        let Some(engine) = &self.engine else {
            return String::new();
        };
        let known = Known::new(engine, &self.answers);
        let count = PositionCount::new(&Silent);
        let finder = Finder {
            analyst: &known,
            networks: networks(options),
            options,
            count: &count,
        };
        if !FindJob::new(finder, game.clone()).asks() {
            return String::new();
        }
        let networks: Vec<_> = networks(options).iter().map(Network::provenance).collect();
        FindKey::new(options, Some(&engine.identity()), &networks).text()
    }

    /// Adds a job to the queue.
    pub(crate) fn enqueue(&mut self, id: i64) {
        let is_running = self
            .running
            .as_ref()
            .is_some_and(|running| running.id == id);
        if !is_running && !self.waiting.contains(&id) {
            self.waiting.push_back(id);
        }
        self.advance();
    }

    /// Removes a job from the queue; a running one stops.
    pub(crate) fn dequeue(&mut self, id: i64) {
        self.waiting.retain(|other| *other != id);
        if self
            .running
            .as_ref()
            .is_some_and(|running| running.id == id)
        {
            self.running = None;
        }
    }

    /// Runs the review under way as far as the known answers reach, and the next ones.
    pub(crate) fn advance(&mut self) {
        loop {
            if self.running.is_none() {
                // Judging needs the name of the engine, even for a game with its own evaluations.
                if self.engine.is_none() || !self.begin() {
                    return;
                }
            }
            let (Some(running), Some(engine)) = (&mut self.running, &self.engine) else {
                return;
            };
            let id = running.id;
            let advance = running.advance(engine, &self.answers);
            self.events
                .extend(advance.events.into_iter().map(Event::Position));
            let Some((found, noted)) = advance.end else {
                return;
            };
            self.running = None;
            let Some(options) = self.shelf.jobs.get(&id).map(|job| job.options.clone()) else {
                continue;
            };
            let findings = found.findings.as_ref().ok().cloned();
            let state = match event_of(found, &options) {
                ReviewEnd::Reviewed(review) => {
                    if let Some(findings) = findings {
                        self.shelf.keep_findings(id, &findings, &review);
                    }
                    JobState::Reviewed
                }
                ReviewEnd::Failed(failure) => JobState::Failed(failure.problem().text),
            };
            for commands in noted.used {
                self.shelf.forget_answer(&commands);
                self.answers.remove(&commands);
            }
            self.end(id, state);
        }
    }

    /// Makes the next waiting job the running one. Returns whether there is one.
    fn begin(&mut self) -> bool {
        while let Some(id) = self.waiting.pop_front() {
            let Some(job) = self.shelf.jobs.get(&id).cloned() else {
                continue;
            };
            if job.state != JobState::Open {
                continue;
            }
            let Some(game) = self.shelf.game(job.game) else {
                self.end(
                    id,
                    JobState::Failed("the game is no longer kept".to_owned()),
                );
                continue;
            };
            let settings = self.settings(&game, &job.options.judge);
            if job.settings != settings {
                let mut job = job.clone();
                job.settings = settings;
                self.shelf.set_job(id, job);
            }
            self.running = Some(Running::new(id, game, job.options));
            self.publish_job(id);
            return true;
        }
        false
    }

    /// Ends a job in a state, and notifies the page.
    pub(crate) fn end(&mut self, id: i64, state: JobState) {
        self.shelf.set_state(id, state);
        self.publish_job(id);
    }

    /// Notifies the page of the state of a job, and of its batch.
    pub(crate) fn publish_job(&mut self, id: i64) {
        if let Some(job) = jobs::document(self, id) {
            self.publish(Event::Job { job });
        }
        let batch = self.shelf.jobs.get(&id).and_then(|job| job.batch);
        if let Some(batch) = batch.and_then(|batch| batches::document(self, batch)) {
            self.publish(Event::Batch { batch });
        }
    }
}
