//! Checks of counted games that come from a file.

use centipawn_pgn::{Impossible, ScanReport};

use super::{Group, Matches};

/// Largest sum of squared derivatives that a file may have. Sums of thousands of such files still
/// fit into 128 bits.
const LARGEST_SQUARES: i128 = 1 << 112;

impl Matches {
    /// Checks a part of a scan, before [`finish`](Self::finish), against the report of that scan.
    ///
    /// # Errors
    ///
    /// [`Impossible`], if no scan can produce these values.
    pub fn check(&self, report: &ScanReport) -> Result<(), Impossible> {
        self.groups.values().try_for_each(Group::check)?;
        let sides = self.kept.iter().flat_map(|game| &game.sides);
        let are_sides = self
            .kept
            .iter()
            .all(|game| (1..=2).contains(&game.sides.len()));
        Impossible::unless(
            are_sides && sides.clone().all(|side| side.score <= 2),
            "a game has no result",
        )?;
        let kept = self.kept.len() as u64;
        // A game counts once for each of its players.
        let players = Impossible::sum(self.groups.values().map(|group| group.games));
        let games = Impossible::sum([
            self.unfinished,
            self.without_evals,
            self.excluded,
            self.not_won,
            kept,
        ]);
        let games = players
            .zip(games)
            .and_then(|(players, games)| Impossible::sum([players.div_ceil(2), games]));
        Impossible::unless(
            games.is_some_and(|games| games <= report.games),
            "more games count than were read",
        )?;
        let borne_out = Impossible::sum(
            self.groups
                .values()
                .flat_map(|group| group.borne_out)
                .flatten(),
        );
        Impossible::unless(
            borne_out.is_some_and(|evaluations| evaluations <= report.plies),
            "results bear out more evaluations than were read",
        )?;
        let kept = sides.map(|side| side.evals.len() as u64);
        let positions = Impossible::sum(
            self.groups
                .values()
                .flat_map(|group| group.positions.counts())
                .chain(kept),
        );
        Impossible::unless(
            positions.is_some_and(|positions| positions <= report.plies),
            "more positions count than were read",
        )
    }
}

