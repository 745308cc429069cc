//! What finished reviews say, for lists and profiles: judged once, then kept in memory.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use centipawn_core::MoveSymbol;
use centipawn_review::{Language, PlayerGame, Profile, Review};
use centipawn_store::StoreError;
use shakmaty::Color;

use super::{KeptJob, Library, LibraryError, kept_review};

/// What a finished review says about its game.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReviewedGame {
    /// White's and Black's accuracy in Lichess' sense, per cent; `None` without a move.
    pub accuracy: [Option<f64>; 2],
    /// How often White and Black got `?!`, `?` and `??`.
    pub symbols: [[usize; 3]; 2],
    /// The move on which most depended, by its half-move from 1, and as text: `12... Nxe4??`.
    pub critical: Option<(usize, String)>,
    /// What it says about White and Black.
    pub sides: [PlayerGame; 2],
}

/// Reviewed games by the numbers of their jobs; `None` for a review that this program cannot judge.
#[derive(Debug, Default)]
pub(super) struct ReviewedGames(Mutex<HashMap<i64, Option<Arc<ReviewedGame>>>>);

impl ReviewedGame {
    fn of(review: &Review, job: &KeptJob) -> Self {
        let symbols = [MoveSymbol::Dubious, MoveSymbol::Mistake, MoveSymbol::Blunder];
        let loss = |index: &&usize| review.plies[**index].difference.abs();
        let critical = review.critical_moments.iter().max_by(|a, b| loss(a).total_cmp(&loss(b)));
        let text = |index: usize| {
            let ply = &review.plies[index];
            format!("{}{}", ply.numbered(Language::English), ply.glyphs())
        };
        Self {
            accuracy: Color::ALL.map(|color| review.player(color).accuracy),
            symbols: Color::ALL.map(|color| symbols.map(|symbol| review.player(color).count(symbol))),
            critical: critical.map(|index| (index + 1, text(*index))),
            sides: Color::ALL.map(|color| PlayerGame::of(review, color, job.game, job.id)),
        }
    }
}

impl Library {
    /// The newest finished review of each game: pairs of a game and a job, by game.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn reviews(&self) -> Result<Vec<(i64, i64)>, StoreError> {
        self.adopt_reviews()?;
        self.store.reviewed_games()
    }

    /// What these finished reviews say, in their order; `None` for those that this program cannot judge, such as reviews by an earlier
    /// version. Uses all processor cores.
    ///
    /// # Errors
    ///
    /// [`LibraryError`] when the store cannot be read.
    pub fn reviewed_games(&self, jobs: &[i64]) -> Result<Vec<Option<Arc<ReviewedGame>>>, LibraryError> {
        let known = |job: &i64| self.reviewed.0.lock().unwrap_or_else(PoisonError::into_inner).get(job).cloned();
        let missing: Vec<i64> = jobs.iter().filter(|job| known(job).is_none()).copied().collect();
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), LibraryError> {
            while let Some(id) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                let judged = self.judged(*id)?;
                self.reviewed.0.lock().unwrap_or_else(PoisonError::into_inner).insert(*id, judged);
            }
            Ok(())
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(missing.len().div_ceil(4));
        thread::scope(|scope| {
            let running: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            running.into_iter().map(|thread| thread.join().unwrap_or(Ok(()))).fold(own, Result::and)
        })?;
        Ok(jobs.iter().map(|job| known(job).flatten()).collect())
    }

    fn judged(&self, id: i64) -> Result<Option<Arc<ReviewedGame>>, LibraryError> {
        let Some(job) = self.store.job(id)?.and_then(|job| KeptJob::try_from(job).ok()) else { return Ok(None) };
        let Some(options) = job.review() else { return Ok(None) };
        match kept_review(self, &job, options) {
            Ok(review) => Ok(Some(Arc::new(ReviewedGame::of(&review, &job)))),
            Err(LibraryError::Store(error)) => Err(error.into()),
            // A deleted game, or findings of another version.
            Err(_) => Ok(None),
        }
    }

    /// The profile of a player by the newest finished review of each game; without games if the player takes part in none.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn profile(&self, player: &str) -> Result<Profile, LibraryError> {
        let reviews = self.reviews()?;
        let games: Vec<i64> = reviews.iter().map(|(game, _)| *game).collect();
        // Reviews of other players' games are not judged for it.
        let lines = self.games.lines(&self.store, &games)?;
        let color: HashMap<i64, Color> =
            lines.iter().filter_map(|(id, line)| Some((*id, line.color_of(player)?))).collect();
        let own: Vec<(i64, i64)> = reviews.into_iter().filter(|(game, _)| color.contains_key(game)).collect();
        let reviewed = self.reviewed_games(&own.iter().map(|(_, job)| *job).collect::<Vec<_>>())?;
        let sides = own.iter().zip(reviewed).filter_map(|((game, _), reviewed)| {
            let side = color[game].fold_wb(0, 1);
            Some(reviewed?.sides[side].clone())
        });
        let games: Vec<PlayerGame> = sides.collect();
        let name = games.first().map_or(player, |game| &*game.player).to_owned();
        Ok(Profile::new(&name, games))
    }
}
