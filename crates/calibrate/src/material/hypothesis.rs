//! Tests of hypotheses about values.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Feature, Fit, PIECES, PawnUncertain, Term, holm::holm};
use crate::normal::above;

/// A relation between values, such as `N > 3P` or `B + N = R + 1.5P`.
///
/// Men are written P, N, B, R, Q or by name; terms and `first-move` by name.
///
/// ```
/// use centipawn_calibrate::material::Hypothesis;
///
/// let rule: Hypothesis = "Q + bishop-pair > 2R - 0.5 P".parse()?;
/// assert_eq!(rule.to_string(), "Q + bishop-pair > 2R - 0.5 P");
/// assert!("N > 3K".parse::<Hypothesis>().is_err());
/// # Ok::<_, centipawn_calibrate::material::BadHypothesis>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    text: String,
    /// Each feature with its coefficient, left side minus right side.
    parts: Vec<(Feature, f64)>,
    relation: Relation,
}

/// The claimed relation of that difference to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Greater,
    Equal,
}

impl Hypothesis {
    /// Returns Capablanca's rules: B > N, B > 3P, N > 3P, B + N = R + 1.5P, Q + P = 2R.
    pub fn capablanca() -> Vec<Self> {
        [
            "B > N",
            "B > 3P",
            "N > 3P",
            "B + N = R + 1.5P",
            "Q + P = 2R",
        ]
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect()
    }

    /// Returns whether both claim the same, however they are written, as `N > 3P` and `3P < N` do.
    pub fn is_same(&self, other: &Self) -> bool {
        self.claim() == other.claim()
    }

    /// Returns a normal form of the claim: the parts in a fixed order, without those that cancel,
    /// divided by the first one. In an inequality the sign of the first one is kept.
    fn claim(&self) -> (bool, Vec<(&str, f64)>) {
        let is_equation = self.relation == Relation::Equal;
        let parts = self.parts.iter().filter(|(_, weight)| *weight != 0.0);
        let mut parts: Vec<(&str, f64)> = parts
            .map(|(feature, weight)| (feature.name(), *weight))
            .collect();
        parts.sort_by_key(|part| part.0);
        let first = parts.first().map_or(1.0, |(_, weight)| *weight);
        let unit = if is_equation { first } else { first.abs() };
        parts.iter_mut().for_each(|(_, weight)| *weight /= unit);
        (is_equation, parts)
    }
}

impl Serialize for Hypothesis {
    /// Serialises as the text that the user writes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Hypothesis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl fmt::Display for Hypothesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Hypothesis {
    type Err = BadHypothesis;

    fn from_str(text: &str) -> Result<Self, BadHypothesis> {
        let bad = |reason: &str| BadHypothesis {
            text: text.to_owned(),
            reason: reason.to_owned(),
        };
        let mut relations = text
            .char_indices()
            .filter(|(_, char)| matches!(char, '<' | '>' | '='));
        let (Some((at, sign)), None) = (relations.next(), relations.next()) else {
            return Err(bad("it needs one of <, >, ="));
        };
        let mut parts = Vec::new();
        let flip = if sign == '<' { -1.0 } else { 1.0 };
        sum(&text[..at], flip, &mut parts).map_err(|reason| bad(&reason))?;
        sum(&text[at + 1..], -flip, &mut parts).map_err(|reason| bad(&reason))?;
        if parts.iter().all(|(_, weight)| *weight == 0.0) {
            return Err(bad("nothing is left of it"));
        }
        let relation = if sign == '=' {
            Relation::Equal
        } else {
            Relation::Greater
        };
        Ok(Self {
            text: text.trim().to_owned(),
            parts,
            relation,
        })
    }
}

/// Adds the summands of one side, each multiplied by `factor`.
fn sum(side: &str, factor: f64, parts: &mut Vec<(Feature, f64)>) -> Result<(), String> {
    let mut rest = side.trim_start();
    let mut sign = 1.0;
    if rest.is_empty() {
        return Err("a side of it is empty".to_owned());
    }
    loop {
        let digits = rest
            .find(|char: char| !char.is_ascii_digit() && char != '.')
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at(digits);
        let weight: Option<f64> = if number.is_empty() {
            None
        } else {
            number.parse().ok()
        };
        if weight.is_none() && !number.is_empty() {
            return Err(format!("{number:?} is not a number"));
        }
        let behind = behind.trim_start();
        let behind = behind.strip_prefix('*').map_or(behind, str::trim_start);
        let (feature, behind) = match feature(behind) {
            Some((feature, behind)) => (Some(feature), behind),
            None if weight == Some(0.0) => (None, behind),
            None => {
                return Err(format!(
                    "at {behind:?} there should be P, N, B, R, Q, first-move, or a term ({})",
                    Term::ALL.map(Term::name).join(", ")
                ));
            }
        };
        if let Some(feature) = feature {
            let weight = factor * sign * weight.unwrap_or(1.0);
            match parts.iter_mut().find(|part| part.0 == feature) {
                Some(part) => part.1 += weight,
                None => parts.push((feature, weight)),
            }
        }
        let behind = behind.trim_start();
        let mut chars = behind.chars();
        sign = match chars.next() {
            None => return Ok(()),
            Some('+') => 1.0,
            Some('-' | '−') => -1.0,
            Some(_) => return Err(format!("at {behind:?} there should be + or -")),
        };
        rest = chars.as_str().trim_start();
    }
}

