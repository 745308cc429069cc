//! The letters that name pieces, in several languages.

use std::fmt;

use centipawn_progress::{Problem, text::plural};
use serde::{Deserialize, Serialize};

use crate::{
    spelling::is_null,
    token::{Token, Tokenizer, looks_like_move},
};

/// The letters that name the pieces in a game's moves.
///
/// PGN uses English letters. Files of clubs often use those of their language. A game is read with
/// them if its whole main line makes sense with them, but not with the English ones.
///
/// ```
/// use centipawn_pgn::{Letters, Reader};
///
/// let game = Reader::new(&b"1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 *"[..]).next().unwrap()?.unwrap();
/// assert_eq!((game.letters, game.plies.len()), (Letters::German, 6));
/// assert!(game.to_string().contains("2. Nf3 Nc6 3. Bb5"));
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Letters {
    /// `K Q R B N`.
    #[default]
    English,
    /// `K D T L S`.
    German,
    /// `R D T F C`.
    French,
    /// `R D T A C`.
    Spanish,
    /// `♔ ♕ ♖ ♗ ♘`, and the black ones.
    Figurine,
}

impl Letters {
    /// All but the English ones, in the order in which they are tried.
    pub(crate) const FOREIGN: [Self; 4] =
        [Self::German, Self::French, Self::Spanish, Self::Figurine];

    /// Returns the letters, each with the English one.
    fn table(self) -> &'static [(&'static str, u8)] {
        match self {
            Self::English => &[
                ("K", b'K'),
                ("Q", b'Q'),
                ("R", b'R'),
                ("B", b'B'),
                ("N", b'N'),
            ],
            Self::German => &[
                ("K", b'K'),
                ("D", b'Q'),
                ("T", b'R'),
                ("L", b'B'),
                ("S", b'N'),
            ],
            Self::French => &[
                ("R", b'K'),
                ("D", b'Q'),
                ("T", b'R'),
                ("F", b'B'),
                ("C", b'N'),
            ],
            Self::Spanish => &[
                ("R", b'K'),
                ("D", b'Q'),
                ("T", b'R'),
                ("A", b'B'),
                ("C", b'N'),
            ],
            Self::Figurine => &[
                ("♔", b'K'),
                ("♕", b'Q'),
                ("♖", b'R'),
                ("♗", b'B'),
                ("♘", b'N'),
                ("♙", b'P'),
                ("♚", b'K'),
                ("♛", b'Q'),
                ("♜", b'R'),
                ("♝", b'B'),
                ("♞", b'N'),
                ("♟", b'P'),
            ],
        }
    }

    /// Returns the piece at the beginning of `text`: its English letter, and the number of bytes
    /// here.
    pub(crate) fn piece(self, text: &[u8]) -> Option<(u8, usize)> {
        let found = self
            .table()
            .iter()
            .find(|(letter, _)| text.starts_with(letter.as_bytes()))?;
        Some((found.1, found.0.len()))
    }

    /// Returns the move in English letters; `None` if it has a letter that these letters lack.
    pub(crate) fn english(self, text: &[u8]) -> Option<Vec<u8>> {
        if is_null(text) {
            return Some(text.to_owned());
        }
        let mut english = Vec::with_capacity(text.len());
        let mut rest = text;
        match self.piece(text) {
            Some((letter, length)) => {
                english.push(letter);
                rest = &text[length..];
            }
            None if text.first().is_some_and(u8::is_ascii_uppercase) && !text.starts_with(b"O") => {
                return None;
            }
            None => {}
        }
        let promotion = self
            .table()
            .iter()
            .find_map(|&(letter, to)| Some((rest.strip_suffix(letter.as_bytes())?, to)));
        match promotion {
            Some((before, to)) if !before.is_empty() => {
                english.extend_from_slice(before);
                english.push(to);
            }
            _ if rest.last().is_some_and(u8::is_ascii_uppercase) && !text.starts_with(b"O") => {
                return None;
            }
            _ => english.extend_from_slice(rest),
        }
        Some(english)
    }

    /// Returns whether the game at `begin` has words that look like moves with letters that English
    /// lacks.
    pub(crate) fn are_foreign(text: &[u8], begin: usize) -> bool {
        const LETTERS: &[u8] = b"DTLSFCA";
        let mut tokens = Tokenizer::starting_at(text, begin);
        tokens.next_game();
        Iterator::any(&mut tokens, |token| match token {
            Token::Unknown(word) => {
                let piece = LETTERS.contains(&word[0]) || Self::Figurine.piece(word).is_some();
                piece && looks_like_move(word)
            }
            Token::Move(word) => word.last().is_some_and(|last| LETTERS.contains(last)),
            _ => false,
        })
    }
}

