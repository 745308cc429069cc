//! Games at material odds: at which evaluation do people of a rating score one half?
//!
//! A strong engine gives odds of a piece or more. The receiver's expected score is fitted as
//! `1/(1 + e^(−η))` with `η = α + κ·x + ρ·(R − 1500)/400`: the evaluation `x` of the start position
//! for the receiver, and the receiver's rating `R`. Then `x½(R) = −(α + ρ·(R − 1500)/400)/κ` is how
//! large an evaluation people of this rating need to hold their own.

use std::collections::BTreeMap;

use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use crate::{TWO_SIDED, logistic::logistic, newton::solve};

/// A game at odds, seen by the player who received them.
#[derive(Clone, Debug, PartialEq)]
pub struct OddsGame {
    /// The start position.
    pub fen: String,
    /// What the giver gave, in words.
    pub handicap: String,
    /// Evaluation of the start position in pawns, from the receiver's side.
    pub eval: f64,
    /// The receiver's rating.
    pub rating: f64,
    /// The receiver's name. Games of one player count as one observation in errors.
    pub player: String,
    /// The receiver's score: 0, ½ or 1.
    pub score: f64,
}

/// The document of `odds atlas --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OddsAtlas {
    /// Number of games.
    pub games: u64,
    /// Number of different receivers.
    pub players: u64,
    /// The receivers' mean score, 0..=1.
    pub score: f64,
    /// The start positions, by descending evaluation.
    pub starts: Vec<OddsStart>,
    /// For each rating, the evaluation at which people score one half; empty if the games do not
    /// show it.
    pub ratings: Vec<OddsRating>,
    /// The coefficients of the fit; missing if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<OddsFit>,
    /// What the games cannot show, and why.
    pub notes: Vec<String>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// The games from one start position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OddsStart {
    /// The start position.
    pub fen: String,
    /// What the giver gave, in words.
    pub handicap: String,
    /// Its evaluation in pawns, from the receiver's side.
    pub eval: f64,
    /// Number of games.
    pub games: u64,
    /// The receivers' mean rating.
    pub rating: f64,
    /// The receivers' mean score, 0..=1.
    pub score: f64,
    /// The mean score that the fit expects; missing without a fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// The rating at which people score one half from here; missing if the games do not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub even_rating: Option<f64>,
}

/// The evaluation at which people of a rating score one half.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OddsRating {
    /// The rating.
    pub rating: f64,
    /// The evaluation in pawns.
    pub eval: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// Whether the games contain such ratings, and such evaluations on both sides of this one.
    pub is_inside: bool,
}

/// Coefficients of the receiver's log odds, each with its standard error by player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OddsFit {
    /// The log odds at equality for a player rated 1500.
    pub alpha: (f64, f64),
    /// Log odds for a pawn of evaluation; `None` if all start positions have one evaluation.
    pub per_pawn: Option<(f64, f64)>,
    /// Log odds for 400 points of rating; `None` if all ratings are equal.
    pub per_400: Option<(f64, f64)>,
}

/// Fewest games of a fit.
const FEWEST: usize = 30;
/// Fewest players of a fit, because errors are by player.
const FEWEST_PLAYERS: usize = 10;
/// Ratings of the table.
const RATINGS: std::ops::RangeInclusive<u32> = 4..=14;
const MIDDLE: f64 = 1500.0;

