//! Reading one game after another with the fast board, into reused buffers.

use std::{borrow::Cow, mem, ops::Range, slice, sync::OnceLock};

use shakmaty::Outcome;

use crate::{
    Board, Game, GameError, GameErrorKind, Letters, Material, Place, Ply,
    board::Step,
    replay::{TAGS_COMPARED, contradict, gives_start, is_set_up, replay, start, states_position},
    san::has_form_of_move,
    score::{Score, Tagged},
    text::{decode, unescape},
    token::{Token, Tokenizer, Word, looks_like_move},
};

/// The data read of a game: places in the text, moves and material. It allocates only while its
/// vectors grow.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) tags: Vec<Tag>,
    deciding: DecidingTags,
    pub(crate) plies: Vec<Move>,
    /// Comments before the first move, and those of plies that have others than one behind the
    /// move.
    pub(crate) comments: Vec<Span>,
    /// The comment ranges of these plies. The first entry means that there are none.
    pub(crate) others: Vec<Others>,
    /// Number of last comments that wait for the move announced by a move number.
    waiting: usize,
    /// Number of comments before the first move.
    pub(crate) opening_comments: u32,
    pub(crate) start: Board,
    pub(crate) end: Board,
    pub(crate) result: Outcome,
    /// The text of the game: from its first token to the beginning of the next game.
    pub(crate) text: Span,
    /// Warnings about parts of the game that are kept only as text: in its tags and main line, or
    /// anywhere for [`read_all`](Self::read_all).
    pub(crate) warnings: Vec<GameError>,
    /// The letters of the pieces.
    pub(crate) letters: Letters,
    /// Whether a tag or moves of the main line may be lost.
    flawed: bool,
    /// Whether the game has text that `Board` does not check.
    unchecked: bool,
    /// The result after the moves.
    written: Option<Outcome>,
    /// Whether the last move of the main line, which is left out, cannot be played.
    pub(crate) ends_illegally: bool,
    /// Whether clocks of two parts are in minutes and seconds, once a clock of the game needs to
    /// know it.
    pub(crate) are_clocks_minutes: OnceLock<bool>,
    standard: Board,
}

/// A range of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    from: u32,
    to: u32,
}

impl Span {
    #[inline]
    fn new(from: usize, length: usize) -> Self {
        Self {
            from: from as u32,
            to: (from + length) as u32,
        }
    }

    /// Returns the range of `part`, a slice of `text`.
    #[inline]
    fn of_part(text: &[u8], part: &[u8]) -> Self {
        Self::new(part.as_ptr() as usize - text.as_ptr() as usize, part.len())
    }

    pub(crate) fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.from as usize..self.to as usize)
            .unwrap_or_default()
    }
}

/// A tag pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub(crate) name: Span,
    pub(crate) value: Span,
}

/// The values of the first tags of these names, which decide how the game is read. Looking for each
/// of them among all tags would take longer than reading these.
#[derive(Debug, Default)]
struct DecidingTags {
    fen: Option<Span>,
    variant: Option<Span>,
    set_up: Option<Span>,
    result: Option<Span>,
    /// Whether a tag of [another name](gives_start) gives a start position.
    gives_start: bool,
}

/// A move of the main line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) material: Material,
    /// The comment after the move, if the move has no other comment. Otherwise the default, an
    /// empty range at 0.
    pub(crate) comment: Span,
    pub(crate) step: Step,
    san: u32,
    /// Index into [`Record::others`] for the comments of this move; 0 for none.
    pub(crate) others: u32,
    san_length: u8,
}

/// The ranges of a ply's comments in [`Record::comments`], as indices: `before..behind` are the
/// comments before the move, `behind..end` those after it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Others {
    /// Index of the first comment before the move.
    pub(crate) before: u32,
    /// Index of the first comment after the move.
    pub(crate) behind: u32,
    /// End of the comments after the move.
    pub(crate) end: u32,
}

impl Move {
    /// Returns the move as written, without check marks.
    pub(crate) fn san(self, text: &[u8]) -> &[u8] {
        let word = Span::new(self.san as usize, usize::from(self.san_length)).of(text);
        word.strip_suffix(b"+")
            .or(word.strip_suffix(b"#"))
            .unwrap_or(word)
    }

    /// Returns the comment after the move, if the move has no other comment.
    #[inline]
    pub(crate) fn comment_alone(&self) -> &[Span] {
        if self.comment == Span::default() {
            &[]
        } else {
            slice::from_ref(&self.comment)
        }
    }
}

/// The fast board cannot read the game.
struct Refused;

