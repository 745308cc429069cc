//! What the tab keeps: games, reviews, puzzles and attempts. Each record has a key and a JSON
//! document, which the browser's database stores.

use std::collections::{BTreeMap, BTreeSet};

use centipawn_judge::GameFindings;
use centipawn_pgn::Game;
use centipawn_puzzle::{
    Puzzle, PuzzleDocument,
    solve::{Memory, Recall},
};
use centipawn_review::{
    FindingsDocument, PlayerGame, Review, ReviewOptions,
    rooms::{GameLine, GameLines, OwnNotes, ReviewLine, read_kept_game},
};
use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// Version of [`JudgedRecord`]. It changes with what judges a game.
const JUDGED: u32 = 100 * GameFindings::VERSION + 2;
/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// A review, or the request for one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JobRecord {
    pub(crate) game: i64,
    pub(crate) title: String,
    pub(crate) positions: usize,
    pub(crate) options: ReviewOptions,
    pub(crate) state: JobState,
    /// The batch that it belongs to.
    #[serde(default)]
    pub(crate) batch: Option<i64>,
    /// The key of its findings in a store, as JSON; empty if the game's own evaluations suffice.
    #[serde(default)]
    pub(crate) settings: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobState {
    /// It waits, runs, or was left by a closed tab.
    Open,
    Reviewed,
    Cancelled,
    Failed(String),
}

/// The review of many games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BatchRecord {
    pub(crate) title: String,
    pub(crate) jobs: Vec<i64>,
    pub(crate) state: BatchState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BatchState {
    Active,
    Paused,
    Cancelled,
}

/// A puzzle with its repetition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PuzzleRecord {
    pub(crate) origin: String,
    /// The game that the puzzle comes from, with the number of half-moves before the mistake.
    pub(crate) place: Option<(i64, i64)>,
    pub(crate) document: PuzzleDocument,
    pub(crate) repetition: Option<RepetitionRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RepetitionRecord {
    /// In seconds since 1970.
    pub(crate) due: i64,
    /// What the solver remembers, with the time of the answer; `None` before the first answer.
    pub(crate) memory: Option<(f64, f64, i64)>,
}

impl RepetitionRecord {
    /// Returns the repetition after an answer.
    pub(crate) fn after(before: Option<Self>, recall: Recall, now: i64) -> Self {
        let before = before.and_then(|before| before.memory);
        let before = before.map(|(stability, difficulty, at)| {
            let days = u32::try_from((now - at).max(0) / DAY).unwrap_or(u32::MAX);
            let memory = Memory {
                stability,
                difficulty,
            };
            (memory, days)
        });
        let memory = Memory::after(before, recall);
        Self {
            due: now + DAY * i64::from(memory.days()),
            memory: Some((memory.stability, memory.difficulty, now)),
        }
    }

    /// Returns the number of days between the last answer and the next one.
    pub(crate) fn days(&self) -> i64 {
        self.memory.map_or(0, |(stability, difficulty, _)| {
            let memory = Memory {
                stability,
                difficulty,
            };
            i64::from(memory.days())
        })
    }
}

/// An attempt at a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AttemptRecord {
    pub(crate) puzzle: i64,
    pub(crate) at: i64,
    pub(crate) mistakes: i64,
    pub(crate) hints: i64,
}

/// Summaries of a review, for lists and profiles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JudgedRecord {
    version: u32,
    pub(crate) line: ReviewLine,
    pub(crate) sides: [PlayerGame; 2],
}

/// The output of a search of a review that is not finished.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnswerRecord {
    pub(crate) commands: String,
    pub(crate) output: String,
}

/// Everything that the tab keeps.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    games: BTreeMap<i64, String>,
    by_text: BTreeMap<String, i64>,
    lines: GameLines,
    pub(crate) jobs: BTreeMap<i64, JobRecord>,
    findings: BTreeMap<i64, String>,
    judged: BTreeMap<i64, JudgedRecord>,
    notes: BTreeMap<i64, OwnNotes>,
    pub(crate) batches: BTreeMap<i64, BatchRecord>,
    puzzles: BTreeMap<i64, PuzzleRecord>,
    by_key: BTreeMap<u64, i64>,
    attempts: BTreeMap<i64, AttemptRecord>,
    attempts_of: BTreeMap<i64, i64>,
    tried: BTreeSet<i64>,
    /// Numbers of the records with the output of a search, by its commands.
    answers: BTreeMap<String, i64>,
    last_answer: i64,
    changes: Vec<(String, Option<String>)>,
}

fn next<T>(map: &BTreeMap<i64, T>) -> i64 {
    map.last_key_value().map_or(1, |(id, _)| id + 1)
}

