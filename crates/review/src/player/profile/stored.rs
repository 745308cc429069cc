//! [`PlayerGame`] as JSON for the library's store. The form is short, because a library has many
//! games.

use centipawn_judge::{Cause, LOSS_UNIT, Phase};
use centipawn_pgn::{PartialDate, TimeClass};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use shakmaty::Color;

use super::{Ending, PlayerGame, PlayerMove};

#[derive(Serialize, Deserialize)]
struct StoredGame {
    game: i64,
    review: i64,
    player: String,
    opponent: String,
    white: bool,
    rating: Option<u32>,
    opponent_rating: Option<u32>,
    points: Option<f64>,
    date: Option<PartialDate>,
    time_class: Option<String>,
    opening: Option<String>,
    is_searched: bool,
    /// In hundred-thousandths, before the first move and after the opening phase.
    opening_worth: Option<(u32, u32)>,
    ending: Option<(String, usize)>,
    moves: Vec<StoredMove>,
}

/// Half-move, text, losses in hundred-thousandths, kind and name of the cause, phase, shortage of
/// time, then what older libraries lack: the standard error of the loss, and the probability that
/// players of the rating find a good move, both in hundred-thousandths.
#[derive(Serialize, Deserialize)]
struct StoredMove(
    usize,
    String,
    u32,
    Option<u32>,
    String,
    String,
    usize,
    Option<bool>,
    #[serde(default)] Option<u32>,
    #[serde(default)] Option<u32>,
);

impl Serialize for PlayerGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let units = |loss: f64| (loss / LOSS_UNIT).round() as u32;
        let moves = self.moves.iter().map(|mv| {
            let (kind, name) = match mv.cause {
                Cause::Smaller => ("", ""),
                cause => (cause.kind(), cause.name()),
            };
            StoredMove(
                mv.ply,
                mv.text.clone(),
                units(mv.loss),
                mv.level_loss.map(units),
                kind.to_owned(),
                name.to_owned(),
                mv.phase as usize,
                mv.is_short_of_time,
                mv.loss_error.map(units),
                mv.finds.map(units),
            )
        });
        StoredGame {
            game: self.game,
            review: self.review,
            player: self.player.clone(),
            opponent: self.opponent.clone(),
            white: self.color.is_white(),
            rating: self.rating,
            opponent_rating: self.opponent_rating,
            points: self.points,
            date: self.date,
            time_class: self.time_class.map(|class| class.name().to_owned()),
            opening: self.opening.clone(),
            is_searched: self.is_searched,
            opening_worth: self.opening_worth.map(|(a, b)| (units(a), units(b))),
            ending: self.ending.map(|(name, from)| (name.to_owned(), from)),
            moves: moves.collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PlayerGame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredGame::deserialize(deserializer)?;
        let worth = |units: u32| LOSS_UNIT * f64::from(units);
        let ending = |(name, from): (String, usize)| {
            let ending = Ending::ALL
                .into_iter()
                .find(|ending| ending.name() == name)?;
            Some((ending.name(), from))
        };
        let moves = stored.moves.into_iter().map(
            |StoredMove(ply, text, loss, level, kind, name, phase, short, error, finds)| {
                Some(PlayerMove {
                    ply,
                    text,
                    loss: LOSS_UNIT * f64::from(loss),
                    loss_error: error.map(|error| LOSS_UNIT * f64::from(error)),
                    level_loss: level.map(|level| LOSS_UNIT * f64::from(level)),
                    cause: Cause::of_names(&kind, &name)?,
                    phase: *Phase::ALL.get(phase)?,
                    is_short_of_time: short,
                    finds: finds.map(|finds| LOSS_UNIT * f64::from(finds)),
                })
            },
        );
        Ok(Self {
            game: stored.game,
            review: stored.review,
            player: stored.player,
            opponent: stored.opponent,
            color: if stored.white {
                Color::White
            } else {
                Color::Black
            },
            rating: stored.rating,
            opponent_rating: stored.opponent_rating,
            points: stored.points,
            date: stored.date,
            time_class: stored
                .time_class
                .and_then(|name| name.parse::<TimeClass>().ok()),
            opening: stored.opening,
            is_searched: stored.is_searched,
            opening_worth: stored.opening_worth.map(|(a, b)| (worth(a), worth(b))),
            ending: stored.ending.and_then(ending),
            moves: moves
                .collect::<Option<_>>()
                .ok_or_else(|| D::Error::custom("a cause or a phase is unknown"))?,
        })
    }
}
