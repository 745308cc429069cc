//! Tags after blank lines and between moves: whether they begin a game.

use crate::score::Score;

use super::{Tokenizer, begins_game, looks_like_move, tag::Tag};

/// Maximum number of tags compared with others, and of the bytes that they may take.
const TAGS: usize = 48;
const BYTES: usize = 8 << 10;
/// Maximum number of tags after a blank line that are looked at closely in a game. Further ones
/// belong to it. With this and the other limits, hostile text is read in linear time.
const BLOCKS: u32 = 32;
/// The same limit for tags between moves, which are few.
const BETWEEN: usize = 16;
const BETWEEN_BYTES: usize = 1 << 10;

impl<'a> Tokenizer<'a> {
    /// Returns whether the tags that begin here, after a blank line, belong to another game: one of
    /// them has the name of a tag that this game already has.
    #[cold]
    pub(super) fn begins_block(&mut self) -> bool {
        self.blocks += 1;
        if self.blocks > BLOCKS {
            return false;
        }
        let mut own: [&[u8]; TAGS] = [b""; TAGS];
        let (count, _) = self.names(self.begin, self.pos, true, &mut own);
        let mut here: [&[u8]; TAGS] = [b""; TAGS];
        let (others, end) = self.names(
            self.pos,
            self.bytes.len().min(self.pos + BYTES),
            false,
            &mut here,
        );
        self.touched_end |= end + 16 > self.bytes.len();
        // If the first tag occurs again, the next game begins there. A file may be cut at that
        // place, so the tags after it must not influence the decision.
        let next = here[..others]
            .iter()
            .skip(1)
            .position(|name| *name == here[0]);
        let others = next.map_or(others, |next| next + 1);
        let has = |name: &&[u8]| {
            own[..count]
                .iter()
                .any(|own| own.eq_ignore_ascii_case(name))
        };
        here[..others].iter().any(has)
    }

    /// Returns whether the tags that begin here, after moves, belong to this game: more moves
    /// follow them, with the next number or a later one, or on the same line.
    #[cold]
    pub(super) fn is_between_moves(&mut self) -> bool {
        // The file may be cut here, and then the tag begins a game.
        if begins_game(self.bytes, self.pos) {
            return false;
        }
        let mut names: [&[u8]; BETWEEN] = [b""; BETWEEN];
        let (count, end) = self.names(
            self.pos,
            self.bytes.len().min(self.pos + BETWEEN_BYTES),
            false,
            &mut names,
        );
        let has = |wanted: &[&str]| {
            names[..count].iter().any(|name| {
                wanted
                    .iter()
                    .any(|wanted| name.eq_ignore_ascii_case(wanted.as_bytes()))
            })
        };
        let is_other = has(&["Event", "White", "Black"]);
        if let Some(alone) = self.stand_alone(&names[..count], end) {
            return self.take_if_of_this_game(&names[..alone]);
        }
        if count == BETWEEN || has(&["FEN"]) {
            return false;
        }
        let rest = self.text_behind(end);
        let digits = rest
            .iter()
            .take(6)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let dots = rest[digits..]
            .iter()
            .take_while(|&&byte| byte == b'.')
            .take(3)
            .count();
        if digits > 0 && dots > 0 {
            let number = rest[..digits]
                .iter()
                .fold(0, |number, digit| 10 * number + u32::from(digit - b'0'));
            let is_black = dots > 1;
            let is_next = number == self.moves / 2 + 1 && is_black == (self.moves % 2 == 1);
            return (is_next && self.moves > 0) || (!is_other && (number > 1 || is_black));
        }
        let is_of_line = !self.at_line_start();
        let length = rest
            .iter()
            .take(16)
            .take_while(|byte| !byte.is_ascii_whitespace())
            .count();
        let is_end = rest
            .first()
            .map_or(is_of_line, |byte| matches!(byte, b'*' | b')'))
            || Score::prefix(rest).is_some();
        let is_attached = is_of_line || !self.after_blank_line();
        is_attached && !is_other && (is_end || looks_like_move(&rest[..length]))
    }

    /// Returns whether the tags that begin here, behind the result, belong to this game.
    #[cold]
    pub(super) fn ends_the_game(&mut self) -> bool {
        let mut names: [&[u8]; BETWEEN] = [b""; BETWEEN];
        let (count, end) = self.names(
            self.pos,
            self.bytes.len().min(self.pos + BETWEEN_BYTES),
            false,
            &mut names,
        );
        let alone = self.stand_alone(&names[..count], end);
        alone.is_some_and(|alone| self.take_if_of_this_game(&names[..alone]))
    }

