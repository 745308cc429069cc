//! Accuracy of moves and games in the form Lichess publishes.
//!
//! Source: <https://lichess.org/page/accuracy> and `AccuracyPercent` in lila. The constants are
//! fitted to *win percentages*, 100 times the expected score of [`Curve::LICHESS`], so accuracies
//! always use that curve, whatever curve the symbols use.

use shakmaty::Color;

use crate::{Context, Curve, Eval, White, math::Portable as _};

/// The factor before the exponential function of an accuracy, and its decay by win percentage.
const SCALE: f64 = 103.166_810_071_164_9;
const DECAY: f64 = 0.043_544_153_867_539_51;

/// Returns the accuracy of a move in per cent, 0..=100, from the mover's win percentages (0..=100)
/// before and after it.
///
/// ```
/// use centipawn_core::accuracy_of_move;
///
/// assert_eq!(accuracy_of_move(50.0, 55.0), 100.0);
/// assert_eq!(format!("{:.1}", accuracy_of_move(50.0, 40.0)), "64.6");
/// ```
pub fn accuracy_of_move(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let fitted = SCALE * (-DECAY * (before - after)).exp_portable() - 3.166_924_740_191_411;
    // Lichess adds 1 % because the analysis is imperfect.
    (fitted + 1.0).clamp(0.0, 100.0)
}

/// Returns White's win percentage, 0..=100, on Lichess' scale; a mate counts as ±10 pawns.
pub fn win_percent(eval: Eval<White>) -> f64 {
    let pawns = eval
        .pawns()
        .unwrap_or_else(|| if eval > Eval::cp(0) { 10.0 } else { -10.0 });
    100.0 * Curve::LICHESS.at(pawns, Context::default())
}

/// Accuracies of a game's two players in per cent (White's first); `None` for a player without a
/// move.
///
/// `start` is the side that moves first, `before` the evaluation of the start position (Lichess
/// assumes +0.15), and `evals` the evaluation after each move.
///
/// The result averages two means of the player's [move accuracies](accuracy_of_move): a harmonic
/// mean, and a mean weighted by the volatility around each move. Volatility is the standard
/// deviation of the win percentage, clamped to 0.5..=12, in a sliding window of a tenth of the
/// moves (2 to 8 positions).
///
/// ```
/// use centipawn_core::{Eval, accuracy_of_game};
/// use shakmaty::Color;
///
/// // Black's second move turns +0.20 into +3.00.
/// let evals = [15, 20, 20, 300].map(Eval::cp);
/// let [white, black] = accuracy_of_game(Color::White, Eval::cp(15), &evals).map(Option::unwrap);
/// assert!(white > 99.0 && black < 80.0);
/// ```
pub fn accuracy_of_game(
    start: Color,
    before: Eval<White>,
    evals: &[Eval<White>],
) -> [Option<f64>; 2] {
    let positions: Vec<Eval<White>> = std::iter::once(before)
        .chain(evals.iter().copied())
        .collect();
    let moves: Vec<[Eval<White>; 2]> = positions
        .windows(2)
        .map(|pair| [pair[0], pair[1]])
        .collect();
    accuracy_of_moves(start, &positions, &moves)
}

/// Like [`accuracy_of_game`], with the evaluations before and after each move given separately.
/// They may differ from those of the neighbouring `positions`, which determine the volatility.
/// `positions` has one entry more than `moves`.
///
/// `moves` has separate evaluations because a position that has occurred before may get two: one
/// search sees the draw by repetition, the next does not. Comparing these two would turn a move
/// that loses nothing into a mistake.
///
/// # Panics
///
/// If `positions` is shorter.
///
/// ```
/// use centipawn_core::{Eval, accuracy_of_moves};
/// use shakmaty::Color;
///
/// // Black's only move keeps the draw, though the next search does not see it.
/// let positions = [0, 0, 800].map(Eval::cp);
/// let moves = [[0, 0], [0, 0]].map(|pair| pair.map(Eval::cp));
/// assert_eq!(accuracy_of_moves(Color::White, &positions, &moves), [Some(100.0), Some(100.0)]);
/// ```
pub fn accuracy_of_moves(
    start: Color,
    positions: &[Eval<White>],
    moves: &[[Eval<White>; 2]],
) -> [Option<f64>; 2] {
    moves_of_players(start, positions, moves).map(|moves| mean_accuracy(&moves))
}

/// Standard errors of [`accuracy_of_moves`] in per cent, White's first, from those of the moves'
/// losses: `errors` are in win percentages, independent of each other, and `None` where a loss is
/// exact. `None` for a player without a move with an error.
///
/// Each error counts by the slope of the accuracy in that move's loss. The volatility is taken as
/// exact.
///
/// # Panics
///
/// As [`accuracy_of_moves`], or if `errors` is shorter than `moves`.
///
/// ```
/// use centipawn_core::{Eval, accuracy_errors};
/// use shakmaty::Color;
///
/// // The only move loses about 9 win percentages, known to within 2.
/// let positions = [0, -100].map(Eval::cp);
/// let [white, black] = accuracy_errors(Color::White, &positions, &[positions], &[Some(2.0)]);
/// assert!((white.unwrap() - 6.0).abs() < 0.2 && black.is_none());
/// ```
pub fn accuracy_errors(
    start: Color,
    positions: &[Eval<White>],
    moves: &[[Eval<White>; 2]],
    errors: &[Option<f64>],
) -> [Option<f64>; 2] {
    moves_of_players(start, positions, moves).map(|moves| {
        let weights: f64 = moves.iter().map(|mv| mv.weight).sum();
        let harmonic = harmonic_mean(&moves);
        let count = moves.len() as f64;
        let squares = moves.iter().filter_map(|mv| {
            let floor = if mv.accuracy > 1.0 { 1.0 } else { 0.0 };
            let by_harmonic = floor * (harmonic / mv.accuracy.max(1.0)).powi(2) / count;
            let by_accuracy = f64::midpoint(mv.weight / weights, by_harmonic);
            let slope = if mv.accuracy > 0.0 {
                SCALE * DECAY * (-DECAY * mv.loss.max(0.0)).exp_portable()
            } else {
                0.0
            };
            Some((by_accuracy * slope * errors[mv.index]?).powi(2))
        });
        let squares: Vec<f64> = squares.collect();
        (!squares.is_empty()).then(|| squares.iter().sum::<f64>().sqrt())
    })
}

