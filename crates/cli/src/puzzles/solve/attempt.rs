//! One puzzle, being solved: what is right, what the opponent answers, what a hint says.

use centipawn_puzzle::Puzzle;
use shakmaty::{CastlingSide, Chess, Color, Move, Position as _, Role, Square, san::SanPlus};

/// What became of a move.
pub(super) enum Answer {
    Wrong,
    /// It goes on; how the opponent answered, in words, and the solution's move, if another was played that is as good.
    Right {
        answered: String,
        instead_of: Option<String>,
    },
    /// That was the last move. If it was not the solution's: that one.
    Solved {
        instead_of: Option<String>,
    },
}

/// What a move is worth where the solver is to move.
enum Worth {
    Wrong,
    /// It goes on with the opponent's move.
    Answered(Move),
    Solves,
}

pub(super) struct Attempt<'a> {
    puzzle: &'a Puzzle,
    moves: Vec<Move>,
    /// How many of the moves were played.
    played: usize,
    position: Chess,
    /// How often a hint was asked for; and since the last move.
    pub(super) hints: u32,
    hints_here: u32,
    pub(super) mistakes: u32,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(puzzle: &'a Puzzle) -> Self {
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

    pub(super) fn position(&self) -> &Chess {
        &self.position
    }

    pub(super) fn solver(&self) -> Color {
        self.puzzle.solution.solver()
    }

    /// The squares that the opponent's last move left and reached.
    pub(super) fn last_squares(&self) -> [Square; 2] {
        squares(self.moves[self.played - 1], !self.solver())
    }

    /// The solution's move here. There is one: the solver has the last move.
    fn best(&self) -> Move {
        self.moves[self.played]
    }

    /// Whether the tree of the solution has this move besides the main one.
    fn is_also_correct(&self, mv: Move) -> bool {
        let Some(tree) = &self.puzzle.tree else { return false };
        tree.main_line().nth(self.played / 2).is_some_and(|node| tree.nodes()[node].is_correct(mv))
    }

    /// The only place that knows which moves are right, and what is answered. Any mate is right.
    /// After a move that is as good as the main one, the main line goes on: only its answers are known.
    fn worth(&self, mv: Move) -> Worth {
        let mut after = self.position.clone();
        after.play_unchecked(mv);
        if after.is_checkmate() {
            return Worth::Solves;
        }
        if mv != self.best() && !self.is_also_correct(mv) {
            return Worth::Wrong;
        }
        self.moves.get(self.played + 1).map_or(Worth::Solves, |&reply| Worth::Answered(reply))
    }

    /// Plays a legal move of the solver.
    pub(super) fn play(&mut self, mv: Move) -> Answer {
        match self.worth(mv) {
            Worth::Wrong => {
                self.mistakes += 1;
                Answer::Wrong
            }
            Worth::Answered(reply) => {
                let best = self.best();
                let instead_of = (mv != best).then(|| self.san(best));
                self.position.play_unchecked(best);
                let answered = format!("{} answers {}.", name(!self.solver()), self.san(reply));
                self.position.play_unchecked(reply);
                self.played += 2;
                self.hints_here = 0;
                Answer::Right { answered, instead_of }
            }
            Worth::Solves => {
                let best = self.best();
                Answer::Solved { instead_of: (mv != best).then(|| self.san(best)) }
            }
        }
    }

    /// The piece that moves; asked once more, where it goes.
    pub(super) fn hint(&mut self) -> String {
        self.hints += 1;
        self.hints_here += 1;
        let best = self.best();
        let [from, to] = squares(best, self.solver());
        if self.hints_here == 1 {
            return format!("The {} on {from} moves.", role_name(best.role()));
        }
        let becomes = best.promotion().map_or_else(String::new, |role| format!(" and becomes a {}", role_name(role)));
        format!("The {} on {from} goes to {to}{becomes}.", role_name(best.role()))
    }

    /// A legal move, such as `Nxe4+`.
    pub(super) fn san(&self, mv: Move) -> String {
        SanPlus::from_move(self.position.clone(), mv).to_string()
    }

    /// What is left of the solution: `30... Rxc2 31. Rxc2 Qd1+`.
    pub(super) fn rest(&self) -> String {
        numbered(&self.position, &self.moves[self.played..])
    }

    /// Who played what, and who is to move.
    pub(super) fn situation(&self) -> String {
        let last = self.played - 1;
        let mut before = self.puzzle.start.position().clone();
        self.moves[..last].iter().for_each(|&mv| before.play_unchecked(mv));
        let (opponent, solver) = (name(!self.solver()), name(self.solver()));
        format!("{opponent} played {}. {solver} to move.", numbered(&before, &self.moves[last..=last]))
    }
}

/// Moves with their numbers.
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

/// The squares that a move leaves and reaches; the king's, for castling.
fn squares(mv: Move, color: Color) -> [Square; 2] {
    match mv {
        Move::Castle { king, .. } => [king, mv.castling_side().unwrap_or(CastlingSide::KingSide).king_to(color)],
        _ => [mv.from().unwrap_or_else(|| mv.to()), mv.to()],
    }
}

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}