impl OddsAtlas {
    /// Computes the atlas of games.
    ///
    /// ```
    /// use centipawn_calibrate::{OddsAtlas, OddsGame};
    ///
    /// let game = |number: u32| OddsGame {
    ///     fen: "4k3/8/8/8/8/8/8/4KQ2 w - - 0 1".into(),
    ///     handicap: "queen".into(),
    ///     eval: 9.0,
    ///     rating: 1200.0,
    ///     player: format!("player {number}"),
    ///     score: f64::from(number % 2),
    /// };
    /// let atlas = OddsAtlas::new(&(0..40).map(game).collect::<Vec<_>>());
    /// assert_eq!((atlas.games, atlas.score), (40, 0.5));
    /// assert!(atlas.ratings.is_empty() && !atlas.notes.is_empty());
    /// ```
    pub fn new(games: &[OddsGame]) -> Self {
        let mean = |of: &dyn Fn(&OddsGame) -> f64, own: &[&OddsGame]| {
            own.iter().map(|game| of(game)).sum::<f64>() / own.len().max(1) as f64
        };
        let all: Vec<&OddsGame> = games.iter().collect();
        let mut by_player: BTreeMap<&str, Vec<&OddsGame>> = BTreeMap::new();
        let mut by_start: BTreeMap<&str, Vec<&OddsGame>> = BTreeMap::new();
        for game in games {
            by_player.entry(&game.player).or_default().push(game);
            by_start.entry(&game.fen).or_default().push(game);
        }
        let mut notes = Vec::new();
        let fitted = Fitted::new(&all, &by_player, &mut notes);
        let start = |(fen, own): (&&str, &Vec<&OddsGame>)| OddsStart {
            fen: (*fen).to_owned(),
            handicap: own[0].handicap.clone(),
            eval: own[0].eval,
            games: own.len() as u64,
            rating: mean(&|game| game.rating, own),
            score: mean(&|game| game.score, own),
            expected: fitted
                .as_ref()
                .map(|fitted| mean(&|game| fitted.expected(game), own)),
            even_rating: fitted
                .as_ref()
                .and_then(|fitted| fitted.even_rating(own[0].eval)),
        };
        let mut starts: Vec<OddsStart> = by_start.iter().map(start).collect();
        starts.sort_by(|one, other| other.eval.total_cmp(&one.eval));
        Self {
            games: games.len() as u64,
            players: by_player.len() as u64,
            score: mean(&|game| game.score, &all),
            starts,
            ratings: fitted
                .as_ref()
                .map_or_else(Vec::new, |fitted| fitted.ratings(&all, &mut notes)),
            fit: fitted.map(|fitted| fitted.document()),
            notes,
            provenance: None,
        }
    }
}

/// The variables of the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Variable {
    One,
    Eval,
    Rating,
}

impl Variable {
    fn of(self, game: &OddsGame) -> f64 {
        self.at(game.eval, game.rating)
    }

    fn at(self, eval: f64, rating: f64) -> f64 {
        match self {
            Variable::One => 1.0,
            Variable::Eval => eval,
            Variable::Rating => (rating - MIDDLE) / 400.0,
        }
    }
}

/// Coefficients with their covariance, clustered by player.
struct Fitted {
    variables: Vec<Variable>,
    coefficients: Vec<f64>,
    /// Symmetric, row by row.
    covariance: Vec<f64>,
}

impl Fitted {
    fn new(
        games: &[&OddsGame],
        by_player: &BTreeMap<&str, Vec<&OddsGame>>,
        notes: &mut Vec<String>,
    ) -> Option<Self> {
        if games.len() < FEWEST || by_player.len() < FEWEST_PLAYERS {
            notes.push(format!(
                "A fit needs at least {FEWEST} games of at least {FEWEST_PLAYERS} players."
            ));
            return None;
        }
        let varies = |variable: &Variable| {
            let first = variable.of(games[0]);
            *variable == Variable::One
                || games
                    .iter()
                    .any(|game| (variable.of(game) - first).abs() > 1e-9)
        };
        let variables: Vec<Variable> = [Variable::One, Variable::Eval, Variable::Rating]
            .into_iter()
            .filter(varies)
            .collect();
        let Some((coefficients, bend)) = climb(games, &variables) else {
            notes.push(
                "These games have no fit: the score follows the evaluation or the rating without \
                 exception."
                    .to_owned(),
            );
            return None;
        };
        let n = variables.len();
        let inverse: Option<Vec<Vec<f64>>> = (0..n)
            .map(|column| {
                let unit = (0..n).map(|row| f64::from(u8::from(row == column)));
                solve(bend.clone(), unit.collect())
            })
            .collect();
        let inverse = inverse?;
        // The sandwich estimator: games of one player are not independent.
        let mut covariance = vec![0.0; n * n];
        for own in by_player.values() {
            let mut slope = vec![0.0; n];
            for game in own {
                let error = game.score - logistic(eta(&variables, &coefficients, game));
                for (slope, variable) in slope.iter_mut().zip(&variables) {
                    *slope += error * variable.of(game);
                }
            }
            let moved: Vec<f64> = inverse
                .iter()
                .map(|row| row.iter().zip(&slope).map(|(a, b)| a * b).sum())
                .collect();
            for (place, sum) in covariance.iter_mut().enumerate() {
                *sum += moved[place / n] * moved[place % n];
            }
        }
        // Few players make the residuals smaller than the errors.
        let players = by_player.len() as f64;
        let factor = players / (players - n as f64);
        covariance.iter_mut().for_each(|sum| *sum *= factor);
        Some(Self {
            variables,
            coefficients,
            covariance,
        })
    }

