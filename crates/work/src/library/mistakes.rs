//! A player's mistakes as puzzles: find the better move.

use std::{convert::Infallible, io, sync::Arc};

use centipawn_pgn::Sources;
use centipawn_progress::{Cancel, Outcome, ProblemCount, Reporter};
use centipawn_puzzle::Puzzle;
use centipawn_review::{
    ReviewOptions,
    rooms::{MistakePuzzle, mistakes},
};

use super::{Library, LibraryError};
use crate::engine::{Crew, ReviewError, ReviewResources, review_files};

/// How a search for mistakes ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MistakesEnd {
    /// Games reviewed and skipped.
    pub outcome: Outcome,
    /// Number of puzzles found.
    pub puzzles: u64,
    /// Number of mistakes for which no better move is known.
    pub without_better: u64,
    /// Whether the player takes part in a reviewed game.
    pub plays: bool,
}

/// Has `crew` review games, and passes the mistakes of a player (`None` for both players) to
/// `found`, in their order. Games that cannot be read or reviewed are reported and skipped.
///
/// # Errors
///
/// [`ReviewError`]: `found` failed, or several consecutive games.
#[expect(clippy::too_many_arguments, reason = "what, whose, by whom, for whom")]
pub fn mistakes_of_files<R: Reporter + 'static>(
    sources: &Sources,
    options: &ReviewOptions,
    player: Option<&str>,
    resources: &ReviewResources<'_>,
    crew: &impl Crew,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
    mut found: impl FnMut(&Puzzle) -> io::Result<()>,
) -> Result<MistakesEnd, ReviewError<Infallible>> {
    let mut end = MistakesEnd::default();
    let reviewed = review_files(
        sources,
        options,
        resources,
        (),
        crew,
        cancel,
        reporter,
        |review| {
            let mistakes = mistakes(review, player);
            end.plays |= mistakes.plays;
            end.without_better += mistakes.without_better as u64;
            end.puzzles += mistakes.puzzles.len() as u64;
            mistakes
                .puzzles
                .iter()
                .try_for_each(|mistake| found(&mistake.puzzle))
        },
    )?;
    Ok(MistakesEnd {
        outcome: reviewed.outcome,
        ..end
    })
}

/// How many of a player's mistakes in all finished reviews became puzzles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptMistakes {
    /// Number of puzzles that are new.
    pub added: usize,
    /// Number of puzzles that the store already had.
    pub known: usize,
    /// Number of mistakes for which no better move is known.
    pub without_better: usize,
    /// Whether the player takes part in a reviewed game.
    pub plays: bool,
}

impl Library {
    /// Keeps a player's mistakes in all finished reviews as puzzles.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn keep_mistakes(&self, player: &str) -> Result<KeptMistakes, LibraryError> {
        let mut kept = KeptMistakes::default();
        for (_, id) in self.reviews()? {
            let Some((job, review)) = self.own_review(id)? else {
                continue;
            };
            let found = mistakes(&review, Some(player));
            kept.plays |= found.plays;
            kept.without_better += found.without_better;
            for MistakePuzzle { ply, puzzle } in found.puzzles {
                let (_, is_new) = self.keep_puzzle(puzzle, player, Some((job.game, ply as i64)))?;
                *if is_new {
                    &mut kept.added
                } else {
                    &mut kept.known
                } += 1;
            }
        }
        Ok(kept)
    }
}
