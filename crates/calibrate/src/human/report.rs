//! A model of people's games with its errors, its held-out test, and the classes of games behind
//! it.

use std::collections::BTreeMap;

use centipawn_core::{CurveChoice, HumanModel, mix64};
use centipawn_progress::{Cancel, Cancelled, Problem, Provenance, Reporter};
use serde::{Deserialize, Serialize};

use super::{
    GameClass, HumanFit, HumanFitError, HumanGame, HumanGames, HumanHeldOut, HumanTerm, LeftOut,
    clock_worth::ClockWorth,
    clocks::HumanClocks,
    deep_search::DeepSearch,
    draws::HumanDraws,
    fit::{HALF_TIME, without_few_mates, without_mates},
    likelihood::Predictor,
    winners::Winners,
};
use crate::{
    CurveFile, OutOfRange,
    out_of_range::{check_folds, check_resamples},
    parallel::{Resampled, are_enough, in_parallel, poisson},
    wdl::Estimate,
};

/// Options of the report on human games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HumanFitOptions {
    /// Number of bootstrap resamples of the games; 100 by default, 0 for no standard errors.
    pub resamples: usize,
    /// Number of folds of the held-out test, in which each fold is predicted by a model fitted to
    /// the others; 5 by default, 0 for no test.
    pub folds: usize,
}

impl HumanFitOptions {
    /// Checks the numbers of resamples (at most 1,000) and folds (at most 50, but not 1).
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for the first number out of its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        check_resamples(self.resamples, 1000)?;
        check_folds(self.folds)
    }
}

impl Default for HumanFitOptions {
    fn default() -> Self {
        Self {
            resamples: 100,
            folds: 5,
        }
    }
}

/// A model of human games, with the data that show its accuracy. As JSON it is `fit.json`.
///
/// ```
/// use centipawn_calibrate::human::{
///     HumanFitOptions, HumanGame, HumanGames, HumanPosition, HumanReport,
/// };
/// use centipawn_core::Pool;
/// use centipawn_progress::{Cancel, Silent};
///
/// // Of eight games, the side that is a pawn ahead wins five, draws two and loses one.
/// let mut games = HumanGames::new(10_000);
/// for number in 0..800 {
///     let half_points = match number % 8 { 0 => 0, 1 | 2 => 1, _ => 2 };
///     let positions = vec![HumanPosition::new(100, 20)];
///     games.add(HumanGame {
///         number, source: 0, ratings: [1800.0; 2], seconds: 600.0, pool: Pool::Unknown,
///         players: None, half_points, positions,
///     });
/// }
/// let options = HumanFitOptions { resamples: 20, folds: 0 };
/// let report = HumanReport::new(&games, &options, &Cancel::new(), &Silent)?;
/// let score = report.model.expected_score(1.0, 1800.0, 600.0, 0.0);
/// assert!((score - 0.75).abs() < 1e-6);
/// assert!((report.model.wdl(score, 1800.0, 600.0).unwrap().draw - 0.25).abs() < 1e-3);
/// # Ok::<_, centipawn_calibrate::human::HumanFitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HumanReport {
    /// The model.
    pub model: HumanModel,
    /// The coefficient of each fitted term, with its error by player and game.
    #[serde(default)]
    pub terms: Vec<TermEstimate>,
    /// Standard errors of the constants; `None` without resamples, or if more than a tenth of the
    /// resamples have no model.
    pub errors: Option<HumanErrors>,
    /// Terms that these games do not identify, so that they are fixed at 0. If
    /// [`MateConstant`](HumanTerm::MateConstant) is among them, the model uses the built-in value
    /// of a mate.
    pub unidentified: Vec<HumanTerm>,
    /// Number of games that the model is fitted to.
    pub games: u64,
    /// Number of positions of those games.
    pub positions: u64,
    /// Number of positions with a mate that were left out, because too few games have a mate to fit
    /// its value.
    #[serde(default)]
    pub mates_left_out: u64,
    /// Number of games that count. Of a class with many games, the fit uses a random choice.
    pub games_counted: u64,
    /// Number of positions of the games that count.
    pub positions_counted: u64,
    /// Number of games left out, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Mean −ln p of the result of a position, with a draw as half a win and half a loss.
    pub log_loss: f64,
    /// Mean −ln p of the result of a position, with p the probability of that win, draw or loss.
    pub log_loss_with_draws: Option<f64>,
    /// Separate fits of each class of time and rating, beside the model's values.
    pub classes: Vec<ClassFit>,
    /// Separate fits of each file.
    pub sources: Vec<SourceFit>,
    /// Files without a draw. Their games were chosen for having a winner, so their results are
    /// predicted given that there is a winner.
    pub only_decisive: Vec<String>,
    /// The effect of the clocks, if enough games have them.
    pub clocks: Option<ClocksFit>,
    /// The value of a minute more than the opponent has; empty without clocks.
    #[serde(default)]
    pub clock_worth: Vec<ClockWorth>,
    /// The steepness for the evaluations of a longer search, if the games have both. The model
    /// itself is for the other evaluations.
    pub deep_search: Option<DeepSearchFit>,
    /// The comparison with other curves on held-out games.
    pub held_out: Option<HumanHeldOut>,
    /// Warnings about the games, each with its cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// The coefficient of a fitted term.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TermEstimate {
    /// The term.
    pub term: HumanTerm,
    /// Its coefficient.
    pub coefficient: f64,
    /// Its standard error, clustered by player and by game: the games of one player are no
    /// independent witnesses. Games without names are clustered by game alone.
    pub error: f64,
}