    fn expected(&self, game: &OddsGame) -> f64 {
        logistic(eta(&self.variables, &self.coefficients, game))
    }

    /// Returns a coefficient with its standard error.
    fn coefficient(&self, wanted: Variable) -> Option<(f64, f64)> {
        let index = self.variables.iter().position(|own| *own == wanted)?;
        let n = self.variables.len();
        Some((
            self.coefficients[index],
            self.covariance[index * n + index].sqrt(),
        ))
    }

    /// Returns a coefficient that is at least two standard errors above 0, because otherwise a
    /// division by it means nothing.
    fn certain(&self, wanted: Variable) -> Option<f64> {
        let (coefficient, error) = self.coefficient(wanted)?;
        (coefficient > TWO_SIDED * error).then_some(coefficient)
    }

    /// Returns the log odds without one variable.
    fn without(&self, left_out: Variable, eval: f64, rating: f64) -> f64 {
        let own = self.variables.iter().zip(&self.coefficients);
        own.filter(|(variable, _)| **variable != left_out)
            .map(|(variable, coefficient)| coefficient * variable.at(eval, rating))
            .sum()
    }

    fn even_rating(&self, eval: f64) -> Option<f64> {
        let per_400 = self.certain(Variable::Rating)?;
        let rest = self.without(Variable::Rating, eval, MIDDLE);
        let rating = MIDDLE - 400.0 * rest / per_400;
        // Ratings beyond these do not exist.
        (0.0..=4000.0).contains(&rating).then_some(rating)
    }

    fn ratings(&self, games: &[&OddsGame], notes: &mut Vec<String>) -> Vec<OddsRating> {
        let Some(per_pawn) = self.certain(Variable::Eval) else {
            notes.push(
                "The evaluation at which people score one half needs start positions with different \
                 evaluations, and scores that clearly rise with them."
                    .to_owned(),
            );
            return Vec::new();
        };
        let range = |of: fn(&OddsGame) -> f64| {
            let values = || games.iter().map(|game| of(game));
            let least = values().fold(f64::INFINITY, f64::min);
            (least, values().fold(f64::NEG_INFINITY, f64::max))
        };
        let (ratings, evals) = (range(|game| game.rating), range(|game| game.eval));
        let is_within = |(least, most): (f64, f64), value: f64| (least..=most).contains(&value);
        let n = self.variables.len();
        let of = |rating: f64| {
            let eval = -self.without(Variable::Eval, 0.0, rating) / per_pawn;
            // The derivatives of the evaluation by the coefficients (delta method).
            let slope: Vec<f64> = self
                .variables
                .iter()
                .map(|variable| -variable.at(eval, rating) / per_pawn)
                .collect();
            let variance: f64 = (0..n * n)
                .map(|place| slope[place / n] * slope[place % n] * self.covariance[place])
                .sum();
            let reach = TWO_SIDED * variance.sqrt();
            OddsRating {
                rating,
                eval,
                interval: (eval - reach, eval + reach),
                is_inside: is_within(ratings, rating) && is_within(evals, eval),
            }
        };
        if !self.variables.contains(&Variable::Rating) {
            return vec![of(ratings.0)];
        }
        RATINGS
            .map(|step| f64::from(200 * step))
            .filter(|rating| (ratings.0 - 200.0..=ratings.1 + 200.0).contains(rating))
            .map(of)
            .collect()
    }

    fn document(&self) -> OddsFit {
        OddsFit {
            alpha: self.coefficient(Variable::One).unwrap_or_default(),
            per_pawn: self.coefficient(Variable::Eval),
            per_400: self.coefficient(Variable::Rating),
        }
    }
}

fn eta(variables: &[Variable], coefficients: &[f64], game: &OddsGame) -> f64 {
    let own = variables.iter().zip(coefficients);
    own.map(|(variable, coefficient)| coefficient * variable.of(game))
        .sum()
}

