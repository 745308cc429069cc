//! Tests curves on games that they were not fitted to.

use centipawn_core::{Curve, HumanModel, Pool, WdlModel, mix64};
use centipawn_progress::Cancel;
use serde::{Deserialize, Serialize};

use super::{
    HumanFit, HumanFitError, HumanGame, HumanPosition, HumanTerm, TimeClass,
    clocks::HumanClocks,
    fit::HALF_TIME,
    likelihood::loss,
    reliability::{ReliabilityRow, reliability},
};
use crate::parallel::in_parallel;

/// How well curves predict games that they were not fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HumanHeldOut {
    /// Number of folds that the games are divided into. Each fold is predicted by a model fitted to
    /// the others.
    pub folds: usize,
    /// The groups of games: first all games, then each time class.
    pub groups: Vec<HumanGroup>,
    /// The curves, in ascending order of loss. This model and the built-in one appear a second time
    /// without the rating difference, because the other curves do not know the players.
    pub curves: Vec<CurveLoss>,
    /// The gain of each further term that was added to the model, one at a time.
    pub terms: Vec<TermGain>,
    /// The games of each pool, predicted with and without games of that pool; empty unless there
    /// are two pools or more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_pool: Vec<PoolLoss>,
    /// Predicted and actual scores of the side ahead, by the size of the evaluation.
    #[serde(default)]
    pub by_eval: Vec<ReliabilityRow>,
    /// Predicted and actual scores of the side ahead, by the mean rating of the players.
    #[serde(default)]
    pub by_rating: Vec<ReliabilityRow>,
}

/// A group of games on which losses are reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HumanGroup {
    /// The time class; `None` for all games.
    pub time: Option<TimeClass>,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
}

/// The loss of one curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CurveLoss {
    /// The name of the curve.
    pub curve: String,
    /// Mean −ln p of the result of a position, in each group.
    pub log_loss: Vec<f64>,
    /// Mean −ln p over all games, minus that of this model without the rating difference.
    pub excess: f64,
    /// Standard error of the excess, by game.
    pub error: f64,
}

/// The loss on the games of one pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PoolLoss {
    /// The pool.
    pub pool: Pool,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Mean −ln p of the result of a position, predicted by a model that was fitted to other games,
    /// also of this pool.
    pub log_loss: f64,
    /// The same by a model that was fitted to the other pools alone, with the common constants.
    pub log_loss_without: f64,
    /// `log_loss_without` minus `log_loss`: what games of the own pool gain.
    pub gain: f64,
    /// Standard error of the gain, by game.
    pub error: f64,
}

/// The gain of adding one term to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TermGain {
    /// The term that is added.
    pub term: HumanTerm,
    /// The term's coefficient in a model fitted to all games.
    pub coefficient: f64,
    /// The other constants of that model: `b0`, `b1`, the half time in seconds, `r`.
    pub constants: [f64; 4],
    /// Decrease of the mean loss in held-out games, over the positions for which the term is known.
    /// Above 0 the term helps.
    pub gain: f64,
    /// Standard error of the gain, by game.
    pub error: f64,
    /// Number of positions for which the term is known.
    pub positions: u64,
}

/// The loss of each game, in the order of the games.
type Losses = Vec<f64>;

