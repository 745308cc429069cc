//! A game that tools can read, edit and write.

use std::{slice, sync::Arc};

use centipawn_core::{Eval, History, White};
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, FromSetup as _, Move, Outcome, Position, Role,
    san::{San, SanPlus},
    uci::UciMove,
};

use crate::{
    Annotation, Dialect, GameError, Headers, Letters, Nag,
    command::{self, Commands},
};

/// A game with everything in its PGN: tags, moves, comments, NAGs and variations.
///
/// [`Reader`](crate::Reader) reads games; [`write_game`](crate::write_game) and
/// [`Display`](std::fmt::Display) write them. All moves are legal in their positions; code that
/// adds moves must keep it so.
///
/// ```
/// use centipawn_pgn::{Game, Reader};
///
/// let pgn = "[White \"Anna\"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 {develops} 1-0";
/// let mut game: Game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
/// assert_eq!(game.headers.get("white"), Some("Anna"));
/// assert_eq!((game.plies.len(), game.plies[1].variations[0].len()), (3, 2));
/// assert_eq!(game.plies[2].comments, ["develops"]);
///
/// game.headers.set("Black", "Boris");
/// game.plies[1].variations.clear();
/// assert!(game.to_string().ends_with("1. e4 e5 2. Nf3 { develops } 1-0\n"));
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    /// The tag pairs.
    pub headers: Headers,
    /// The position before the first move, without any moves.
    pub start: History,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves of the main line.
    pub plies: Vec<Ply>,
    /// The result: the one after the moves, otherwise the one in the Result tag.
    pub result: Outcome,
    /// The place of the game in its input.
    pub place: Place,
    /// Parts that are not legal, such as a wrong move in a variation; their text is kept as a
    /// comment. At most 100 warnings are kept.
    pub warnings: Vec<GameError>,
    /// The piece letters in the game's text. [`write_game`](crate::write_game) always writes
    /// English letters.
    pub letters: Letters,
}

/// The place of a game in its input; `None` and zeros for a game that was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, or "standard input"; `None` for a [`Reader`](crate::Reader) without a name.
    pub source: Option<Arc<str>>,
    /// Number of the game, the first being 1.
    pub game: u64,
    /// Number of the line at which the game begins, from 1.
    pub line: u64,
    /// Offset in bytes at which the game begins in the (decompressed) text, from 0.
    pub byte: u64,
}

/// A move of a game, with its annotations; in a variation it may be a null move
/// ([`is_null`](Self::is_null)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// Glyphs of the move: `!`, `±` …
    pub nags: Vec<Nag>,
    /// Comments between the move's number (or a variation's beginning) and the move.
    pub comments_before: Vec<String>,
    /// Comments behind the move.
    pub comments: Vec<String>,
    /// Alternatives to this move; no variation is empty.
    pub variations: Vec<Vec<Ply>>,
}

impl Default for Game {
    /// Returns a game without moves and tags from the normal start position.
    fn default() -> Self {
        Self::from_start(&History::default())
    }
}

impl Game {
    /// Returns a game without moves from the start of `history`, with the tags that this start
    /// needs.
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
            letters: Letters::English,
        }
    }

    /// Returns the moves of the main line, each with the position and moves before it.
    ///
    /// Every [`History`] is a separate copy, which is fine for reviewing a game but too slow for
    /// scanning millions.
    pub fn mainline(&self) -> Mainline<'_> {
        Mainline {
            before: self.before_first(),
            plies: self.plies.iter(),
        }
    }

    /// Returns the start, ready for the moves of the main line, so that all its positions share one
    /// list of moves.
    pub fn before_first(&self) -> History {
        self.start
            .clone()
            .ready_for(self.plies.iter().map(|ply| ply.mv))
    }

    /// Returns the position at the end of the main line, with the moves that led there.
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

