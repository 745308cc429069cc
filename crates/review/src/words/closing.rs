//! Sentences on what is remarkable about the end of a game.

use std::time::Duration;

use centipawn_judge::{Closing, GameEnd};
use shakmaty::Color;

use crate::Language;

impl Language {
    /// Returns a sentence on the end of a game: `White resigned with an expected score of 0.41.`
    pub fn closing(self, closing: Closing) -> String {
        let labels = self.labels();
        let name = |color: Color| color.fold_wb(labels.white, labels.black);
        match closing {
            Closing::GivenUp {
                end,
                side,
                expected_score,
            } => {
                let (side, score) = (name(side), self.number(expected_score, 2));
                match end {
                    GameEnd::Resignation(_) => self.pick(
                        format!("{side} resigned with an expected score of {score}."),
                        format!("{side} gab mit {score} erwarteten Punkten auf."),
                    ),
                    GameEnd::Time(_) => self.pick(
                        format!("{side} lost on time with an expected score of {score}."),
                        format!("{side} verlor mit {score} erwarteten Punkten auf Zeit."),
                    ),
                    GameEnd::Other => self.pick(
                        format!("The game was drawn with an expected score of {score} for {side}."),
                        format!(
                            "Die Partie endete remis, mit {score} erwarteten Punkten für {side}."
                        ),
                    ),
                }
            }
            Closing::ShortOfTime { side, moves, limit } => {
                let (side, limit) = (name(side), self.less_than(limit));
                self.pick(
                    format!("{side} made the last {moves} moves with less than {limit}."),
                    format!("{side} spielte die letzten {moves} Züge mit weniger als {limit}."),
                )
            }
        }
    }

    /// Returns a time in whole minutes, or in seconds if it is short.
    fn less_than(self, time: Duration) -> String {
        let seconds = time.as_secs().max(1);
        match seconds {
            1 => self.pick("a second", "einer Sekunde").to_owned(),
            2..120 => self.pick(format!("{seconds} seconds"), format!("{seconds} Sekunden")),
            _ => {
                let minutes = seconds / 60;
                self.pick(format!("{minutes} minutes"), format!("{minutes} Minuten"))
            }
        }
    }
}
