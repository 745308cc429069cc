//! Errors clustered by player and game.

use std::collections::BTreeMap;

use super::HumanGame;

/// The sum over all pairs of games that share a player, or are the same game, of the products of
/// their `residuals`: the numerator of a variance that is clustered by player and by game.
///
/// A game whose players are unknown is a separate cluster. Source: Fafchamps and Gubert, "The
/// formation of risk sharing networks", 2007 (errors of dyads); Cameron, Gelbach and Miller,
/// "Robust inference with multiway clustering", 2011.
pub(super) fn products(games: &[&HumanGame], residuals: &[Vec<f64>]) -> Vec<f64> {
    let width = residuals.first().map_or(0, Vec::len);
    let mut sum = vec![0.0; width * width];
    let mut add = |residual: &[f64], sign: f64| {
        for (row, one) in residual.iter().enumerate() {
            for (column, other) in residual.iter().enumerate() {
                sum[row * width + column] += sign * one * other;
            }
        }
    };
    // In the order of the players, so that sums are the same in each run.
    let mut of_players: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (game, residual) in games.iter().zip(residuals) {
        let Some(players) = game.players else {
            add(residual, 1.0);
            continue;
        };
        // The game stands in the sums of both players, so that its own product counts twice.
        add(residual, -1.0);
        for player in players {
            let own = of_players.entry(player).or_insert_with(|| vec![0.0; width]);
            own.iter_mut()
                .zip(residual)
                .for_each(|(sum, own)| *sum += own);
        }
    }
    for residual in of_players.values() {
        add(residual, 1.0);
    }
    sum
}

/// The standard error of a mean of residuals, clustered by player and by game: `residuals` are the
/// sums of each game, `count` is the number of values in the mean.
pub(super) fn error_of_mean(games: &[&HumanGame], residuals: &[f64], count: u64) -> f64 {
    let rows: Vec<Vec<f64>> = residuals.iter().map(|own| vec![*own]).collect();
    let by_game: f64 = residuals.iter().map(|own| own * own).sum();
    let sum = products(games, &rows).first().copied().unwrap_or(0.0);
    // A difference of sums may be below the variance by game, or below 0, by chance.
    sum.max(by_game).sqrt() / (count.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use centipawn_core::Pool;

    use super::*;

    fn game(number: u64, players: Option<[u64; 2]>) -> HumanGame {
        HumanGame {
            number,
            source: 0,
            ratings: [1500.0; 2],
            seconds: 600.0,
            pool: Pool::Unknown,
            players,
            half_points: 2,
            positions: Vec::new(),
        }
    }

    #[test]
    fn games_of_one_player_are_one_witness() {
        let apart: Vec<HumanGame> = (0..9).map(|number| game(number, None)).collect();
        let of = |games: &[HumanGame]| {
            let games: Vec<&HumanGame> = games.iter().collect();
            error_of_mean(&games, &vec![1.0; games.len()], 9)
        };
        assert!((of(&apart) - 1.0 / 3.0).abs() < 1e-12);
        // One player in all nine games, always with another opponent: no more than one witness.
        let alike: Vec<HumanGame> = (0..9)
            .map(|number| game(number, Some([100, number])))
            .collect();
        assert!((of(&alike) - 1.0).abs() < 1e-12);
        let strangers: Vec<HumanGame> = (0..9)
            .map(|number| game(number, Some([100 + number, number])))
            .collect();
        assert!((of(&strangers) - 1.0 / 3.0).abs() < 1e-12);
    }
}