impl Default for Record {
    fn default() -> Self {
        let standard = Board::default();
        Self {
            tags: Vec::new(),
            deciding: DecidingTags::default(),
            plies: Vec::new(),
            comments: Vec::new(),
            others: vec![Others::default()],
            waiting: 0,
            opening_comments: 0,
            start: standard.clone(),
            end: standard.clone(),
            result: Outcome::Unknown,
            text: Span::default(),
            warnings: Vec::new(),
            letters: Letters::English,
            flawed: false,
            unchecked: false,
            written: None,
            ends_illegally: false,
            are_clocks_minutes: OnceLock::new(),
            standard,
        }
    }
}

impl Record {
    /// Reads the game that `tokens` has entered, to its end. `text` is the text of the tokens.
    ///
    /// If the board refuses a move, the game is replayed with shakmaty, which determines the error.
    /// Lines and games in the error count from `begin`.
    pub(crate) fn read(
        &mut self,
        text: &[u8],
        tokens: &mut Tokenizer<'_>,
    ) -> Result<(), GameError> {
        self.read_as(text, tokens, false)
    }

    /// Like [`read`](Self::read), and checks variations too.
    pub(crate) fn read_all(
        &mut self,
        text: &[u8],
        tokens: &mut Tokenizer<'_>,
    ) -> Result<(), GameError> {
        self.read_as(text, tokens, true)
    }

    fn read_as(
        &mut self,
        text: &[u8],
        tokens: &mut Tokenizer<'_>,
        all: bool,
    ) -> Result<(), GameError> {
        let begin = tokens.offset();
        self.warnings.clear();
        self.letters = Letters::English;
        self.flawed = false;
        self.unchecked = false;
        self.ends_illegally = false;
        self.are_clocks_minutes.take();
        self.text = Span::new(begin, 0);
        let read = self.try_read(text, tokens.by_ref(), None);
        while tokens.next().is_some() {}
        self.text = Span::new(begin, tokens.offset() - begin);
        let is_open = tokens.depth() > 0 || tokens.unclosed().is_some();
        let is_suspect = read.is_err()
            || self.flawed
            || is_open
            || (all && (self.unchecked || self.has_two_results(text)));
        if !is_suspect {
            return Ok(());
        }
        let (game, _) = replay(
            text,
            begin,
            &Place {
                game: 1,
                line: 1,
                ..Place::default()
            },
        );
        let mut game = game?;
        let is_reported = all || game.warnings.iter().any(|warning| warning.kind.loses());
        let is_illegal = |warning: &GameError| match warning.kind {
            GameErrorKind::IllegalLastMove { is_ambiguous, .. } => !is_ambiguous,
            // Some engines send squares outside the board, such as `Qe9`.
            GameErrorKind::UnknownLastMove => has_form_of_move(warning.text.as_bytes()),
            _ => false,
        };
        self.ends_illegally = game.warnings.iter().any(is_illegal);
        self.warnings = if is_reported {
            mem::take(&mut game.warnings)
        } else {
            Vec::new()
        };
        self.letters = game.letters;
        self.result = game.result;
        if read.is_ok() && self.letters == Letters::English && self.plies.len() == game.plies.len()
        {
            return Ok(());
        }
        // As in `replay`, the text after a game does not influence its reading with other letters.
        let text = match self.letters {
            Letters::English => text,
            _ => &text[..tokens.offset()],
        };
        let mut again = Tokenizer::starting_at(text, begin).with_letters(self.letters);
        again.next_game();
        let again = self.try_read(text, &mut again, Some(&game));
        debug_assert!(
            again.is_ok(),
            "every move was found by shakmaty: nothing is left that could be refused"
        );
        self.result = game.result;
        Ok(())
    }

