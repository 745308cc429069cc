//! Counts of one position.

use std::collections::BTreeMap;

use centipawn_core::{Eval, White};
use centipawn_pgn::{
    GameView, Merge, ScanOptions, ScanReport, Sources, Unreadable, eval_units, position_key, scan,
};
use serde::{Deserialize, Serialize};
use shakmaty::Chess;

use super::{NextMove, PositionGames, RatingBand};

/// Numbers of games by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// Number of games that White won.
    pub white_wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games that Black won.
    pub black_wins: u64,
}

impl Results {
    /// Returns the number of games.
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

/// The number of games with one position, one next move and one rating band: a row of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionRow {
    /// The position's key: see [`position_key`].
    pub key: u64,
    /// The move that was played.
    pub mv: NextMove,
    /// The band of the players' mean rating.
    pub band: RatingBand,
    /// The results of these games.
    pub results: Results,
}

impl PositionRow {
    /// Returns the key by which rows of an index are sorted. No two rows have the same.
    pub fn order(&self) -> (u64, NextMove, RatingBand) {
        (self.key, self.mv, self.band)
    }
}

/// Number of comments by evaluation, in centipawns for White. A mate counts as ±[`MATE`].
pub(super) type Evals = BTreeMap<i32, u64>;

/// Larger evaluations, in centipawns, count as this one.
const MOST: i32 = 9_999;
/// The number that stands for a mate.
const MATE: i32 = 10_000;
const NEGATIVE_MATE: i32 = -MATE;

/// The counts of one position, by the next move and by rating. A game counts once, with the move
/// played at the first occurrence of the position. Counts of parts of the games
/// [merge](Merge::merge).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionCounts {
    pub(super) rows: BTreeMap<(NextMove, RatingBand), Results>,
    /// Evaluations of the position itself. The next field has those of the position after each
    /// move.
    pub(super) evals: Evals,
    pub(super) evals_after: BTreeMap<NextMove, Evals>,
    /// Numbers of games that were searched and left out.
    pub games: PositionGames,
}

