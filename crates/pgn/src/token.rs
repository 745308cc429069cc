//! Cutting PGN text into tokens, without a board and without copying.

mod blocks;
mod damaged;
mod ply;
mod start;
mod tag;
mod usual;
mod word;

use memchr::memchr2;
use shakmaty::{Color, KnownOutcome, Outcome};

use crate::{
    Letters, Nag,
    score::Score,
    spelling::{NONE, dash, joint, promotion, unusual_move},
};
use tag::Tag;
use word::{CLASS, JOINS, OPENS_MOVE, brace_or_line, is_promotion, word_length};

pub(crate) use ply::Word;
pub(crate) use usual::Usual;

pub use start::{LOOK_BACK, PREAMBLE, game_start};
pub(crate) use start::{begins_game, last_game_start, preamble};
pub(crate) use tag::is_fen;

/// A token of a game's text. All slices borrow from the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `[name "value"]`; backslash escapes in the value are not resolved. A tag that is never
    /// closed ends with its line. The quotes may be missing, and around a FEN the brackets. A tag
    /// after moves belongs to the game if more moves follow, or if it is the last text of the game
    /// and no tag with which another game could begin.
    Tag {
        /// The tag's name.
        name: &'a [u8],
        /// The text between the quotes.
        value: &'a [u8],
    },
    /// Text before the first move that looks like a tag but is none (`[Site]`, `Site "x"]`), or
    /// that follows a tag on its line.
    DamagedTag(&'a [u8]),
    /// A move as written, without check marks and glyphs: `Nf3`, `e2-e4`, `0-0`, `O–O`, `e8Q`,
    /// `--`, `<>`.
    Move(&'a [u8]),
    /// `$n`, or a glyph such as `?!`, `±`, `+-`.
    Nag(Nag),
    /// The text between `{` and `}`, or after `;` to the end of the line.
    Comment(&'a [u8]),
    /// `(`: the beginning of a variation that replaces the previous move.
    Open,
    /// `)`: the end of a variation. Always preceded by its `Open`.
    Close,
    /// `1-0`, `0-1`, `1/2-1/2` or `*` in the main line, in any spelling: `1–0`, `½-½`, `0.5-0.5`,
    /// `+:-`. A result in which both players lose is an unknown outcome.
    Result(Outcome),
    /// Any other text.
    Unknown(&'a [u8]),
}

/// Cuts bytes into [`Token`]s, game by game: the iterator ends with the game,
/// [`next_game`](Self::next_game) enters the next.
///
/// The tokenizer does not know the rules of chess and accepts any input. A game ends
/// - before a tag, once it has moves or a result, unless more moves follow the tag, or nothing
///   of another game does; among tags, before one with the name of the first tag, and after a blank
///   line before an `Event` and before tags of which the game already has one;
/// - before a move or a move number, once it has a result (other text after the result belongs to
///   the game);
/// - at a blank line followed by `1.`, if it has moves;
/// - at a line after a result or a blank line that looks like a tag but is none.
///
/// Lines end with `\n`, `\r\n` or `\r`.
///
/// A line that begins with `[Event "`, without a tag on the line before, begins a game wherever it
/// stands ([`game_start`]): it ends even an unclosed comment, and a large file can be cut there.
/// The only exception: after comments at the beginning of a file (up to [`PREAMBLE`] bytes), it
/// continues the game of these comments.
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
    /// Offset of the game's beginning.
    begin: usize,
    phase: Phase,
    depth: u32,
    moves: u32,
    numbered: bool,
    /// The first move number of the game; 0 if there is none.
    first_number: u32,
    first_tag: &'a [u8],
    /// Number of lines after a blank line that were checked for being tags, which is limited.
    blocks: u32,
    /// Number of next tags behind the moves that are known to belong to this game.
    further_tags: usize,
    touched_end: bool,
    /// Offset of a comment's brace that is never closed.
    unclosed: Option<usize>,
    /// Whether the last [`Token::Tag`] ended with its line, without `"]`.
    unclosed_tag: bool,
    /// Whether the last [`Token::Tag`] had no quotes.
    unquoted_tag: bool,
    letters: Letters,
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
    /// Creates a tokenizer before the first game of `bytes`; call [`next_game`](Self::next_game) to
    /// enter it.
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
            first_number: 0,
            first_tag: b"",
            blocks: 0,
            further_tags: 0,
            touched_end: false,
            unclosed: None,
            unclosed_tag: false,
            unquoted_tag: false,
            letters: Letters::English,
        }
    }

    /// Returns a tokenizer before the first game that begins at or after `start`. The bytes before
    /// `start`, up to [`LOOK_BACK`] of them, serve as context only, so that a game cut out of a
    /// file is read as in the file.
    pub fn starting_at(bytes: &'a [u8], start: usize) -> Self {
        Self {
            pos: start,
            token_start: start,
            ..Self::new(bytes)
        }
    }

    /// Returns the same tokenizer for moves with other letters; the words that English letters can
    /// read stay moves.
    pub(crate) fn with_letters(self, letters: Letters) -> Self {
        Self { letters, ..self }
    }

    /// Skips the rest of this game and enters the next one; false if there is none.
    pub fn next_game(&mut self) -> bool {
        while self.next().is_some() {}
        self.skip_blank();
        self.begin = self.pos;
        self.phase = Phase::Begin;
        self.depth = 0;
        self.moves = 0;
        self.numbered = false;
        self.first_number = 0;
        self.first_tag = b"";
        self.blocks = 0;
        self.further_tags = 0;
        self.touched_end = false;
        self.unclosed = None;
        if self.pos == self.bytes.len() {
            self.phase = Phase::Over;
        }
        self.phase == Phase::Begin
    }

    /// Returns the offset of the text not yet read; after the last token of a game, of the next
    /// game.
    pub fn offset(&self) -> usize {
        self.pos
    }

    /// Returns the offset of the last token.
    pub fn token_start(&self) -> usize {
        self.token_start
    }

    /// Returns the nesting depth of variations at the last token; 0 in the main line.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns whether there is a move number between the last move and the current offset.
    pub fn numbered(&self) -> bool {
        self.numbered
    }

    /// Returns the first move number of this game; 0 if there is none.
    pub(crate) fn first_number(&self) -> u32 {
        self.first_number
    }

    /// Returns whether the last token directly follows a number with at least `least` dots.
    pub(crate) fn is_after_number(&self, least: usize) -> bool {
        let before = self.bytes[self.begin..self.token_start].trim_ascii_end();
        let dots = before
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'.')
            .count();
        let before = before[..before.len() - dots].trim_ascii_end();
        let digits = before
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let is_whole =
            before.len() == digits || !before[before.len() - digits - 1].is_ascii_alphanumeric();
        digits > 0 && is_whole && dots >= least
    }

    /// Returns whether further bytes could change where this game ends.
    pub fn touched_end(&self) -> bool {
        self.touched_end
    }

    /// Returns the offset of the brace of a comment that this game does not close.
    pub(crate) fn unclosed(&self) -> Option<usize> {
        self.unclosed
    }

    /// Returns whether the last token, a [`Token::Tag`], ended with its line, without `"]`.
    pub(crate) fn is_unclosed_tag(&self) -> bool {
        self.unclosed_tag
    }

    /// Returns whether the last token, a [`Token::Tag`], has no quotes around its value.
    pub(crate) fn is_unquoted_tag(&self) -> bool {
        self.unquoted_tag
    }

    /// Skips a piece for a promotion that is written apart from the move that was read last
    /// (`e8(Q)`, `e8 =Q`), and returns its English letter.
    pub(crate) fn promotion(&mut self) -> Option<u8> {
        let (piece, length) = promotion(self.rest(), self.letters)?;
        self.pos += length;
        self.check_marks();
        Some(piece)
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
        before.is_empty()
            || before.ends_with(b"\n")
            || before.ends_with(b"\r")
            || before == BYTE_ORDER_MARK
    }

    /// Skips white space, byte order marks and `%` lines.
    fn skip_blank(&mut self) {
        loop {
            match self.bytes.get(self.pos) {
                Some(b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c | 0x1a | 0xa0) => self.pos += 1,
                Some(b'%') if self.at_line_start() => self.pos = self.line_end(),
                Some(0xef) if self.rest().starts_with(BYTE_ORDER_MARK) => self.pos += 3,
                Some(0xc2) if matches!(self.at(self.pos + 1), 0xa0 | 0x85) => self.pos += 2,
                // Other blanks and line ends of Unicode, as text copied from web pages has them.
                Some(0xe2 | 0xe3) if is_unicode_blank(self.rest()) => self.pos += 3,
                _ => return,
            }
        }
    }

    fn line_end(&self) -> usize {
        memchr2(b'\n', b'\r', self.rest()).map_or(self.bytes.len(), |length| self.pos + length)
    }

    /// Returns the beginning of the line behind the one that ends at `end`.
    fn behind_line(&self, end: usize) -> usize {
        let returns = self.bytes[end..]
            .iter()
            .take_while(|&&byte| byte == b'\r')
            .count();
        // A file that was converted twice ends its lines with `\r\r\n`.
        if self.at(end + returns) == b'\n' {
            end + returns + 1
        } else {
            end + 1
        }
    }

    /// Ends the game before the token that begins here.
    fn over(&mut self) -> Option<Token<'a>> {
        self.phase = Phase::Over;
        // The tokens that end a game look at most 16 bytes ahead, except for tags, which set the
        // flag themselves.
        self.touched_end |= self.bytes.len() - self.pos < 16;
        None
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let text = &self.rest()[..length];
        self.pos += length;
        text
    }

    fn comment(&mut self) -> Token<'a> {
        let start = self.pos + 1;
        let mut end = start;
        loop {
            end += brace_or_line(&self.bytes[end..]);
            match self.bytes.get(end) {
                None => {
                    self.unclosed = Some(self.pos);
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
                self.unclosed = Some(self.pos);
                self.pos = end;
                return Token::Comment(&self.bytes[start..end]);
            }
        }
    }

    fn tag(&mut self) -> Option<Token<'a>> {
        let is_among_tags = matches!(self.phase, Phase::Begin | Phase::Tags);
        let in_another_form = || Tag::bare_fen(self.rest()).or_else(|| Tag::unquoted(self.rest()));
        let parsed = Tag::parse(self.rest());
        let Some(tag) = parsed.or_else(|| in_another_form().filter(|_| is_among_tags)) else {
            return self.damaged_bracket();
        };
        let begins_game = match self.phase {
            Phase::Begin => self.pos > self.begin + PREAMBLE && begins_game(self.bytes, self.pos),
            Phase::Tags if tag.name == self.first_tag => true,
            Phase::Tags if tag.name == b"Event" => {
                self.after_blank_line() || begins_game(self.bytes, self.pos)
            }
            Phase::Tags => self.after_blank_line() && self.begins_block(),
            Phase::Moves | Phase::Result if self.further_tags > 0 => {
                self.further_tags -= 1;
                false
            }
            Phase::Moves => !self.is_between_moves(),
            Phase::Result => {
                tag.name == b"Event" || begins_game(self.bytes, self.pos) || !self.ends_the_game()
            }
            Phase::Over => true,
        };
        if begins_game {
            self.touched_end |= tag.length == self.rest().len();
            return self.over();
        }
        if self.phase == Phase::Begin {
            self.phase = Phase::Tags;
        }
        // The first tag of a game may follow a damaged tag.
        if self.first_tag.is_empty() {
            self.first_tag = tag.name;
        }
        self.pos += tag.length;
        self.unclosed_tag = !tag.is_closed;
        self.unquoted_tag = !tag.is_quoted;
        Some(Token::Tag {
            name: tag.name,
            value: tag.value,
        })
    }

    /// Returns the next tag, if it certainly belongs to this game and is on the next line.
    #[inline(always)]
    pub(crate) fn further_tag(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        if self.phase != Phase::Tags || self.at(self.pos) != b'\n' || self.at(self.pos + 1) != b'['
        {
            return None;
        }
        let start = self.pos + 1;
        let tag = Tag::short(&self.bytes[start..])?;
        // These tags may begin the next game, which `tag` decides.
        if tag.name == self.first_tag || tag.name == b"Event" || self.first_tag.is_empty() {
            return None;
        }
        self.token_start = start;
        self.pos = start + tag.length;
        Some((tag.name, tag.value))
    }

    /// Returns a move or another word. `None` if the word gives no token, or the game is over.
    fn word(&mut self) -> Option<Token<'a>> {
        let mut end = self.pos + word_length(self.rest());
        if CLASS[usize::from(self.at(end))] & JOINS != 0 {
            end = self.long_word(end);
            if let Some(without) = self.without_en_passant(end) {
                let word = self.take(without);
                self.pos += en_passant(self.rest());
                self.check_marks();
                return Some(self.a_move(word));
            }
        }
        let word = &self.bytes[self.pos..end];
        let is_move = word.len() > 1
            && (CLASS[usize::from(word[0])] & OPENS_MOVE != 0 || self.is_foreign_move(word));
        if self.phase == Phase::Result && is_move && looks_like_move(word) {
            return self.over();
        }
        match word {
            b"N" | b"D" => return Some(self.glyph(word.len())),
            b"ep" => {
                self.pos = end;
                return None;
            }
            b"e" if en_passant(self.rest()) > 1 => {
                self.pos += en_passant(self.rest());
                return None;
            }
            _ if !is_move || self.phase == Phase::Result => return Some(self.unknown()),
            _ => {}
        }
        self.pos = end;
        self.check_marks();
        Some(self.a_move(word))
    }

    /// Returns whether a word is a move with other letters than English ones.
    fn is_foreign_move(&self, word: &[u8]) -> bool {
        self.letters != Letters::English
            && self.letters.piece(word).is_some()
            && looks_like_move(word)
    }

    /// Returns the end of a word that may continue at `end`.
    #[cold]
    fn long_word(&self, mut end: usize) -> usize {
        loop {
            match self.at(end) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b':' | b'@' => end += 1,
                // `e4=` evaluates the position, `e8=Q` promotes; `d5-+` evaluates, `d4-d5` moves.
                b'=' if is_promotion(self.at(end + 1)) => end += 2,
                b'=' if self.letters != Letters::English => {
                    match self.letters.piece(&self.bytes[end + 1..]) {
                        Some((_, length)) => end += 1 + length,
                        None => return end,
                    }
                }
                b'-' if matches!(self.at(end + 1), b'a'..=b'h' | b'0' | b'O' | b'o') => end += 1,
                0x80.. => match joint(&self.bytes[end..]) {
                    0 => return end,
                    length => end += length,
                },
                _ => return end,
            }
        }
    }

    /// Returns the length of the move in `exd6e.p.`, whose word ends before the point at `end`.
    #[cold]
    fn without_en_passant(&self, end: usize) -> Option<usize> {
        let word = self.bytes[self.pos..end].strip_suffix(b"e")?;
        let captures = matches!(word, [b'a'..=b'h', .., b'a'..=b'h', b'3' | b'6']);
        let is_move =
            captures && en_passant(&self.bytes[end - 1..]) > 1 && self.phase != Phase::Result;
        is_move.then_some(word.len())
    }

    /// Skips check marks; `+-`, `+/-` and `+=` are glyphs instead.
    fn check_marks(&mut self) {
        loop {
            match self.at(self.pos) {
                b'#' => self.pos += 1,
                // In print, a dagger is a check.
                0xe2 if matches!(self.rest(), [_, 0x80, 0xa0 | 0xa1, ..]) => self.pos += 3,
                b'+' if !matches!(self.at(self.pos + 1), b'-' | b'/' | b'=' | 0xe2) => {
                    self.pos += 1;
                }
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

    /// Returns a token that begins with a digit: a result, castling or a move number.
    fn digits(&mut self) -> Option<Token<'a>> {
        let rest = self.rest();
        if rest[0] == b'0'
            && (rest.starts_with(b"0-0") || rest.starts_with(b"0000") || castles(rest))
        {
            return self.word();
        }
        if let Some(result) = self.score() {
            return result;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let dots = rest[digits..]
            .iter()
            .take_while(|&&byte| byte == b'.')
            .count();
        if self.phase == Phase::Result {
            return if dots > 0 {
                self.over()
            } else {
                Some(self.unknown())
            };
        }
        if matches!(self.phase, Phase::Begin | Phase::Tags) {
            let number = rest[..digits.min(6)]
                .iter()
                .fold(0, |number, digit| 10 * number + u32::from(digit - b'0'));
            self.first_number = number;
        }
        if rest[0] == b'1'
            && (digits, dots) == (1, 1)
            && self.moves > 0
            && self.depth == 0
            && self.after_blank_line()
        {
            return self.over();
        }
        self.phase = Phase::Moves;
        self.numbered = true;
        self.pos += digits + dots;
        None
    }

    /// Returns a result that begins with a digit.
    #[inline]
    fn score(&mut self) -> Option<Option<Token<'a>>> {
        let rest = self.rest();
        let may_be = match self.at(self.pos + 1) {
            b'-' | b'/' | b':' | b',' | b' ' | b'F' | b'f' | b'K' | b'k' | 0x80.. => true,
            // Move numbers in other forms than the usual `1. `.
            b'.' => matches!(self.at(self.pos + 2), b'0' | b'5'),
            _ => false,
        };
        if !may_be {
            return None;
        }
        let (length, outcome) = usual_result(rest)
            .or_else(|| Score::prefix(rest).map(|(score, length)| (length, score.outcome())))
            .or_else(|| {
                RESULTS
                    .into_iter()
                    .find(|(text, _)| rest.starts_with(text))
                    .map(|(text, known)| (text.len(), known))
            })?;
        Some(self.result(length, outcome))
    }

    /// Returns a result of plus and minus signs, or another that does not begin with a digit. Among
    /// moves these are glyphs, unless a colon divides them.
    #[cold]
    fn signs(&mut self) -> Option<Option<Token<'a>>> {
        if self.depth > 0 || self.phase == Phase::Over {
            return None;
        }
        let (score, length) = Score::prefix(self.rest())?;
        let text = &self.rest()[..length];
        let ends = self.rest().get(length).is_none_or(u8::is_ascii_whitespace);
        let is_number = !matches!(text[0], b'+' | b'=') && dash(text) == 0;
        let is_alone = self.moves == 0 && ends && text != b"--" && text != b"=";
        (is_number || is_alone || text.contains(&b':'))
            .then(|| self.result(length, score.outcome()))
    }

    fn after_blank_line(&self) -> bool {
        self.is_behind_blank_line(self.pos)
    }

    /// Returns whether a blank line ends at `pos`, or blanks behind one.
    fn is_behind_blank_line(&self, pos: usize) -> bool {
        let before = self.bytes[..pos]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_whitespace())
            .copied();
        // From the end: the returns before a line feed belong to its line end.
        let (mut lines, mut is_fed) = (0, false);
        for byte in before {
            match byte {
                b'\n' => (lines, is_fed) = (lines + 1, true),
                b'\r' if is_fed => {}
                b'\r' => lines += 1,
                _ => is_fed = false,
            }
            if lines > 1 {
                return true;
            }
        }
        false
    }

    fn result(&mut self, length: usize, outcome: Outcome) -> Option<Token<'a>> {
        let text = self.take(length);
        if self.depth > 0 {
            return Some(Token::Unknown(text));
        }
        // Further results only repeat the first one.
        let first = self.phase != Phase::Result;
        self.phase = Phase::Result;
        // A stray mark without a meaning.
        self.pos += usize::from(matches!(self.at(self.pos), b'`' | b'\'' | b'"' | b','));
        first.then_some(Token::Result(outcome))
    }

    fn nag(&mut self) -> Token<'a> {
        let digits = self.rest()[1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number = str::from_utf8(&self.rest()[1..=digits])
            .unwrap_or_default()
            .parse();
        match number {
            Ok(number) => {
                self.pos += 1 + digits;
                Token::Nag(Nag(number))
            }
            Err(_) => self.unknown(),
        }
    }

    /// Returns a glyph of at least `shortest` bytes, or an unknown word.
    fn glyph(&mut self, shortest: usize) -> Token<'a> {
        match Nag::prefix(self.rest()) {
            Some((nag, length)) if length >= shortest => {
                self.pos += length;
                Token::Nag(nag)
            }
            _ => self.unknown(),
        }
    }

    fn unknown(&mut self) -> Token<'a> {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}();[".contains(byte);
        let length = self.rest()[1..]
            .iter()
            .position(ends)
            .map_or(self.rest().len(), |length| length + 1);
        if self.phase != Phase::Result {
            if let Some(length) = unusual_move(&self.rest()[..length]) {
                let text = self.take(length);
                self.check_marks();
                return self.a_move(text);
            }
            self.phase = Phase::Moves;
        }
        Token::Unknown(self.take(length))
    }
}

