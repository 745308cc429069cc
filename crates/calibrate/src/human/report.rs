//! A model of people's games with its errors, its test, and the classes of games behind it.

use std::collections::BTreeMap;

use centipawn_core::{CurveChoice, HumanModel, mix64};
use centipawn_progress::{Cancel, Cancelled, Provenance, Reporter};
use serde::{Deserialize, Serialize};

use super::{
    GameClass, HumanFit, HumanFitError, HumanGame, HumanGames, HumanHeldOut, HumanTerm, LeftOut, draws::HumanDraws,
    likelihood::Predictor,
};
use crate::{
    CurveFile,
    parallel::{Resampled, in_parallel, poisson},
    wdl::Estimate,
};

/// What to compute from human games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HumanFitOptions {
    /// Number of bootstrap resamples of the games; 100 by default, 0 for no errors.
    pub resamples: usize,
    /// Number of folds of the held-out test: each fold of the games is predicted by a model of the others. 5 by default, 0 for no
    /// test.
    pub folds: usize,
}

impl Default for HumanFitOptions {
    fn default() -> Self {
        Self { resamples: 100, folds: 5 }
    }
}

/// A model of human games, with the data that show how far to trust it. As JSON it is `fit.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HumanReport {
    /// The model.
    pub model: HumanModel,
    /// Errors of its constants, if there are resamples.
    pub errors: Option<HumanErrors>,
    /// Terms that these games do not identify, and that are fixed at 0.
    pub unidentified: Vec<HumanTerm>,
    /// Games that the model is fitted to.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Games that count; of a class with very many the fit has a random choice.
    pub games_counted: u64,
    /// Their positions.
    pub positions_counted: u64,
    /// Games left out, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Mean −ln p of a position's result, draws as half a win and half a loss.
    pub log_loss: f64,
    /// Mean −ln p of a position's result: won, drawn or lost.
    pub log_loss_with_draws: Option<f64>,
    /// The steepness in each class of time and rating, beside the model's.
    pub classes: Vec<ClassFit>,
    /// The steepness in each file.
    pub sources: Vec<SourceFit>,
    /// Beside other curves, in games held out.
    pub held_out: Option<HumanHeldOut>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Errors of a model's constants, by game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HumanErrors {
    /// Number of resamples to which the model could be fitted.
    pub resamples: usize,
    /// `ln k` at rating 1800 and ten minutes.
    pub b0: Estimate,
    /// By 400 points of rating.
    pub b1: Estimate,
    /// By `l`.
    pub b2: Estimate,
    /// By `l²`.
    pub b3: Estimate,
    /// By 400 points of rating difference.
    pub r: Estimate,
    /// The width of draws.
    pub draws: Option<[Estimate; 3]>,
}

/// A class of time and rating, fitted alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassFit {
    /// The class.
    #[serde(flatten)]
    pub class: GameClass,
    /// Its games and how they went.
    #[serde(flatten)]
    pub fit: OwnFit,
    /// The model's value at the class' mean rating and time.
    pub model_steepness: f64,
    /// Share of draws that the model expects.
    pub model_draws: Option<f64>,
    /// Mean rating.
    pub rating: f64,
    /// Mean time in seconds (geometric).
    pub seconds: f64,
}

/// A file of games, fitted alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceFit {
    /// The file.
    pub source: String,
    /// Its games and how they went.
    #[serde(flatten)]
    pub fit: OwnFit,
}

/// Some of the games, fitted alone: one steepness for all, and the rating difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OwnFit {
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Share of drawn games.
    pub draws: f64,
    /// `k` per pawn; `None` if they are too few.
    pub steepness: Option<f64>,
    /// Its standard error by game.
    pub error: Option<f64>,
}

/// Minimum number of drawn games to fit draws.
const LEAST_DRAWN: usize = 20;
/// Fewest games fitted alone.
const LEAST_ALONE: usize = 20;
/// Most files fitted alone.
const MOST_SOURCES: usize = 20;

