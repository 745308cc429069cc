//! The result of one piece of a source.

use std::{collections::BTreeMap, io};

use super::ScanOptions;
use crate::{GameError, Letters};

/// The result of one piece of a source.
pub(super) struct Tally<S> {
    pub(super) state: Option<S>,
    /// Whether the piece begins inside a file.
    pub(super) entered: bool,
    /// Offset of the first game of the piece.
    pub(super) offset: u64,
    /// Offset of the first game after the piece.
    pub(super) end: u64,
    /// Games of any part, and lines.
    pub(super) counted: u64,
    pub(super) lines: u64,
    pub(super) games: u64,
    pub(super) plies: u64,
    pub(super) text: u64,
    /// Number of bytes read of the file.
    pub(super) bytes: u64,
    pub(super) kinds: BTreeMap<&'static str, u64>,
    /// Readable games with parts that cannot be read, and those parts by kind.
    pub(super) flawed: u64,
    pub(super) flaws: BTreeMap<&'static str, u64>,
    /// Number of games by the letters of the pieces; games with English letters are left out.
    pub(super) letters: BTreeMap<Letters, u64>,
    /// The first errors; their games and lines count from the beginning of the piece.
    pub(super) errors: Vec<Trouble>,
    /// Number of errors passed on.
    pub(super) listed: usize,
    /// The error after which no more of the source can be read.
    pub(super) broken: Option<io::Error>,
}

impl<S> Default for Tally<S> {
    fn default() -> Self {
        Self {
            state: None,
            entered: false,
            offset: u64::MAX,
            end: 0,
            counted: 0,
            lines: 0,
            games: 0,
            plies: 0,
            text: 0,
            bytes: 0,
            kinds: BTreeMap::new(),
            flawed: 0,
            flaws: BTreeMap::new(),
            letters: BTreeMap::new(),
            errors: Vec::new(),
            listed: 0,
            broken: None,
        }
    }
}

/// The problem with a game.
pub(super) struct Trouble {
    pub(super) error: GameError,
    /// Whether the whole game is skipped, or only the unreadable part of it.
    pub(super) skips_game: bool,
}

impl<S> Tally<S> {
    /// Records an error in the last game counted, which begins after the lines counted.
    pub(super) fn error(&mut self, error: GameError) {
        *self.kinds.entry(error.kind.name()).or_default() += 1;
        self.list(error, true);
    }

    /// Records a problem of the last game counted, which was readable.
    pub(super) fn warnings(&mut self, warnings: Vec<GameError>) {
        self.flawed += 1;
        for warning in warnings {
            *self.flaws.entry(warning.kind.name()).or_default() += 1;
            self.list(warning, false);
        }
    }

    fn list(&mut self, mut error: GameError, skips_game: bool) {
        if self.errors.len() < ScanOptions::ERRORS_LISTED {
            error.game = self.counted;
            error.line += self.lines;
            self.errors.push(Trouble { error, skips_game });
        }
    }
}