    /// Reads the game with the moves and the start of `known`, or by itself.
    fn try_read(
        &mut self,
        text: &[u8],
        tokens: &mut Tokenizer<'_>,
        known: Option<&Game>,
    ) -> Result<(), Refused> {
        let moves = known.map(|game| &*game.plies);
        self.tags.clear();
        self.deciding = DecidingTags::default();
        self.plies.clear();
        self.comments.clear();
        self.others.truncate(1);
        self.waiting = 0;
        self.opening_comments = 0;
        let mut written = None;
        let mut token = self.before_the_moves(text, tokens);
        match known {
            Some(game) => self.start = Board::from(game.start.position()),
            None => self.start(text)?,
        }
        self.end.clone_from(&self.start);
        // A move after a word that is not a move is an error.
        let mut stray = false;
        loop {
            match token {
                None => break,
                // The main line ended at a null move or an illegal one.
                Some(Token::Move(_))
                    if moves.is_some_and(|moves| moves.len() == self.plies.len()) =>
                {
                    if self.ends_illegally {
                        let rest = rest_of_game(tokens);
                        self.comment(text, text[rest].trim_ascii_end(), false);
                        break;
                    }
                }
                Some(Token::Move(san)) if tokens.depth() == 0 => {
                    if stray && moves.is_none() {
                        return Err(Refused);
                    }
                    self.play(text, san, moves)?;
                }
                Some(Token::Comment(comment)) if tokens.depth() == 0 => {
                    self.comment(text, comment, tokens.numbered());
                }
                Some(Token::Result(outcome)) => {
                    self.flawed |=
                        !outcome.is_known() && text.get(tokens.token_start()) != Some(&b'*');
                    written = written.or(Some(outcome));
                }
                Some(Token::Tag { name, value }) => self.tag_between_moves(text, name, value),
                Some(Token::Unknown(word)) if tokens.depth() == 0 => {
                    self.flawed |=
                        tokens.numbered() || looks_like_move(word) || has_form_of_move(word);
                    self.unchecked = true;
                    stray = true;
                    if moves.is_none()
                        && self.plies.is_empty()
                        && self.tags.is_empty()
                        && written.is_none()
                    {
                        return Err(Refused);
                    }
                }
                // Any NAG is valid.
                Some(Token::Nag(_)) => {}
                Some(_) => self.unchecked = true,
            }
            if moves.is_none() && !stray && self.waiting == 0 {
                self.usual_plies(tokens);
            }
            token = tokens.next();
        }
        if self.waiting > 0 {
            self.settle();
        }
        // A text that consists only of a damaged tag is not a game; the full reader reports the
        // reason.
        if moves.is_none()
            && self.flawed
            && self.plies.is_empty()
            && self.tags.is_empty()
            && written.is_none()
        {
            return Err(Refused);
        }
        self.written = written;
        let tagged = self.tagged_result(text);
        self.result = match written {
            Some(outcome) if outcome.is_known() => outcome,
            Some(_) => tagged.known().unwrap_or(Outcome::Unknown),
            None => tagged
                .known()
                .unwrap_or_else(|| self.commented_result(text, tokens.offset())),
        };
        self.flawed |= tagged.is_lost()
            || self.repeats_a_tag(text)
            || (tokens.first_number() > 1 && !self.has_fen(text));
        Ok(())
    }

    fn tagged_result(&self, text: &[u8]) -> Tagged {
        self.deciding
            .result
            .map_or(Tagged::Nothing, |result| Tagged::read(result.of(text)))
    }

    /// Returns the result that the last comment consists of. One in parentheses is left to the
    /// other reader, as all variations are.
    #[cold]
    fn commented_result(&mut self, text: &[u8], end: usize) -> Outcome {
        let end = text[self.text.from as usize..end].trim_ascii_end();
        let open = memchr::memrchr(b'(', end).filter(|_| end.ends_with(b")"));
        self.flawed |= open.is_some_and(|open| Score::alone(&end[open..]).is_some());
        let last = match self.plies.last() {
            Some(ply) if ply.others > 0 => self.others[ply.others as usize]
                .end
                .checked_sub(1)
                .map(|last| self.comments[last as usize]),
            Some(ply) => ply.comment_alone().first().copied(),
            None => self.comments[..self.opening_comments as usize]
                .last()
                .copied(),
        };
        match last.and_then(|comment| Score::alone(comment.of(text))) {
            Some(Score::Known(outcome)) => Outcome::Known(outcome),
            _ => Outcome::Unknown,
        }
    }

    /// Adds a tag between moves, unless it gives the start position.
    #[cold]
    fn tag_between_moves(&mut self, text: &[u8], name: &[u8], value: &[u8]) {
        self.unchecked = true;
        if ["FEN", "SetUp", "Variant"]
            .iter()
            .any(|start| name.eq_ignore_ascii_case(start.as_bytes()))
        {
            self.flawed = true;
        } else {
            self.add_tag(text, name, value);
        }
    }

    #[inline]
    fn add_tag(&mut self, text: &[u8], name: &[u8], value: &[u8]) {
        let span = Span::of_part(text, value);
        self.tags.push(Tag {
            name: Span::of_part(text, name),
            value: span,
        });
        let deciding = &mut self.deciding;
        let (first, own) = match name.len() {
            3 => (&mut deciding.fen, "FEN"),
            5 => (&mut deciding.set_up, "SetUp"),
            6 => (&mut deciding.result, "Result"),
            7 => (&mut deciding.variant, "Variant"),
            _ => {
                deciding.gives_start |= gives_start(name, value);
                return;
            }
        };
        if first.is_none() && name.eq_ignore_ascii_case(own.as_bytes()) {
            *first = Some(span);
            deciding.gives_start |= gives_start(name, value);
        }
    }

