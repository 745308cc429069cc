//! The list of curves that users choose by name.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, Type},
};

use crate::{Curve, HumanCurve, WdlModel};

/// A curve that users choose by its name.
///
/// [`Curve::NAMED`] is the only list of them. The help, shell completion, the page, documents and
/// tests are generated from it.
///
/// ```
/// use centipawn_core::{Curve, CurveParameter};
///
/// let lichess = Curve::NAMED.iter().find(|named| named.name == "lichess").unwrap();
/// assert_eq!(lichess.curve(Curve::DEFAULT_BALANCE), Curve::LICHESS);
/// assert_eq!(lichess.parameter, CurveParameter::None);
/// assert_eq!(Curve::by_name("lichess", 1.0), Some(Curve::LICHESS));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NamedCurve {
    /// Name in options, documents and messages: lower-case ASCII letters, digits and `-`.
    pub name: &'static str,
    /// Proper name, for headings and tables.
    pub title: &'static str,
    /// A description that completes a sentence which begins with the name, without a full stop.
    pub about: &'static str,
    /// The source of the curve's constants or formula.
    pub source: &'static str,
    /// The parameter that the name does not fix.
    pub parameter: CurveParameter,
    make: fn(f64) -> Curve,
}

/// The parameter that the name of a curve does not fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CurveParameter {
    /// No parameter: the name stands for one curve.
    None,
    /// A win-draw balance in pawns.
    Balance,
    /// A release of Stockfish, given as `stockfish-VERSION`; without a version, the newest release.
    Release,
    /// The rating and the time of the players; without a game, those for
    /// [study](HumanCurve::study).
    Players,
}

impl NamedCurve {
    /// The name of the curve with two parameters, which both may follow it.
    pub(crate) const STRETCHED: &'static str = "relevance-stretched";

    /// Returns the curve. Only [`CurveParameter::Balance`] uses `balance`, in pawns above 0.
    pub fn curve(&self, balance: f64) -> Curve {
        (self.make)(balance)
    }

    /// Returns the named curve that equals `curve` for every game, balance and release; `None` if
    /// there is none.
    pub(crate) fn of_constants(curve: &Curve) -> Option<&'static NamedCurve> {
        let fixed = |named: &&NamedCurve| named.parameter == CurveParameter::None;
        Curve::NAMED
            .iter()
            .filter(fixed)
            .find(|named| named.curve(Curve::DEFAULT_BALANCE) == *curve)
    }

    /// Returns the win/draw/loss model with fixed constants that this name stands for, such as
    /// `houdini-6`.
    pub fn model(&self) -> Option<WdlModel> {
        match self.curve(Curve::DEFAULT_BALANCE) {
            Curve::Wdl(model) if self.parameter == CurveParameter::None => Some(model),
            _ => None,
        }
    }

    /// Returns the names of the curves that `is_listed` selects, separated by commas, for messages.
    pub fn list(is_listed: impl Fn(&NamedCurve) -> bool) -> String {
        let names = Curve::NAMED
            .iter()
            .filter(|named| is_listed(named))
            .map(|named| named.name);
        names.collect::<Vec<_>>().join(", ")
    }
}

