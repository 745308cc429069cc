//! Fitting the model that rates puzzles, and how well it does.

use std::collections::HashSet;

use centipawn_policy::Network;
use centipawn_progress::{Cancel, Cancelled, Problem, Reporter, in_order};
use serde::{Deserialize, Serialize};

use super::{LineError, RatedLine, RatingErrors, RatingModel};
use crate::Puzzle;

/// Bands of ratings that errors are listed by, and all together.
const BANDS: [(f64, f64); 7] = [
    (0.0, 800.0),
    (800.0, 1200.0),
    (1200.0, 1600.0),
    (1600.0, 2000.0),
    (2000.0, 2400.0),
    (2400.0, 4000.0),
    (0.0, 4000.0),
];

/// The options of fitting a rating model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitRatingOptions {
    /// The name of the file of puzzles, for the model's provenance.
    pub source: String,
    /// Threads that work out features; 0 counts as 1.
    pub threads: usize,
}

/// A fitted model, with how well it does on puzzles that it was not fitted on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedRating {
    /// The model.
    pub model: RatingModel,
    /// Errors on the third of the puzzles that was held back, and on each file of others.
    pub tables: Vec<RatingTable>,
    /// Puzzles without features: each was reported.
    pub skipped: u64,
}

/// How far a model's estimates are off, by the puzzles' ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingTable {
    /// What was measured on.
    pub title: String,
    /// Bands with puzzles in them; all together come last.
    pub bands: Vec<RatingBand>,
}

/// A row of a [`RatingTable`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingBand {
    /// The lowest rating; `None` in the row of all puzzles.
    pub from: Option<f64>,
    /// The first rating that is too high; `None` in the row of all puzzles.
    pub to: Option<f64>,
    /// The errors.
    pub errors: RatingErrors,
}

/// Why no model is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// There are too few puzzles with a rating.
    #[error("too few puzzles to fit a model")]
    TooFew,
    /// The fit was called off.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl FittedRating {
    /// Fits a model to puzzles and measures it on the third of them that is held back, and on other collections, each with its
    /// title. Puzzles without a rating are left out, as are those of other collections that the model was fitted on.
    ///
    /// # Errors
    ///
    /// [`FitError`].
    pub fn fit(
        puzzles: &[Puzzle],
        others: &[(String, Vec<Puzzle>)],
        networks: &[Network],
        options: &FitRatingOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, FitError> {
        let featured = |puzzles: &[&Puzzle]| featured(puzzles, networks, options.threads, cancel, reporter);
        let ids: HashSet<&str> = puzzles.iter().map(|puzzle| puzzle.id.as_str()).collect();
        let (held_back, fitted): (Vec<&Puzzle>, Vec<&Puzzle>) =
            puzzles.iter().filter(|puzzle| puzzle.rating.is_some()).partition(|puzzle| is_held_back(&puzzle.id));
        let (fitted, mut skipped) = featured(&fitted)?;
        let (held_back, more) = featured(&held_back)?;
        skipped += more;
        let names: Vec<String> = networks.iter().map(|network| network.name().to_owned()).collect();
        let mut model = RatingModel::fit(&names, &fitted, String::new()).ok_or(FitError::TooFew)?;
        let errors = model.errors(&held_back, f64::MIN, f64::MAX).ok_or(FitError::TooFew)?;
        model.provenance = format!(
            "centipawn policy fit-rating{} on {} puzzles of {} (Lichess puzzle database, CC0), {} others kept back: mean absolute error \
             {:.0}, root mean square {:.0}, {:.0} % in their intervals of 80 %",
            if networks.is_empty() { " --no-policy" } else { "" },
            fitted.len(),
            options.source,
            errors.count,
            errors.mean_absolute,
            errors.root_mean_square,
            100.0 * errors.covered
        );
        let mut tables = vec![RatingTable::of(&model, "kept back", &held_back)];
        for (title, puzzles) in others {
            let is_other = |puzzle: &&Puzzle| puzzle.rating.is_some() && !ids.contains(puzzle.id.as_str());
            let puzzles: Vec<&Puzzle> = puzzles.iter().filter(is_other).collect();
            let (lines, more) = featured(&puzzles)?;
            skipped += more;
            tables.push(RatingTable::of(&model, title, &lines));
        }
        Ok(Self { model, tables, skipped })
    }
}

impl RatingTable {
    /// The errors of a model on rated puzzles.
    pub fn of(model: &RatingModel, title: &str, lines: &[RatedLine]) -> Self {
        let band = |(low, high): (f64, f64)| {
            let is_all = high - low > 2000.0;
            let end = |end| (!is_all).then_some(end);
            Some(RatingBand { from: end(low), to: end(high), errors: model.errors(lines, low, high)? })
        };
        Self { title: title.to_owned(), bands: BANDS.into_iter().filter_map(band).collect() }
    }
}

/// A third of all puzzles, the same whatever else is in the file: by a hash (FNV-1a) of the name.
fn is_held_back(id: &str) -> bool {
    let hash =
        id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    hash % 3 == 0
}

/// The features of all puzzles that have them, in order, and the number of those that have none.
fn featured(
    puzzles: &[&Puzzle],
    networks: &[Network],
    threads: usize,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<(Vec<RatedLine>, u64), Cancelled> {
    let networks: Vec<&Network> = networks.iter().collect();
    let (mut lines, mut skipped) = (Vec::new(), 0);
    let work = |puzzle: &&Puzzle| -> Option<Result<RatedLine, (String, LineError)>> {
        let line: Vec<_> = puzzle.solution.line().collect();
        let features = RatingModel::features(&networks, &puzzle.shown(), &line);
        let rating = f64::from(puzzle.rating.unwrap_or_default());
        Some(features.map(|features| RatedLine { features, rating }).map_err(|error| (puzzle.id.clone(), error)))
    };
    let is_cancelled = in_order(puzzles.iter(), threads, cancel, work, |line| match line {
        Ok(line) => lines.push(line),
        Err((id, error)) => {
            skipped += 1;
            reporter.problem(&Problem::error(format_args!("puzzle {id}: {error}")));
        }
    });
    if is_cancelled { Err(Cancelled) } else { Ok((lines, skipped)) }
}