impl HumanHeldOut {
    /// Divides the games into `folds` folds, and tests on each fold the models fitted to the
    /// others.
    ///
    /// # Errors
    ///
    /// [`HumanFitError`], if a model cannot be fitted.
    pub(super) fn new(
        fit: &HumanFit,
        games: &[&HumanGame],
        folds: usize,
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        let fits = fits(games, &fit.terms, fit, folds, cancel)?;
        let held_out = |term: Option<HumanTerm>| -> Losses {
            games
                .iter()
                .map(|game| fits[fold(game, folds)].losses_without(game, term))
                .collect()
        };
        let (model, level) = (held_out(None), held_out(Some(HumanTerm::Difference)));
        let clocks: Vec<Option<HumanClocks>> = (0..folds)
            .map(|own| {
                let others: Vec<&HumanGame> = games
                    .iter()
                    .copied()
                    .filter(|game| fold(game, folds) != own)
                    .collect();
                HumanClocks::new(&fits[own], &fits[own].coefficients, &others, &[], cancel)
            })
            .collect();
        cancel.check()?;
        let with_clocks = games.iter().map(|game| {
            let own = fold(game, folds);
            let scores = fits[own].scores(game, clocks[own].as_ref());
            scores
                .into_iter()
                .map(|score| loss(game.score(), fits[own].of_result(game, score)))
                .sum()
        });
        let built_in = HumanModel::default();
        let mut named: Vec<(String, Losses)> = vec![
            ("this model".to_owned(), model.clone()),
            ("this model, equal ratings".to_owned(), level.clone()),
            ("this model with clocks".to_owned(), with_clocks.collect()),
            ("ratings alone (Elo)".to_owned(), of_ratings(games, fit)),
            (
                "human, built in".to_owned(),
                of_model(games, &built_in, fit),
            ),
            (
                "human, equal ratings".to_owned(),
                of_model(games, &HumanModel { r: 0.0, ..built_in }, fit),
            ),
        ];
        let stockfish = WdlModel::stockfish("15.1").unwrap_or_default();
        for curve in [
            Curve::LICHESS,
            Curve::WINTRCHESS,
            Curve::TCEC,
            Curve::Wdl(stockfish),
        ] {
            named.push((curve.to_string(), of_curve(games, &curve, fit)));
        }
        let groups = groups(games);
        let curves = named.into_iter().map(|(curve, losses)| {
            let (excess, error) =
                difference(games, &losses, &level, |game| game.positions.len() as u64);
            let means = groups.iter().map(|group| {
                let sum: f64 = games
                    .iter()
                    .zip(&losses)
                    .filter(|(game, _)| group.has(game))
                    .map(|(_, loss)| loss)
                    .sum();
                sum / group.positions.max(1) as f64
            });
            CurveLoss {
                curve,
                log_loss: means.collect(),
                excess,
                error,
            }
        });
        let mut curves: Vec<CurveLoss> = curves.collect();
        curves.sort_by(|a, b| a.log_loss[0].total_cmp(&b.log_loss[0]));
        let tested = HumanTerm::TESTED
            .into_iter()
            .filter(|term| known(games, *term) > 0 && !fit.terms.contains(term));
        let terms: Result<Vec<TermGain>, HumanFitError> = tested
            .map(|term| TermGain::new(fit, games, &model, term, folds, cancel))
            .collect();
        let scores: Vec<Vec<f64>> = games
            .iter()
            .map(|game| fits[fold(game, folds)].scores(game, None))
            .collect();
        let (by_eval, by_rating) = reliability(games, &scores, fit);
        Ok(Self {
            folds,
            groups,
            curves,
            terms: terms?,
            by_pool: by_pool(fit, games, &model, cancel)?,
            by_eval,
            by_rating,
        })
    }
}

/// The losses of each pool, `known` being those of all games by models of other games.
fn by_pool(
    fit: &HumanFit,
    games: &[&HumanGame],
    known: &Losses,
    cancel: &Cancel,
) -> Result<Vec<PoolLoss>, HumanFitError> {
    let pools: Vec<Pool> = Pool::ALL
        .into_iter()
        .filter(|pool| fit.terms.contains(&HumanTerm::PoolLevel(*pool)))
        .collect();
    let rows = in_parallel(pools.len(), cancel, |index| {
        let pool = pools[index];
        let (own, others): (Vec<&HumanGame>, Vec<&HumanGame>) =
            games.iter().copied().partition(|game| game.pool == pool);
        let terms = fit.terms.iter().copied();
        let terms = terms
            .filter(|term| !HumanTerm::of_pool(pool).contains(term))
            .collect();
        let without = HumanFit::of_terms_near(&others, terms, fit, cancel)?;
        let losses: Losses = own.iter().map(|game| without.losses(game)).collect();
        let known: Losses = games
            .iter()
            .zip(known)
            .filter(|(game, _)| game.pool == pool)
            .map(|(_, loss)| *loss)
            .collect();
        let positions: u64 = own.iter().map(|game| game.positions.len() as u64).sum();
        let (gain, error) = difference(&own, &losses, &known, |game| game.positions.len() as u64);
        let mean = |losses: &Losses| losses.iter().sum::<f64>() / positions.max(1) as f64;
        Ok(PoolLoss {
            pool,
            games: own.len() as u64,
            positions,
            log_loss: mean(&known),
            log_loss_without: mean(&losses),
            gain,
            error,
        })
    })?;
    rows.into_iter().collect()
}

impl HumanGroup {
    fn has(&self, game: &HumanGame) -> bool {
        self.time
            .is_none_or(|time| time == TimeClass::of(game.seconds))
    }
}