impl Curve {
    /// Every curve that has a name, in the order of documents.
    ///
    /// To add a curve with fixed constants, add an element here and a row to `docs/commands.md`.
    pub const NAMED: &'static [NamedCurve] = &[
        NamedCurve {
            name: "relevance",
            title: "Relevance",
            about: "the exponential curve with a win-draw balance",
            source: "the article \"Evaluation Relevance Reduction\"",
            parameter: CurveParameter::Balance,
            make: |balance| Curve::Relevance { balance },
        },
        NamedCurve {
            name: "relevance-sigmoid",
            title: "Relevance, sigmoid",
            about: "the sigmoid curve with a win-draw balance",
            source: "the article \"Evaluation Relevance Reduction\"",
            parameter: CurveParameter::Balance,
            make: |balance| Curve::RelevanceSigmoid { balance },
        },
        NamedCurve {
            name: NamedCurve::STRETCHED,
            title: "Relevance, stretched",
            about: "the exponential curve with a win-draw balance and a slope; \
                    relevance-stretched:BALANCE,SLOPE gives both",
            source: "the article \"Evaluation Relevance Reduction\", with a second parameter",
            parameter: CurveParameter::Balance,
            make: |balance| Curve::RelevanceStretched {
                balance,
                slope: Curve::DEFAULT_SLOPE,
            },
        },
        NamedCurve {
            name: "stockfish",
            title: "Stockfish",
            about: "the win/draw/loss model of a Stockfish release",
            source: "src/uci.cpp of each release of Stockfish",
            parameter: CurveParameter::Release,
            make: |_| Curve::default(),
        },
        NamedCurve {
            name: "human",
            title: "People",
            about: "what an evaluation is worth between two people",
            source: "fitted to rated games of Lichess, Chess.com and FIDE by `centipawn wdl human`",
            parameter: CurveParameter::Players,
            make: |_| Curve::Human(HumanCurve::study()),
        },
        NamedCurve {
            name: "lichess",
            title: "Lichess",
            about: "the winning chances of Lichess",
            source: "https://lichess.org/page/accuracy",
            parameter: CurveParameter::None,
            make: |_| Curve::LICHESS,
        },
        NamedCurve {
            name: "wintrchess",
            title: "WintrChess",
            about: "the expected points of WintrChess",
            source: "the site WintrChess",
            parameter: CurveParameter::None,
            make: |_| Curve::WINTRCHESS,
        },
        NamedCurve {
            name: "tcec",
            title: "TCEC",
            about: "the formula of the TCEC site",
            source: "the site of TCEC",
            parameter: CurveParameter::None,
            make: |_| Curve::TCEC,
        },
        NamedCurve {
            name: "houdini-6",
            title: "Houdini 6",
            about: "the chances to win that Houdini's author published for version 6",
            source: "three points of Houdini's author for version 6",
            parameter: CurveParameter::None,
            make: |_| Curve::Wdl(WdlModel::HOUDINI_6),
        },
    ];
}

/// One expected score for each curve of [`Curve::NAMED`]. In JSON it is an object by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByCurve([f64; Curve::NAMED.len()]);

impl ByCurve {
    /// Computes an expected score for each curve, in the order of the list.
    pub fn new(mut score: impl FnMut(&'static NamedCurve) -> f64) -> Self {
        Self(std::array::from_fn(|index| score(&Curve::NAMED[index])))
    }

    /// Returns the names with their expected scores, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        Curve::NAMED.iter().map(|named| named.name).zip(self.0)
    }
}

impl Serialize for ByCurve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for ByCurve {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let scores = BTreeMap::<String, f64>::deserialize(deserializer)?;
        let mut all = [0.0; Curve::NAMED.len()];
        for (own, named) in all.iter_mut().zip(Curve::NAMED) {
            *own = *scores
                .get(named.name)
                .ok_or_else(|| D::Error::missing_field(named.name))?;
        }
        Ok(Self(all))
    }
}

impl PartialSchema for ByCurve {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new()
            .description(Some("An expected score for each curve that has a name."));
        let object = Curve::NAMED.iter().fold(object, |object, named| {
            let score = ObjectBuilder::new()
                .schema_type(Type::Number)
                .format(Some(SchemaFormat::KnownFormat(KnownFormat::Double)))
                .description(Some(named.about));
            object.property(named.name, score).required(named.name)
        });
        object.into()
    }
}

impl ToSchema for ByCurve {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_select_their_curves() {
        for (index, named) in Curve::NAMED.iter().enumerate() {
            assert_eq!(
                Curve::by_name(named.name, 0.62),
                Some(named.curve(0.62)),
                "{}",
                named.name
            );
            assert!(
                Curve::NAMED[..index]
                    .iter()
                    .all(|other| other.name != named.name)
            );
            assert!(!named.title.is_empty() && !named.source.is_empty());
            assert!(!named.about.ends_with('.'), "{}", named.about);
            if named.parameter == CurveParameter::None {
                assert_eq!(named.curve(1.0).to_string(), named.name);
            }
        }
    }

    #[test]
    fn scores_by_curve_are_an_object_by_name() {
        let mut next = 0.0;
        let scores = ByCurve::new(|_| {
            next += 0.125;
            next
        });
        let json = serde_json::to_string(&scores).unwrap();
        assert!(
            json.starts_with(r#"{"relevance":0.125,"relevance-sigmoid":0.25,"#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<ByCurve>(&json).unwrap(), scores);
        let missing = json.replace("tcec", "other");
        let error = serde_json::from_str::<ByCurve>(&missing)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("missing field `tcec`"), "{error}");
    }
}
