//! Playing the tokens of a game on a board.

use std::mem;

use centipawn_core::History;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Outcome, fen::Fen};

use crate::{
    Game, GameError, GameErrorKind, Headers, Letters, Nag, Place, Ply,
    error::MoveNumber,
    san::{Unplayable, is_prose, resolve},
    text::{cut, decode, one_line, unescape},
    token::{Token, Tokenizer, looks_like_move},
};

/// Deeper variations stay text: real files have none, and a hostile file must not exhaust the stack.
const MAX_DEPTH: u32 = 64;

/// Maximum number of moves of a game's main line, and of all its variations: many times those of large analyses, in a few dozen MiB of
/// memory.
const MAX_MOVES: usize = 200_000;

/// Maximum number of warnings kept per game, those of unclosed parts aside.
const MAX_WARNINGS: usize = 100;

/// Maximum length in bytes of the text shown of an unclosed comment or variation.
const SHOWN_UNCLOSED: usize = 40;

/// Reads the game of `text` that begins at `start`, which is `place` in the input. Also returns where the game ends.
///
/// If its main line does not make sense in English, but as a whole with other letters for the pieces, it is read so.
pub(crate) fn replay(text: &[u8], start: usize, place: &Place) -> (Result<Game, GameError>, usize) {
    let (game, end) = replay_with(Letters::English, text, start, place.clone());
    let is_whole = |game: &Game| !game.warnings.iter().any(|warning| warning.kind == GameErrorKind::UnknownLastMove);
    if game.as_ref().is_ok_and(is_whole) || !Letters::are_foreign(text, start) {
        return (game, end);
    }
    let foreign = Letters::FOREIGN.into_iter().find_map(|letters| {
        let (game, _) = replay_with(letters, text, start, place.clone());
        game.ok().filter(is_whole)
    });
    (foreign.map_or(game, Ok), end)
}

fn replay_with(letters: Letters, text: &[u8], start: usize, place: Place) -> (Result<Game, GameError>, usize) {
    let mut tokens = Tokenizer::starting_at(text, start).with_letters(letters);
    tokens.next_game();
    let mut replay = Replay {
        text,
        start,
        tokens,
        letters,
        place,
        headers: Headers::default(),
        comments: Vec::new(),
        nags: Vec::new(),
        result: None,
        result_at: start,
        warnings: Vec::new(),
        varied: 0,
    };
    let game = replay.game();
    while replay.tokens.next().is_some() {}
    (game, replay.tokens.offset())
}

/// The start position of a game with these tags.
pub(crate) fn start(variant: &str, fen: Option<&str>) -> Result<History, GameErrorKind> {
    let plain: String = variant.chars().filter(|char| char.is_alphanumeric()).collect();
    let mode = match plain.to_lowercase().as_str() {
        "" | "standard" | "chess" | "normal" | "classical" | "fromposition" => None,
        "chess960"
        | "960"
        | "frc"
        | "dfrc"
        | "fischerrandom"
        | "fischerandom"
        | "fischerrandomchess"
        | "doublefischerrandom"
        | "freestyle"
        | "freestylechess" => Some(CastlingMode::Chess960),
        _ => return Err(GameErrorKind::UnsupportedVariant { variant: cut(variant).into_owned() }),
    };
    match fen.map(str::trim) {
        None | Some("" | "?" | "startpos") => {
            Ok(History::new(Chess::default(), mode.unwrap_or(CastlingMode::Standard)))
        }
        Some(fen) => History::from_fen(fen, mode)
            .map_err(|error| GameErrorKind::BadFen { fen: cut(fen).into_owned(), reason: error.to_string() }),
    }
}

struct Replay<'a> {
    text: &'a [u8],
    /// Where the game begins in the text.
    start: usize,
    tokens: Tokenizer<'a>,
    letters: Letters,
    place: Place,
    headers: Headers,
    /// Comments before the first move.
    comments: Vec<String>,
    /// NAGs before the first move; some programs write them there.
    nags: Vec<Nag>,
    result: Option<Outcome>,
    /// Where the result begins in the text.
    result_at: usize,
    warnings: Vec<GameError>,
    /// Moves of variations read so far.
    varied: usize,
}

