//! Playing the tokens of a game on a board.

use std::{borrow::Cow, mem, ops::Range};

use centipawn_core::History;
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, Move, Outcome, Position, Rank, Role, Square, fen::Fen,
};

use crate::{
    FenSign, Game, GameError, GameErrorKind, Headers, Letters, Nag, Place, Ply,
    dialect::Detector,
    error::MoveNumber,
    players::players,
    san::{Unplayable, Written, has_form_of_move, is_prose, parse, resolve},
    score::{Score, Tagged},
    text::{cut, decode, line_ends, one_line, unescape},
    token::{Token, Tokenizer, is_fen, looks_like_move},
};

/// Deeper variations stay text: real files have none, and a hostile file must not exhaust the
/// stack.
const MAX_DEPTH: u32 = 64;

/// Maximum number of moves of a game's main line, and of all its variations: many times those of
/// large analyses, in a few dozen MiB of memory.
const MAX_MOVES: usize = 200_000;

/// Maximum number of warnings kept per game, not counting those about unclosed parts.
const MAX_WARNINGS: usize = 100;

/// Number of tags of a game whose names are compared. Comparing those of a hostile game would take
/// quadratic time.
pub(crate) const TAGS_COMPARED: usize = 64;

/// Maximum length in bytes of the text shown of an unclosed comment or variation.
const SHOWN_UNCLOSED: usize = 40;

/// Reads the game of `text` that begins at `start`, which is `place` in the input. Also returns
/// where the game ends.
///
/// If its main line does not make sense in English, but as a whole with other letters for the
/// pieces, it is read so; and so if it makes sense only from the position in a tag that is not
/// named FEN.
pub(crate) fn replay(text: &[u8], start: usize, place: &Place) -> (Result<Game, GameError>, usize) {
    let (game, end) = replay_with(Letters::English, text, start, place.clone(), StartTags::Fen);
    let lacks_moves = |game: &Game| {
        game.warnings
            .iter()
            .any(|warning| ends_the_line(&warning.kind))
    };
    if game.as_ref().map_or(true, lacks_moves) && has_start_in_other_tag(text, start) {
        let (other, _) = replay_with(Letters::English, text, start, place.clone(), StartTags::Any);
        if other.as_ref().is_ok_and(|other| !lacks_moves(other)) {
            return (other, end);
        }
    }
    let is_whole = |game: &Game| {
        !game
            .warnings
            .iter()
            .any(|warning| warning.kind == GameErrorKind::UnknownLastMove)
    };
    if game.as_ref().is_ok_and(is_whole) || !Letters::are_foreign(text, start) {
        return (game, end);
    }
    // Files are cut into games by their English reading, and the letters change which words are
    // moves. So the text after this game must not influence the other readings.
    let text = &text[..end];
    let foreign = Letters::FOREIGN.into_iter().find_map(|letters| {
        let (game, _) = replay_with(letters, text, start, place.clone(), StartTags::Fen);
        game.ok().filter(is_whole)
    });
    (foreign.map_or(game, Ok), end)
}

/// Tags from which a start position is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StartTags {
    /// Only the tag `FEN`, as the PGN standard defines it.
    Fen,
    /// Also tags with [other names](gives_start).
    Any,
}

/// Returns whether a tag with another name than FEN gives a position in which the game may begin.
/// Names of the last position, such as Chess.com's CurrentPosition, do not count.
pub(crate) fn gives_start(name: &[u8], value: &[u8]) -> bool {
    const NAMES: [&[u8]; 6] = [
        b"Position",
        b"StartFEN",
        b"InitialFEN",
        b"StartPosition",
        b"InitialPosition",
        b"SetUp",
    ];
    // Compare the first letters before the whole name, because they differ for most tags.
    let may_be =
        matches!(name.first(), Some(b'P' | b'p' | b'S' | b's' | b'I' | b'i')) && name.len() > 4;
    may_be && NAMES.iter().any(|own| name.eq_ignore_ascii_case(own)) && is_fen(value.trim_ascii())
}

/// Returns whether the game that begins at `start` has such a tag.
fn has_start_in_other_tag(text: &[u8], start: usize) -> bool {
    let mut tokens = Tokenizer::starting_at(text, start);
    tokens.next_game();
    tokens
        .take_while(|token| {
            matches!(
                token,
                Token::Tag { .. } | Token::DamagedTag(_) | Token::Comment(_)
            )
        })
        .any(|token| matches!(token, Token::Tag { name, value } if gives_start(name, value)))
}

