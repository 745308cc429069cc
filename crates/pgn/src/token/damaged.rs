//! Lines among the tags that are no tags.

use super::{Phase, Token, Tokenizer, begins_game, looks_like_move, tag::Tag};
use crate::{score::Score, spelling::unusual_move};

impl<'a> Tokenizer<'a> {
    /// Returns text before the first move that looks like a tag but is none, or that follows a tag:
    /// a [`Token::DamagedTag`]. `Some(None)` if it begins the next game instead.
    pub(super) fn damaged_tag(&mut self, byte: u8) -> Option<Option<Token<'a>>> {
        // Other tokens begin with these characters: tags, comments, variations, NAGs and unknown
        // results.
        if b"[{;$()*.".contains(&byte) || self.pos == self.bytes.len() {
            return None;
        }
        match self.phase {
            Phase::Begin | Phase::Tags if matches!(byte, b'F' | b'f') && self.at_line_start() => {
                match Tag::bare_fen(self.rest()) {
                    Some(tag) => Some(Some(self.bare_tag(&tag))),
                    None => self.damaged_line().map(|end| Some(self.damaged_up_to(end))),
                }
            }
            Phase::Begin | Phase::Tags => {
                let end = if self.at_line_start() {
                    self.damaged_line()?
                } else {
                    self.behind_a_tag()?
                };
                Some(Some(self.damaged_up_to(end)))
            }
            Phase::Moves | Phase::Result if byte.is_ascii_alphabetic() && self.may_begin_game() => {
                (names_a_tag(self.rest()) || Tag::bare_fen(self.rest()).is_some())
                    .then(|| self.over())
            }
            _ => None,
        }
    }

    /// Returns text that begins with `[` but is no tag.
    pub(super) fn damaged_bracket(&mut self) -> Option<Token<'a>> {
        match self.phase {
            Phase::Begin | Phase::Tags => {
                let line = &self.bytes[self.pos..self.line_end()];
                let end = memchr::memchr(b']', line)
                    .map_or(self.pos + line.len(), |close| self.pos + close + 1);
                Some(self.damaged_up_to(end))
            }
            _ if self.at(self.pos + 1).is_ascii_alphabetic() && self.may_begin_game() => {
                self.over()
            }
            _ => Some(self.unknown()),
        }
    }

    /// Returns a tag that is written in another way than the standard's.
    pub(super) fn bare_tag(&mut self, tag: &Tag<'a>) -> Token<'a> {
        self.phase = Phase::Tags;
        if self.first_tag.is_empty() {
            self.first_tag = tag.name;
        }
        self.pos += tag.length;
        (self.unclosed_tag, self.unquoted_tag) = (false, true);
        Token::Tag {
            name: tag.name,
            value: tag.value,
        }
    }

    fn damaged_up_to(&mut self, end: usize) -> Token<'a> {
        self.phase = Phase::Tags;
        Token::DamagedTag(self.take(end - self.pos).trim_ascii_end())
    }

    /// Returns whether a line begins here that may be the damaged first tag of the next game.
    fn may_begin_game(&self) -> bool {
        self.at_line_start() && (self.phase == Phase::Result || self.after_blank_line())
    }

    /// Returns the end of the line that begins here, if it is a damaged tag.
    fn damaged_line(&mut self) -> Option<usize> {
        if names_a_tag(self.rest()) {
            return Some(self.line_end());
        }
        if self.is_of_the_moves() {
            return None;
        }
        let end = self.line_end();
        // The next line helps to decide, so further text may change the answer.
        self.touched_end |= end + 16 > self.bytes.len();
        let line = &self.bytes[self.pos..end];
        let is_closed = |text: &[u8]| text.trim_ascii_end().ends_with(b"]");
        // The end of a tag and the next one: `…"][Event "a"]`. Without this, the first would depend
        // on where the second ends.
        let next = memchr::memchr_iter(b'[', line).find(|&next| is_closed(&line[..next]));
        if let Some(next) = next {
            return Some(self.pos + next);
        }
        let is_between = self.phase == Phase::Tags
            && !self.after_blank_line()
            && self.has_tag_of_this_game(self.behind_line(end));
        (is_closed(line) || is_between).then_some(end)
    }

    /// Returns whether a tag begins here, directly behind a line of the tags, that does not begin
    /// the next game. A text may be cut before the next game, so nothing from there on may decide.
    fn has_tag_of_this_game(&self, at: usize) -> bool {
        let Some(rest) = self.bytes.get(at..).filter(|rest| rest.starts_with(b"[")) else {
            return false;
        };
        let is_first_again = Tag::parse(rest)
            .or_else(|| Tag::unquoted(rest))
            .is_some_and(|tag| tag.name == self.first_tag);
        !is_first_again && !begins_game(self.bytes, at)
    }

    /// Returns the end of the text behind a tag on its line, unless it is of the moves: that of the
    /// line, or the next tag.
    fn behind_a_tag(&self) -> Option<usize> {
        let before = self.bytes[self.begin..self.pos]
            .iter()
            .rev()
            .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        if self.phase != Phase::Tags || before != Some(&b']') || self.is_of_the_moves() {
            return None;
        }
        let line = &self.bytes[self.pos..self.line_end()];
        Some(self.pos + memchr::memchr(b'[', line).unwrap_or(line.len()))
    }

    /// Returns whether the word here is a move, a move number or a result.
    fn is_of_the_moves(&self) -> bool {
        let word = self.rest();
        let length = word
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || b"{}();[".contains(byte));
        let word = &word[..length.unwrap_or(word.len())];
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        // `1 e4` begins a line, but `[Round "1"] 5` has a stray number.
        let is_number = digits > 0 && (word.get(digits) == Some(&b'.') || self.at_line_start());
        is_number
            || looks_like_move(word)
            || [
                &b"1-0"[..],
                b"0-1",
                b"1/2",
                b"\xc2\xbd",
                b"--",
                b"Z0",
                b"0000",
            ]
            .iter()
            .any(|known| word.starts_with(known))
            || Score::prefix(word).is_some()
            || unusual_move(word).is_some()
            || self
                .letters
                .piece(word)
                .is_some_and(|(_, length)| looks_like_move(&word[length..]))
    }
}

/// Returns whether text begins like a tag without its bracket: `Site "`.
fn names_a_tag(text: &[u8]) -> bool {
    let name = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    let blanks = text[name..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    name > 0 && text.get(name + blanks) == Some(&b'"') && !looks_like_move(&text[..name])
}
