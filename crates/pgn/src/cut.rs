//! Cutting text into blocks of whole games.

use std::io::{self, Read};

use memchr::{memchr, memchr2, memrchr2};

use crate::{
    text::{begins_line, line_ends},
    token::{LOOK_BACK, Token, Tokenizer, begins_game, game_start, last_game_start},
};

/// Default maximum size of a game in bytes.
pub(crate) const LIMIT: usize = 8 << 20;

/// Number of bytes kept in front of a text that does not begin at a [`game_start`].
const CONTEXT: usize = LOOK_BACK + 2;

/// Number of bytes first read beyond the end of a range; the next game usually begins within them.
const BEYOND: u64 = 16 << 10;

/// Number of bytes at the end of the available text in which a searched line may begin without
/// being complete.
const LINE_START: usize = 16;

/// Whole games in memory.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Offset in `bytes` at which the games begin; the bytes before it are context.
    pub(crate) start: usize,
    /// Offset at which the first game may begin. Before it is the rest of a `%` line, which has no
    /// line end.
    pub(crate) first: usize,
    /// The offset of `start` in the source.
    pub(crate) offset: u64,
    /// Offset of the last line, here or before, that certainly begins a game.
    pub(crate) anchor: u64,
    /// A line up to this offset that looks like a game's first continues the game of the comments
    /// before it.
    preamble: u64,
    /// Number of lines skipped between the previous block and this block.
    pub(crate) skipped_lines: u64,
    /// The block has no games, because a game larger than the limit begins here.
    pub(crate) too_large: bool,
}

impl Block {
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Returns where to continue after a too large game at `begin`: the next line that certainly
    /// begins a game, or the end.
    pub(crate) fn resume(&self, begin: usize) -> usize {
        let mut from = begin + 1;
        while let Some(at) = game_start(&self.bytes, from) {
            if self.offset + (at - self.start) as u64 > self.preamble {
                return at;
            }
            from = at + 1;
        }
        self.bytes.len()
    }
}

/// Cuts a reader's text into [`Block`]s, at places that do not depend on the block size.
#[derive(Debug)]
pub(crate) struct Cutter<R> {
    input: R,
    /// Text that was read but not returned yet, preceded by its context.
    carry: Vec<u8>,
    start: usize,
    offset: u64,
    /// Whether `start` lies within a `%` line.
    is_escape: bool,
    /// Offset of the last line that certainly begins a game.
    anchor: u64,
    state: State,
    /// Size of a block in bytes.
    size: usize,
    /// Maximum size of a game in bytes.
    limit: usize,
    /// End of the range: games that begin at this offset or later belong to another range.
    stop: u64,
    /// A line up to this offset that looks like a game's first continues the game of the comments
    /// before it.
    preamble: u64,
    ended: bool,
    error: Option<io::Error>,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Searching for the first game of a range.
    Entering,
    Cutting,
    /// Searching for the game after a too large one; holds the number of lines skipped.
    Skipping(u64),
    Done,
}

/// The place at which the available text can be cut.
enum Parting {
    At(usize),
    /// At the end of the available bytes, which lies within a `%` line between games.
    Escape,
    /// At this place, after which no text follows.
    Last(usize),
    /// The game that begins at this place is too large.
    TooLarge(usize),
    /// At no place within the available bytes.
    Beyond,
}

impl<R: Read> Cutter<R> {
    /// Cuts a source from its beginning.
    pub(crate) fn new(input: R, size: usize, limit: usize, preamble: u64) -> Self {
        Self {
            input,
            carry: Vec::new(),
            start: 0,
            offset: 0,
            is_escape: false,
            anchor: 0,
            state: State::Cutting,
            size: size.max(1),
            limit,
            stop: u64::MAX,
            preamble,
            ended: false,
            error: None,
        }
    }