/// Returns the position with the other side to move, one ply later.
fn passed(position: &Chess) -> Option<Chess> {
    let mut setup = position.to_setup(EnPassantMode::Always);
    setup.ep_square = None;
    setup.halfmoves = setup.halfmoves.saturating_add(1);
    if setup.turn.is_black() {
        setup.fullmoves = setup.fullmoves.saturating_add(1);
    }
    setup.turn = !setup.turn;
    Chess::from_setup(setup, position.castles().mode()).ok()
}

impl Ply {
    /// Creates a move without annotations.
    pub fn new(mv: Move) -> Self {
        Self {
            mv,
            nags: Vec::new(),
            comments_before: Vec::new(),
            comments: Vec::new(),
            variations: Vec::new(),
        }
    }

    /// Returns a null move, which passes the turn; `None` in check, where the turn cannot pass. It
    /// may stand in variations only.
    ///
    /// ```
    /// use centipawn_pgn::Ply;
    /// use shakmaty::{Chess, Color, Position};
    ///
    /// let mut position = Chess::default();
    /// let pass = Ply::null(&position).unwrap();
    /// assert_eq!(pass.san(&position).to_string(), "--");
    /// pass.play(&mut position);
    /// assert_eq!(position.turn(), Color::Black);
    /// ```
    pub fn null(position: &Chess) -> Option<Self> {
        Self::null_move(position).map(Self::new)
    }

    /// Returns the null move as [`mv`](Self::mv): the king stays where it is. `None` in check,
    /// where the turn cannot pass.
    pub(crate) fn null_move(position: &Chess) -> Option<Move> {
        let king = position.board().king_of(position.turn())?;
        passed(position)?;
        Some(Move::Normal {
            role: Role::King,
            from: king,
            capture: None,
            to: king,
            promotion: None,
        })
    }

    /// Plays the move; a null move passes the turn.
    pub fn play(&self, position: &mut Chess) {
        match if self.is_null() {
            passed(position)
        } else {
            None
        } {
            Some(passed) => *position = passed,
            None => position.play_unchecked(self.mv),
        }
    }

    /// Returns whether it is a null move, `--`: it stands in variations only, where it shows a
    /// threat.
    pub fn is_null(&self) -> bool {
        self.mv.from() == Some(self.mv.to()) && !self.mv.is_castle()
    }

    /// Returns the move in SAN with its check mark, a null move as `--`; `before` is the position
    /// in which it is played.
    pub fn san(&self, before: &Chess) -> SanPlus {
        match self.is_null() {
            true => SanPlus {
                san: San::Null,
                suffix: None,
            },
            false => SanPlus::from_move(before.clone(), self.mv),
        }
    }

    /// Returns the move in UCI notation, a null move as `0000`; `mode` selects how castling is
    /// written.
    pub fn uci(&self, mode: CastlingMode) -> UciMove {
        if self.is_null() {
            UciMove::Null
        } else {
            self.mv.to_uci(mode)
        }
    }

    /// Returns the numbers in the comments behind the move; `mover` is the side that played it.
    ///
    /// If several comments give the same value, the first counts.
    pub fn annotation(&self, dialect: Dialect, mover: Color) -> Annotation {
        let mut all = Annotation::default();
        for comment in &self.comments {
            all.complete_with(Annotation::decode(comment.as_bytes(), dialect, mover));
        }
        all
    }

    /// Returns the arguments of the first command of this name in the comments behind the move:
    /// `choice` of `[%end choice]`.
    pub fn command(&self, name: &str) -> Option<&str> {
        self.comments.iter().find_map(|comment| {
            let mut commands = Commands::new(comment.as_bytes());
            let command = commands.find(|command| command.name == name.as_bytes())?;
            std::str::from_utf8(command.arguments).ok()
        })
    }

