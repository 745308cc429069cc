//! A game viewed in place, without copying.

use std::{borrow::Cow, iter::Enumerate, slice};

use centipawn_core::{Eval, White};
use shakmaty::{CastlingMode, Color, Outcome, uci::UciMove};

use crate::{
    Annotation, Board, Described, Dialect, Game, GameError, Material, Place, TimeControl,
    board::Keys,
    dialect::Detector,
    error::MoveNumber,
    players::short_clock,
    record::{Move, Others, Record, Span, value},
    replay::{replay, start},
    token::Tokenizer,
};

/// A game as [`scan`](crate::scan()) presents it: a view of the text and of the data recorded while
/// playing its moves.
///
/// Only the main line is visible; variations and NAGs are skipped ([`to_game`](Self::to_game) has
/// them). Methods allocate only if they return a [`Cow`].
///
/// ```
/// use centipawn_pgn::{Dialect, GameScanner};
/// use shakmaty::Color;
///
/// let pgn = b"[White \"Anna\"]\n\n1. e4 {+0.31/20 1.2s} d5 {-0.25/21 1.4s} 2. exd5 {+0.40/19 0.9s} 1-0";
/// let mut games = GameScanner::new(pgn);
/// let game = games.next_game().unwrap()?;
/// assert_eq!(game.tag("White").as_deref(), Some("Anna"));
/// let ply = game.ply(2).unwrap();
/// assert_eq!((ply.san(), ply.turn(), ply.number()), (&b"exd5"[..], Color::White, 2));
/// assert_eq!((ply.material_before().total(), ply.material().total()), (78, 77));
/// assert_eq!(ply.annotation(Dialect::Engine).eval.unwrap().to_string(), "+0.40");
/// # Ok::<_, centipawn_pgn::GameError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GameView<'a> {
    text: &'a [u8],
    record: &'a Record,
    context: Context,
}

/// The data that a scan has about a game, without the text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// Index of the game's source.
    pub(crate) source: usize,
    /// Offset of the game in the source's text.
    pub(crate) offset: u64,
    pub(crate) dialect: Dialect,
}

impl<'a> GameView<'a> {
    pub(crate) fn new(text: &'a [u8], record: &'a Record, context: Context) -> Self {
        Self {
            text,
            record,
            context,
        }
    }