impl Shelf {
    /// Returns the changes since the last call: keys with their documents, `None` for a deleted
    /// one.
    pub(crate) fn take_changes(&mut self) -> Vec<(String, Option<String>)> {
        std::mem::take(&mut self.changes)
    }

    /// Returns the number of records that are not yet stored.
    fn note(&mut self, kind: &str, id: i64, value: &impl Serialize) {
        if let Ok(text) = serde_json::to_string(value) {
            self.changes.push((format!("{kind}/{id}"), Some(text)));
        }
    }

    fn forget(&mut self, kind: &str, id: i64) {
        self.changes.push((format!("{kind}/{id}"), None));
    }

    /// Reads a record of the browser's database. Returns the output of a search, which is the only
    /// record that the shelf does not hold itself. Records of other versions are ignored.
    pub(crate) fn load(&mut self, key: &str, value: &str) -> Option<AnswerRecord> {
        let (kind, id) = key.split_once('/')?;
        let id: i64 = id.parse().ok()?;
        match kind {
            "game" => self.put_game(id, serde_json::from_str(value).ok()?),
            "job" => {
                self.jobs.insert(id, serde_json::from_str(value).ok()?);
            }
            "findings" => {
                self.findings.insert(id, serde_json::from_str(value).ok()?);
            }
            "judged" => {
                let judged: JudgedRecord = serde_json::from_str(value).ok()?;
                if judged.version == JUDGED {
                    self.judged.insert(id, judged);
                }
            }
            "batch" => {
                self.batches.insert(id, serde_json::from_str(value).ok()?);
            }
            "puzzle" => {
                let record: PuzzleRecord = serde_json::from_str(value).ok()?;
                let key = record.document.puzzle().ok()?.key();
                self.by_key.insert(key, id);
                self.puzzles.insert(id, record);
            }
            "notes" => {
                self.notes.insert(id, serde_json::from_str(value).ok()?);
            }
            "attempt" => self.put_attempt(id, serde_json::from_str(value).ok()?),
            "answer" => {
                let answer: AnswerRecord = serde_json::from_str(value).ok()?;
                self.last_answer = self.last_answer.max(id);
                self.answers.insert(answer.commands.clone(), id);
                return Some(answer);
            }
            _ => {}
        }
        None
    }

    fn put_game(&mut self, id: i64, text: String) {
        let line = GameLine::of(&read_kept_game(&text).unwrap_or_default());
        self.lines.insert(id, line, None);
        self.by_text.insert(text.clone(), id);
        self.games.insert(id, text);
    }

    /// Keeps a game. Returns its number, and whether it is new.
    pub(crate) fn keep_game(&mut self, text: &str) -> (i64, bool) {
        if let Some(id) = self.by_text.get(text) {
            return (*id, false);
        }
        let id = next(&self.games);
        self.put_game(id, text.to_owned());
        self.note("game", id, &text);
        (id, true)
    }

    pub(crate) fn game_text(&self, id: i64) -> Option<&str> {
        self.games.get(&id).map(String::as_str)
    }

    /// Returns a game; `None` if there is none, or if this version cannot read it.
    pub(crate) fn game(&self, id: i64) -> Option<Game> {
        read_kept_game(self.games.get(&id)?).ok()
    }

    pub(crate) fn games(&self) -> impl Iterator<Item = (i64, &str)> {
        self.games.iter().map(|(id, text)| (*id, text.as_str()))
    }

    /// Returns the user's own symbols and comments on the moves of a game.
    pub(crate) fn notes(&self, game: i64) -> OwnNotes {
        self.notes.get(&game).cloned().unwrap_or_default()
    }

    /// Returns the user's own notes on each game, by game.
    pub(crate) fn all_notes(&self) -> impl Iterator<Item = (i64, &OwnNotes)> {
        let games = self.notes.iter().filter(|(_, notes)| !notes.is_empty());
        games.map(|(game, notes)| (*game, notes))
    }

    pub(crate) fn set_notes(&mut self, game: i64, notes: OwnNotes) {
        self.note("notes", game, &notes);
        self.notes.insert(game, notes);
    }

    pub(crate) fn lines(&self) -> &GameLines {
        &self.lines
    }

    /// Returns the newest finished review of each game, by game.
    pub(crate) fn reviews(&self) -> BTreeMap<i64, i64> {
        let reviewed = |job: &JobRecord| job.state == JobState::Reviewed;
        let jobs = self.jobs.iter().filter(|(_, job)| reviewed(job));
        jobs.map(|(id, job)| (job.game, *id)).collect()
    }

    /// Returns the number of the newest review of a game, finished or not.
    pub(crate) fn newest_job(&self, game: i64) -> Option<i64> {
        let mut jobs = self.jobs.iter().rev();
        jobs.find(|(_, job)| job.game == game).map(|(id, _)| *id)
    }

