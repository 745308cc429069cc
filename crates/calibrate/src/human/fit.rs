//! Fits the model of people's games.

use centipawn_core::{HumanModel, InvalidHumanCurve, Pool, PoolEffect, PoolEffects};
use centipawn_progress::{Cancel, Cancelled, text::plural};

use super::{
    HumanGame, HumanPosition, HumanTerm,
    clocks::HumanClocks,
    clustered::products,
    likelihood::{Likelihood, Predictor, loss},
    winners::Winners,
};
use crate::{
    logistic::logistic,
    newton::{Function as _, minimize, solve},
};

/// A model of people's games, fitted by maximum likelihood of the score. A draw counts as half a
/// win and half a loss.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanFit {
    /// The terms of the model.
    pub terms: Vec<HumanTerm>,
    /// The coefficient of each term, in the same order.
    pub coefficients: Vec<f64>,
    /// Terms that the model lacks because these games do not identify them, for example because all
    /// have the same time control. Without [`MateConstant`](HumanTerm::MateConstant), positions
    /// with a mate are ignored.
    pub unidentified: Vec<HumanTerm>,
    /// Number of games fitted.
    pub games: u64,
    /// Number of positions fitted.
    pub positions: u64,
    /// Mean −ln p of the result of a position.
    pub log_loss: f64,
    /// Ratings and times of all games except the outermost ones. The model clamps to these bounds.
    range: [[f64; 2]; 2],
    /// Files whose games were chosen for having a winner.
    winners: Winners,
}

/// Why no model can be fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HumanFitError {
    /// There are too few games. The value is their number.
    #[error("{games} with evaluations, ratings and time control; a curve needs at least {LEAST_GAMES}", games = plural(*.0, "game"))]
    TooFew(u64),
    /// The score does not rise with the evaluation.
    #[error(
        "the results do not follow the evaluations: are they from White's view, in pawns? ({0})"
    )]
    Nonsense(#[from] InvalidHumanCurve),
    /// All evaluations are 0.
    #[error("all evaluations are 0, so these games do not show what an evaluation is worth")]
    AllZero,
    /// The optimiser found no minimum.
    #[error(
        "the fit does not converge: in these games, results hardly depend on evaluations, or follow them without exception"
    )]
    NotConverged,
    /// The fit was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Fewest games needed for a model.
const LEAST_GAMES: u64 = 30;
/// Fewest games with one time control for it to count.
const LEAST_OF_A_TIME: usize = 10;
/// Two times count as different if their ratio is at least this.
const APART: f64 = 1.5;
/// Fewest games with a mate needed to fit the value of a mate.
const LEAST_WITH_MATES: usize = 50;
/// Fewest games of a pool for a separate effect, and fewest games for phases.
const LEAST_OF_A_POOL: usize = 100;
/// Smallest range of material within a game that shows two phases.
const LEAST_PHASES: u8 = 20;
/// Smallest standard deviation of the ratings at which the rating coefficient can be estimated.
const LEAST_SPREAD: f64 = 50.0;

impl HumanFit {
    /// Fits the terms of a [`HumanModel`].
    ///
    /// # Errors
    ///
    /// [`HumanFitError`], if these games determine no model.
    ///
    /// ```
    /// use centipawn_calibrate::human::{HumanFit, HumanGame, HumanPosition};
    /// use centipawn_core::Pool;
    /// use centipawn_progress::Cancel;
    ///
    /// // In three of four games the side that is a pawn ahead wins: k = ln 3.
    /// let position = HumanPosition::new(100, 20);
    /// let game = |number| HumanGame {
    ///     number, source: 0, ratings: [1800.0; 2], seconds: 600.0,
    ///     pool: Pool::Unknown, players: None,
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