    fn has_fen(&self, text: &[u8]) -> bool {
        self.deciding
            .fen
            .is_some_and(|fen| states_position(&decode(fen.of(text))))
    }

    /// Returns whether two tags have the same name.
    fn repeats_a_tag(&self, text: &[u8]) -> bool {
        // A bit for each key that was seen, so that names are compared only if their keys share a
        // bit.
        let mut seen = [0_u64; 16];
        for (index, tag) in self.tags.iter().take(TAGS_COMPARED).enumerate() {
            let name = tag.name.of(text);
            let head = match text
                .get(tag.name.from as usize..)
                .and_then(|text| text.first_chunk())
            {
                Some(head) => u64::from_le_bytes(*head),
                None => 0,
            };
            let unused = 64u32.saturating_sub(8 * name.len().clamp(1, 8) as u32);
            // The length and the first letters, in lower case, tell nearly all names apart.
            let key = (head | 0x2020_2020_2020_2020) << unused ^ name.len() as u64;
            // The high bits of a product with an odd number depend on all bits of the key.
            let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
            let (word, bit) = (&mut seen[hash as usize / 64], 1 << (hash % 64));
            if *word & bit != 0
                && self.tags[..index]
                    .iter()
                    .any(|tag| tag.name.of(text).eq_ignore_ascii_case(name))
            {
                return true;
            }
            *word |= bit;
        }
        false
    }

    /// Returns whether the result after the moves contradicts the tag.
    fn has_two_results(&self, text: &[u8]) -> bool {
        match (self.written, self.tagged_result(text)) {
            (Some(written), Tagged::Score(Score::Known(tagged))) => {
                contradict(written, Outcome::Known(tagged))
            }
            _ => false,
        }
    }

    /// Plays moves as long as they and their comments have the usual form.
    #[inline(always)]
    fn usual_plies(&mut self, tokens: &mut Tokenizer<'_>) {
        let Some(mut start) = tokens.ply_start() else {
            return;
        };
        let before = self.plies.len();
        while let Some(ply) = tokens.ply(start) {
            let (from, to) = ply.comment;
            // Stored before the move is played, so that no register has to keep it.
            self.plies.push(Move {
                material: self.end.material(),
                comment: Span {
                    from: from as u32,
                    to: to as u32,
                },
                step: Step::default(),
                san: ply.at as u32,
                others: 0,
                san_length: ply.word.length as u8,
            });
            let Some(mv) = self.end.play_word(ply.word) else {
                if self.play_with_glyphs(ply.word) {
                    start = ply.end;
                    continue;
                }
                self.plies.pop();
                break;
            };
            start = ply.end;
            if let Some(last) = self.plies.last_mut() {
                last.material = self.end.material();
                last.step = mv.step();
            }
        }
        if let Some(last) = self.plies[before..].last() {
            tokens.pass(self.plies.len() - before, last.san as usize, start);
        }
    }

    /// Plays the last of the plies if its word is a move with glyphs behind it (`Bg4?!`), as every
    /// fourth of an analysed game. Apart from the loop that calls it, since other files have no
    /// glyphs and should not wait for a look at them.
    #[cold]
    #[inline(never)]
    fn play_with_glyphs(&mut self, word: Word) -> bool {
        let bytes = word.bytes.to_le_bytes();
        let glyphs = bytes[..word.length as usize & 7]
            .iter()
            .rev()
            .take_while(|byte| matches!(byte, b'!' | b'?'))
            .count();
        let length = word.length - glyphs as u32;
        if glyphs == 0 || length == 0 {
            return false;
        }
        let (Some(mv), Some(last)) = (
            self.end.play_word(Word { length, ..word }),
            self.plies.last_mut(),
        ) else {
            return false;
        };
        (last.material, last.step, last.san_length) =
            (self.end.material(), mv.step(), length as u8);
        true
    }

    /// Plays a move, or the next one of `moves` in its place.
    #[inline(always)]
    fn play(&mut self, text: &[u8], san: &[u8], moves: Option<&[Ply]>) -> Result<(), Refused> {
        let step = match moves {
            None => self.end.resolve(san).map_err(|_| Refused)?,
            Some(moves) => Step::from(moves.get(self.plies.len()).ok_or(Refused)?.mv),
        };
        self.end.make(step);
        let others = if self.waiting > 0 { self.others() } else { 0 };
        self.plies.push(Move {
            material: self.end.material(),
            comment: Span::default(),
            step,
            san: Span::of_part(text, san).from,
            others,
            san_length: san.len() as u8,
        });
        Ok(())
    }

