//! PGN text cut into tokens, without a board and without a copy.

use memchr::{memchr, memchr_iter, memchr2, memmem, memrchr};
use shakmaty::{Color, KnownOutcome, Outcome};
use wide::{CmpEq, CmpGt, i8x16};

use crate::Nag;

/// A piece of a game's text. All slices are views of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `[name "value"]`; backslashes in the value still stand there.
    Tag {
        /// The tag's name.
        name: &'a [u8],
        /// What stood between the quotes.
        value: &'a [u8],
    },
    /// A move as it was written, without check marks and glyphs: `Nf3`, `e2-e4`, `0-0`, `e8Q`, `--`.
    Move(&'a [u8]),
    /// `$n`, or a glyph as `?!`, `±`, `+-`.
    Nag(Nag),
    /// The text between `{` and `}`, or after `;` to the end of the line.
    Comment(&'a [u8]),
    /// `(`: a variation, in place of the last move, begins.
    Open,
    /// `)`: the variation ends. Comes only after its `Open`.
    Close,
    /// `1-0`, `0-1`, `1/2-1/2` or `*` in the main line.
    Result(Outcome),
    /// What is none of these.
    Unknown(&'a [u8]),
}

/// Cuts bytes into [`Token`]s, game by game: the iterator ends with the game, [`next_game`](Self::next_game) goes on.
///
/// Knows no rules of chess and refuses nothing. A game ends
/// - before a tag, once it has moves or a result; among tags before one named like the first of them, and before an
///   `Event` behind a blank line;
/// - before a move or a move number, once it has a result (what else follows the result belongs to it);
/// - at a blank line followed by `1.`, if moves came before.
///
/// A line that begins with `[Event "`, with no tag on the line before, begins a game wherever it stands ([`game_start`]):
/// a comment that was never closed ends there, and a large file can be cut there. Only behind comments that open a file
/// (up to [`PREAMBLE`] bytes of them) does it go on with their game.
///
/// ```
/// use centipawn_pgn::token::{Token, Tokenizer};
///
/// let mut tokens = Tokenizer::new(b"1. e4! {best by test} 1-0  1. d4 *");
/// assert!(tokens.next_game());
/// assert_eq!(tokens.next(), Some(Token::Move(b"e4")));
/// assert_eq!(tokens.by_ref().count(), 3);             // the NAG, the comment, the result
/// assert!(tokens.next_game());
/// assert_eq!(tokens.next(), Some(Token::Move(b"d4")));
/// ```
#[derive(Clone, Debug)]
pub struct Tokenizer<'a> {
    bytes: &'a [u8],
    pos: usize,
    token_start: usize,
    /// Where the game begins.
    begin: usize,
    phase: Phase,
    depth: u32,
    moves: u32,
    numbered: bool,
    first_tag: &'a [u8],
    touched_end: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Begin,
    Tags,
    Moves,
    Result,
    Over,
}

impl<'a> Tokenizer<'a> {
    /// Before the first game of `bytes`; call [`next_game`](Self::next_game) to enter it.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            pos: 0,
            token_start: 0,
            begin: 0,
            phase: Phase::Over,
            depth: 0,
            moves: 0,
            numbered: false,
            first_tag: b"",
            touched_end: false,
        }
    }

    /// Before the first game that begins at `start` or behind it. What stands before is only looked back at, up to
    /// [`LOOK_BACK`] bytes: a game cut out of a file is read as it is there.
    pub fn starting_at(bytes: &'a [u8], start: usize) -> Self {
        Self { pos: start, token_start: start, ..Self::new(bytes) }
    }

    /// Skips what is left of this game and enters the next one; false when there is none.
    pub fn next_game(&mut self) -> bool {
        while self.next().is_some() {}
        self.skip_blank();
        self.begin = self.pos;
        self.phase = Phase::Begin;
        self.depth = 0;
        self.moves = 0;
        self.numbered = false;
        self.first_tag = b"";
        self.touched_end = false;
        if self.pos == self.bytes.len() {
            self.phase = Phase::Over;
        }
        self.phase == Phase::Begin
    }

    /// Where the text not yet looked at begins; after the last token of a game, where the next game begins.
    pub fn offset(&self) -> usize {
        self.pos
    }

    /// Where the last token begins.
    pub fn token_start(&self) -> usize {
        self.token_start
    }

    /// How many variations deep the last token stands; 0 in the main line.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether a move number stands between the last move and here.
    pub fn numbered(&self) -> bool {
        self.numbered
    }

    /// Whether more bytes could change what was said about where this game ends.
    pub fn touched_end(&self) -> bool {
        self.touched_end
    }

    #[inline]
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.pos..]
    }

    #[inline]
    fn at(&self, pos: usize) -> u8 {
        self.bytes.get(pos).copied().unwrap_or(0)
    }

    fn at_line_start(&self) -> bool {
        let before = &self.bytes[..self.pos];
        before.is_empty() || before.ends_with(b"\n") || before.ends_with(b"\r") || before == BYTE_ORDER_MARK
    }

    /// Passes white space, byte order marks and `%` lines.
    #[inline(never)]
    fn skip_blank(&mut self) {
        loop {
            match self.bytes.get(self.pos) {
                Some(b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c | 0x1a | 0xa0) => self.pos += 1,
                Some(b'%') if self.at_line_start() => self.pos = self.line_end(),
                Some(0xef) if self.rest().starts_with(BYTE_ORDER_MARK) => self.pos += 3,
                Some(0xc2) if self.at(self.pos + 1) == 0xa0 => self.pos += 2,
                _ => return,
            }
        }
    }

    fn line_end(&self) -> usize {
        memchr(b'\n', self.rest()).map_or(self.bytes.len(), |length| self.pos + length)
    }

    /// The game ends before the token that begins here.
    #[inline(never)]
    fn over(&mut self) -> Option<Token<'a>> {
        self.phase = Phase::Over;
        // No token that decides this, but for tags, looks further.
        self.touched_end |= self.bytes.len() - self.pos < 16;
        None
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let text = &self.rest()[..length];
        self.pos += length;
        text
    }

    #[inline(always)]
    fn comment(&mut self) -> Token<'a> {
        let start = self.pos + 1;
        let mut end = start;
        loop {
            end += brace_or_line(&self.bytes[end..]);
            match self.bytes.get(end) {
                None => {
                    self.pos = self.bytes.len();
                    return Token::Comment(&self.bytes[start..]);
                }
                Some(b'}') => {
                    self.pos = end + 1;
                    return Token::Comment(&self.bytes[start..end]);
                }
                Some(_) => {}
            }
            end += 1;
            if begins_game(self.bytes, end) {
                self.pos = end;
                return Token::Comment(&self.bytes[start..end]);
            }
        }
    }

    #[inline(never)]
    fn tag(&mut self) -> Option<Token<'a>> {
        let Some(tag) = Tag::parse(self.rest()) else {
            return Some(self.unknown());
        };
        let begins_game = match self.phase {
            Phase::Begin => self.pos > self.begin + PREAMBLE && begins_game(self.bytes, self.pos),
            Phase::Tags => {
                tag.name == self.first_tag
                    || (tag.name == b"Event" && (self.after_blank_line() || begins_game(self.bytes, self.pos)))
            }
            Phase::Moves | Phase::Result | Phase::Over => true,
        };
        if begins_game {
            self.touched_end |= tag.length == self.rest().len();
            return self.over();
        }
        if self.phase == Phase::Begin {
            self.phase = Phase::Tags;
            self.first_tag = tag.name;
        }
        self.pos += tag.length;
        Some(Token::Tag { name: tag.name, value: tag.value })
    }

    /// A move, or another word. `None`: nothing to tell (or the game is over).
    #[inline(always)]
    fn word(&mut self) -> Option<Token<'a>> {
        let mut end = self.pos + word_length(self.rest());
        if CLASS[usize::from(self.at(end))] & JOINS != 0 {
            end = self.long_word(end);
        }
        let word = &self.bytes[self.pos..end];
        // Not by the length, which is hard to foresee: the second letter of a lone `N` is a blank, of `ep` no square's.
        let second = self.at(self.pos + 1);
        if CLASS[usize::from(word[0])] & OPENS_MOVE == 0
            || CLASS[usize::from(second)] & SECOND == 0
            || self.phase == Phase::Result
        {
            return self.odd_word(word);
        }
        self.pos = end;
        if CLASS[usize::from(self.at(end))] & CHECK != 0 {
            self.check_marks();
        }
        Some(self.a_move(word))
    }

    /// Where a word ends that goes on at `end` perhaps.
    #[cold]
    fn long_word(&self, mut end: usize) -> usize {
        loop {
            match self.at(end) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b':' | b'@' => end += 1,
                // `e4=` judges the position, `e8=Q` promotes; `d5-+` judges, `d4-d5` moves.
                b'=' if is_promotion(self.at(end + 1)) => end += 2,
                b'-' if matches!(self.at(end + 1), b'a'..=b'h' | b'0' | b'O' | b'o') => end += 1,
                _ => return end,
            }
        }
    }

    /// A word that may be no move, or stands behind the result.
    #[cold]
    fn odd_word(&mut self, word: &'a [u8]) -> Option<Token<'a>> {
        let is_move = word.len() > 1 && CLASS[usize::from(word[0])] & OPENS_MOVE != 0;
        if self.phase == Phase::Result && is_move && looks_like_move(word) {
            return self.over();
        }
        match word {
            b"N" | b"D" => return Some(self.glyph(word.len())),
            b"ep" => self.pos += 2,
            b"e" if self.rest().starts_with(b"e.p.") => self.pos += 4,
            _ if !is_move || self.phase == Phase::Result => return Some(self.unknown()),
            _ => {
                self.pos += word.len();
                self.check_marks();
                return Some(self.a_move(word));
            }
        }
        None
    }

    /// Check marks; but `+-`, `+/-` and `+=` judge the position.
    #[inline]
    fn check_marks(&mut self) {
        loop {
            match self.at(self.pos) {
                b'#' => self.pos += 1,
                b'+' if !matches!(self.at(self.pos + 1), b'-' | b'/' | b'=' | 0xe2) => self.pos += 1,
                _ => return,
            }
        }
    }

    #[inline]
    fn a_move(&mut self, text: &'a [u8]) -> Token<'a> {
        self.phase = Phase::Moves;
        self.numbered = false;
        self.moves += u32::from(self.depth == 0);
        Token::Move(text)
    }

    /// Whatever begins with a digit: mostly a move number.
    #[inline(always)]
    fn digits(&mut self) -> Option<Token<'a>> {
        // `12. `, `7. `
        if self.phase == Phase::Moves {
            for dot in [self.pos + 1, self.pos + 2] {
                if self.at(dot) == b'.' && self.at(dot + 1) != b'.' && &self.bytes[self.pos..dot] != b"1" {
                    if dot == self.pos + 2 && !self.at(self.pos + 1).is_ascii_digit() {
                        break;
                    }
                    self.numbered = true;
                    self.pos = dot + 1;
                    return None;
                }
            }
        }
        self.any_digits()
    }

    /// Whatever begins with a digit: a result, a castling, a move number.
    #[inline(never)]
    fn any_digits(&mut self) -> Option<Token<'a>> {
        let rest = self.rest();
        if rest[0] == b'0' && (rest.starts_with(b"0-0") || rest.starts_with(b"0000")) {
            return self.word();
        }
        if matches!(self.at(self.pos + 1), b'-' | b'/') {
            for (text, outcome) in RESULTS {
                if rest.starts_with(text) {
                    return self.result(text.len(), outcome);
                }
            }
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let dots = rest[digits..].iter().take_while(|&&byte| byte == b'.').count();
        if self.phase == Phase::Result {
            return if dots > 0 { self.over() } else { Some(self.unknown()) };
        }
        if rest[0] == b'1' && (digits, dots) == (1, 1) && self.moves > 1 && self.depth == 0 && self.after_blank_line() {
            return self.over();
        }
        self.phase = Phase::Moves;
        self.numbered = true;
        self.pos += digits + dots;
        None
    }

    fn after_blank_line(&self) -> bool {
        let before = self.bytes[..self.pos].iter().rev().take_while(|byte| byte.is_ascii_whitespace());
        before.filter(|&&byte| byte == b'\n').count() > 1
    }

    #[inline(never)]
    fn result(&mut self, length: usize, outcome: Outcome) -> Option<Token<'a>> {
        let text = self.take(length);
        if self.depth > 0 {
            return Some(Token::Unknown(text));
        }
        // Further results say it again.
        let first = self.phase != Phase::Result;
        self.phase = Phase::Result;
        first.then_some(Token::Result(outcome))
    }

    fn nag(&mut self) -> Token<'a> {
        let digits = self.rest()[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = str::from_utf8(&self.rest()[1..=digits]).unwrap_or_default().parse();
        match number {
            Ok(number) => {
                self.pos += 1 + digits;
                Token::Nag(Nag(number))
            }
            Err(_) => self.unknown(),
        }
    }

    /// A glyph of at least `shortest` bytes, or an unknown word.
    fn glyph(&mut self, shortest: usize) -> Token<'a> {
        match Nag::prefix(self.rest()) {
            Some((nag, length)) if length >= shortest => {
                self.pos += length;
                Token::Nag(nag)
            }
            _ => self.unknown(),
        }
    }

    #[inline(never)]
    fn unknown(&mut self) -> Token<'a> {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}();[".contains(byte);
        let length = self.rest()[1..].iter().position(ends).map_or(self.rest().len(), |length| length + 1);
        if self.phase != Phase::Result {
            self.phase = Phase::Moves;
        }
        Token::Unknown(self.take(length))
    }
}