/// Returns the feature at the beginning of a text, with the rest of the text.
fn feature(text: &str) -> Option<(Feature, &str)> {
    let word = text
        .find(|char: char| !char.is_ascii_alphabetic() && char != '-')
        .unwrap_or(text.len());
    let names = PIECES
        .into_iter()
        .enumerate()
        .map(|(index, name)| (name, Feature::Piece(index)));
    let letters = ["P", "N", "B", "R", "Q"]
        .into_iter()
        .enumerate()
        .map(|(index, name)| (name, Feature::Piece(index)));
    let terms = Term::ALL
        .into_iter()
        .filter(|term| !term.is_of_draws())
        .map(|term| (term.name(), Feature::Term(term)));
    let all = names
        .chain(letters)
        .chain(terms)
        .chain([("first-move", Feature::FirstMove)]);
    // A hyphen may belong to a name or be a minus sign, so the longest matching name is taken.
    let fits = all.filter(|(name, _)| {
        let own = text
            .get(..name.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(name));
        own && (name.len() == word || text[name.len()..].starts_with('-'))
    });
    let (name, feature) = fits.max_by_key(|(name, _)| name.len())?;
    Some((feature, &text[name.len()..]))
}

/// The text is not a [`Hypothesis`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a test: {reason}; a test is such as \"N > 3P\" or \"B + N = R + 1.5P\"")]
#[non_exhaustive]
pub struct BadHypothesis {
    /// The text as given.
    pub text: String,
    /// The problem with the text.
    pub reason: String,
}

/// The result of testing a [`Hypothesis`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tested {
    /// The hypothesis that was tested.
    #[serde(rename = "test")]
    pub hypothesis: Hypothesis,
    /// The side that is claimed to be greater minus the other side, in hundredths of a pawn. For an
    /// equation, left minus right.
    pub estimate: f64,
    /// Standard error of the estimate, clustered by game, in hundredths of a pawn. It includes the
    /// error of the unit, since the value of a pawn is itself an estimate.
    pub error: f64,
    /// Wald's test: the difference in logits divided by its standard error. A test in logits needs
    /// no unit, so this differs from the estimate divided by its error.
    pub z: f64,
    /// The p value: probability of a `z` at least this large if both sides were equal. One-sided
    /// for `>` and `<`, two-sided for `=`.
    #[serde(default)]
    pub p: f64,
    /// The p value after Holm's correction for all tests of a report; `None` for a single test.
    #[serde(default)]
    pub p_corrected: Option<f64>,
    /// The conclusion from `p_corrected`, or without it from `p`.
    pub verdict: Finding,
}

/// The conclusion of a test, at a level of 5 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Finding {
    /// The hypothesis holds: its p value is below 0.05. An equation cannot be confirmed this way.
    Holds,
    /// The hypothesis fails: the p value of its opposite is below 0.05. For an equation, its own p
    /// value is.
    Fails,
    /// The data do not decide. For an equation, they do not contradict it.
    Open,
}

impl Finding {
    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Open => "open",
        }
    }
}

/// Why a model cannot answer a hypothesis.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotTest {
    /// The model lacks a feature of the hypothesis.
    #[error("{text:?} asks for {}, which the model has not; add it{}", feature.name(), how(*feature))]
    NotInModel {
        /// The hypothesis as text.
        text: String,
        /// The missing feature.
        feature: Feature,
    },
    /// The pawn's value is not significantly above zero.
    #[error(transparent)]
    NoPawn(#[from] PawnUncertain),
}

fn how(feature: Feature) -> String {
    match feature {
        Feature::Term(term) => format!(" (option `terms {term}`)"),
        _ => String::new(),
    }
}

