//! Reading a library file.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    io::{self, BufRead, BufReader, Read},
};

use centipawn_progress::{Cancel, Problem, Progress, Reporter, Unit};
use centipawn_puzzle::PuzzleDocument;
use centipawn_review::{
    FindKey,
    rooms::{
        BatchLineState, JobLine, JobLineState, LIBRARY_FORMAT, LIBRARY_VERSION, LibraryHeader,
        LibraryLine, OwnNotes, PuzzleLine,
    },
};
use centipawn_store::{Attempted, BatchState, JobState, NewJob, Record, Repetition, Store};
use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use super::{
    LibraryCounts, LibraryFileError, io_error, not_a_library,
    records::{records, repetition},
};
use crate::{
    engine::Recipe,
    library::{Library, read_kept_game},
};

/// Maximum length of a line, in bytes. The findings of a long game take about a mebibyte.
const LONGEST_LINE: u64 = 64 << 20;
/// Number of evaluations that are stored at once.
const EVALUATIONS: usize = 5000;

/// What an import has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ImportedLibrary {
    /// The objects of the file that could be read.
    pub read: LibraryCounts,
    /// Those of them that are new in the store. Evaluations and findings are not told apart, and
    /// count as new.
    pub new: LibraryCounts,
    /// Number of lines that could not be read. Each was reported as a problem.
    pub skipped: u64,
    /// Number of lines of kinds that this version does not know.
    pub unknown: u64,
}

/// Returns whether a file begins as a library file does. `begin` is the decompressed begin of the
/// file.
pub fn is_library(begin: &[u8]) -> bool {
    let begin = begin.trim_ascii_start();
    let text = &begin[..begin.len().min(100)];
    begin.first() == Some(&b'{')
        && text
            .windows(LIBRARY_FORMAT.len())
            .any(|part| part == LIBRARY_FORMAT.as_bytes())
}

impl Library {
    /// Adds everything of a library file to this library; `input` is the decompressed file, and
    /// `name` names it in messages. Lines that cannot be read are reported and skipped. If `cancel`
    /// is set, the import ends early, and what was read stays.
    ///
    /// # Errors
    ///
    /// [`LibraryFileError`] if the first line does not name the format, the file cannot be read, or
    /// the store cannot be written. What was read before stays.
    pub fn import(
        &self,
        name: &str,
        input: impl Read,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<ImportedLibrary, LibraryFileError> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let mut text = Vec::new();
        read_line(&mut input, &mut text)
            .map_err(|error| io_error(name, error))?
            .ok_or_else(|| not_a_library(name, &"it is empty"))?
            .map_err(|reason| not_a_library(name, &reason))?;
        let header: LibraryHeader = serde_json::from_slice(&text)
            .map_err(|_| not_a_library(name, &"its first line does not name the format"))?;
        if header.format != LIBRARY_FORMAT {
            return Err(not_a_library(
                name,
                &format!("its format is {:?}", header.format),
            ));
        }
        if header.version != LIBRARY_VERSION {
            return Err(LibraryFileError::Newer {
                name: name.to_owned(),
                found: header.version,
            });
        }
        let mut import = Import {
            library: self,
            name,
            reporter,
            games: HashMap::new(),
            jobs: HashMap::new(),
            puzzles: HashMap::new(),
            attempts: None,
            evaluations: Vec::new(),
            done: ImportedLibrary::default(),
        };
        for number in 2.. {
            if cancel.is_set() {
                break;
            }
            text.clear();
            let line = match read_line(&mut input, &mut text) {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(_) if cancel.is_set() => break,
                Err(error) => {
                    import.store_evaluations()?;
                    return Err(io_error(name, error));
                }
            };
            let taken = match line {
                Ok(()) if text.trim_ascii().is_empty() => continue,
                Ok(()) => match serde_json::from_slice(&text) {
                    Ok(line) => import.take(line, number)?,
                    Err(error) => Err(format!("it is not a line of a library file: {error}")),
                },
                Err(reason) => Err(reason),
            };
            if let Err(reason) = taken {
                import.skip(number, &reason);
            }
            if number % 1000 == 0 {
                import.report();
            }
        }
        import.store_evaluations()?;
        import.report();
        Ok(import.done)
    }
}