impl<'a> Iterator for Tokenizer<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        while self.phase != Phase::Over {
            let byte = loop {
                let byte = self.at(self.pos);
                if CLASS[usize::from(byte)] & BLANK == 0 {
                    break byte;
                }
                if byte <= b' ' {
                    self.pos += 1;
                    continue;
                }
                let here = self.pos;
                self.skip_blank();
                if self.pos == here {
                    break byte;
                }
            };
            self.token_start = self.pos;
            let token = match byte {
                b'a'..=b'z' | b'A'..=b'Z' => self.word(),
                b'{' => Some(self.comment()),
                b'0'..=b'9' => self.digits(),
                _ => self.other(byte),
            };
            if token.is_some() {
                return token;
            }
        }
        None
    }
}

impl<'a> Tokenizer<'a> {
    /// What begins neither with a letter nor with a digit and is no comment in braces.
    #[inline(never)]
    fn other(&mut self, byte: u8) -> Option<Token<'a>> {
        match byte {
            _ if self.pos == self.bytes.len() => {
                self.touched_end = true;
                self.phase = Phase::Over;
                None
            }
            b'(' => {
                self.pos += 1;
                self.depth += 1;
                self.phase = Phase::Moves;
                self.numbered = false;
                Some(Token::Open)
            }
            b')' => {
                self.pos += 1;
                let closes = self.depth > 0;
                self.depth -= u32::from(closes);
                self.numbered = false;
                closes.then_some(Token::Close)
            }
            b'[' if self.at(self.pos + 1) == b']' => Some(self.glyph(2)),
            b'[' => self.tag(),
            b'$' => Some(self.nag()),
            b'.' => {
                self.pos += 1;
                None
            }
            b';' => {
                self.pos += 1;
                Some(Token::Comment(self.take(self.line_end() - self.pos)))
            }
            b'*' => self.result(1, Outcome::Unknown),
            // `--` is a null move, `--+` a glyph.
            b'-' if self.at(self.pos + 1) == b'-' && self.at(self.pos + 2) != b'+' => {
                let text = self.take(2);
                Some(self.a_move(text))
            }
            0xc2 if self.rest().starts_with("½".as_bytes()) => {
                let length = if self.rest().starts_with("½-½".as_bytes()) { 5 } else { 2 };
                self.result(length, DRAW)
            }
            _ => Some(self.glyph(1)),
        }
    }
}