/// Whether the result after the moves and that of the tag are two different ones; an unknown one contradicts nothing.
pub(crate) fn contradict(written: Outcome, tagged: Outcome) -> bool {
    written.is_known() && tagged.is_known() && written != tagged
}

/// Something that is not legal.
struct Bad {
    /// Where it begins in the text.
    offset: usize,
    /// Number of bytes to show.
    length: usize,
    number: MoveNumber,
    kind: GameErrorKind,
}

/// Text in place of a move of the main line: words after the last move, or a mistyped move.
struct Stray {
    bad: Bad,
    text: Vec<u8>,
    /// Where its last word ends.
    end: usize,
    /// Whether it may stand for a move.
    loses_move: bool,
}

impl Stray {
    fn new(bad: Bad, loses_move: bool) -> Self {
        Self { end: bad.offset, bad, text: Vec::new(), loses_move }
    }
}

/// Comments and NAGs that wait for their move.
#[derive(Default)]
struct Pending {
    comments: Vec<String>,
    nags: Vec<Nag>,
}

impl Replay<'_> {
    fn game(&mut self) -> Result<Game, GameError> {
        self.before_the_moves();
        let variant = self.headers.get("Variant").unwrap_or_default();
        let fen = self.headers.get("FEN");
        let start = start(variant, fen).map_err(|kind| self.error(self.start, None, b"", kind))?;
        let mut plies = Vec::new();
        let unplaced = match self.line(start.position().clone(), 0, &mut plies) {
            Ok(unplaced) => unplaced,
            Err(mut bad) => {
                if bad.kind == GameErrorKind::NotAMove && self.is_nothing(&plies) {
                    bad.kind = GameErrorKind::NotPgn("; it begins with neither a tag nor a move");
                }
                return Err(self.report(bad));
            }
        };
        self.comments.extend(unplaced);
        let damaged = self.warnings.iter().find(|warning| warning.kind == GameErrorKind::DamagedTag);
        if let Some(damaged) = damaged.filter(|_| self.is_nothing(&plies)) {
            return Err(damaged.clone());
        }
        self.warn_of_unclosed();
        let tagged = self.headers.get("Result").and_then(|result| result.parse().ok());
        let written = self.result.filter(|result| result.is_known());
        if let (Some(written), Some(tagged)) = (written, tagged)
            && contradict(written, tagged)
        {
            let kind = GameErrorKind::ResultContradictsTag { tag: tagged.as_str() };
            let warning = self.error(self.result_at, None, written.as_str().as_bytes(), kind);
            self.keep(warning);
        }
        let result = written.or(tagged).unwrap_or(Outcome::Unknown);
        Ok(Game {
            headers: mem::take(&mut self.headers),
            start,
            comments: mem::take(&mut self.comments),
            plies,
            result,
            place: self.place.clone(),
            warnings: mem::take(&mut self.warnings),
            letters: self.letters,
        })
    }

    /// The result after the moves; the first one counts.
    fn end_with(&mut self, outcome: Outcome) {
        if self.result.is_none() {
            self.result = Some(outcome);
            self.result_at = self.tokens.token_start();
        }
    }

    /// Warns of a comment or a variation that the game leaves open.
    fn warn_of_unclosed(&mut self) {
        while self.tokens.next().is_some() {}
        let (comment, depth) = (self.tokens.unclosed(), self.tokens.depth());
        let mut opened = Vec::new();
        if depth > 0 {
            let mut tokens = Tokenizer::starting_at(self.text, self.start).with_letters(self.letters);
            tokens.next_game();
            while let Some(token) = tokens.next() {
                match token {
                    Token::Open => opened.push(tokens.token_start()),
                    Token::Close => drop(opened.pop()),
                    _ => {}
                }
            }
        }
        let variation = opened.first().map(|&offset| (offset, GameErrorKind::UnclosedVariation));
        let comment = comment.map(|offset| (offset, GameErrorKind::UnclosedComment));
        for (offset, kind) in variation.into_iter().chain(comment) {
            let end = self.tokens.offset().min(offset + SHOWN_UNCLOSED);
            let line = self.text[offset..end].split(|&byte| byte == b'\n').next().unwrap_or_default();
            let warning = self.error(offset, None, line, kind);
            self.warnings.push(warning);
        }
    }

    /// Reads the tags, and the comments and NAGs among and after them.
    fn before_the_moves(&mut self) {
        loop {
            let here = self.tokens.clone();
            match self.tokens.next() {
                Some(Token::Tag { name, value }) => {
                    self.headers.push(decode(name), unescape(&decode(value)));
                    if self.tokens.is_unclosed_tag() {
                        let tag = self.tokens.token_start()..self.tokens.offset();
                        let text = self.text[tag.clone()].trim_ascii_end();
                        let warning = self.error(tag.start, None, text, GameErrorKind::UnclosedTag);
                        self.keep(warning);
                    }
                }
                Some(Token::Comment(text)) if !self.tokens.numbered() => self.comments.extend(comment(text)),
                Some(Token::Nag(nag)) if !self.tokens.numbered() => self.nags.push(nag),
                Some(Token::DamagedTag(text)) => {
                    let offset = self.tokens.token_start();
                    let warning = self.error(offset, None, text, GameErrorKind::DamagedTag);
                    self.keep(warning);
                }
                _ => {
                    self.tokens = here;
                    return;
                }
            }
        }
    }

    /// Reads the moves of a line to its end. Returns comments that belong to no move.
    fn line(&mut self, mut position: Chess, depth: u32, plies: &mut Vec<Ply>) -> Result<Vec<String>, Bad> {
        let mut before = position.clone();
        let mut pending = Pending { comments: Vec::new(), nags: mem::take(&mut self.nags) };
        let mut stray: Option<Stray> = None;
        while let Some(token) = self.tokens.next() {
            let ahead = self.tokens.numbered();
            match token {
                // "White lost on time": "on" begins as moves do.
                Token::Move(text) if stray.is_some() && is_prose(text) => {
                    if let Some(stray) = &mut stray {
                        self.stray_word(stray);
                    }
                }
                Token::Move(text) => {
                    if let Some(stray) = stray {
                        return Err(stray.bad);
                    }
                    let moves = if depth == 0 { plies.len() } else { self.varied };
                    if moves == MAX_MOVES {
                        settle(pending, plies);
                        let (offset, length) = (self.tokens.token_start(), text.len());
                        let (number, kind) =
                            (MoveNumber::next(&position), GameErrorKind::TooManyMoves { limit: MAX_MOVES });
                        return Err(Bad { offset, length, number, kind });
                    }
                    self.varied += usize::from(depth > 0);
                    let mv = match self.resolve(text, &position, depth) {
                        Ok(mv) => mv,
                        Err(Unplayable::Null) if depth == 0 => {
                            let text = self.end_at_null(text.len(), &position);
                            pending.comments.push(text);
                            break;
                        }
                        Err(Unplayable::NotAMove) if depth == 0 && is_prose(text) && !self.is_nothing(plies) => {
                            // "Black wins". The beginning of a move alone (`Nf`, `ex`) is none either, but stands for one.
                            let is_move = self.tokens.is_after_number(0)
                                || text.iter().all(|byte| b"abcdefgh12345678KQRBNPxO".contains(byte));
                            let bad = self.unplayable(Unplayable::NotAMove, text.len(), &position);
                            self.stray_word(stray.insert(Stray::new(bad, is_move)));
                            continue;
                        }
                        Err(why) => {
                            // They belong to the moves that could be read.
                            settle(pending, plies);
                            return Err(self.unplayable(why, text.len(), &position));
                        }
                    };
                    let Pending { comments, nags } = mem::take(&mut pending);
                    let ply = Ply { nags, comments_before: comments, ..Ply::new(mv) };
                    before.clone_from(&position);
                    ply.play(&mut position);
                    plies.push(ply);
                }
                Token::Comment(text) => match plies.last_mut() {
                    Some(ply) if !ahead => ply.comments.extend(comment(text)),
                    None if !ahead && depth == 0 => self.comments.extend(comment(text)),
                    _ => pending.comments.extend(comment(text)),
                },
                // The `!` of "agreed!".
                Token::Nag(_) if stray.as_ref().is_some_and(|stray| stray.end == self.tokens.token_start()) => {
                    if let Some(stray) = &mut stray {
                        self.stray_word(stray);
                    }
                }
                Token::Nag(nag) => match plies.last_mut() {
                    Some(ply) if !ahead => ply.nags.push(nag),
                    _ => pending.nags.push(nag),
                },
                Token::Open => match plies.last_mut() {
                    Some(ply) if depth < MAX_DEPTH => self.variation(ply, before.clone(), depth),
                    _ => {
                        let kind = match plies.is_empty() {
                            true => GameErrorKind::NothingToVary,
                            false => GameErrorKind::TooDeep { limit: MAX_DEPTH },
                        };
                        let offset = self.tokens.token_start();
                        let text = format!("({})", self.skip_variation(self.tokens.offset(), depth));
                        let length = self.tokens.offset() - offset;
                        self.warn(Bad { offset, length, number: MoveNumber::next(&position), kind });
                        match plies.last_mut() {
                            Some(ply) => ply.comments.push(text),
                            None if depth == 0 => self.comments.push(text),
                            None => pending.comments.push(text),
                        }
                    }
                },
                Token::Close => break,
                Token::Result(outcome) => self.end_with(outcome),
                Token::Unknown(text) => {
                    let stray = match &mut stray {
                        // "agreed after 30 moves" has no number of a move.
                        Some(stray) => {
                            stray.loses_move |= self.tokens.is_after_number(1) || looks_like_move(text);
                            stray
                        }
                        none => {
                            let bad = self.unplayable(Unplayable::NotAMove, text.len(), &position);
                            if depth > 0 || self.is_nothing(plies) {
                                settle(pending, plies);
                                return Err(bad);
                            }
                            none.insert(Stray::new(bad, ahead || looks_like_move(text)))
                        }
                    };
                    self.stray_word(stray);
                }
                // The tokenizer returns no tags once the moves have begun.
                Token::Tag { .. } | Token::DamagedTag(_) => {}
            }
        }
        if let Some(Stray { bad, text, loses_move, .. }) = stray {
            // Words after the last move: "White resigns".
            let kind = if loses_move { GameErrorKind::UnknownLastMove } else { GameErrorKind::TextAfterMoves };
            self.warn(Bad { kind, ..bad });
            pending.comments.extend(comment(&text));
        }
        Ok(settle(pending, plies))
    }

    /// Adds the last token to the text. What the tokenizer leaves out between words, such as numbers, belongs to it.
    fn stray_word(&self, stray: &mut Stray) {
        let (start, end) = (self.tokens.token_start(), self.tokens.offset());
        let between = &self.text[stray.end..start];
        let is_kept = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_digit() || *byte == b'.';
        stray.text.extend_from_slice(if between.iter().all(is_kept) { between } else { b" " });
        stray.text.extend_from_slice(&self.text[start..end]);
        stray.end = end;
    }

    /// The legal move that `text` means with these letters, or in a variation a null move.
    fn resolve(&self, text: &[u8], position: &Chess, depth: u32) -> Result<Move, Unplayable> {
        let resolved = match self.letters {
            Letters::English => resolve(text, position),
            letters => resolve(&letters.english(text).ok_or(Unplayable::NotAMove)?, position),
        };
        match resolved {
            Err(Unplayable::Null) if depth > 0 => Ply::null_move(position).ok_or(Unplayable::Illegal),
            resolved => resolved,
        }
    }

    /// Ends the main line at a null move; returns the text of the moves from it on.
    fn end_at_null(&mut self, length: usize, position: &Chess) -> String {
        let offset = self.tokens.token_start();
        self.warn(Bad { offset, length, number: MoveNumber::next(position), kind: GameErrorKind::NullMove });
        let mut end = self.tokens.offset();
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Result(outcome) => self.end_with(outcome),
                _ => end = self.tokens.offset(),
            }
        }
        one_line(&decode(&self.text[offset..end])).into_owned()
    }

    /// Reads a variation on `ply`, after its `(`. The illegal part becomes a comment.
    fn variation(&mut self, ply: &mut Ply, before: Chess, depth: u32) {
        let mut line = Vec::new();
        match self.line(before, depth + 1, &mut line) {
            Ok(unplaced) => ply.comments.extend(unplaced),
            Err(bad) => {
                let text = self.skip_variation(bad.offset, depth);
                self.warn(bad);
                match line.last_mut() {
                    Some(last) => last.comments.push(text),
                    None => ply.comments.push(format!("({text})")),
                }
            }
        }
        if !line.is_empty() {
            // Most variations have a move or two: room for more would be most of a large game's memory.
            line.shrink_to_fit();
            ply.variations.push(line);
        }
    }

    /// Skips the rest of the variation at depth `depth` + 1; returns its text from `offset`.
    fn skip_variation(&mut self, offset: usize, depth: u32) -> String {
        let mut end = self.tokens.offset();
        while self.tokens.depth() > depth {
            let more = self.tokens.next().is_some();
            end = if more { self.tokens.token_start() } else { self.tokens.offset() };
            if !more {
                break;
            }
        }
        one_line(&decode(&self.text[offset..end.max(offset)])).into_owned()
    }

    /// Whether nothing of a game has been read so far.
    fn is_nothing(&self, plies: &[Ply]) -> bool {
        plies.is_empty() && self.headers.is_empty() && self.result.is_none()
    }

    /// The error for the last token, which is not legal in `position`; `length` bytes are shown.
    fn unplayable(&self, why: Unplayable, length: usize, position: &Chess) -> Bad {
        let fen = || Fen::from_position(position, EnPassantMode::Legal).to_string();
        let kind = match why {
            Unplayable::Illegal => GameErrorKind::IllegalMove { fen: fen() },
            Unplayable::Ambiguous => GameErrorKind::AmbiguousMove { fen: fen() },
            Unplayable::Null => GameErrorKind::NullMove,
            Unplayable::NotAMove => GameErrorKind::NotAMove,
        };
        Bad { offset: self.tokens.token_start(), length, number: MoveNumber::next(position), kind }
    }

    fn warn(&mut self, bad: Bad) {
        // Its line is not counted in vain: a hostile game has a million of them.
        if self.warnings.len() >= MAX_WARNINGS && !ends_the_line(&bad.kind) {
            return;
        }
        let warning = self.report(bad);
        self.keep(warning);
    }

    /// Keeps a warning, unless there are enough already.
    fn keep(&mut self, warning: GameError) {
        if self.warnings.len() < MAX_WARNINGS || ends_the_line(&warning.kind) {
            self.warnings.push(warning);
        }
    }

    fn report(&self, bad: Bad) -> GameError {
        let text = &self.text[bad.offset..bad.offset + bad.length];
        self.error(bad.offset, Some(bad.number), text, bad.kind)
    }

    fn error(&self, offset: usize, number: Option<MoveNumber>, text: &[u8], kind: GameErrorKind) -> GameError {
        let lines = memchr::memchr_iter(b'\n', &self.text[self.start..offset]).count();
        // A character has at most four bytes; decoding the rest of a large game would be wasted.
        let text = decode(&text[..text.len().min(4 * GameError::SHOWN)]);
        GameError {
            game: self.place.game,
            line: self.place.line + lines as u64,
            number,
            text: one_line(&text).chars().take(GameError::SHOWN).collect(),
            kind,
        }
    }
}

/// Whether it loses the rest of the main line, so that it is always named.
fn ends_the_line(kind: &GameErrorKind) -> bool {
    matches!(kind, GameErrorKind::UnknownLastMove | GameErrorKind::NullMove)
}

/// Assigns what waits for a move to the last move; without one, the comments are returned.
fn settle(pending: Pending, plies: &mut [Ply]) -> Vec<String> {
    match plies.last_mut() {
        Some(ply) => {
            ply.comments.extend(pending.comments);
            ply.nags.extend(pending.nags);
            Vec::new()
        }
        None => pending.comments.into_iter().chain(pending.nags.iter().map(ToString::to_string)).collect(),
    }
}

fn comment(text: &[u8]) -> Option<String> {
    let text = decode(text);
    let text = one_line(&text);
    (!text.is_empty()).then(|| text.into_owned())
}
