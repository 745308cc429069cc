//! A policy that mixes the answers of several networks, each trained on the games of one rating.

use std::ops::RangeInclusive;

use centipawn_core::Wdl;

use crate::graph::{Graph, Output};

/// The least weight of a network in a mixture. The networks differ by chance as much as by level,
/// so a small weight for each of them predicts moves better than the nearest one or two networks
/// alone.
const SHARE: f64 = 0.1;

/// Number of networks, from the weakest on, that share in every level. Further networks share in
/// the levels above these, so adding one changes no number that was fitted to the levels below it.
const INNER: usize = 3;

/// The lowest level. The data do not reach further down.
const LOWEST: u32 = 600;

/// How a mixture p continues below the weakest network, by rating point d: it becomes
/// p^(1 − `FLATTENED`·d) · (p/q)^(`AWAY`·d), where q is the strongest of the inner networks. Weaker
/// players have less clear preferences, and differ from the strong ones in the same way as the
/// weakest network does. Fitted by `research/levels.py`.
const FLATTENED: f64 = 0.09 / 100.0;
const AWAY: f64 = 0.11 / 100.0;

/// Below this probability, the difference between two networks is noise.
const LEAST: f64 = 1e-3;

/// Networks, each with the rating of the players from whose games it was trained.
pub(crate) struct Mixed {
    /// The networks with their ratings, in ascending order of rating; at least one.
    pub(crate) members: Vec<(u32, Graph)>,
}

impl Mixed {
    /// Returns the lowest and the highest rating that the mixture imitates.
    pub(crate) fn levels(&self) -> RangeInclusive<u32> {
        let (weakest, strongest) = (self.members[0].0, self.members[self.members.len() - 1].0);
        LOWEST.min(weakest)..=strongest
    }

    /// Returns the members that the mixtures for `levels` need: the first ones.
    pub(crate) fn needed(&self, levels: &[u32]) -> &[(u32, Graph)] {
        let inner = self.members.len().min(INNER);
        let highest = self.members[inner - 1].0;
        match levels.iter().any(|level| *level > highest) {
            true => &self.members,
            false => &self.members[..inner],
        }
    }

    /// Mixes the networks' answers to one position for `level`. `answers` has the order of the
    /// members, and at least those that are [`needed`](Self::needed).
    pub(crate) fn mix(&self, answers: &[Output], level: u32) -> Output {
        let ratings: Vec<u32> = self.members.iter().map(|(rating, _)| *rating).collect();
        let parts = parts(&ratings, level);
        let sum = |of: &dyn Fn(&Output) -> f64| {
            parts
                .iter()
                .zip(answers)
                .map(|(part, answer)| part * of(answer))
                .sum()
        };
        let below = f64::from(ratings[0].saturating_sub(level));
        let strong = &answers[ratings.len().min(INNER) - 1];
        let mut probabilities: Vec<f64> = (0..answers[0].moves.len())
            .map(|mv| {
                let p: f64 = sum(&|answer| answer.probabilities[mv]);
                let ratio = p.max(LEAST) / strong.probabilities[mv].max(LEAST);
                p.powf(1.0 - FLATTENED * below) * ratio.powf(AWAY * below)
            })
            .collect();
        // Without this division, powers would not sum to 1, and through rounding errors an only
        // move could have a probability below 1.
        let total: f64 = probabilities.iter().sum();
        probabilities
            .iter_mut()
            .for_each(|probability| *probability /= total);
        let wdl = answers.iter().all(|answer| answer.wdl.is_some()).then(|| {
            let of = |number: fn(Wdl) -> f64| sum(&|answer| answer.wdl.map_or(0.0, number));
            Wdl {
                win: of(|wdl| wdl.win),
                draw: of(|wdl| wdl.draw),
                loss: of(|wdl| wdl.loss),
            }
        });
        let moves_left = answers.iter().all(|answer| answer.moves_left.is_some());
        Output {
            moves: answers[0].moves.clone(),
            logits: probabilities
                .iter()
                .map(|probability| probability.ln() as f32)
                .collect(),
            probabilities,
            wdl,
            value: sum(&|answer| answer.value),
            moves_left: moves_left.then(|| sum(&|answer| answer.moves_left.unwrap_or_default())),
            made_up: answers[0].made_up,
        }
    }
}

/// Returns the weight of each network in the mixture for `level`: among the inner networks those of
/// [`linear`], and above these linear between the mixtures of neighbours, in which the further
/// network has all but the least weights.
fn parts(ratings: &[u32], level: u32) -> Vec<f64> {
    let inner = &ratings[..ratings.len().min(INNER)];
    let mut parts: Vec<f64> = linear(inner, level).collect();
    parts.resize(ratings.len(), 0.0);
    for further in INNER..ratings.len() {
        let (from, to) = (ratings[further - 1], ratings[further]);
        let share = f64::from(level.clamp(from, to) - from) / f64::from(to - from);
        let before = SHARE * further as f64;
        for (index, part) in parts.iter_mut().enumerate().take(further + 1) {
            let own = if index == further {
                1.0 - before
            } else {
                SHARE
            };
            *part += share * (own - *part);
        }
    }
    parts
}

