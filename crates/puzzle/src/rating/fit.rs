//! Fits the model that rates puzzles, and measures its errors.

use std::collections::HashSet;

use centipawn_policy::Network;
use centipawn_progress::{Cancel, Cancelled, Problem, Reporter, in_order};
use serde::{Deserialize, Serialize};

use super::{LineError, RatedLine, RatingErrors, RatingModel, RatingNetwork};
use crate::Puzzle;

/// Rating bands with separate errors. The last band covers all ratings.
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
    /// Name of the puzzle file, for the model's provenance.
    pub source: String,
    /// Name of the file of puzzles as they occur, for the model's provenance.
    pub natural: String,
    /// Number of threads for computing features; 0 counts as 1.
    pub threads: usize,
}

/// A fitted model, with its errors on puzzles not used for fitting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedRating {
    /// The fitted model.
    pub model: RatingModel,
    /// Errors on the held-out third of the puzzles, and on each other file.
    pub tables: Vec<RatingTable>,
    /// Number of puzzles skipped because their features could not be computed. Each was reported.
    pub skipped: u64,
}

/// Errors of a model's estimates, by rating band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingTable {
    /// Name of the measured puzzles.
    pub title: String,
    /// Bands with at least one puzzle. The row for all puzzles comes last.
    pub bands: Vec<RatingBand>,
}

/// A row of a [`RatingTable`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingBand {
    /// Lower end of the band, included; `None` in the row for all puzzles.
    pub from: Option<f64>,
    /// Upper end of the band, excluded; `None` in the row for all puzzles.
    pub to: Option<f64>,
    /// The errors in this band.
    pub errors: RatingErrors,
}

/// The reason why fitting failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// Too few puzzles have a rating.
    #[error("too few puzzles to fit a model")]
    TooFew,
    /// The fit was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl FittedRating {
    /// Fits a model to two thirds of the puzzles, and measures it on the held-out third and on
    /// other collections, each with its title. With puzzles as they occur (`natural`), the model is
    /// adjusted to two thirds of these, and measured on the other third too. Puzzles without a
    /// rating are ignored, and so are puzzles of other collections that also occur in `puzzles`.
    ///
    /// # Errors
    ///
    /// [`FitError`] if there are too few rated puzzles, or if `cancel` is set.
    pub fn fit(
        puzzles: &[Puzzle],
        natural: Option<&[Puzzle]>,
        others: &[(String, Vec<Puzzle>)],
        networks: &[Network],
        options: &FitRatingOptions,
        cancel: &Cancel,
        reporter: &dyn Reporter,
    ) -> Result<Self, FitError> {
        let featured =
            |puzzles: &[&Puzzle]| featured(puzzles, networks, options.threads, cancel, reporter);
        let ids: HashSet<&str> = puzzles.iter().map(|puzzle| puzzle.id.as_str()).collect();
        let (held_back, fitted): (Vec<&Puzzle>, Vec<&Puzzle>) = puzzles
            .iter()
            .filter(|puzzle| puzzle.rating.is_some())
            .partition(|puzzle| is_held_out(&puzzle.id));
        let (fitted, mut skipped) = featured(&fitted)?;
        let (held_back, more) = featured(&held_back)?;
        skipped += more;
        let levelled = RatingNetwork::all(networks, &RatingModel::LEVELS);
        let mut model =
            RatingModel::fit(&levelled, &fitted, String::new()).ok_or(FitError::TooFew)?;
        let errors = model
            .errors(&held_back, f64::MIN, f64::MAX)
            .ok_or(FitError::TooFew)?;
        model.provenance = format!(
            "centipawn policy fit-rating{} on {} puzzles of {} (Lichess puzzle database, CC0), {} \
             others kept back: mean absolute error {:.0}, root mean square {:.0}, {:.0} % in their \
             intervals of 80 %",
            if networks.is_empty() {
                " without networks"
            } else {
                ""
            },
            fitted.len(),
            options.source,
            errors.count,
            errors.mean_absolute,
            errors.root_mean_square,
            100.0 * errors.covered
        );
        let mut tables = vec![RatingTable::of(&model, "kept back", &held_back)];
        if let Some(natural) = natural {
            let rated = natural
                .iter()
                .filter(|puzzle| puzzle.rating.is_some() && !ids.contains(puzzle.id.as_str()));
            let (held_out, fitted): (Vec<&Puzzle>, Vec<&Puzzle>) =
                rated.partition(|puzzle| is_held_out(&puzzle.id));
            let (fitted, more) = featured(&fitted)?;
            skipped += more;
            let (held_out, more) = featured(&held_out)?;
            skipped += more;
            tables.push(RatingTable::of(
                &model,
                "as they occur, before the adjustment",
                &held_out,
            ));
            model = model.adjusted(&fitted).ok_or(FitError::TooFew)?;
            let errors = model
                .errors(&held_out, f64::MIN, f64::MAX)
                .ok_or(FitError::TooFew)?;
            let adjusted = format!(
                "; adjusted to {} puzzles of {} as they occur, {} others kept back: mean absolute \
                 error {:.0}, root mean square {:.0}, {:.0} % in their intervals of 80 %",
                fitted.len(),
                options.natural,
                errors.count,
                errors.mean_absolute,
                errors.root_mean_square,
                100.0 * errors.covered
            );
            model.provenance += &adjusted;
            tables.push(RatingTable::of(
                &model,
                "as they occur, kept back",
                &held_out,
            ));
        }
        for (title, puzzles) in others {
            let is_other =
                |puzzle: &&Puzzle| puzzle.rating.is_some() && !ids.contains(puzzle.id.as_str());
            let puzzles: Vec<&Puzzle> = puzzles.iter().filter(is_other).collect();
            let (lines, more) = featured(&puzzles)?;
            skipped += more;
            tables.push(RatingTable::of(&model, title, &lines));
        }
        Ok(Self {
            model,
            tables,
            skipped,
        })
    }
}

