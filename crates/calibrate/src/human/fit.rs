//! Fitting the model of people's games.

use centipawn_core::{HumanModel, InvalidHumanCurve};
use centipawn_progress::{Cancel, Cancelled, text::plural};

use super::{
    HumanGame, HumanPosition, HumanTerm,
    clocks::HumanClocks,
    likelihood::{Likelihood, Predictor, loss},
    winners::Winners,
};
use crate::{logistic::logistic, newton::minimize};

/// A model of people's games, fitted by maximum likelihood of the expected score.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanFit {
    /// Its terms.
    pub terms: Vec<HumanTerm>,
    /// Their coefficients.
    pub coefficients: Vec<f64>,
    /// Terms of the model that these games do not identify, and that it therefore lacks: for
    /// example because there is only one time control. Without
    /// [`MateConstant`](HumanTerm::MateConstant), positions with a mate do not count.
    pub unidentified: Vec<HumanTerm>,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Mean −ln p of a position's result.
    pub log_loss: f64,
    /// The ratings and times that most games have; beyond them the model is undefined.
    range: [[f64; 2]; 2],
    /// Files whose games were chosen for having a winner.
    winners: Winners,
}

/// Why no model can be fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HumanFitError {
    /// There are too few games.
    #[error("{games} with evaluations, ratings and time control; a curve needs at least {LEAST_GAMES}", games = plural(*.0, "game"))]
    TooFew(u64),
    /// Better evaluations do not go with better results.
    #[error(
        "the results do not follow the evaluations: are they from White's view, in pawns? ({0})"
    )]
    Nonsense(#[from] InvalidHumanCurve),
    /// No evaluation is other than 0.
    #[error("all evaluations are 0, so these games do not show what an evaluation is worth")]
    AllZero,
    /// No minimum was found.
    #[error(
        "the fit does not converge: in these games, results hardly depend on evaluations, or follow them without exception"
    )]
    NotConverged,
    /// The fit was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Fewest games for a model.
const LEAST_GAMES: u64 = 30;
/// Fewest games of a time for it to count as one that the games have.
const LEAST_OF_A_TIME: usize = 10;
/// Smallest ratio of two times that count as different.
const APART: f64 = 1.5;
/// Fewest games with a mate to fit what a mate is worth.
const LEAST_WITH_MATES: usize = 50;
/// Minimum rating spread (standard deviation) needed to estimate the rating coefficient.
const LEAST_SPREAD: f64 = 50.0;

impl HumanFit {
    /// Fits the terms of a [`HumanModel`].
    ///
    /// # Errors
    ///
    /// [`HumanFitError`].
    ///
    /// ```
    /// use centipawn_calibrate::human::{HumanFit, HumanGame, HumanPosition};
    /// use centipawn_progress::Cancel;
    ///
    /// // In three of four games the side that is a pawn ahead wins: k = ln 3.
    /// let position = HumanPosition::new(100, 20);
    /// let game = |number| HumanGame {
    ///     number, source: 0, ratings: [1800.0; 2], seconds: 600.0,
    ///     half_points: if number % 4 == 0 { 0 } else { 2 }, positions: vec![position],
    /// };
    /// let games: Vec<HumanGame> = (0..400).map(game).collect();
    /// let fit = HumanFit::new(&games.iter().collect::<Vec<_>>(), &Cancel::new())?;
    /// assert!((fit.model()?.steepness(1800.0, 600.0) - 3.0_f64.ln()).abs() < 1e-6);
    /// # Ok::<_, centipawn_calibrate::human::HumanFitError>(())
    /// ```
    pub fn new(games: &[&HumanGame], cancel: &Cancel) -> Result<Self, HumanFitError> {
        Self::of_all(games, Winners::default(), cancel)
    }

    /// Fits the terms of a [`HumanModel`] to games of which some files were chosen for having a
    /// winner.
    pub(super) fn of_all(
        games: &[&HumanGame],
        winners: Winners,
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        if (games.len() as u64) < LEAST_GAMES {
            return Err(HumanFitError::TooFew(games.len() as u64));
        }
        let left = without_few_mates(games);
        let left: Option<Vec<&HumanGame>> = left.as_ref().map(|games| games.iter().collect());
        let games = left.as_deref().unwrap_or(games);
        if games
            .iter()
            .flat_map(|game| &game.positions)
            .all(|position| position.cp == 0)
        {
            return Err(HumanFitError::AllZero);
        }
        let unidentified = unidentified(games);
        let terms = HumanTerm::MODEL.into_iter().chain(HumanTerm::MATES);
        let terms = terms.filter(|term| !unidentified.contains(term)).collect();
        let fit = Self {
            unidentified,
            ..Self::of_terms(games, terms, winners, cancel)?
        };
        fit.model()?;
        Ok(fit)
    }

