//! Positions of games that could be puzzles, and what became of them.

use std::fmt;

use centipawn_core::History;
use shakmaty::Move;

use crate::Puzzle;

/// A position that looked like a puzzle, and what became of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Half-moves of the game before it.
    pub ply: usize,
    /// The position, with the moves that led to it.
    pub history: History,
    /// What was played in it; nothing if the game ends there.
    pub played: Option<Move>,
    /// The best move by the last search, if there was one.
    pub best: Option<Move>,
    /// Whether it is a puzzle, and why.
    pub verdict: Verdict,
    /// How many stages of verification it passed; how many of the solver's moves were found to be the only ones.
    pub stages: usize,
    /// The puzzle with its solution, where it is one and the rules find solutions; the classic rules stop at the position.
    pub puzzle: Option<Box<Puzzle>>,
}

/// What became of a [`Candidate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A puzzle: the move gives material up.
    Sacrifice,
    /// A puzzle: the move was not played.
    Missed,
    /// A puzzle: the move was played, and the opponent had not been lost before.
    Blunder,
    /// The side to move is in check.
    InCheck,
    /// With more nodes the best line does not win.
    NotWon,
    /// With more nodes another line wins too.
    SecondWins,
    /// A mate in one.
    MateInOne,
    /// A pawn takes in passing.
    EnPassant,
    /// A pawn becomes a queen.
    Queening,
    /// The move just wins material.
    WinsMaterial,
    /// The move was played, and the opponent had been lost before; or nothing was before.
    Trivial,
    /// A puzzle: each of the solver's moves is the only one.
    OnlyMoves,
    /// The solver had more material already.
    MaterialUp,
    /// Less than clearly won, by who was not behind in material.
    NotClear,
    /// The engine finds no mate where there was to be one, or a late one.
    NotMate,
    /// A position of the solution stood on the board before.
    Repetition,
    /// The game is over before the winning line ends.
    GameOver,
    /// Only one move is to be found.
    OneMove,
    /// A puzzle: one move wins.
    Wins,
    /// A puzzle: one move saves a position that any other loses.
    Saves,
    /// Another move saves it too.
    SecondSaves,
    /// The move takes back.
    TakesBack,
    /// An earlier puzzle of the game comes to this position.
    InSolution,
    /// The same move solved an earlier puzzle of the game, and was not seen.
    Again,
    /// The same position is a puzzle already.
    Known,
    /// Later in the solution the goal is missed.
    DoesNotHold,
    /// The solution has too few moves.
    TooShort,
    /// The solution has too many moves.
    TooDeep,
    /// The solution has too many branches.
    TooWide,
}

impl Verdict {
    /// Whether it is a puzzle.
    pub fn is_puzzle(self) -> bool {
        use Verdict::{Blunder, Missed, OnlyMoves, Sacrifice, Saves, Wins};
        matches!(self, Sacrifice | Missed | Blunder | OnlyMoves | Wins | Saves)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Sacrifice => "a sacrifice",
            Verdict::Missed => "not played",
            Verdict::Blunder => "after a blunder",
            Verdict::InCheck => "in check",
            Verdict::NotWon => "not won",
            Verdict::SecondWins => "a second move wins",
            Verdict::MateInOne => "mate in one",
            Verdict::EnPassant => "en passant",
            Verdict::Queening => "promotion to a queen",
            Verdict::WinsMaterial => "wins material at once",
            Verdict::Trivial => "played, and lost before",
            Verdict::OnlyMoves => "only moves",
            Verdict::MaterialUp => "more material before",
            Verdict::NotClear => "not clearly won",
            Verdict::NotMate => "no mate found",
            Verdict::Repetition => "a repetition",
            Verdict::GameOver => "the game ends",
            Verdict::OneMove => "one move only",
            Verdict::Wins => "one move wins",
            Verdict::Saves => "one move saves",
            Verdict::SecondSaves => "a second move saves",
            Verdict::TakesBack => "takes back",
            Verdict::InSolution => "in an earlier puzzle's solution",
            Verdict::Again => "the move of an earlier puzzle",
            Verdict::Known => "a puzzle already",
            Verdict::DoesNotHold => "does not hold to the end",
            Verdict::TooShort => "too few moves",
            Verdict::TooDeep => "too many moves",
            Verdict::TooWide => "too many branches",
        })
    }
}
