//! Everything that the tab keeps, as one file: the library file of docs/store.md, which the command
//! line writes and reads, too.

use std::{
    collections::BTreeMap,
    io::{self, BufRead as _, BufReader, Cursor, Write},
};

use centipawn_pgn::Source;
use centipawn_puzzle::PuzzleDocument;
use centipawn_review::{
    FindingsDocument, Review, ReviewOptions,
    rooms::{
        BatchLineState, Event, JobLine, JobLineState, LIBRARY_FORMAT, LIBRARY_VERSION,
        LibraryHeader, LibraryLine, PuzzleLine, RepetitionLine, read_kept_game,
    },
};
use flate2::{Compression, write::GzEncoder};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    Reply, Tab,
    reply::Refused,
    router::Answer,
    shelf::{AttemptRecord, BatchRecord, BatchState, JobRecord, JobState, RepetitionRecord},
};

/// Writes the file, compressed by gzip.
pub(crate) fn write(tab: &Tab) -> Answer {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    write_line(&mut out, &LibraryHeader::new(tab.now))?;
    let shelf = &tab.shelf;
    for (id, pgn) in shelf.games() {
        let pgn = pgn.to_owned();
        write_line(&mut out, &LibraryLine::Game { id, pgn })?;
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
        let line = LibraryLine::Findings {
            game: job.game,
            settings: object(&job.settings),
            document: object(findings),
        };
        write_line(&mut out, &line)?;
    }
    for (game, notes) in shelf.all_notes() {
        let notes = serde_json::to_value(notes)?;
        write_line(&mut out, &LibraryLine::Notes { game, notes })?;
    }
    for (id, job) in &shelf.jobs {
        let line = LibraryLine::Job(Box::new(job_line(*id, job)));
        write_line(&mut out, &line)?;
    }
    for batch in shelf.batches.values() {
        let line = LibraryLine::Batch {
            title: batch.title.clone(),
            state: match batch.state {
                BatchState::Active => BatchLineState::Open,
                BatchState::Paused => BatchLineState::Paused,
                BatchState::Cancelled => BatchLineState::Cancelled,
            },
            jobs: batch.jobs.clone(),
        };
        write_line(&mut out, &line)?;
    }
    for (id, puzzle) in shelf.puzzles() {
        let repetition = |RepetitionRecord { due, memory }| RepetitionLine::new(due, memory);
        let line = LibraryLine::Puzzle(Box::new(PuzzleLine {
            id,
            origin: puzzle.origin.clone(),
            document: serde_json::to_value(&puzzle.document).unwrap_or_default(),
            game: puzzle.place.map(|(game, _)| game),
            ply: puzzle.place.map(|(_, ply)| ply),
            repetition: puzzle.repetition.map(repetition),
        }));
        write_line(&mut out, &line)?;
    }
    for attempt in shelf.attempts() {
        let AttemptRecord {
            puzzle,
            at,
            mistakes,
            hints,
        } = *attempt;
        let line = LibraryLine::Attempt {
            puzzle,
            at,
            mistakes,
            hints,
        };
        write_line(&mut out, &line)?;
    }
    let name = "centipawn.jsonl.gz".to_owned();
    Ok(Reply::file(name, "application/gzip", out.finish()?))
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Reads a text that this program wrote as an object.
fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn job_line(id: i64, job: &JobRecord) -> JobLine {
    let recipe = serde_json::to_value(&job.options).unwrap_or_default();
    let mut named = json!({ "recipe": "review" });
    if let (Some(named), Value::Object(fields)) = (named.as_object_mut(), recipe) {
        named.extend(fields);
    }
    let has_findings = job.state == JobState::Reviewed && !job.settings.is_empty();
    JobLine {
        id,
        game: job.game,
        title: job.title.clone(),
        positions: i64::try_from(job.positions).unwrap_or(i64::MAX),
        recipe: named,
        engine: json!({ "command": "stockfish", "options": [], "jobs": 1 }),
        state: match job.state {
            JobState::Open => JobLineState::Open,
            JobState::Reviewed => JobLineState::Reviewed,
            JobState::Cancelled => JobLineState::Cancelled,
            JobState::Failed(_) => JobLineState::Failed,
        },
        settings: has_findings.then(|| object(&job.settings)),
        puzzles: None,
        problem: match &job.state {
            JobState::Failed(problem) => Some(problem.clone()),
            _ => None,
        },
    }
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
    let header = first.and_then(|line| serde_json::from_str::<LibraryHeader>(&line).ok());
    let header = header.filter(|header| header.format == LIBRARY_FORMAT);
    let header = header.ok_or_else(|| refused("it is not a file of everything".to_owned()))?;
    if header.version != LIBRARY_VERSION {
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
    fn take(&mut self, tab: &mut Tab, line: LibraryLine) -> Option<()> {
        match line {
            LibraryLine::Game { id, pgn } => {
                read_kept_game(&pgn).ok()?;
                let (kept, is_new) = tab.shelf.keep_game(&pgn);
                self.games.insert(id, kept);
                self.counts[0] += usize::from(is_new);
            }
            LibraryLine::Findings {
                game,
                settings,
                document,
            } => {
                self.findings.insert((game, settings.to_string()), document);
            }
            LibraryLine::Notes { game, notes } => {
                let game = *self.games.get(&game)?;
                let mut own = tab.shelf.notes(game);
                if own.add(serde_json::from_value(notes).ok()?) {
                    tab.shelf.set_notes(game, own);
                }
            }
            LibraryLine::Job(job) => {
                let JobLine {
                    id,
                    game,
                    title,
                    positions,
                    recipe,
                    state,
                    settings,
                    problem,
                    ..
                } = *job;
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
                    positions: usize::try_from(positions).unwrap_or(0),
                    options,
                    state: match state {
                        JobLineState::Failed => JobState::Failed(problem.unwrap_or_default()),
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
                if state == JobLineState::Reviewed {
                    self.reviewed(tab, own, job, findings)?;
                }
            }
            LibraryLine::Batch { title, state, jobs } => {
                let jobs: Vec<i64> = jobs
                    .iter()
                    .filter_map(|job| self.jobs.get(job).copied())
                    .collect();
                let is_known = |batch: &BatchRecord| batch.title == title && batch.jobs == jobs;
                if !tab.shelf.batches.values().any(is_known) {
                    // No engine starts because a file was read.
                    let state = match state {
                        BatchLineState::Cancelled => BatchState::Cancelled,
                        BatchLineState::Open | BatchLineState::Paused => BatchState::Paused,
                    };
                    tab.shelf
                        .set_batch(None, BatchRecord { title, jobs, state });
                }
            }
            LibraryLine::Puzzle(line) => {
                let document: PuzzleDocument = serde_json::from_value(line.document).ok()?;
                let puzzle = document.puzzle().ok()?;
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
            LibraryLine::Attempt {
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
            LibraryLine::Evaluation(_) | LibraryLine::Unknown => {}
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
    let answered = |state: RepetitionRecord| state.memory.map_or(i64::MIN, |(_, _, at)| at);
    let wanted = RepetitionRecord {
        due: line.due(),
        memory: line.memory(),
    };
    if puzzle
        .repetition
        .is_none_or(|own| answered(own) < answered(wanted))
    {
        puzzle.repetition = Some(wanted);
        tab.shelf.set_puzzle(id, puzzle);
    }
}
