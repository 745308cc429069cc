//! Puzzles as the page shows them and judges answers, wherever the puzzles are kept.

use centipawn_core::History;
use centipawn_pgn::Game;
use centipawn_puzzle::{
    Puzzle, Side,
    solve::{Attempt, MoveResult},
};
use shakmaty::{CastlingMode, Move, san::SanPlus, uci::UciMove};

use super::{
    AnswerDocument, AnswerRequest, AnswerResult, ErrorDocument, LineMove, MoveRequest, PosedPuzzle,
    PuzzleEditRequest, RepetitionDocument,
};

/// Maximum number of characters in a puzzle's name.
const LONGEST_NAME: usize = 100;

impl PuzzleEditRequest {
    /// Returns the changed puzzle.
    ///
    /// # Errors
    ///
    /// An [`ErrorDocument`] for a name that is too long or empty, and for a line that cannot be
    /// dropped.
    pub fn apply(&self, mut puzzle: Puzzle) -> Result<Puzzle, ErrorDocument> {
        if let Some(path) = &self.without {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            puzzle = puzzle.without_line(&path).map_err(|error| {
                ErrorDocument::new(
                    error.to_string(),
                    "Reload the page, and choose another line.",
                )
            })?;
        }
        if let Some(is_picked) = self.hand_picked {
            puzzle.set_hand_picked(is_picked);
        }
        if let Some(name) = &self.name {
            let name = name.trim();
            if name.is_empty()
                || name.chars().count() > LONGEST_NAME
                || name.chars().any(char::is_control)
            {
                return Err(ErrorDocument::new(
                    format!("{name:?} is no name of a puzzle"),
                    format!("Give one line of 1 to {LONGEST_NAME} characters."),
                ));
            }
            name.clone_into(&mut puzzle.id);
        }
        Ok(puzzle)
    }
}

impl LineMove {
    /// Returns a move of this position.
    pub fn of(before: &History, mv: Move) -> Self {
        Self {
            uci: before.uci(mv).to_string(),
            san: before.san(mv),
        }
    }
}

impl PosedPuzzle {
    /// Returns a puzzle without its solution; `None` if the solution has no moves. `is_own`: it is
    /// a mistake of a game that is kept.
    pub fn of(
        id: i64,
        origin: String,
        puzzle: &Puzzle,
        is_own: bool,
        attempts: i64,
        repetition: Option<RepetitionDocument>,
    ) -> Option<Self> {
        let first = puzzle.solution.moves().next()?;
        let played = puzzle.game.as_ref().map(|game| game.played.clone());
        Some(Self {
            id,
            origin,
            fen: puzzle.start.fen(),
            first: LineMove::of(&puzzle.start, first),
            solver: puzzle.solution.solver().fold_wb(Side::White, Side::Black),
            moves: puzzle.solution.moves().len() / 2,
            rating: puzzle.rating,
            rating_interval: puzzle.rating_interval,
            // Show the played move only for the user's own mistakes. For other puzzles it could be
            // a hint.
            mistake: played.filter(|played| is_own && !played.is_empty()),
            attempts,
            repetition,
        })
    }
}

impl AnswerDocument {
    /// Judges a move of the solver. The tree of the solution decides, except in two cases: every
    /// mating move is correct, and a mistake of a game is solved by any move that would not be a
    /// mistake. `is_good_enough` is asked about a move that the tree calls wrong; `refuse` makes
    /// the caller's error of a refusal.
    ///
    /// # Errors
    ///
    /// A step or a move that the puzzle does not have, and errors of `is_good_enough`.
    pub fn of<E>(
        puzzle: &Puzzle,
        request: &AnswerRequest,
        refuse: impl Fn(ErrorDocument) -> E,
        is_good_enough: impl FnOnce() -> Result<bool, E>,
    ) -> Result<Self, E> {
        let moves: Vec<Move> = puzzle.solution.moves().collect();
        let mut attempt = Attempt::new(puzzle);
        if request.step >= moves.len() / 2 {
            let error = "the puzzle is solved already";
            return Err(refuse(ErrorDocument::new(error, "Take the next one.")));
        }
        for step in 0..request.step {
            attempt.play(moves[2 * step + 1]);
        }
        let before = attempt.position().clone();
        let illegal = || {
            let error = format!("{:?} is not a legal move here", request.uci);
            refuse(ErrorDocument::new(error, "Play another move."))
        };
        let uci: UciMove = request.uci.parse().map_err(|_| illegal())?;
        let mv = uci.to_move(&before).map_err(|_| illegal())?;
        let san = attempt.san(mv);
        let (result, instead_of) = match attempt.play(mv) {
            MoveResult::Wrong if is_good_enough()? => {
                let best = SanPlus::from_move(before, moves[2 * request.step + 1]);
                (AnswerResult::Solved, Some(best.to_string()))
            }
            MoveResult::Wrong => (AnswerResult::Wrong, None),
            MoveResult::Right { instead_of, .. } => (AnswerResult::Right, instead_of),
            MoveResult::Solved { instead_of } => (AnswerResult::Solved, instead_of),
        };
        let reply = moves.get(2 * request.step + 2).copied();
        let reply = reply
            .filter(|_| result == AnswerResult::Right)
            .map(|reply| {
                let mut after = puzzle.start.clone();
                let played = moves.iter().take(2 * request.step + 2);
                played.for_each(|mv| after.push(*mv));
                LineMove::of(&after, reply)
            });
        Ok(Self {
            result,
            san,
            instead_of,
            reply,
        })
    }
}

impl MoveRequest {
    /// Asks to judge a move that is played instead of a mistake of a game, like the moves of a
    /// review; `None` if it is the mistake itself. `ply` is the number of half-moves before it.
    pub fn instead_of(game: &Game, ply: i64, uci: &str, review: Option<i64>) -> Option<Self> {
        let ply = usize::try_from(ply).unwrap_or(0);
        let moves = game
            .mainline()
            .map(|(before, ply)| before.uci(ply.mv).to_string());
        let mut moves: Vec<String> = moves.take(ply + 1).collect();
        // The last move is the mistake.
        if moves.pop().is_none_or(|played| played == uci) {
            return None;
        }
        moves.push(uci.to_owned());
        Some(Self {
            fen: game.start.fen(),
            chess960: game.start.mode() == CastlingMode::Chess960,
            moves,
            review,
            ..Self::default()
        })
    }
}

/// Returns the moves of a puzzle's solution, the opponent's first.
pub fn solution_line(puzzle: &Puzzle) -> Vec<LineMove> {
    let mut at = puzzle.start.clone();
    let steps = puzzle.solution.moves().map(|mv| {
        let step = LineMove::of(&at, mv);
        at.push(mv);
        step
    });
    steps.collect()
}

/// Returns for each move of the solver the other moves that are as good, in algebraic notation.
pub fn also_correct(puzzle: &Puzzle) -> Vec<Vec<String>> {
    let asked = puzzle.solution.asked().enumerate();
    let others = asked.map(|(step, position)| {
        let others = puzzle.also_correct(step).into_iter();
        others
            .map(|mv| SanPlus::from_move(position.clone(), mv).to_string())
            .collect()
    });
    others.collect()
}
