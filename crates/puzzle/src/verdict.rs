//! The verdict on a candidate: a kind of puzzle, or the reason for its refusal.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The verdict on a [`Candidate`](crate::Candidate).
///
/// ```
/// use centipawn_puzzle::{FoundKind, Refusal, Verdict};
///
/// assert!(Verdict::Found(FoundKind::Wins).is_found());
/// let refused = Verdict::Refused(Refusal::MateInOne);
/// assert_eq!(refused.to_string(), "mate in one");
/// assert_eq!(serde_json::to_string(&refused)?, r#"{"refused":"mate_in_one"}"#);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The candidate is a puzzle.
    Found(FoundKind),
    /// The candidate is not a puzzle.
    Refused(Refusal),
}

/// The reason why a candidate is a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundKind {
    /// Classic rules: the move sacrifices material.
    Sacrifice,
    /// Classic rules: the move was not played.
    Missed,
    /// Classic rules: the move was played, and the opponent was not losing before.
    Blunder,
    /// Lichess' rules: each of the solver's moves is the only correct move.
    OnlyMoves,
    /// Default rules: one move wins.
    Wins,
    /// Default rules: one move saves a position that every other move loses.
    Saves,
}

/// The reason why a candidate is not a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Classic rules: the side to move is in check.
    InCheck,
    /// The best move does not win, and does not save the game.
    NotWon,
    /// A second move also wins.
    SecondWins,
    /// The solution is a mate in one.
    MateInOne,
    /// The solution is a pawn's capture en passant.
    EnPassant,
    /// The solution is a promotion to a queen.
    Queening,
    /// The move immediately wins material.
    WinsMaterial,
    /// Classic rules: the move was played and the opponent was already losing, or there is no
    /// earlier position.
    Trivial,
    /// Lichess' rules: the solver was already ahead in material.
    MaterialUp,
    /// Lichess' rules: the win is not clear, and material is equal.
    NotClear,
    /// Lichess' rules: the game's evaluation is a mate, but the engine finds none, or only a slow
    /// one.
    NotMate,
    /// Lichess' rules: a position repeats in the solution.
    Repetition,
    /// The game is over before the solution ends.
    GameOver,
    /// Lichess' rules: the solution has a single move.
    OneMove,
    /// Several moves are good enough to win or to save the game.
    NothingStandsOut,
    /// The solution is only an obvious recapture.
    TakesBack,
    /// One move saves the game, but it is one of two answers to a check, or all moves of the
    /// solution are recaptures or such answers.
    ObviousDefence,
    /// One move is much better than the others, but the position stays worse than equal.
    StaysWorse,
    /// One move saves the game, but the opponent's last move lost less than 0.3 of expected score,
    /// so the move only holds the position.
    OnlyHolds,
    /// The solution of an earlier puzzle of the game contains this position.
    InSolution,
    /// The solution of an earlier puzzle of the game, at most six plies before, is a move of the
    /// same side to the same square.
    Again,
    /// Only missed puzzles are selected, and the best move was played.
    WasPlayed,
    /// The same position is already a puzzle of this run or of the existing file.
    Known,
    /// The estimated rating is outside the selected range.
    OtherRating,
    /// A later move of the solution does not reach the goal.
    DoesNotHold,
    /// A deeper search doubts that the first move is the only good one.
    Unsure,
    /// The solution has too few moves.
    TooShort,
    /// The solution has too many moves.
    TooDeep,
    /// The solution has too many branches.
    TooWide,
}

impl Verdict {
    /// Returns whether the candidate is a puzzle.
    pub fn is_found(self) -> bool {
        matches!(self, Verdict::Found(_))
    }
}

impl From<FoundKind> for Verdict {
    fn from(kind: FoundKind) -> Self {
        Verdict::Found(kind)
    }
}

impl From<Refusal> for Verdict {
    fn from(refusal: Refusal) -> Self {
        Verdict::Refused(refusal)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Found(kind) => kind.fmt(f),
            Verdict::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl fmt::Display for FoundKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FoundKind::Sacrifice => "a sacrifice",
            FoundKind::Missed => "not played",
            FoundKind::Blunder => "after a blunder",
            FoundKind::OnlyMoves => "only moves",
            FoundKind::Wins => "one move wins",
            FoundKind::Saves => "one move saves",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Refusal::InCheck => "in check",
            Refusal::NotWon => "not won",
            Refusal::SecondWins => "a second move wins",
            Refusal::MateInOne => "mate in one",
            Refusal::EnPassant => "en passant",
            Refusal::Queening => "promotion to a queen",
            Refusal::WinsMaterial => "wins material at once",
            Refusal::Trivial => "played, and the opponent was already losing",
            Refusal::MaterialUp => "the solver was already ahead in material",
            Refusal::NotClear => "not clearly won",
            Refusal::NotMate => "no mate found",
            Refusal::Repetition => "a repetition",
            Refusal::GameOver => "the game ends",
            Refusal::OneMove => "one move only",
            Refusal::NothingStandsOut => "no move stands out",
            Refusal::TakesBack => "only a recapture",
            Refusal::ObviousDefence => "an obvious defence",
            Refusal::StaysWorse => "the position stays worse",
            Refusal::OnlyHolds => "only holds the position",
            Refusal::InSolution => "in an earlier puzzle's solution",
            Refusal::Again => "the idea of an earlier puzzle",
            Refusal::WasPlayed => "the best move was played",
            Refusal::Known => "already a puzzle",
            Refusal::OtherRating => "easier or harder than asked for",
            Refusal::DoesNotHold => "does not hold to the end",
            Refusal::Unsure => "doubtful by a deeper search",
            Refusal::TooShort => "too few moves",
            Refusal::TooDeep => "too many moves",
            Refusal::TooWide => "too many branches",
        })
    }
}