impl RatingTable {
    /// Measures the errors of a model on rated puzzles.
    pub(crate) fn of(model: &RatingModel, title: &str, lines: &[RatedLine]) -> Self {
        let band = |(low, high): (f64, f64)| {
            let is_all = high - low > 2000.0;
            let end = |end| (!is_all).then_some(end);
            Some(RatingBand {
                from: end(low),
                to: end(high),
                errors: model.errors(lines, low, high)?,
            })
        };
        Self {
            title: title.to_owned(),
            bands: BANDS.into_iter().filter_map(band).collect(),
        }
    }
}

/// Returns whether a puzzle is in the held-out third. An FNV-1a hash of its id decides, so that the
/// choice does not depend on the other puzzles.
fn is_held_out(id: &str) -> bool {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash % 3 == 0
}

/// Returns the features of all puzzles for which they can be computed, in order, and the number of
/// the other puzzles.
fn featured(
    puzzles: &[&Puzzle],
    networks: &[Network],
    threads: usize,
    cancel: &Cancel,
    reporter: &dyn Reporter,
) -> Result<(Vec<RatedLine>, u64), Cancelled> {
    let (mut lines, mut skipped) = (Vec::new(), 0);
    let work = |puzzle: &&Puzzle| -> Option<Result<RatedLine, (String, LineError)>> {
        let line: Vec<_> = puzzle.solution.line().collect();
        let features =
            RatingModel::features(networks, &RatingModel::LEVELS, &puzzle.shown(), &line);
        let rating = f64::from(puzzle.rating.unwrap_or_default());
        Some(
            features
                .map(|features| RatedLine { features, rating })
                .map_err(|error| (puzzle.id.clone(), error)),
        )
    };
    let is_cancelled = in_order(puzzles.iter(), threads, cancel, work, |line| match line {
        Ok(line) => lines.push(line),
        Err((id, error)) => {
            skipped += 1;
            reporter.problem(&Problem::error(format_args!("puzzle {id}: {error}")));
        }
    });
    if is_cancelled {
        Err(Cancelled)
    } else {
        Ok((lines, skipped))
    }
}
