//! The user's data in a store: games, the work on them with its results, and puzzles.

mod batches;
mod deletion;
mod file;
mod game_list;
mod jobs;
mod lessons;
mod mistakes;
mod own_notes;
mod reviewed;
mod reviews;
mod upload;

pub use centipawn_review::rooms::{
    GameFilter, GameLine, GameSort, MistakePuzzle, Mistakes, ReviewLine, SelectedGames, SideLine,
    game_title, is_mistake, mistakes, mistakes_of, player_names, read_kept_game,
};
pub use deletion::Deletion;
pub use file::{
    ImportedLibrary, LibraryCounts, LibraryExport, LibraryFileError, LibraryFormat, is_library,
};
pub use game_list::GameList;
pub use jobs::{KeptJob, KeptWork};
pub use lessons::{Answered, Decoy, Lesson, LessonItem, LessonWish, Sitting};
pub use mistakes::{KeptMistakes, MistakesEnd, mistakes_of_files};
pub use reviews::{NoEngine, ReviewGone, kept_provenance, kept_review, review_so_far};
pub use upload::{UploadError, UploadLimits, UploadedPuzzles, names_account};

use std::{collections::BTreeMap, sync::Arc};

use centipawn_pgn::Game;
use centipawn_puzzle::Puzzle;
use centipawn_store::{NewPuzzle, Store, StoreError};

/// A store as a page, a site and the command line use it.
///
/// ```
/// use std::{collections::BTreeMap, sync::Arc};
/// use centipawn_store::{Location, Store};
/// use centipawn_work::library::Library;
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("a.db");
/// let library = Library::new(Arc::new(Store::open(&Location::File(file))?));
/// let id = library.store().keep_game("1. e4 e5 *")?;
/// assert_eq!(library.game(id)?.unwrap().plies.len(), 2);
/// assert!(library.jobs(10)?.is_empty());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Library {
    store: Arc<Store>,
    /// The list of the store's games.
    games: Arc<GameList>,
}

/// The reason why something of a library cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The game was stored by another version, and this one cannot read it.
    #[error("a kept game cannot be read: {0}")]
    Game(String),
    /// The store lacks something that a request names.
    #[error("there is no {0}")]
    Missing(String),
    /// A review cannot be shown.
    #[error(transparent)]
    Review(#[from] ReviewGone),
    /// A document cannot be written.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl Library {
    /// Creates the library in a store.
    pub fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            games: Arc::default(),
        }
    }

    /// Selects the games that match a filter, in its order.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use centipawn_store::{Location, Store};
    /// use centipawn_work::library::{GameFilter, Library};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("a.db");
    /// let library = Library::new(Arc::new(Store::open(&Location::File(file))?));
    /// library.store().keep_game("[White \"Anna\"]\n\n1. e4 e5 1-0")?;
    /// let lost = library.store().keep_game("[White \"Anna\"]\n\n1. d4 d5 0-1")?;
    /// let filter = GameFilter {
    ///     player: "Anna".to_owned(),
    ///     result: "lost".to_owned(),
    ///     ..GameFilter::default()
    /// };
    /// assert_eq!(library.select_games(&filter)?.games, [lost]);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn select_games(&self, filter: &GameFilter) -> Result<SelectedGames, StoreError> {
        let reviews = self.reviews()?.into_iter().collect();
        self.games.select(&self.store, filter, &reviews)
    }

    /// Returns the names of players with the numbers of their games, those with the most games
    /// first; `most` at most.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn players(&self, most: usize) -> Result<Vec<(String, usize)>, StoreError> {
        self.games.players(&self.store, most)
    }

    /// Returns the players whose names are spelled like `name`, with the numbers of their games,
    /// the most similar names first; `most` at most.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn players_like(
        &self,
        name: &str,
        most: usize,
    ) -> Result<Vec<(String, usize)>, StoreError> {
        self.games.players_like(&self.store, name, most)
    }

    /// Returns the list's lines of these games, in order; missing games are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn game_lines(&self, games: &[i64]) -> Result<Vec<(i64, GameLine)>, StoreError> {
        self.games.lines(&self.store, games)
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns a game; `None` if there is none with this number.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn game(&self, id: i64) -> Result<Option<Game>, LibraryError> {
        let text = self.store.game(id)?;
        text.map(|text| read_kept_game(&text).map_err(LibraryError::Game))
            .transpose()
    }

    /// Returns the newest work, newest first, at most `most`. Work that this version does not know
    /// is left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn jobs(&self, most: i64) -> Result<Vec<KeptJob>, StoreError> {
        Ok(self
            .store
            .jobs(most)?
            .into_iter()
            .filter_map(|job| KeptJob::try_from(job).ok())
            .collect())
    }

    /// Returns the newest job on each of these games that reviews it, by game.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn review_jobs(&self, games: &[i64]) -> Result<BTreeMap<i64, KeptJob>, StoreError> {
        let mut newest = BTreeMap::new();
        for job in self.store.jobs_of_games(games)? {
            if let Some(job) = KeptJob::try_from(job)
                .ok()
                .filter(|job| job.review().is_some())
            {
                newest.entry(job.game).or_insert(job);
            }
        }
        Ok(newest)
    }

    /// Keeps a puzzle, with the themes that its moves have; returns its number, and whether it is
    /// new. `place`: a game and the half-moves before the solver's mistake in it.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn keep_puzzle(
        &self,
        mut puzzle: Puzzle,
        origin: &str,
        place: Option<(i64, i64)>,
    ) -> Result<(i64, bool), LibraryError> {
        if puzzle.themes.is_empty() {
            puzzle.tag();
        }
        let document = serde_json::to_string(&puzzle.document())?;
        let themes = puzzle.theme_names();
        let (key, rating) = (puzzle.key(), puzzle.rating);
        let new = NewPuzzle {
            key,
            origin,
            rating,
            themes: &themes,
            place,
            document: &document,
        };
        Ok(self.store.keep_puzzle(new)?)
    }
}
