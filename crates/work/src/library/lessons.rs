//! Lessons: a player's own mistakes by one cause, and puzzles of its theme, in repetition.

use std::collections::{BTreeMap, BTreeSet};

use centipawn_judge::{Cause, Topic};
use centipawn_store::{PuzzleFilter, Repetition};

use super::{Library, LibraryError, MistakePuzzle, mistakes};

/// Maximum number of the player's own mistakes in a lesson. The costliest ones are taken.
const OWN: usize = 20;
/// Maximum number of other puzzles in a lesson.
const OTHERS: i64 = 10;
/// Maximum difference between the ratings of another puzzle and of the player.
const NEAR: i64 = 300;

/// The puzzles of a lesson, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lesson {
    /// Numbers of the puzzles that come from the player's own mistakes.
    pub own: Vec<i64>,
    /// Numbers of other puzzles with the theme of the cause that were never tried.
    pub others: Vec<i64>,
}

impl Library {
    /// Prepares a lesson on a cause of a player's losses, by its kind and name in JSON: the
    /// costliest mistakes become puzzles, and other puzzles of the theme join them. All become due
    /// for repetition at `now`, in seconds since 1970.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn keep_lesson(
        &self,
        player: &str,
        kind: &str,
        cause: &str,
        now: i64,
    ) -> Result<Lesson, LibraryError> {
        let profile = self.profile(player)?;
        let is = |other: Cause| other.kind() == kind && other.name() == cause;
        let mut costly: Vec<(f64, i64, usize)> = Vec::new();
        for game in profile.games() {
            let moves = game.moves.iter().filter(|mv| is(mv.cause));
            costly.extend(moves.map(|mv| (mv.loss, game.review, mv.ply)));
        }
        costly.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut by_review: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
        for (_, review, ply) in costly.iter().take(OWN) {
            by_review.entry(*review).or_default().insert(*ply);
        }
        let mut lesson = Lesson::default();
        for (id, plies) in by_review {
            let Some((job, review)) = self.own_review(id)? else {
                continue;
            };
            for MistakePuzzle { ply, puzzle } in mistakes(&review, Some(player)).puzzles {
                if !plies.contains(&(ply + 1)) {
                    continue;
                }
                let (id, _) = self.keep_puzzle(puzzle, player, Some((job.game, ply as i64)))?;
                // The same position may have occurred in several games.
                if !lesson.own.contains(&id) {
                    lesson.own.push(id);
                }
            }
        }
        let theme = Topic::ALL
            .into_iter()
            .find(|topic| topic.name() == cause)
            .and_then(Topic::theme);
        if let Some(theme) = theme {
            let ratings = profile
                .rating()
                .map(|rating| (rating as i64 - NEAR, rating as i64 + NEAR));
            let filter = PuzzleFilter {
                theme: Some(theme),
                ratings,
                untried: true,
                ..PuzzleFilter::default()
            };
            let found = self.store.puzzles(filter, 0, OTHERS + OWN as i64)?;
            let others = found
                .iter()
                .map(|puzzle| puzzle.id)
                .filter(|id| !lesson.own.contains(id));
            lesson.others = others.take(OTHERS as usize).collect();
        }
        for id in lesson.own.iter().chain(&lesson.others) {
            // Do not reset the repetition box of a puzzle that the user already repeats.
            let before = self.store.puzzle(*id)?.and_then(|puzzle| puzzle.repetition);
            let number = before.map_or(0, |repetition| repetition.number);
            self.store
                .set_repetition(*id, Some(Repetition { number, due: now }))?;
        }
        Ok(lesson)
    }
}