/// A tag pair, `[name "value"]`.
struct Tag<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// From `[` to behind `]`.
    length: usize,
}

impl<'a> Tag<'a> {
    /// `text` begins with `[`. Quotes within the value that were not escaped and a missing end are put up with.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let line = &text[..memchr(b'\n', text).unwrap_or(text.len())];
        let quote = memchr(b'"', line)?;
        let name = line[1..quote].trim_ascii();
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-+.:#=/".contains(byte)) {
            return None;
        }
        let value = &line[quote + 1..];
        for end in memchr_iter(b'"', value) {
            let escaped = value[..end].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
            let after = &value[end + 1..];
            let blank = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if !escaped && after.get(blank) == Some(&b']') {
                return Some(Self { name, value: &value[..end], length: quote + 1 + end + 1 + blank + 1 });
            }
        }
        let value = value.trim_ascii_end();
        let value = value.strip_suffix(b"]").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        Some(Self { name, value, length: line.len() })
    }
}

/// Where the first tag of a file that begins with `head` is, if comments stand before it that go with its first game;
/// otherwise 0.
pub(crate) fn preamble(head: &[u8]) -> u64 {
    let mut tokens = Tokenizer::new(head);
    tokens.next_game();
    let begin = tokens.offset();
    let tag = tokens.find(|token| !matches!(token, Token::Comment(_) | Token::Nag(_) | Token::Open | Token::Close));
    match tag {
        Some(Token::Tag { .. }) if tokens.token_start() <= begin + PREAMBLE => tokens.token_start() as u64,
        _ => 0,
    }
}