fn replay_with(
    letters: Letters,
    text: &[u8],
    start: usize,
    place: Place,
    start_tags: StartTags,
) -> (Result<Game, GameError>, usize) {
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
        result_tag: None,
        fen_tag: None,
        variant_tag: None,
        start_tags,
        other_start: None,
        tags: 0,
        both_lose: false,
        warnings: Vec::new(),
        varied: 0,
    };
    let game = replay.game();
    while replay.tokens.next().is_some() {}
    (game, replay.tokens.offset())
}

/// Returns the start position of a game with these tags.
pub(crate) fn start(variant: &str, fen: Option<&str>) -> Result<History, GameErrorKind> {
    let plain: String = variant
        .chars()
        .filter(|char| char.is_alphanumeric())
        .collect();
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
        _ => {
            return Err(GameErrorKind::UnsupportedVariant {
                variant: cut(variant).into_owned(),
            });
        }
    };
    match fen.map(str::trim) {
        None | Some("" | "?" | "startpos") => Ok(History::new(
            Chess::default(),
            mode.unwrap_or(CastlingMode::Standard),
        )),
        Some(fen) => History::from_fen(&plain_fen(fen).unwrap_or_else(|| fen.to_owned()), mode)
            .map_err(|error| GameErrorKind::BadFen {
                fen: cut(fen).into_owned(),
                reason: error.to_string(),
            }),
    }
}