    /// Cuts only the games that begin in `from..to`; `input` provides the source from [`entry`] of
    /// `from` on.
    pub(crate) fn of_range(input: R, from: u64, to: u64, limit: usize, preamble: u64) -> Self {
        let size = usize::try_from(to - from).unwrap_or(usize::MAX);
        let mut cutter = Self::new(input, size, limit, preamble);
        if from > 0 {
            cutter.state = State::Entering;
            cutter.start = (from - entry(from)) as usize;
        }
        cutter.offset = from;
        cutter.stop = to;
        cutter
    }

    /// Reads the next games into `block`, whose buffer is reused; false at the end.
    ///
    /// An input error is returned after the complete games before it.
    pub(crate) fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        self.take_up(block);
        block.skipped_lines = 0;
        block.too_large = false;
        let mut wanted = None;
        loop {
            match self.state {
                State::Done => return self.error.take().map_or(Ok(false), Err),
                State::Entering | State::Skipping(_) => {
                    self.fill(&mut block.bytes, self.start + self.size.max(64));
                    if self.seek(block) {
                        return Ok(true);
                    }
                }
                State::Cutting => {
                    let beyond = BEYOND.min(self.size as u64);
                    let left = self.stop.saturating_sub(self.offset).saturating_add(beyond);
                    let size = wanted.unwrap_or(left.min(self.size as u64 + beyond) as usize);
                    self.fill(&mut block.bytes, self.start + size);
                    match self.part(&block.bytes) {
                        Parting::At(end) => {
                            self.give(block, end);
                            if !block.text().is_empty() {
                                return Ok(true);
                            }
                            self.take_up(block);
                        }
                        Parting::Escape => {
                            self.give(block, block.bytes.len());
                            self.is_escape = true;
                            return Ok(true);
                        }
                        Parting::Last(end) => {
                            self.give(block, end);
                            self.state = State::Done;
                            return Ok(true);
                        }
                        Parting::TooLarge(begin) => {
                            // Count lines now, while the byte after a `\r` is still in the buffer.
                            let lines = line_ends(&block.bytes, self.start..begin)
                                + u64::from(begins_line(&block.bytes, self.start));
                            self.give(block, begin);
                            block.skipped_lines = lines;
                            block.offset = self.offset;
                            block.too_large = true;
                            block.bytes.clear();
                            (block.start, block.first) = (0, 0);
                            // The text may itself begin with the line that is searched for, so
                            // continue one byte later.
                            self.start += 1;
                            self.offset += 1;
                            self.state = State::Skipping(0);
                            return Ok(true);
                        }
                        Parting::Beyond => {
                            wanted = Some(2 * (block.bytes.len() - self.start).max(64));
                        }
                    }
                }
            }
        }
    }

    /// Continues with the text kept from the previous block.
    fn take_up(&mut self, block: &mut Block) {
        block.bytes.clear();
        block.bytes.append(&mut self.carry);
        block.start = self.start;
        block.offset = self.offset;
    }

    /// Reads until `bytes` has `length` bytes or the input ends.
    fn fill(&mut self, bytes: &mut Vec<u8>, length: usize) {
        let missing = length.saturating_sub(bytes.len());
        if missing == 0 || self.ended {
            return;
        }
        bytes.reserve(missing);
        match (&mut self.input).take(missing as u64).read_to_end(bytes) {
            Ok(read) => self.ended = read < missing,
            Err(error) => {
                self.ended = true;
                self.error = Some(error);
            }
        }
    }

    /// Returns the first line at or after `from` that begins a game.
    fn find(&self, bytes: &[u8], mut from: usize) -> Option<usize> {
        loop {
            let at = game_start(bytes, from)?;
            if self.offset_of(at) > self.preamble {
                return Some(at);
            }
            from = at + 1;
        }
    }

    fn offset_of(&self, at: usize) -> u64 {
        self.offset + (at - self.start) as u64
    }

    /// Searches for the beginning of a game. True if the block is to be returned to report the
    /// lines skipped.
    fn seek(&mut self, block: &mut Block) -> bool {
        let found = self.find(&block.bytes, self.start.max(1));
        // The available text may end in the middle of a line that begins a game, so search again
        // from a little earlier.
        let at = match found {
            Some(at) => at,
            None if self.ended => block.bytes.len(),
            None => block.bytes.len().saturating_sub(LINE_START).max(self.start),
        };
        let passed = line_ends(&block.bytes, self.start..at);
        self.offset = self.offset_of(at);
        self.start = at;
        let theirs = self.offset >= self.stop;
        let over = match found {
            Some(_) => theirs,
            None => self.ended || (theirs && self.state == State::Entering),
        };
        let lines = match &mut self.state {
            State::Skipping(lines) => {
                *lines += passed;
                Some(*lines)
            }
            _ => None,
        };
        if over {
            self.state = State::Done;
        } else if found.is_some() {
            self.state = State::Cutting;
        } else {
            let keep = CONTEXT.min(at);
            block.bytes.drain(..at - keep);
            self.start = keep;
            return false;
        }
        let Some(lines) = lines else { return false };
        self.carry.append(&mut block.bytes);
        (block.start, block.first) = (0, 0);
        block.offset = self.offset;
        block.skipped_lines = lines;
        true
    }

    /// Returns where to cut the available text.
    fn part(&self, bytes: &[u8]) -> Parting {
        if self.offset_of(bytes.len()) > self.stop {
            let stop = self.start + self.stop.saturating_sub(self.offset) as usize;
            if let Some(end) = self.find(bytes, stop) {
                return Parting::Last(end);
            }
        }
        if self.ended && self.error.is_none() {
            return Parting::Last(bytes.len());
        }
        match last_game_start(bytes, self.start + 1) {
            Some(end) if self.offset_of(end) > self.preamble && self.error.is_none() => {
                Parting::At(end)
            }
            _ => match self.part_by_tokens(bytes) {
                // The end of the rest could not be read.
                Parting::Beyond if self.ended => Parting::Last(self.last_result(bytes)),
                parting => parting,
            },
        }
    }

    /// Returns the end of the last game that has its result and is therefore complete; the start if
    /// there is none.
    fn last_result(&self, bytes: &[u8]) -> usize {
        let mut tokens = Tokenizer::starting_at(bytes, self.first(bytes));
        let mut end = self.start;
        while tokens.next_game() {
            if tokens
                .by_ref()
                .filter(|token| matches!(token, Token::Result(_)))
                .count()
                > 0
            {
                end = tokens.offset();
            }
        }
        end
    }

    /// Returns where the first game may begin.
    fn first(&self, bytes: &[u8]) -> usize {
        if !self.is_escape {
            return self.start;
        }
        memchr2(b'\n', b'\r', &bytes[self.start..])
            .map_or(bytes.len(), |length| self.start + length)
    }

    /// Cuts after the last game that ends within these bytes, or in the blanks without games.
    ///
    /// Blanks can be cut anywhere: without it, a line of them that never ends would be held as a
    /// whole.
    fn part_by_tokens(&self, bytes: &[u8]) -> Parting {
        let first = self.first(bytes);
        let mut tokens = Tokenizer::starting_at(bytes, first);
        let mut parting = self.start;
        let part = |parting| {
            if parting > self.start {
                Some(Parting::At(parting))
            } else {
                None
            }
        };
        while tokens.next_game() {
            let begin = tokens.offset();
            while tokens.next().is_some() {}
            let end = tokens.offset();
            // The text after the last complete token may already belong to the next game.
            let length = if tokens.touched_end() {
                (bytes.len() - begin).saturating_sub(LOOK_BACK)
            } else {
                end - begin
            };
            if length > self.limit {
                return part(parting).unwrap_or(Parting::TooLarge(begin));
            }
            if tokens.touched_end() {
                return part(begin).unwrap_or(Parting::Beyond);
            }
            parting = end;
        }
        // Only blanks remain. Among these, a percent sign is always of a `%` line; the last one may
        // be incomplete.
        let line =
            memrchr2(b'\n', b'\r', &bytes[parting..]).map_or(parting, |end| parting + end + 1);
        let is_escape =
            first == bytes.len() && self.is_escape || memchr(b'%', &bytes[line..]).is_some();
        match part(bytes.len()) {
            Some(_) if is_escape => Parting::Escape,
            parting => parting.unwrap_or(Parting::Beyond),
        }
    }

    /// Returns the text before `end` in `block` and keeps the rest.
    fn give(&mut self, block: &mut Block, end: usize) {
        block.start = self.start;
        block.first = self.first(&block.bytes).min(end);
        self.is_escape = false;
        block.offset = self.offset;
        if begins_game(&block.bytes, self.start) && self.offset > self.preamble {
            self.anchor = self.offset;
        }
        block.anchor = self.anchor;
        block.preamble = self.preamble;
        let keep = CONTEXT.min(end);
        self.carry.extend_from_slice(&block.bytes[end - keep..]);
        self.offset = self.offset_of(end);
        self.start = keep;
        block.bytes.truncate(end);
    }
}