/// Where the first line at `from` or behind it stands that surely begins a game: it has `[Event "` in front, and the line
/// before it is no tag (or longer than [`LOOK_BACK`]).
///
/// Depends on nothing but the bytes from [`LOOK_BACK`] before such a line to its quote: wherever a file is cut, the
/// same lines are found.
pub fn game_start(bytes: &[u8], from: usize) -> Option<usize> {
    let search = from.saturating_sub(1);
    memmem::find_iter(&bytes[search..], LINE_START).map(|at| search + at + 1).find(|&start| begins_game(bytes, start))
}

/// Where the last such line at `from` or behind it stands.
pub(crate) fn last_game_start(bytes: &[u8], from: usize) -> Option<usize> {
    let search = from.saturating_sub(1);
    memmem::rfind_iter(&bytes[search..], LINE_START).map(|at| search + at + 1).find(|&start| begins_game(bytes, start))
}

/// Whether the line that begins at `start` is one that [`game_start`] finds.
#[inline]
pub(crate) fn begins_game(bytes: &[u8], start: usize) -> bool {
    bytes.get(start) == Some(&b'[')
        && start > 0
        && bytes[start - 1..].starts_with(LINE_START)
        && !behind_a_tag(bytes, start)
}

/// Whether the line before the one that begins at `start` is a tag.
fn behind_a_tag(bytes: &[u8], start: usize) -> bool {
    let end = start - 1;
    let before = &bytes[end.saturating_sub(LOOK_BACK + 1)..end];
    match memrchr(b'\n', before) {
        Some(end) => before.get(end + 1) == Some(&b'['),
        None if end <= LOOK_BACK => before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(before).starts_with(b"["),
        None => false,
    }
}

