//! All evaluations in a game's comments.

use std::borrow::Cow;

use centipawn_core::{Curve, Ending, Eval, History, Mover, Score, White};
use shakmaty::Move;

use crate::{
    Annotation, Described, Dialect, Evaluator, Game, Profile, eval_units,
    eval_units::{evaluator, is_from_lichess},
};

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
    dialect: Dialect,
    /// The evaluator that the game names.
    evaluator: Option<Evaluator>,
    /// The factor by which evaluations are multiplied when they are read.
    factor: f64,
}

/// Units whose ratio differs from 1 by less than this count as equal, because a conversion would
/// only add rounding errors.
const SAME_UNIT: f64 = 0.02;

impl GameEvals {
    /// Reads all comments in `dialect`. Dialects that evaluate the position after each move have no
    /// evaluation for the start position; it counts as +0.15, as on Lichess.
    ///
    /// With [`Dialect::Auto`] the evaluations of a review ([`Evaluator::is_review`]) count before
    /// those of engines that played.
    pub fn read(game: &Game, dialect: Dialect) -> Self {
        let tag = |name: &str| game.headers.get(name).map(Cow::from);
        let is_reviewed =
            || evaluator(tag, Dialect::Auto).is_some_and(|evaluator| evaluator.is_review);
        let dialect = match dialect {
            Dialect::Auto if is_reviewed() => Dialect::Commands,
            Dialect::Auto => Dialect::detect([game]),
            given => given,
        };
        let mut evals = vec![None; game.plies.len() + 1];
        if let Some(profile) = game
            .comments
            .iter()
            .find_map(|comment| Profile::decode(comment.as_bytes()))
        {
            for (known, found) in evals
                .iter_mut()
                .skip(profile.first as usize)
                .zip(profile.evals)
            {
                *known = found;
            }
        }
        let mut mover = game.start.turn();
        let mut last_described = Described::After;
        for (index, ply) in game.plies.iter().enumerate() {
            let Annotation {
                eval, described, ..
            } = ply.annotation(dialect, mover);
            let position = match described {
                Described::Before => index,
                Described::After => index + 1,
            };
            if eval.is_some() {
                evals[position] = eval;
                last_described = described;
            }
            mover = !mover;
        }
        if evals[0].is_none()
            && game.start.is_from_startpos()
            && evals.get(1).is_some_and(Option::is_some)
        {
            evals[0] = Some(Eval::cp(15));
        }
        // In engine matches the first moves come from an opening book, so no player chose them.
        if last_described == Described::Before
            && let Some(first) = evals.iter().position(Option::is_some)
        {
            let eval = evals[first];
            evals[..first].fill(eval);
        }
        // Engines do not evaluate the last position, in which no move follows.
        if let [.., before, last @ None] = &mut evals[..]
            && last_described == Described::Before
        {
            *last = *before;
        }
        Self {
            evals,
            dialect,
            evaluator: evaluator(tag, dialect),
            factor: 1.0,
        }
    }

    /// Returns the evaluations in another unit, for a game that is evaluated further in that unit:
    /// `units` as [`units`](Self::units) gives them. Mates stay, and nothing changes if the units
    /// are practically the same.
    #[must_use]
    pub fn converted(self, game: &Game, units: f64) -> Self {
        let factor = units / self.units(game);
        Self {
            factor: if (factor - 1.0).abs() < SAME_UNIT {
                1.0
            } else {
                factor
            },
            ..self
        }
    }

    /// Returns an evaluation in the unit of the game's comments in the unit that these evaluations
    /// are [converted](Self::converted) to.
    pub fn in_units<View>(&self, eval: Eval<View>) -> Eval<View> {
        match eval.score() {
            // The cast saturates, so a product outside the range of `i32` becomes the nearest
            // limit.
            Score::Cp(cp) if self.factor != 1.0 => {
                Eval::cp((f64::from(cp) * self.factor).round() as i32)
            }
            _ => eval,
        }
    }

    /// Returns the curve of the program that evaluated, as far as the game's tags and dialect show
    /// it; otherwise the default. The tag `Annotator` decides before the site.
    pub fn curve(&self, game: &Game) -> Curve {
        if let Some(evaluator) = self.evaluator {
            return evaluator.curve;
        }
        match self.dialect {
            Dialect::Tcec => Curve::TCEC,
            _ if self.is_from_lichess(game) => Curve::LICHESS,
            _ => Curve::default(),
        }
    }

    /// Returns the unit of the evaluations in the game's comments, in [pawns for one of Stockfish
    /// 15.1's](centipawn_core::WdlModel::pawn_units): see [`eval_units`].
    pub fn units(&self, game: &Game) -> f64 {
        eval_units(|name| game.headers.get(name).map(Cow::from), self.dialect)
    }

    /// Returns whether the evaluations are Lichess' own.
    fn is_from_lichess(&self, game: &Game) -> bool {
        is_from_lichess(|name| game.headers.get(name).map(Cow::from), self.dialect)
    }

    /// Returns the evaluation of `before`, the position after the first `index` moves, for its side
    /// to move.
    ///
    /// # Panics
    ///
    /// If the game has fewer than `index` moves.
    pub fn of_position(&self, index: usize, before: &History) -> Option<Eval<Mover>> {
        self.evals[index].map(|eval| self.in_units(eval.for_mover(before.turn())))
    }

    /// Returns the evaluation of the move `played` in `before`, move `index` of the game: by the
    /// rules if it ends the game, otherwise that of the position it leads to.
    ///
    /// # Panics
    ///
    /// If the game has no move `index`, the first being 0.
    pub fn of_move(&self, index: usize, before: &History, played: Move) -> Option<Eval<Mover>> {
        ended_by(before, played).or_else(|| {
            self.evals[index + 1]
                .map(|eval| self.in_units(one_move_earlier(eval.for_mover(before.turn()))))
        })
    }
}

/// Converts an evaluation of the position after a move to one of the move itself: a mate becomes
/// one move longer.
fn one_move_earlier(after: Eval<Mover>) -> Eval<Mover> {
    match after.mate_moves() {
        Some(moves) if moves > 0 => Eval::mate(moves.saturating_add(1)),
        _ => after,
    }
}

/// Returns the evaluation of a move that ends the game on the board; `None` for all other moves.
pub fn ended_by(before: &History, played: Move) -> Option<Eval<Mover>> {
    let mut after = before.clone();
    after.push(played);
    match after.ending()? {
        Ending::Checkmate => Some(Eval::mate(1)),
        Ending::Stalemate | Ending::InsufficientMaterial => Some(Eval::cp(0)),
        Ending::FiftyMoves | Ending::Repetition => None,
    }
}
