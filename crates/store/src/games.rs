//! Games and their reviews.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};
use sqlx::Row as _;

use crate::{Store, StoreError};

impl Store {
    /// Stores a game, as PGN text, with a review of it. `settings` are the analyst and the options, `document` is the result; both
    /// are JSON. A stored review of the same game with the same settings is replaced.
    ///
    /// Returns when the review is on disk.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be written.
    pub fn keep_review(&self, pgn: &str, settings: &str, document: &str) -> Result<(), StoreError> {
        let session = &self.database.session;
        let pgn = &*storable(pgn);
        let key = &key(pgn);
        let kept = self.database.block_on(session.patiently(|| async {
            let mut connection = session.pool.acquire().await?;
            sqlx::query("INSERT INTO game (key, pgn) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                .bind(key.as_slice())
                .bind(pgn)
                .execute(&mut *connection)
                .await?;
            sqlx::query(
                "INSERT INTO review (game, settings, document) SELECT id, $2, $3 FROM game WHERE key = $1 \
                 ON CONFLICT (game, settings) DO UPDATE SET document = excluded.document",
            )
            .bind(key.as_slice())
            .bind(settings)
            .bind(document)
            .execute(&mut *connection)
            .await
        }));
        kept.map(|_| ()).map_err(session.failed("keep a review"))
    }

    /// The document of this game's review with these settings; `None` if there is none. Both texts must equal the stored ones.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot be read.
    pub fn find_review(&self, pgn: &str, settings: &str) -> Result<Option<String>, StoreError> {
        let session = &self.database.session;
        let key = key(&storable(pgn));
        let found = self.database.wait_for(
            sqlx::query(
                "SELECT document FROM review JOIN game ON game.id = review.game WHERE game.key = $1 AND settings = $2",
            )
            .bind(key.as_slice())
            .bind(settings)
            .fetch_optional(&session.pool),
        );
        let document = found.and_then(|row| row.map(|row| row.try_get(0)).transpose());
        document.map_err(session.failed("be read"))
    }
}

/// A text of a user as both databases can hold it: PostgreSQL refuses the character 0, which stands for nothing anyway.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}").into() } else { text.into() }
}

pub(crate) fn key(pgn: &str) -> Vec<u8> {
    Sha256::digest(pgn.as_bytes()).to_vec()
}