impl PositionCounts {
    /// Finds a position in games, on all cores. Positions are equal if their [keys](position_key)
    /// are, so transpositions count.
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
        scan(
            sources,
            options,
            Self::default,
            |counts: &mut Self, game| counts.add_game(game, key),
        )
    }

    fn add_game(&mut self, game: &GameView<'_>, wanted: u64) {
        let Some((band, results)) = self.games.add(game) else {
            return;
        };
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
        let dialect = game.eval_dialect();
        let eval_of = |index: usize| {
            let eval = game.eval_of_position(index, dialect)?;
            Some(centipawns(eval, eval_units(|name| game.tag(name), dialect)))
        };
        if let Some(eval) = eval_of(index) {
            *self.evals.entry(eval).or_default() += 1;
        }
        if let Some(eval) = eval_of(index + 1) {
            *self
                .evals_after
                .entry(mv)
                .or_default()
                .entry(eval)
                .or_default() += 1;
        }
    }

    /// Creates empty counts for a search of these games.
    pub fn of(games: PositionGames) -> Self {
        Self {
            games,
            ..Self::default()
        }
    }

    /// Adds the games with one next move and one rating band, as a row of an index holds them.
    pub fn add(&mut self, mv: NextMove, band: RatingBand, results: Results) {
        self.rows.entry((mv, band)).or_default().merge(results);
    }

    /// Returns the rows: next move, rating band and results.
    pub fn rows(&self) -> impl Iterator<Item = (NextMove, RatingBand, Results)> {
        self.rows
            .iter()
            .map(|((mv, band), results)| (*mv, *band, *results))
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

/// Converts an evaluation in this unit to centipawns of Stockfish 15.1. Mates and large evaluations
/// are limited.
fn centipawns(eval: Eval<White>, units: f64) -> i32 {
    match (eval.pawns(), eval.mate_moves()) {
        (Some(pawns), _) => ((100.0 * pawns / units).round() as i32).clamp(-MOST, MOST),
        (None, Some(moves)) if moves > 0 => MATE,
        _ => NEGATIVE_MATE,
    }
}

/// Returns the median of evaluations, and their number; `None` if there are none. Between two
/// middle evaluations it is the mean, rounded half to even. Mates have no mean: next to a mate, the
/// other evaluation is the median, and between mates of both sides it is 0.
pub(super) fn median(evals: &Evals) -> Option<(Eval<White>, u64)> {
    let all: u64 = evals.values().sum();
    // The first evaluation for which more than `many` evaluations are at most as high.
    let above = |many: u64| {
        let mut seen = 0;
        evals.iter().find(|(_, count)| {
            seen += **count;
            seen > many
        })
    };
    let (lower, upper) = (*above(all.checked_sub(1)? / 2)?.0, *above(all / 2)?.0);
    let is_mate = |eval: i32| matches!(eval, MATE | NEGATIVE_MATE);
    let eval = match (lower, upper) {
        (MATE, MATE) => Eval::mate(1),
        (NEGATIVE_MATE, NEGATIVE_MATE) => Eval::mate(-1),
        (NEGATIVE_MATE, MATE) => Eval::cp(0),
        (cp, mate) | (mate, cp) if is_mate(mate) => Eval::cp(cp),
        _ => Eval::cp((f64::midpoint(lower.into(), upper.into())).round_ties_even() as i32),
    };
    Some((eval, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let of = |evals: &[i32]| {
            let mut all = Evals::new();
            evals
                .iter()
                .for_each(|eval| *all.entry(*eval).or_default() += 1);
            median(&all).map(|(eval, comments)| (eval.to_string(), comments))
        };
        let is = |text: &str, comments| Some((text.to_owned(), comments));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[5]), is("+0.05", 1));
        assert_eq!(of(&[0, 200]), is("+1.00", 2));
        assert_eq!(of(&[-3, 0, 1, 200]), is("0.00", 4));
        assert_eq!(of(&[30, 30, 30, MATE]), is("+0.30", 4));
        assert_eq!(of(&[30, MATE]), is("+0.30", 2));
        assert_eq!(of(&[NEGATIVE_MATE, -70]), is("-0.70", 2));
        assert_eq!(of(&[NEGATIVE_MATE, MATE]), is("0.00", 2));
        assert_eq!(of(&[MATE, MATE]), is("#1", 2));
    }

    fn report(games: &str, moves: &[&str]) -> PositionCounts {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, games).unwrap();
        let mut history = centipawn_core::History::default();
        moves
            .iter()
            .for_each(|uci| history.push(history.parse_uci(uci).unwrap()));
        let sources = Sources::expand(&[&path]).unwrap();
        PositionCounts::count(&sources, &ScanOptions::default(), history.position())
            .unwrap()
            .0
    }

    /// Engines comment on the position before their move, from their own side.
    #[test]
    fn evaluations_are_assigned_to_the_position_they_describe() {
        let games = "1. e4 {+0.50/10 1.0s} e5 {-0.10/10 1.0s} 2. Nf3 {+0.90/10 1.0s} Nc6 {-0.30/10 1.0s} 1-0\n";
        let of = |moves: &[&str]| {
            let counts = report(games, moves);
            let after = counts
                .evals_after
                .into_values()
                .flatten()
                .collect::<Vec<_>>();
            (counts.evals.into_iter().collect::<Vec<_>>(), after)
        };
        assert_eq!(of(&[]), (vec![(50, 1)], vec![(10, 1)]));
        assert_eq!(of(&["e2e4"]), (vec![(10, 1)], vec![(90, 1)]));
        assert_eq!(of(&["e2e4", "e7e5", "g1f3"]), (vec![(30, 1)], vec![]));
    }

    /// The dialect is detected from the beginning of a file, and these games may have no evaluation
    /// there.
    #[test]
    fn the_unit_of_a_game_does_not_depend_on_other_games() {
        let tags = "[Site \"https://lichess.org/x\"]\n[Date \"2021.10.01\"]\n\n";
        let evaluated = format!("{tags}1. e4 {{ [%eval 0.32] }} e5 {{ [%eval 0.3] }} 1-0\n\n");
        let plain = format!("{tags}1. d4 d5 {{ {} }} 1-0\n\n", "-".repeat(1000));
        let alone = report(&evaluated, &["e2e4"]).evals;
        assert_eq!(alone.keys().collect::<Vec<_>>(), [&18]);
        assert_eq!(
            report(&(plain.repeat(100) + &evaluated), &["e2e4"]).evals,
            alone
        );
    }
}
