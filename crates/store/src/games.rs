//! Games and their findings.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};
use sqlx::{Row as _, any::AnyRow};

use crate::{Store, StoreError};

/// A game of the store, with the data for a list of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptGame {
    /// Number of the game, from 1.
    pub id: i64,
    /// The line that lists show, as JSON; `None` until it is [stored](Store::note_game_lines).
    pub line: Option<String>,
    /// The PGN text; `None` if `line` is known.
    pub pgn: Option<String>,
}

impl Store {
    /// Returns at most `most` games with numbers above `id`, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn games_after(&self, id: i64, most: i64) -> Result<Vec<KeptGame>, StoreError> {
        let session = &self.database.session;
        let query = sqlx::query(
            "SELECT id, line, CASE WHEN line IS NULL THEN pgn END FROM game WHERE id > $1 \
             ORDER BY id LIMIT $2",
        );
        let found = self
            .database
            .block_on(query.bind(id).bind(most).fetch_all(&session.pool));
        let games = found.and_then(|rows| {
            let game = |row: &AnyRow| {
                Ok(KeptGame {
                    id: row.try_get(0)?,
                    line: row.try_get(1)?,
                    pgn: row.try_get(2)?,
                })
            };
            rows.iter().map(game).collect()
        });
        games.map_err(session.failed("be read"))
    }

    /// Stores the lines that lists show, as pairs of a game's number and its line.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn note_game_lines(&self, lines: &[(i64, String)]) -> Result<(), StoreError> {
        let session = &self.database.session;
        let noted = self.database.block_on(session.transact(async |connection| {
            for (id, line) in lines {
                let update = sqlx::query("UPDATE game SET line = $2 WHERE id = $1")
                    .bind(id)
                    .bind(&**line);
                update.execute(&mut *connection).await?;
            }
            Ok(())
        }));
        noted.map_err(session.failed("keep a game"))
    }

    /// The settings under which the findings of a game are the user's own symbols and comments.
    /// Reviews have an object as their settings.
    pub const OWN_NOTES: &'static str = "own notes";

    /// Stores a game, as PGN text, with its findings. `settings` describes the analyst and the
    /// options, `document` contains the findings; both are JSON. Earlier findings of the same game
    /// with the same settings are replaced.
    ///
    /// Returns when the findings are on disk.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be written.
    pub fn keep_findings(
        &self,
        pgn: &str,
        settings: &str,
        document: &str,
    ) -> Result<(), StoreError> {
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
                "INSERT INTO findings (game, settings, document) SELECT id, $2, $3 FROM game \
                 WHERE key = $1 \
                 ON CONFLICT (game, settings) DO UPDATE SET document = excluded.document",
            )
            .bind(key.as_slice())
            .bind(settings)
            .bind(document)
            .execute(&mut *connection)
            .await
        }));
        kept.map(|_| ()).map_err(session.failed("keep findings"))
    }

    /// Returns the findings of this game with these settings; `None` if there are none.
    /// Both texts must be equal to the stored ones.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be read.
    pub fn find_findings(&self, pgn: &str, settings: &str) -> Result<Option<String>, StoreError> {
        let session = &self.database.session;
        let key = key(&storable(pgn));
        let found = self.database.block_on(session.patiently(|| {
            sqlx::query(
                "SELECT document FROM findings JOIN game ON game.id = findings.game \
                 WHERE game.key = $1 AND settings = $2",
            )
            .bind(key.as_slice())
            .bind(settings)
            .fetch_optional(&session.pool)
        }));
        let document = found.and_then(|row| row.map(|row| row.try_get(0)).transpose());
        document.map_err(session.failed("be read"))
    }
}

/// Replaces the character 0 in a user's text, because PostgreSQL cannot store it.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        text.replace('\0', "\u{FFFD}").into()
    } else {
        text.into()
    }
}

pub(crate) fn key(pgn: &str) -> Vec<u8> {
    Sha256::digest(pgn.as_bytes()).to_vec()
}
