//! Everything that the tab keeps, as one file: the library file of docs/store.md, which the command
//! line writes and reads, too.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Cursor, Write as _},
};

use centipawn_pgn::Source;
use centipawn_puzzle::PuzzleDocument;
use centipawn_review::{
    FindingsDocument, Review, ReviewOptions,
    rooms::{Event, read_kept_game},
};
use flate2::{Compression, write::GzEncoder};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Reply, Tab,
    reply::Refused,
    router::Answer,
    shelf::{AttemptRecord, BatchRecord, BatchState, JobRecord, JobState, RepetitionRecord},
};

const FORMAT: &str = "centipawn library";
const VERSION: u32 = 1;

/// Writes the file, compressed by gzip.
pub(crate) fn write(tab: &Tab) -> Answer {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    let mut write = |line: &Value| writeln!(out, "{line}");
    let shelf = &tab.shelf;
    write(&json!({
        "format": FORMAT,
        "version": VERSION,
        "program": concat!("centipawn ", env!("CARGO_PKG_VERSION")),
        "created": tab.now,
    }))?;
    for (id, pgn) in shelf.games() {
        write(&json!({ "kind": "game", "id": id, "pgn": pgn }))?;
    }
    let mut written = Vec::new();
    for (id, job) in &shelf.jobs {
        let key = (job.game, job.settings.as_str());
        let Some(findings) = shelf.findings_text(*id) else {
            continue;
        };
        if job.settings.is_empty() || written.contains(&key) {
            continue;
        }
        written.push(key);
        write(&json!({
            "kind": "findings",
            "game": job.game,
            "settings": object(&job.settings),
            "document": object(findings),
        }))?;
    }
    for (id, job) in &shelf.jobs {
        write(&job_line(*id, job))?;
    }
    for batch in shelf.batches.values() {
        let state = match batch.state {
            BatchState::Active => "open",
            BatchState::Paused => "paused",
            BatchState::Cancelled => "cancelled",
        };
        write(
            &json!({ "kind": "batch", "title": batch.title, "state": state, "jobs": batch.jobs }),
        )?;
    }
    for (id, puzzle) in shelf.puzzles() {
        let mut line = json!({
            "kind": "puzzle",
            "id": id,
            "origin": puzzle.origin,
            "document": puzzle.document,
        });
        if let Some((game, ply)) = puzzle.place {
            line["game"] = json!(game);
            line["ply"] = json!(ply);
        }
        if let Some(RepetitionRecord { due, memory }) = puzzle.repetition {
            line["repetition"] = json!({ "due": due });
            if let Some((stability, difficulty, at)) = memory {
                let memory = &mut line["repetition"];
                memory["stability"] = json!(stability);
                memory["difficulty"] = json!(difficulty);
                memory["at"] = json!(at);
            }
        }
        write(&line)?;
    }
    for attempt in shelf.attempts() {
        let AttemptRecord {
            puzzle,
            at,
            mistakes,
            hints,
        } = attempt;
        write(&json!({
            "kind": "attempt",
            "puzzle": puzzle,
            "at": at,
            "mistakes": mistakes,
            "hints": hints,
        }))?;
    }
    let name = "centipawn.jsonl.gz".to_owned();
    Ok(Reply::file(name, "application/gzip", out.finish()?))
}