/// Bytes before a line that [`game_start`] looks back at.
pub const LOOK_BACK: usize = 4096;

/// Bytes of comments before the first tag of a file that go with its first game.
pub const PREAMBLE: usize = 4096;

/// What a line that surely begins a game begins with, the end of the one before included.
const LINE_START: &[u8] = b"\n[Event \"";

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const DRAW: Outcome = Outcome::Known(KnownOutcome::Draw);

/// Longer ones first where one begins with another.
const RESULTS: [(&[u8], Outcome); 4] = [
    (b"1-0", Outcome::Known(KnownOutcome::Decisive { winner: Color::White })),
    (b"0-1", Outcome::Known(KnownOutcome::Decisive { winner: Color::Black })),
    (b"1/2-1/2", DRAW),
    (b"1/2", DRAW),
];

/// Bytes of letters and digits `text` begins with, at most 16.
#[inline]
fn word_length(text: &[u8]) -> usize {
    let Some(chunk) = text.first_chunk::<16>() else {
        return text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    };
    // Signed comparisons: what is not ASCII is below all letters.
    let bytes = i8x16::from(chunk.map(|byte| byte as i8));
    let folded = bytes | i8x16::splat(0x20);
    let between = |bytes: i8x16, least: u8, most: u8| {
        bytes.cmp_gt(i8x16::splat(least as i8 - 1)) & i8x16::splat(most as i8 + 1).cmp_gt(bytes)
    };
    let word = between(folded, b'a', b'z') | between(bytes, b'0', b'9');
    (!word.move_mask()).trailing_zeros().min(16) as usize
}