    /// Returns the decoded value of the first tag of this name, ignoring case; `None` if there is
    /// none.
    pub fn tag(&self, name: &str) -> Option<Cow<'a, str>> {
        self.tag_bytes(name).map(value)
    }

    /// Returns the value of the first tag of this name as written in the file, with escapes
    /// unresolved.
    pub fn tag_bytes(&self, name: &str) -> Option<&'a [u8]> {
        self.record.tag(self.text, name)
    }

    /// Names and values of the tags as written in the file.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let text = self.text;
        self.record
            .tags
            .iter()
            .map(move |tag| (tag.name.of(text), tag.value.of(text)))
    }

    /// Returns the result: the one after the moves, otherwise the one in the Result tag.
    pub fn result(&self) -> Outcome {
        self.record.result
    }

    /// Returns whether a last move that cannot be played follows the moves, as match programs write
    /// the one by which an engine lost. Its text is the last comment of the last move.
    pub fn ends_illegally(&self) -> bool {
        self.record.ends_illegally
    }

    /// Returns the position before the first move.
    pub fn start(&self) -> &'a Board {
        &self.record.start
    }

    /// Returns the position after the last move.
    pub fn end(&self) -> &'a Board {
        &self.record.end
    }

    /// Returns the number of plies in the main line.
    pub fn len(&self) -> usize {
        self.record.plies.len()
    }

    /// Returns whether the game has no moves.
    pub fn is_empty(&self) -> bool {
        self.record.plies.is_empty()
    }

    /// Returns the plies of the main line.
    pub fn plies(&self) -> Plies<'a> {
        Plies {
            game: *self,
            moves: self.record.plies.iter().enumerate(),
        }
    }

    /// Returns a ply of the main line, the first being 0; `None` beyond the last.
    pub fn ply(&self, index: usize) -> Option<PlyView<'a>> {
        self.record.plies.get(index).map(|mv| PlyView {
            game: *self,
            index,
            mv,
        })
    }

    /// Calls `visit` for each ply, with the board before it. The game is played through once.
    pub fn walk(&self, mut visit: impl FnMut(&Board, PlyView<'a>)) {
        let mut board = self.record.start.clone();
        for ply in self.plies() {
            visit(&board, ply);
            board.make(ply.mv.step);
        }
    }

    /// Calls `visit` for each position of the game, the last one included, with its
    /// [key](crate::position_key) and the move that was played there. The game is played through
    /// once, and the keys are kept up to date move by move.
    pub fn walk_keys(&self, mut visit: impl FnMut(u64, Option<PlyView<'a>>)) {
        let mut board = self.record.start.clone();
        let mut keys = Keys::new(&board);
        for ply in self.plies() {
            visit(keys.key(&board), Some(ply));
            keys.play(&board, ply.mv.step);
            board.make(ply.mv.step);
        }
        visit(keys.key(&board), None);
    }

    /// Returns whether it is a game of standard chess: its start has the castling of standard
    /// chess, and no tag `Variant` names another one.
    pub fn is_standard(&self) -> bool {
        let is_other = |variant: Cow<'_, str>| {
            start(&variant, None).is_ok_and(|start| start.mode() == CastlingMode::Chess960)
        };
        self.record.start.has_standard_castling() && !self.tag("Variant").is_some_and(is_other)
    }

    /// Comments before the first move.
    pub fn comments(&self) -> Comments<'a> {
        self.comments_of(0, self.record.opening_comments)
    }

    /// Returns the dialect of the evaluations of this game's file: as given in the options, or
    /// detected from the first games.
    pub fn dialect(&self) -> Dialect {
        self.context.dialect
    }

    /// Returns the dialect of this game's evaluations: its file's or, where the file begins without
    /// evaluations, that of the game's own comments.
    pub fn eval_dialect(&self) -> Dialect {
        if self.dialect() != Dialect::Auto {
            return self.dialect();
        }
        let mut detector = Detector::default();
        self.plies()
            .for_each(|ply| ply.comments().for_each(|comment| detector.see(comment)));
        detector.dialect()
    }

    /// Returns the evaluation in comments of the position before move `index`, from 0, or of the
    /// last position: analysts comment on the position after a move, engines on the one before it.
    pub fn eval_of_position(&self, index: usize, dialect: Dialect) -> Option<Eval<White>> {
        let eval_of = |ply: Option<usize>, described: Described| {
            let annotation = self.ply(ply?)?.annotation(dialect);
            annotation
                .eval
                .filter(|_| annotation.described == described)
        };
        eval_of(index.checked_sub(1), Described::After)
            .or_else(|| eval_of(Some(index), Described::Before))
    }

    /// Returns the index of the game's source in the scan, the first being 0.
    pub fn source(&self) -> usize {
        self.context.source
    }

    /// Returns the byte offset of the game in its source's (decompressed) text. Together with the
    /// source it identifies the game.
    pub fn offset(&self) -> u64 {
        self.context.offset
    }

    /// Returns the text of the game, up to the beginning of the next one.
    pub fn text(&self) -> &'a [u8] {
        self.record.text.of(self.text)
    }

    /// Returns the complete game, for editing. Its place counts from the game itself.
    ///
    /// # Errors
    ///
    /// None is known, since a scan presents only games that were played through; the signature
    /// follows the reader's.
    pub fn to_game(&self) -> Result<Game, GameError> {
        replay(
            self.text(),
            0,
            &Place {
                game: 1,
                line: 1,
                ..Place::default()
            },
        )
        .0
    }

    /// Reads a clock of two parts as the game's first such clock and its time control show.
    #[cold]
    fn lengthen(&self, annotation: &mut Annotation) {
        let decide = || {
            let first = self.plies().find_map(|ply| {
                let own = ply.any_annotation(Dialect::Commands);
                own.clock.filter(|_| own.is_clock_short)
            });
            first.is_some_and(|first| {
                TimeControl::has_clocks_in_minutes(self.tag("TimeControl").as_deref(), first)
            })
        };
        annotation.clock = annotation
            .clock
            .map(|clock| short_clock(clock, *self.record.are_clocks_minutes.get_or_init(decide)));
    }

    fn comments_of(&self, from: u32, to: u32) -> Comments<'a> {
        let spans = self
            .record
            .comments
            .get(from as usize..to as usize)
            .unwrap_or_default();
        Comments {
            text: self.text,
            spans: spans.iter(),
        }
    }
}

