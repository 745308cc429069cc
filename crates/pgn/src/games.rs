//! The games of many files, one after another.

use std::{
    panic,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use centipawn_progress::{Cancel, Problem, Reporter, Severity};

use crate::{Game, Letters, Reader, Shard, Source, Sources};

/// Maximum number of games that [`read_ahead`] holds.
const AHEAD: usize = 16;
/// Interval at which [`read_ahead`] checks for cancellation while it waits for a game.
const LOOK_UP: Duration = Duration::from_millis(100);

/// The games of several files, one after another; each game's [`Place`](crate::Place) names its
/// file.
///
/// Unreadable games and files are reported in input order, and reading continues.
///
/// ```
/// use centipawn_pgn::{Games, Sources};
/// use centipawn_progress::{ProblemCount, Silent};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "1. e4 e5 1-0\n\n1. e5 *\n\n1. d4 *\n")?;
/// let problems = ProblemCount::new(Silent);
/// let games: Vec<_> = Games::new(&Sources::expand(&[&path])?, &problems).collect();
/// assert_eq!((games.len(), problems.errors()), (2, 1));
/// assert_eq!(games[1].place.game, 3);
/// assert!(games[1].place.source.as_ref().unwrap().ends_with("games.pgn"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Games<R> {
    sources: std::vec::IntoIter<std::path::PathBuf>,
    current: Option<Current>,
    reporter: R,
    /// The part of the games to give, and the number of games and errors so far.
    shard: Shard,
    index: u64,
}

/// The file being read.
#[derive(Debug)]
struct Current {
    name: Arc<str>,
    reader: Reader<Source>,
    /// Whether the file contained a game or an error.
    has_something: bool,
    /// Piece letters other than English that were already found and reported.
    letters: Vec<Letters>,
}

impl<R: Reporter> Games<R> {
    /// Reads `sources` in order, or every Nth game of them if they are [divided](Sources::divided).
    pub fn new(sources: &Sources, reporter: R) -> Self {
        let shard = sources.shard();
        Self {
            sources: sources.paths().to_vec().into_iter(),
            current: None,
            reporter,
            shard,
            index: 0,
        }
    }
}

impl<R: Reporter> Iterator for Games<R> {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        loop {
            let Some(Current {
                name,
                reader,
                has_something,
                letters,
            }) = &mut self.current
            else {
                match Source::open(self.sources.next()?) {
                    Ok(source) => {
                        let name: Arc<str> = source.name().into();
                        let reader = Reader::new(source).named(&name);
                        self.current = Some(Current {
                            name,
                            reader,
                            has_something: false,
                            letters: Vec::new(),
                        });
                    }
                    Err(error) => self.reporter.problem(&Problem::error(error)),
                }
                continue;
            };
            let next = reader.next();
            *has_something |= next.is_some();
            if let Some(Ok(_)) = next {
                self.index += 1;
                if !self.shard.takes(self.index - 1) {
                    continue;
                }
            }
            match next {
                Some(Ok(Ok(game))) => {
                    for warning in &game.warnings {
                        let severity = if warning.kind.loses() {
                            Severity::Error
                        } else {
                            Severity::Warning
                        };
                        self.reporter.problem(&warning.problem(severity, name));
                    }
                    if game.letters != Letters::English && !letters.contains(&game.letters) {
                        letters.push(game.letters);
                        let text = format_args!(
                            "has {} and is read so, like all such games of this file",
                            game.letters
                        );
                        self.reporter
                            .problem(&Problem::warning(text).of(&**name).in_game(game.place.game));
                    }
                    return Some(game);
                }
                Some(Ok(Err(error))) => {
                    self.reporter.problem(&error.problem(Severity::Error, name));
                }
                // The error names the file. The reader yields no more games of this file.
                Some(Err(error)) => self.reporter.problem(&Problem::error(error)),
                None => {
                    if !*has_something {
                        self.reporter
                            .problem(&Problem::error(format_args!("{name} has no games")));
                    }
                    self.current = None;
                }
            }
        }
    }
}

