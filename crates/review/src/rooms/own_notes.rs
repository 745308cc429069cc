//! The user's own symbols and comments on the moves of a game.

use std::{collections::BTreeMap, sync::Arc};

use centipawn_pgn::{Game, Nag};
use serde::{Deserialize, Serialize};

use super::ErrorDocument;
use crate::{Review, without_review};

/// The user's own symbols and comments on the moves of a game, by the number of the half-move, from
/// 1. They are kept apart from the game, and become annotations of its PGN.
///
/// ```
/// use centipawn_pgn::Reader;
/// use centipawn_review::rooms::{OwnNote, OwnNotes};
///
/// let pgn = "1. e4 e5 2. Qh5 { [%eval 0.1] } *";
/// let mut game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
/// let mut notes = OwnNotes::default();
/// notes.set(&game, 3, OwnNote { nags: vec![6, 15], text: "Too early.".into() }).unwrap();
/// notes.apply(&mut game);
/// assert!(game.to_string().contains("2. Qh5 $6 $15 { [%eval 0.1] } { Too early. }"), "{game}");
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct OwnNotes(BTreeMap<usize, OwnNote>);

/// The user's own symbols and comment on a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct OwnNote {
    /// The numbers of the symbols: at most one of the move (1 to 6), one of the position (10 to
    /// 21), and □ (7).
    pub nags: Vec<u8>,
    /// The comment; empty without one.
    pub text: String,
}

/// Maximum number of characters in a comment.
const LONGEST: usize = 4000;

impl OwnNotes {
    /// Returns whether there is no note.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the notes on half-moves that have none yet. Returns whether there were any.
    pub fn add(&mut self, others: Self) -> bool {
        let before = self.0.len();
        for (ply, note) in others.0 {
            self.0.entry(ply).or_insert(note);
        }
        self.0.len() > before
    }

    /// Sets the note on a half-move of a game; an empty note removes it.
    ///
    /// # Errors
    ///
    /// Why the note is refused.
    pub fn set(&mut self, game: &Game, ply: usize, note: OwnNote) -> Result<(), ErrorDocument> {
        if !(1..=game.plies.len()).contains(&ply) {
            return Err(ErrorDocument::new(
                format!("the game has no half-move {ply}"),
                "Choose a move of the game.",
            ));
        }
        let note = note.checked()?;
        if note == OwnNote::default() {
            self.0.remove(&ply);
        } else {
            self.0.insert(ply, note);
        }
        Ok(())
    }

    /// Writes the notes into the game of a review, without what an earlier review wrote there. The
    /// user is the annotator, so the user's symbols stay, and a later review of the file knows
    /// whose they are.
    pub fn annotate(&self, review: &mut Review) {
        if !self.is_empty() {
            let mut game = without_review(&review.game);
            self.apply(&mut game);
            review.judgement.game = Arc::new(game);
        }
    }

    /// Writes the notes into a game: symbols replace others of the same kind, a comment follows the
    /// comments of the move. Notes on moves that the game lacks are left out.
    pub fn apply(&self, game: &mut Game) {
        for (number, note) in &self.0 {
            let Some(ply) = number
                .checked_sub(1)
                .and_then(|index| game.plies.get_mut(index))
            else {
                continue;
            };
            for nag in &note.nags {
                ply.set_nag(Nag(*nag));
            }
            if !note.text.is_empty() && !ply.comments.contains(&note.text) {
                ply.comments.push(note.text.clone());
            }
        }
    }
}

impl OwnNote {
    /// Returns the note without blanks at the ends of its text.
    fn checked(self) -> Result<Self, ErrorDocument> {
        let text = self.text.trim().to_owned();
        if text.chars().count() > LONGEST {
            return Err(ErrorDocument::new(
                format!("a comment has at most {LONGEST} characters"),
                "Shorten it.",
            ));
        }
        // A comment of PGN ends at the first brace, and text in brackets with % is for programs.
        if text.contains(['{', '}']) || text.contains("[%") {
            return Err(ErrorDocument::new(
                "a comment cannot contain { or } or [%",
                "Use other brackets.",
            ));
        }
        if let Some(nag) = self.nags.iter().find(|nag| !matches!(nag, 1..=7 | 10..=21)) {
            return Err(ErrorDocument::new(
                format!("${nag} is no symbol of a move or a position"),
                "Choose one of the list.",
            ));
        }
        let kinds = |nags: std::ops::RangeInclusive<u8>| {
            self.nags.iter().filter(|nag| nags.contains(nag)).count()
        };
        if kinds(1..=6) > 1 || kinds(7..=7) > 1 || kinds(10..=21) > 1 {
            return Err(ErrorDocument::new(
                "a move has at most one symbol of each kind",
                "Choose one.",
            ));
        }
        Ok(Self { text, ..self })
    }
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::Reader;

    use super::*;

    fn game() -> Game {
        let pgn = "1. e4 $2 { bold } e5 *";
        Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap()
    }

    fn note(nags: &[u8], text: &str) -> OwnNote {
        OwnNote {
            nags: nags.to_vec(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn notes_replace_symbols_of_their_kind_and_add_comments() {
        let (mut game, mut notes) = (game(), OwnNotes::default());
        notes.set(&game, 1, note(&[1, 14], "  good  ")).unwrap();
        notes.set(&game, 2, note(&[7], "")).unwrap();
        notes.apply(&mut game);
        notes.apply(&mut game);
        assert_eq!(game.plies[0].nags, [1, 14].map(Nag));
        assert_eq!(game.plies[0].comments, ["bold", "good"]);
        assert_eq!(game.plies[1].nags, [Nag(7)]);
        notes.set(&game, 1, note(&[], " ")).unwrap();
        notes.set(&game, 2, note(&[], "")).unwrap();
        assert!(notes.is_empty());
    }

    #[test]
    fn notes_that_no_pgn_can_hold_are_refused() {
        let (game, mut notes) = (game(), OwnNotes::default());
        for (ply, note) in [
            (0, note(&[1], "")),
            (3, note(&[1], "")),
            (1, note(&[1, 2], "")),
            (1, note(&[10, 20], "")),
            (1, note(&[146], "")),
            (1, note(&[], "a } b")),
            (1, note(&[], "[%eval 3]")),
            (1, note(&[], &"x".repeat(4001))),
        ] {
            assert!(notes.set(&game, ply, note.clone()).is_err(), "{note:?}");
        }
        assert!(notes.is_empty());
    }
}