    /// Adds a job. Returns its number.
    pub(crate) fn add_job(&mut self, job: JobRecord) -> i64 {
        let id = next(&self.jobs);
        self.set_job(id, job);
        id
    }

    /// Replaces a job.
    pub(crate) fn set_job(&mut self, id: i64, job: JobRecord) {
        self.note("job", id, &job);
        self.jobs.insert(id, job);
    }

    /// Sets the state of a job.
    pub(crate) fn set_state(&mut self, id: i64, state: JobState) {
        if let Some(mut job) = self.jobs.get(&id).cloned() {
            job.state = state;
            self.set_job(id, job);
        }
    }

    pub(crate) fn set_batch(&mut self, id: Option<i64>, batch: BatchRecord) -> i64 {
        let id = id.unwrap_or_else(|| next(&self.batches));
        self.note("batch", id, &batch);
        self.batches.insert(id, batch);
        id
    }

    /// Keeps the findings of a finished review with its summaries.
    pub(crate) fn keep_findings(&mut self, id: i64, findings: &GameFindings, review: &Review) {
        let document = FindingsDocument::new(findings, &review.game);
        if let Ok(text) = serde_json::to_string(&document) {
            self.note("findings", id, &text);
            self.findings.insert(id, text);
        }
        self.keep_judged(id, review);
    }

    fn keep_judged(&mut self, id: i64, review: &Review) {
        let Some(game) = self.jobs.get(&id).map(|job| job.game) else {
            return;
        };
        let judged = JudgedRecord {
            version: JUDGED,
            line: ReviewLine::of(review, id),
            sides: Color::ALL.map(|color| PlayerGame::of(review, color, game, id)),
        };
        self.note("judged", id, &judged);
        self.judged.insert(id, judged);
    }

    /// Returns the findings of a finished review; `None` if there are none that this version can
    /// read.
    pub(crate) fn findings(&self, id: i64, game: &Game) -> Option<GameFindings> {
        let document: FindingsDocument = serde_json::from_str(self.findings.get(&id)?).ok()?;
        document.read(game).ok()
    }

    /// Returns the findings of a finished review as JSON.
    pub(crate) fn findings_text(&self, id: i64) -> Option<&str> {
        self.findings.get(&id).map(String::as_str)
    }

    /// Returns the summaries of a finished review. They are computed if another version judged it.
    pub(crate) fn judged(&mut self, id: i64) -> Option<&JudgedRecord> {
        if !self.judged.contains_key(&id) {
            let job = self.jobs.get(&id)?;
            let game = self.game(job.game)?;
            let findings = self.findings(id, &game)?;
            let review = Review::judge(game.into(), &findings, &job.options);
            self.keep_judged(id, &review);
        }
        self.judged.get(&id)
    }

    /// Keeps the output of a search of a review, so that a closed tab can continue it.
    pub(crate) fn keep_answer(&mut self, answer: &AnswerRecord) {
        if self.answers.contains_key(&answer.commands) {
            return;
        }
        self.last_answer += 1;
        self.note("answer", self.last_answer, answer);
        self.answers
            .insert(answer.commands.clone(), self.last_answer);
    }

    /// Forgets the output of a search, since the findings of its review are kept.
    pub(crate) fn forget_answer(&mut self, commands: &str) {
        if let Some(id) = self.answers.remove(commands) {
            self.forget("answer", id);
        }
    }

    /// Keeps a puzzle. Returns its number, and whether it is new.
    pub(crate) fn keep_puzzle(
        &mut self,
        mut puzzle: Puzzle,
        origin: &str,
        place: Option<(i64, i64)>,
    ) -> (i64, bool) {
        if let Some(id) = self.by_key.get(&puzzle.key()) {
            return (*id, false);
        }
        if puzzle.themes.is_empty() {
            puzzle.tag();
        }
        let id = next(&self.puzzles);
        let record = PuzzleRecord {
            origin: origin.to_owned(),
            place,
            document: puzzle.document(),
            repetition: None,
        };
        self.by_key.insert(puzzle.key(), id);
        self.set_puzzle(id, record);
        (id, true)
    }

    pub(crate) fn set_puzzle(&mut self, id: i64, record: PuzzleRecord) {
        self.note("puzzle", id, &record);
        self.puzzles.insert(id, record);
    }

    pub(crate) fn puzzle(&self, id: i64) -> Option<&PuzzleRecord> {
        self.puzzles.get(&id)
    }

    pub(crate) fn puzzles(&self) -> impl Iterator<Item = (i64, &PuzzleRecord)> {
        self.puzzles.iter().map(|(id, record)| (*id, record))
    }

    fn put_attempt(&mut self, id: i64, attempt: AttemptRecord) {
        *self.attempts_of.entry(attempt.puzzle).or_default() += 1;
        self.tried.insert(attempt.puzzle);
        self.attempts.insert(id, attempt);
    }