    /// Like [`new`](Self::new), for games of which those of some files were chosen for having a
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
        // Ratings after the game take their own coefficient, which no model uses.
        let after_game = games
            .iter()
            .all(|game| game.pool.rates_after_game())
            .then_some(HumanTerm::PoolDifference(Pool::ChessCom));
        let terms = HumanTerm::MODEL
            .into_iter()
            .chain(HumanTerm::MATES)
            .chain(phase_terms(games))
            .chain(pool_terms(games))
            .chain(after_game);
        let terms = terms.filter(|term| !unidentified.contains(term)).collect();
        let fit = Self {
            unidentified,
            ..Self::of_terms(games, terms, winners, cancel)?
        };
        fit.model()?;
        Ok(fit)
    }

    /// Fits a model with exactly these terms.
    pub(super) fn of_terms(
        games: &[&HumanGame],
        terms: Vec<HumanTerm>,
        winners: Winners,
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        // Typical values of people's games: k is near 0.4, and half of that in games of three
        // minutes.
        let start = |term: &HumanTerm| match term {
            HumanTerm::Constant => -1.0,
            HumanTerm::Time => 0.25,
            HumanTerm::MateConstant => 2.0,
            _ => 0.0,
        };
        let start: Vec<f64> = terms.iter().map(start).collect();
        Self::from_start(games, terms, &start, winners, cancel)
    }

    /// Fits a model with these terms, beginning at the coefficients of `near` and at 0 for other
    /// terms: the fit to a part of the same games, or with one more term, needs few steps from
    /// there.
    pub(super) fn of_terms_near(
        games: &[&HumanGame],
        terms: Vec<HumanTerm>,
        near: &Self,
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        let start: Vec<f64> = terms.iter().map(|term| near.coefficient(*term)).collect();
        Self::from_start(games, terms, &start, near.winners.clone(), cancel)
    }

    fn from_start(
        games: &[&HumanGame],
        terms: Vec<HumanTerm>,
        start: &[f64],
        winners: Winners,
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        let coefficients = descend(
            &Likelihood {
                games,
                weights: &[],
                terms: &terms,
                winners: &winners,
            },
            start,
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

    /// Fits the same terms to resampled games and returns their coefficients.
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

    /// The standard error of each coefficient, clustered by player and by game: the sandwich of the
    /// second derivatives and of the products of the games that share a player. `None` if the
    /// second derivatives have no inverse.
    pub(super) fn clustered_errors(&self, games: &[&HumanGame]) -> Option<Vec<f64>> {
        let likelihood = Likelihood {
            games,
            weights: &[],
            terms: &self.terms,
            winners: &self.winners,
        };
        let all = self.terms.len();
        let bend = likelihood.quadratic(&self.coefficients).bend;
        let meat = products(games, &likelihood.of_games(&self.coefficients));
        (0..all)
            .map(|row| {
                let mut unit = vec![0.0; all];
                unit[row] = 1.0;
                let bread = solve(bend.clone(), unit)?;
                let variance: f64 = (0..all)
                    .flat_map(|one| (0..all).map(move |other| (one, other)))
                    .map(|(one, other)| bread[one] * meat[one * all + other] * bread[other])
                    .sum();
                Some(variance.max(0.0).sqrt())
            })
            .collect()
    }

    /// The coefficient of a term; 0 if the model lacks it.
    pub fn coefficient(&self, term: HumanTerm) -> f64 {
        self.terms
            .iter()
            .position(|own| *own == term)
            .map_or(0.0, |index| self.coefficients[index])
    }

    /// Converts the fit to a model. If the games do not determine the value of a mate, the built-in
    /// one is used.
    ///
    /// # Errors
    ///
    /// [`InvalidHumanCurve`], if a constant is out of bounds.
    pub fn model(&self) -> Result<HumanModel, InvalidHumanCurve> {
        let [b0, b1, time, r] = HumanTerm::MODEL.map(|term| self.coefficient(term));
        let mates = HumanTerm::MATES.map(|term| self.coefficient(term));
        // Most games of people have mates, so the curve needs a value for them even if these games
        // do not determine one.
        let is_fitted = self.terms.contains(&HumanTerm::MateConstant);
        let mates = if is_fitted {
            Some(mates)
        } else {
            HumanModel::default().mates
        };
        let knows_difference = self.terms.contains(&HumanTerm::Difference)
            || !self
                .terms
                .contains(&HumanTerm::PoolDifference(Pool::ChessCom));
        let r = if knows_difference {
            r
        } else {
            HumanModel::default().r
        };
        let phase = HumanTerm::PHASE.map(|term| self.coefficient(term));
        let phase = self.terms.contains(&HumanTerm::Material).then_some(phase);
        let mut pools = PoolEffects::default();
        for pool in Pool::ALL {
            if self.terms.contains(&HumanTerm::PoolLevel(pool)) {
                let [level, slope, difference] =
                    HumanTerm::of_pool(pool).map(|term| self.coefficient(term));
                pools.set(
                    pool,
                    PoolEffect {
                        level,
                        slope,
                        // Ratings after the game say nothing about a game that is not over.
                        difference: if pool.rates_after_game() {
                            0.0
                        } else {
                            difference
                        },
                    },
                );
            }
        }
        let [ratings, seconds] = self.range;
        let half_time = HALF_TIME * time;
        let model = HumanModel {
            b0,
            b1,
            half_time,
            r,
            phase,
            pools,
            mates,
            clocks: None,
            draws: None,
            ratings,
            seconds,
            units: 1.0,
        };
        model.check().map(|()| model)
    }

    /// Sum of −ln p over a game's positions.
    pub(super) fn losses(&self, game: &HumanGame) -> f64 {
        self.losses_without(game, None)
    }

    /// Sum of −ln p over a game's positions, by the model without one of its terms.
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

    /// White's expected scores in a game's positions, including the effect of the clocks if they
    /// are known.
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

    /// The probability of White's win at White's expected score. If the game was chosen for having
    /// a winner, the probability given that there is one.
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

/// Half time in seconds that corresponds to a coefficient of 1.
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

/// The games without their positions with a mate, if some games have one but too few to fit its
/// value. Otherwise the model would treat these positions as equal ones.
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

/// The terms that these games do not identify.
/// The terms of the phase, if enough games have positions of several phases.
fn phase_terms(games: &[&HumanGame]) -> Vec<HumanTerm> {
    let materials = |game: &&&HumanGame| {
        let known = game.positions.iter().filter_map(|own| own.material);
        let (least, most) = known.fold((u8::MAX, 0), |(least, most), own| {
            (least.min(own), most.max(own))
        });
        least < most && most - least >= LEAST_PHASES
    };
    if games.iter().filter(materials).count() >= LEAST_OF_A_POOL {
        HumanTerm::PHASE.to_vec()
    } else {
        Vec::new()
    }
}

/// The terms of the pools with enough games, if there are at least two of them. A single pool is
/// what the common constants describe.
fn pool_terms(games: &[&HumanGame]) -> Vec<HumanTerm> {
    let has_games =
        |pool: &Pool| games.iter().filter(|game| game.pool == *pool).count() >= LEAST_OF_A_POOL;
    let known = Pool::ALL.into_iter().filter(|pool| *pool != Pool::Unknown);
    let pools: Vec<Pool> = known.filter(has_games).collect();
    if pools.len() < 2 {
        return Vec::new();
    }
    pools.into_iter().flat_map(HumanTerm::of_pool).collect()
}

/// The terms that these games do not identify.
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
            .all(|game| game.difference() == 0.0 || game.pool.rates_after_game())
            .then_some(HumanTerm::Difference),
    );
    unidentified
}

/// The ratings and times of all games except the lowest and the highest half per cent.
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