/// Maximises the likelihood by Newton's method. Returns the coefficients with the negative second
/// derivatives; `None` if there is no maximum.
fn climb(games: &[&OddsGame], variables: &[Variable]) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = variables.len();
    let mut at = vec![0.0; n];
    for _ in 0..100 {
        let (mut slope, mut bend) = (vec![0.0; n], vec![0.0; n * n]);
        for game in games {
            let values: Vec<f64> = variables.iter().map(|variable| variable.of(game)).collect();
            let p = logistic(eta(variables, &at, game));
            for (row, value) in values.iter().enumerate() {
                slope[row] += (game.score - p) * value;
                for (column, other) in values.iter().enumerate() {
                    bend[row * n + column] += p * (1.0 - p) * value * other;
                }
            }
        }
        let step = solve(bend.clone(), slope)?;
        let length = step.iter().map(|own| own.abs()).fold(0.0, f64::max);
        // A separable sample drives the coefficients to infinity.
        if !length.is_finite() || at.iter().any(|own| own.abs() > 50.0) {
            return None;
        }
        let share = (2.0 / length).min(1.0);
        at.iter_mut()
            .zip(step)
            .for_each(|(own, step)| *own += share * step);
        if length < 1e-9 {
            return Some((at, bend));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use centipawn_core::mix64;

    use super::*;

    const HANDICAPS: [(&str, f64); 4] = [
        ("pawn", 1.2),
        ("knight", 4.1),
        ("rook", 6.5),
        ("queen", 11.0),
    ];

    /// Games made from known coefficients: a rating of 1500 is even at 6.0 pawns, and 400 points
    /// are worth 3 pawns.
    fn made_up(count: u64, seed: u64) -> Vec<OddsGame> {
        let mut state = seed;
        let mut chance = || {
            state = mix64(state);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..count)
            .map(|number| {
                let (handicap, eval) = HANDICAPS[(4.0 * chance()) as usize];
                let rating = 900.0 + 1500.0 * chance();
                let expected = logistic(0.3 * (eval - 6.0) + 0.9 * (rating - 1500.0) / 400.0);
                OddsGame {
                    fen: handicap.to_owned(),
                    handicap: handicap.to_owned(),
                    eval,
                    rating,
                    player: format!("player {}", number / 3),
                    score: f64::from(u8::from(chance() < expected)),
                }
            })
            .collect()
    }

    fn even(atlas: &OddsAtlas, rating: f64) -> &OddsRating {
        let mut own = atlas.ratings.iter();
        own.find(|own| own.rating == rating).unwrap()
    }

    #[test]
    fn the_evaluation_of_one_half_is_found_again() {
        let atlas = OddsAtlas::new(&made_up(6000, 1));
        for (rating, truth) in [(1200.0, 8.25), (1600.0, 5.25), (2000.0, 2.25)] {
            let own = even(&atlas, rating);
            assert!((own.eval - truth).abs() < 0.8 && own.is_inside, "{own:?}");
        }
        let rook = atlas
            .starts
            .iter()
            .find(|own| own.handicap == "rook")
            .unwrap();
        assert!(
            (rook.even_rating.unwrap() - 1433.0).abs() < 60.0,
            "{rook:?}"
        );
        assert!((rook.score - rook.expected.unwrap()).abs() < 0.03);
        assert_eq!(atlas.starts[0].handicap, "queen");
    }

    #[test]
    fn intervals_contain_the_truth() {
        let inside = (0..100).filter(|seed| {
            let atlas = OddsAtlas::new(&made_up(400, 100 + seed));
            let (low, high) = even(&atlas, 1600.0).interval;
            (low..=high).contains(&5.25)
        });
        let inside = inside.count();
        assert!((88..=100).contains(&inside), "{inside}");
    }

    #[test]
    fn what_games_do_not_show_is_missing() {
        let games = made_up(300, 5);
        let one_start: Vec<OddsGame> = games
            .iter()
            .filter(|game| game.handicap == "rook")
            .cloned()
            .collect();
        let atlas = OddsAtlas::new(&one_start);
        assert!(atlas.ratings.is_empty() && atlas.fit.unwrap().per_pawn.is_none());
        assert!(atlas.starts[0].even_rating.is_some());
        let few = OddsAtlas::new(&games[..9]);
        assert!(few.fit.is_none() && few.notes.len() == 1);
        assert_eq!(OddsAtlas::new(&[]).games, 0);
        let won: Vec<OddsGame> = games
            .iter()
            .map(|game| OddsGame {
                score: 1.0,
                ..game.clone()
            })
            .collect();
        assert!(OddsAtlas::new(&won).fit.is_none());
    }
}
