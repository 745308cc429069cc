//! Games from a stream.

use std::io::{self, Read};

use memchr::memchr_iter;

use crate::{
    Game, GameError, GameErrorKind, Place,
    replay::replay,
    token::{Tokenizer, game_start},
};

/// Reads games one after another.
///
/// The outer result is the input's (an error ends the iteration), the inner one the game's: after a game that cannot be
/// read, the next one follows. No more than a game's [limit](Self::with_limit) is held in memory.
///
/// ```
/// use centipawn_pgn::Reader;
///
/// let pgn = "[White \"A\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. e5 *\n\n[White \"C\"]\n\n1. d4 *\n";
/// let mut read = Vec::new();
/// for game in Reader::new(pgn.as_bytes()) {
///     match game? {
///         Ok(game) => read.push(game.headers.get("White").unwrap().to_owned()),
///         Err(bad) => eprintln!("{bad}"),     // game 2, line 7: 1. e5 is not a legal move in …
///     }
/// }
/// assert_eq!(read, ["A", "C"]);
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    /// Bytes read and not yet passed.
    buffer: Vec<u8>,
    /// Where in the buffer the next game is looked for.
    start: usize,
    limit: usize,
    /// The last game read, and the line `start` is on.
    place: Place,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Nothing read yet.
    Fresh,
    Reading,
    /// Behind the limit of a game whose end is still to come.
    Skipping,
    /// The input is at its end, the buffer may not be.
    Eof,
    Done,
}

/// What a look at the buffer found.
enum Found {
    /// A game, from here to there.
    Game(usize, usize),
    /// Only blanks, or a game that may go on.
    Part,
}

impl<R: Read> Reader<R> {
    /// Bytes that a game may have: 16 MiB.
    pub const LIMIT: usize = 16 << 20;

    const BLOCK: usize = 64 << 10;

    /// Reads games from `input`, which needs no buffer of its own. For compressed files see [`Source`](crate::Source).
    pub fn new(input: R) -> Self {
        Self::with_limit(input, Self::LIMIT)
    }

    /// Like [`new`](Self::new), with another limit to a game's size in bytes. Larger games are an error each.
    pub fn with_limit(input: R, limit: usize) -> Self {
        let place = Place { game: 0, line: 1 };
        Self { input, buffer: Vec::new(), start: 0, limit, place, state: State::Fresh }
    }

    /// Passes `length` bytes.
    fn pass(&mut self, length: usize) {
        let passed = &self.buffer[self.start..self.start + length];
        self.place.line += memchr_iter(b'\n', passed).count() as u64;
        self.start += length;
    }

    /// Reads more, at least as much again as there is: a game is looked at a few times, not once a block.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let want = self.buffer.len().max(Self::BLOCK);
        let got = (&mut self.input).take(want as u64).read_to_end(&mut self.buffer)?;
        if got == 0 {
            self.state = State::Eof;
        }
        Ok(())
    }

    fn look(&self) -> Found {
        let text = &self.buffer[self.start..];
        let mut tokens = Tokenizer::new(text);
        if !tokens.next_game() {
            return Found::Part;
        }
        let begin = tokens.offset();
        while tokens.next().is_some() {}
        if tokens.touched_end() && self.state != State::Eof {
            return Found::Part;
        }
        Found::Game(begin, tokens.offset())
    }

    fn error(&mut self, kind: GameErrorKind) -> GameError {
        self.place.game += 1;
        GameError { game: self.place.game, line: self.place.line, number: None, text: String::new(), kind }
    }

    /// Passes everything before a line that surely begins a game; true if there is one.
    fn resynchronise(&mut self) -> bool {
        let rest = &self.buffer[self.start..];
        let found = game_start(rest, 1);
        // The beginning of such a line may be all that is there of it.
        let length = found.unwrap_or(rest.len().saturating_sub(8));
        self.pass(length);
        found.is_some()
    }

    fn advance(&mut self) -> io::Result<Option<Result<Game, GameError>>> {
        loop {
            match self.state {
                State::Done => return Ok(None),
                State::Fresh => {
                    self.state = State::Reading;
                    self.fill()?;
                    if let Some(what) = not_text(&self.buffer) {
                        self.state = State::Done;
                        return Ok(Some(Err(self.error(GameErrorKind::NotPgn(what)))));
                    }
                }
                State::Skipping => {
                    if self.resynchronise() {
                        self.state = State::Reading;
                    } else {
                        self.fill()?;
                    }
                    if self.state == State::Eof {
                        self.state = State::Done;
                    }
                }
                State::Reading | State::Eof => match self.look() {
                    Found::Game(begin, end) if end - begin <= self.limit => {
                        self.pass(begin);
                        self.place.game += 1;
                        let (game, _) = replay(&self.buffer[self.start..self.start + (end - begin)], 0, self.place);
                        self.pass(end - begin);
                        return Ok(Some(game));
                    }
                    Found::Game(begin, end) => {
                        self.pass(begin);
                        let error = self.error(GameErrorKind::TooLarge { limit: self.limit });
                        self.pass(end - begin);
                        return Ok(Some(Err(error)));
                    }
                    Found::Part if self.state == State::Eof => self.state = State::Done,
                    Found::Part if self.buffer.len() - self.start > self.limit => {
                        self.state = State::Skipping;
                        return Ok(Some(Err(self.error(GameErrorKind::TooLarge { limit: self.limit }))));
                    }
                    Found::Part => self.fill()?,
                },
            }
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = io::Result<Result<Game, GameError>>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.state = State::Done;
        }
        next.transpose()
    }
}

/// What these first bytes are, if they are not text.
pub(crate) fn not_text(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        Some(" in UTF-8 or Latin-1 but text in UTF-16; convert it to UTF-8")
    } else if bytes.iter().take(8 << 10).any(|&byte| byte == 0) {
        Some(" but a binary file; if it is an archive or a database, export its games as PGN")
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
