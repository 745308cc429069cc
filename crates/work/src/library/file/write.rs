//! Writing a library file.

use std::{
    io::{self, Write},
    path::Path,
};

use centipawn_progress::{Cancel, Progress, Reporter, Unit};
use centipawn_review::rooms::{JobLine, LibraryHeader, LibraryLine, PuzzleLine};
use centipawn_store::{JobState, PuzzleFilter, Record, Store, StoredJob, StoredPuzzle};
use serde::Serialize;
use serde_json::Value;

use super::{
    LibraryCounts, LibraryFileError, io_error,
    records::{batch_state, evaluation_line, job_state, repetition_line},
};
use crate::library::Library;

/// Number of rows that are read from the store at once.
const PAGE: i64 = 1000;

/// The compression of a library file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryFormat {
    /// None.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl LibraryFormat {
    /// Returns the compression by the name of a file; `None` if the name does not end in `.jsonl`,
    /// `.jsonl.gz` or `.jsonl.zst`.
    pub fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?.to_ascii_lowercase();
        [
            (".jsonl", Self::Plain),
            (".jsonl.gz", Self::Gzip),
            (".jsonl.zst", Self::Zstd),
        ]
        .into_iter()
        .find_map(|(ending, format)| name.ends_with(ending).then_some(format))
    }
}

/// What an export writes.
#[derive(Clone, Copy, Debug)]
pub struct LibraryExport {
    /// The compression.
    pub format: LibraryFormat,
    /// Whether evaluated positions are written, too.
    pub evaluations: bool,
    /// The time of the export, in seconds since 1970.
    pub now: i64,
}

