//! A game that tools read, edit and write.

use std::{slice, sync::Arc};

use centipawn_core::{Eval, History, White};
use shakmaty::{CastlingMode, Chess, Color, Move, Outcome, san::SanPlus, uci::UciMove};

use crate::{Annotation, Dialect, GameError, Headers, Nag, command};

/// A game with everything its PGN says: tags, moves, comments, NAGs, variations.
///
/// Reading is [`Reader`](crate::Reader)'s, writing [`write_game`](crate::write_game)'s (or [`Display`](std::fmt::Display)'s).
/// All moves are legal where they stand; who adds some keeps it so.
#[derive(Clone, Debug)]
pub struct Game {
    /// The tag pairs.
    pub headers: Headers,
    /// The position before the first move; no moves in it.
    pub start: History,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves of the main line.
    pub plies: Vec<Ply>,
    /// How it ended: the result after the moves, or else the one of the tag Result.
    pub result: Outcome,
    /// Where it was read.
    pub place: Place,
    /// Parts that could not be played, such as a wrong move in a variation. Their text is kept in a comment.
    /// The first hundred are told.
    pub warnings: Vec<GameError>,
}

/// Where a game stands in its input; empty and zero for a game that was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, or "standard input"; `None` for a [`Reader`](crate::Reader) that was not told.
    pub source: Option<Arc<str>>,
    /// Which game it is, the first being 1.
    pub game: u64,
    /// Its first line, the first of the input being 1.
    pub line: u64,
}

/// A move of a game, with what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// Glyphs: `!`, `±` …
    pub nags: Vec<Nag>,
    /// Comments between the move's number (or a variation's beginning) and the move.
    pub comments_before: Vec<String>,
    /// Comments behind the move.
    pub comments: Vec<String>,
    /// Lines in place of this move; none is empty.
    pub variations: Vec<Vec<Ply>>,
}

impl Default for Game {
    /// No moves, no tags, the normal start position.
    fn default() -> Self {
        Self::from_start(&History::default())
    }
}

impl Game {
    /// A game from the start of `history` without moves; it has the tags such a start needs.
    pub fn from_start(history: &History) -> Self {
        let start = History::new(history.start().clone(), history.mode());
        let mut headers = Headers::default();
        if start.mode() == CastlingMode::Chess960 {
            headers.set("Variant", "Chess960");
        }
        if !start.is_from_startpos() {
            headers.set("SetUp", "1");
            headers.set("FEN", start.fen());
        }
        Self {
            headers,
            start,
            comments: Vec::new(),
            plies: Vec::new(),
            result: Outcome::Unknown,
            place: Place::default(),
            warnings: Vec::new(),
        }
    }

    /// The moves of the main line, each with the position and moves before it.
    ///
    /// Every [`History`] is a copy of its own: fit for a review, not for a scan of millions.
    pub fn mainline(&self) -> Mainline<'_> {
        Mainline { before: self.start.clone(), plies: self.plies.iter() }
    }

    /// The position at the end of the main line, with the moves that led there.
    pub fn end(&self) -> History {
        let mut history = self.start.clone();
        for ply in &self.plies {
            history.push(ply.mv);
        }
        history
    }
}

/// Iterator over a game's main line, made by [`Game::mainline`].
#[derive(Clone, Debug)]
pub struct Mainline<'a> {
    before: History,
    plies: slice::Iter<'a, Ply>,
}

impl<'a> Iterator for Mainline<'a> {
    type Item = (History, &'a Ply);

    fn next(&mut self) -> Option<Self::Item> {
        let ply = self.plies.next()?;
        let before = self.before.clone();
        self.before.push(ply.mv);
        Some((before, ply))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.plies.size_hint()
    }
}

impl ExactSizeIterator for Mainline<'_> {}

impl Ply {
    /// A move about which nothing is said yet.
    pub fn new(mv: Move) -> Self {
        Self { mv, nags: Vec::new(), comments_before: Vec::new(), comments: Vec::new(), variations: Vec::new() }
    }

    /// The move in SAN, with its check mark; `before` is the position it is played in.
    pub fn san(&self, before: &Chess) -> SanPlus {
        SanPlus::from_move(before.clone(), self.mv)
    }

    /// The move in UCI notation; `mode` says how castling is written.
    pub fn uci(&self, mode: CastlingMode) -> UciMove {
        self.mv.to_uci(mode)
    }