/// Reads a line without its end. Returns `None` at the end of the file, and the reason if the line
/// is too long; the rest of such a line is skipped.
fn read_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> Result<Option<Result<(), String>>, io::Error> {
    if input.by_ref().take(LONGEST_LINE).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') || (line.len() as u64) < LONGEST_LINE {
        return Ok(Some(Ok(())));
    }
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', line)?;
        if read == 0 || line.last() == Some(&b'\n') {
            return Ok(Some(Err(format!(
                "it is longer than {} MiB",
                LONGEST_LINE >> 20
            ))));
        }
    }
}

/// An attempt as a value that can be compared.
type AttemptKey = (i64, i64, i64, i64);

/// An import under way. The maps lead from numbers of the file to those of the store.
struct Import<'a> {
    library: &'a Library,
    name: &'a str,
    reporter: &'a dyn Reporter,
    /// The number of each game in the store, and its text.
    games: HashMap<i64, (i64, String)>,
    jobs: HashMap<i64, i64>,
    puzzles: HashMap<i64, i64>,
    /// The attempts in the store; `None` until one is read from the file.
    attempts: Option<HashSet<AttemptKey>>,
    /// Evaluations that are not stored yet, each with the number of its line.
    evaluations: Vec<(u64, Vec<Record>)>,
    done: ImportedLibrary,
}

