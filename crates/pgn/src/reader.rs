//! Games from a stream.

use std::{
    io::{self, Chain, Cursor, Read},
    mem,
};

use crate::{
    Game, GameError, GameErrorKind, Place,
    cut::{Block, Cutter, LIMIT},
    replay::replay,
    source::Failing,
    text::{begins_line, line_ends},
    token::{Tokenizer, preamble},
};

/// Reads the games of an input one by one.
///
/// The outer result is the input's: an error ends the iteration. The inner result is the game's:
/// after an unreadable game, iteration continues with the next. At most one game's
/// [limit](Self::LIMIT) is held in memory.
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
    cutter: State<R>,
    block: Block,
    /// Offset in the block at which the search for the next game starts.
    next: usize,
    limit: usize,
    /// The last game read, and the line of `next`.
    place: Place,
}

/// The bytes read to check the input, an error met there, and the rest.
type Input<R> = Chain<Chain<Cursor<Vec<u8>>, Failing>, R>;

#[derive(Debug)]
enum State<R> {
    /// Nothing has been read yet.
    Fresh(R),
    Reading(Box<Cutter<Input<R>>>),
    Done,
}

impl<R: Read> Reader<R> {
    /// Default maximum size of a game: 8 MiB.
    pub const LIMIT: usize = LIMIT;

    const BLOCK: usize = 256 << 10;

    /// Reads games from `input`; no separate buffering is needed. For compressed files see
    /// [`Source`](crate::Source).
    pub fn new(input: R) -> Self {
        Self::with_limit(input, Self::LIMIT)
    }

    /// Like [`new`](Self::new), with a maximum game size in bytes. A larger game gives one error;
    /// the text after it is skipped up to the next line that certainly begins a game
    /// ([`token::game_start`](crate::token::game_start)).
    pub(crate) fn with_limit(input: R, limit: usize) -> Self {
        let place = Place {
            line: 1,
            ..Place::default()
        };
        Self {
            cutter: State::Fresh(input),
            block: Block::default(),
            next: 0,
            limit,
            place,
        }
    }

    /// Sets a name for the input, which goes into each game's [`Place`].
    #[must_use]
    pub fn named(mut self, source: &str) -> Self {
        self.place.source = Some(source.into());
        self
    }

    /// Skips the text before `to`.
    fn pass(&mut self, to: usize) {
        self.place.line += line_ends(&self.block.bytes, self.next..to);
        self.next = to;
    }

    fn error(&mut self, kind: GameErrorKind) -> GameError {
        GameError {
            game: self.place.game,
            line: self.place.line,
            number: None,
            text: String::new(),
            kind,
        }
    }

    /// Checks the beginning of the input; returns an error if it is not text.
    fn begin(&mut self, mut input: R) -> io::Result<Option<GameError>> {
        let mut head = Vec::new();
        // An input error is reported after the games before it.
        let failed = input.by_ref().take(64 << 10).read_to_end(&mut head).err();
        if let Some(what) = not_text(&head) {
            self.place.game = 1;
            return Ok(Some(self.error(GameErrorKind::NotPgn(what))));
        }
        let preamble = preamble(&head);
        let input = Cursor::new(head).chain(Failing(failed)).chain(input);
        self.cutter = State::Reading(Box::new(Cutter::new(
            input,
            Self::BLOCK,
            self.limit,
            preamble,
        )));
        Ok(None)
    }

    fn advance(&mut self) -> io::Result<Option<Result<Game, GameError>>> {
        if let State::Fresh(_) = self.cutter
            && let State::Fresh(input) = mem::replace(&mut self.cutter, State::Done)
            && let Some(error) = self.begin(input)?
        {
            return Ok(Some(Err(error)));
        }
        loop {
            let mut tokens = Tokenizer::starting_at(&self.block.bytes, self.next);
            if tokens.next_game() {
                let begin = tokens.offset();
                self.pass(begin);
                self.place.game += 1;
                self.place.byte = self.block.offset + (begin - self.block.start) as u64;
                let (game, end) = replay(&self.block.bytes, begin, &self.place);
                if end - begin <= self.limit {
                    self.pass(end);
                    return Ok(Some(game));
                }
                let error = self.error(GameErrorKind::TooLarge { limit: self.limit });
                self.pass(self.block.resume(begin));
                return Ok(Some(Err(error)));
            }
            self.pass(self.block.bytes.len());
            let State::Reading(cutter) = &mut self.cutter else {
                return Ok(None);
            };
            if !cutter.next(&mut self.block)? {
                self.cutter = State::Done;
                self.block = Block::default();
                self.next = 0;
                return Ok(None);
            }
            self.next = self.block.first;
            self.place.line += self.block.skipped_lines;
            self.place.line += u64::from(begins_line(&self.block.bytes, self.block.start));
            if self.block.too_large {
                self.place.game += 1;
                return Ok(Some(Err(
                    self.error(GameErrorKind::TooLarge { limit: self.limit })
                )));
            }
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = io::Result<Result<Game, GameError>>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.cutter = State::Done;
            self.block = Block::default();
            self.next = 0;
        }
        next.transpose()
    }
}

/// Returns what these first bytes are instead of text; `None` if they are text.
pub(crate) fn not_text(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        Some(" in UTF-8 or Latin-1 but text in UTF-16; convert it to UTF-8")
    } else if is_binary(&bytes[..bytes.len().min(8 << 10)]) {
        Some(" but a binary file; if it is an archive or a database, export its games as PGN")
    } else {
        None
    }
}

/// Returns whether a file is binary: it has several NUL bytes, and more than one per hundred bytes.
/// A single NUL may occur in a text. Long runs of NUL bytes after games do not make a file binary,
/// because a file that lost some of its blocks in a power failure has them.
fn is_binary(bytes: &[u8]) -> bool {
    let many = |nuls: usize| nuls > 1 && 100 * nuls > bytes.len();
    let runs = || {
        bytes
            .chunk_by(|one, two| one == two)
            .filter(|run| run[0] == 0)
            .count()
    };
    many(bytes.iter().filter(|byte| **byte == 0).count())
        && (many(runs())
            || !begins_with_games(bytes.split(|byte| *byte == 0).next().unwrap_or_default()))
}

/// Returns whether text begins with a tag or the number of a move, and has more than one line.
fn begins_with_games(text: &[u8]) -> bool {
    let text = text
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(text)
        .trim_ascii_start();
    (text.starts_with(b"[") || text.starts_with(b"1."))
        && text.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
}

#[cfg(test)]
mod tests;
