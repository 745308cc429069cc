//! Networks that read the rating of the imitated players from a plane of their input.

use std::ops::RangeInclusive;

use crate::{Input, NetworkError, proto};

/// The plane that holds the rating. Lc0 fills this plane with zeros in its classical input, so Lc0
/// can read such files too. It then imitates players of the rating for which the plane is 0.
pub(crate) const PLANE: usize = 110;

/// How a rating becomes the value of its plane: `(rating − centre) / scale`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conditioning {
    centre: f32,
    scale: f32,
    /// The ratings of the players from whose games the network was trained.
    pub(crate) levels: RangeInclusive<u32>,
}

impl Conditioning {
    /// Reads the description of the rating plane from a file. `None` if the network imitates one
    /// level only.
    pub(crate) fn read(net: &proto::Net, input: Input) -> Result<Option<Self>, NetworkError> {
        let Some(given) = &net.conditioning else {
            return Ok(None);
        };
        let proto::Conditioning {
            plane,
            centre,
            scale,
            from,
            to,
        } = *given;
        if plane as usize != PLANE || input != Input::Classical {
            let text = format!(
                "the rating in plane {plane} of {input} is not supported, only in plane \
                 {PLANE} of 112 planes"
            );
            return Err(NetworkError::Unsupported(text));
        }
        if scale == 0 || from > to {
            let text = format!(
                "the ratings {from} to {to}, divided by {scale}, make no plane; \
                 the file is damaged"
            );
            return Err(NetworkError::Unsupported(text));
        }
        Ok(Some(Self {
            centre: centre as f32,
            scale: scale as f32,
            levels: from..=to,
        }))
    }

