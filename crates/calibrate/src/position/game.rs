//! Walks through the positions of a game, each once.

use centipawn_pgn::{GameView, Merge, PlyView, rating};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Outcome};

use super::{NextMove, RatingBand, Results};

/// How many games were counted and left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionGames {
    /// Number of games whose positions are counted.
    pub counted: u64,
    /// Number of games without a result, which are left out.
    pub unfinished: u64,
    /// Number of games of other variants, such as Chess960, which are left out.
    pub other_variants: u64,
}

impl Merge for PositionGames {
    fn merge(&mut self, later: Self) {
        self.counted += later.counted;
        self.unfinished += later.unfinished;
        self.other_variants += later.other_variants;
    }
}

impl PositionGames {
    /// Counts a game. Returns its rating band and result if its positions count.
    pub fn add(&mut self, game: &GameView<'_>) -> Option<(RatingBand, Results)> {
        let Outcome::Known(outcome) = game.result() else {
            self.unfinished += 1;
            return None;
        };
        if !game.is_standard() {
            self.other_variants += 1;
            return None;
        }
        self.counted += 1;
        let elo = |name: &str| game.tag(name).and_then(|text| rating(&text));
        let mut results = Results::default();
        *match outcome.winner() {
            Some(Color::White) => &mut results.white_wins,
            None => &mut results.draws,
            Some(Color::Black) => &mut results.black_wins,
        } = 1;
        Some((RatingBand::of([elo("WhiteElo"), elo("BlackElo")]), results))
    }
}

/// Walks through games, and visits each position of a game once, at its first occurrence. It reuses
/// its memory for the next game.
#[derive(Debug, Default)]
pub struct GamePositions {
    /// An open hash table of the game's positions: their keys, each with the number of the game
    /// that wrote the entry. Entries of earlier games count as empty.
    seen: Vec<(u64, u32)>,
    game: u32,
}

impl GamePositions {
    /// Calls `visit` for each distinct position of the game in order, with its key and with the
    /// move played at its first occurrence.
    pub fn walk<'a>(
        &mut self,
        game: &GameView<'a>,
        mut visit: impl FnMut(u64, NextMove, Option<PlyView<'a>>),
    ) {
        self.begin(game.len() + 1);
        game.walk_keys(|key, ply| {
            if self.is_new(key) {
                visit(key, ply.map_or(NextMove::END, |ply| ply.uci().into()), ply);
            }
        });
    }

    fn begin(&mut self, positions: usize) {
        // Keep the table at most half full.
        let size = (2 * positions).next_power_of_two().max(1024);
        self.game = self.game.wrapping_add(1);
        if self.seen.len() < size || self.game == 0 {
            self.seen = vec![(0, 0); size.max(self.seen.len())];
            self.game = 1;
        }
    }

    fn is_new(&mut self, key: u64) -> bool {
        let mask = self.seen.len() - 1;
        let mut place = key as usize & mask;
        loop {
            match &mut self.seen[place] {
                (own, game) if *game == self.game => {
                    if *own == key {
                        return false;
                    }
                }
                free => {
                    *free = (key, self.game);
                    return true;
                }
            }
            place = (place + 1) & mask;
        }
    }
}