impl<'a> Iterator for Tokenizer<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        match self.usual() {
            Some(Usual::Move(text)) => Some(Token::Move(text)),
            Some(Usual::Comment(text)) => Some(Token::Comment(text)),
            None => self.any(),
        }
    }
}

impl<'a> Tokenizer<'a> {
    /// Returns the next token.
    #[inline(never)]
    pub(crate) fn any(&mut self) -> Option<Token<'a>> {
        while self.phase != Phase::Over {
            self.skip_blank();
            self.token_start = self.pos;
            let byte = self.at(self.pos);
            if let Some(damaged) = self.damaged_tag(byte) {
                return damaged;
            }
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

    /// Returns a token that begins with neither a letter nor a digit and is not a comment in
    /// braces.
    fn other(&mut self, byte: u8) -> Option<Token<'a>> {
        match byte {
            _ if self.pos == self.bytes.len() => {
                self.touched_end = true;
                self.phase = Phase::Over;
                None
            }
            b'(' if matches!(self.phase, Phase::Begin | Phase::Tags)
                && let Some(tag) = Tag::bare_fen(self.rest()) =>
            {
                Some(self.bare_tag(&tag))
            }
            // `(none)` replaces a move here. It can also be a variation in which a program found no
            // move.
            b'(' if self.numbered && self.rest().starts_with(NONE) => {
                let text = self.take(NONE.len());
                Some(self.a_move(text))
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
            b'.' if self.at(self.pos + 1) == b'5'
                && let Some(result) = self.signs() =>
            {
                result
            }
            b'.' => {
                self.pos += 1;
                None
            }
            b';' => {
                self.pos += 1;
                Some(Token::Comment(self.take(self.line_end() - self.pos)))
            }
            // `1… e5`, also in Windows-1252.
            0xe2 if self.rest().starts_with("…".as_bytes()) => {
                self.pos += 3;
                None
            }
            0x85 => {
                self.pos += 1;
                None
            }
            b'*' => self.result(1, Outcome::Unknown),
            // `exd6/e.p.`.
            b'/' if en_passant(&self.rest()[1..]) > 0 => {
                self.pos += 1 + en_passant(&self.rest()[1..]);
                None
            }
            // `--` is a null move, `--+` a glyph.
            b'-' if self.at(self.pos + 1) == b'-' && self.at(self.pos + 2) != b'+' => {
                let text = self.take(2);
                Some(self.a_move(text))
            }
            // `--` is a null move, and `½` a draw, whatever follows.
            b'+' | b'-' | b'=' | 0x96 | 0x97 | 0xbd | 0xc2 | 0xe2 | 0xef
                if let Some(result) = self.signs() =>
            {
                result
            }
            0xc2 if self.rest().starts_with("½".as_bytes()) => self.result(2, DRAW),
            0xe2 if self.letters == Letters::Figurine
                && self.letters.piece(self.rest()).is_some() =>
            {
                // A figurine has three bytes.
                let end = self.long_word(self.pos + 3);
                let text = self.take(end - self.pos);
                self.check_marks();
                Some(self.a_move(text))
            }
            _ => Some(self.glyph(1)),
        }
    }
}

/// Returns the length of `e.p.`, `e.p` or `ep` at the beginning of a text; 0 if there is none.
fn en_passant(text: &[u8]) -> usize {
    let found = [&b"e.p."[..], b"e.p", b"ep"]
        .into_iter()
        .find(|mark| text.starts_with(mark));
    let length = found.map_or(0, <[u8]>::len);
    let goes_on = length > 0
        && text[length - 1] == b'p'
        && text.get(length).is_some_and(u8::is_ascii_alphanumeric);
    if goes_on { 0 } else { length }
}

/// Returns whether text begins with a blank, a line end or a character without a width that has
/// three bytes.
fn is_unicode_blank(text: &[u8]) -> bool {
    matches!(
        text,
        [0xe2, 0x80, 0x80..=0x8f | 0xa8 | 0xa9 | 0xaf, ..]
            | [0xe2, 0x81, 0x9f | 0xa0, ..]
            | [0xe3, 0x80, 0x80, ..]
    )
}

/// Returns whether text that begins with `0` castles, with a typographic dash.
fn castles(text: &[u8]) -> bool {
    let dash = dash(&text[1..]);
    dash > 1
        && text.get(1 + dash) == Some(&b'0')
        && Score::prefix(text).is_none_or(|(score, _)| score == Score::BothLose)
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const DRAW: Outcome = Outcome::Known(KnownOutcome::Draw);

/// Each text precedes the texts that are its beginning, so that the longest one matches.
const RESULTS: [(&[u8], Outcome); 4] = [
    (
        b"1-0",
        Outcome::Known(KnownOutcome::Decisive {
            winner: Color::White,
        }),
    ),
    (
        b"0-1",
        Outcome::Known(KnownOutcome::Decisive {
            winner: Color::Black,
        }),
    ),
    (b"1/2-1/2", DRAW),
    (b"1/2", DRAW),
];

/// Returns a result as nearly all games have it, before a line end or the end of the text, and its
/// length.
fn usual_result(text: &[u8]) -> Option<(usize, Outcome)> {
    let (result, known) = RESULTS
        .into_iter()
        .find(|(result, _)| text.starts_with(result))?;
    matches!(text.get(result.len()), None | Some(b'\n' | b'\r')).then_some((result.len(), known))
}

/// Returns whether a word is unlikely in prose: it names a square, or castles.
pub(crate) fn looks_like_move(word: &[u8]) -> bool {
    let square = |pair: &[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
    word.windows(2).any(square) || word.starts_with(b"O-O") || word.starts_with(b"0-0")
}

#[cfg(test)]
mod tests;
