//! Counts of one position.

use std::collections::BTreeMap;

use centipawn_core::{Eval, White};
use centipawn_pgn::{GameView, Merge, ScanOptions, ScanReport, Sources, Unreadable, eval_units, position_key, scan};
use serde::{Deserialize, Serialize};
use shakmaty::Chess;

use super::{NextMove, PositionGames, RatingBand};

/// Results of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// Games that White won.
    pub white_wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that Black won.
    pub black_wins: u64,
}

impl Results {
    /// All games.
    pub fn games(self) -> u64 {
        self.white_wins + self.draws + self.black_wins
    }
}

impl Merge for Results {
    fn merge(&mut self, later: Self) {
        self.white_wins += later.white_wins;
        self.draws += later.draws;
        self.black_wins += later.black_wins;
    }
}

/// Games with one position, one next move and one rating band: a row of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionRow {
    /// The position's key, see [`position_key`].
    pub key: u64,
    /// The move that was played.
    pub mv: NextMove,
    /// The mean rating of both players.
    pub band: RatingBand,
    /// Results.
    pub results: Results,
}

impl PositionRow {
    /// Rows of an index are sorted by this, and no two have the same.
    pub fn order(&self) -> (u64, NextMove, RatingBand) {
        (self.key, self.mv, self.band)
    }
}

/// How often evaluations occur in comments, in centipawns for White; a mate counts as [`MATE`].
pub(super) type Evals = BTreeMap<i32, u64>;

/// Beyond this, centipawns count as this many.
const MOST: i32 = 9_999;
/// A mate.
const MATE: i32 = 10_000;
const NEGATIVE_MATE: i32 = -MATE;

/// Counts of one position, by the move that was played there and by rating. A game counts once, with the move played at the first
/// occurrence of the position. Counts of parts of the games [merge](Merge::merge).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionCounts {
    pub(super) rows: BTreeMap<(NextMove, RatingBand), Results>,
    /// Evaluations of the position, and of the position after each move.
    pub(super) evals: Evals,
    pub(super) evals_after: BTreeMap<NextMove, Evals>,
    /// The games that were searched.
    pub games: PositionGames,
}

impl PositionCounts {
    /// Finds a position in games, on all cores. A position is what its [key](position_key) says: transpositions count.
    ///
    /// # Errors
    ///
    /// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
    pub fn count(
        sources: &Sources,
        options: &ScanOptions<'_>,
        position: &Chess,
    ) -> Result<(Self, ScanReport), Unreadable> {
        let key = position_key(position);
        scan(sources, options, Self::default, |counts: &mut Self, game| counts.add_game(game, key))
    }

    fn add_game(&mut self, game: &GameView<'_>, wanted: u64) {
        let Some((band, results)) = self.games.add(game) else { return };
        let mut found = None;
        game.walk_keys(|key, ply| {
            if key == wanted && found.is_none() {
                found = Some((
                    ply.map_or(NextMove::END, |ply| ply.uci().into()),
                    ply.map_or(game.len(), |ply| ply.index()),
                ));
            }
        });
        let Some((mv, index)) = found else { return };
        self.add(mv, band, results);
        let eval_after = |index: Option<usize>| {
            let eval = game.ply(index?)?.eval(game.dialect())?;
            Some(centipawns(eval, eval_units(|name| game.tag(name), game.dialect())))
        };
        if let Some(eval) = eval_after(index.checked_sub(1)) {
            *self.evals.entry(eval).or_default() += 1;
        }
        if let Some(eval) = eval_after(Some(index)) {
            *self.evals_after.entry(mv).or_default().entry(eval).or_default() += 1;
        }
    }

    /// No games with the position yet, of these games.
    pub fn of(games: PositionGames) -> Self {
        Self { games, ..Self::default() }
    }

    /// Adds games with the same next move in the same rating band: a row of an index.
    pub fn add(&mut self, mv: NextMove, band: RatingBand, results: Results) {
        self.rows.entry((mv, band)).or_default().merge(results);
    }

    /// The rows: move, rating band, results.
    pub fn rows(&self) -> impl Iterator<Item = (NextMove, RatingBand, Results)> {
        self.rows.iter().map(|((mv, band), results)| (*mv, *band, *results))
    }
}

impl Merge for PositionCounts {
    fn merge(&mut self, later: Self) {
        for ((mv, band), results) in later.rows {
            self.add(mv, band, results);
        }
        let add = |own: &mut Evals, later: Evals| {
            for (eval, count) in later {
                *own.entry(eval).or_default() += count;
            }
        };
        add(&mut self.evals, later.evals);
        for (mv, evals) in later.evals_after {
            add(self.evals_after.entry(mv).or_default(), evals);
        }
        self.games.merge(later.games);
    }
}

/// The centipawns of an evaluation in this unit.
fn centipawns(eval: Eval<White>, units: f64) -> i32 {
    match (eval.pawns(), eval.mate_moves()) {
        (Some(pawns), _) => ((100.0 * pawns / units).round() as i32).clamp(-MOST, MOST),
        (None, Some(moves)) if moves > 0 => MATE,
        _ => NEGATIVE_MATE,
    }
}

/// The median of evaluations, and their number; `None` if there are none. Of two in the middle, the lower one.
pub(super) fn median(evals: &Evals) -> Option<(Eval<White>, u64)> {
    let all: u64 = evals.values().sum();
    let mut before = 0;
    let middle = evals.iter().find(|(_, count)| {
        before += **count;
        2 * before >= all
    });
    let eval = match *middle?.0 {
        MATE => Eval::mate(1),
        NEGATIVE_MATE => Eval::mate(-1),
        cp => Eval::cp(cp),
    };
    Some((eval, all))
}