/// Reads a text that this program wrote as an object.
fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn job_line(id: i64, job: &JobRecord) -> Value {
    let recipe = serde_json::to_value(&job.options).unwrap_or_default();
    let mut named = json!({ "recipe": "review" });
    if let (Some(named), Value::Object(fields)) = (named.as_object_mut(), recipe) {
        named.extend(fields);
    }
    let state = match job.state {
        JobState::Open => "open",
        JobState::Reviewed => "reviewed",
        JobState::Cancelled => "cancelled",
        JobState::Failed(_) => "failed",
    };
    let mut line = json!({
        "kind": "job",
        "id": id,
        "game": job.game,
        "title": job.title,
        "positions": job.positions,
        "recipe": named,
        "engine": { "command": "stockfish", "options": [], "jobs": 1 },
        "state": state,
    });
    if job.state == JobState::Reviewed && !job.settings.is_empty() {
        line["settings"] = object(&job.settings);
    }
    if let JobState::Failed(problem) = &job.state {
        line["problem"] = json!(problem);
    }
    line
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line {
    Game {
        id: i64,
        pgn: String,
    },
    Findings {
        game: i64,
        settings: Value,
        document: Value,
    },
    Job {
        id: i64,
        game: i64,
        #[serde(default)]
        title: String,
        #[serde(default)]
        positions: usize,
        recipe: Value,
        state: String,
        settings: Option<Value>,
        problem: Option<String>,
    },
    Batch {
        title: String,
        #[serde(default)]
        state: String,
        jobs: Vec<i64>,
    },
    Puzzle(Box<PuzzleLine>),
    Attempt {
        puzzle: i64,
        at: i64,
        #[serde(default)]
        mistakes: i64,
        #[serde(default)]
        hints: i64,
    },
    /// An evaluation, or a kind of a later program.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct PuzzleLine {
    id: i64,
    #[serde(default)]
    origin: String,
    document: PuzzleDocument,
    game: Option<i64>,
    ply: Option<i64>,
    repetition: Option<RepetitionLine>,
}

#[derive(Deserialize)]
struct RepetitionLine {
    due: i64,
    stability: Option<f64>,
    difficulty: Option<f64>,
    at: Option<i64>,
}

/// An import under way. The maps lead from numbers of the file to those of the tab.
#[derive(Default)]
struct Import {
    games: BTreeMap<i64, i64>,
    findings: BTreeMap<(i64, String), Value>,
    jobs: BTreeMap<i64, i64>,
    puzzles: BTreeMap<i64, i64>,
    counts: [usize; 4],
    skipped: usize,
}

/// Reads the file. It adds to what is there, and changes nothing of it. The answer has the numbers
/// of what is new, and of lines that cannot be read.
pub(crate) fn read(tab: &mut Tab, bytes: &[u8]) -> Answer {
    let hint = "Choose a file of this page, or of `centipawn store export FILE.jsonl.gz`.";
    let refused = |error: String| Refused::bad(error, hint);
    let source = Source::of("the file", Cursor::new(bytes.to_vec()))
        .map_err(|error| refused(error.to_string()))?;
    let mut lines = BufReader::new(source).lines();
    let first = lines
        .next()
        .transpose()
        .map_err(|error| refused(error.to_string()))?;
    let header = first.and_then(|line| serde_json::from_str::<Header>(&line).ok());
    let header = header.filter(|header| header.format == FORMAT);
    let header = header.ok_or_else(|| refused("it is not a file of everything".to_owned()))?;
    if header.version != VERSION {
        let error = format!("it has version {} of the format", header.version);
        return Err(Refused::bad(error, "Load this page again to update it."));
    }
    let mut import = Import::default();
    for line in lines {
        let line = line.map_err(|error| refused(error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let taken = serde_json::from_str(&line)
            .ok()
            .and_then(|line| import.take(tab, line));
        import.skipped += usize::from(taken.is_none());
    }
    let [games, reviews, puzzles, attempts] = import.counts;
    tab.publish(Event::Reload);
    Ok(Reply::document(&json!({
        "games": games,
        "reviews": reviews,
        "puzzles": puzzles,
        "attempts": attempts,
        "skipped": import.skipped,
    })))
}

impl Import {
    /// Takes a line; `None` if it cannot be used.
    fn take(&mut self, tab: &mut Tab, line: Line) -> Option<()> {
        match line {
            Line::Game { id, pgn } => {
                read_kept_game(&pgn).ok()?;
                let (kept, is_new) = tab.shelf.keep_game(&pgn);
                self.games.insert(id, kept);
                self.counts[0] += usize::from(is_new);
            }
            Line::Findings {
                game,
                settings,
                document,
            } => {
                self.findings.insert((game, settings.to_string()), document);
            }
            Line::Job {
                id,
                game,
                title,
                positions,
                recipe,
                state,
                settings,
                problem,
            } => {
                if recipe["recipe"] != "review" {
                    return Some(());
                }
                let findings = settings
                    .as_ref()
                    .and_then(|settings| self.findings.get(&(game, settings.to_string())));
                let findings = findings.cloned();
                let options: ReviewOptions = serde_json::from_value(recipe).ok()?;
                let game = *self.games.get(&game)?;
                let is_equal = |job: &JobRecord| job.game == game && job.options == options;
                let known = tab.shelf.jobs.iter().find(|(_, job)| is_equal(job));
                if let Some((known, job)) = known
                    && job.state == JobState::Reviewed
                {
                    self.jobs.insert(id, *known);
                    return Some(());
                }
                let known = known.map(|(known, _)| *known);
                let job = JobRecord {
                    game,
                    title,
                    positions,
                    options,
                    state: match &*state {
                        "failed" => JobState::Failed(problem.unwrap_or_default()),
                        // Reviews become so by their findings, below.
                        _ => JobState::Cancelled,
                    },
                    batch: None,
                    settings: settings.map_or_else(String::new, |settings| settings.to_string()),
                };
                let own = match known {
                    Some(known) => known,
                    None => tab.shelf.add_job(job.clone()),
                };
                self.jobs.insert(id, own);
                if state == "reviewed" {
                    self.reviewed(tab, own, job, findings)?;
                }
            }
            Line::Batch { title, state, jobs } => {
                let jobs: Vec<i64> = jobs
                    .iter()
                    .filter_map(|job| self.jobs.get(job).copied())
                    .collect();
                let is_known = |batch: &BatchRecord| batch.title == title && batch.jobs == jobs;
                if !tab.shelf.batches.values().any(is_known) {
                    // No engine starts because a file was read.
                    let state = match &*state {
                        "cancelled" => BatchState::Cancelled,
                        _ => BatchState::Paused,
                    };
                    tab.shelf
                        .set_batch(None, BatchRecord { title, jobs, state });
                }
            }
            Line::Puzzle(line) => {
                let puzzle = line.document.puzzle().ok()?;
                let place = match (line.game, line.ply) {
                    (Some(game), Some(ply)) => Some((*self.games.get(&game)?, ply)),
                    _ => None,
                };
                let (id, is_new) = tab.shelf.keep_puzzle(puzzle, &line.origin, place);
                if let Some(repetition) = line.repetition {
                    repeat(tab, id, &repetition);
                }
                self.puzzles.insert(line.id, id);
                self.counts[2] += usize::from(is_new);
            }
            Line::Attempt {
                puzzle,
                at,
                mistakes,
                hints,
            } => {
                let attempt = AttemptRecord {
                    puzzle: *self.puzzles.get(&puzzle)?,
                    at,
                    mistakes: mistakes.clamp(0, 1000),
                    hints: hints.clamp(0, 1000),
                };
                if !tab.shelf.attempts().any(|known| *known == attempt) {
                    tab.shelf.keep_attempt(attempt);
                    self.counts[3] += 1;
                }
            }
            Line::Other => {}
        }
        Some(())
    }

    /// Keeps a finished review with its findings. A review of a game's own evaluations has none in
    /// the file.
    fn reviewed(
        &mut self,
        tab: &mut Tab,
        id: i64,
        job: JobRecord,
        findings: Option<Value>,
    ) -> Option<()> {
        let game = tab.shelf.game(job.game)?;
        let findings = match findings {
            Some(document) => {
                let document: FindingsDocument = serde_json::from_value(document).ok()?;
                document.read(&game).ok()?
            }
            None => crate::job::without_engine(&game, &job.options)?,
        };
        let review = Review::judge(game.into(), &findings, &job.options);
        let state = JobState::Reviewed;
        tab.shelf.set_job(id, JobRecord { state, ..job });
        tab.shelf.keep_findings(id, &findings, &review);
        self.counts[1] += 1;
        Some(())
    }
}

/// Sets the repetition of a puzzle, unless its own has a later answer.
fn repeat(tab: &mut Tab, id: i64, line: &RepetitionLine) {
    let Some(mut puzzle) = tab.shelf.puzzle(id).cloned() else {
        return;
    };
    let memory = match (line.stability, line.difficulty, line.at) {
        (Some(stability), Some(difficulty), Some(at)) => Some((
            stability.clamp(0.001, 36_500.0),
            difficulty.clamp(1.0, 10.0),
            at,
        )),
        _ => None,
    };
    let answered = |state: RepetitionRecord| state.memory.map_or(i64::MIN, |(_, _, at)| at);
    let wanted = RepetitionRecord {
        due: line.due,
        memory,
    };
    if puzzle
        .repetition
        .is_none_or(|own| answered(own) < answered(wanted))
    {
        puzzle.repetition = Some(wanted);
        tab.shelf.set_puzzle(id, puzzle);
    }
}
