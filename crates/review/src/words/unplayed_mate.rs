//! A sentence on a game that ended away from the board although one side had a forced mate.

use centipawn_judge::{GameEnd, UnplayedMate};
use shakmaty::Color;

use crate::Language;

impl Language {
    /// Returns a sentence on a forced mate in the last position: `White resigned with a forced mate
    /// on the board: Black mates in 2.`
    pub fn unplayed_mate(self, mate: UnplayedMate) -> String {
        let UnplayedMate { end, mating, moves } = mate;
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
            GameEnd::Resignation(loser) => self.pick(
                format!(
                    "{} resigned with a forced mate on the board: {mates}.",
                    side(loser)
                ),
                format!(
                    "{} gab auf, als ein erzwungenes Matt auf dem Brett stand: {mates}.",
                    side(loser)
                ),
            ),
            GameEnd::Time(loser) => self.pick(
                format!(
                    "{} lost on time with a forced mate on the board: {mates}.",
                    side(loser)
                ),
                format!(
                    "{} verlor auf Zeit, als ein erzwungenes Matt auf dem Brett stand: {mates}.",
                    side(loser)
                ),
            ),
            GameEnd::Other => self.pick(
                format!("The game ended with a forced mate on the board: {mates}."),
                format!(
                    "Die Partie endete, als ein erzwungenes Matt auf dem Brett stand: {mates}."
                ),
            ),
        }
    }
}