    /// Assigns the waiting comments to the next move.
    #[cold]
    fn others(&mut self) -> u32 {
        let (waiting, end) = (mem::take(&mut self.waiting), self.comments.len());
        self.others.push(Others {
            before: (end - waiting) as u32,
            behind: end as u32,
            end: end as u32,
        });
        self.others.len() as u32 - 1
    }

    #[inline(always)]
    fn comment(&mut self, text: &[u8], comment: &[u8], numbered: bool) {
        let comment = Span::of_part(text, comment);
        match self.plies.last_mut() {
            Some(ply)
                if !numbered
                    && self.waiting == 0
                    && ply.others == 0
                    && ply.comment == Span::default() =>
            {
                ply.comment = comment;
            }
            _ => self.another_comment(comment, numbered),
        }
    }

    #[inline(never)]
    fn another_comment(&mut self, comment: Span, numbered: bool) {
        self.comments.push(comment);
        self.waiting += 1;
        if !numbered {
            self.settle();
        }
    }

    /// Assigns comments that wait for a move to the previous one.
    fn settle(&mut self) {
        let waiting = mem::take(&mut self.waiting);
        let Some(ply) = self.plies.last_mut() else {
            self.opening_comments = self.comments.len() as u32;
            return;
        };
        if ply.others == 0 {
            let begin = self.comments.len() - waiting;
            let first = mem::take(&mut ply.comment);
            if first != Span::default() {
                self.comments.insert(begin, first);
            }
            ply.others = self.others.len() as u32;
            self.others.push(Others {
                before: begin as u32,
                behind: begin as u32,
                end: 0,
            });
        }
        self.others[ply.others as usize].end = self.comments.len() as u32;
    }

    /// Reads the tags; returns the first token after them.
    fn before_the_moves<'a>(
        &mut self,
        text: &[u8],
        tokens: &mut Tokenizer<'a>,
    ) -> Option<Token<'a>> {
        loop {
            while let Some((name, value)) = tokens.further_tag() {
                self.add_tag(text, name, value);
            }
            let token = tokens.next();
            match token {
                Some(Token::Tag { name, value }) => {
                    self.flawed |= tokens.is_unclosed_tag();
                    self.unchecked |= tokens.is_unquoted_tag();
                    self.add_tag(text, name, value);
                }
                Some(Token::Comment(comment)) if !tokens.numbered() => {
                    self.comments.push(Span::of_part(text, comment));
                    self.opening_comments += 1;
                }
                Some(Token::Nag(_)) if !tokens.numbered() => {}
                Some(Token::DamagedTag(_)) => self.flawed = true,
                _ => return token,
            }
        }
    }

    fn start(&mut self, text: &[u8]) -> Result<(), Refused> {
        let DecidingTags {
            fen,
            variant,
            set_up,
            gives_start,
            ..
        } = self.deciding;
        if !self.has_fen(text) {
            self.flawed |= gives_start || set_up.is_some_and(|value| is_set_up(value.of(text)));
        }
        if fen.is_none() && variant.is_none() {
            self.start.clone_from(&self.standard);
            return Ok(());
        }
        let plain = |value: Span| unescape(&decode(value.of(text)));
        let variant = variant.map(plain).unwrap_or_default();
        let start = start(&variant, fen.map(plain).as_deref()).map_err(|_| Refused)?;
        self.start = Board::from(start.position());
        Ok(())
    }

    /// Returns the value of the first tag of this name, as in the text.
    pub(crate) fn tag<'a>(&self, text: &'a [u8], name: &str) -> Option<&'a [u8]> {
        let tag = self
            .tags
            .iter()
            .find(|tag| tag.name.of(text).eq_ignore_ascii_case(name.as_bytes()))?;
        Some(tag.value.of(text))
    }
}

/// Returns the text from the last token to the last one of the game that is not a result. Apart
/// from the loop over the tokens of a game, which should stay small.
#[cold]
fn rest_of_game(tokens: &mut Tokenizer<'_>) -> Range<usize> {
    let mut rest = tokens.token_start()..tokens.offset();
    while let Some(token) = tokens.any() {
        if !matches!(token, Token::Result(_)) {
            rest.end = tokens.offset();
        }
    }
    rest
}

/// Decodes the value of a tag.
pub(crate) fn value(value: &[u8]) -> Cow<'_, str> {
    match decode(value) {
        Cow::Borrowed(text) if !text.contains('\\') => Cow::Borrowed(text),
        text => Cow::Owned(unescape(&text)),
    }
}

#[cfg(test)]
mod tests;