    /// Fits these terms.
    pub(super) fn of_terms(
        games: &[&HumanGame],
        terms: Vec<HumanTerm>,
        winners: Winners,
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        // People's k is near 0.4, and half of that in games of three minutes.
        let start = |term: &HumanTerm| match term {
            HumanTerm::Constant => -1.0,
            HumanTerm::Time => 0.25,
            HumanTerm::MateConstant => 2.0,
            _ => 0.0,
        };
        let start: Vec<f64> = terms.iter().map(start).collect();
        let coefficients = descend(
            &Likelihood {
                games,
                weights: &[],
                terms: &terms,
                winners: &winners,
            },
            &start,
            cancel,
        )?;
        let positions = games.iter().map(|game| game.positions.len() as u64).sum();
        let mut fit = Self {
            terms,
            coefficients,
            unidentified: Vec::new(),
            games: games.len() as u64,
            positions,
            log_loss: 0.0,
            range: range(games),
            winners,
        };
        let losses: f64 = games.iter().map(|game| fit.losses(game)).sum();
        fit.log_loss = losses / positions.max(1) as f64;
        Ok(fit)
    }

    /// The coefficients of the same terms in resampled games.
    pub(super) fn again(
        &self,
        games: &[&HumanGame],
        weights: &[u32],
        cancel: &Cancel,
    ) -> Result<Vec<f64>, HumanFitError> {
        let likelihood = Likelihood {
            games,
            weights,
            terms: &self.terms,
            winners: &self.winners,
        };
        descend(&likelihood, &self.coefficients, cancel)
    }

    /// The coefficient of a term, 0 if the model lacks it.
    pub fn coefficient(&self, term: HumanTerm) -> f64 {
        self.terms
            .iter()
            .position(|own| *own == term)
            .map_or(0.0, |index| self.coefficients[index])
    }

    /// The model. If the fit lacks the value of a mate, it has the built-in one.
    ///
    /// # Errors
    ///
    /// [`InvalidHumanCurve`], if its numbers make no sense.
    pub fn model(&self) -> Result<HumanModel, InvalidHumanCurve> {
        let [b0, b1, time, r] = HumanTerm::MODEL.map(|term| self.coefficient(term));
        let mates = HumanTerm::MATES.map(|term| self.coefficient(term));
        // Most people's games have mates, so a curve for people values them even if these games do
        // not say how.
        let is_fitted = self.terms.contains(&HumanTerm::MateConstant);
        let mates = if is_fitted {
            Some(mates)
        } else {
            HumanModel::default().mates
        };
        let [ratings, seconds] = self.range;
        let half_time = HALF_TIME * time;
        let model = HumanModel {
            b0,
            b1,
            half_time,
            r,
            mates,
            clocks: None,
            draws: None,
            ratings,
            seconds,
            units: 1.0,
        };
        model.check().map(|()| model)
    }

    /// −ln p of a game's positions.
    pub(super) fn losses(&self, game: &HumanGame) -> f64 {
        self.losses_without(game, None)
    }

    /// −ln p of a game's positions by the model without one of its terms.
    pub(super) fn losses_without(&self, game: &HumanGame, term: Option<HumanTerm>) -> f64 {
        let coefficient = |(own, coefficient): (&HumanTerm, &f64)| {
            if Some(*own) == term {
                0.0
            } else {
                *coefficient
            }
        };
        let point: Vec<f64> = self
            .terms
            .iter()
            .zip(&self.coefficients)
            .map(coefficient)
            .collect();
        let predicted = Predictor::new(game, &self.terms, &point);
        predicted
            .scores()
            .map(|expected| loss(game.score(), self.of_result(game, expected)))
            .sum()
    }

    /// White's expected score in a game's positions: by the evaluation and the ratings, and by the
    /// clocks where they are known.
    pub(super) fn scores(&self, game: &HumanGame, clocks: Option<&HumanClocks>) -> Vec<f64> {
        let predicted = Predictor::new(game, &self.terms, &self.coefficients);
        let of = |((evaluation, others), position): ((f64, f64), &HumanPosition)| {
            logistic(
                evaluation
                    + others
                    + clocks.map_or(0.0, |clocks| clocks.log_odds(game, position.clocks)),
            )
        };
        predicted.log_odds().zip(&game.positions).map(of).collect()
    }

