//! What one game contributes to the counts of a balance.

use std::{borrow::Cow, fmt, str::FromStr};

use centipawn_core::{Eval, Mover, White};
use centipawn_pgn::{Dialect, Game, GameView, rating};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shakmaty::{Color, Outcome};

use super::{BalanceKey, By};

/// The highest evaluation of a game. An announced mate is higher than any number of pawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Highest {
    /// An evaluation in centipawns, from the engine's side.
    Cp(i32),
    /// An announced mate in a game that was not won.
    Mate,
}

impl Highest {
    /// Returns the evaluation in pawns; infinite for a mate, minus infinite for being mated.
    pub fn pawns(self) -> f64 {
        match self {
            Highest::Cp(i32::MIN) => f64::NEG_INFINITY,
            Highest::Cp(cp) => f64::from(cp) / 100.0,
            Highest::Mate => f64::INFINITY,
        }
    }

    fn of(eval: Eval<Mover>) -> Self {
        match eval.pawns() {
            Some(pawns) => Highest::Cp((pawns * 100.0).round() as i32),
            None if eval.mate_moves().is_some_and(|moves| moves > 0) => Highest::Mate,
            None => Highest::Cp(i32::MIN),
        }
    }
}

impl fmt::Display for Highest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // `Cp(i32::MIN)` stands for being mated.
            Highest::Cp(i32::MIN) => f.pad("-mate"),
            Highest::Cp(cp) => f.pad(&format!("{:.2}", f64::from(*cp) / 100.0)),
            Highest::Mate => f.pad("mate"),
        }
    }
}

/// A game that an engine did not win.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Listed {
    /// The game's number among the counted games of its event, from 1.
    pub game: u64,
    /// The tag `Round`.
    pub round: String,
    /// The tags `White` and `Black`.
    pub players: [String; 2],
    /// `1-0`, `1/2-1/2`, `0-1`.
    pub result: Cow<'static, str>,
    /// The side that the engine played.
    #[serde(with = "side")]
    pub color: Color,
    /// The engine's highest own evaluation, from its side.
    pub highest: Highest,
    /// The full-move number at which it occurred.
    pub move_number: u32,
}

/// A game by number or round, optionally restricted to events whose name contains a text: `17`,
/// `4.1`, `Season 9:17`.
///
/// A number means the round if the event's rounds are distinct numbers; otherwise it is the game's
/// place in the event, in the order of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameName {
    event: Option<String>,
    game: String,
}

impl GameName {
    pub(super) fn is(&self, event: &Event<'_>, place: u64, round: &str) -> bool {
        let is_it = match self.game.parse::<u64>() {
            Ok(number) if !event.rounds_are_numbers => place == number,
            _ => round == self.game,
        };
        is_it
            && self
                .event
                .as_ref()
                .is_none_or(|part| event.name.to_lowercase().contains(&part.to_lowercase()))
    }
}

/// The facts about an event on which the meaning of a [`GameName`] depends.
pub(super) struct Event<'a> {
    pub(super) name: &'a str,
    pub(super) rounds_are_numbers: bool,
}

impl Serialize for GameName {
    /// Serialises as the text that the user writes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GameName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// Serialises a side as `white` or `black`.
pub(super) mod side {
    use serde::{Deserialize as _, Deserializer, Serializer, de};
    use shakmaty::Color;

    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(crate) fn serialize<S: Serializer>(
        color: &Color,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(color)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Color, D::Error> {
        match &*String::deserialize(deserializer)? {
            "white" => Ok(Color::White),
            "black" => Ok(Color::Black),
            _ => Err(de::Error::custom("a side is white or black")),
        }
    }
}

impl FromStr for GameName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (event, game) = match text.rsplit_once(':') {
            Some((event, game)) => (
                Some(event.trim().to_owned()).filter(|event| !event.is_empty()),
                game.trim(),
            ),
            None => (None, text.trim()),
        };
        if game.is_empty() {
            return Err(
                "a game is a number, such as 17, or an event and a number, such as 'Season 9:17'"
                    .to_owned(),
            );
        }
        Ok(Self {
            event,
            game: game.to_owned(),
        })
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.event {
            Some(event) => write!(f, "{event}:{}", self.game),
            None => f.write_str(&self.game),
        }
    }
}

/// A game that counts, or the reason why it does not.
pub(super) enum Played {
    Unfinished,
    WithoutEvals,
    Counts(Box<Counts>),
}