    /// Returns how many of the tags with these names, which end at `end`, would form a game without
    /// moves, result or comments: after them the text ends, or a game begins. `None` if other text
    /// of their game follows.
    ///
    /// A text may be cut where a game begins, so the result must be the same whether the text ends
    /// there or continues.
    fn stand_alone(&mut self, names: &[&[u8]], end: usize) -> Option<usize> {
        // A game may begin at a tag that occurs again, so nothing from there on may decide.
        let again = (1..names.len()).find(|&index| names[..index].contains(&names[index]));
        if names.is_empty() || again.is_some() {
            return again;
        }
        if names.len() == BETWEEN {
            return None;
        }
        let rest = self.text_behind(end);
        if rest.is_empty() {
            return Some(names.len());
        }
        let begin = self.bytes.len() - rest.len();
        let mut next: [&[u8]; TAGS] = [b""; TAGS];
        let (count, end) = self.names(begin, self.bytes.len().min(begin + BYTES), false, &mut next);
        self.touched_end |= end + 16 > self.bytes.len();
        let is_behind_blank = self.is_behind_blank_line(begin);
        let begins = |next: &[&[u8]]| {
            next.first() == Some(&&b"Event"[..])
                || next
                    .iter()
                    .any(|next| names.iter().any(|own| own.eq_ignore_ascii_case(next)))
        };
        (is_behind_blank && begins(&next[..count])).then_some(names.len())
    }

    /// Returns the text from `from` on, without leading blanks. It is empty if a line follows that
    /// certainly begins a game: the text may be cut there, so nothing behind it may decide.
    fn text_behind(&mut self, from: usize) -> &'a [u8] {
        let rest = &self.bytes[from..];
        let blanks = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.touched_end |= from + blanks + 24 > self.bytes.len();
        if begins_game(self.bytes, from + blanks) {
            b""
        } else {
            &rest[blanks..]
        }
    }

    /// Returns whether the next tags, which have these names and [stand alone](Self::stand_alone),
    /// belong to the game before them rather than being one without moves: none of them names
    /// players or a start position, and the game has none of them.
    fn take_if_of_this_game(&mut self, names: &[&[u8]]) -> bool {
        const OF_ANOTHER: [&[u8]; 4] = [b"Event", b"White", b"Black", b"FEN"];
        let mut own: [&[u8]; TAGS] = [b""; TAGS];
        let (count, _) = self.names(self.begin, self.pos, true, &mut own);
        let is_other = |name: &&[u8]| {
            OF_ANOTHER
                .iter()
                .chain(&own[..count])
                .any(|other| name.eq_ignore_ascii_case(other))
        };
        let are_own = !names.iter().any(is_other);
        // The first tag of the block is read now, the others by the next calls.
        self.further_tags = if are_own { names.len() - 1 } else { 0 };
        are_own
    }

    /// Collects the names of tags from `from` to `to`: of all lines, or only of tags without a
    /// blank line between them. Returns their number and the end of the last one.
    fn names(&self, from: usize, to: usize, all: bool, names: &mut [&'a [u8]]) -> (usize, usize) {
        let to = to.min(from + BYTES);
        let (mut at, mut end, mut count, mut lines) = (from, from, 0, 0);
        while at < to && count < names.len() {
            match self.bytes[at] {
                b'[' if at > from && begins_game(self.bytes, at) => return (count, end),
                b'[' => {
                    let text = &self.bytes[at..];
                    match Tag::parse(text).or_else(|| Tag::unquoted(text)) {
                        Some(tag) => {
                            names[count] = tag.name;
                            count += 1;
                            at += tag.length;
                            end = at;
                        }
                        None if all => at += 1,
                        None => return (count, end),
                    }
                    lines = 0;
                }
                b'\n' | b'\r' => {
                    at = self.behind_line(at);
                    lines += 1;
                    if !all && lines > 1 {
                        return (count, end);
                    }
                }
                byte if byte.is_ascii_whitespace() => at += 1,
                _ if all => {
                    at = memchr::memchr2(b'\n', b'\r', &self.bytes[at..to])
                        .map_or(to, |line| at + line);
                }
                _ => return (count, end),
            }
        }
        (count, end)
    }
}
