//! Deletion of games of a library.

use std::collections::BTreeSet;

use centipawn_review::rooms::DeleteWish;
use centipawn_store::{Deleted, StoreError};

use super::{GameFilter, Library, LibraryError};

/// What a deletion deletes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deletion {
    /// Numbers of the games.
    pub games: Vec<i64>,
    /// The number of the batch that is deleted with them.
    pub batch: Option<i64>,
    /// What is deleted with the games.
    pub counts: Deleted,
}

impl Library {
    /// Finds and counts what a deletion deletes. Nothing changes.
    ///
    /// # Errors
    ///
    /// [`LibraryError`] if the store cannot be read, or has no such game, batch or player.
    pub fn plan_deletion(&self, wish: &DeleteWish) -> Result<Deletion, LibraryError> {
        let mut batch = None;
        let games = match wish {
            DeleteWish::Games(games) => {
                for game in games {
                    if self.store.game(*game)?.is_none() {
                        return Err(LibraryError::Missing(format!("game {game}")));
                    }
                }
                games.clone()
            }
            DeleteWish::Batch(id) => {
                if self.store.batch(*id)?.is_none() {
                    return Err(LibraryError::Missing(format!("batch {id}")));
                }
                batch = Some(*id);
                self.only_in_batch(*id)?
            }
            DeleteWish::Player(player) => {
                let filter = GameFilter {
                    player: player.clone(),
                    ..GameFilter::default()
                };
                let games = self.select_games(&filter)?.games;
                if games.is_empty() {
                    return Err(LibraryError::Missing(format!("game of {player:?}")));
                }
                games
            }
        };
        let counts = self.store.would_delete(&games)?;
        Ok(Deletion {
            games,
            batch,
            counts,
        })
    }

    /// Deletes games with their findings, reviews, puzzles and attempts. Returns what was deleted.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn delete(&self, deletion: &Deletion) -> Result<Deleted, StoreError> {
        let deleted = self.store.delete_games(&deletion.games)?;
        if let Some(batch) = deletion.batch {
            self.store.delete_batch(batch)?;
        }
        Ok(deleted)
    }

    /// Returns the games of a batch that are in no other batch.
    fn only_in_batch(&self, id: i64) -> Result<Vec<i64>, StoreError> {
        let games_of = |batch: i64| -> Result<BTreeSet<i64>, StoreError> {
            let mut games = BTreeSet::new();
            for job in self.store.batch_members(batch)? {
                games.extend(self.store.job(job)?.map(|job| job.game));
            }
            Ok(games)
        };
        let mut games = games_of(id)?;
        for other in self.store.batches(i64::MAX)? {
            if other.id != id {
                for game in games_of(other.id)? {
                    games.remove(&game);
                }
            }
        }
        Ok(games.into_iter().collect())
    }
}
