//! The fast path for most tokens.

use super::{
    Phase, Tokenizer,
    word::{CHECK, CLASS, JOINS, OPENS_MOVE, SECOND, WORD, brace_or_line},
};

/// The most common tokens.
pub(crate) enum Usual<'a> {
    /// [`Token::Move`].
    Move(&'a [u8]),
    /// [`Token::Comment`].
    Comment(&'a [u8]),
}

impl<'a> Tokenizer<'a> {
    /// Returns the next token, if it is a move or a short comment, as most are; skips blanks and
    /// move numbers.
    ///
    /// Returns the same tokens as [`any`](Self::any), but faster: everything is kept in registers.
    #[inline(always)]
    pub(crate) fn usual(&mut self) -> Option<Usual<'a>> {
        if self.phase != Phase::Moves {
            return None;
        }
        let bytes = self.bytes;
        let at = |pos: usize| bytes.get(pos).copied().unwrap_or(0);
        let mut pos = self.pos;
        let token = loop {
            let byte = at(pos);
            match byte {
                b' ' | b'\n' => pos += 1,
                b'1'..=b'9' => {
                    let mut dot = pos + 1;
                    while dot < pos + 3 && at(dot).is_ascii_digit() {
                        dot += 1;
                    }
                    // `12...` precedes a move of Black.
                    let dots = if at(dot + 1) == b'.' { 3 } else { 1 };
                    if at(dot) != b'.'
                        || (dots == 3 && at(dot + 2) != b'.')
                        || at(dot + dots) == b'.'
                    {
                        break None;
                    }
                    if dots == 1 && byte == b'1' && dot == pos + 1 {
                        break None;
                    }
                    self.numbered = true;
                    pos = dot + dots;
                }
                b'{' => {
                    let end = pos + 1 + brace_or_line(&bytes[pos + 1..]);
                    if at(end) != b'}' {
                        break None;
                    }
                    self.token_start = pos;
                    let text = &bytes[pos + 1..end];
                    pos = end + 1;
                    break Some(Usual::Comment(text));
                }
                b'A'..=b'z' => {
                    // Compare byte by byte. The processor can then start on the next word before
                    // the length of this one is known; waiting for the length would take longer
                    // than reading most words.
                    let mut end = pos + 2;
                    while CLASS[usize::from(at(end))] & WORD != 0 {
                        end += 1;
                    }
                    let (second, after) =
                        (CLASS[usize::from(at(pos + 1))], CLASS[usize::from(at(end))]);
                    // Checks the second character instead of the unpredictable length: in a lone
                    // `N` it is a blank, in `ep` it cannot belong to a square.
                    if CLASS[usize::from(byte)] & OPENS_MOVE == 0
                        || second & SECOND == 0
                        || after & JOINS != 0
                    {
                        break None;
                    }
                    let mut behind = end;
                    if after & CHECK != 0 {
                        if !matches!(at(end + 1), b' ' | b'\n') {
                            break None;
                        }
                        behind += 1;
                    }
                    self.token_start = pos;
                    let word = &bytes[pos..end];
                    pos = behind;
                    self.a_move(word);
                    break Some(Usual::Move(word));
                }
                _ => break None,
            }
        };
        self.pos = pos;
        token
    }
}