/// Returns the weight of each network in a mixture for `level` to which all contribute. It is
/// linear between two neighbouring ratings, and at least [`SHARE`].
fn linear(ratings: &[u32], level: u32) -> impl Iterator<Item = f64> {
    let near = 1.0 - SHARE * ratings.len() as f64;
    let level = ratings
        .first()
        .zip(ratings.last())
        .map_or(level, |(first, last)| level.clamp(*first, *last));
    ratings.iter().enumerate().map(move |(index, rating)| {
        // `linear` is 1 at the network's own rating and 0 at the ratings of its neighbours.
        let neighbour = if level < *rating {
            index.checked_sub(1)
        } else {
            Some(index + 1)
        };
        let neighbour = neighbour.and_then(|index| ratings.get(index));
        let distance = f64::from(level.abs_diff(*rating));
        let linear = neighbour.map_or(1.0, |neighbour| {
            1.0 - distance / f64::from(neighbour.abs_diff(*rating))
        });
        SHARE + near * linear.max(0.0)
    })
}

#[cfg(test)]
mod tests {
    use crate::{EvaluateError, Network};
    use centipawn_core::History;

    #[test]
    fn weights_are_linear_between_neighbours() {
        let parts = |level| {
            let parts = super::parts(&[1100, 1500, 1900, 2200], level).into_iter();
            parts
                .map(|part| (1000.0 * part).round() / 1000.0)
                .collect::<Vec<f64>>()
        };
        for (level, wanted) in [
            (600, [0.8, 0.1, 0.1, 0.0]),
            (1100, [0.8, 0.1, 0.1, 0.0]),
            (1300, [0.45, 0.45, 0.1, 0.0]),
            (1500, [0.1, 0.8, 0.1, 0.0]),
            (1600, [0.1, 0.625, 0.275, 0.0]),
            (1900, [0.1, 0.1, 0.8, 0.0]),
            (2050, [0.1, 0.1, 0.45, 0.35]),
            (2200, [0.1, 0.1, 0.1, 0.7]),
            (2800, [0.1, 0.1, 0.1, 0.7]),
        ] {
            assert_eq!(parts(level), wanted, "{level}");
        }
    }

    #[cfg(feature = "bundled")]
    #[test]
    fn lower_levels_are_less_like_strong_players() {
        let network = Network::bundled().unwrap();
        let mut game = History::default();
        for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "f3g5"] {
            game.push(game.parse_uci(uci).unwrap());
        }
        // White attacks f7. Strong players reply 4... d5.
        let d5 = game.parse_uci("d7d5").unwrap();
        let at = |level| {
            let answer = network.evaluate_at(&game, level).unwrap();
            let found = answer.moves.iter().find(|own| own.mv == d5);
            found.unwrap().probability
        };
        let all = [600, 800, 1000, 1100].map(at);
        assert!(all.is_sorted(), "{all:?}");
    }

    #[cfg(feature = "bundled")]
    #[test]
    fn evaluating_positions_and_levels_together_equals_one_by_one() {
        let network = Network::bundled().unwrap();
        let mut game = History::default();
        let mut games = vec![game.clone()];
        for uci in ["f2f3", "e7e5", "g2g4", "d8h4"] {
            game.push(game.parse_uci(uci).unwrap());
            games.push(game.clone());
        }
        games.extend_from_within(..4);
        games.push(History::from_fen("8/8/4k3/8/8/8/4R3/4K3 b - - 50 90", None).unwrap());
        let levels = [700, 1100, 1350, 1900, 2100, 2500];
        let all = network.evaluate_many(&games, &levels);
        assert_eq!(all.len(), games.len());
        for (game, answers) in games.iter().zip(all) {
            let one_by_one: Result<Vec<_>, _> = levels
                .iter()
                .map(|level| network.evaluate_at(game, *level))
                .collect();
            assert_eq!(answers, one_by_one);
            let Ok(answers) = answers else { continue };
            assert_eq!(
                answers
                    .iter()
                    .map(|answer| answer.level)
                    .collect::<Vec<_>>(),
                [700, 1100, 1350, 1900, 2100, 2200].map(Some)
            );
            for answer in answers {
                let sum: f64 = answer.moves.iter().map(|mv| mv.probability).sum();
                assert!(
                    (sum - 1.0).abs() < 1e-9
                        && answer
                            .moves
                            .is_sorted_by(|a, b| a.probability >= b.probability)
                );
            }
        }
        // Position 4 is mate. It has no answer, but the other positions do.
        assert!(matches!(
            network.evaluate(&games[4]),
            Err(EvaluateError::NoMoves { .. })
        ));
        assert_eq!(
            network.evaluate(&games[0]),
            network.evaluate_at(&games[0], Network::DEFAULT_LEVEL)
        );
    }

    #[test]
    fn requesting_a_level_from_a_network_of_one_level_is_an_error() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/res_se_conv_wdl.pb.gz"
        );
        let network = Network::open(path).unwrap();
        let error = network.evaluate_at(&History::default(), 1500).unwrap_err();
        assert_eq!(
            error,
            EvaluateError::NotConditioned {
                name: "res_se_conv_wdl".to_owned()
            }
        );
        assert_eq!(
            (network.levels(), network.nearest_level(1500)),
            (None, None)
        );
        let many = network.evaluate_many(&[History::default()], &[1100, 1900]);
        assert_eq!(
            many,
            [network
                .evaluate(&History::default())
                .map(|answer| vec![answer])]
        );
    }
}
