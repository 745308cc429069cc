//! Evaluations that stand in a game.

use centipawn_core::{Curve, Ending, Eval, History, Mover, White};
use shakmaty::Move;

use crate::{Annotation, Described, Dialect, Game, Profile};

/// Evaluations that stand in a game's comments, one for each of its positions, the start's first.
///
/// ```
/// use centipawn_core::{Eval, History};
/// use centipawn_pgn::{Dialect, Reader, Told};
///
/// let pgn = "1. f3 { [%eval -0.5] } e5 { [%eval -0.4] } 2. g4 { [%eval #-1] } *";
/// let game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
/// let told = Told::read(&game, Dialect::Auto);
/// let (before, ply) = game.mainline().nth(2).unwrap();
/// assert_eq!(told.of_position(2, &before), Some(Eval::cp(-40)));
/// assert_eq!(told.of_move(2, &before, ply.mv), Some(Eval::mate(-1)));
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Told {
    evals: Vec<Option<Eval<White>>>,
    /// The plies whose mover evaluated the position before, and chose the move.
    movers_own: Vec<bool>,
    dialect: Dialect,
}

impl Told {
    /// Reads them. Nothing is said of the start by those who speak of positions after moves; Lichess counts it as +0.15.
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
        // In engines' matches the first moves are a book's, for which nobody is judged.
        if last_described == Described::Before
            && let Some(first) = evals.iter().position(Option::is_some)
        {
            let eval = evals[first];
            evals[..first].fill(eval);
        }
        // Nor do engines say anything of the position in which nobody moved any more.
        if let [.., before, last @ None] = &mut evals[..]
            && last_described == Described::Before
        {
            *last = *before;
        }
        Told { evals, movers_own, dialect }
    }

    /// The curve of those who evaluated, as far as the game shows who they were; otherwise the default.
    pub fn curve(&self, game: &Game) -> Curve {
        let is_from = |site: &str| {
            ["Site", "Event"].iter().any(|tag| game.headers.get(tag).is_some_and(|text| text.contains(site)))
        };
        match self.dialect {
            Dialect::Tcec => Curve::TCEC,
            Dialect::Commands if is_from("lichess.org") => Curve::LICHESS,
            _ => Curve::default(),
        }
    }

    /// What they say of the position after the first `index` moves, which is `before`.
    pub fn of_position(&self, index: usize, before: &History) -> Option<Eval<Mover>> {
        self.evals[index].map(|eval| eval.for_mover(before.turn()))
    }

    /// What they say of the move played there, if not the rules do.
    pub fn of_move(&self, index: usize, before: &History, played: Move) -> Option<Eval<Mover>> {
        ended_by(before, played)
            .or_else(|| self.evals[index + 1].map(|eval| one_move_earlier(eval.for_mover(before.turn()))))
    }

    /// Whether it was the mover who evaluated the position, and so chose the best move as far as he could see.
    pub fn is_movers_own(&self, index: usize) -> bool {
        self.movers_own[index]
    }
}

/// An evaluation of the position after a mover's move as one of the move: a mate is one move longer.
fn one_move_earlier(after: Eval<Mover>) -> Eval<Mover> {
    match after.mate_moves() {
        Some(moves) if moves > 0 => Eval::mate(moves.saturating_add(1)),
        _ => after,
    }
}

/// The worth of a move that ends the game on the board, which needs no search; `None` for all others.
pub fn ended_by(before: &History, played: Move) -> Option<Eval<Mover>> {
    let mut after = before.clone();
    after.push(played);
    match after.ending()? {
        Ending::Checkmate => Some(Eval::mate(1)),
        Ending::Stalemate | Ending::InsufficientMaterial => Some(Eval::cp(0)),
        Ending::FiftyMoves | Ending::Repetition => None,
    }
}