impl Group {
    fn check(&self) -> Result<(), Impossible> {
        let Self {
            games,
            wins,
            not_won,
            positions,
            borne_out: _,
            list,
            by_game,
        } = self;
        let all = Impossible::sum(not_won.values().copied().chain([*wins]));
        Impossible::unless(
            all == Some(*games),
            "games won and not won are not the games of an engine",
        )?;
        let counted = positions.counts().next().is_some();
        Impossible::unless(*games > 0 || !counted, "positions count without a game")?;
        Impossible::unless(
            positions.games() <= *games,
            "positions are of more games than count",
        )?;
        Impossible::unless(
            positions
                .squares()
                .iter()
                .all(|square| (0..=LARGEST_SQUARES).contains(square)),
            "a sum of squares is below 0 or too large",
        )?;
        let is_possible = |(product, squares): (i128, [i128; 2])| {
            product.unsigned_abs() <= (squares[0] + squares[1]).unsigned_abs().div_ceil(2)
        };
        Impossible::unless(
            positions.products().all(is_possible),
            "a sum of products is larger than those of squares",
        )?;
        let evals = Impossible::sum(by_game.iter().map(|(_, evals)| evals.len() as u64));
        let are_all = evals == Impossible::sum(positions.counts());
        Impossible::unless(
            by_game.is_empty()
                || are_all
                    && by_game.len() as u64 == *games
                    && by_game.iter().all(|(score, _)| *score <= 2),
            "the evaluations of games are not those of the positions",
        )?;
        Impossible::unless(list.is_empty(), "games are listed before all are known")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns a state with two games of one player, one of them won, and one unfinished game.
    fn state() -> Value {
        let products = [
            vec!["12"; 16],
            [vec!["-11"; 15], vec!["0"]].concat(),
            [vec!["-11"; 14], vec!["0"; 2]].concat(),
        ];
        let group = json!({
            "games": 2, "wins": 1, "not_won": [[{ "cp": 31 }, 1]],
            "positions": { "cells": [[93, 4], [100, 7]], "games": 2, "products": products },
            "borne_out": [[7, 1], [0, 0]],
            "list": []
        });
        let key =
            json!({ "event": null, "engine": "A", "year": null, "opponent": null, "elo": null });
        json!({ "groups": [[key, group]], "kept": [], "unfinished": 1, "without_evals": 0, "excluded": 0, "not_won": 0 })
    }

    #[test]
    fn counts_that_no_scan_produces_are_refused() {
        let report = ScanReport {
            games: 3,
            plies: 30,
            ..ScanReport::default()
        };
        let checked = |state: Value| {
            let matches: Matches =
                serde_json::from_value(state).map_err(|error| error.to_string())?;
            matches.check(&report).map_err(|error| error.to_string())
        };
        assert_eq!(checked(state()), Ok(()));
        for (place, value, what) in [
            ("/groups/0/1/wins", json!(3), "won and not won"),
            ("/groups/0/1/wins", json!(1_000_000_000), "won and not won"),
            ("/groups/0/1/wins", json!(u64::MAX), "won and not won"),
            ("/groups/0/1/games", json!(u64::MAX), "won and not won"),
            (
                "/groups/0/1/not_won/0/1",
                json!(u64::MAX),
                "won and not won",
            ),
            (
                "/groups/0/1/positions/cells/0/1",
                json!(u64::MAX),
                "more positions",
            ),
            (
                "/groups/0/1/positions/cells/0/1",
                json!(31),
                "more positions",
            ),
            (
                "/groups/0/1/positions/products/0/3",
                json!("-1"),
                "sum of squares",
            ),
            (
                "/groups/0/1/positions/products/0/3",
                json!(i128::MAX.to_string()),
                "sum of squares",
            ),
            ("/groups/0/1/positions/games", json!(3), "of more games"),
            (
                "/groups/0/1/positions/products/1/3",
                json!("-13"),
                "sum of products",
            ),
            (
                "/groups/0/1/positions/products/2/3",
                json!(i128::MIN.to_string()),
                "sum of products",
            ),
            ("/groups/0/1/borne_out/1/0", json!(31), "more evaluations"),
            (
                "/groups/0/1/borne_out/0/1",
                json!(u64::MAX),
                "more evaluations",
            ),
            ("/unfinished", json!(3), "more games"),
            ("/unfinished", json!(u64::MAX), "more games"),
        ] {
            let mut state = state();
            *state.pointer_mut(place).unwrap() = value;
            let error = checked(state).unwrap_err();
            assert!(error.contains(what), "{place}: {error}");
        }
        let mut many = state();
        *many.pointer_mut("/groups/0/1/wins").unwrap() = json!(1_000_000_000);
        *many.pointer_mut("/groups/0/1/games").unwrap() = json!(1_000_000_001);
        assert!(checked(many).unwrap_err().contains("more games"));
    }

    #[test]
    fn a_score_is_0_1_or_2() {
        let listed = json!({
            "game": 0, "round": "1", "players": ["A", "B"], "result": "1-0", "color": "white", "highest": "mate", "move_number": 3
        });
        let key =
            json!({ "event": null, "engine": "A", "year": null, "opponent": null, "elo": null });
        let side = json!({ "key": key, "score": 3, "evals": [-20], "listed": listed });
        let mut state = state();
        *state.pointer_mut("/kept").unwrap() =
            json!([{ "place": [0, 0], "event": "E", "round": "1", "sides": [side] }]);
        let matches: Matches = serde_json::from_value(state).unwrap();
        let report = ScanReport {
            games: 9,
            plies: 90,
            ..ScanReport::default()
        };
        assert_eq!(
            matches.check(&report).unwrap_err().to_string(),
            "a game has no result"
        );
    }
}
