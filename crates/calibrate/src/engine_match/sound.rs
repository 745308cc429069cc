//! Checks of counted games that come from a file.

use centipawn_pgn::{Impossible, ScanReport};

use super::MatchGames;
use crate::wdl::GameCounts;

impl MatchGames {
    /// Checks a part of a scan against the report of that scan.
    ///
    /// # Errors
    ///
    /// [`Impossible`], if no scan can produce these values.
    pub fn check(&self, report: &ScanReport) -> Result<(), Impossible> {
        let games = || self.pairings.values().flat_map(super::Pairing::games);
        let are_named = self.pairings.keys().all(|[first, second]| first < second);
        let are_ordered = self
            .unfinished
            .keys()
            .all(|[first, second]| first <= second);
        Impossible::unless(are_named && are_ordered, "players are not in order")?;
        let are_counted = self
            .pairings
            .values()
            .flat_map(|pairing| pairing.openings.values())
            .all(|own| !own.is_empty());
        Impossible::unless(are_counted, "an opening has no games")?;
        Impossible::unless(
            games().all(|game| game.white <= 1 && game.points <= 2),
            "a game has no result",
        )?;
        let counted = self
            .pairings
            .values()
            .flat_map(|pairing| pairing.openings.values())
            .map(|own| own.len() as u64);
        let all = Impossible::sum(
            counted
                .chain(self.unfinished.values().copied())
                .chain([self.nameless, self.byes]),
        );
        Impossible::unless(
            all.is_some_and(|all| all <= report.games),
            "more games count than were read",
        )?;
        let are_games = self.contradictory <= games().count() as u64;
        Impossible::unless(are_games, "more games contradict themselves than count")?;
        let plies = Impossible::sum(games().map(|game| game.plies.into()));
        Impossible::unless(
            plies.is_some_and(|plies| plies <= report.plies),
            "more plies count than were read",
        )?;
        let positions = Impossible::sum(self.evaluated.values().map(GameCounts::positions));
        // A comment with the evaluations of a whole game includes the position after the last move,
        // so a game may have one evaluation more than plies.
        let most = Impossible::sum([report.plies, report.games]);
        let are_read = positions
            .zip(most)
            .is_some_and(|(positions, most)| positions <= most);
        Impossible::unless(are_read, "more positions count than were read")?;
        let are_sound = self.evaluated.values().all(GameCounts::is_sound);
        Impossible::unless(are_sound, "positions are in no group of games")?;
        self.balance.check(report)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns a state with two games of two players, and an unfinished game.
    fn state() -> Value {
        let game = json!({ "place": [0, 0], "round": ["E", "1"], "white": 0, "points": 2, "ending": "time", "plies": 9 });
        let other = json!({ "place": [0, 9], "round": ["E", "1"], "white": 1, "points": 1, "ending": "unknown", "plies": 5 });
        let pairing = json!({ "openings": [[{ "fen": "", "moves": "e4 e5" }, [game, other]]] });
        let balance = json!({ "groups": [], "kept": [], "unfinished": 0, "without_evals": 2, "excluded": 0, "not_won": 0 });
        let evaluated = json!([[["A", "B"], { "groups": { "5": [1, 1] }, "games": 1 }]]);
        json!({ "pairings": [[["A", "B"], pairing]], "unfinished": [[["A", "A"], 1]], "nameless": 0, "byes": 0, "contradictory": 0, "balance": balance, "evaluated": evaluated })
    }

    #[test]
    fn counts_that_no_scan_produces_are_refused() {
        let report = ScanReport {
            games: 3,
            plies: 20,
            ..ScanReport::default()
        };
        let checked = |state: Value| {
            let games: MatchGames =
                serde_json::from_value(state).map_err(|error| error.to_string())?;
            games.check(&report).map_err(|error| error.to_string())
        };
        assert_eq!(checked(state()), Ok(()));
        let game = "/pairings/0/1/openings/0/1/0";
        for (place, value, what) in [
            (&*format!("{game}/white"), json!(2), "no result"),
            (&*format!("{game}/points"), json!(3), "no result"),
            (&*format!("{game}/plies"), json!(u32::MAX), "more plies"),
            (&*format!("{game}/plies"), json!(16), "more plies"),
            (
                &*format!("{game}/ending"),
                json!("vanished"),
                "unknown variant",
            ),
            ("/pairings/0/0/0", json!("C"), "not in order"),
            ("/pairings/0/0/0", json!("B"), "not in order"),
            ("/pairings/0/1/openings/0/1", json!([]), "no games"),
            ("/unfinished/0/1", json!(2), "more games"),
            ("/unfinished/0/0/0", json!("B"), "not in order"),
            ("/nameless", json!(u64::MAX), "more games"),
            ("/byes", json!(9), "more games"),
            ("/contradictory", json!(9), "contradict themselves"),
            ("/balance/unfinished", json!(u64::MAX), "more games"),
            ("/evaluated/0/1/groups", json!({ "128": [1] }), "no group"),
            (
                "/evaluated/0/1/groups/5",
                json!(vec![1; 24]),
                "more positions",
            ),
        ] {
            let mut state = state();
            *state.pointer_mut(place).unwrap() = value;
            let error = checked(state).unwrap_err();
            assert!(error.contains(what), "{place}: {error}");
        }
    }
}
