//! The wrapper's own UCI options.

use centipawn_core::{Curve, HumanCurve, HumanModel};
use centipawn_pgn::TimeControl;
use shakmaty::Color;

/// The curve that converts evaluations to win, draw and loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurveSetting {
    /// Between two people, by their ratings, their time control and their clocks.
    People(HumanModel),
    /// The model of the wrapped engine's version, or the values that the engine prints itself.
    Engine,
    /// A given curve.
    Given(Curve),
}

/// The order in which the lines of a search are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The engine's order: the best evaluation first.
    #[default]
    Engine,
    /// By the expected score against people of the opponent's level, from the probabilities of
    /// their replies.
    Human,
    /// Lines that lose less than 0.05 of expected score come first, sorted by how easy the next
    /// move is after them.
    Ease,
}

/// The meaning of `score cp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreType {
    /// The engine's own centipawns, unchanged.
    #[default]
    Engine,
    /// Hundredths of the curve's win-draw balance: at 100, half of the games are won.
    Pawns,
    /// The expected score in hundredths of a percent, like lc0's `win_percentage`: 5000 is even.
    Percentage,
}

/// The values of the wrapper's own options.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `UCI_ShowWDL`: adds win, draw and loss to every evaluation.
    pub show_wdl: bool,
    /// `Curve`: the curve for win, draw and loss.
    pub curve: CurveSetting,
    /// Curves, with their names, that `Curve` offers in addition to `human` and `engine`.
    pub named: Vec<(String, Curve)>,
    /// `Rating`: rating of the player with `Color`.
    pub rating: u32,
    /// `Opponent`: rating of the other player; 0 for the same rating.
    pub opponent: u32,
    /// `Color`: color of the player with `Rating`.
    pub color: Color,
    /// `TimeControl`: time control of the game. `None` derives it from the clocks in `go`, or
    /// without clocks from [study](HumanCurve::study).
    pub time_control: Option<TimeControl>,
    /// `Level`: rating of the players whose moves are predicted; 0 for the rating of the player to
    /// move.
    pub level: u32,
    /// `Show_Human`: prints sentences about what people do, as `info string`.
    pub show_human: bool,
    /// `Order`: order of the lines.
    pub order: Order,
    /// `Score_Type`: meaning of `score cp`.
    pub score_type: ScoreType,
    /// `Play_Like`: rating of the people whose play is imitated; 0 if the engine plays.
    pub play_like: u32,
    /// The model that the value `human` of `Curve` selects.
    pub model: HumanModel,
}

impl Default for Settings {
    fn default() -> Self {
        let named = ["lichess", "stockfish", "relevance"];
        let curve = |name: &str| {
            Some((
                name.to_owned(),
                Curve::by_name(name, Curve::DEFAULT_BALANCE)?,
            ))
        };
        Self {
            show_wdl: false,
            curve: CurveSetting::People(HumanModel::default()),
            named: named.into_iter().filter_map(curve).collect(),
            rating: HumanCurve::study().rating as u32,
            opponent: 0,
            color: Color::White,
            time_control: None,
            level: 0,
            show_human: true,
            order: Order::default(),
            score_type: ScoreType::default(),
            play_like: 0,
            model: HumanModel::default(),
        }
    }
}

/// Ratings that the options accept.
pub const RATINGS: std::ops::RangeInclusive<u32> = 100..=4000;

/// Names of the options, in the order in which they are declared.
const NAMES: [&str; 11] = [
    "UCI_ShowWDL",
    "Curve",
    "Rating",
    "Opponent",
    "Color",
    "TimeControl",
    "Level",
    "Show_Human",
    "Order",
    "Score_Type",
    "Play_Like",
];

/// A value that an option does not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option {name} takes {takes}, not \"{value}\"")]
pub struct BadValue {
    /// Name of the option.
    pub name: &'static str,
    /// The refused value.
    pub value: String,
    /// Description of the accepted values.
    pub takes: String,
}