impl Fit {
    /// Tests a hypothesis.
    ///
    /// # Errors
    ///
    /// [`CannotTest`], if the model lacks a feature of the hypothesis, or the pawn's coefficient is
    /// not significantly above zero.
    pub fn test(&self, hypothesis: &Hypothesis) -> Result<Tested, CannotTest> {
        let pawn = self.pawn()?;
        let mut weights = vec![0.0; self.coefficients.len()];
        for &(feature, weight) in &hypothesis.parts {
            let place = self
                .coefficients
                .iter()
                .position(|own| own.feature == feature);
            let missing = || CannotTest::NotInModel {
                text: hypothesis.text.clone(),
                feature,
            };
            weights[place.ok_or_else(missing)?] += weight;
        }
        let logits = self.sum(&weights);
        let mut tested = Tested {
            hypothesis: hypothesis.clone(),
            estimate: 100.0 * logits / pawn,
            error: self.error_along(&self.slope_in_pawns(&weights)),
            z: logits / self.error_along(&weights),
            p: 1.0,
            p_corrected: None,
            verdict: Finding::Open,
        };
        let (p, opposite) = tested.both_p();
        (tested.p, tested.verdict) = (p, tested.finding(p, opposite));
        Ok(tested)
    }

    /// Tests several hypotheses together. Each verdict follows from the p value after Holm's
    /// correction for all of them. A hypothesis that repeats another one is counted once.
    ///
    /// # Errors
    ///
    /// Those of [`test`](Self::test).
    pub fn test_all(&self, hypotheses: &[Hypothesis]) -> Result<Vec<Tested>, CannotTest> {
        let mut all = hypotheses
            .iter()
            .map(|own| self.test(own))
            .collect::<Result<Vec<_>, _>>()?;
        let repeats = |place: usize| {
            hypotheses[..place]
                .iter()
                .any(|earlier| earlier.is_same(&hypotheses[place]))
        };
        let distinct: Vec<usize> = (0..all.len()).filter(|place| !repeats(*place)).collect();
        let (p, opposite): (Vec<f64>, Vec<f64>) =
            distinct.iter().map(|place| all[*place].both_p()).unzip();
        for ((place, p), opposite) in distinct.into_iter().zip(holm(&p)).zip(holm(&opposite)) {
            for tested in all
                .iter_mut()
                .filter(|tested| tested.hypothesis.is_same(&hypotheses[place]))
            {
                tested.p_corrected = Some(p);
                tested.verdict = tested.finding(p, opposite);
            }
        }
        Ok(all)
    }
}

/// The significance level of the verdicts.
const LEVEL: f64 = 0.05;

impl Tested {
    /// Returns the p value of the hypothesis and that of its opposite. For an equation both are the
    /// same.
    fn both_p(&self) -> (f64, f64) {
        match self.hypothesis.relation {
            Relation::Greater => (above(self.z), above(-self.z)),
            Relation::Equal => {
                let p = (2.0 * above(self.z.abs())).min(1.0);
                (p, p)
            }
        }
    }

    fn finding(&self, p: f64, opposite: f64) -> Finding {
        match self.hypothesis.relation {
            Relation::Greater if p < LEVEL => Finding::Holds,
            Relation::Greater if opposite < LEVEL => Finding::Fails,
            Relation::Equal if p < LEVEL => Finding::Fails,
            _ => Finding::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hypotheses_are_parsed_and_compared() {
        let parts = |text: &str| text.parse::<Hypothesis>().unwrap().parts;
        let piece = Feature::Piece;
        assert_eq!(parts("N > 3P"), [(piece(1), 1.0), (piece(0), -3.0)]);
        assert_eq!(parts("3P<N"), [(piece(0), -3.0), (piece(1), 1.0)]);
        assert_eq!(
            parts("bishop-knight=0"),
            [(piece(2), 1.0), (piece(1), -1.0)]
        );
        assert_eq!(
            parts("bishop-pair > 0.5*pawn"),
            [(Feature::Term(Term::BishopPair), 1.0), (piece(0), -0.5)]
        );
        assert_eq!(Hypothesis::capablanca().len(), 5);
        let same = |one: &str, other: &str| {
            one.parse::<Hypothesis>()
                .unwrap()
                .is_same(&other.parse().unwrap())
        };
        assert!(
            same("N > 3P", "6P<2 knight")
                && same("Q + P = 2R", "2R = P + Q")
                && same("N + 0.5P > B + 0.5P", "B < N")
        );
        assert!(
            !same("N > 3P", "N < 3P") && !same("N > 3P", "N = 3P") && !same("N > 3P", "N > 3.5P")
        );
        for text in [
            "",
            "N",
            "N >",
            "> N",
            "N > 3",
            "N > K",
            "N > > P",
            "N > 3..1P",
            "N N > P",
            "N = N",
            "N > 1P 2",
            "−",
        ] {
            assert!(text.parse::<Hypothesis>().is_err(), "{text}");
        }
    }
}
