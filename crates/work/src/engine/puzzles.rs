//! Puzzles from files: read one after another, or all of them to fit the model that rates puzzles.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use centipawn_pgn::{Source, SourceError};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Cancelled, Problem, Reporter};
use centipawn_puzzle::{
    Claim, Puzzle, ReadError, Reader, Rule,
    rating::{FitError, FitRatingOptions, FittedRating},
};

use super::suite::Suite;
use crate::Run;

/// Returns the puzzles of all files, at most the first `first` of each. Unreadable puzzles and
/// files are reported and skipped. Once `cancel` is set, there are no more.
pub fn read_puzzles<'a>(
    files: &'a [PathBuf],
    first: Option<usize>,
    cancel: &'a Cancel,
    reporter: &'a dyn Reporter,
) -> impl Iterator<Item = Puzzle> + Send + 'a {
    files
        .iter()
        .take_while(|_| !cancel.is_set())
        .flat_map(move |path| {
            let good = move |puzzle: Result<Puzzle, ReadError>| match puzzle {
                Ok(puzzle) => Some(puzzle),
                Err(_) if cancel.is_set() => None,
                // The error already names the file.
                Err(ReadError::Io(error)) => {
                    reporter.problem(&Problem::error(error));
                    None
                }
                Err(error) => {
                    reporter.problem(&Problem::error(error).of(path.display().to_string()));
                    None
                }
            };
            open(path, cancel, reporter)
                .into_iter()
                .flatten()
                .filter_map(good)
                .take(first.unwrap_or(usize::MAX))
        })
}

/// Reads the claims of the puzzles of all files, and of the positions of test suites (files of EPD,
/// named `.epd`), at most the first `first` of each file. A position of a suite claims that its
/// best moves are better than all others. Positions without best moves and unreadable ones are
/// reported and skipped. Once `cancel` is set, the claims end.
pub fn read_claims<'a>(
    files: &'a [PathBuf],
    first: Option<usize>,
    cancel: &'a Cancel,
    reporter: &'a dyn Reporter,
) -> impl Iterator<Item = Claim> + Send + 'a {
    files.iter().flat_map(move |path| {
        let file = std::slice::from_ref(path);
        let is_suite = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("epd"));
        let suite = if is_suite && !cancel.is_set() {
            Suite::read(file, cancel, reporter)
        } else {
            Suite::default()
        };
        let claimed = suite.positions.into_iter().filter_map(move |position| {
            let claim = Claim::of_position(
                &*position.id,
                position.epd.position.clone(),
                position.solutions().collect(),
            );
            if claim.is_none() {
                reporter.problem(&Problem::error(format!(
                    "{}: without a best move there is nothing to verify",
                    position.id
                )));
            }
            claim
        });
        let puzzles = if is_suite { &[] } else { file };
        let puzzles = read_puzzles(puzzles, first, cancel, reporter)
            .map(|puzzle| Claim::of_puzzle(&puzzle, &Rule::default()));
        claimed
            .take_while(|_| !cancel.is_set())
            .take(first.unwrap_or(usize::MAX))
            .chain(puzzles)
    })
}

/// The reason why no rating model for puzzles can be fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitRatingError {
    /// A file cannot be opened.
    #[error("{0}")]
    Source(SourceError),
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The problem, with its place in the file.
        #[source]
        error: ReadError,
    },
    /// The model cannot be fitted to the puzzles.
    #[error("{}", path.display())]
    Fit {
        /// The file of puzzles.
        path: PathBuf,
        /// The underlying error.
        #[source]
        error: FitError,
    },
    /// The run was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Fits the model that rates puzzles to the puzzles of a file that have a rating. Errors are
/// measured on the held-out puzzles of the file and on those of `check`. If a file of typical
/// puzzles is given, the model is adjusted to these. Without networks the model rates by the moves
/// alone.
///
/// # Errors
///
/// [`FitRatingError`].
pub fn fit_rating(
    puzzles: &Path,
    natural: Option<&Path>,
    check: &[PathBuf],
    networks: &[Network],
    run: Run<'_>,
) -> Result<FittedRating, FitRatingError> {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let options = FitRatingOptions {
        source: name(puzzles),
        natural: natural.map(name).unwrap_or_default(),
        threads: run
            .threads
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZero::get),
    };
    let rated = |path: &Path| {
        let source = Source::open_until(path, run.cancel).map_err(FitRatingError::Source)?;
        let read = Reader::new(source, None).and_then(Iterator::collect::<Result<Vec<Puzzle>, _>>);
        let puzzles = read.map_err(|error| FitRatingError::Read {
            path: path.to_owned(),
            error,
        })?;
        Ok::<_, FitRatingError>(
            puzzles
                .into_iter()
                .filter(|puzzle| puzzle.rating.is_some())
                .collect::<Vec<_>>(),
        )
    };
    let own = rated(puzzles)?;
    let natural = natural.map(rated).transpose()?;
    let others = check
        .iter()
        .map(|path| Ok((path.display().to_string(), rated(path)?)));
    let others: Vec<(String, Vec<Puzzle>)> = others.collect::<Result<_, FitRatingError>>()?;
    FittedRating::fit(
        &own,
        natural.as_deref(),
        &others,
        networks,
        &options,
        run.cancel,
        run.reporter,
    )
    .map_err(|error| match error {
        FitError::Cancelled(cancelled) => cancelled.into(),
        error => FitRatingError::Fit {
            path: puzzles.to_owned(),
            error,
        },
    })
}

fn open(path: &Path, cancel: &Cancel, reporter: &dyn Reporter) -> Option<Reader<'static>> {
    let report = |problem: Problem| {
        if !cancel.is_set() {
            reporter.problem(&problem);
        }
    };
    let source = Source::open_until(path, cancel)
        .map_err(|error| report(Problem::error(error)))
        .ok()?;
    let name = source.name().to_owned();
    Reader::new(source, None)
        .map_err(|error| report(Problem::error(error).of(name)))
        .ok()
}