    /// Returns the value of the plane for this rating.
    pub(crate) fn value(&self, rating: u32) -> f32 {
        (rating as f32 - self.centre) / self.scale
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use centipawn_core::History;
    use prost::Message as _;

    use super::*;
    use crate::{EvaluateError, Evaluation, Network, load, proto::Layer};

    const CONDITIONING: proto::Conditioning = proto::Conditioning {
        plane: PLANE as u32,
        centre: 1500,
        scale: 400,
        from: 1100,
        to: 1900,
    };

    fn maia() -> proto::Net {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("networks/maia-1500-packed.pb.gz");
        load::net(&fs::read(path).unwrap()).unwrap()
    }

    /// Changes the weights of the first convolution of `net`. `change` gets the filter of each
    /// channel, `[112][9]`.
    fn with_input(mut net: proto::Net, change: impl Fn(&mut [f32])) -> proto::Net {
        let block = net.weights.as_mut().unwrap().input.as_mut().unwrap();
        let mut weights = load::numbers(block.weights.as_ref(), "input").unwrap();
        weights.chunks_exact_mut(112 * 9).for_each(change);
        let bytes = weights
            .iter()
            .flat_map(|weight| weight.to_le_bytes())
            .collect();
        block.weights = Some(Layer {
            min: None,
            max: None,
            params: Some(bytes),
            encoding: Some(4),
        });
        net
    }

    fn plain() -> Network {
        Network::from_bytes(&maia().encode_to_vec()).unwrap()
    }

    fn conditioned(net: proto::Net) -> Network {
        Network::from_bytes(
            &proto::Net {
                conditioning: Some(CONDITIONING),
                ..net
            }
            .encode_to_vec(),
        )
        .unwrap()
    }

    fn games() -> Vec<History> {
        let mut game = History::default();
        let mut games = vec![game.clone()];
        for uci in [
            "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "e1g1",
        ] {
            game.push(game.parse_uci(uci).unwrap());
            games.push(game.clone());
        }
        games
    }

    /// Removes the level, so that answers of different levels can be compared.
    fn without_level(evaluation: Evaluation) -> Evaluation {
        Evaluation {
            level: None,
            ..evaluation
        }
    }

    #[test]
    fn with_zero_weights_on_the_rating_plane_every_level_answers_like_the_plain_network() {
        let silent = |filter: &mut [f32]| filter[9 * PLANE..][..9].fill(0.0);
        let plain = Network::from_bytes(&with_input(maia(), silent).encode_to_vec()).unwrap();
        let network = conditioned(with_input(maia(), silent));
        assert_eq!(
            (plain.levels(), network.levels()),
            (None, Some(1100..=1900))
        );
        for game in games() {
            let wanted = plain.evaluate(&game).unwrap();
            for level in [1100, 1337, 1500, 1900] {
                assert_eq!(
                    without_level(network.evaluate_at(&game, level).unwrap()),
                    wanted,
                    "{level}"
                );
            }
        }
        let error = plain.evaluate_at(&History::default(), 1500).unwrap_err();
        assert!(matches!(error, EvaluateError::NotConditioned { .. }));
    }

    #[test]
    fn a_level_equals_the_network_with_the_rating_folded_into_the_constant_plane() {
        let taps = |filter: &mut [f32]| {
            (0..9).for_each(|tap| filter[9 * PLANE + tap] = 0.05 * tap as f32 - 0.2);
        };
        let network = conditioned(with_input(maia(), taps));
        for level in [1100, 1500, 1700] {
            let value = (level as f32 - 1500.0) / 400.0;
            let folded = with_input(maia(), |filter: &mut [f32]| {
                taps(filter);
                (0..9).for_each(|tap| {
                    filter[9 * (PLANE + 1) + tap] += value * filter[9 * PLANE + tap];
                });
            });
            let folded = Network::from_bytes(&folded.encode_to_vec()).unwrap();
            for game in games() {
                let [answer, wanted] =
                    [network.evaluate_at(&game, level), folded.evaluate(&game)].map(Result::unwrap);
                assert_eq!(answer.level, Some(level));
                for mv in &answer.moves {
                    let wanted = wanted
                        .moves
                        .iter()
                        .find(|wanted| wanted.mv == mv.mv)
                        .unwrap();
                    assert!(
                        (mv.probability - wanted.probability).abs() < 1e-5,
                        "{level}: {mv:?}, {wanted:?}"
                    );
                }
                assert!((answer.value - wanted.value).abs() < 1e-5);
            }
        }
        let at = |level| network.evaluate_at(&games()[5], level).unwrap();
        assert_ne!(at(1100).moves[0].probability, at(1900).moves[0].probability);
    }

    #[test]
    fn evaluating_levels_together_equals_one_by_one_and_unknown_levels_become_the_nearest() {
        let network = conditioned(with_input(maia(), |filter: &mut [f32]| {
            filter[9 * PLANE + 4] = 0.1;
        }));
        let (games, levels) = (games(), [800, 1350, 2500]);
        for (game, answers) in games.iter().zip(network.evaluate_many(&games, &levels)) {
            let one_by_one: Vec<_> = levels
                .map(|level| network.evaluate_at(game, level).unwrap())
                .into();
            assert_eq!(
                one_by_one
                    .iter()
                    .map(|answer| answer.level)
                    .collect::<Vec<_>>(),
                [1100, 1350, 1900].map(Some)
            );
            assert_eq!(answers.unwrap(), one_by_one);
        }
        let note = |level| network.level_note(level);
        assert_eq!(
            (note(1100), note(1900), plain().level_note(2500)),
            (None, None, None)
        );
        assert_eq!(
            note(2500).unwrap(),
            "level 2500: 1900 is the nearest that the network can imitate"
        );
        assert_eq!(
            network.evaluate(&games[3]),
            network.evaluate_at(&games[3], Network::DEFAULT_LEVEL)
        );
        let planes = network.planes(&games[3]).planes;
        assert_eq!(planes[PLANE].1, 0.0);
    }

    #[test]
    fn unsupported_rating_planes_are_refused() {
        let error = |conditioning, net: proto::Net| {
            let net = proto::Net {
                conditioning: Some(conditioning),
                ..net
            };
            Network::from_bytes(&net.encode_to_vec())
                .unwrap_err()
                .to_string()
        };
        let text = error(
            proto::Conditioning {
                plane: 109,
                ..CONDITIONING
            },
            maia(),
        );
        assert_eq!(
            text,
            "the rating in plane 109 of 112 planes is not supported, only in plane \
             110 of 112 planes"
        );
        for damaged in [
            proto::Conditioning {
                scale: 0,
                ..CONDITIONING
            },
            proto::Conditioning {
                from: 1900,
                to: 1100,
                ..CONDITIONING
            },
        ] {
            assert!(error(damaged, maia()).ends_with("the file is damaged"));
        }
        let mut canonical = maia();
        canonical
            .format
            .as_mut()
            .unwrap()
            .network
            .as_mut()
            .unwrap()
            .input = Some(4);
        assert!(
            error(CONDITIONING, canonical)
                .starts_with("the rating in plane 110 of 112 planes, canonical")
        );
    }
}