    /// The probability of White's win, from White's expected score; given that there is a winner if
    /// the game was chosen for that.
    pub(super) fn of_result(&self, game: &HumanGame, score: f64) -> f64 {
        Winners::given_a_winner(self.winners.width(game), score).0
    }

    /// The same model with other coefficients.
    pub(super) fn with(&self, coefficients: &[f64]) -> Self {
        Self {
            coefficients: coefficients.to_vec(),
            ..self.clone()
        }
    }

    pub(super) fn winners(&self) -> &Winners {
        &self.winners
    }
}

/// Seconds of half time for a coefficient of 1.
pub(super) const HALF_TIME: f64 = 600.0;

fn descend(
    likelihood: &Likelihood<'_>,
    start: &[f64],
    cancel: &Cancel,
) -> Result<Vec<f64>, HumanFitError> {
    let minimum = minimize(likelihood, start, cancel);
    cancel.check()?;
    if minimum.converged {
        Ok(minimum.point)
    } else {
        Err(HumanFitError::NotConverged)
    }
}

fn games_with_mates(games: &[&HumanGame]) -> usize {
    games
        .iter()
        .filter(|game| game.positions.iter().any(|position| position.mate != 0))
        .count()
}

/// The games without their positions with a mate, if some have one, but too few to fit what it is
/// worth: a model without that value would take them for equal positions.
pub(super) fn without_few_mates(games: &[&HumanGame]) -> Option<Vec<HumanGame>> {
    (1..LEAST_WITH_MATES)
        .contains(&games_with_mates(games))
        .then(|| without_mates(games))
}

/// The games without their positions with a mate.
pub(super) fn without_mates(games: &[&HumanGame]) -> Vec<HumanGame> {
    let other = |game: &&HumanGame| {
        let positions: Vec<HumanPosition> = game
            .positions
            .iter()
            .filter(|position| position.mate == 0)
            .copied()
            .collect();
        (!positions.is_empty()).then(|| HumanGame {
            positions,
            ..(*game).clone()
        })
    };
    games.iter().filter_map(other).collect()
}

/// Terms of the model that these games do not identify.
fn unidentified(games: &[&HumanGame]) -> Vec<HumanTerm> {
    let mut times: Vec<f64> = games.iter().map(|game| game.seconds).collect();
    times.sort_by(f64::total_cmp);
    let common = times
        .chunk_by(|a, b| a == b)
        .filter(|same| same.len() >= LEAST_OF_A_TIME)
        .map(|same| same[0]);
    let (times, _) = common.fold((0, 0.0), |(count, last), time| {
        if time >= APART * last {
            (count + 1, time)
        } else {
            (count, last)
        }
    });
    let count = games.len() as f64;
    let mean = games.iter().map(|game| game.rating()).sum::<f64>() / count;
    let spread = (games
        .iter()
        .map(|game| (game.rating() - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt();
    let mut unidentified = Vec::new();
    let has_mates = games_with_mates(games) >= LEAST_WITH_MATES;
    unidentified.extend((spread < LEAST_SPREAD).then_some(HumanTerm::Rating));
    unidentified.extend((times < 2).then_some(HumanTerm::Time));
    unidentified.extend((!has_mates).then_some(HumanTerm::MateConstant));
    unidentified.extend((!has_mates || spread < LEAST_SPREAD).then_some(HumanTerm::MateRating));
    unidentified.extend((!has_mates || times < 2).then_some(HumanTerm::MateTime));
    unidentified.extend(
        games
            .iter()
            .all(|game| game.difference() == 0.0)
            .then_some(HumanTerm::Difference),
    );
    unidentified
}

/// The ratings and times of all games but the outermost half per cent at each end.
fn range(games: &[&HumanGame]) -> [[f64; 2]; 2] {
    let ends = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let out = values.len() / 200;
        match &values[out..values.len() - out] {
            [first, .., last] => [*first, *last],
            [only] => [*only; 2],
            [] => [0.0; 2],
        }
    };
    [
        ends(games.iter().map(|game| game.rating()).collect()),
        ends(games.iter().map(|game| game.seconds).collect()),
    ]
}