/// Returns where to start reading for a range that begins at `from`.
pub(crate) fn entry(from: u64) -> u64 {
    from.saturating_sub(CONTEXT as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns text that repeats itself, and then a game.
    fn endless(pattern: &[u8], length: usize) -> impl Read {
        let repeated = io::Cursor::new(pattern.repeat((1 << 20) / pattern.len()));
        let times = length >> 20;
        let repeated = (1..times).fold(Box::new(repeated.clone()) as Box<dyn Read>, |text, _| {
            Box::new(text.chain(repeated.clone()))
        });
        repeated.chain(&b"\n1. e4 *\n"[..])
    }

    /// Endless lines and blanks are not held in memory, and the game after them is found.
    #[test]
    fn endless_blanks_need_little_memory() {
        for pattern in [
            &b" "[..],
            b"\t",
            b"\r",
            b"\n",
            b"\x1a",
            b"\xa0",
            b"\xc2\xa0",
            b"\xef\xbb\xbf",
            b"\r%",
            b"% x",
        ] {
            for (before, size) in [
                ("", 256 << 10),
                ("\n", 256 << 10),
                ("\n\n", 256 << 10),
                ("", 1000),
            ] {
                let mut cutter = Cutter::new(
                    before.as_bytes().chain(endless(pattern, 4 << 20)),
                    size,
                    1 << 20,
                    0,
                );
                let (mut block, mut found, mut most) = (Block::default(), 0, 0);
                while cutter.next(&mut block).unwrap() {
                    let mut tokens = Tokenizer::starting_at(&block.bytes, block.first);
                    while tokens.next_game() {
                        found += 1;
                    }
                    most = most.max(block.bytes.capacity() + cutter.carry.capacity());
                }
                assert!(
                    found == 1 && most < 600_000,
                    "{pattern:?} {before:?} {size}: {found} games, {most} bytes"
                );
            }
        }
    }

    /// The rest of a `%` line does not begin a game, wherever the line is cut.
    #[test]
    fn a_percent_line_is_cut_anywhere() {
        let text =
            b"1. e4 *\n\n% [Site \"x\"] 1. d4 d5 * 1. c4 * and so on and so on\n%1. f4\n1. b3 *\n%";
        for size in 1..90 {
            let mut cutter = Cutter::new(&text[..], size, 1 << 20, 0);
            let (mut block, mut whole, mut games) = (Block::default(), Vec::new(), Vec::new());
            while cutter.next(&mut block).unwrap() {
                whole.extend_from_slice(block.text());
                let mut tokens = Tokenizer::starting_at(&block.bytes, block.first);
                while tokens.next_game() {
                    games.push(block.offset as usize + tokens.offset() - block.start);
                }
            }
            assert_eq!((&*whole, &*games), (&text[..], &[0, 68][..]), "{size}");
        }
    }
}
