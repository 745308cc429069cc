//! Forced mates in the last position of games that ended by resignation, on time or by agreement.

use centipawn_core::Eval;
use shakmaty::{Color, KnownOutcome, Outcome};

use crate::Judgement;

/// A forced mate in the last position of a game that did not end by checkmate or by a drawing rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnplayedMate {
    /// The end of the game.
    pub end: GameEnd,
    /// The side that can force mate.
    pub mating: Color,
    /// Number of moves to mate, 1 or more.
    pub moves: u32,
}

/// How a game ended whose last position has legal moves and is not drawn by a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The given side resigned.
    Resignation(Color),
    /// The given side lost on time.
    Time(Color),
    /// A draw, or an end of the game that its tags and comments do not explain.
    Other,
}

impl GameEnd {
    /// Reads the tag `Termination`. `Normal` is Lichess' word for games that end by mate, a draw or
    /// resignation.
    pub(crate) fn of(termination: Option<&str>, loser: Option<Color>) -> Self {
        let words = termination.unwrap_or_default().to_ascii_lowercase();
        match loser {
            Some(loser) if words.contains("time") => GameEnd::Time(loser),
            Some(loser) if words.contains("resign") || words == "normal" => {
                GameEnd::Resignation(loser)
            }
            _ => GameEnd::Other,
        }
    }
}

impl Judgement {
    /// Returns the forced mate in the last position; `None` if there is none, or the game is over
    /// on the board or not at all.
    pub fn unplayed_mate(&self) -> Option<UnplayedMate> {
        let Outcome::Known(outcome) = self.game.result else {
            return None;
        };
        let moves = self.plies.last()?.eval.and_then(Eval::mate_moves)?;
        if self.game.end().ending().is_some() {
            return None;
        }
        let loser = match outcome {
            KnownOutcome::Decisive { winner } => Some(!winner),
            KnownOutcome::Draw => None,
        };
        let end = GameEnd::of(self.game.headers.get("Termination"), loser);
        let mating = if moves > 0 {
            Color::White
        } else {
            Color::Black
        };
        Some(UnplayedMate {
            end,
            mating,
            moves: moves.unsigned_abs(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminations_are_read() {
        let of = |text: &str, loser| GameEnd::of(Some(text), loser);
        assert_eq!(
            of("Time forfeit", Some(Color::White)),
            GameEnd::Time(Color::White)
        );
        assert_eq!(
            of("anna won on time", Some(Color::Black)),
            GameEnd::Time(Color::Black)
        );
        assert_eq!(
            of("anna won by resignation", Some(Color::Black)),
            GameEnd::Resignation(Color::Black)
        );
        assert_eq!(
            of("Normal", Some(Color::White)),
            GameEnd::Resignation(Color::White)
        );
        assert_eq!(of("Normal", None), GameEnd::Other, "a draw");
        assert_eq!(of("abandoned", Some(Color::White)), GameEnd::Other);
        assert_eq!(GameEnd::of(None, Some(Color::White)), GameEnd::Other);
    }
}