/// A ply of a [`GameView`].
#[derive(Clone, Copy, Debug)]
pub struct PlyView<'a> {
    game: GameView<'a>,
    index: usize,
    mv: &'a Move,
}

impl<'a> PlyView<'a> {
    /// Returns the number of plies before this one in the game.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the move as written, without check marks and glyphs.
    pub fn san(&self) -> &'a [u8] {
        self.mv.san(self.game.text)
    }

    /// Returns the move in UCI notation: `e7e8q`. A king from e1 or e8 castles onto its new square
    /// (`e1g1`), as in standard chess; any other king takes its rook, as in Chess960.
    ///
    /// ```
    /// use centipawn_pgn::GameScanner;
    ///
    /// let mut games = GameScanner::new(b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O *");
    /// let game = games.next_game().unwrap()?;
    /// let uci: Vec<String> = game.plies().map(|ply| ply.uci().to_string()).collect();
    /// assert_eq!(uci.join(" "), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1");
    /// # Ok::<_, centipawn_pgn::GameError>(())
    /// ```
    pub fn uci(&self) -> UciMove {
        self.mv.step.uci()
    }

    /// Returns the side that plays it.
    #[inline]
    pub fn turn(&self) -> Color {
        let first = self.game.record.start.turn();
        if self.index.is_multiple_of(2) {
            first
        } else {
            first.other()
        }
    }

    /// Returns the number of the full move, as in a FEN.
    #[inline]
    pub fn number(&self) -> u32 {
        let start = &self.game.record.start;
        start
            .fullmoves()
            .saturating_add((self.index as u32 + u32::from(start.turn().is_black())) / 2)
    }

    /// Returns the number and side of the move, for messages.
    pub fn move_number(&self) -> MoveNumber {
        MoveNumber {
            number: self.number(),
            turn: self.turn(),
        }
    }

    /// Returns the pieces before the move.
    #[inline]
    pub fn material_before(&self) -> Material {
        match self
            .index
            .checked_sub(1)
            .and_then(|before| self.game.record.plies.get(before))
        {
            Some(before) => before.material,
            None => self.game.record.start.material(),
        }
    }

    /// Returns the pieces after the move.
    #[inline]
    pub fn material(&self) -> Material {
        self.mv.material
    }

    /// Comments behind the move.
    #[inline]
    pub fn comments(&self) -> Comments<'a> {
        match self.others() {
            Some(others) => self.game.comments_of(others.behind, others.end),
            None => Comments {
                text: self.game.text,
                spans: self.mv.comment_alone().iter(),
            },
        }
    }

    /// Comments between the move's number and the move.
    pub fn comments_before(&self) -> Comments<'a> {
        let Others { before, behind, .. } = self.others().copied().unwrap_or_default();
        self.game.comments_of(before, behind)
    }

    /// Returns the ranges of its comments, unless it has just one behind the move or none.
    #[inline]
    fn others(&self) -> Option<&'a Others> {
        match self.mv.others {
            0 => None,
            index => self.game.record.others.get(index as usize),
        }
    }

    /// Returns the first evaluation in the comments behind the move, White's view. The same as in
    /// [`annotation`](Self::annotation), but faster.
    #[inline(always)]
    pub fn eval(&self, dialect: Dialect) -> Option<Eval<White>> {
        match self.mv.comment_alone() {
            [comment] => Annotation::eval(comment.of(self.game.text), dialect, self.turn()),
            _ if self.mv.others == 0 => None,
            _ => self.any_annotation(dialect).eval,
        }
    }

    /// Centipawns as the mover sees them, if the move has a single comment of the usual form of
    /// engine matches, `+0.98/25 11.2s`: the fastest way to an evaluation. `None` for any other
    /// comment, which [`eval`](Self::eval) can read.
    ///
    /// ```
    /// use centipawn_pgn::GameScanner;
    ///
    /// let mut games = GameScanner::new(b"1. e4 {+0.31/20 1.2s} d5 {-0.25/21 1.4s} 2. exd5 {book} *");
    /// let game = games.next_game().unwrap()?;
    /// let plain: Vec<_> = game.plies().map(|ply| ply.plain_centipawns()).collect();
    /// assert_eq!(plain, [Some(31), Some(-25), None]);
    /// # Ok::<_, centipawn_pgn::GameError>(())
    /// ```
    #[inline(always)]
    pub fn plain_centipawns(&self) -> Option<i32> {
        match self.mv.comment_alone() {
            [comment] => Annotation::plain_centipawns(comment.of(self.game.text)),
            _ => None,
        }
    }

    /// Returns the numbers in the comments behind the move. If several comments give the same
    /// value, the first counts.
    #[inline(always)]
    pub fn annotation(&self, dialect: Dialect) -> Annotation {
        let mut comments = self.comments();
        let (first, more) = (comments.next(), comments.len() > 0);
        // Build the ply in place, because copying it would take longer than reading it.
        if let (Some(first), false) = (first, more)
            && let Some(decoded) = Annotation::plain(first, dialect, self.turn())
        {
            return decoded;
        }
        let mut decoded = self.any_annotation(dialect);
        if decoded.is_clock_short {
            self.game.lengthen(&mut decoded);
        }
        decoded
    }

    /// Takes `self` by value: a borrow would force it into memory even where it is not needed.
    #[inline(never)]
    fn any_annotation(self, dialect: Dialect) -> Annotation {
        if let [comment] = self.mv.comment_alone() {
            return Annotation::decode_any(comment.of(self.game.text), dialect, self.turn());
        }
        let mut decoded = self
            .comments()
            .map(|comment| Annotation::decode_any(comment, dialect, self.turn()));
        let mut all = decoded.next().unwrap_or_default();
        decoded.for_each(|further| all.complete_with(further));
        all
    }

    /// Returns the position before the move. Plays the game up to this move; for all plies of a
    /// game use [`GameView::walk`].
    pub fn board(&self) -> Board {
        let mut board = self.game.record.start.clone();
        for mv in &self.game.record.plies[..self.index] {
            board.make(mv.step);
        }
        board
    }
}

