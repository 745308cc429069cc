//! What is known of a position in which a move was played: from an analyst, or from the game's own comments.

use std::cmp::Reverse;

use centipawn_core::{Context, Curve, Ending, Eval, History, Mover, White};
use centipawn_engine::{Analyst, AnalystError, Line, Question};
use centipawn_pgn::{Annotation, Described, Dialect, Game, Profile};
use shakmaty::{Move, Position as _};

use crate::Options;

/// The worth of a position's best moves and of the one that was played.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    /// The analyst's lines, best first; empty where the evaluations come from the game.
    pub(crate) lines: Vec<Line>,
    /// Of the best move.
    pub(crate) best: Eval<Mover>,
    /// Of the played move.
    pub(crate) played: Eval<Mover>,
    /// Of the best other move than the played one, where it is known.
    pub(crate) best_other: Option<Eval<Mover>>,
}

impl Findings {
    /// Where both players' moves cannot matter: no material to win with.
    fn drawn() -> Self {
        Self { lines: Vec::new(), best: Eval::cp(0), played: Eval::cp(0), best_other: None }
    }

    /// Asks the analyst: for the best lines, and for the played move by itself if it is not among them.
    pub(crate) fn search(
        analyst: &dyn Analyst,
        before: &History,
        played: Move,
        curve: &Curve,
        options: &Options,
    ) -> Result<Self, AnalystError> {
        if before.ending() == Some(Ending::InsufficientMaterial) {
            return Ok(Self::drawn());
        }
        let question = Question::new(before.clone(), options.limit);
        let mut lines = analyst.analyse(&question.clone().lines(options.lines))?.lines;
        let alone = |mv: Move| analyst.analyse(&question.clone().searchmoves([mv]));
        let worth = match (ended_by(before, played), lines.iter().find(|line| line.pv.first() == Some(&played))) {
            (Some(eval), _) => eval,
            (None, Some(line)) => line.eval,
            // An analyst has a line for every legal move it is asked about.
            (None, None) => alone(played)?.best().map_or(Eval::cp(0), |line| line.eval),
        };
        // The lines share the time that the played move had to itself, and a search that ends while its best move is being
        // refuted still gives the old score. Where a symbol hangs on the difference, the best move gets the same chance.
        let is_listed = lines.iter().any(|line| line.pv.first() == Some(&played));
        if let Some(first) = lines.first_mut().filter(|_| !is_listed) {
            let context = Context::of(before.position());
            let difference = curve.expected_score(worth, context) - curve.expected_score(first.eval, context);
            if options.scheme.moves.symbol(difference).is_some()
                && let Some(line) = alone(first.first_move())?.lines.into_iter().next()
            {
                *first = line;
                lines.sort_by_key(|line| Reverse(line.eval));
            }
        }
        let best_other = lines.iter().find(|line| line.pv.first() != Some(&played)).map(|line| line.eval);
        let best = lines.first().map_or(worth, |line| line.eval).max(worth);
        Ok(Self { lines, best, played: worth, best_other })
    }
}

/// The worth of a move that ends the game on the board, which needs no search.
fn ended_by(before: &History, played: Move) -> Option<Eval<Mover>> {
    let mut after = before.clone();
    after.push(played);
    match after.ending()? {
        Ending::Checkmate => Some(Eval::mate(1)),
        Ending::Stalemate | Ending::InsufficientMaterial => Some(Eval::cp(0)),
        Ending::FiftyMoves | Ending::Repetition => None,
    }
}

/// Evaluations that stand in a game's comments, one for each of its positions, the start's first.
pub(crate) struct Told {
    evals: Vec<Option<Eval<White>>>,
    /// The plies whose mover evaluated the position before, and chose the move.
    movers_own: Vec<bool>,
    dialect: Dialect,
}

impl Told {
    /// Reads them. Nothing is said of the start by those who speak of positions after moves; Lichess counts it as +0.15.
    pub(crate) fn read(game: &Game, dialect: Dialect) -> Self {
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
    pub(crate) fn curve(&self, game: &Game) -> Curve {
        let is_from = |site: &str| {
            ["Site", "Event"].iter().any(|tag| game.headers.get(tag).is_some_and(|text| text.contains(site)))
        };
        match self.dialect {
            Dialect::Tcec => Curve::TCEC,
            Dialect::Commands if is_from("lichess.org") => Curve::LICHESS,
            _ => Curve::default(),
        }
    }

    /// What they say of the position after the first `index` moves.
    pub(crate) fn of_position(&self, index: usize, before: &History) -> Option<Eval<Mover>> {
        self.evals[index].map(|eval| eval.for_mover(before.turn()))
    }

    /// What they say of the move played there.
    pub(crate) fn of_move(&self, index: usize, before: &History, played: Move) -> Option<Eval<Mover>> {
        ended_by(before, played)
            .or_else(|| self.evals[index + 1].map(|eval| one_move_earlier(eval.for_mover(before.turn()))))
    }

    /// Whether it was the mover who evaluated the position, and so chose the best move as far as he could see.
    pub(crate) fn is_movers_own(&self, index: usize) -> bool {
        self.movers_own[index]
    }

    /// What they say of the move after the first `index`, if they say enough.
    pub(crate) fn findings(&self, index: usize, before: &History, played: Move) -> Option<Findings> {
        let best = self.of_position(index, before)?;
        let played = self.of_move(index, before, played)?;
        let best = best.max(played);
        Some(Findings { lines: Vec::new(), best, played, best_other: None })
    }
}

/// An evaluation of the position after a mover's move as one of the move: a mate is one move longer.
fn one_move_earlier(after: Eval<Mover>) -> Eval<Mover> {
    match after.mate_moves() {
        Some(moves) if moves > 0 => Eval::mate(moves + 1),
        _ => after,
    }
}

/// An evaluation of a move as one of the position after it (still the mover's view): the inverse of the former.
pub(crate) fn one_move_later(played: Eval<Mover>) -> Eval<Mover> {
    match played.mate_moves() {
        Some(moves) if moves > 1 => Eval::mate(moves - 1),
        _ => played,
    }
}

/// Whether there is just one move to play.
pub(crate) fn is_forced(before: &History) -> bool {
    before.position().legal_moves().len() == 1
}