/// A move as its player's accuracy counts it.
struct AccuracyMove {
    /// Its index among the moves of the game.
    index: usize,
    /// Win percentages lost.
    loss: f64,
    /// Its accuracy, per cent.
    accuracy: f64,
    /// The volatility around it.
    weight: f64,
}

/// Returns the moves of each player, White's first.
fn moves_of_players(
    start: Color,
    positions: &[Eval<White>],
    moves: &[[Eval<White>; 2]],
) -> [Vec<AccuracyMove>; 2] {
    let percents: Vec<f64> = positions.iter().copied().map(win_percent).collect();
    let size = (moves.len() / 10).clamp(2, 8).min(percents.len());
    // The first moves share the first full window, so that every move has a weight.
    let weights = (0..moves.len()).map(|index| {
        let first = (index + 2).saturating_sub(size);
        standard_deviation(&percents[first..first + size]).clamp(0.5, 12.0)
    });

    let mut players: [Vec<AccuracyMove>; 2] = Default::default();
    for (index, (pair, weight)) in moves.iter().zip(weights).enumerate() {
        let mover = if index % 2 == 0 { start } else { !start };
        let [before, after] = pair.map(win_percent);
        let (before, after) = mover.fold_wb((before, after), (after, before));
        players[mover.fold_wb(0, 1)].push(AccuracyMove {
            index,
            loss: before - after,
            accuracy: accuracy_of_move(before, after),
            weight,
        });
    }
    players
}

fn mean_accuracy(moves: &[AccuracyMove]) -> Option<f64> {
    let weight: f64 = moves.iter().map(|mv| mv.weight).sum();
    let weighted = moves.iter().map(|mv| mv.accuracy * mv.weight).sum::<f64>() / weight;
    (!moves.is_empty()).then(|| (weighted + harmonic_mean(moves)) / 2.0)
}

fn harmonic_mean(moves: &[AccuracyMove]) -> f64 {
    let inverses = moves.iter().map(|mv| 1.0 / mv.accuracy.max(1.0));
    moves.len() as f64 / inverses.sum::<f64>()
}

fn standard_deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_of_a_move_matches_the_published_formula() {
        // Lichess' published formula, plus the 1 % that its code adds because the analysis is
        // imperfect.
        for (loss, accuracy) in [
            (0.0, 100.0),
            (5.0, 80.8),
            (20.0, 41.0),
            (60.0, 5.4),
            (100.0, 0.0),
        ] {
            assert_eq!(
                format!("{:.1}", accuracy_of_move(100.0, 100.0 - loss)),
                format!("{accuracy:.1}")
            );
        }
    }

    #[test]
    fn a_blunder_lowers_only_its_players_accuracy() {
        let quiet = vec![Eval::cp(15); 40];
        assert_eq!(
            accuracy_of_game(Color::White, Eval::cp(15), &quiet),
            [Some(100.0), Some(100.0)]
        );

        let mut blunder = quiet;
        blunder[20..].fill(Eval::cp(-600)); // Move 11, White's.
        let [white, black] =
            accuracy_of_game(Color::White, Eval::cp(15), &blunder).map(Option::unwrap);
        assert!(white < 80.0 && black == 100.0, "{white} {black}");
        // With Black to move first, the same evaluations blame no player: the jump to -6.00 now
        // follows a move of Black, which gains by it.
        let [white, black] =
            accuracy_of_game(Color::Black, Eval::cp(15), &blunder).map(Option::unwrap);
        assert!(white == 100.0 && black == 100.0, "{white} {black}");
    }

    /// The slope is that of the accuracy itself when one move loses a little more.
    #[test]
    fn errors_are_slopes() {
        let positions = [15, 20, -180, -170, -60, -65].map(Eval::cp);
        let moves: Vec<_> = positions
            .windows(2)
            .map(|pair| [pair[0], pair[1]])
            .collect();
        let errors = [None, None, Some(0.5), None, None];
        let [own, other] = accuracy_errors(Color::Black, &positions, &moves, &errors);
        assert_eq!(own, None, "White's moves are exact");
        let accuracy = |last: i32| {
            let mut changed = moves.clone();
            changed[2][1] = Eval::cp(last);
            accuracy_of_moves(Color::Black, &positions, &changed)[1].unwrap()
        };
        let percent = |cp: i32| win_percent(Eval::cp(cp));
        let slope = (accuracy(-165) - accuracy(-175)) / (percent(-165) - percent(-175));
        let other = other.unwrap();
        assert!((other - slope.abs() * 0.5).abs() < 0.02, "{other} {slope}");
    }

    #[test]
    fn players_without_a_move_have_no_accuracy() {
        assert_eq!(
            accuracy_of_game(Color::White, Eval::cp(15), &[]),
            [None, None]
        );
        let [white, black] = accuracy_of_game(Color::White, Eval::cp(15), &[Eval::mate(-1)]);
        assert!(white.unwrap() < 20.0 && black.is_none());
    }
}