/// The evaluations of a game that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// The index of its source among all sources, and its offset in the source.
    pub(super) place: (usize, u64),
    pub(super) event: String,
    pub(super) round: String,
    pub(super) sides: Vec<Side>,
}

/// The contribution of one player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Side {
    pub(super) key: BalanceKey,
    /// 2 for a win, 1 for a draw, 0 for a loss.
    pub(super) score: u8,
    /// The player's own evaluations in centipawns, without mates.
    pub(super) evals: Vec<i32>,
    /// The entry of the list for a game not won. Its number is set when all games are known.
    pub(super) listed: Listed,
}

impl Counts {
    /// Turns the game into one that counts as drawn.
    pub(super) fn not_won(&mut self) {
        self.sides.iter_mut().for_each(|side| side.score = 1);
    }
}

/// A game with evaluations from its comments or from an engine.
pub(super) trait EvaluatedGame {
    /// Returns the value of a tag; empty if it is missing.
    fn tag(&self, name: &str) -> String;
    /// Returns the result.
    fn result(&self) -> Outcome;
    /// Returns the index of its source among all sources, and its place in the source.
    fn place(&self) -> (usize, u64);
    /// Returns the number of plies.
    fn len(&self) -> usize;
    /// Returns a side's own evaluations, each with the index of its ply and the full-move number.
    fn own(&self, color: Color) -> impl Iterator<Item = (usize, u32, Eval<Mover>)>;
    /// Returns whether the last move ends the game by the rules of chess.
    fn ends_by_rule(&self) -> bool;
}

/// A game whose evaluations stand in its comments.
pub(super) struct Annotated<'a> {
    pub(super) game: &'a GameView<'a>,
    pub(super) dialect: Dialect,
}

impl EvaluatedGame for Annotated<'_> {
    fn tag(&self, name: &str) -> String {
        self.game
            .tag(name)
            .map(|value| value.trim().to_owned())
            .unwrap_or_default()
    }

    fn result(&self) -> Outcome {
        self.game.result()
    }

    fn place(&self) -> (usize, u64) {
        (self.game.source(), self.game.offset())
    }

    fn len(&self) -> usize {
        self.game.len()
    }

    fn own(&self, color: Color) -> impl Iterator<Item = (usize, u32, Eval<Mover>)> {
        let plies = self.game.plies().filter(move |ply| ply.turn() == color);
        plies.filter_map(move |ply| {
            Some((
                ply.index(),
                ply.number(),
                ply.eval(self.dialect)?.for_mover(color),
            ))
        })
    }

    fn ends_by_rule(&self) -> bool {
        self.game
            .to_game()
            .is_ok_and(|game| game.end().ending().is_some())
    }
}

/// A game whose positions an engine has evaluated.
pub(super) struct Analysed<'a> {
    pub(super) game: &'a Game,
    /// Evaluations of the positions before plies, by the index of the ply, in order.
    pub(super) evals: &'a [(usize, Eval<White>)],
    /// The index of its source among all sources.
    pub(super) source: usize,
}

impl EvaluatedGame for Analysed<'_> {
    fn tag(&self, name: &str) -> String {
        self.game
            .headers
            .get(name)
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    fn result(&self) -> Outcome {
        self.game.result
    }

    fn place(&self) -> (usize, u64) {
        (self.source, self.game.place.byte)
    }

    fn len(&self) -> usize {
        self.game.plies.len()
    }

    fn own(&self, color: Color) -> impl Iterator<Item = (usize, u32, Eval<Mover>)> {
        let first = self.game.start.ply() as usize;
        let is_own =
            move |index: usize| (first + index).is_multiple_of(2) == (color == Color::White);
        let own = self.evals.iter().filter(move |(index, _)| is_own(*index));
        own.map(move |&(index, eval)| {
            (
                index,
                ((first + index) / 2 + 1) as u32,
                eval.for_mover(color),
            )
        })
    }

    fn ends_by_rule(&self) -> bool {
        self.game.end().ending().is_some()
    }
}