/// Reads games on a separate thread, so that a blocked input (such as a pipe) does not delay
/// cancellation.
///
/// Ends after the last game, or soon after `cancel` is set; holds at most sixteen games.
///
/// # Panics
///
/// The iterator continues a panic of `games`.
pub fn read_ahead(
    games: impl Iterator<Item = Game> + Send + 'static,
    cancel: &Cancel,
) -> impl Iterator<Item = Game> + Send + 'static {
    let cancel = cancel.clone();
    let (sender, receiver) = mpsc::sync_channel(AHEAD);
    let mut thread = Some(thread::spawn(move || {
        games.into_iter().try_for_each(|game| sender.send(game))
    }));
    std::iter::from_fn(move || {
        loop {
            match receiver.recv_timeout(LOOK_UP) {
                Ok(game) => return Some(game),
                Err(mpsc::RecvTimeoutError::Timeout) if !cancel.is_set() => {}
                Err(mpsc::RecvTimeoutError::Timeout) => return None,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    if let Some(Err(panic)) = thread.take().map(thread::JoinHandle::join) {
                        panic::resume_unwind(panic);
                    }
                    return None;
                }
            }
        }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Mutex;

    use centipawn_progress::Progress;

    use super::*;

    /// The problems reported, as lines.
    #[derive(Default)]
    pub(crate) struct Lines(pub(crate) Mutex<Vec<String>>);

    impl Reporter for Lines {
        fn progress(&self, _: &Progress) {}

        fn problem(&self, problem: &Problem) {
            self.0.lock().unwrap().push(problem.to_string());
        }
    }

    #[test]
    fn problems_are_reported_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.pgn"), "1. e5 *\n").unwrap();
        std::fs::write(at("b.pgn"), "").unwrap();
        std::fs::write(at("c.pgn"), "1. e4 (1. e5) *\n").unwrap();
        let lines = Lines::default();
        let sources = Sources::expand(&[folder.path()]).unwrap();
        assert_eq!(Games::new(&sources, &lines).count(), 1);
        let lines = lines.0.into_inner().unwrap();
        let name = |name: &str| at(name).display().to_string();
        assert!(
            lines[0].starts_with(&format!("{}: game 1, line 1: 1. e5 is not", name("a.pgn"))),
            "{lines:?}"
        );
        assert_eq!(lines[1], format!("{} has no games", name("b.pgn")));
        assert!(
            lines[2].starts_with(&format!("{}: game 1, line 1: 1. e5 is not", name("c.pgn"))),
            "{lines:?}"
        );
    }

    #[test]
    fn parts_have_each_game_and_error_once() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a.pgn", "1. e4 *\n\n1. d4 *\n\n1. c4 *\n"),
            ("b.pgn", "1. e5 *\n\n1. f4 *\n\n1. b4 *\n"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let sources = Sources::expand(&[folder.path()]).unwrap();
        let (mut moves, mut errors) = (Vec::new(), 0);
        for index in 1..=4 {
            let lines = Lines::default();
            let part = sources.clone().divided(Shard::new(index, 4).unwrap());
            moves.extend(Games::new(&part, &lines).map(|game| game.plies[0].mv.to_string()));
            errors += lines.0.into_inner().unwrap().len();
        }
        assert_eq!(
            (moves.join(" ").as_str(), errors),
            ("e2-e4 f2-f4 d2-d4 b2-b4 c2-c4", 1)
        );
    }

    #[test]
    fn reading_ahead_continues_a_panic() {
        let games =
            std::iter::once(Game::default()).chain(std::iter::once_with(|| panic!("as it should")));
        let mut games = read_ahead(games, &Cancel::new());
        assert!(games.next().is_some());
        assert!(panic::catch_unwind(panic::AssertUnwindSafe(|| games.next())).is_err());
    }

    #[test]
    fn reading_ahead_ends_when_cancelled() {
        let cancel = Cancel::new();
        // An input that provides one game and then blocks, like a pipe.
        let (sender, receiver) = mpsc::channel();
        sender.send(Game::default()).unwrap();
        let mut games = read_ahead(receiver.into_iter(), &cancel);
        assert!(games.next().is_some());
        cancel.set();
        assert!(games.next().is_none());
        drop(sender);
    }
}
