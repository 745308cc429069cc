//! Finished reviews, judged again without an engine.

use std::sync::Arc;

use centipawn_core::Curve;
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Question};
use centipawn_judge::GameFindings;
use centipawn_pgn::Game;
use centipawn_progress::{Cancel, Input, Provenance, Silent, sha256};
use centipawn_review::{Event, Review, ReviewOptions, review_games};
use centipawn_store::{JobState, Store, StoreError};

use super::{KeptJob, Library, LibraryError};
use crate::engine::{Recipe, stored_findings};

/// The reason why a finished review cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewGone {
    /// The job is not finished, or is not a review.
    #[error("it is not a finished review")]
    Unfinished,
    /// The store lacks the game of the job.
    #[error("its game is no longer in the store")]
    Game,
    /// The store lacks the findings of the job.
    #[error("its evaluations are no longer in the store; ask for the review again")]
    Findings,
    /// The game lacks evaluations.
    #[error("{0}")]
    Unevaluated(String),
}

/// Returns a finished review of a library, judged by `options`, which may have another curve,
/// scheme or language.
///
/// # Errors
///
/// [`LibraryError`].
pub fn kept_review(
    library: &Library,
    job: &KeptJob,
    options: &ReviewOptions,
) -> Result<Review, LibraryError> {
    let game = library.game(job.game)?.ok_or(ReviewGone::Game)?;
    match &job.state {
        JobState::Reviewed(Some(settings)) => {
            let findings =
                stored_findings(library.store(), &game, settings)?.ok_or(ReviewGone::Findings)?;
            let findings = if findings.analyst.is_some() {
                findings.under(&game, &options.judge)
            } else {
                findings
            };
            Ok(Review::judge(Arc::new(game), &findings, options))
        }
        JobState::Reviewed(None) => Ok(by_its_evaluations(game, options)?),
        _ => Err(ReviewGone::Unfinished.into()),
    }
}

impl Library {
    /// Returns a finished review with its own options; `None` if it, its game or its evaluations
    /// are missing, or if this version cannot read them.
    pub(super) fn own_review(&self, id: i64) -> Result<Option<(KeptJob, Review)>, StoreError> {
        let Some(job) = self
            .store
            .job(id)?
            .and_then(|job| KeptJob::try_from(job).ok())
        else {
            return Ok(None);
        };
        let Some(options) = job.review() else {
            return Ok(None);
        };
        match kept_review(self, &job, options) {
            Ok(review) => Ok(Some((job, review))),
            Err(LibraryError::Store(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// Returns a review under way, judged up to the first position that is not evaluated; without
/// findings, up to the first move.
pub fn review_so_far(
    game: Arc<Game>,
    findings: Option<GameFindings>,
    options: &ReviewOptions,
) -> Review {
    let nothing = || GameFindings {
        analyst: None,
        curve: Curve::default(),
        positions: Vec::new(),
    };
    Review::judge(game, &findings.unwrap_or_else(nothing), options)
}

/// Reviews a game with the evaluations in its comments, without an engine.
fn by_its_evaluations(game: Game, options: &ReviewOptions) -> Result<Review, ReviewGone> {
    let mut end = Err(ReviewGone::Unevaluated("the work was cancelled".to_owned()));
    review_games(
        std::iter::once(game),
        &NoEngine,
        &[],
        options,
        &Cancel::new(),
        &Silent,
        |event| {
            end = match event {
                Event::Reviewed(review) => Ok(*review),
                Event::Failed(failure) => Err(ReviewGone::Unevaluated(failure.source.to_string())),
            };
        },
    );
    end
}

/// Returns the provenance of a review's documents. The input is the game as it is stored.
///
/// # Errors
///
/// [`StoreError`] when the store cannot be read.
pub fn kept_provenance(
    store: &Store,
    job: &KeptJob,
    review: &Review,
) -> Result<Provenance, StoreError> {
    let text = store.game(job.game)?.unwrap_or_default();
    let input = Input {
        name: format!("game {} of the store", job.game),
        bytes: Some(text.len() as u64),
        sha256: Some(sha256(text.as_bytes())),
    };
    let recipe = Recipe::Review(review.review_options());
    Ok(Provenance::new(&recipe)
        .inputs(vec![input])
        .engine(review.analyst.clone(), review.options.limit))
}

/// An analyst that refuses every question, for games that are judged by their own evaluations.
#[derive(Clone, Copy, Debug)]
pub struct NoEngine;

impl Analyst for NoEngine {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        Err(AnalystError::Unknown {
            analyst: "the game".to_owned(),
            fen: question.history.fen(),
            reason: "it has no evaluation there, and no engine is asked; review it first"
                .to_owned(),
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        1
    }
}