impl Letters {
    /// Reports that this number of games have these letters.
    pub(crate) fn notice(self, games: u64) -> Problem {
        let (have, are) = if games == 1 {
            ("has", "is")
        } else {
            ("have", "are")
        };
        Problem::warning(format_args!(
            "{} {have} {self} and {are} read so",
            plural(games, "game")
        ))
    }
}

impl fmt::Display for Letters {
    /// Returns the letters as part of a sentence: `German piece letters (K D T L S)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::English => "English piece letters (K Q R B N)",
            Self::German => "German piece letters (K D T L S)",
            Self::French => "French piece letters (R D T F C)",
            Self::Spanish => "Spanish piece letters (R D T A C)",
            Self::Figurine => "figurines (♔ ♕ ♖ ♗ ♘)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;

    #[test]
    fn moves_in_english() {
        let english = |letters: Letters, text: &str| {
            letters
                .english(text.as_bytes())
                .map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        for (letters, text, expected) in [
            (Letters::German, "Sf3", Some("Nf3")),
            (Letters::German, "exd8=D", Some("exd8=Q")),
            (Letters::German, "e8S", Some("e8N")),
            (Letters::German, "Nf3", None),
            (Letters::German, "e8=Q", None),
            (Letters::French, "Rxg1", Some("Kxg1")),
            (Letters::Spanish, "Axd5", Some("Bxd5")),
            (Letters::Figurine, "♞bd7", Some("Nbd7")),
            (Letters::Figurine, "a1=♛", Some("a1=Q")),
            (Letters::French, "O-O", Some("O-O")),
            (Letters::Spanish, "0-0-0", Some("0-0-0")),
        ] {
            assert_eq!(english(letters, text).as_deref(), expected, "{text}");
        }
    }

    /// Reads one game in the letters of every language, with captures, checks, castling, a
    /// promotion, comments and a variation.
    #[test]
    fn a_game_in_every_language() {
        let english =
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 (3. Bb5 a6 4. Ba4) Bc5 4. O-O Nf6 5. d3 d6 6. Kh1 {Nf3?} Qe7 7. Re1 h5 \
                       8. Nh4 h5g4 *"
                .replace(
                    "h5g4",
                    "Ng4 9. Qxg4 hxg4 10. g3 Rxh4+ 11. gxh4 g3 12. Kg1 gxf2+ 13. Kf1 Bh3+ 14. Ke2 fxe1=Q+",
                );
        let translated = |letters: [&str; 5]| {
            let mut text = String::new();
            let mut in_comment = false;
            for (at, char) in english.char_indices() {
                in_comment = (in_comment || char == '{') && char != '}';
                let index = "KQRBN".find(char).filter(|_| !in_comment);
                match index {
                    Some(index) if at > 0 => text.push_str(letters[index]),
                    _ => text.push(char),
                }
            }
            text
        };
        let read = |text: &str| {
            Reader::new(text.as_bytes())
                .next()
                .unwrap()
                .unwrap()
                .unwrap()
        };
        let game = read(&english);
        assert_eq!(
            (game.letters, game.plies.len(), &game.warnings[..]),
            (Letters::English, 28, &[][..])
        );
        for (letters, table) in [
            (Letters::German, ["K", "D", "T", "L", "S"]),
            (Letters::French, ["R", "D", "T", "F", "C"]),
            (Letters::Spanish, ["R", "D", "T", "A", "C"]),
            (Letters::Figurine, ["♔", "♕", "♖", "♗", "♘"]),
            (Letters::Figurine, ["♚", "♛", "♜", "♝", "♞"]),
        ] {
            let same = read(&translated(table));
            assert_eq!(
                (same.letters, &same.plies),
                (letters, &game.plies),
                "{}",
                translated(table)
            );
        }
    }

    #[test]
    fn letters_are_not_mixed() {
        for text in [
            "1. Nf3 d5 2. Sc3 d4 *",
            "1. Sf3 d5 2. Cc3 d4 *",
            "1. e4 e5 2. Ke3 *",
            "1. Sf3 e9 2. Sc3 *",
        ] {
            assert!(
                Reader::new(text.as_bytes())
                    .next()
                    .unwrap()
                    .unwrap()
                    .is_err(),
                "{text}"
            );
        }
    }
}