/// Returns the FEN of a line in the format EPD, whose operations follow the first four fields, as
/// match programs copy it into the tag: `… w KQkq - hmvc 1; fmvn 7;`, also behind a complete FEN.
/// `None` for any other text.
pub(crate) fn plain_fen(text: &str) -> Option<String> {
    let fields: Vec<&str> = text.split_whitespace().take(7).collect();
    let is_number = |index: usize| {
        fields
            .get(index)
            .is_some_and(|field| field.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let first = fields.get(..4)?.join(" ");
    match fields.len() {
        4 => None,
        5 | 6 if is_number(4) && (fields.len() == 5 || is_number(5)) => None,
        7 if is_number(4) && is_number(5) => Some(format!("{first} {} {}", fields[4], fields[5])),
        _ => {
            let operand = |name: &str| {
                let mut words = text.split_whitespace().skip(4);
                words.by_ref().find(|word| *word == name)?;
                words.next()?.trim_end_matches(';').parse::<u32>().ok()
            };
            let (halfmoves, fullmoves) = (
                operand("hmvc").unwrap_or(0),
                operand("fmvn").unwrap_or(1).max(1),
            );
            Some(format!("{first} {halfmoves} {fullmoves}"))
        }
    }
}

/// Returns whether the value of a tag `FEN` states a position.
pub(crate) fn states_position(fen: &str) -> bool {
    !matches!(fen.trim(), "" | "?")
}

/// Returns whether the value of a tag `SetUp` states that the game begins from another position
/// than the usual one.
pub(crate) fn is_set_up(value: &[u8]) -> bool {
    value.trim_ascii() == b"1"
}

struct Replay<'a> {
    text: &'a [u8],
    /// Offset in the text at which the game begins.
    start: usize,
    tokens: Tokenizer<'a>,
    letters: Letters,
    place: Place,
    headers: Headers,
    /// Comments before the first move.
    comments: Vec<String>,
    /// NAGs before the first move, where some programs write them.
    nags: Vec<Nag>,
    result: Option<Outcome>,
    /// Offset in the text at which the result begins.
    result_at: usize,
    /// Range of the tag `Result` in the text.
    result_tag: Option<Range<usize>>,
    /// Offset in the text at which the tag `FEN` begins.
    fen_tag: Option<usize>,
    variant_tag: Option<usize>,
    start_tags: StartTags,
    /// The first tag that [gives a start position](gives_start) although it is not named FEN: its
    /// name, its value and its place.
    other_start: Option<(String, String, Range<usize>)>,
    /// Number of tags.
    tags: usize,
    /// Whether the result after the moves is one in which both players lose, or another that PGN
    /// does not have.
    both_lose: bool,
    warnings: Vec<GameError>,
    /// Number of moves of variations read so far.
    varied: usize,
}

/// Returns whether the result after the moves and that of the tag are two different ones; an
/// unknown one contradicts nothing.
pub(crate) fn contradict(written: Outcome, tagged: Outcome) -> bool {
    written.is_known() && tagged.is_known() && written != tagged
}

/// Text that is not a legal move.
struct Bad {
    /// Offset at which it begins in the text.
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
    /// Offset at which its last word ends.
    end: usize,
    /// Whether the text may stand in place of a move of the main line.
    loses_move: bool,
}

impl Stray {
    fn new(bad: Bad, loses_move: bool) -> Self {
        Self {
            end: bad.offset,
            bad,
            text: Vec::new(),
            loses_move,
        }
    }
}

/// Comments and NAGs that belong to the next move.
#[derive(Default)]
struct Pending {
    comments: Vec<String>,
    nags: Vec<Nag>,
}

impl Replay<'_> {
    fn game(&mut self) -> Result<Game, GameError> {
        self.before_the_moves();
        if let Some(text) = self.headers.get("FEN").map(str::to_owned)
            && let Some(fen) = plain_fen(&text)
        {
            // Other programs cannot read the tag in this form. Keep its operations in a separate
            // tag.
            self.headers.set("FEN", fen);
            self.headers.set("EPD", text);
        }
        if self.headers.get("FEN").is_some_and(states_position) {
            self.other_start = None;
        }
        if self.start_tags == StartTags::Any
            && let Some((_, fen, place)) = self.other_start.take()
        {
            self.headers.set("FEN", fen);
            self.note(place, GameErrorKind::FenInOtherTag);
        }
        let variant = self.headers.get("Variant").unwrap_or_default();
        let fen = self.headers.get("FEN");
        let start = start(variant, fen).map_err(|kind| {
            let at = match kind {
                GameErrorKind::BadFen { .. } => self.fen_tag,
                _ => self.variant_tag,
            };
            self.error(at.unwrap_or(self.start), None, b"", kind)
        })?;
        let mut plies = Vec::new();
        let unplaced = match self.line(start.position().clone(), 0, &mut plies) {
            Ok(unplaced) => unplaced,
            Err(mut bad) => {
                if bad.kind == GameErrorKind::NotAMove && self.is_nothing(&plies) {
                    bad.kind = GameErrorKind::NotPgn("; it begins with neither a tag nor a move");
                }
                if matches!(bad.kind, GameErrorKind::IllegalMove { .. })
                    && let Some(sign) = self.other_start_sign()
                {
                    bad.kind = GameErrorKind::UnknownStart { sign };
                }
                return Err(self.report(bad));
            }
        };
        self.comments.extend(unplaced);
        let damaged = self
            .warnings
            .iter()
            .find(|warning| warning.kind == GameErrorKind::DamagedTag);
        if let Some(damaged) = damaged.filter(|_| self.is_nothing(&plies)) {
            return Err(damaged.clone());
        }
        self.warn_of_unclosed();
        self.warn_of_missing_fen(&start, &plies);
        let result = self.outcome(&plies);
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

    /// Sets the result after the moves. If a game has several, the first one counts.
    fn end_with(&mut self, outcome: Outcome) {
        if self.result.is_none() {
            self.result = Some(outcome);
            self.result_at = self.tokens.token_start();
            self.both_lose = !outcome.is_known() && self.text.get(self.result_at) != Some(&b'*');
        }
    }

    fn tagged(&self) -> Tagged {
        self.headers
            .get("Result")
            .map_or(Tagged::Nothing, |result| Tagged::read(result.as_bytes()))
    }

    /// Returns the result: the one after the moves, or that of the tag, or one that the last
    /// comment consists of.
    fn outcome(&mut self, plies: &[Ply]) -> Outcome {
        let (written, tagged) = (
            self.result.filter(|result| result.is_known()),
            self.tagged(),
        );
        if let Some(written) = written {
            let tag = match tagged {
                Tagged::Score(Score::Known(tagged))
                    if contradict(written, Outcome::Known(tagged)) =>
                {
                    Some(Outcome::Known(tagged).as_str())
                }
                Tagged::Score(Score::BothLose) => Some("0-0"),
                _ => None,
            };
            if let Some(tag) = tag {
                let kind = GameErrorKind::ResultContradictsTag { tag };
                let warning = self.error(self.result_at, None, written.as_str().as_bytes(), kind);
                self.keep(warning);
            }
            return written;
        }
        if let Some(tagged) = tagged.known() {
            return tagged;
        }
        let last = plies
            .last()
            .map_or(&self.comments, |ply| &ply.comments)
            .last()
            .filter(|_| self.result.is_none());
        if let Some(Score::Known(outcome)) =
            last.and_then(|comment| Score::alone(comment.as_bytes()))
        {
            return Outcome::Known(outcome);
        }
        let place = match &self.result_tag {
            _ if self.both_lose => {
                let rest = &self.text[self.result_at..];
                let length = Score::prefix(rest).map_or(1, |(_, length)| length);
                Some((
                    self.result_at..self.result_at + length,
                    Tagged::read(&rest[..length]),
                ))
            }
            Some(place) if tagged.is_lost() => Some((place.clone(), tagged)),
            _ => None,
        };
        if let Some((place, lost)) = place {
            let kind = match lost {
                Tagged::Score(Score::BothLose) => GameErrorKind::DoubleForfeit,
                _ => GameErrorKind::UnreadableResult,
            };
            self.note(place, kind);
        }
        Outcome::Unknown
    }

    /// Warns of a game whose moves or tags show that it begins from another position than the usual
    /// one, which no tag FEN gives. A tag may also give the position in which the game ends.
    fn warn_of_missing_fen(&mut self, start: &History, plies: &[Ply]) {
        if plies.is_empty() || self.headers.get("FEN").is_some_and(states_position) {
            return;
        }
        if let Some((name, fen, place)) = self.other_start.take() {
            let mut end = start.position().clone();
            plies.iter().for_each(|ply| ply.play(&mut end));
            let ranks = |fen: &str| fen.split_whitespace().next().unwrap_or_default().to_owned();
            let is_start_or_end = [start.position(), &end]
                .iter()
                .any(|position| position.board().to_string() == ranks(&fen));
            if !is_start_or_end {
                self.note(
                    place,
                    GameErrorKind::MissingFen {
                        sign: FenSign::Tag(name),
                    },
                );
            }
            return;
        }
        if let Some(sign) = self.other_start_sign() {
            self.note(self.start..self.start, GameErrorKind::MissingFen { sign });
        }
    }

    /// Returns the sign that the game begins from another position than the usual one, if no tag
    /// FEN gives that position.
    fn other_start_sign(&self) -> Option<FenSign> {
        if self.headers.get("FEN").is_some_and(states_position) {
            return None;
        }
        let number = self.tokens.first_number();
        let is_set_up = self
            .headers
            .get("SetUp")
            .is_some_and(|value| is_set_up(value.as_bytes()));
        if is_set_up {
            return Some(FenSign::SetUp);
        }
        (number > 1).then_some(FenSign::Number(number))
    }

    /// Adds the tag that was read last, and warns of what is unusual about it. `text` is where it
    /// stands.
    fn add_tag(&mut self, name: &[u8], value: &[u8], text: Range<usize>) {
        let (name, value) = (decode(name), unescape(&decode(value)));
        if self.tokens.is_unclosed_tag() {
            self.note(text.clone(), GameErrorKind::UnclosedTag);
        }
        if self.tokens.is_unquoted_tag() {
            self.note(text.clone(), GameErrorKind::UnquotedTag);
        }
        let known = if self.tags < TAGS_COMPARED {
            self.headers.get(&name)
        } else {
            None
        };
        if let Some(first) = known.map(|first| cut(first).into_owned()) {
            self.note(text, GameErrorKind::RepeatedTag { first });
            return;
        }
        self.tags += 1;
        if gives_start(name.as_bytes(), value.as_bytes()) {
            let start = || {
                (
                    name.clone().into_owned(),
                    cut(value.trim()).into_owned(),
                    text.clone(),
                )
            };
            self.other_start.get_or_insert_with(start);
        }
        if name.eq_ignore_ascii_case("FEN") {
            self.fen_tag = Some(text.start);
        } else if name.eq_ignore_ascii_case("Variant") {
            self.variant_tag = Some(text.start);
        } else if name.eq_ignore_ascii_case("Result") {
            self.result_tag.get_or_insert(text);
        }
        self.headers.push(name, value);
    }

    /// Adds a tag between moves. A tag that gives the start position comes too late there.
    fn tag_between_moves(&mut self, name: &[u8], value: &[u8]) {
        let text = self.tokens.token_start()..self.tokens.offset();
        let is_kept = !["FEN", "SetUp", "Variant"]
            .iter()
            .any(|start| name.eq_ignore_ascii_case(start.as_bytes()));
        self.note(text.clone(), GameErrorKind::TagBetweenMoves { is_kept });
        if is_kept {
            self.add_tag(name, value, text);
        }
    }

    /// Warns of a comment or a variation that the game leaves open.
    fn warn_of_unclosed(&mut self) {
        while self.tokens.next().is_some() {}
        let (comment, depth) = (self.tokens.unclosed(), self.tokens.depth());
        let mut opened = Vec::new();
        if depth > 0 {
            let mut tokens =
                Tokenizer::starting_at(self.text, self.start).with_letters(self.letters);
            tokens.next_game();
            while let Some(token) = tokens.next() {
                match token {
                    Token::Open => opened.push(tokens.token_start()),
                    Token::Close => drop(opened.pop()),
                    _ => {}
                }
            }
        }
        let variation = opened
            .first()
            .map(|&offset| (offset, GameErrorKind::UnclosedVariation));
        let comment = comment.map(|offset| (offset, GameErrorKind::UnclosedComment));
        for (offset, kind) in variation.into_iter().chain(comment) {
            let end = self.tokens.offset().min(offset + SHOWN_UNCLOSED);
            let line = self.text[offset..end]
                .split(|&byte| byte == b'\n')
                .next()
                .unwrap_or_default();
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
                    let text = self.tokens.token_start()..self.tokens.offset();
                    self.add_tag(name, value, text);
                }
                Some(Token::Comment(text)) if !self.tokens.numbered() => {
                    self.comments.extend(comment(text));
                }
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
    fn line(
        &mut self,
        mut position: Chess,
        depth: u32,
        plies: &mut Vec<Ply>,
    ) -> Result<Vec<String>, Bad> {
        let mut before = position.clone();
        let mut pending = Pending {
            comments: Vec::new(),
            nags: mem::take(&mut self.nags),
        };
        let mut stray: Option<Stray> = None;
        while let Some(token) = self.tokens.next() {
            let ahead = self.tokens.numbered();
            match token {
                // Comments without braces occur ("White lost on time"). "on" could be the start of
                // a castling token, so look at the whole word.
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
                        let (number, kind) = (
                            MoveNumber::next(&position),
                            GameErrorKind::TooManyMoves { limit: MAX_MOVES },
                        );
                        return Err(Bad {
                            offset,
                            length,
                            number,
                            kind,
                        });
                    }
                    self.varied += usize::from(depth > 0);
                    let mv = match self.resolve(text, &position, depth) {
                        Ok(_) | Err(Unplayable::Illegal)
                            if depth == 0 && self.is_double_forfeit(text, &position) =>
                        {
                            self.end_with(Outcome::Unknown);
                            continue;
                        }
                        Ok(mv) => mv,
                        Err(Unplayable::Null) if depth == 0 => {
                            let text = self.end_at_null(text.len(), &position);
                            pending.comments.push(text);
                            break;
                        }
                        Err(Unplayable::NotAMove)
                            if depth == 0
                                && is_prose(text)
                                && !self.is_nothing(plies)
                                && !self.is_lost_by(text, &position, plies) =>
                        {
                            // "Black wins" is a comment. The incomplete beginning of a move (`Nf`,
                            // `ex`) is no move either, but it replaces one.
                            let is_move = self.tokens.is_after_number(0)
                                || has_form_of_move(text)
                                || text
                                    .iter()
                                    .all(|byte| b"abcdefgh12345678KQRBNPxO".contains(byte));
                            let bad = self.unplayable(Unplayable::NotAMove, text.len(), &position);
                            self.stray_word(stray.insert(Stray::new(bad, is_move)));
                            continue;
                        }
                        Err(why) => {
                            let bad = self.unplayable(why, text.len(), &position);
                            if depth == 0
                                && let Some(kind) = self.ends_at(&bad.kind, text, &position, plies)
                            {
                                let text = self.end_at(Bad { kind, ..bad });
                                pending.comments.push(text);
                                break;
                            }
                            // The error ends the line, so comments that wait for the next move go
                            // to the last one.
                            settle(pending, plies);
                            return Err(bad);
                        }
                    };
                    let Pending { comments, nags } = mem::take(&mut pending);
                    let ply = Ply {
                        nags,
                        comments_before: comments,
                        ..Ply::new(mv)
                    };
                    before.clone_from(&position);
                    ply.play(&mut position);
                    plies.push(ply);
                }
                Token::Comment(text) => match plies.last_mut() {
                    Some(ply) if !ahead => ply.comments.extend(comment(text)),
                    None if !ahead && depth == 0 => self.comments.extend(comment(text)),
                    _ => pending.comments.extend(comment(text)),
                },
                // An exclamation mark after words, as in "agreed!", is no symbol of a move.
                Token::Nag(_)
                    if stray
                        .as_ref()
                        .is_some_and(|stray| stray.end == self.tokens.token_start()) =>
                {
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
                        let text =
                            format!("({})", self.skip_variation(self.tokens.offset(), depth));
                        let length = self.tokens.offset() - offset;
                        self.warn(Bad {
                            offset,
                            length,
                            number: MoveNumber::next(&position),
                            kind,
                        });
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
                        // In "agreed after 30 moves" the number is no move number.
                        Some(stray) => {
                            stray.loses_move |=
                                self.tokens.is_after_number(1) || looks_like_move(text);
                            stray
                        }
                        none => {
                            let bad = self.unplayable(Unplayable::NotAMove, text.len(), &position);
                            if depth > 0 || self.is_nothing(plies) {
                                settle(pending, plies);
                                return Err(bad);
                            }
                            none.insert(Stray::new(
                                bad,
                                ahead || looks_like_move(text) || has_form_of_move(text),
                            ))
                        }
                    };
                    self.stray_word(stray);
                }
                Token::Tag { name, value } => self.tag_between_moves(name, value),
                // The tokenizer returns no damaged tags after the first move.
                Token::DamagedTag(_) => {}
            }
        }
        if let Some(Stray {
            bad,
            text,
            loses_move,
            ..
        }) = stray
        {
            // Words after the last move, such as "White resigns".
            let kind = if loses_move {
                GameErrorKind::UnknownLastMove
            } else {
                GameErrorKind::TextAfterMoves
            };
            self.warn(Bad { kind, ..bad });
            pending.comments.extend(comment(&text));
        }
        Ok(settle(pending, plies))
    }

    /// Adds the last token to the text. What the tokenizer leaves out between words, such as
    /// numbers, belongs to it.
    fn stray_word(&self, stray: &mut Stray) {
        let (start, end) = (self.tokens.token_start(), self.tokens.offset());
        let between = &self.text[stray.end..start];
        let is_kept =
            |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_digit() || *byte == b'.';
        stray
            .text
            .extend_from_slice(if between.iter().all(is_kept) {
                between
            } else {
                b" "
            });
        stray.text.extend_from_slice(&self.text[start..end]);
        stray.end = end;
    }

    /// Returns the legal move that `text` means with these letters, or in a variation a null move.
    fn resolve(&mut self, text: &[u8], position: &Chess, depth: u32) -> Result<Move, Unplayable> {
        let english = self.english(text).ok_or(Unplayable::NotAMove)?;
        match resolve(&english, position) {
            Err(Unplayable::Null) if depth > 0 => {
                Ply::null_move(position).ok_or(Unplayable::Illegal)
            }
            Err(Unplayable::Illegal) if reaches_last_rank(&english) => {
                let here = self.tokens.clone();
                let piece = self.tokens.promotion().ok_or(Unplayable::Illegal)?;
                // If the move is illegal even with this piece, the piece may belong to other text.
                // Then go back to the end of the move, so that the text after it is read as usual.
                resolve(&[&*english, b"=", &[piece]].concat(), position)
                    .inspect_err(|_| self.tokens = here)
            }
            resolved => resolved,
        }
    }

    /// Returns the move with English letters.
    fn english<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        match self.letters {
            Letters::English => Some(Cow::Borrowed(text)),
            letters => letters.english(text).map(Cow::Owned),
        }
    }

    /// Returns whether a word that could castle is the result of a double forfeit: it ends the game
    /// without a number, and the tag `Result` says so, or castling is illegal and the tag names no
    /// result.
    fn is_double_forfeit(&self, text: &[u8], position: &Chess) -> bool {
        if Score::prefix(text) != Some((Score::BothLose, text.len()))
            || self.tokens.is_after_number(0)
        {
            return false;
        }
        let mut ahead = self.tokens.clone();
        let is_last = !Iterator::any(&mut ahead, |token| {
            matches!(token, Token::Move(_) | Token::Unknown(_) | Token::Result(_))
        });
        let tagged = self.tagged();
        let is_tagged = tagged == Tagged::Score(Score::BothLose);
        is_last && (is_tagged || (tagged.known().is_none() && resolve(text, position).is_err()))
    }

    /// Explains why the move `text` of the main line cannot be played, if a known result but no
    /// further move follows. Match programs write the illegal move by which an engine lost.
    /// Electronic boards write the moves of the kings, which are put into the centre to record the
    /// result. Engines play without such a board, so a king's move to the centre is then an illegal
    /// move. `None` if the game continues, or has no result.
    fn ends_at(
        &self,
        why: &GameErrorKind,
        text: &[u8],
        position: &Chess,
        plies: &[Ply],
    ) -> Option<GameErrorKind> {
        /// Maximum number of further moves of the kings.
        const KINGS: usize = 3;
        let is_king = |text: &[u8]| {
            self.english(text)
                .is_some_and(|text| is_king_in_centre(&text, position))
        };
        let are_kings = is_king(text);
        let (mut further, mut result) = (0, None);
        let mut ahead = self.tokens.clone();
        while let Some(token) = ahead.next() {
            match token {
                Token::Move(text) if ahead.depth() == 0 && !is_prose(text) => {
                    further += 1;
                    if !are_kings || !is_king(text) || further > KINGS {
                        return None;
                    }
                }
                Token::Result(outcome) => result = result.or(Some(outcome)),
                _ => {}
            }
        }
        let is_from_elsewhere = || self.other_start_sign().is_some();
        if plies.is_empty() && (self.headers.is_empty() || is_from_elsewhere()) {
            return None;
        }
        let result = result
            .filter(|result| result.is_known())
            .or(self.tagged().known());
        let winner = result.and_then(|result| result.known()?.winner());
        let by_winner = winner == Some(position.turn());
        match why {
            // Electronic boards send the moves of the kings even if the result is missing.
            _ if result.is_none() && !are_kings => None,
            GameErrorKind::IllegalMove { fen }
                if are_kings && (further > 0 || result.is_none() || self.are_people(plies)) =>
            {
                Some(GameErrorKind::KingsInCentre { fen: fen.clone() })
            }
            GameErrorKind::IllegalMove { fen } => Some(GameErrorKind::IllegalLastMove {
                fen: fen.clone(),
                is_ambiguous: false,
                by_winner,
            }),
            GameErrorKind::AmbiguousMove { fen } => Some(GameErrorKind::IllegalLastMove {
                fen: fen.clone(),
                is_ambiguous: true,
                by_winner: false,
            }),
            GameErrorKind::NotAMove => Some(GameErrorKind::UnknownLastMove),
            _ => None,
        }
    }

    /// Returns whether a word that is no move has the form of one and ends the game, so that an
    /// engine may have lost by it.
    fn is_lost_by(&self, text: &[u8], position: &Chess, plies: &[Ply]) -> bool {
        has_form_of_move(text)
            && self
                .ends_at(&GameErrorKind::NotAMove, text, position, plies)
                .is_some()
    }

    /// Returns whether people play, by the tags and the comments behind the last moves.
    fn are_people(&self, plies: &[Ply]) -> bool {
        /// Number of moves whose comments are inspected.
        const LAST: usize = 20;
        let mut detector = Detector::default();
        let last = &plies[plies.len().saturating_sub(LAST)..];
        last.iter()
            .flat_map(|ply| &ply.comments)
            .for_each(|comment| detector.see(comment.as_bytes()));
        players(
            |name| self.headers.get(name).map(Cow::from),
            None,
            detector.dialect(),
        )
        .are_people
    }

    /// Ends the main line at a null move; returns the text of the moves from it on.
    fn end_at_null(&mut self, length: usize, position: &Chess) -> String {
        let offset = self.tokens.token_start();
        self.end_at(Bad {
            offset,
            length,
            number: MoveNumber::next(position),
            kind: GameErrorKind::NullMove,
        })
    }

    /// Ends the main line at a word that is no move to play; returns the text from it on, without
    /// the result.
    fn end_at(&mut self, bad: Bad) -> String {
        let offset = bad.offset;
        self.warn(bad);
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
                // `(1-0)` is a result in brackets.
                if !line.is_empty() || Score::alone(text.as_bytes()).is_none() {
                    self.warn(bad);
                }
                match line.last_mut() {
                    Some(last) => last.comments.push(text),
                    None => ply.comments.push(format!("({text})")),
                }
            }
        }
        if !line.is_empty() {
            // Most variations have a move or two: room for more would be most of a large game's
            // memory.
            line.shrink_to_fit();
            ply.variations.push(line);
        }
    }

    /// Skips the rest of the variation at depth `depth` + 1; returns its text from `offset`.
    fn skip_variation(&mut self, offset: usize, depth: u32) -> String {
        let mut end = self.tokens.offset();
        while self.tokens.depth() > depth {
            let more = self.tokens.next().is_some();
            end = if more {
                self.tokens.token_start()
            } else {
                self.tokens.offset()
            };
            if !more {
                break;
            }
        }
        one_line(&decode(&self.text[offset..end.max(offset)])).into_owned()
    }

    /// Returns whether nothing of a game has been read so far.
    fn is_nothing(&self, plies: &[Ply]) -> bool {
        plies.is_empty() && self.headers.is_empty() && self.result.is_none()
    }

    /// Returns the error for the last token, which is not legal in `position`; `length` bytes are
    /// shown.
    fn unplayable(&self, why: Unplayable, length: usize, position: &Chess) -> Bad {
        let fen = || Fen::from_position(position, EnPassantMode::Legal).to_string();
        let kind = match why {
            Unplayable::Illegal => GameErrorKind::IllegalMove { fen: fen() },
            Unplayable::Ambiguous => GameErrorKind::AmbiguousMove { fen: fen() },
            Unplayable::Null => GameErrorKind::NullMove,
            Unplayable::NotAMove => GameErrorKind::NotAMove,
        };
        Bad {
            offset: self.tokens.token_start(),
            length,
            number: MoveNumber::next(position),
            kind,
        }
    }

    fn warn(&mut self, bad: Bad) {
        // Building a warning counts the lines before it. A hostile game has a million warnings, so
        // do not build those that are dropped.
        if self.warnings.len() >= MAX_WARNINGS && !ends_the_line(&bad.kind) {
            return;
        }
        let warning = self.report(bad);
        self.keep(warning);
    }

    /// Keeps a warning of a part of the text that is no move, unless there are enough already.
    fn note(&mut self, place: Range<usize>, kind: GameErrorKind) {
        if self.warnings.len() < MAX_WARNINGS {
            let warning = self.error(place.start, None, self.text[place].trim_ascii_end(), kind);
            self.warnings.push(warning);
        }
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

    fn error(
        &self,
        offset: usize,
        number: Option<MoveNumber>,
        text: &[u8],
        kind: GameErrorKind,
    ) -> GameError {
        let lines = line_ends(self.text, self.start..offset);
        // A character has at most four bytes. Decode only as much as is shown, because the text may
        // be long.
        let text = decode(&text[..text.len().min(4 * GameError::SHOWN)]);
        GameError {
            game: self.place.game,
            line: self.place.line + lines,
            number,
            text: one_line(&text).chars().take(GameError::SHOWN).collect(),
            kind,
        }
    }
}