/// Standard errors of a model's constants, by game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HumanErrors {
    /// Number of resamples to which the model could be fitted.
    pub resamples: usize,
    /// Error of `ln k` at rating 1800 and ten minutes.
    pub b0: Estimate,
    /// Error of the increase of `ln k` by 400 points of rating.
    pub b1: Estimate,
    /// Error of the half time, in seconds.
    pub half_time: Estimate,
    /// Error of the log-odds by 400 points of rating difference.
    pub r: Estimate,
    /// Errors of the two constants of the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<[Estimate; 2]>,
    /// Errors of the three constants of mates.
    pub mates: Option<[Estimate; 3]>,
    /// Errors of the two constants of the clocks.
    pub clocks: Option<[Estimate; 2]>,
    /// Errors of the three constants of the width of draws.
    pub draws: Option<[Estimate; 3]>,
    /// The models fitted to the resamples. The spread of any function over them is its error. Empty
    /// if none could be fitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<HumanModel>,
}

/// The improvement of a model by the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClocksFit {
    /// Number of positions with clocks.
    pub positions: u64,
    /// Mean −ln p of the results of these positions, without the clocks.
    pub log_loss_without: f64,
    /// Mean −ln p of the results of these positions, with the clocks.
    pub log_loss: f64,
}

/// The steepness for the evaluations of a longer search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeepSearchFit {
    /// Number of positions with both evaluations.
    pub positions: u64,
    /// The factor by which `k` is multiplied for the longer search.
    pub factor: f64,
    /// Standard error of the factor, by game.
    pub error: Option<f64>,
}

/// A separate fit of one class of time and rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassFit {
    /// The class of time and rating.
    #[serde(flatten)]
    pub class: GameClass,
    /// The separate fit. In JSON its fields stand in this object.
    #[serde(flatten)]
    pub fit: OwnFit,
    /// The steepness of the whole model at the mean rating and time of the class, per pawn.
    pub model_steepness: f64,
    /// Share of draws that the whole model expects, 0..=1.
    pub model_draws: Option<f64>,
    /// Mean rating of the players.
    pub rating: f64,
    /// Geometric mean of the seconds for each player.
    pub seconds: f64,
}

/// A separate fit of one file of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceFit {
    /// The name of the file.
    pub source: String,
    /// The separate fit. In JSON its fields stand in this object.
    #[serde(flatten)]
    pub fit: OwnFit,
}

/// A separate fit of some of the games, with one steepness for all and the rating difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OwnFit {
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Share of drawn games, 0..=1.
    pub draws: f64,
    /// `k` per pawn, from the positions without a mate; `None` if there are too few.
    pub steepness: Option<f64>,
    /// Standard error of `k`, by game.
    pub error: Option<f64>,
}

/// Number of times that the model is fitted again with the width of draws of the previous round.
const ROUNDS: usize = 2;
/// Fewest drawn games needed to fit draws.
const LEAST_DRAWN: usize = 20;
/// Fewest games of a separate fit.
const LEAST_ALONE: usize = 20;
/// Largest number of files with a separate fit.
const MOST_SOURCES: usize = 20;