impl TermGain {
    fn new(
        fit: &HumanFit,
        games: &[&HumanGame],
        model: &Losses,
        term: HumanTerm,
        folds: usize,
        cancel: &Cancel,
    ) -> Result<Self, HumanFitError> {
        let terms: Vec<HumanTerm> = fit.terms.iter().copied().chain([term]).collect();
        let fits = fits(games, &terms, fit, folds, cancel)?;
        let losses: Losses = games
            .iter()
            .map(|game| fits[fold(game, folds)].losses(game))
            .collect();
        let (gain, error) = difference(games, model, &losses, |game| knows(game, term));
        let whole = HumanFit::of_terms_near(games, terms, fit, cancel)?;
        let [b0, b1, time, r] = HumanTerm::MODEL.map(|term| whole.coefficient(term));
        let constants = [b0, b1, HALF_TIME * time, r];
        Ok(Self {
            term,
            coefficient: whole.coefficient(term),
            constants,
            gain,
            error,
            positions: known(games, term),
        })
    }
}

/// Number of positions of a game for which the term is known.
fn knows(game: &HumanGame, term: HumanTerm) -> u64 {
    game.positions
        .iter()
        .filter(|position| term.of_position(game, position).is_some())
        .count() as u64
}

fn known(games: &[&HumanGame], term: HumanTerm) -> u64 {
    games.iter().map(|game| knows(game, term)).sum()
}

/// The fold of a game, by its number.
fn fold(game: &HumanGame, folds: usize) -> usize {
    (mix64(game.number ^ 0x6865_6c64) >> 32) as usize % folds
}

/// For each fold, a model fitted to all others.
fn fits(
    games: &[&HumanGame],
    terms: &[HumanTerm],
    near: &HumanFit,
    folds: usize,
    cancel: &Cancel,
) -> Result<Vec<HumanFit>, HumanFitError> {
    let fits = in_parallel(folds, cancel, |own| {
        let others: Vec<&HumanGame> = games
            .iter()
            .copied()
            .filter(|game| fold(game, folds) != own)
            .collect();
        HumanFit::of_terms_near(&others, terms.to_vec(), near, cancel)
    })?;
    fits.into_iter().collect()
}

/// The losses of a model. Results of games chosen for having a winner are predicted as `fit` does.
fn of_model(games: &[&HumanGame], model: &HumanModel, fit: &HumanFit) -> Losses {
    let of = |game: &&HumanGame| {
        let expected =
            |position: &HumanPosition| fit.of_result(game, game.expected_score(model, position));
        game.positions
            .iter()
            .map(|position| loss(game.score(), expected(position)))
            .sum()
    };
    games.iter().map(of).collect()
}

/// The losses of Elo's formula, 1/(1 + 10^(−difference/400)), which ignores the evaluation.
fn of_ratings(games: &[&HumanGame], fit: &HumanFit) -> Losses {
    let of = |game: &&HumanGame| {
        let expected = 1.0 / (1.0 + 10_f64.powf(-game.difference() / 400.0));
        game.positions.len() as f64 * loss(game.score(), fit.of_result(game, expected))
    };
    games.iter().map(of).collect()
}

fn of_curve(games: &[&HumanGame], curve: &Curve, fit: &HumanFit) -> Losses {
    let of = |game: &&HumanGame| {
        let expected = |position: &HumanPosition| fit.of_result(game, position.score_by(curve));
        game.positions
            .iter()
            .map(|position| loss(game.score(), expected(position)))
            .sum()
    };
    games.iter().map(of).collect()
}

/// The difference between two mean losses over the positions that count, with its standard error by
/// game.
fn difference(
    games: &[&HumanGame],
    losses: &Losses,
    others: &Losses,
    positions: impl Fn(&HumanGame) -> u64,
) -> (f64, f64) {
    let counted: Vec<(f64, f64)> = games
        .iter()
        .zip(losses.iter().zip(others))
        .map(|(game, (own, other))| (own - other, positions(game) as f64))
        .collect();
    let total: f64 = counted.iter().map(|own| own.1).sum();
    let mean = counted.iter().map(|own| own.0).sum::<f64>() / total;
    let squares: f64 = counted
        .iter()
        .map(|(own, positions)| (own - mean * positions).powi(2))
        .sum();
    (mean, squares.sqrt() / total)
}

/// The group of all games, and one for each time class that occurs.
fn groups(games: &[&HumanGame]) -> Vec<HumanGroup> {
    let times = [None].into_iter().chain(TimeClass::ALL.map(Some));
    let mut groups: Vec<HumanGroup> = times
        .map(|time| HumanGroup {
            time,
            games: 0,
            positions: 0,
        })
        .collect();
    for group in &mut groups {
        for game in games.iter().filter(|game| {
            HumanGroup {
                time: group.time,
                games: 0,
                positions: 0,
            }
            .has(game)
        }) {
            group.games += 1;
            group.positions += game.positions.len() as u64;
        }
    }
    groups.retain(|group| group.games > 0);
    groups
}