impl HumanReport {
    /// Fits a model, with errors, a held-out test and classes fitted alone. Each resample is reported.
    ///
    /// # Errors
    ///
    /// [`HumanFitError`].
    pub fn new(
        games: &HumanGames,
        options: &HumanFitOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, HumanFitError> {
        let all: Vec<&HumanGame> = games.kept().collect();
        let fit = HumanFit::new(&all, cancel)?;
        let draws = HumanDraws::new(&fit, &fit.coefficients, &all, &[], cancel);
        let drawn = all.iter().filter(|game| game.half_points == 1).count();
        let draws = if drawn >= LEAST_DRAWN { Some(draws?) } else { None };
        let mut model = fit.model()?;
        model.draws = draws.map(|draws| draws.coefficients);
        model.check()?;
        let errors = HumanErrors::new(&fit, draws.as_ref(), &all, options.resamples, cancel, reporter)?;
        let held_out = match options.folds {
            0 => None,
            folds => Some(HumanHeldOut::new(&fit, &all, folds, cancel)?),
        };
        let mut report = Self {
            model,
            errors,
            unidentified: fit.unidentified.clone(),
            games: fit.games,
            positions: fit.positions,
            games_counted: games.games,
            positions_counted: games.positions,
            left_out: games.left_out.clone(),
            log_loss: fit.log_loss,
            log_loss_with_draws: draws.map(|draws| draws.log_loss),
            classes: Vec::new(),
            sources: Vec::new(),
            held_out,
            provenance: None,
        };
        for own in all.chunk_by(|a, b| a.class() == b.class()) {
            report.classes.push(ClassFit::new(own, &fit, draws.as_ref(), &model, options.resamples, cancel)?);
        }
        if (2..=MOST_SOURCES).contains(&games.sources.len()) {
            for (index, source) in games.sources.iter().enumerate() {
                let own: Vec<&HumanGame> = all.iter().copied().filter(|game| game.source as usize == index).collect();
                let fit = OwnFit::new(&own, options.resamples, cancel)?;
                report.sources.push(SourceFit { source: source.clone(), fit });
            }
        }
        Ok(report)
    }

    /// The model as a file for `--curve`: the curve between two people of a game's own ratings and time.
    pub fn curve_file(&self) -> CurveFile<CurveChoice> {
        let curve = CurveChoice::Human { rating: None, seconds: None, model: self.model };
        CurveFile { curve, provenance: self.provenance.clone() }
    }
}

/// How often each game counts in a resample: a Poisson number of mean 1.
fn weights(games: &[&HumanGame], resample: usize) -> Vec<u32> {
    let salt = mix64(resample as u64 ^ 0x7065_6f70_6c65);
    games.iter().map(|game| poisson(mix64(game.number ^ salt) as u16)).collect()
}

impl HumanErrors {
    /// `None` if fewer than two resamples can be fitted.
    fn new(
        fit: &HumanFit,
        draws: Option<&HumanDraws>,
        games: &[&HumanGame],
        resamples: usize,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Option<Self>, Cancelled> {
        let resampled = Resampled::new(reporter, resamples, "errors");
        let again = in_parallel(resamples, cancel, |index| {
            let weights = weights(games, index);
            let constants = fit.again(games, &weights, cancel).ok()?;
            let width = |_| HumanDraws::new(fit, &constants, games, &weights, cancel).ok();
            let width = draws.map(width).map(|width| width.map(|width| width.coefficients));
            resampled.done(1);
            match width {
                Some(None) => None,
                width => Some((constants, width.flatten())),
            }
        })?;
        let again: Vec<_> = again.into_iter().flatten().collect();
        if again.len() < 2 {
            return Ok(None);
        }
        let of = |term: HumanTerm| {
            let place = fit.terms.iter().position(|own| *own == term);
            let values = again.iter().map(|(own, _)| place.map_or(0.0, |place| own[place])).collect();
            Estimate::new(fit.coefficient(term), values)
        };
        let [b0, b1, b2, b3, r] = HumanTerm::MODEL.map(of);
        let draws = draws.map(|draws| {
            [0, 1, 2].map(|index| {
                let values = again.iter().filter_map(|(_, width)| width.map(|width| width[index])).collect();
                Estimate::new(draws.coefficients[index], values)
            })
        });
        Ok(Some(Self { resamples: again.len(), b0, b1, b2, b3, r, draws }))
    }
}

impl OwnFit {
    fn new(games: &[&HumanGame], resamples: usize, cancel: &Cancel) -> Result<Self, Cancelled> {
        let drawn = games.iter().filter(|game| game.half_points == 1).count();
        let own = Self {
            games: games.len() as u64,
            positions: games.iter().map(|game| game.positions.len() as u64).sum(),
            draws: drawn as f64 / games.len().max(1) as f64,
            steepness: None,
            error: None,
        };
        let terms = vec![HumanTerm::Constant, HumanTerm::Difference];
        let fit = HumanFit::of_terms(games, terms, cancel);
        cancel.check()?;
        let Some(fit) = fit.ok().filter(|_| games.len() >= LEAST_ALONE) else { return Ok(own) };
        let again = in_parallel(resamples, cancel, |index| fit.again(games, &weights(games, index), cancel).ok())?;
        let steepness: Vec<f64> = again.into_iter().flatten().map(|point| point[0].exp()).collect();
        let value = fit.coefficients[0].exp();
        let error = (steepness.len() > 1).then(|| Estimate::new(value, steepness).error);
        Ok(Self { steepness: Some(value), error, ..own })
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
        let mean =
            |of: &dyn Fn(&HumanGame) -> f64| games.iter().map(|game| of(game)).sum::<f64>() / games.len().max(1) as f64;
        let (rating, seconds) = (mean(&|game| game.rating()), mean(&|game| game.seconds.ln()).exp());
        let own = OwnFit::new(games, resamples, cancel)?;
        let expected = |draws: &HumanDraws| {
            let of = |game: &&HumanGame| {
                let predicted = Predictor::new(game, &fit.terms, &fit.coefficients);
                draws.expected(game, predicted.positions().map(|position| position.score))
            };
            games.iter().map(of).sum::<f64>() / own.positions.max(1) as f64
        };
        Ok(Self {
            class: games
                .first()
                .map_or_else(|| GameClass { time: super::TimeClass::Blitz, from: 0 }, |game| game.class()),
            fit: own,
            model_steepness: model.steepness(rating, seconds),
            model_draws: draws.map(expected),
            rating,
            seconds,
        })
    }
}