/// Reads the contribution of a game. With `named`, options may still turn a win into a game not
/// won, so its highest evaluation is found by the rule for such games.
pub(super) fn played(game: &impl EvaluatedGame, by: By, named: bool) -> Played {
    let (event, round) = (game.tag("Event"), game.tag("Round"));
    let Outcome::Known(outcome) = game.result() else {
        return Played::Unfinished;
    };
    let sides = Color::ALL.into_iter().filter_map(|color| {
        let score = outcome
            .winner()
            .map_or(1, |winner| if winner == color { 2 } else { 0 });
        let own = Own::of(game, color, score == 2 && !named)?;
        let player = |color: Color| game.tag(color.fold_wb("White", "Black"));
        let listed = Listed {
            game: 0,
            round: round.clone(),
            players: [player(Color::White), player(Color::Black)],
            result: Cow::Borrowed(game.result().as_str()),
            color,
            highest: own.highest,
            move_number: own.move_number,
        };
        Some(Side {
            key: key(by, game, &event, color, player(color), player(!color)),
            score,
            evals: own.evals,
            listed,
        })
    });
    let sides: Vec<Side> = sides.collect();
    if sides.is_empty() {
        Played::WithoutEvals
    } else {
        Played::Counts(Box::new(Counts {
            place: game.place(),
            event,
            round,
            sides,
        }))
    }
}

fn key(
    by: By,
    game: &impl EvaluatedGame,
    event: &str,
    color: Color,
    engine: String,
    opponent: String,
) -> BalanceKey {
    let key = BalanceKey {
        engine: Some(engine),
        ..BalanceKey::default()
    };
    match by {
        By::Event => BalanceKey {
            event: Some(event.to_owned()),
            ..key
        },
        By::Engine => key,
        By::Year => BalanceKey {
            year: game.tag("Date").get(..4).and_then(|year| year.parse().ok()),
            ..key
        },
        By::Opponent => BalanceKey {
            opponent: Some(opponent),
            ..key
        },
        By::Elo => {
            let elo = rating(&game.tag(color.fold_wb("WhiteElo", "BlackElo")));
            BalanceKey {
                elo: elo.map(|elo| elo as u32 / 100 * 100),
                ..BalanceKey::default()
            }
        }
    }
}

/// A side's own evaluations in one game.
struct Own {
    evals: Vec<i32>,
    highest: Highest,
    move_number: u32,
}

impl Own {
    /// Returns `None` if the side has no evaluations.
    fn of(game: &impl EvaluatedGame, color: Color, won: bool) -> Option<Self> {
        let mut evals = Vec::with_capacity(game.len() / 2 + 1);
        // The highest evaluation so far without the game's last move, which is checked separately.
        let mut highest: Option<(Highest, u32)> = None;
        let mut at_last = None;
        for (index, number, eval) in game.own(color) {
            if let Some(pawns) = eval.pawns() {
                evals.push((pawns * 100.0).round() as i32);
            }
            let own = (Highest::of(eval), number);
            if index + 1 == game.len() {
                at_last = Some(own);
            } else if highest.is_none_or(|(highest, _)| own.0 > highest) {
                highest = Some(own);
            }
        }
        if let Some(last) =
            at_last.filter(|last| highest.is_none_or(|(highest, _)| last.0 > highest))
        {
            // A last move that ends the game by rule does not count. That check needs the rules of
            // chess, so run it only if its result matters.
            if won || !game.ends_by_rule() {
                highest = Some(last);
            }
        }
        let (highest, move_number) = highest?;
        Some(Self {
            evals,
            highest,
            move_number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_named_by_number_round_or_event() {
        let name = |text: &str| text.parse::<GameName>().unwrap();
        let [nine, ten] = ["TCEC Season 9", "TCEC Season 10"].map(|name| Event {
            name,
            rounds_are_numbers: true,
        });
        assert!(name("17").is(&nine, 3, "17") && !name("17").is(&nine, 17, "117"));
        assert!(
            name("season 9:17").is(&nine, 17, "17") && !name("season 9: 17").is(&ten, 17, "17")
        );
        let minimatches = Event {
            name: "TCEC Season 12",
            rounds_are_numbers: false,
        };
        assert!(name("7").is(&minimatches, 7, "4.1") && name("4.1").is(&minimatches, 7, "4.1"));
        assert_eq!(name("Season 9: 1.17").to_string(), "Season 9:1.17");
        assert!("Season 9:".parse::<GameName>().is_err());
    }

    #[test]
    fn an_announced_mate_is_the_highest_evaluation() {
        assert!(Highest::Mate > Highest::Cp(30_000));
        assert_eq!(Highest::of(Eval::mate(3)), Highest::Mate);
        assert!(Highest::of(Eval::mate(-3)) < Highest::of(Eval::cp(-30_000)));
        assert_eq!(Highest::of(Eval::cp(62)).to_string(), "0.62");
    }
}