impl Import<'_> {
    fn skip(&mut self, line: u64, reason: &str) {
        self.done.skipped += 1;
        self.reporter
            .problem(&Problem::error(reason).of(self.name).at_line(line));
    }

    fn report(&self) {
        self.reporter.progress(&Progress {
            done: self.done.read.games,
            total: None,
            unit: Unit::Games,
            games: self.done.read.games,
            label: self.name.to_owned(),
        });
    }

    /// Stores a line. The inner error is the reason why it is skipped.
    fn take(
        &mut self,
        line: LibraryLine,
        number: u64,
    ) -> Result<Result<(), String>, LibraryFileError> {
        match line {
            LibraryLine::Game { id, pgn } => self.game(id, pgn),
            // Earlier versions wrote notes as findings.
            LibraryLine::Findings {
                game,
                settings,
                document,
            } if settings == Store::OWN_NOTES => self.notes(game, document),
            LibraryLine::Findings {
                game,
                settings,
                document,
            } => self.findings(game, &settings, &document),
            LibraryLine::Notes { game, notes } => self.notes(game, notes),
            LibraryLine::Job(job) => self.job(*job),
            LibraryLine::Batch { title, state, jobs } => self.batch(&title, state, &jobs),
            LibraryLine::Puzzle(puzzle) => self.puzzle(*puzzle),
            LibraryLine::Attempt {
                puzzle,
                at,
                mistakes,
                hints,
            } => self.attempt(puzzle, at, mistakes, hints),
            LibraryLine::Evaluation(evaluation) => {
                self.evaluations.push((number, records(*evaluation)));
                if self.evaluations.len() >= EVALUATIONS {
                    self.store_evaluations()?;
                }
                Ok(Ok(()))
            }
            LibraryLine::Unknown => {
                self.done.unknown += 1;
                Ok(Ok(()))
            }
        }
    }

    fn game(&mut self, id: i64, pgn: String) -> Result<Result<(), String>, LibraryFileError> {
        if let Err(reason) = read_kept_game(&pgn) {
            return Ok(Err(format!("the game cannot be read: {reason}")));
        }
        let (kept, is_new) = self.library.store.keep_new_game(&pgn)?;
        self.games.insert(id, (kept, pgn));
        self.done.read.games += 1;
        self.done.new.games += u64::from(is_new);
        Ok(Ok(()))
    }

    fn findings(
        &mut self,
        game: i64,
        settings: &Value,
        document: &Value,
    ) -> Result<Result<(), String>, LibraryFileError> {
        let Some((_, pgn)) = self.games.get(&game) else {
            return Ok(Err(no_such("game", game)));
        };
        if !document.is_object() {
            return Ok(Err("the document of the findings is no object".to_owned()));
        }
        let settings = match settings_text(settings) {
            Ok(settings) => settings,
            Err(reason) => return Ok(Err(reason)),
        };
        self.library
            .store
            .keep_findings(pgn, &settings, &document.to_string())?;
        self.done.read.findings += 1;
        self.done.new.findings += 1;
        Ok(Ok(()))
    }

    /// Adds the user's own notes. Notes that are there already stay.
    fn notes(&mut self, game: i64, notes: Value) -> Result<Result<(), String>, LibraryFileError> {
        let Some((_, pgn)) = self.games.get(&game) else {
            return Ok(Err(no_such("game", game)));
        };
        let notes: OwnNotes = match serde_json::from_value(notes) {
            Ok(notes) => notes,
            Err(error) => return Ok(Err(format!("the notes cannot be read: {error}"))),
        };
        let game = match read_kept_game(pgn) {
            Ok(game) => game,
            Err(reason) => return Ok(Err(format!("the game cannot be read: {reason}"))),
        };
        let mut own = self.library.own_notes(&game)?;
        self.done.read.notes += 1;
        if own.add(notes) {
            self.library.keep_own_notes(&game, &own)?;
            self.done.new.notes += 1;
        }
        Ok(Ok(()))
    }

    fn job(&mut self, job: JobLine) -> Result<Result<(), String>, LibraryFileError> {
        let Some((game, _)) = self.games.get(&job.game) else {
            return Ok(Err(no_such("game", job.game)));
        };
        let (game, store) = (*game, &self.library.store);
        // A recipe that this version writes in another way gets the text of this version, by which
        // later requests find the job.
        let recipe = match serde_json::from_value::<Recipe>(job.recipe) {
            Ok(recipe @ (Recipe::Review(_) | Recipe::Mine(_))) => {
                serde_json::to_string(&recipe).unwrap_or_default()
            }
            Ok(_) => return Ok(Err("its recipe is neither review nor mine".to_owned())),
            Err(error) => return Ok(Err(format!("its recipe cannot be read: {error}"))),
        };
        let settings = match job.settings.as_ref().map(settings_text).transpose() {
            Ok(settings) => settings,
            Err(reason) => return Ok(Err(reason)),
        };
        if !job.engine.is_object() && !job.engine.is_null() {
            return Ok(Err("its engine is no object".to_owned()));
        }
        let known = store.jobs_of_games(&[game])?.len();
        let kept = store.keep_job(NewJob {
            game,
            title: &job.title,
            positions: job.positions.max(0),
            recipe: &recipe,
            engine: &job.engine.to_string(),
        })?;
        let is_new = store.jobs_of_games(&[game])?.len() > known;
        let is_done = matches!(kept.state, JobState::Reviewed(_) | JobState::Mined(_));
        let state = match job.state {
            JobLineState::Open => JobState::Open,
            JobLineState::Reviewed => JobState::Reviewed(settings),
            JobLineState::Mined => JobState::Mined(job.puzzles.unwrap_or(0)),
            JobLineState::Cancelled => JobState::Cancelled,
            JobLineState::Failed => JobState::Failed(job.problem.unwrap_or_default()),
        };
        // A job of this store that another attempt has finished stays finished, and an open one is
        // the business of its own server unless the file has its result.
        let is_result = matches!(state, JobState::Reviewed(_) | JobState::Mined(_));
        if is_new || is_result && !is_done {
            store.set_job(kept.id, &state)?;
        }
        self.jobs.insert(job.id, kept.id);
        self.done.read.jobs += 1;
        self.done.new.jobs += u64::from(is_new);
        Ok(Ok(()))
    }

    fn batch(
        &mut self,
        title: &str,
        state: BatchLineState,
        jobs: &[i64],
    ) -> Result<Result<(), String>, LibraryFileError> {
        let store = &self.library.store;
        let members: BTreeSet<i64> = jobs
            .iter()
            .filter_map(|job| self.jobs.get(job).copied())
            .collect();
        let members: Vec<i64> = members.into_iter().collect();
        self.done.read.batches += 1;
        for batch in store.batches(i64::MAX)? {
            if batch.title == title && store.batch_members(batch.id)? == members {
                return Ok(Ok(()));
            }
        }
        // No engine starts because a file was read.
        let state = match state {
            BatchLineState::Cancelled => BatchState::Cancelled,
            BatchLineState::Open | BatchLineState::Paused => BatchState::Paused,
        };
        store.add_batch(title, state, &members)?;
        self.done.new.batches += 1;
        Ok(Ok(()))
    }

    fn puzzle(&mut self, line: PuzzleLine) -> Result<Result<(), String>, LibraryFileError> {
        let document: PuzzleDocument = match serde_json::from_value(line.document) {
            Ok(document) => document,
            Err(error) => return Ok(Err(format!("the puzzle cannot be read: {error}"))),
        };
        let puzzle = match document.puzzle() {
            Ok(puzzle) => puzzle,
            Err(error) => return Ok(Err(format!("the puzzle cannot be read: {error}"))),
        };
        let place = match (line.game, line.ply) {
            (Some(game), Some(ply)) => match self.games.get(&game) {
                Some((game, _)) => Some((*game, ply)),
                None => return Ok(Err(no_such("game", game))),
            },
            _ => None,
        };
        let library = self.library;
        let (id, is_new) = library.keep_puzzle(puzzle, &line.origin, place)?;
        if let Some(wanted) = line.repetition.map(repetition) {
            let own = library.store.puzzle(id)?.and_then(|own| own.repetition);
            if own.is_none_or(|own| answered(own) < answered(wanted)) {
                library.store.set_repetition(id, Some(wanted))?;
            }
        }
        self.puzzles.insert(line.id, id);
        self.done.read.puzzles += 1;
        self.done.new.puzzles += u64::from(is_new);
        Ok(Ok(()))
    }

    fn attempt(
        &mut self,
        puzzle: i64,
        at: i64,
        mistakes: i64,
        hints: i64,
    ) -> Result<Result<(), String>, LibraryFileError> {
        let Some(own) = self.puzzles.get(&puzzle) else {
            return Ok(Err(no_such("puzzle", puzzle)));
        };
        let attempt = Attempted {
            puzzle: *own,
            at,
            mistakes: mistakes.clamp(0, 1000),
            hints: hints.clamp(0, 1000),
        };
        let key =
            |attempt: Attempted| (attempt.puzzle, attempt.at, attempt.mistakes, attempt.hints);
        let store = &self.library.store;
        if self.attempts.is_none() {
            self.attempts = Some(store.attempts()?.into_iter().map(key).collect());
        }
        self.done.read.attempts += 1;
        if self.attempts.get_or_insert_default().insert(key(attempt)) {
            store.keep_attempt(attempt, None)?;
            self.done.new.attempts += 1;
        }
        Ok(Ok(()))
    }

    fn store_evaluations(&mut self) -> Result<(), LibraryFileError> {
        let (numbers, records): (Vec<u64>, Vec<Vec<Record>>) =
            std::mem::take(&mut self.evaluations).into_iter().unzip();
        let reasons = self.library.store.keep_records(&records)?;
        for (number, reason) in numbers.into_iter().zip(reasons) {
            match reason {
                Some(reason) => self.skip(number, &reason),
                None => {
                    self.done.read.evaluations += 1;
                    self.done.new.evaluations += 1;
                }
            }
        }
        Ok(())
    }
}

/// Returns the time of the last answer to a repeated puzzle.
fn answered(repetition: Repetition) -> i64 {
    repetition.memory.map_or(i64::MIN, |memory| memory.at)
}

fn no_such(what: &str, id: i64) -> String {
    format!("no line before it that can be read has the {what} {id}")
}

/// Returns the settings of findings as the text that a store compares. Settings that this version
/// writes in another way get the text of this version.
fn settings_text(settings: &Value) -> Result<String, String> {
    if !settings.is_object() {
        return Err("the settings are no object".to_owned());
    }
    match FindKey::deserialize(settings) {
        Ok(key) => Ok(serde_json::to_string(&key).unwrap_or_default()),
        // Findings of another version are kept for the program that wrote them.
        Err(_) => Ok(settings.to_string()),
    }
}