impl Library {
    /// Writes everything as a library file. Returns what was written. If `cancel` is set, the file
    /// ends early, after a complete line.
    ///
    /// # Errors
    ///
    /// [`LibraryFileError`] if the store cannot be read or `out` not be written.
    pub fn export(
        &self,
        out: &mut (dyn Write + Send),
        export: LibraryExport,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<LibraryCounts, LibraryFileError> {
        let broken = |error| io_error("the library file", error);
        match export.format {
            LibraryFormat::Plain => self.write_lines(out, export, cancel, reporter),
            LibraryFormat::Gzip => {
                let level = flate2::Compression::default();
                let mut gzip = flate2::write::GzEncoder::new(out, level);
                let counts = self.write_lines(&mut gzip, export, cancel, reporter)?;
                gzip.finish().map_err(broken)?;
                Ok(counts)
            }
            LibraryFormat::Zstd => {
                let mut zstd = zstd::Encoder::new(out, 3).map_err(broken)?;
                let counts = self.write_lines(&mut zstd, export, cancel, reporter)?;
                zstd.finish().map_err(broken)?;
                Ok(counts)
            }
        }
    }

    fn write_lines(
        &self,
        out: &mut dyn Write,
        export: LibraryExport,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<LibraryCounts, LibraryFileError> {
        let mut lines = Lines {
            out,
            counts: LibraryCounts::default(),
            reporter,
        };
        lines.write(&LibraryHeader::new(export.now))?;
        self.write_games(&mut lines, cancel)?;
        for batch in self.store.batches(i64::MAX)?.into_iter().rev() {
            if cancel.is_set() {
                return Ok(lines.counts);
            }
            lines.write(&LibraryLine::Batch {
                title: batch.title,
                state: batch_state(batch.state),
                jobs: self.store.batch_members(batch.id)?,
            })?;
            lines.counts.batches += 1;
        }
        self.write_puzzles(&mut lines, cancel)?;
        if export.evaluations && !cancel.is_set() {
            self.write_evaluations(&mut lines, cancel)?;
        }
        Ok(lines.counts)
    }

    fn write_games(&self, lines: &mut Lines<'_>, cancel: &Cancel) -> Result<(), LibraryFileError> {
        let mut last = 0;
        loop {
            let games = self.store.game_texts_after(last, PAGE)?;
            let Some((newest, _)) = games.last() else {
                break;
            };
            last = *newest;
            for (id, pgn) in games {
                if cancel.is_set() {
                    return Ok(());
                }
                lines.write(&LibraryLine::Game { id, pgn })?;
                lines.counts.games += 1;
                for (settings, document) in self.store.findings_of_game(id)? {
                    if settings == Store::OWN_NOTES {
                        let notes = json(&document);
                        lines.write(&LibraryLine::Notes { game: id, notes })?;
                        lines.counts.notes += 1;
                        continue;
                    }
                    lines.write(&LibraryLine::Findings {
                        game: id,
                        settings: json(&settings),
                        document: json(&document),
                    })?;
                    lines.counts.findings += 1;
                }
                lines.report();
            }
        }
        // Jobs follow all games in the order of their numbers, which lists show.
        let mut jobs = Vec::new();
        let mut last = 0;
        loop {
            let games = self.store.games_after(last, PAGE)?;
            let Some(newest) = games.last() else { break };
            last = newest.id;
            let games: Vec<i64> = games.iter().map(|game| game.id).collect();
            jobs.extend(self.store.jobs_of_games(&games)?);
        }
        jobs.sort_by_key(|job| job.id);
        for job in jobs {
            lines.write(&LibraryLine::Job(Box::new(job_line(job))))?;
            lines.counts.jobs += 1;
        }
        Ok(())
    }

    fn write_puzzles(
        &self,
        lines: &mut Lines<'_>,
        cancel: &Cancel,
    ) -> Result<(), LibraryFileError> {
        let mut last = 0;
        loop {
            let puzzles = self
                .store
                .puzzles_after(PuzzleFilter::default(), last, PAGE)?;
            let Some(newest) = puzzles.last() else { break };
            last = newest.id;
            for puzzle in puzzles {
                lines.write(&LibraryLine::Puzzle(Box::new(puzzle_line(puzzle))))?;
                lines.counts.puzzles += 1;
            }
            if cancel.is_set() {
                return Ok(());
            }
            lines.report();
        }
        for attempt in self.store.attempts()? {
            lines.write(&LibraryLine::Attempt {
                puzzle: attempt.puzzle,
                at: attempt.at,
                mistakes: attempt.mistakes,
                hints: attempt.hints,
            })?;
            lines.counts.attempts += 1;
        }
        Ok(())
    }

    fn write_evaluations(
        &self,
        lines: &mut Lines<'_>,
        cancel: &Cancel,
    ) -> Result<(), LibraryFileError> {
        // The callback of the store cannot fail, so its first error is kept here.
        let mut failed = None;
        let mut group: Vec<Record> = Vec::new();
        let mut write = |group: &mut Vec<Record>, lines: &mut Lines<'_>| {
            let line = evaluation_line(&std::mem::take(group));
            if let Some(line) = line.filter(|_| failed.is_none()) {
                lines.counts.evaluations += 1;
                failed = lines.write(&LibraryLine::Evaluation(Box::new(line))).err();
            }
        };
        let reporter = lines.reporter;
        self.store.records(cancel, reporter, |record| {
            if record.rank == 1 {
                write(&mut group, lines);
            }
            group.push(record);
        })?;
        write(&mut group, lines);
        failed.map_or(Ok(()), Err)
    }
}

fn job_line(job: StoredJob) -> JobLine {
    let state = job_state(&job.state);
    let (settings, puzzles, problem) = match job.state {
        JobState::Reviewed(settings) => (settings, None, None),
        JobState::Mined(puzzles) => (None, Some(puzzles), None),
        JobState::Failed(problem) => (None, None, Some(problem)),
        JobState::Open | JobState::Cancelled => (None, None, None),
    };
    JobLine {
        id: job.id,
        game: job.game,
        title: job.title,
        positions: job.positions,
        recipe: json(&job.recipe),
        engine: json(&job.engine),
        state,
        settings: settings.map(|settings| json(&settings)),
        puzzles,
        problem,
    }
}

fn puzzle_line(puzzle: StoredPuzzle) -> PuzzleLine {
    PuzzleLine {
        id: puzzle.id,
        origin: puzzle.origin,
        document: json(&puzzle.document),
        game: puzzle.game,
        ply: puzzle.ply,
        repetition: puzzle.repetition.map(repetition_line),
    }
}

/// Returns a text of the store as JSON. The store contains JSON; another text becomes a string, so
/// that nothing is lost.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Writes lines and counts them.
struct Lines<'a> {
    out: &'a mut dyn Write,
    counts: LibraryCounts,
    reporter: &'a dyn Reporter,
}

impl Lines<'_> {
    fn write(&mut self, line: &impl Serialize) -> Result<(), LibraryFileError> {
        let written = serde_json::to_vec(line)
            .map_err(io::Error::from)
            .and_then(|mut text| {
                text.push(b'\n');
                self.out.write_all(&text)
            });
        written.map_err(|error| io_error("the library file", error))
    }

    fn report(&self) {
        self.reporter.progress(&Progress {
            done: self.counts.games,
            total: None,
            unit: Unit::Games,
            games: self.counts.games,
            label: "export".to_owned(),
        });
    }
}
