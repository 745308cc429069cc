//! The user's own symbols and comments on games.

use centipawn_pgn::Game;
use centipawn_review::rooms::OwnNotes;
use centipawn_store::Store;

use super::{Library, LibraryError};

impl Library {
    /// Returns the user's own notes on a game. Notes that another version wrote, and that this one
    /// cannot read, are an error, so that they are not overwritten.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn own_notes(&self, game: &Game) -> Result<OwnNotes, LibraryError> {
        let text = self
            .store
            .find_findings(&game.to_string(), Store::OWN_NOTES)?;
        match text {
            Some(text) => Ok(serde_json::from_str(&text)?),
            None => Ok(OwnNotes::default()),
        }
    }

    /// Keeps the user's own notes on a game, and returns when they are on disk.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn keep_own_notes(&self, game: &Game, notes: &OwnNotes) -> Result<(), LibraryError> {
        let document = serde_json::to_string(notes)?;
        self.store
            .keep_findings(&game.to_string(), Store::OWN_NOTES, &document)?;
        Ok(())
    }
}
