//! Reviews of many games as one batch, and reviews that other programs stored.

use centipawn_judge::GameFindings;
use centipawn_review::{FindKey, ReviewOptions};
use centipawn_store::{JobState, NewJob, StoreError};

use super::{GameLine, Library, LibraryError};
use crate::engine::Recipe;

impl Library {
    /// Stores reviews of these games as one batch, and returns its number. Finished reviews with
    /// the same options and engine stay finished. `engine` is the engine's command and options as
    /// JSON.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn keep_batch(
        &self,
        title: &str,
        games: &[(i64, GameLine)],
        options: &ReviewOptions,
        engine: &str,
    ) -> Result<i64, LibraryError> {
        let recipe = serde_json::to_string(&Recipe::Review(options.clone()))?;
        let titles: Vec<String> = games
            .iter()
            .map(|(_, line)| format!("{} – {}", line.white, line.black))
            .collect();
        let jobs: Vec<NewJob<'_>> = games
            .iter()
            .zip(&titles)
            .map(|((game, line), title)| NewJob {
                game: *game,
                title,
                positions: i64::try_from(line.plies).unwrap_or(i64::MAX),
                recipe: &recipe,
                engine,
            })
            .collect();
        Ok(self.store.keep_batch(title, &jobs)?)
    }

    /// Creates finished jobs for reviews of the command line, so that their games count as
    /// reviewed. Returns their number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read or written.
    pub(crate) fn adopt_reviews(&self) -> Result<usize, StoreError> {
        let mut adopted = 0;
        for (game, settings) in self.store.findings_without_job()? {
            // Findings of other versions cannot be read.
            let key = serde_json::from_str::<FindKey>(&settings)
                .ok()
                .filter(|key| key.version == GameFindings::VERSION);
            let Some(key) = key else { continue };
            let Some(read) = self.game(game).ok().flatten() else {
                continue;
            };
            // Serialisation cannot fail, because options and engines are plain values.
            let recipe =
                serde_json::to_string(&Recipe::Review(key.options().into())).unwrap_or_default();
            let job = self.store.keep_job(NewJob {
                game,
                title: &super::game_title(&read),
                positions: i64::try_from(read.plies.len()).unwrap_or(i64::MAX),
                recipe: &recipe,
                engine: &serde_json::to_string(&key.engine).unwrap_or_default(),
            })?;
            // Another program has created the job in the meantime.
            if matches!(job.state, JobState::Reviewed(_)) {
                continue;
            }
            self.store
                .set_job(job.id, &JobState::Reviewed(Some(settings)))?;
            adopted += 1;
        }
        Ok(adopted)
    }
}