    /// Sets an `[%eval …]` in Lichess' form (the position after the move), replacing existing ones.
    ///
    /// The rest of the comments stays. A new command goes in front of the first comment.
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
        command::set_first(&mut self.comments, "eval", Some(&command::eval_text(eval)));
    }

    /// Sets the command `[%ease 0.34]`, how easy the move was to find (0..=1), replacing existing
    /// ones.
    pub fn set_ease(&mut self, ease: f64) {
        command::set_first(
            &mut self.comments,
            "ease",
            Some(&format!("[%ease {ease:.2}]")),
        );
    }

    /// Sets the command `[%name arguments]`, replacing existing ones; without arguments it removes
    /// them.
    pub fn set_command(&mut self, name: &str, arguments: Option<&str>) {
        let text = arguments.map(|arguments| format!("[%{name} {arguments}]"));
        command::set_first(&mut self.comments, name, text.as_deref());
    }

    /// Adds a NAG. A move symbol (`$1` to `$6`) replaces an existing one, and so does a position
    /// symbol (`$10` to `$21`); other NAGs stay. The move symbol comes first, then `□`, then the
    /// position symbol.
    pub fn set_nag(&mut self, nag: Nag) {
        self.nags.retain(|other| !other.excludes(nag));
        self.nags.push(nag);
        // The sort is stable, so other NAGs keep their order.
        self.nags.sort_by_key(|nag| nag.rank());
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Role, Square};

    use super::*;

    fn ply() -> Ply {
        Ply::new(Move::Normal {
            role: Role::Pawn,
            from: Square::E2,
            to: Square::E4,
            capture: None,
            promotion: None,
        })
    }

    #[test]
    fn one_nag_of_a_kind() {
        let mut ply = ply();
        ply.nags = vec![Nag(1), Nag(146), Nag(3), Nag(16), Nag(36), Nag(8)];
        ply.set_nag(Nag(6));
        ply.set_nag(Nag(10));
        assert_eq!(
            ply.nags,
            [6, 10, 146, 36, 8].map(Nag),
            "initiative, novelty and the like stay"
        );
        ply.set_nag(Nag(7));
        ply.set_nag(Nag(7));
        assert_eq!(ply.nags, [6, 7, 10, 146, 36, 8].map(Nag));
    }

    #[test]
    fn an_eval_is_set_once() {
        let mut ply = ply();
        ply.set_eval(Eval::mate(-3));
        assert_eq!(ply.comments, ["[%eval #-3]"]);
        ply.comments = vec![
            "good".to_owned(),
            "[%clk 1] [%eval 3,4]".to_owned(),
            "[%eval 1]".to_owned(),
        ];
        ply.set_eval(Eval::cp(5));
        assert_eq!(ply.comments, ["good", "[%clk 1] [%eval 0.05]"]);
        ply.comments = vec!["good".to_owned()];
        ply.set_eval(Eval::cp(0));
        assert_eq!(ply.comments, ["[%eval 0.00] good"]);
        assert_eq!(
            ply.annotation(Dialect::Auto, Color::White).eval,
            Some(Eval::cp(0))
        );
    }

    #[test]
    fn a_null_move_passes_the_turn() {
        let mut position = Chess::default();
        let null = Ply::new(Ply::null_move(&position).unwrap());
        assert_eq!(null.san(&position).to_string(), "--");
        assert_eq!(null.uci(CastlingMode::Standard).to_string(), "0000");
        null.play(&mut position);
        assert_eq!(position.turn(), Color::Black);
        assert_eq!(
            position.castles().castling_rights(),
            Chess::default().castles().castling_rights()
        );
    }

    #[test]
    fn mainline_has_the_history_of_each_move() {
        let mut game = Game::default();
        assert_eq!(game.mainline().len(), 0);
        game.plies.push(ply());
        let mut line = game.mainline();
        let (before, first) = line.next().unwrap();
        assert_eq!(
            (before.ply(), first.san(before.position()).to_string()),
            (0, "e4".to_owned())
        );
        assert_eq!(game.end().moves(), [ply().mv]);
        assert!(line.next().is_none());
    }
}
