//! How the curve of a game is chosen: a given one, or one that depends on the players.

use serde::{Deserialize, Serialize};

use crate::{
    Curve, CurveParameter, HumanCurve, HumanModel, InvalidCurve, NamedCurve, Pool, WdlModel,
};

/// The user's choice of a curve: the same for every game, or derived from the players of each game.
///
/// In JSON `{"curve": "auto"}`, `{"curve": "human", "rating": 1500, "seconds": 300}` (all but
/// `curve` may be missing), or a [`Curve`]. Curve files hold this form.
///
/// ```
/// use centipawn_core::{Curve, CurveChoice, Players, Pool};
///
/// let club = Players {
///     are_people: true,
///     rating: Some(1550.0),
///     seconds: Some(300.0),
///     pool: Pool::Unknown,
/// };
/// let engine = Curve::for_engine("Stockfish 15.1");
/// let curve = |choice: CurveChoice, players: &Players| choice.curve(players, engine, 1.0).to_string();
/// assert_eq!(curve(CurveChoice::Auto, &club), "human, rating 1800, 90 min a player, k 0.47");
/// assert_eq!(curve(CurveChoice::human(), &club), "human, rating 1550, 5 min a player, k 0.27");
/// assert_eq!(curve(CurveChoice::Auto, &Players { are_people: false, ..club }), "stockfish-15.1");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "curve", try_from = "Form")]
pub enum CurveChoice {
    /// A game of people: the human curve for [study](HumanCurve::study), or for the players' own
    /// rating and time where these are higher. Any other game: the curve of the evaluations'
    /// source.
    #[default]
    Auto,
    /// The human curve for the players' own rating and time.
    Human {
        /// The mean rating; `None` for that of the game's players.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rating: Option<f64>,
        /// Seconds that each player has (base + 40·increment); `None` for the game's time control.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<f64>,
        /// The pool that the rating belongs to; `None` for that of the game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pool: Option<Pool>,
        /// Constants of the model; by default the built-in ones.
        #[serde(default)]
        model: HumanModel,
    },
    /// The same curve for every game. Converting a human curve gives [`Human`](Self::Human)
    /// instead, because its unit depends on the game.
    #[serde(untagged)]
    Given(Curve),
}

/// JSON form of a [`CurveChoice`]. All variants share one tag, so that an error names the curve
/// that the file asks for.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", tag = "curve")]
enum Form {
    Auto,
    Human {
        #[serde(default)]
        rating: Option<f64>,
        #[serde(default)]
        seconds: Option<f64>,
        #[serde(default)]
        pool: Option<Pool>,
        #[serde(default)]
        model: HumanModel,
    },
    Relevance {
        balance: f64,
    },
    RelevanceSigmoid {
        balance: f64,
    },
    RelevanceStretched {
        balance: f64,
        slope: f64,
    },
    Logistic {
        k: f64,
        clamp: Option<f64>,
    },
    Wdl(WdlModel),
}

impl TryFrom<Form> for CurveChoice {
    type Error = InvalidCurve;

    fn try_from(form: Form) -> Result<Self, InvalidCurve> {
        let curve = match form {
            Form::Auto => return Ok(CurveChoice::Auto),
            Form::Human {
                rating,
                seconds,
                pool,
                model,
            } => {
                let study = HumanCurve::study();
                let (rating_or, seconds_or) = (
                    rating.unwrap_or(study.rating),
                    seconds.unwrap_or(study.seconds),
                );
                HumanCurve {
                    rating: rating_or,
                    seconds: seconds_or,
                    model,
                    ..study
                }
                .check()?;
                return Ok(CurveChoice::Human {
                    rating,
                    seconds,
                    pool,
                    model,
                });
            }
            Form::Relevance { balance } => Curve::Relevance { balance },
            Form::RelevanceSigmoid { balance } => Curve::RelevanceSigmoid { balance },
            Form::RelevanceStretched { balance, slope } => {
                Curve::RelevanceStretched { balance, slope }
            }
            Form::Logistic { k, clamp } => Curve::Logistic { k, clamp },
            Form::Wdl(model) => Curve::Wdl(model),
        };
        curve.check()?;
        Ok(CurveChoice::Given(curve))
    }
}

/// What is known about the players of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Players {
    /// Whether both players are people.
    pub are_people: bool,
    /// Mean rating of the two players, or the rating of one if only that is known.
    pub rating: Option<f64>,
    /// Seconds that each player has for the game: base + 40·increment.
    pub seconds: Option<f64>,
    /// The pool that their ratings belong to.
    pub pool: Pool,
}