/// Where the first `}` or line feed of `text` is, or its length.
#[inline]
fn brace_or_line(text: &[u8]) -> usize {
    // Most comments are short.
    if let Some(chunk) = text.first_chunk::<32>() {
        let (low, high) = chunk.split_at(16);
        let found = |half: &[u8]| {
            let bytes = i8x16::from(std::array::from_fn(|index| half[index] as i8));
            let wanted = bytes.cmp_eq(i8x16::splat(b'}' as i8)) | bytes.cmp_eq(i8x16::splat(b'\n' as i8));
            wanted.move_mask() as u32
        };
        let found = found(low) | found(high) << 16;
        if found != 0 {
            return found.trailing_zeros() as usize;
        }
    }
    memchr2(b'}', b'\n', text).unwrap_or(text.len())
}

const BLANK: u8 = 1;
/// Letters that a move begins with.
const OPENS_MOVE: u8 = 2;
/// The second letter of a move.
const SECOND: u8 = 16;
/// What may go on with a word of letters and digits.
const JOINS: u8 = 4;
/// A check mark, or part of a glyph.
const CHECK: u8 = 8;

/// What a byte can be. Blanks here are also the bytes that other blanks, and escape lines, begin with.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c | 0x1a | 0xa0 | b'%' | 0xef | 0xc2 => BLANK,
            b'a'..=b'h' | b'O' | b'o' | b'0' => OPENS_MOVE | JOINS | SECOND,
            b'K' | b'Q' | b'R' | b'B' | b'N' | b'P' | b'Z' => OPENS_MOVE | JOINS,
            b'1'..=b'8' | b'x' | b':' | b'-' => JOINS | SECOND,
            b'i'..=b'w' | b'y' | b'z' | b'A'..=b'Z' | b'9' | b'@' | b'=' => JOINS,
            b'+' | b'#' => CHECK,
            _ => 0,
        };
        byte += 1;
    }
    class
};

fn is_promotion(byte: u8) -> bool {
    matches!(byte, b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n')
}

/// Whether prose is unlikely to have such a word: it names a square, or castles.
fn looks_like_move(word: &[u8]) -> bool {
    let square = |pair: &[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
    word.windows(2).any(square) || word.starts_with(b"O-O") || word.starts_with(b"0-0")
}

#[cfg(test)]
mod tests;
