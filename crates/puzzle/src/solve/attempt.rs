//! An attempt at a puzzle: judging moves, answering them and giving hints.

use centipawn_core::piece_name;
use shakmaty::{CastlingSide, Chess, Color, Move, Position as _, Square, san::SanPlus};

use crate::Puzzle;

/// The result of the solver's move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveResult {
    /// The move is wrong; the solver may try again.
    Wrong,
    /// The move is correct, and the solution continues.
    Right {
        /// The opponent's reply in words: `Black answers Kd7.`
        answered: String,
        /// The main solution's move in SAN, if the solver played an equally good one.
        instead_of: Option<String>,
    },
    /// The move is correct and ends the solution.
    Solved {
        /// The main solution's move in SAN, if the solver played an equally good one.
        instead_of: Option<String>,
    },
}

/// The effect of a legal move of the solver.
enum Effect {
    Wrong,
    /// The move is correct, and the opponent replies with this move.
    Answered(Move),
    Solves,
}

/// A puzzle being solved.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::{Puzzle, solve::{Attempt, MoveResult, typed_move}};
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
/// let puzzle = Puzzle::new(&start, ["a2b2", "d1d8"])?;
/// let mut attempt = Attempt::new(&puzzle);
/// assert_eq!(attempt.situation(), "Black played 1... Rb2. White to move.");
/// assert_eq!(attempt.hint(), "The rook on d1 moves.");
/// let mv = typed_move(attempt.position(), "rd8")?;
/// assert_eq!(attempt.play(mv), MoveResult::Solved { instead_of: None });
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    puzzle: &'a Puzzle,
    moves: Vec<Move>,
    /// Number of moves played so far, by both sides.
    played: usize,
    position: Chess,
    hints: u32,
    hints_here: u32,
    mistakes: u32,
}

impl<'a> Attempt<'a> {
    /// Starts an attempt after the opponent's first move.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        let solution = &puzzle.solution;
        Self {
            puzzle,
            moves: solution.moves().collect(),
            played: 1,
            position: solution.position().clone(),
            hints: 0,
            hints_here: 0,
            mistakes: 0,
        }
    }

    /// Returns the current position. While the puzzle is unsolved, the solver is to move.
    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// Returns the number of hints given so far.
    pub fn hints(&self) -> u32 {
        self.hints
    }

    /// Returns the number of wrong moves so far.
    pub fn mistakes(&self) -> u32 {
        self.mistakes
    }

    /// Returns the solver's color.
    pub fn solver(&self) -> Color {
        self.puzzle.solution.solver()
    }

    /// Returns the origin and the target square of the opponent's last move.
    pub fn last_squares(&self) -> [Square; 2] {
        squares(self.moves[self.played - 1], !self.solver())
    }

    /// Returns the main solution's move in the current position. It exists, because the solver has
    /// the last move.
    fn best(&self) -> Move {
        self.moves[self.played]
    }

    /// Judges a move and finds the reply. After a move that is as good as the main one, the main
    /// line continues, because replies are known only for it.
    fn effect(&self, mv: Move) -> Effect {
        if mv != self.best() && !self.puzzle.also_correct(self.played / 2).contains(&mv) {
            return Effect::Wrong;
        }
        let mut after = self.position.clone();
        after.play_unchecked(mv);
        match self.moves.get(self.played + 1) {
            Some(&reply) if !after.is_checkmate() => Effect::Answered(reply),
            _ => Effect::Solves,
        }
    }

    /// Plays a legal move of the solver and, if it is correct, the opponent's reply.
    pub fn play(&mut self, mv: Move) -> MoveResult {
        match self.effect(mv) {
            Effect::Wrong => {
                self.mistakes += 1;
                MoveResult::Wrong
            }
            Effect::Answered(reply) => {
                let best = self.best();
                let instead_of = (mv != best).then(|| self.san(best));
                self.position.play_unchecked(best);
                let answered = format!("{} answers {}.", name(!self.solver()), self.san(reply));
                self.position.play_unchecked(reply);
                self.played += 2;
                self.hints_here = 0;
                MoveResult::Right {
                    answered,
                    instead_of,
                }
            }
            Effect::Solves => {
                let best = self.best();
                MoveResult::Solved {
                    instead_of: (mv != best).then(|| self.san(best)),
                }
            }
        }
    }

    /// Gives a hint: the piece that moves, and on a second request also its target.
    pub fn hint(&mut self) -> String {
        self.hints += 1;
        self.hints_here += 1;
        let best = self.best();
        let [from, to] = squares(best, self.solver());
        if self.hints_here == 1 {
            return format!("The {} on {from} moves.", piece_name(best.role()));
        }
        let becomes = best.promotion().map_or_else(String::new, |role| {
            format!(" and becomes a {}", piece_name(role))
        });
        format!(
            "The {} on {from} goes to {to}{becomes}.",
            piece_name(best.role())
        )
    }

    /// Formats a legal move of the current position in SAN: `Nxe4+`.
    pub fn san(&self, mv: Move) -> String {
        SanPlus::from_move(self.position.clone(), mv).to_string()
    }

    /// Formats the remaining moves of the main solution: `30... Rxc2 31. Rxc2 Qd1+`.
    pub fn rest(&self) -> String {
        numbered(&self.position, &self.moves[self.played..])
    }

    /// Describes the opponent's last move and the side to move: `Black played 30... Rc2. White to
    /// move.`
    pub fn situation(&self) -> String {
        let last = self.played - 1;
        let mut before = self.puzzle.start.position().clone();
        self.moves[..last]
            .iter()
            .for_each(|&mv| before.play_unchecked(mv));
        let (opponent, solver) = (name(!self.solver()), name(self.solver()));
        format!(
            "{opponent} played {}. {solver} to move.",
            numbered(&before, &self.moves[last..=last])
        )
    }
}

/// Formats moves in SAN with move numbers.
fn numbered(position: &Chess, moves: &[Move]) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for (index, &mv) in moves.iter().enumerate() {
        let number = position.fullmoves();
        if index > 0 {
            text.push(' ');
        }
        match (position.turn(), index) {
            (Color::White, _) => text += &format!("{number}. "),
            (Color::Black, 0) => text += &format!("{number}... "),
            (Color::Black, _) => {}
        }
        text += &SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
    }
    text
}

/// Returns the origin and the target square of a move; for castling, those of the king.
fn squares(mv: Move, color: Color) -> [Square; 2] {
    match mv {
        Move::Castle { king, .. } => [
            king,
            mv.castling_side()
                .unwrap_or(CastlingSide::KingSide)
                .king_to(color),
        ],
        _ => [mv.from().unwrap_or_else(|| mv.to()), mv.to()],
    }
}

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}