    pub(crate) fn keep_attempt(&mut self, attempt: AttemptRecord) {
        let id = next(&self.attempts);
        self.note("attempt", id, &attempt);
        self.put_attempt(id, attempt);
    }

    pub(crate) fn attempts(&self) -> impl Iterator<Item = &AttemptRecord> {
        self.attempts.values()
    }

    /// Returns the number of attempts at a puzzle.
    pub(crate) fn attempts_of(&self, puzzle: i64) -> i64 {
        self.attempts_of.get(&puzzle).copied().unwrap_or(0)
    }

    /// Counts the finished reviews of games, the puzzles from them, and the attempts at these.
    pub(crate) fn count_of(&self, games: &BTreeSet<i64>) -> [u64; 3] {
        let reviews = self
            .jobs
            .values()
            .filter(|job| job.state == JobState::Reviewed && games.contains(&job.game));
        let puzzles = self.puzzles_of(games);
        let attempts = self.attempts.values();
        let attempts = attempts.filter(|attempt| puzzles.contains(&attempt.puzzle));
        [reviews.count(), puzzles.len(), attempts.count()].map(|count| count as u64)
    }

    fn puzzles_of(&self, games: &BTreeSet<i64>) -> BTreeSet<i64> {
        let is_of =
            |puzzle: &PuzzleRecord| puzzle.place.is_some_and(|(game, _)| games.contains(&game));
        let found = self.puzzles.iter().filter(|(_, puzzle)| is_of(puzzle));
        found.map(|(id, _)| *id).collect()
    }

    /// Deletes games with their notes, jobs, findings, puzzles and attempts.
    pub(crate) fn delete_games(&mut self, games: &BTreeSet<i64>) {
        let puzzles = self.puzzles_of(games);
        let attempts = self.attempts.iter();
        let attempts = attempts.filter(|(_, attempt)| puzzles.contains(&attempt.puzzle));
        let attempts: Vec<i64> = attempts.map(|(id, _)| *id).collect();
        for id in attempts {
            self.attempts.remove(&id);
            self.forget("attempt", id);
        }
        self.by_key.retain(|_, puzzle| !puzzles.contains(puzzle));
        for id in puzzles {
            self.puzzles.remove(&id);
            self.attempts_of.remove(&id);
            self.tried.remove(&id);
            self.forget("puzzle", id);
        }
        let jobs = self
            .jobs
            .iter()
            .filter(|(_, job)| games.contains(&job.game));
        let jobs: BTreeSet<i64> = jobs.map(|(id, _)| *id).collect();
        for id in &jobs {
            self.jobs.remove(id);
            self.findings.remove(id);
            self.judged.remove(id);
            for kind in ["job", "findings", "judged"] {
                self.forget(kind, *id);
            }
        }
        let batches = self.batches.clone().into_iter();
        for (id, mut batch) in
            batches.filter(|(_, batch)| batch.jobs.iter().any(|job| jobs.contains(job)))
        {
            batch.jobs.retain(|job| !jobs.contains(job));
            self.set_batch(Some(id), batch);
        }
        for id in games {
            if let Some(text) = self.games.remove(id) {
                self.by_text.remove(&text);
            }
            self.lines.remove(*id);
            self.notes.remove(id);
            self.forget("game", *id);
            self.forget("notes", *id);
        }
    }

    /// Deletes a batch with its open jobs that are in no other batch. Its games and their finished
    /// reviews stay. Returns the deleted jobs.
    pub(crate) fn delete_batch(&mut self, id: i64) -> Vec<i64> {
        let batch = self.batches.remove(&id);
        self.forget("batch", id);
        let others: BTreeSet<i64> = self
            .batches
            .values()
            .flat_map(|other| other.jobs.iter().copied())
            .collect();
        let mut deleted = Vec::new();
        for job in batch.map_or_else(Vec::new, |batch| batch.jobs) {
            let Some(mut record) = self.jobs.get(&job).cloned() else {
                continue;
            };
            if record.state == JobState::Open && !others.contains(&job) {
                self.jobs.remove(&job);
                self.forget("job", job);
                deleted.push(job);
            } else if record.batch == Some(id) {
                // The number of the batch may be used again.
                record.batch = None;
                self.set_job(job, record);
            }
        }
        deleted
    }

    /// Forgets the outputs of all searches. Returns their commands.
    pub(crate) fn forget_answers(&mut self) -> Vec<String> {
        let answers = std::mem::take(&mut self.answers);
        for id in answers.values() {
            self.forget("answer", *id);
        }
        answers.into_keys().collect()
    }

    pub(crate) fn is_tried(&self, puzzle: i64) -> bool {
        self.tried.contains(&puzzle)
    }
}