impl HumanReport {
    /// Fits a model with standard errors, a held-out test, and separate fits of classes and files.
    /// `reporter` receives the progress of the resamples.
    ///
    /// # Errors
    ///
    /// [`HumanFitError`], if these games determine no model.
    pub fn new(
        games: &HumanGames,
        options: &HumanFitOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, HumanFitError> {
        let kept: Vec<&HumanGame> = games.kept().collect();
        let left = without_few_mates(&kept);
        let all: Vec<&HumanGame> = left
            .as_ref()
            .map_or(kept.clone(), |games| games.iter().collect());
        let positions = |games: &[&HumanGame]| {
            games
                .iter()
                .map(|game| game.positions.len() as u64)
                .sum::<u64>()
        };
        let mates_left_out = positions(&kept) - positions(&all);
        let fits = Fits::new(&all, cancel)?;
        let mut again = fits.resampled(&all, options.resamples, cancel, reporter)?;
        again.retain(|own| own.model(&fits.fit).is_some());
        if !are_enough(again.len(), options.resamples) {
            if options.resamples >= 2 {
                let why =
                    "no errors: more than a tenth of the resamples have no model; give more games";
                reporter.problem(&Problem::warning(why));
            }
            again.clear();
        }
        let (mut errors, deep_error) = fits.errors(&again);
        let Fits {
            fit,
            draws,
            clocks,
            deep_search,
        } = fits;
        let mut model = fit.model()?;
        model.clocks = clocks.map(|clocks| clocks.coefficients);
        model.draws = draws.map(|draws| draws.coefficients);
        model.check()?;
        let models: Vec<HumanModel> = again.iter().filter_map(|own| own.model(&fit)).collect();
        let clock_worth = if clocks.is_some() {
            ClockWorth::table(&model, &models)
        } else {
            Vec::new()
        };
        if let Some(errors) = &mut errors {
            errors.models = models;
        }
        let held_out = match options.folds {
            0 => None,
            folds => match HumanHeldOut::new(&fit, &all, folds, cancel) {
                // The model of all games is valid, so the report only lacks the held-out test.
                Err(error @ (HumanFitError::NotConverged | HumanFitError::TooFew(_))) => {
                    reporter.problem(&Problem::warning(format_args!(
                        "no test on held-out games: without a part of the games, {error}; try other parts (folds, seed)"
                    )));
                    None
                }
                tested => Some(tested?),
            },
        };
        let clustered = fit.clustered_errors(&all).unwrap_or_default();
        let terms = fit.terms.iter().zip(&fit.coefficients).zip(clustered);
        let terms = terms.map(|((term, coefficient), error)| TermEstimate {
            term: *term,
            coefficient: *coefficient,
            error,
        });
        let mut report = Self {
            model,
            terms: terms.collect(),
            errors,
            unidentified: fit.unidentified.clone(),
            games: fit.games,
            positions: fit.positions,
            mates_left_out,
            games_counted: games.games,
            positions_counted: games.positions,
            left_out: games.left_out.clone(),
            log_loss: fit.log_loss,
            log_loss_with_draws: draws.map(|draws| draws.log_loss),
            classes: Vec::new(),
            sources: Vec::new(),
            only_decisive: fit.winners().names(&games.sources),
            clocks: clocks.map(|own| {
                let [log_loss_without, log_loss] = own.losses;
                ClocksFit {
                    positions: own.positions,
                    log_loss_without,
                    log_loss,
                }
            }),
            clock_worth,
            deep_search: deep_search.map(|own| {
                let factor = own.log_factor.exp();
                DeepSearchFit {
                    positions: own.positions,
                    factor,
                    error: deep_error.map(|error| error * factor),
                }
            }),
            held_out,
            warnings: Vec::new(),
            provenance: None,
        };
        for own in all.chunk_by(|a, b| a.class() == b.class()) {
            report.classes.push(ClassFit::new(
                own,
                &fit,
                draws.as_ref(),
                &model,
                options.resamples,
                cancel,
            )?);
        }
        if (2..=MOST_SOURCES).contains(&games.sources.len()) {
            for (index, source) in games.sources.iter().enumerate() {
                let own: Vec<&HumanGame> = all
                    .iter()
                    .copied()
                    .filter(|game| game.source as usize == index)
                    .collect();
                let fit = OwnFit::new(&own, fit.winners(), options.resamples, cancel)?;
                report.sources.push(SourceFit {
                    source: source.clone(),
                    fit,
                });
            }
        }
        Ok(report)
    }

    /// The model as a curve file for `--curve`: for each game, the human curve at the players' own
    /// rating and time.
    pub fn curve_file(&self) -> CurveFile<CurveChoice> {
        let curve = CurveChoice::Human {
            rating: None,
            seconds: None,
            pool: None,
            model: self.model,
        };
        CurveFile {
            curve,
            provenance: self.provenance.clone(),
        }
    }
}

/// How often each game counts in a resample: a Poisson number of mean 1.
fn weights(games: &[&HumanGame], resample: usize) -> Vec<u32> {
    let salt = mix64(resample as u64 ^ 0x7065_6f70_6c65);
    games
        .iter()
        .map(|game| poisson(mix64(game.number ^ salt) as u16))
        .collect()
}

/// A model with the parts that are fitted at its expected scores.
struct Fits {
    fit: HumanFit,
    draws: Option<HumanDraws>,
    clocks: Option<HumanClocks>,
    deep_search: Option<DeepSearch>,
}

impl Fits {
    fn new(games: &[&HumanGame], cancel: &Cancel) -> Result<Self, HumanFitError> {
        let drawn = games.iter().filter(|game| game.half_points == 1).count();
        let draws = |fit: &HumanFit| match drawn >= LEAST_DRAWN {
            true => HumanDraws::new(fit, &fit.coefficients, games, &[], cancel).map(Some),
            false => Ok(None),
        };
        let sources = Winners::sources(games);
        let others: Vec<&HumanGame> = games
            .iter()
            .copied()
            .filter(|game| !sources.contains(&game.source))
            .collect();
        let (mut fit, mut own) = match HumanFit::new(&others, cancel) {
            Ok(fit) => {
                let own = draws(&fit)?;
                (fit, own)
            }
            // All games were chosen for having a winner, so no others are left to correct for that.
            Err(_) => {
                cancel.check()?;
                let fit = HumanFit::new(games, cancel)?;
                let own = draws(&fit)?;
                (fit, own)
            }
        };
        if !sources.is_empty() {
            // The width of draws and the model of the expected score depend on each other a little,
            // so fit them in turn.
            for _ in 0..ROUNDS {
                let winners = own
                    .map(|own| Winners::new(sources.clone(), own.coefficients))
                    .unwrap_or_default();
                fit = HumanFit::of_all(games, winners, cancel)?;
                own = draws(&fit)?;
            }
        }
        let clocks = HumanClocks::new(&fit, &fit.coefficients, games, &[], cancel);
        let deep_search = DeepSearch::new(&fit, &fit.coefficients, games, &[], cancel);
        cancel.check()?;
        Ok(Self {
            fit,
            draws: own,
            clocks,
            deep_search,
        })
    }

