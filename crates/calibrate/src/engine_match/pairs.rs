//! Finds pairs of games: the same opening twice, with colors reversed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Pairing, Played};

/// How pairs of games were recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairRule {
    /// By the same start position (tag `FEN`) and the same moves that comments mark as book moves.
    Openings,
    /// By the tags `Event` and `Round`: each round consists of two games with reversed colors.
    Rounds,
    /// The games do not show pairs.
    None,
}

/// The games of two players, divided into pairs.
pub(super) struct Pairs<'a> {
    pub(super) rule: PairRule,
    /// Each pair lists the first player's game with White, then the one with Black. Pairs are in
    /// the order in which they were completed.
    pub(super) games: Vec<[&'a Played; 2]>,
    /// Number of games that belong to no pair.
    pub(super) unpaired: u64,
}

impl<'a> Pairs<'a> {
    pub(super) fn of(pairing: &'a Pairing) -> Self {
        let all: u64 = pairing
            .openings
            .values()
            .map(|games| games.len() as u64)
            .sum();
        let (marked, unmarked): (Vec<_>, Vec<_>) = pairing
            .openings
            .iter()
            .partition(|(opening, _)| opening.is_marked());
        let mut games: Vec<[&Played; 2]> = marked
            .iter()
            .flat_map(|(_, games)| of_opening(games))
            .collect();
        let mut rule = if games.is_empty() {
            PairRule::None
        } else {
            PairRule::Openings
        };
        if rule == PairRule::None && marked.is_empty() {
            games = unmarked
                .iter()
                .flat_map(|(_, games)| of_rounds(games))
                .collect();
            rule = if games.is_empty() {
                PairRule::None
            } else {
                PairRule::Rounds
            };
        }
        games.sort_by_key(|pair| pair[0].place.max(pair[1].place));
        let unpaired = all - 2 * games.len() as u64;
        Self {
            rule,
            games,
            unpaired,
        }
    }
}

/// Pairs games with one opening. Games of one round of an event belong together; the others are
/// paired in their order.
fn of_opening(games: &[Played]) -> Vec<[&Played; 2]> {
    let mut rounds: BTreeMap<&(String, String), [Vec<&Played>; 2]> = BTreeMap::new();
    for game in games {
        rounds.entry(&game.round).or_default()[usize::from(game.white)].push(game);
    }
    let mut pairs = Vec::new();
    let mut left: [Vec<&Played>; 2] = Default::default();
    for [white, black] in rounds.into_values() {
        let both = white.len().min(black.len());
        pairs.extend(
            white
                .iter()
                .zip(&black)
                .map(|(white, black)| [*white, *black]),
        );
        left[0].extend(&white[both..]);
        left[1].extend(&black[both..]);
    }
    left.iter_mut()
        .for_each(|games| games.sort_by_key(|game| game.place));
    pairs.extend(
        left[0]
            .iter()
            .zip(&left[1])
            .map(|(white, black)| [*white, *black]),
    );
    pairs
}

/// Pairs games whose openings are not marked, if every round has two games with reversed colors.
/// One round may have a single game, since a match may have been stopped.
fn of_rounds(games: &[Played]) -> Vec<[&Played; 2]> {
    let mut rounds: BTreeMap<&(String, String), Vec<&Played>> = BTreeMap::new();
    for game in games {
        if matches!(&*game.round.1, "" | "?" | "-") {
            return Vec::new();
        }
        rounds.entry(&game.round).or_default().push(game);
    }
    let mut pairs = Vec::new();
    let mut single = 0;
    for games in rounds.into_values() {
        match *games {
            [one, other] if one.white == 0 && other.white == 1 => pairs.push([one, other]),
            [other, one] if one.white == 0 && other.white == 1 => pairs.push([one, other]),
            [_] if single == 0 => single += 1,
            _ => return Vec::new(),
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::{super::Opening, *};
    use crate::engine_match::Ending;

    fn game(place: u64, round: &str, white: u8) -> Played {
        Played {
            place: (0, place),
            round: ("E".to_owned(), round.to_owned()),
            white,
            points: 1,
            ending: Ending::Unknown,
            plies: 9,
        }
    }

    fn pairing(opening: &str, games: Vec<Played>) -> Pairing {
        let opening = Opening {
            fen: opening.to_owned(),
            moves: String::new(),
        };
        Pairing {
            openings: [(opening, games)].into(),
        }
    }

    fn places(pairs: &Pairs<'_>) -> Vec<[u64; 2]> {
        pairs
            .games
            .iter()
            .map(|pair| pair.map(|game| game.place.1))
            .collect()
    }

    #[test]
    fn games_of_one_opening_pair_by_round() {
        // The games were written out of order, as with several games at a time, and round 3 was not
        // finished.
        let games = vec![
            game(0, "2", 1),
            game(1, "1", 0),
            game(2, "3", 0),
            game(3, "1", 1),
            game(4, "2", 0),
            game(5, "4", 0),
        ];
        let pairing = pairing("8/8", games);
        let pairs = Pairs::of(&pairing);
        assert_eq!((pairs.rule, pairs.unpaired), (PairRule::Openings, 2));
        assert_eq!(places(&pairs), [[1, 3], [4, 0]]);
    }

    #[test]
    fn rounds_of_two_games_are_pairs() {
        let rounds = |rounds: &[(&str, u8)]| {
            let games = (0..)
                .zip(rounds)
                .map(|(place, (round, white))| game(place, round, *white))
                .collect();
            let pairing = pairing("", games);
            let pairs = Pairs::of(&pairing);
            (pairs.rule, places(&pairs), pairs.unpaired)
        };
        let even = rounds(&[("1", 0), ("1", 1), ("2", 1), ("2", 0), ("3", 0)]);
        assert_eq!(even, (PairRule::Rounds, vec![[0, 1], [3, 2]], 1));
        assert_eq!(rounds(&[("1", 0), ("1", 0)]).0, PairRule::None);
        assert_eq!(rounds(&[("1", 0), ("2", 1)]), (PairRule::None, vec![], 2));
        assert_eq!(rounds(&[("?", 0), ("?", 1)]).0, PairRule::None);
    }
}
