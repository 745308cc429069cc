//! Log losses of models on the same games, and the standard errors of their differences, clustered
//! by game.

use centipawn_core::WdlModel;
use centipawn_progress::Cancel;

use super::{By, Candidate, CommonGames, CompareError, Number, parameters};
use crate::wdl::{GROUPS, Grid, Resamples, Selection, rates::log_losses};

/// Sums of −ln p for each model.
pub(super) struct Losses {
    /// For each model, the sum for each group of games, or one sum if the counts have no groups.
    sums: Vec<Vec<f64>>,
    /// Number of positions of each group.
    weights: Vec<f64>,
    /// For each model, whether it was tested on held-out games.
    pub(super) is_held_out: Vec<bool>,
    pub(super) positions: f64,
    /// The reason why differences have no error; `None` if they have.
    pub(super) missing: Option<String>,
}

impl Losses {
    pub(super) fn new(
        candidates: &[Candidate],
        games: &CommonGames<'_>,
        by: By,
        cancel: &Cancel,
    ) -> Result<Self, CompareError> {
        let selection = Selection {
            by,
            ..games.selection
        };
        let resamples = Resamples::new(games.counts, &selection, games.resampling);
        let (grids, missing) = match &resamples {
            Some(resamples) => (
                (0..GROUPS).map(|group| resamples.group(group)).collect(),
                None,
            ),
            None => {
                let why = "no errors of log losses: the counts have no groups of games for these models and limits";
                (
                    vec![Grid::new(games.counts, &selection)],
                    Some(why.to_owned()),
                )
            }
        };
        let weights: Vec<f64> = grids.iter().map(Grid::total).collect();
        let positions: f64 = weights.iter().sum();
        if positions == 0.0 {
            return Err(CompareError::NoData(games.name.to_owned()));
        }
        let (mut sums, mut is_held_out) = (Vec::new(), Vec::new());
        for candidate in candidates {
            cancel.check()?;
            let models = held_out_models(candidate, resamples.as_ref(), cancel);
            is_held_out.push(models.is_some());
            sums.push(
                grids
                    .iter()
                    .enumerate()
                    .map(|(group, grid)| {
                        let own = models
                            .as_ref()
                            .zip(resamples.as_ref())
                            .map(|(models, games)| &models[games.fold_of(group)]);
                        loss(own.unwrap_or(&candidate.model), by, grid)
                    })
                    .collect(),
            );
        }
        Ok(Self {
            sums,
            weights,
            is_held_out,
            positions,
            missing,
        })
    }

    pub(super) fn mean(&self, model: usize) -> f64 {
        self.sums[model].iter().sum::<f64>() / self.positions
    }

    /// Returns the mean loss of a model minus that of the first one. The error comes from the
    /// variation between groups of games.
    pub(super) fn difference(&self, model: usize) -> Number {
        let differences = || {
            self.sums[model]
                .iter()
                .zip(&self.sums[0])
                .map(|(own, first)| own - first)
        };
        let mean = differences().sum::<f64>() / self.positions;
        let groups = self.weights.iter().filter(|weight| **weight > 0.0).count() as f64;
        let squares = differences()
            .zip(&self.weights)
            .map(|(own, weight)| (own - mean * weight).powi(2))
            .sum::<f64>();
        let error = (squares * groups / (groups - 1.0)).sqrt() / self.positions;
        Number {
            value: mean,
            error: (self.missing.is_none() && groups > 1.0).then_some(error),
        }
    }
}

/// For each fold, a model fitted to the other folds; `None` unless the candidate was fitted to
/// these games.
fn held_out_models(
    candidate: &Candidate,
    games: Option<&Resamples>,
    cancel: &Cancel,
) -> Option<Vec<WdlModel>> {
    let (fit, games) = (candidate.fit.as_ref()?, games?);
    let folds = games.options().folds;
    let models = (0..folds).map(|fold| fit.again(&games.fold(fold, false), cancel)?.model());
    models
        .collect::<Option<Vec<_>>>()
        .filter(|models| !models.is_empty())
}

/// Returns the sum of −ln p over the observed results.
fn loss(model: &WdlModel, by: By, grid: &Grid) -> f64 {
    let rows = grid.rows.iter().map(|row| {
        let (a, b) = parameters(model, by, f64::from(row.value), f64::from(row.number));
        log_losses(row, a, b)
    });
    rows.sum()
}