/// The plies of a [`GameView`].
#[derive(Clone, Debug)]
pub struct Plies<'a> {
    game: GameView<'a>,
    moves: Enumerate<slice::Iter<'a, Move>>,
}

impl<'a> Iterator for Plies<'a> {
    type Item = PlyView<'a>;

    #[inline]
    fn next(&mut self) -> Option<PlyView<'a>> {
        let (index, mv) = self.moves.next()?;
        Some(PlyView {
            game: self.game,
            index,
            mv,
        })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.moves.size_hint()
    }
}

impl ExactSizeIterator for Plies<'_> {}

/// Comments of a [`GameView`] as written in the file: the bytes between the braces, in any
/// encoding.
#[derive(Clone, Debug)]
pub struct Comments<'a> {
    text: &'a [u8],
    spans: slice::Iter<'a, Span>,
}

impl<'a> Iterator for Comments<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        self.spans.next().map(|span| span.of(self.text))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.spans.size_hint()
    }
}

impl ExactSizeIterator for Comments<'_> {}

/// Visits the games of a text in memory, one after another, without copying.
///
/// For files, and for all cores, see [`scan`](crate::scan()).
///
/// ```
/// use centipawn_pgn::GameScanner;
///
/// let mut games = GameScanner::new(b"1. e4 e5 1-0\n\n1. e5 *\n\n1. d4 d5 2. c4 *\n");
/// let (mut plies, mut bad) = (Vec::new(), 0);
/// while let Some(game) = games.next_game() {
///     match game {
///         Ok(game) => plies.push(game.len()),
///         Err(_) => bad += 1,   // 1. e5 is illegal
///     }
/// }
/// assert_eq!((plies, bad), (vec![2, 3], 1));
/// ```
#[derive(Debug)]
pub struct GameScanner<'a> {
    text: &'a [u8],
    tokens: Tokenizer<'a>,
    record: Record,
}

impl<'a> GameScanner<'a> {
    /// Creates a scanner before the first game of `text`; only the first 4 GiB are read.
    pub fn new(text: &'a [u8]) -> Self {
        let text = &text[..text.len().min(u32::MAX as usize)];
        Self {
            text,
            tokens: Tokenizer::new(text),
            record: Record::default(),
        }
    }

    /// Returns the next game, or the problem; `None` after the last. Games and lines in errors
    /// count from the game itself.
    pub fn next_game(&mut self) -> Option<Result<GameView<'_>, GameError>> {
        if !self.tokens.next_game() {
            return None;
        }
        let context = Context {
            offset: self.tokens.offset() as u64,
            ..Context::default()
        };
        Some(match self.record.read(self.text, &mut self.tokens) {
            Ok(()) => Ok(GameView::new(self.text, &self.record, context)),
            Err(error) => Err(error),
        })
    }
}