impl Settings {
    /// Returns the name of the wrapper's own option that `name` means, ignoring case; `None` if the
    /// option is the wrapped engine's.
    pub fn own(name: &str) -> Option<&'static str> {
        NAMES
            .into_iter()
            .find(|own| own.eq_ignore_ascii_case(name.trim()))
    }

    /// Returns the declarations of the options, as UCI lines without line breaks.
    pub(crate) fn declarations(&self) -> Vec<String> {
        let combo = |name: &str, value: &str, values: &[&str]| {
            let vars: String = values.iter().map(|value| format!(" var {value}")).collect();
            format!("option name {name} type combo default {value}{vars}")
        };
        let spin = |name: &str, value: u32, least: u32| {
            format!(
                "option name {name} type spin default {value} min {least} max {}",
                RATINGS.end()
            )
        };
        let check =
            |name: &str, value: bool| format!("option name {name} type check default {value}");
        let curves: Vec<&str> = ["human", "engine"]
            .into_iter()
            .chain(self.named.iter().map(|(name, _)| &**name))
            .collect();
        let time = self.time_control.map_or_else(
            || "<empty>".to_owned(),
            |time| format!("{}+{}", time.base, time.increment),
        );
        vec![
            check("UCI_ShowWDL", self.show_wdl),
            combo("Curve", self.curve_name(), &curves),
            spin("Rating", self.rating, *RATINGS.start()),
            spin("Opponent", self.opponent, 0),
            combo(
                "Color",
                self.color.fold_wb("white", "black"),
                &["white", "black"],
            ),
            format!("option name TimeControl type string default {time}"),
            spin("Level", self.level, 0),
            check("Show_Human", self.show_human),
            combo("Order", ORDERS[self.order as usize], &ORDERS),
            combo(
                "Score_Type",
                SCORE_TYPES[self.score_type as usize],
                &SCORE_TYPES,
            ),
            spin("Play_Like", self.play_like, 0),
        ]
    }

    fn curve_name(&self) -> &str {
        match self.curve {
            CurveSetting::People(_) => "human",
            CurveSetting::Engine => "engine",
            CurveSetting::Given(curve) => self
                .named
                .iter()
                .find(|(_, named)| *named == curve)
                .map_or("human", |(name, _)| name),
        }
    }

    /// Sets an option to a value. `name` is the result of [`own`](Self::own).
    ///
    /// # Errors
    ///
    /// [`BadValue`] if the option does not accept the value; then nothing changes.
    pub fn set(&mut self, name: &'static str, value: &str) -> Result<(), BadValue> {
        let value = value.trim();
        let bad = |takes: &str| BadValue {
            name,
            value: value.to_owned(),
            takes: takes.to_owned(),
        };
        let check = || match value.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(bad("true or false")),
        };
        let rating = |may_be_0: bool| match value.parse() {
            Ok(0) if may_be_0 => Ok(0),
            Ok(rating) if RATINGS.contains(&rating) => Ok(rating),
            _ => Err(bad(&format!(
                "a rating from {} to {}{}",
                RATINGS.start(),
                RATINGS.end(),
                if may_be_0 { ", or 0" } else { "" }
            ))),
        };
        let choice = |values: &[&str]| {
            let found = values
                .iter()
                .position(|choice| choice.eq_ignore_ascii_case(value));
            found.ok_or_else(|| bad(&format!("one of {}", values.join(", "))))
        };
        match name {
            "UCI_ShowWDL" => self.show_wdl = check()?,
            "Show_Human" => self.show_human = check()?,
            "Rating" => self.rating = rating(false)?,
            "Opponent" => self.opponent = rating(true)?,
            "Level" => self.level = rating(true)?,
            "Play_Like" => self.play_like = rating(true)?,
            "Color" => self.color = [Color::White, Color::Black][choice(&["white", "black"])?],
            "Order" => self.order = [Order::Engine, Order::Human, Order::Ease][choice(&ORDERS)?],
            "Score_Type" => {
                self.score_type = [ScoreType::Engine, ScoreType::Pawns, ScoreType::Percentage]
                    [choice(&SCORE_TYPES)?];
            }
            "TimeControl" if value.is_empty() || value == "<empty>" => self.time_control = None,
            "TimeControl" => {
                let time = TimeControl::typed(value);
                self.time_control = Some(time.ok_or_else(|| {
                    bad("seconds or minutes and an increment, such as \
                         600+5 or 90+30")
                })?);
            }
            "Curve" => {
                let named = self.named.iter().map(|(name, _)| &**name);
                let names: Vec<&str> = ["human", "engine"].into_iter().chain(named).collect();
                self.curve = match choice(&names)? {
                    0 => CurveSetting::People(self.model),
                    1 => CurveSetting::Engine,
                    other => CurveSetting::Given(self.named[other - 2].1),
                };
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the ratings of White and Black.
    pub(crate) fn ratings(&self) -> [u32; 2] {
        let opponent = if self.opponent == 0 {
            self.rating
        } else {
            self.opponent
        };
        self.color
            .fold_wb([self.rating, opponent], [opponent, self.rating])
    }

    /// Returns the rating of the players whose moves are predicted if `turn` is to move.
    pub(crate) fn level_of(&self, turn: Color) -> u32 {
        let [white, black] = self.ratings();
        if self.level == 0 {
            turn.fold_wb(white, black)
        } else {
            self.level
        }
    }
}

const ORDERS: [&str; 3] = ["engine", "human", "ease"];
const SCORE_TYPES: [&str; 3] = ["engine", "pawns", "percentage"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_valid_uci() {
        let mut settings = Settings::default();
        settings.set("Curve", "LICHESS").unwrap();
        settings.set("TimeControl", "90+30").unwrap();
        let lines = settings.declarations();
        assert_eq!(lines.len(), NAMES.len());
        for (line, name) in lines.iter().zip(NAMES) {
            let centipawn_engine::uci::Message::Option(decl) = centipawn_engine::uci::parse(line)
            else {
                panic!("{line}")
            };
            assert_eq!(decl.name, name);
        }
        assert!(lines[1].starts_with(
            "option name Curve type combo default lichess var human var engine var lichess"
        ));
        assert_eq!(
            lines[5],
            "option name TimeControl type string default 5400+30"
        );
    }

    #[test]
    fn ratings_belong_to_colors() {
        let mut settings = Settings::default();
        for (name, value) in [("Rating", "1500"), ("Opponent", "1700"), ("Color", "black")] {
            settings
                .set(Settings::own(&name.to_lowercase()).unwrap(), value)
                .unwrap();
        }
        assert_eq!(settings.ratings(), [1700, 1500]);
        assert_eq!(
            (
                settings.level_of(Color::White),
                settings.level_of(Color::Black)
            ),
            (1700, 1500)
        );
        settings.set("Level", "1100").unwrap();
        assert_eq!(settings.level_of(Color::White), 1100);
    }

    #[test]
    fn bad_values_are_refused() {
        let mut settings = Settings::default();
        let before = settings.clone();
        for (name, value, text) in [
            (
                "Rating",
                "0",
                "option Rating takes a rating from 100 to 4000, not \"0\"",
            ),
            (
                "Play_Like",
                "99",
                "option Play_Like takes a rating from 100 to 4000, or 0, not \"99\"",
            ),
            (
                "Order",
                "best",
                "option Order takes one of engine, human, ease, not \"best\"",
            ),
            (
                "UCI_ShowWDL",
                "1",
                "option UCI_ShowWDL takes true or false, not \"1\"",
            ),
            (
                "TimeControl",
                "fast",
                "option TimeControl takes seconds or minutes and an increment, such as 600+5 or \
                 90+30, not \"fast\"",
            ),
        ] {
            assert_eq!(settings.set(name, value).unwrap_err().to_string(), text);
        }
        assert_eq!(settings, before);
        assert_eq!(Settings::own("Hash"), None);
    }
}