    /// The constants of resampled games.
    fn resampled(
        &self,
        games: &[&HumanGame],
        resamples: usize,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Again>, Cancelled> {
        let resampled = Resampled::new(reporter, resamples, "errors");
        let again = in_parallel(resamples, cancel, |index| {
            let own = self.again(games, &weights(games, index), cancel);
            resampled.done(1);
            own
        })?;
        Ok(again.into_iter().flatten().collect())
    }

    /// Standard errors of the constants, and of the logarithm of the factor of a longer search, by
    /// game. Both are missing without resamples.
    fn errors(&self, again: &[Again]) -> (Option<HumanErrors>, Option<f64>) {
        if again.is_empty() {
            return (None, None);
        }
        let fit = &self.fit;
        let of = |term: HumanTerm| {
            let place = fit.terms.iter().position(|own| *own == term);
            let scale = if term == HumanTerm::Time {
                HALF_TIME
            } else {
                1.0
            };
            let value = |own: &Again| scale * place.map_or(0.0, |place| own.constants[place]);
            Estimate::new(
                scale * fit.coefficient(term),
                again.iter().map(value).collect(),
            )
        };
        let [b0, b1, half_time, r] = HumanTerm::MODEL.map(of);
        let phase = fit
            .terms
            .contains(&HumanTerm::Material)
            .then(|| HumanTerm::PHASE.map(of));
        let mates = fit
            .terms
            .contains(&HumanTerm::MateConstant)
            .then(|| HumanTerm::MATES.map(of));
        let clocks = self.clocks.map(|clocks| {
            [0, 1].map(|index| {
                let values = again
                    .iter()
                    .filter_map(|own| Some(own.clocks?[index]))
                    .collect();
                Estimate::new(clocks.coefficients[index], values)
            })
        });
        let draws = self.draws.map(|draws| {
            [0, 1, 2].map(|index| {
                let values = again
                    .iter()
                    .filter_map(|own| Some(own.draws?[index]))
                    .collect();
                Estimate::new(draws.coefficients[index], values)
            })
        });
        let errors = HumanErrors {
            resamples: again.len(),
            b0,
            b1,
            half_time,
            r,
            phase,
            mates,
            clocks,
            draws,
            models: Vec::new(),
        };
        let deep = self.deep_search.map(|own| {
            Estimate::new(
                own.log_factor,
                again.iter().map(|own| own.deep_search).collect(),
            )
            .error
        });
        (Some(errors), deep)
    }

    fn again(&self, games: &[&HumanGame], weights: &[u32], cancel: &Cancel) -> Option<Again> {
        let constants = self.fit.again(games, weights, cancel).ok()?;
        let draws = match self.draws {
            Some(_) => Some(
                HumanDraws::new(&self.fit, &constants, games, weights, cancel)
                    .ok()?
                    .coefficients,
            ),
            None => None,
        };
        let clocks = match self.clocks {
            Some(_) => {
                Some(HumanClocks::new(&self.fit, &constants, games, weights, cancel)?.coefficients)
            }
            None => None,
        };
        let deep_search = match self.deep_search {
            Some(_) => DeepSearch::new(&self.fit, &constants, games, weights, cancel)?.log_factor,
            None => 0.0,
        };
        Some(Again {
            constants,
            draws,
            clocks,
            deep_search,
        })
    }
}

/// The constants fitted to one resample.
struct Again {
    constants: Vec<f64>,
    draws: Option<[f64; 3]>,
    clocks: Option<[f64; 2]>,
    /// The logarithm of the factor of a longer search; 0 if the games have none.
    deep_search: f64,
}

impl Again {
    /// The model with the constants of the resample.
    fn model(&self, fit: &HumanFit) -> Option<HumanModel> {
        Some(HumanModel {
            clocks: self.clocks,
            draws: self.draws,
            ..fit.with(&self.constants).model().ok()?
        })
    }
}

impl OwnFit {
    fn new(
        games: &[&HumanGame],
        winners: &Winners,
        resamples: usize,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let drawn = games.iter().filter(|game| game.half_points == 1).count();
        let own = Self {
            games: games.len() as u64,
            positions: games.iter().map(|game| game.positions.len() as u64).sum(),
            draws: drawn as f64 / games.len().max(1) as f64,
            steepness: None,
            error: None,
        };
        let terms = vec![HumanTerm::Constant, HumanTerm::Difference];
        let others = without_mates(games);
        let games: Vec<&HumanGame> = others.iter().collect();
        let fit = HumanFit::of_terms(&games, terms, winners.clone(), cancel);
        cancel.check()?;
        let Some(fit) = fit.ok().filter(|_| games.len() >= LEAST_ALONE) else {
            return Ok(own);
        };
        let again = in_parallel(resamples, cancel, |index| {
            fit.again(&games, &weights(&games, index), cancel).ok()
        })?;
        let steepness: Vec<f64> = again
            .into_iter()
            .flatten()
            .map(|point| point[0].exp())
            .collect();
        let value = fit.coefficients[0].exp();
        let error =
            are_enough(steepness.len(), resamples).then(|| Estimate::new(value, steepness).error);
        Ok(Self {
            steepness: Some(value),
            error,
            ..own
        })
    }
}

impl ClassFit {
    fn new(
        games: &[&HumanGame],
        fit: &HumanFit,
        draws: Option<&HumanDraws>,
        model: &HumanModel,
        resamples: usize,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mean = |of: &dyn Fn(&HumanGame) -> f64| {
            games.iter().map(|game| of(game)).sum::<f64>() / games.len().max(1) as f64
        };
        let (rating, seconds) = (
            mean(&|game| game.rating()),
            mean(&|game| game.seconds.ln()).exp(),
        );
        let own = OwnFit::new(games, fit.winners(), resamples, cancel)?;
        let expected = |draws: &HumanDraws| {
            let of = |game: &&HumanGame| {
                let predicted = Predictor::new(game, &fit.terms, &fit.coefficients);
                draws.expected(game, predicted.scores())
            };
            games.iter().map(of).sum::<f64>() / own.positions.max(1) as f64
        };
        Ok(Self {
            class: games.first().map_or_else(
                || GameClass {
                    time: super::TimeClass::Blitz,
                    from: 0,
                },
                |game| game.class(),
            ),
            fit: own,
            model_steepness: model.steepness(rating, seconds),
            model_draws: draws.map(expected),
            rating,
            seconds,
        })
    }
}
