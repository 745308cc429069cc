//! The games a command was given, whatever is wrong with some of them.

use std::{
    fmt::Display,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use centipawn_pgn::{Game, Reader, Source, Sources};
use centipawn_progress::{Problem, Progress, Reporter, Severity};

use crate::text::printable;

/// Counts what had to be skipped and says what it was; shared by all who find something.
pub(crate) struct Problems {
    count: AtomicU64,
    say: Mutex<Box<dyn FnMut(String) + Send>>,
}

impl Problems {
    /// `say` puts a line before the user; it may be called from any thread, one at a time.
    pub(crate) fn new(say: impl FnMut(String) + Send + 'static) -> Arc<Self> {
        Arc::new(Self { count: AtomicU64::new(0), say: Mutex::new(Box::new(say)) })
    }

    /// Something that had to be skipped.
    pub(crate) fn error(&self, problem: impl Display) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.say(&format!("error: {problem}"));
    }

    /// Something odd that did no harm.
    pub(crate) fn warning(&self, problem: impl Display) {
        self.say(&format!("warning: {problem}"));
    }

    fn say(&self, line: &str) {
        (self.say.lock().unwrap_or_else(PoisonError::into_inner))(printable(line));
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Reporter for Problems {
    fn progress(&self, _: &Progress) {}

    fn problem(&self, problem: &Problem) {
        match problem.severity {
            Severity::Error => self.error(problem),
            Severity::Warning => self.warning(problem),
        }
    }
}

/// Games read ahead on a thread of their own, so that an input that keeps us waiting (a pipe) cannot hold up an interruption.
pub(crate) fn read_ahead(games: Games, stop: &'static AtomicBool) -> impl Iterator<Item = Game> + Send {
    const AHEAD: usize = 16;
    const LOOK_UP: Duration = Duration::from_millis(100);
    let (sender, receiver) = mpsc::sync_channel(AHEAD);
    thread::spawn(move || games.into_iter().try_for_each(|game| sender.send(game)));
    std::iter::from_fn(move || {
        loop {
            match receiver.recv_timeout(LOOK_UP) {
                Ok(game) => return Some(game),
                Err(mpsc::RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
                Err(_) => return None,
            }
        }
    })
}

/// The files that the arguments name: folders and patterns resolved, each once. What is not there is reported.
pub(crate) fn sources(arguments: &[PathBuf], problems: &Problems) -> Sources {
    let named = arguments.iter().filter(|argument| match Sources::expand(&[argument]) {
        Ok(_) => true,
        Err(error) => {
            problems.error(error);
            false
        }
    });
    // What could be found a moment ago.
    Sources::expand(&named.collect::<Vec<_>>()).unwrap_or_default()
}

/// Which file a game came from.
#[derive(Default)]
pub(crate) struct Names(Mutex<Vec<(u64, String)>>);

impl Names {
    /// The file of a game by its place among all games, the first being 0.
    pub(crate) fn of(&self, index: u64) -> String {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let file = files.iter().rev().find(|(first, _)| *first <= index);
        file.map_or_else(String::new, |(_, name)| name.clone())
    }
}

/// Games of several files, one after the other. What cannot be read is reported, and the rest goes on.
pub(crate) struct Games {
    paths: std::vec::IntoIter<PathBuf>,
    current: Option<(String, Reader<Source>, u64)>,
    problems: Arc<Problems>,
    given: u64,
    names: Arc<Names>,
}

impl Games {
    pub(crate) fn new(paths: Vec<PathBuf>, problems: Arc<Problems>) -> Self {
        Self { paths: paths.into_iter(), current: None, problems, given: 0, names: Arc::default() }
    }

    /// Tells where games came from, also while others are still read.
    pub(crate) fn names(&self) -> Arc<Names> {
        Arc::clone(&self.names)
    }
}

impl Iterator for Games {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        loop {
            let Some((name, reader, found)) = &mut self.current else {
                match Source::open(self.paths.next()?) {
                    Ok(source) => {
                        let name = source.name().to_owned();
                        let mut names = self.names.0.lock().unwrap_or_else(PoisonError::into_inner);
                        names.push((self.given, name.clone()));
                        self.current = Some((name, Reader::new(source), 0));
                    }
                    Err(error) => self.problems.error(error),
                }
                continue;
            };
            match reader.next() {
                Some(Ok(Ok(game))) => {
                    *found += 1;
                    for warning in &game.warnings {
                        self.problems.warning(format_args!("{name}: {warning}"));
                    }
                    self.given += 1;
                    return Some(game);
                }
                Some(Ok(Err(error))) => {
                    *found += 1;
                    self.problems.error(format_args!("{name}: {error}"));
                }
                // The error names the file; there is nothing more to be had from it.
                Some(Err(error)) => {
                    *found += 1;
                    self.problems.error(error);
                }
                None => {
                    if *found == 0 {
                        self.problems.error(format_args!("{name} has no games"));
                    }
                    self.current = None;
                }
            }
        }
    }
}
