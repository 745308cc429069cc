//! The conventions by which programs write evaluations into comments.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shakmaty::Color;

use crate::{
    Described, Game,
    annotation::{has_eval_command, recognise, with_point},
};

/// A convention for writing evaluations into comments. Clocks (`[%clk]`, `[%emt]`) and `[%wdl]` are
/// read in every dialect.
///
/// ```
/// use centipawn_pgn::Dialect;
///
/// assert_eq!("fishtest".parse(), Ok(Dialect::Engine));
/// assert_eq!(Dialect::Engine.to_string(), "engine");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Each comment is read in the dialect it looks like. Detecting the dialect of a whole file is
    /// more reliable: [`Dialect::detect`].
    #[default]
    Auto,
    /// `[%eval 0.17]`, `[%eval #-3]`, `[%eval -106,29]`, `[%eval -6.64/23]`: Lichess, ChessBase,
    /// Scid. White's view, the position after the move. Numbers with a decimal point are pawns,
    /// others centipawns.
    Commands,
    /// `+0.98/25 11s`, `+M29/53 0.45s`, `+0.24 28/40 2700 12345`, `31/10 12ms`, `+0.98/25 1:05`:
    /// cutechess, fastchess, fishtest, OpenBench, c-chess-cli, XBoard. The mover's view, the
    /// position before the move; `M` counts plies.
    Engine,
    /// `d=38, wv=-M57`, `ev=0.24`: TCEC. White's view, the position before the move; `M` counts
    /// plies.
    Tcec,
    /// `0.79/19`, `20:+0.34`, `+0.13`, `(0.36 → -0.36) …`, `INACCURACY (+0.81)`:
    /// python-chess-annotator, Scid, chess-artist, Lichess' text, Chess.com's reviews. White's
    /// view, the position after the move; `M` counts moves.
    Text,
}

impl Dialect {
    /// Every dialect, `Auto` first.
    pub const ALL: [Self; 5] = [
        Self::Auto,
        Self::Commands,
        Self::Engine,
        Self::Tcec,
        Self::Text,
    ];

    /// Detects the dialect of a file from some of its games; [`Auto`](Self::Auto) if their comments
    /// have no evaluations.
    pub fn detect<'a>(games: impl IntoIterator<Item = &'a Game>) -> Self {
        let mut detector = Detector::default();
        for ply in games.into_iter().flat_map(|game| &game.plies) {
            for comment in &ply.comments {
                detector.see(comment.as_bytes());
            }
        }
        detector.dialect()
    }

    /// Returns the position that evaluations in this dialect describe; `None` if each comment may
    /// describe another ([`Auto`](Self::Auto)).
    pub fn described(self) -> Option<Described> {
        match self {
            Self::Engine | Self::Tcec => Some(Described::Before),
            Self::Commands | Self::Text => Some(Described::After),
            Self::Auto => None,
        }
    }

    /// Returns the dialect's name, which [`FromStr`] reads back.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Names of this dialect; the first is used for output.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Auto => &["auto"],
            Self::Commands => &["commands", "lichess", "chessbase", "scid"],
            Self::Engine => &[
                "engine",
                "cutechess",
                "fastchess",
                "fishtest",
                "openbench",
                "c-chess-cli",
                "xboard",
            ],
            Self::Tcec => &["tcec"],
            Self::Text => &["text", "annotator", "chess-artist", "chess.com"],
        }
    }
}

impl Serialize for Dialect {
    /// Writes the dialect's name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Dialect {
    /// Accepts any of the dialect's names.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.names()[0])
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    /// Accepts a dialect's name or the name of a program that uses it, ignoring case.
    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        Self::ALL
            .into_iter()
            .find(|dialect| {
                dialect
                    .names()
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(name))
            })
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// The text is not the name of a dialect; it holds the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no dialect of evaluations; give one of auto, commands (lichess, chessbase, scid), \
     engine (cutechess, fastchess, fishtest, openbench, c-chess-cli, xboard), tcec, text (annotator, chess-artist, chess.com)"
)]
pub struct UnknownDialect(pub String);

/// Detects the [`Dialect`] of a file from its comments.
///
/// Each comment counts as a vote for the dialect it looks like, and the majority wins. So
/// `+0.98/25` without a time, taken as White's view on its own, becomes the mover's view in a file
/// whose other comments have times. Where engine evaluations have an `[%eval …]` beside them, a
/// tool has added these, and the file's dialect is the engine's regardless of their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detector {
    votes: [u32; Dialect::ALL.len()],
    /// Comments of each dialect that have an `[%eval …]` beside the engine's evaluation.
    added_to: [u32; Dialect::ALL.len()],
}

impl Detector {
    /// Adds a comment that follows a move.
    pub(crate) fn see(&mut self, comment: &[u8]) {
        let point = with_point(comment);
        if let Some((_, dialect)) = recognise(point.as_deref().unwrap_or(comment), Color::White) {
            self.votes[dialect as usize] += 1;
            if matches!(dialect, Dialect::Engine | Dialect::Tcec) && has_eval_command(comment) {
                self.added_to[dialect as usize] += 1;
            }
        }
    }

    /// Returns the dialect of most comments seen; [`Dialect::Auto`] if none has an evaluation.
    pub(crate) fn dialect(&self) -> Dialect {
        // Return the first of equals, unlike `max_by_key`, which returns the last.
        let most = |votes: &[u32; Dialect::ALL.len()]| {
            let dialects = Dialect::ALL.into_iter().rev();
            dialects
                .max_by_key(|&dialect| votes[dialect as usize])
                .unwrap_or_default()
        };
        match most(&self.votes) {
            Dialect::Commands if self.added_to.iter().any(|&votes| votes > 0) => {
                most(&self.added_to)
            }
            dialect => dialect,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_of_comments_wins() {
        let detected = |comments: &[&str]| {
            let mut detector = Detector::default();
            comments
                .iter()
                .for_each(|comment| detector.see(comment.as_bytes()));
            detector.dialect()
        };
        assert_eq!(
            detected(&["book", "0.10/5", "+0.98/25 11s", "-0.98/24 2.5s"]),
            Dialect::Engine
        );
        assert_eq!(detected(&["0.79/19", "0.70/19"]), Dialect::Text);
        assert_eq!(
            detected(&["(0.36 → -0.36) Mistake. [%eval -0.36]", "[%eval 0.1]"]),
            Dialect::Commands
        );
        assert_eq!(
            detected(&["d=33, wv=0.15, ", "d=3, ev=1.00"]),
            Dialect::Tcec
        );
        assert_eq!(
            detected(&[
                "[%eval 0.1] book",
                "[%eval 0.2] book",
                "[%eval 0.3] +0.98/25 11s"
            ]),
            Dialect::Engine
        );
        assert_eq!(
            detected(&["a novelty", "[%clk 0:01:00]", "1/2", "12:30"]),
            Dialect::Auto
        );
    }

    #[test]
    fn names_read_back() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
            for name in dialect.names() {
                assert_eq!(name.to_uppercase().parse(), Ok(dialect));
                assert!(UnknownDialect(String::new()).to_string().contains(name));
            }
        }
        assert_eq!(Dialect::from_str("x"), Err(UnknownDialect("x".to_owned())));
    }
}
