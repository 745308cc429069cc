//! What costs a player points in the kept games.

use std::collections::BTreeSet;

use centipawn_review::Causes;
use shakmaty::Color;

use super::{Library, LibraryError, kept_review, mistakes::is_named};

/// Jobs that are looked through, newest first.
const JOBS: i64 = 1000;

impl Library {
    /// The causes of a player's losses in all finished reviews, the newest of each game. Without games if the player takes part in none.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn causes(&self, player: &str) -> Result<Causes, LibraryError> {
        let mut causes = Causes::default();
        let mut seen = BTreeSet::new();
        for job in self.jobs(JOBS)? {
            let Some(options) = job.review().filter(|_| job.is_reviewed() && !seen.contains(&job.game)) else {
                continue;
            };
            // Deleted games and reviews are left out, as on the page.
            let Ok(review) = kept_review(self, &job, options) else { continue };
            seen.insert(job.game);
            for color in Color::ALL {
                if is_named(&review.game, color.fold_wb("White", "Black"), Some(player)) {
                    causes.add(&review, color, job.game.unsigned_abs());
                }
            }
        }
        Ok(causes)
    }
}
