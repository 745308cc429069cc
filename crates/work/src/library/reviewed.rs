//! Summaries of finished reviews, for lists and profiles. Each is computed once, then kept in the
//! store.

use std::{
    borrow::Borrow,
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use centipawn_judge::GameFindings;
use centipawn_review::{PlayerGame, Profile, Review, rooms::ReviewLine};
use centipawn_store::{JudgedReview, StoreError};
use shakmaty::Color;

use super::{KeptJob, Library};

/// Version of the texts that are kept. It changes with their form, with what judges a game, and
/// with the findings.
const VERSION: u32 = 100 * GameFindings::VERSION + 8;

impl Library {
    /// Returns the newest finished review of each game: pairs of a game and a job, by game.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn reviews(&self) -> Result<Vec<(i64, i64)>, StoreError> {
        self.adopt_reviews()?;
        self.store.reviewed_games()
    }

    /// Returns the list's lines of these finished reviews, by the numbers of their jobs. Reviews
    /// that were not [judged](Self::judge) are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn review_lines(&self, jobs: &[i64]) -> Result<BTreeMap<i64, ReviewLine>, StoreError> {
        let judged = self.store.judged(VERSION, jobs, false)?;
        Ok(judged
            .into_iter()
            .filter_map(|judged| Some((judged.job, serde_json::from_str(&judged.line).ok()?)))
            .collect())
    }

    /// Returns finished reviews that were not [judged](Self::judge), the newest first, `most` at
    /// most.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn not_judged(&self, most: usize) -> Result<Vec<i64>, StoreError> {
        self.adopt_reviews()?;
        self.store
            .not_judged(VERSION, i64::try_from(most).unwrap_or(i64::MAX))
    }

    /// Judges these finished reviews on `threads` threads, and stores their summaries for lists and
    /// profiles. If this program cannot judge a review, an empty summary is stored.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read or written.
    pub fn judge(&self, jobs: &[i64], threads: usize) -> Result<(), StoreError> {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(id) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.store.note_judged(VERSION, &[self.judged(*id)?])?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let running: Vec<_> = (1..threads.min(jobs.len()))
                .map(|_| scope.spawn(work))
                .collect();
            let own = work();
            let joined = running
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            joined.fold(own, Result::and)
        })
    }

    /// Stores the summary of a finished review for lists and profiles, so that it need not be
    /// [judged](Self::judge) again. `review` is the review of `job` with its own options.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be written.
    pub fn keep_judged(&self, job: &KeptJob, review: &Review) -> Result<(), StoreError> {
        self.store.note_judged(
            VERSION,
            &[summary(job.id, || Ok(Some((job.game, review))))?],
        )
    }

    fn judged(&self, id: i64) -> Result<JudgedReview, StoreError> {
        summary(id, || {
            Ok(self.own_review(id)?.map(|(job, review)| (job.game, review)))
        })
    }

    /// Returns the profile of a player by the newest finished review of each game; without games if
    /// the player takes part in none. Reviews that were not judged are judged first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read or written.
    pub fn profile(&self, player: &str) -> Result<Profile, StoreError> {
        let reviews = self.reviews()?;
        let games: Vec<i64> = reviews.iter().map(|(game, _)| *game).collect();
        let lines = self.games.lines(&self.store, &games)?;
        let colors: HashMap<i64, Color> = lines
            .iter()
            .filter_map(|(id, line)| Some((*id, line.color_of(player)?)))
            .collect();
        let own: Vec<(i64, i64)> = reviews
            .into_iter()
            .filter(|(game, _)| colors.contains_key(game))
            .collect();
        let jobs: Vec<i64> = own.iter().map(|(_, job)| *job).collect();
        let known: Vec<i64> = self
            .store
            .judged(VERSION, &jobs, false)?
            .iter()
            .map(|judged| judged.job)
            .collect();
        let missing: Vec<i64> = jobs
            .iter()
            .filter(|job| known.binary_search(job).is_err())
            .copied()
            .collect();
        self.judge(
            &missing,
            thread::available_parallelism().map_or(1, usize::from),
        )?;
        let mut sides: HashMap<i64, String> = self
            .store
            .judged(VERSION, &jobs, true)?
            .into_iter()
            .map(|judged| (judged.job, judged.sides))
            .collect();
        let side = |(game, job): (i64, i64)| {
            let [white, black] =
                serde_json::from_str::<[PlayerGame; 2]>(&sides.remove(&job)?).ok()?;
            Some(colors[&game].fold_wb(white, black))
        };
        let games: Vec<PlayerGame> = own.into_iter().filter_map(side).collect();
        let name = games
            .first()
            .map_or(player, |game| &*game.player)
            .to_owned();
        Ok(Profile::new(&name, games))
    }
}

/// Returns the summary of review `id`. `review` returns the number of its game and the review,
/// which it may have to compute; `None` if the game is deleted, or the findings are of another
/// version.
fn summary<R: Borrow<Review>>(
    id: i64,
    review: impl FnOnce() -> Result<Option<(i64, R)>, StoreError>,
) -> Result<JudgedReview, StoreError> {
    let nothing = || JudgedReview {
        job: id,
        line: "null".to_owned(),
        sides: "[]".to_owned(),
    };
    let summarise = || {
        let Some((game, review)) = review()? else {
            return Ok(nothing());
        };
        let review = review.borrow();
        let sides = Color::ALL.map(|color| PlayerGame::of(review, color, game, id));
        // Serialisation cannot fail, because both are plain values.
        let line = serde_json::to_string(&ReviewLine::of(review, id)).unwrap_or_default();
        Ok(JudgedReview {
            job: id,
            line,
            sides: serde_json::to_string(&sides).unwrap_or_default(),
        })
    };
    // If judging a game panics, leave out this game, so that the other games are still judged.
    catch_unwind(AssertUnwindSafe(summarise)).unwrap_or_else(|_| Ok(nothing()))
}