/// Returns whether it loses the rest of the main line, so that it is always named.
fn ends_the_line(kind: &GameErrorKind) -> bool {
    matches!(
        kind,
        GameErrorKind::UnknownLastMove
            | GameErrorKind::NullMove
            | GameErrorKind::IllegalLastMove { .. }
            | GameErrorKind::KingsInCentre { .. }
    )
}

/// Returns whether a pawn's move leads to the last rank without naming a piece.
fn reaches_last_rank(text: &[u8]) -> bool {
    let role = match parse(text) {
        Some(Written::Squares {
            to,
            promotion: None,
            ..
        }) => Some((Role::Pawn, to)),
        Some(Written::Piece {
            role,
            to,
            promotion: None,
            ..
        }) => Some((role, to)),
        _ => None,
    };
    role.is_some_and(|(role, to)| {
        role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth)
    })
}

/// Returns whether a move puts a king on one of the four squares in the centre.
fn is_king_in_centre(text: &[u8], position: &Chess) -> bool {
    let to = match parse(text) {
        Some(Written::Piece {
            role: Role::King,
            to,
            ..
        }) => Some(to),
        Some(Written::Squares { from, to, .. })
            if position.board().role_at(from) == Some(Role::King) =>
        {
            Some(to)
        }
        _ => None,
    };
    to.is_some_and(|to| matches!(to, Square::D4 | Square::E4 | Square::D5 | Square::E5))
}

/// Assigns what waits for a move to the last move; without one, the comments are returned.
fn settle(pending: Pending, plies: &mut [Ply]) -> Vec<String> {
    match plies.last_mut() {
        Some(ply) => {
            ply.comments.extend(pending.comments);
            ply.nags.extend(pending.nags);
            Vec::new()
        }
        None => pending
            .comments
            .into_iter()
            .chain(pending.nags.iter().map(ToString::to_string))
            .collect(),
    }
}

fn comment(text: &[u8]) -> Option<String> {
    let text = decode(text);
    let text = one_line(&text);
    (!text.is_empty()).then(|| text.into_owned())
}
