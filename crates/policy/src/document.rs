//! JSON documents that describe networks and their answers.

use std::path::Path;

use centipawn_core::History;
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::Move;

use crate::{Evaluation, Kernel, Network, Published, network_name, networks_in};

/// The bundled network, the published networks, and the networks of a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkList {
    /// The folder in which networks lie; `None` if it is unknown.
    pub folder: Option<String>,
    /// First the bundled network, then the published networks in ascending order of rating, then
    /// the other files of the folder by name.
    pub networks: Vec<ListedNetwork>,
}

/// A network in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedNetwork {
    /// The name, such as `maia-1500`.
    pub name: String,
    /// Lichess rating of the players from whose games it was trained; only for published networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u32>,
    /// The least and the greatest rating of the players that it can imitate; only for the bundled
    /// network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<[u32; 2]>,
    /// Whether it can be used now: it is bundled, or its file is in the folder.
    pub here: bool,
    /// SHA-256 of the published file, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl NetworkList {
    /// Lists the bundled network, the published networks, and the files of `folder`.
    pub fn of(folder: Option<&Path>) -> Self {
        let here: Vec<String> = folder
            .map(networks_in)
            .unwrap_or_default()
            .iter()
            .filter_map(|path| Some(network_name(&path.file_name()?.to_string_lossy()).to_owned()))
            .collect();
        let published = Published::MAIA.iter().map(|network| ListedNetwork {
            name: network.name.to_owned(),
            rating: Some(network.rating),
            levels: None,
            here: here.iter().any(|name| name == network.name),
            sha256: Some(network.sha256.to_owned()),
        });
        let others = here
            .iter()
            .filter(|name| Published::by_name(name).is_none());
        let others = others.map(|name| ListedNetwork {
            name: name.clone(),
            rating: None,
            levels: None,
            here: true,
            sha256: None,
        });
        let bundled = Network::find(Network::BUNDLED, Kernel::best())
            .ok()
            .map(|network| ListedNetwork {
                name: network.name().to_owned(),
                rating: None,
                levels: network
                    .levels()
                    .map(|levels| [*levels.start(), *levels.end()]),
                here: true,
                sha256: Some(network.sha256().to_owned()),
            });
        let networks = bundled.into_iter().chain(published).chain(others).collect();
        Self {
            folder: folder.map(|folder| folder.display().to_string()),
            networks,
        }
    }
}

/// The architecture of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkDocument {
    /// The name, such as `maia-1500`.
    pub name: String,
    /// The path of the file; `None` for the bundled network.
    pub file: Option<String>,
    /// How positions are encoded: see [`Input`](crate::Input).
    pub input: String,
    /// `residual`, `residual with squeeze and excitation`, `attention`, `attention with smolgen`.
    pub body: String,
    /// The number of residual blocks or encoder layers.
    pub layers: usize,
    /// How many numbers each square has between two layers.
    pub width: usize,
    /// The number of attention heads of each layer; 0 without attention.
    pub heads: usize,
    /// `dense`, `convolution` or `attention`.
    pub policy: String,
    /// Whether the network's value is a probability of win, draw and loss rather than one number.
    pub wdl: bool,
    /// Whether the network predicts how long the game will last.
    pub moves_left: bool,
    /// The number of training steps, if the file reports it.
    pub training_steps: Option<u32>,
    /// The ratings of the networks that the bundled policy mixes; empty for a network from a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed_from: Vec<u32>,
    /// The least and the greatest rating of the players that it can imitate; `None` if it imitates
    /// one level only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<[u32; 2]>,
    /// The licence, if the file names it.
    pub license: Option<String>,
    /// The name of the [`Kernel`](crate::Kernel) that runs the network.
    pub kernel: String,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
}

impl NetworkDocument {
    /// Describes `network`. `file` is the file that it was read from, `None` for the bundled
    /// network.
    pub fn new(network: &Network, file: Option<&Path>) -> Self {
        let description = network.description();
        Self {
            name: network.name().to_owned(),
            file: file.map(|file| file.display().to_string()),
            input: description.input.to_string(),
            body: description.body.clone(),
            layers: description.layers,
            width: description.width,
            heads: description.heads,
            policy: description.policy.to_owned(),
            wdl: description.has_wdl,
            moves_left: description.has_moves_left,
            training_steps: description.training_steps,
            mixed_from: description.mixed_from.clone(),
            levels: network
                .levels()
                .map(|levels| [*levels.start(), *levels.end()]),
            license: description.license.clone(),
            kernel: network.kernel().name().to_owned(),
            sha256: network.sha256().to_owned(),
        }
    }
}

/// A network's answer to one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationDocument {
    /// The position, as FEN.
    pub fen: String,
    /// The network's name.
    pub policy: String,
    /// Rating of the imitated players; `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Win minus loss for the side to move, −1 to 1.
    pub value: f64,
    /// Win, draw and loss for the side to move, 0 to 1 each; `None` if the network does not predict
    /// them.
    pub wdl: Option<[f64; 3]>,
    /// Plies until the end of the game; `None` if the network does not predict them.
    pub moves_left: Option<f64>,
    /// How many of the 8 positions that the network reads were made up, because the moves before
    /// the start position are unknown.
    pub history_made_up: usize,
    /// All legal moves in descending order of probability.
    pub moves: Vec<MoveDocument>,
    /// The game's number, from 1; only for positions of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<u64>,
    /// The number of the next ply, from 1; only for positions of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The move played in the game, in UCI notation; only for positions of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// The program, and the file of the network, that gave the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A move and its probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveDocument {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in standard algebraic notation.
    pub san: String,
    /// The probability that the move is played, 0 to 1.
    pub p: f64,
    /// The network's output for the move, before the softmax.
    pub logit: f64,
}

impl EvaluationDocument {
    /// Describes the answer `evaluation` of `network` to the last position of `history`. The fields
    /// of a game stay `None`.
    pub fn new(network: &Network, history: &History, evaluation: &Evaluation) -> Self {
        let moves = evaluation.moves.iter().map(|mv| MoveDocument {
            uci: history.uci(mv.mv).to_string(),
            san: history.san(mv.mv),
            p: mv.probability,
            logit: f64::from(mv.logit),
        });
        let provenance = Provenance {
            networks: vec![network.provenance()],
            ..Provenance::of("policy run", &())
        };
        Self {
            fen: history.fen(),
            policy: network.name().to_owned(),
            level: evaluation.level,
            value: evaluation.value,
            wdl: evaluation.wdl.map(|wdl| [wdl.win, wdl.draw, wdl.loss]),
            moves_left: evaluation.moves_left,
            history_made_up: evaluation.made_up,
            moves: moves.collect(),
            game: None,
            ply: None,
            played: None,
            provenance: Some(provenance),
        }
    }

    /// Adds the place in a game: in game number `game` (from 1), ply number `ply` (from 1) was the
    /// move `played`.
    #[must_use]
    pub fn in_game(self, game: u64, ply: usize, history: &History, played: Move) -> Self {
        Self {
            game: Some(game),
            ply: Some(ply),
            played: Some(history.uci(played).to_string()),
            ..self
        }
    }
}