impl CurveChoice {
    /// The human curve for the players' own rating and time, by the built-in constants.
    pub fn human() -> Self {
        Self::Human {
            rating: None,
            seconds: None,
            pool: None,
            model: HumanModel::default(),
        }
    }

    /// The names of all choices, for lists that users choose from: first the choices that depend on
    /// the game, then the constant curves, then Stockfish's releases.
    pub fn names() -> impl Iterator<Item = String> {
        let by_game = |named: &NamedCurve| named.parameter == CurveParameter::Players;
        let own = Curve::NAMED.iter().filter(move |named| by_game(named));
        // Skip the bare name `stockfish`: the list of releases below contains the newest one by
        // number.
        let others = Curve::NAMED
            .iter()
            .filter(move |named| !by_game(named) && named.parameter != CurveParameter::Release);
        let named = own.chain(others).map(|named| named.name.to_owned());
        let releases = WdlModel::stockfish_releases().map(|release| format!("stockfish-{release}"));
        std::iter::once("auto".to_owned())
            .chain(named)
            .chain(releases)
    }

    /// Returns the curve of a game. `engine` is the curve of the engine that evaluated it, and
    /// `units` is the unit of its evaluations, in pawns for one of Stockfish 15.1's. An unknown
    /// rating or time is replaced by that for [study](HumanCurve::study).
    pub fn curve(self, players: &Players, engine: Curve, units: f64) -> Curve {
        let study = HumanCurve::study();
        let rating = players.rating.unwrap_or(study.rating);
        let seconds = players.seconds.unwrap_or(study.seconds);
        match self {
            CurveChoice::Given(curve) => curve,
            CurveChoice::Auto if !players.are_people => engine,
            CurveChoice::Auto => Curve::Human(HumanCurve {
                rating: rating.max(study.rating),
                seconds: seconds.max(study.seconds),
                pool: players.pool,
                units,
                ..study
            }),
            CurveChoice::Human {
                rating: given,
                seconds: given_seconds,
                pool,
                model,
            } => Curve::Human(HumanCurve {
                rating: given.unwrap_or(rating),
                seconds: given_seconds.unwrap_or(seconds),
                pool: pool.unwrap_or(players.pool),
                units,
                model,
            }),
        }
    }

    /// Describes how a rating or time of the choice is clamped because the model had no games
    /// there, as [`HumanCurve::beyond_games`] does. `None` if both lie within the model's games.
    pub fn beyond_games(&self) -> Option<String> {
        let CurveChoice::Human {
            rating,
            seconds,
            model,
            ..
        } = *self
        else {
            return None;
        };
        let within = |value: Option<f64>, [least, _]: [f64; 2]| value.unwrap_or(least);
        let (rating, seconds) = (
            within(rating, model.ratings),
            within(seconds, model.seconds),
        );
        HumanCurve {
            rating,
            seconds,
            pool: Pool::Unknown,
            units: 1.0,
            model,
        }
        .beyond_games()
    }

    /// Returns the curve for a position that belongs to no game; `None` for [`Auto`](Self::Auto). A
    /// human curve without a rating or time gets those for study.
    pub fn without_game(self) -> Option<Curve> {
        let unknown = Players {
            are_people: true,
            rating: None,
            seconds: None,
            pool: Pool::Unknown,
        };
        (self != CurveChoice::Auto).then(|| self.curve(&unknown, Curve::default(), 1.0))
    }
}

