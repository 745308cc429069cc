//! All evaluations in a game's comments.

use std::borrow::Cow;

use centipawn_core::{Curve, Ending, Eval, History, Mover, White};
use shakmaty::Move;

use crate::{Annotation, Described, Dialect, Game, Profile, eval_units, eval_units::is_from_lichess};

/// The evaluations in a game's comments, one entry per position, starting with the start position.
///
/// ```
/// use centipawn_core::{Eval, History};
/// use centipawn_pgn::{Dialect, GameEvals, Reader};
///
/// let pgn = "1. f3 { [%eval -0.5] } e5 { [%eval -0.4] } 2. g4 { [%eval #-1] } *";
/// let game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
/// let evals = GameEvals::read(&game, Dialect::Auto);
/// let (before, ply) = game.mainline().nth(2).unwrap();
/// assert_eq!(evals.of_position(2, &before), Some(Eval::cp(-40)));
/// assert_eq!(evals.of_move(2, &before, ply.mv), Some(Eval::mate(-1)));
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameEvals {
    evals: Vec<Option<Eval<White>>>,
    /// For each ply, whether the mover evaluated the position before the move and chose the move.
    movers_own: Vec<bool>,
    dialect: Dialect,
}

impl GameEvals {
    /// Reads all comments in `dialect`. Dialects that evaluate the position after each move have no evaluation for the
    /// start position; it counts as +0.15, as on Lichess.
    pub fn read(game: &Game, dialect: Dialect) -> Self {
        let dialect = if dialect == Dialect::Auto { Dialect::detect([game]) } else { dialect };
        let mut evals = vec![None; game.plies.len() + 1];
        let mut movers_own = vec![false; game.plies.len()];
        if let Some(profile) = game.comments.iter().find_map(|comment| Profile::decode(comment.as_bytes())) {
            for (known, told) in evals.iter_mut().skip(profile.first as usize).zip(profile.evals) {
                *known = told;
            }
        }
        let mut mover = game.start.turn();
        let mut last_described = Described::After;
        for (index, ply) in game.plies.iter().enumerate() {
            let Annotation { eval, described, .. } = ply.annotation(dialect, mover);
            let position = match described {
                Described::Before => index,
                Described::After => index + 1,
            };
            if eval.is_some() {
                evals[position] = eval;
                movers_own[index] = position == index;
                last_described = described;
            }
            mover = !mover;
        }
        if evals[0].is_none() && game.start.is_from_startpos() && evals.get(1).is_some_and(Option::is_some) {
            evals[0] = Some(Eval::cp(15));
        }
        // In engine matches the first moves come from an opening book, so they are nobody's choice.
        if last_described == Described::Before
            && let Some(first) = evals.iter().position(Option::is_some)
        {
            let eval = evals[first];
            evals[..first].fill(eval);
        }
        // Engines do not evaluate the last position, in which nobody moves.
        if let [.., before, last @ None] = &mut evals[..]
            && last_described == Described::Before
        {
            *last = *before;
        }
        Self { evals, movers_own, dialect }
    }

    /// The curve of the program that evaluated, as far as the game's tags and dialect show it; otherwise the default.
    pub fn curve(&self, game: &Game) -> Curve {
        match self.dialect {
            Dialect::Tcec => Curve::TCEC,
            _ if self.is_from_lichess(game) => Curve::LICHESS,
            _ => Curve::default(),
        }
    }

    /// The unit of the evaluations, in [pawns for one of Stockfish 15.1's](centipawn_core::units_of): Lichess used older
    /// Stockfishes until 2022, and other sources count as normalised.
    pub fn units(&self, game: &Game) -> f64 {
        eval_units(|name| game.headers.get(name).map(Cow::from), self.dialect)
    }

    /// Whether the evaluations are Lichess' own.
    fn is_from_lichess(&self, game: &Game) -> bool {
        is_from_lichess(|name| game.headers.get(name).map(Cow::from), self.dialect)
    }

    /// The evaluation of `before`, the position after the first `index` moves, for its side to move.
    ///
    /// # Panics
    ///
    /// If the game has fewer than `index` moves.
    pub fn of_position(&self, index: usize, before: &History) -> Option<Eval<Mover>> {
        self.evals[index].map(|eval| eval.for_mover(before.turn()))
    }

    /// The evaluation of the move `played` in `before`, move `index` of the game: by the rules if it ends the game,
    /// otherwise that of the position it leads to.
    ///
    /// # Panics
    ///
    /// If the game has no move `index`, the first being 0.
    pub fn of_move(&self, index: usize, before: &History, played: Move) -> Option<Eval<Mover>> {
        ended_by(before, played)
            .or_else(|| self.evals[index + 1].map(|eval| one_move_earlier(eval.for_mover(before.turn()))))
    }

    /// Whether the mover evaluated the position, so that the move played is the evaluating program's own choice.
    ///
    /// # Panics
    ///
    /// If the game has no move `index`, the first being 0.
    pub fn is_movers_own(&self, index: usize) -> bool {
        self.movers_own[index]
    }
}

/// Converts an evaluation of the position after a move to one of the move itself: a mate becomes one move longer.
fn one_move_earlier(after: Eval<Mover>) -> Eval<Mover> {
    match after.mate_moves() {
        Some(moves) if moves > 0 => Eval::mate(moves.saturating_add(1)),
        _ => after,
    }
}

/// The evaluation of a move that ends the game on the board; `None` for all other moves.
pub fn ended_by(before: &History, played: Move) -> Option<Eval<Mover>> {
    let mut after = before.clone();
    after.push(played);
    match after.ending()? {
        Ending::Checkmate => Some(Eval::mate(1)),
        Ending::Stalemate | Ending::InsufficientMaterial => Some(Eval::cp(0)),
        Ending::FiftyMoves | Ending::Repetition => None,
    }
}