    /// What the comments behind the move say in numbers; `mover` is who played it.
    ///
    /// Where several comments say something of the same, the first counts.
    pub fn annotation(&self, dialect: Dialect, mover: Color) -> Annotation {
        let mut all = Annotation::default();
        for comment in &self.comments {
            all.complete_with(Annotation::decode(comment.as_bytes(), dialect, mover));
        }
        all
    }

    /// Says `[%eval …]` in Lichess' form: the position after the move, in place of what `[%eval …]` was there.
    ///
    /// The rest of the comments stays. A new one goes in front of the first comment.
    ///
    /// ```
    /// use centipawn_core::Eval;
    /// use centipawn_pgn::Ply;
    /// use shakmaty::{Move, Role, Square};
    ///
    /// let mv = Move::Normal { role: Role::Pawn, from: Square::E2, to: Square::E4, capture: None, promotion: None };
    /// let mut ply = Ply::new(mv);
    /// ply.comments.push("[%eval 0.3,20] [%clk 0:03:00] best by test".to_owned());
    /// ply.set_eval(Eval::cp(-25));
    /// assert_eq!(ply.comments, ["[%eval -0.25] [%clk 0:03:00] best by test"]);
    /// ```
    pub fn set_eval(&mut self, eval: Eval<White>) {
        command::set_first(&mut self.comments, "eval", &command::eval_text(eval));
    }

    /// Says in a comment how easy the move was to find, 0..=1: `[%ease 0.34]`, in place of what was said before.
    pub fn set_ease(&mut self, ease: f64) {
        command::set_first(&mut self.comments, "ease", &format!("[%ease {ease:.2}]"));
    }

    /// Gives the move a NAG. A symbol of the move (`$1` to `$6`) takes the place of another, and so does one of the position
    /// (`$10` to `$21`); all other NAGs stay. The symbol of the move comes first, then `□`, then the symbol of the position.
    pub fn set_nag(&mut self, nag: Nag) {
        self.nags.retain(|other| !other.excludes(nag));
        self.nags.push(nag);
        // Stable: the others keep their order.
        self.nags.sort_by_key(|nag| nag.rank());
    }

    /// Adds a line in place of this move, legal in the position before it. Nothing happens if it is empty.
    pub fn add_variation(&mut self, moves: impl IntoIterator<Item = Move>) {
        let line: Vec<Ply> = moves.into_iter().map(Ply::new).collect();
        if !line.is_empty() {
            self.variations.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Role, Square};

    use super::*;

    fn ply() -> Ply {
        Ply::new(Move::Normal { role: Role::Pawn, from: Square::E2, to: Square::E4, capture: None, promotion: None })
    }

    #[test]
    fn one_nag_of_a_kind() {
        let mut ply = ply();
        ply.nags = vec![Nag(1), Nag(146), Nag(3), Nag(16), Nag(36), Nag(8)];
        ply.set_nag(Nag(6));
        ply.set_nag(Nag(10));
        assert_eq!(ply.nags, [6, 10, 146, 36, 8].map(Nag), "initiative, novelty and the like stay");
        ply.set_nag(Nag(7));
        ply.set_nag(Nag(7));
        assert_eq!(ply.nags, [6, 7, 10, 146, 36, 8].map(Nag));
    }

    #[test]
    fn an_eval_is_set_once() {
        let mut ply = ply();
        ply.set_eval(Eval::mate(-3));
        assert_eq!(ply.comments, ["[%eval #-3]"]);
        ply.comments = vec!["good".to_owned(), "[%clk 1] [%eval 3,4]".to_owned(), "[%eval 1]".to_owned()];
        ply.set_eval(Eval::cp(5));
        assert_eq!(ply.comments, ["good", "[%clk 1] [%eval 0.05]"]);
        ply.comments = vec!["good".to_owned()];
        ply.set_eval(Eval::cp(0));
        assert_eq!(ply.comments, ["[%eval 0.00] good"]);
        assert_eq!(ply.annotation(Dialect::Auto, Color::White).eval, Some(Eval::cp(0)));
    }

    #[test]
    fn mainline_tells_the_history() {
        let mut game = Game::default();
        assert_eq!(game.mainline().len(), 0);
        game.plies.push(ply());
        let mut line = game.mainline();
        let (before, first) = line.next().unwrap();
        assert_eq!((before.ply(), first.san(before.position()).to_string()), (0, "e4".to_owned()));
        assert_eq!(game.end().moves(), [ply().mv]);
        assert!(line.next().is_none());
    }
}