impl From<Curve> for CurveChoice {
    /// The same curve for every game, except that a human curve takes the unit of each game's
    /// evaluations instead of its own unit.
    fn from(curve: Curve) -> Self {
        match curve {
            Curve::Human(HumanCurve {
                rating,
                seconds,
                pool,
                model,
                ..
            }) => CurveChoice::Human {
                rating: Some(rating),
                seconds: Some(seconds),
                pool: Some(pool),
                model,
            },
            curve => CurveChoice::Given(curve),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEOPLE: Players = Players {
        are_people: true,
        rating: Some(2700.0),
        seconds: Some(600.0),
        pool: Pool::Unknown,
    };

    #[test]
    fn study_lifts_rating_and_time_but_never_lowers_them() {
        let Curve::Human(curve) = CurveChoice::Auto.curve(&PEOPLE, Curve::LICHESS, 1.0) else {
            panic!()
        };
        assert_eq!((curve.rating, curve.seconds), (2700.0, 5400.0));
        let Curve::Human(curve) = CurveChoice::human().curve(&PEOPLE, Curve::LICHESS, 1.7) else {
            panic!()
        };
        assert_eq!(
            (curve.rating, curve.seconds, curve.units),
            (2700.0, 600.0, 1.7)
        );
    }

    #[test]
    fn given_values_are_used_and_missing_ones_are_those_for_study() {
        let choice = CurveChoice::Human {
            rating: Some(1200.0),
            seconds: None,
            pool: None,
            model: HumanModel::default(),
        };
        let Curve::Human(curve) = choice.curve(&PEOPLE, Curve::LICHESS, 1.0) else {
            panic!()
        };
        assert_eq!((curve.rating, curve.seconds), (1200.0, 600.0));
        let Some(Curve::Human(curve)) = choice.without_game() else {
            panic!()
        };
        assert_eq!((curve.rating, curve.seconds), (1200.0, 5400.0));
        assert_eq!(CurveChoice::Auto.without_game(), None);
        assert_eq!(
            CurveChoice::Given(Curve::TCEC).curve(&PEOPLE, Curve::LICHESS, 1.0),
            Curve::TCEC
        );
    }

    #[test]
    fn a_given_human_curve_takes_the_unit_of_the_game() {
        let given = HumanCurve {
            rating: 1500.0,
            seconds: 300.0,
            ..HumanCurve::study()
        };
        let Curve::Human(curve) =
            CurveChoice::from(Curve::Human(given)).curve(&PEOPLE, Curve::LICHESS, 1.7)
        else {
            panic!()
        };
        assert_eq!(
            curve,
            HumanCurve {
                units: 1.7,
                ..given
            }
        );
    }

    #[test]
    fn ratings_and_times_beyond_the_games_are_reported() {
        let note = |rating, seconds| {
            CurveChoice::Human {
                rating,
                seconds,
                pool: None,
                model: HumanModel::default(),
            }
            .beyond_games()
        };
        assert_eq!(
            (
                note(None, None),
                note(Some(2900.0), Some(30.0)),
                CurveChoice::Auto.beyond_games()
            ),
            (None, None, None)
        );
        let both = note(Some(3500.0), Some(10.0)).unwrap();
        assert_eq!(
            both,
            "rating 3500 counts as 2900, and 10 s counts as 30 s: the model had no games beyond"
        );
    }

    #[test]
    fn names_begin_with_the_choices_by_game() {
        let names: Vec<String> = CurveChoice::names().collect();
        assert_eq!(&names[..3], ["auto", "human", "relevance"]);
        assert!(names.iter().any(|name| name == "houdini-6"));
        assert!(
            names
                .last()
                .is_some_and(|name| name.starts_with("stockfish-"))
        );
        assert!(
            names[1..]
                .iter()
                .all(|name| Curve::by_name(name, 1.0).is_some())
        );
    }

    #[test]
    fn choices_survive_a_round_trip_through_json() {
        let of_people = CurveChoice::Human {
            rating: Some(1500.0),
            seconds: Some(300.0),
            pool: Some(Pool::Lichess),
            model: HumanModel::default(),
        };
        let of_curve = CurveChoice::from(Curve::Human(HumanCurve {
            rating: 1500.0,
            ..HumanCurve::study()
        }));
        let all = [
            CurveChoice::Auto,
            CurveChoice::human(),
            of_people,
            of_curve,
            Curve::TCEC.into(),
            Curve::default().into(),
        ];
        for choice in all {
            let json = serde_json::to_string(&choice).unwrap();
            assert_eq!(
                serde_json::from_str::<CurveChoice>(&json).unwrap(),
                choice,
                "{json}"
            );
        }
        let own =
            r#"{"curve": "human", "model": {"b0": -1, "b1": 0.3, "half_time": 150, "r": 1.6}}"#;
        assert!(
            matches!(serde_json::from_str(own), Ok(CurveChoice::Human { rating: None, seconds: None, model, .. }) if model.b0 == -1.0)
        );
        for (text, says) in [
            (
                r#"{"curve": "human", "model": {"b0": -1}}"#,
                "missing field `b1`",
            ),
            (
                r#"{"curve": "human", "model": {"b0": 99, "b1": 0, "half_time": 0, "r": 1}}"#,
                "b0 is 99",
            ),
            (r#"{"curve": "relevance", "balance": -1}"#, "balance is -1"),
            (r#"{"curve": "guess"}"#, "unknown variant `guess`"),
        ] {
            let error = serde_json::from_str::<CurveChoice>(text)
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
