//! Games that end away from the board although one side has a forced mate.

use centipawn_core::Eval;
use shakmaty::{Color, KnownOutcome, Outcome};

use crate::{Language, Review};

/// How a game ends that is not over on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Resignation(Color),
    Time(Color),
    /// A draw, or the game does not say how it ended.
    Other,
}

impl End {
    /// By the tag `Termination`. `Normal` is Lichess' word for games that end by mate, a draw or resignation.
    fn of(termination: Option<&str>, loser: Option<Color>) -> Self {
        let words = termination.unwrap_or_default().to_ascii_lowercase();
        match loser {
            Some(loser) if words.contains("time") => End::Time(loser),
            Some(loser) if words.contains("resign") || words == "normal" => End::Resignation(loser),
            _ => End::Other,
        }
    }
}

impl Review {
    /// A sentence on a forced mate in the last position: `White resigned with a forced mate on the board: Black mates in 2.` `None` if there is
    /// none, or the game is over on the board or not at all.
    pub fn unplayed_mate(&self) -> Option<String> {
        let Outcome::Known(outcome) = self.game.result else { return None };
        let moves = self.plies.last()?.after.and_then(Eval::mate_moves)?;
        if self.game.end().ending().is_some() {
            return None;
        }
        let loser = match outcome {
            KnownOutcome::Decisive { winner } => Some(!winner),
            KnownOutcome::Draw => None,
        };
        let end = End::of(self.game.headers.get("Termination"), loser);
        let mating = if moves > 0 { Color::White } else { Color::Black };
        Some(self.options.language.unplayed_mate(end, mating, moves.unsigned_abs()))
    }
}

impl Language {
    fn unplayed_mate(self, end: End, mating: Color, moves: u32) -> String {
        let labels = self.labels();
        let side = |color: Color| color.fold_wb(labels.white, labels.black);
        let mates = self.pick(
            format!("{} mates in {moves}", side(mating)),
            match moves {
                1 => format!("{} setzt in einem Zug matt", side(mating)),
                _ => format!("{} setzt in {moves} Zügen matt", side(mating)),
            },
        );
        match end {
            End::Resignation(loser) => self.pick(
                format!("{} resigned with a forced mate on the board: {mates}.", side(loser)),
                format!("{} gab auf, als ein erzwungenes Matt auf dem Brett stand: {mates}.", side(loser)),
            ),
            End::Time(loser) => self.pick(
                format!("{} lost on time with a forced mate on the board: {mates}.", side(loser)),
                format!("{} verlor auf Zeit, als ein erzwungenes Matt auf dem Brett stand: {mates}.", side(loser)),
            ),
            End::Other => self.pick(
                format!("The game ended with a forced mate on the board: {mates}."),
                format!("Die Partie endete, als ein erzwungenes Matt auf dem Brett stand: {mates}."),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminations_say_how_a_game_ended() {
        let of = |text: &str, loser| End::of(Some(text), loser);
        assert_eq!(of("Time forfeit", Some(Color::White)), End::Time(Color::White));
        assert_eq!(of("anna won on time", Some(Color::Black)), End::Time(Color::Black));
        assert_eq!(of("anna won by resignation", Some(Color::Black)), End::Resignation(Color::Black));
        assert_eq!(of("Normal", Some(Color::White)), End::Resignation(Color::White));
        assert_eq!(of("Normal", None), End::Other, "a draw");
        assert_eq!(of("abandoned", Some(Color::White)), End::Other);
        assert_eq!(End::of(None, Some(Color::White)), End::Other);
    }
}
